/* main: views, findings, keys, the fragment of the address, and the start of the page. */

const VIEWS = {
	findings: () => redrawCharts($("view-findings")),
	timeline: redraw,
	goroutines: showGoroutines,
	tables: showTables,
	flames: () => (Flame.root ? drawFlame() : chooseFlame(Flame.kind)),
	charts: () => showDistributions(),
	requests: showRequests,
};
let currentView = "findings",
	started = false;

function showView(name) {
	currentView = name;
	for (const tab of document.querySelectorAll("#tabs [role=tab]")) {
		const chosen = tab.dataset.view === name;
		tab.setAttribute("aria-selected", String(chosen));
		tab.tabIndex = chosen ? 0 : -1;
		$("view-" + tab.dataset.view).hidden = !chosen;
	}
	hideTip();
	VIEWS[name]();
	saveView();
}

/*
 * Shows a time in the timeline, with these goroutines above the Ps. Resolves when the stay there is
 * selected.
 */
async function goToTime(from, to, ids = [], row = null) {
	const margin = Math.max((to - from) * 0.15, 500);
	const list = row ? [row] : ids.map(id => Data.goroutine(id, from)).filter(Boolean);
	setView(from - margin, to + margin);
	showView("timeline");
	pin(list);
	$("lanes").scrollTop = 0;
	if (list.length)
		await selectGoroutine(
			list[0],
			row ? undefined : Math.min(to, Math.max(from, (from + to) / 2)),
		);
	else select(null);
}

/* --- head and findings --- */

const some = (n, name) => showCount(n) + " " + name + (n === 1 ? "" : "s");

/* Which program the trace is of: texts that the program may have chosen. */
function showOrigin(origin) {
	const facts = Object.entries(origin);
	if (facts.length)
		$("origin").replaceChildren(
			el("h2", {}, "Recording"),
			...facts.map(([title, text]) => el("div", { class: "note" }, el("b", {}, title), " " + text)),
		);
}

function showHead() {
	const h = Data.head,
		name = h.file === "-" ? "standard input" : h.file.split("/").pop();
	$("title").textContent = name;
	$("title").title = h.file;
	document.title = name + " – gotap report";
	$("facts").textContent = [
		"Go 1." + h.version,
		showTime(h.duration, 4),
		some(h.events, "event"),
		some(h.goroutines, "goroutine"),
		some(h.procs, "P"),
		(h.threads >= 4000 ? "at least " : "") + some(h.threads, "thread"),
	].join("  ·  ");
	showOrigin(h.origin);
	const missing = [],
		gaps = h.gaps.reduce((s, [a, b]) => s + b - a, 0);
	if (h.damage) missing.push("The trace is damaged, this is what comes before: " + h.damage + ".");
	if (h.losses) missing.push(showCount(h.losses) + " records were lost.");
	if (h.gaps.length)
		missing.push(
			"Not recorded, or not whole: " +
				showTime(gaps) +
				" in " +
				h.gaps.length +
				(h.gaps.length === 1 ? " place" : " places") +
				", hatched in the timeline.",
		);
	if (h.texts_dropped) missing.push(showCount(h.texts_dropped) + " names had no room.");
	if (h.stacks_dropped) missing.push(showCount(h.stacks_dropped) + " times a stack had no room.");
	if (h.flames_dropped)
		missing.push("The flame graphs lack " + showCount(h.flames_dropped) + " stays.");
	$("missing").hidden = !missing.length;
	$("missing").textContent = missing.join(" ");
}

function finding(f) {
	const chips = (f.goroutines || []).slice(0, 6).map(id =>
		el(
			"button",
			{
				class: "chip",
				onclick: e => {
					e.stopPropagation();
					goToFinding(f, [id]);
				},
			},
			"G" + id,
		),
	);
	const more = (f.goroutines || []).length - chips.length,
		place = f.file ? f.file + (f.line ? ":" + f.line : "") : "";
	const card = el(
		"div",
		{
			class: "finding",
			role: "button",
			tabindex: "0",
			onclick: () => goToFinding(f),
			onkeydown: e => {
				if (e.key === "Enter") goToFinding(f);
			},
		},
		el(
			"div",
			{ class: "share" },
			showPercent(f.share || 0),
			el("small", {}, showTime((f.seconds || 0) * 1e9)),
			el(
				"div",
				{ class: "meter" },
				el("i", {
					style:
						"width:" +
						Math.min(100, (f.share || 0) * 100).toFixed(1) +
						"%",
				}),
			),
		),
		el(
			"div",
			{},
			el("div", { class: "text" }, f.text),
			el(
				"div",
				{ class: "where" },
				el("span", { class: "kind" }, f.kind),
				f.function ? el("code", {}, f.function) : null,
				place ? el("span", {}, place) : null,
				...chips,
				more > 0 ? el("span", {}, "and " + showCount(more) + " more") : null,
			),
		),
	);
	return card;
}

