#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=beside
#
# gotap report: its numbers beside those of the pages of `go tool trace` (internal/trace of the reference release); options,
# damage, odd strings. What gotap itself recorded is in report_record.bats.

load lib/common
load lib/report

VECTORS=$CHECKOUT/tests/vectors

# runtime_trace VERSION NAME: sets $TRACE to a trace of itself that the program wrote.
runtime_trace() {
	TRACE=$BATS_FILE_TMPDIR/$1-$2.trace
	[ ! -s "$TRACE" ] || return 0
	build_prog "$1" "$2"
	case $2 in
	mixed) "$PROG" -trace "$TRACE" -delay 50ms -dur 700ms -rounds 1000 -tail 0 >/dev/null ;;
	*)
		start_target "$PROG" -trace "$TRACE" -dur 700ms -rounds 300 -tail 0
		kill -USR1 "$TARGET"
		wait "$TARGET"
		;;
	esac
}

teardown() { stop_targets; }

# for releases 1.22 1.25 newest (soak-only 1.25):
#	@test "pages of go tool trace, Go %" { runtime_trace % mixed; same_pages "$TRACE"; }
@test "pages of go tool trace, Go 1.22" { runtime_trace 1.22 mixed; same_pages "$TRACE"; }
# bats test_tags=soak-only
@test "pages of go tool trace, Go 1.25" { runtime_trace 1.25 mixed; same_pages "$TRACE"; }
@test "pages of go tool trace, Go 1.27" { runtime_trace 1.27 mixed; same_pages "$TRACE"; }
# end of releases

@test "pages of go tool trace: tasks, regions, GC and stops, Go 1.27" {
	runtime_trace 1.27 ranges
	same_pages "$TRACE"
	matches ' [4-9] types of regions, [3-9] of tasks'
}

# Go's own conversion rounds times and names other stops; gotap's has the events that were there.
@test "pages of go tool trace, of what Go 1.19 wrote, converted" {
	runtime_trace 1.19 mixed
	succeeds "$GOTAP" convert "$TRACE" -o "$BATS_TEST_TMPDIR/now.trace"
	same_pages "$BATS_TEST_TMPDIR/now.trace"
	# And of the old trace itself: all but what a conversion has to make up.
	[ "$(sums "$TRACE")" = "$(sums "$BATS_TEST_TMPDIR/now.trace")" ]
}

# sums TRACE: goroutines by function and how often they ran, as the trace has it.
sums() {
	"$GOTAP" report --json "$1" | jq -c '[.goroutines[] | [.function, .goroutines, .ended, .running.count]] | sort'
}

@test "several traces are added up, and one can come from standard input" {
	local one=$BATS_TEST_TMPDIR/one two=$BATS_TEST_TMPDIR/two
	runtime_trace 1.27 mixed
	"$GOTAP" report --json "$TRACE" >"$one"
	"$GOTAP" report --json "$TRACE" - <"$TRACE" >"$two"
	[ "$(jq '[.goroutines[].states_ns] | add * 2' "$one")" = "$(jq '[.goroutines[].states_ns] | add' "$two")" ]
	[ "$(jq -c '[.traces[].events, .unclosed]' "$two")" = "$(jq -c '[.traces[0].events, .traces[0].events, 0]' "$one")" ]
	[ "$(jq -r '.traces[1].name' "$two")" = - ]
	[ "$(jq -c '.traces[0].timeline, .traces[0].mutator' "$two")" = "$(jq -c '.traces[1].timeline, .traces[1].mutator' "$two")" ]
	succeeds "$GOTAP" report "$TRACE" "$TRACE"
	matches ' of trace 1$'
}

@test "a pipe without room for a copy: one note, and a report without the composition" {
	runtime_trace 1.27 mixed
	TMPDIR=$BATS_TEST_TMPDIR/none "$GOTAP" report - <"$TRACE" >"$BATS_TEST_TMPDIR/file"
	grep -q 'Composition' "$BATS_TEST_TMPDIR/file"	# a file is read again
	# shellcheck disable=SC2002
	cat "$TRACE" | TMPDIR=$BATS_TEST_TMPDIR/none "$GOTAP" report - >"$BATS_TEST_TMPDIR/piped" 2>"$BATS_TEST_TMPDIR/note"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/note")" -eq 1 ]
	grep -q 'leaves out the composition of the units of work' "$BATS_TEST_TMPDIR/note"
	grep -q '^UNIT OF WORK' "$BATS_TEST_TMPDIR/piped"
	! grep -q 'Composition' "$BATS_TEST_TMPDIR/piped" || fail "a composition"
	# shellcheck disable=SC2002
	cat "$TRACE" | "$GOTAP" report - | grep -q 'Composition'
}

