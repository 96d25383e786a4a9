# SPDX-License-Identifier: Apache-2.0
#
# Requests by gotap serve: those of some seconds, as text and JSON, and in /metrics by route and result.

load lib/common
load lib/serve

# starts_to_serve [COUNT]: tests/prog/requests.go, which begins with SIGUSR1, and ends with another one.
starts_to_serve() {
	# Go 1.22 and later set the pattern of a route only so; a program of GOPATH mode has the old ServeMux by default.
	export GODEBUG=httpmuxgo121=0
	build_prog 1.27 requests
	start_target "$PROG" "${1:-30}" -2 long
}

# served_of PATH: how many requests of that path the program has counted in its outermost handler.
served_of() { grep -F " \"$1\" " "$TARGET_OUT" | awk '{ n += $NF } END { print n + 0 }'; }

# count_of ROUTE RESULT [FILE]: the count of that histogram in a scrape.
count_of() {
	awk -v a="route=\"$1\"" -v b="result=\"$2\"" 'index($0, "gotap_request_seconds_count{") == 1 && index($0, a) && index($0, b) { n += $NF }
		END { print n + 0 }' "${3:-scrape}"
}

scrapes() { ask /metrics -f -o scrape && [ "$(count_of "$1" "$2")" -ge "$3" ]; }

is_watched() { ask /metrics -f | grep -q "^gotap_requests_open{pid=\"$TARGET\""; }

@test "the requests of some seconds, as text and as JSON, also if there are none" {
	cd "$BATS_TEST_TMPDIR"
	starts_to_serve 100000
	on_socket
	ask "/debug/requests.json?pid=$TARGET&seconds=0.2" -f -o none
	jq -e '.routes == [] and .open == 0' none
	kill -USR1 "$TARGET"
	ask "/debug/requests?pid=$TARGET&seconds=0.5" -f -D head -o text
	grep -qi '^content-type: text/plain; charset=utf-8' head
	! grep -qi '^content-disposition' head || fail "a file"
	grep -q ' GET /children$' text
	grep -q '^COMPOSITION OF THEIR TIME$' text
	ask "/debug/requests.json?pid=$TARGET&seconds=0.5" -f -D head -o json
	grep -qi '^content-type: application/json' head
	jq -e '.seconds >= 0.5 and (.routes | map(.name) | contains(["GET /late", "GET /stream"])) and .slowest[0].task > 0' json
	jq -e '.routes[] | select(.name == "GET /children") | .causes[0].text | test("asleep at main.children.func1")' json
	refused 400 '"pid" or "name" is needed' '/debug/requests?seconds=1'
	ask "/debug/pprof/?pid=$TARGET" -f | grep -q '/debug/requests?pid='
	wait_for 20 no_recordings
}

@test "/metrics has each request of a watched program once, by route and result, in valid forms" {
	cd "$BATS_TEST_TMPDIR"
	starts_to_serve
	on_socket --watch "$TARGET" --watch-budget none
	wait_for 60 is_watched
	kill -USR1 "$TARGET"
	wait_for 60 grep -q '^served h2 "/with space"' "$TARGET_OUT"
	wait_for 20 scrapes 'GET /long' 2xx 2
	[ "$(served_of /plain)" -eq 60 ]
	[ "$(count_of 'GET /plain' 2xx)" -eq 60 ]
	[ "$(count_of 'GET /late' 5xx)" -eq "$(served_of /late)" ]
	[ "$(count_of 'GET /children' 2xx)" -eq "$(served_of /children)" ]
	[ "$(count_of 'GET /status/' 4xx)" -eq "$(served_of /status/x)" ]
	[ "$(count_of 'GET /panic' panic)" -eq "$(served_of /panic)" ]
	[ "$(count_of 'GET /goexit' panic)" -eq "$(served_of /goexit)" ]
	[ "$(count_of 'GET net/http' 4xx)" -eq $(($(served_of /nosuch) + $(served_of '/with space'))) ]
	grep -q "^gotap_requests_open{pid=\"$TARGET\".* 0$" scrape
}

@test "/metrics: promtool and the parser of OpenMetrics take the histograms" {
	cd "$BATS_TEST_TMPDIR"
	require_package prometheus bookworm prometheus-bookworm
	local promtool=$PACKAGE_ROOT/usr/bin/promtool
	starts_to_serve 2000
	on_socket --watch "$TARGET" --watch-budget none
	wait_for 60 is_watched
	kill -USR1 "$TARGET"
	wait_for 60 scrapes 'GET /plain' 2xx 10
	run_logged "$promtool" check metrics <scrape
	[ "$status" -eq 0 ]
	[ -z "$output" ] || fail "promtool has advice"
	[ "$(count_of 'GET /late' 5xx)" -gt 0 ]
	[ "$(count_of 'GET /late' 2xx)" -eq 0 ]
	[ "$(count_of 'GET /panic' panic)" -gt 0 ]
	[ "$(count_of 'GET /status/' 4xx)" -gt 0 ]
	[ "$(count_of 'GET net/http' 4xx)" -gt 0 ]
	# the +Inf bucket is the count, and the sum is that of durations of 2 ms and more
	awk -v pid="pid=\"$TARGET\"" '
		/route="GET \/late"/ && /result="5xx"/ && /le="\+Inf"/ { inf = $NF }
		/^gotap_request_seconds_count.*route="GET \/late".*result="5xx"/ { count = $NF }
		/^gotap_request_seconds_sum.*route="GET \/late".*result="5xx"/ { sum = $NF }
		END { exit !(inf == count && count > 0 && sum / count > 0.002 && sum / count < 0.1) }' scrape
	require_package python3-prometheus-client trixie
	ask /metrics -f -H 'Accept: application/openmetrics-text' -o open
	succeeds env PYTHONPATH="$PACKAGE_ROOT/usr/lib/python3/dist-packages" python3 -c '
import sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse
families = {f.name: f for f in parse(open(sys.argv[1]).read())}
f = families["gotap_request_seconds"]
assert f.type == "histogram" and f.unit == "seconds", f
assert {s.labels["result"] for s in f.samples} >= {"2xx", "4xx", "5xx", "panic"}, f
assert families["gotap_requests_open"].type == "gauge"' open
}
