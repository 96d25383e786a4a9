#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# record --attach inline: gotap or its prober is killed or stopped, or the program is stopped meanwhile. All that was put
# into the program is taken out in the end, and the report says what is left until then.

load lib/common
load lib/record
load lib/cgroup
load lib/inline_program

# --- gotap meanwhile -----------------------------------------------------------------------------

# marked MARK: prints the pids of all processes with this mark in their environment.
marked() { grep -lsa "GOTAP_TEST_MARK=$1" /proc/[0-9]*/environ | cut -d / -f 3; }

# speed_since LINE: prints the highest of the program's speeds (rounds in a second of CPU time) from that line on: other
# programs on the processors only make it slower.
speed_since() { awk -v from="$1" 'NF == 3 && ++n > from && $3 + 0 > most { most = $3 } END { printf "%d\n", most }' "$TARGET_OUT"; }

lines() { grep -c ' ' "$TARGET_OUT" || true; }
has_lines() { [ "$(lines)" -ge "$1" ]; }

@test "gotap and its prober are killed: the program goes on at its speed, and the next gotap takes all out" {
	local before after from pid
	build_prog "$REFERENCE_GO" speed
	start_target "$PROG" -each 100ms
	wait_for 60 has_lines 6
	before=$(speed_since 0)
	start_record "$TRACE" -p "$TARGET"
	wait_for 60 inline_runs
	pid=$(prober)
	kill -KILL "$RECORDER" "$pid"
	wait "$RECORDER" || true
	wait_for 60 gone "$pid"
	memory_of_gotap "$TARGET"
	from=$(($(lines) + 2))
	wait_for 60 has_lines $((from + 6))
	after=$(speed_since "$from")
	explain "$before rounds in a second of CPU time before, $after with what is left"
	# What is left costs 2 to 5 ns at each of some ten places: a tenth at most.
	[ "$after" -ge $((before / 2)) ]
	cleaned_by_the_next
	[ "$(inline_of cleaned)" = true ]
	target_runs
}

# bats test_tags=soak
@test "and at random moments" {
	local i pid pids late
	soak_seed
	mixed
	for ((i = 0; ; i++)); do
		goes_on 4 "$i" || break
		# by the mark a prober is found that begins after pgrep has looked
		GOTAP_TEST_MARK=$$.$i "$GOTAP" record -q --attach inline -p "$TARGET" -o "$BATS_TEST_TMPDIR/killed" 2>/dev/null 3>&- &
		RECORDER=$!
		sleep "0.$(printf '%03d' $((RANDOM % 600)))"
		pids=$(prober || true)
		kill -KILL "$RECORDER" $pids
		wait "$RECORDER" || true
		late=$(marked "$$.$i" || true)
		[ -z "$late" ] || kill -KILL $late || true
		for pid in $pids $late; do wait_for 60 gone "$pid"; done
		target_runs || fail "the target is dead after kill $i"
	done
	cleaned_by_the_next
}

has_descriptor() { [ -n "$(descriptors_of_gotap "$TARGET")" ]; }

@test "killed while the memory is made, before anything else of it is: the next gotap knows it, and takes it out" {
	local library=$BATS_TEST_TMPDIR/die_amid_memory.so
	require_tool cc
	cc -O1 -shared -fPIC -o "$library" "$CHECKOUT/tests/lib/die_amid_memory.c" -ldl
	mixed
	LD_PRELOAD=$library "$GOTAP" record -q --attach inline -p "$TARGET" -d 60s -o "$BATS_TEST_TMPDIR/killed" 2>/dev/null 3>&- &
	RECORDER=$!
	wait "$RECORDER" || true
	wait_for 60 has_descriptor
	cleaned_by_the_next
	[ "$(inline_of cleaned)" = true ]
	[ -z "$(descriptors_of_gotap "$TARGET")" ]
	target_runs
}

@test "its prober alone is killed: the recording ends and says so, and the next gotap takes all out" {
	mixed
	start_record "$TRACE" -p "$TARGET"
	wait_for 60 inline_runs
	kill -KILL "$(prober)"
	ATTACH='' wait_record
	[ "$status" -eq 0 ]
	[[ $(reported ended) == *"gotap-prober) was killed"* ]]
	trace_ok "$TRACE"
	cleaned_by_the_next
	target_runs
}

@test "gotap alone is killed: its prober takes all out" {
	mixed
	start_record "$TRACE" -p "$TARGET"
	wait_for 60 inline_runs
	kill -KILL "$RECORDER"
	wait_for 60 eval '! memory_of_gotap "$TARGET"'
	wait_for 60 text_is_clean "$TARGET"
	target_runs
}

