/* measure: a time, and lanes, that were chosen by drag: how long it is, and what the lanes did in it. */

const MEASURED_LANES = 100,
	SNAP = 6;

/* from, to: ns; lanes: those of tracks, { plane, track, g, short, name }; lacking: lanes too many; sums: when they are known. */
let measured = null;
/* Drags measure even without Shift. */
let measures = false;

/* --- sums --- */

/* Unpacks the blocks of a track between two times. */
async function unpackIn(plane, track, from, to) {
	const waits = [];
	await Blocks.whenReady;
	if (Blocks.decoded.size > BLOCKS_KEPT) forgetBlocks();
	for (const level of Blocks.index[plane][track >> 5] || [])
		for (const block of level) {
			if (block.from > to || block.to < from || block.id < 0) continue;
			block.used = ++blockClock;
			if (block.data) continue;
			waits.push(
				unpack("b" + block.id).then(bytes => {
					block.data = decodeBlock(bytes, plane);
					Blocks.decoded.set(block.id, block);
				}),
			);
		}
	await Promise.all(waits);
	levelCache.clear();
}

const addTo = (map, key, ns) => map.set(key, (map.get(key) || 0) + ns);
const RUN_STATES = [RUNNING, RUNNABLE, SYSCALL, WAITING];

/* Adds what a track did between two times: by state, and the parts of it: waits by reason, goroutines of a P. */
async function addTimes(sums, lane, from, to) {
	const { plane, track } = lane;
	await unpackIn(plane, track, from, to);
	Blocks.visit(plane, track, 0, from, to, (items, l, times) => {
		for (let i = firstAfter(items, from); i < items.n && items.from[i] < to; i++) {
			const state = items.state[i],
				ns = Math.min(to, items.to[i]) - Math.max(from, items.from[i]);
			if (state !== RUN) {
				addTo(sums.states, state, ns);
				if (plane !== PLANE_G) addTo(sums.parts, "G" + items.x[i] + "  " + Data.texts[items.y[i]], ns);
				else if (state === WAITING) addTo(sums.parts, Data.texts[items.x[i]] || "(reason not known)", ns);
				continue;
			}
			for (const [a, b] of times) {
				const part = Math.min(to, items.to[i], b) - Math.max(from, items.from[i], a);
				if (part <= 0) continue;
				sums.merged = true;
				RUN_STATES.forEach((s, k) => {
					const share = ((items.y[i] >> (4 * k)) & 15) / 15;
					if (share) addTo(sums.states, s, part * share);
				});
			}
		}
	});
}

async function sumUp(m) {
	const sums = { states: new Map(), parts: new Map(), merged: false };
	for (const lane of m.lanes) {
		if (lane.track >= 0) await addTimes(sums, lane, m.from, m.to);
		if (measured !== m) return;
	}
	m.sums = sums;
	showDetails(Timeline.selected);
}

/* --- choosing --- */

/* The begin or end of a stay that is near to the pointer, else the time at the pointer. */
function snapped(x, y) {
	const lane = laneAt(y),
		time = Math.max(0, Math.min(Data.head.duration, timeOf(x))),
		item = lane ? itemUnder(lane, time) : null,
		near = item && item.state !== RUN ? [item.from, item.to].filter(t => Math.abs(xOf(t) - x) <= SNAP) : [];
	return Math.round(near.sort((a, b) => Math.abs(a - time) - Math.abs(b - time))[0] ?? time);
}

/* Lanes between two places; of the ruler: the Ps. */
function lanesBetween(y0, y1) {
	const top = Math.min(y0, y1) - RULER + $("lanes").scrollTop,
		bottom = Math.max(y0, y1) - RULER + $("lanes").scrollTop;
	return y0 < RULER
		? Timeline.lanes.filter(l => l.kind === "track" && l.plane === PLANE_P)
		: lanesIn(top, bottom + 1).filter(l => l.kind === "track");
}

const laneKey = l => l.plane + "." + l.track + "." + (l.g ? l.g.row : "");

function measure(from, to, lanes) {
	const unique = [...new Map(lanes.map(l => [laneKey(l), l])).values()];
	measured = {
		from: Math.min(from, to),
		to: Math.max(from, to),
		lanes: unique.slice(0, MEASURED_LANES),
		lacking: Math.max(0, unique.length - MEASURED_LANES),
		sums: null,
	};
	drawOver();
}

/* The drag has ended: a click measures nothing. */
function measureEnds() {
	if (measured && measured.from === measured.to) measured = null;
	if (measured) sumUp(measured);
	showDetails(Timeline.selected);
	drawOver();
	saveView();
}

