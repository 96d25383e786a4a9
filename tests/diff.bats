#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# The differential test: a program that does everything the scheduler knows writes its own runtime/trace while gotap
# records it, and the two are held against each other, goroutine by goroutine and P by P. What differs is shown as
# diagnostics of the test, whether it passes or not.

load lib/common
load lib/record

setup() {
	require_root
	oracle "$REFERENCE_GO"
}

teardown() { stop_targets; }

LIMITS=(-min-recall 0.999 -min-precision 0.999 -min-reasons 0.999 -min-stacks 0.99
	-min-proc-recall 0.999 -min-proc-precision 0.999 -max-p99 50us)

# explain TEXT: diagnostics that are shown even when the test passes.
explain() { sed 's/^/# /' <<<"$*" >&3; }

# What of diff's report is worth reading every time: the totals, and all that differs.
findings() {
	awk '/^(all|result|window)/ { print; next }
		/^(Go|Proc)[A-Z]/ && /%/ && / [0-9]?[0-9]\.[0-9]+%/ { print; next }
		/^different/ { rest = 1 }
		rest && NF' <<<"$output" | head -n 40
}

compare() {
	local theirs=$BATS_TEST_TMPDIR/$2-runtime.trace ours=$BATS_TEST_TMPDIR/$2-gotap.trace
	GOMAXPROCS=$2 start_target "$PROG" -trace "$theirs" -delay 700ms -dur 1500ms -tail 50ms
	recorded "$ours" -p "$TARGET"
	wait_target
	views_ok "$ours"
	run_logged "$ORACLE/diff" "${LIMITS[@]}" "$theirs" "$ours"
	explain "Go $1, GOMAXPROCS=$2
$(findings)"
	[ "$status" -eq 0 ]
}

agree() {
	local procs
	build_prog "$1" mixed
	for procs in 1 2 4; do
		compare "$1" "$procs"
	done
}

@test "gotap sees what the runtime sees: Go 1.22, GOMAXPROCS 1, 2, 4" { agree 1.22; }
@test "gotap sees what the runtime sees: Go 1.23, GOMAXPROCS 1, 2, 4" { agree 1.23; }
@test "gotap sees what the runtime sees: Go 1.24, GOMAXPROCS 1, 2, 4" { agree 1.24; }
@test "gotap sees what the runtime sees: Go 1.25, GOMAXPROCS 1, 2, 4" { agree 1.25; }
@test "gotap sees what the runtime sees: Go 1.26, GOMAXPROCS 1, 2, 4" { agree 1.26; }
@test "gotap sees what the runtime sees: Go 1.27, GOMAXPROCS 1, 2, 4" { agree 1.27; }
