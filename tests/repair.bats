#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=beside
#
# gotap convert on damaged traces, and parts of a trace in which nothing happens. Go's reader and validator judge what
# is written; what is lost, and what was added to join the rest, is reported.

load lib/common
load lib/convert

setup_file() {
	load lib/common
	local version
	for version in 1.22 1.27; do
		build_prog "$version" mixed
		"$PROG" -trace "$BATS_FILE_TMPDIR/$version.trace" -delay 50ms -dur 3500ms -rounds 6000 -tail 50ms
	done
}

setup() {
	T=$BATS_FILE_TMPDIR
	NEW=$BATS_TEST_TMPDIR/new.trace
}

# overwritten FILE PERCENT BYTES: a copy in which these bytes are 0xff
overwritten() {
	cp "$1" "$BATS_TEST_TMPDIR/damaged"
	head -c "$3" /dev/zero | tr '\0' '\377' |
		dd of="$BATS_TEST_TMPDIR/damaged" bs=1 seek=$(($(stat -c %s "$1") * $2 / 100)) conv=notrunc status=none
}

# goroutines_of_last_generation FILE: prints the ids of the goroutines that were created in the last generation that has
# a creation: the very last one may be of some ms.
goroutines_of_last_generation() {
	"$GOTAP" text "$1" | awk '
		/^EventBatch/ { split($2, gen, "=") }
		/^GoCreate / { if (gen[2] != last) { last = gen[2]; delete ids } split($3, g, "="); ids[g[2]] = 1 }
		END { for (id in ids) print id }' | sort
}

goroutines_of() { "$GOTAP" text "$1" | awk '/^GoCreate / { split($3, g, "="); print g[2] }' | sort -u; }

@test "convert goes on behind damage, at the next generation" {
	local version percent bytes joined=
	for version in 1.22 1.27; do
		goroutines_of_last_generation "$T/$version.trace" >"$BATS_TEST_TMPDIR/wanted"
		[ -s "$BATS_TEST_TMPDIR/wanted" ]
		for percent in 5 30; do
			for bytes in 300 3000; do
				overwritten "$T/$version.trace" $percent $bytes
				converts "$BATS_TEST_TMPDIR/damaged"
				goroutines_of "$NEW" >"$BATS_TEST_TMPDIR/got"
				[ -z "$(comm -23 "$BATS_TEST_TMPDIR/wanted" "$BATS_TEST_TMPDIR/got")" ]
				run_logged "$GOTAP" convert "$BATS_TEST_TMPDIR/damaged" -o "$NEW"
				matches 'the trace is damaged in [12] places?, went on behind: '
				matches 'left out [0-9]+ bytes there, '
				! grep -q 'join the parts' <<<"$output" || joined=yes
			done
		done
	done
	[ "$joined" ]	# not each: where nothing moved in what is missing there is nothing to join
}

# all_but_two_generations FILE: how many events of goroutines there are but for the two generations that have most.
all_but_two_generations() {
	"$GOTAP" text "$1" | awk '/^EventBatch/ { gen = $2 } /^Go/ { n[gen]++ } END { for (gen in n) print n[gen] }' | sort -n |
		head -n -2 | awk '{ sum += $1 } END { print sum + 0 }'
}

# They are in one generation, or at the end of one and the begin of the next.
@test "a hundred bytes that are missing anywhere give a valid trace, and cost two generations at most" {
	local version percent size least
	for version in 1.22 1.27; do
		size=$(stat -c %s "$T/$version.trace")
		least=$(all_but_two_generations "$T/$version.trace")
		[ "$least" -gt 0 ]
		for percent in 10 35 60 85; do
			{
				head -c $((size * percent / 100)) "$T/$version.trace"
				tail -c +$((size * percent / 100 + 101)) "$T/$version.trace"
			} >"$BATS_TEST_TMPDIR/damaged"
			converts "$BATS_TEST_TMPDIR/damaged"
			[ "$("$GOTAP" text "$NEW" | grep -c '^Go')" -ge "$least" ]
		done
	done
}

# Two events with five seconds between them; a text with a zero in it; data of an experiment.
idle_trace() {
	{
		echo "Trace Go1.23"
		tables 1 1 'a\x00b'
		cat <<-'END'
			EventBatch gen=1 m=7 time=1 size=?
			ProcStatus dt=1 p=0 pstatus=1
			GoStatus dt=1 g=1 m=7 gstatus=2
			ProcsChange dt=1 procs_value=1 stack=0
			SpanAlloc dt=1 id=5 npages_value=1 kindclass=0
			GoStatus dt=1 g=2 m=18446744073709551615 gstatus=4
			UserLog dt=1 task=0 key_string=1 value_string=1 stack=0
			UserLog dt=5000000000 task=0 key_string=1 value_string=1 stack=0
			ExperimentalBatch exp=1 gen=1 m=18446744073709551615 time=1
				data="xyz"
		END
	} | trace_of idle
	succeeds "$GOTAP" check --lenient "$BATS_TEST_TMPDIR/idle.trace"
}

