#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Group http: the requests that a program sends with http.Transport. tests/prog/calls.go knows of each one by
# net/http/httptrace and by its result: through a Client, a ReverseProxy and a Transport alone, with redirects, over HTTP/1,
# TLS and HTTP/2, on new connections, used ones and one that two requests want.

load lib/common
load lib/record

setup() { require_root; }

teardown() { stop_targets; }

# sends VERSION [ARGUMENT...]: the trace of a program that is recorded from its begin to its end has what it sent.
sends() {
	local trace=$BATS_TEST_TMPDIR/x.trace
	build_prog "$1" calls
	"$GOTAP" record -o "$trace" --budget none --strict -e +http "${@:2}" -- "$PROG" 4 100 \
		>"$BATS_TEST_TMPDIR/judged" 2>"$BATS_TEST_TMPDIR/report" || fail "$(cat "$BATS_TEST_TMPDIR/report")"
	trace_ok "$trace"
	"$GOTAP" text --events --json "$trace" >"$BATS_TEST_TMPDIR/events"
	python3 "$CHECKOUT/tests/lib/calls.py" "$BATS_TEST_TMPDIR/judged" "$BATS_TEST_TMPDIR/events"
}

# for releases 1.15+ (soak-only not 1.15 newest):
#	@test "outgoing requests of a Go % program" { sends %; }
@test "outgoing requests of a Go 1.15 program" { sends 1.15; }
# bats test_tags=soak-only
@test "outgoing requests of a Go 1.19 program" { sends 1.19; }
# bats test_tags=soak-only
@test "outgoing requests of a Go 1.21 program" { sends 1.21; }
# bats test_tags=soak-only
@test "outgoing requests of a Go 1.22 program" { sends 1.22; }
# bats test_tags=soak-only
@test "outgoing requests of a Go 1.23 program" { sends 1.23; }
# bats test_tags=soak-only
@test "outgoing requests of a Go 1.24 program" { sends 1.24; }
# bats test_tags=soak-only
@test "outgoing requests of a Go 1.25 program" { sends 1.25; }
# bats test_tags=soak-only
@test "outgoing requests of a Go 1.26 program" { sends 1.26; }
@test "outgoing requests of a Go 1.27 program" { sends 1.27; }
# end of releases

@test "outgoing requests of a stripped program, with inline code beside" {
	require_inline
	build_prog 1.27 calls -ldflags=-s
	"$GOTAP" record -o "$BATS_TEST_TMPDIR/x.trace" --budget none --strict -e +http --attach inline -- "$PROG" 4 100 \
		>"$BATS_TEST_TMPDIR/judged"
	"$GOTAP" text --events --json "$BATS_TEST_TMPDIR/x.trace" >"$BATS_TEST_TMPDIR/events"
	python3 "$CHECKOUT/tests/lib/calls.py" "$BATS_TEST_TMPDIR/judged" "$BATS_TEST_TMPDIR/events"
}

@test "paths of outgoing requests can be left out" {
	build_prog 1.27 calls
	"$GOTAP" record -o "$BATS_TEST_TMPDIR/x.trace" --budget none --strict -e +http --no-paths -- "$PROG" 1 100 >/dev/null
	"$GOTAP" text --events "$BATS_TEST_TMPDIR/x.trace" | grep '"gotap.http.client" "ns=' >"$BATS_TEST_TMPDIR/logs"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/logs")" -eq 41 ]
	! grep 'path=\|/plain' "$BATS_TEST_TMPDIR/logs" || fail "a path"
}

@test "gotap requests lists what the program asks others for, and what part of a route that is" {
	local trace=$BATS_TEST_TMPDIR/x.trace
	build_prog 1.27 calls
	"$GOTAP" record -o "$trace" --budget none --strict -e +http -- "$PROG" 4 100 >/dev/null
	"$GOTAP" text --events --json "$trace" >"$BATS_TEST_TMPDIR/events"
	"$GOTAP" requests "$trace" --json >"$BATS_TEST_TMPDIR/json"
	python3 "$CHECKOUT/tests/lib/asked.py" "$BATS_TEST_TMPDIR/events" "$BATS_TEST_TMPDIR/json"
	# the handler of the proxy does nothing but one request; no other handler has any
	jq -e '[.routes[] | select(.calls_ns.http > 0)] | length == 1 and .[0].count == 4 and
		.[0].calls_ns.http < .[0].sum_ns and .[0].calls_ns.http > .[0].sum_ns / 10' "$BATS_TEST_TMPDIR/json"
	succeeds "$GOTAP" requests "$trace"
	matches '^ +60 +8 .* http GET 127.0.0.1:[0-9]+$'
	matches '^ +connection [0-9.]+ % \([0-9]+ new: .* each\); to the first byte [0-9.]+ %; then the body of 32, p50'
	matches '^ +calls: http [0-9.]+ % of the time of 4$'
}

# What had begun before the recording has no begin, and what has not ended at its end has no end.
@test "attach and detach amid outgoing requests" {
	local trace=$BATS_TEST_TMPDIR/x.trace begun ended
	build_prog 1.27 calls
	start_target "$PROG" 100000 0
	recorded "$trace" -p "$TARGET" -e +http -d 500ms
	views_ok "$trace"
	"$GOTAP" text --events "$trace" >"$BATS_TEST_TMPDIR/text"
	begun=$(grep -c ' UserTaskBegin .* "[A-Z]* 127' "$BATS_TEST_TMPDIR/text")
	ended=$(grep -c ' UserTaskEnd .* "[A-Z]* 127' "$BATS_TEST_TMPDIR/text")
	echo "$begun begun, $ended ended"
	[ "$begun" -gt 50 ]
	[ "$ended" -le "$begun" ]
	[ $((begun - ended)) -le 4 ]
	[ "$(grep -c '"gotap.http.client" "ns=' "$BATS_TEST_TMPDIR/text")" -eq "$ended" ]
}
