#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=beside
#
# gotap text, wire and check beside Go's own reading side: internal/trace/raw, the reader and the validator of the
# reference release, on the runtime's traces of every release and on what a fuzzer makes of them.

load lib/common

VECTORS=$CHECKOUT/tests/vectors

# readfuzz: sets $READFUZZ to Go's side as a program.
readfuzz() {
	require_go "$REFERENCE_GO"
	READFUZZ=$BUILD/oracle/readfuzz
	alone readfuzz build_readfuzz
}

build_readfuzz() {
	[ -x "$READFUZZ" ] && [ -z "$(find "$CHECKOUT/tests/oracle/readfuzz" -newer "$READFUZZ" -print -quit)" ] ||
		"$CHECKOUT/tests/oracle/readfuzz/build.sh" "${GO%/bin/go}" "$READFUZZ"
}

# runtime_trace VERSION: sets $TRACE to a trace that this release's runtime wrote. Of Go 1.26 and later, some make the
# MMU page panic, which gotap check tells (see part f of tools/bench): another one is made then.
runtime_trace() {
	TRACE=$BATS_FILE_TMPDIR/go$1.trace
	[ -s "$TRACE" ] && return
	build_prog "$1" mixed
	for _ in 1 2 3; do
		"$PROG" -trace "$TRACE" -delay 50ms -dur 1300ms -rounds 1000 -tail 0 -procs >/dev/null
		! views_ok "$TRACE" || return 0
	done
	false
}

# go_tests VERSION: prints the text traces of this release's own tests.
go_tests() {
	require_go "$1"
	find "${GO%/bin/go}/src/internal/trace" -path '*/testdata/tests/*.test' | sort
}

# same_both_ways TRACE: text and wire do what Go's do with it, and lead back.
same_both_ways() {
	local dir=$BATS_TEST_TMPDIR
	succeeds "$GOTAP" text "$1" -o "$dir/ours.txt" || return
	"$READFUZZ" text "$1" >"$dir/go.txt"
	cmp "$dir/ours.txt" "$dir/go.txt" || return
	succeeds "$GOTAP" wire "$dir/ours.txt" -o "$dir/ours.trace" || return
	"$READFUZZ" wire "$dir/go.txt" >"$dir/go.trace"
	cmp "$dir/ours.trace" "$dir/go.trace" || return
	"$GOTAP" text - <"$dir/ours.trace" | cmp - "$dir/ours.txt"
}

# checked_as_go TRACE: gotap check gives Go's verdict, after as many events.
checked_as_go() {
	local kind events
	IFS=$'\t' read -r _ kind events _ < <("$READFUZZ" verdict "$1")
	gotap check --json "$1"
	if [ "$kind" = ok ]; then
		[ "$status" -eq 0 ]
		contains "\"events\": $events,"
	else
		[ "$status" -eq 1 ]
		contains "\"kind\": \"$kind\", \"after_events\": $events,"
	fi
}

for_release() {
	local version=$1
	readfuzz
	runtime_trace "$version"
	checked_as_go "$TRACE"
	[ "$status" -eq 0 ]
	same_both_ways "$TRACE"
	"$GOTAP" check - <"$TRACE" | grep -q '^-: ok: '
}

# for releases 1.22+ (soak-only not 1.22 newest):
#	@test "text, wire and check agree with Go on a trace of Go %" { for_release %; }
@test "text, wire and check agree with Go on a trace of Go 1.22" { for_release 1.22; }
# bats test_tags=soak-only
@test "text, wire and check agree with Go on a trace of Go 1.23" { for_release 1.23; }
# bats test_tags=soak-only
@test "text, wire and check agree with Go on a trace of Go 1.24" { for_release 1.24; }
# bats test_tags=soak-only
@test "text, wire and check agree with Go on a trace of Go 1.25" { for_release 1.25; }
# bats test_tags=soak-only
@test "text, wire and check agree with Go on a trace of Go 1.26" { for_release 1.26; }
@test "text, wire and check agree with Go on a trace of Go 1.27" { for_release 1.27; }
# end of releases

