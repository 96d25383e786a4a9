/* tables: a table that sorts and filters. Only the rows in view are elements of the page. */

const LINE = 26;

/*
 * columns: { name, get(row) -> number or text, show(value), text: left aligned, width, bar: with a
 * bar }. Rows are in their original order until the user chooses a column.
 */
class Grid {
	constructor(root, columns, rows, options = {}) {
		Object.assign(this, {
			root,
			columns,
			all: rows,
			rows,
			options,
			sort: options.sort ?? -1,
			down: options.down ?? true,
			filter: "",
		});
		this.head = el("div", { class: "head", role: "row" });
		this.body = el("div", { style: "position:relative", role: "rowgroup" });
		this.box = el("div", { class: "grid", role: "table", tabindex: "0" }, this.head, this.body);
		root.replaceChildren(this.box);
		this.template = columns.map(c => (c.width || 110) + "px").join(" ");
		this.head.style.gridTemplateColumns = this.template;
		this.box.addEventListener("scroll", () => this.draw());
		for (const c of columns)
			if (c.bar) c.most = rows.reduce((m, r) => Math.max(m, Number(c.get(r)) || 0), 0);
		this.drawHead();
		this.update();
	}
	drawHead() {
		this.head.replaceChildren(
			...this.columns.map((c, i) =>
				el(
					"button",
					{
						class: c.text ? "text" : "",
						role: "columnheader",
						title: c.title || c.name,
						onclick: () => this.sortBy(i),
						"aria-sort":
							this.sort === i
								? this.down
									? "descending"
									: "ascending"
								: undefined,
					},
					c.name + (this.sort === i ? (this.down ? " ↓" : " ↑") : ""),
				),
			),
		);
	}
	sortBy(i) {
		this.down = this.sort === i ? !this.down : !this.columns[i].text;
		this.sort = i;
		this.drawHead();
		this.update();
	}
	sortAs(i, down) {
		this.sort = i ?? -1;
		this.down = down;
		this.drawHead();
		this.update();
	}
	setFilter(text) {
		this.filter = text.trim().toLowerCase();
		this.box.scrollTop = 0;
		this.update();
	}
	matches(row) {
		if (this.options.matches) return this.options.matches(row, this.filter);
		return this.columns.some(
			c => c.text && String(c.get(row)).toLowerCase().includes(this.filter),
		);
	}
	update() {
		this.rows = this.filter ? this.all.filter(r => this.matches(r)) : [...this.all];
		const c = this.columns[this.sort],
			way = this.down ? -1 : 1;
		if (c)
			this.rows.sort((a, b) => {
				const x = c.get(a),
					y = c.get(b);
				return x < y ? -way : x > y ? way : 0;
			});
		this.body.style.height = this.rows.length * LINE + "px";
		if (this.options.oncount) this.options.oncount(this.rows.length, this.all.length);
		this.draw();
	}
	draw() {
		const first = Math.max(0, Math.floor(this.box.scrollTop / LINE) - 8);
		const last = Math.min(
			this.rows.length,
			first + Math.ceil((this.box.clientHeight || 600) / LINE) + 18,
		);
		const lines = [];
		for (let i = first; i < last; i++) lines.push(this.line(this.rows[i], i));
		this.body.replaceChildren(...lines);
	}
	line(row, i) {
		const open = this.options.open && this.options.open(row);
		return el(
			"div",
			{
				class: "line" + (open ? " click" : ""),
				role: "row",
				style: "top:" + i * LINE + "px;grid-template-columns:" + this.template,
				onclick: open || (() => {}),
			},
			...this.columns.map(c => {
				const v = c.get(row),
					text = c.show ? c.show(v, row) : String(v ?? "");
				const share =
					c.bar && c.most
						? ";--share:" + ((v / c.most) * 100).toFixed(1) + "%"
						: "";
				return el(
					"div",
					{
						class:
							"cell" +
							(c.text ? " text" : "") +
							(c.isName ? " name" : "") +
							(c.bar ? " amount" : "") +
							(v === 0 ? " zero" : ""),
						role: "cell",
						title: c.text ? text : undefined,
						style: share || undefined,
					},
					c.isName ? el("bdi", {}, text) : text,
				);
			}),
		);
	}
}

/* --- goroutines --- */

let goroutineGrid = null;