@test "a span of time in which nothing happens says how everything was, from its begin to its end" {
	idle_trace
	converts "$BATS_TEST_TMPDIR/idle.trace" --from 1s --to 2s
	matches 'goroutines=2 procs=1 .* ms=(999|1000)\.'
	run_logged "$GOTAP" text "$NEW"
	matches '^GoStatus dt=[0-9]+ g=1 m=7 gstatus=2'
	matches '^GoStatus dt=[0-9]+ g=2 m=[0-9]+ gstatus=4'
	! grep -q UserLog <<<"$output" || fail "an event of another time"
}

@test "a whole trace keeps zeros in texts, events of experiments and their data" {
	idle_trace
	succeeds "$GOTAP" convert "$BATS_TEST_TMPDIR/idle.trace" --from 0 -o "$NEW"
	run_logged "$GOTAP" text "$NEW"
	contains 'data="a\x00b"'
	[ "$(grep -c '^UserLog' <<<"$output")" -eq 2 ]
	matches '^SpanAlloc dt=[0-9]+ id=5 npages_value=1 kindclass=0'
	matches '^ExperimentalBatch exp=1 '
	contains 'data="xyz"'
	"$GOTAP" convert - -o - <"$BATS_TEST_TMPDIR/idle.trace" | cmp - "$NEW"
}

# A stop of the world that is open where a generation ends, as one that begins just before damage is. In the next
# generation its reason has another id.
stopped_trace() {
	{
		echo "Trace Go1.23"
		tables 1 100 a
		cat <<-'END'
			EventBatch gen=1 m=7 time=100 size=?
			ProcStatus dt=1 p=0 pstatus=1
			GoStatus dt=1 g=1 m=7 gstatus=2
			UserLog dt=1 task=0 key_string=1 value_string=1 stack=0
			STWBegin dt=1 kind_string=1 stack=0
		END
		tables 2 1000 b c
		cat <<-'END'
			EventBatch gen=2 m=7 time=1000 size=?
			ProcStatus dt=1 p=0 pstatus=1
			GoStatus dt=1 g=1 m=7 gstatus=2
			UserLog dt=1 task=0 key_string=2 value_string=1 stack=0
			STWBegin dt=1 kind_string=2 stack=0
			STWEnd dt=5
		END
	} | trace_of stopped
}

@test "a stop of the world that is open where something is missing ends there, with its own reason" {
	stopped_trace
	converts "$BATS_TEST_TMPDIR/stopped.trace"
	succeeds "$GOTAP" check "$NEW"
	run_logged "$GOTAP" text "$NEW"
	[ "$(grep -c '^STWBegin' <<<"$output")" -eq 2 ]
	[ "$(grep -c '^STWEnd' <<<"$output")" -eq 2 ]
	# Nothing lies between the first begin and its end.
	[ "$(grep -A1 -m1 '^STWBegin' <<<"$output" | tail -1 | cut -d' ' -f1)" = STWEnd ]
}

@test "a clock that is earlier than the one before is counted on from it" {
	succeeds "$GOTAP" text "$T/1.27.trace" -o "$BATS_TEST_TMPDIR/text"
	[ "$(grep -c '^ClockSnapshot' "$BATS_TEST_TMPDIR/text")" -ge 3 ]
	awk '/^ClockSnapshot/ && ++n == 2 { sub(/ sec=17/, " sec=16") } { print }' \
		"$BATS_TEST_TMPDIR/text" >"$BATS_TEST_TMPDIR/early"
	succeeds "$GOTAP" wire "$BATS_TEST_TMPDIR/early" -o "$BATS_TEST_TMPDIR/early.trace"
	run_logged "$GOTAP" check "$BATS_TEST_TMPDIR/early.trace"
	contains "has non-increasing wall time"
	converts "$BATS_TEST_TMPDIR/early.trace"
	[ "$(count_of "$NEW" Go)" -eq "$(count_of "$T/1.27.trace" Go)" ]
}

