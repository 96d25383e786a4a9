#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Programs that move their code to memory of no file (huge pages for code): no probe reaches it, and one that is copied
# along kills the program.

load lib/common
load lib/record

setup() {
	require_root
	require_tool cc
	TRACE=$BATS_TEST_TMPDIR/gotap.trace
}

teardown() { stop_targets; }

@test "a program that has moved its code is refused" {
	build_prog "$REFERENCE_GO" remap
	start_target "$PROG"
	gotap record -p "$TARGET" -d 200ms -o "$TRACE"
	[ "$status" -eq 1 ]
	contains "process $TARGET runs a copy of its code that is not mapped from its file"
	[ ! -s "$TRACE" ]
	target_runs
}

has_moved() { grep -qx moved "$TARGET_OUT"; }

# From then on nothing more would be seen of it.
@test "a program that moves its code while it is recorded: the recording ends there" {
	build_prog "$REFERENCE_GO" remap
	start_target "$PROG" -signal -clean
	start_record "$TRACE" -p "$TARGET"
	sleep 0.5
	kill -USR1 "$TARGET"
	wait_for 60 has_moved
	wait_for 60 eval '! target_runs "$RECORDER"'
	wait_record
	[ "$status" -eq 0 ]
	[[ $(reported ended) == *"moved its code"* ]]
	views_ok "$TRACE"
	target_runs
}
