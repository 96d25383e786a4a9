#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=beside
#
# gotap report --html: the page in a headless Chromium, beside the report and the events of the same trace. html/check.py
# has the checks.

load lib/common

# page TRACE: $PAGE, $REPORT and $EVENTS of it.
page() {
	export GOTAP TRACE=$1
	PAGE=$BATS_TEST_TMPDIR/page.html REPORT=$BATS_TEST_TMPDIR/report.json EVENTS=$BATS_TEST_TMPDIR/events.json
	succeeds "$GOTAP" report "$1" --html "$PAGE"
	[ -z "$output" ] || fail "it printed something"
	"$GOTAP" report "$1" --json >"$REPORT"
	"$GOTAP" text --events --no-stacks --json "$1" >"$EVENTS"
}

# check NAME...
check() {
	type chromium-headless-shell chromium 2>/dev/null | grep -q . || skip "needs chromium"
	run_logged timeout 600 python3 "$CHECKOUT/tests/html/check.py" "$PAGE" "$REPORT" "$EVENTS" "$@"
	[ "$status" -eq 0 ]
}

# Eight goroutines that wait for a lock, and names that a page must not take for HTML.
story() {
	python3 "$CHECKOUT/tests/html/story.py" >"$BATS_TEST_TMPDIR/story.txt"
	"$GOTAP" wire "$BATS_TEST_TMPDIR/story.txt" -o "$BATS_TEST_TMPDIR/story.trace"
	page "$BATS_TEST_TMPDIR/story.trace"
}

@test "the page of a trace: numbers, findings that lead to the timeline, filters, hostile names" {
	story
	[ -z "$(grep -a 'onerror=\|hurt' "$PAGE")" ] || fail "text of the trace is in the page as it is"
	check harmless numbers sorts finding exact zoomed filters
	check no_requests
	check search living names hovers measures units links harmless
}

@test "the page of a program's own trace: stays are those of its events, to the ns" {
	build_prog "$REFERENCE_GO" mixed
	"$PROG" -trace "$BATS_TEST_TMPDIR/t.trace" -delay 20ms -dur 150ms -rounds 300 -tail 0 >/dev/null
	page "$BATS_TEST_TMPDIR/t.trace"
	check numbers exact zoomed measures units fast links
	explain "$output"
}

@test "a page is of one trace, goes to standard output, and has what a damaged trace has" {
	story
	gotap report "$BATS_TEST_TMPDIR/story.trace" "$BATS_TEST_TMPDIR/story.trace" --html "$BATS_TEST_TMPDIR/two.html"
	[ "$status" -eq 2 ]
	contains '--html takes one trace'
	[ ! -e "$BATS_TEST_TMPDIR/two.html" ]
	"$GOTAP" report --html - - <"$BATS_TEST_TMPDIR/story.trace" >"$BATS_TEST_TMPDIR/stdout.html"
	head -c 15 "$BATS_TEST_TMPDIR/stdout.html" | grep -qx '<!DOCTYPE html>'
	tail -n 1 "$BATS_TEST_TMPDIR/stdout.html" | grep -qx '</html>'
	head -c 3000 "$BATS_TEST_TMPDIR/story.trace" >"$BATS_TEST_TMPDIR/cut.trace"
	gotap report "$BATS_TEST_TMPDIR/cut.trace" --html "$BATS_TEST_TMPDIR/cut.html"
	[ "$status" -eq 1 ]
	tail -n 1 "$BATS_TEST_TMPDIR/cut.html" | grep -qx '</html>'
	gotap report "$BATS_TEST_TMPDIR/story.trace" --html - --json
	[ "$status" -eq 2 ]
	TMPDIR=/dev/null gotap report "$BATS_TEST_TMPDIR/story.trace" --html "$BATS_TEST_TMPDIR/small.html"
	[ "$status" -eq 0 ]
}

@test "the page of every vector ends as it should" {
	local trace
	for trace in "$CHECKOUT"/tests/vectors/*.trace; do
		run "$GOTAP" report "$trace" --html "$BATS_TEST_TMPDIR/v.html"
		[ "$status" -le 1 ] || fail "$trace: status $status"
		[ "$status" -eq 1 ] || [ "$(tail -n 1 "$BATS_TEST_TMPDIR/v.html")" = '</html>' ] || fail "$trace: not whole"
	done
}
