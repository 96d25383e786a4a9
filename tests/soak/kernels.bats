#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=beside,soak
#
# The kernels that Debian has, from that of tests/kernels.bats to the newest: `make kernels`.

load ../lib/common
load ../lib/differential
load ../lib/grpc
load ../lib/kernel
load ../lib/moment

setup() { oracle "$REFERENCE_GO"; }

@test "Linux 5.10, all of it" { works_on 5.10 perf 'ulimit -l'; }
@test "Linux 6.1" { works_on 6.1 perf 'CAP_SYS_ADMIN is missing'; }
@test "Linux 6.12" { works_on 6.12 uprobe_multi; }
@test "Linux 6.16" { works_on 6.16 uprobe_multi; }
@test "Linux 6.17" { works_on 6.17 uprobe_multi; }
@test "Linux 6.18" { works_on 6.18 uprobe_multi; }
@test "Linux 7.2" { works_on 7.2 uprobe_multi; }
@test "Linux 7.3" { works_on 7.3 uprobe_multi; }
@test "Linux 5.10: images of one moment, all of it" { moment_on 5.10 false; }
@test "Linux 6.1: images of one moment" { moment_on 6.1 false; }
@test "Linux 6.12: images of one moment" { moment_on 6.12 true; }
@test "Linux 7.3: images of one moment" { moment_on 7.3 true; }
