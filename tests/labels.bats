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

# requests_recorded VERSION [RECORD ARGUMENT...]: records a hundred requests of a program that has some labels before.
requests_recorded() {
	build_prog "$1" labelled
	start_target "$PROG" -requests 100 -signal
	start_record "$BATS_TEST_TMPDIR/x.trace" --strict -e +labels -p "$TARGET" "${@:2}"
	kill -USR1 "$TARGET"
	wait_record
	[ "$status" -eq 0 ]
}

attached() {
	requests_recorded "$1"
	labels_true "$BATS_TEST_TMPDIR/x.trace"
}

# for releases 1.19 1.23 1.24 newest (soak-only 1.23 1.24):
#	@test "labels that were set before the recording, in it, and inherited; Go %" { attached %; }
@test "labels that were set before the recording, in it, and inherited; Go 1.19" { attached 1.19; }
# bats test_tags=soak-only
@test "labels that were set before the recording, in it, and inherited; Go 1.23" { attached 1.23; }
# bats test_tags=soak-only
@test "labels that were set before the recording, in it, and inherited; Go 1.24" { attached 1.24; }
@test "labels that were set before the recording, in it, and inherited; Go 1.27" { attached 1.27; }
# end of releases

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

# cold_labels VERSION FROM: records the program coldlabels; sets $SETS to the labels in the trace.
cold_labels() {
	build_prog "$1" coldlabels
	record "$BATS_TEST_TMPDIR/x.trace" --strict -e +labels -- "$PROG" -from "$2"
	SETS=$("$GOTAP" text --events --json "$BATS_TEST_TMPDIR/x.trace" | jq -r 'select(.category == "gotap.labels") | .message')
}

# The texts of labels need not be in memory when they are set (coldlabels.go). Of a text that is too long the trace has
# the begin.
constant_labels() {
	cold_labels "$1" file
	[ "$status" -eq 0 ] || fail "not a flawless recording: $(flaws)"
	diff - <(printf '%s\n' "$SETS") <<-'EOF'
		"00 a constant"="warm"
		cold="01 a constant"
		"02 a constant of 32 bytes filled"="03 a constant"
		"00 a constant of 32 bytes filled01 a constan"...="01 a constant of 32 bytes filled02 a constant of 32 bytes filled03 a constant of"...
		00="0"
	EOF
}

# for releases 1.23 newest (soak-only not newest):
#	@test "texts of labels that are constants and not in memory come from the program's file, Go %" { constant_labels %; }
# bats test_tags=soak-only
@test "texts of labels that are constants and not in memory come from the program's file, Go 1.23" { constant_labels 1.23; }
@test "texts of labels that are constants and not in memory come from the program's file, Go 1.27" { constant_labels 1.27; }
# end of releases

@test "texts of labels elsewhere that are not in memory are lost and counted" {
	cold_labels 1.27 memory
	[ "$status" -eq 125 ]
	[ "$(reported unreadable)" -eq 8 ]
	[ "$(head -n 2 <<<"$SETS")" = "$(printf '""...="warm"\ncold=""...')" ] || fail "$SETS"
}

@test "the raw records give the same labels" {
	requests_recorded 1.27 --spool "$BATS_TEST_TMPDIR/x.spool"
	succeeds "$GOTAP" assemble "$BATS_TEST_TMPDIR/x.spool" -o "$BATS_TEST_TMPDIR/y.trace"
	"$GOTAP" text --events --json "$BATS_TEST_TMPDIR/y.trace" >"$BATS_TEST_TMPDIR/events"
	succeeds python3 "$CHECKOUT/tests/lib/labels_truth.py" "$BATS_TEST_TMPDIR/events"
}
