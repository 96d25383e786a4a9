#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# gotap report on what gotap recorded, beside the pages of `go tool trace`; gotap record --report; what was not recorded.

load lib/common
load lib/record
load lib/report

setup() { require_root; TRACE=$BATS_TEST_TMPDIR/x.trace; }
teardown() { stop_targets; }

# recorded_pages VERSION NAME [ARG...]: the program, recorded from its begin.
recorded_pages() {
	build_prog "$1" "$2"
	shift 2
	succeeds "$GOTAP" record --budget none -q -d 1s -o "$TRACE" -- "$PROG" "$@"
	same_pages "$TRACE"
}

@test "pages of go tool trace: network, Go 1.26" { recorded_pages 1.26 netload -dur 700ms; }
@test "pages of go tool trace: GC, Go 1.27" { recorded_pages 1.27 gc -dur 700ms; }

@test "pages of go tool trace: tasks and regions, Go 1.24" {
	recorded_pages 1.24 annotated -dur 700ms
	matches ' [3-9] types of regions, [2-9] of tasks'
}

@test "record --report shows what the trace says, record names the command" {
	build_prog 1.27 mixed
	"$GOTAP" record --report -q -o "$TRACE" -- "$PROG" -dur 200ms -tail 0 >"$BATS_TEST_TMPDIR/shown"
	grep -q '^FINDINGS' "$BATS_TEST_TMPDIR/shown"
	diff <("$GOTAP" report "$TRACE") <(grep -vx 'ready\|done' "$BATS_TEST_TMPDIR/shown")
	succeeds "$GOTAP" record -o "$TRACE" -- "$PROG" -dur 100ms -tail 0
	[[ ${lines[-1]} == "$TRACE, "*"B: gotap report $TRACE" ]]
	! "$GOTAP" record --report -o - -- "$PROG" >/dev/null 2>"$BATS_TEST_TMPDIR/refused" || fail "it records"
	grep -q '^gotap: --report reads the trace again: that needs a file' "$BATS_TEST_TMPDIR/refused"
}

@test "what was left out is said" {
	build_prog 1.27 mixed
	succeeds "$GOTAP" record -q -e -heap -o "$TRACE" -- "$PROG" -dur 100ms -tail 0
	succeeds "$GOTAP" report "$TRACE"
	contains '  no size of the heap: no memory was allocated, or the group heap was left out'
}

# five_lines FORM...: what gotap printed is these lines, each a regular expression, and no other.
five_lines() {
	local i said
	mapfile -t said < <(grep -vx 'ready\|done' <<<"$output")
	[ "${#said[@]}" -eq $# ] || fail "${#said[@]} lines: ${said[*]}"
	for ((i = 0; i < $#; i++)); do
		[[ ${said[i]} =~ ^${*:i+1:1}$ ]] || fail "line $i, ${said[i]}, is not ${*:i+1:1}"
	done
}

@test "record prints five lines: program, length, losses, cost, file; -v prints the counts as well" {
	local program length lost cost file
	build_prog 1.27 mixed
	program='process [0-9]+ \(mixed, go1\.27[.0-9]*\): [0-9]+ probes \([a-z_]+\)'
	length='[0-9.]+ s, [0-9]+ events, [0-9]+ goroutines \(at most [0-9]+ at a time\); the program has ended \(exit status 0\)'
	lost='lost: 0, repairs: 0'
	cost="cost: probes [0-9.]+ % of a CPU, [0-9.]+ % of the program's CPU time \\([0-9.]+ % allowed\\); gotap [0-9.]+ % of a CPU, [0-9.]+ s of CPU in all"
	file="$TRACE, [0-9.]+ [kM]B: gotap report $TRACE"
	succeeds "$GOTAP" record --budget 1000 -o "$TRACE" --spool "$TRACE.spool" -- "$PROG" -dur 1s -tail 0
	five_lines "$program" "$length" "$lost" "$cost" "$file"
	succeeds "$GOTAP" assemble -o "$TRACE.again" "$TRACE.spool"
	five_lines "${program%:*}: from raw records" "${length%;*}" "$lost" 'cost: not known' "$TRACE.again, [0-9.]+ [kM]B: gotap report $TRACE.again"
	succeeds "$GOTAP" assemble -v -o "$TRACE.again" "$TRACE.spool"
	matches '^stacks: [0-9]+, generations: [1-9]'
	matches '^  .* GoCreate +[1-9]'
	matches "^$lost$"
}

@test "what is missing stands in the line of losses, with its number" {
	build_prog 1.27 mixed
	succeeds "$GOTAP" record -o "$TRACE" --format go1.19 -- "$PROG" -dur 300ms -tail 0
	matches '^lost: 0, repairs: [0-9]+, .*kinds of events that the format lacks: [1-9]'
	! matches '^left out' || fail "the details are for -v"
}
