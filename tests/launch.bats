#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# gotap record COMMAND: the launched program is traced from its first goroutine on, and notices nothing of it.

load lib/common
load lib/record

setup() {
	require_root
	oracle "$REFERENCE_GO"
	TRACE=$BATS_TEST_TMPDIR/gotap.trace
}

teardown() { stop_targets; }

# text_of TRACE: its events as text, without stacks.
text_of() { "$ORACLE/wire" -text <"$1"; }

launch() {
	build_prog "$1" exitquick
	recorded "$TRACE" -- "$PROG" -n 100
	views_ok "$TRACE"
	# All begin with their creation: none is declared as found there.
	! text_of "$TRACE" | grep -q ^GoStatus || fail "a goroutine was there already"
	text_of "$TRACE" | grep -qE '^GoCreate .*new_g=1 '
	"$ORACLE/check" -goroutines "$TRACE" >"$BATS_TEST_TMPDIR/goroutines"
	grep -q '^goroutine 1 first=Runnable .* name=runtime.main$' "$BATS_TEST_TMPDIR/goroutines"
	grep -q 'name=runtime.forcegchelper$' "$BATS_TEST_TMPDIR/goroutines"
	grep -q 'name=runtime.bgsweep$' "$BATS_TEST_TMPDIR/goroutines"
	[ "$(grep -c 'last=NotExist name=main.work$' "$BATS_TEST_TMPDIR/goroutines")" -eq 100 ]
}

@test "the first goroutine and runtime init are in the trace, Go 1.22" { launch 1.22; }
@test "the first goroutine and runtime init are in the trace, Go 1.24" { launch 1.24; }
@test "the first goroutine and runtime init are in the trace, Go 1.25" { launch 1.25; }
@test "the first goroutine and runtime init are in the trace, Go 1.27" { launch 1.27; }

@test "arguments, stdin, stdout and the working directory are the program's own" {
	build_prog "$REFERENCE_GO" echo
	mkdir "$BATS_TEST_TMPDIR/here"
	cd "$BATS_TEST_TMPDIR/here"
	printf 'some\0bytes\nno end of line' >in
	"$GOTAP" record --budget none -q --strict -o "$TRACE" -- "$PROG" -q --strict "two words" '' <in >out
	{ printf '%s\n' ready -q --strict "two words" ''; cat in; } | cmp - out
	trace_ok "$TRACE"
}

@test "options end at the command: no -- is needed" {
	build_prog "$REFERENCE_GO" echo
	"$GOTAP" record --budget none -q -o "$TRACE" "$PROG" -d 5s -o x </dev/null >"$BATS_TEST_TMPDIR/out"
	printf '%s\n' ready -d 5s -o x | cmp - "$BATS_TEST_TMPDIR/out"
}

@test "a command is looked up in PATH" {
	build_prog "$REFERENCE_GO" exitquick
	PATH=$(dirname "$PROG"):$PATH recorded "$TRACE" exitquick
	trace_ok "$TRACE"
}

@test "its exit status is gotap's" {
	build_prog "$REFERENCE_GO" exitquick
	recorded "$TRACE" -- "$PROG"
	record "$TRACE" --strict -- "$PROG" -status 3
	[ "$status" -eq 3 ]
	[ "$(reported ended)" = "the program has ended" ]
	trace_ok "$TRACE"
}

@test "a program that ends by a signal gives 128 and the signal" {
	build_prog "$REFERENCE_GO" pingpong
	start_record "$TRACE" -- "$PROG"
	pkill -KILL -P "$RECORDER"
	wait_record
	[ "$status" -eq 137 ]
	trace_ok "$TRACE"
}

@test "a program that panics" {
	build_prog "$REFERENCE_GO" panic
	record "$TRACE" --strict -- "$PROG" -after 50ms
	[ "$status" -eq 2 ]
	trace_ok "$TRACE"
}

# ctrl_c PROGRAM...: an interrupt from the terminal reaches the whole process group. Sets $ENDED to gotap's status.
ctrl_c() {
	mkfifo "$BATS_TEST_TMPDIR/never"
	exec 8<>"$BATS_TEST_TMPDIR/never"
	setsid --fork --wait "$GOTAP" record --budget none -q -o "$TRACE" -- "$@" <&8 >"$BATS_TEST_TMPDIR/out" 3>&- &
	RECORDER=$!
	wait_for 20 grep -q ready "$BATS_TEST_TMPDIR/out"
	kill -INT -- "-$(pgrep -P "$RECORDER")"
	ENDED=0
	wait "$RECORDER" || ENDED=$?
	trace_ok "$TRACE"
}

@test "Ctrl-C is for the program: one that dies of it" {
	build_prog "$REFERENCE_GO" pingpong
	ctrl_c "$PROG"
	[ "$ENDED" -eq 130 ]
}

@test "Ctrl-C is for the program: one that handles it, and the trace has that" {
	build_prog "$REFERENCE_GO" echo
	ctrl_c "$PROG"
	[ "$ENDED" -eq 7 ]
	grep -q interrupted "$BATS_TEST_TMPDIR/out"
	"$ORACLE/check" -stacks "$TRACE" | grep -q 'os/signal'
}

@test "-d ends the recording, and the program goes on" {
	build_prog "$REFERENCE_GO" exitquick
	recorded "$TRACE" -d 100ms -- "$PROG" -after 1500ms -n 3
	[ "$(reported ended)" = "" ]
	trace_ok "$TRACE"
	! "$ORACLE/check" -goroutines "$TRACE" | grep -q main.work || fail "it was recorded to its end"
	record "$TRACE" -d 100ms -- "$PROG" -after 1s -status 5
	[ "$status" -eq 5 ]
}

@test "SIGTERM ends the recording, and gotap waits for the program" {
	build_prog "$REFERENCE_GO" exitquick
	start_record "$TRACE" -- "$PROG" -after 1s -status 4
	kill -TERM "$RECORDER"
	wait_record
	[ "$status" -eq 4 ]
	trace_ok "$TRACE"
}

@test "the program inherits no file of gotap's" {
	build_prog "$REFERENCE_GO" pingpong
	start_record "$TRACE" -d 2s -- "$PROG"
	ls -l "/proc/$(pgrep -P "$RECORDER")/fd" >"$BATS_TEST_TMPDIR/fds"
	cat "$BATS_TEST_TMPDIR/fds"
	! grep -qE 'gotap.trace$|bpf|perf|ringbuf' "$BATS_TEST_TMPDIR/fds" || fail "it has files of gotap's"
	pkill -P "$RECORDER"
	wait_record
}

@test "a command that does not exist" {
	gotap record -o "$TRACE" -- "$BATS_TEST_TMPDIR/nothing"
	[ "$status" -eq 1 ]
	[ "$output" = "gotap: cannot run '$BATS_TEST_TMPDIR/nothing': No such file or directory" ]
	[ ! -e "$TRACE" ]
}

@test "a command that is no Go program is not run" {
	gotap record -o "$TRACE" -- touch "$BATS_TEST_TMPDIR/touched"
	[ "$status" -eq 1 ]
	[ "${#lines[@]}" -eq 1 ]
	contains "not a Go program"
	[ ! -e "$BATS_TEST_TMPDIR/touched" ]
	[ ! -e "$TRACE" ]
}
