#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=beside
#
# Another kernel than the one below: the oldest of Debian's that has what gotap needs, which is traced
# with the BPF programs for old kernels and uprobes of perf. `make kernels` and `make soak` also run
# the later ones (tests/soak/kernels.bats): an emulated kernel takes minutes of a processor.

load lib/common
load lib/differential
load lib/kernel

setup() { oracle "$REFERENCE_GO"; }

@test "Linux 5.10" {
	works_on 5.10 perf 'ulimit -l'
}
