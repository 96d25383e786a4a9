/*
 * timeline: lanes of the program, Ps, threads and goroutines over time, painted into an array of
 * pixels.
 */

const GUTTER = 220,
	RULER = 24,
	LANE = 20,
	HEAD = 26,
	SERIES = 38,
	TASK_LANES = 12;

const Timeline = {
	from: 0,
	to: 1,
	lanes: [],
	goroutines: [],
	shown: [],
	alive: true,
	pointer: null,
	/* Of the lanes; the browser forgets it while they are hidden. */
	scroll: 0,
	fixedHeight: 0,
	pinned: [],
	filter: "",
	sort: "weight",
	threads: false,
	arrows: true,
	selected: null,
	frames: [],
	complete: true,
	wanted: null,
	busy: false,
	onselect: () => {},
	onview: () => {},
};

/* --- colours --- */

let Colors = {};

function readColors() {
	const style = getComputedStyle(document.documentElement);
	const css = name => style.getPropertyValue("--" + name).trim();
	const number = name => {
		const h = css(name).slice(1);
		return (
			(0xff000000 |
				(parseInt(h.slice(4, 6), 16) << 16) |
				(parseInt(h.slice(2, 4), 16) << 8) |
				parseInt(h.slice(0, 2), 16)) >>>
			0
		);
	};
	Colors = { css, number: {} };
	for (const name of [
		"bg",
		"panel",
		"lane",
		"line",
		"line2",
		"ink",
		"quiet",
		"accent",
		"running",
		"runnable",
		"syscall",
		"waiting",
		"sync",
		"network",
		"sleep",
		"gcwait",
		"gap",
		"gc",
		"stw",
		"task",
		"mark",
		"hover",
		"bar",
		"accent-bg",
	]) {
		Colors[name] = css(name);
		Colors.number[name] = number(name);
	}
}

const REASON_COLORS = [
	[/^(chan|select|sync|semacquire|wait)/i, "sync"],
	[/network|IO wait/i, "network"],
	[/^sleep/i, "sleep"],
	[/GC|system goroutine/i, "gcwait"],
];
const reasonColors = new Map();

function colorOfReason(reason) {
	let color = reasonColors.get(reason);
	if (!color) {
		const row = REASON_COLORS.find(r => r[0].test(reason));
		color = row ? row[1] : "waiting";
		reasonColors.set(reason, color);
	}
	return color;
}

function colorOf(plane, state, x, y) {
	if (state === RUNNING) return plane !== PLANE_G && isSystem(y) ? "gc" : "running";
	if (state === RUNNABLE) return "runnable";
	if (state === SYSCALL) return "syscall";
	return state === GAP ? "gap" : colorOfReason(Data.texts[x]);
}

const systemNames = new Map();
function isSystem(name) {
	let is = systemNames.get(name);
	if (is === undefined) {
		const text = Data.texts[name] || "";
		is = text.startsWith("runtime.") && text !== "runtime.main";
		systemNames.set(name, is);
	}
	return is;
}

const LEGEND = [
	["running", "running"],
	["gc", "runtime, GC"],
	["runnable", "runnable"],
	["syscall", "system call"],
	["sync", "chan, lock"],
	["network", "network"],
	["sleep", "sleep"],
	["gcwait", "GC wait"],
	["waiting", "other"],
	["stw", "stopped world"],
	["runnable", "hatched: its thread waits for a CPU"],
];

/* --- pixels --- */

let image = null,
	pixels = null,
	pixelWidth = 0,
	pixelHeight = 0,
	scale = 1;

function fill(x0, x1, y0, y1, color) {
	if (x0 < 0) x0 = 0;
	if (y0 < 0) y0 = 0;
	if (x1 > pixelWidth) x1 = pixelWidth;
	if (y1 > pixelHeight) y1 = pixelHeight;
	const n = x1 - x0;
	if (n <= 0) return;
	for (let y = y0, at = y0 * pixelWidth + x0; y < y1; y++, at += pixelWidth)
		if (n < 12) for (let i = at; i < at + n; i++) pixels[i] = color;
		else pixels.fill(color, at, at + n);
}

function sizeCanvas() {
	const box = $("lanes"),
		canvas = $("lanes-canvas");
	const width = box.clientWidth,
		height = box.clientHeight;
	lanesWidth = width;
	scale = Math.min(2, window.devicePixelRatio || 1);
	if (canvas.width === Math.round(width * scale) && canvas.height === Math.round(height * scale))
		return width > 0 && height > 0;
	if (!width || !height) return false;
	canvas.width = Math.round(width * scale);
	canvas.height = Math.round(height * scale);
	canvas.style.width = width + "px";
	canvas.style.height = height + "px";
	pixelWidth = canvas.width;
	pixelHeight = canvas.height;
	image = canvas.getContext("2d", { alpha: false }).createImageData(pixelWidth, pixelHeight);
	pixels = new Uint32Array(image.data.buffer);
	return true;
}

