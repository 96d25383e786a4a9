#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=beside
#
# The judges themselves, on traces of the runtime and on altered copies of them.

load ../lib/common

setup_file() {
	local dir=$BATS_FILE_TMPDIR
	load ../lib/common
	build_prog "$REFERENCE_GO" mixed
	oracle "$REFERENCE_GO"
	"$PROG" -trace "$dir/a.trace" -delay 50ms -dur 300ms -rounds 500 -tail 50ms
	"$ORACLE/wire" -text <"$dir/a.trace" >"$dir/a.txt"
}

setup() {
	A=$BATS_FILE_TMPDIR/a
	oracle "$REFERENCE_GO"
}

# altered SED-SCRIPT: a copy of the trace with its text form changed.
altered() {
	sed -E "$1" "$A.txt" | "$ORACLE/wire" >"$BATS_TEST_TMPDIR/b.trace"
}

against_altered() { run_logged "$ORACLE/diff" "$@" "$A.trace" "$BATS_TEST_TMPDIR/b.trace"; }

@test "check takes a runtime's trace, and its text form leads back to it" {
	trace_ok "$A.trace"
	views_ok "$A.trace"
	altered ''
	"$ORACLE/wire" -text <"$BATS_TEST_TMPDIR/b.trace" | cmp - "$A.txt"
}

@test "check refuses a trace cut in the middle" {
	head -c $(($(stat -c %s "$A.trace") / 2)) "$A.trace" >"$BATS_TEST_TMPDIR/cut.trace"
	run_logged "$ORACLE/check" "$BATS_TEST_TMPDIR/cut.trace"
	[ "$status" -eq 1 ]
	[[ ${lines[0]} == "FAIL "* ]]
}

@test "check refuses a wrong sequence number, and says so in one line" {
	altered 's/^(GoStart .*g_seq=)5$/\150/'
	run_logged "$ORACLE/check" "$BATS_TEST_TMPDIR/b.trace"
	[ "$status" -eq 1 ]
	[ "${#lines[@]}" -eq 1 ]
	contains "failed to advance"
}

@test "check -views refuses a trace that go tool trace would crash on" {
	altered '/^ProcsChange /s/.*/HeapGoal dt=1 heapgoal_value=1/'
	trace_ok "$BATS_TEST_TMPDIR/b.trace"
	run_logged "$ORACLE/check" -views "$BATS_TEST_TMPDIR/b.trace"
	[ "$status" -eq 1 ]
	contains "GOMAXPROCS"
}

@test "check prints counts, goroutines and stacks" {
	run_logged "$ORACLE/check" -counts -goroutines -stacks "$A.trace"
	matches '^count [0-9]+ Go Running->Waiting "chan receive"$'
	matches '^goroutine 1 first=[A-Z][a-z]+ last=[A-Z][a-z]+ name=main.main$'
	matches '^stack [0-9]+ Go Running->Waiting "network"$'
}

@test "diff finds a trace equal to itself" {
	altered ''
	against_altered -min-recall 1 -min-precision 1 -min-reasons 1 -min-stacks 1 -min-threads 1 -max-p90 1ns
	[ "$status" -eq 0 ]
	[ "${lines[-1]}" = "result: PASS" ]
}

@test "diff finds other reasons" {
	altered 's/data="chan receive"/data="chan send"/'
	against_altered
	[ "$status" -eq 1 ]
	matches 'GoBlock +"chan receive"  "chan send"'
	[[ ${lines[-1]} == "result: FAIL: reasons 0."* ]]
}

@test "diff finds other lines in stacks" {
	altered 's/^(\t.*line=)([0-9]+)$/\1\29/'
	against_altered
	[ "$status" -eq 1 ]
	contains "same functions, other lines"
	[[ ${lines[-1]} == *"stacks 0.0000"* ]]
}

@test "diff finds missing stacks" {
	altered 's/^(GoBlock .*stack=).*/\10/'
	against_altered
	[ "$status" -eq 1 ]
	contains "gotap has none"
}

@test "diff tells a late clock from lost steps" {
	perl -pe 's/^(EventBatch .*time=)(\d+)/$1.($2+15625)/e' "$A.txt" | "$ORACLE/wire" >"$BATS_TEST_TMPDIR/b.trace"
	against_altered -max-p90 500us
	[ "$status" -eq 1 ]
	contains "gotap's is 1000.0 us late"
	[[ ${lines[-1]} == "result: FAIL: p90 of time differences 1ms > 500µs" ]]
}

@test "diff has nothing to say about traces of different times" {
	build_prog "$REFERENCE_GO" mixed
	"$PROG" -trace "$BATS_TEST_TMPDIR/b.trace" -delay 10ms -dur 100ms -tail 0
	against_altered
	[ "$status" -eq 2 ]
	contains "no common window"
}

@test "diff -json is JSON with the same verdict" {
	require_tool python3
	altered ''
	against_altered -json
	python3 -c 'import json, sys; d = json.load(sys.stdin); assert d["pass"] and d["kinds"]["GoStart"]["recall"] == 1' \
		<<<"$output"
}

@test "the alignment finds lost steps where they were" {
	require_go "$REFERENCE_GO"
	cd "$CHECKOUT/tests/oracle/diff"
	GOFLAGS='' GOWORK=off succeeds "$GO" test -vet=off align.go model.go align_test.go
}

@test "every release reads the traces that it can read" {
	local writer reader
	for writer in 1.22 1.23 1.25 1.26; do
		build_prog "$writer" mixed
		"$PROG" -trace "$BATS_TEST_TMPDIR/$writer.trace" -delay 10ms -dur 50ms -tail 0
		trace_ok "$BATS_TEST_TMPDIR/$writer.trace"
		for reader in 1.22 1.23 1.24 1.25 1.26 1.27; do
			[ "${reader#1.}" -lt "${writer#1.}" ] || readable_by "$reader" "$BATS_TEST_TMPDIR/$writer.trace"
		done
	done
}
