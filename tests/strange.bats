#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Programs whose memory is not to be trusted: a list of goroutines that was made up, and memory that does not answer or
# answers late. Neither makes gotap take much memory or time, nor hold it up, and no probe stays behind.

load lib/common
load lib/record

setup() {
	require_root
	build_prog "$REFERENCE_GO" strange
	TRACE=$BATS_TEST_TMPDIR/gotap.trace
}

teardown() { stop_targets; }

# start_strange ARGUMENT...: skips where the kernel has no userfaultfd.
start_strange() {
	start_target "$PROG" "$@" || { grep -q 'no userfaultfd' "$TARGET_OUT" && skip "no userfaultfd"; }
}

is_strange() { grep -qx strange "$TARGET_OUT"; }
is_asked() { grep -qx asked "$TARGET_OUT"; }

# A list of a million goroutines has 1,954 pages.
most_was_not_read() {
	local pages
	pages=$(grep -cx page "$TARGET_OUT")
	echo "$pages pages were read"
	[ "$pages" -lt 1000 ]
}

# measured COMMAND...: runs it and sets $status and $PEAK, the memory that it had at most, in MiB.
measured() {
	run_logged python3 -c '
import resource, subprocess, sys
status = subprocess.run(sys.argv[1:]).returncode
print("peak", resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10)
sys.exit(status)' "$@"
	PEAK=$(sed -n 's/^peak //p' <<<"$output")
}

@test "a million times the same goroutine: it is read once" {
	start_strange -as repeated -n 1000000
	measured timeout -s KILL 60 "$GOTAP" record --strict --json -d 300ms -p "$TARGET" -o "$TRACE"
	[ "$status" -eq 0 ]
	[ "$PEAK" -lt 300 ]
	views_ok "$TRACE"
}

@test "a list that is longer than the program's memory" {
	start_strange -as endless -n 60000000
	succeeds_not timeout -s KILL 60 "$GOTAP" record -d 300ms -p "$TARGET" -o "$TRACE"
	contains "runtime.allgs of process $TARGET makes no sense: 60000000 of them have no room in its memory"
}

succeeds_not() {
	run_logged "$@"
	[ "$status" -eq 1 ]
}

@test "a list in memory that does not answer" {
	start_strange -as silent
	succeeds_not timeout -s KILL 60 "$GOTAP" record -d 300ms -p "$TARGET" -o "$TRACE"
	contains "the memory of process $TARGET does not answer"
	[ ! -s "$TRACE" ]
}

# Each page takes longer than gotap waits for a whole request, but it is an answer.
@test "SIGINT while memory answers late" {
	start_strange -as slow -later
	kill -USR1 "$TARGET"
	wait_for 60 is_strange
	REPORT=$TRACE.json
	"$GOTAP" record -p "$TARGET" -o "$TRACE" 2>"$REPORT" 3>&- &
	RECORDER=$!
	TARGETS+=" $RECORDER"
	wait_for 60 is_asked
	stop_record
	most_was_not_read
	[ "$status" -eq 1 ]
	grep -q 'stopped before the goroutines' "$REPORT"
}

# If the rings are too small for the records that come between two rounds of draining, gotap reads the states again and
# again.
@test "memory that stops to answer ends the recording" {
	start_strange -as silent -later -pairs 16
	start_record "$TRACE" -p "$TARGET" --ring-size 4K
	note_programs
	kill -USR1 "$TARGET"
	wait_for 60 recorder_has_ended
	wait_record
	[ "$status" -eq 0 ]
	[[ $(reported ended) == *"memory did not answer"* ]]
	wait_for 60 no_program_left
	views_ok "$TRACE"
}

recorder_has_ended() { ! target_runs "$RECORDER"; }

# While states are read again, which takes long here: nothing is recorded any more as soon as the stop comes, and the
# recording waits for no page.
@test "SIGINT while states are read again and memory answers late" {
	start_strange -as slow -later -pairs 16
	start_record "$TRACE" -p "$TARGET" --ring-size 4K
	kill -USR1 "$TARGET"
	wait_for 60 is_strange
	wait_for 60 is_asked
	stop_record
	most_was_not_read
	[ "$status" -eq 0 ]
	views_ok "$TRACE"
}