/* Width of the lanes, asked once per frame: reading clientWidth makes the browser do a layout. */
let lanesWidth = 0;
const laneWidth = () => (lanesWidth || (lanesWidth = $("lanes").clientWidth)) - GUTTER;
const nsPerPixel = () => (Timeline.to - Timeline.from) / Math.max(1, laneWidth());
const xOf = time => GUTTER + ((time - Timeline.from) / (Timeline.to - Timeline.from)) * laneWidth();
const timeOf = x => Timeline.from + ((x - GUTTER) / laneWidth()) * (Timeline.to - Timeline.from);

/*
 * Paints a run, from bottom to top: running, system call, runnable. The rest is waiting time (or,
 * of a P, idle time).
 */
function paintRun(x0, x1, y0, y1, shares, background) {
	const c = Colors.number,
		h = y1 - y0;
	const running = shares & 15,
		runnable = (shares >> 4) & 15,
		syscall = (shares >> 8) & 15;
	let y = y1;
	fill(x0, x1, y0, y1, background);
	for (const [share, color] of [
		[running, c.running],
		[syscall, c.syscall],
		[runnable, c.runnable],
	]) {
		if (!share) continue;
		const top = Math.max(y0, y - Math.max(1, Math.round((share * h) / 15)));
		fill(x0, x1, top, y, color);
		y = top;
	}
}

/*
 * Paints a track. Adds the spans that are wide enough for a text, and the wake-ups, to @found.
 * Returns true if all blocks of the track were unpacked.
 */
function paintTrack(lane, y0, y1, found) {
	const c = Colors.number,
		from = Timeline.from,
		to = Timeline.to;
	const perPixel = nsPerPixel() / scale,
		left = GUTTER * scale,
		level = levelOf(nsPerPixel());
	const background = lane.plane === PLANE_G ? c.waiting : c.lane,
		wide = 46 * scale;
	const inner = y1 - Math.round(2 * scale),
		top = y0 + Math.round(2 * scale);
	const whole = Blocks.visit(lane.plane, lane.track, level, from, to, (items, l, times) => {
		const states = items.state,
			begins = items.from,
			ends = items.to;
		for (let i = firstAfter(items, from); i < items.n && begins[i] < to; i++) {
			let x0 = Math.floor((begins[i] - from) / perPixel) + left,
				x1 = Math.round((ends[i] - from) / perPixel) + left;
			if (x1 <= x0) x1 = x0 + 1;
			if (x0 < left) x0 = left;
			if (x1 > pixelWidth) x1 = pixelWidth;
			if (states[i] === RUN) {
				for (const [a, b] of times)
					if (ends[i] > a && begins[i] < b)
						paintRun(
							Math.max(
								x0,
								begins[i] < a
									? Math.floor((a - from) / perPixel) +
											left
									: x0,
							),
							Math.min(
								x1,
								ends[i] > b
									? Math.ceil((b - from) / perPixel) +
											left
									: x1,
							),
							top,
							inner,
							items.y[i],
							background,
						);
				continue;
			}
			fill(x0, x1, top, inner, c[colorOf(lane.plane, states[i], items.x[i], items.y[i])]);
			if (x1 - x0 > 5 * scale && states[i] !== WAITING) fill(x0, x0 + 1, top, inner, c.bg);
			if (x1 - x0 > wide)
				found.texts.push({ lane, items, i, x0: x0 / scale, x1: x1 / scale });
			if (
				lane.plane === PLANE_G &&
				states[i] === RUNNABLE &&
				items.z[i] &&
				begins[i] >= from &&
				found.wakes.length < 400
			)
				found.wakes.push({ lane, waker: items.z[i] - 1, time: begins[i] });
		}
	});
	return whole;
}

const OFF_COLORS = ["", "runnable", "stw", "network", "gap", "gap"];

/*
 * Paints hatching: one third of the pixels of each row keep their color. For unknown states two
 * thirds do, and the diagonals go the other way.
 */
function paintHatched(x0, x1, y0, y1, off) {
	const color = Colors.number[OFF_COLORS[off]],
		slope = off === OFF_UNKNOWN ? 5 : 1,
		least = off === OFF_UNKNOWN ? 4 : 2;

	for (let y = Math.max(0, y0); y < Math.min(y1, pixelHeight); y++)
		for (let x = Math.max(0, x0), at = y * pixelWidth + x; x < Math.min(x1, pixelWidth); x++, at++)
			if ((x + slope * y) % 6 >= least) pixels[at] = color;
}

/*
 * Paints over the stays of a track the times when the thread was not on a CPU. The height of merged
 * times is their share.
 */