function showGoroutines() {
	if (goroutineGrid) return goroutineGrid.draw();
	const time = (name, get, title) => ({
		name,
		get,
		show: v => (v ? showTime(v) : "–"),
		width: 104,
		bar: true,
		title,
	});
	const columns = [
		{ name: "Id", get: g => g.id, show: v => "G" + v, width: 90, text: true },
		{
			name: "Function",
			get: g => g.name,
			show: v => v || "(no stack seen)",
			width: 340,
			text: true,
			isName: true,
		},
		time("Life", g => g.to - g.from),
		time("Running", g => g.in[RUNNING]),
		time("Runnable", g => g.in[RUNNABLE]),
		time("System calls", g => g.in[SYSCALL]),
		time("Waiting", g => g.in[WAITING]),
		time("Max runnable", g => g.longest[RUNNABLE], "Longest time in which it waited for a P"),
		time("Max wait", g => g.longest[WAITING]),
		{ name: "Stays", get: g => g.spans, show: showCount, width: 84 },
		{ name: "First seen", get: g => g.from, show: v => showTime(v, 5), width: 110 },
		{ name: "End", get: g => (g.ended ? "ended" : "lives"), width: 70, text: true },
		{ name: "Labels", get: g => g.labels, width: 220, text: true },
	];
	const grid = new Grid($("goroutine-table"), columns, Data.goroutines, {
		matches,
		open: g => () => goToTime(g.from, g.to, [g.id], g),
		oncount: (n, all) => {
			$("goroutine-count").textContent =
				showCount(n) +
				" of " +
				showCount(all) +
				(all < Data.head.goroutines
					? "; the trace has " +
						showCount(Data.head.goroutines) +
						", these did most"
					: "");
		},
	});
	goroutineGrid = grid;
	grid.setFilter($("goroutine-filter").value);
	$("goroutine-filter").addEventListener("input", e => grid.setFilter(e.target.value));
}

/* --- tables of the report: its JSON, docs/report.md --- */

const COL = {
	text: (name, get, width) => ({ name, get, width, text: true }),
	/* A name that is cut at its begin where it has no room. */
	name: (name, get, width) => ({ name, get, width, text: true, isName: true }),
	time: (name, get, bar) => ({
		name,
		get: r => get(r) || 0,
		show: v => (v ? showTime(v) : "–"),
		width: 98,
		bar,
	}),
	count: (name, get) => ({
		name,
		get: r => get(r) || 0,
		show: v => (v ? showCount(v) : "–"),
		width: 92,
	}),
};
const placeOf = r => (r.file ? r.file.split("/").pop() + (r.line ? ":" + r.line : "") : "");
const functionName = r =>
	r.others ? "(others)" : r.function || (Data.report.label ? "(no label)" : "(no stack seen)");

const distColumns = get => [
	COL.count("Count", r => get(r).count),
	COL.time("Sum", r => get(r).sum_ns, true),
	COL.time("p50", r => get(r).p50_ns),
	COL.time("p90", r => get(r).p90_ns),
	COL.time("p99", r => get(r).p99_ns),
	COL.time("Max", r => get(r).max_ns, true),
];

const maxLink = d =>
	d && d.count
		? () =>
				goToTime(
					d.max_at_ns,
					d.max_at_ns + d.max_ns,
					d.max_goroutine === undefined ? [] : [d.max_goroutine],
				)
		: null;

const noDist = {};
const STAYS = {
	running: "running",
	runnable: "runnable",
	syscall: "system call with a P",
	syscall_blocked: "system call without a P",
	syscall_whole: "system calls, whole",
	gc_assist: "GC assist",
	gc_sweep: "GC sweep",
};
const waitName = reason => "waiting: " + (reason || "(reason not known)");

/*
 * Returns the kinds of stays of a function, or of anything with the same fields: [name,
 * distribution].
 */
function staysOf(row) {
	return [
		...Object.entries(STAYS)
			.filter(([key]) => row[key])
			.map(([key, name]) => [name, row[key]]),
		...Object.entries(row.waiting || {}).map(([reason, d]) => [waitName(reason), d]),
	];
}

/*
 * Time on a P and waiting for a P, to sort by. The factor puts the runtime's own goroutines last.
 */
const busyOf = r =>
	(((r.running || noDist).sum_ns || 0) + ((r.runnable || noDist).sum_ns || 0)) * (r.system ? 1e-9 : 1);
