/* charts: P heat map, counters over time, distributions. */

function prepare(canvas, height) {
	const width = canvas.clientWidth || canvas.parentElement.clientWidth - 28,
		ratio = Math.min(2, window.devicePixelRatio || 1);
	canvas.style.height = height + "px";
	canvas.width = Math.round(width * ratio);
	canvas.height = Math.round(height * ratio);
	const ctx = canvas.getContext("2d");
	ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
	ctx.clearRect(0, 0, width, height);
	ctx.font = "11px ui-sans-serif, system-ui, sans-serif";
	ctx.textBaseline = "middle";
	return [ctx, width, height];
}

function card(title, text, height, draw, attrs = {}) {
	const canvas = el("canvas", {
		role: "img",
		"aria-label": title + (text ? ": " + text : ""),
		style: "height:" + height + "px",
		...attrs,
	});
	const box = el("div", { class: "card" }, el("h3", {}, title), el("p", {}, text), canvas);
	canvas.redraw = () => draw(...prepare(canvas, height), canvas);
	return box;
}

const redrawCharts = root => root.querySelectorAll("canvas").forEach(c => c.redraw && c.redraw());

/* --- over time --- */

const AXIS = 58;

function timeAxis(ctx, width, height, whole) {
	const step = [1, 2, 5, 10]
		.map(k => k * Math.pow(10, Math.floor(Math.log10(whole / 6))))
		.find(s => s >= whole / 8);
	ctx.fillStyle = Colors.quiet;
	for (let t = 0; t <= whole; t += step)
		if (AXIS + (t / whole) * (width - AXIS) + 40 < width)
			ctx.fillText(
				tickText(t, Math.max(step, 1e6)).replace(/\.0+ s$/, " s"),
				AXIS + (t / whole) * (width - AXIS),
				height - 7,
			);
}

/* A click shows its time in the timeline. @of returns the text for a place. */
function overTime(canvas, of) {
	const time = e => {
		const r = canvas.getBoundingClientRect();
		return (
			Math.max(0, Math.min(1, (e.clientX - r.left - AXIS) / (r.width - AXIS))) *
			Data.head.duration
		);
	};
	canvas.addEventListener("click", e => {
		const t = time(e),
			span = Math.max(Data.head.duration / 60, 1000);
		setView(t - span / 2, t + span / 2);
		showView("timeline");
	});
	canvas.addEventListener("pointermove", e => {
		const r = canvas.getBoundingClientRect(),
			text = of(time(e), e.clientY - r.top);
		text ? showTip(text, e) : hideTip();
	});
	canvas.addEventListener("pointerleave", hideTip);
}

function heatColor(percent) {
	const h = Colors.running.slice(1),
		p = Colors.lane.slice(1),
		t = Math.pow(percent / 100, 0.7);
	const mix = i =>
		Math.round(parseInt(p.slice(i, i + 2), 16) * (1 - t) + parseInt(h.slice(i, i + 2), 16) * t);
	return "rgb(" + mix(0) + "," + mix(2) + "," + mix(4) + ")";
}

function heatCard() {
	const head = Data.head,
		n = head.heat_buckets,
		procs = head.p_ids.length,
		row = Math.max(4, Math.min(20, 260 / Math.max(1, procs)));
	const height = Math.max(20, procs * row) + 18,
		at = (p, i) => Math.min(100, head.heat[p * n + i] + head.heat[(procs + p) * n + i]);
	const box = card(
		"Ps in use",
		"Part of the time in which each P ran a goroutine, or held one in a system call.",
		height,
		(ctx, width) => {
			const step = (width - AXIS) / n;
			for (let p = 0; p < procs; p++)
				for (let i = 0; i < n; i++) {
					ctx.fillStyle = heatColor(at(p, i));
					ctx.fillRect(
						AXIS + i * step,
						p * row,
						step + 0.6,
						row > 6 ? row - 1 : row,
					);
				}
			ctx.fillStyle = Colors.quiet;
			for (let p = 0; p < procs; p += Math.ceil(12 / row))
				ctx.fillText("P" + head.p_ids[p], 4, p * row + row / 2);
			timeAxis(ctx, width, height, head.duration);
		},
	);
	overTime(box.querySelector("canvas"), (t, y) => {
		const p = Math.floor(y / row),
			i = Math.min(n - 1, Math.floor((t / (head.duration + 1)) * n));
		return p < procs
			? "P" +
					head.p_ids[p] +
					", " +
					showTime(t) +
					"\nrunning " +
					head.heat[p * n + i] +
					" %, system calls " +
					head.heat[(procs + p) * n + i] +
					" %"
			: "";
	});
	box.classList.add("wide");
	return box;
}

