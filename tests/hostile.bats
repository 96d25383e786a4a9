#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=soak
#
# The short form of `make hostile`: some rounds of each kind, from a fixed seed, so that the same
# rounds are tried each time; their timing is the machine's.

load lib/common

setup() { require_root; require_tool python3 mount; }

# rounds KIND N
rounds() {
	local long=(--seed 1 --rounds "$2")
	soaks || export GOTAP_FORGED_SECONDS=1
	! soaks || long=(--seed "$SOAK_SEED" --seconds "$SOAK")
	run_logged "$CHECKOUT/tests/hostile/run" -v --only "$1" "${long[@]}" --jobs 2
	[ "$status" -eq 0 ]
	matches '^[1-9][0-9]* rounds, 0 failed$'
	soaks || contains "$2 rounds, 0 failed"
}

@test "recordings that are disturbed: no dead target, no probe left, no invalid file, no silent failure" { rounds record 5; }
@test "gotap killed at random moments" {
	rounds kill 2
	! soaks || matches '^kills that found probes in the target: [1-9]'
}

@test "attaches and detaches under load: no repair, each trace valid" { rounds cycle 2; }
@test "damaged traces and spool files" { rounds file 10; }
@test "records that the program forges: bounded memory and time, a valid trace, what is refused is counted" {
	require_inline
	GOTAP_FORGERIES=lengths rounds forged 1
	GOTAP_FORGERIES=stacks rounds forged 1
	GOTAP_FORGERIES=busy rounds forged 1
}

@test "the same with --flight: bounded memory and time, each snapshot valid" {
	require_inline
	GOTAP_FORGED_FLIGHT=1 GOTAP_FORGERIES=goroutines rounds forged 1
}