function paintOff(lane, y0, y1) {
	const from = Timeline.from,
		perPixel = nsPerPixel() / scale,
		left = GUTTER * scale,
		x = time => Math.max(left, Math.round((time - from) / perPixel) + left);
	const top = y0 + Math.round(2 * scale),
		inner = y1 - Math.round(2 * scale);
	return Blocks.visit(PLANE_OFF + lane.plane, lane.track, levelOf(nsPerPixel()), from, Timeline.to, (items, l, times) => {
		for (let i = firstAfter(items, from); i < items.n && items.from[i] < Timeline.to; i++) {
			const state = items.state[i],
				x0 = x(items.from[i]),
				x1 = Math.max(x0 + 1, x(items.to[i]));
			if (state !== RUN) paintHatched(x0, x1, top, inner, state);
			else
				for (const [a, b] of times) {
					if (items.to[i] <= a || items.from[i] >= b) continue;
					let y = top;
					for (let k = 1; k < Data.head.off_names.length; k++) {
						const share = (items.y[i] >> (4 * (k - 1))) & 15,
							next = y + Math.round((share * (inner - top)) / 15);
						paintHatched(Math.max(x0, x(a)), Math.min(x1, x(b)), y, Math.min(next, inner), k);
						y = next;
					}
				}
		}
	});
}

function paintObjects(lane, y0, y1) {
	const perPixel = nsPerPixel() / scale,
		left = GUTTER * scale,
		texts = [];
	for (const [items, color] of lane.layers)
		for (const o of items) {
			if (o.from > Timeline.to) break;
			if (o.to < Timeline.from) continue;
			const x0 = Math.max(left, Math.floor((o.from - Timeline.from) / perPixel) + left);
			const x1 = Math.max(x0 + 1, Math.round((o.to - Timeline.from) / perPixel) + left);
			fill(x0, x1, (y0 + 2 * scale) | 0, (y1 - 2 * scale) | 0, Colors.number[color]);
			if (lane.names && x1 - x0 > 3 * scale) fill(x0, x0 + 1, (y0 + 2 * scale) | 0, (y1 - 2 * scale) | 0, Colors.number.bg);
			if (o.path >= 0) fill(x0, x1, (y0 + 2 * scale) | 0, (y0 + 4 * scale) | 0, Colors.number.ink);
			if (lane.names && x1 - x0 > 40 * scale)
				texts.push({
					text: o.kind === OBJECT_UNIT ? showTime(o.to - o.from) : o.name,
					x0: x0 / scale,
					x1: Math.min(x1, pixelWidth) / scale,
				});
		}
	return texts;
}

/* Paints regions and assists as lines over the lane of their goroutine. */
function paintRegions(lane, y0) {
	const list = regionsOf(lane.g),
		perPixel = nsPerPixel() / scale,
		left = GUTTER * scale;
	for (const o of list || []) {
		if (o.to < Timeline.from || o.from > Timeline.to) continue;
		const x0 = Math.max(left, Math.floor((o.from - Timeline.from) / perPixel) + left);
		const x1 = Math.max(x0 + 1, Math.round((o.to - Timeline.from) / perPixel) + left);
		const y = y0 + Math.round((2 + 3 * Math.min(o.depth, 3)) * scale);
		fill(
			x0,
			x1,
			y,
			y + Math.max(2, Math.round(2 * scale)),
			Colors.number[o.kind === OBJECT_REGION ? "task" : "gc"],
		);
	}
}

/* --- text over the pixels --- */

function clipText(ctx, text, width) {
	const whole = ctx.measureText(text).width,
		most = Math.floor((text.length * width) / whole) - 1;
	return whole <= width ? text : most < 3 ? "" : text.slice(0, most) + "…";
}

/* The text on a stay: [what comes first, a name]. */
function textOfItem(lane, items, i) {
	const state = items.state[i],
		reason = Data.texts[items.x[i]];
	if (lane.plane !== PLANE_G)
		return [(state === SYSCALL ? "syscall " : "") + "G" + items.x[i], Data.texts[items.y[i]]];
	if (state === RUNNING) return [items.x[i] ? "P" + (items.x[i] - 1) : "running", ""];
	if (state === RUNNABLE) return ["runnable" + (items.x[i] ? ": " + reason : ""), ""];
	if (state === WAITING) return [reason || "waiting", ""];
	return [state === SYSCALL ? "system call" : "not recorded", ""];
}

const DARK_TEXT = new Set(["waiting", "sync", "network", "sleep", "gcwait", "gc"]);

function drawTexts(ctx, found, scroll) {
	ctx.font = "11px ui-sans-serif, system-ui, sans-serif";
	ctx.textBaseline = "middle";
	for (const t of found.texts) {
		const color = colorOf(t.lane.plane, t.items.state[t.i], t.items.x[t.i], t.items.y[t.i]);
		ctx.fillStyle = DARK_TEXT.has(color) ? Colors.ink : "#fff";
		ctx.fillText(
			fitLabel(ctx, ...textOfItem(t.lane, t.items, t.i), t.x1 - t.x0 - 8),
			t.x0 + 4,
			t.lane.y - scroll + RULER + LANE / 2 + 0.5,
		);
	}
}