@test "--unit chooses the unit, and names nothing that is not there" {
	runtime_trace 1.27 mixed
	"$GOTAP" report --json --unit main.main "$TRACE" | jq -e '.answer[0].unit == "main.main"'
	run_logged "$GOTAP" report --unit main.nothing "$TRACE"
	[ "$status" -eq 1 ]
	contains "--unit main.nothing"
}

@test "what it prints fits: findings, tables, the longest; --top" {
	runtime_trace 1.27 ranges
	succeeds "$GOTAP" report "$TRACE"
	matches '^FINDINGS'
	matches '^   running +[0-9 ]+ [0-9.]+ (us|ms|s) .* g [0-9]+ at [0-9.]+ s$'
	matches '^WAIT FOR A P .* p99 '
	matches '^   Ps with a thread +\|.*\| [0-9.]+, at most [0-9.]+ of [0-9]+$'
	matches '^   GC mark termination +[0-9]+ '
	matches '^   mutator utilisation: the program had .* of the Ps. time;$'
	matches '^      in the worst window .* in 10 ms'
	matches '^REGIONS +COUNT'
	matches '^TASKS +COUNT'
	[ "$(awk '{ gsub(/[^ -~]/, ""); if (length($0) > 150) n++ } END { print n + 0 }' <<<"$output")" -eq 0 ]
	[ "$("$GOTAP" report --json --top 2 "$TRACE" | jq '[.longest | .. | arrays | length] | max')" -eq 2 ]
	succeeds "$GOTAP" report "$TRACE" -o "$BATS_TEST_TMPDIR/file"
	[ "$(cat "$BATS_TEST_TMPDIR/file")" = "$("$GOTAP" report "$TRACE")" ]
}

@test "the histogram of the wait for a P has all of them" {
	runtime_trace 1.27 mixed
	[ "$("$GOTAP" report --json "$TRACE" | jq '(.scheduling_latency.histogram | map(.[2]) | add) == .scheduling_latency.count')" = true ]
}

@test "odd strings reach neither the terminal nor break the JSON" {
	run_logged "$GOTAP" report "$VECTORS/ok_all_kinds.trace"
	[ "$status" -eq 0 ]
	! LC_ALL=C grep -q '[[:cntrl:]]' <<<"$(tr -d '\n' <<<"$output")" || fail "control characters"
	"$GOTAP" report --json "$VECTORS/ok_all_kinds.trace" | jq -e '.version == 1 and .unclosed == 0'
}

@test "each vector is read or refused as gotap text --events does, and closes" {
	local trace want
	for trace in "$VECTORS"/*.trace; do
		want=0
		"$GOTAP" text --events --no-stacks "$trace" >/dev/null 2>&1 || want=$?
		status=0
		"$GOTAP" report --json "$trace" >"$BATS_TEST_TMPDIR/report.json" 2>/dev/null || status=$?
		[ "$status" -eq "$want" ] || fail "$trace: $status, not $want"
		[ ! -s "$BATS_TEST_TMPDIR/report.json" ] || grep -q '"unclosed": 0, ' "$BATS_TEST_TMPDIR/report.json" ||
			fail "$trace does not close"
	done
}

@test "of a damaged trace what can be read, and the error" {
	runtime_trace 1.27 mixed
	head -c $(($(stat -c %s "$TRACE") / 2)) "$TRACE" >"$BATS_TEST_TMPDIR/cut"
	run_logged "$GOTAP" report "$BATS_TEST_TMPDIR/cut" --json
	[ "$status" -eq 1 ]
	contains '{"version": 1, '
	contains "gotap: $BATS_TEST_TMPDIR/cut: "
}

@test "wrong usage" {
	run_logged "$GOTAP" report
	[ "$status" -eq 2 ]
	contains 'at least one trace is needed'
	run_logged "$GOTAP" report --top 0 x
	[ "$status" -eq 2 ]
	contains '--top takes a number from 1 to 1000'
	run_logged "$GOTAP" report "$BATS_TEST_TMPDIR/not-there"
	[ "$status" -eq 1 ]
	contains "cannot open '$BATS_TEST_TMPDIR/not-there'"
}