function forgetMeasure() {
	measured = null;
	showDetails(Timeline.selected);
	drawOver();
	saveView();
}

function setMeasures(on) {
	measures = on;
	$("measure").setAttribute("aria-pressed", String(on));
	$("lanes").classList.toggle("measuring", on);
}

/* --- what is seen of it --- */

function drawMeasured(ctx, scroll) {
	const m = measured,
		x0 = Math.max(GUTTER, Math.min(GUTTER + laneWidth(), xOf(m.from))),
		x1 = Math.max(GUTTER, Math.min(GUTTER + laneWidth(), xOf(m.to))),
		keys = new Set(m.lanes.map(laneKey));
	ctx.fillStyle = Colors.accent;
	ctx.globalAlpha = 0.11;
	ctx.fillRect(x0, RULER, x1 - x0, $("lanes").clientHeight);
	for (const l of lanesIn(scroll, scroll + $("lanes").clientHeight - RULER))
		if (l.kind === "track" && keys.has(laneKey(l)))
			ctx.fillRect(x0, l.y - scroll + RULER, x1 - x0, l.height);
	ctx.globalAlpha = 1;
	for (const t of [m.from, m.to])
		if (xOf(t) >= GUTTER) ctx.fillRect(Math.round(xOf(t)), 0, 1, $("lanes").clientHeight);
	if (x1 > GUTTER && x0 < GUTTER + laneWidth()) drawFlag(ctx, showTime(m.to - m.from, 4), (x0 + x1) / 2, Colors.accent);
}

const STATE_COLORS = ["", "running", "runnable", "syscall", "waiting", "gap"];

const stateLabel = state =>
	el("span", {}, el("i", { class: "swatch", style: "background:var(--" + STATE_COLORS[state] + ")" }), STATE_NAMES[state]);

function measuredSums(m) {
	const whole = Math.max(1, (m.to - m.from) * m.lanes.length),
		share = ns => showTime(ns) + "  (" + showPercent(ns / whole) + ")",
		largest = map => [...map.entries()].sort((a, b) => b[1] - a[1]),
		rest = whole - [...m.sums.states.values()].reduce((a, b) => a + b, 0),
		only = m.lanes.every(l => l.plane === PLANE_G) ? "Waits" : m.lanes.some(l => l.plane === PLANE_G) ? "Parts" : "Goroutines";
	return [
		el("h4", {}, m.lanes.length === 1 ? labelOf(m.lanes[0]) : showCount(m.lanes.length) + " lanes"),
		facts([
			...largest(m.sums.states).map(([state, ns]) => [stateLabel(state), share(ns)]),
			rest >= 1 && [m.lanes.some(l => l.plane === PLANE_G) ? "not alive" : "idle", share(rest)],
		]),
		...(m.sums.parts.size
			? [el("h4", {}, only), facts(largest(m.sums.parts).slice(0, 8).map(([text, ns]) => [text, share(ns)]))]
			: []),
		m.sums.merged ? el("p", { class: "quiet" }, "About: the page has some of this merged.") : "",
		m.lacking ? el("p", { class: "quiet" }, showCount(m.lacking) + " lanes more are not added up.") : "",
	];
}

/* How many tasks and regions lie in the time as a whole, by name. */
function measuredObjects(m) {
	const counts = new Map();
	for (const kind of [OBJECT_TASK, OBJECT_REGION])
		for (const o of Data.objects[kind].items)
			if (o.from >= m.from && o.to <= m.to) addTo(counts, OBJECT_NAMES[kind] + " " + o.name, 1);
	const list = [...counts.entries()].sort((a, b) => b[1] - a[1]).slice(0, 6);
	return list.length ? [el("h4", {}, "Whole in it"), facts(list.map(([name, n]) => [name, showCount(n)]))] : [];
}

function measuredDetails() {
	const m = measured;
	if (!m) return [];
	return [
		el("h3", {}, "Measured: " + showTime(m.to - m.from, 5)),
		facts([
			["From", showExact(m.from)],
			["To", showExact(m.to)],
			["Rate", "one is " + (1e9 / (m.to - m.from)).toPrecision(4) + " per second"],
		]),
		...(m.sums && m.lanes.length ? measuredSums(m) : []),
		...measuredObjects(m),
		el(
			"div",
			{ class: "row" },
			el("button", { onclick: () => setView(m.from - (m.to - m.from) * 0.05, m.to + (m.to - m.from) * 0.05) }, "Zoom to it"),
			el("button", { onclick: forgetMeasure, title: "Esc" }, "Forget it"),
		),
		el("hr", {}),
	];
}
