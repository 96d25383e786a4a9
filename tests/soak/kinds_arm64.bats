#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=beside,soak
#
# Kinds of Go programs for arm64, on an emulated processor with Linux 6.12: `make kernels`. Each is held against the runtime's
# own trace of it, where the runtime can write one.

load ../lib/common
load ../lib/differential
load ../lib/kernel
load ../lib/modes
load ../lib/kernel_arm64
load ../lib/kinds_arm64

setup() {
	oracle "$REFERENCE_GO"
	KINDS=()
	require_arm64 gotap
}

STRIPPED='-ldflags=-s -w'

boot_kinds() { boot_arm64 6.12 neoverse-n1 guest_kinds "${KINDS[@]}"; }

# kinds_are_true NAME...: each of these, launched and attached to.
kinds_are_true() {
	local name
	for name; do
		kind_is_true "mixed-$name"
	done
}

@test "arm64, linked by the system's linker: an executable, a PIE and with the race detector" {
	arm64_cgo_prog "$REFERENCE_GO" mixed
	arm64_kind mixed-cgo
	arm64_cgo_prog "$REFERENCE_GO" mixed -buildmode=pie "$STRIPPED"
	arm64_kind mixed-cgo-pie
	arm64_cgo_prog "$REFERENCE_GO" mixed -race
	arm64_kind mixed-race
	arm64_cgo_prog 1.22 mixed -buildmode=pie "$STRIPPED"
	arm64_kind mixed-cgo-old
	boot_kinds
	kinds_are_true cgo cgo-pie cgo-old race
}

@test "arm64, a library in a C program, a stripped PIE, a build with -pgo" {
	arm64_library "$REFERENCE_GO" c-shared so
	arm64_kind mixed-shared
	cp "$(dirname "$PROG")/libmixed.so" "$BATS_TEST_TMPDIR"
	arm64_library "$REFERENCE_GO" c-archive a
	arm64_kind mixed-archive
	arm64_prog "$REFERENCE_GO" mixed -buildmode=pie "$STRIPPED"
	arm64_kind mixed-pie
	real_profile
	arm64_prog "$REFERENCE_GO" mixed "-pgo=$PROFILE"
	arm64_kind mixed-pgo
	boot_kinds
	kinds_are_true shared archive pie pgo
}

# What v1 does not carry, and why the limits are wider: tests/oldgo.bats. Up to Go 1.20 the runtime of arm64 leaves the frame
# pointers of a stack that it copies as they were: the callers of a frame that was copied are missing.
V1=(-min-reasons 0.99 -min-threads 0.9 -min-proc-precision 0.9)

@test "arm64, Go 1.15, 1.19 and 1.21: as their own tracers saw it" {
	local release
	for release in 1.15 1.19 1.21; do
		arm64_prog "$release" mixed
		arm64_kind "mixed-$release"
	done
	boot_kinds
	kind_is_true mixed-1.21 "${V1[@]}"
	for release in 1.15 1.19; do
		kind_is_true "mixed-$release" "${V1[@]}" -min-stacks 0.7
		! grep -E '^different stacks: .*times Go[A-Z]' <<<"$output" | grep -v 'gotap lacks the outer frames$' || fail "frames of another stack"
		step "mixed-$release"
		contains '"missing_probes": ["runtime.adjustframe"]'
	done
}

# counted_callbacks NAME: prints how many threads of C the program has had.
counted_callbacks() { echo $(($(sed -n 's/^callbacks //p' "$GUEST/$1.out") / 3)); }

@test "arm64, C and back, containers, children, ends" {
	local name
	arm64_cgo_prog "$REFERENCE_GO" cgo
	arm64_kind callbacks
	arm64_cgo_prog "$REFERENCE_GO" mixed
	arm64_kind cgo-mixed
	arm64_prog "$REFERENCE_GO" exec
	arm64_kind exec-go
	arm64_prog "$REFERENCE_GO" dies
	arm64_kind dies
	boot_kinds

	step_succeeds callbacks
	views_ok "$GUEST/callbacks.trace"
	[ "$(counted_callbacks callbacks)" -ge 20 ]
	[ "$(count_of "$GUEST/callbacks.trace" 'Go NotExist->Syscall')" -eq "$(counted_callbacks callbacks)" ]
	[ "$(count_of "$GUEST/callbacks.trace" 'Go Syscall->NotExist')" -eq "$(counted_callbacks callbacks)" ]
	step_succeeds callbacks.attached
	views_ok "$GUEST/callbacks.attached.trace"
	[ "$(count_of "$GUEST/callbacks.attached.trace" 'Go NotExist->Syscall')" -gt 3 ]

	for name in container boxed child replaced; do
		step_succeeds "$name"
		contains '"lost": 0'
		[[ $output != *'"lost": '[1-9]* && $output != *'"repairs_total": '[1-9]* ]] || fail "$name"
	done
	views_ok "$GUEST"/{container,boxed.1,child.1,child.2,replaced.1,replaced.2}.trace
	# programs know their threads by the ids of their own namespace
	same_as_runtime container container -min-threads 0
	same_as_runtime boxed.1 boxed.1 -min-threads 0
	for name in child.2 replaced.2; do
		same_as_runtime "$name" "$name"
	done

	death nil 'panic: runtime error: invalid memory address or nil pointer dereference' main.leaf main.caller main.die
	death panic 'panic: the end' main.die
	death limited 'fatal error: stack overflow' main.recurse
	step kill
	[ "$status" -eq 137 ]
	contains '"exit": "(signal 9, Killed)"'
	views_ok "$GUEST/kill.trace"
}