const SERIES_COLORS = ["accent", "gc", "runnable"];

/* Draws counters in one picture: for each the area between its lowest and its highest values. */
function seriesCard(title, text, list, show) {
	const high = Math.max(1, ...list.map(s => s.points.reduce((m, p) => Math.max(m, p[2]), 0))),
		height = 130;
	const box = card(title, text, height, (ctx, width) => {
		const x = t => AXIS + (t / Data.head.duration) * (width - AXIS),
			y = v => height - 18 - (v / high) * (height - 30);
		ctx.fillStyle = Colors.line;
		for (const v of [0, high / 2, high]) {
			ctx.fillRect(AXIS, Math.round(y(v)), width - AXIS, 1);
			ctx.fillStyle = Colors.quiet;
			ctx.fillText(show(v), 0, Math.max(7, y(v)));
			ctx.fillStyle = Colors.line;
		}
		list.forEach((s, k) => {
			ctx.strokeStyle = ctx.fillStyle = Colors[SERIES_COLORS[k]];
			ctx.lineWidth = 1.5;
			ctx.beginPath();
			let last = null;
			for (const p of s.points) {
				if (last !== null) ctx.lineTo(x(p[0]), y(last));
				last === null ? ctx.moveTo(x(p[0]), y(p[1])) : ctx.lineTo(x(p[0]), y(p[1]));
				ctx.lineTo(x(p[0]), y(p[2]));
				ctx.lineTo(x(p[0]), y(p[3]));
				last = p[3];
			}
			if (last !== null) ctx.lineTo(x(Data.head.duration), y(last));
			ctx.stroke();
			const label = seriesLabel(s);
			ctx.fillText(label, AXIS + 8 + k * 130, 7);
		});
		timeAxis(ctx, width, height, Data.head.duration);
	});
	overTime(box.querySelector("canvas"), t =>
		list
			.map(s => {
				const p = s.points.filter(q => q[0] <= t).pop();
				return p
					? seriesLabel(s) +
							": " +
							show(p[1]) +
							(p[1] === p[2] ? "" : " to " + show(p[2]))
					: "";
			})
			.filter(Boolean)
			.join("\n"),
	);
	return box;
}

function showOverview() {
	const series = name => Data.head.series.filter(s => Data.texts[s.name] === name && s.points.length);
	const cards = el("div", { class: "cards" });
	if (Data.head.p_ids.length) cards.append(heatCard());
	const heap = [...series("/memory/classes/heap/objects:bytes"), ...series("/gc/heap/goal:bytes")];
	if (heap.length)
		cards.append(
			seriesCard(
				"Heap",
				"Bytes in use, and the size at which the next GC cycle begins.",
				heap,
				showBytes,
			),
		);
	if (series("goroutines").length)
		cards.append(
			seriesCard("Goroutines", "That live.", series("goroutines"), v =>
				showCount(Math.round(v)),
			),
		);
	if (series("runnable goroutines").length)
		cards.append(
			seriesCard(
				"Waiting for a P",
				"Goroutines that can run and have no P.",
				series("runnable goroutines"),
				v => showCount(Math.round(v)),
			),
		);
	cards.append(latencyCard());
	$("overview-charts").replaceChildren(cards);
}

/* --- distributions --- */

/*
 * Bucket i begins at 2^(i/2) ns for an even i; an odd bucket begins at 1.5 times the begin of the
 * bucket before. See histogram_bucket() in user/html/collect_more.c.
 */
const bucketFrom = i => Math.pow(2, i >> 1) * (i & 1 ? 1.5 : 1);

/* Returns the histogram of a state, summed over @functions: counts by bucket. */
function histogramOf(functions, state) {
	const counts = new Array(90).fill(0);
	let n = 0,
		ns = 0,
		longest = 0,
		at = 0,
		g = 0;
	for (const f of functions) {
		const [count, sum, max, maxAt, maxG, [first, ...list]] = f.states[state - 1];
		n += count;
		ns += sum;
		if (max > longest) [longest, at, g] = [max, maxAt, maxG];
		list.forEach((c, i) => {
			counts[first + i] += c;
		});
	}
	return { counts, n, ns, longest, at, g };
}

