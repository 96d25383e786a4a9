/*
 * units: the units of work of the report as lanes, and the critical paths of some of their instances, drawn over the
 * lanes. gotap makes them (user/unit/, user/why/) and writes them in user/cmd/report/html_units.c: the page only draws.
 */

const OBJECT_UNIT = 7,
	UNIT_LANES = 8,
	PATH_LANES = 12;

/* list: units; causes: [kind, words, function, reason]; path: the one that is drawn, or null. */
const Units = { list: [], causes: [], path: null };

/* Colours by enum step_kind (user/why/path.h). */
const STEP_COLORS = [
	"running",
	"gc",
	"gc",
	"stw",
	"runnable",
	"stw",
	"sync",
	"syscall",
	"syscall",
	"gap",
	"gap",
	"line",
	"gap",
];

function readPath(unit, number, p) {
	const steps = [];
	for (let i = 0; i < p.steps.length; i += 6) {
		const [from, ns, g, cause, some, via] = p.steps.slice(i, i + 6);
		steps.push({ from, to: from + ns, g, cause, some, via });
	}
	const parts = [];
	for (let i = 0; i < p.parts.length; i += 2) parts.push({ cause: p.parts[i], ns: p.parts[i + 1] });
	return { unit, number, from: p.from, to: p.from + p.ns, g: p.g ?? -1, count: p.count, steps, parts, more: p.more_parts };
}

function readUnit(u) {
	const unit = { ...u, items: [] };
	unit.paths = u.paths.map((p, i) => readPath(unit, i, p));
	for (let i = 0; i < u.instances.length; i += 3) {
		const [from, ns, g] = u.instances.slice(i, i + 3),
			path = unit.paths.findIndex(p => p.from === from && p.to === from + ns && (g < 0 || p.g === g));
		unit.items.push({
			kind: OBJECT_UNIT,
			unit,
			path,
			from,
			to: from + ns,
			g: g < 0 && path >= 0 ? unit.paths[path].g : g,
			name: u.name,
			reason: "",
			stack: 0,
			task: 0,
		});
	}
	unit.lanes = packUnit(unit);
	return unit;
}

/* Lays instances that overlap into lanes; those with a path come first, because they must have a place. */
function packUnit(unit) {
	const lanes = Array.from({ length: UNIT_LANES }, () => []),
		free = (lane, o) => lane.every(p => p.to <= o.from || p.from >= o.to);
	unit.unplaced = 0;
	for (const o of [...unit.items].sort((a, b) => (b.path >= 0) - (a.path >= 0) || a.from - b.from)) {
		const lane = lanes.find(l => free(l, o));
		if (lane) lane.push(o);
		else unit.unplaced++;
	}
	return lanes.filter(l => l.length).map(l => l.sort((a, b) => a.from - b.from));
}

function readUnits(json) {
	Units.causes = [];
	Units.list = [];
	if (!json) return;
	for (let i = 0; i < json.causes.length; i += 4) Units.causes.push(json.causes.slice(i, i + 4));
	Units.list = json.units.map(readUnit);
}

/* --- lanes --- */

const unitRate = u => (u.rate ? u.rate.toPrecision(3) + "/s, " : "") + "p99 " + showTime(u.p99);

const unitFigures = u =>
	showCount(u.count) + ", " + (u.rate ? u.rate.toPrecision(3) + " per second, " : "") + "p50 " + showTime(u.p50) + ", p99 " + showTime(u.p99) +
	(u.items.length < u.count ? "; " + showCount(u.items.length) + " of them are in the page" : "") +
	(u.unplaced ? "; " + showCount(u.unplaced) + " of these have no room in the lanes" : "");

/* "rounds of main.work": the words before the name are of gotap. */
function unitLabel(u) {
	const at = u.name.lastIndexOf(" ");
	return { short: u.name.slice(0, at + 1).trim(), name: u.name.slice(at + 1) };
}

function unitLanes(add) {
	if (Units.list.length) add({ kind: "head", short: "Units of work" }, HEAD);
	for (const unit of Units.list) {
		const lanes = unit.lanes.filter(isLaneAlive);
		for (let i = 0; i < Math.max(2, lanes.length); i++) {
			const items = lanes[i] || [],
				label = i === 0 ? unitLabel(unit) : { short: i === 1 ? unitRate(unit) : "" };
			add(
				{
					kind: "objects",
					...label,
					note: unitFigures(unit),
					quiet: i > 0,
					names: true,
					layers: [
						[items.filter(o => o.to - o.from <= unit.p99), "task"],
						[items.filter(o => o.to - o.from > unit.p99), "runnable"],
					],
				},
				LANE,
			);
		}
	}
}