function drawGutter(ctx, lanes, scroll, width, height) {
	ctx.fillStyle = Colors.panel;
	ctx.fillRect(0, 0, GUTTER - 1, height);
	ctx.textBaseline = "middle";
	for (const lane of lanes) {
		const y = lane.y - scroll + RULER;
		if (lane.kind === "head") {
			ctx.fillStyle = Colors.bg;
			ctx.fillRect(0, y, width, lane.height);
			ctx.fillStyle = Colors.line;
			ctx.fillRect(0, y + lane.height - 1, width, 1);
			ctx.font = "600 12px ui-sans-serif, system-ui, sans-serif";
			ctx.fillStyle = Colors.ink;
			ctx.fillText(lane.short, 14, y + lane.height / 2 + 1);
			const w = ctx.measureText(lane.short).width;
			ctx.font = "11.5px ui-sans-serif, system-ui, sans-serif";
			ctx.fillStyle = Colors.quiet;
			ctx.fillText(lane.note || "", 22 + w, y + lane.height / 2 + 1);
			continue;
		}
		if (Timeline.selected && Timeline.selected.g && lane.g === Timeline.selected.g) {
			ctx.fillStyle = Colors["accent-bg"];
			ctx.fillRect(0, y, GUTTER - 1, lane.height);
		}
		ctx.font = "11.5px ui-sans-serif, system-ui, sans-serif";
		ctx.fillStyle = lane.quiet || (lane.plane === PLANE_G && lane.g.system) ? Colors.quiet : Colors.ink;
		ctx.fillText(
			fitLabel(ctx, lane.short, lane.name, GUTTER - 24),
			14,
			y + Math.min(lane.height, LANE) / 2 + 0.5,
		);
	}
	ctx.fillStyle = Colors.line;
	ctx.fillRect(GUTTER - 1, 0, 1, height);
	for (const lane of lanes.filter(l => l.kind === "head")) {
		ctx.fillStyle = Colors.bg;
		ctx.fillRect(GUTTER - 1, lane.y - scroll + RULER, 1, lane.height - 1);
	}
}

function tickStep(perPixel) {
	const least = perPixel * 110,
		power = Math.pow(10, Math.floor(Math.log10(least)));
	return [1, 2, 5, 10].map(k => k * power).find(step => step >= least);
}

function tickText(time, step) {
	const unit = timeUnit(step);
	if (step >= 1e6) return (time / 1e9).toFixed(Math.max(0, 9 - Math.floor(Math.log10(step)))) + " s";
	const digits = Math.max(0, Math.floor(Math.log10(unit[0])) - Math.floor(Math.log10(step)));
	const base = Math.floor(Timeline.from / 1e6) * 1e6;
	return "+" + ((time - base) / unit[0]).toFixed(digits) + " " + unit[1];
}

/* Paints vertical lines below the lanes, at the ticks of the ruler. */
function paintTicks() {
	const step = tickStep(nsPerPixel());
	for (let t = Math.ceil(Timeline.from / step) * step; t <= Timeline.to; t += step) {
		const x = Math.round(xOf(t) * scale);
		fill(x, x + 1, RULER * scale, pixelHeight, Colors.number.line2);
	}
}

function drawRuler(ctx, width) {
	const step = tickStep(nsPerPixel());
	ctx.fillStyle = Colors.panel;
	ctx.fillRect(0, 0, width, RULER);
	ctx.font = "11px ui-sans-serif, system-ui, sans-serif";
	ctx.textBaseline = "middle";
	for (let t = Math.ceil(Timeline.from / step) * step; t <= Timeline.to; t += step) {
		const x = Math.round(xOf(t));
		ctx.fillStyle = Colors.line;
		ctx.fillRect(x, RULER - 6, 1, 6);
		ctx.fillStyle = Colors.quiet;
		if (x + 70 < width) ctx.fillText(tickText(t, step), x + 4, RULER / 2);
	}
	ctx.fillStyle = Colors.panel;
	ctx.fillRect(0, 0, GUTTER, RULER);
	ctx.fillStyle = Colors.quiet;
	if (step < 1e6)
		ctx.fillText((Math.floor(Timeline.from / 1e6) / 1e3).toFixed(3) + " s", 14, RULER / 2);
	ctx.fillStyle = Colors.line;
	ctx.fillRect(0, RULER - 1, width, 1);
}

let hatch = null;
function hatching(ctx) {
	if (hatch && hatch.color === Colors.gap) return hatch.pattern;
	const c = document.createElement("canvas");
	c.width = c.height = 8;
	const p = c.getContext("2d");
	p.strokeStyle = Colors.gap;
	p.lineWidth = 1.5;
	p.beginPath();
	for (const k of [-8, 0, 8]) {
		p.moveTo(k, 8);
		p.lineTo(k + 8, 0);
	}
	p.stroke();
	hatch = { color: Colors.gap, pattern: ctx.createPattern(c, "repeat") };
	return hatch.pattern;
}

