#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=beside
#
# gotap convert on traces made by hand: states, ranges and names that cross the end of a generation, damage, or the
# begin of the wanted part. Go's reader and validator judge the result.

load lib/common

setup() {
	T=$BATS_TEST_TMPDIR
	NEW=$T/new.trace
}

converts() { succeeds "$GOTAP" convert "$@" -o "$NEW" && trace_ok "$NEW"; }

# trace_of NAME: the text on standard input as a trace
trace_of() {
	awk -f "$CHECKOUT/tests/lib/sized.awk" >"$T/$1.txt"
	succeeds "$GOTAP" wire "$T/$1.txt" -o "$T/$1.trace"
}

# damage FILE TEXT: ten bytes behind this text become 0xff
damage() {
	local at
	at=$(grep -abo "$2" "$1" | head -n 1 | cut -d: -f1)
	printf '\377%.0s' {1..10} | dd of="$1" bs=1 seek=$((at + ${#2})) conv=notrunc status=none
}

# generation N TIME: its clock, a text for damage(), and the begin of a batch in which goroutine 1 runs
generation() {
	cat <<-END
		EventBatch gen=$1 m=18446744073709551615 time=$2 size=?
		Frequency freq=1000000000
		EventBatch gen=$1 m=18446744073709551615 time=$2 size=?
		Strings
		String id=1
			data="outer"
		String id=2
			data="inner"
		String id=3
			data="generation-$1"
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
