#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=alone
#
# When there is more than gotap can take in: rings that are too small, gotap stopped, nobody who reads the trace. What
# is lost is counted by CPU, as the kernel side counted it, and told where it happened; the trace is valid, and
# afterwards every goroutine is in the state that it is in.

load lib/common
load lib/record

setup() {
	require_root
	oracle "$REFERENCE_GO"
	build_prog "$REFERENCE_GO" turn
	TRACE=$BATS_TEST_TMPDIR/gotap.trace
}

teardown() { stop_targets; }

# has_counters: sets $COUNTERS to the BPF map of $RECORDER with the losses of each CPU, if it is there.
has_counters() {
	local id
	COUNTERS=$(cat "/proc/$RECORDER/fdinfo/"* 2>/dev/null | awk '$1 == "map_id:" { print $2 }' | sort -u | while read -r id; do
		! PATH=$PATH:/usr/sbin bpftool map show id "$id" | grep -q ' name ring_states ' || echo "$id"
	done)
	[ -n "$COUNTERS" ]
}

# lost_in_kernel: prints the counter of each CPU, in order. The target must not run.
lost_in_kernel() {
	PATH=$PATH:/usr/sbin bpftool -j map dump id "$COUNTERS" | python3 -c '
import json, sys
for i in sorted(json.load(sys.stdin), key=lambda i: i["formatted"]["key"]):
	print(i["formatted"]["value"]["lost"])' | awk '$1 { last = NR } { n[NR] = $1 }
		END { for (i = 1; i <= last; i++) printf "%s%s", n[i], i < last ? ", " : "" }'
}

lost_by_cpu() { sed -nE 's/.*"lost_by_cpu": \[([^]]*)\].*/\1/p' "$REPORT"; }

monotonic_ns() { python3 -c 'import time; print(time.monotonic_ns())'; }

target_is_stopped() { ! awk '{ print $3 }' "/proc/$TARGET/task/"*/stat | grep -qv T; }

# Ends the recording at a moment at which nothing is under way, and compares the counts.
end_recording() {
	kill -STOP "$TARGET"
	wait_for 60 target_is_stopped
	KERNEL=$(lost_in_kernel)
	stop_record
	kill -CONT "$TARGET"
	[ "$status" -eq 0 ]
	views_ok "$TRACE"
	echo "the kernel counted $KERNEL"
	[ "$(reported lost)" -gt 0 ]
	[ "$(lost_by_cpu)" = "$KERNEL" ]
}

# The last states of the trace are those that another recording, right after it, begins with: of all goroutines that
# neither run nor talk all the time.
states_are_true() {
	recorded "$BATS_TEST_TMPDIR/after.trace" -p "$TARGET" -d 50ms --stack-depth 8
	states "$TRACE" 4 "$BATS_TEST_TMPDIR/after.trace" >"$BATS_TEST_TMPDIR/then"
	states "$BATS_TEST_TMPDIR/after.trace" 3 >"$BATS_TEST_TMPDIR/now"
	wc -l "$BATS_TEST_TMPDIR/then" "$BATS_TEST_TMPDIR/now"
	# The turn has 100 that stay, 20 of each kind but the enders.
	[ "$(grep -c . "$BATS_TEST_TMPDIR/now")" -ge 80 ]
	succeeds diff "$BATS_TEST_TMPDIR/then" "$BATS_TEST_TMPDIR/now"
}

turn() {
	kill -USR1 "$TARGET"
	wait_for 60 turned
}