function drawGaps(ctx, height) {
	ctx.fillStyle = hatching(ctx);
	for (const [from, to] of Data.head.gaps) {
		const x0 = Math.max(GUTTER, xOf(from)),
			x1 = xOf(to);
		if (x1 > GUTTER && x0 < GUTTER + laneWidth())
			ctx.fillRect(x0, RULER, Math.max(2, x1 - x0), height - RULER);
	}
}

/* The highest value of a series, computed once. */
const highest = series => (series.high ??= series.points.reduce((most, p) => Math.max(most, p[2]), 1));

function drawSeries(ctx, lane, y) {
	const points = lane.series.points,
		x = xOf,
		high = highest(lane.series),
		h = lane.height - 8;
	const level = v => y + lane.height - 3 - (v / high) * h;
	ctx.beginPath();
	let last = null;
	for (const p of points) {
		const px = Math.min(Math.max(x(p[0]), GUTTER - 10), GUTTER + laneWidth() + 10);
		if (last === null) ctx.moveTo(px, level(0));
		else ctx.lineTo(px, level(last));
		ctx.lineTo(px, level(p[2]));
		ctx.lineTo(px, level(p[3]));
		last = p[3];
	}
	const end = Math.min(x(Data.head.duration), GUTTER + laneWidth() + 10);
	ctx.lineTo(end, level(last));
	ctx.lineTo(end, level(0));
	ctx.fillStyle = Colors.bar;
	ctx.fill();
	ctx.font = "10.5px ui-sans-serif, system-ui, sans-serif";
	ctx.fillStyle = Colors.quiet;
	const name = Data.texts[lane.series.name];
	ctx.fillText(
		"max " + (name.endsWith(":bytes") ? showBytes(high) : showCount(high)),
		GUTTER + 6,
		y + 9,
	);
}

function laneYOf(g, lanes) {
	const lane = lanes.find(l => l.g && l.g === g && l.kind === "track");
	return lane ? lane.y : null;
}

function drawArrow(ctx, x, y0, y1, color, width) {
	const up = y1 < y0 ? 1 : -1;
	ctx.strokeStyle = ctx.fillStyle = color;
	ctx.lineWidth = width;
	ctx.beginPath();
	ctx.moveTo(x, y0);
	ctx.lineTo(x, y1);
	ctx.stroke();
	ctx.beginPath();
	ctx.moveTo(x, y1);
	ctx.lineTo(x - 3.5, y1 + 6 * up);
	ctx.lineTo(x + 3.5, y1 + 6 * up);
	ctx.fill();
}

/*
 * Draws arrows of wake-ups from the lane of the waker, if that lane is in view. The selected stay
 * has an arrow even if the lane of its waker is not in view.
 */
function drawWakes(ctx, found, lanes, scroll) {
	const selected = Timeline.selected;
	if (!Timeline.arrows) return;
	const many = found.wakes.length > 150;
	ctx.globalAlpha = 0.5;
	for (const w of many ? [] : found.wakes) {
		const waker = Data.goroutine(w.waker, w.time),
			y = waker ? laneYOf(waker, lanes) : null;
		if (y === null || waker === w.lane.g) continue;
		const down = y < w.lane.y;
		drawArrow(
			ctx,
			xOf(w.time),
			y - scroll + RULER + LANE / 2,
			w.lane.y - scroll + RULER + (down ? 2 : LANE - 2),
			Colors.ink,
			1,
		);
	}
	ctx.globalAlpha = 1;
	if (!selected || !selected.wake) return;
	const y1 = laneYOf(selected.g, lanes),
		waker = Data.goroutine(selected.wake.g, selected.wake.time);
	if (y1 === null) return;
	const y = waker ? laneYOf(waker, lanes) : null,
		y0 = y === null ? y1 - 34 : y;
	drawArrow(
		ctx,
		xOf(selected.wake.time),
		y0 - scroll + RULER + LANE / 2,
		y1 - scroll + RULER + (y0 < y1 ? 2 : LANE - 2),
		Colors.accent,
		2,
	);
}

function drawSelection(ctx, lanes, scroll) {
	const s = Timeline.selected;
	if (!s || !s.item) return;
	for (const lane of lanes)
		if (lane.kind === "track" && lane.plane === s.plane && lane.track === s.track) {
			const x0 = Math.max(GUTTER, xOf(s.item.from)),
				x1 = Math.min(GUTTER + laneWidth(), Math.max(xOf(s.item.to), x0 + 2));
			if (x1 <= GUTTER) continue;
			ctx.strokeStyle = Colors.ink;
			ctx.lineWidth = 1.5;
			ctx.strokeRect(x0 - 0.5, lane.y - scroll + RULER + 1, x1 - x0 + 1, LANE - 2);
		}
}