const goToFinding = (f, ids) =>
	goToTime(f.from_ns || 0, f.to_ns || Data.head.duration, ids || f.goroutines || []);

function showFindings() {
	const list = Data.report && Data.report.findings;
	const units = unitCards();
	$("unit-list").replaceChildren(...(units.length ? [el("h2", {}, "Units of work"), ...units, el("h2", {}, "Findings")] : []));
	$("finding-list").replaceChildren(
		...(list && list.length
			? [
					el(
						"p",
						{ class: "quiet", style: "margin-bottom:10px" },
						"The most costly first. The share is that of all time which goroutines lost. A click shows the place in the timeline.",
					),
					...list.map(finding),
				]
			: [
					el(
						"div",
						{ class: "good" },
						list
							? "None of the kinds of docs/findings.md."
							: "This page has no findings.",
					),
				]),
	);
	const notes = Data.head.notes.slice(0, 60);
	if (notes.length)
		$("notes").replaceChildren(
			el("h2", {}, "Log"),
			...notes.map(n =>
				el(
					"div",
					{ class: "note" },
					el(
						"button",
						{
							class: "link",
							onclick: () =>
								goToTime(
									n.time - 1e6,
									n.time + 1e6,
									n.g === undefined ? [] : [n.g],
								),
						},
						showExact(n.time),
					),
					(n.ours ? "gotap: " : "") + n.text,
				),
			),
			Data.head.notes_dropped + Data.head.notes.length > notes.length
				? el(
						"p",
						{ class: "quiet" },
						showCount(
							Data.head.notes_dropped +
								Data.head.notes.length -
								notes.length,
						) + " more",
					)
				: "",
		);
}

/* Returns a text about the details that had no room in the page. */
function detailText() {
	const h = Data.head,
		lacking = list => list.filter(l => l > 0).length,
		all = [],
		p = Math.max(0, ...h.p_finest),
		busy = lacking(h.g_finest);
	if (p)
		all.push(
			`Of Ps, stays of ${showTime(levelWidth(p))} and more are exact, shorter ones are merged into runs; ` +
				"in the times marked above the overview (findings, the longest stays, some evenly spread) they are exact, too.",
		);
	if (busy)
		all.push(
			`Of ${showCount(h.g_finest.length)} goroutines ${showCount(busy)} busy ones have shorter stays merged like the Ps; the others are exact.`,
		);
	if (Blocks.dropped)
		all.push(
			`${showCount(Blocks.dropped)} of ${showCount(Blocks.items)} stays and runs then still had no room: where they are, runs of a coarser level are shown.`,
		);
	if (h.g_finest.length < h.goroutines)
		all.push(
			`Of ${showCount(h.goroutines)} goroutines ${showCount(h.g_finest.length)} have lanes and ${showCount(h.rows)} ` +
				"are in the table: those that ran, could run, or did most.",
		);
	for (const [kind, list] of Data.objects.entries())
		if (list.dropped)
			all.push(
				`Of ${OBJECT_NAMES[kind]} the longest ${showCount(list.items.length)} are shown; ` +
					`${showCount(list.dropped)} of up to ${showTime(list.droppedLongest)} are not.`,
			);
	if (!all.length) return "All stays of all goroutines are in this page as they are.";
	return "The page has a limited size. " + all.join(" ");
}

/* --- keys --- */

const FILTERS = {
	timeline: "timeline-filter",
	goroutines: "goroutine-filter",
	tables: "table-filter",
	flames: "flame-filter",
	requests: "request-filter",
};

function onKey(e) {
	const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName) && e.target.type !== "checkbox";
	if (e.key === "Escape") {
		if (typing) {
			if (e.target.type === "search") {
				e.target.value = "";
				e.target.dispatchEvent(new Event("input"));
			}
			e.target.blur();
		} else if (measured) {
			forgetMeasure();
		} else if (Units.path) {
			choosePath(null);
		} else {
			select(null);
		}
		return;
	}
	if (typing || e.ctrlKey || e.metaKey || e.altKey || $("help").open) return;
	const view = Object.keys(VIEWS)[Number(e.key) - 1],
		action = view && !$("tab-" + view).hidden
			? () => showView(view)
			: KEYS[e.key] || (currentView === "timeline" && TIMELINE_KEYS[e.key]);
	if (!action) return;
	e.preventDefault();
	action();
}

