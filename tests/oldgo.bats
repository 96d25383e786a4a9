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
	flawless "$1" pingpong -work 10000
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

# bats test_tags=inline-soak
@test "Go 1.21: gotap sees what the runtime sees" { agree 1.21; }
# bats test_tags=inline
@test "Go 1.19: gotap sees what the runtime sees" { agree 1.19; }
@test "Go 1.15: gotap sees what the runtime sees" { agree 1.15; }
# bats test_tags=soak-only
@test "Go 1.21: attach and launch, both headers, nothing lost or repaired" { all_flawless 1.21; }
# bats test_tags=inline-soak,soak-only
@test "Go 1.19: attach and launch, both headers, nothing lost or repaired" { all_flawless 1.19; }
@test "Go 1.15: attach and launch, both headers, nothing lost or repaired" { all_flawless 1.15; }
# bats test_tags=soak-only
@test "Go 1.21: parked goroutines have their stacks" { sleeping 1.21; }
@test "Go 1.19: parked goroutines have their stacks" { sleeping 1.19; }
@test "Go 1.15: parked goroutines have their stacks" { sleeping 1.15; }

# beside VERSION PROGRAM EVENTS DIFF-FLAG...: the program traces itself from a signal on, while gotap does. Who is
# preempted in a prologue lacks his caller (frame pointers; these runtimes unwind by tables): one stack in a thousand.
beside() {
	local theirs=$BATS_TEST_TMPDIR/rt.trace
	build_prog "$1" "$2"
	start_target "$PROG" -trace "$theirs" -dur 1s -rounds 400 -tail 100ms
	start_record "$TRACE" --strict -e "$3" -p "$TARGET"
	kill -USR1 "$TARGET"
	wait_record
	[ "$status" -eq 0 ]
	views_ok "$TRACE"
	same_trace "${LIMITS[@]}" -min-stacks 0.99 -extras "${@:4}" "$theirs" "$TRACE"
}

annotations() {
	beside "$1" annotated default -skip Range,Metric,Label -need TaskBegin,TaskEnd,RegionBegin,RegionEnd,Log
}

# bats test_tags=soak-only
@test "Go 1.21: tasks, regions and logs equal the runtime's" { annotations 1.21; }
# bats test_tags=inline
@test "Go 1.19: tasks, regions and logs equal the runtime's" { annotations 1.19; }
@test "Go 1.15: tasks, regions and logs equal the runtime's" { annotations 1.15; }

# v1 does not cut long texts, has other words for the stop of all stacks, and no reason for what waits for the collector.
# A thread that loses its CPU between the two tracers' looks moves an event over the end of the window, or past another one
# of its kind: one in a hundred may differ. The two read the live heap one after the other, while other Ps allocate: on a
# loaded machine up to two values in a hundred differ (six in a thousand were seen), and as many sums of sweeps that begin one behind
# the other. Of a kind with few events two may be beyond the window's end. The stop in which their own trace starts is half in the window.
RANGES=(-min-reasons 0.8 -skip 'Log,TaskBegin,RangeBegin stop-the-world (all,RangeEnd stop-the-world (all,RangeEnd stop-the-world (start trace' -few 2 -rough 'Metric /memory,RangeEnd GC incremental sweep' -min-rough 0.98 -min-recall 0.99 -min-precision 0.98 -min-extras 0.99)

# bats test_tags=inline
@test "Go 1.21: the collector, the heap and sweeping equal the runtime's, byte for byte" {
	beside 1.21 ranges default,sweep "${RANGES[@]}" \
		-need 'RangeBegin GC incremental sweep,RangeEnd GC incremental sweep,RangeBegin GC mark assist,Metric /gc,Metric /memory'
}

# Up to Go 1.20 a program's own tracer knows the collector's stops only.
old_ranges() {
	local stop
	for stop in GOMAXPROCS goroutine read; do
		RANGES[3]+=",RangeBegin stop-the-world ($stop,RangeEnd stop-the-world ($stop"
	done
	beside "$1" ranges default,sweep "${RANGES[@]}" \
		-need 'RangeBegin GC incremental sweep,RangeEnd GC incremental sweep,RangeBegin GC mark assist,Metric /gc,Metric /memory'
}

# bats test_tags=soak-only
@test "Go 1.19: the collector, the heap and sweeping equal the runtime's, byte for byte" { old_ranges 1.19; }
@test "Go 1.15: the collector, the heap and sweeping equal the runtime's, byte for byte" { old_ranges 1.15; }

@test "Go 1.15: what it has no probes for is told" {
	build_prog 1.15 gc
	start_target "$PROG"
	succeeds "$GOTAP" record -e all -d 200ms -p "$TARGET" -o "$TRACE"
	matches '; the trace lacks .*spans that are taken \(from Go 1\.23 on\)'
	! grep -Eq 'lacks .*(the size of the heap|the heap goal|sweeping)' <<<"$output"
}
