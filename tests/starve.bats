#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=alone
#
# record --attach inline on CPUs that others use, too: gotap has a low priority while the rings are nearly empty, and a
# high one in time. Nothing is lost, whoever else runs.

load lib/common
load lib/record

setup() {
	require_root
	require_inline
	oracle "$REFERENCE_GO"
	TRACE=$BATS_TEST_TMPDIR/x.trace
	ATTACH=inline
	HOGS=()
}

teardown() {
	[ ${#HOGS[@]} -eq 0 ] || kill -KILL "${HOGS[@]}" || true
	stop_targets
}

# nice_of THREAD: the nice value of the recorder's thread of that name.
nice_of() {
	local task
	for task in "/proc/$RECORDER/task/"*; do
		[ "$(cat "$task/comm")" != "$1" ] || sed 's/.*) //' "$task/stat" | cut -d' ' -f17
	done
}

is_nice() { [ "$(nice_of "$1")" = "$2" ]; }

# hogs N NICE: so many processes that take all CPU time that they get.
hogs() {
	local i
	for ((i = 0; i < $1; i++)); do
		nice -n "$2" sh -c 'while :; do :; done' 3>&- &
		HOGS+=($!)
	done
}

# become_low: on a machine that is too busy with other things the drain is late all the time, and never is.
become_low() { wait_for 30 is_nice gotap-drain 10 && wait_for 30 is_nice gotap 10; }

@test "the priority is low while little happens, high when the drain is late, and low again" {
	build_prog "$REFERENCE_GO" sleepers
	start_target "$PROG" -n 3 -tick 10ms
	holdable start_record "$TRACE" -p "$TARGET"
	is_nice gotap-guard -10
	become_low || skip "the machine is too busy"
	hold_drain
	wait_for 60 is_nice gotap-drain -10
	is_nice gotap -10
	let_drain_go
	become_low || skip "the machine is too busy"
	stop_record
	[ "$status" -eq 0 ]
	views_ok "$TRACE"
}

# A gotap without CAP_SYS_NICE could not raise a priority again.
@test "without the right to raise it the priority is not lowered" {
	require_tool setpriv
	build_prog "$REFERENCE_GO" sleepers
	start_target "$PROG" -n 3 -tick 10ms
	printf '#!/bin/sh\nexec setpriv --bounding-set=-sys_nice --inh-caps=-sys_nice %s "$@"\n' "$GOTAP" >"$BATS_TEST_TMPDIR/gotap"
	chmod +x "$BATS_TEST_TMPDIR/gotap"
	GOTAP=$BATS_TEST_TMPDIR/gotap start_record "$TRACE" -p "$TARGET"
	wait_for 60 inline_runs
	sleep 1.5
	is_nice gotap-drain 0
	is_nice gotap 0
	stop_record
	[ "$status" -eq 0 ]
}

# starved HOGS NICE: a program beside so many hogs. At its rate a ring is full within seconds if the drain gets no CPU.
starved() {
	build_prog "$REFERENCE_GO" pingpong
	start_target "$PROG" -work 1000
	start_record "$TRACE" --strict -p "$TARGET" --stack-depth 8
	wait_for 60 inline_runs
	become_low || explain "the machine is too busy for a low priority"
	hogs "$1" "$2"
	sleep 4
	stop_record
	explain "$1 hogs of nice $2: $(reported records) records, $(reported lost) lost"
	[ "$status" -eq 0 ] || fail "$(flaws)"
	[ "$(reported lost)" -eq 0 ]
}

# bats test_tags=soak-only
@test "3 busy loops: nothing is lost" { starved 3 0; }
# bats test_tags=soak-only
@test "6 busy loops: nothing is lost" { starved 6 0; }
# bats test_tags=soak-only
@test "3 busy loops of a higher priority: nothing is lost" { starved 3 -5; }
@test "6 busy loops of a higher priority: nothing is lost" { starved 6 -5; }
