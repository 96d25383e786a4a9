#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=beside
#
# Where --attach inline can patch: plans of programs built in every way, held against what objdump shows of them
# (tests/unit/plan_inline.c; plain programs of every release are among the unit tests' own).

load lib/common
load lib/modes

setup() {
	require_tool gcc objdump
	JUDGE=$BUILD/unit/plan_inline
	[ -x "$JUDGE" ] || skip "needs $JUDGE: make unit"
}

# judged PROGRAM [PLUGIN]: every question is answered with yes, and none was left out.
judged() {
	GOTAP_TEST_BINARIES=$1 GOTAP_TEST_PLUGIN=${2:-} succeeds "$JUDGE"
	[ "$(grep -c '^ok' <<<"$output")" -eq $((11 + $#)) ] || fail "$output"
}

@test "with the race detector, Go 1.22 and 1.27" {
	local version
	for version in 1.22 1.27; do
		CGO_ENABLED=1 build_prog "$version" mixed -race
		judged "$PROG"
	done
}

@test "without optimization, Go 1.24 and 1.26" {
	local version
	for version in 1.24 1.26; do
		build_prog "$version" mixed '-gcflags=all=-N -l'
		judged "$PROG"
	done
}

@test "position independent and stripped, Go 1.22, 1.26, 1.27" {
	local version
	for version in 1.22 1.26 1.27; do
		build_prog "$version" mixed -buildmode=pie '-ldflags=-s -w'
		judged "$PROG"
	done
}

@test "with cgo, linked by the system's linker, Go 1.26" {
	CGO_ENABLED=1 build_prog 1.26 cgo -buildmode=pie
	judged "$PROG"
}

@test "with tasks, regions and logs, Go 1.19 and 1.27" {
	local version
	for version in 1.19 1.27; do
		build_prog "$version" annotated
		judged "$PROG"
	done
}

@test "a shared library, Go 1.22 and 1.27" {
	local version
	for version in 1.22 1.27; do
		as_library "$version" c-shared so
		judged "${PROG%/*}/libmixed.so"
	done
}

@test "a program with a plugin, and the plugin, Go 1.22, 1.26, 1.27" {
	local version
	for version in 1.22 1.26 1.27; do
		as_plugin "$version"
		judged "$PROG" "$PLUGIN"
		judged "$PLUGIN"
	done
}

# The calls that are left are patched; what was inlined keeps its breakpoint, and says so.
@test "with a real profile: Go 1.27" {
	real_profile
	build_prog 1.27 mixed "-pgo=$PROFILE"
	judged "$PROG"
}
