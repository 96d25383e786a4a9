# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# What DuckDB says about tables, and comparisons with it. Load it after lib/common and lib/parquet; tests call
# require_parquet_readers first.

# ask_tables DIR FILE...: the rows of the queries in the files about the tables in DIR, in $output.
ask_tables() {
	printf "set variable gotap_tables = '%s';\n" "$1" >"$BATS_TEST_TMPDIR/where.sql"
	succeeds node "$CHECKOUT/tests/lib/tables.mjs" "$PARQUET_MODULES" "$BATS_TEST_TMPDIR/where.sql" "${@:2}"
}

# sql DIR QUERY: the rows of one query, with the views of examples/duckdb, in $output.
sql() {
	printf '%s;\n' "$2" >"$BATS_TEST_TMPDIR/query.sql"
	ask_tables "$1" "$CHECKOUT/examples/duckdb/views.sql" "$BATS_TEST_TMPDIR/query.sql"
	output=$(tail -n +2 <<<"$output")
}

# same_tables DIR TRACE...: the counts and sums by SQL are the same as from the events of the traces and as in gotap
# report. DIR gets a copy of each trace, and the tables.
same_tables() {
	local dir=$1 trace n=0
	local -a copies=() events=() reports=()
	shift
	mkdir -p "$dir"
	for trace; do
		cp "$trace" "$dir/$((++n)).trace"
		copies+=("$dir/$n.trace")
		"$GOTAP" text --events --json "$trace" >"$dir/$n.events" 2>/dev/null || true
		"$GOTAP" report --json "$trace" >"$dir/$n.report" 2>/dev/null || true
		events+=("$dir/$n.events" "$dir/$n.1")
		reports+=("$dir/$n.report" "$dir/$n.2")
	done
	"$GOTAP" tables -q "${copies[@]}" -o "$dir/tables" 2>"$dir/errors" || [ -s "$dir/errors" ] || fail "no message"
	python3 "$CHECKOUT/tests/lib/perfetto_sums.py" "${events[@]}" || return
	python3 "$CHECKOUT/tests/lib/perfetto_report.py" "${reports[@]}" || return
	for ((; n; n--)); do
		awk -v t="$n.trace" -F'\t' '$1 != "p" && !($1 == "log" && /program=|lost=/) { print t "\t" $0 }' "$dir/$n".[12]
	done | LC_ALL=C sort >"$dir/want"
	ask_tables "$dir/tables" "$CHECKOUT/tests/lib/tables_sums.sql"
	grep -v '^-- ' <<<"$output" | LC_ALL=C sort >"$dir/got"
	diff "$dir/want" "$dir/got" || fail "$(wc -l <"$dir/want") rows, and others"
}
