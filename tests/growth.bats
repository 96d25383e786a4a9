#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=soak
#
# Nothing is remembered for ever: texts that come once, goroutines that end at once, tasks that never
# end.

load lib/common
load lib/record

seconds() { echo $((${SOAK:-0} > 15 ? SOAK : 15)); }

teardown() { stop_targets; }

# resident PID FILE [SECONDS]: its resident memory in KiB, twice a second or once in SECONDS, until it ends.
resident() {
	while target_runs "$1"; do
		awk '$1 == "VmRSS:" { print $2 }' "/proc/$1/status" >>"$2" 2>/dev/null || true
		sleep "${3:-0.5}"
	done
}

# flat FILE: the highest value of the second half is at most a quarter above that of the first half, and 16 MiB: a
# generation is held in memory, and a loaded machine makes them differ. What stays for ever grows by half at least.
flat() {
	awk '{ v[NR] = $1 }
		END {
			if (NR < 6) { print "only " NR " values"; exit 1 }
			for (i = 1; i <= NR; i++) if (i <= NR / 2) { if (v[i] > a) a = v[i] } else if (v[i] > b) b = v[i]
			print "resident: at most " a " KiB in the first half, " b " KiB in the second"
			exit b > a * 1.25 + 16384
		}' "$1"
}

@test "resident memory is flat while everything that is recorded is new" {
	require_root
	build_prog "$REFERENCE_GO" endure
	start_target "$PROG" -dur "$(($(seconds) + 60))s"
	start_record "$BATS_TEST_TMPDIR/endure.trace" -p "$TARGET" -d "$(seconds)s"
	resident "$RECORDER" "$BATS_TEST_TMPDIR/resident"
	wait_record
	[ "$status" -eq 0 ]
	stop_target
	flat "$BATS_TEST_TMPDIR/resident"
	succeeds "$GOTAP" check "$BATS_TEST_TMPDIR/endure.trace"
}

# The long form only: on 15 s a window is most of the trace.
@test "convert's resident memory is flat, too" {
	soak_only
	require_root
	build_prog "$REFERENCE_GO" endure
	start_target "$PROG"
	record "$BATS_TEST_TMPDIR/endure.trace" -p "$TARGET" -d "$(seconds)s"
	stop_target
	"$GOTAP" convert "$BATS_TEST_TMPDIR/endure.trace" -o "$BATS_TEST_TMPDIR/again.trace" 3>&- &
	resident $! "$BATS_TEST_TMPDIR/resident" 0.02
	flat "$BATS_TEST_TMPDIR/resident"
}
