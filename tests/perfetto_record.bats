#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# gotap record --perfetto and gotap assemble --perfetto write the same as gotap perfetto makes of the Go trace. (With
# --system: perfetto_system.bats.)

load lib/common
load lib/perfetto

setup() {
	require_root
	build_prog "$REFERENCE_GO" mixed
	cd "$BATS_TEST_TMPDIR"
}

teardown() { stop_targets; }

# pid_of REPORT: the id of the recorded process.
pid_of() { sed -n 's/^process \([0-9]*\) .*/\1/p' "$1"; }

# is_perfetto FILE: it begins with the packet that begins a sequence.
is_perfetto() { [ "$(head -c 6 "$1" | od -An -tx1 | tr -d ' \n')" = 0a0a50016801 ]; }

@test "beside a Go trace: what gotap perfetto makes of it; from raw records the same" {
	succeeds "$GOTAP" record -d 1200ms -o go.trace --perfetto beside --spool spool -- "$PROG" -dur 2s
	printf '%s\n' "$output" >report
	matches '^go.trace, [0-9.]+ [kM]B, and beside for Perfetto, [0-9.]+ [kM]B: gotap report go.trace$'
	is_perfetto beside
	succeeds "$GOTAP" perfetto go.trace -o later --pid "$(pid_of report)" --name mixed
	cmp beside later
	succeeds "$GOTAP" assemble spool -q --perfetto assembled
	cmp beside assembled
	[ ! -e trace.out ]
	require_trace_processor
	same_sums go.trace beside
	run_logged sql beside "select process.name, process.pid = $(pid_of report), count(thread.tid) > 3
		from process join thread using (upid) where process.pid > 0 group by 1, 2"
	[ "$output" = "$(printf 'mixed\t1\t1')" ]
}

# For each thread: its stays on a CPU, us on CPUs, us in the queue of one, and when its wait in a queue began that has
# no end in the recording, else 0. (Where the records of threads end trace_processor ends a stay on a CPU, but not a
# wait.)
LINUX_SQL="select tid, sum(state = 'Running'), sum(iif(state = 'Running', d, 0)) / 1000,
		sum(iif(state = 'R' and dur >= 0, d, 0)) / 1000, max(iif(state = 'R' and dur < 0, ts, 0)) / 1000
	from (select *, iif(dur < 0, (select end_ts from trace_bounds) - ts, dur) as d from thread_state) join thread using (utid)
	group by 1 order by 1"

@test "group linux: sched and thread_state are what the report says of each thread" {
	require_trace_processor
	"$GOTAP" record -d 500ms -e +linux --json --budget none --spool spool --perfetto beside -- "$PROG" -dur 2s >said 2>report.json
	jq -e .linux report.json >/dev/null || skip "this kernel has no tracepoints for it"
	jq -r '.linux.threads | sort_by(.tid)[] | [.tid, .stays_on_cpu, (.states.on_cpu * 1e6 | round),
		((.states.queued + .states.throttled) * 1e6 | round)] | @tsv' report.json >want
	run_logged sql beside "$LINUX_SQL"
	# The report is rounded to us. Waits without an end last until the records end, which is one time for all. A
	# stay whose end the kernel did not report is one of 1 ns here (docs/perfetto.md), and none in the report.
	paste want beside.rows | awk -v missing="$(jq .linux.switches_missing report.json)" '
		function off(a, b) { return a - b > 2 || b - a > 2 }
		NF != 9 || $1 != $5 || $6 < $2 || $6 > $2 + missing || off($3, $7) || (!$9 && off($4, $8)) { print; bad = 1 }
		$9 { at = $9 + $4 - $8; if (end && off(at, end)) { print "ends at " at " and " end; bad = 1 } end = at }
		END { exit bad || NR < 4 }'
	cp beside.rows linux.rows
	# No thread is there twice, no error is counted, wakers are there; the table sched has the same stays as the table
	# thread_state. (One query, because trace_processor reads the trace for each.)
	[ "$(sql beside "select not exists (select tid from thread group by 1 having count(*) > 1),
		not exists (select * from stats where value > 0 and severity != 'info'),
		exists (select * from thread_state where waker_utid is not null), sum(s.n != t.n or s.d != t.d) = 0, count(*) > 3 from
		(select utid, count(*) as n, sum(iif(dur < 0, (select end_ts from trace_bounds) - ts, dur)) as d from sched group by 1) s join
		(select utid, count(*) as n, sum(iif(dur < 0, (select end_ts from trace_bounds) - ts, dur)) as d from thread_state where state = 'Running' group by 1) t using (utid)")" = "$(printf '1\t1\t1\t1\t1')" ]
	succeeds "$GOTAP" assemble spool -q --perfetto again
	cmp beside again
}

