#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Requests while they are recorded: triggers. The name of a request is that of its end there, too.

load lib/common
load lib/record

setup() {
	require_root
	require_tool jq
	cd "$BATS_TEST_TMPDIR"
	mkdir snaps
	# Go 1.22 and later set the pattern of a route only so; a program of GOPATH mode has the old ServeMux by default.
	export GODEBUG=httpmuxgo121=0
}

teardown() { stop_targets; }

@test "a slow request makes a snapshot that has all of it, and names its route, result and task" {
	local request
	build_prog 1.27 requests
	"$GOTAP" record --json --budget none --flight 10s --cooldown 0 -o 'snaps/%n.trace' --on 'request:/long>1s' \
		--on 'request>1.1s' --on 'request:/plain>1h' --on 'request:/panic>1us' -- "$PROG" 3 100 long >served 2>report
	jq -s '[.[].trigger | {name, what, task, next}]' snaps/*.json
	# the two long ones, each once of a rule: open for the rule without a route, and ended for the other one
	[ "$(jq -r .trigger.name snaps/*.json | grep -c '^request:/long>1s$')" -eq 2 ]
	[ "$(jq -r .trigger.name snaps/*.json | grep -c '^request>1.1s$')" -eq 2 ]
	[ "$(jq -r .trigger.name snaps/*.json | grep -c '/plain')" -eq 0 ]
	jq -e -s '[.[].trigger | select(.name == "request:/long>1s") | .what] |
		all(test("^request [0-9]+, GET /long, took 1[.][0-9]+ s, status 200$"))' snaps/*.json
	jq -e -s '[.[].trigger | select(.name == "request>1.1s") | .what] |
		all(test("^request [0-9]+, GET net/http .route not known yet., is open for 1[.]1[0-9]* s$"))' snaps/*.json
	jq -e -s '[.[].trigger | select(.name == "request:/panic>1us") | .what] | length > 0 and
		all(test(", GET /panic, took .*, its handler did not return$"))' snaps/*.json
	jq -r 'select(.trigger.name == "request:/long>1s") | .trigger.next' snaps/*.json | head -n 1 >next
	request=$(sed 's/.* //' next)
	jq -e -s --argjson request "$request" 'any(.[]; .trigger.request == $request and .trigger.task > 4e18)' snaps/*.json
	cd snaps
	succeeds "$GOTAP" why "$(sed 's/^gotap why \(.*\) --request.*/\1/' ../next)" --request "$request"
	contains ", ended by goroutine"
	"$GOTAP" requests "$(sed 's/^gotap why \(.*\) --request.*/\1/' ../next)" --json --slowest 1000 >json
	jq -e --argjson request "$request" '.slowest | any(.request == $request and .name == "GET /long" and .ns > 1.3e9)' json
	# the report of the snapshot begins with this request
	succeeds "$GOTAP" report "$(sed 's/^gotap why \(.*\) --request.*/\1/' ../next)"
	matches '^TRIGGER OF THE SNAPSHOT, and the composition of its time$'
	contains "request:/long>1s: request $request, GET /long,"
}

