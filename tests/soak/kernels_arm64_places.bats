#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=beside,soak
#
# arm64, in a virtual machine on an emulated processor: builds with -pgo, in which casgstatus is inlined wherever it is
# called, against the runtime's own trace; and the stack of a program that ends by a fault in a function without a frame.

load ../lib/common
load ../lib/differential
load ../lib/kernel
load ../lib/kernel_arm64
load ../lib/hot

setup() { oracle "$REFERENCE_GO"; }

@test "arm64, built with -pgo" {
	local -a MIXED=()
	local release
	require_arm64 gotap
	for release in 1.22 1.24 1.26 "$REFERENCE_GO"; do
		hot_profile "$release" "${HOT[@]}"
		arm64_mixed "mixed-$release" "$release" "-pgo=$PROFILE"
	done
	boot_arm64 6.12 neoverse-n1 guest_places "${MIXED[@]}"
	for release in 1.22 1.24 1.26 "$REFERENCE_GO"; do
		arm64_is_true "mixed-$release" uprobe_multi
	done
}

@test "arm64, a fault in a function without a frame" {
	local -a dies=()
	local release
	require_arm64 gotap
	for release in 1.15 1.21 1.24 "$REFERENCE_GO"; do
		arm64_prog "$release" dies
		cp "$PROG" "$BATS_TEST_TMPDIR/dies-$release"
		dies+=("$BATS_TEST_TMPDIR/dies-$release")
	done
	boot_arm64 6.12 neoverse-n1 guest_places "${dies[@]}"
	for release in "${dies[@]##*/}"; do
		step_succeeds "$release"
		succeeds python3 "$CHECKOUT/tests/lib/same_death.py" "$GUEST/$release-snaps/1.trace.json" "$GUEST/$release-snaps/said" \
			"$GUEST/$release-snaps/alone"
	done
}
