#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# What a trace tells besides who runs where, beside the runtime's own trace of the same process: GC cycles, mark
# assists, sweeping, stop-the-world, labels of mark workers, the heap's size and goal, GOMAXPROCS, tasks, regions, logs.
#
# What may differ, and why (the least share that is equal is 0.999 for all else):
#   - labels: the runtime labels whatever starts on a P that has chosen to mark (p.gcMarkWorkerMode), even an ordinary
#     goroutine when its worker did not get to run, or a worker that does something else (diff/extras.go, isMislabelled).
#   - heap sizes: when two threads add to gcController.heapLive within a microsecond, who was first is not known. One
#     value in 200 may differ: a thread may lose its CPU between the probe, which reads, and the addition.
#   - times: the two tracers look a few microseconds apart, 15 at most for 99 of 100; 200 is for what loses its CPU there.
#   - the stack of an assist: the runtime's own names the tracer's function and another line of gcAssistAlloc.

load lib/common
load lib/record

setup() { require_root; }
teardown() { stop_targets; }

NEED='RangeBegin GC concurrent,RangeBegin GC mark assist,RangeBegin stop-the-world (GC,Label GC,Metric /gc,Metric /memory'

# traced_twice VERSION EVENTS [FLAG...]: the program traces itself while gotap does.
traced_twice() {
	local version=$1 events=$2
	shift 2
	build_prog "$version" ranges
	start_target "$PROG" -trace "$BATS_TEST_TMPDIR/rt.trace" -dur 500ms -rounds 200 -tail 100ms "$@"
	start_record "$BATS_TEST_TMPDIR/gt.trace" --strict -e "$events" -p "$TARGET"
	sleep 0.1
	kill -USR1 "$TARGET"
	wait_record
	[ "$status" -eq 0 ]
	views_ok "$BATS_TEST_TMPDIR/gt.trace"
}

# equal DIFF FLAG... A thread that loses the CPU between the two tracers may get it back after the end of the runtime's
# trace. On a loaded machine another P then has its own value of the heap between the two readings: 0.9949 of the values
# were equal once at a load of 10.
equal() {
	same_trace -extras -margin 50ms -max-extras-p99 200us -rough 'Metric /memory' -min-rough 0.98 \
		"$@" "$BATS_TEST_TMPDIR/rt.trace" "$BATS_TEST_TMPDIR/gt.trace"
}

SWEEP='RangeBegin GC incremental sweep,RangeEnd GC incremental sweep'

same_ranges() {
	traced_twice "$1" default
	equal -skip "$SWEEP" -need "$NEED,TaskBegin,TaskEnd,RegionBegin,RegionEnd,Log,RangeBegin stop-the-world (read mem"
}

# for releases 1.22+ (inline 1.22 newest; soak-only not 1.22 newest):
#	@test "ranges, metrics, labels and annotations equal the runtime's, Go %" { same_ranges %; }
# bats test_tags=inline
@test "ranges, metrics, labels and annotations equal the runtime's, Go 1.22" { same_ranges 1.22; }
# bats test_tags=soak-only
@test "ranges, metrics, labels and annotations equal the runtime's, Go 1.23" { same_ranges 1.23; }
# bats test_tags=soak-only
@test "ranges, metrics, labels and annotations equal the runtime's, Go 1.24" { same_ranges 1.24; }
# bats test_tags=soak-only
@test "ranges, metrics, labels and annotations equal the runtime's, Go 1.25" { same_ranges 1.25; }
# bats test_tags=soak-only
@test "ranges, metrics, labels and annotations equal the runtime's, Go 1.26" { same_ranges 1.26; }
# bats test_tags=inline
@test "ranges, metrics, labels and annotations equal the runtime's, Go 1.27" { same_ranges 1.27; }
# end of releases

# Swept and reclaimed bytes too; who swept is told from the caller of sweep on.
same_sweeps() {
	traced_twice "$1" default,sweep
	equal -need "$SWEEP"
}

# for releases 1.22 1.24 1.26 newest (inline newest; inline-soak 1.22; soak-only 1.24 1.26):
#	@test "sweeping equals the runtime's, byte for byte, Go %" { same_sweeps %; }
# bats test_tags=inline-soak
@test "sweeping equals the runtime's, byte for byte, Go 1.22" { same_sweeps 1.22; }
# bats test_tags=soak-only
@test "sweeping equals the runtime's, byte for byte, Go 1.24" { same_sweeps 1.24; }
# bats test_tags=soak-only
@test "sweeping equals the runtime's, byte for byte, Go 1.26" { same_sweeps 1.26; }
# bats test_tags=inline
@test "sweeping equals the runtime's, byte for byte, Go 1.27" { same_sweeps 1.27; }
# end of releases

@test "the heap goal under a memory limit equals the runtime's" {
	traced_twice 1.27 default -limit 12
	equal -skip "$SWEEP" -need "$NEED"
}

@test "the heap's sizes equal the runtime's in a program that does a little of everything" {
	build_prog 1.25 mixed
	start_target "$PROG" -trace "$BATS_TEST_TMPDIR/rt.trace" -await "$BATS_TEST_TMPDIR/gt.trace.partial" -delay 100ms -dur 1s -tail 100ms -procs
	recorded "$BATS_TEST_TMPDIR/gt.trace" -p "$TARGET"
	same_trace -extras -max-extras-p99 200us -skip "$SWEEP" -need 'Metric /gc,Metric /memory' \
		"$BATS_TEST_TMPDIR/rt.trace" "$BATS_TEST_TMPDIR/gt.trace"
}
