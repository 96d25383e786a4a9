#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=beside
#
# gotap convert on traces made by hand: states, ranges and names that cross the end of a generation, damage, or the
# begin of the wanted part. Go's reader and validator judge the result.

load lib/common
load lib/convert

setup() {
	T=$BATS_TEST_TMPDIR
	NEW=$T/new.trace
}

# damage FILE TEXT: ten bytes behind this text become 0xff
damage() {
	local at
	at=$(grep -abo "$2" "$1" | head -n 1 | cut -d: -f1)
	printf '\377%.0s' {1..10} | dd of="$1" bs=1 seek=$((at + ${#2})) conv=notrunc status=none
}

# generation N TIME: its clock, a text for damage(), and the begin of a batch in which goroutine 1 runs
generation() {
	tables "$1" "$2" outer inner "generation-$1"
	cat <<-END
		EventBatch gen=$1 m=7 time=$2 size=?
		ProcStatus dt=1 p=0 pstatus=1
		GoStatus dt=1 g=1 m=7 gstatus=2
	END
}

# Damage has the end of one region, or of two, and the begin of another; and the end of a task.
@test "regions nest, and no task begins twice, where damage took ends and begins" {
	{
		echo "Trace Go1.23"
		generation 1 100
		echo "UserTaskBegin dt=1 task=5 parent_task=0 name_string=1 stack=0"
		echo "UserRegionBegin dt=1 task=5 name_string=1 stack=0"
		echo "UserRegionBegin dt=1 task=0 name_string=2 stack=0"
		generation 2 1000
		generation 3 2000
		echo "UserTaskBegin dt=1 task=5 parent_task=0 name_string=1 stack=0"
		echo "UserRegionEnd dt=1 task=0 name_string=3 stack=0"
		echo "UserRegionEnd dt=1 task=5 name_string=1 stack=0"
		echo "UserRegionBegin dt=1 task=0 name_string=3 stack=0"
		echo "UserRegionEnd dt=1 task=0 name_string=3 stack=0"
	} | trace_of regions
	damage "$T/regions.trace" generation-2
	converts "$T/regions.trace"
	run_logged "$GOTAP" convert "$T/regions.trace" -o "$NEW"
	contains "went on behind"
	contains "left out 2 events that have no place in the result"
	run_logged "$GOTAP" text "$NEW"
	[ "$(grep -c '^UserTaskBegin' <<<"$output")" -eq 1 ]
	[ "$(grep -c '^UserRegionBegin' <<<"$output")" -eq 3 ]
	[ "$(grep -c '^UserRegionEnd' <<<"$output")" -eq 3 ]
}

# A thread may have a goroutine that runs, but no P yet, where the trace begins.
@test "a goroutine that runs without a P is stopped where damage follows" {
	{
		echo "Trace Go1.23"
		cat <<-'EOF'
			EventBatch gen=1 m=18446744073709551615 time=100 size=?
			Frequency freq=1000000000
			EventBatch gen=1 m=9 time=100 size=?
			GoStatus dt=1 g=1 m=9 gstatus=2
			EventBatch gen=1 m=7 time=100 size=?
			ProcStatus dt=1 p=0 pstatus=1
			ProcStop dt=1
		EOF
		tables 2 1000 generation-2
		cat <<-'EOF'
			EventBatch gen=2 m=9 time=1000 size=?
			GoStatus dt=1 g=1 m=9 gstatus=2
		EOF
		generation 3 2000
	} | trace_of no_p
	damage "$T/no_p.trace" generation-2
	converts "$T/no_p.trace"
	contains "goroutines=1 "
}

# The collector runs where the wanted part begins, and goroutine 1 runs first in the second generation.
@test "a collection that waits for a goroutine begins in the generation in which one runs" {
	{
		echo "Trace Go1.23"
		cat <<-'EOF'
			EventBatch gen=1 m=18446744073709551615 time=100 size=?
			Frequency freq=1000000000
			EventBatch gen=1 m=7 time=100 size=?
			ProcStatus dt=1 p=0 pstatus=1
			GoStatus dt=1 g=2 m=7 gstatus=2
			GoStatus dt=1 g=1 m=18446744073709551615 gstatus=1
			GCActive dt=1 gc_seq=1
			HeapAlloc dt=1 heapalloc_value=5
			HeapAlloc dt=1 heapalloc_value=5
			HeapAlloc dt=1 heapalloc_value=5
			HeapAlloc dt=1 heapalloc_value=5
			EventBatch gen=2 m=18446744073709551615 time=1000 size=?
			Frequency freq=1000000000
			EventBatch gen=2 m=7 time=1000 size=?
			ProcStatus dt=1 p=0 pstatus=1
			GoStatus dt=1 g=2 m=7 gstatus=2
			GoStatus dt=1 g=1 m=18446744073709551615 gstatus=1
			GCActive dt=1 gc_seq=2
			GoBlock dt=1 reason_string=0 stack=0
			GoStart dt=1 g=1 g_seq=1
			GCEnd dt=1 gc_seq=3
		EOF
	} | trace_of gc
	converts "$T/gc.trace" -g 1
	run_logged "$GOTAP" text "$NEW"
	[ "$(grep -c '^EventBatch gen=2 ' <<<"$output")" -gt 0 ]
	[ "$(grep -c '^GCBegin' <<<"$output")" -eq 1 ]
	[ "$(grep -c '^GCEnd' <<<"$output")" -eq 1 ]
	! grep -q '^GCActive' <<<"$output"
}

# Ten collections while goroutine 2 runs alone, then goroutine 1 runs.
@test "collections that were over before a chosen goroutine ran are left out and counted" {
	local i seq=0
	{
		echo "Trace Go1.23"
		generation 1 100
		echo "GoStatus dt=1 g=2 m=18446744073709551615 gstatus=1"
		for i in {1..10}; do
			echo "GCBegin dt=10 gc_seq=$((++seq)) stack=0"
			echo "GCEnd dt=10 gc_seq=$((++seq))"
		done
		echo "GCBegin dt=10 gc_seq=$((++seq)) stack=0"
		echo "GoBlock dt=1 reason_string=1 stack=0"
		echo "GoStart dt=1 g=2 g_seq=1"
		echo "GCEnd dt=10 gc_seq=$((++seq))"
	} | trace_of cycles
	converts "$T/cycles.trace" -g 2
	run_logged "$GOTAP" convert "$T/cycles.trace" -g 2 -o "$NEW"
	contains "left out 20 events that have no place in the result"
	run_logged "$GOTAP" text "$NEW"
	[ "$(grep -c '^GCBegin' <<<"$output")" -eq 1 ]
	[ "$(grep -c '^GCEnd' <<<"$output")" -eq 1 ]
}

# The first generation has a CPU sample with its stack, data of an experiment, and no event.
@test "a generation without events keeps its samples, their stacks and its data" {
	{
		echo "Trace Go1.25"
		cat <<-'EOF'
			EventBatch gen=1 m=18446744073709551615 time=100 size=?
			Sync
			Frequency freq=1000000000
			ClockSnapshot dt=0 mono=100 sec=1700000001 nsec=5
			EventBatch gen=1 m=18446744073709551615 time=100 size=?
			Strings
			String id=1
				data="main.work"
			EventBatch gen=1 m=18446744073709551615 time=100 size=?
			Stacks
			Stack id=1 nframes=1
				pc=4096 func=1 file=1 line=10
			EventBatch gen=1 m=18446744073709551615 time=100 size=?
			CPUSamples
			CPUSample time=120 m=7 p=0 g=1 stack=1
			ExperimentalBatch exp=1 gen=1 m=18446744073709551615 time=100
				data="xyz"
			EventBatch gen=2 m=18446744073709551615 time=1000 size=?
			Sync
			Frequency freq=1000000000
			ClockSnapshot dt=0 mono=1000 sec=1700000002 nsec=5
			EventBatch gen=2 m=7 time=1000 size=?
			ProcStatus dt=1 p=0 pstatus=1
			GoStatus dt=1 g=1 m=7 gstatus=2
			HeapAlloc dt=1 heapalloc_value=5
		EOF
	} | trace_of samples
	converts "$T/samples.trace"
	run_logged "$GOTAP" text "$NEW"
	contains 'data="main.work"'
	contains 'data="xyz"'
	[ "$(grep -c '^CPUSample ' <<<"$output")" -eq 1 ]
	[ "$(grep '^ExperimentalBatch' <<<"$output" | grep -o 'gen=[0-9]*')" = gen=1 ]
}

# Before header 1.23 a goroutine that is created blocked appears when it is first woken.
@test "a chosen goroutine of which nothing is left is an error" {
	{
		echo "Trace Go1.23"
		generation 1 100
		echo "GoCreateBlocked dt=1 new_g=5 new_stack=0 stack=0"
	} | trace_of blocked
	run_logged "$GOTAP" convert "$T/blocked.trace" -g 5 -f go1.22 -o "$NEW"
	[ "$status" -eq 1 ]
	contains "there is no goroutine 5 in this part of the trace"
	[ ! -e "$NEW" ]
	converts "$T/blocked.trace" -g 5
}

@test "a trace that cannot be read, or that changes meanwhile, is an error and no damage" {
	local at=1 errors=0
	gcc -O1 -shared -fPIC -o "$T/broken.so" "$CHECKOUT/tests/lib/broken_disk.c"
	{
		echo "Trace Go1.23"
		for i in {1..20}; do generation "$i" "$((i * 1000))"; done
	} | trace_of many
	export BROKEN_SIZE BROKEN_AT
	BROKEN_SIZE=$(stat -c %s "$T/many.trace")
	for BROKEN_AT in {1..100}; do
		run_logged env LD_PRELOAD="$T/broken.so" "$GOTAP" convert "$T/many.trace" -o "$NEW"
		[ "$status" -ne 0 ] || break
		contains "cannot read: Input/output error"
		[ ! -e "$NEW" ]
		errors=$((errors + 1))
	done
	[ "$errors" -ge 20 ]	# each generation's events are read once more when its turn comes
	BROKEN_AT=10 run_logged env BROKEN_HOW=cut LD_PRELOAD="$T/broken.so" "$GOTAP" convert "$T/many.trace" -o "$NEW"
	[ "$status" -eq 1 ]
	contains "the file changed while it was read"
}
