#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=beside
#
# Other kernels than the one below: the oldest of Debian's that has what gotap needs, which is traced
# with the BPF programs for old kernels and uprobes of perf, and the newest. `make kernels` also runs
# those between them (tests/soak/kernels.bats).

load lib/common
load lib/differential
load lib/kernel

setup() { oracle "$REFERENCE_GO"; }

@test "Linux 5.10" {
	works_on 5.10 perf 'ulimit -l'
}

@test "Linux 7.3" {
	works_on 7.3 uprobe_multi
}
