/* details: the panel beside the timeline: one stay or object as text. */

function sharesText(shares, plane) {
	const names =
		plane === PLANE_G
			? ["running", "runnable", "in system calls", "waiting"]
			: ["running", "", "in system calls", ""];
	return names
		.map((name, i) => [name, (shares >> (4 * i)) & 15])
		.filter(([name, share]) => name && share)
		.map(([name, share]) => "about " + Math.round((share / 15) * 100) + " % " + name)
		.join(", ");
}

function stateText(lane, item) {
	if (item.state === RUN) return showCount(item.x) + " stays, too short for this zoom";
	if (lane.plane !== PLANE_G)
		return (
			(item.state === SYSCALL ? "System call of " : "Running ") +
			"G" +
			item.x +
			" " +
			Data.texts[item.y]
		);
	const reason = item.state === RUNNABLE || item.state === WAITING ? Data.texts[item.x] : "";
	const name = STATE_NAMES[item.state];
	return (
		name[0].toUpperCase() +
		name.slice(1) +
		(reason ? ": " + reason : "") +
		((item.state === RUNNING || item.state === SYSCALL) && item.x ? " on P" + (item.x - 1) : "")
	);
}

function topOfStack(number) {
	const stack = Data.stacks[number];
	if (!stack || !stack.length) return "";
	const frame =
		stack
			.map(i => Data.frames[i])
			.find(f => !/^(runtime|internal|sync|syscall)[./]/.test(f.func)) ||
		Data.frames[stack[0]];
	return frame.func + (frame.file ? " (" + frame.file.split("/").pop() + ":" + frame.line + ")" : "");
}

function describeItem(lane, item) {
	const lines = [stateText(lane, item), showTime(item.to - item.from)];
	if (item.state === RUN) lines.push(sharesText(item.y, lane.plane));
	else if (lane.plane === PLANE_G && item.y && item.state !== RUNNING) lines.push(topOfStack(item.y));
	if (lane.plane === PLANE_G && item.state === RUNNABLE && item.z)
		lines.push("woken up by G" + (item.z - 1));
	return lines.filter(Boolean).join("\n");
}

function describeObject(o) {
	const name = o.kind === OBJECT_UNIT ? o.name : [OBJECT_REGION, OBJECT_TASK].includes(o.kind)
		? OBJECT_NAMES[o.kind] + " " + o.name
		: o.name || OBJECT_NAMES[o.kind];
	return [
		name + (o.reason ? " (" + o.reason + ")" : ""),
		showTime(o.to - o.from) +
			(o.openBegin ? ", began before the trace" : "") +
			(o.openEnd ? ", goes on at its end" : ""),
		o.g >= 0 && o.g < 1e19 ? "G" + o.g : "",
	]
		.filter(Boolean)
		.join("\n");
}

function stackList(number) {
	const stack = Data.stacks[number] || [];
	return el(
		"ol",
		{ class: "stack" },
		...stack.map(i => {
			const f = Data.frames[i];
			return el("li", {}, f.func, el("small", {}, f.file + (f.line ? ":" + f.line : "")));
		}),
	);
}

function goroutineLink(id, time) {
	const g = Data.goroutine(id, time);
	if (!g) return el("span", {}, "G" + id + " (not in this page)");
	return el(
		"button",
		{ class: "link", onclick: () => selectGoroutine(g, time) },
		"G" + g.id + " " + g.name,
	);
}

function facts(rows) {
	return el(
		"dl",
		{},
		...rows.filter(Boolean).flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]),
	);
}

/*
 * Shows who ended a wait. The stay after the wait has this information; its block may have to be
 * unpacked first.
 */
function endOfWait(s) {
	const box = el("div");
	exactAt(s.plane, s.track, s.item.to).then(next => {
		if (next && next.from === s.item.to && next.state === RUNNABLE && next.z)
			box.append(
				el("h4", {}, "Ended by"),
				goroutineLink(next.z - 1, next.from - 1),
				stackList(next.w),
			);
		else if (next && next.from === s.item.to && next.state === RUNNABLE)
			box.append(
				el("h4", {}, "Ended by"),
				el(
					"p",
					{ class: "quiet" },
					"no goroutine: the network, a timer, or the runtime",
				),
			);
	});
	return box;
}

/*
 * Shows for a stay on a thread how long the thread was not on a CPU, why, and which task had the
 * CPU. Unpacks all blocks of that time.
 */
function offTheCpu(s) {
	const box = el("div", { id: "off-cpu" });
	offIn(s.plane, s.track, s.item.from, s.item.to).then(off => {
		const whole = Math.max(1, s.item.to - s.item.from);
		if (!off.ns && !off.unknown) return;
		const share = ns => showTime(ns) + "  (" + showPercent(ns / whole) + ")";
		box.append(
			el("h4", {}, off.ns ? "Its thread was not on a CPU" : "Was its thread on a CPU?"),
			facts([
				off.ns && ["In all", share(off.ns)],
				...off.why.slice(0, 8).map(([text, ns]) => [text, showTime(ns)]),
				off.unknown && [Data.head.off_names[OFF_UNKNOWN], share(off.unknown)],
			]),
		);
		if (off.merged) box.append(el("p", { class: "quiet" }, "About: the page has this time merged."));
	});
	return box;
}

