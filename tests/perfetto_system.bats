#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=alone
#
# gotap record --system --perfetto: the other programs of the machine.

load lib/common
load lib/perfetto

setup() {
	require_root
	build_prog "$REFERENCE_GO" mixed
	cd "$BATS_TEST_TMPDIR"
}

teardown() {
	[ -z "${HOG:-}" ] || kill -KILL "$HOG" || true
	stop_targets
}

is_pinned() { [ "$(cat "/proc/$HOG/comm")" = sh ]; }

hog_ran() { cut -d ' ' -f 1 "/proc/$HOG/schedstat"; }

hog_has_run() { [ "$(hog_ran)" -ge "$1" ]; }

hog_is_stopped() { [[ $(cat "/proc/$HOG/stat") == *') T '* ]]; }

# runs_for MS: lets the other program run for MS ms of CPU time, and stops it.
runs_for() {
	local until=$(($(hog_ran) + $1 * 1000000))
	kill -CONT "$HOG"
	wait_for 60 hog_has_run "$until"
	kill -STOP "$HOG"
	wait_for 60 hog_is_stopped
	sleep 0.05	# until it has left its CPU
}

# beside_hog: records the whole machine while another program, $HOG, runs, from the time $from on: its CPU time is
# $before ns then, and $after ns at the end.
beside_hog() {
	"$GOTAP" record -p "$TARGET" -e +linux --system --json --budget none --spool spool -o go.trace --perfetto beside 2>report.json 3>&- &
	RECORDER=$!
	wait_for 60 reads_threads
	runs_for 10
	before=$(hog_ran)
	from=$(python3 -c 'import time; print(time.monotonic_ns())')
	runs_for 200
	kill -INT $RECORDER
	wait $RECORDER
	after=$(hog_ran)
}

# Compared with the kernel's count of another program's CPU time, which is read while that program is stopped. It runs
# once before, so that gotap has seen the count: with it gotap recovers stays of which the kernel reports no begin. On a
# machine that switches all the time and leaves gotap no CPU records are lost: then the recording is made again.
@test "--system: other programs on the CPUs, too" {
	require_trace_processor
	taskset -c 0 sh -c 'while :; do :; done' 3>&- &
	local hog=$! before after from i
	HOG=$hog
	wait_for 60 is_pinned
	kill -STOP $hog
	wait_for 60 hog_is_stopped
	start_target "$PROG" -dur 10m
	for i in 1 2 3; do
		beside_hog
		[ "$(jq '.linux.lost // 0' report.json)" -ne 0 ] || break
	done
	kill -KILL $hog
	HOG=
	jq -e .linux report.json >/dev/null || skip "this kernel has no tracepoints for it"
	echo "the other program ran for $((after - before)) ns, $(jq .linux.switches_of_others_missing report.json) switches are missing"
	# At a switch the kernel's clock differs by some us from that of the records: 50 us a stay are allowed.
	run_logged sql beside "select abs(sum(dur) - ($after - $before)) < ($after - $before) / 50 + 50000 * count(*), count(*) > 0, min(cpu), max(cpu),
		count(distinct process.pid) from sched join thread using (utid) join process using (upid) where tid = $hog and ts > $from"
	[ "$output" = "$(printf '1\t1\t0\t0\t1')" ]
	# A CPU has one task at a time; no thread of the program is there twice.
	[ "$(sql beside "select count(*) from (select ts, lead(ts) over (partition by cpu order by ts) as next, dur from sched) where dur > next - ts")" -eq 0 ]
	[ "$(sql beside "select count(*) from stats where value > 0 and severity != 'info'")" -eq 0 ]
	[ "$(sql beside "select count(*) > 1 from thread join process using (upid) where pid = $TARGET and tid != pid")" -eq 1 ]
	[ "$(jq .linux.lost report.json)" -eq 0 ]
}

reads_threads() { "$GOTAP" records spool.partial 2>/dev/null | grep -q 'step=read' || ! target_runs "$RECORDER"; }
