/* lanes: which lanes there are: of the program, its Ps, threads and goroutines, and those that live in the view. */

function packTasks() {
	const ends = [],
		lanes = [];
	for (const o of Data.objects[OBJECT_TASK].items) {
		let i = ends.findIndex(end => end <= o.from);
		if (i < 0 && ends.length < TASK_LANES) {
			i = ends.length;
			lanes.push([]);
		}
		if (i < 0) continue;
		ends[i] = o.to;
		lanes[i].push(o);
	}
	return lanes;
}

function regionsOf(g) {
	if (!Timeline.regions) {
		Timeline.regions = new Map();
		for (const kind of [OBJECT_REGION, OBJECT_ASSIST])
			for (const o of Data.objects[kind].items) {
				if (!Timeline.regions.has(o.g)) Timeline.regions.set(o.g, []);
				Timeline.regions.get(o.g).push(o);
			}
	}
	return Timeline.regions.get(g.id);
}

const SORTS = {
	weight: null,
	begin: (a, b) => a.from - b.from,
	id: (a, b) => a.id - b.id,
	name: (a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.row - b.row),
	running: (a, b) => b.in[RUNNING] - a.in[RUNNING],
	runnable: (a, b) => b.in[RUNNABLE] - a.in[RUNNABLE],
	waiting: (a, b) => b.in[WAITING] - a.in[WAITING],
};

function matches(g, filter) {
	return (
		!filter ||
		g.name.toLowerCase().includes(filter) ||
		String(g.id) === filter ||
		"g" + g.id === filter ||
		g.labels.toLowerCase().includes(filter)
	);
}

/* Timeline.goroutines: those that match the filter, in their order. */
function chooseGoroutines() {
	const filter = Timeline.filter.trim().toLowerCase(),
		sort = SORTS[Timeline.sort];
	Timeline.goroutines = Data.goroutines.filter(g => matches(g, filter));
	if (sort) Timeline.goroutines.sort(sort);
	Timeline.shown = livingGoroutines();
	buildLanes();
}

/* --- what lives in the view --- */

const inView = o => o.to >= Timeline.from && o.from <= Timeline.to;

/* Timeline.shown: those of Timeline.goroutines that have a lane now. */
const livingGoroutines = () =>
	Timeline.alive ? Timeline.goroutines.filter(inView) : Timeline.goroutines;

const isLaneAlive = items => !Timeline.alive || items.some(inView);

const sameList = (a, b) => a.length === b.length && a.every((v, i) => v === b[i]);

/* The lane that must not move when others come and go: under the pointer, else the first one of a goroutine in view. */
function anchorLane() {
	const top = $("lanes").scrollTop,
		y = Timeline.pointer ? Timeline.pointer.y - RULER : 0,
		at = Math.floor((top + Math.max(0, y) - Timeline.fixedHeight) / LANE);
	return at >= 0 && at < Timeline.shown.length ? at : -1;
}

/*
 * The view has changed: lanes of what does not live in it go, and others come. The list scrolls, so that a lane that
 * remains is where it was.
 */
function updateLanes() {
	if (!Timeline.alive) return;
	const before = Timeline.shown,
		fixed = Timeline.fixedHeight,
		at = anchorLane(),
		now = livingGoroutines();
	if (sameList(before, now) && Timeline.fixedAlive === fixedAlive()) return;
	Timeline.shown = now;
	buildLanes();
	if (at < 0) return;
	const living = new Set(now);
	let rest = at;
	while (rest < before.length && !living.has(before[rest])) rest++;
	if (rest < before.length)
		$("lanes").scrollTop += now.indexOf(before[rest]) * LANE + Timeline.fixedHeight - (rest * LANE + fixed);
}

/* Which of the lanes above the goroutines are alive, as a text to compare. */
const fixedAlive = () =>
	[...Units.list.flatMap(u => u.lanes), ...Timeline.tasks, ...(Timeline.threads ? Data.head.m_lives.map(([from, to]) => [{ from, to }]) : [])]
		.map(items => (isLaneAlive(items) ? "1" : "0"))
		.join("");

/* --- the list --- */

const goroutineLane = g => ({ kind: "track", plane: PLANE_G, track: g.track, g, short: "G" + g.id, name: g.name });

const labelOf = lane => [lane.short, lane.name].filter(Boolean).join("  ");

function programLanes(add) {
	const gc = Data.objects[OBJECT_GC].items,
		stw = Data.objects[OBJECT_STW].items;
	add({ kind: "head", short: "Program" }, HEAD);
	if (gc.length || stw.length)
		add(
			{
				kind: "objects",
				short: "GC, world stopped",
				layers: [
					[gc, "gc"],
					[stw, "stw"],
				],
			},
			LANE,
		);
	for (const s of Data.head.series
		.filter(s => s.points.length > 1 && /heap.objects|goroutines$/.test(Data.texts[s.name]))
		.slice(0, 3))
		add({ kind: "series", short: seriesLabel(s), series: s }, SERIES);
	Timeline.tasks
		.filter(isLaneAlive)
		.forEach((items, i) =>
			add({ kind: "objects", short: i ? "" : "Tasks", layers: [[items, "task"]], names: true }, LANE),
		);
}