const waitingOf = row => Object.values(row.waiting || {}).reduce((sum, d) => sum + (d.sum_ns ?? d), 0);

/*
 * Returns the times by state of the threads in Linux. Only a trace with a file of threads has them:
 * docs/threads.md.
 */
const splitOf = (row, kind) => (row.linux && row.linux[kind]) || {};

/* Returns a column for each state that any row has. */
const splitColumns = (rows, kind) =>
	Object.entries(Data.head.thread_states)
		.filter(([state]) => rows.some(r => splitOf(r, kind)[state]))
		.map(([state, name]) => COL.time(name, r => (splitOf(r, kind)[state] || noDist).sum_ns, true));

const splitStays = row =>
	Object.entries({ running: "running", syscall_whole: "system calls, whole" }).flatMap(([kind, name]) =>
		Object.entries(Data.head.thread_states)
			.filter(([state]) => splitOf(row, kind)[state])
			.map(([state, text]) => [name + ": its thread " + text, splitOf(row, kind)[state]]),
	);

function functionTable(report) {
	return {
		name: report.label ? "Time by label " + report.label : "Time by function",
		rows: [...report.goroutines].sort((a, b) => busyOf(b) - busyOf(a)),
		about: "All goroutines that began with a function. A click goes to the longest wait for a P.",
		open: r => maxLink(r.runnable) || maxLink(r.life),
		columns: [
			COL.name("Function", functionName, 330),
			COL.text("Place", placeOf, 150),
			COL.count("Goroutines", r => r.goroutines),
			COL.count("Ended", r => r.ended),
			COL.time("Life p50", r => r.life.p50_ns),
			...[
				["Running", "running"],
				["Runnable", "runnable"],
			].flatMap(([name, key]) => [
				COL.time(name, r => (r[key] || noDist).sum_ns, true),
				COL.time("p50", r => (r[key] || noDist).p50_ns),
				COL.time("p99", r => (r[key] || noDist).p99_ns),
				COL.time("max", r => (r[key] || noDist).max_ns),
			]),
			...splitColumns(report.goroutines, "running").map(c => ({ ...c, title: "Running, and its thread: " + c.name })),
			COL.time(
				"System calls",
				r =>
					((r.syscall || noDist).sum_ns || 0) +
					((r.syscall_blocked || noDist).sum_ns || 0),
				true,
			),
			COL.time("Waiting", waitingOf, true),
			COL.time("GC assist", r => (r.gc_assist || noDist).sum_ns, true),
		],
	};
}

function stayTable(report) {
	return {
		name: "Stays by function",
		rows: report.goroutines
			.flatMap(r => [...staysOf(r), ...splitStays(r)].map(([kind, dist]) => ({ r, kind, dist })))
			.sort((a, b) => b.dist.sum_ns - a.dist.sum_ns),
		about: "Every state and reason to wait. A click goes to the longest one.",
		open: row => maxLink(row.dist),
		columns: [
			COL.name("Function", row => functionName(row.r), 330),
			COL.text("State", row => row.kind, 260),
			...distColumns(row => row.dist),
		],
	};
}

function longestTable(report) {
	const rows = [],
		add = (kind, list) => {
			for (const m of list || []) rows.push({ ...m, kind });
		};
	for (const [key, value] of Object.entries(report.longest || {}))
		if (key === "waiting")
			Object.entries(value).forEach(([reason, list]) => add(waitName(reason), list));
		else add(STAYS[key] || key.replace("_", " "), value);
	return {
		name: "Longest",
		rows,
		about: "The longest of everything, of goroutines that are not the runtime’s. A click goes there.",
		open: m => () =>
			goToTime(m.at_ns, m.at_ns + m.ns, m.goroutine === undefined ? [] : [m.goroutine]),
		columns: [
			COL.text("What", m => m.kind + (m.name ? " " + m.name : ""), 260),
			COL.time("Length", m => m.ns, true),
			{
				name: "Goroutine",
				get: m => m.goroutine ?? -1,
				show: v => (v < 0 ? "–" : "G" + v),
				width: 96,
			},
			COL.name("Began with", m => m.began_with, 260),
			COL.name("At", m => m.function || "", 260),
			COL.text("Place", placeOf, 150),
			{ name: "Time", get: m => m.at_ns, show: v => showTime(v, 6), width: 110 },
			COL.text("", m => (m.open ? "open" : ""), 60),
		],
	};
}

