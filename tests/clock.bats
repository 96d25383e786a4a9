#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Time namespaces: records have the machine's time, whatever clock gotap or its target sees.

load lib/common
load lib/record

setup() {
	require_root
	require_tool unshare
	unshare -T --monotonic 1 true 2>/dev/null || skip "no time namespaces here"
	oracle "$REFERENCE_GO"
	TRACE=$BATS_TEST_TMPDIR/gotap.trace
}

teardown() { stop_targets; }

mixed() { build_prog "$REFERENCE_GO" mixed; }

# of_time GOTAP...: makes a recording of a second. The trace lasts as long, and `convert` between the times of its first
# and third quarter of events gives half of them.
of_time() {
	local from to all parts
	status=0
	"$@" record -o "$TRACE" --json --budget none --strict -p "$TARGET" -d 1s 2>"$TRACE.json" || status=$?
	REPORT=$TRACE.json
	[ "$status" -eq 0 ] || fail "$* ended with status $status: $(flaws)" || return
	awk -v s="$(reported seconds)" 'BEGIN { exit !(s > 0.9 && s < 60) }' || fail "$(reported seconds) s of a second"
	views_ok "$TRACE" || return
	read -r from to all < <("$GOTAP" text --events --no-stacks "$TRACE" | awk -v s="$(reported seconds)" '
		{ time[NR] = $1 }
		END { if (time[NR] > s - 0.001 && time[NR] < s + 0.001) print time[int(NR / 4)] "s", time[int(3 * NR / 4)] "s", NR }') ||
		fail "the events are not of $(reported seconds) s" || return
	succeeds "$GOTAP" convert "$TRACE" -o "$TRACE.part" --from "$from" --to "$to" || return
	parts=$(count_of "$TRACE.part" .)
	[ $((4 * parts)) -gt "$all" ] || fail "$parts of $all events are between $from and $to"
}

@test "gotap in a time namespace whose clock is ahead, and in one whose clock is behind" {
	mixed
	start_target "$PROG" -delay 1m
	of_time unshare -T --monotonic 86400 "$GOTAP"
	of_time unshare -T --monotonic -100 "$GOTAP"
}

@test "the target in a time namespace" {
	mixed
	start_target unshare -T --monotonic 86400 "$PROG" -delay 1m
	[ "$(readlink "/proc/$TARGET/exe")" = "$PROG" ] || TARGET=$(pgrep -P "$TARGET")
	TARGETS+=" $TARGET"
	of_time "$GOTAP"
}

@test "gotap and a command that it starts in a time namespace" {
	mixed
	REPORT=$TRACE.json
	unshare -T --monotonic -100 "$GOTAP" record -o "$TRACE" --json --strict --budget none -d 500ms -- "$PROG" -delay 700ms -dur 10ms 2>"$REPORT" >/dev/null
	awk -v s="$(reported seconds)" 'BEGIN { exit !(s > 0.4 && s < 60) }'
	views_ok "$TRACE"
}
