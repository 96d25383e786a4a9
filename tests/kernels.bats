#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=beside
#
# Other kernels than the one below: Debian's, from the oldest that has what gotap needs to the newest, each in a virtual
# machine. `make kernels` also runs those of tests/kernel/matrix.

load lib/common
load lib/differential
load lib/kernel

setup() { oracle "$REFERENCE_GO"; }

@test "Linux 5.10" {
	works_on 5.10 perf 'ulimit -l'
}

@test "Linux 6.1" {
	works_on 6.1 perf 'CAP_SYS_ADMIN is missing'
}

@test "Linux 6.12" {
	works_on 6.12 uprobe_multi
}

@test "Linux 7.3" {
	works_on 7.3 uprobe_multi
}