/* The goroutines that have most of a path, in the order in which the path comes to them. */
function pathGoroutines(path) {
	const sums = new Map();
	for (const s of path.steps) {
		const g = s.g >= 0 ? Data.goroutine(s.g, s.from) : null;
		if (g) addTo(sums, g, s.to - s.from);
	}
	const most = new Set([...sums.entries()].sort((a, b) => b[1] - a[1]).slice(0, PATH_LANES).map(e => e[0]));
	return [...sums.keys()].filter(g => most.has(g));
}

function pathLanes(add) {
	const path = Units.path;
	if (!path) return;
	add({ kind: "head", short: "Path of why", note: showTime(path.to - path.from) + ", " + some(path.count, "step") }, HEAD);
	add({ kind: "path", short: "", name: path.unit.name, path }, LANE);
	for (const g of pathGoroutines(path)) add({ ...goroutineLane(g), pinned: true }, LANE);
}

/* --- drawing --- */

const STEP_WAITING = 6;

function stepColor(s) {
	const [kind, , , reason] = s.some ? [] : Units.causes[s.cause];
	return s.some ? "quiet" : kind === STEP_WAITING ? colorOfReason(reason) : STEP_COLORS[kind] || "gap";
}

const stepWords = s => (s.some ? some(s.some, "short step") : Units.causes[s.cause][1]);

function stepName(s) {
	const name = s.some ? "" : Units.causes[s.cause][2];
	return (s.g >= 0 ? "G" + s.g + "  " : "") + name;
}

const stepsInView = path => path.steps.filter(inView);

/* Paints all steps of a path one after the other. Returns the texts of those that are wide enough. */
function paintPath(lane, y0, y1) {
	const perPixel = nsPerPixel() / scale,
		left = GUTTER * scale,
		texts = [];
	for (const s of stepsInView(lane.path)) {
		const x0 = Math.max(left, Math.floor((s.from - Timeline.from) / perPixel) + left),
			x1 = Math.max(x0 + 1, Math.round((s.to - Timeline.from) / perPixel) + left),
			color = stepColor(s);
		fill(x0, x1, (y0 + 2 * scale) | 0, (y1 - 2 * scale) | 0, Colors.number[color]);
		fill(x0, x0 + 1, (y0 + 2 * scale) | 0, (y1 - 2 * scale) | 0, Colors.number.bg);
		if (x1 - x0 > 46 * scale)
			texts.push({
				text: (s.g >= 0 ? "G" + s.g + " " : "") + stepWords(s),
				x0: x0 / scale,
				x1: Math.min(x1, pixelWidth) / scale,
				color: DARK_TEXT.has(color) || color === "quiet" || color === "line" ? Colors.ink : "#fff",
			});
	}
	return texts;
}

/*
 * Draws the path over the lanes of its goroutines: a frame around the stay of each step, and a line to the lane in which
 * the path goes on. A lane that is not in view is above or below.
 */
function drawPath(ctx, lanes, scroll) {
	const path = Units.path;
	if (!path) return;
	const height = $("lanes").clientHeight,
		right = GUTTER + laneWidth(),
		tracks = lanes.filter(l => l.kind === "track" && l.g),
		yOf = s => tracks.filter(l => l.g.id === s.g && l.g.from <= s.to && s.from <= l.g.to).map(l => l.y - scroll + RULER);
	let before = null;
	ctx.strokeStyle = ctx.fillStyle = Colors.ink;
	ctx.lineWidth = 2;
	for (const s of stepsInView(path)) {
		const ys = yOf(s),
			x0 = Math.max(GUTTER, xOf(s.from)),
			x1 = Math.min(right, Math.max(xOf(s.to), x0 + 1));
		for (const y of ys) {
			ctx.strokeRect(x0, y + 2, x1 - x0, LANE - 4);
			ctx.fillRect(x0, y + LANE - 4, x1 - x0, 3);
		}
		const y = ys[0];
		if (before !== null && y !== undefined && y !== before && xOf(s.from) >= GUTTER)
			drawArrow(ctx, x0, before + LANE / 2, y + (before < y ? 2 : LANE - 2), Colors.ink, 1.5);
		if (y !== undefined) before = Math.max(RULER, Math.min(height, y));
	}
}

const stepAt = (lane, time) => {
	const slack = nsPerPixel();
	return lane.path.steps.find(s => s.from <= time && time < s.to) || lane.path.steps.find(s => s.from - slack <= time && time <= s.to + slack);
};

