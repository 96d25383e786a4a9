#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Spool files: the raw records give the same trace without root and process, in every format; and whatever is missing
# from them or wrong with them, the trace is valid or the error clear.

load lib/common
load lib/record

# lossy alters spool files (tests/spool/lossy.c). It has the objects of the fuzzers, with sanitizers.
build_lossy() {
	require_tool clang
	LOSSY=$BUILD/fuzz/lossy
	alone fuzz make -s -C "$CHECKOUT" BUILD="${BUILD#"$CHECKOUT/"}" FUZZ_OPT=-O0 "${LOSSY#"$CHECKOUT/"}" >&2
}

# spool VERSION PROGRAM [ARGUMENT...]: the raw records of a short recording of it, $SPOOL; $SHARED is its trace.
spool() {
	shared_recording "$@"
	SPOOL=$SHARED.spool
}

setup() {
	soak_seed
	oracle "$REFERENCE_GO"
	TRACE=$BATS_TEST_TMPDIR/out.trace
}

teardown() { stop_targets; }

same_as_recorded() {
	spool "$1" mixed -procs -delay 10m
	succeeds "$GOTAP" assemble "$SPOOL" -o "$TRACE" --strict
	cmp "$SHARED" "$TRACE"
}

# for releases 1.22 newest:
#	@test "assemble gives the trace that was recorded, Go %" { same_as_recorded %; }
@test "assemble gives the trace that was recorded, Go 1.22" { same_as_recorded 1.22; }
@test "assemble gives the trace that was recorded, Go 1.27" { same_as_recorded 1.27; }
# end of releases

@test "assemble needs no privileges" {
	spool 1.27 mixed -procs -delay 10m
	require_tool setpriv
	succeeds setpriv --bounding-set=-all,+dac_override --inh-caps=-all "$GOTAP" assemble -q "$SPOOL" -o "$TRACE"
	cmp "$SHARED" "$TRACE"
}

@test "one spool file gives every format" {
	local format
	spool 1.27 mixed -procs -delay 10m
	for format in 1.22 1.23 1.25 1.26; do
		succeeds "$GOTAP" assemble -q --strict "$SPOOL" -o "$TRACE" --format "go$format"
		trace_ok "$TRACE"
		readable_by "$format" "$TRACE"
	done
}

@test "a spool file from a pipe, a trace to a pipe" {
	spool 1.27 mixed -procs -delay 10m
	"$GOTAP" assemble -q - -o - <"$SPOOL" | cat >"$TRACE"
	cmp "$SHARED" "$TRACE"
}

@test "names come from the executable that was recorded and from no other" {
	spool 1.27 mixed -procs -delay 10m
	build_prog 1.27 fullload
	gotap assemble "$SPOOL" -o "$TRACE" --binary "$PROG"
	[ "$status" -eq 1 ]
	[ "${#lines[@]}" -eq 1 ]
	contains "is not the executable that was recorded"
	[ ! -e "$TRACE" ]
	build_prog 1.27 mixed
	cp "$PROG" "$BATS_TEST_TMPDIR/elsewhere"
	succeeds "$GOTAP" assemble -q "$SPOOL" -o "$TRACE" --binary "$BATS_TEST_TMPDIR/elsewhere"
	cmp "$SHARED" "$TRACE"
}

@test "what is no spool file" {
	local file
	gotap assemble "$BATS_TEST_TMPDIR/none"
	[ "$status" -eq 1 ]
	contains "cannot open '$BATS_TEST_TMPDIR/none': No such file"
	spool 1.27 mixed -procs -delay 10m
	head -c 100 "$SPOOL" >"$BATS_TEST_TMPDIR/short"
	: >"$BATS_TEST_TMPDIR/empty"
	for file in /etc/passwd "$SHARED" "$BATS_TEST_TMPDIR/short" "$BATS_TEST_TMPDIR/empty"; do
		gotap assemble "$file" -o "$TRACE"
		[ "$status" -eq 1 ]
		[ "${#lines[@]}" -eq 1 ]
		contains "'$file'"
		[ ! -e "$TRACE" ]
	done
}