tests_of_release() {
	local file expect trace=$BATS_TEST_TMPDIR/t.trace n=0
	readfuzz
	for file in $(go_tests "$1"); do
		succeeds "$GOTAP" wire "$file" -o "$trace"
		same_both_ways "$trace"
		checked_as_go "$trace"
		expect=$(sed -n '/^-- expect --$/{n;p;q}' "$file")
		case $expect in
		SUCCESS) [ "$status" -eq 0 ] ;;
		*) matches "$(sed 's/^FAILURE "\(.*\)"$/\1/' <<<"$expect")" ;;
		esac
		n=$((n + 1))
	done
	[ "$n" -ge 19 ]
}

# for releases 1.22+ (soak-only not 1.22 newest):
#	@test "Go %'s own test traces" { tests_of_release %; }
@test "Go 1.22's own test traces" { tests_of_release 1.22; }
# bats test_tags=soak-only
@test "Go 1.23's own test traces" { tests_of_release 1.23; }
# bats test_tags=soak-only
@test "Go 1.24's own test traces" { tests_of_release 1.24; }
# bats test_tags=soak-only
@test "Go 1.25's own test traces" { tests_of_release 1.25; }
# bats test_tags=soak-only
@test "Go 1.26's own test traces" { tests_of_release 1.26; }
@test "Go 1.27's own test traces" { tests_of_release 1.27; }
# end of releases

@test "events come in Go's order, with Go's times and context" {
	local dump=$BUILD/unit/read_events
	readfuzz
	runtime_trace 1.27
	[ -x "$dump" ] || skip "needs $dump: make unit"
	"$dump" "$TRACE" >"$BATS_TEST_TMPDIR/ours"
	"$READFUZZ" events "$TRACE" | cmp - "$BATS_TEST_TMPDIR/ours"
}

