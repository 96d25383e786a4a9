# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# DuckDB, and comparisons with its answers about tables. Load it after lib/common.

# The npm packages of DuckDB 1.5.6: the library, and two that call it.
DUCKDB_VERSION=1.5.6-r.1
DUCKDB_SHA256="64d5080af3c0144329f9cbdbff7bc867c9c1f9df57a7e7e2a8b13bc6ed2bc664 node-api
9d1ebca9020dcd5680e2e38bd182f1a0e69e59f00d31dfc5afca2623b8a34ac3 node-bindings
1b9f82478539bb9a1d1df44bd103121a12ae52142c07158dc52b97d2ec1d69ff node-bindings-linux-x64"

# require_duckdb: sets $DUCKDB_MODULES to the folder node_modules that has it. Skips the test only where npm cannot fetch it.
require_duckdb() {
	local why
	DUCKDB_MODULES=$BUILD/duckdb/node_modules
	[ ! -d "$DUCKDB_MODULES" ] || return 0
	require_tool node npm
	why=$(alone duckdb fetch_duckdb 2>&1) || skip "DuckDB $DUCKDB_VERSION cannot be had: $(tail -n 1 <<<"$why")"
	[ -d "$DUCKDB_MODULES" ] || fail "DuckDB: $why"
}

# An error if npm cannot fetch a package. If one is not the expected one: no error, but no folder, and the test fails.
# The folder gets its name when it is complete.
fetch_duckdb() {
	local sum name new=$BUILD/duckdb.new
	[ ! -d "$DUCKDB_MODULES" ] || return 0
	rm -rf "$new" "$BUILD/duckdb" && mkdir -p "$new" && cd "$new" || return
	while read -r sum name; do
		npm pack --silent "@duckdb/$name@$DUCKDB_VERSION" >/dev/null || return
		sha256sum "duckdb-$name-$DUCKDB_VERSION.tgz" | grep -q "^$sum" || { echo "$name is not the package that was tried"; return 0; }
		mkdir -p "node_modules/@duckdb/$name" || return
		tar -xzf "duckdb-$name-$DUCKDB_VERSION.tgz" -C "node_modules/@duckdb/$name" --strip-components=1 || return
		rm "duckdb-$name-$DUCKDB_VERSION.tgz"
	done <<<"$DUCKDB_SHA256"
	mv "$new" "$BUILD/duckdb"
}

# ask_tables DIR FILE...: the rows of the queries in the files about the tables in DIR, in $output.
ask_tables() {
	printf "set variable gotap_tables = '%s';\n" "$1" >"$BATS_TEST_TMPDIR/where.sql"
	succeeds node "$CHECKOUT/tests/lib/tables.mjs" "$DUCKDB_MODULES" "$BATS_TEST_TMPDIR/where.sql" "${@:2}"
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
