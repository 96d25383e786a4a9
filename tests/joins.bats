#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Several processes recorded at once, and their traces read together. tests/prog/downstream.go is a server that calls
# another one and writes which of its requests made which call: the requests that gotap joins must be those.

load lib/common
load lib/record
load lib/perfetto

setup() {
	require_root
	T=$BATS_TEST_TMPDIR
	# Go 1.22 and later set the pattern of a route only so; a program of GOPATH mode has the old ServeMux by default.
	export GODEBUG=httpmuxgo121=0
	HOLDERS=
}

teardown() {
	stop_targets
	local pid
	for pid in $HOLDERS; do kill -KILL "$pid" 2>/dev/null && wait "$pid" 2>/dev/null || true; done
}

# in_back, in_front: what runs a command where the back, or the front and its load, are.
in_back() { "$@"; }
in_front() { "$@"; }

# servers MODE NETWORK ADDRESS: starts a back that listens there, and a front that calls it. Sets $BACK and $FRONT.
servers() {
	local address
	in_back start_target "$PROG" back "$2" "$3"
	BACK=$TARGET
	address=$(head -n 1 "$TARGET_OUT")
	in_front start_target "$PROG" front 127.0.0.1:0 "$2" "$address" "$1" "$T/truth"
	FRONT=$TARGET
	FRONT_AT=$(head -n 1 "$TARGET_OUT")
}

# loads CLIENTS: calls the front without a pause, in the background, until stop_targets.
loads() {
	in_front "$PROG" load "$FRONT_AT" 1000000 "$1" >/dev/null 2>&1 3>&- &
	TARGETS+=" $!"
}

# records_both TIME [OPTION...]: sets $A and $B to the traces of the front and the back.
records_both() {
	rm -f "$T"/both.*
	succeeds "$GOTAP" record -p "$FRONT" -p "$BACK" -e +http --budget none -d "$1" -o "$T/both" "${@:2}"
	A=$T/both.1.downstream.out B=$T/both.2.downstream.out
	[ -s "$A" ] && [ -s "$B" ]
}

# joined_right [LEAST]: the requests that are joined are those of the front's truth, and no fewer than that share of them.
joined_right() {
	"$GOTAP" requests --json "$A" "$B" >"$T/answer"
	"$GOTAP" schema requests >"$T/schema" 2>/dev/null || true
	"$GOTAP" text --events --json "$A" >"$T/a"
	"$GOTAP" text --events --json "$B" >"$T/b"
	succeeds python3 "$CHECKOUT/tests/lib/joins.py" "$T/answer" "$T/a" "$T/b" "$T/truth" "${1:-0.95}"
}

# joins VERSION MODE CLIENTS [NETWORK ADDRESS]
joins() {
	build_prog "$1" downstream
	servers "$2" "${4:-tcp}" "${5:-127.0.0.1:0}"
	loads "$3"
	records_both 300ms
	joined_right "${LEAST:-}"
}

@test "one connection that is kept" { joins "$REFERENCE_GO" keep 1; }
@test "a connection for each call" { joins "$REFERENCE_GO" each 2; }
@test "calls by goroutines that handlers create" { joins "$REFERENCE_GO" child 2; }
@test "a pool of connections" { joins "$REFERENCE_GO" pool 4; }
@test "a pool of connections, with inline code" {
	require_inline
	build_prog "$REFERENCE_GO" downstream
	servers pool tcp 127.0.0.1:0
	loads 4
	records_both 300ms --attach inline
	joined_right
}
# Requests wait for each other's connection: the path of one goes through the call of another, which is not its own.
@test "three calls for each request over one connection that all share" { LEAST=0.8 joins "$REFERENCE_GO" three 3; }
# A connection of a Unix socket is known if it was made while both were recorded.
@test "a Unix socket" {
	build_prog "$REFERENCE_GO" downstream
	servers pool unix "$T/socket"
	(
		wait_for 60 test -s "$T/both.1.downstream.out.partial"
		wait_for 60 test -s "$T/both.2.downstream.out.partial"
		sleep 0.3
		exec "$PROG" load "$FRONT_AT" 200 2
	) >/dev/null 2>&1 3>&- &
	TARGETS+=" $!"
	records_both 1500ms
	joined_right
}
@test "Go 1.19" { joins 1.19 pool 2; }
# bats test_tags=soak-only
@test "Go 1.22" { joins 1.22 each 2; }

