#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# A program that logs in the category of gotap's notes: no reader takes its words for gotap's.

load lib/common

setup() {
	require_root
	require_tool jq
	cd "$BATS_TEST_TMPDIR"
}

teardown() { stop_targets; }

# nobody_is_fooled TRACE: the words of the program are in the trace, and no reader has them as notes.
nobody_is_fooled() {
	local trace=$1
	succeeds "$GOTAP" check "$trace"
	"$GOTAP" text --events "$trace" | grep -q FORGED
	succeeds "$GOTAP" report --json "$trace"
	jq -e '[.. | .notes? | select(type == "array") | .[]] | tostring | contains("FORGED") | not' <<<"$output"
	[ "$(jq '[.. | .path? // empty | select(tostring | contains("FORGED"))] | length' <<<"$output")" -eq 0 ]
	succeeds "$GOTAP" report "$trace"
	[[ $output != *FORGED* ]] || fail "the report has the words of the program"
	succeeds "$GOTAP" diff "$trace" "$trace"
	[[ $output != *FORGED* ]] || fail "diff has the words of the program"
	run_logged "$GOTAP" pprof --type sync -o profile.gz "$trace"
	[ "$status" -eq 0 ]
	[[ $output != *FORGED* ]] || fail "pprof has the words of the program"
	! gzip -dc profile.gz | grep -aq FORGED || fail "the profile has the words of the program"
	succeeds "$GOTAP" report --html page.html "$trace"
	succeeds "$GOTAP" perfetto -o out.perfetto "$trace"
	grep -aq "program:gotap" out.perfetto
}

@test "recorded by gotap: the log has another category, and is counted" {
	build_prog "$REFERENCE_GO" liar
	start_target "$PROG"
	succeeds "$GOTAP" record --json -e +user -p "$TARGET" -d 1s -o trace
	jq -e '.renamed_logs >= 100' <<<"${lines[-1]}"
	nobody_is_fooled trace
	"$GOTAP" text --events trace >events
	grep -q 'program:gotap' events
	grep -q 'program:gotap.labels' events
	grep -q 'gotapper' events
	! grep FORGED events | grep -v 'program:gotap' || fail "a log that was not renamed"
	succeeds "$GOTAP" convert trace --format go1.19 -o old
	nobody_is_fooled old
}

@test "made by package runtime/trace: readers see that it is a log of the program" {
	local version
	for version in 1.19 "$REFERENCE_GO"; do
		build_prog "$version" liar
		succeeds "$PROG" -trace own
		nobody_is_fooled own
	done
	succeeds "$GOTAP" convert own --format go1.19 -o converted
	nobody_is_fooled converted
}
