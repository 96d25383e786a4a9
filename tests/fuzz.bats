#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=beside
#
# Every fuzzer, with its first inputs and a hundred others: no crash, no hang, no leak, memory bounded. `make fuzz` runs
# them for longer.

load lib/common

SECONDS_EACH=${FUZZ_SECONDS:-1}
INPUTS_EACH=100
# Beside others one run may have to wait for long.
export FUZZ_HANGS=100
# The same inputs each time: what a fuzzer finds at random is for `make fuzz`.
export FUZZ_SEED=1

setup_file() {
	require_tool clang
	# The files of dependencies name objects as make names them without BUILD.
	alone fuzz make -s -j2 -C "$CHECKOUT" BUILD="${BUILD#"$CHECKOUT/"}" FUZZ_OPT=-O0 fuzz-build >&2
}

fuzzed() { BUILD=$BUILD succeeds "$CHECKOUT/tests/fuzz/run" -t "$SECONDS_EACH" -n "$INPUTS_EACH" "$1"; }

@test "there is a test here for every fuzzer" {
	local file
	for file in "$CHECKOUT"/tests/fuzz/fuzz_*.c; do
		file=${file##*/}
		grep -q "fuzzed ${file%.c};" "$BATS_TEST_FILENAME" || fail "none for ${file%.c}"
	done
}

@test "fuzz_answers" { fuzzed fuzz_answers; }
@test "fuzz_api" { fuzzed fuzz_api; }
@test "fuzz_arm64" { fuzzed fuzz_arm64; }
@test "fuzz_ask" { fuzzed fuzz_ask; }
@test "fuzz_client" { fuzzed fuzz_client; }
@test "fuzz_convert" { fuzzed fuzz_convert; }
@test "fuzz_debug" { fuzzed fuzz_debug; }
@test "fuzz_dwarf" { fuzzed fuzz_dwarf; }
@test "fuzz_elf" { fuzzed fuzz_elf; }
@test "fuzz_foreign" { fuzzed fuzz_foreign; }
@test "fuzz_corefile" { fuzzed fuzz_corefile; }
@test "fuzz_heap" { fuzzed fuzz_heap; }
@test "fuzz_heapgraph" { fuzzed fuzz_heapgraph; }
@test "fuzz_html" { fuzzed fuzz_html; }
@test "fuzz_http" { fuzzed fuzz_http; }
@test "fuzz_leftover" { fuzzed fuzz_leftover; }
@test "fuzz_live" { fuzzed fuzz_live; }
@test "fuzz_mcp" { fuzzed fuzz_mcp; }
@test "fuzz_metrics" { fuzzed fuzz_metrics; }
@test "fuzz_oncpu" { fuzzed fuzz_oncpu; }
@test "fuzz_otlp" { fuzzed fuzz_otlp; }
@test "fuzz_parquet" { fuzzed fuzz_parquet; }
@test "fuzz_pclntab" { fuzzed fuzz_pclntab; }
@test "fuzz_perfetto" { fuzzed fuzz_perfetto; }
@test "fuzz_tables" { fuzzed fuzz_tables; }
@test "fuzz_proc" { fuzzed fuzz_proc; }
@test "fuzz_prologue" { fuzzed fuzz_prologue; }
@test "fuzz_raw" { fuzzed fuzz_raw; }
@test "fuzz_read" { fuzzed fuzz_read; }
@test "fuzz_remains" { fuzzed fuzz_remains; }
@test "fuzz_report" { fuzzed fuzz_report; }
@test "fuzz_serve" { fuzzed fuzz_serve; }
@test "fuzz_spans" { fuzzed fuzz_spans; }
@test "fuzz_spool" { fuzzed fuzz_spool; }
@test "fuzz_sql" { fuzzed fuzz_sql; }
@test "fuzz_text" { fuzzed fuzz_text; }
@test "fuzz_top" { fuzzed fuzz_top; }
@test "fuzz_trigger" { fuzzed fuzz_trigger; }
@test "fuzz_v1" { fuzzed fuzz_v1; }
@test "fuzz_why" { fuzzed fuzz_why; }
