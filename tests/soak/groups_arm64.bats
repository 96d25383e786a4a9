#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=beside,soak
#
# arm64: what is in the traces of all groups, samples of the CPU, and commands about a running process, on Linux 6.12 and an
# emulated neoverse-n1: `make kernels`.

load ../lib/common
load ../lib/record
load ../lib/objects
load ../lib/differential
load ../lib/kernel
load ../lib/kernel_arm64
load ../lib/groups_arm64

setup() {
	require_tool jq python3
	oracle "$REFERENCE_GO"
}

# right RELEASE
right() {
	boot_groups "$1" 6.12 neoverse-n1
	all_groups_are_right
	commands_are_right
}

@test "arm64, content of all groups, Go 1.27" { right 1.27; }
@test "arm64, content of all groups, Go 1.24" { right 1.24; }
@test "arm64, content of all groups, Go 1.21" { right 1.21; }
@test "arm64, content of all groups, Go 1.19" { right 1.19; }
