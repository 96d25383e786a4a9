/*
 * flame: flame graphs of the stacks: where goroutines wait, who ends the waits, and further ones.
 */

const FLAMES = [
	[
		"Waiting",
		"Time in which goroutines waited, by reason and by where they waited. Without goroutines of the runtime.",
		"sync",
	],
	[
		"Wakers",
		"The same waits, on the stack of who ended them. Waits that no goroutine ended (network, timers) have no stack.",
		"task",
	],
	["Runnable", "Time in which goroutines could run and had no P, by where they go on.", "runnable"],
	["System calls", "Time in system calls, by caller.", "syscall"],
	["CPU samples", "Samples of the CPU profiler in the trace, by count.", "running"],
	["Created", "Goroutines that were created, by where.", "gc"],
];
const FLAME_ROW = 19;
const Flame = { kind: 0, root: null, focus: null, reverse: false, filter: "", boxes: [] };

function flameTree(kind, reverse) {
	const counted = kind >= 4,
		root = { name: "all", value: 0, n: 0, children: new Map() };
	for (const f of Data.flames) {
		if (f.kind !== kind) continue;
		const frames = (Data.stacks[f.stack] || []).map(i => Data.frames[i]),
			path = reverse ? frames : [...frames].reverse();
		const names = [
			...(f.reason ? [{ func: "[" + f.reason + "]", file: "" }] : []),
			...(path.length ? path : [{ func: "(no stack)", file: "" }]),
		];
		const value = counted ? f.n : f.ns;
		let node = root;
		root.value += value;
		root.n += f.n;
		for (const frame of names) {
			let child = node.children.get(frame.func);
			if (!child) {
				child = {
					name: frame.func,
					frame,
					value: 0,
					n: 0,
					parent: node,
					children: new Map(),
				};
				node.children.set(frame.func, child);
			}
			child.value += value;
			child.n += f.n;
			node = child;
		}
	}
	return root;
}

const flameValue = v => (Flame.kind >= 4 ? showCount(v) : showTime(v));

function flameShade(name) {
	let h = 0;
	for (let i = 0; i < name.length && name[i] !== "("; i++) h = (h * 31 + name.charCodeAt(i)) | 0;
	return (Math.abs(h) % 100) / 100;
}

function layFlame(width) {
	const top = Flame.focus || Flame.root,
		boxes = [],
		path = [];
	for (let n = top; n; n = n.parent) path.unshift(n);
	path.slice(0, -1).forEach((n, i) => boxes.push({ node: n, x: 0, w: width, depth: i, faded: true }));
	const stack = [[top, 0, width, path.length - 1]];
	while (stack.length) {
		const [node, x, w, depth] = stack.pop();
		boxes.push({ node, x, w, depth });
		let at = x;
		for (const child of sortedChildren(node)) {
			const cw = node.value ? (child.value / node.value) * w : 0;
			if (cw < 0.4) break;
			stack.push([child, at, cw, depth + 1]);
			at += cw;
		}
	}
	return boxes;
}

function drawFlame() {
	const canvas = $("flame"),
		width = canvas.clientWidth || canvas.parentElement.clientWidth - 40;
	if (!Flame.root || $("view-flames").hidden) return;
	Flame.boxes = layFlame(width);
	const depth = Flame.boxes.reduce((m, b) => Math.max(m, b.depth), 0),
		[ctx] = prepare(canvas, (depth + 1) * FLAME_ROW + 4);
	const filter = Flame.filter.toLowerCase(),
		base = Colors[FLAMES[Flame.kind][2]];
	let marked = 0;
	for (const b of Flame.boxes) {
		const hit = filter && b.node.name.toLowerCase().includes(filter);
		if (hit && !hasMarkedParent(b.node, filter)) marked += b.node.value;
		ctx.globalAlpha = b.faded
			? 0.35
			: filter && !hit
				? 0.25
				: b.node.parent
					? 0.55 + 0.45 * flameShade(b.node.name)
					: 0.3;
		ctx.fillStyle = hit ? Colors.gc : base;
		ctx.fillRect(b.x, b.depth * FLAME_ROW, Math.max(0.5, b.w - 0.6), FLAME_ROW - 1);
		ctx.globalAlpha = 1;
		ctx.fillStyle = Colors.ink;
		if (b.w > 34)
			ctx.fillText(
				/* a reason is known by its begin */
				b.node.name.startsWith("[") ? clipText(ctx, b.node.name, b.w - 8) : fitName(ctx, b.node.name, b.w - 8),
				b.x + 4,
				b.depth * FLAME_ROW + FLAME_ROW / 2,
			);
	}
	$("flame-count").textContent = Flame.root.n
		? flameValue(Flame.root.value) +
			" in all" +
			(filter ? ", marked " + showPercent(marked / Flame.root.value) : "")
		: "";
	$("flame-reset").disabled = !Flame.focus;
}

function hasMarkedParent(node, filter) {
	for (let n = node.parent; n; n = n.parent) if (n.name.toLowerCase().includes(filter)) return true;
	return false;
}

function chooseFlame(kind) {
	Flame.kind = kind;
	Flame.focus = null;
	Flame.root = flameTree(kind, Flame.reverse);
	$("flame-about").textContent = Flame.root.n
		? FLAMES[kind][1]
		: kind === 4
			? "There are no samples: they are in a trace if a CPU profile ran at the same time, or with gotap record --samples."
			: "There is nothing of that in the trace.";
	for (const b of $("flame-kinds").children)
		b.setAttribute("aria-checked", String(Number(b.dataset.kind) === kind));
	drawFlame();
}

function setUpFlames() {
	FLAMES.forEach(([name], kind) =>
		$("flame-kinds").append(
			el(
				"button",
				{ role: "radio", "data-kind": kind, onclick: () => chooseFlame(kind) },
				name,
			),
		),
	);
	const canvas = $("flame"),
		boxAt = e => {
			const r = canvas.getBoundingClientRect(),
				x = e.clientX - r.left,
				depth = Math.floor((e.clientY - r.top) / FLAME_ROW);
			return Flame.boxes.find(
				b => b.depth === depth && b.x <= x && x < b.x + Math.max(1, b.w),
			);
		};
	canvas.addEventListener("pointermove", e => {
		const b = boxAt(e);
		if (!b) return hideTip();
		const f = b.node.frame;
		showTip(
			b.node.name +
				(f && f.file ? "\n" + f.file + ":" + f.line : "") +
				"\n" +
				flameValue(b.node.value) +
				", " +
				showPercent(b.node.value / Math.max(1, Flame.root.value)) +
				(Flame.kind < 4 ? ", " + showCount(b.node.n) + " times" : ""),
			e,
		);
	});
	canvas.addEventListener("pointerleave", hideTip);
	canvas.addEventListener("click", e => {
		const b = boxAt(e);
		if (b) {
			Flame.focus = b.node.parent ? b.node : null;
			drawFlame();
		}
	});
	$("flame-filter").addEventListener("input", e => {
		Flame.filter = e.target.value;
		drawFlame();
	});
	$("flame-reverse").addEventListener("change", e => {
		Flame.reverse = e.target.checked;
		chooseFlame(Flame.kind);
	});
	$("flame-reset").addEventListener("click", () => {
		Flame.focus = null;
		drawFlame();
	});
}
