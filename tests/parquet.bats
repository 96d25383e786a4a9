#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=beside
#
# Files of user/parquet, read by DuckDB and by hyparquet: each value is the one that was put, and no row is lost when a
# reader skips row groups and pages by their statistics.

load lib/common
load lib/parquet

setup_file() {
	# The files of dependencies name objects as make names them without BUILD.
	alone parquet make -s -C "$CHECKOUT" BUILD="${BUILD#"$CHECKOUT/"}" "${BUILD#"$CHECKOUT/"}/parquet/rows" >&2
}

setup() {
	soak_seed
	cd "$BATS_TEST_TMPDIR" || return
}

# read_by READER CASE...: that reader reads the files of these cases.
read_by() {
	local reader=$1 name files=()
	require_parquet_readers
	for name in "${@:2}"; do
		"$BUILD/parquet/rows" "$name.parquet" "$name" || fail "$name" || return
		files+=("$name.parquet")
	done
	succeeds node "$CHECKOUT/tests/parquet/read.mjs" "$PARQUET_MODULES" "$reader" "${files[@]}" || return
	rm -f ./*.parquet ./*.rows
}

# Files without rows, with one, without values, with many row groups, with the least and greatest values, with long
# texts, with more values than a dictionary takes, with bytes that are not UTF-8.
CASES=(empty one nulls groups extremes deltas long overflow invalid)

@test "DuckDB reads each kind of file" { read_by duckdb "${CASES[@]}"; }
@test "hyparquet reads each kind of file" { read_by hyparquet "${CASES[@]}"; }

# bats test_tags=soak
@test "DuckDB and hyparquet read files with random columns and values" {
	local round
	for ((round = 0; ; round++)); do
		goes_on 3 "$round" || break
		read_by duckdb $RANDOM $RANDOM || return
		read_by hyparquet $RANDOM $RANDOM || return
	done
}

@test "a comparison with a false row fails" {
	require_parquet_readers
	"$BUILD/parquet/rows" x.parquet one
	sed -i '2s/^[01]/-/' x.parquet.rows
	run_logged node "$CHECKOUT/tests/parquet/read.mjs" "$PARQUET_MODULES" duckdb x.parquet
	[ "$status" -eq 1 ]
	contains "row 0, c0:bool"
}

@test "the footer names the version of gotap, metadata and the order of rows" {
	require_parquet_readers
	"$BUILD/parquet/rows" one.parquet one
	run_logged duckdb "SELECT created_by, num_rows, num_row_groups FROM parquet_file_metadata('one.parquet')" \
		"SELECT decode(key), decode(value) FROM parquet_kv_metadata('one.parquet')"
	matches '^\["gotap version [0-9.]+","1","1"\]$'
	matches '^\["kéy","value"\]$'
}
