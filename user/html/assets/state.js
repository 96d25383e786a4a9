/*
 * state: all that a user has chosen, as the fragment of the page's address: a link that is sent along with the file
 * shows the same. docs/html.md names the parts. What is as at the start is left out; a part that makes no sense, too.
 */

const flag = (name, of, set) => ({ name, get: () => (of() ? "1" : undefined), set: v => set(v === "1") });

/* An input or select that has a text, and what happens when it changes. */
const field = (name, id, start, event) => ({
	name,
	get: () => ($(id).value === start ? undefined : $(id).value),
	set: v => {
		const value = v ?? start;
		if ($(id).value === value) return;
		$(id).value = value;
		if ($(id).value !== value) $(id).value = start;
		$(id).dispatchEvent(new Event(event));
	},
});

const checkbox = (name, id, start) =>
	flag(
		name,
		() => $(id).checked !== start,
		on => {
			if ($(id).checked === (on ? !start : start)) return;
			$(id).checked = on ? !start : start;
			$(id).dispatchEvent(new Event("change"));
		},
	);

const numbers = text => (/^-?\d+([._]-?\d+)*$/.test(text || "") ? text.split(/[._]/).map(Number) : []);

/* --- times, lanes, selection --- */

const PLANE_LETTERS = ["p", "m", "g"];

const laneName = l => PLANE_LETTERS[l.plane] + (l.g ? l.g.row : l.track);

function laneOfName(name) {
	const plane = PLANE_LETTERS.indexOf(name[0]),
		n = /^\d+$/.test(name.slice(1)) ? Number(name.slice(1)) : -1;
	if (plane === PLANE_G) return Data.goroutines[n] ? goroutineLane(Data.goroutines[n]) : null;
	if (plane < 0 || n < 0) return null;
	const ids = plane === PLANE_P ? Data.head.p_ids : Data.head.m_ids;
	return n < ids.length ? { kind: "track", plane, track: n, short: PLANE_LETTERS[plane].toUpperCase() + ids[n] } : null;
}

function measureText() {
	return measured ? measured.from + "_" + measured.to + measured.lanes.map(l => "_" + laneName(l)).join("") : undefined;
}

function loadMeasure(text) {
	const [from, to, ...lanes] = (text || "").split("_");
	measured = null;
	if (!/^\d+$/.test(from) || !/^\d+$/.test(to || "") || Number(to) <= Number(from)) return;
	measure(Number(from), Number(to), lanes.map(laneOfName).filter(Boolean));
	sumUp(measured);
}

/* The list that has an object, as text, and back. */
function objectText(o) {
	if (!o) return undefined;
	if (o.kind === OBJECT_UNIT) return "u" + Units.list.indexOf(o.unit) + "." + o.unit.items.indexOf(o);
	return "o" + o.kind + "." + Data.objects[o.kind].items.indexOf(o);
}

function objectOfText(text) {
	const [list, i] = numbers((text || "").slice(1)),
		lists = text && text[0] === "u" ? Units.list : Data.objects;
	return (list !== undefined && lists[list] && lists[list].items[i]) || null;
}

/* What is selected: an object, or a lane and the begin of a stay in it; of older links the id of a goroutine. */
const selectedLane = () => {
	const s = Timeline.selected;
	return s && !s.object && s.plane !== undefined ? laneName(s) + (s.item ? "_" + s.item.from : "") : undefined;
};

async function loadSelection(part) {
	const object = objectOfText(part.object),
		[name, at] = (part.lane || "").split("_"),
		lane = name ? laneOfName(name) : null,
		g = /^\d+$/.test(part.g || "") ? Data.goroutine(Number(part.g)) : null;
	if (object) return select({ object, g: Data.goroutine(object.g, object.from) });
	if (!lane) return g ? selectGoroutine(g) : select(null);
	if (lane.g) reveal(lane.g);
	const item = /^\d+$/.test(at || "") && lane.track >= 0 ? await exactAt(lane.plane, lane.track, Number(at)) : null;
	select({ plane: lane.plane, track: lane.track, g: lane.g || null, item, label: labelOf(lane) });
}

const loadPath = text => {
	const [unit, number] = numbers(text),
		path = Units.list[unit] && Units.list[unit].paths[number];
	choosePath(path || null);
};

/* --- tables and flame graphs --- */

const gridText = grid => (grid && grid.sort >= 0 ? grid.sort + "." + (grid.down ? 1 : 0) : undefined);

function loadGrid(grid, text) {
	const [column, down] = numbers(text);
	if (grid) grid.sortAs(column < grid.columns.length ? column : -1, down !== 0);
}

const sortedChildren = node => [...node.children.values()].sort((a, b) => b.value - a.value);

function focusText() {
	const path = [];
	for (let n = Flame.focus; n && n.parent; n = n.parent) path.unshift(sortedChildren(n.parent).indexOf(n));
	return path.length ? path.join(".") : undefined;
}

