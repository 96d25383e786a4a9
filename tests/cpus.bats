#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Each CPU has a ring that the machine can have, not only those that are online when a recording begins.

load lib/common
load lib/record

setup() {
	require_root
	[ "$(nproc --all)" -ge 2 ] || skip "needs two CPUs"
	taskset -c 0,1 true 2>/dev/null || skip "may not run on CPU 0 and CPU 1"
	oracle "$REFERENCE_GO"
	TRACE=$BATS_TEST_TMPDIR/gotap.trace
}

teardown() { stop_targets; }

# with_online LIST COMMAND...: runs it where /sys says that these CPUs are online, as it did before others came.
with_online() {
	echo "$1" >"$BATS_TEST_TMPDIR/online"
	shift
	# shellcheck disable=SC2016
	unshare -m --propagation private sh -c 'mount --bind "$0" /sys/devices/system/cpu/online && exec "$@"' \
		"$BATS_TEST_TMPDIR/online" "$@"
}

@test "what happens on a CPU that was not online at the start is in the trace" {
	build_prog "$REFERENCE_GO" pingpong
	start_target taskset -c 1 "$PROG" -work 20000
	succeeds with_online 0 "$GOTAP" record -p "$TARGET" -d 700ms --budget none --strict -o "$TRACE"
	views_ok "$TRACE"
	[ "$(count_of "$TRACE" 'Go Running->Waiting "chan')" -ge 100 ]
}

@test "its ring is as small as --ring-size says, and what finds no room there is counted" {
	build_prog "$REFERENCE_GO" pingpong
	start_target taskset -c 1 "$PROG"
	REPORT=$TRACE.json
	run_logged with_online 0 "$GOTAP" record -p "$TARGET" -d 1s --budget none --ring-size 4K --strict --json -o "$TRACE"
	echo "$output" >"$REPORT"
	[ "$status" -eq 1 ]
	[ "$(reported lost)" -gt 0 ]
	grep -qE '"lost_by_cpu": \[0, [1-9]' "$REPORT"
}
