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

race() {
	CGO_ENABLED=1 build_prog "$1" mixed -race
	judged "$PROG"
}

# for releases 1.22 newest (soak-only 1.22):
#	@test "with the race detector, Go %" { race %; }
# bats test_tags=soak-only
@test "with the race detector, Go 1.22" { race 1.22; }
@test "with the race detector, Go 1.27" { race 1.27; }
# end of releases

unoptimized() {
	build_prog "$1" mixed '-gcflags=all=-N -l'
	judged "$PROG"
}

# for releases 1.24 1.26 (soak-only 1.24):
#	@test "without optimization, Go %" { unoptimized %; }
# bats test_tags=soak-only
@test "without optimization, Go 1.24" { unoptimized 1.24; }
@test "without optimization, Go 1.26" { unoptimized 1.26; }
# end of releases

pie() {
	build_prog "$1" mixed -buildmode=pie '-ldflags=-s -w'
	judged "$PROG"
}

# for releases 1.22 1.26 newest (soak-only 1.26):
#	@test "position independent and stripped, Go %" { pie %; }
@test "position independent and stripped, Go 1.22" { pie 1.22; }
# bats test_tags=soak-only
@test "position independent and stripped, Go 1.26" { pie 1.26; }
@test "position independent and stripped, Go 1.27" { pie 1.27; }
# end of releases

with_cgo() {
	CGO_ENABLED=1 build_prog "$1" cgo -buildmode=pie
	judged "$PROG"
}

# for releases 1.26 newest (soak-only 1.26):
#	@test "with cgo, linked by the system's linker, Go %" { with_cgo %; }
# bats test_tags=soak-only
@test "with cgo, linked by the system's linker, Go 1.26" { with_cgo 1.26; }
@test "with cgo, linked by the system's linker, Go 1.27" { with_cgo 1.27; }
# end of releases

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

plugin() {
	as_plugin "$1"
	judged "$PROG" "$PLUGIN"
	judged "$PLUGIN"
}

# for releases 1.22 1.26 newest (soak-only 1.26):
#	@test "a program with a plugin, and the plugin, Go %" { plugin %; }
@test "a program with a plugin, and the plugin, Go 1.22" { plugin 1.22; }
# bats test_tags=soak-only
@test "a program with a plugin, and the plugin, Go 1.26" { plugin 1.26; }
@test "a program with a plugin, and the plugin, Go 1.27" { plugin 1.27; }
# end of releases

# The calls that are left are patched; what was inlined keeps its breakpoint, and says so.
# bats test_tags=soak-only
@test "with a real profile: Go 1.27" {
	real_profile
	build_prog 1.27 mixed "-pgo=$PROFILE"
	judged "$PROG"
}
