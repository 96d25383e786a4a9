#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Resource limits (ulimit): gotap does without where it can, else one line names the limit that is short.

load lib/common
load lib/record

setup() { TRACE=$BATS_TEST_TMPDIR/x.trace; }

teardown() { stop_targets; }

# limited OPTION VALUE COMMAND...: gotap with `ulimit OPTION VALUE`.
limited() {
	local option=$1 value=$2
	shift 2
	# shellcheck disable=SC2016
	run_logged bash -c 'ulimit "$1" "$2" && shift 2 && exec "$@"' limited "$option" "$value" "$GOTAP" "$@"
}

# short OPTION: the last command failed, and its one line says to raise this limit.
short() {
	[ "$status" -eq 1 ] || fail "status $status, not 1"
	[ "${#lines[@]}" -eq 1 ] || fail "not one line"
	matches "^gotap: .*; the limit of .* is [0-9]+.*: raise it \(ulimit $1\)$"
}

mixed() {
	require_root
	build_prog "$REFERENCE_GO" mixed
	start_target "$PROG" -delay 10m
}

@test "a stack of 64 KB is enough" {
	mixed
	limited -s 64 record -p "$TARGET" -d 300ms -o "$TRACE"
	[ "$status" -eq 0 ]
	trace_ok "$TRACE"
	limited -s 64 convert "$TRACE" -o "$BATS_TEST_TMPDIR/y.trace"
	[ "$status" -eq 0 ]
	limited -s 64 check "$BATS_TEST_TMPDIR/y.trace"
	[ "$status" -eq 0 ]
}

@test "the soft limit of open files is raised, and not for COMMAND" {
	require_root
	build_prog "$REFERENCE_GO" exitquick
	# shellcheck disable=SC2016
	limited -Sn 20 record -q -o "$TRACE" -- bash -c 'ulimit -Sn >"$1"; exec "$2"' sh "$BATS_TEST_TMPDIR/limit" "$PROG"
	[ "$status" -eq 0 ]
	[ "$(cat "$BATS_TEST_TMPDIR/limit")" = 20 ]
	trace_ok "$TRACE"
}

@test "too few open files: the limit is named" {
	local n
	mixed
	for n in 10 14 18 20 26; do
		limited -n "$n" record -p "$TARGET" -d 300ms -q -o "$TRACE"
		short -n
	done
	target_runs
}

@test "too little memory: the limit is named" {
	local kb
	mixed
	for kb in 19000 25000 40000; do
		limited -v "$kb" record -p "$TARGET" -d 300ms -q -o "$TRACE"
		short -v
	done
	target_runs
}

@test "too little memory with a COMMAND: 125, wherever it is short" {
	local kb=8000 more
	require_root
	build_prog "$REFERENCE_GO" exitquick
	# as little as its libraries can be loaded with, and a little more
	until (ulimit -v "$kb" && "$GOTAP" record --help >/dev/null 2>&1); do kb=$((kb + 250)); done
	for more in 0 250 500 750; do
		limited -v $((kb + more)) record -q -o "$TRACE" -- "$PROG"
		[ "$status" -eq 125 ]
		matches '^gotap: .*memory'
	done
}

@test "too few processes: the limit is named" {
	local n caps=+bpf,+perfmon,+sys_ptrace,+dac_override
	require_tool setpriv
	require_kernel 6.10
	mixed
	# A user without processes: RLIMIT_NPROC counts all of a user's.
	for n in 1 2 4; do
		# shellcheck disable=SC2016
		run_logged setpriv --reuid 64123 --regid 64123 --clear-groups --inh-caps="$caps" --ambient-caps="$caps" \
			bash -c 'ulimit -u "$1" && shift && exec "$@"' limited "$n" "$GOTAP" record -p "$TARGET" -d 300ms -q -o "$TRACE"
		short -u
	done
	target_runs
}

@test "a file beyond the limit is like a full disk" {
	local command
	shared_recording "$REFERENCE_GO" mixed -procs -delay 10m
	mixed
	succeeds "$GOTAP" text "$SHARED" -o "$BATS_TEST_TMPDIR/in.txt"
	for command in "text $SHARED" "convert $SHARED" \
		"wire $BATS_TEST_TMPDIR/in.txt" "assemble -q $SHARED.spool" "record -q -d 300ms -p $TARGET"; do
		# shellcheck disable=SC2086
		limited -f 1 $command -o "$TRACE"
		short -f
	done
}

@test "so is what goes to stdout" {
	# shellcheck disable=SC2016
	run_logged bash -c 'ulimit -f 0; exec "$1" events >"$2"' limited "$GOTAP" "$BATS_TEST_TMPDIR/out"
	short -f
}
