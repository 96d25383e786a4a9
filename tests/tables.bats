#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=beside
#
# gotap tables: DuckDB must read all tables, and give the counts and sums that follow from the events of the trace; the
# folders, the manifest, damaged traces, outputs that cannot be written, size. (The questions of docs/tables.md:
# tables_questions.bats; recordings: tables_record.bats.)

load lib/common
load lib/parquet
load lib/tables
load lib/v1

VECTORS=$CHECKOUT/tests/vectors

setup() { cd "$BATS_TEST_TMPDIR"; }

# own_trace VERSION: sets $OWN to a trace that the program mixed writes of itself.
own_trace() {
	build_prog "$1" mixed
	OWN=$BATS_TEST_TMPDIR/own$1.trace
	succeeds "$PROG" -trace "$OWN" -delay 20ms -dur 100ms -rounds 200 -tail 10ms
}

@test "vectors: sums are those of the events" {
	require_parquet_readers
	same_tables here "$VECTORS"/{ok,mmu,quiet}_*.trace "$VECTORS"/bad_{goblock,gc_end,stw}*.trace \
		"$VECTORS/val_status_running_while_m_busy.trace"
	[ "$(wc -l <here/want)" -gt 250 ]
}

@test "traces of Go 1.5 to 1.21: sums are those of the events" {
	require_parquet_readers
	old_traces
	same_tables here "$OLD_TRACES"/{http_1_5,stress_1_9,stress_1_11,user_task_region_1_11,stress_start_stop_1_11}_good
	[ "$(wc -l <here/want)" -gt 250 ]
}

@test "traces of Go's runtime: sums are those of the events" {
	require_parquet_readers
	local version traces=()
	for version in 1.22 "$REFERENCE_GO"; do
		own_trace "$version"
		traces+=("$OWN")
	done
	same_tables here "${traces[@]}"
	grep -q $'\tflow\t' here/want
	sql here/tables "select max(abs(epoch_ms(start_ts) - epoch_ms(now()::timestamp))) < 3600000, min(clock) from process where trace = '2.trace'"
	[ "$output" = $'true\trealtime' ]
	sql here/tables "select year(max(start_ts)), min(clock) from process where trace = '1.trace'"
	[ "$output" = $'1970\ttrace' ]
}

