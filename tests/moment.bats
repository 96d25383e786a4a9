#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# gotap core, and the room moment: an image of a running process is of one moment, costs its cgroup no memory, and leaves
# the program whole, however gotap ends. tests/prog/pages.go moves the only pointer to an object all the time, so that an
# image of more than one moment does not have it. Times depend on the machine: --hold allows what it takes, and what is
# asserted is what was copied. Where the kernel does not mark written pages all of them are copied in the stop; an
# emulated machine has a kernel that does.

load lib/common
load lib/cgroup
load lib/kernel
load lib/moment

setup() {
	require_root
	TAKE=$BUILD/moment/take
	[ -x "$TAKE" ] || fail "make unit builds $TAKE"
	FOLDER=
}

teardown() {
	stop_targets
	[ -z "$FOLDER" ] || rmdir "$FOLDER"
}

# start_pages VERSION ARGUMENT...
start_pages() {
	build_prog "$1" pages
	start_target "$PROG" "${@:2}"
}

# take ARGUMENT...: sets $output; what goes to stderr is $ERROR.
take() {
	run_logged timeout -s KILL 120 "$TAKE" "$TARGET" --again "$@"
}

# has EXPRESSION: of jq, about the facts.
has() { jq -e "$1" <<<"$output" >/dev/null || fail "not so: $1"; }

cpu_time() { awk '{ print $14 + $15 }' "/proc/$TARGET/stat"; }
used_cpu() { [ "$(cpu_time)" -gt "$1" ]; }

# runs_on: no thread is traced or stopped, and the program uses the processor.
runs_on() {
	! grep -q '^TracerPid:.*[1-9]' /proc/"$TARGET"/task/*/status || return
	! grep -q '^State:.*[tT] ' /proc/"$TARGET"/task/*/status || return
	wait_for 60 used_cpu "$(cpu_time)"
}

