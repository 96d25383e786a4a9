# SPDX-License-Identifier: Apache-2.0
#
# Group labels: the profiler labels of goroutines as events of category gotap.labels, judged by what the program itself
# says of its labels.

load lib/common
load lib/record

setup() { require_root; require_tool python3; }
teardown() { stop_targets; }

# labels_true TRACE: each goroutine has the labels that it says it has, in a trace that Go's readers take.
labels_true() {
	trace_ok "$1"
	"$GOTAP" text --events --json "$1" >"$BATS_TEST_TMPDIR/events"
	succeeds python3 "$CHECKOUT/tests/lib/labels_truth.py" "$BATS_TEST_TMPDIR/events"
}

attached() {
	build_prog "$1" labelled
	start_target "$PROG"
	succeeds "$GOTAP" record --budget none --strict -e +labels -p "$TARGET" -d 500ms -o "$BATS_TEST_TMPDIR/x.trace"
	labels_true "$BATS_TEST_TMPDIR/x.trace"
}

@test "labels that were set before the recording, in it, and inherited; Go 1.19" { attached 1.19; }
@test "labels that were set before the recording, in it, and inherited; Go 1.23" { attached 1.23; }
@test "labels that were set before the recording, in it, and inherited; Go 1.24" { attached 1.24; }
@test "labels that were set before the recording, in it, and inherited; Go 1.27" { attached 1.27; }

@test "of a launched program; without the group there are none" {
	build_prog 1.27 labelled
	succeeds "$GOTAP" record --budget none --strict -e +labels -o "$BATS_TEST_TMPDIR/x.trace" -- "$PROG" -requests 50
	labels_true "$BATS_TEST_TMPDIR/x.trace"
	succeeds "$GOTAP" record --budget none -o "$BATS_TEST_TMPDIR/y.trace" -- "$PROG" -requests 50
	[ "$("$GOTAP" text "$BATS_TEST_TMPDIR/y.trace" | grep -c 'gotap\.labels' || true)" -eq 0 ]
}

# A map with two buckets and one that has overflowed; what finds no room is said.
@test "labels beyond 16 are left out, and that is said" {
	local version
	for version in 1.23 1.27; do
		build_prog "$version" labelled
		succeeds "$GOTAP" record --budget none -e +labels -o "$BATS_TEST_TMPDIR/x.trace" -- "$PROG" -many 40 -requests 20
		"$GOTAP" text --events --json "$BATS_TEST_TMPDIR/x.trace" >"$BATS_TEST_TMPDIR/events"
		grep -q '"category":"gotap.labels","message":"key[^}]* \.\.\."' "$BATS_TEST_TMPDIR/events"
	done
}

@test "the raw records give the same labels" {
	build_prog 1.27 labelled
	start_target "$PROG"
	succeeds "$GOTAP" record --budget none --strict -e +labels -p "$TARGET" -d 300ms --spool "$BATS_TEST_TMPDIR/x.spool" \
		-o "$BATS_TEST_TMPDIR/x.trace"
	succeeds "$GOTAP" assemble "$BATS_TEST_TMPDIR/x.spool" -o "$BATS_TEST_TMPDIR/y.trace"
	"$GOTAP" text --events --json "$BATS_TEST_TMPDIR/y.trace" >"$BATS_TEST_TMPDIR/events"
	succeeds python3 "$CHECKOUT/tests/lib/labels_truth.py" "$BATS_TEST_TMPDIR/events"
}
