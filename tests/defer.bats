#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# record --defer: the trace is made of the raw records when the recording is over. It is the same trace; what is kept is
# bounded; and whatever ends gotap, it says what is not in the trace and where the raw records are.

load lib/common
load lib/record
load lib/differential

setup() {
	require_root
	oracle "$REFERENCE_GO"
	cd "$BATS_TEST_TMPDIR"
	TRACE=$BATS_TEST_TMPDIR/x.trace
}

teardown() {
	stop_targets
	[ ! -d small ] || umount small || true
}

mixed() {
	build_prog "$REFERENCE_GO" mixed
	start_target "$PROG" -delay 10m
}

# talks ARGUMENT...: a program that makes records without a pause.
talks() {
	build_prog "$REFERENCE_GO" pingpong
	start_target "$PROG" "$@"
}

# bats test_tags=inline
@test "the trace is that of gotap assemble, byte for byte, and nothing is lost" {
	mixed
	recorded "$TRACE" -p "$TARGET" -d 1200ms --defer --spool raw
	views_ok "$TRACE"
	[ "$(reported deferred_bytes)" -eq "$(stat -c %s raw)" ]
	succeeds "$GOTAP" assemble -q raw -o again
	cmp "$TRACE" again
	recorded "$TRACE" -p "$TARGET" -d 1200ms --defer
	views_ok "$TRACE"
	[ "$(reported deferred_bytes)" -gt 100000 ]
}

@test "it has what the runtime's own trace has" {
	build_prog "$REFERENCE_GO" mixed
	compare "deferred" 1 --defer
	compare "deferred, in a file" 4 --defer --spool raw
}

@test "a program that gotap runs, with a Perfetto trace, from its first goroutine on" {
	build_prog "$REFERENCE_GO" mixed
	succeeds "$GOTAP" record -v --defer -d 700ms -e +linux -o "$TRACE" --perfetto beside --spool raw -- "$PROG" -dur 1s
	matches '^deferred: the trace was made of [0-9.]+ [kM]B of raw records in raw, in [0-9.]+ s after the recording$'
	views_ok "$TRACE"
	"$ORACLE/check" -goroutines "$TRACE" | grep '^goroutine 1 first=Runnable .*name=runtime.main$'
	succeeds "$GOTAP" assemble -q raw -o again --perfetto beside.again
	cmp "$TRACE" again
	cmp beside beside.again
	cmp "$TRACE.threads" again.threads
}

@test "a format before Go 1.22, and a trace to a pipe" {
	mixed
	"$GOTAP" record --defer -q -p "$TARGET" -d 500ms --format go1.19 -o - | cat >"$TRACE"
	succeeds "$GOTAP" check "$TRACE"
	"$GOTAP" record -v --defer -p "$TARGET" -d 500ms -o - 2>report | cat >"$TRACE"
	views_ok "$TRACE"
	grep -q 'of raw records in memory, in' report
}

@test "of several programs each has its part of the memory" {
	build_prog "$REFERENCE_GO" mixed
	succeeds "$GOTAP" record --defer --json --budget none --follow -o 'x.%n' -- sh -c "'$PROG' -dur 300ms & '$PROG' -dur 300ms; wait"
	[ "$(grep -o '"deferred_bytes": [1-9]' <<<"$output" | wc -l)" -eq 2 ]
	views_ok x.1 x.2
}

@test "full: the recording ends, is whole up to there, and says so" {
	talks
	for file in "" "--spool raw"; do
		# shellcheck disable=SC2086
		record "$TRACE" -p "$TARGET" -d 300s --strict --defer --defer-max 1M $file
		[ "$status" -eq 0 ]
		[[ $(reported ended) == "the recording was full with "*" of raw records (--defer-max): what came then was not recorded" ]]
		[ "$(reported deferred_bytes)" -ge 1048576 ]
		views_ok "$TRACE"
	done
	[ "$(reported deferred_bytes)" -eq "$(stat -c %s raw)" ]
	succeeds "$GOTAP" record -q -p "$TARGET" -d 300s -o "$TRACE" --defer --defer-max 1M
	[ "${#lines[@]}" -eq 1 ]
	matches '^gotap: the recording was full with [0-9.]+ MB of raw records \(--defer-max\)'
}

# has_kept N: gotap has written so many bytes, nearly all of them raw records.
has_kept() { [ "$(sed -n 's/^wchar: //p' "/proc/$RECORDER/io")" -ge "$1" ]; }

# gotap makes the trace: no more of it fits into the pipe.
makes_trace() { grep -q pipe "/proc/$RECORDER/wchan"; }

