#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# What gotap says when it cannot record: one line that names what is wrong, exit status 1; 2 for wrong usage. An
# output file that was there before is not touched then, and none is left that was not.

load lib/common
load lib/record

setup() { TRACE=$BATS_TEST_TMPDIR/gotap.trace; }

teardown() {
	stop_targets
	close_place
	[ ! -d "$BATS_TEST_TMPDIR/small" ] || umount "$BATS_TEST_TMPDIR/small"
}

mixed() {
	build_prog "$REFERENCE_GO" mixed
	start_target "$PROG" -delay 10m
}

# refuses TEXT COMMAND...: it fails with one line that has TEXT, and status $FAILURE or 1.
refuses() {
	run_logged "${@:2}"
	[ "$status" -eq "${FAILURE:-1}" ] || fail "status $status, not ${FAILURE:-1}"
	[ "${#lines[@]}" -eq 1 ] || fail "not one line"
	[[ $output == "gotap: "* ]] || fail "no 'gotap: ' in front"
	contains "$1"
}

refuses_record() { refuses "$1" "$GOTAP" record -o "$TRACE" "${@:2}"; }

@test "no such process" {
	refuses_record "no process 4194999" -p 4194999
	[ ! -e "$TRACE" ]
}

@test "a thread" {
	local task
	mixed
	task=$(ls "/proc/$TARGET/task" | grep -vx "$TARGET" | head -n 1)
	refuses_record "$task is a thread, not a process" -p "$task"
}

@test "a kernel thread" {
	require_root
	[ -d /proc/2 ] && [ ! -e /proc/2/exe ] || skip "no kernel threads here"
	refuses_record "kernel thread" -p 2
}

@test "a zombie" {
	require_root
	# A shell might wait for its child before it execs.
	python3 -c 'import os, time
pid = os.fork() or os._exit(0)
print(pid, flush=True)
time.sleep(600)' >"$BATS_TEST_TMPDIR/zombie" 3>&- &
	TARGETS=$!
	wait_for 60 grep -q . "$BATS_TEST_TMPDIR/zombie"
	wait_for 60 grep -q '^State:.*zombie' "/proc/$(cat "$BATS_TEST_TMPDIR/zombie")/status"
	refuses_record "has ended" -p "$(cat "$BATS_TEST_TMPDIR/zombie")"
}

@test "a process that goes on without its first thread" {
	require_root
	python3 -c 'import ctypes, threading, time
threading.Thread(target=time.sleep, args=(600,)).start()
ctypes.CDLL(None).syscall(60, 0)' 3>&- &
	TARGETS=$!
	wait_for 60 grep -q '^State:.*zombie' "/proc/$TARGETS/status"
	refuses_record "its first thread has ended" -p "$TARGETS"
}

@test "a program that is not Go" {
	require_root
	sleep 600 3>&- &
	TARGETS=$!
	refuses_record "not a Go program" -p "$TARGETS"
}

# calls_itself VERSION BUILT-WITH [BUILD FLAG...]: $PROG is mixed, and says that another release built it.
calls_itself() {
	local version
	build_prog "$2" mixed "${@:3}"
	version=$("$GO" version | awk '{ print $3 }')
	sed "s/${version//./\\.}/$1/g" "$PROG" >"$BATS_TEST_TMPDIR/other"
	PROG=$BATS_TEST_TMPDIR/other
	chmod +x "$PROG"
	start_target "$PROG" -delay 10m
}

@test "a Go release from before the ones that gotap traces" {
	require_root
	calls_itself go1.14.15 1.15
	refuses_record "go1.14" -p "$TARGET" -d 1s
}

@test "a Go release that gotap does not know, without DWARF" {
	require_root
	calls_itself go1.97.4 "$REFERENCE_GO" -ldflags=-w
	refuses_record "go1.97" -p "$TARGET" -d 1s
}

