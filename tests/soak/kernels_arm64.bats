#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=beside,soak
#
# arm64, on kernels of Debian and emulated processors: neoverse-n1, and cortex-a72, which has no atomic instructions but
# pairs of load and store: `make kernels`.

load ../lib/common
load ../lib/differential
load ../lib/kernel
load ../lib/kernel_arm64

setup() { oracle "$REFERENCE_GO"; }

# judged RELEASE CPU METHOD: the newest Go and an old one, and a stripped PIE; attach, kill, storm.
judged() {
	local -a MIXED=()
	local name
	require_arm64 gotap
	arm64_mixed mixed "$REFERENCE_GO"
	arm64_mixed mixed-stripped "$REFERENCE_GO" -buildmode=pie '-ldflags=-s -w'
	boot_arm64 "$1" "$2" guest_short "${MIXED[@]}"
	for name in "${MIXED[@]##*/}"; do
		arm64_is_true "$name" "$3"
	done
	arm64_leaves_no_trace
	step_succeeds storm
}

@test "arm64, Linux 6.1" { judged 6.1 neoverse-n1 perf; }
@test "arm64, Linux 6.12" { judged 6.12 neoverse-n1 uprobe_multi; }
@test "arm64, Linux 6.12 without atomic instructions" { judged 6.12 cortex-a72 uprobe_multi; }
@test "arm64, Linux 7.3" { judged 7.3 neoverse-n1 uprobe_multi; }

@test "arm64, the releases of Go" {
	local -a MIXED=()
	local release
	require_arm64 gotap
	arm64_mixed mixed "$REFERENCE_GO"
	for release in 1.22 1.23 1.24 1.25 1.26; do
		arm64_mixed "mixed-$release" "$release"
	done
	boot_arm64 6.12 neoverse-n1 guest_short "${MIXED[@]}"
	for release in 1.22 1.23 1.24 1.25 1.26; do
		arm64_is_true "mixed-$release" uprobe_multi
	done
}

# Linux 5.10 has no atomic instructions of BPF, without which arm64 shows records before they are whole.
@test "arm64, Linux 5.10 is refused, by each command that records, and by doctor before" {
	local -a MIXED=()
	local why name
	require_arm64 gotap
	arm64_mixed mixed "$REFERENCE_GO"
	boot_arm64 5.10 neoverse-n1 guest_refused "${MIXED[@]}" "$SYSROOT/usr/lib/aarch64-linux-gnu/libmicrohttpd.so.12"
	why="this kernel does not compile atomic instructions of BPF, which gotap needs on arm64: it takes Linux 5.18 or later, with net.core.bpf_jit_enable=1"
	for name in launch:125 follow:1 attach:1 flight:1 top:1 func:1; do
		step "${name%:*}"
		[ "$status" -eq "${name#*:}" ] || fail "$name"
		[ "$output" = "gotap: $why" ]
	done
	step serve
	contains "HTTP/1.1 50"
	contains "$why"
	step doctor
	[ "$status" -eq 1 ]
	[ "${lines[0]}" = "Cannot trace: $why." ]
	matches '^  FAIL  atomic instructions  the kernel does not compile those of BPF'
	step doctor_json
	[ "$(jq -r '[.traceable, .obstacle] | join(" ")' <<<"$output")" = "false atomic instructions" ]
	step_succeeds stacks
	contains main.
	step_succeeds left
	[ -z "$(grep -v '\.out$' <<<"$output")" ]
}