function procLanes(add) {
	const some = Data.head.p_ids.length < Data.head.procs;
	add({ kind: "head", short: "Ps", note: some ? "first " + Data.head.p_ids.length : "" }, HEAD);
	Data.head.p_ids.forEach((id, i) => add({ kind: "track", plane: PLANE_P, track: i, short: "P" + id }, LANE));
}

function threadLanes(add) {
	const lives = Data.head.m_lives.map(([from, to]) => [{ from, to }]),
		living = lives.filter(isLaneAlive).length;
	add({ kind: "head", short: "Threads (Ms)", note: showCount(living) + " of " + showCount(lives.length) }, HEAD);
	Data.head.m_ids.forEach((id, i) => {
		if (isLaneAlive(lives[i])) add({ kind: "track", plane: PLANE_M, track: i, short: "M" + id }, LANE);
	});
}

function buildLanes() {
	const lanes = [];
	let y = 0;
	const add = (lane, height) => {
		lanes.push({ ...lane, y, height });
		y += height;
	};
	if (!Timeline.tasks) Timeline.tasks = packTasks();
	Timeline.fixedAlive = fixedAlive();
	programLanes(add);
	unitLanes(add);
	pathLanes(add);
	if (Timeline.pinned.length) add({ kind: "head", short: "Chosen goroutines" }, HEAD);
	for (const g of Timeline.pinned) add({ ...goroutineLane(g), pinned: true }, LANE);
	procLanes(add);
	if (Timeline.threads) threadLanes(add);
	add({ kind: "head", short: "Goroutines", note: goroutineNote() }, HEAD);
	Timeline.lanes = lanes;
	Timeline.fixedHeight = y;
	$("lanes-height").style.height = y + Timeline.shown.length * LANE + RULER + 12 + "px";
	redraw();
}

function goroutineNote() {
	const shown = Timeline.shown.length,
		all = Timeline.goroutines.length;
	return (
		showCount(shown) +
		(shown < all ? " live here, of " + showCount(all) : "") +
		(all < Data.head.goroutines ? " of " + showCount(Data.head.goroutines) : "")
	);
}

function seriesLabel(s) {
	const name = Data.texts[s.name];
	return (
		{
			"/memory/classes/heap/objects:bytes": "Heap in use",
			"/gc/heap/goal:bytes": "Heap goal",
			"/sched/gomaxprocs:threads": "GOMAXPROCS",
		}[name] || name
	);
}

/* Returns the lanes from @top to @bottom, in pixels from the top of all lanes. */
function lanesIn(top, bottom) {
	const list = Timeline.lanes.filter(l => l.y + l.height > top && l.y < bottom);
	const first = Math.max(0, Math.floor((top - Timeline.fixedHeight) / LANE));
	const last = Math.min(Timeline.shown.length, Math.ceil((bottom - Timeline.fixedHeight) / LANE));
	for (let i = first; i < last; i++)
		list.push({ ...goroutineLane(Timeline.shown[i]), y: Timeline.fixedHeight + i * LANE, height: LANE });
	return list;
}

/* --- names --- */

/* The name without the folders of its package's import path. */
const shortName = name => name.replace(/^.*\/(?=[^/]+\.)/, "");

/* The longest end of @text that fits: what tells names apart is at their end. */
function endOf(ctx, text, width) {
	const chars = [...text];
	let low = 0,
		high = chars.length;
	while (low < high) {
		const n = (low + high + 1) >> 1;
		if (ctx.measureText("…" + chars.slice(chars.length - n).join("")).width <= width) low = n;
		else high = n - 1;
	}
	return low < 3 ? "" : "…" + chars.slice(chars.length - low).join("");
}

/* Names that were fitted already: the same ones are painted in each frame. */
const fitted = new Map();

/* A name of the program in @width: whole, without its import path, or without its begin. */
function fitName(ctx, name, width) {
	const key = Math.floor(width) + ctx.font + name,
		found = fitted.get(key);
	if (found !== undefined) return found;
	const whole = [name, shortName(name)].find(text => ctx.measureText(text).width <= width),
		text = whole ?? endOf(ctx, shortName(name).slice(-200), width);
	if (fitted.size > 5000) fitted.clear();
	fitted.set(key, text);
	return text;
}

/* @short and @name in @width; @short goes last. */
function fitLabel(ctx, short, name, width) {
	if (!short) return fitName(ctx, name || "", width);
	const room = width - ctx.measureText(short + "  ").width,
		rest = name && room > 12 ? fitName(ctx, name, room) : "";
	return rest ? short + "  " + rest : clipText(ctx, short, width);
}
