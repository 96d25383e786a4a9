#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=beside
#
# ClickHouse itself, as a library: it reads each value of files of user/parquet, and takes folders of `gotap tables` by
# examples/clickhouse: once, whatever was cut off, with the sums that DuckDB finds in the files.

load lib/common
load lib/parquet
load lib/clickhouse

EXAMPLES=$CHECKOUT/examples/clickhouse

setup_file() {
	# The files of dependencies name objects as make names them without BUILD.
	alone parquet make -s -C "$CHECKOUT" BUILD="${BUILD#"$CHECKOUT/"}" "${BUILD#"$CHECKOUT/"}/parquet/rows" >&2
}

setup() {
	soak_seed
	require_clickhouse
	cd "$BATS_TEST_TMPDIR" || return
}

# reads CASE...: see tests/parquet.bats.
reads() {
	local name
	for name; do
		"$BUILD/parquet/rows" "$name.parquet" "$name" || fail "$name" || return
		python3 "$CHECKOUT/tests/parquet/read_clickhouse.py" "$name.parquet" >queries
		clickhouse <queries >answers 2>errors || fail "$name: $(tail -n 1 errors)" || return
		succeeds python3 "$CHECKOUT/tests/parquet/read_clickhouse.py" "$name.parquet" answers || return
		rm -f "$name.parquet"*
	done
}

@test "ClickHouse reads each kind of file" { reads empty one nulls groups extremes deltas long overflow invalid; }

# bats test_tags=soak,soak-only
@test "ClickHouse reads files with random columns and values" {
	local round
	for ((round = 0; ; round++)); do
		goes_on 2 "$round" || break
		reads $RANDOM || return
	done
}

# The folder "tables", of the trace that the program mixed writes of itself, and ClickHouse with the tables for it.
tables() {
	build_prog "$REFERENCE_GO" mixed
	succeeds "$PROG" -trace own.trace -delay 20ms -dur 100ms -rounds 200 -tail 10ms
	succeeds "$GOTAP" tables own.trace -o tables --host "ho'st é" --service "s p/a%n"
	succeeds clickhouse @"$EXAMPLES/schema.sql" @"$EXAMPLES/findings.sql"
}

# load: runs it, with ClickHouse as its client.
load_tables() {
	printf '#!/bin/sh\nexec python3 %q %q %q @/dev/stdin\n' "$CHECKOUT/tests/lib/clickhouse.py" "$LIBCHDB" "$PWD/ch" >client
	chmod +x client
	succeeds "$EXAMPLES/load" "$@" tables ./client
}

