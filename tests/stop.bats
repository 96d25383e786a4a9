#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# How a recording ends: by itself, by a signal, with its target, or killed. The file is a valid trace every time, the
# target is left as it was, and no probe stays behind.

load lib/common
load lib/record

setup() {
	require_root
	require_tool dd cmp
	oracle "$REFERENCE_GO"
	TRACE=$BATS_TEST_TMPDIR/gotap.trace
}

teardown() { stop_targets; }

mixed() {
	build_prog "$REFERENCE_GO" mixed
	start_target "$PROG" -delay 10m
}

@test "-d: after that time" {
	local begin
	mixed
	begin=${EPOCHREALTIME/./}
	recorded "$TRACE" -p "$TARGET" -d 700ms
	[ $((${EPOCHREALTIME/./} - begin)) -ge 700000 ]
	views_ok "$TRACE"
	# the time counts from the moment at which the goroutines are known, with which the trace begins
	awk -v s="$(reported seconds)" 'BEGIN { exit !(s > 0.65 && s < 60) }'
	target_runs
}

# Nothing happens, and the trace says for how long.
@test "-d: a program that does nothing was watched as long as any other" {
	build_prog "$REFERENCE_GO" sleepers
	start_target "$PROG" -n 3 -tick 1h
	recorded "$TRACE" -p "$TARGET" -d 1500ms
	awk -v s="$(reported seconds)" 'BEGIN { exit !(s > 1.4 && s < 60) }'
	[ "$(reported generations)" -ge 2 ]
}

stopped_by() {
	mixed
	start_record "$TRACE" --strict -p "$TARGET"
	stop_record "$1"
	[ "$status" -eq 0 ]
	[ "$(reported ended)" = "" ]
	views_ok "$TRACE"
	target_runs
}

@test "SIGINT" { stopped_by INT; }
@test "SIGTERM" { stopped_by TERM; }
@test "SIGHUP" { stopped_by HUP; }
@test "SIGQUIT" { stopped_by QUIT; }

# bats test_tags=inline
@test "the target exits" {
	build_prog "$REFERENCE_GO" mixed
	start_target "$PROG" -await "$TRACE.partial" -delay 0 -dur 1s -tail 0
	recorded "$TRACE" -p "$TARGET"
	[ "$(reported ended)" = "the program has ended" ]
	views_ok "$TRACE"
}

# bats test_tags=inline
@test "the target is killed" {
	mixed
	start_record "$TRACE" --strict -p "$TARGET"
	kill -KILL "$TARGET"
	wait_record
	[ "$status" -eq 0 ]
	[ "$(reported ended)" = "the program has ended" ]
	views_ok "$TRACE"
}

# bats test_tags=inline
@test "the target execs another program" {
	build_prog "$REFERENCE_GO" exec
	start_target "$PROG" -await "$TRACE.partial" -after 500ms sleep 60
	record "$TRACE" --strict -p "$TARGET"
	[ "$status" -eq 0 ]
	[ "$(reported ended)" = "the program has exec'ed another" ]
	trace_ok "$TRACE"
	target_runs
}

# bats test_tags=inline
@test "the target execs itself" {
	build_prog "$REFERENCE_GO" exec
	start_target "$PROG" -await "$TRACE.partial" -after 500ms "$PROG" -after 1m true
	record "$TRACE" -p "$TARGET"
	[ "$status" -eq 0 ]
	[ "$(reported repairs_total)" -eq 0 ]
	[ "$(reported ended)" = "the program has exec'ed another" ]
	trace_ok "$TRACE"
}

@test "a child that the target forks is not in the trace" {
	build_prog "$REFERENCE_GO" exec
	local exec=$PROG
	build_prog "$REFERENCE_GO" exitquick
	start_target "$exec" -fork -await "$TRACE.partial" -after 500ms "$PROG" -n 5
	recorded "$TRACE" -p "$TARGET"
	trace_ok "$TRACE"
	! "$ORACLE/check" -goroutines "$TRACE" | grep -q main.work || fail "the child's goroutines are in it"
}

