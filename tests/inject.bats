#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# The functions by which --attach inline changes a running program, called by tests/inline/drive: they put memory in and
# take it out, and change calls and change them back, again and again under load, or are killed at each step. The
# program must not notice. `make soak`: again and again; the first two with one release after the other.

load lib/common

setup() {
	require_root
	DRIVE=$BUILD/inline/drive
	[ -x "$DRIVE" ] || fail "make unit builds $DRIVE"
}

teardown() { stop_stopped_targets; }

# again COMMAND...: once; `make soak`: as long as time is left.
again() {
	local round
	soak_seed
	for ((round = 0; ; round++)); do
		goes_on 1 "$round" || break
		"$@"
	done
}

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

# with_releases SCENARIO N: a round with the newest release; `make soak`: the next ones with the releases before it.
with_releases() {
	local all version
	mapfile -t all < <(printf '%s\n' "${ALL_GO[@]}" | sed '/^1\.15$/d' | sort -rV)
	version=${all[round % ${#all[@]}]}
	start "$version" netload -clients 8 -pause 0
	drive "$1" "$2"
	held "$version"
	server_is_well
	stop_target
}

# bats test_tags=soak
@test "in and out of a saturated server: no failed request, nothing is left" { again with_releases cycles 50; }

# bats test_tags=soak
@test "calls changed and put back under full load" { again with_releases patch 4; }

# killed SCENARIO EACH: at each of the steps EACH, 2 * EACH, and so on; after the first round EACH is random.
killed() {
	local each=$2
	[ "$round" -eq 0 ] || each=$((RANDOM % 5 + 2))
	start "$REFERENCE_GO" netload -clients 8 -pause 0
	drive "$1" "$each"
	server_is_well
	stop_target
}

# bats test_tags=soak
@test "killed at any step: the server goes on, and what is left can be taken out" { again killed kill 3; }

# bats test_tags=soak
@test "the process that holds threads killed at any step: the same" { again killed hurt 3; }

# A thread that was let go with a system call makes it when it gets a processor: only then it is known what is left.
# bats test_tags=soak
@test "killed, while a thread that has a call to make gets no processor: nothing is left, and nothing of the server's closed" { again killed late 3; }

ps_of_three_kinds() {
	GOMAXPROCS=1 start "$REFERENCE_GO" netload -clients 8 -pause 0
	drive cycles 10
	server_is_well
	stop_target
	start "$REFERENCE_GO" fullload
	drive cycles 10
	target_runs
	stop_target
	start "$REFERENCE_GO" idle
	drive cycles 10
	target_runs
	stop_target
}

# bats test_tags=soak
@test "one P; all Ps busy; nothing to do" { again ps_of_three_kinds; }

signalled() {
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
	stop_target
}

# bats test_tags=soak
@test "signals, and stops of the whole program, in the middle of it" { again signalled; }

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

that_exec_or_end() {
	local i
	start "$REFERENCE_GO" selfexec -every 30ms
	for i in {1..8}; do
		drive storm 500
	done
	target_runs
	stop_target
	for i in 1 3; do
		start "$REFERENCE_GO" exitquick -n 100 -after "0.$i"s
		run_logged timeout -s KILL 300 "$DRIVE" storm "$TARGET" 3000
		# on a busy machine the program may have ended before drive began
		[ "$status" -eq 0 ] || contains "no process $TARGET"
		wait_target
		[ "$status" -eq 0 ]
	done
}

# bats test_tags=soak
@test "programs that exec or end meanwhile" { again that_exec_or_end; }

# The attempt comes at a moment in the exec at which all threads have ended but two: the one that execs, and one that
# the test keeps from its end until the attempt is over, or waits for the exec.
amid_exec() {
	local first
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

# bats test_tags=soak
@test "amid an exec: neither a refusal nor a call without effect, and the exec does not wait for gotap" {
	mkfifo "$BATS_TEST_TMPDIR/fifo"
	again amid_exec
}