# stops_late ARGUMENT...: records into a pipe that nobody reads until a second signal has come, while the trace is made.
stops_late() {
	talks
	mkfifo pipe
	{ wait_for 120 [ -e read ] && cat; } <pipe >"$TRACE" 3>&- &
	READER=$!
	"$GOTAP" record --defer -o - -p "$TARGET" --budget none "$@" >pipe 2>report 3>&- &
	RECORDER=$!
	TARGETS+=" $RECORDER"
	# several generations, of a second each: gotap waits for the pipe amid the trace, and not at its end
	sleep 4
	wait_for 120 has_kept 8000000
	kill -INT "$RECORDER"
	wait_for 60 makes_trace
	sleep 2.1
	send INT
	touch read
	status=0
	wait "$RECORDER" || status=$?
	wait "$READER"
	cat report
	[ "$status" -eq 1 ]
	grep -q 'gotap gave up at a second signal: what came last is missing' report
	trace_ok "$TRACE"
}

@test "a second signal while the trace is made ends that: the raw records are in memory and go" {
	stops_late
	grep -qx 'gotap: the raw records that are not in the trace were in memory and are gone; --spool FILE keeps them' report
}

@test "a second signal while the trace is made: the raw records are in the file" {
	stops_late --spool raw
	grep -qx "gotap: 'raw' has the raw records: \`gotap assemble raw -o FILE\` makes the trace of them" report
	succeeds "$GOTAP" assemble -q raw -o whole
	trace_ok whole
	[ "$(stat -c %s whole)" -gt "$(stat -c %s "$TRACE")" ]
	[ ! -e raw.partial ]
}

@test "gotap is killed: the raw records in the file make a trace" {
	mixed
	start_record "$TRACE" -p "$TARGET" --defer --spool raw
	wait_for 60 has_bytes raw.partial 500000
	kill -KILL "$RECORDER"
	wait "$RECORDER" || true
	[ ! -e "$TRACE" ]
	[ ! -e raw ]
	gotap assemble -q raw.partial -o again
	[ "$status" -eq 0 ] || contains "ends in the middle of a chunk"
	trace_ok again
}

# small SIZE: a file system of that size.
small() {
	mkdir small
	mount -t tmpfs -o "size=$1" none small || skip "cannot mount a tmpfs"
}

@test "the disk is full with the raw records: the trace is one up to there, and they can be read to their end" {
	mixed
	small 4m
	gotap record -d 300s -p "$TARGET" -o "$TRACE" --defer --spool small/raw
	[ "$status" -eq 1 ]
	[ "${lines[0]}" = "gotap: cannot write 'small/raw': No space left on device" ]
	[ "${lines[1]}" = "gotap: 'small/raw' has the raw records: \`gotap assemble small/raw -o FILE\` makes the trace of them" ]
	views_ok "$TRACE"
	succeeds "$GOTAP" assemble -q small/raw -o again
	trace_ok again
}

@test "the disk is full with the trace: the raw records are elsewhere" {
	talks
	small 64k
	gotap record -d 1s -p "$TARGET" --budget none -o small/x --defer --spool raw
	[ "$status" -eq 1 ]
	contains "gotap: cannot write 'small/x': No space left on device"
	contains "gotap: 'raw' has the raw records: "
	succeeds "$GOTAP" assemble -q raw -o again
	trace_ok again
}

@test "what does not go with it" {
	local line
	build_prog "$REFERENCE_GO" mixed
	while read -r line; do
		# shellcheck disable=SC2086
		gotap record $line -p 1
		[ "$status" -eq 2 ] && [ "${#lines[@]}" -eq 1 ] || fail "$line"
	done <<-'END'
		--defer --flight 5s
		--defer-max 1G
		--defer --defer-max 1K
		--defer --defer-max x
	END
	mkfifo fifo
	cat fifo >/dev/null &
	start_target "$PROG" -delay 10m
	gotap record --defer --spool fifo -d 100ms -p "$TARGET" -o "$TRACE"
	[ "$status" -eq 1 ]
	[ "$output" = "gotap: --defer reads the raw records again: 'fifo' is no file" ]
}

# Goroutines beyond 98,304 must be backed by memory of the program, which it has no more when the trace is made.
# bats test_tags=inline
@test "200,000 goroutines of a program that has ended are all in the trace" {
	build_prog "$REFERENCE_GO" many
	record "$TRACE" --defer -d 60s -- "$PROG" -n 200000 -dur 500ms -wake 10 >out
	[ "$status" -eq 0 ]
	[ "$(reported repairs_total)" -eq 0 ]
	[ "$(reported max_live_goroutines)" -ge 200000 ]
}
