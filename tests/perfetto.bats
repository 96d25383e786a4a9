#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=beside
#
# gotap perfetto: Perfetto's own trace_processor must count no error, and give the counts and sums that follow from the
# events of the Go trace; damaged traces, outputs, size.

load lib/common
load lib/perfetto
load lib/v1

VECTORS=$CHECKOUT/tests/vectors

# convert_all TRACE...: sets $PAIRS to the traces, each with its Perfetto trace. A damaged one must give a message; it
# may give a Perfetto trace of its good part.
convert_all() {
	local trace out
	PAIRS=()
	for trace; do
		out=$BATS_TEST_TMPDIR/$(basename "$trace").pftrace
		"$GOTAP" perfetto "$trace" -o "$out" 2>"$out.err" || [ -s "$out.err" ] || fail "$trace: no message"
		[ -e "$out" ] || continue
		PAIRS+=("$trace" "$out")
	done
}

@test "vectors: sums are those of the events" {
	require_trace_processor
	convert_all "$VECTORS"/{ok,mmu,quiet}_*.trace "$VECTORS"/bad_{goblock,gc_end,stw}*.trace \
		"$VECTORS/val_status_running_while_m_busy.trace"
	[ ${#PAIRS[@]} -ge 100 ]
	same_sums "${PAIRS[@]}"
}

@test "traces of Go 1.5 to 1.21: sums are those of the events" {
	require_trace_processor
	old_traces
	convert_all "$OLD_TRACES"/{http_1_5,stress_1_9,stress_1_11,user_task_region_1_11,stress_start_stop_1_11}_good
	[ ${#PAIRS[@]} -eq 10 ]
	same_sums "${PAIRS[@]}"
}

# own_trace VERSION: sets $OWN to a trace that the program mixed writes of itself.
own_trace() {
	build_prog "$1" mixed
	OWN=$BATS_TEST_TMPDIR/own$1.trace
	succeeds "$PROG" -trace "$OWN" -delay 20ms -dur 100ms -rounds 200 -tail 10ms
}

@test "traces of Go's runtime: sums are those of the events" {
	require_trace_processor
	local version traces=()
	for version in 1.22 "$REFERENCE_GO"; do
		own_trace "$version"
		traces+=("$OWN")
	done
	convert_all "${traces[@]}"
	same_sums "${PAIRS[@]}"
	grep -q '^flow' "${PAIRS[3]}.rows"
}

@test "the queries of docs/perfetto.md" {
	require_trace_processor
	own_trace "$REFERENCE_GO"
	convert_all "$OWN"
	awk '/^```/ { on = /sql/; next } on' "$CHECKOUT/docs/perfetto.md" >"$BATS_TEST_TMPDIR/doc.sql"
	[ "$(grep -c ';$' "$BATS_TEST_TMPDIR/doc.sql")" -eq 16 ]
	ask "$BATS_TEST_TMPDIR/doc.sql" "${PAIRS[1]}"
	grep -q '^P 0' "${PAIRS[1]}.rows"
}

@test "times are CLOCK_MONOTONIC where the trace says so" {
	require_trace_processor
	convert_all "$VECTORS/ok_all_kinds.trace"
	run_logged sql "${PAIRS[1]}" "select clock_name, clock_value, ts from clock_snapshot where clock_name is not null"
	[ "$output" = "$(printf 'MONOTONIC\t1000\t1000\nREALTIME\t1700000001000000004\t1000')" ]
}

@test "a damaged trace gives what can be read, and where it ends" {
	require_trace_processor
	own_trace "$REFERENCE_GO"
	head -c $(($(stat -c %s "$OWN") / 2)) "$OWN" >"$BATS_TEST_TMPDIR/cut.trace"
	gotap perfetto "$BATS_TEST_TMPDIR/cut.trace" -o "$BATS_TEST_TMPDIR/cut.pftrace"
	[ "$status" -eq 1 ]
	[ "${#lines[@]}" -eq 1 ]
	matches 'cut.trace: generation'
	run_logged sql "$BATS_TEST_TMPDIR/cut.pftrace" "select category, count(*), max(length(name)) > 20 from slice where category = 'damage'"
	[ "$output" = "$(printf 'damage\t1\t1')" ]
}

@test "a pipe in, a pipe out" {
	"$GOTAP" perfetto - -o - <"$VECTORS/ok_all_kinds.trace" | cat >"$BATS_TEST_TMPDIR/piped"
	succeeds "$GOTAP" perfetto "$VECTORS/ok_all_kinds.trace" -o "$BATS_TEST_TMPDIR/file"
	cmp "$BATS_TEST_TMPDIR/piped" "$BATS_TEST_TMPDIR/file"
}

@test "outputs that cannot be written, wrong usage" {
	gotap perfetto "$VECTORS/ok_all_kinds.trace" -o /dev/full
	[ "$status" -eq 1 ]
	[[ $output == *"/dev/full"*"No space left"* ]]
	cp "$VECTORS/ok_all_kinds.trace" "$BATS_TEST_TMPDIR/t"
	gotap perfetto "$BATS_TEST_TMPDIR/t" -o "$BATS_TEST_TMPDIR/t"
	[ "$status" -eq 1 ]
	cmp "$VECTORS/ok_all_kinds.trace" "$BATS_TEST_TMPDIR/t"
	gotap perfetto "$BATS_TEST_TMPDIR/none" -o "$BATS_TEST_TMPDIR/out"
	[ "$status" -eq 1 ]
	[ ! -e "$BATS_TEST_TMPDIR/out" ]
	gotap perfetto "$BATS_TEST_TMPDIR/t"
	[ "$status" -eq 2 ]
	gotap perfetto "$BATS_TEST_TMPDIR/t" -o x --pid 0
	[ "$status" -eq 2 ]
	# of several traces, too: a file that is no trace is named, and FILE is as it was
	echo "no trace" >"$BATS_TEST_TMPDIR/text"
	echo mine >"$BATS_TEST_TMPDIR/mine"
	for traces in "t text" "text t" "t none"; do
		gotap perfetto $(printf "$BATS_TEST_TMPDIR/%s " $traces) -o "$BATS_TEST_TMPDIR/mine"
		[ "$status" -eq 1 ]
		[ "${#lines[@]}" -eq 1 ]
		matches "^gotap: (cannot open ')?$BATS_TEST_TMPDIR/(text|none)"
		[ "$(cat "$BATS_TEST_TMPDIR/mine")" = mine ]
	done
	succeeds "$GOTAP" perfetto --help
}

@test "the trace is small: per event at most 1.3 times that of Go, after gzip" {
	local go pf
	own_trace "$REFERENCE_GO"
	convert_all "$OWN"
	go=$(stat -c %s "$OWN")
	pf=$(gzip -c "${PAIRS[1]}" | wc -c)
	echo "Go's $go bytes, Perfetto's $pf after gzip"
	[ $((pf * 10)) -le $((go * 13)) ]
}