@test "gotap is stopped: its prober takes all out, and when it is continued the trace ends at the stop" {
	mixed
	start_record "$TRACE" -p "$TARGET"
	wait_for 60 inline_runs
	kill -STOP "$RECORDER"
	wait_for 60 eval '! memory_of_gotap "$TARGET"'
	wait_for 60 text_is_clean "$TARGET"
	kill -CONT "$RECORDER"
	wait_record
	[ "$status" -eq 0 ]
	[[ $(reported ended) == *"gotap itself was stopped"* ]]
	trace_ok "$TRACE"
	target_runs
}

# --- a program that is stopped meanwhile ----------------------------------------------------------

# leave_memory: a recording that is killed with its prober leaves memory in the target, and changed calls.
leave_memory() {
	local pid
	start_record "$BATS_TEST_TMPDIR/killed.trace" -p "$TARGET"
	wait_for 60 inline_runs
	pid=$(prober)
	kill -KILL "$RECORDER" "$pid"
	wait "$RECORDER" || true
	wait_for 60 gone "$pid"
	memory_of_gotap "$TARGET"
}

# waiting: prints the processes that wait to take out what is left in the target: those of this test's gotap.
waiting() {
	local pid
	for pid in $(pgrep -x gotap-prober); do
		if grep -qsa "GOTAP_TEST_MARK=$MARK" "/proc/$pid/environ"; then echo "$pid"; fi
	done
}

nobody_waits() { [ -z "$(waiting)" ]; }

@test "stopped in the beginning, for longer than gotap looks for a thread: inline as soon as it goes on" {
	mixed
	stop_target_now
	start_record "$TRACE" -p "$TARGET"
	sleep 8
	! memory_of_gotap "$TARGET" || fail "memory in a program that is stopped"
	kill -CONT "$TARGET"
	wait_for 60 inline_runs
	stop_record
	[ "$status" -eq 0 ]
	[ "$(inline_of state)" = undone ]
	views_ok "$TRACE"
}

# A recording that ends while the program is stopped: a process of gotap's with $MARK waits for it.
record_that_ends_stopped() {
	export GOTAP_TEST_MARK=$$.$1
	MARK=$GOTAP_TEST_MARK
	mixed
	start_record "$TRACE" -p "$TARGET"
	wait_for 60 inline_runs
	stop_target_now
	stop_record
	[ "$status" -eq 3 ]
}

@test "stopped at the end: gotap says what is left, with a status of its own; when the program goes on it is taken out" {
	record_that_ends_stopped end
	[ "$(inline_of state)" = memory-left ]
	[ "$(inline_of prober_waits)" = true ]
	[[ $(inline_of why) == *"is stopped"* ]]
	memory_of_gotap "$TARGET"
	text_is_clean "$TARGET"
	grep -q '^State:.T' "/proc/$TARGET/status"
	views_ok "$TRACE"
	kill -CONT "$TARGET"
	wait_for 60 is_as_before
	wait_for 60 nobody_waits
	target_runs
	recorded "$TRACE.2" -p "$TARGET" -d 1s
	[ "$(inline_of earlier)" = none ]
}

@test "stopped at the end, and killed: nobody waits any more" {
	record_that_ends_stopped killed
	[ -n "$(waiting)" ]
	kill -KILL "$TARGET"
	wait_for 60 nobody_waits
}

@test "stopped, and gotap is killed: when the program goes on its prober takes all out" {
	mixed
	start_record "$TRACE" -p "$TARGET"
	wait_for 60 inline_runs
	stop_target_now
	kill -KILL "$RECORDER"
	wait "$RECORDER" || true
	wait_for 60 text_is_clean "$TARGET"
	sleep 7
	memory_of_gotap "$TARGET"
	kill -CONT "$TARGET"
	wait_for 60 is_as_before
	target_runs
}

@test "stopped while a gotap begins that finds memory of a killed one: that is taken out later, and the report says so" {
	mixed
	leave_memory
	stop_target_now
	start_record "$TRACE" -p "$TARGET"
	sleep 4.5
	kill -CONT "$TARGET"
	wait_for 60 inline_runs
	stop_record
	[ "$status" -eq 0 ]
	[ "$(inline_of state)" = undone ]
	[ "$(inline_of earlier)" = taken-out ]
	is_as_before
}

@test "stopped all the time that a gotap records that finds memory of a killed one: the report says that it is still there" {
	mixed
	leave_memory
	stop_target_now
	uprobes record "$TRACE" -p "$TARGET" -d 1s
	[ "$status" -eq 3 ]
	[ "$(inline_of earlier)" = left ]
	[[ $(inline_of earlier_why) == *"is stopped"* ]]
	[ "$(inline_of cleaned)" = false ]
	[ "$(inline_of prober_waits)" = true ]
	text_is_clean "$TARGET"
	kill -CONT "$TARGET"
	wait_for 60 is_as_before
	target_runs
}
