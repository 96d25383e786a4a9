#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Programs of a Go release that gotap does not know: recorded by their DWARF, or on request, and what was assumed is said.

load lib/common
load lib/record

setup() {
	require_root
	require_go 1.27
}

teardown() { stop_targets; }

# of_release NN: $PROG with another release in .go.buildinfo and in runtime.buildVersion.
of_release() {
	cp "$PROG" "$BATS_TEST_TMPDIR/altered"
	PROG=$BATS_TEST_TMPDIR/altered
	sed -i "s/go1\.27\.[0-9]*/go1.$1.4/g" "$PROG"
}

assumed() { jq -r .assumed "$REPORT"; }

@test "a later release is recorded by its DWARF, and the report says like which one" {
	build_prog 1.27 mixed
	of_release 28
	start_target "$PROG" -delay 10m
	recorded "$BATS_TEST_TMPDIR/a.trace" -d 300ms -p "$TARGET"
	[ "$(jq -r .go_version "$REPORT")" = go1.28.4 ]
	[[ $(assumed) == "Go 1.27: where probes sit, numbers of wait reasons"* ]]
	run_logged "$GOTAP" record --budget none -d 300ms -o "$BATS_TEST_TMPDIR/b.trace" -p "$TARGET"
	contains "go1.28.4 is not a release that gotap knows: assumed to be like Go 1.27: "
	"$GOTAP" check "$BATS_TEST_TMPDIR/a.trace"
}

@test "gotap assemble says it of a spool file as well" {
	build_prog 1.27 mixed
	of_release 28
	start_target "$PROG" -delay 10m
	succeeds "$GOTAP" record --budget none -d 300ms --spool "$BATS_TEST_TMPDIR/spool" -o "$BATS_TEST_TMPDIR/a.trace" -p "$TARGET"
	run_logged "$GOTAP" assemble -o "$BATS_TEST_TMPDIR/b.trace" "$BATS_TEST_TMPDIR/spool"
	[ "$status" -eq 0 ]
	contains "assumed to be like Go 1.27: "
}

@test "of a known release nothing is assumed" {
	build_prog 1.27 mixed
	start_target "$PROG" -delay 10m
	recorded "$BATS_TEST_TMPDIR/a.trace" -d 300ms -p "$TARGET"
	[ -z "$(assumed)" ]
}