/* --- a frame --- */

let frameWanted = false;

function redraw() {
	if (frameWanted || $("view-timeline").hidden) return;
	frameWanted = true;
	requestAnimationFrame(() => {
		frameWanted = false;
		drawTimeline();
	});
}

function drawTimeline() {
	const began = performance.now();
	if (!Data.head || !sizeCanvas()) return;
	const ctx = $("lanes-canvas").getContext("2d", { alpha: false });
	const width = $("lanes").clientWidth,
		height = $("lanes").clientHeight,
		scroll = $("lanes").scrollTop;
	const lanes = lanesIn(scroll, scroll + height - RULER),
		found = { texts: [], wakes: [], objects: [] };
	let complete = true;
	Blocks.begin();
	pixels.fill(Colors.number.panel);
	paintTicks();
	for (const lane of lanes) {
		const y0 = Math.round((lane.y - scroll + RULER) * scale),
			y1 = Math.round((lane.y + lane.height - scroll + RULER) * scale);
		if (lane.kind === "track") complete = paintLane(lane, y0, y1, found) && complete;
		else if (lane.kind === "objects")
			for (const t of paintObjects(lane, y0, y1))
				found.objects.push({ ...t, y: lane.y - scroll + RULER + lane.height / 2 });
		else if (lane.kind === "path")
			for (const t of paintPath(lane, y0, y1))
				found.objects.push({ ...t, y: lane.y - scroll + RULER + lane.height / 2 });
	}
	Blocks.end();
	ctx.setTransform(1, 0, 0, 1, 0, 0);
	ctx.putImageData(image, 0, 0);
	ctx.setTransform(scale, 0, 0, scale, 0, 0);
	for (const lane of lanes) if (lane.kind === "series") drawSeries(ctx, lane, lane.y - scroll + RULER);
	drawTexts(ctx, found, scroll);
	for (const t of found.objects) {
		ctx.fillStyle = t.color || "#fff";
		ctx.fillText(clipText(ctx, t.text, t.x1 - t.x0 - 8), t.x0 + 4, t.y);
	}
	drawGaps(ctx, height);
	drawWakes(ctx, found, lanes, scroll);
	drawPath(ctx, lanes, scroll);
	drawSelection(ctx, lanes, scroll);
	drawGutter(ctx, lanes, scroll, width, height);
	drawRuler(ctx, width);
	Timeline.complete = complete;
	Timeline.exact = levelOf(nsPerPixel());
	drawOverview();
	drawOver();
	Timeline.frames.push(performance.now() - began);
	if (Timeline.frames.length > 500) Timeline.frames.shift();
}

function paintLane(lane, y0, y1, found) {
	if (lane.plane === PLANE_G) {
		const left = GUTTER * scale,
			perPixel = nsPerPixel() / scale;
		const x0 = Math.max(left, Math.floor((lane.g.from - Timeline.from) / perPixel) + left);
		const x1 = Math.max(x0 + 1, Math.round((lane.g.to - Timeline.from) / perPixel) + left);
		if (lane.g.to >= Timeline.from && lane.g.from <= Timeline.to)
			fill(x0, x1, ((y0 + y1) / 2 - 1) | 0, ((y0 + y1) / 2 + 1) | 0, Colors.number.line);
	} else {
		fill(
			GUTTER * scale,
			pixelWidth,
			y0 + Math.round(2 * scale),
			y1 - Math.round(2 * scale),
			Colors.number.lane,
		);
	}
	if (lane.track < 0) return true;
	let whole = paintTrack(lane, y0, y1, found);
	if (Data.head.off_cpu) whole = paintOff(lane, y0, y1) && whole;
	if (lane.plane === PLANE_G) paintRegions(lane, y0);
	return whole;
}

/* --- the whole trace, above the lanes --- */

function meanLoad() {
	if (Timeline.load) return Timeline.load;
	const n = Data.head.heat_buckets,
		procs = Data.head.p_ids.length,
		load = new Float64Array(n);
	for (let p = 0; p < procs; p++)
		for (let i = 0; i < n; i++)
			load[i] +=
				(Data.head.heat[p * n + i] + Data.head.heat[(procs + p) * n + i]) /
				100 /
				Math.max(1, procs);
	return (Timeline.load = load);
}

