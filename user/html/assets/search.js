/*
 * search: one field for all that has a name in the trace: goroutines, units, findings, tasks, regions, functions on stacks,
 * reasons to wait, log messages, and times.
 */

const FOUND_MOST = 7;

/* rows: what the list shows, { title, text, open, hits }; at: the marked one; hits, hit: occurrences to step through. */
const Search = { rows: [], at: 0, hits: [], hit: -1, functions: null };

const includes = (text, query) => text.toLowerCase().includes(query);

/* --- what is found, by kind: lists of { text, more, open, hits } --- */

const TIMES = { s: 1e9, ms: 1e6, us: 1e3, µs: 1e3, ns: 1 };

function findTimes(query) {
	const [, number, unit] = /^(\d+(?:\.\d*)?) ?(s|ms|us|µs|ns)$/.exec(query) || [],
		at = Number(number) * TIMES[unit];
	if (!unit || at > Data.head.duration) return [];
	const span = Math.max(1000, Data.head.duration / 200);
	return [{ text: showExact(at), more: "since the first event", open: () => goToTime(at - span / 2, at + span / 2) }];
}

function findGoroutines(query) {
	const list = Data.goroutines.filter(g => matches(g, query)),
		exact = list.filter(g => String(g.id) === query || "g" + g.id === query),
		rows = [...exact, ...list.filter(g => !exact.includes(g)).slice(0, FOUND_MOST)].map(g => ({
			text: labelOf(goroutineLane(g)),
			more: "running " + showTime(g.in[RUNNING]) + ", waiting " + showTime(g.in[WAITING]) + (g.labels ? ", " + g.labels : ""),
			open: () => goToTime(g.from, g.to, [g.id], g),
		}));
	if (list.length > 1)
		rows.unshift({
			text: "Lanes of all " + showCount(list.length),
			more: "as the filter of the timeline",
			open: () => {
				$("timeline-filter").value = query;
				$("timeline-filter").dispatchEvent(new Event("input"));
				showView("timeline");
				$("lanes").scrollTop = Math.max(0, Timeline.fixedHeight - HEAD);
			},
		});
	return { rows, all: list.length };
}

const goToObject = async o => {
	await goToTime(o.from, o.to, o.g >= 0 && o.g < 1e19 ? [o.g] : []);
	select({ object: o, g: Data.goroutine(o.g, o.from) });
};

/* Rows for objects that have names: one for each name, with all its occurrences. */
function rowsOfObjects(items, query) {
	const names = new Map();
	for (const o of items)
		if (includes(o.name, query)) {
			if (!names.has(o.name)) names.set(o.name, []);
			names.get(o.name).push(o);
		}
	return [...names].map(([name, list]) => {
		const longest = list.reduce((best, o) => (o.to - o.from > best.to - best.from ? o : best));
		return {
			text: name,
			more: showCount(list.length) + " in the page, the longest " + showTime(longest.to - longest.from),
			hits: list,
			first: list.indexOf(longest),
		};
	});
}

const findUnits = query => rowsOfObjects(Units.list.flatMap(u => u.items), query);
const findTasks = query => rowsOfObjects(Data.objects[OBJECT_TASK].items, query);
const findRegions = query => rowsOfObjects(Data.objects[OBJECT_REGION].items, query);

const findFindings = query =>
	((Data.report && Data.report.findings) || [])
		.filter(f => includes([f.text, f.kind, f.function, f.file].join(" "), query))
		.map(f => ({ text: f.text, more: f.kind + ", " + showPercent(f.share || 0), open: () => goToFinding(f) }));

const findNotes = query => {
	const list = Data.head.notes.filter(n => includes(n.text, query));
	return list.map((n, i) => ({ text: n.text, more: showExact(n.time), hits: list.map(noteHit), first: i }));
};

const noteHit = n => ({ from: n.time - 1e6, to: n.time + 1e6, g: n.g ?? -1, note: true });

/* Of each function on a stack, and each reason to wait, the time or count in each kind of flame graph. */
function flameSums() {
	const sums = new Map(),
		of = (name, place) => {
			if (!sums.has(name)) sums.set(name, { name, place, kinds: FLAMES.map(() => 0) });
			return sums.get(name).kinds;
		};
	for (const f of Data.flames) {
		const value = f.kind >= 4 ? f.n : f.ns,
			names = new Map((Data.stacks[f.stack] || []).map(i => [Data.frames[i].func, Data.frames[i]]));
		for (const [name, frame] of names) of(name, frame.file.split("/").pop())[f.kind] += value;
		if (f.reason) of("[" + f.reason + "]", "reason to wait")[f.kind] += value;
	}
	return [...sums.values()];
}

