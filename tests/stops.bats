#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# A program that somebody stopped, by a signal or by the freezer of its cgroup: the report says so and since when, and the
# trace is as long as the recording.

load lib/common
load lib/record

setup() {
	require_root
	TRACE=$BATS_TEST_TMPDIR/x.trace
	FOLDER=
}

teardown() {
	[ -z "${TARGET:-}" ] || kill -CONT "$TARGET" 2>/dev/null || true
	thaw
	stop_targets
	[ -z "$FOLDER" ] || rmdir "$FOLDER"
}

target() {
	build_prog "$REFERENCE_GO" pingpong
	start_target "$PROG"
}

# cgroup MOUNT: a cgroup there, with the target in it.
cgroup() {
	[ -d "$1" ] || skip "no $1"
	FOLDER=$1/gotap-stops-$$-$BATS_TEST_NUMBER
	mkdir "$FOLDER"
	echo "$TARGET" >"$FOLDER/cgroup.procs"
}

# freeze, thaw: by whichever file the cgroup has.
freeze() {
	if [ -e "$FOLDER/freezer.state" ]; then
		echo FROZEN >"$FOLDER/freezer.state"
	else
		echo 1 >"$FOLDER/cgroup.freeze"
	fi
	wait_for 60 is_frozen
}

is_stopped() { ! awk '{ print $3 }' "/proc/$TARGET/task/"*/stat | grep -qv T; }

is_frozen() { grep -q '^FROZEN$\|^frozen 1$' "$FOLDER/freezer.state" "$FOLDER/cgroup.events" 2>/dev/null; }

thaw() {
	[ -z "$FOLDER" ] || [ ! -e "$FOLDER/freezer.state" ] || echo THAWED >"$FOLDER/freezer.state"
	[ -z "$FOLDER" ] || [ ! -e "$FOLDER/cgroup.freeze" ] || echo 0 >"$FOLDER/cgroup.freeze"
}

# stops EXPRESSION: of the list s in the last report.
stops() {
	python3 -c 'import json, sys
for line in open(sys.argv[1]):
    if line.startswith("{"):
        s = json.loads(line)["stops"]
print(eval(sys.argv[2]))' "$REPORT" "$1"
}

# whole SECONDS: the trace is that long, and what the pages of go tool trace compute can be.
whole() {
	views_ok "$TRACE"
	[[ $output =~ \ ms=([0-9.]+) ]] || fail "it has no duration"
	awk -v ms="${BASH_REMATCH[1]}" -v least="$1" 'BEGIN { exit ms < least * 1000 }' || fail "it lasts ${BASH_REMATCH[1]} ms"
}

# stopped_all_the_time REASON WORDS: so say the report as text, and that as JSON.
stopped_all_the_time() {
	gotap record -v -d 600ms -o "$TRACE" -p "$TARGET"
	[ "$status" -eq 0 ]
	contains "the process was $2 when the recording began, and until the recording ended"
	! contains GOMAXPROCS || fail "a false line"
	whole 0.55
	record "$TRACE" -d 600ms -p "$TARGET"
	[ "$status" -eq 0 ]
	[ "$(stops '[(e["by"], e["before"], e["to"]) for e in s]')" = "[('$1', True, None)]" ]
	whole 0.55
}

@test "stopped by SIGSTOP when the recording begins" {
	target
	kill -STOP "$TARGET"
	wait_for 60 is_stopped
	stopped_all_the_time signal "stopped by a signal (SIGSTOP or one like it)"
}

@test "frozen by a cgroup of version 1 when the recording begins" {
	target
	cgroup /sys/fs/cgroup/freezer
	freeze
	stopped_all_the_time cgroup "frozen by its cgroup"
}

@test "frozen by a cgroup of version 2 when the recording begins" {
	local mount
	mount=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	target
	cgroup "${mount:-/nowhere}"
	[ -e "$FOLDER/cgroup.freeze" ] || skip "no cgroup.freeze"
	freeze
	stopped_all_the_time cgroup "frozen by its cgroup"
}

# looked_on: some seconds have passed, and gotap has looked on meanwhile, which it does four times a
# second where it gets a CPU.
looked_on() {
	local looked=$(($(looks) + 8))
	sleep 2
	wait_for 60 has_looked "$looked"
}

@test "stopped, continued, frozen and thawed while it is recorded" {
	target
	cgroup /sys/fs/cgroup/freezer
	start_record "$TRACE" -p "$TARGET"
	sleep 0.5
	kill -STOP "$TARGET"
	looked_on
	kill -CONT "$TARGET"
	looked_on
	freeze
	looked_on
	thaw
	looked_on
	stop_record
	[ "$status" -eq 0 ]
	[ "$(stops '[(e["by"], e["before"], e["to"] is not None and e["to"] - e["from"] >= 0.25) for e in s]')" = \
		"[('signal', False, True), ('cgroup', False, True)]" ]
	[ "$(stops 's[0]["to"] <= s[1]["from"]')" = True ]
	whole 4
}

@test "one that nobody stops, and one that gotap launches: no word of it" {
	target
	record "$TRACE" -d 600ms -p "$TARGET"
	[ "$(stops s)" = "[]" ]
	build_prog "$REFERENCE_GO" exitquick
	record "$TRACE" -- "$PROG" -n 20
	[ "$(stops s)" = "[]" ]
	gotap record -d 300ms -o "$TRACE" -p "$TARGET"
	! contains "the process was" || fail "it was not stopped"
}
