#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=beside
#
# gotap on arm64, cross-built: unit tests under qemu's emulation of programs, and a recording in a virtual machine on an
# emulated processor. `make kernels` has more kernels, releases of Go and processors (tests/soak/kernels_arm64.bats).

load lib/common
load lib/differential
load lib/kernel
load lib/kernel_arm64
load lib/kinds_arm64

setup() { oracle "$REFERENCE_GO"; }

# Those of rooms that depend on the architecture. qemu has no seccomp filters, so that base_rights is not among them.
UNITS="rings_ring stream_chunk stream_merge frames_stacks symbol_pcvalue threads_sums capture_budget capture_drain live_text_map"

@test "unit tests under qemu-aarch64" {
	local name
	local -a names=()
	for name in $UNITS; do
		[ ! -e "$CHECKOUT/tests/unit/$name.c" ] || names+=("unit/$name")
	done
	[ "${#names[@]}" -ge 9 ]
	require_arm64 "${names[@]}"
	for name in "${names[@]}"; do
		succeeds qemu-aarch64-static -L "$SYSROOT" "$ARM64/$name"
	done
}

@test "Linux 6.12 on arm64" {
	local -a MIXED=()
	require_arm64 gotap
	succeeds python3 "$CHECKOUT/tests/lib/bpf_stacks.py" "$ARM64/gotap.bpf.o"
	arm64_mixed mixed "$REFERENCE_GO"
	arm64_cgo_prog "$REFERENCE_GO" mixed -buildmode=pie '-ldflags=-s -w'
	cp "$PROG" "$BATS_TEST_TMPDIR/mixed-cgo"
	: >"$BATS_TEST_TMPDIR/brief"
	boot_arm64 6.12 neoverse-n1 guest_short "${MIXED[@]}" "$BATS_TEST_TMPDIR/mixed-cgo" "$BATS_TEST_TMPDIR/brief"
	arm64_is_true mixed uprobe_multi
	arm64_is_true mixed-cgo uprobe_multi
	arm64_leaves_no_trace
}
