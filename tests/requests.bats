#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Group http: the requests that net/http serves. tests/prog/requests.go counts what it serves, in the outermost handler,
# and its handlers end in all ways: they return, panic, exit the goroutine, take the connection over, stream, time out.

load lib/common
load lib/record

setup() {
	require_root
	require_tool jq
	# Go 1.22 and later set the pattern of a route only so; a program of GOPATH mode has the old ServeMux by default.
	export GODEBUG=httpmuxgo121=0
}

teardown() { stop_targets; }

# serves VERSION [ARGUMENT...]: the trace of a program that is recorded from its begin to its end has what it served.
serves() {
	local trace=$BATS_TEST_TMPDIR/x.trace
	build_prog "$1" requests
	"$GOTAP" record -o "$trace" --budget none --strict -e +http "${@:2}" -- "$PROG" 8 100 \
		>"$BATS_TEST_TMPDIR/served" 2>"$BATS_TEST_TMPDIR/report" || fail "$(cat "$BATS_TEST_TMPDIR/report")"
	trace_ok "$trace"
	"$GOTAP" text --events --json "$trace" >"$BATS_TEST_TMPDIR/events"
	python3 "$CHECKOUT/tests/lib/requests.py" "$BATS_TEST_TMPDIR/served" "$BATS_TEST_TMPDIR/events" "${1#1.}"
}

# for releases 1.15+ (soak-only not 1.15 newest):
#	@test "requests of a Go % server, HTTP/1 and HTTP/2" { serves %; }
@test "requests of a Go 1.15 server, HTTP/1 and HTTP/2" { serves 1.15; }
# bats test_tags=soak-only
@test "requests of a Go 1.19 server, HTTP/1 and HTTP/2" { serves 1.19; }
# bats test_tags=soak-only
@test "requests of a Go 1.21 server, HTTP/1 and HTTP/2" { serves 1.21; }
# bats test_tags=soak-only
@test "requests of a Go 1.22 server, HTTP/1 and HTTP/2" { serves 1.22; }
# bats test_tags=soak-only
@test "requests of a Go 1.23 server, HTTP/1 and HTTP/2" { serves 1.23; }
# bats test_tags=soak-only
@test "requests of a Go 1.24 server, HTTP/1 and HTTP/2" { serves 1.24; }
# bats test_tags=soak-only
@test "requests of a Go 1.25 server, HTTP/1 and HTTP/2" { serves 1.25; }
# bats test_tags=soak-only
@test "requests of a Go 1.26 server, HTTP/1 and HTTP/2" { serves 1.26; }
@test "requests of a Go 1.27 server, HTTP/1 and HTTP/2" { serves 1.27; }
# end of releases

# for releases 1.19+ (soak-only not 1.26 newest):
#	@test "requests of a Go % server, with inline code" { require_inline; serves % --attach inline; }
# bats test_tags=soak-only
@test "requests of a Go 1.19 server, with inline code" { require_inline; serves 1.19 --attach inline; }
# bats test_tags=soak-only
@test "requests of a Go 1.21 server, with inline code" { require_inline; serves 1.21 --attach inline; }
# bats test_tags=soak-only
@test "requests of a Go 1.22 server, with inline code" { require_inline; serves 1.22 --attach inline; }
# bats test_tags=soak-only
@test "requests of a Go 1.23 server, with inline code" { require_inline; serves 1.23 --attach inline; }
# bats test_tags=soak-only
@test "requests of a Go 1.24 server, with inline code" { require_inline; serves 1.24 --attach inline; }
# bats test_tags=soak-only
@test "requests of a Go 1.25 server, with inline code" { require_inline; serves 1.25 --attach inline; }
@test "requests of a Go 1.26 server, with inline code" { require_inline; serves 1.26 --attach inline; }
@test "requests of a Go 1.27 server, with inline code" { require_inline; serves 1.27 --attach inline; }
# end of releases