const tipOfStep = s => [
	stepName(s) || "several goroutines",
	stepWords(s),
	showTime(s.to - s.from),
	s.via >= 0 ? "then G" + s.via + " goes on" : "",
	"from " + showExact(s.from),
];

/* --- choosing --- */

function choosePath(path) {
	if (Units.path === path) return;
	Units.path = path;
	buildLanes();
	saveView();
}

const itemOfPath = path => path.unit.items.find(o => o.path === path.number);

/* Shows an instance whose path the page has, with the path. */
function goToPath(path) {
	const margin = Math.max((path.to - path.from) * 0.12, 500),
		item = itemOfPath(path);
	setView(path.from - margin, path.to + margin);
	showView("timeline");
	select({ object: item, g: Data.goroutine(item.g, item.from) });
	const lane = Timeline.lanes.find(l => l.kind === "path");
	$("lanes").scrollTop = Math.max(0, lane.y - HEAD - LANE * 4);
}

const pathPart = (path, p) => {
	const step = path.steps
		.filter(s => !s.some && s.cause === p.cause)
		.reduce((best, s) => (!best || s.to - s.from > best.to - best.from ? s : best), null);
	return el(
		"li",
		{},
		el("strong", {}, showPercent(p.ns / Math.max(1, path.to - path.from))),
		step
			? el("button", { class: "link", title: "The longest of these steps", onclick: () => goToStep(step) }, Units.causes[p.cause][1])
			: Units.causes[p.cause][1],
		el("small", {}, showTime(p.ns) + (Units.causes[p.cause][2] ? ", goroutines of " + Units.causes[p.cause][2] : "")),
	);
};

function goToStep(s) {
	const g = s.g >= 0 ? Data.goroutine(s.g, s.from) : null;
	setView(s.from - (s.to - s.from) * 0.5 - 500, s.to + (s.to - s.from) * 0.5 + 500);
	if (g) selectGoroutine(g, (s.from + s.to) / 2);
}

/* The panel of an instance of a unit. */
function unitDetails(o, parts) {
	const unit = o.unit,
		path = unit.paths[o.path];
	parts.push(facts([["Of this unit", unitFigures(unit)]]));
	if (!path) {
		parts.push(
			el("p", { class: "quiet" }, "The page has the paths of " + unit.paths.length + " instances of this unit, which have a line at their top. Of this one:"),
			el("p", {}, el("code", {}, "gotap why " + (o.g >= 0 ? "-g " + o.g + " " : "") + "--from " + (o.from / 1e9).toFixed(9) + " --to " + (o.to / 1e9).toFixed(9))),
		);
		return;
	}
	parts.push(
		el("h4", {}, "Why it took so long: its critical path"),
		el("ol", { class: "parts" }, ...path.parts.slice(0, 12).map(p => pathPart(path, p))),
		path.parts.length > 12
			? el("p", { class: "quiet" }, "and " + showCount(path.parts.length - 12 + path.more) + " causes of less time")
			: "",
		el(
			"div",
			{ class: "row" },
			el("button", { onclick: () => (choosePath(null), showDetails(Timeline.selected)), disabled: Units.path !== path }, "Without the path"),
			el("button", { onclick: () => goToPath(path), disabled: false }, "Show the path"),
		),
	);
}

/* --- the answer, above the findings --- */

function unitCard(answer, i) {
	const unit = Units.list[i],
		path = unit && unit.paths.reduce((best, p) => (!best || p.to - p.from > best.to - best.from ? p : best), null),
		open = () => path && goToPath(path);
	return el(
		"div",
		{ class: "finding unit", role: "button", tabindex: "0", onclick: open, onkeydown: e => e.key === "Enter" && open() },
		el("div", { class: "share" }, unit ? (unit.rate ? unit.rate.toPrecision(3) : "–") : "", el("small", {}, "per second")),
		el(
			"div",
			{},
			el("div", { class: "text" }, answer.text + (answer.slow ? " " + answer.slow : "")),
			el(
				"div",
				{ class: "where" },
				el("span", { class: "kind" }, "unit of work"),
				unit ? el("span", {}, "p50 " + showTime(unit.p50) + ", p99 " + showTime(unit.p99)) : null,
				path ? el("span", {}, "the slowest took " + showTime(path.to - path.from) + ": a click shows its path") : null,
			),
		),
	);
}

/* Cards of the units of the report, in its order. */
const unitCards = () => ((Data.report && Data.report.answer) || []).filter(a => a.kind === "unit").map(unitCard);