# The thread that writes the Perfetto trace gets states of threads and generations at times of its own, and a budget of
# 0.5 % leaves gaps between them.
@test "group linux, with gaps: the same bytes from the raw records, deferred or not" {
	local defer
	for defer in '' --defer; do
		succeeds "$GOTAP" record -d 700ms -e +linux --budget 0.5 $defer --spool spool -o go.trace --perfetto beside -- "$PROG" -dur 1s
		is_perfetto beside
		succeeds "$GOTAP" assemble spool -q -o again.trace --perfetto again
		cmp go.trace again.trace
		cmp beside again
	done
}

@test "group linux: gotap perfetto takes the file beside the trace, to the same states and slices" {
	require_trace_processor
	"$GOTAP" record -d 300ms -e +linux --json --budget none -o go.trace --perfetto beside -- "$PROG" -dur 2s >said 2>report.json
	jq -e .linux report.json >/dev/null || skip "this kernel has no tracepoints for it"
	succeeds "$GOTAP" perfetto go.trace -o later --pid "$(jq .pid report.json)" --name mixed
	mv go.trace.threads own
	succeeds "$GOTAP" perfetto go.trace -o without
	# Names of threads are not compared: a thread is named after Go's M or by Linux's comm, whichever comes first in
	# a recording.
	cat >queries <<-'EOF'
	select s.ts, s.dur, s.state, s.cpu, thread.tid, waker.tid from thread_state s join thread using (utid)
		left join thread waker on waker.utid = s.waker_utid order by 1, 5, 3, 2, 4, 6;
	select ts, dur, slice.name from slice join track on track.id = track_id where track.name = 'off CPU' order by 1, 2, 3;
	select 'errors', count(*) from stats where value > 0 and severity != 'info';
	EOF
	ask queries beside later without
	cmp beside.rows later.rows
	[ "$(grep -c Running later.rows)" -ge "$(jq '[.linux.threads[].stays_on_cpu] | add' report.json)" ]
	grep -q '^errors.0$' later.rows
	[ "$(grep -c . without.rows)" -eq 1 ]

	head -c -100 own >go.trace.threads
	gotap perfetto go.trace -o cut
	[ "$status" -eq 1 ]
	matches '^gotap: .*go.trace.threads'
	succeeds "$GOTAP" record -d 100ms -e +linux -o other.trace -- "$PROG" -dur 2s
	mv other.trace.threads go.trace.threads
	gotap perfetto go.trace -o wrong
	[ "$status" -eq 0 ]
	contains "is not of the same recording"
	cmp without wrong
}

@test "instead of a Go trace, to a file and to a pipe" {
	succeeds "$GOTAP" record -d 300ms --perfetto alone -- "$PROG" -dur 2s
	matches '^alone, [0-9.]+ [kM]B$'
	is_perfetto alone
	[ ! -e trace.out ]
	"$GOTAP" record -d 300ms -q --perfetto - -- "$PROG" -dur 2s 2>said | cat >piped
	is_perfetto piped
	grep -qx ready said
}

@test "a Perfetto trace that cannot be written is an error, and the Go trace is kept" {
	gotap record -d 300ms -o go.trace --perfetto /dev/full -- "$PROG" -dur 2s
	[ "$status" -eq 125 ]
	[[ $output == *"cannot write '/dev/full': No space left on device"* ]]
	succeeds "$GOTAP" check go.trace
}

@test "outputs that are one file, formats that are written at the end" {
	gotap record -d 300ms -o same --perfetto same -- "$PROG"
	[ "$status" -ne 0 ]
	matches 'are the same file'
	run bash -c "'$GOTAP' record -d 300ms -o - --perfetto - -- '$PROG' | cat"
	matches 'are the same file'
	gotap record -d 300ms --perfetto p --format go1.21 -- "$PROG"
	[ "$status" -eq 2 ]
	matches 'go1.22 or later'
	[ ! -e p ]
	[ ! -e same ]
}
