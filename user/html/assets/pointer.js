/*
 * pointer: mouse and wheel over the lanes, what is under the pointer, and the canvas over the lanes: what changes with
 * the pointer is painted there, so that the lanes need not be painted again.
 */

/* What is under the pointer: { lane, item, g }, or null. */
let hovered = null;

/* --- pointer and wheel --- */

function listenLanes() {
	const box = $("lanes"),
		canvas = $("lanes-canvas");
	let drag = null;
	const at = e => {
		const r = canvas.getBoundingClientRect();
		return [e.clientX - r.left, e.clientY - r.top];
	};
	canvas.addEventListener("pointerdown", e => {
		if (e.button) return;
		const [x, y] = at(e);
		drag = { x, y, lastY: y, from: Timeline.from, to: Timeline.to, moved: false };
		drag.measures = x >= GUTTER && (measures || e.shiftKey || y < RULER);
		drag.time = drag.measures ? snapped(x, y) : 0;
		canvas.setPointerCapture(e.pointerId);
		box.focus({ preventScroll: true });
	});
	canvas.addEventListener("pointermove", e => {
		const [x, y] = at(e);
		Timeline.pointer = { x, y };
		if (!drag) return hover(x, y, e);
		if (!drag.moved && Math.abs(x - drag.x) + Math.abs(y - drag.y) < 4) return;
		drag.moved = true;
		forgetHover();
		if (drag.measures) return measure(drag.time, snapped(Math.max(GUTTER, x), y), lanesBetween(drag.y, y));
		box.classList.add("dragging");
		const by = ((drag.x - x) * (drag.to - drag.from)) / laneWidth();
		setView(drag.from + by, drag.to + by);
		box.scrollTop += drag.lastY - y;
		drag.lastY = y;
	});
	canvas.addEventListener("pointerup", e => {
		const [x, y] = at(e);
		if (drag && !drag.moved) selectAt(x, y);
		else if (drag && drag.measures) measureEnds();
		drag = null;
		box.classList.remove("dragging");
	});
	canvas.addEventListener("pointerleave", () => {
		Timeline.pointer = null;
		forgetHover();
	});
	canvas.addEventListener("dblclick", () => zoomToSelected());
	box.addEventListener("scroll", () => {
		Timeline.scroll = box.scrollTop;
		forgetHover();
		redraw();
	});
	box.addEventListener(
		"wheel",
		e => {
			const [x] = at(e),
				dx = e.shiftKey ? e.deltaY || e.deltaX : e.deltaX;
			if (e.ctrlKey || e.metaKey)
				zoom(
					Math.exp(Math.max(-100, Math.min(100, e.deltaY)) / 250),
					timeOf(Math.max(GUTTER, x)),
				);
			else if (dx && Math.abs(dx) >= Math.abs(e.shiftKey ? 0 : e.deltaY))
				pan(dx / laneWidth());
			else return;
			e.preventDefault();
			forgetHover();
		},
		{ passive: false },
	);
}

function zoomToSelected() {
	const s = Timeline.selected,
		o = s && (s.item || s.object);
	if (!o) return;
	const margin = Math.max(200, (o.to - o.from) * 0.4);
	setView(o.from - margin, o.to + margin);
}

function listenOverview() {
	const canvas = $("overview");
	let from = null;
	const time = e => {
		const r = canvas.getBoundingClientRect();
		return (
			Math.max(0, Math.min(1, (e.clientX - r.left - GUTTER) / (r.width - GUTTER))) *
			Data.head.duration
		);
	};
	canvas.addEventListener("pointerdown", e => {
		from = time(e);
		canvas.setPointerCapture(e.pointerId);
	});
	canvas.addEventListener("pointermove", e => {
		const to = time(e);
		if (from !== null && Math.abs(to - from) > Data.head.duration * 0.003)
			setView(Math.min(from, to), Math.max(from, to));
	});
	canvas.addEventListener("pointerup", e => {
		const to = time(e),
			span = Timeline.to - Timeline.from;
		if (from !== null && Math.abs(to - from) <= Data.head.duration * 0.003)
			setView(to - span / 2, to + span / 2);
		from = null;
	});
}

/* --- tooltip --- */

/* @text: lines, as a text or a list; the first one of a list is a title. */
function showTip(text, e) {
	const tip = $("tip"),
		lines = typeof text === "string" ? text : text.slice(1).filter(Boolean).join("\n");
	tip.replaceChildren(...(typeof text === "string" ? [] : [el("strong", {}, text[0])]), lines);
	tip.hidden = false;
	const r = tip.getBoundingClientRect();
	tip.style.left = Math.max(4, Math.min(e.clientX + 14, innerWidth - r.width - 8)) + "px";
	tip.style.top =
		(e.clientY + 18 + r.height > innerHeight ? e.clientY - r.height - 10 : e.clientY + 18) + "px";
}

function hideTip() {
	$("tip").hidden = true;
}

/* --- what is under the pointer --- */

function forgetHover() {
	hovered = null;
	hideTip();
	drawOver();
}

const objectAt = (lane, time) =>
	[...lane.layers]
		.reverse()
		.flatMap(l => l[0])
		.find(o => o.from - nsPerPixel() * 2 <= time && time <= o.to + nsPerPixel() * 2);

function tipOfSeries(lane, time) {
	const p = lane.series.points.filter(q => q[0] <= time).pop(),
		bytes = Data.texts[lane.series.name].endsWith(":bytes");
	return p && [lane.short, bytes ? showBytes(p[2]) : showCount(p[2]), showExact(p[0])];
}