# hold NAME: a process with a network of its own, as $HOLDER.
hold() {
	unshare --net sh -c 'ip link set lo up && echo ready && exec sleep 600' >"$T/$1.ready" 2>&1 3>&- &
	HOLDER=$!
	HOLDERS+=" $HOLDER"
	wait_for 20 grep -q ready "$T/$1.ready"
}

@test "two network namespaces" {
	local one two
	require_tool ip nsenter unshare
	build_prog "$REFERENCE_GO" downstream
	hold one
	one=$HOLDER
	hold two
	two=$HOLDER
	nsenter -t "$one" -n ip link add eth0 type veth peer name eth0 netns "$two" || skip "no veth here"
	nsenter -t "$one" -n sh -c 'ip addr add 10.99.7.1/24 dev eth0 && ip link set eth0 up'
	nsenter -t "$two" -n sh -c 'ip addr add 10.99.7.2/24 dev eth0 && ip link set eth0 up'
	# nsenter execs the program: the process that it starts is the program's
	start_target nsenter -t "$two" -n "$PROG" back tcp 10.99.7.2:7000
	BACK=$TARGET
	start_target nsenter -t "$one" -n "$PROG" front 127.0.0.1:0 tcp 10.99.7.2:7000 pool "$T/truth"
	FRONT=$TARGET FRONT_AT=$(head -n 1 "$TARGET_OUT")
	in_front() { nsenter -t "$one" -n "$@"; }
	loads 2
	records_both 300ms
	joined_right
}