# knows_children VERSION [ARGUMENT...]: no goroutine is the child of another request than its own.
knows_children() {
	local trace=$BATS_TEST_TMPDIR/x.trace
	build_prog "$1" children
	"$GOTAP" record -o "$trace" --budget none --strict -e +http "${@:2}" -- "$PROG" 20 \
		2>"$BATS_TEST_TMPDIR/report" || fail "$(cat "$BATS_TEST_TMPDIR/report")"
	trace_ok "$trace"
	"$GOTAP" text --events --json "$trace" >"$BATS_TEST_TMPDIR/events"
	python3 "$CHECKOUT/tests/lib/children.py" "$BATS_TEST_TMPDIR/events" 700
}

# for releases 1.15+ (soak-only not 1.15 newest):
#	@test "goroutines that work for requests of a Go % server" { knows_children %; }
@test "goroutines that work for requests of a Go 1.15 server" { knows_children 1.15; }
# bats test_tags=soak-only
@test "goroutines that work for requests of a Go 1.19 server" { knows_children 1.19; }
# bats test_tags=soak-only
@test "goroutines that work for requests of a Go 1.21 server" { knows_children 1.21; }
# bats test_tags=soak-only
@test "goroutines that work for requests of a Go 1.22 server" { knows_children 1.22; }
# bats test_tags=soak-only
@test "goroutines that work for requests of a Go 1.23 server" { knows_children 1.23; }
# bats test_tags=soak-only
@test "goroutines that work for requests of a Go 1.24 server" { knows_children 1.24; }
# bats test_tags=soak-only
@test "goroutines that work for requests of a Go 1.25 server" { knows_children 1.25; }
# bats test_tags=soak-only
@test "goroutines that work for requests of a Go 1.26 server" { knows_children 1.26; }
@test "goroutines that work for requests of a Go 1.27 server" { knows_children 1.27; }
# end of releases

@test "goroutines that work for requests of a Go server, with inline code" { require_inline; knows_children 1.27 --attach inline; }

# build_debian VERSION PACKAGES FILE...: builds a program that needs Go packages of Debian. Sets $PROG.
build_debian() {
	local version=$1 file
	require_go "$version"
	for file in $2; do
		[ -e "/usr/share/gocode/src/$file" ] || skip "Debian's package of $file is not installed"
	done
	shift 2
	PROG=$BATS_TEST_TMPDIR/debian
	GOFLAGS='' GO111MODULE=off GOPATH=/usr/share/gocode GOCACHE=$BUILD/gocache-debian CGO_ENABLED=0 \
		"$BUILD/go/go$version/bin/go" build -o "$PROG" "$@"
}

# routes_are WANTED [ARGUMENT...]: the numbers and names of the requests of $PROG.
routes_are() {
	local trace=$BATS_TEST_TMPDIR/x.trace
	"$GOTAP" record -o "$trace" --budget none --strict -e +http "${@:2}" -- "$PROG" 10 >/dev/null
	trace_ok "$trace"
	"$GOTAP" requests "$trace" --json | jq -r '.routes[] | "\(.count) \(.name)"' >"$BATS_TEST_TMPDIR/routes"
	diff <(sort "$BATS_TEST_TMPDIR/routes") <(sort <<<"$1")
}

readonly HANDLERS='10 GET main.(*store).ServeHTTP
10 GET main.chiItem
10 GET main.gorillaItem
10 GET main.routerItem'
readonly ROUTERS='github.com/go-chi/chi github.com/gorilla/mux github.com/julienschmidt/httprouter'

@test "handlers of other routers, and patterns of copies of requests" {
	build_debian 1.27 "$ROUTERS" "$CHECKOUT/tests/routers/main.go"
	for attach in auto inline; do
		routes_are "$HANDLERS"$'\n10 GET /list/\n10 GET /mux/' --attach "$attach"
	done
	# the ServeMux of Go 1.21 puts no pattern into the request
	GODEBUG=httpmuxgo121=1
	routes_are "$HANDLERS"$'\n10 GET main.(*items).list\n10 GET main.muxItem'
}