# rows_of_all: "TABLE ROWS" of each table in ClickHouse, without what ClickHouse adds.
rows_of_all() {
	local table queries=()
	for table in tables/*/; do
		table=$(basename "$table")
		[ "$table" = _manifest ] || queries+=("SELECT '$table', count() FROM gotap.$table")
	done
	clickhouse "${queries[@]}"
}

rows_of_manifest() { jq -r '.files[] | [.table, .rows] | @tsv' tables/_manifest/*.json | sort; }

@test "the tables have the columns and types of gotap tables" {
	local kinds='{"BIGINT": "Int64", "UBIGINT": "UInt64", "DOUBLE": "Float64", "BOOLEAN": "Bool", "VARCHAR": "String", "TIMESTAMP_NS": "DateTime64(9, \u0027UTC\u0027)"}'
	succeeds clickhouse @"$EXAMPLES/schema.sql"
	clickhouse "SELECT table, name, replaceRegexpOne(type, '^LowCardinality\\((.*)\\)\$', '\\1') FROM system.columns
		WHERE database = 'gotap' AND table != 'recording' AND name != 'loaded' ORDER BY table, position FORMAT TSVRaw" >have
	"$GOTAP" tables --schema --json | jq -r --argjson kinds "$kinds" '.tables | sort_by(.name)[] | .name as $table | .columns[]
		| [$table, .name, $kinds[.type] as $kind | if .nullable then "Nullable(\($kind))" else $kind end] | @tsv' >want
	diff want have
}

@test "a folder is loaded once, and what was cut off is completed" {
	tables
	load_tables
	contains "loaded own.trace-"
	diff <(rows_of_manifest) <(rows_of_all)
	[ "$(clickhouse "SELECT host, service FROM gotap.recording FORMAT TSVRaw")" = "ho'st é"$'\t'"s p/a%n" ]
	load_tables
	[ "$output" = "" ]
	# As if the client had been killed before the last query.
	clickhouse "SELECT sum(waits), sum(total) FROM gotap.wait_place" >before
	clickhouse "TRUNCATE TABLE gotap.recording"
	load_tables
	contains "loaded own.trace-"
	diff <(rows_of_manifest) <(rows_of_all)
	clickhouse "SELECT sum(waits), sum(total) FROM gotap.wait_place" | diff before -
}

# The queries of docs/clickhouse.md for object storage, with file() in the place of s3().
from_storage() {
	local table queries=()
	for table in tables/*/; do
		table=$(basename "$table")
		[ "$table" = _manifest ] || queries+=("INSERT INTO gotap.$table (* EXCEPT (loaded)) SELECT * EXCEPT (host, service, date)
			FROM file('$PWD/tables/$table/**/*.parquet', Parquet) WHERE _file NOT IN (SELECT file || '.parquet' FROM gotap.recording)")
	done
	succeeds clickhouse "${queries[@]}" "INSERT INTO gotap.recording (trace_id, host, service, date, file)
		SELECT trace_id, decodeURLComponent(host), decodeURLComponent(service), date, replaceOne(_file, '.parquet', '') FROM file('$PWD/tables/process/**/*.parquet', Parquet)
		WHERE _file NOT IN (SELECT file || '.parquet' FROM gotap.recording)"
}

# bats test_tags=soak-only
@test "a folder is taken by ClickHouse itself, with what the names of folders say" {
	tables
	from_storage
	from_storage
	diff <(rows_of_manifest) <(rows_of_all)
	[ "$(clickhouse "SELECT count(), max(service), max(host) FROM gotap.quality WHERE events > 100 FORMAT TSVRaw")" = "1"$'\t'"s p/a%n"$'\t'"ho'st é" ]
	load_tables
	[ "$output" = "" ]
}

# bats test_tags=soak-only
@test "the findings have the sums that DuckDB finds in the files" {
	require_parquet_readers
	tables
	load_tables
	local s=tables/goroutine_state/*/*/*/*.parquet
	duckdb "SELECT 'waits', coalesce(reason, ''), count(*)::VARCHAR, sum(dur)::VARCHAR, max(dur)::VARCHAR FROM '$s' WHERE state = 'waiting' GROUP BY 2 ORDER BY 2" \
		"SELECT 'states', state, count(*)::VARCHAR, sum(dur)::VARCHAR, max(dur)::VARCHAR FROM '$s' GROUP BY 2 ORDER BY 2" \
		"SELECT 'runnable', count(*)::VARCHAR, sum(dur)::VARCHAR, max(dur)::VARCHAR FROM '$s' WHERE state = 'runnable'" \
		"SELECT 'syscalls', count(*)::VARCHAR, sum(dur)::VARCHAR, sum(dur - coalesce(p_dur, dur))::VARCHAR FROM 'tables/syscall/*/*/*/*.parquet'" \
		"SELECT 'stops', coalesce(reason, ''), count(*)::VARCHAR, sum(dur)::VARCHAR FROM 'tables/stw/*/*/*/*.parquet' GROUP BY 2 ORDER BY 2" \
		"SELECT 'quality', sum(events)::VARCHAR FROM 'tables/process/*/*/*/*.parquet'" | jq -r '@tsv' >want
	clickhouse "SELECT 'waits', reason, sum(waits), sum(total), max(longest) FROM gotap.waits GROUP BY reason ORDER BY reason" \
		"SELECT 'states', state, sum(stays), sum(total), max(longest) FROM gotap.state_minute GROUP BY state ORDER BY state" \
		"SELECT 'runnable', sum(waits), sum(total), max(longest) FROM gotap.scheduling_latency" \
		"SELECT 'syscalls', sum(calls), sum(total), sum(without_p) FROM gotap.syscalls" \
		"SELECT 'stops', name, sum(times), sum(total) FROM gotap.stops WHERE kind = 'stop-the-world' GROUP BY name ORDER BY name" \
		"SELECT 'quality', sum(events) FROM gotap.quality" >have
	diff want have
	[ "$(wc -l <have)" -ge 10 ]
	# Places are the program's own functions where a stack has one.
	clickhouse "SELECT name FROM gotap.waits WHERE name LIKE 'main.%' LIMIT 1" | grep -q '^main\.'
}
