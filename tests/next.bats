#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# The commands with which an answer ends: at most two, which fit what the answer lacks, and which run as they stand there.
# (Their order, and that no text of a trace gets into a shell: tests/unit/cmd_next.c.)

load lib/common
load lib/record

setup() {
	require_root
	require_tool jq
	require_go "$REFERENCE_GO"
	cd "$BATS_TEST_TMPDIR"
}

teardown() { stop_targets; }

# slow_is_recorded TRACE ARGUMENT...: examples/slow.go, whose unit of work waits for a goroutine that runs.
slow_is_recorded() {
	local slow=$BUILD/prog/slow
	[ "$slow" -nt "$CHECKOUT/examples/slow.go" ] || (cd "$CHECKOUT/examples" && CGO_ENABLED=0 "$GO" build -o "$slow" slow.go)
	start_target "$slow"
	"$GOTAP" record -q --budget none -p "$TARGET" -d 800ms -o "$@"
}

# next_of COMMAND...: the commands at the end of gotap's answer, one a line; the JSON has the same.
next_of() {
	"$GOTAP" "$@" >answer
	sed -n '/^NEXT$/,$p' answer | sed -n 's/^      \(gotap .*\)/\1/p' >next
	"$GOTAP" "$@" --json | jq -r '.next[].command' | diff - next
	cat next
	[ "$(wc -l <next)" -le 2 ]
}

# next_runs: the first of these commands runs as it stands there, into the file "told".
next_runs() {
	PATH=$(dirname "$GOTAP"):$PATH bash -c "$(head -n 1 next)" >told
}

@test "a report of a unit that runs, without CPU samples: the slowest one's path, and how to record samples" {
	slow_is_recorded x.trace
	next_of report x.trace
	sed -n 1p next | grep -E '^gotap why x.trace -g [0-9]+ --from [0-9.]+ --to [0-9.]+$'
	[ "$(sed -n 2p next)" = "gotap record -p $TARGET -d 5s --cpu-samples 99" ]
	next_runs
	grep -E '^goroutine [0-9]+ main.handle took [0-9.]+ ms, from' told
}

@test "with CPU samples none are asked for" {
	slow_is_recorded x.trace --cpu-samples 499
	next_of report x.trace
	! grep cpu-samples next || fail "the trace has samples"
	next_of why x.trace --func main.handle
	! grep cpu-samples next || fail "the trace has samples"
}

@test "why of one of many: what slow ones have more of; of all of them: the report; of the program: the report" {
	slow_is_recorded x.trace
	next_of why x.trace --func main.handle
	[ "$(sed -n 1p next)" = "gotap why x.trace --func main.handle --all" ]
	next_runs
	grep 'what slow ones have more of first' told
	next_of why x.trace --func main.handle --all
	[ "$(cat next)" = 'gotap report x.trace' ]
	next_of why x.trace
	[ "$(sed -n 1p next)" = 'gotap report x.trace' ]
}

@test "a trace of standard input cannot be read again: no command names it" {
	slow_is_recorded x.trace
	"$GOTAP" report - <x.trace >answer
	sed -n '/^NEXT$/,$p' answer >next
	grep -q 'gotap record' next
	! grep 'gotap why\|gotap report' next || fail "it names the trace"
}

@test "a trace of another host: the id of its process is left out" {
	[ -n "$(unshare --uts true 2>&1)" ] && skip "no UTS namespaces here"
	slow_is_recorded x.trace
	run_logged unshare --uts bash -c "hostname elsewhere; '$GOTAP' report x.trace"
	matches '^      gotap record -p PID -d 5s --cpu-samples 99$'
}

@test "ps names the busiest program that can be recorded, doctor the one that it was asked of" {
	slow_is_recorded x.trace
	succeeds "$GOTAP" doctor -p "$TARGET"
	matches "^      gotap record -p $TARGET -d 5s$"
	"$GOTAP" ps >listed
	[ "$(awk '$8 == "yes" { print $1; exit }' listed)" = "$(sed -n 's/^      gotap record -p \([0-9]*\) .*/\1/p' listed)" ]
}

@test "diff of traces that differ: the slower function in the later trace" {
	slow_is_recorded a.trace
	"$GOTAP" diff a.trace a.trace --json | jq -e '.changes == []'
	build_prog "$REFERENCE_GO" mutex
	start_target "$PROG" -hold 100us
	"$GOTAP" record -q --budget none -p "$TARGET" -d 800ms -o quick.trace
	start_target "$PROG" -hold 3ms
	"$GOTAP" record -q --budget none -p "$TARGET" -d 800ms -o later.trace
	next_of diff quick.trace later.trace
	sed -n 1p next | grep -Ex 'gotap why later.trace --func main\.(locker|reader|writer) --all'
}
