#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=soak
#
# A long recording. It is made once, for the three tests that read it as it is.

load lib/common
load lib/record

seconds() { echo $((${SOAK:-0} > 3 ? SOAK * 3 : 10)); }

resident_kb() { awk '$1 == "VmRSS:" { print $2 }' "/proc/$RECORDER/status"; }

setup_file() {
	load lib/common
	load lib/record
	require_root
	export LONG=$BATS_FILE_TMPDIR/long.trace
	BATS_TEST_TMPDIR=$BATS_FILE_TMPDIR
	build_prog "$REFERENCE_GO" mixed
	start_target "$PROG" -pause 25ms -delay 10h
	start_record "$LONG" --strict -p "$TARGET" -d "$(seconds)s"
	while target_runs "$RECORDER"; do
		resident_kb >>"$LONG.resident" || true
		sleep 0.5
	done
	wait_record
	printf '%s\n' "$status" >"$LONG.status"
	stop_targets
}

setup() {
	require_root
	oracle "$REFERENCE_GO"
	REPORT=$LONG.json
}

@test "a long recording is valid, without losses and repairs" {
	[ "$(cat "$LONG.status")" -eq 0 ]
	views_ok "$LONG"
}

@test "it has about a generation for each second" {
	local n
	n=$(reported generations)
	# On a machine that is busy with other things they are longer; the last one states how all is at the end.
	[ "$n" -ge $(($(seconds) / 2)) ]
	[ "$n" -le $(($(seconds) * 3 / 2)) ]
}

@test "its resident memory is flat" {
	local n third last
	n=$(wc -l <"$LONG.resident")
	[ "$n" -ge 9 ]
	third=$(sed -n "$((n / 3))p" "$LONG.resident")
	last=$(sed -n "$((n - 3))p" "$LONG.resident")
	echo "resident: $third KiB after a third, $last KiB at the end"
	[ "$last" -le $((third + third / 4 + 4096)) ]
}

# events_in FILE...: what Go's reader delivers before the end or the cut.
events_in() { "$ORACLE/readcheck" "$@" | sed -nE 's/.*events=([0-9]+)$|.*\(after ([0-9]+) events\)$/\1\2/p'; }

# Makes $LONG.ends: the offsets where some of the generations end, and the events up to each.
ends() {
	local end
	[ ! -s "$LONG.ends" ] || return 0
	gcc -O1 -o "$LONG.generations" "$CHECKOUT/tests/lib/generations.c"
	"$LONG.generations" "$LONG" >"$LONG.offsets"
	while read -r end; do
		head -c "$end" "$LONG" >"$BATS_TEST_TMPDIR/whole"
		printf '%s %s\n' "$end" "$(events_in "$BATS_TEST_TMPDIR/whole")"
	done < <(awk 'NR < 6 || NR % 5 == 0' "$LONG.offsets") >"$LONG.ends"
}

@test "cut at random places it reads up to the cut" {
	local size i at
	ends
	soak_seed
	# Most of them early: reading takes longer the later the cut.
	for ((i = 0; ; i++)); do
		goes_on 40 "$i" || break
		size=$(sed -n 4p "$LONG.offsets")
		((i % 13 != 12)) || size=$(stat -c %s "$LONG")
		at=$(((RANDOM * 32768 + RANDOM) % size))
		head -c "$at" "$LONG" >"$BATS_TEST_TMPDIR/cut.$at"
		printf '%s %s\n' "$at" "$(events_in "$BATS_TEST_TMPDIR/cut.$at")"
		rm "$BATS_TEST_TMPDIR/cut.$at"
	done >"$BATS_TEST_TMPDIR/cuts"
	# The reader has a Sync more at the end of a whole file.
	awk 'NR == FNR { end[NR] = $1; events[NR] = $2; n = NR; next }
		{ want = 0; for (i = 1; i <= n && end[i] <= $1; i++) want = events[i] - 1
		  if ($2 + 0 < want) { print "cut at " $1 ": " $2 " events, not " want; bad = 1 } }
		END { exit bad }' "$LONG.ends" "$BATS_TEST_TMPDIR/cuts"
}