function loadFocus(text) {
	if (!text && !Flame.root) return;
	if (!Flame.root) chooseFlame(Flame.kind);
	let node = Flame.root;
	for (const i of text ? numbers(text) : []) node = node && sortedChildren(node)[i];
	Flame.focus = node && node.parent ? node : null;
	drawFlame();
}

/* --- the parts, in the order in which they are loaded --- */

const STATE = [
	{
		name: "t",
		get: () => Math.round(Timeline.from) + "_" + Math.round(Timeline.to),
		set: v => {
			const [from, to] = numbers(v);
			setView(...(to > from ? [from, to] : [0, Data.head.duration]));
		},
	},
	checkbox("all", "only-alive", true),
	checkbox("ms", "show-threads", false),
	checkbox("arrows", "show-arrows", true),
	field("filter", "timeline-filter", "", "input"),
	field("sort", "timeline-sort", "weight", "change"),
	{
		name: "pin",
		get: () => (Timeline.pinned.length ? Timeline.pinned.map(g => g.row).join(".") : undefined),
		set: v => pin(numbers(v).map(i => Data.goroutines[i]).filter(Boolean)),
	},
	{ name: "path", get: () => Units.path && Units.list.indexOf(Units.path.unit) + "." + Units.path.number, set: loadPath },
	{ name: "measure", get: measureText, set: loadMeasure },
	flag("drag", () => measures, setMeasures),
	{
		name: "goroutines",
		get: () => gridText(goroutineGrid),
		set: v => {
			if (v) showGoroutines();
			loadGrid(goroutineGrid, v);
		},
	},
	field("goroutine-filter", "goroutine-filter", "", "input"),
	{
		name: "table",
		get: () => (Tables.index ? String(Tables.index) : undefined),
		set: v => {
			const [i] = numbers(v);
			if (!i && !Tables.list) return;
			showTables();
			chooseTable(Tables.list[i] ? i : 0);
		},
	},
	{ name: "rows", get: () => gridText(Tables.grid), set: v => (v && showTables(), loadGrid(Tables.grid, v)) },
	field("table-filter", "table-filter", "", "input"),
	{
		name: "routes",
		get: () => gridText(Requests.routes),
		set: v => (v && showRequests(), loadGrid(Requests.routes, v)),
	},
	{
		name: "slowest",
		get: () => gridText(Requests.slowest),
		set: v => (v && showRequests(), loadGrid(Requests.slowest, v)),
	},
	field("request-filter", "request-filter", "", "input"),
	checkbox("leaf", "flame-reverse", false),
	{
		name: "flame",
		get: () => (Flame.kind ? String(Flame.kind) : undefined),
		set: v => (v || Flame.root) && chooseFlame(FLAMES[numbers(v)[0]] ? numbers(v)[0] : 0),
	},
	{ name: "focus", get: focusText, set: loadFocus },
	field("mark", "flame-filter", "", "input"),
	{
		name: "function",
		get: () => (Number($("chart-function").value || -1) >= 0 ? $("chart-function").value : undefined),
		set: v => {
			if (v || $("chart-function").value) showDistributions(v ?? -1);
		},
	},
];

/* --- the fragment --- */

let saveTimer = 0,
	loads = 0;

function fragmentText() {
	const parts = [["view", currentView], ...STATE.map(s => [s.name, s.get()])],
		s = Timeline.selected;
	parts.push(["g", s && s.g ? s.g.id : undefined], ["lane", selectedLane()], ["object", objectText(s && s.object)]);
	parts.push(["y", Timeline.scroll ? Math.round(Timeline.scroll) : undefined]);
	return parts
		.filter(([, v]) => v !== undefined && v !== null)
		.map(([name, v]) => name + "=" + encodeURIComponent(v))
		.join("&");
}

function saveView() {
	if (!started || loads) return;
	clearTimeout(saveTimer);
	saveTimer = setTimeout(() => {
		if (!loads) history.replaceState(null, "", "#" + fragmentText());
	}, 250);
}

function partsOf(hash) {
	const parts = {};
	for (const part of hash.slice(1).split("&")) {
		const [, name, value] = /^([a-z-]+)=(.*)$/.exec(part) || [];
		try {
			if (name) parts[name] = decodeURIComponent(value);
		} catch {
			/* not a text that was encoded */
		}
	}
	return parts;
}

async function loadView() {
	const part = partsOf(location.hash);
	loads++;
	try {
		/* The timeline has no scroll position while it is hidden. */
		showView("timeline");
		for (const s of STATE) s.set(part[s.name]);
		const selected = loadSelection(part);
		$("lanes").scrollTop = /^\d+$/.test(part.y || "") ? Number(part.y) : 0;
		Timeline.scroll = $("lanes").scrollTop;
		showView(Object.hasOwn(VIEWS, part.view) && !$("tab-" + part.view).hidden ? part.view : "findings");
		await selected;
	} finally {
		loads--;
	}
}

/* Whatever a user does may change something: it is written when he has done nothing for a moment. */
function listenState() {
	for (const type of ["click", "input", "change", "keyup", "pointerup", "wheel", "scroll"])
		document.addEventListener(type, saveView, { capture: true, passive: true });
	addEventListener("hashchange", loadView);
}
