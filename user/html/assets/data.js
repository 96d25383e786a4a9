"use strict";
/* data: unpacks the data of the page. user/html/page_parts.c and blocks.h define its formats. */

const RUN = 0,
	RUNNING = 1,
	RUNNABLE = 2,
	SYSCALL = 3,
	WAITING = 4,
	GAP = 5;
const PLANE_P = 0,
	PLANE_M = 1,
	PLANE_G = 2,
	PLANE_OFF = 3;
const FINEST = ["p_finest", "m_finest", "g_finest", "off_p_finest", "off_m_finest", "off_g_finest"];
/* Index of "not recorded" in off_names, the reasons why a thread was not on a CPU. */
const OFF_UNKNOWN = 5;
const LEVELS = 18;
const STATE_NAMES = ["several", "running", "runnable", "system call", "waiting", "not recorded"];

function fromBase64(text) {
	if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
	const s = atob(text),
		bytes = new Uint8Array(s.length);
	for (let i = 0; i < s.length; i++) bytes[i] = s.charCodeAt(i);
	return bytes;
}

async function unpack(id) {
	const element = document.getElementById(id);
	const stream = new Blob([fromBase64(element.textContent)])
		.stream()
		.pipeThrough(new DecompressionStream("deflate"));
	return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function unpackJSON(id) {
	return JSON.parse(new TextDecoder().decode(await unpack(id)));
}

/* Reads varints one after the other. Numbers above 2^53 lose their last digits. */
class Varints {
	constructor(bytes, at = 0) {
		this.bytes = bytes;
		this.at = at;
	}
	next() {
		const b = this.bytes;
		let v = b[this.at++];
		if (v < 128) return v;
		v &= 127;
		let unit = 128,
			c;
		do {
			c = b[this.at++];
			v += (c & 127) * unit;
			unit *= 128;
		} while (c >= 128);
		return v;
	}
	more() {
		return this.at < this.bytes.length;
	}
}

const Data = {
	head: null,
	report: null,
	texts: [],
	goroutines: [],
	byId: new Map(),
	objects: [],
	flames: [],
	frames: [],
	stacks: [],
};

/*
 * Returns the goroutine with this id that lived at @time: a trace that was joined from several
 * traces can have several goroutines with one id.
 */
Data.goroutine = function (id, time) {
	const list = Data.byId.get(id);
	if (!list) return null;
	return list.find(g => time === undefined || (g.from <= time && time <= g.to)) || list[0];
};

function readRows(bytes) {
	const r = new Varints(bytes),
		n = r.next(),
		tracks = Data.head.g_finest.length;
	for (let i = 0; i < n; i++) {
		const g = { row: i, track: i < tracks ? i : -1, id: r.next(), name: Data.texts[r.next()] };
		const flags = r.next();
		g.created = !!(flags & 1);
		g.ended = !!(flags & 2);
		g.system = !!(flags & 4);
		g.from = r.next();
		g.to = g.from + r.next();
		g.in = [0, r.next(), r.next(), r.next(), r.next(), r.next()];
		g.longest = [0, 0, r.next(), 0, 0];
		g.longestAt = [0, 0, r.next(), 0, 0];
		g.longest[SYSCALL] = r.next();
		g.longestAt[SYSCALL] = r.next();
		g.longest[WAITING] = r.next();
		g.longestAt[WAITING] = r.next();
		g.creator = r.next() - 1;
		if (g.creator > 1.8e19) g.creator = -1;
		g.createdAt = r.next();
		g.spans = r.next();
		g.labels = Data.texts[r.next()];
		Data.goroutines.push(g);
		if (!Data.byId.has(g.id)) Data.byId.set(g.id, []);
		Data.byId.get(g.id).push(g);
	}
}

const OBJECT_NAMES = ["GC", "stop-the-world", "GC assist", "sweep", "range", "region", "task"];
const OBJECT_GC = 0,
	OBJECT_STW = 1,
	OBJECT_ASSIST = 2,
	OBJECT_SWEEP = 3,
	OBJECT_REGION = 5,
	OBJECT_TASK = 6;

function readObjects(bytes) {
	const r = new Varints(bytes);
	for (let kind = 0; kind < OBJECT_NAMES.length; kind++) {
		const n = r.next(),
			list = { dropped: r.next(), droppedLongest: r.next(), items: [] };
		let last = 0;
		for (let i = 0; i < n; i++) {
			const o = { kind, from: last + r.next() };
			last = o.from;
			o.to = o.from + r.next();
			const flags = r.next();
			o.openBegin = !!(flags & 1);
			o.openEnd = !!(flags & 2);
			o.name = Data.texts[r.next()];
			o.reason = Data.texts[r.next()];
			o.stack = r.next();
			o.g = r.next() - 1;
			o.depth = r.next();
			o.task = r.next();
			o.parent = r.next() - 1;
			list.items.push(o);
		}
		Data.objects.push(list);
	}
}

function readStacks(bytes) {
	const r = new Varints(bytes);
	for (let n = r.next(); n; n--)
		Data.frames.push({ func: Data.texts[r.next()], file: Data.texts[r.next()], line: r.next() });
	Data.stacks.push([]);
	for (let n = r.next(); n; n--) {
		const stack = [];
		for (let k = r.next(); k; k--) stack.push(r.next());
		Data.stacks.push(stack);
	}
}

function readFlames(bytes) {
	const r = new Varints(bytes);
	for (let n = r.next(); n; n--)
		Data.flames.push({
			kind: r.next(),
			reason: Data.texts[r.next()],
			stack: r.next(),
			ns: r.next(),
			n: r.next(),
		});
	for (let kind = 0; r.more(); kind++) {
		const ns = r.next(),
			n = r.next();
		if (n) Data.flames.push({ kind, reason: "(less than the others)", stack: 0, ns, n });
	}
}

/* --- blocks of the timeline --- */

const Blocks = {
	index: [[], [], [], [], [], []],
	decoded: new Map(),
	loading: new Set(),
	queue: [],
	onload: () => {},
	/* Number of stays and runs in the trace, and number of those without room in the page. */
	items: 0,
	dropped: 0,
	ready: false,
};

function readIndex(bytes) {
	const r = new Varints(bytes);
	for (let id = 0; r.more();) {
		const kind = r.next(),
			plane = kind >> 1,
			group = r.next(),
			level = r.next(),
			from = r.next();
		const block = {
			id: kind & 1 ? id++ : -1,
			plane,
			from,
			to: from + r.next(),
			items: r.next(),
			data: null,
			used: 0,
		};
		if (block.id < 0) Blocks.dropped += block.items;
		Blocks.items += block.items;
		const groups = Blocks.index[plane];
		while (groups.length <= group) groups.push(Array.from({ length: LEVELS }, () => []));
		groups[group][level].push(block);
	}
}

const FIELDS = [
	[2, 3, 0, 3, 0, 0],
	[2, 1, 4, 2, 2, 0],
	[2, 2, 2, 2, 2, 0],
];

/*
 * Returns the items of a block by track of its group: arrays of begins, ends, states, and of x, y,
 * z and w, which blocks.h defines.
 */
function decodeBlock(bytes, plane) {
	const head = new Varints(bytes),
		n = head.next(),
		sizes = [];
	for (let i = 0; i < 7; i++) sizes.push(head.next());
	const columns = [];
	let at = head.at;
	for (const size of sizes) {
		columns.push(new Varints(bytes, at));
		at += size;
	}
	const counts = new Uint32Array(32),
		fields = FIELDS[plane >= PLANE_OFF ? 2 : plane === PLANE_G ? 1 : 0],
		tracks = new Array(32).fill(null);
	for (let i = 0, p = columns[0].at; i < n; i++, p++) {
		const b = bytes[p] < 128 ? bytes[p] : (bytes[p] & 127) | (bytes[++p] << 7);
		counts[b >> 3]++;
	}
	for (let t = 0; t < 32; t++)
		if (counts[t])
			tracks[t] = {
				n: 0,
				from: new Float64Array(counts[t]),
				to: new Float64Array(counts[t]),
				state: new Uint8Array(counts[t]),
				x: new Float64Array(counts[t]),
				y: new Uint32Array(counts[t]),
				z: new Float64Array(counts[t]),
				w: new Uint32Array(counts[t]),
			};
	for (let i = 0; i < n; i++) {
		const b = columns[0].next(),
			state = b & 7,
			track = tracks[b >> 3],
			k = track.n++;
		track.from[k] = (k ? track.to[k - 1] : 0) + columns[1].next();
		track.to[k] = track.from[k] + columns[2].next();
		track.state[k] = state;
		const f = fields[state];
		if (f > 0) track.x[k] = columns[3].next();
		if (f > 1) track.y[k] = columns[4].next();
		if (f > 2) track.z[k] = columns[5].next();
		if (f > 3) track.w[k] = columns[6].next();
	}
	return tracks;
}

const BLOCKS_KEPT = 600,
	BLOCKS_AT_ONCE = 4;
let blockClock = 0;

function forgetBlocks() {
	const all = [...Blocks.decoded.values()].sort((a, b) => a.used - b.used);
	for (const block of all.slice(0, BLOCKS_KEPT / 4)) {
		block.data = null;
		Blocks.decoded.delete(block.id);
	}
}

async function loadNext() {
	while (Blocks.ready && Blocks.queue.length && Blocks.loading.size < BLOCKS_AT_ONCE) {
		const block = Blocks.queue.pop();
		if (block.data || Blocks.loading.has(block.id)) continue;
		Blocks.loading.add(block.id);
		unpack("b" + block.id)
			.then(bytes => {
				block.data = decodeBlock(bytes, block.plane);
				block.used = ++blockClock;
				Blocks.decoded.set(block.id, block);
				if (Blocks.decoded.size > BLOCKS_KEPT) forgetBlocks();
			})
			.catch(error => {
				block.data = new Array(32).fill(null);
				console.error(error);
			})
			.finally(() => {
				Blocks.loading.delete(block.id);
				Blocks.onload();
				loadNext();
			});
	}
}

/* Begins a frame. Requests of the last frame that are not fulfilled yet are dropped. */
Blocks.begin = () => {
	Blocks.queue.length = 0;
	levelCache.clear();
};
Blocks.end = loadNext;
/* Kept when the browser has read the page to its end, where the blocks are. */
Blocks.whenReady = new Promise(done => {
	Blocks.isReady = done;
});

/* Returns the intervals @a without the intervals @b. Both lists are in order, without overlaps. */
function subtract(a, b) {
	const rest = [];
	for (let [from, to] of a) {
		for (const [x, y] of b) {
			if (y <= from || x >= to) continue;
			if (x > from) rest.push([from, x]);
			from = Math.max(from, y);
		}
		if (from < to) rest.push([from, to]);
	}
	return rest;
}

function join(list) {
	list.sort((a, b) => a[0] - b[0]);
	const joined = [];
	for (const [from, to] of list) {
		const last = joined[joined.length - 1];
		if (last && from <= last[1]) last[1] = Math.max(last[1], to);
		else joined.push([from, to]);
	}
	return joined;
}

/*
 * Returns the unpacked blocks of a level of a group between two times, and the times without an
 * unpacked block. @whole: the track has this level everywhere; false: it has this level in the
 * windows only.
 */
function levelIn(plane, group, level, whole, from, to) {
	const blocks = [],
		lacking = [];
	let waits = false;
	for (const block of Blocks.index[plane][group][level]) {
		if (block.to < from || block.from > to) continue;
		if (block.data) {
			block.used = ++blockClock;
			blocks.push(block);
			continue;
		}
		if (block.id >= 0) {
			Blocks.queue.push(block);
			waits = true;
		}
		lacking.push([block.from, block.to]);
	}
	const outside = whole ? [] : subtract([[from, to]], Data.head.windows);
	return { blocks, waits, lacking: join([...lacking, ...outside]) };
}

/* All tracks of a group ask for the same blocks in one frame. */
let levelCache = new Map();

function cachedLevel(plane, group, level, whole, from, to) {
	const key = ((plane * 4096 + group) * LEVELS + level) * 2 + (whole ? 1 : 0);
	let found = levelCache.get(key);
	if (!found || found.from !== from || found.to !== to) {
		found = { from, to, ...levelIn(plane, group, level, whole, from, to) };
		levelCache.set(key, found);
	}
	return found;
}

/*
 * Calls show(items, level, times) for the unpacked blocks of a track between two times, coarse
 * levels first. Runs must be shown in @times only: elsewhere a finer level covers them. Requests
 * the blocks that are not unpacked. Returns true if all were unpacked.
 */
Blocks.visit = function (plane, track, level, from, to, show) {
	const group = track >> 5,
		place = track & 31,
		found = [];
	const finest = Data.head[FINEST[plane]][track];
	let whole = true,
		rest = [[from, to]];
	if (!Blocks.index[plane][group]) return true;
	for (let l = level; l < LEVELS; l++) {
		const here = cachedLevel(plane, group, l, finest <= l, from, to),
			times = subtract(rest, here.lacking);
		whole = whole && !here.waits;
		rest = times.length ? subtract(rest, times) : rest;
		found.push([here.blocks, l, times]);
	}
	for (const [blocks, l, times] of found.reverse())
		for (const block of blocks) if (block.data[place]) show(block.data[place], l, times);
	return whole;
};

const levelWidth = level => (level ? Math.pow(2, 10 + 2 * level) : 0);

/* Returns the level for a view in which a pixel has this number of ns. */
function levelOf(nsPerPixel) {
	let level = 0;
	while (level + 1 < LEVELS && levelWidth(level + 1) <= 2 * nsPerPixel) level++;
	return level;
}

/* Returns the index of the first item of a track's block that ends after @time. */
function firstAfter(items, time) {
	let low = 0,
		high = items.n;
	while (low < high) {
		const mid = (low + high) >> 1;
		if (items.to[mid] <= time) low = mid + 1;
		else high = mid;
	}
	return low;
}

async function readData() {
	const [head, texts] = await Promise.all([unpackJSON("head"), unpackJSON("texts")]);
	Data.head = head;
	Data.texts = texts;
	const [report, units, rows, objects, stacks, flames, index] = await Promise.all([
		unpackJSON("report"),
		unpackJSON("units"),
		unpack("rows"),
		unpack("objects"),
		unpack("stacks"),
		unpack("flames"),
		unpack("index"),
	]);
	Data.report = report;
	readRows(rows);
	readObjects(objects);
	readStacks(stacks);
	readFlames(flames);
	readIndex(index);
	readUnits(units);
}

/* --- numbers as text --- */

/* Returns the largest unit of which @ns has one or more, as [ns, name]. */
const timeUnit = ns => (ns >= 1e9 ? [1e9, "s"] : ns >= 1e6 ? [1e6, "ms"] : ns >= 1e3 ? [1e3, "µs"] : [1, "ns"]);

function showTime(ns, digits = 3) {
	const unit = timeUnit(Math.abs(ns));
	const v = ns / unit[0];
	return (
		(unit[0] === 1
			? String(Math.round(v))
			: v.toPrecision(Math.max(digits, String(Math.trunc(Math.abs(v))).length))) +
		" " +
		unit[1]
	);
}

/* All digits, as 12.345 678 901 s: to compare with times of other tools. */
function showExact(ns) {
	const whole = Math.round(ns),
		s = Math.floor(whole / 1e9),
		rest = String(whole - s * 1e9).padStart(9, "0");
	return s + "." + rest.slice(0, 3) + " " + rest.slice(3, 6) + " " + rest.slice(6) + " s";
}

const showCount = n => n.toLocaleString("en-US").replaceAll(",", "\u202f");
const showBytes = n => {
	const units = ["B", "KiB", "MiB", "GiB", "TiB"];
	let i = 0;
	for (; n >= 1024 && i < units.length - 1; i++) n /= 1024;
	return (i ? n.toPrecision(3) : n) + " " + units[i];
};
const showPercent = v => (v * 100 >= 10 ? (v * 100).toFixed(0) : (v * 100).toFixed(1)) + " %";

/* Makes an element with text and children. No other function puts text into the page. */
function el(tag, attrs = {}, ...children) {
	const e = document.createElement(tag);
	for (const [name, value] of Object.entries(attrs))
		if (name.startsWith("on")) e.addEventListener(name.slice(2), value);
		else if (value !== undefined && value !== false)
			e.setAttribute(name, value === true ? "" : value);
	e.append(
		...children
			.filter(c => c !== null && c !== undefined)
			.map(c => (typeof c === "object" ? c : String(c))),
	);
	return e;
}
const $ = id => document.getElementById(id);
