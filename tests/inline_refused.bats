#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# record --attach inline: programs into which no code is put, or not at every place, and the reasons that the report
# gives.

load lib/common
load lib/record
load lib/cgroup
load lib/inline_program

# --- what is refused -----------------------------------------------------------------------------

@test "a second gotap is refused, whichever way it attaches, and the first one notices nothing" {
	local method
	mixed
	start_record "$TRACE" --strict -p "$TARGET"
	wait_for 60 inline_runs
	for method in inline multi perf; do
		gotap record --attach "$method" -p "$TARGET" -d 300ms -o "$TRACE.2"
		[ "$status" -eq 1 ]
		matches '^gotap: another gotap records process'
		[ ! -e "$TRACE.2" ]
	done
	stop_record
	[ "$status" -eq 0 ]
	[ -z "$(inline_of disturbed)" ]
	views_ok "$TRACE"
}

@test "breakpoints of somebody else: those places stay uprobes, and nothing is missing" {
	local other
	mixed
	uprobes start_record "$TRACE.2" --strict -p "$TARGET"
	other=$RECORDER
	uprobes start_record "$TRACE" --strict -p "$TARGET" --attach inline
	wait_for 60 memory_of_gotap "$TARGET"
	uprobes stop_record
	[ "$status" -eq 0 ] || fail "$(flaws)"
	echo "$(inline_of state), $(inline_of places) places, $(inline_of stayed) stayed: $(inline_of why)"
	[ "$(inline_of stayed)" -ge 1 ]
	[[ $(inline_of why) == *breakpoint* ]]
	views_ok "$TRACE"
	REPORT=$TRACE.2.json RECORDER=$other
	uprobes stop_record
	[ "$status" -eq 0 ]
	trace_ok "$TRACE.2"
	is_as_before
}

# within GROUP COMMAND...: runs it in that cgroup.
within() { (echo "$BASHPID" >"$1/cgroup.procs" && exec "${@:2}"); }

# The memory of a program in a cgroup that is full is freed by killing it.
@test "a cgroup with 64 KiB left: recorded by uprobes, and the report says why; with room for it inline goes in" {
	memory_group
	build_prog "$REFERENCE_GO" pingpong
	start_target within "$FOLDER" "$PROG" -work 10000
	TARGET=$(head -n 1 "$FOLDER/cgroup.procs")
	TARGETS+=" $TARGET"
	leave_room 65536
	uprobes recorded "$TRACE" -p "$TARGET" -d 2s --attach inline
	not_inline "the memory cgroup of process $TARGET has too little room"*
	target_runs
	leave_room $((16 << 20))
	recorded "$TRACE" -p "$TARGET" -d 2s
	[ "$(inline_of state)" = undone ]
	target_runs
	views_ok "$TRACE"
}

@test "a limit of address space that leaves the program too little: recorded by uprobes" {
	local size
	mixed
	size=$(awk '$1 == "VmSize:" { print $2 }' "/proc/$TARGET/status")
	prlimit --pid "$TARGET" --as=$(((size + 150000) * 1024)):
	uprobes recorded "$TRACE" -p "$TARGET" -d 1s --attach inline
	not_inline "process $TARGET is too near to a limit of it, Max address space: *"
	prlimit --pid "$TARGET" --as=$(((size + 500000) * 1024)):
	recorded "$TRACE" -p "$TARGET" -d 1s
	[ "$(inline_of state)" = undone ]
}

is_traced() { awk '$1 == "TracerPid:" { exit !$2 }' "/proc/$TARGET/status"; }

@test "a program with a debugger: recorded by uprobes, and the report says why" {
	require_tool strace
	mixed
	strace -qq -o /dev/null -e trace=none -p "$TARGET" 3>&- &
	TARGETS+=" $!"
	wait_for 60 is_traced
	uprobes recorded "$TRACE" -p "$TARGET" -d 700ms --attach inline
	not_inline '*trac*'
	views_ok "$TRACE"
}

@test "a program under a seccomp filter that kills: it lives" {
	require_tool cc
	cc -O1 -o "$BATS_TEST_TMPDIR/seccomp" "$CHECKOUT/tests/lib/seccomp.c"
	build_prog "$REFERENCE_GO" mixed
	start_target "$BATS_TEST_TMPDIR/seccomp" "$PROG" -delay 10h
	grep -qx 'Seccomp:.2' "/proc/$TARGET/status"
	uprobes recorded "$TRACE" -p "$TARGET" -d 1s --attach inline
	echo "$(inline_of state): $(inline_of why)"
	[ "$(inline_of state)" = undone ] || not_inline '*seccomp*'
	views_ok "$TRACE"
	target_runs
	is_as_before
}

@test "Go 1.15: recorded by uprobes, and the report says why" {
	mixed 1.15
	uprobes recorded "$TRACE" -p "$TARGET" -d 1s --attach inline
	not_inline '*'
	grep -F 'Go up to 1.16 passes arguments on the stack' "$REPORT"
	is_as_before
}

@test "a program that is stopped: its threads cannot be borrowed, nothing is changed" {
	mixed
	kill -STOP "$TARGET"
	uprobes record "$TRACE" -p "$TARGET" -d 1s --attach inline
	[ "$status" -eq 0 ]
	kill -CONT "$TARGET"
	[ "$(inline_of state)" = off ]
	is_as_before
	start_record "$TRACE" --strict -p "$TARGET"
	wait_for 60 inline_runs
	stop_record
	[ "$status" -eq 0 ] || fail "$(flaws)"
	[ "$(inline_of state)" = undone ]
}

@test "a method that is none" {
	gotap record --attach outline true
	[ "$status" -eq 2 ]
	contains "--attach takes auto, multi, perf or inline"
}