function findFunctions(query) {
	if (!Search.functions) Search.functions = flameSums();
	return Search.functions
		.filter(f => includes(f.name + " " + f.place, query))
		.map(f => {
			/* Times come before counts, which are of other things. */
			const time = f.kinds.slice(0, 4).reduce((best, v, i) => (v > f.kinds[best] ? i : best), 0),
				kind = f.kinds[time] ? time : f.kinds[4] ? 4 : 5;
			return {
				text: f.name,
				more: [f.place, FLAMES[kind][0].toLowerCase() + " " + (kind < 4 ? showTime(f.kinds[kind]) : showCount(f.kinds[kind]))].join(", "),
				weight: kind < 4 ? f.kinds[kind] : f.kinds[kind] / 1e9,
				open: () => {
					showView("flames");
					chooseFlame(kind);
					$("flame-filter").value = f.name;
					$("flame-filter").dispatchEvent(new Event("input"));
				},
			};
		})
		.sort((a, b) => b.weight - a.weight);
}

const SEARCHED = [
	["Time", findTimes],
	["Units of work", findUnits],
	["Findings", findFindings],
	["Goroutines", findGoroutines],
	["Tasks", findTasks],
	["Regions", findRegions],
	["Functions on stacks, reasons", findFunctions],
	["Log", findNotes],
];

/* --- the list --- */

function openRow(row) {
	closeSearch();
	Search.hits = row.hits || [];
	Search.hit = row.first ?? -1;
	if (row.open) row.open();
	else goToHit();
	saveView();
}

function goToHit() {
	const hit = Search.hits[Search.hit];
	if (hit.note) goToTime(hit.from, hit.to, hit.g >= 0 ? [hit.g] : []);
	else if (hit.path >= 0) goToPath(hit.unit.paths[hit.path]);
	else goToObject(hit);
	$("search-count").textContent = showCount(Search.hit + 1) + " of " + showCount(Search.hits.length);
}

/* The next (1) or the previous (-1) occurrence of what was found last. */
function stepHit(by) {
	if (!Search.hits.length) return;
	Search.hit = (Search.hit + by + Search.hits.length) % Search.hits.length;
	goToHit();
}

function closeSearch() {
	$("search-list").hidden = true;
	$("search").setAttribute("aria-expanded", "false");
	$("search").blur();
}

function rowElement(row, i) {
	return el(
		"div",
		{
			class: "found",
			role: "option",
			id: "found-" + i,
			"aria-selected": String(i === Search.at),
			onpointerdown: e => e.preventDefault(),
			onclick: () => openRow(row),
		},
		el("span", {}, row.text),
		el("small", {}, row.more),
	);
}

function markRow(i) {
	const rows = document.querySelectorAll("#search-list .found");
	if (!rows.length) return;
	Search.at = (i + rows.length) % rows.length;
	rows.forEach((e, k) => e.setAttribute("aria-selected", String(k === Search.at)));
	rows[Search.at].scrollIntoView({ block: "nearest" });
	$("search").setAttribute("aria-activedescendant", "found-" + Search.at);
}

function runSearch() {
	const query = $("search").value.trim().toLowerCase(),
		parts = [];
	Search.rows = [];
	Search.at = 0;
	$("search-count").textContent = "";
	for (const [title, find] of query ? SEARCHED : []) {
		const found = find(query),
			list = found.rows || found,
			rows = list.slice(0, FOUND_MOST + 1),
			all = found.all ?? list.length;
		if (!rows.length) continue;
		parts.push(el("h4", { role: "presentation" }, title, el("small", {}, all > rows.length ? " " + showCount(all) : "")));
		for (const row of rows) {
			parts.push(rowElement(row, Search.rows.length));
			Search.rows.push(row);
		}
	}
	if (query && !parts.length) parts.push(el("p", { class: "quiet" }, "Nothing in this page has that in its name."));
	$("search-list").replaceChildren(...parts);
	$("search-list").hidden = !query;
	$("search").setAttribute("aria-expanded", String(Boolean(query)));
}

function listenSearch() {
	const field = $("search");
	field.addEventListener("input", runSearch);
	field.addEventListener("focus", () => field.value && runSearch());
	field.addEventListener("blur", () => {
		$("search-list").hidden = true;
	});
	field.addEventListener("keydown", e => {
		if (e.key === "ArrowDown" || e.key === "ArrowUp") markRow(Search.at + (e.key === "ArrowDown" ? 1 : -1));
		else if (e.key === "Enter" && Search.rows[Search.at]) openRow(Search.rows[Search.at]);
		else return;
		e.preventDefault();
	});
}