function drawOverview() {
	const canvas = $("overview"),
		width = canvas.clientWidth,
		height = canvas.clientHeight,
		whole = Math.max(1, Data.head.duration);
	if (!width) return;
	if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
		canvas.width = Math.round(width * scale);
		canvas.height = Math.round(height * scale);
	}
	const ctx = canvas.getContext("2d"),
		load = meanLoad(),
		x = t => GUTTER + (t / whole) * (width - GUTTER);
	ctx.setTransform(scale, 0, 0, scale, 0, 0);
	ctx.clearRect(0, 0, width, height);
	ctx.fillStyle = Colors.running;
	ctx.globalAlpha = 0.75;
	const step = (width - GUTTER) / load.length;
	for (let i = 0; i < load.length; i++)
		ctx.fillRect(
			GUTTER + i * step,
			height - 6 - load[i] * (height - 16),
			step + 0.5,
			load[i] * (height - 16),
		);
	ctx.globalAlpha = 1;
	for (const [items, color] of [
		[Data.objects[OBJECT_GC].items, Colors.gc],
		[Data.objects[OBJECT_STW].items, Colors.stw],
	]) {
		ctx.fillStyle = color;
		for (const o of items)
			ctx.fillRect(x(o.from), height - 5, Math.max(1, x(o.to) - x(o.from)), 4);
	}
	ctx.fillStyle = Colors.quiet;
	for (const [from, to] of Data.head.windows)
		ctx.fillRect(x(from), 1, Math.max(1.5, x(to) - x(from)), 3);
	ctx.fillStyle = hatching(ctx);
	for (const [from, to] of Data.head.gaps)
		ctx.fillRect(x(from), 4, Math.max(1.5, x(to) - x(from)), height - 8);
	const x0 = x(Timeline.from),
		x1 = Math.max(x(Timeline.to), x0 + 2);
	ctx.fillStyle = Colors.accent;
	ctx.globalAlpha = 0.13;
	ctx.fillRect(x0, 0, x1 - x0, height);
	ctx.globalAlpha = 1;
	ctx.strokeStyle = Colors.accent;
	ctx.strokeRect(x0 + 0.5, 0.5, x1 - x0 - 1, height - 1);
	ctx.fillStyle = Colors.quiet;
	ctx.font = "11.5px ui-sans-serif, system-ui, sans-serif";
	ctx.textBaseline = "middle";
	ctx.fillText("Whole trace: busy Ps", 14, height / 2 - 7);
	ctx.fillText(showTime(whole), 14, height / 2 + 9);
}

/* --- moving --- */

function setView(from, to) {
	const whole = Math.max(1, Data.head.duration),
		margin = whole * 0.02;
	let span = Math.min(Math.max(to - from, 200), whole * 1.04);
	if (from < -margin) from = -margin;
	if (from + span > whole + margin) from = Math.max(-margin, whole + margin - span);
	Timeline.from = from;
	Timeline.to = from + span;
	updateLanes();
	redraw();
	Timeline.onview();
}

function zoom(factor, at) {
	const span = Timeline.to - Timeline.from,
		middle = at === undefined ? Timeline.from + span / 2 : at;
	setView(middle - (middle - Timeline.from) * factor, middle + (Timeline.to - middle) * factor);
}

function pan(share) {
	const by = (Timeline.to - Timeline.from) * share;
	setView(Timeline.from + by, Timeline.to + by);
}

/* --- what is under the pointer --- */

function laneAt(y) {
	const at = y - RULER + $("lanes").scrollTop;
	return y < RULER ? null : lanesIn(at, at + 1).find(l => l.y <= at && at < l.y + l.height) || null;
}

const copyItem = (items, i, level) => ({
	from: items.from[i],
	to: items.to[i],
	state: items.state[i],
	x: items.x[i],
	y: items.y[i],
	z: items.z[i],
	w: items.w[i],
	level,
});

/*
 * Returns the stay at a time, or, if it is not unpacked, the run of the finest unpacked level that
 * contains it.
 */
function itemAt(plane, track, time, slack, level) {
	let best = null;
	Blocks.visit(plane, track, level, time - slack, time + slack + 1, (items, l, times) => {
		for (
			let i = firstAfter(items, time - slack);
			i < items.n && items.from[i] <= time + slack;
			i++
		) {
			const inside = items.from[i] <= time && time < items.to[i];
			if (items.state[i] === RUN && !times.length) continue;
			const rank = (items.state[i] === RUN ? 0 : 100) + (inside ? 50 : 0) - l;
			if (!best || rank > best.rank) best = { rank, item: copyItem(items, i, l) };
		}
	});
	return best ? best.item : null;
}

/*
 * Sums the time of a track without a CPU, by reason and by the task that had the CPU, largest
 * first, and the time without records.
 */
async function offIn(plane, track, from, to) {
	const why = new Map();
	let ns = 0,
		unknown = 0,
		merged = false;
	await unpackIn(PLANE_OFF + plane, track, from, to);
	const add = (state, name, more) => {
		if (state === OFF_UNKNOWN) {
			unknown += more;
			return;
		}
		why.set(name, (why.get(name) || 0) + more);
		ns += more;
	};
	Blocks.visit(PLANE_OFF + plane, track, 0, from, to, (items, l, times) => {
		for (let i = firstAfter(items, from); i < items.n && items.from[i] < to; i++) {
			if (items.state[i] !== RUN) {
				const name = Data.texts[items.x[i]] + (items.y[i] ? " (" + items.y[i] + ")" : "");
				add(items.state[i], name, Math.min(to, items.to[i]) - Math.max(from, items.from[i]));
				continue;
			}
			for (const [a, b] of times) {
				const part = Math.min(to, items.to[i], b) - Math.max(from, items.from[i], a);
				if (part <= 0) continue;
				merged = true;
				for (let k = 1; k < Data.head.off_names.length; k++) {
					const share = ((items.y[i] >> (4 * (k - 1))) & 15) / 15;
					if (share) add(k, Data.head.off_names[k], part * share);
				}
			}
		}
	});
	return { ns, unknown, merged, why: [...why.entries()].sort((a, b) => b[1] - a[1]) };
}