function tipOfGoroutine(g) {
	const life = Math.max(1, g.to - g.from);
	return [
		labelOf(goroutineLane(g)),
		"lives " + showTime(g.to - g.from) + (g.ended ? "" : ", until the end of the trace"),
		...[RUNNING, RUNNABLE, SYSCALL, WAITING, GAP].map(
			s => g.in[s] && STATE_NAMES[s] + " " + showTime(g.in[s]) + " (" + showPercent(g.in[s] / life) + ")",
		),
		g.labels,
	];
}

const tipOfItem = (lane, item) => [
	labelOf(lane),
	...describeItem(lane, item).split("\n"),
	"from " + showExact(item.from),
];

/* Adds who ended a wait to its tip. The stay after it has that; its block may have to be unpacked first. */
async function addWaker(hover, tip, e) {
	const { lane, item } = hover,
		next = await exactAt(lane.plane, lane.track, item.to);
	if (hovered !== hover || !next || next.from !== item.to || next.state !== RUNNABLE || !next.z) return;
	const g = Data.goroutine(next.z - 1, next.from);
	showTip([...tip, "ended by G" + (next.z - 1) + (g ? " " + g.name : "")], e);
}

function itemUnder(lane, time) {
	return lane.kind !== "track" || lane.track < 0
		? null
		: itemAt(lane.plane, lane.track, time, nsPerPixel() * 1.5, levelOf(nsPerPixel()));
}

function tipAt(lane, time, x, item) {
	if (x < GUTTER) return lane.g ? tipOfGoroutine(lane.g) : [labelOf(lane), lane.note];
	if (lane.kind === "series") return tipOfSeries(lane, time);
	if (lane.kind === "path") return stepAt(lane, time) && tipOfStep(stepAt(lane, time));
	if (lane.kind !== "objects") return item && tipOfItem(lane, item);
	const o = objectAt(lane, time);
	return o && describeObject(o).split("\n");
}

function hover(x, y, e) {
	const lane = laneAt(y),
		time = timeOf(x),
		item = lane && x >= GUTTER ? itemUnder(lane, time) : null,
		tip = lane && lane.kind !== "head" ? tipAt(lane, time, x, item) : null;
	hovered = lane && lane.kind !== "head" ? { lane, item, g: goroutineUnder(lane, item) } : null;
	if (tip) showTip(tip, e);
	else hideTip();
	if (item && lane.plane === PLANE_G && item.state === WAITING) addWaker(hovered, tip, e);
	drawOver();
}

/* The id of the goroutine that is under the pointer, in its lane or in that of a P or thread. */
function goroutineUnder(lane, item) {
	if (lane.g) return lane.g.id;
	return item && item.state !== RUN ? item.x : -1;
}

/* --- the canvas over the lanes --- */

function overContext() {
	const canvas = $("lanes-over"),
		below = $("lanes-canvas");
	if (canvas.width !== below.width || canvas.height !== below.height) {
		canvas.width = below.width;
		canvas.height = below.height;
		canvas.style.width = below.style.width;
		canvas.style.height = below.style.height;
	}
	const ctx = canvas.getContext("2d");
	ctx.setTransform(scale, 0, 0, scale, 0, 0);
	ctx.clearRect(0, 0, canvas.width, canvas.height);
	return ctx;
}

/* A text with a background in the ruler, around @x. */
function drawFlag(ctx, text, x, color) {
	ctx.font = "11px ui-sans-serif, system-ui, sans-serif";
	ctx.textBaseline = "middle";
	const w = ctx.measureText(text).width + 10,
		left = Math.max(GUTTER, Math.min(x - w / 2, GUTTER + laneWidth() - w));
	ctx.fillStyle = color;
	ctx.fillRect(left, 2, w, RULER - 5);
	ctx.fillStyle = Colors.panel;
	ctx.fillText(text, left + 5, RULER / 2);
}

/* Marks the lanes of the goroutine under the pointer, and the stay. */
function drawHovered(ctx, scroll) {
	const { lane, item, g } = hovered;
	for (const l of lanesIn(scroll, scroll + $("lanes").clientHeight - RULER)) {
		const same = l.kind === "track" && (l.g ? l.g.id === g : l.plane === lane.plane && l.track === lane.track);
		if (!same) continue;
		ctx.fillStyle = Colors.accent;
		ctx.fillRect(0, l.y - scroll + RULER, 3, l.height);
	}
	if (!item) return;
	const x0 = Math.max(GUTTER, xOf(item.from)),
		x1 = Math.min(GUTTER + laneWidth(), xOf(item.to));
	ctx.strokeStyle = Colors.accent;
	ctx.lineWidth = 1.5;
	if (x1 > GUTTER) ctx.strokeRect(x0, lane.y - scroll + RULER + 1, Math.max(2, x1 - x0), LANE - 2);
}

function drawOver() {
	if (!Data.head || $("view-timeline").hidden) return;
	const ctx = overContext(),
		p = Timeline.pointer,
		scroll = $("lanes").scrollTop;
	if (measured) drawMeasured(ctx, scroll);
	if (hovered) drawHovered(ctx, scroll);
	if (!p || p.x < GUTTER) return;
	ctx.fillStyle = Colors.accent;
	ctx.fillRect(Math.round(p.x), RULER, 1, $("lanes").clientHeight);
	drawFlag(ctx, showExact(Math.max(0, timeOf(p.x))), p.x, Colors.accent);
}
