#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=alone
#
# The short form of `make hostile`: some rounds of each kind, from a fixed seed, so that the same rounds are
# tried each time; their timing is the machine's. GOTAP_HOSTILE_ROUNDS=N makes it longer.

load lib/common

setup() { require_root; require_tool python3 mount; }

rounds() {
	local kind=$1 n=${GOTAP_HOSTILE_ROUNDS:-$2}
	run_logged "$CHECKOUT/tests/hostile/run" -v --only "$kind" --seed 1 --rounds "$n" --jobs 2
	[ "$status" -eq 0 ]
	contains "$n rounds, 0 failed"
}

@test "recordings that are disturbed: no dead target, no probe left, no invalid file, no silent failure" { rounds record 24; }
@test "gotap killed at random moments" {
	rounds kill 8
	matches '^kills that found probes in the target: [1-9]'
}

@test "attaches and detaches under load: no repair, each trace valid" { rounds cycle 6; }
@test "damaged traces and spool files" { rounds file 30; }