@test "failed requests above a share make one snapshot" {
	build_prog 1.27 requests
	"$GOTAP" record --json --budget none --flight 10s --cooldown 0 -o 'snaps/%n.trace' --on 'errors>5%' \
		--on 'errors:/late>99.9%' --on 'errors:/stream>0%' --on 'errors:GET /status/>0%' -- "$PROG" 20 100 long >served 2>report
	jq -s '[.[].trigger | {name, what, task}]' snaps/*.json
	[ "$(cat snaps/*.json | jq -r .trigger.name | sort | paste -sd ' ')" = 'errors:/late>99.9% errors>5%' ]
	jq -e -s 'map(.trigger) | map(select(.name == "errors:/late>99.9%") | .what) |
		all(test("^of [0-9]+ requests of the last 10 s [0-9]+ failed; the last one was request [0-9]+, GET /late$"))' snaps/*.json
	"$GOTAP" requests "snaps/$(jq -r 'select(.trigger.name == "errors:/late>99.9%") | .trace' snaps/*.json)" --json --slowest 1000 \
		--route 'GET /late' >json
	jq -e --argjson request "$(jq 'select(.trigger.name == "errors:/late>99.9%") | .trigger.request' snaps/*.json)" \
		'.slowest | any(.request == $request and .status == 503)' json
}

# counted FILTER: how many requests the lines of top have, of the routes that FILTER keeps.
counted() { jq -s "[.[].requests.routes[] | select($1) | .took.count] | add // 0" lines; }

# served_of PATH: how many requests of that path the program has counted in its outermost handler.
served_of() { grep -F " \"$1\" " "$TARGET_OUT" | awk '{ n += $NF } END { print n + 0 }'; }

# lines_while_served OPTION...: the lines of top of a program that begins to serve when the first one is there, until it ends.
lines_while_served() {
	build_prog 1.27 requests
	start_target "$PROG" 30 -1 long
	"$GOTAP" top -p "$TARGET" --json --budget none -i 300ms "$@" >lines 3>&- &
	local top=$!
	TARGETS+=" $top"
	wait_for 60 test -s lines
	kill -USR1 "$TARGET"
	wait_target
	wait "$top"
}

@test "gotap top counts each request once, under the route that it has at its end" {
	local path
	lines_while_served --by route
	for path in plain panic abort goexit hijack stream children late long; do
		[ "$(counted ".name == \"GET /$path\"")" -eq "$(served_of "/$path")" ] || fail "$path"
	done
	[ "$(served_of /plain)" -eq 60 ]
	[ "$(counted '.name == "GET /status/"')" -eq "$(served_of /status/x)" ]
	[ "$(counted '.name == "GET net/http.NotFound"')" -eq $(($(served_of /nosuch) + $(served_of '/with space'))) ]
	# the counts of results are those of the durations, and the failures are those of the handlers
	jq -s -e 'all(.[].requests.routes[]; ([.results[].counts[]] | add // 0) == .took.count)' lines
	jq -s -e 'all(.[].requests; ([.routes[].took.count] | add // 0) == .took.count and ([.routes[].failed] | add // 0) == .failed)' lines
	jq -s -e '[.[].requests.routes[] | select(.name == "GET /panic") | .results | keys[]] | unique == ["panic"]' lines
	jq -s -e '[.[].requests.routes[] | select(.name == "GET /late" or .name == "GET /panic") | .failed == .took.count] | all' lines
	jq -s -e '[.[].requests.routes[] | select(.name == "GET /status/") | .failed] | add == 0' lines
	# the long ones are open, one after the other, for 1.3 s, without a route
	jq -s -e '[.[] | select(.requests.oldest_seconds > 0.8)] | length > 0 and
		all(.[]; .requests.open == 1 and ([.requests.routes[] | select(.open > 0) | .name] == ["GET net/http"]))' lines
	jq -s -e '[.[].requests.routes[] | select(.name == "GET /long") | .took.max_ns] | all(. >= 1.3e9)' lines
	jq -s -e 'all(.[]; .by == "route" and (has("rows") | not) and .gotap.lost == 0)' lines
	jq -s -e '[.[].requests.routes[] | select(.name == "GET /plain" and .slowest) | .slowest | .path == "/plain" and .status == 200] | all' lines
}

@test "gotap top: the table of routes, its order, and what it takes" {
	build_prog 1.27 requests
	start_target "$PROG" 100000 0
	sleep 0.3
	COLUMNS=150 succeeds "$GOTAP" top -p "$TARGET" --once --by route --sort p50
	matches '^requests [0-9.]+/s, [0-9.]+ % failed, p50 .*, p99 .*, max .*; [0-9]+ open'
	matches '^ REQ/s  FAIL%      P50      P99      MAX     BUSY route +slowest'
	matches '^ *[0-9.]+ +100 +[0-9.]+[mu]s +[0-9.]+[mu]s +[0-9.]+[mu]s +[0-9.<]+ GET /late +request [0-9]+ 503 /late$'
	"$GOTAP" top -p "$TARGET" --once --json --by route --sort p50 >lines
	jq -e '[.requests.routes[].took | select(.count > 0) | .p50_ns] | length > 5 and . == (sort | reverse)' lines
	COLUMNS=150 succeeds "$GOTAP" top -p "$TARGET" --once -e +http --no-paths
	matches '^requests [0-9.]+/s'
	matches ' RUN% .* function '
	"$GOTAP" top -p "$TARGET" --json --brief -e http -n 1 >lines
	jq -e '(.requests.routes | length > 5) and all(.requests.routes[]; has("slowest") | not)' lines
	"$GOTAP" top -p "$TARGET" --json --brief -n 1 | jq -e 'has("requests") | not'
	gotap top -p "$TARGET" --once --by route --sort running
	[ "$status" -eq 2 ]
	contains '--sort takes rate, failed, p50, p99, max, busy or name with --by route'
	gotap top -p "$TARGET" --once --sort rate
	[ "$status" -eq 2 ]
}

@test "the page has a view of the requests, from which clicks lead to their paths" {
	type chromium-headless-shell chromium 2>/dev/null | grep -q . || skip "needs chromium"
	build_prog 1.27 requests
	"$GOTAP" record -o x.trace --budget none -e +http -- "$PROG" 10 50 >served 2>report
	"$GOTAP" report x.trace --html page.html
	"$GOTAP" report x.trace --json >report.json
	"$GOTAP" text --events --no-stacks --json x.trace >events.json
	run_logged timeout 600 python3 "$CHECKOUT/tests/html/check.py" page.html report.json events.json requests
	[ "$status" -eq 0 ]
}

@test "gotap mcp shows no paths of requests, in whichever answer" {
	build_prog 1.27 requests
	mkdir d
	"$GOTAP" record -o d/x.trace --budget none -e +http -- "$PROG" 5 50 >served 2>report
	ask() {
		{
			printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},
				"clientInfo":{"name":"x","version":"1"}}}' '{"jsonrpc":"2.0","method":"notifications/initialized"}' | tr -d '\n\t' |
				sed 's/}{/}\n{/'
			printf '\n{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"%s","arguments":%s}}\n' "$1" "$2"
			wait_for 60 grep -q '"id":2' answer >&2
		} | "$GOTAP" mcp --dir d "${@:3}" >answer
		grep '"id":2' answer >last
		[ "$(jq -r .result.isError last)" != true ] || fail "$(cat last)"
	}
	: >answer
	for tool in report:'{"traces":["x.trace"]}' requests:'{"trace":"x.trace","slowest":50}'; do
		: >answer
		ask "${tool%%:*}" "${tool#*:}"
		grep -q 'GET /children' last
		[ "$(grep -c '"path": *"[^"]' last)" -eq 0 ] || fail "a path: $(cat last)"
		! grep -q '/with space' last || fail "a path: $(cat last)"
		: >answer
		ask "${tool%%:*}" "${tool#*:}" --show-private
		jq -e '[.. | objects | .path? | strings | select(startswith("/"))] | length > 0' last
	done
}
