#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# gotap diff: traces of a program that is made much slower in one place (tests/prog/shop.go, by a hundred times:
# more than a busy machine does), and of one that is not; forms and errors. Noise has values in tests/unit/report_diff.c.

load lib/common

setup_file() {
	load lib/common
	local place
	build_prog "$REFERENCE_GO" shop
	"$PROG" -trace "$BATS_FILE_TMPDIR/base.trace" -dur 300ms -requests 1000
	for place in lookup compute audit; do
		"$PROG" -slow $place -trace "$BATS_FILE_TMPDIR/$place.trace" -dur 1s -requests 100
	done
}

setup() {
	BASE=$BATS_FILE_TMPDIR/base.trace
}

# compared OTHER: $JSON is the comparison with the base.
compared() {
	JSON=$BATS_TEST_TMPDIR/diff.json
	"$GOTAP" diff --json "$BASE" "$BATS_FILE_TMPDIR/$1.trace" >"$JSON"
	jq -r '.changes[].text' "$JSON"
}

# first JQ-FILTER: what the first change is.
first() { jq -e ".changes[0] | $1" "$JSON"; }

@test "a trace beside itself has no difference" {
	gotap diff "$BASE" "$BASE"
	[ "$status" -eq 0 ]
	contains "No difference that is more than noise."
	"$GOTAP" diff --json "$BASE" - <"$BASE" | jq -e '.changes == [] and .compared > 5 and .drift == 1 and .only_a == []'
}

@test "the place that is slow comes first: a lock held for long" {
	compared lookup
	first '.slower and .place == "main.lookup" and .way == "longer" and .ratio > .noise'
	jq -e '[.changes[] | select(.in == "sync.(*Mutex).Lock" and .slower)] | length == 1' "$JSON"
}

@test "the unit of work of both comes first, and the cause that changed it" {
	compared lookup
	jq -e '.unit | .mean_ns.differs and .mean_ns.values[1] > .mean_ns.values[0] and .causes[0].function == "main.lookup"' "$JSON"
	gotap diff "$BASE" "$BATS_FILE_TMPDIR/lookup.trace"
	matches '^UNIT OF WORK: .* of main\.'
	matches '^  rate +[0-9.e+]+ '
	gotap diff "$BASE" "$BASE"
	matches '^  mean .*: (no difference|the bounds are not known)$'
	! grep -q 'an instance' <<<"$output" || fail "a cause of no difference"
}

@test "the place that is slow comes first: code that computes" {
	compared compute
	first '.slower and .function == "main.worker" and .kind == "running" and .place == "main.store"'
}

@test "a wait that was not there is said to be new, and who ends it" {
	compared audit
	jq -e '.changes[] | select(.way == "new" and .place == "main.handle" and .reason == "chan send" and .slower)' "$JSON"
	jq -e '.changes as $all | .changes[] | select(.reason == "chan send" and .slower) | $all[.ended_by].function == "main.auditor"' "$JSON"
	# The other way round it is gone.
	gotap diff "$BATS_FILE_TMPDIR/audit.trace" "$BASE"
	matches 'main\.worker no longer waits for chan send at main\.handle \(shop\.go:[0-9]+\)'
}

@test "each change has its numbers, slower ones first" {
	compared lookup
	jq -e '.version == 1 and .a.seconds > 0.4 and .b.seconds > 0.9 and .a.goroutines > 10' "$JSON"
	jq -e '[.changes[].slower] | . == (sort | reverse)' "$JSON"
	jq -e 'all(.changes[]; (.count | length == 2) and (.p99_ns | length == 2) and .seconds_per_second >= 0.001 and
		(.text | length > 10) and (.way == "new" or .ratio != 1))' "$JSON"
	[ "$(wc -l <"$JSON")" -eq 1 ]
	gotap diff --top 1 "$BASE" "$BATS_FILE_TMPDIR/lookup.trace" -o "$BATS_TEST_TMPDIR/text"
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	[ "$(grep -c '^  1\. ' "$BATS_TEST_TMPDIR/text")" -ge 1 ]
	! grep -q '^  2\. ' "$BATS_TEST_TMPDIR/text" || fail "a second one"
}

@test "old traces, and ones with little in common" {
	load lib/v1
	v1_traces
	gotap diff "$V1_TRACES/stress_1_21_good" "$BASE"
	[ "$status" -eq 0 ]
	matches '^Goroutines only in B: .*main\.worker \(3\)'
	matches '^Goroutines only in A: .'
	succeeds "$GOTAP" diff "$V1_TRACES/stress_1_11_good" "$V1_TRACES/stress_1_11_good"
	! contains "Goroutines only in" || fail "the same goroutines in both"
}

@test "of a damaged trace the part before the damage is compared, with status 1" {
	head -c $(($(stat -c %s "$BASE") / 2)) "$BASE" >"$BATS_TEST_TMPDIR/cut.trace"
	gotap diff "$BASE" "$BATS_TEST_TMPDIR/cut.trace"
	[ "$status" -eq 1 ]
	contains "A  $BASE: "
	matches '^gotap: .*/cut.trace: '
	gotap diff "$BASE" "$BATS_TEST_TMPDIR/none.trace"
	[ "$status" -eq 1 ]
	[ "${#lines[@]}" -eq 1 ]
}

@test "wrong usage is status 2 and one line" {
	local args
	for args in "" "$BASE" "$BASE $BASE $BASE" "- -" "--top 0 $BASE $BASE" "--what $BASE $BASE"; do
		# shellcheck disable=SC2086
		gotap diff $args
		[ "$status" -eq 2 ] && [ "${#lines[@]}" -eq 1 ] || fail "$args"
	done
	gotap diff --help
	[ "$status" -eq 0 ]
	contains "usage: gotap diff A B"
}