@test "a spool file that was cut: a trace up to the cut, and an error" {
	local i size
	spool 1.27 mixed -procs -delay 10m
	size=$(stat -c %s "$SPOOL")
	for i in {1..10}; do
		head -c $((size / 3 + (RANDOM * 32768 + RANDOM) % (size * 2 / 3))) "$SPOOL" >"$BATS_TEST_TMPDIR/cut"
		gotap assemble -q "$BATS_TEST_TMPDIR/cut" -o "$TRACE.$i"
		[ "$status" -eq 0 ] || contains "ends in the middle of a chunk"
	done
	trace_ok "$TRACE".*
}

@test "raw records that end too early replace the trace that was there if they have a generation of one" {
	spool 1.27 mixed -procs -delay 10m
	head -c "$(($(stat -c %s "$SPOOL") - 3))" "$SPOOL" >"$BATS_TEST_TMPDIR/cut"
	echo old >"$TRACE"
	gotap assemble -q "$BATS_TEST_TMPDIR/cut" -o "$TRACE"
	[ "$status" -eq 1 ]
	[ "$output" = "gotap: '$BATS_TEST_TMPDIR/cut' ends in the middle of a chunk" ]
	trace_ok "$TRACE"
	[ ! -e "$TRACE.partial" ]
}

# What a reader has to take in the first place: files with any bytes changed.
@test "a spool file with wrong bytes gives a trace or one error, never a crash" {
	local i size at bytes
	spool 1.27 mixed -procs -delay 10m
	size=$(stat -c %s "$SPOOL")
	for i in {1..40}; do
		cp "$SPOOL" "$BATS_TEST_TMPDIR/wrong"
		at=$(((RANDOM * 32768 + RANDOM) % size)) bytes=
		while [ ${#bytes} -lt $((at % 61 + 4)) ]; do bytes+=$(printf '\\x%02x' $((RANDOM % 256))); done
		# shellcheck disable=SC2059
		printf "$bytes" | dd of="$BATS_TEST_TMPDIR/wrong" bs=1 conv=notrunc status=none seek="$at"
		gotap assemble -q "$BATS_TEST_TMPDIR/wrong" -o "$TRACE"
		[ "$status" -le 1 ]
		[ "${#lines[@]}" -le 1 ]
		[ "$status" -eq 0 ] || contains "gotap: "
	done
}

@test "200 damaged copies in memory, with sanitizers" {
	local seed=$RANDOM first
	build_lossy
	spool 1.27 mixed -procs -delay 10m
	first=$SPOOL
	spool 1.22 mixed -procs -delay 10m
	echo "seed $seed"
	"$LOSSY" damage "$first" 100 "$seed" >"$BATS_TEST_TMPDIR/first" 2>&1 3>&- &
	succeeds "$LOSSY" damage "$SPOOL" 100 "$((seed + 1))"
	wait $! || fail "$(cat "$BATS_TEST_TMPDIR/first")"
}

# loses COUNT: that many variants of $SPOOL, each with records left out, are valid; those that matter say repaired.
loses() {
	local dir seed=$RANDOM
	dir=$(mktemp -d "$BATS_TEST_TMPDIR/lossy.XXXXXX")
	build_lossy
	succeeds "$LOSSY" lose "$SPOOL" "$dir" "$1" "$seed"
	printf '%s\n' "$output" >"$dir/log"
	echo "seed $seed"
	run_logged "$ORACLE/check" "$dir"/*.trace
	[ "$status" -eq 0 ] || fail "$(grep ^FAIL <<<"$output")"
	# Nothing goes on in a program of which half of all starts and parks are missing, unless it is mended.
	awk '$2 == "half" && ($3 == "kind=1" || $3 == "kind=2" || $3 == "kind=5") && $5 == "repairs=0" { print; bad = 1 }
		$4 == "lost=0" && $2 == "one" { print; bad = 1 }
		END { exit bad }' "$dir/log"
	rm -r "$dir"
}

# loses_old COUNT: so many variants in the formats before Go 1.22 are valid by gotap's checks and by the last parser of
# them all.
loses_old() {
	local dir seed=$RANDOM
	dir=$(mktemp -d "$BATS_TEST_TMPDIR/lossy.XXXXXX")
	build_lossy
	require_go 1.21
	"$CHECKOUT/tests/oracle/build" 1.21 "$BUILD/oracle/go1.21"
	echo "seed $seed"
	succeeds "$LOSSY" lose-old "$SPOOL" "$dir" "$1" "$seed"
	"$GOTAP" check "$dir"/*.trace >"$dir/log" || fail "$(grep -v ': ok: ' "$dir/log")"
	"$BUILD/oracle/go1.21/v1parse" "$dir"/*.trace >"$dir/log" || fail "$(grep ^FAIL "$dir/log")"
	[ "$(grep -c '^ok' "$dir/log")" -eq "$1" ]
	rm -r "$dir"
}

# of_release RELEASE LOSES COUNT: with the raw records of a program of that release.
of_release() {
	spool "$1" mixed -procs -delay 10m
	"$2" "$3"
}

# for releases 1.22 1.24 1.25 newest (soak-only not newest):
#	@test "whatever records are lost the trace stays valid, Go %" { of_release % loses 40; }
# bats test_tags=soak-only
@test "whatever records are lost the trace stays valid, Go 1.22" { of_release 1.22 loses 40; }
# bats test_tags=soak-only
@test "whatever records are lost the trace stays valid, Go 1.24" { of_release 1.24 loses 40; }
# bats test_tags=soak-only
@test "whatever records are lost the trace stays valid, Go 1.25" { of_release 1.25 loses 40; }
@test "whatever records are lost the trace stays valid, Go 1.27" { of_release 1.27 loses 40; }
# end of releases

@test "whatever records are lost the trace stays valid: C threads that come and go" {
	spool 1.26 cgo
	loses 40
}

# bats test_tags=soak-only
@test "whatever records are lost the trace stays valid: much garbage" {
	spool 1.27 gc
	loses 40
}

@test "whatever records are lost the trace stays valid in the old formats, Go 1.27" { of_release 1.27 loses_old 40; }

# bats test_tags=soak-only
@test "whatever records are lost the trace stays valid in the old formats: C threads that come and go" {
	spool 1.26 cgo
	loses_old 40
}

# bats test_tags=soak-only
@test "whatever records are lost the trace stays valid in the old formats: much garbage" {
	spool 1.27 gc
	loses_old 40
}

# Others are lost in each round.
# bats test_tags=soak,soak-only
@test "whatever records are lost, again and again" {
	local n release
	build_lossy
	for ((n = 0; ; n++)); do
		goes_on 1 "$n" || break
		for release in 1.22 1.24 1.25 1.27; do
			of_release "$release" loses 160
			of_release "$release" loses_old 160
			succeeds "$LOSSY" damage "$SPOOL" 250 "$RANDOM"
		done
		spool 1.26 cgo
		loses 80
		loses_old 80
		spool 1.27 gc
		loses 80
		loses_old 80
	done
}

@test "a ring that is too small loses records, and says so; the trace stays valid" {
	require_root
	build_prog "$REFERENCE_GO" fullload
	start_target "$PROG"
	record "$TRACE" -p "$TARGET" -d 500ms --ring-size 4K
	[ "$status" -eq 0 ]
	[ "$(reported lost)" -gt 0 ]
	trace_ok "$TRACE"
	record "$TRACE" -p "$TARGET" -d 500ms --ring-size 4K --strict
	[ "$status" -eq 1 ]
	"$GOTAP" record -p "$TARGET" -d 300ms --ring-size 4K -o "$TRACE" 2>&1 | grep -q 'try a larger --ring-size'
}
