#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# The lines "cost" of the report: CPU time in the program, and in gotap's own processes, as the kernel counts it.

load lib/common
load lib/record

setup() {
	require_root
	TRACE=$BATS_TEST_TMPDIR/gotap.trace
}

teardown() { stop_targets; }

# cpu_of PID...: clock ticks that they have used; nothing of one that has ended.
cpu_of() {
	local pid
	for pid; do cat "/proc/$pid/stat" 2>/dev/null || true; done | awk '{ sub(/.*\) /, ""); n += $12 + $13 } END { print n + 0 }'
}

# gotap_processes: the recorder and its helpers.
gotap_processes() { printf '%s ' "$RECORDER"; cat "/proc/$RECORDER"/task/*/children 2>/dev/null; }

# works_on N: the program has used N ticks more than $busy.
works_on() { [ "$(cpu_of "$TARGET")" -ge "$((busy + $1))" ]; }

# Both counts are of nearly the same time: each rate is compared with that of the program in the same time, so that a busy
# machine, on which both get little, changes neither quotient.
measured() {
	local own busy
	build_prog "$REFERENCE_GO" fullload
	start_target "$PROG"
	start_record "$TRACE" -p "$TARGET" --ring-size 16M "$@"
	own=$(cpu_of $(gotap_processes)) busy=$(cpu_of "$TARGET")
	wait_for 120 works_on 300
	own=$(($(cpu_of $(gotap_processes)) - own)) busy=$(($(cpu_of "$TARGET") - busy))
	stop_record
	[ "$status" -eq 0 ]
	explain "by /proc: gotap $own ticks, the program $busy; by the report: $(reported gotap_percent) % and $(reported program_percent) % of a CPU"
	awk -v own="$own" -v busy="$busy" -v gotap="$(reported gotap_percent)" -v program="$(reported program_percent)" \
		'BEGIN { x = (gotap / program) / (own / busy); exit !(own > 0 && x > 0.4 && x < 2.5) }'
	# All of gotap is more than its part in the middle, and no more than was there at the end.
	awk -v all="$(reported gotap_seconds)" -v own="$own" 'BEGIN { exit !(all * 100 > own * 0.9) }'
}

@test "gotap's own CPU time is that of its processes, with uprobes" { measured --attach auto; }
@test "gotap's own CPU time is that of its processes, with --attach inline" { require_inline; measured --attach inline; }

# A program that gotap starts is a child of it: what the shell counts is both.
@test "a launched program's CPU time is not gotap's" {
	local both TIMEFORMAT='%U %S'
	build_prog "$REFERENCE_GO" fullload
	both=$( { time "$GOTAP" record -o "$TRACE" --json --budget none --ring-size 16M -d 20s -- "$PROG" -dur 4s 2>"$TRACE.json"; } 2>&1 | tail -n 1)
	REPORT=$TRACE.json
	explain "gotap and the program $both s; gotap $(reported gotap_seconds) s, the program $(reported program_percent) % of $(reported over_seconds) s"
	awk -v both="$both" -v gotap="$(reported gotap_seconds)" -v percent="$(reported program_percent)" -v seconds="$(reported over_seconds)" '
		BEGIN { split(both, part, " "); program = percent / 100 * seconds
			exit !(program > 0.15 && gotap > 0 && gotap + program < part[1] + part[2] + 0.05) }'
}

@test "both lines, with a budget and without" {
	build_prog "$REFERENCE_GO" pingpong
	start_target "$PROG"
	succeeds "$GOTAP" record -v -o "$TRACE" -p "$TARGET" -d 600ms
	matches '^cost: in the program, the probes took about [0-9.]+ % of a CPU, [0-9.]+ % of the program.s CPU time; [0-9.]+ % of a CPU are allowed'
	matches '^cost: in gotap, [0-9.]+ % of a CPU, as much as [0-9.]+ % of the program.s CPU time; [0-9.]+ s of CPU in all, with its start and end$'
	succeeds "$GOTAP" record -v -o "$TRACE" -p "$TARGET" -d 600ms --budget none
	contains 'cost: in the program, not counted without a budget'
	matches '^cost: in gotap, [0-9.]+ % of a CPU'
}
