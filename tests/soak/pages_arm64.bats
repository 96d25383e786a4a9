#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=beside,soak
#
# arm64, a kernel with pages of 16 KiB: recordings against the runtime's own trace, and memory by images and core files
# against the runtime's dump: `make kernels`.

load ../lib/common
load ../lib/differential
load ../lib/kernel
load ../lib/kernel_arm64
load ../lib/stacks_arm64
load ../lib/groups_arm64

setup() {
	oracle "$REFERENCE_GO"
	require_tool jq python3
	require_arm64 gotap
}

pages_are_large() { [ "$(cat "$GUEST/page_kb")" -eq 16 ]; }

@test "arm64, pages of 16 KiB: traces" {
	local -a MIXED=()
	local name
	arm64_mixed mixed "$REFERENCE_GO"
	arm64_mixed mixed-old 1.22
	arm64_mixed mixed-stripped "$REFERENCE_GO" -buildmode=pie '-ldflags=-s -w'
	boot_arm64 7.3-16k neoverse-n1 guest_short "${MIXED[@]}"
	pages_are_large
	for name in "${MIXED[@]##*/}"; do
		arm64_is_true "$name" uprobe_multi
	done
	arm64_leaves_no_trace
	step_succeeds storm
}

@test "arm64, pages of 16 KiB: stacks and core files" {
	local release
	boot_stacks 7.3-16k 1.24 1.27
	pages_are_large
	for release in 1.24 1.27 stripped; do
		stacks_are_true "stacked-$release"
	done
}

@test "arm64, pages of 16 KiB: what roots hold, and leaks by an image of one moment" {
	boot_groups "$REFERENCE_GO" 7.3-16k neoverse-n1 retained leaks
	pages_are_large
	retained_is_right
	leaks_are_right
}
