#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=beside
#
# gotap whatif: forms and refusals, on a trace of which each time is known. What it predicts has values in
# tests/unit/whatif_whatif.c; tests/knobs/judge compares predictions with programs that are really changed.

load lib/common

setup_file() {
	load lib/common
	python3 "$CHECKOUT/tests/lib/whatif_story.py" "$GOTAP" 100 "$BATS_FILE_TMPDIR/story.trace"
	python3 "$CHECKOUT/tests/lib/whatif_story.py" "$GOTAP" 20 "$BATS_FILE_TMPDIR/few.trace"
}

setup() { STORY=$BATS_FILE_TMPDIR/story.trace; }

@test "the story is a trace" { succeeds "$GOTAP" check "$STORY"; }

@test "the unit, the base, and the largest effect first" {
	gotap whatif "$STORY"
	[ "$status" -eq 0 ]
	matches '^Unit: goroutines of main.handle, 100 of them, 92\.24 a second, median 10\.8 ms\.$'
	matches '^The replay is -?0\.[0-9] % off in the recorded order, .*: predictions are possible\.$'
	matches '^  1\. If the sleeps in main\.query \(x\.go:44\) took 50 % less time: 1\.49 to 1\.6[23] times as many a second; median 0\.61 to 0\.67 times'
	matches '^  2\. If the running time of main\.handle '
}

@test "an effect is what can be computed, as JSON, from a file and a pipe" {
	"$GOTAP" whatif --json --sleep main.query --by 25 "$STORY" >"$BATS_TEST_TMPDIR/a"
	"$GOTAP" whatif --json --sleep main.query --by 25% - <"$STORY" >"$BATS_TEST_TMPDIR/b"
	jq -e '.version == 1 and .unit.name == "main.handle" and .unit.count == 100 and .refused == [] and (.cut | not)' "$BATS_TEST_TMPDIR/a"
	jq -e '.replayed | .order.per_second.valid and .free.p50_ns.valid and ([.[].per_second.error | fabs < 0.01] | all)' "$BATS_TEST_TMPDIR/a"
	jq -e '.predictions | length == 1 and (.[0] | .change == "sleep" and .name == "main.query" and .shorter == 0.25 and .refused == [] and .line == 44)' "$BATS_TEST_TMPDIR/a"
	jq -e '.predictions[0].per_second | ([.ratio_low, .ratio_high] | (.[0] < 10841 / 8949 and .[1] > 10841 / 8949 and .[1] / .[0] < 1.07))' "$BATS_TEST_TMPDIR/a"
	succeeds diff <(jq 'del(.trace)' "$BATS_TEST_TMPDIR/a") <(jq 'del(.trace)' "$BATS_TEST_TMPDIR/b")
}

@test "a change that is refused has a reason, and so has a trace" {
	"$GOTAP" whatif --json --function main.query --network main.query "$STORY" |
		jq -e '[.predictions[] | .refused[0].reason] == ["attribution", "time"] and ([.predictions[].per_second] == [null, null])'
	gotap whatif --function main.query "$STORY"
	matches 'not predicted:$'
	contains "can be that of other functions"
	gotap whatif "$BATS_FILE_TMPDIR/few.trace"
	[ "$status" -eq 0 ]
	contains "Nothing is predicted:"
	contains "only 14 of them were completed"
	"$GOTAP" whatif --json "$BATS_FILE_TMPDIR/few.trace" | jq -e '.predictions == [] and .refused[0].reason == "few"'
}

@test "wrong usage, other units, damaged traces" {
	local args
	for args in "" "a b" "--by 0 a" "--by 101 a" "--by x a" "--top 0 a" "--sleep"; do
		# shellcheck disable=SC2086
		gotap whatif $args
		[ "$status" -eq 2 ] || fail "$args: $status"
	done
	gotap whatif --unit main.nobody "$STORY"
	[ "$status" -eq 1 ]
	contains "no function, task or region main.nobody was seen"
	gotap whatif --unit main.handle "$STORY"
	[ "$status" -eq 0 ]
	gotap whatif "$BATS_TEST_TMPDIR/none.trace"
	[ "$status" -eq 1 ]
	head -c 4000 "$STORY" >"$BATS_TEST_TMPDIR/cut.trace"
	gotap whatif "$BATS_TEST_TMPDIR/cut.trace"
	[ "$status" -eq 1 ]
	gotap whatif --help
	contains "usage: gotap whatif [OPTION...] TRACE"
}
