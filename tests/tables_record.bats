#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# gotap record --tables writes what gotap tables makes of its trace, as well with --follow, and in a folder of another user.

load lib/common
load lib/parquet
load lib/tables

setup() {
	require_root
	build_prog "$REFERENCE_GO" mixed
	cd "$BATS_TEST_TMPDIR"
}

teardown() { stop_targets; }

@test "the tables of a recording are those of its trace, with the states of threads" {
	succeeds "$GOTAP" record -d 400ms -e +linux -o go.trace --tables tables -- "$PROG" -dur 2s
	matches '^go.trace: [0-9]+ events, [0-9]+ rows, .* in .tables. as host=[^ ]+ service=mixed date='
	succeeds "$GOTAP" tables -q go.trace -o again
	diff -r tables again
	[ "$(jq -r '.files | map(select(.rows > 0).table) | join(" ")' tables/_manifest/*.json)" != "" ]
	require_parquet_readers
	sql tables "select p.pid = t.tid, p.host = p.host_name, coalesce(p.lost_records, 0) = 0, p.events from process p join thread t using (trace_id) where is_main_thread"
	[ "$output" = $'true\ttrue\ttrue\t'"$("$GOTAP" text --events --json go.trace | wc -l)" ]
	"$GOTAP" report --json go.trace >report.json
	jq -e .linux report.json >/dev/null || skip "this kernel has no tracepoints for states of threads"
	sql tables "select tid, count(*) from thread_state where other_pid is null and state = 'on_cpu' group by all having count(*) > 0 order by tid"
	diff <(jq -r '.linux.threads | sort_by(.tid)[] | select(.stays_on_cpu > 0) | [.tid, .stays_on_cpu] | @tsv' report.json) - <<<"$output"
	# a goroutine is on one thread at a time, and the thread has a stay on a CPU, or waits, at that time
	sql tables "select count(*) = 0 from goroutine_state s where s.state = 'running' and s.tid is not null and not exists
		(select * from thread_state t where t.trace_id = s.trace_id and t.tid = s.tid and epoch_ns(t.ts) <= epoch_ns(s.ts) + s.dur and epoch_ns(t.ts) + t.dur >= epoch_ns(s.ts))"
	[ "$output" = true ]
}

@test "a folder of another user, which root cannot enter without its rights" {
	open_place
	mkdir "$PLACE/home"
	chown nobody "$PLACE/home"
	chmod 700 "$PLACE/home"
	succeeds "$GOTAP" record -q -d 100ms -o "$PLACE/home/t" --tables "$PLACE/home/tables" -- "$PROG" -dur 1s
	[ "$(find "$PLACE/home/tables/_manifest" -name '*.json' | wc -l)" -eq 1 ]
	close_place
}

@test "several processes write to one folder" {
	succeeds "$GOTAP" record --follow -q -o 'trace.%n' --tables tables -- bash -c "'$PROG' -dur 100ms >/dev/null & '$PROG' -dur 100ms >/dev/null; wait"
	[ "$(find tables/_manifest -name '*.json' | wc -l)" -eq 2 ]
	[ "$(find tables/goroutine -name '*.parquet' | wc -l)" -eq 2 ]
}

@test "refused: no file to read again, a flight recording, a folder that cannot be made" {
	gotap record -o /dev/null --tables tables -- "$PROG"
	[ "$status" -eq 125 ]
	contains "--tables reads the trace again: that needs a file"
	gotap record --flight 10s --tables tables -- "$PROG"
	[ "$status" -eq 2 ]
	gotap record --tables - -- "$PROG"
	[ "$status" -eq 2 ]
	: >file
	gotap record --tables file/tables -- "$PROG"
	[ "$status" -eq 125 ]
	contains "cannot make the folder 'file/tables'"
	[ ! -e tables ]
}