@test "docs/tables.md has the tables, columns, types and units of --schema" {
	local table column
	succeeds "$GOTAP" tables --schema --json
	printf '%s\n' "$output" >schema.json
	jq -r '.tables[] | "### " + .name, (.columns[] | "| `" + .name + "` | " + .type + (if .nullable then " null" else "" end) +
		" | " + (.unit // "") + " | " + .meaning + " |")' schema.json >want
	awk '/^## / { on = $0 == "## The tables" } on && (/^### / || /^\| `/)' "$CHECKOUT/docs/tables.md" >got
	diff want got
	grep -qx "Version $(jq -r .schema schema.json), .*" "$CHECKOUT/docs/tables.md"
	succeeds "$GOTAP" tables --schema
	jq -r '.tables[] | .name, (.columns[] | .name)' schema.json | while read -r column; do
		grep -Eq "^( +$column +[A-Z]|$column: )" <<<"$output" || fail "--schema lacks $column"
	done
}

@test "the schema has all of version 1.0, unchanged and in that order; what was added comes after it" {
	"$GOTAP" tables --schema --json >schema.json
	[ "$(jq -r '.schema | split(".")[0]' schema.json)" = 1 ] || skip "another major version"
	jq -r '.tables[] | .name as $t | .columns[] | [$t, .name, .type, (.nullable | tostring), .unit // ""] | @tsv' schema.json >now
	diff "$CHECKOUT/tests/fixtures/tables_1_0.tsv" now | grep -v '^>' | grep '^<' && fail "something of version 1.0 is gone"
	# within each table the old columns come first
	awk -F'\t' 'NR == FNR { old[$1 FS $2]; n[$1]++; next } { i[$1]++ } (($1 FS $2) in old) != (i[$1] <= n[$1]) { print; bad = 1 } END { exit bad }' \
		"$CHECKOUT/tests/fixtures/tables_1_0.tsv" now
	# the version counts what was added
	[ "$(jq -r '.schema | split(".")[1]' schema.json)" -gt 0 ] || cmp "$CHECKOUT/tests/fixtures/tables_1_0.tsv" now
}

@test "the files have the types and the order of --schema, and each view of examples/duckdb is a table" {
	require_parquet_readers
	succeeds "$GOTAP" tables "$VECTORS/ok_all_kinds.trace" -o tables
	"$GOTAP" tables --schema --json | jq -r '.tables[] | .name as $t | .columns[] | [$t, .name, .type] | @tsv' >want
	"$GOTAP" tables --schema --json | jq -r '.tables[].name' | while read -r table; do
		printf "select '%s', column_name, column_type from (describe select * exclude (host, service, date) from %s);\n" "$table" "$table"
	done >ask.sql
	ask_tables tables "$CHECKOUT/examples/duckdb/views.sql" ask.sql
	diff want <(grep -v '^-- ' <<<"$output")
	sql tables "select host, service, date from process"
	[ "$output" = $'unknown\tunknown\t2023-11-14' ]
}

@test "the folders: host, service and date; the manifest has sizes and checksums; the same trace gives the same bytes" {
	local file
	succeeds "$GOTAP" tables --host 'a/b c' --service .x "$VECTORS/ok_all_kinds.trace" -o deep/tables --json
	printf '%s\n' "$output" >said
	[ -z "$(find deep -name '*.partial*')" ]
	file=$(find deep/tables/process -type f)
	[[ $file == deep/tables/process/host=a%2Fb%20c/service=%2Ex/date=2023-11-14/ok_all_kinds.trace-????????????????.parquet ]]
	cmp said deep/tables/_manifest/*.json
	[ "$(jq '.files | length' said)" -eq "$("$GOTAP" tables --schema --json | jq '.tables | length')" ]
	jq -r '.files[] | .sha256 + "  deep/tables/" + .path' said | sha256sum -c --quiet
	jq -r '.files[] | "\(.bytes) deep/tables/" + .path' said | while read -r bytes file; do [ "$bytes" -eq "$(stat -c %s "$file")" ]; done
	[ "$(jq -r '[.trace.name, .trace.events, .host] | @tsv' said)" = "$(printf 'ok_all_kinds.trace\t%s\ta%%2Fb%%20c' \
		"$("$GOTAP" text --events --json "$VECTORS/ok_all_kinds.trace" | wc -l)")" ]
	cp "$VECTORS/ok_all_kinds.trace" .
	succeeds "$GOTAP" tables -q --host 'a/b c' --service .x ok_all_kinds.trace -o again
	[ -z "$output" ]
	diff -r deep/tables again
	succeeds "$GOTAP" tables -q --host 'a/b c' --service .x ok_all_kinds.trace -o again
	diff -r deep/tables again
	require_parquet_readers
	sql again "select host, service from goroutine group by all"
	[ "$output" = $'a/b c\t.x' ]
}

@test "standard input; some tables only; several traces, of which one is not there" {
	"$GOTAP" tables - -o piped <"$VECTORS/ok_all_kinds.trace"
	succeeds "$GOTAP" tables "$VECTORS/ok_all_kinds.trace" --tables stw,goroutine -o some
	[ "$(ls some)" = $'_manifest\ngoroutine\nstw' ]
	cmp piped/stw/*/*/*/*.parquet some/stw/*/*/*/*.parquet
	[ "$(jq -r '.files[].table' some/_manifest/*.json)" = $'goroutine\nstw' ]
	gotap tables "$VECTORS/ok_all_kinds.trace" none "$VECTORS/ok_gc.trace" -o two
	[ "$status" -eq 1 ]
	contains "cannot open 'none'"
	cp "$VECTORS"/ok_{all_kinds,stw}*.trace .
	gotap tables ./*.trace -o two
	[ "$status" -eq 0 ]
	[ "$(find two/process -name '*.parquet' | wc -l)" -eq "$(find . -maxdepth 1 -name '*.trace' | wc -l)" ]
}

@test "wrong usage" {
	local args
	for args in "$VECTORS/ok_all_kinds.trace" "-o x" "x -o -" "x -o y --tables goroutines" "x -o y --tables gc," \
		"x -o y --row-group 5" "x -o y --host=" "--schema x" "--schema -o x"; do
		# shellcheck disable=SC2086
		gotap tables $args
		[ "$status" -eq 2 ]
	done
	: >file
	gotap tables "$VECTORS/ok_all_kinds.trace" -o file
	[ "$status" -eq 1 ]
	matches "cannot make the folder '?file"
}

# cut_trace: makes cut.trace, the first half of a trace of Go's runtime.
cut_trace() {
	own_trace "$REFERENCE_GO"
	head -c $(($(stat -c %s "$OWN") / 2)) "$OWN" >cut.trace
}

@test "a damaged trace gives what can be read, and says where it ends" {
	require_parquet_readers
	cut_trace
	gotap tables cut.trace -o tables -q
	[ "$status" -eq 1 ]
	matches 'cut.trace: generation'
	sql tables "select kind, count(*), min(l.message = p.fault), min(length(fault)) > 20 from loss l join process p using (trace_id) group by kind"
	[ "$output" = $'damage\t1\ttrue\ttrue' ]
	[ "$(jq -r .trace.fault tables/_manifest/*.json)" = "$(jq -r .trace.fault tables/_manifest/*.json | grep generation)" ]
	same_tables here cut.trace
}

@test "row groups: each is sorted and short, long stays are apart" {
	require_parquet_readers
	succeeds "$GOTAP" tables -q "$CHECKOUT/examples/duckdb/shop.trace" -o tables --row-group 1024
	cat >ask.sql <<-'END'
	create table m as select row_group_id as id, row_group_num_rows as n, epoch_ns(stats_min_value::timestamp_ns) as lo, epoch_ns(stats_max_value::timestamp_ns) as hi
	from parquet_metadata(getvariable('gotap_tables') || '/goroutine_state/*/*/*/*.parquet') where path_in_schema = 'ts';
	create table r as select row_number() over () - 1 as i, epoch_ns(ts) as ts from gotap_table('goroutine_state');
	select max(n), count(*) > 12, sum(n) = (select count(*) from r) from m;
	select max(abs(lo - (select min(ts) from r where i // 1024 = id)) + abs(hi - (select max(ts) from r where i // 1024 = id))) from m where n = 1024;
	select count(*) from (select ts < lag(ts) over (order by i) and i // 1024 = lag(i // 1024) over (order by i) as back, i // 1024 as id from r) where back and id in (select id from m where n = 1024);
	select sum(hi - lo) < 4 * (select max(ts) - min(ts) from r) from m where n = 1024;
	END
	ask_tables tables "$CHECKOUT/examples/duckdb/views.sql" ask.sql
	[ "$(grep -v '^-- ' <<<"$output")" = $'1024\ttrue\ttrue\n0\n0\ntrue' ]
}

@test "a full disk: an error, nothing that looks whole, no manifest" {
	local n
	own_trace "$REFERENCE_GO"
	for n in 1 4 16; do
		rm -rf tables
		run_logged bash -c 'ulimit -f "$1"; exec "$2" tables "$3" -o tables' - "$n" "$GOTAP" "$OWN"
		[ "$status" -eq 1 ]
		matches 'table [a-z_]+: .*(File too large|the limit)'
		[ -z "$(find tables -type f)" ]
	done
}

@test "killed at any rename: what has its name is whole, there is no manifest, and the next run makes all" {
	require_tool strace
	require_parquet_readers
	local n left whole
	cp "$VECTORS/ok_all_kinds.trace" t
	succeeds "$GOTAP" tables -q t -o want
	whole=$(find want -type f | wc -l)
	for n in 1 2 9 "$((whole - 1))" "$whole"; do
		rm -rf tables
		run_logged strace -qq -f -o /dev/null -e trace=/rename -e inject=/rename:error=EIO:signal=KILL:when="$n" "$GOTAP" tables -q t -o tables
		[ "$status" -ne 0 ]
		[ "$(find tables -name '*.parquet' -o -name '*.json' | wc -l)" -eq $((n - 1)) ] || fail "$(find tables -type f)"
		[ ! -e tables/_manifest ] || [ -z "$(find tables/_manifest -name '*.json')" ]
		while read -r left; do cmp "$left" "want/${left#tables/}"; done < <(find tables -name '*.parquet')
		succeeds "$GOTAP" tables -q t -o tables
		diff -r want tables
	done
}

@test "size: at most 6 bytes for each event" {
	succeeds "$GOTAP" tables "$CHECKOUT/examples/duckdb/shop.trace" -o tables --json
	printf '%s\n' "$output" >said
	explain "$(jq -r '"\(([.files[].bytes] | add) / .trace.events) bytes an event, of \(.trace.events) events"' said)"
	jq -e '([.files[].bytes] | add) <= 6 * .trace.events' said
}
