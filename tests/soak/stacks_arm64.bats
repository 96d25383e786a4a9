#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=beside,soak
#
# gotap stacks on arm64, judged by the runtime's own dump of the goroutines: `make kernels`. A core file from there is read
# on this machine as well.

load ../lib/common
load ../lib/differential
load ../lib/kernel
load ../lib/kernel_arm64
load ../lib/stacks_arm64

RELEASES="1.15 1.19 1.21 1.23 1.24 1.26 1.27"

@test "arm64: states, frames, lines, creators and labels are those of the runtime's dump, and those of a core file" {
	local release
	require_root
	require_tool python3
	require_arm64 gotap
	# shellcheck disable=SC2086
	boot_stacks 6.12 $RELEASES
	for release in $RELEASES stripped; do
		stacks_are_true "stacked-$release"
	done
}