/* Returns the stay at a time, after unpacking all blocks of that time. */
async function exactAt(plane, track, time) {
	await unpackIn(plane, track, time, time);
	return itemAt(plane, track, time, 0, 0);
}

function select(selection, quiet) {
	if (
		selection &&
		selection.plane === PLANE_G &&
		selection.item &&
		selection.item.state === RUNNABLE &&
		selection.item.z
	)
		selection.wake = { g: selection.item.z - 1, time: selection.item.from };
	Timeline.selected = selection;
	if (selection && selection.object && selection.object.path >= 0)
		choosePath(selection.object.unit.paths[selection.object.path]);
	if (!quiet) Timeline.onselect(selection);
	redraw();
}

async function selectAt(x, y) {
	const lane = laneAt(y),
		time = timeOf(x);
	if (!lane || x < 0) return select(null);
	if (lane.kind === "objects") {
		const slack = nsPerPixel() * 2;
		for (const [items] of [...lane.layers].reverse()) {
			const o = items.find(it => it.from - slack <= time && time <= it.to + slack);
			if (o) return select({ object: o, g: Data.goroutine(o.g, o.from) });
		}
		return select(null);
	}
	if (lane.kind === "path" && stepAt(lane, time)) return goToStep(stepAt(lane, time));
	if (lane.kind !== "track") return select(null);
	const region =
		lane.g &&
		y - (lane.y - $("lanes").scrollTop + RULER) < 8 &&
		(regionsOf(lane.g) || []).filter(o => o.from <= time && time <= o.to).pop();
	if (region) return select({ object: region, g: lane.g });
	select({
		plane: lane.plane,
		track: lane.track,
		g: lane.g || null,
		label: labelOf(lane),
		item: x < GUTTER || lane.track < 0 ? null : await loadedAt(lane.plane, lane.track, time),
	});
}

/*
 * Returns the stay or run at a time, as itemAt() finds it at the current zoom, after unpacking all
 * blocks of that time.
 */
async function loadedAt(plane, track, time) {
	const level = levelOf(nsPerPixel()),
		slack = nsPerPixel() * 1.5;
	await exactAt(plane, track, time);
	return itemAt(plane, track, time, slack, level);
}

/* Scrolls the lane of a goroutine into view. */
function reveal(g) {
	const lane = Timeline.lanes.find(l => l.g === g),
		box = $("lanes");
	let y = lane ? lane.y : undefined;
	if (y === undefined) {
		const at = Timeline.shown.indexOf(g);
		if (at < 0) {
			pin([g]);
			return reveal(g);
		}
		y = Timeline.fixedHeight + at * LANE;
	}
	if (y < box.scrollTop || y + LANE > box.scrollTop + box.clientHeight - RULER)
		box.scrollTop = Math.max(0, y - (box.clientHeight - RULER) / 3);
}

function pin(list) {
	Timeline.pinned = list.slice(0, 12);
	buildLanes();
}

async function selectGoroutine(g, time) {
	if (time !== undefined && (time < Timeline.from || time > Timeline.to)) {
		const span = Timeline.to - Timeline.from;
		setView(time - span / 2, time + span / 2);
	}
	reveal(g);
	const item = time !== undefined && g.track >= 0 ? await exactAt(PLANE_G, g.track, time) : null;
	select({ plane: PLANE_G, track: g.track, g, item, label: labelOf(goroutineLane(g)) });
}

/* Selects the stay before (-1) or after (1) the selected one. */
async function selectBeside(direction) {
	const s = Timeline.selected;
	if (!s || !s.item || s.track < 0) return;
	const item = await exactAt(s.plane, s.track, direction > 0 ? s.item.to : s.item.from - 1);
	if (!item) return;
	if (item.to < Timeline.from || item.from > Timeline.to)
		setView(
			item.from - (Timeline.to - Timeline.from) / 2,
			item.from + (Timeline.to - Timeline.from) / 2,
		);
	select({ ...s, item, wake: undefined });
}

function selectWaker() {
	const s = Timeline.selected,
		waker = s && s.wake ? Data.goroutine(s.wake.g, s.wake.time) : null;
	if (waker) selectGoroutine(waker, s.wake.time - 1);
}