function typeTable(name, rows) {
	const sum = (r, key) => (r.sums_ns || noDist)[key];
	return {
		name,
		rows,
		about: "By type, with what the goroutine did in that time. A click goes to the longest one.",
		open: r => maxLink(r.whole),
		columns: [
			COL.text("Type", r => (r.others ? "(others)" : r.type || "(type not known)"), 260),
			COL.text("Place", placeOf, 150),
			...distColumns(r => r.whole),
			COL.count("Open", r => r.open),
			COL.time("Running", r => sum(r, "running"), true),
			COL.time("Runnable", r => sum(r, "runnable"), true),
			COL.time(
				"System calls",
				r => (sum(r, "syscall") || 0) + (sum(r, "syscall_blocked") || 0),
				true,
			),
			COL.time("Waiting", r => waitingOf(r.sums_ns || {}), true),
			COL.time("GC assist", r => sum(r, "gc_assist"), true),
		],
	};
}

function gcTable(report) {
	const rows = [
		["GC cycles", report.gc.cycles],
		["GC mark assists", report.gc.assist],
		["Sweeps for allocations", report.gc.sweep],
		...Object.entries(report.stops).map(([reason, d]) => [
			"World stopped: " + (reason || "(reason not known)"),
			d,
		]),
	].map(([name, dist]) => ({ name, dist }));
	return {
		name: "GC and stopped world",
		rows: rows.filter(r => r.dist && r.dist.count),
		about: "A click goes to the longest one.",
		open: r => maxLink(r.dist),
		columns: [COL.text("What", r => r.name, 300), ...distColumns(r => r.dist)],
	};
}

function mutatorTable(report) {
	const rows = [],
		names = {
			stw_assist: "stopped world and assists",
			stw_assist_background: "the same and background workers",
		};
	for (const [key, curve] of Object.entries(report.traces[0].mutator || {}))
		for (const w of curve.windows) rows.push({ ...w, key: names[key] || key, mean: curve.mean });
	return {
		name: "Mutator utilisation",
		rows,
		about: "Of all windows of a length, the one in which the program had the smallest part of its Ps. A click goes there.",
		open: w => () => goToTime(w.at_ns, w.at_ns + w.window_ns),
		columns: [
			COL.text("The GC takes", w => w.key, 280),
			COL.time("Window", w => w.window_ns),
			{ name: "Least", get: w => w.utilisation, show: showPercent, width: 98 },
			{ name: "Mean", get: w => w.mean, show: showPercent, width: 98 },
			{ name: "At", get: w => w.at_ns, show: v => showTime(v, 6), width: 110 },
			COL.text("", w => (w.whole_trace ? "the trace is shorter" : ""), 160),
		],
	};
}

function reportTables() {
	const report = Data.report;
	if (!report || !report.goroutines) return [];
	return [
		functionTable(report),
		stayTable(report),
		longestTable(report),
		typeTable("Regions", report.regions || []),
		typeTable("Tasks", report.tasks || []),
		gcTable(report),
		mutatorTable(report),
	].filter(t => t.rows.length);
}

const Tables = { list: null, grid: null, index: 0 };

function chooseTable(i) {
	$("table-choice").value = i;
	showTable(i);
}

function showTable(i) {
	const table = Tables.list[i];
	Tables.index = i;
	if (!table)
		return $("report-table").replaceChildren(
			el("p", { class: "empty" }, "This page has no tables."),
		);
	$("table-about").textContent = table.about;
	Tables.grid = new Grid($("report-table"), table.columns, table.rows, {
		open: table.open,
		oncount: (n, all) => {
			$("table-count").textContent = showCount(n) + " of " + showCount(all) + " rows";
		},
	});
	Tables.grid.setFilter($("table-filter").value);
}

function showTables() {
	if (Tables.list) return Tables.grid && Tables.grid.draw();
	Tables.list = reportTables();
	Tables.list.forEach((t, i) =>
		$("table-choice").append(
			el("option", { value: i }, t.name + "  (" + showCount(t.rows.length) + ")"),
		),
	);
	$("table-choice").addEventListener("change", e => showTable(Number(e.target.value)));
	$("table-filter").addEventListener(
		"input",
		e => Tables.grid && Tables.grid.setFilter(e.target.value),
	);
	showTable(0);
}
