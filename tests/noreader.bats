#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Nobody takes the trace: what cannot be written is not recorded, so probes that only cost the program its time are
# taken away, and come back with the reader. A stop does not wait for him, nor for states that are being read.

load lib/common
load lib/record

setup() {
	require_root
	require_tool dd cmp
	oracle "$REFERENCE_GO"
	TRACE=$BATS_TEST_TMPDIR/gotap.trace
}

teardown() { stop_targets; }

# record_to_nobody ARGUMENT...: as $RECORDER, into a pipe that is read into $TRACE from the call of read_on on.
record_to_nobody() {
	mkfifo "$BATS_TEST_TMPDIR/pipe"
	REPORT=$TRACE.json
	# shellcheck disable=SC2094
	{ wait_for 120 [ -e "$BATS_TEST_TMPDIR/read" ] && cat; } <"$BATS_TEST_TMPDIR/pipe" >"$TRACE" 3>&- &
	READER=$!
	# shellcheck disable=SC2086
	"$GOTAP" record -o - --json ${ATTACH:+--attach $ATTACH} -p "$TARGET" "$@" >"$BATS_TEST_TMPDIR/pipe" 2>"$REPORT" 3>&- &
	RECORDER=$!
	TARGETS+=" $RECORDER"
}

read_on() { touch "$BATS_TEST_TMPDIR/read"; }

has_probes() { ! text_is_as_before; }

# The pipe has data of a trace: so the probes have been attached.
has_begun() { read -r -t 0 <"$BATS_TEST_TMPDIR/pipe"; }

# Probes are there, then they are not, and all that happened is counted and said.
goes_and_comes_back() {
	build_prog "$REFERENCE_GO" turn
	start_target "$PROG"
	text_of_target "$BATS_TEST_TMPDIR/text.before"
	record_to_nobody "$@"
	wait_for 60 has_begun
	wait_for 60 text_is_as_before
	read_on
	wait_for 60 has_read 1
	wait_for 60 has_probes
	stop_record
	wait "$READER"
	[ "$status" -eq 0 ]
	views_ok "$TRACE"
	[ "$(reported resumed)" -ge 1 ]
	awk -v s="$(reported unrecorded_seconds)" 'BEGIN { exit !(s > 0.05) }'
	target_runs
}

@test "the probes go, and come back with the reader" {
	goes_and_comes_back --ring-size 1M --budget none
	[ "$(reported lost)" -gt 0 ]
}

# bats test_tags=soak-only
@test "the same with uprobes of perf" {
	goes_and_comes_back --ring-size 1M --budget none --attach perf
	[ "$(reported lost)" -gt 0 ]
}

# Code in the program stays there meanwhile, and does nothing: its calls need not be changed again.
@test "the same with code in the program" {
	require_inline
	build_prog "$REFERENCE_GO" turn
	start_target "$PROG" -load 20
	ATTACH=inline record_to_nobody --ring-size 1M --budget none
	wait_for 60 inline_runs
	# So much work makes more records than all buffers hold.
	wait_for 60 has_used_ms $(($(cpu_ms) + 1500))
	sleep 1
	read_on
	wait_for 60 has_read 1
	ATTACH=inline stop_record
	wait "$READER"
	[ "$status" -eq 0 ]
	views_ok "$TRACE"
	[ "$(reported resumed)" -ge 1 ]
	[ "$(reported lost)" -gt 0 ]
	awk -v s="$(reported unrecorded_seconds)" 'BEGIN { exit !(s > 0.05) }'
	target_runs
}

@test "the budget is kept as well: no slice of time begins" { goes_and_comes_back --budget 0.5; }

@test "a stop does not wait for the reader: the probes go at once" {
	build_prog "$REFERENCE_GO" pingpong
	start_target "$PROG"
	text_of_target "$BATS_TEST_TMPDIR/text.before"
	record_to_nobody --budget none --ring-size 64M -d 1100ms
	wait_for 60 has_begun
	wait_for 60 text_is_as_before
	read_on
	wait_record
	wait "$READER"
	[ "$status" -eq 0 ]
	views_ok "$TRACE"
	awk -v s="$(reported seconds)" 'BEGIN { exit !(s > 1 && s < 60) }'
}

# kept FIELD FILE FROM TO: the mean speed between the two times but for the first second, in percent of the mean before:
# rounds a second (field 2), or rounds a second of the program's CPU time (3), which other programs do not change. The
# mean, as that is what a budget limits: while a slice of time is recorded the program is slower.
kept() {
	awk -v field="$1" -v from="$3" -v to="$4" 'NF == 3 && $1 < from { before += $field; n++ }
		NF == 3 && $1 > from + 2 && $1 < to { since += $field; m++ }
		END { printf "%d\n", m ? 100 * (since / m) / (before / n) : 0 }' "$2"
}

# bats test_tags=soak
@test "a program keeps three quarters of its speed, whatever the reader does" {
	soak_only
	local begin end seconds=$((SOAK > 20 ? SOAK : 20))
	build_prog "$REFERENCE_GO" speed
	start_target "$PROG"
	sleep 5
	begin=$(date +%s.%N)
	record_to_nobody --budget 20
	sleep 5
	RSS=$(awk '/VmRSS/ { print $2 }' "/proc/$RECORDER/status")
	sleep "$((seconds - 10))"
	end=$(date +%s.%N)
	explain "resident memory after 5 s: $RSS kB, after $((seconds - 5)) s: $(awk '/VmRSS/ { print $2 }' "/proc/$RECORDER/status") kB"
	[ "$(awk '/VmRSS/ { print $2 }' "/proc/$RECORDER/status")" -le $((RSS + 4096)) ]
	read_on
	sleep 2
	stop_record
	wait "$READER"
	cat "$TARGET_OUT"
	explain "the speed after the first second: $(kept 2 "$TARGET_OUT" "$begin" "$end") %," \
		"by the program's CPU time $(kept 3 "$TARGET_OUT" "$begin" "$end") %"
	[ "$(kept 3 "$TARGET_OUT" "$begin" "$end")" -ge 75 ]
	views_ok "$TRACE"
}
