#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=beside
#
# The twenty questions of docs/tables.md have the answers that stand there, and those that gotap report gives as well are the
# same.

load lib/common
load lib/parquet
load lib/tables

setup_file() {
	load lib/common
	load lib/parquet
	load lib/tables
	require_parquet_readers
	"$GOTAP" tables -q "$CHECKOUT/examples/duckdb/shop.trace" -o "$BATS_FILE_TMPDIR/tables"
	"$GOTAP" report --json "$CHECKOUT/examples/duckdb/shop.trace" >"$BATS_FILE_TMPDIR/report.json"
}

setup() {
	require_parquet_readers
	cd "$BATS_FILE_TMPDIR"
}

@test "twenty questions: the answers are those of the page" {
	[ "$(python3 "$CHECKOUT/tests/lib/doc_questions.py" "$CHECKOUT/docs/tables.md" ask.sql want)" -eq 20 ]
	export DUCKDB_HEADER=1
	ask_tables tables "$CHECKOUT/examples/duckdb/views.sql" ask.sql
	diff want <(grep -v '^-- ' <<<"$output")
}

# same QUERY JQ: the rows of the query are those that jq makes of the report.
same() {
	sql tables "$1"
	[ -n "$output" ]
	diff <(jq -r "$2 | @tsv" report.json | LC_ALL=C sort) <(LC_ALL=C sort <<<"$output")
}

@test "gotap report has the same counts and sums" {
	same "select g.name, state, count(*), sum(s.dur) from goroutine_state s join goroutine g using (trace_id, goid)
		where state in ('running', 'runnable') group by all" \
		'.goroutines[] | .function as $f | ({ running, runnable } | to_entries[] | select(.value.count > 0) | [$f, .key, .value.count, .value.sum_ns])'
	same "select g.name, reason, count(*), sum(s.dur) from goroutine_state s join goroutine g using (trace_id, goid)
		where state = 'waiting' and reason is not null group by all" \
		'.goroutines[] | .function as $f | .waiting | to_entries[] | select(.key != "" and (.key | endswith(" (by its stack)") | not)) | [$f, .key, .value.count, .value.sum_ns]'
	same "select reason, count(*), sum(dur) from stw group by all" '.stops | to_entries[] | [.key, .value.count, .value.sum_ns]'
	same "select type, count(*), sum(dur) from region group by all" '.regions[] | [.type, .whole.count + .open, .whole.sum_ns + .open_ns]'
	same "select coalesce(type, ''), count(*), sum(dur) from task group by all" \
		'.tasks[] | [.type, .whole.count + .open, .whole.sum_ns + .open_ns]'
	same "select count(*), sum(dur) from gc where name = 'GC concurrent mark phase'" '.gc | [.cycles.count + .open_cycles, .cycles.sum_ns + .open_ns]'
}

@test "threads: the sums of the file of threads are those of gotap report" {
	sql tables "select tid, state, count(*) from thread_state where other_pid is null and state = 'on_cpu' and not open_end group by all order by tid"
	[ -n "$output" ]
	diff <(jq -r '.linux.threads | sort_by(.tid)[] | [.tid, "on_cpu", .stays_on_cpu] | @tsv' report.json) - <<<"$output"
}