no_tracer() { ! grep -q '^TracerPid:.*[1-9]' /proc/"$TARGET"/task/*/status; }

@test "an image is of one moment: the pointer that moves is there, Go 1.15 to 1.27" {
	local version i
	for version in 1.15 1.21 "$REFERENCE_GO"; do
		start_pages "$version" 20 token
		for i in 1 2 3 4 5; do
			take --hold 2000 --token "$TARGET_OUT"
			[ "$status" -eq 0 ] || fail "take"
			has '.token + .registers >= 1'
			has '.ahead == 0 or .ahead == 1'
			has '.threads >= 3 and .size > 20000000 and .hold_ns > 0'
			# the program may have touched a page since its size was taken, or given one back
			has '.marks or .copied_held >= .size * 9 / 10'
		done
		runs_on
		stop_targets
	done
}

@test "a gotap that is killed at any step leaves the program running" {
	local at how
	start_pages "$REFERENCE_GO" 20 token
	for how in die orphan; do
		for at in "clear 1" "seize 1" "seize 2" "interrupt 1" "interrupt 3" "stopped 1" "found 1" "copied 1" "detach 1" \
			"detach 2" "released 1"; do
			# shellcheck disable=SC2086
			take --hold 2000 --$how $at
			[ "$status" -ne 0 ] || fail "$how $at: there is no such step"
			wait_for 60 no_tracer
			runs_on
		done
	done
	take --hold 2000 --token "$TARGET_OUT"
	[ "$status" -eq 0 ]
	has '.token + .registers >= 1'
}

# start_two_threads: the second one execs another program once the file go is there; signal USR1 makes the file got.
start_two_threads() {
	rm -f "$BATS_TEST_TMPDIR"/{go,got}
	start_target python3 -c 'import os, signal, sys, threading, time
os.chdir(sys.argv[1])
def work():
    while not os.path.exists("go"):
        time.sleep(0.001)
    os.execvp("sleep", ["sleep", "1000"])
signal.signal(signal.SIGUSR1, lambda *_: open("got", "w"))
threading.Thread(target=work).start()
print("ready", flush=True)
while True:
    time.sleep(0.01)' "$BATS_TEST_TMPDIR"
}

got_signal() { [ -e "$BATS_TEST_TMPDIR/got" ]; }

@test "a program that execs another one at any step gives no image, and is not stopped" {
	local at exec="cd '$BATS_TEST_TMPDIR' && touch go && until [ \"\$(cat /proc/\$PID/comm)\" = sleep ]; do :; done"
	for at in "clear 1" "seize 1" "interrupt 2"; do
		start_two_threads
		# shellcheck disable=SC2086
		take --hold 2000 --at $at "PID=$TARGET; $exec"
		[ "$status" -eq 1 ] || fail "$at: it gives an image"
		contains "has ended, or runs another program"
		contains '"given_up":0'
		no_tracer
		grep -q '^State:.*[SR] ' "/proc/$TARGET/status"
		stop_targets
	done
}

@test "a signal that arrives at the stop is delivered, also if gotap is killed then" {
	local die
	for die in "" "--die signal 1" "--die stopped 1" "--orphan found 1" "--die detach 1"; do
		start_two_threads
		# shellcheck disable=SC2086
		take --hold 2000 --at interrupt 1 "kill -USR1 $TARGET" $die
		[ -n "$die" ] || [ "$status" -eq 0 ]
		[ -z "$die" ] || [ "$status" -ne 0 ] || fail "$die: there is no such step"
		wait_for 20 got_signal
		wait_for 20 no_tracer
		stop_targets
	done
}

@test "a gotap that was started with SIGCHLD ignored stops the program no longer" {
	start_two_threads
	run_logged python3 -c 'import os, signal, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
os.execv(sys.argv[1], sys.argv[1:])' "$TAKE" "$TARGET" --again --hold 2000
	[ "$status" -eq 0 ]
	has '.given_up == 0 and .threads == 2'
}

# sleeps WORD...: sleep(1) under that filter of tests/lib/seccomp.c, in the call with a timeout.
sleeps() {
	start_target sh -c 'echo ready && exec "$@"' sh "$BATS_TEST_TMPDIR/seccomp" "$@" "$(command -v sleep)" 1000
	wait_for 20 eval '[ "$(cat /proc/$TARGET/comm)" = sleep ] && grep -q "^State:.*S" /proc/$TARGET/status'
}

ended() { [ ! -e "/proc/$TARGET/stat" ] || grep -q '^State:.*Z' "/proc/$TARGET/status"; }

@test "a process with a seccomp filter is not stopped without --accept-seccomp: one that kills for restart_syscall(2) ends it" {
	require_tool cc
	cc -O1 -o "$BATS_TEST_TMPDIR/seccomp" "$CHECKOUT/tests/lib/seccomp.c"
	sleeps
	take --hold 2000
	[ "$status" -eq 1 ] && contains 'has a seccomp filter' && contains '"hold_ns":0,"longest_ns":0'
	take --hold 2000 --accept-seccomp
	[ "$status" -eq 0 ]
	has '.threads == 1'
	grep -q '^State:.*S' "/proc/$TARGET/status"
	stop_targets
	sleeps --restart
	run_logged "$GOTAP" core -p "$TARGET" -o "$BATS_TEST_TMPDIR/core" --hold 2s --clear-again
	[ "$status" -ne 0 ]
	[ ! -e "$BATS_TEST_TMPDIR/core" ]
	take --hold 2000
	[ "$status" -eq 1 ] && contains 'has a seccomp filter'
	sleep 0.2
	grep -q '^State:.*S' "/proc/$TARGET/status"
	# that is no vain care
	take --hold 2000 --accept-seccomp
	wait_for 20 ended
}

@test "gotap core names the option for a program with a seccomp filter" {
	require_tool cc
	cc -O1 -o "$BATS_TEST_TMPDIR/seccomp" "$CHECKOUT/tests/lib/seccomp.c"
	build_prog "$REFERENCE_GO" pages
	start_target "$BATS_TEST_TMPDIR/seccomp" "$PROG" 1 idle
	run_logged "$GOTAP" core -p "$TARGET" -o "$BATS_TEST_TMPDIR/core" --hold 2s --clear-again
	[ "$status" -eq 1 ] && contains '--accept-seccomp'
	run_logged "$GOTAP" core -p "$TARGET" -o "$BATS_TEST_TMPDIR/core" --hold 2s --clear-again --accept-seccomp
	[ "$status" -eq 0 ]
	runs_or_sleeps
	run_logged "$GOTAP" stacks -p "$TARGET" --accept-seccomp
	[ "$status" -eq 2 ] && contains 'take --image'
}

runs_or_sleeps() { grep -q '^State:.*[RS] ' "/proc/$TARGET/status" && no_tracer; }

# The sum in the cgroup's file goes up and down by what CPUs have reserved; these do not: its anonymous memory, and how
# often its limit was reached.
anonymous() { sed -n 's/^\(rss\|anon\) //p' "$FOLDER/memory.stat"; }
at_limit() { if [ -e "$FOLDER/memory.failcnt" ]; then cat "$FOLDER/memory.failcnt"; else sed -n 's/^max //p' "$FOLDER/memory.events"; fi; }

@test "a cgroup that has no memory left is charged for none" {
	local before limit
	memory_group
	build_prog "$REFERENCE_GO" pages
	start_target sh -c 'echo 0 >"$0/cgroup.procs" && exec "$@"' "$FOLDER" "$PROG" 20 idle
	leave_room 0
	before=$(anonymous) limit=$(at_limit)
	take --hold 2000
	[ "$status" -eq 0 ] || fail "take"
	# Of an image of 27 MB it would be each 128 kB. The program has some pages more of its own, also without an image.
	[ $(($(at_limit) - limit)) -lt 20 ] || fail "at the limit: $limit before, $(at_limit) after"
	[ $(($(anonymous) - before)) -lt 1000000 ] || fail "before: $before, after: $(anonymous)"
	no_tracer
}

@test "a program that writes to all its pages is refused, and not stopped" {
	start_pages "$REFERENCE_GO" 50 all
	take --hold 1
	[ "$status" -eq 1 ]
	contains "1.0 ms are allowed"
	[[ $output == *'"hold_ns":0,"longest_ns":0'* ]]
	runs_on
}

@test "gotap core writes a file that gdb reads: threads, where they are, variables" {
	require_tool gdb
	start_pages 1.21 20 token
	run_logged "$GOTAP" core -p "$TARGET" -o "$BATS_TEST_TMPDIR/core" --hold 2s --clear-again --json
	[ "$status" -eq 0 ]
	jq -e '.bytes > 20000000 and .threads >= 3 and .hold_seconds > 0 and .hold_allowed_seconds == 2' <<<"$output"
	runs_on
	run_logged gdb -batch -nx -ex 'info threads' -ex 'p main.pages' -ex 'thread apply all bt 3' "$PROG" \
		"$BATS_TEST_TMPDIR/core"
	contains "len = 5120"
	contains "runtime.futex"
	[ "$(stat -c %s "$BATS_TEST_TMPDIR/core")" -gt 20000000 ]
}

# constants FILE: the segments of a core file that are only read, as begin and size.
constants() { readelf -lW "$1" | awk '$1 == "LOAD" && $7 == "R" { print $3, $5 }'; }

@test "constants that the loader has relocated are in the image, and no others: types of a position-independent program" {
	local core=$BATS_TEST_TMPDIR/core begin end
	require_tool readelf jq
	build_prog "$REFERENCE_GO" holder -buildmode=pie
	start_target "$PROG"
	run_logged "$GOTAP" core -p "$TARGET" -o "$core" --hold 2s --clear-again
	[ "$status" -eq 0 ]
	# behind the first page of the program, one segment: what its headers say
	[ "$(constants "$core" | wc -l)" -eq 2 ]
	read -r begin end < <(readelf -lW "$PROG" | awk '$1 == "GNU_RELRO" { print $3, $6 }')
	[ "$(($(constants "$core" | awk 'NR == 2 { print $2 }')))" -eq "$(((begin + end) / 4096 * 4096 - begin / 4096 * 4096))" ]
	"$GOTAP" heap --core "$core" --retained --json >"$BATS_TEST_TMPDIR/json"
	jq -e 'any(.types[]; .type == "main.item" and .objects == 1000) and any(.types[]; .type == "main.row" and .objects == 100)' \
		"$BATS_TEST_TMPDIR/json"
	stop_targets
	build_prog "$REFERENCE_GO" holder
	start_target "$PROG"
	run_logged "$GOTAP" core -p "$TARGET" -o "$core" --hold 2s --clear-again
	[ "$status" -eq 0 ]
	[ "$(constants "$core" | wc -l)" -eq 1 ]
}

@test "a core file is its owner's alone: a new one, one that replaces a file, one that is written in place" {
	local how file=$BATS_TEST_TMPDIR/core
	require_tool strace readelf
	start_pages "$REFERENCE_GO" 1 idle
	umask 0
	for how in new replaced redirected; do
		[ "$how" = new ] || install -m 0666 /dev/null "$file"
		if [ "$how" = redirected ]; then
			"$GOTAP" core -p "$TARGET" -o - --hold 2s --clear-again --json >"$file"
		else
			run_logged "$GOTAP" core -p "$TARGET" -o "$file" --hold 2s --clear-again
			[ "$status" -eq 0 ]
		fi
		readelf -h "$file" | grep -q 'CORE (Core file)'
		[ "$(stat -c %a "$file")" = 600 ] || fail "$how: $(stat -c %a "$file")"
		rm "$file"
	done
	# the file that is not whole yet, too
	strace -f -e trace=openat -o "$BATS_TEST_TMPDIR/calls" "$GOTAP" core -p "$TARGET" -o "$file" --hold 2s --clear-again
	grep -q 'core.partial.*O_CREAT.* 0600' "$BATS_TEST_TMPDIR/calls"
}

# leaky collects all the time.
@test "leaked goroutines of a program that runs, by an image: none is false, Go 1.15, 1.22 and the newest" {
	local version json=$BATS_TEST_TMPDIR/json n
	for version in 1.15 1.22 "$REFERENCE_GO"; do
		build_prog "$version" leaky
		start_target "$PROG"
		"$GOTAP" stacks -p "$TARGET" --leaked --image --hold 2s --clear-again --json >"$json"
		jq -e 'all(.goroutines[]; .leaked and any(.stack[]; .function | startswith("main.leaked")))' "$json"
		n=$(jq '.goroutines | length' "$json")
		explain "Go $version: $n of 40 leaked goroutines"
		[ "$n" -ge 30 ]
		# the program knows which ones it has, and goes on
		kill -USR1 "$TARGET"
		wait_target
		[ "$status" -eq 0 ]
	done
}

@test "gotap core says why not" {
	start_pages 1.21 20 token
	run_logged "$GOTAP" core -p "$TARGET"
	[ "$status" -eq 2 ]
	contains "give a file to write (-o)"
	run_logged sh -c '"$0" core -p "$1" -o - | cat; exit 1' "$GOTAP" "$TARGET"
	contains "a core file has holes"
	run_logged "$GOTAP" core -p "$TARGET" -o "$BATS_TEST_TMPDIR/core" --hold 1us --clear-again
	[ "$status" -eq 1 ]
	contains "ms are allowed"
	[ ! -e "$BATS_TEST_TMPDIR/core" ]
	# a process whose threads have a tracer
	run_logged python3 -c 'import ctypes, subprocess, sys
ctypes.CDLL(None).ptrace(0x4206, int(sys.argv[1]), 0, 0)
sys.exit(subprocess.call(sys.argv[2:]))' "$TARGET" "$GOTAP" core -p "$TARGET" -o "$BATS_TEST_TMPDIR/core" --hold 2s --clear-again
	[ "$status" -eq 1 ]
	contains "a debugger traces it"
	runs_on
	run_logged "$GOTAP" core -p 4000000 -o "$BATS_TEST_TMPDIR/core"
	[ "$status" -eq 1 ]
	[ ! -e "$BATS_TEST_TMPDIR/core" ]
}

# An emulated kernel takes half a minute of a processor.
# bats test_tags=soak-only
@test "Linux 5.10 marks written pages: only these are copied while the program is stopped" {
	moment_on 5.10 false brief
}
