#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=beside
#
# gotap convert on damaged traces of Go 1.21 and older: what follows the damage is kept from the next batch on, with the
# tables at the end of the file, and nothing is claimed of what was lost. Go's reader and validator judge the results.

load lib/common
load lib/v1

# zeroed TRACE PERCENT: $DAMAGED, a copy of which 100 bytes there are zero.
zeroed() {
	DAMAGED=$BATS_TEST_TMPDIR/damaged
	cp "$1" "$DAMAGED"
	head -c 100 /dev/zero | dd of="$DAMAGED" bs=1 seek=$(($(stat -c %s "$1") * $2 / 100)) conv=notrunc status=none
}

count() { "$GOTAP" text "$1" | grep -cE "$2"; }

@test "behind damage a trace of 1.5 to 1.21 goes on, with its stacks and its clock" {
	old_traces
	v1_traces
	v1oracle
	local old new=$BATS_TEST_TMPDIR/new whole=$BATS_TEST_TMPDIR/whole part
	for old in "$OLD_TRACES"/stress_1_{7,9,10}_good "$OLD_TRACES"/http_1_5_good "$V1_TRACES"/stress_1_{11,19,21}_good; do
		"$GOTAP" convert "$old" -o "$whole"
		for part in 15 45 70; do
			zeroed "$old" $part
			succeeds "$GOTAP" convert "$DAMAGED" -o "$new"
			matches 'the trace is damaged in 1 place, went on behind: '
			! grep -q 'speed of the trace' <<<"$output" || fail "the clock's speed was lost"
			succeeds "$V1ORACLE" "$new"
			[ "$(count "$new" '^Go')" -ge $(($(count "$whole" '^Go') * 3 / 4)) ]
			[ "$(count "$new" '^Stack ')" -ge $(($(count "$whole" '^Stack ') / 2)) ]
		done
		views_ok "$new"
	done
}

@test "of damage in the tables at the end only what lies in it is lost" {
	old_traces
	v1_traces
	v1oracle
	local old new=$BATS_TEST_TMPDIR/new whole=$BATS_TEST_TMPDIR/whole
	for old in "$OLD_TRACES"/http_1_11_good "$V1_TRACES"/http_1_{19,21}_good; do
		"$GOTAP" convert "$old" -o "$whole"
		zeroed "$old" 90
		succeeds "$GOTAP" convert "$DAMAGED" -o "$new"
		matches 'the trace is damaged in [12] places?, went on behind: '
		succeeds "$V1ORACLE" "$new"
		[ "$(count "$new" '^Go')" -eq "$(count "$whole" '^Go')" ]
	done
}

@test "who ran on a P before the damage is not said to run behind it" {
	v1oracle
	made 11 <<-END
		Batch 0 1000; ProcStart 7; GoCreate 1 0 0; GoCreate 2 0 0; GoStart 1 1; Gomaxprocs 1 0; @50 HeapAlloc 5; hex 3f 3f
		Batch 0 2000; @50 GoBlockRecv 0; @50 GoStart 2 1; @50 GoUnblock 1 2 0; @50 GoBlockSend 0; @50 GoStart 1 3; GoEnd
		Frequency 1000000000
	END
	succeeds "$GOTAP" convert "$MADE" -o "$BATS_TEST_TMPDIR/new"
	contains "the trace is damaged in 1 place, went on behind: unknown event type 63"
	contains "left out 2 bytes, and 0 events"
	contains "1 events that are not in the trace join the parts"
	contains "left out 2 of "
	succeeds "$V1ORACLE" "$BATS_TEST_TMPDIR/new"
	run_logged "$V1ORACLE" -events "$BATS_TEST_TMPDIR/new"
	matches 'Goroutine\(1\) Running->Runnable reason=""'
	! grep -q 'chan receive' <<<"$output" || fail "it ran on"
	matches 'Goroutine\(2\) Running->Waiting reason="chan send"'
	matches 'Goroutine\(1\) Running->NotExist'
}

@test "ranges whose end is lost end where the next one begins" {
	v1oracle
	made 21 <<-END
		Batch 0 1000; ProcStart 7; GoCreate 1 0 0; GoStart 1 1; Gomaxprocs 1 0; @50 GCStart 0 0; GCSweepStart 0; hex 3f 3f
		Batch 0 2000; @50 GoStart 1 3; @50 GCStart 1 0; GCSweepStart 0; GCSweepDone 1 2; GCDone; String 9 "in"; String 10 "out"
		UserRegion 0 0 10 0; UserRegion 0 0 9 0; UserRegion 0 1 10 0; GoEnd; Frequency 1000000000
	END
	succeeds "$GOTAP" convert "$MADE" -o "$BATS_TEST_TMPDIR/new"
	succeeds "$V1ORACLE" "$BATS_TEST_TMPDIR/new"
	run_logged "$V1ORACLE" -events "$BATS_TEST_TMPDIR/new"
	[ "$(grep -c 'RangeBegin GC concurrent mark phase' <<<"$output")" -eq 2 ]
	[ "$(grep -c 'RangeEnd GC concurrent mark phase' <<<"$output")" -eq 2 ]
	[ "$(grep -c 'RegionEnd' <<<"$output")" -eq 2 ]
}

@test "damage that can be read as records shows, and the trace goes on" {
	v1oracle
	made 11 <<-END
		Batch 0 1000; ProcStart 7; GoCreate 1 0 0; GoCreate 2 0 0; GoStart 1 1; Gomaxprocs 1 0; @50 GoBlock 0
		@50 GoStart 2 1; @50 GoUnblock 1 77 0; @50 GoBlock 0; @50 GoStart 1 78; GoEnd; Frequency 1000000000
	END
	gotap check "$MADE"
	[ "$status" -eq 1 ]
	contains "no consistent ordering of events possible"
	succeeds "$GOTAP" convert "$MADE" -o "$BATS_TEST_TMPDIR/new"
	contains "the trace is damaged in 1 place, went on behind: no consistent ordering"
	succeeds "$V1ORACLE" "$BATS_TEST_TMPDIR/new"
	run_logged "$V1ORACLE" -events "$BATS_TEST_TMPDIR/new"
	matches 'Goroutine\(1\) Running->NotExist'
}
