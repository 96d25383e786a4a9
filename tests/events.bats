#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=alone
#
# gotap events, and what --events attaches: a group that is off has no probe.

load lib/common

GROUPS_ALL=(sched syscall gc heap cpu sweep user http sql labels alloc grpc stacks spans objects)

@test "every group is listed with what it costs and what it probes" {
	succeeds "$GOTAP" events
	for group in "${GROUPS_ALL[@]}"; do matches "^$group +(on|off) "; done
	[ "$(grep -cE '^    cost of an? (event|sample): [0-9]+\.[0-9] empty uprobes' <<<"$output")" -eq "${#GROUPS_ALL[@]}" ]
	! grep -E ': 0\.0 ' <<<"$output" || fail "a cost that was not measured"
	contains runtime.casgstatus
	contains 'runtime.(*mheap).freeSpanLocked'
}

# probes_of EVENTS: the functions that the program would have probes in.
probes_of() {
	"$GOTAP" doctor --json -e "$1" "$PROG" | jq -r '.probes[].function' | sort -u
}

@test "a group that is off attaches nothing" {
	require_tool jq
	build_prog 1.27 ranges
	probes_of sched >"$BATS_TEST_TMPDIR/sched"
	# findRunnableGCWorker makes a worker runnable, which is of the scheduler.
	! grep -v findRunnableGCWorker "$BATS_TEST_TMPDIR/sched" |
		grep -E 'gcAssist|gcController|sweep|userTask|stackalloc|initSpan' || fail "a probe of another group"
	for group in gc heap sweep user alloc stacks spans; do
		probes_of "$group" >"$BATS_TEST_TMPDIR/$group"
		comm -13 "$BATS_TEST_TMPDIR/sched" "$BATS_TEST_TMPDIR/$group" | grep . || fail "$group has no probe"
		probes_of "all,-$group" | comm -13 "$BATS_TEST_TMPDIR/sched" - >"$BATS_TEST_TMPDIR/others"
		"$GOTAP" events | awk -v g="$group" '/^[a-z]/ { on = $1 == g } on && /^    [^c]/' | tr ' ' '\n' | grep . |
			while read -r function; do
				! grep -qxF -- "$function" "$BATS_TEST_TMPDIR/others" || fail "$function without $group"
			done
	done
}

all_measured() {
	local group
	for group in sched gc heap sweep user spans objects; do
		awk -v g="$group" '$1 == "group" && $2 == g && $4 > 10 && $5 > 0 { ok = 1 } END { exit !ok }' <<<"$output" ||
			fail "nothing of $group" || return
	done
}

# A tool writes the costs, from what is measured; here, that it measures: of a program that gets little CPU in a longer time.
@test "the costs of groups are measured" {
	require_root
	require_tool clang
	BUILD=$BUILD succeeds "$CHECKOUT/tools/bench.d/build"
	build_prog 1.27 ranges
	start_target "$PROG"
	for ms in 500 4000; do
		succeeds "$BUILD/bench/groups" "$TARGET" "$ms"
		! all_measured || break
	done
	stop_target
	all_measured
	awk '$1 == "empty" && $2 > 100 && $3 > $2 { ok = 1 } END { exit !ok }' <<<"$output"
}