# After losses of so long no state can be concluded: nothing is told of that time, of which $1 to $2 (ns) is a part.
nothing_is_told_between() {
	local gap
	notes
	# "NS not recorded from X s to Y s: ..."
	gap=$(notes 'not recorded from [0-9.]* s to [0-9.]* s: too many' | awk -v from="$1" -v to="$2" '
		{ begin = $1 - ($8 - $5) * 1e9 } begin <= from && $1 >= to { printf "%d %d\n", begin, $1 }')
	echo "between $1 and $2: a gap from $gap"
	[ -n "$gap" ]
	# What was lost there is told at its begin, or when somebody runs who can tell it.
	notes 'lost [0-9]+ records on CPU' | awk -v begin="${gap% *}" -v end="${gap#* }" -v repairs="$(reported repairs_total)" '
		$1 < begin - 1000000 || $1 > end + 1000000 { elsewhere++ } { n++ }
		END { exit !n || (repairs && !elsewhere) }'
	awk -v s="$(reported unrecorded_seconds)" -v ns="$((${gap#* } - ${gap% *}))" 'BEGIN { exit s < ns / 1e9 - 0.001 }'
}

# stop_for_a_while: stops gotap until records are lost, the program has turned, and more than a second
# has passed; sets $TO to when it went on.
stop_for_a_while() {
	local before
	before=$(lost_in_kernel)
	renice -n -15 -p "$BASHPID" >/dev/null
	kill -STOP "$RECORDER"
	wait_for 60 loses_more && turn && sleep 1.2
	TO=$(monotonic_ns)
	kill -CONT "$RECORDER"
	renice -n 0 -p "$BASHPID" >/dev/null
}

# has_recovered: gotap has read the states anew, or has ended: on a busy machine it was stopped for so
# long that it has given up (5 s).
has_recovered() { has_read 1 || ! target_runs "$RECORDER"; }

@test "gotap is stopped for some seconds" {
	local i
	for i in {1..10}; do
		# With a high priority, so that the program fills the rings on a busy machine, too.
		start_target nice -n -15 "$PROG"
		start_record "$TRACE" -p "$TARGET" --ring-size 256K
		wait_for 60 has_bytes "$TRACE.partial" 1000
		wait_for 60 has_counters
		stop_for_a_while
		wait_for 60 has_recovered
		! target_runs "$RECORDER" || break
		wait_record
		[[ $(reported ended) == "gotap itself was stopped"* ]]
		stop_target
		rm -f "$TRACE"*
	done
	end_recording
	nothing_is_told_between $((TO - 1000000000)) "$TO"
	states_are_true
}

loses_more() { [ "$(lost_in_kernel)" != "$before" ]; }

@test "nobody reads the trace for two seconds" {
	local before to
	start_target "$PROG"
	mkfifo "$BATS_TEST_TMPDIR/pipe"
	REPORT=$TRACE.json
	# shellcheck disable=SC2094
	{ wait_for 60 [ -e "$BATS_TEST_TMPDIR/read" ] && cat; } <"$BATS_TEST_TMPDIR/pipe" >"$TRACE" 3>&- &
	"$GOTAP" record -o - --json --budget none -p "$TARGET" --ring-size 1M >"$BATS_TEST_TMPDIR/pipe" 2>"$REPORT" 3>&- &
	RECORDER=$!
	TARGETS+=" $RECORDER"
	before=
	wait_for 60 has_counters
	wait_for 60 loses_more
	turn
	sleep 2
	to=$(monotonic_ns)
	touch "$BATS_TEST_TMPDIR/read"
	wait_for 60 has_read 1
	end_recording
	nothing_is_told_between $((to - 1000000000)) "$to"
	states_are_true
}

@test "rings that are always too small" {
	local begin
	start_target "$PROG"
	begin=$(monotonic_ns)
	start_record "$TRACE" -p "$TARGET" --ring-size 4K
	wait_for 60 has_counters
	turn
	wait_for 60 has_read $(($(readings) + 2))
	end_recording
	# Each loss is told within the recording, once; of the last, nobody may have run any more who could tell it.
	notes 'lost [0-9]+ records on CPU' | awk -v begin="$begin" -v want="$(reported lost)" '
		$1 < begin { bad = 1 } { n += $3 } END { print n " of " want; exit bad || n > want || n < want / 2 }'
	[ "$(reported repairs_total)" -gt 0 ]
	states_are_true
}

# bats test_tags=inline
@test "--no-notes: the trace has events of the program's only" {
	start_target "$PROG"
	record "$TRACE" -p "$TARGET" -d 500ms --ring-size 4K --no-notes
	[ "$(reported lost)" -gt 0 ]
	[ -z "$(notes)" ]
	views_ok "$TRACE"
}

# resumes ARGUMENT...: a recording, $RECORDER, that has lost so much that it has read the states anew.
resumes() {
	start_record "$TRACE" --ring-size 4K "$@"
	wait_for 60 has_read 1
}

# bats test_tags=inline
@test "the raw records give the same trace" {
	start_target "$PROG"
	resumes -p "$TARGET" --spool "$TRACE.spool"
	stop_record
	[ "$(reported resumed)" -gt 0 ]
	succeeds "$GOTAP" assemble -q "$TRACE.spool" -o "$TRACE.again"
	cmp "$TRACE" "$TRACE.again"
}

# bats test_tags=inline
@test "a program that gotap runs, from its first goroutine on, and one without symbols" {
	build_prog "$REFERENCE_GO" turn -ldflags=-s
	resumes -- "$PROG" -dur 2m
	TARGET=$(pgrep -x turn -P "$RECORDER")
	kill -TERM "$RECORDER"
	wait_for 60 test -e "$TRACE"
	kill "$TARGET"
	wait_record
	[ "$(reported lost)" -gt 0 ]
	[ "$(reported resumed)" -gt 0 ]
	views_ok "$TRACE"
}

@test "every format can tell of it" {
	local version
	for version in 1.22 1.23 1.26; do
		start_target "$PROG"
		TRACE=$BATS_TEST_TMPDIR/$version.trace
		resumes -p "$TARGET" --format "go$version"
		stop_record
		[ "$(reported resumed)" -gt 0 ]
		readable_by "$version" "$TRACE"
		trace_ok "$TRACE"
		stop_target
	done
}
