#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=beside
#
# What reading a trace of Go 1.21 and older takes: the file, not its events.

load lib/common

MB=1048576

setup_file() {
	load lib/common
	gcc -O1 -o "$BATS_FILE_TMPDIR/generate" "$CHECKOUT/tests/lib/hostile_v1.c"
}

# peak GOTAP ARGUMENTS... : PEAK, the most memory that was in use at a time, in MiB
peak() {
	run python3 -c 'import resource, subprocess, sys
status = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
print(status, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10)' "$@"
	echo "$output of $*"
	[ "${lines[-1]% *}" = 0 ]
	PEAK=${lines[-1]#* }
}

# four_times KIND MB COMMAND...: each takes at most four times a file of so many MiB.
four_times() {
	local kind=$1 mb=$2 command
	shift 2
	"$BATS_FILE_TMPDIR/generate" "$kind" $((mb * MB)) >"$BATS_TEST_TMPDIR/t.trace"
	for command; do
		peak "$GOTAP" $command "$BATS_TEST_TMPDIR/t.trace"
		[ "$PEAK" -le $((4 * mb)) ]
	done
	rm "$BATS_TEST_TMPDIR/t.trace"
}

@test "check, text, links, events and convert of a v1 file of 16 MiB take at most four times as much" {
	four_times batches 16 check "text -o /dev/null" "text --links -o /dev/null" "text --events -o /dev/null" \
		"convert -o /dev/null"
}

# bats test_tags=soak-only
@test "convert of a v1 file of 128 MiB takes at most four times as much" {
	four_times batches 128 "convert -o /dev/null"
}

@test "of 16 MiB of goroutines that end, check, text --events and convert take at most four times as much" {
	four_times requests 16 check "text --events --no-stacks -o /dev/null" "convert -o /dev/null" \
		"convert --format go1.19 -o /dev/null"
}
