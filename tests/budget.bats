#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=alone
#
# --budget: what the probes may cost the program. When they would cost more, the first level holds that is cheap enough;
# the report and the trace say when, and what is in the trace is true. How the decision is made has its unit test
# (tests/unit/capture_budget.c); here nothing depends on how fast this machine is.

load lib/common
load lib/record

setup() {
	require_root
	oracle "$REFERENCE_GO"
	TRACE=$BATS_TEST_TMPDIR/gotap.trace
}

teardown() { stop_targets; }

# steps: the levels of the last report, in their order.
steps() { sed -nE 's/.*"budget_steps": \[([^]]*)\].*/\1/p' "$REPORT" | grep -oE '"level": "[a-z-]*"' | sed 's/.*: "//; s/"//' | paste -sd ' '; }

# A program that does nothing but hand over, and a budget that no machine can keep with probes in place.
shed() {
	build_prog "$1" pingpong
	start_target "$PROG"
	start_record "$TRACE" --strict -p "$TARGET" --budget 0.5 --ring-size 64M "${@:2}"
	wait_for 60 is_off
	stop_record
	[ "$status" -eq 0 ]
	views_ok "$TRACE"
	notes
	[[ " $(steps)" == *" slices" ]]
	[ "$(reported lost)" -eq 0 ]
	[ "$(reported repairs_total)" -eq 0 ]
	[ "$(reported budget_slices)" -ge 1 ]
	# Each step with its time, also in the trace, in the same order.
	[ "$(notes 'budget: ' | wc -l)" -eq "$(steps | wc -w)" ]
	notes 'budget: ' | sort -c -n
	[ "$(notes 'not recorded from here on: probes would cost more' | wc -l)" -ge 1 ]
	sed -nE 's/.*"budget_steps": \[([^]]*)\].*/\1/p' "$REPORT" | grep -oE '"seconds": [0-9.]+' | awk '{ print $2 }' | sort -c -n
	target_runs
}

# The texts lie in the file as they are, once a generation is there: each slice ends one.
is_off() { grep -aq 'not recorded from here on: probes would cost more' "$TRACE.partial"; }

# for releases 1.22 1.25 newest (soak-only 1.25):
#	@test "a tiny budget: slices of time, Go %" { shed %; }
@test "a tiny budget: slices of time, Go 1.22" { shed 1.22; }
# bats test_tags=soak-only
@test "a tiny budget: slices of time, Go 1.25" { shed 1.25; }
@test "a tiny budget: slices of time, Go 1.27" { shed 1.27; }
# end of releases
@test "a tiny budget with uprobes of perf" { shed 1.27 --attach perf; }

# It comes and goes: what is between two slices is as true as after an attach.
@test "slices of time: states are true in each" {
	build_prog "$REFERENCE_GO" turn
	local i
	start_target "$PROG" -load 20
	start_record "$TRACE" --strict -p "$TARGET" --budget 2 --ring-size 64M
	wait_for 60 has_read 1
	kill -USR1 "$TARGET"
	wait_for 60 turned
	i=$(readings)
	# a slow machine's slice costs what 2 % of a CPU are in half a minute
	wait_for 240 has_read $((i + 2))
	kill -STOP "$TARGET"
	stop_record
	kill -CONT "$TARGET"
	[ "$status" -eq 0 ]
	views_ok "$TRACE"
	[ "$(reported resumed)" -ge 2 ]
	[ "$(reported repairs_total)" -eq 0 ]
	record "$BATS_TEST_TMPDIR/after.trace" -p "$TARGET" -d 50ms
	states "$TRACE" 4 "$BATS_TEST_TMPDIR/after.trace" >"$BATS_TEST_TMPDIR/then"
	states "$BATS_TEST_TMPDIR/after.trace" 3 >"$BATS_TEST_TMPDIR/now"
	[ "$(grep -c . "$BATS_TEST_TMPDIR/now")" -ge 80 ]
	succeeds diff "$BATS_TEST_TMPDIR/then" "$BATS_TEST_TMPDIR/now"
}

@test "a large budget: nothing is left out" {
	build_prog "$REFERENCE_GO" pingpong
	start_target "$PROG"
	recorded "$TRACE" -p "$TARGET" -d 1500ms --budget 10000 --ring-size 64M
	[ -z "$(steps)" ]
	[ -z "$(notes)" ]
	[ "$(reported budget_percent)" = 10000.000 ]
	awk -v c="$(reported cost_percent)" 'BEGIN { exit !(c > 0) }'
}

@test "the default: a tenth of the CPUs that the program may run on" {
	build_prog "$REFERENCE_GO" sleepers
	start_target taskset -c 0 "$PROG"
	"$GOTAP" record -p "$TARGET" -d 300ms -o "$TRACE" --json 2>"$TRACE.json"
	REPORT=$TRACE.json
	[ "$(reported budget_percent)" = 10.000 ]
	[ -z "$(steps)" ]
	# It hardly runs: some ten probes. Those of gotap's own calibration, thousands, are no cost of the program's.
	awk -v c="$(reported cost_percent)" 'BEGIN { exit !(c < 1) }'
	"$GOTAP" record --help | grep -q -- '--budget PERCENT'
}

@test "a program that gotap runs" {
	build_prog "$REFERENCE_GO" pingpong
	record "$TRACE" --budget 0.5 --ring-size 64M -- "$PROG" -dur 3s
	[ "$status" -eq 0 ]
	views_ok "$TRACE"
	[[ $(steps) =~ no-extras|slices ]]
	[ "$(reported repairs_total)" -eq 0 ]
}

@test "the raw records give the same trace and tell the same steps" {
	build_prog "$REFERENCE_GO" pingpong
	start_target "$PROG"
	record "$TRACE" -p "$TARGET" -d 3s --budget 0.5 --spool "$TRACE.spool"
	STEPS=$(steps)
	[ -n "$STEPS" ]
	"$GOTAP" assemble --json "$TRACE.spool" -o "$TRACE.again" 2>"$TRACE.again.json"
	cmp "$TRACE" "$TRACE.again"
	REPORT=$TRACE.again.json
	[ "$(steps)" = "$STEPS" ]
}

@test "what is no budget" {
	local what
	for what in 0 -1 x 5x nan inf ''; do
		gotap record --budget "$what" true
		[ "$status" -eq 2 ]
		contains "--budget takes percent of a CPU"
	done
}
