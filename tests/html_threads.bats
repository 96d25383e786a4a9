#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=alone
#
# The page of a trace with a file of threads: the lanes of Ps show when their threads were not on a CPU. html/check.py
# compares that with the report.

load lib/common

teardown() { stop_targets; }

@test "what Ps lost is in their lanes, exactly as the report has it; not of a file of another recording" {
	require_root
	type chromium-headless-shell chromium 2>/dev/null | grep -q . || skip "needs chromium"
	build_prog "$REFERENCE_GO" kernel
	cd "$BATS_TEST_TMPDIR"
	taskset -c 0 sh -c 'while :; do :; done' 3>&- &
	TARGETS+=" $!"
	succeeds taskset -c 0 "$GOTAP" record -e +linux --budget none -o x.trace -- "$PROG" -dur 300ms burn 2
	succeeds "$GOTAP" report x.trace --html page.html
	"$GOTAP" report x.trace --json >report.json
	"$GOTAP" text --events --no-stacks --json x.trace >events.json
	run_logged timeout 600 python3 "$CHECKOUT/tests/html/check.py" "$PWD/page.html" report.json events.json off
	[ "$status" -eq 0 ]

	succeeds taskset -c 0 "$GOTAP" record -e +linux -o y.trace -- "$PROG" -dur 10ms burn 1
	mv y.trace.threads x.trace.threads
	gotap report x.trace --html other.html
	[ "$status" -eq 0 ]
	contains "is not of the same recording"
	# the page has no data of that file
	run_logged timeout 600 python3 "$CHECKOUT/tests/html/check.py" "$PWD/other.html" report.json events.json off_forgotten
	[ "$status" -eq 0 ]
}
