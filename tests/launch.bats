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

# wire_of TRACE: its events as text, without stacks.
wire_of() { "$ORACLE/wire" -text <"$1"; }

# launched [NAME]: sets $TARGET to the program that the recorder has started.
launched() {
	TARGET=$(pgrep -x "${1:-exitquick}" -P "$RECORDER") || fail "the program does not run"
	TARGETS+=" $TARGET"
}

# library_sleeps SECONDS: sets $LIBRARY to one that sleeps when it is loaded, before Go's runtime begins.
library_sleeps() {
	require_tool gcc
	LIBRARY=$BATS_TEST_TMPDIR/sleeps.so
	printf '#include <unistd.h>\n__attribute__((constructor)) static void wait_long(void) { sleep(%d); }\n' "$1" |
		gcc -xc - -shared -fPIC -o "$LIBRARY"
}

launch() {
	build_prog "$1" exitquick
	recorded "$TRACE" -- "$PROG" -n 100
	from_the_first_goroutine
	grep -q 'name=runtime.forcegchelper$' "$BATS_TEST_TMPDIR/goroutines"
	grep -q 'name=runtime.bgsweep$' "$BATS_TEST_TMPDIR/goroutines"
	[ "$(grep -c ' name=main.work$' "$BATS_TEST_TMPDIR/goroutines")" -eq 100 ]
	# The last goroutine wakes main, which may end the program before that goroutine ends.
	[ "$(grep -c 'last=NotExist name=main.work$' "$BATS_TEST_TMPDIR/goroutines")" -ge 99 ]
}

first_generation() { awk '/^EventBatch/ { first = / gen=1 / } first'; }

from_the_first_goroutine() {
	views_ok "$TRACE"
	# All begin with their creation: none is declared as found there. (The last generation restates them.)
	! wire_of "$TRACE" | first_generation | grep -q ^GoStatus || fail "a goroutine was there already"
	wire_of "$TRACE" | grep -qE '^GoCreate .*new_g=1 '
	"$ORACLE/check" -goroutines "$TRACE" >"$BATS_TEST_TMPDIR/goroutines"
	grep -q '^goroutine 1 first=Runnable .* name=runtime.main$' "$BATS_TEST_TMPDIR/goroutines"
}

# for releases 1.22 1.24 1.25 newest (inline 1.22 newest; soak-only 1.24 1.25):
#	@test "the first goroutine and runtime init are in the trace, Go %" { launch %; }
# bats test_tags=inline
@test "the first goroutine and runtime init are in the trace, Go 1.22" { launch 1.22; }
# bats test_tags=soak-only
@test "the first goroutine and runtime init are in the trace, Go 1.24" { launch 1.24; }
# bats test_tags=soak-only
@test "the first goroutine and runtime init are in the trace, Go 1.25" { launch 1.25; }
# bats test_tags=inline
@test "the first goroutine and runtime init are in the trace, Go 1.27" { launch 1.27; }
# end of releases

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
	pkill -KILL -x pingpong -P "$RECORDER"
	wait_record
	[ "$status" -eq 137 ]
	trace_ok "$TRACE"
}

# bats test_tags=inline
@test "a program that panics" {
	build_prog "$REFERENCE_GO" panic
	record "$TRACE" --strict -- "$PROG" -after 50ms
	[ "$status" -eq 2 ]
	trace_ok "$TRACE"
}

