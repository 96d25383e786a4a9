#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=beside
#
# gotap convert on v2 traces: parts of a trace, other headers, damaged files. Go's reader and validator judge the
# result. (Traces of Go 1.21 and older: v1.bats.)

load lib/common
load lib/convert

setup_file() {
	local version
	load lib/common
	# A generation lasts for a second: the cut below is not in the first one.
	for version in 1.22 1.23 1.25 1.27; do
		build_prog "$version" mixed
		"$PROG" -trace "$BATS_FILE_TMPDIR/$version.trace" -delay 50ms -dur 2500ms -rounds 500 -tail 50ms
	done
}

setup() {
	T=$BATS_FILE_TMPDIR
	NEW=$BATS_TEST_TMPDIR/new.trace
}

@test "a whole trace keeps its events" {
	local version
	for version in 1.22 1.23 1.25 1.27; do
		converts "$T/$version.trace"
		[ "$(count_of "$NEW" 'Go ')" -eq "$(count_of "$T/$version.trace" 'Go ')" ]
		[ "$(head -c 8 "$NEW")" = "$(head -c 8 "$T/$version.trace")" ]
	done
}

# middle TRACE: prints options for the time that has the middle half of its events. (On a busy machine a fixed time may
# have none, if the program had no processor in it.)
middle() {
	"$GOTAP" text --events --no-stacks "$1" |
		awk '{ time[NR] = $1 } END { print "--from " time[int(NR / 4)] "s --to " time[int(3 * NR / 4)] "s" }'
}

@test "a span of time is a valid trace of fewer events" {
	local version
	for version in 1.22 1.23 1.25 1.27; do
		# shellcheck disable=SC2046
		converts "$T/$version.trace" $(middle "$T/$version.trace")
		[ "$(count_of "$NEW" Go)" -gt 100 ]
		[ "$(count_of "$NEW" Go)" -lt "$(count_of "$T/$version.trace" Go)" ]
	done
	converts "$T/1.27.trace" --from 1s
	converts "$T/1.27.trace" --to 100ms
}

@test "chosen goroutines are all that is left" {
	converts "$T/1.27.trace" --goroutine 1
	converts "$T/1.23.trace" -g 1 --from 200ms
	run_logged "$GOTAP" convert "$T/1.27.trace" --goroutine 123456789 -o "$NEW"
	[ "$status" -eq 1 ]
	contains "there is no goroutine 123456789 in this part of the trace"
}

@test "up and down between headers" {
	local version format
	for version in 1.22 1.27; do
		for format in go1.22 go1.23 go1.25 go1.26; do
			converts "$T/$version.trace" --format "$format"
			[ "$(head -c 7 "$NEW")" = "go ${format#go}" ]
		done
	done
	"$GOTAP" convert "$T/1.27.trace" --format go1.22 -o "$NEW"
	readable_by 1.22 "$NEW"
}

@test "stacks can be left out" {
	converts "$T/1.27.trace"
	mv "$NEW" "$BATS_TEST_TMPDIR/full"
	converts "$T/1.27.trace" --strip-stacks
	[ "$(stat -c %s "$NEW")" -lt "$(stat -c %s "$BATS_TEST_TMPDIR/full")" ]
}

@test "a truncated file gives what comes before the cut, and says so" {
	local version size
	for version in 1.22 1.23 1.25 1.27; do
		size=$(stat -c %s "$T/$version.trace")
		# The cut is near the end, in the last generation, which may be small if the program got no processor in
		# it.
		head -c $((size - 500)) "$T/$version.trace" >"$BATS_TEST_TMPDIR/cut"
		converts "$BATS_TEST_TMPDIR/cut"
		run_logged "$GOTAP" convert "$BATS_TEST_TMPDIR/cut" -o "$NEW"
		matches 'the trace (is damaged|was cut), kept what comes before'
	done
}

@test "a cut right after a batch of a go 1.26 trace only misses its end mark" {
	converts "$T/1.22.trace" --format go1.26
	head -c -1 "$NEW" >"$BATS_TEST_TMPDIR/cut"
	converts "$BATS_TEST_TMPDIR/cut"
	[ "$(count_of "$NEW" 'Go ')" -ge "$(count_of "$T/1.22.trace" 'Go ')" ]
}

@test "a part of a v1 trace" {
	require_go 1.27
	converts "$CHECKOUT/build/go/go1.27/src/internal/trace/internal/tracev1/testdata/stress_1_21_good" \
		--from 10ms --to 60ms --format go1.25
}

@test "standard input and output" {
	"$GOTAP" convert - -o - --to 500ms <"$T/1.27.trace" | cat >"$NEW"
	trace_ok "$NEW"
}

@test "wrong usage exits 2" {
	local wrong
	for wrong in "--from x" "--from 2s --to 1s" "--goroutine x" "--format 1.24" "--nonsense"; do
		# shellcheck disable=SC2086
		run_logged "$GOTAP" convert "$T/1.27.trace" -o "$NEW" $wrong
		[ "$status" -eq 2 ]
		[ ! -e "$NEW" ]
	done
}

@test "a span without events is an error and leaves no file" {
	run_logged "$GOTAP" convert "$T/1.27.trace" --from 1h -o "$NEW"
	[ "$status" -eq 1 ]
	contains "nothing of the trace is left"
	[ ! -e "$NEW" ]
}