function itemDetails(s, parts) {
	const item = s.item,
		lane = { plane: s.plane };
	parts.push(el("h3", {}, stateText(lane, item)));
	parts.push(
		facts([
			["Length", showTime(item.to - item.from, 5)],
			["From", showExact(item.from)],
			["To", showExact(item.to)],
			item.state === RUN && ["States", sharesText(item.y, s.plane)],
			s.plane !== PLANE_G &&
				item.state !== RUN && ["Goroutine", goroutineLink(item.x, item.from + 1)],
			s.plane === PLANE_P &&
				item.state === RUNNING &&
				item.z && ["Thread", "M" + Data.head.m_ids[item.z - 1]],
			s.plane === PLANE_M && item.state !== RUN && item.z && ["P", "P" + (item.z - 1)],
			s.wake && ["Woken by", goroutineLink(s.wake.g, s.wake.time - 1)],
		]),
	);
	parts.push(
		el(
			"div",
			{ class: "row" },
			el("button", { onclick: () => selectBeside(-1), title: "[" }, "‹ before"),
			el("button", { onclick: () => selectBeside(1), title: "]" }, "after ›"),
			el("button", { onclick: zoomToSelected, title: "z" }, "Zoom to it"),
		),
	);
	if (item.state === RUN)
		parts.push(
			el(
				"p",
				{ class: "quiet" },
				item.level > 0 &&
					Data.head[FINEST[s.plane]][s.track] >=
						item.level
					? "Zoom in: they are shown one by one where the page has them (see ?)."
					: "Zoom in to see them one by one.",
			),
		);
	if (Data.head.off_cpu && (item.state === RUNNING || item.state === SYSCALL)) parts.push(offTheCpu(s));
	if (s.plane === PLANE_G && item.state !== RUN && item.state !== RUNNING && item.y)
		parts.push(el("h4", {}, item.state === RUNNABLE ? "Goes on at" : "At"), stackList(item.y));
	if (s.plane === PLANE_G && item.state === WAITING) parts.push(endOfWait(s));
	if (s.wake && item.w) parts.push(el("h4", {}, "Woken up from"), stackList(item.w));
}

function goroutineDetails(g, parts) {
	const life = Math.max(1, g.to - g.from);
	const share = state =>
		g.in[state]
			? [stateLabel(state), showTime(g.in[state]) + "  (" + showPercent(g.in[state] / life) + ")"]
			: null;
	parts.push(el("h4", {}, "Goroutine"), el("h3", {}, "G" + g.id + " " + (g.name || "(no stack seen)")));
	parts.push(
		facts([
			["Known", showExact(g.from) + " – " + showExact(g.to)],
			["End", g.ended ? "it ended" : "it lives at the end of the trace"],
			g.labels && ["Labels", g.labels],
			g.created && g.creator >= 0 && ["Created by", goroutineLink(g.creator, g.from - 1)],
			...[RUNNING, RUNNABLE, SYSCALL, WAITING, GAP].map(share),
			g.longest[RUNNABLE] && [
				"Longest runnable",
				el(
					"button",
					{ class: "link", onclick: () => goToStay(g, RUNNABLE) },
					showTime(g.longest[RUNNABLE]),
				),
			],
			g.longest[WAITING] && [
				"Longest wait",
				el(
					"button",
					{ class: "link", onclick: () => goToStay(g, WAITING) },
					showTime(g.longest[WAITING]),
				),
			],
			g.longest[SYSCALL] && [
				"Longest system call",
				el(
					"button",
					{ class: "link", onclick: () => goToStay(g, SYSCALL) },
					showTime(g.longest[SYSCALL]),
				),
			],
			["Stays", showCount(g.spans)],
		]),
	);
	if (g.track < 0)
		parts.push(
			el(
				"p",
				{ class: "quiet" },
				"The page has no lane of it: others matter more (see ?).",
			),
		);
	if (g.createdAt) parts.push(el("h4", {}, "Created at"), stackList(g.createdAt));
}

function goToStay(g, state) {
	const from = g.longestAt[state],
		ns = g.longest[state];
	setView(from - ns * 0.5, from + ns * 1.5);
	selectGoroutine(g, from + ns / 2);
}

function showDetails(s) {
	const panel = $("details"),
		parts = measuredDetails();
	if (!s) {
		panel.replaceChildren(
			...parts,
			el(
				"p",
				{ class: "quiet" },
				"Click on a lane: what it is, where in the code, and who woke it up. Shift and drag, or drag in the ruler, measures.",
			),
		);
		return;
	}
	if (s.object) {
		const o = s.object;
		parts.push(el("h3", {}, describeObject(o).split("\n")[0]));
		parts.push(
			facts([
				["Length", showTime(o.to - o.from, 5)],
				["From", showExact(o.from) + (o.openBegin ? " (or before)" : "")],
				["To", showExact(o.to) + (o.openEnd ? " (or later)" : "")],
				o.task > 0 && ["Task", String(o.task)],
				o.g >= 0 && o.g < 1e19 && ["Goroutine", goroutineLink(o.g, o.from + 1)],
			]),
		);
		parts.push(
			el("div", { class: "row" }, el("button", { onclick: zoomToSelected }, "Zoom to it")),
		);
		if (o.stack) parts.push(el("h4", {}, "Began at"), stackList(o.stack));
		if (o.kind === OBJECT_UNIT) unitDetails(o, parts);
	} else if (s.item) {
		itemDetails(s, parts);
	} else if (!s.g) {
		parts.push(el("h3", {}, s.label || ""), el("p", { class: "quiet" }, "Idle here."));
	}
	if (s.g) goroutineDetails(s.g, parts);
	panel.replaceChildren(...parts);
	panel.scrollTop = 0;
}