@test "a thousand mutants of every seed get Go's verdict" {
	local seeds file
	readfuzz
	mkdir -p "$BATS_TEST_TMPDIR/seeds"
	for file in $(go_tests 1.27); do
		"$GOTAP" wire "$file" -o "$BATS_TEST_TMPDIR/seeds/$(basename "$file" .test).trace"
	done
	seeds=("$VECTORS"/*.trace "$BATS_TEST_TMPDIR"/seeds/*.trace
		"${GO%/bin/go}"/src/internal/trace/testdata/fuzz/FuzzReader/*)
	succeeds "$READFUZZ" fuzz -gotap "$GOTAP" -n "${READFUZZ_MUTANTS:-10000}" -seed "${READFUZZ_SEED:-1}" \
		"${seeds[@]}"
	contains ", 0 without agreement"
}

@test "check names place, event, rule and state" {
	gotap check "$VECTORS/bad_steal_unknown_m.trace"
	[ "$status" -eq 1 ]
	contains "generation 1, batch 2, byte 73, thread 2: ProcSteal p=0 p_seq=2 m=77: "
	contains "stole proc from non-existent thread 77"
	contains "P 0 is Idle"
	[ "${#lines[@]}" -eq 1 ]
}

@test "check goes on after a bad file and tells good from bad by its status" {
	gotap check "$VECTORS/ok_goswitch.trace"
	[ "$status" -eq 0 ]
	gotap check "$VECTORS/bad_dup_string.trace" "$VECTORS/ok_goswitch.trace" "$CHECKOUT/Makefile"
	[ "$status" -eq 1 ]
	[ "${#lines[@]}" -eq 3 ]
	[[ ${lines[1]} == *": ok: "* ]]
	[[ ${lines[2]} == *"not a Go execution trace"* ]]
	gotap check "$VECTORS/bad_dup_string.trace" "$BATS_TEST_TMPDIR/none"
	[ "$status" -eq 2 ]
	gotap check "$BATS_TEST_TMPDIR"
	[ "$status" -eq 2 ]
	contains "$BATS_TEST_TMPDIR: cannot read: Is a directory"
	gotap check
	[ "$status" -eq 2 ]
	gotap check --bogus
	[ "$status" -eq 2 ]
}

@test "check --lenient keeps to the reader's rules" {
	gotap check "$VECTORS/val_golabel_empty.trace"
	[ "$status" -eq 1 ]
	contains "[validator"
	gotap check --lenient "$VECTORS/val_golabel_empty.trace" "$VECTORS/bad_cpu_sample_stack.trace"
	[ "$status" -eq 0 ]
}

@test "check reads what comes before the damage" {
	local ends whole
	require_tool jq
	runtime_trace 1.25
	"${CC:-cc}" -O1 -o "$BATS_TEST_TMPDIR/generations" "$CHECKOUT/tests/lib/generations.c"
	mapfile -t ends < <("$BATS_TEST_TMPDIR/generations" "$TRACE")
	[ "${#ends[@]}" -ge 2 ]
	head -c "${ends[-2]}" "$TRACE" >"$BATS_TEST_TMPDIR/whole.trace"
	whole=$("$GOTAP" check --json "$BATS_TEST_TMPDIR/whole.trace" | jq .events)
	[ "$whole" -gt 1000 ]
	# amid the last generation
	head -c $(((ends[-2] + ends[-1]) / 2)) "$TRACE" >"$BATS_TEST_TMPDIR/cut.trace"
	gotap check --json "$BATS_TEST_TMPDIR/cut.trace"
	[ "$status" -eq 1 ]
	[ "$(jq .fault.generation <<<"$output")" -eq "${#ends[@]}" ]
	# the Sync at the end of a whole trace is not there
	[ "$(jq .events <<<"$output")" -ge $((whole - 1)) ]
}

@test "text and wire take - and report what is wrong" {
	"$GOTAP" text - <"$VECTORS/ok_goswitch.trace" | "$GOTAP" wire - -o - | cmp - "$VECTORS/ok_goswitch.trace"
	printf 'Trace Go1.22\nProcStop\n' >"$BATS_TEST_TMPDIR/bad.txt"
	gotap wire "$BATS_TEST_TMPDIR/bad.txt" -o "$BATS_TEST_TMPDIR/bad.trace"
	[ "$status" -eq 1 ]
	contains "bad.txt: line 2: argument 'dt' is missing"
	[ ! -e "$BATS_TEST_TMPDIR/bad.trace" ]
	gotap wire "$BATS_TEST_TMPDIR/bad.txt"
	[ "$status" -eq 2 ]
	cp "$VECTORS/ok_goswitch.trace" "$BATS_TEST_TMPDIR/same"
	gotap text "$BATS_TEST_TMPDIR/same" -o "$BATS_TEST_TMPDIR/same"
	[ "$status" -eq 1 ]
	cmp "$BATS_TEST_TMPDIR/same" "$VECTORS/ok_goswitch.trace"
	gotap text "$VECTORS/bad_batch_truncated.trace" -o /dev/full
	[ "$status" -eq 1 ]
}

@test "a long trace is read in little memory" {
	require_tool prlimit
	readfuzz
	runtime_trace 1.27
	"$READFUZZ" text "$TRACE" >"$BATS_TEST_TMPDIR/a.txt"
	for _ in $(seq 20); do cat "$BATS_TEST_TMPDIR/a.txt"; done | sed '1!{/^Trace /d}' |
		"$GOTAP" wire - -o "$BATS_TEST_TMPDIR/long.trace"
	succeeds prlimit --as=25165824 "$GOTAP" text "$BATS_TEST_TMPDIR/long.trace" -o /dev/null
	succeeds prlimit --as=25165824 "$GOTAP" wire "$BATS_TEST_TMPDIR/a.txt" -o /dev/null
	succeeds prlimit --as=33554432 "$GOTAP" check "$TRACE"
}

# Fixed costs (windows, recent goroutines, libraries) are within 8 MiB; 25 times its size is what a file of nothing
# but goroutines or threads with something open may cost, while a real trace costs a fraction of its size. CPU time is
# a second or less where it grows as the file does; where it grows with the square, it is hours.
@test "the memory and time that a hostile file takes are bounded by its size" {
	local hostile=$BATS_FILE_TMPDIR/hostile kind bytes=4000000
	require_tool prlimit
	gcc -O1 -I"$CHECKOUT/include" -o "$hostile" "$CHECKOUT/tests/lib/hostile.c"
	for kind in $("$hostile"); do
		"$hostile" "$kind" "$bytes" >"$BATS_TEST_TMPDIR/t.trace"
		succeeds prlimit --cpu=100 --data=$((25 * bytes + 8388608)) "$GOTAP" check "$BATS_TEST_TMPDIR/t.trace"
		contains ": ok: go 1.23, "
	done
}
