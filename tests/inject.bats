#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=soak
#
# The functions by which --attach inline changes a running program, called by tests/inline/drive: they put memory in and
# take it out, and change calls and change them back, again and again under load, or are killed at each step. The
# program must not notice. `make soak`: ten times as often, for every release.

load lib/common

setup() {
	require_root
	DRIVE=$BUILD/inline/drive
	[ -x "$DRIVE" ] || fail "make unit builds $DRIVE"
}

teardown() { stop_targets; }

times() { if soaks; then echo $(($1 * 10)); else echo "$1"; fi; }
every() { if soaks; then echo 1; else echo "$1"; fi; }
releases() { if soaks; then printf '%s\n' "${ALL_GO[@]}" | sed '/^1\.15$/d'; else echo "$REFERENCE_GO"; fi; }

# start VERSION NAME ARGUMENT...
start() {
	local version=$1 name=$2
	shift 2
	build_prog "$version" "$name"
	start_target "$PROG" "$@"
}

# drive SCENARIO N: on the target.
drive() {
	succeeds timeout -s KILL 300 "$DRIVE" "$1" "$TARGET" "$2"
}

# netload ends with status 1 when one of its requests fails.
server_is_well() {
	target_runs || fail "the server ended: $(tail -n 3 "$TARGET_OUT")"
	[ "$(grep -c . "$TARGET_OUT")" -eq 2 ]
}

held() { explain "Go $1: $(grep -o '.* longest hold.*' <<<"$output")"; }

@test "in and out of a saturated server: no failed request, nothing is left" {
	local version
	for version in $(releases); do
		start "$version" netload -clients 8 -pause 0
		drive cycles "$(times 100)"
		held "$version"
		server_is_well
		stop_target
	done
}

@test "calls changed and put back under full load" {
	local version
	for version in $(releases); do
		start "$version" netload -clients 8 -pause 0
		drive patch "$(times 4)"
		held "$version"
		server_is_well
		stop_target
	done
}

@test "killed at any step: the server goes on, and what is left can be taken out" {
	start "$REFERENCE_GO" netload -clients 8 -pause 0
	drive kill "$(every 2)"
	server_is_well
}

@test "the process that holds threads killed at any step: the same" {
	start "$REFERENCE_GO" netload -clients 8 -pause 0
	drive hurt "$(every 3)"
	server_is_well
}

# A thread that was let go with a system call makes it when it gets a processor: only then it is known what is left.
@test "killed, while a thread that has a call to make gets no processor: nothing is left, and nothing of the server's closed" {
	start "$REFERENCE_GO" netload -clients 8 -pause 0
	drive late "$(every 3)"
	server_is_well
}

@test "one P; all Ps busy; nothing to do" {
	GOMAXPROCS=1 start "$REFERENCE_GO" netload -clients 8 -pause 0
	drive cycles "$(times 10)"
	server_is_well
	start "$REFERENCE_GO" fullload
	drive cycles "$(times 10)"
	target_runs
	start "$REFERENCE_GO" idle
	drive cycles "$(times 10)"
	target_runs
}

@test "signals, and stops of the whole program, in the middle of it" {
	local i
	start "$REFERENCE_GO" netload -clients 8 -pause 0
	(for i in {1..300}; do
		kill -STOP "$TARGET"
		kill -CONT "$TARGET"
		kill -URG "$TARGET"
		sleep 0.003
	done) 3>&- &
	drive storm 1000
	matches '^in and out [1-9]'
	wait "$!"
	drive cycles 1
	server_is_well
}

@test "a program that is stopped stays so, and is not changed" {
	start "$REFERENCE_GO" idle
	kill -STOP "$TARGET"
	drive refused 300
	contains "is stopped"
	grep -q '^State:.T' "/proc/$TARGET/status"
	kill -CONT "$TARGET"
	drive cycles 1
}

@test "a program that another process traces is refused" {
	start "$REFERENCE_GO" idle
	drive traced 300
	contains "is traced by process"
	target_runs
}

@test "seccomp: a call that a filter does not allow is never tried" {
	local answer call
	for answer in kill errno; do
		for call in 319 10 11; do
			start "$REFERENCE_GO" fenced -with "$answer" -call "$call"
			drive refused 5000
			contains "a seccomp filter"
			target_runs
			stop_target
		done
	done
}

@test "seccomp: filters that allow all of it are no hindrance" {
	local answer
	for answer in allow log; do
		start "$REFERENCE_GO" fenced -with "$answer"
		drive cycles 3
		target_runs
	done
}

@test "programs that exec or end meanwhile" {
	local i
	start "$REFERENCE_GO" selfexec -every 30ms
	for i in {1..8}; do
		drive storm 500
	done
	target_runs
	for i in 1 3; do
		start "$REFERENCE_GO" exitquick -n 100 -after "0.$i"s
		run_logged timeout -s KILL 300 "$DRIVE" storm "$TARGET" 3000
		# on a busy machine the program may have ended before drive began
		[ "$status" -eq 0 ] || contains "no process $TARGET"
		wait_target
		[ "$status" -eq 0 ]
	done
}

# The attempt comes at a moment in the exec at which all threads have ended but two: the one that execs, and one that
# the test keeps from its end until the attempt is over, or waits for the exec.
@test "amid an exec: neither a refusal nor a call without effect, and the exec does not wait for gotap" {
	local first
	mkfifo "$BATS_TEST_TMPDIR/fifo"
	for first in read futex; do
		start "$REFERENCE_GO" amidexec -first "$first" "$BATS_TEST_TMPDIR/fifo"
		case $first in
		read) succeeds timeout -s KILL 300 "$DRIVE" exec-first "$TARGET" "$BATS_TEST_TMPDIR/fifo" ;;
		futex) succeeds timeout -s KILL 300 "$DRIVE" exec-others "$TARGET" "$BATS_TEST_TMPDIR/fifo" ;;
		esac
		target_runs
		stop_target
	done
}
