#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=beside
#
# Another kernel than the one below: the oldest of Debian's that has what gotap needs, which is traced
# with the BPF programs for old kernels and uprobes of perf. An emulated kernel takes minutes of a
# processor, so here a program is only launched, attached to, and recorded with all probes. `make kernels`
# and `make soak` also have an older program, labels, namespaces, threads, swap, --follow and snapshots there, and the
# later kernels (tests/soak/kernels.bats).

load lib/common
load lib/differential
load lib/grpc
load lib/kernel

setup() { oracle "$REFERENCE_GO"; }

@test "Linux 5.10" {
	works_in_brief 5.10 perf 'ulimit -l'
}