# ctrl_c PROGRAM...: an interrupt from the terminal reaches the whole process group, of which a shell would have what
# runs in the background ignore it. Sets $ENDED to gotap's status.
ctrl_c() {
	mkfifo "$BATS_TEST_TMPDIR/never"
	exec 8<>"$BATS_TEST_TMPDIR/never"
	env --default-signal=INT setsid --fork --wait "$GOTAP" record --budget none -q -o "$TRACE" -- "$@" <&8 >"$BATS_TEST_TMPDIR/out" 3>&- &
	RECORDER=$!
	wait_for 60 grep -q ready "$BATS_TEST_TMPDIR/out"
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

@test "a second Ctrl-C, 2 s after one that the program did not end from, ends the recording" {
	build_prog "$REFERENCE_GO" exitquick
	start_record "$TRACE" -- sh -c 'trap "" INT; exec "$@"' - "$PROG" -after 10m
	launched
	handles INT
	sleep 2.1
	[ ! -e "$TRACE" ]
	kill -INT "$RECORDER"
	wait_for 60 test -e "$TRACE"
	kill -KILL "$TARGET"
	wait_record
	[ "$status" -eq 137 ]
	trace_ok "$TRACE"
}

@test "a signal while gotap waits only for the program: gotap ends, the program goes on" {
	build_prog "$REFERENCE_GO" exitquick
	start_record "$TRACE" -d 200ms -- "$PROG" -after 10m
	launched
	wait_for 60 test -e "$TRACE"
	stop_record TERM
	[ "$status" -eq 125 ]
	grep -qx "gotap: process $TARGET goes on" "$REPORT"
	target_runs
	kill "$TARGET"
}

# The thread that ends the capture is held, so that the signal comes while it is at work.
@test "a signal between the end of -d and the waiting for the program ends the waiting" {
	build_prog "$REFERENCE_GO" exitquick
	holdable start_record "$TRACE" -d 5s -- "$PROG" -after 10m
	launched
	wait_for 60 test -s "$TRACE.partial"	# the Go runtime has begun
	hold_drain
	sleep 5
	wait_for 60 has_looked $(($(looks) + 3))
	send TERM
	let_drain_go
	wait_record
	[ "$status" -eq 125 ]
	grep -qx "gotap: process $TARGET goes on" "$REPORT"
	[ -z "$(reported ended)" ]
	views_ok "$TRACE"
	target_runs
	kill "$TARGET"
}

# A library that sleeps before Go's runtime begins; and the thread that takes the probes away hangs.
@test "gotap gives up before anything was recorded: there is no trace, and nothing is said to be finished" {
	build_prog "$REFERENCE_GO" cgo
	library_sleeps 100
	holdable start_record "$TRACE" -- env LD_PRELOAD="$LIBRARY" "$PROG"
	launched cgo
	hold_drain
	handles TERM
	sleep 2.1
	kill -TERM "$RECORDER"
	wait_for 60 grep -q ^gotap: "$REPORT"
	let_drain_go
	kill "$TARGET"
	wait_record
	[ "$status" -ne 0 ]
	[ "$(cat "$REPORT")" = "gotap: given up at a second signal, before anything was recorded: there is no trace" ]
	[ ! -e "$TRACE" ]
	[ ! -e "$TRACE.partial" ]
}

# waits_said FILE: gotap has said there that it waits for the program.
waits_said() { grep -qx "gotap: the recording is over; waiting for process $TARGET to end (--detach would leave it running)" "$1"; }

@test "-d is over and the program goes on: gotap says so, also with -q, and one SIGINT to it ends it" {
	build_prog "$REFERENCE_GO" exitquick
	REPORT=$BATS_TEST_TMPDIR/said
	: >"$REPORT"
	"$GOTAP" record -q -o "$TRACE" -d 200ms -- "$PROG" -after 10m 2>"$REPORT" 3>&- &
	RECORDER=$!
	TARGETS+=" $RECORDER"
	wait_for 60 pgrep -x exitquick -P "$RECORDER"
	launched
	wait_for 60 waits_said "$REPORT"
	trace_ok "$TRACE"
	stop_record INT
	[ "$status" -eq 125 ]
	grep -qx "gotap: process $TARGET goes on" "$REPORT"
	target_runs
	kill "$TARGET"
}

@test "after -d a signal to the group ends the program, and its status is gotap's" {
	build_prog "$REFERENCE_GO" exitquick
	REPORT=$BATS_TEST_TMPDIR/said
	: >"$REPORT"
	setsid "$GOTAP" record -q -o "$TRACE" -d 200ms -- "$PROG" -after 10m 2>"$REPORT" 3>&- &
	RECORDER=$!
	TARGETS+=" $RECORDER"
	wait_for 60 pgrep -x exitquick -P "$RECORDER"
	launched
	wait_for 60 waits_said "$REPORT"
	kill -TERM -- "-$RECORDER"
	wait_record
	[ "$status" -eq 143 ]
	! grep 'goes on' "$REPORT" || fail "it did not go on"
}

@test "--detach: gotap returns when the recording is over, and the program goes on" {
	build_prog "$REFERENCE_GO" exitquick
	start_record "$TRACE" --detach -d 200ms -- "$PROG" -after 10m
	launched
	wait_record
	[ "$status" -eq 0 ]
	trace_ok "$TRACE"
	target_runs
	! grep 'waiting for' "$REPORT" || fail "it waited"
	kill "$TARGET"
	# A program that has ended has its status.
	gotap record -q --detach -o "$TRACE" -- "$PROG" -status 5
	[ "$status" -eq 5 ]
	gotap record --detach -o "$TRACE" -p $$
	[ "$status" -eq 2 ]
	contains "--detach is for a command"
}

@test "--detach with --follow: the same" {
	build_prog "$REFERENCE_GO" exitquick
	REPORT=$BATS_TEST_TMPDIR/said
	"$GOTAP" record -q -o "$TRACE.%n" --follow --detach -- "$PROG" -after 10m 2>"$REPORT" 3>&- &
	RECORDER=$!
	TARGETS+=" $RECORDER"
	wait_for 60 pgrep -x exitquick -P "$RECORDER"
	launched
	wait_for 60 test -s "$TRACE.1.partial"
	stop_record TERM
	[ "$status" -eq 0 ]
	target_runs
	kill "$TARGET"
}

# bats test_tags=inline
@test "-d ends the recording, and the program goes on" {
	build_prog "$REFERENCE_GO" exitquick
	recorded "$TRACE" -d 100ms -- "$PROG" -await "$TRACE" -n 3
	[ "$(reported ended)" = "" ]
	trace_ok "$TRACE"
	! "$ORACLE/check" -goroutines "$TRACE" | grep -q main.work || fail "it was recorded to its end"
	record "$TRACE.2" -d 100ms -- "$PROG" -await "$TRACE.2" -status 5
	[ "$status" -eq 5 ]
}

@test "-d counts from the begin of the Go runtime" {
	build_prog "$REFERENCE_GO" cgo
	library_sleeps 1
	recorded "$TRACE" -d 200ms -- env LD_PRELOAD="$LIBRARY" "$PROG" -rounds 20 -dur 1ms
	trace_ok "$TRACE"
}

# bats test_tags=inline
@test "SIGTERM ends the recording, and gotap waits for the program" {
	build_prog "$REFERENCE_GO" exitquick
	start_record "$TRACE" -- "$PROG" -await "$TRACE" -status 4
	stop_record TERM
	[ "$status" -eq 4 ]
	trace_ok "$TRACE"
}

@test "the program inherits no file of gotap's" {
	build_prog "$REFERENCE_GO" pingpong
	start_record "$TRACE" -d 2s -- "$PROG"
	ls -l "/proc/$(pgrep -x pingpong -P "$RECORDER")/fd" >"$BATS_TEST_TMPDIR/fds"
	cat "$BATS_TEST_TMPDIR/fds"
	! grep -qE 'gotap.trace$|bpf|perf|ringbuf' "$BATS_TEST_TMPDIR/fds" || fail "it has files of gotap's"
	pkill -x pingpong -P "$RECORDER"
	wait_record
}

@test "a command that does not exist" {
	status=0
	output=$("$GOTAP" record -o "$TRACE" -- "$BATS_TEST_TMPDIR/nothing" 2>&1) || status=$?
	[ "$status" -eq 127 ]
	[ "$output" = "gotap: cannot run '$BATS_TEST_TMPDIR/nothing': No such file or directory" ]
	[ ! -e "$TRACE" ]
	: >"$BATS_TEST_TMPDIR/nothing"
	gotap record -o "$TRACE" -- "$BATS_TEST_TMPDIR/nothing"
	[ "$status" -eq 126 ]
	[ "$output" = "gotap: cannot run '$BATS_TEST_TMPDIR/nothing': Permission denied" ]
	[ ! -e "$TRACE" ]
}

@test "a command with a library that is missing: what the loader says, and its status" {
	printf 'int main(void) { return 0; }' | gcc -xc - -o "$BATS_TEST_TMPDIR/c" -Wl,--no-as-needed -l:libz.so.1
	sed -i 's/libz\.so\.1/libq.so.1/' "$BATS_TEST_TMPDIR/c"
	record "$TRACE" -- "$BATS_TEST_TMPDIR/c"
	[ "$status" -eq 127 ]
	grep -q "error while loading shared libraries: libq.so.1" "$REPORT"
	grep -q "^gotap: no Go program was run" "$REPORT"
	[ ! -e "$TRACE" ]
}

# --- commands that exec the Go program ----------------------------------------------------------

# execs [OPTION...] COMMAND...: $PROG, with four goroutines, is recorded from its first one on; the command's status is
# 3. The last one may be on its way out when main, which it woke, ends the program.
execs() {
	record "$TRACE" --strict "$@"
	[ "$status" -eq 3 ]
	[ "$(reported ended)" = "the program has ended" ]
	from_the_first_goroutine
	[ "$(grep -c ' name=main.work$' "$BATS_TEST_TMPDIR/goroutines")" -eq 4 ]
	[ "$(grep -c 'last=NotExist name=main.work$' "$BATS_TEST_TMPDIR/goroutines")" -ge 3 ]
}

# bats test_tags=inline
@test "a shell that execs the program" {
	build_prog "$REFERENCE_GO" exitquick
	execs sh -c 'true; "$0" >/dev/null; exec "$0" -n 4 -status 3' "$PROG"
}

@test "env and nice before the program" {
	build_prog "$REFERENCE_GO" exitquick
	execs env A=1 nice -n 1 "$PROG" -n 4 -status 3
}

@test "a script, as another user, of a static program of Go 1.22" {
	require_tool setpriv
	build_prog 1.22 exitquick
	chmod a+x "$BATS_TEST_TMPDIR"
	printf '#!/bin/sh\nexec setpriv --reuid 65534 --regid 65534 --clear-groups -- "%s" "$@"\n' "$PROG" >"$BATS_TEST_TMPDIR/script"
	chmod a+x "$BATS_TEST_TMPDIR/script"
	execs "$BATS_TEST_TMPDIR/script" -n 4 -status 3
}

@test "another thread than the first execs the program" {
	build_prog "$REFERENCE_GO" exitquick
	cat >"$BATS_TEST_TMPDIR/thread.c" <<-END
		#include <pthread.h>
		#include <unistd.h>

		static char **args;

		static void *wait_for_ever(void *arg) { for (;;) pause(); }
		static void *run(void *arg) { execv(args[1], args + 1); return 0; }

		int main(int argc, char **argv)
		{
			pthread_t thread;

			args = argv;
			pthread_create(&thread, 0, wait_for_ever, 0);
			pthread_create(&thread, 0, run, 0);
			pthread_join(thread, 0);
		}
	END
	gcc -pthread -o "$BATS_TEST_TMPDIR/thread" "$BATS_TEST_TMPDIR/thread.c"
	execs "$BATS_TEST_TMPDIR/thread" "$PROG" -n 4 -status 3
}

@test "stdin and signals reach a shell on its way to the program" {
	build_prog "$REFERENCE_GO" echo
	cat >"$BATS_TEST_TMPDIR/shell" <<-'END'
		trap 'echo got USR1' USR1
		echo ready
		kill -USR1 $$
		read -r line && echo "line $line"
		exec "$0" "$@"
	END
	printf '%s\n' one two | "$GOTAP" record --budget none -q --strict -o "$TRACE" -- \
		bash -c "$(cat "$BATS_TEST_TMPDIR/shell")" "$PROG" three >"$BATS_TEST_TMPDIR/out"
	printf '%s\n' ready 'got USR1' 'line one' ready three two | cmp - "$BATS_TEST_TMPDIR/out"
	from_the_first_goroutine
}

@test "Ctrl-C for a shell that has not come to the program yet" {
	mkfifo "$BATS_TEST_TMPDIR/never"
	exec 8<>"$BATS_TEST_TMPDIR/never"
	env --default-signal=INT setsid --fork --wait "$GOTAP" record -o "$TRACE" -- sh -c 'echo ready; read -r line' <&8 >"$BATS_TEST_TMPDIR/out" 2>&1 3>&- &
	RECORDER=$!
	wait_for 60 grep -q ready "$BATS_TEST_TMPDIR/out"
	kill -INT -- "-$(pgrep -P "$RECORDER")"
	ENDED=0
	wait "$RECORDER" || ENDED=$?
	[ "$ENDED" -eq 130 ]
	grep -q '^gotap: no Go program was run' "$BATS_TEST_TMPDIR/out"
	[ ! -e "$TRACE" ]
}

@test "SIGTERM before the command has come to its program: it goes on, and gotap ends" {
	build_prog "$REFERENCE_GO" exitquick
	start_shell
	kill -TERM "$RECORDER"
	wait_for 60 recorder_has_ended
	status=0
	wait "$RECORDER" || status=$?
	[ "$status" -eq 125 ]
	[ "$(cat "$BATS_TEST_TMPDIR/said")" = "gotap: ended by a signal before a Go program was run: process $CHILD goes on, and there is no trace" ]
	[ ! -e "$TRACE" ]
	[ ! -e "$TRACE.partial" ]
	target_runs "$CHILD"
	echo go >&8
	wait_for 60 grep -q ready "$BATS_TEST_TMPDIR/out"
}

recorder_has_ended() { [[ ! -e /proc/$RECORDER || $(state_of "$RECORDER") == Z ]]; }

@test "what gotap was started to ignore, the program ignores, and nothing else" {
	build_prog "$REFERENCE_GO" exitquick
	# What runs the tests may ignore some, too.
	env --default-signal --ignore-signal=INT --ignore-signal=PIPE \
		"$GOTAP" record -q -o "$TRACE" -- sh -c 'grep SigIgn /proc/self/status; exec "$0"' "$PROG" >"$BATS_TEST_TMPDIR/ignored"
	env --default-signal \
		"$GOTAP" record -q -o "$TRACE" -- sh -c 'grep SigIgn /proc/self/status; exec "$0"' "$PROG" >"$BATS_TEST_TMPDIR/none"
	grep -q 'SigIgn:.*1002$' "$BATS_TEST_TMPDIR/ignored"
	grep -q 'SigIgn:.*0000$' "$BATS_TEST_TMPDIR/none"
}

state_of() { awk '$1 == "State:" { print $2 }' "/proc/$1/status" 2>/dev/null; }

# start_shell: one that waits for a line from $LINE, descriptor 8, and then execs $PROG; sets $CHILD to its pid.
start_shell() {
	LINE=$(mktemp -u "$BATS_TEST_TMPDIR/line.XXXXXX")
	mkfifo "$LINE"
	exec 8<>"$LINE"
	"$GOTAP" record -q -o "$TRACE" -- sh -c "echo begun; read -r line; exec $PROG" <&8 >"$BATS_TEST_TMPDIR/out" \
		2>"$BATS_TEST_TMPDIR/said" 3>&- 8<&- &
	RECORDER=$!
	TARGETS="${TARGETS:-} $RECORDER"
	wait_for 60 grep -q begun "$BATS_TEST_TMPDIR/out"
	CHILD=$(pgrep -P "$RECORDER")
}

child_is_stopped() { [[ $(state_of "$CHILD") == [tT] ]]; }

@test "a shell that is stopped stays so until it is continued" {
	build_prog "$REFERENCE_GO" exitquick
	start_shell
	kill -STOP "$CHILD"
	wait_for 60 child_is_stopped
	echo go >&8
	sleep 0.2
	child_is_stopped
	! grep -q ready "$BATS_TEST_TMPDIR/out" || fail "it went on"
	kill -CONT "$CHILD"
	wait "$RECORDER"
	grep -q ready "$BATS_TEST_TMPDIR/out"
	from_the_first_goroutine
}

@test "a Go program that execs another: --program names the one to record" {
	build_prog "$REFERENCE_GO" exec
	local launcher=$PROG
	build_prog "$REFERENCE_GO" exitquick
	execs --program exitquick "$launcher" -after 50ms "$PROG" -n 4 -status 3
	gotap record -o "$TRACE.none" --program other -- sh -c '"$0" "$@" >/dev/null' "$launcher" -after 1ms true
	[ "$status" -eq 125 ]
	[[ $output == "gotap: no Go program other was run: "* ]]
	[ ! -e "$TRACE.none" ]
	gotap record -o "$TRACE.none" --program other -p 1
	[ "$status" -eq 2 ]
}

@test "a launcher of 32 bits" {
	build_prog "$REFERENCE_GO" exitquick
	cat >"$BATS_TEST_TMPDIR/a.s" <<-'END'
		.globl _start
		_start:	lea 8(%esp), %ecx
			mov 8(%esp), %ebx
			xor %edx, %edx
			mov $11, %eax
			int $0x80
	END
	as --32 -o "$BATS_TEST_TMPDIR/a.o" "$BATS_TEST_TMPDIR/a.s"
	ld -m elf_i386 -o "$BATS_TEST_TMPDIR/a" "$BATS_TEST_TMPDIR/a.o"
	"$BATS_TEST_TMPDIR/a" /bin/true || skip "this kernel runs no programs of 32 bits"
	execs "$BATS_TEST_TMPDIR/a" "$PROG" -n 4 -status 3
}

@test "gotap is one that may not be traced, as with file capabilities" {
	require_tool setpriv
	build_prog "$REFERENCE_GO" exitquick
	printf '%s\n' '#include <sys/prctl.h>' '__attribute__((constructor)) static void f(void) { prctl(PR_SET_DUMPABLE, 0); }' |
		gcc -xc - -shared -fPIC -o "$BATS_TEST_TMPDIR/undumpable.so"
	succeeds setpriv --bounding-set=-all,+bpf,+perfmon,+dac_override --inh-caps=-all \
		env LD_PRELOAD="$BATS_TEST_TMPDIR/undumpable.so" "$GOTAP" record -q --strict -o "$TRACE" -- "$PROG"
	trace_ok "$TRACE"
}

# no_go STATUS COMMAND...: it runs, none of it is a Go program, and gotap says so in one line.
no_go() {
	gotap record -o "$TRACE" -- "${@:2}"
	[ "$status" -eq "$1" ]
	[ "${#lines[@]}" -eq 1 ]
	[[ $output == "gotap: no Go program was run: "*"not a Go program"*"give --follow, or record that with -p PID" ]]
	[ ! -e "$TRACE" ]
}

@test "a command that comes to no Go program: it runs, and its status is kept if it is one of a failure" {
	build_prog "$REFERENCE_GO" exitquick
	no_go 125 touch "$BATS_TEST_TMPDIR/touched"
	[ -e "$BATS_TEST_TMPDIR/touched" ]
	no_go 5 sh -c 'exit 5'
	no_go 137 sh -c 'kill -9 $$'
	no_go 4 sh -c '"$0" >/dev/null; exit 4' "$PROG"
	no_go 125 env sh -c '"$0" >/dev/null; true' "$PROG"
}

@test "without the right to record, the command is not run" {
	require_tool setpriv
	gotap_without() { run_logged setpriv --bounding-set=-all --inh-caps=-all "$GOTAP" record -o "$TRACE" -- "$@"; }
	gotap_without sh -c "touch $BATS_TEST_TMPDIR/touched"
	[ "$status" -eq 125 ]
	[ "${#lines[@]}" -eq 1 ]
	contains CAP_BPF
	[ ! -e "$BATS_TEST_TMPDIR/touched" ]
	[ ! -e "$TRACE" ]
}

# --- gotap dies --------------------------------------------------------------------------------

recorder_has_stopped() { recorder_is_stopped || has_ended "$RECORDER"; }

recorder_is_stopped() { [ "$(state_of "$RECORDER")" = T ]; }

# held: gotap has the program at its exec, and is stopped itself so that it stays there.
held() {
	kill -STOP "$RECORDER"
	wait_for 60 recorder_is_stopped
	[ "$(state_of "$CHILD")" = t ] && [ "$(readlink "/proc/$CHILD/exe")" = "$PROG" ] && return
	kill -CONT "$RECORDER"
	return 1
}

has_ended() { [ ! -e "/proc/$1" ] || [ "$(state_of "$1")" = Z ]; }

@test "gotap is killed: the command goes on, from the shell or from the exec at which it is held" {
	build_prog "$REFERENCE_GO" exitquick
	start_shell
	kill -KILL "$RECORDER"
	wait "$RECORDER" || true
	echo go >&8
	wait_for 60 grep -q ready "$BATS_TEST_TMPDIR/out"
	start_shell
	echo go >&8
	wait_for 60 held
	kill -KILL "$RECORDER"
	wait "$RECORDER" || true
	wait_for 60 grep -q ready "$BATS_TEST_TMPDIR/out"
	wait_for 60 has_ended "$CHILD"
}

# Nothing, or all that the command prints: it may exec the shell after it was looked for.
is_whole() { [ ! -s "$1" ] || grep -q ready "$1"; }

# Every moment of a start: between two execs, in the loader of a C program, at the exec of the Go program, as probes are
# attached.
@test "gotap is killed at random moments: the command goes on from each" {
	local i
	build_prog "$REFERENCE_GO" exitquick
	for i in 0 2 4 6 8 12 16 24 32 48 64 96; do
		"$GOTAP" record -q -o "$TRACE" -- env A=1 bash -c "echo begun; exec $PROG" >"$BATS_TEST_TMPDIR/out.$i" 3>&- &
		RECORDER=$!
		sleep "$(printf '0.%03d' "$i")"
		kill -STOP "$RECORDER" 2>/dev/null || true	# it may be over already
		wait_for 60 recorder_has_stopped
		CHILD=$(pgrep 'env|bash|exitquick' -P "$RECORDER") || true
		kill -KILL "$RECORDER" 2>/dev/null || true
		wait "$RECORDER" || true
		[ -z "$CHILD" ] || wait_for 60 has_ended "$CHILD"
		wait_for 60 is_whole "$BATS_TEST_TMPDIR/out.$i"
	done
}

# --- the trace on stdout -----------------------------------------------------------------------

@test "-o -: what the program prints goes to stderr, and the trace to stdout" {
	build_prog "$REFERENCE_GO" exitquick
	"$GOTAP" record -q -o - -- "$PROG" 2>"$BATS_TEST_TMPDIR/said" | cat >"$TRACE"
	[ "$(cat "$BATS_TEST_TMPDIR/said")" = ready ]
	trace_ok "$TRACE"
	"$GOTAP" record -q -o /dev/stdout -- "$PROG" 2>"$BATS_TEST_TMPDIR/said" | cat >"$TRACE"
	[ "$(cat "$BATS_TEST_TMPDIR/said")" = ready ]
	trace_ok "$TRACE"
	"$GOTAP" record -q -o "$TRACE" -- "$PROG" 2>"$BATS_TEST_TMPDIR/said" >"$TRACE"
	[ "$(cat "$BATS_TEST_TMPDIR/said")" = ready ]
	trace_ok "$TRACE"
	"$GOTAP" record -q -o /dev/null -- "$PROG" >/dev/null
}

@test "what would write into the trace is refused before anything runs" {
	run_logged bash -c "'$GOTAP' record -o - -- touch '$BATS_TEST_TMPDIR/touched' 2>&1 | cat"
	[ "$output" = "gotap: the trace and stderr, which has the report and errors, are the same file: redirect one of them" ]
	gotap record -o "$TRACE" --spool "$TRACE" -- touch "$BATS_TEST_TMPDIR/touched"
	[ "$status" -eq 125 ]
	[ "$output" = "gotap: two outputs are the same file: '$TRACE'; name a file for each" ]
	[ ! -e "$BATS_TEST_TMPDIR/touched" ]
	[ ! -e "$TRACE" ]
}

@test "standard files that are closed: no message gets into the trace" {
	build_prog "$REFERENCE_GO" exitquick
	"$GOTAP" record -o "$TRACE" -- "$PROG" <&- >&- 2>&-
	trace_ok "$TRACE"
	status=0
	"$GOTAP" record -o - -- "$PROG" 2>"$BATS_TEST_TMPDIR/said" >&- || status=$?
	[ "$status" -eq 125 ]
	grep -qx "gotap: cannot write 'stdout': Bad file descriptor" "$BATS_TEST_TMPDIR/said"
}
