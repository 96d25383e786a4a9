/*
 * requests: the requests that the program served, by route, and the slowest ones: report.requests of docs/report.md. A trace
 * without requests has no such view.
 */

const Requests = { routes: null, slowest: null };

const requestsOfTrace = () => (Data.report && Data.report.requests && Data.report.requests[0]) || null;

/* The path of a request that the page has, as one of a unit of work; undefined: it has none. */
const pathOfRequest = (from, to) => Units.list.flatMap(u => u.paths).find(p => p.from === from && p.to === to);

/* Shows the critical path of a request, or, if the page does not have it, its goroutine. */
function goToRequest(from, ns, goroutine) {
	const path = pathOfRequest(from, from + ns);
	if (!path) return goToTime(from, from + ns, [goroutine]);
	choosePath(path);
	goToPath(path);
}

const routeColumns = () => [
	COL.name("Route", r => r.name, 330),
	COL.count("Count", r => r.count),
	COL.count("Failed", r => r.failed),
	{ name: "Per second", get: r => r.per_second, show: v => v.toPrecision(3), width: 92 },
	COL.time("Sum", r => r.sum_ns, true),
	COL.time("p50", r => r.p50_ns),
	COL.time("p90", r => r.p90_ns),
	COL.time("p99", r => r.p99_ns),
	COL.time("Max", r => r.max_ns, true),
	...["1xx", "2xx", "3xx", "4xx", "5xx"].map(s => COL.count(s, r => r.statuses[s])),
	COL.count("No return", r => r.panics),
];

const resultOf = q => (q.panic ? "no return" : q.grpc_code != null ? "code " + q.grpc_code : q.status ? String(q.status) : "–");

const slowestColumns = () => [
	{ name: "Request", get: q => q.request, show: String, width: 92 },
	COL.name("Route", q => q.name, 330),
	COL.time("Length", q => q.ns, true),
	COL.text("Result", resultOf, 92),
	{ name: "Begin", get: q => q.from_ns, show: v => showTime(v, 6), width: 110 },
	{ name: "Goroutine", get: q => q.goroutine, show: v => "G" + v, width: 96 },
	{ name: "In the page", get: q => (pathOfRequest(q.from_ns, q.from_ns + q.ns) ? "critical path" : ""), width: 110, text: true },
	COL.text("Path of the URL", q => q.path, 300),
];

function makeRequests(r) {
	$("request-about").textContent =
		some(r.routes.reduce((sum, route) => sum + route.count, 0), "request") +
		" ended" +
		(r.open ? ", " + showCount(r.open) + " had not ended" : "") +
		". A click on a route goes to its slowest request, with its critical path if that is in the page.";
	Requests.routes = new Grid($("route-table"), routeColumns(), r.routes, {
		open: route => () => goToRequest(route.max_at_ns, route.max_ns, route.max_goroutine),
		oncount: (n, all) => {
			$("request-count").textContent = showCount(n) + " of " + showCount(all) + " routes";
		},
	});
	Requests.slowest = new Grid($("slowest-table"), slowestColumns(), r.slowest, {
		open: q => () => goToRequest(q.from_ns, q.ns, q.goroutine),
	});
	const filter = () => [Requests.routes, Requests.slowest].forEach(grid => grid.setFilter($("request-filter").value));
	$("request-filter").addEventListener("input", filter);
	filter();
}

function showRequests() {
	const r = requestsOfTrace();
	if (!r) return;
	if (!Requests.routes) return makeRequests(r);
	Requests.routes.draw();
	Requests.slowest.draw();
}