@test "why, requests and perfetto name the other process, and the request there" {
	local id task
	build_prog "$REFERENCE_GO" downstream
	servers keep tcp 127.0.0.1:0
	loads 1
	records_both 500ms
	gotap requests "$A" "$B"
	[ "$status" -eq 0 ]
	output=$(tr -s ' \n' ' ' <<<"$output")		# the lines of the composition end anywhere
	contains "downstream in downstream (pid $BACK), GET /b/: asleep at main.price.func1"
	# the recordings do not begin at one time: the slowest request of the last 300 ms, which both have
	task=$("$GOTAP" requests --json --slowest 1000 "$A" | python3 -c '
import json, sys
j = json.load(sys.stdin)
print(next(q["task"] for q in j["slowest"] if q["from_ns"] > j["seconds"] * 1e9 - 300e6))')
	gotap why --task "$task" "$A" "$B"
	[ "$status" -eq 0 ]
	matches "goroutine [0-9]+ main.price.func1: in downstream \(pid $BACK\), GET /b/: waiting for time.Sleep"
	contains "after the other end had written"
	# without the other trace the wait is one for the network
	gotap why --task "$task" "$A"
	! grep -q "pid $BACK" <<<"$output" || fail "the other process"
	contains "unblocked by the network poller"
	# the sum of the steps is the interval: gotap checks it, and JSON has it
	"$GOTAP" why --task "$task" --json "$A" "$B" >"$T/why"
	python3 - "$T/why" "$BACK" <<-'END'
		import json, sys
		w = json.load(open(sys.argv[1]))
		assert sum(s["to_ns"] - s["from_ns"] for s in w["steps"]) == w["ns"]
		there = [s for s in w["steps"] if "process" in s["cause"]]
		assert there and all(s["cause"]["process"] == f"downstream (pid {sys.argv[2]})" for s in there), there
		assert {s["cause"]["request"] for s in there} == {"GET /b/"} and len({s["task"] for s in there}) == 1, there
	END
	require_trace_processor
	succeeds "$GOTAP" perfetto "$A" "$B" -o "$T/both.pftrace"
	sql "$T/both.pftrace" "select pid from process where pid in ($FRONT, $BACK) order by pid" >"$T/pids"
	[ "$(sort -n "$T/pids" | tr '\n' ' ')" = "$(printf '%s\n' "$FRONT" "$BACK" | sort -n | tr '\n' ' ')" ]
	# Each arrow begins in one process and ends in the other, later. There is one for each response, and one for each request
	# of which the other recording has the begin.
	sql "$T/both.pftrace" "select count(*), sum(o.ts <= i.ts), sum(o.name = 'response') from flow f
		join slice o on o.id = f.slice_out join slice i on i.id = f.slice_in where o.category = 'call'" >"$T/flows"
	cat "$T/flows"
	python3 - "$T/flows" "$T/answer" <<-'END'
		import re, sys
		n, right, responses = map(int, re.findall(r"\d+", open(sys.argv[1]).read()))
		assert n > 10 and n == right and responses < n <= 2 * responses, (n, right, responses)
	END
	sql "$T/both.pftrace" "select count(*) from stats where severity in ('error', 'data_loss') and value > 0" >"$T/errors"
	[ "$(cat "$T/errors")" = 0 ]
}

@test "one of several recordings fails: the others are whole, and it is said" {
	build_prog "$REFERENCE_GO" downstream
	servers keep tcp 127.0.0.1:0
	sleep 60 3>&- &
	TARGETS+=" $!"
	gotap record -p "$FRONT" -p $! -p "$BACK" -d 200ms -o "$T/some"
	[ "$status" -eq 1 ]
	contains "not a Go program"
	trace_ok "$T/some.1.downstream.out"
	trace_ok "$T/some.3.downstream.out"
	[ ! -e "$T/some.2.sleep.out" ]
	# a process that is not there is not named as one that is recorded
	gotap record -p "$FRONT" -p 999999999 -d 200ms -o "$T/gone"
	[ "$status" -eq 1 ]
	matches "process $FRONT \(downstream\) is recorded as it runs, into '$T/gone.1.downstream.out'"
	! grep -q "999999999 (" <<<"$output" || fail "a process that does not exist is recorded"
	gotap record -p "$FRONT" -p "$BACK" -o -
	[ "$status" -eq 2 ]
	contains "give -o a name with %n"
	gotap record -p "$FRONT" -p "$FRONT" -o "$T/some"
	[ "$status" -eq 2 ]
	contains "-p $FRONT is given twice"
	gotap record -p "$FRONT" -p "$BACK" --spool "$T/spool"
	[ "$status" -eq 2 ]
	contains "for one process"
}

@test "SIGINT ends all recordings, each with its trace" {
	local recorder
	build_prog "$REFERENCE_GO" downstream
	servers keep tcp 127.0.0.1:0
	loads 1
	"$GOTAP" record --json -p "$FRONT" -p "$BACK" -o "$T/both" 2>"$T/report" 3>&- &
	recorder=$!
	wait_for 60 test -s "$T/both.1.downstream.out.partial"
	wait_for 60 test -s "$T/both.2.downstream.out.partial"
	kill -INT "$recorder"
	wait "$recorder"
	trace_ok "$T/both.1.downstream.out"
	trace_ok "$T/both.2.downstream.out"
	python3 -c 'import json, sys
*ps, d = [json.loads(l) for l in open(sys.argv[1])]
assert len(ps) == 2 and all(p["done"] and not p["report"]["lost"] for p in ps) and not d["failed"], (ps, d)' "$T/report"
}

@test "traces that have nothing to do with each other are read as before" {
	build_prog "$REFERENCE_GO" downstream
	servers keep tcp 127.0.0.1:0
	loads 1
	records_both 200ms
	"$GOTAP" why --func 'net/http.(*conn).serve' --json "$A" >"$T/one"
	gotap why --func 'net/http.(*conn).serve' --json "$A" "$CHECKOUT/tests/vectors/ok_ready_while_syscall_reached.trace"
	! grep -q '"process"' "$T/one" || fail "a process"
	gotap perfetto "$A" "$B" --pid 7 -o "$T/x"
	[ "$status" -eq 2 ]
	gotap requests "$A" "$T/nothing"
	[ "$status" -eq 1 ]
	contains "nothing"
}

@test "another trace that cannot be read is named once, and the answer is as without it" {
	build_prog "$REFERENCE_GO" downstream
	servers keep tcp 127.0.0.1:0
	loads 1
	records_both 300ms
	echo "no trace" >"$T/text"
	"$GOTAP" requests "$A" >"$T/alone"
	status=0
	"$GOTAP" requests "$A" "$T/text" >"$T/out" 2>"$T/err" || status=$?
	[ "$status" -eq 1 ]
	cmp "$T/alone" "$T/out"
	[ "$(grep -c "$T/text: " "$T/err")" -eq 1 ] && [ "$(wc -l <"$T/err")" -eq 1 ]
	# a damaged one counts as far as it can be read
	{ cat "$B"; echo "no batch"; } >"$T/bad"
	status=0
	"$GOTAP" requests "$A" "$T/bad" >"$T/out" 2>"$T/err" || status=$?
	[ "$status" -eq 1 ]
	grep -q "(pid $BACK)" "$T/out"
	[ "$(grep -c "$T/bad: " "$T/err")" -eq 1 ] && [ "$(wc -l <"$T/err")" -eq 1 ]
}