@test "a goroutine that is not in the trace, or not in the span, is an error in one line" {
	idle_trace
	run_logged "$GOTAP" convert "$BATS_TEST_TMPDIR/idle.trace" -g 1 -g 77 -o "$NEW"
	[ "$status" -eq 1 ]
	[ "${#lines[@]}" -eq 1 ]
	contains "there is no goroutine 77 in this part of the trace"
	[ ! -e "$NEW" ]
	succeeds "$GOTAP" convert "$BATS_TEST_TMPDIR/idle.trace" -g 2 -o "$NEW"
	contains "none of these goroutines runs in this part of the trace"
}

@test "chosen goroutines and no stacks: facts of the result" {
	converts "$T/1.27.trace" -g 1
	contains "goroutines=1 "
	[ "$("$GOTAP" text "$NEW" | grep -Ec '^(GoStart|GoUnblock|GoCreate) ')" -eq \
	  "$("$GOTAP" text "$NEW" | grep -Ec '^(GoStart|GoUnblock|GoCreate) .*[^_]g=1 ')" ]
	converts "$T/1.27.trace" --strip-stacks
	[ "$("$GOTAP" text "$NEW" | grep -Ec '^Stack |stack=[1-9]')" -eq 0 ]
	[ "$(count_of "$NEW" 'Go ')" -eq "$(count_of "$T/1.27.trace" 'Go ')" ]
}

@test "a program that cannot be read is an error of check, text and convert" {
	local args
	for args in "check" "text -o /dev/null" "convert -o $NEW"; do
		# shellcheck disable=SC2086
		run_logged "$GOTAP" $args --binary "$T/nonexistent" "$T/1.27.trace"
		[ "$status" -ne 0 ]
		contains "nonexistent': No such file or directory"
	done
}

# The tables and the clock of these formats are at the end of the file.
@test "a v1 file that is cut gives its readable prefix" {
	local size
	build_prog 1.21 mixed
	GOMAXPROCS=2 "$PROG" -trace "$BATS_TEST_TMPDIR/v1.trace" -delay 50ms -dur 1200ms -rounds 1000 -tail 50ms
	size=$(stat -c %s "$BATS_TEST_TMPDIR/v1.trace")
	# The last batch of each P is written at the end: a cut far from it leaves whole ones of all Ps, if they are
	# few.
	head -c $((size * 80 / 100)) "$BATS_TEST_TMPDIR/v1.trace" >"$BATS_TEST_TMPDIR/cut"
	converts "$BATS_TEST_TMPDIR/cut"
	[ "$(count_of "$NEW" Go)" -gt 100 ]
	run_logged "$GOTAP" convert "$BATS_TEST_TMPDIR/cut" -o "$NEW"
	contains "the trace is damaged, kept what comes before: "
	matches 'left out [0-9]+ bytes, and [0-9]+ events before them that follow lost ones'
	contains "the speed of the trace's clock was lost"
}

# Readers take this number for that of a P, but a thread that starts it has none.
@test "a P with the number of no P is left out" {
	cat >"$BATS_TEST_TMPDIR/text" <<-END
		Trace Go1.23
		EventBatch gen=1 m=18446744073709551615 time=1001 size=6
		Frequency freq=1000000000
		EventBatch gen=1 m=18446744073709551615 time=1001 size=13
		ProcStatus dt=0 p=18446744073709551615 pstatus=2
		EventBatch gen=1 m=7 time=1002 size=1000
		EventBatch gen=2 m=18446744073709551615 time=2001 size=6
		Frequency freq=1000000000
		EventBatch gen=2 m=18446744073709551615 time=2002 size=13
		ProcStatus dt=0 p=18446744073709551615 pstatus=2
		EventBatch gen=2 m=1 time=2006 size=9
		ProcStatus dt=0 p=0 pstatus=1
		GoStatus dt=1 g=1 m=1 gstatus=2
		EventBatch gen=3 m=18446744073709551615 time=3001 size=6
		Frequency freq=1000000000
		EventBatch gen=3 m=18446744073709551615 time=3002 size=13
		ProcStatus dt=0 p=18446744073709551615 pstatus=2
		EventBatch gen=3 m=1 time=3006 size=9
		ProcStatus dt=0 p=0 pstatus=1
		GoStatus dt=1 g=1 m=1 gstatus=2
	END
	succeeds "$GOTAP" wire "$BATS_TEST_TMPDIR/text" -o "$BATS_TEST_TMPDIR/damaged"
	succeeds "$GOTAP" convert "$BATS_TEST_TMPDIR/damaged" -o "$BATS_TEST_TMPDIR/whole"
	contains 'left out 3 events that have no place in the result'
	succeeds "$GOTAP" check "$BATS_TEST_TMPDIR/whole"
}
