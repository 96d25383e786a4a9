#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=beside
#
# Files that are made to cost a reader much: what text, check and convert take of time and memory grows as the file
# does, in every format. (read.bats has the limits of check alone on v2 traces, byte for byte.)

bats_require_minimum_version 1.5.0
load lib/common

setup_file() {
	load lib/common
	gcc -O1 -I"$CHECKOUT/include" -o "$BATS_FILE_TMPDIR/v1" "$CHECKOUT/tests/lib/hostile_v1.c"
	gcc -O1 -I"$CHECKOUT/include" -o "$BATS_FILE_TMPDIR/v2" "$CHECKOUT/tests/lib/hostile.c"
}

setup() { require_tool prlimit; }

teardown() {
	! mountpoint -q "$BATS_TEST_TMPDIR/small" || umount "$BATS_TEST_TMPDIR/small"
}

# limited BYTES GOTAP ARGUMENTS... : within 10 s of CPU time, of which it takes less than one, and 200 times the file
limited() {
	local bytes=$1
	shift
	run_logged prlimit --cpu=10 --data=$((200 * bytes + 16777216)) "$GOTAP" "$@"
	[ "$status" -lt 2 ]
}

# Keys that collide in a hash without a seed: a second for a megabyte, four times as much for two.
@test "a v1 file of chosen ids costs what one of other ids does" {
	local kind bytes=3000000 t=$BATS_TEST_TMPDIR/t.trace
	for kind in $("$BATS_FILE_TMPDIR/v1"); do
		echo "kind $kind"
		"$BATS_FILE_TMPDIR/v1" "$kind" "$bytes" >"$t"
		limited "$bytes" check "$t"
		[ "$kind" = needs ] || contains ": ok: go 1.21, "
		limited "$bytes" text "$t" -o /dev/null
		limited "$bytes" convert "$t" -o /dev/null
	done
}

@test "convert and text of a hostile v2 file take time and memory in proportion" {
	local kind bytes=1000000 t=$BATS_TEST_TMPDIR/t.trace
	for kind in $("$BATS_FILE_TMPDIR/v2"); do
		echo "kind $kind"
		"$BATS_FILE_TMPDIR/v2" "$kind" "$bytes" >"$t"
		limited "$bytes" text "$t" -o /dev/null
		[ "$status" -eq 0 ]
		limited "$bytes" convert "$t" -o /dev/null
	done
}

# A generation is written in one piece, if it does not become too large while the world stops.
@test "convert of a stop of the world that never ends takes time and memory in proportion" {
	local bytes=40000000 t=$BATS_TEST_TMPDIR/t.trace
	"$BATS_FILE_TMPDIR/v2" stopped "$bytes" >"$t"
	run_logged prlimit --cpu=60 --data=400000000 "$GOTAP" convert "$t" -o /dev/null
	[ "$status" -eq 0 ]
}

# Hashes have another seed in each process.
@test "the same trace is written whenever it is converted" {
	local i t=$BATS_TEST_TMPDIR
	build_prog 1.27 mixed
	"$PROG" -trace "$t/v2.trace" -delay 50ms -dur 1200ms -tail 50ms
	"$BATS_FILE_TMPDIR/v1" goroutines 100000 >"$t/v1.trace"
	for i in v1 v2; do
		succeeds "$GOTAP" convert "$t/$i.trace" -o "$t/$i.1"
		succeeds "$GOTAP" convert "$t/$i.trace" -o "$t/$i.2"
		cmp "$t/$i.1" "$t/$i.2"
	done
}

# Both hold more than fits into memory in a file without a name, in TMPDIR.
@test "a disk that is full under the temporary files of why and report --html" {
	local t=$BATS_TEST_TMPDIR command
	require_root
	"$BATS_FILE_TMPDIR/v2" created 3000000 >"$t/t.trace"
	mkdir "$t/small"
	mount -t tmpfs -o size=64k tmpfs "$t/small"
	for command in why "report --html $t/page.html"; do
		# shellcheck disable=SC2086 # several words
		TMPDIR=$t/small run_logged --separate-stderr "$GOTAP" $command "$t/t.trace"
		[ "$status" -eq 1 ]
		[ "${#stderr_lines[@]}" -eq 1 ]
		[[ $stderr == "gotap: "*"temporary file in $t/small: No space left on device"*TMPDIR* ]]
		[ -z "$(ls -A "$t/small")" ]
		[ ! -e "$t/page.html" ]
		[ ! -e "$t/page.html.partial" ]
	done
}