const KEYS = {
	"/": () => {
		const id = FILTERS[currentView];
		if (id) $(id).focus();
	},
	f: () => $("search").select(),
	n: () => stepHit(1),
	N: () => stepHit(-1),
	"?": () => $("help").showModal(),
};

const TIMELINE_KEYS = {
	w: () => zoom(1 / 1.35),
	s: () => zoom(1.35),
	"+": () => zoom(1 / 1.35),
	"-": () => zoom(1.35),
	a: () => pan(-0.18),
	d: () => pan(0.18),
	ArrowLeft: () => pan(-0.1),
	ArrowRight: () => pan(0.1),
	ArrowUp: () => {
		$("lanes").scrollTop -= LANE * 3;
	},
	ArrowDown: () => {
		$("lanes").scrollTop += LANE * 3;
	},
	0: () => setView(0, Data.head.duration),
	z: zoomToSelected,
	"[": () => selectBeside(-1),
	"]": () => selectBeside(1),
	u: selectWaker,
	m: () => setMeasures(!measures),
};

/* --- begin --- */

function setUpTimeline() {
	$("timeline-filter").addEventListener("input", e => {
		Timeline.filter = e.target.value;
		chooseGoroutines();
	});
	$("timeline-sort").addEventListener("change", e => {
		Timeline.sort = e.target.value;
		chooseGoroutines();
	});
	$("only-alive").addEventListener("change", e => {
		Timeline.alive = e.target.checked;
		chooseGoroutines();
	});
	$("show-threads").addEventListener("change", e => {
		Timeline.threads = e.target.checked;
		buildLanes();
	});
	$("show-arrows").addEventListener("change", e => {
		Timeline.arrows = e.target.checked;
		redraw();
	});
	$("measure").addEventListener("click", () => setMeasures(!measures));
	$("zoom-in").addEventListener("click", () => zoom(1 / 1.6));
	$("zoom-out").addEventListener("click", () => zoom(1.6));
	$("zoom-all").addEventListener("click", () => setView(0, Data.head.duration));
	for (const [color, name] of LEGEND.filter(row => Data.head.off_cpu || !row[1].startsWith("hatched")))
		$("legend").append(
			el("span", {}, el("i", { style: "background:var(--" + color + ")" }), name),
		);
	listenLanes();
	listenOverview();
	Timeline.onselect = s => {
		showDetails(s);
		saveView();
	};
	Timeline.onview = () => {
		showSpan();
		saveView();
	};
	Blocks.onload = redraw;
	chooseGoroutines();
	showDetails(null);
}

function showSpan() {
	$("view-span").textContent = showTime(Timeline.to - Timeline.from);
}

function restyle() {
	readColors();
	redrawCharts(document);
	drawFlame();
	redraw();
}

/*
 * Called when the browser has read the page to its end. The blocks follow the script: all are
 * available now.
 */
function whenRead() {
	Blocks.ready = true;
	Blocks.isReady();
	performance.mark("gotap-read");
	redraw();
}

async function begin() {
	performance.mark("gotap-begin");
	readColors();
	for (const tab of document.querySelectorAll("#tabs [role=tab]"))
		tab.addEventListener("click", () => showView(tab.dataset.view));
	$("help-button").addEventListener("click", () => $("help").showModal());
	document.addEventListener("keydown", onKey);
	await readData();
	performance.mark("gotap-data");
	showHead();
	$("tab-requests").hidden = !requestsOfTrace();
	showFindings();
	showOverview();
	performance.mark("gotap-overview");
	setUpFlames();
	setUpTimeline();
	$("help-detail").textContent = detailText();
	performance.mark("gotap-lanes");
	loadView();
	showSpan();
	started = true;
	listenState();
	listenSearch();
	new ResizeObserver(() => {
		VIEWS[currentView]();
	}).observe(document.querySelector("main"));
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", restyle);
	performance.mark("gotap-shown");
	document.documentElement.dataset.ready = "1";
	if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", whenRead);
	else whenRead();
}

begin().catch(error => {
	$("missing").hidden = false;
	$("missing").textContent =
		"The page cannot be shown by this browser: " +
		error.message +
		". It needs Chromium 80, Firefox 113, Safari 16.4 or later.";
	throw error;
});