function histogramCard(title, h, color) {
	const first = Math.max(0, h.counts.findIndex(c => c) - 1),
		last = Math.min(89, h.counts.findLastIndex(c => c) + 2),
		height = 150;
	const most = Math.max(1, ...h.counts),
		text = showCount(h.n) + " times, " + showTime(h.ns) + " in all";
	const box = card(title, text, height, (ctx, width) => {
		const step = (width - AXIS) / Math.max(1, last - first),
			y = c => (c ? Math.max(2, (c / most) * (height - 32)) : 0);
		ctx.fillStyle = Colors.line;
		ctx.fillRect(AXIS, height - 18, width - AXIS, 1);
		for (let i = first; i < last; i++) {
			ctx.fillStyle = Colors[color];
			ctx.fillRect(
				AXIS + (i - first) * step + 0.5,
				height - 18 - y(h.counts[i]),
				Math.max(1, step - 1),
				y(h.counts[i]),
			);
			ctx.fillStyle = Colors.quiet;
			const every = Math.max(2, Math.ceil(56 / step / 2) * 2);
			if (i % every === 0)
				ctx.fillText(
					showTime(bucketFrom(i), 2),
					AXIS + (i - first) * step,
					height - 7,
				);
		}
		ctx.fillStyle = Colors.quiet;
		ctx.fillText(showCount(most), 0, 14);
	});
	const canvas = box.querySelector("canvas");
	canvas.style.cursor = "default";
	canvas.addEventListener("pointermove", e => {
		const r = canvas.getBoundingClientRect(),
			i =
				first +
				Math.floor(((e.clientX - r.left - AXIS) / (r.width - AXIS)) * (last - first));
		h.counts[i]
			? showTip(
					showTime(bucketFrom(i)) +
						" to " +
						showTime(bucketFrom(i + 1)) +
						"\n" +
						showCount(h.counts[i]) +
						" times (" +
						showPercent(h.counts[i] / h.n) +
						")",
					e,
				)
			: hideTip();
	});
	canvas.addEventListener("pointerleave", hideTip);
	if (h.longest)
		box.append(
			el(
				"p",
				{},
				"Longest: ",
				el(
					"button",
					{
						class: "link",
						onclick: () => goToTime(h.at, h.at + h.longest, [h.g]),
					},
					showTime(h.longest) + " of G" + h.g,
				),
			),
		);
	return box;
}

const userFunctions = () => Data.head.functions.filter(f => !isSystem(f.name));

function latencyCard() {
	return histogramCard("Scheduling latency", histogramOf(userFunctions(), RUNNABLE), "runnable");
}

const DISTRIBUTIONS = [
	[RUNNABLE, "Scheduling latency: from runnable to running", "runnable"],
	[RUNNING, "Running without a break", "running"],
	[SYSCALL, "System calls", "syscall"],
	[WAITING, "Waiting", "sync"],
];

/* @number: of the function to choose; without it the choice is as it was. */
function showDistributions(number) {
	const choice = $("chart-function"),
		functions = userFunctions().filter(f => f.goroutines || f.states.some(s => s[0]));
	functions.sort(
		(a, b) =>
			b.states.reduce((s, x, i) => s + (i === 3 ? 0 : x[1]), 0) -
			a.states.reduce((s, x, i) => s + (i === 3 ? 0 : x[1]), 0),
	);
	if (!choice.options.length) {
		choice.append(
			el("option", { value: -1 }, "All functions, without the runtime’s own goroutines"),
		);
		Data.head.functions.forEach((f, i) => {
			f.number = i;
		});
		for (const f of functions.slice(0, 500))
			choice.append(
				el(
					"option",
					{ value: f.number },
					(Data.texts[f.name] || "(no stack seen)") +
						"  (" +
						showCount(f.goroutines) +
						")",
				),
			);
		choice.addEventListener("change", () => showDistributions());
	}
	if (number !== undefined) choice.value = number;
	if (choice.selectedIndex < 0) choice.value = -1;
	const chosen = Number(choice.value) >= 0 ? [Data.head.functions[Number(choice.value)]] : functions;
	const page = $("chart-page");
	page.replaceChildren(
		el(
			"div",
			{ class: "cards" },
			...DISTRIBUTIONS.map(([state, title, color]) =>
				histogramCard(title, histogramOf(chosen, state), color),
			),
		),
		el(
			"p",
			{ class: "quiet" },
			"Buckets are half a power of two wide. Goroutines are put together by the function that they began with.",
		),
	);
	redrawCharts(page);
}