@test "HTTP/2 of golang.org/x/net/http2, without TLS and with it" {
	local routes=$'20 GET /panic\n20 GET /plain\n20 GET /silent\n20 GET /status'
	build_debian 1.27 golang.org/x/net/http2 "$CHECKOUT/tests/routers/h2c.go"
	routes_are "$routes"
	routes_are "$routes" --attach inline
	# each package has a layout of its own of the status
	"$GOTAP" requests "$BATS_TEST_TMPDIR/x.trace" --json --slowest 1000 |
		jq -r '.slowest[] | "\(.status) \(.name)"' | sort | uniq -c | sed 's/^ *//' >"$BATS_TEST_TMPDIR/statuses"
	diff "$BATS_TEST_TMPDIR/statuses" - <<<$'20 0 GET /panic\n20 200 GET /plain\n20 200 GET /silent\n20 418 GET /status'
	# twice the argument of each kind: on two connections
	[ "$("$PROG" 10)" = '[20 20 20 20]' ]
	! "$GOTAP" text --events "$BATS_TEST_TMPDIR/x.trace" | grep '"PRI ' || fail "the preface of HTTP/2 is a request"
}

# bats test_tags=soak-only
@test "handlers of other routers, and of gin, in Go 1.19" {
	build_debian 1.19 "$ROUTERS github.com/gin-gonic/gin" "$CHECKOUT"/tests/routers/{main,gin}.go
	routes_are "$HANDLERS"$'\n10 GET main.(*items).list\n10 GET main.muxItem\n10 GET main.ginItem'
}

@test "paths can be left out" {
	build_prog 1.27 requests
	"$GOTAP" record -o "$BATS_TEST_TMPDIR/x.trace" --budget none --strict -e +http --no-paths -- "$PROG" 2 100 >/dev/null
	"$GOTAP" text --events "$BATS_TEST_TMPDIR/x.trace" | grep '"gotap.http"' >"$BATS_TEST_TMPDIR/logs"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/logs")" -eq 46 ]
	! grep -q 'path=\|/plain\|remote=\|127.0.0.1' "$BATS_TEST_TMPDIR/logs" || fail "a path or an address"
	grep -q '"status=418 bytes=0 proto=h2"' "$BATS_TEST_TMPDIR/logs"
	gotap record -p 1 --no-paths -o "$BATS_TEST_TMPDIR/y.trace"
	[ "$status" -eq 2 ]
	contains "--no-paths is for group http"
}

@test "a stripped server" {
	build_prog 1.27 requests -ldflags=-s
	"$GOTAP" record -o "$BATS_TEST_TMPDIR/x.trace" --budget none --strict -e +http -- "$PROG" 8 100 >"$BATS_TEST_TMPDIR/served"
	"$GOTAP" text --events --json "$BATS_TEST_TMPDIR/x.trace" >"$BATS_TEST_TMPDIR/events"
	python3 "$CHECKOUT/tests/lib/requests.py" "$BATS_TEST_TMPDIR/served" "$BATS_TEST_TMPDIR/events" 27
}

# What had begun before the recording has no begin, and what has not ended at its end has no end: nothing else is missing.
@test "attach and detach amid load: no half request is a whole one" {
	local trace=$BATS_TEST_TMPDIR/x.trace begun ended
	build_prog 1.27 requests
	start_target "$PROG" 2000 0
	recorded "$trace" -p "$TARGET" -e +http -d 500ms
	views_ok "$trace"
	"$GOTAP" text --events "$trace" >"$BATS_TEST_TMPDIR/text"
	# the clients' calls are tasks, too: GET 127.0.0.1:80
	begun=$(grep -c ' UserTaskBegin .* "GET [/n]' "$BATS_TEST_TMPDIR/text")
	ended=$(grep -c ' UserTaskEnd .* "GET [/n]' "$BATS_TEST_TMPDIR/text")
	echo "$begun begun, $ended ended"
	[ "$begun" -gt 50 ]
	[ "$ended" -le "$begun" ]
	[ $((begun - ended)) -le 4 ]
	# a task has its name, and each that ended its result
	[ "$(grep -c '"gotap.http"' "$BATS_TEST_TMPDIR/text")" -eq "$ended" ]
}

