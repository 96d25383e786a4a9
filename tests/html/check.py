#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check.py PAGE REPORT.json EVENTS.json CHECK...: opens a page of gotap report --html and compares what a user sees with
the report and the events of the same trace. Prints what it measured."""

import json
import os
import subprocess
import sys

from browser import Browser


# Two frames are shown.
FRAMES = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"


def same(what, is_, should):
    if is_ != should:
        raise SystemExit(f"{what}: {is_!r}, not {should!r}")


def true(what, value):
    if not value:
        raise SystemExit(what)


def most_alive(events):
    """Of a trace of one generation: what is found in it was there from the begin on."""
    moves = [e for e in events if e.get("of") == "goroutine" and e.get("kind") == "StateTransition"]
    alive = most = len({e["id"] for e in moves if e["from"] == "Undetermined" and e["to"] != "NotExist"})
    for e in moves:
        alive += (e["from"] == "NotExist") - (e["to"] == "NotExist")
        most = max(most, alive)
    return most


def numbers(b, report, events):
    """The head and the tables have the numbers of gotap report --json."""
    trace, head = report["traces"][0], b.js("Data.head")
    same("duration", head["duration"], trace["duration_ns"])
    same("events", head["events"], trace["events"])
    same("goroutines", head["goroutines"], sum(f["goroutines"] for f in report["goroutines"]))
    b.click_on("#tab-tables")
    b.js("showTable(0)")
    same("rows", b.js("Tables.grid.rows.length"), len(report["goroutines"]))
    same("most goroutines at a time", b.js("Math.max(...Data.head.series.find(s => Data.texts[s.name] === 'goroutines').points.map(p => p[2]))"),
         most_alive(events))
    alive = sum(f["goroutines"] - f["ended"] for f in report["goroutines"])
    same("goroutines at the end", b.js("Data.head.series.find(s => Data.texts[s.name] === 'goroutines').points.at(-1)[3]"), alive)
    latency = report["scheduling_latency"]
    same("scheduling latency", b.js("(h => [h.n, h.ns, h.longest])(histogramOf(userFunctions(), RUNNABLE))"),
         [latency["count"], latency["sum_ns"], latency["max_ns"]])
    waits = {}
    for f in report["goroutines"]:
        if not f["system"]:
            for reason, d in f.get("waiting", {}).items():
                waits[reason] = waits.get(reason, 0) + d["sum_ns"]
    shown = b.js("""[...flameTree(0, false).children.values()].reduce((sums, n) =>
        ({ ...sums, [n.name === "(no stack)" || !n.name.startsWith("[") ? "" : n.name.slice(1, -1)]: (sums[n.name.startsWith("[") ? n.name.slice(1, -1) : ""] || 0) + n.value }), {})""")
    same("time waited by reason", shown, {r: ns for r, ns in waits.items() if ns})


def origin(b, report, events):
    """The page says which program the trace is of, in the words of the report, as text."""
    facts = list(report["traces"][0]["origin"].values())
    true("no facts", facts)
    same("facts", b.js("[...document.querySelectorAll('#origin .note')].map(n => n.lastChild.data.slice(1))"), facts)
    same("elements of the program", b.js("document.querySelectorAll('#origin .note :not(b)').length"), 0)


def sorts(b, report, events):
    """A click on a column sorts, and the first row is the one with the largest number."""
    b.click_on("#tab-tables")
    b.js("showTable(0)")
    column = b.js("Tables.grid.columns.findIndex(c => c.name === 'Running') + 1")
    b.click_on(f"#report-table .head button:nth-child({column})")
    largest = max(report["goroutines"], key=lambda f: f.get("running", {}).get("sum_ns", 0))
    same("first row", b.js("document.querySelector('#report-table .line .cell').textContent"), largest["function"])


def finding(b, report, events):
    """A click on a finding shows its place, and its first goroutine is selected."""
    f = report["findings"][0]
    b.click_on("#tab-findings")
    same("sentence", b.js("document.querySelector('#finding-list .text').textContent"), f["text"])
    b.click_on("#finding-list .finding")
    b.wait("Timeline.selected")
    true("another view", b.js("currentView") == "timeline" and b.js("!document.getElementById('view-timeline').hidden"))
    begin, end = b.js("[Timeline.from, Timeline.to]")
    true(f"the view {begin} to {end} lacks the finding", begin <= f["from_ns"] and f["to_ns"] <= end)
    true("the view is all of the trace", end - begin < report["traces"][0]["duration_ns"])
    same("selected", b.js("Timeline.selected.g.id"), f["goroutines"][0])
    same("chosen goroutines", b.js("Timeline.pinned.map(g => g.id)"), f["goroutines"][:12])
    b.wait("Timeline.complete")
    b.wait("/#view=timeline&t=/.test(location.hash)")


def stays_of(events, g):
    """[from, to, state] of a goroutine, from the events of gotap text --events."""
    first, last, stays, now = events[0]["time"], events[-1]["time"], [], None
    for e in events:
        if e.get("kind") != "StateTransition" or e["of"] != "goroutine" or e["id"] != g or e["from"] == e["to"]:
            continue
        if now:
            stays.append([now[0] - first, e["time"] - first, now[1]])
        now = [first if e["from"] == "Undetermined" else e["time"], e["to"]] if e["to"] != "NotExist" else None
    if now:
        stays.append([now[0] - first, last - first, now[1]])
    return [s for s in stays if s[1] > s[0]]


STATES = {"Running": 1, "Runnable": 2, "Syscall": 3, "Waiting": 4}


def exact(b, report, events):
    """Stays of goroutines, read from the page one after the other, are those of the events, to the ns."""
    for g in b.js("Data.goroutines.slice(0, 6).map(g => g.id)"):
        shown = b.js(f"""(async () => {{
            const g = Data.goroutine({g}), stays = [];
            for (let t = g.from; t < g.to; ) {{
                const item = await exactAt(PLANE_G, g.track, t);
                stays.push([item.from, item.to, item.state]);
                t = item.to;
            }}
            return stays; }})()""")
        same(f"stays of G{g}", shown, [[f, t, STATES[s]] for f, t, s in stays_of(events, g)])


def zoomed(b, report, events):
    """Zoomed in with keys, the pixels of a lane are those of its stays; a click shows one with its exact times."""
    b.click_on("#tab-timeline")
    g = b.js("Data.goroutines[0].id")
    stays = stays_of(events, g)
    begin, end, state = max((s for s in stays if s[2] == "Runnable"), key=lambda s: s[1] - s[0])
    b.js(f"selectGoroutine(Data.goroutine({g})), setView({begin} - 50 * ({end} - {begin}), {end} + 50 * ({end} - {begin}))")
    b.js("document.getElementById('lanes').focus()")
    before = b.js("Timeline.to - Timeline.from")
    b.type("wwwwwwwwwwww")
    true("keys do not zoom", b.js("Timeline.to - Timeline.from") < before / 20)
    b.js(f"setView({begin} - ({end} - {begin}), {end} + ({end} - {begin}))")
    b.js(FRAMES)
    b.wait("Timeline.complete")
    place = b.js(f"""(() => {{ const r = document.getElementById('lanes-canvas').getBoundingClientRect();
        const l = lanesIn(0, 1e7).find(it => it.g && it.g.id === {g});
        return [r.left + xOf(({begin} + {end}) / 2), r.top + l.y - document.getElementById('lanes').scrollTop + RULER + 12]; }})()""")
    b.js("select(null)")
    b.click(*place)
    b.wait("Timeline.selected && Timeline.selected.item")
    b.js(FRAMES)
    same("selected stay", b.js("(i => [i.from, i.to, i.state])(Timeline.selected.item)"), [begin, end, STATES[state]])
    true("its time in the panel", b.js(f"document.getElementById('details').textContent.includes(showExact({begin}))"))
    color = b.js(f"""(() => {{ const c = document.getElementById('lanes-canvas'), r = c.getBoundingClientRect();
        return '#' + [...c.getContext('2d').getImageData({place[0]} - r.left, {place[1]} - r.top + 3, 1, 1).data].slice(0, 3).map(v => v.toString(16).padStart(2, '0')).join(''); }})()""")
    same("colour", color, b.js("Colors.runnable"))


def lives_of(events):
    """{id: [from, to]} of all goroutines, in ns since the first event."""
    first, last, lives = events[0]["time"], events[-1]["time"], {}
    for e in events:
        if e.get("kind") != "StateTransition" or e["of"] != "goroutine":
            continue
        life = lives.setdefault(e["id"], [0 if e["from"] == "Undetermined" else e["time"] - first, last - first])
        if e["to"] == "NotExist":
            life[1] = e["time"] - first
    return lives


def place_of(b, lane, time):
    """Where in the window the lane that a condition on `l` finds has a time."""
    return b.js(f"""(() => {{ const r = document.getElementById('lanes-canvas').getBoundingClientRect(), l = lanesIn(0, 1e7).find(l => {lane});
        return [r.left + xOf({time}), r.top + l.y - document.getElementById('lanes').scrollTop + RULER + 12]; }})()""")


def living(b, report, events):
    """The goroutines with a lane are those that live in the view; a lane that remains does not move."""
    lives, end = lives_of(events), report["traces"][0]["duration_ns"]
    short, (begin, died) = min(lives.items(), key=lambda row: row[1][1] - row[1][0])
    b.click_on("#tab-timeline")
    for begins, ends in ((0, end), (begin, died), (died + end * 0.05, died + end * 0.1), (0, begin / 2)):
        b.js(f"setView({begins}, {ends})")
        begins, ends = b.js("[Timeline.from, Timeline.to]")
        want = {g for g, life in lives.items() if life[0] <= ends and life[1] >= begins}
        same(f"lanes from {begins} to {ends}", set(b.js("lanesIn(Timeline.fixedHeight, 1e7).map(l => l.g.id)")), want)
    true("it has no lane where it lives", died < end and short not in want and b.js(f"(setView({begin}, {died}), lanesIn(0, 1e7).some(l => l.g && l.g.id === {short}))"))
    b.click_on("#only-alive")
    b.js(f"setView(0, {begin / 2})")
    same("all lanes", b.js("lanesIn(Timeline.fixedHeight, 1e7).length"), len(lives))
    b.click_on("#only-alive")
    b.js("""(() => { const e = document.getElementById('timeline-sort'); e.value = 'begin'; e.dispatchEvent(new Event('change')); })()""")
    b.js(f"setView({begin - 1000}, {died + 1000})")
    b.js(FRAMES)
    b.js("(document.getElementById('lanes-height').style.minHeight = '5000px', document.getElementById('lanes').scrollTop = 200)")
    b.js(FRAMES)
    last = b.js("Timeline.shown.at(-2).id")
    x, y = place_of(b, f"l.g && l.g.id === {last}", begin)
    b.move(x, y)
    b.js(f"setView({died} + 2e6, {died} + 5e6)")
    b.js(FRAMES)
    same("lane under the pointer", b.js(f"laneAt({y} - document.getElementById('lanes-canvas').getBoundingClientRect().top).g.id"), last)
    b.js("(document.getElementById('lanes-height').style.minHeight = '', document.getElementById('timeline-sort').value = 'weight', Timeline.sort = 'weight', chooseGoroutines())")


def names(b, report, events):
    """A name without room is cut at its begin: in the lanes, and in the tables."""
    long = max((f["function"] for f in report["goroutines"]), key=len)
    b.click_on("#tab-timeline")
    texts = b.js(f"""(async () => {{ const texts = [], old = CanvasRenderingContext2D.prototype.fillText;
        CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {{ texts.push(text); return old.call(this, text, ...rest); }};
        setView(0, Data.head.duration); redraw(); await {FRAMES}; CanvasRenderingContext2D.prototype.fillText = old; return texts; }})()""")
    shown = [t.split("  ")[-1] for t in texts if long.endswith(t.split("…")[-1]) and len(t) > 8]
    true(f"the name is not in the lanes: {texts}", shown and all(t.startswith("…") and long.endswith(t[1:]) and len(t) > 12 for t in shown))
    b.click_on("#tab-goroutines")
    box = b.js(f"""(() => {{ const cell = [...document.querySelectorAll('#goroutine-table .cell.name')].find(c => c.textContent === {json.dumps(long)});
        cell.style.width = '120px'; const c = cell.getBoundingClientRect(), t = cell.firstChild.getBoundingClientRect();
        return [c.left, c.right, t.left, t.right]; }})()""")
    true(f"the end is not in the cell: {box}", box[0] <= box[3] <= box[1] and box[2] < box[0])


def hovers(b, report, events):
    """What is under the pointer is named with its exact begin, who ended it, and marked."""
    g, (begin, end, _) = max(((g, s) for g in b.js("Data.goroutines.map(g => g.id)") for s in stays_of(events, g)
                              if s[2] == "Waiting" and s[0] > 0 and s[1] < report["traces"][0]["duration_ns"]), key=lambda row: row[1][1] - row[1][0])
    first = events[0]["time"]
    waker = next(e for e in events if e.get("kind") == "StateTransition" and e["of"] == "goroutine" and e["id"] == g and e["time"] - first == end)["g"]
    b.click_on("#tab-timeline")
    b.js(f"setView({begin} - ({end} - {begin}), {end} + ({end} - {begin}))")
    b.js(FRAMES)
    b.wait("Timeline.complete")
    x, y = place_of(b, f"l.g && l.g.id === {g}", (begin + end) / 2)
    b.move(x, y)
    b.wait("document.getElementById('tip').textContent.includes('ended by')", 10)
    tip = b.js("(t => t.hidden ? null : t.textContent)(document.getElementById('tip'))")
    true(f"tip: {tip!r}", tip and tip.startswith(b.js(f"labelOf(goroutineLane(Data.goroutine({g})))")) and b.js(f"showExact({begin})") in tip)
    true(f"who ended it: {tip!r}", f"ended by G{waker} " in tip)
    over = b.js(f"""(() => {{ const c = document.getElementById('lanes-over'), r = c.getBoundingClientRect();
        return '#' + [...c.getContext('2d').getImageData(Math.round(Timeline.pointer.x) * scale, 100, 1, 1).data].slice(0, 3).map(v => v.toString(16).padStart(2, '0')).join(''); }})()""")
    same("line at the pointer", over, b.js("Colors.accent"))
    b.move(x, 5)
    b.js(FRAMES)
    true("the tip is still there", b.js("document.getElementById('tip').hidden"))
    same("over the lanes", b.js("""(c => c.getContext('2d').getImageData(0, 0, c.width, c.height).data.some(v => v))(document.getElementById('lanes-over'))"""), False)


def clipped(stays, begin, end):
    """{state: ns} of stays between two times."""
    sums = {}
    for f, t, state in stays:
        ns = min(t, end) - max(f, begin)
        if ns > 0:
            sums[STATES[state]] = sums.get(STATES[state], 0) + ns
    return sums


def measures(b, report, events):
    """A drag measures from the edge of one stay to that of another, and what the lane, or the Ps, did in that time, to the ns."""
    b.click_on("#tab-timeline")
    ids = b.js("Data.goroutines.map(g => g.id)")
    g, stays = max(((g, stays_of(events, g)) for g in ids), key=lambda row: len(row[1]))
    whole = report["traces"][0]["duration_ns"]
    begin, end, _ = max((s for s in stays if s[0] > whole * 0.05 and s[1] < whole * 0.95), key=lambda s: s[1] - s[0])
    b.js(f"(setView({begin} - ({end} - {begin}), {end} + ({end} - {begin})), reveal(Data.goroutine({g})))")
    b.js(FRAMES)
    b.wait("Timeline.complete")
    before = b.js("[Timeline.from, Timeline.to]")
    lane = f"l.g && l.g.id === {g}"
    (x0, y), (x1, _) = place_of(b, lane, begin), place_of(b, lane, end)
    b.drag(x0 + 3, y, x1 + 40, y, shift=True)
    b.wait("measured && measured.sums", 10)
    same("measured from", b.js("measured.from"), begin)
    to = b.js("measured.to")
    true(f"measured to {to}", to > end)
    same("what the lane did", dict(b.js("[...measured.sums.states.entries()]")), clipped(stays, begin, to))
    true("it is in the panel", b.js(f"document.getElementById('details').textContent.startsWith('Measured: ' + showTime({to - begin}, 5))"))
    b.drag(x0 - 40, y, x1 - 3, y, shift=True)
    same("measured to", b.js("measured.to"), end)
    same("moved by it", b.js("[Timeline.from, Timeline.to]"), before)
    b.drag(x0 + 11, b.js("document.getElementById('lanes').getBoundingClientRect().top + 10"), x1 - 17, y + 400)
    b.wait("measured && measured.sums", 10)
    begin, end = b.js("[measured.from, measured.to]")
    running = sum(clipped(stays_of(events, i), begin, end).get(1, 0) for i in ids)
    same("what the Ps ran", b.js("measured.lanes.map(l => l.plane)") and dict(b.js("[...measured.sums.states.entries()]")).get(1, 0), running)
    middle = b.js("Data.head.duration") / 2
    b.js(f"setView({middle} - 1e5, {middle} + 1e5)")
    b.drag(x0 + 40, y, x0 + 100, y)
    true("a drag does not move any more", b.js("Timeline.from") < middle - 1e5)
    same("still measured", b.js("[measured.from, measured.to]"), [begin, end])
    b.js("document.getElementById('lanes').focus()")
    b.type("m")
    b.drag(x0 + 100, y, x0 + 130, y)
    true("a drag with m does not measure", b.js("measured.from") not in (begin, end) and b.js("measured.to - measured.from") < 1e5)
    b.type("m")
    b.send("Input.dispatchKeyEvent", type="keyDown", key="Escape")
    same("forgotten", b.js("measured"), None)


def units(b, report, events):
    """The units are those of the report; the paths are those of gotap why, step by step, and are drawn over the lanes."""
    want = [a for a in report["answer"] if a["kind"] == "unit"]
    true("no unit", want)
    same("units", b.js("Units.list.map(u => [u.count, u.p50, u.p99])"), [[a["count"], a["p50_ns"], a["p99_ns"]] for a in want])
    for i, a in enumerate(want):
        true(f"name {b.js(f'Units.list[{i}].name')}", b.js(f"Units.list[{i}].name").endswith(a["unit"]))
        true("instances", 0 < b.js(f"Units.list[{i}].items.length") <= a["count"])
        same("in lanes, or counted", b.js(f"(u => u.lanes.flat().length + u.unplaced === u.items.length)(Units.list[{i}])"), True)
        slowest, path = a["slowest"], b.js(f"(p => ({{ ...p, unit: 0 }}))(Units.list[{i}].paths[0])")
        same("the slowest", [path["g"], path["from"], path["to"]], [slowest["goroutine"], slowest["from_ns"], slowest["to_ns"]])
        sums = {}
        for cause in slowest["causes"]:
            sums[cause["ns"]] = sums.get(cause["ns"], 0) + 1
        same("time of its causes", sum(p["ns"] for p in path["parts"]), sum(c["ns"] for c in slowest["causes"]))
    for i, k in b.js("Units.list.flatMap((u, i) => u.paths.map((p, k) => [i, k]))"):
        path = b.js(f"(p => ({{ ...p, unit: 0 }}))(Units.list[{i}].paths[{k}])")
        why = json.loads(subprocess.run([os.environ["GOTAP"], "why", os.environ["TRACE"], "-g", str(path["g"]), "--from", f"{path['from'] / 1e9:.9f}",
                                         "--to", f"{path['to'] / 1e9:.9f}", "--json", "--full"], stdout=subprocess.PIPE, check=True).stdout)
        same("steps", path["count"], why["step_count"])
        if path["count"] <= 1000:
            same("path", [[s["from"], s["to"], s["g"]] for s in path["steps"]], [[s["from_ns"], s["to_ns"], s.get("goroutine", -1)] for s in why["steps"]])
    b.click_on("#tab-findings")
    same("sentence", b.js("document.querySelector('.finding.unit .text').textContent.startsWith(Data.report.answer[0].text)"), True)
    b.click_on(".finding.unit")
    b.wait("Units.path && Timeline.complete")
    b.js(FRAMES)
    true("in view", b.js("Timeline.from <= Units.path.from && Units.path.to <= Timeline.to"))
    true("the panel has no cause", b.js("document.querySelectorAll('#details .parts li').length") > 0)
    lanes = b.js("Timeline.lanes.findIndex(l => l.kind === 'path')")
    shown = b.js(f"Timeline.lanes.slice({lanes} + 1).filter(l => l.pinned).map(l => l.g.id)")
    true("the goroutine of the unit has no lane there", b.js("Units.path.g") in shown)
    step = b.js("""(() => { window.longest = Units.path.steps.filter(s => !s.some).reduce((a, s) => s.to - s.from > a.to - a.from ? s : a);
        return [longest.g, longest.from, longest.to, stepWords(longest), stepColor(longest)]; })()""")
    middle = (step[1] + step[2]) / 2
    for what, lane, dy, color in (("frame", f"l.pinned && l.g.id === {step[0]}", 5, "Colors.ink"), ("step", "l.kind === 'path'", -9, f"Colors[{json.dumps(step[4])}]")):
        x, y = place_of(b, lane, middle)
        pixel = b.js(f"""(() => {{ const c = document.getElementById('lanes-canvas'), r = c.getBoundingClientRect();
            return '#' + [...c.getContext('2d').getImageData(Math.round(({x} - r.left) * scale), Math.round(({y} - r.top + {dy}) * scale), 1, 1).data]
                .slice(0, 3).map(v => v.toString(16).padStart(2, '0')).join(''); }})()""")
        same(f"colour of the {what}", pixel, b.js(color))
    b.move(*place_of(b, "l.kind === 'path'", middle))
    b.js(FRAMES)
    tip = b.js("document.getElementById('tip').textContent")
    true(f"tip: {tip!r}", step[3] in tip and f"G{step[0]} " in tip)
    b.js("document.getElementById('lanes').focus()")
    b.send("Input.dispatchKeyEvent", type="keyDown", key="Escape")
    same("path", b.js("Units.path"), None)


# What is seen of each view, to compare: the pixels of its canvases, and its texts.
SEEN = {
    "timeline": """(async () => { await """ + FRAMES + """; return [document.getElementById('lanes-canvas').toDataURL(), document.getElementById('overview').toDataURL(),
        document.getElementById('details').textContent, measured && document.getElementById('lanes-over').toDataURL()]; })()""",
    "goroutines": "document.getElementById('view-goroutines').textContent",
    "tables": "[document.getElementById('table-choice').selectedIndex, document.getElementById('view-tables').textContent]",
    "flames": "[document.getElementById('flame').toDataURL(), document.getElementById('flame-count').textContent, document.getElementById('flame-about').textContent]",
    "charts": "[document.getElementById('chart-page').textContent, ...[...document.querySelectorAll('#chart-page canvas')].map(c => c.toDataURL())]",
}


def seen(b):
    """All views, one after the other."""
    shown = {}
    for view, code in SEEN.items():
        b.js(f"showView('{view}')")
        b.js(FRAMES)
        if view == "timeline":
            b.wait("Timeline.complete && (!measured || measured.sums)")
        shown[view] = b.js(code)
    return shown


def differences(a, b):
    """Which parts of a view differ; texts in short."""
    if not isinstance(a, list):
        a, b = [a], [b]
    def at(x, y):
        n = len(os.path.commonprefix([str(x), str(y)]))
        return [str(x)[n:n + 60], str(y)[n:n + 60]]

    return [[i, *at(x, y)] for i, (x, y) in enumerate(zip(a, b)) if x != y] + ([] if len(a) == len(b) else ["lengths"])


def links(b, report, events):
    """The address has all that was chosen: another browser shows the same by it, in every view."""
    fresh = Browser(sys.argv[1])
    try:
        first = seen(fresh)
    finally:
        fresh.close()
    b.click_on("#tab-timeline")
    b.move(5, 5)
    g = b.js("Data.goroutines.at(-2)").get("id")
    b.js(f"""(async () => {{ const change = (id, value, event) => {{ document.getElementById(id).value = value; document.getElementById(id).dispatchEvent(new Event(event)); }};
        const d = Data.head.duration; setView(d * .2, d * .6); select({{ object: Units.list[0].items.find(o => o.path === 1), g: null }});
        pin(Data.goroutines.slice(1, 3)); change('timeline-sort', 'begin', 'change');
        measure(Math.round(d * .3), Math.round(d * .4), Timeline.lanes.filter(l => l.plane === PLANE_P)); measureEnds();
        document.getElementById('show-threads').click(); document.getElementById('show-arrows').click();
        showView('goroutines'); goroutineGrid.sortBy(4); change('goroutine-filter', 'main', 'input');
        showView('tables'); chooseTable(1); Tables.grid.sortBy(3); change('table-filter', 'i', 'input');
        showView('flames'); document.getElementById('flame-reverse').click(); chooseFlame(1); Flame.focus = sortedChildren(sortedChildren(Flame.root)[0])[0]; change('flame-filter', 'main.m', 'input');
        showView('charts'); change('chart-function', document.getElementById('chart-function').options[1].value, 'change');
        showView('timeline'); document.getElementById('lanes').scrollTop = 60; await selectGoroutine(Data.goroutine({g}), d * .5); }})()""")
    b.wait("Timeline.complete && measured.sums && document.getElementById('lanes').scrollTop === Timeline.scroll")
    b.js("(document.getElementById('lanes').focus(), new Promise(done => setTimeout(done, 300)))")
    address = b.js("(saveView(), new Promise(done => setTimeout(() => done(location.hash), 400)))")
    want = seen(b)
    for view in want:
        true(f"nothing was chosen in {view}", want[view] != first[view])
    other = Browser(sys.argv[1], fragment=address)
    try:
        other.wait("started && !loads")
        same("view", other.js("currentView"), "timeline")
        same("selected", other.js("(s => [s.g.id, s.item && s.item.from])(Timeline.selected)"), b.js("(s => [s.g.id, s.item && s.item.from])(Timeline.selected)"))
        same("scrolled", other.js("document.getElementById('lanes').scrollTop"), b.js("(showView('timeline'), document.getElementById('lanes').scrollTop)"))
        shown = seen(other)
        for view in want:
            same(f"{view}, of {address}", differences(shown[view], want[view]), [])
        other.js("(saveView(), new Promise(done => setTimeout(done, 400)))")
        same("address", other.js("location.hash").split("&")[1:], address.split("&")[1:])
        other.js("history.replaceState(null, '', '#view=charts')")
        other.js("loadView()")
        shown = seen(other)
        for view in first:
            same(f"{view} as at the start", differences(shown[view], first[view]), [])
        for wrong in ("#view=nothing&t=9_3&g=99999999&lane=g99999999_7&object=u7.9&path=9.9&measure=5_1_x&pin=1.99999999.x", "#t=5&view=__proto__&lane=z&object=o99.1&y=-1",
                      "#filter=%E0%A4%A&sort=nothing&focus=9.9.9&flame=77&table=99&rows=99.1&goroutines=99.0&function=12345678&measure=1_2_p99_m99_gx", "#&&==&view&x=1"):
            other.js(f"(history.replaceState(null, '', {json.dumps(wrong)}), loadView())")
            true(wrong, other.js("Timeline.to > Timeline.from && !loads"))
            other.js(FRAMES)
        seen(other)
        same("errors", other.errors(), [])
    finally:
        other.close()


def key(b, name):
    for kind in ("keyDown", "keyUp"):
        b.send("Input.dispatchKeyEvent", type=kind, key=name)


def found(b):
    """{title: texts of the rows below it} of the list of the search."""
    return b.js("""[...document.getElementById('search-list').children].reduce((all, e) => {
        if (e.tagName === 'H4') all.push([e.firstChild.data, []]);
        else if (e.className === 'found') all.at(-1)[1].push(e.firstChild.textContent);
        return all; }, [])""")


def looked_up(b, text):
    b.js("(document.activeElement.blur(), document.getElementById('search').value = '')")
    b.type("f" + text)
    return dict(found(b))


def search(b, report, events):
    """One field finds all that has a name; Enter goes to it, n and N go on to the next occurrence."""
    names = {f["function"]: f["goroutines"] for f in report["goroutines"] if f["function"]}
    for name in sorted(names, key=len)[-3:] + ["main.worker"]:
        part = name[-12:].upper()
        want = sum(n for f, n in names.items() if part.lower() in f.lower())
        rows = looked_up(b, part)["Goroutines"]
        same(f"goroutines of {part}", [r for r in rows if r.startswith("Lanes of all")], [f"Lanes of all {want}"] if want > 1 else [])
        same("rows", len(rows) - (want > 1), min(want, 7))
        true("a row has another name", all(part.lower() in r.lower() for r in rows[want > 1:]))
    g = b.js("Data.goroutines[0].id")
    looked_up(b, f"G{g}")
    while b.js("document.querySelector('.found[aria-selected=true] span').textContent.split(' ')[0]") != f"G{g}":
        key(b, "ArrowDown")
    key(b, "Enter")
    b.wait(f"Timeline.selected && Timeline.selected.g.id === {g}", 10)
    true("the list is open", b.js("document.getElementById('search-list').hidden && currentView === 'timeline'"))

    at = report["traces"][0]["duration_ns"] // 2000 * 1000
    same("time", looked_up(b, f"{at // 1000}us")["Time"], b.js(f"[showExact({at})]"))
    key(b, "Enter")
    true("another time", b.js(f"Timeline.from < {at} && {at} < Timeline.to && Timeline.to - Timeline.from < Data.head.duration / 10"))
    same("a time after the end", "Time" in looked_up(b, "999s"), False)

    f = report["findings"][0]
    same("finding", looked_up(b, f["text"][:40])["Findings"], [f["text"]])
    key(b, "Enter")
    b.wait(f"Timeline.pinned.length && Timeline.from <= {f['from_ns']} && {f['to_ns']} <= Timeline.to", 10)

    name = b.js("Units.list[0].name")
    same("unit", looked_up(b, name)["Units of work"], [name])
    key(b, "Enter")
    b.wait("Timeline.selected && Timeline.selected.object", 10)
    order = b.js("Units.list[0].items.map(o => o.from)")
    first = b.js("Search.hit")
    same("goes to the longest", b.js("(l => l[Search.hit].to - l[Search.hit].from === Math.max(...l.map(o => o.to - o.from)))(Units.list[0].items)"), True)
    b.js("document.getElementById('lanes').focus()")
    for typed, want in (("n", first + 1), ("n", first + 2), ("N", first + 1)):
        b.type(typed)
        b.wait(f"Timeline.selected && Timeline.selected.object && Timeline.selected.object.from === {order[want % len(order)]}", 10)
    same("count", b.js("document.getElementById('search-count').textContent"), b.js(f"showCount({(first + 1) % len(order) + 1}) + ' of ' + showCount({len(order)})"))

    task = next(t for t in report["tasks"] if t["type"])["type"]
    hits = looked_up(b, task[:20])
    same("tasks and regions", [hits["Tasks"], hits["Regions"]], [[task], [task]])
    function = f["function"]
    true("no function", function in looked_up(b, function)["Functions on stacks, reasons"])
    b.js(f"[...document.querySelectorAll('.found')].findLast(e => e.firstChild.textContent === {json.dumps(function)}).click()")
    same("its flame graph", b.js("[currentView, document.getElementById('flame-filter').value]"), ["flames", function])
    true("it is not marked", "marked 0" not in b.js("document.getElementById('flame-count').textContent") and "marked" in b.js("document.getElementById('flame-count').textContent"))
    for width in (480, 1000, 1440):
        b.send("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        looked_up(b, "main")
        box = b.js("(r => [r.left, innerWidth - r.right, r.width])(document.getElementById('search-list').getBoundingClientRect())")
        true(f"the list is cut off in {width}: {box}", min(box[:2]) >= 0 and box[2] > 300)
    same("nothing", looked_up(b, "no such name"), {})
    true("nothing says so", "Nothing" in b.js("document.getElementById('search-list').textContent"))
    key(b, "Escape")
    true("the list is still open", b.js("document.getElementById('search-list').hidden && document.getElementById('search').value === ''"))


OFF_TEXTS = {"waiting for a CPU": "queued", "throttled by the CPU quota": "throttled", "waiting in a page fault": "page_fault",
             "waiting for a block device": "io", "blocked in the kernel": "blocked", "asleep in the kernel": "sleeping",
             "stopped by a signal": "stopped", "stopped by a debugger": "traced", "frozen with its cgroup": "frozen"}


def off(b, report, events):
    """The time that Ps lost, in their lanes, is that of running goroutines in the report; lanes hatch it, the panel names causes."""
    want, shown, longest = {}, {}, None
    for f in report["goroutines"]:
        for state, d in f["linux"]["running"].items():
            if state != "on_cpu" and d.get("sum_ns"):
                want[state] = want.get(state, 0) + d["sum_ns"]
    true("nothing was lost", want)
    for p in range(b.js("Data.head.p_ids.length")):
        lost = b.js(f"offIn(PLANE_P, {p}, 0, Data.head.duration + 1)")
        true("merged", not lost["merged"])
        same("sum", lost["ns"], sum(ns for _, ns in lost["why"]))
        for text, ns in lost["why"]:
            yielded = text.startswith("yielded to ")
            state = "preempted" if text.startswith("preempted by ") else "queued" if yielded else OFF_TEXTS[text]
            shown[state] = shown.get(state, 0) + ns
            true("who took it", (state != "preempted" and not yielded) or text.endswith(")"))
        if lost["unknown"]:
            shown["unknown"] = shown.get("unknown", 0) + lost["unknown"]
    same("lost by Ps", shown, want)
    columns = b.js("""splitColumns(Data.report.goroutines, 'running').map(c => [c.name, Data.report.goroutines.map(c.get)])""")
    head = b.js("functionTable(Data.report).columns.map(c => c.name)")
    for i, f in enumerate(report["goroutines"]):
        same("running by state", sum(sums[i] for _, sums in columns), f["running"]["sum_ns"] if "running" in f else 0)
    for name, sums in columns:
        true(f"no column {name}", name in head and sum(sums))
    same("what Ps lost, in the table", sum(sum(s) for n, s in columns if n != "on a CPU"), sum(want.values()))
    same("sums of the head", sum(b.js("Data.head.off_ns")), sum(want.values()) - want.get("unknown", 0))
    b.click_on("#tab-timeline")
    b.js("""(async () => { window.lost = null;
        for (let p = 0; p < Data.head.p_ids.length; p++) {
            await offIn(PLANE_P, p, 0, Data.head.duration + 1);
            Blocks.visit(PLANE_OFF, p, 0, 0, Data.head.duration + 1, items => { for (let i = 0; i < items.n; i++)
                if (items.state[i] === 1 && (!lost || items.to[i] - items.from[i] > lost.to - lost.from))
                    lost = { p, from: items.from[i], to: items.to[i] }; }); }
        setView(lost.from - (lost.to - lost.from) / 2, lost.to + (lost.to - lost.from) / 2); })()""")
    b.js(FRAMES)
    b.wait("Timeline.complete")
    place = b.js("""(() => { const r = document.getElementById('lanes-canvas').getBoundingClientRect();
        const l = lanesIn(0, 1e7).find(it => it.plane === PLANE_P && it.track === lost.p);
        return [r.left + xOf((lost.from + lost.to) / 2), r.top + l.y - document.getElementById('lanes').scrollTop + RULER + 10]; })()""")
    colors = b.js(f"""(() => {{ const c = document.getElementById('lanes-canvas'), r = c.getBoundingClientRect(), n = {{}};
        const data = c.getContext('2d').getImageData(({place[0]} - r.left) * scale - 30, ({place[1]} - r.top) * scale, 60, 1).data;
        for (let i = 0; i < data.length; i += 4) {{ const v = '#' + [...data.slice(i, i + 3)].map(x => x.toString(16).padStart(2, '0')).join('');
            n[v] = (n[v] || 0) + 1; }} return [n, Colors.runnable, Colors.running]; }})()""")
    true(f"not hatched: {colors}", colors[0].get(colors[1], 0) >= 30 and colors[0].get(colors[2], 0) >= 10)
    b.click(*place)
    b.wait("document.querySelector('#off-cpu h4')")
    text = b.js("document.getElementById('off-cpu').textContent")
    true(f"not in the panel: {text}", "not on a CPU" in text and any(why in text for why in ("preempted by ", "yielded to ", *OFF_TEXTS)))


def off_forgotten(b, report, events):
    """The page has nothing of a file of threads of another recording."""
    same("off_cpu", b.js("Data.head.off_cpu"), False)
    same("blocks", b.js("Blocks.index.slice(PLANE_OFF).flat(3).length"), 0)
    same("sums", sum(b.js("Data.head.off_ns")), 0)


def requests(b, report, events):
    """The table of routes is that of the report; clicks go to the slowest request, with its path if the page has it."""
    of = report["requests"][0]
    b.click_on("#tab-requests")
    same("routes", b.js("Requests.routes.rows.map(r => [r.name, r.count, r.failed, r.max_ns])"),
         [[r["name"], r["count"], r["failed"], r["max_ns"]] for r in of["routes"]])
    true("the table has no lines", b.js("document.querySelectorAll('#route-table .line').length") > 0)
    slowest = b.js("Requests.slowest.rows.map(q => [q.name, q.ns, q.request])")
    same("the slowest ones", slowest[:3], [[q["name"], q["ns"], q["request"]] for q in of["slowest"]])
    true("they are not in order", [q[1] for q in slowest] == sorted((q[1] for q in slowest), reverse=True))
    b.click_on("#route-table .line:first-child")
    b.wait("Timeline.selected")
    first = of["routes"][0]
    same("view", b.js("currentView"), "timeline")
    begin, end = b.js("[Timeline.from, Timeline.to]")
    true("the view lacks the request", begin <= first["max_at_ns"] and first["max_at_ns"] + first["max_ns"] <= end)
    same("path", b.js("Units.path && [Units.path.from, Units.path.to]"), [first["max_at_ns"], first["max_at_ns"] + first["max_ns"]])
    b.js("choosePath(null)")
    last = of["routes"][-1]
    b.click_on("#tab-requests")
    b.js(f"goToRequest({last['max_at_ns']}, {last['max_ns']}, {last['max_goroutine']})")
    b.wait("Timeline.selected && Timeline.selected.g")
    same("goroutine", b.js("Timeline.selected.g.id"), last["max_goroutine"])
    b.click_on("#tab-requests")
    b.type("/" + first["name"].lower())
    same("routes left", b.js("Requests.routes.rows.map(r => r.name)"),
         [r["name"] for r in of["routes"] if first["name"].lower() in r["name"].lower()])
    b.wait("/request-filter=/.test(location.hash)")
    same("errors", b.errors(), [])


def no_requests(b, report, events):
    """A trace without requests has no tab for them, and no key leads there."""
    true("a tab", b.js("document.getElementById('tab-requests').hidden"))
    b.click_on("#tab-timeline")
    b.js("document.getElementById('lanes').focus()")
    b.type("7")
    same("view", b.js("currentView"), "timeline")
    same("errors", b.errors(), [])


def filters(b, report, events):
    """/ and a name leave the goroutines of that function."""
    b.click_on("#tab-timeline")
    name = max((f for f in report["goroutines"] if f["function"] and not f["system"]), key=lambda f: f["goroutines"])["function"]
    b.js("document.getElementById('lanes').focus()")
    b.type("/" + name.lower())
    want = sum(f["goroutines"] for f in report["goroutines"] if name.lower() in f["function"].lower())
    same("goroutines left", b.js("Timeline.goroutines.length"), want)
    b.click_on("#tab-goroutines")
    b.type("/no such function")
    same("rows left", b.js("goroutineGrid.rows.length"), 0)
    same("rows shown", b.js("document.querySelectorAll('#goroutine-table .line').length"), 0)


def harmless(b, report, events):
    """Names of the program are text, in every view; nothing is loaded, nothing fails."""
    for view in ("findings", "timeline", "goroutines", "tables", "flames", "charts"):
        b.click_on(f"#tab-{view}")
        b.js(FRAMES)
        true(f"{view} is empty", b.js(f"document.getElementById('view-{view}').clientHeight > 200"))
    for i in range(b.js("Tables.list.length")):
        b.js(f"showTable({i})")
    b.js("selectGoroutine(Data.goroutines[0], Data.goroutines[0].from + 1)")
    same("code of the trace that ran", b.js("typeof window.hurt"), "undefined")
    same("elements of the trace", b.js("document.querySelectorAll('img, b, style').length"), 1)
    same("loaded", b.requests(), [])
    same("errors", b.errors(), [])


def fast(b, report, events):
    """Only measures: what the machine does meanwhile counts, too."""
    b.click_on("#tab-timeline")
    b.wait("Timeline.complete")
    times = b.js("""(async () => {
        const frame = () => new Promise(done => requestAnimationFrame(done)), at = Data.head.duration * .37;
        Timeline.frames.length = 0;
        for (let i = 0; i < 60; i++) { zoom(1 / 1.2, at); await frame(); }
        for (let i = 0; i < 60; i++) { zoom(1.2, at); await frame(); }
        const all = Timeline.frames.toSorted((a, b) => a - b), paint = performance.getEntriesByName("first-contentful-paint")[0];
        return { paint: paint ? paint.startTime : 0, shown: performance.getEntriesByName("gotap-shown")[0].startTime,
            p50: all[all.length >> 1], p99: all[Math.floor(all.length * .99)], n: all.length }; })()""")
    true("no frames", times["n"] > 50)
    print("first paint {paint:.0f} ms, all shown {shown:.0f} ms; {n} frames while zooming: p50 {p50:.1f} ms, p99 {p99:.1f} ms".format(**times))


def main():
    page, report, events = sys.argv[1:4]
    report = json.load(open(report, encoding="utf-8"))
    events = [json.loads(line) for line in open(events, encoding="utf-8")]
    b = Browser(page)
    try:
        for name in sys.argv[4:]:
            globals()[name](b, report, events)
    finally:
        b.close()


main()
