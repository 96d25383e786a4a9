#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Names from DWARF data (--symbols dwarf) come from a process that has nothing to lose: DWARF data that breaks libdw costs
# names, which the report counts, and neither gotap nor the trace.

load lib/common
load lib/record

setup() {
	require_root
	T=$BATS_TEST_TMPDIR
	build_prog 1.26 mixed
}

teardown() { stop_targets; }

# names_process: sets $NAMES to the process that $RECORDER has for names.
names_process() {
	NAMES=$(pgrep -P "$RECORDER" -x gotap-names) || fail "no process for names"
}

# status_of FIELD: of $NAMES.
status_of() { awk -v field="$1:" '$1 == field { print $2 }' "/proc/$NAMES/status"; }

# Whoever is its parent then may reap it later.
names_has_ended() { [ ! -e "/proc/$NAMES" ] || grep -q '^State:.Z' "/proc/$NAMES/status"; }

# ring_mappings PID: how many it has. libbpf maps the variables of the BPF programs as well, which are less than 1 MB.
ring_mappings() {
	local range n=0
	while read -r range; do
		[ $((0x${range#*-} - 0x${range%-*})) -lt 1048576 ] || n=$((n + 1))
	done < <(awk '/bpf-map/ { print $1 }' "/proc/$1/maps")
	echo "$n"
}

@test "the process that runs libdw has no privileges, and nothing of gotap's open" {
	start_target "$PROG" -delay 10m
	start_record "$T/a.trace" --symbols dwarf -p "$TARGET"
	names_process
	[ "$(status_of CapEff)$(status_of CapPrm)" = 00000000000000000000000000000000 ]
	[ "$(status_of Uid)" = 65534 ]
	[ "$(status_of Seccomp)" = 2 ]
	[ "$(status_of NoNewPrivs)" = 1 ]
	# its channel and the program
	[ "$(find "/proc/$NAMES/fd" -type l | wc -l)" -eq 2 ]
	[ "$(find "/proc/$NAMES/fd" -lname 'socket:*' | wc -l)" -eq 1 ]
	[ "$(ring_mappings "$NAMES")" -eq 0 ]
	stop_record
	[ "$status" -eq 0 ]
	[ "$(reported addresses_unnamed)" = 0 ]
	wait_for 60 names_has_ended
	views_ok "$T/a.trace"
}

@test "no process that gotap forks has its rings" {
	local pid
	start_target "$PROG" -delay 10m
	start_record "$T/a.trace" -p "$TARGET"
	[ "$(ring_mappings "$RECORDER")" -gt 0 ]
	for pid in $(pgrep -P "$RECORDER"); do
		[ "$(ring_mappings "$pid")" -eq 0 ] || fail "$(cat "/proc/$pid/comm") has them"
	done
	stop_record
	[ "$status" -eq 0 ]
}

@test "a signal to all of gotap's processes does not end names" {
	start_target "$PROG" -delay 10m
	start_record "$T/a.trace" --symbols dwarf -p "$TARGET"
	names_process
	kill -INT "$NAMES"
	kill -TERM "$NAMES"
	stop_record
	[ "$status" -eq 0 ]
	[ "$(reported addresses_unnamed)" = 0 ]
}

@test "the process ends by itself when gotap is killed" {
	start_target "$PROG" -delay 10m
	start_record "$T/a.trace" --symbols dwarf -p "$TARGET"
	names_process
	kill -KILL "$RECORDER"
	wait "$RECORDER" || true
	wait_for 60 names_has_ended
}

@test "a fault of libdw costs names, not the recording: a crash, and no end" {
	require_tool gcc
	gcc -shared -fPIC -O1 -o "$T/broken.so" "$CHECKOUT/tests/lib/broken_libdw.c" -ldl
	start_target "$PROG" -delay 10m
	LD_PRELOAD=$T/broken.so record "$T/a.trace" -d 500ms --spool "$T/spool" --symbols dwarf -p "$TARGET"
	[ "$status" -eq 0 ]
	[ "$(reported addresses_unnamed)" -gt 0 ]
	views_ok "$T/a.trace"
	target_runs
	run_logged env LD_PRELOAD="$T/broken.so" FAULT=loop "$GOTAP" assemble -v --symbols dwarf -o "$T/b.trace" "$T/spool"
	[ "$status" -eq 0 ]
	matches '^without names: [0-9]+ addresses of the program.s DWARF data: reading it took too long$'
	views_ok "$T/b.trace"
	run_logged env LD_PRELOAD="$T/broken.so" "$GOTAP" assemble -v --strict --symbols dwarf -o "$T/c.trace" "$T/spool"
	[ "$status" -eq 1 ]
	matches '^without names: .* reading it failed: the file is broken beyond reading$'
}
