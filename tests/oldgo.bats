#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Go 1.15, 1.19 and 1.21: other prologues, another way to pass arguments, other fields, the same v2 output. Their own
# runtime/trace writes the older format (v1), which Go's reader turns into the same events, so the differential test
# holds for them too. What v1 does not carry and what is therefore not compared, or within wider limits:
# - the reason of a block that is not about a channel, lock, timer, network, select or the collector (40 of 16,000);
# - threads: it says who started a P, not who regained it at the end of a syscall (2 % of the events are told of the
#   thread before), and none for GoSyscallEndBlocked;
# - that a P was taken from a syscall and given back meanwhile (1 to 4 % of gotap's P events);
# - how long a short syscall took, stacks of stop-the-world, ranges of the collector beyond their times.

load lib/common
load lib/record
load lib/differential

setup() {
	require_root
	oracle "$REFERENCE_GO"
	TRACE=$BATS_TEST_TMPDIR/x.trace
}

teardown() { stop_targets; }

LIMITS=(-min-recall 0.999 -min-precision 0.999 -min-reasons 0.99 -min-stacks 0.999 -min-threads 0.9
	-min-proc-recall 0.999 -min-proc-precision 0.9)

agree() {
	build_prog "$1" mixed
	compare "Go $1" 2
}

# flawless VERSION PROGRAM ARGUMENT...: attached to (header go1.25) and launched (header go1.22): valid, nothing lost
# or repaired.
flawless() {
	build_prog "$1" "$2"
	start_target "$PROG" "${@:3}"
	recorded "$TRACE" -p "$TARGET" -d 300ms --format go1.25
	stop_target
	views_ok "$TRACE"
	recorded "$TRACE" --format go1.22 -- "$PROG" "${@:3}" -dur 300ms
	views_ok "$TRACE"
}

all_flawless() {
	flawless "$1" pingpong
	flawless "$1" syscalls
	flawless "$1" locked
	flawless "$1" cgo
	flawless "$1" gc
	flawless "$1" many -n 5000
}

# Parked goroutines have the stacks of their functions, by frame pointers and the table of the release.
sleeping() {
	local kind
	build_prog "$1" sleepers
	start_target "$PROG" -n 3 -tick 1h
	recorded "$TRACE" -p "$TARGET" -d 50ms
	succeeds "$ORACLE/check" -stacks "$TRACE"
	for kind in onReceive onSend onSelect onMutex onWaitGroup onSleep onForever onCond onNetwork; do
		contains "main.$kind"
	done
}

@test "Go 1.21: gotap sees what the runtime sees" { agree 1.21; }
@test "Go 1.19: gotap sees what the runtime sees" { agree 1.19; }
@test "Go 1.15: gotap sees what the runtime sees" { agree 1.15; }
@test "Go 1.21: attach and launch, both headers, nothing lost or repaired" { all_flawless 1.21; }
@test "Go 1.19: attach and launch, both headers, nothing lost or repaired" { all_flawless 1.19; }
@test "Go 1.15: attach and launch, both headers, nothing lost or repaired" { all_flawless 1.15; }
@test "Go 1.21: parked goroutines have their stacks" { sleeping 1.21; }
@test "Go 1.19: parked goroutines have their stacks" { sleeping 1.19; }
@test "Go 1.15: parked goroutines have their stacks" { sleeping 1.15; }