@test "after a recording the target's code is as before, and no probe is left" {
	mixed
	text_of_target "$BATS_TEST_TMPDIR/text.before"
	start_record "$TRACE" -p "$TARGET"
	note_programs
	! text_is_as_before || fail "no probe is in place"
	! no_program_left || fail "no program is loaded"
	stop_record
	wait_for 60 text_is_as_before
	wait_for 60 no_program_left
}

@test "gotap is killed: the target goes on without probes, and the file is a trace" {
	mixed
	text_of_target "$BATS_TEST_TMPDIR/text.before"
	start_record "$TRACE" -p "$TARGET"
	note_programs
	wait_for 60 has_bytes "$TRACE.partial" 1000
	kill -KILL "$RECORDER"
	wait_for 60 text_is_as_before
	wait_for 60 no_program_left
	target_runs
	views_ok "$TRACE.partial"
	recorded "$TRACE.again" -p "$TARGET" -d 100ms
	trace_ok "$TRACE.again"
}

@test "signals of all kinds at once end the recording whole, once" {
	mixed
	start_record "$TRACE" --strict -p "$TARGET"
	kill -INT "$RECORDER"
	kill -INT "$RECORDER" 2>/dev/null || true
	kill -TERM "$RECORDER" 2>/dev/null || true
	kill -HUP "$RECORDER" 2>/dev/null || true
	wait_record
	[ "$status" -eq 0 ]
	views_ok "$TRACE"
	target_runs
}

@test "timeout -s INT, which sends two" {
	mixed
	# It sends them at once when it gets one itself, too.
	timeout -s INT 600 "$GOTAP" record -p "$TARGET" -o "$TRACE" 2>"$BATS_TEST_TMPDIR/report" 3>&- &
	RECORDER=$!
	TARGETS+=" $RECORDER"
	wait_for 60 has_bytes "$TRACE.partial" 1
	kill -INT "$RECORDER"
	wait "$RECORDER"
	grep -F "lost: 0, repairs: 0" "$BATS_TEST_TMPDIR/report"
	views_ok "$TRACE"
}

# As nohup(1) starts it. A recording that a signal ends takes no records any more: they go on to come.
@test "nohup: SIGHUP is ignored" {
	local size
	mixed
	REPORT=$TRACE.json
	(trap '' HUP; exec "$GOTAP" record -o "$TRACE" --json -p "$TARGET") 2>"$REPORT" 3>&- &
	RECORDER=$!
	wait_for 60 has_bytes "$TRACE.partial" 1
	[ $((0x$(awk '$1 == "SigIgn:" { print $2 }' "/proc/$RECORDER/status") & 1)) -eq 1 ]
	send HUP
	size=$(stat -c %s "$TRACE.partial")
	wait_for 60 has_bytes "$TRACE.partial" "$((size + 200000))"
	stop_record
	[ "$status" -eq 0 ]
	views_ok "$TRACE"
}

# The thread that takes the probes away hangs; the trace has what came before.
@test "a signal 2 s after the first: the trace is finished, whatever gotap waits for" {
	mixed
	holdable start_record "$TRACE" -p "$TARGET"
	wait_for 60 has_bytes "$TRACE.partial" 1000
	hold_drain
	send INT
	sleep 2.1
	[ ! -e "$TRACE" ]
	kill -INT "$RECORDER"
	wait_for 60 grep -q "^gotap: '$TRACE' is finished; the probes are still being taken away" "$REPORT"
	trace_ok "$TRACE"
	[ "$(reported ended)" = "gotap gave up at a second signal: what came last is missing" ]
	let_drain_go
	wait_record
	[ "$status" -eq 1 ]
	target_runs
}

@test "-o - writes the trace to a pipe, and the report to stderr" {
	mixed
	"$GOTAP" record -p "$TARGET" -d 1200ms -o - 2>"$BATS_TEST_TMPDIR/report" | cat >"$TRACE"
	views_ok "$TRACE"
	grep -qE "^stdout, [0-9.]+ [kM]B$" "$BATS_TEST_TMPDIR/report"
}

@test "the reader of the pipe goes away: one error, and the target goes on" {
	mixed
	run_logged bash -c "set -o pipefail; '$GOTAP' record -p $TARGET -d 5s -o - | head -c 1000 >/dev/null"
	[ "$status" -eq 1 ]
	[ "$output" = "gotap: cannot write 'stdout': Broken pipe" ]
	target_runs
}