# with_only CAPABILITY...: what a user has who is allowed that much; files are readable in any case.
with_only() {
	local caps=-all,+dac_override cap
	for cap in ${1//,/ }; do
		caps+=,+$cap
	done
	setpriv --bounding-set="$caps" --inh-caps=-all "${@:2}"
}

@test "without privileges it names the capability that is missing" {
	require_root
	require_tool setpriv
	mixed
	refuses CAP_SYS_PTRACE with_only "" "$GOTAP" record -o "$TRACE" -p "$TARGET"
	refuses CAP_SYS_PTRACE with_only bpf,perfmon "$GOTAP" record -o "$TRACE" -p "$TARGET"
	refuses CAP_BPF with_only perfmon,sys_ptrace "$GOTAP" record -o "$TRACE" -p "$TARGET"
	refuses CAP_PERFMON with_only bpf,sys_ptrace "$GOTAP" record -o "$TRACE" -p "$TARGET"
	refuses CAP_SYS_ADMIN with_only bpf,perfmon,sys_ptrace "$GOTAP" record --attach perf -o "$TRACE" -p "$TARGET"
	[ ! -e "$TRACE" ]
}

@test "three capabilities are enough" {
	require_root
	require_tool setpriv
	require_kernel 6.10
	mixed
	succeeds with_only bpf,perfmon,sys_ptrace "$GOTAP" record -q --strict -d 100ms -o "$TRACE" -p "$TARGET"
	trace_ok "$TRACE"
}

@test "another user's process, as nobody" {
	require_root
	require_tool setpriv
	mixed
	open_place
	cd /
	refuses CAP_SYS_PTRACE setpriv --reuid 65534 --regid 65534 --clear-groups "$PLACE/gotap" record -o /dev/null -p "$TARGET"
}

@test "an output that cannot be written" {
	require_root
	mixed
	refuses "cannot write '$BATS_TEST_TMPDIR/none/x': No such file" "$GOTAP" record -d 50ms -p "$TARGET" -o "$BATS_TEST_TMPDIR/none/x"
	refuses "cannot write '$BATS_TEST_TMPDIR': Is a directory" "$GOTAP" record -d 50ms -p "$TARGET" -o "$BATS_TEST_TMPDIR"
	refuses "'$BATS_TEST_TMPDIR/none/s': No such file" "$GOTAP" record -d 50ms -p "$TARGET" -o "$TRACE" --spool "$BATS_TEST_TMPDIR/none/s"
	[ ! -e "$TRACE" ]
	refuses "cannot write '/dev/full': No space left" "$GOTAP" record -d 50ms -p "$TARGET" -o /dev/full
}

@test "a trace that was there before survives what fails before the recording" {
	echo precious >"$TRACE"
	refuses_record "no process" -p 4194999
	FAILURE=125 refuses_record "not a Go program" -- true
	[ "$(cat "$TRACE")" = precious ]
}

# small SIZE: a file system of that size.
small() {
	mkdir "$BATS_TEST_TMPDIR/small"
	mount -t tmpfs -o "size=$1" none "$BATS_TEST_TMPDIR/small" || skip "cannot mount a tmpfs"
	TRACE=$BATS_TEST_TMPDIR/small/gotap.trace
}

@test "the disk is full in the middle: what was written before is a trace" {
	require_root
	mixed
	small 700k
	refuses "cannot write '$TRACE': No space left" "$GOTAP" record -d 120s -p "$TARGET" -o "$TRACE"
	[ "$(stat -c %s "$TRACE")" -gt 50000 ]
	trace_ok "$TRACE"
	target_runs
}

@test "the disk is full with the spool file: the trace is one up to there" {
	require_root
	mixed
	small 4m
	refuses "cannot write '$TRACE.spool': No space left" "$GOTAP" record -d 120s -p "$TARGET" -o "$BATS_TEST_TMPDIR/x" --spool "$TRACE.spool"
	trace_ok "$BATS_TEST_TMPDIR/x"
}

@test "assemble says so when the disk is full" {
	require_root
	mixed
	recorded "$TRACE" -p "$TARGET" -d 1500ms --spool "$TRACE.spool"
	refuses "cannot write '/dev/full': No space left" "$GOTAP" assemble "$TRACE.spool" -o /dev/full
}

# wrong_usage ARGUMENT...: exit status 2, and where to read on.
wrong_usage() {
	gotap "$@"
	[ "$status" -eq 2 ] || fail "status $status, not 2"
	contains "--help'"
	[[ $output == "gotap"* ]] || fail "who says that?"
}

@test "wrong usage is status 2" {
	local arguments
	wrong_usage nonsense
	wrong_usage record
	wrong_usage assemble
	for arguments in "-p" "-p x" "-p 0" "-p -5" "-p 1 ls" "-p 1 --format go1.24" "-p 1 --format 1.20" "-p 1 -d 0" "-p 1 -d 5x" \
		"-p 1 -d" "-p 1 --stack-depth 128" "-p 1 --ring-size 5000" "-p 1 --ring-size 2G" "-p 1 --attach kprobe" "--nonsense"; do
		# shellcheck disable=SC2086
		wrong_usage record $arguments
	done
	for arguments in "--format 3 x" "x y" "--what x"; do
		# shellcheck disable=SC2086
		wrong_usage assemble $arguments
	done
	gotap
	[ "$status" -eq 2 ]
}

# one_line_usage TEXT ARGUMENT...: status 2, and one line that says what is wrong and where to read on.
one_line_usage() {
	gotap "${@:2}"
	[ "$status" -eq 2 ] || fail "status $status, not 2"
	[ "$output" = "gotap $2: $1; try 'gotap $2 --help'" ] || fail "not that line"
}

@test "a wrong option is named in one line, by every command" {
	local command
	for command in record ps doctor assemble text wire check convert perfetto; do
		one_line_usage "there is no option '--nonsense', or several begin so" "$command" --nonsense
		one_line_usage "there is no option '-Z'" "$command" -Z
	done
	one_line_usage "there is no option '-Z'" record -q -Zv ls
	one_line_usage "--output needs a value" record --output
	one_line_usage "-qd needs a value" record -qd
	one_line_usage "--json takes no value" record --json=1 -p 1
	one_line_usage "--spool takes a file, not stdout" record --spool - -p 1
	for command in "" -heap,nonsense heap,nonsense; do
		one_line_usage "--events takes a list of the groups that \`gotap events\` shows" record -e "$command" -p 1
	done
	gotap help nonsense
	[ "$status" -eq 2 ]
	[ "$output" = "gotap: there is no command 'nonsense'; try 'gotap --help'" ]
}

@test "what cannot be printed is an error of every command" {
	local command
	require_root
	mixed
	"$GOTAP" record -q -d 50ms -p "$TARGET" -o "$TRACE"
	"$GOTAP" text "$TRACE" >"$TRACE.text"
	for command in --help --version "help record" "record --help" ps "ps --json" events doctor "doctor --json" "check $TRACE" \
		"check --json $TRACE"; do
		run_logged bash -c "'$GOTAP' $command 2>&1 >/dev/full | grep -v 'could not look at'; exit \${PIPESTATUS[0]}"
		[ "$status" -ne 0 ]
		[ "$output" = "gotap: cannot write to stdout: No space left on device" ]
	done
	for command in "text $TRACE" "wire $TRACE.text -o -" "convert $TRACE -o -" "perfetto $TRACE -o -"; do
		run_logged bash -c "'$GOTAP' $command 2>&1 >/dev/full"
		[ "$status" -eq 1 ]
		[[ $output == "gotap: "*"No space left on device" ]]
	done
}

# Before its exec the process is a shell of bats.
is_exitquick_or_gone() { [[ $(readlink "/proc/$1/exe") == */bash ]] || return 0; ! target_runs "$1"; }

@test "a process that ends while gotap looks at it" {
	local i
	require_root
	build_prog "$REFERENCE_GO" exitquick
	for i in 0 5 10 20 40 80; do
		"$PROG" -after "${i}ms" -n 0 >/dev/null 3>&- &
		TARGETS=$!
		wait_for 20 is_exitquick_or_gone "$TARGETS"
		gotap record -q -o "$TRACE" -p "$TARGETS"
		[ "$status" -eq 0 ] || [[ $output == "gotap: "@("no process $TARGETS"|"process $TARGETS has "*ended) ]]
		wait "$TARGETS"
	done
}

@test "assemble does not write into what it reads" {
	shared_recording "$REFERENCE_GO" mixed -procs -delay 10m
	cp "$SHARED.spool" "$TRACE.spool"
	cp "$SHARED.spool" "$TRACE.copy"
	refuses "'$TRACE.spool' is input and output" "$GOTAP" assemble "$TRACE.spool" -o "$TRACE.spool"
	refuses "'$TRACE.spool' is input and output" bash -c "'$GOTAP' assemble - -o '$TRACE.spool' <'$TRACE.spool'"
	cmp "$TRACE.spool" "$TRACE.copy"
}

@test "an output that cannot be made is told before the command runs" {
	require_root
	FAILURE=125
	refuses "cannot write '$BATS_TEST_TMPDIR/none/x': No such file" \
		"$GOTAP" record -o "$BATS_TEST_TMPDIR/none/x" -- touch "$BATS_TEST_TMPDIR/touched"
	refuses "cannot write '$BATS_TEST_TMPDIR/none/s': No such file" \
		"$GOTAP" record -o "$TRACE" --spool "$BATS_TEST_TMPDIR/none/s" -- touch "$BATS_TEST_TMPDIR/touched"
	[ ! -e "$BATS_TEST_TMPDIR/touched" ]
	[ ! -e "$TRACE" ]
}

switches() { cat "/proc/$TARGET/task/"*/status | awk '/_ctxt_switches:/ { n += $2 } END { print n }'; }

# No thread has run for half a second, and none is runnable.
is_idle() {
	local before
	before=$(switches)
	sleep 0.5
	[ "$(switches)" -eq "$before" ] && ! grep -q '^State:.R' "/proc/$TARGET/task/"*/status
}

@test "a program of which no goroutine ran: the trace has GOMAXPROCS all the same, and the report misses nothing" {
	require_root
	build_prog "$REFERENCE_GO" sleepers
	start_target "$PROG" -tick 1h
	wait_for 60 is_idle
	succeeds "$GOTAP" record -v -d 1s -p "$TARGET" -o "$TRACE"
	! contains GOMAXPROCS || fail "it says that there is none"
	matches "^lost: 0, repairs: 0, .*goroutine 0 stands in for one that runs: [1-9]"
	contains "no goroutine ran: goroutine 0, which the program does not have, stands in for one, "
	views_ok "$TRACE"
	"$GOTAP" text "$TRACE" | grep -q ^ProcsChange
	succeeds "$GOTAP" record -d 1s -p "$TARGET" -o "$TRACE" --no-notes --json
	matches '"stand_ins": [1-9]'
}

@test "--help is status 0, on stdout" {
	local command
	for command in "" record ps doctor assemble events text wire check convert perfetto; do
		# shellcheck disable=SC2086
		"$GOTAP" $command --help >"$BATS_TEST_TMPDIR/help" 2>"$BATS_TEST_TMPDIR/stderr"
		grep -q ^usage: "$BATS_TEST_TMPDIR/help"
		[ ! -s "$BATS_TEST_TMPDIR/stderr" ]
		# shellcheck disable=SC2086
		"$GOTAP" help $command | cmp - "$BATS_TEST_TMPDIR/help"
	done
	"$GOTAP" --version | grep -q '^gotap [0-9]'
	"$GOTAP" -V | grep -q '^gotap [0-9]'
}