@test "traces for readers of Go 1.21 and before have the method as the name" {
	local trace=$BATS_TEST_TMPDIR/x.trace
	build_prog 1.27 requests
	"$GOTAP" record -o "$trace" --budget none -e +http -- "$PROG" 3 100 >"$BATS_TEST_TMPDIR/served"
	"$GOTAP" convert --format go1.21 "$trace" -o "$trace.21"
	gotap check "$trace.21"
	succeeds
	"$GOTAP" text --events "$trace.21" >"$BATS_TEST_TMPDIR/text"
	[ "$(grep 'UserTaskBegin\|UserTaskCreate' "$BATS_TEST_TMPDIR/text" | grep -vc ' "GET 127')" -eq 69 ]
}

@test "gotap requests counts what the program served, fails for what it does not have" {
	local trace=$BATS_TEST_TMPDIR/x.trace
	build_prog 1.27 requests
	"$GOTAP" record -o "$trace" --budget none --strict -e +http -- "$PROG" 8 100 long >"$BATS_TEST_TMPDIR/served"
	"$GOTAP" text --events "$trace" | grep -q 'route=\\"GET /long\\"' || fail "the requests did not outlive a generation"
	"$GOTAP" requests "$trace" --json --slowest 1000 >"$BATS_TEST_TMPDIR/json"
	python3 "$CHECKOUT/tests/lib/routes.py" "$BATS_TEST_TMPDIR/served" "$BATS_TEST_TMPDIR/json"
	succeeds "$GOTAP" requests "$trace" --route 'GET /stream' --slowest 2
	matches '^ +16 +0 .* GET /stream$'
	! grep -q '/plain' <<<"$output" || fail "another route"
	[ "$(grep -c '  200  .*GET /stream  /stream$' <<<"$output")" -eq 2 ]
	task=$(sed -n 's/.*gotap why .* --request \([0-9]*\)$/\1/p' <<<"$output")
	succeeds "$GOTAP" why "$trace" --request "$task"
	contains "request $task, ended by goroutine"
	"$GOTAP" requests - <"$trace" | grep -q 'GET /stream'
	succeeds "$GOTAP" report "$trace"
	contains 'tasks GET /'
	# one list of the requests: no region, task or connection that stands for them
	matches '^REQUESTS by route: [0-9 ]+ requests ended, [0-9 ]+ failed$'
	! sed -n '/^REGIONS/,/^$/p; /^TASKS/,/^$/p' <<<"$output" | grep -v ' 127\.' | grep '   GET ' || fail "the same twice"
	! grep -q 'goroutines of net/http.*conn).serve\|requests seen in' <<<"$output" || fail "the same twice"
	grep -A 1 ' GET /late$' <<<"$output" | grep -q '^      .*select [1-9][0-9]* %'
	contains "gotap requests $trace"
	# the numbers are those of gotap requests
	diff <("$GOTAP" report "$trace" --top 20 | sed -n '/^REQUESTS/,/^$/p' | grep ' GET ') \
		<("$GOTAP" requests "$trace" | sed '/^WHAT\|^COMPOSITION/,$d' | grep ' GET ')
	"$GOTAP" report "$trace" --json >"$BATS_TEST_TMPDIR/report.json"
	jq -e --slurpfile q "$BATS_TEST_TMPDIR/json" \
		'.requests[0].routes == [$q[0].routes[] | del(.causes, .unattributed, .calls_ns)] and (.requests[0].slowest | length) == 3' \
		"$BATS_TEST_TMPDIR/report.json"
	"$GOTAP" record -o "$trace.none" --budget none -- "$PROG" 1 0 >/dev/null
	gotap requests "$trace.none"
	[ "$status" -eq 1 ]
	contains 'has no requests'
	# a report of a server without group http says how its requests can be had
	"$GOTAP" report "$trace.none" --json | jq -e '.requests == [] and any(.next[]; .command | test("gotap record -p [0-9]+ -d 5s -e [+]http"))'
	gotap requests
	[ "$status" -eq 2 ]
}
