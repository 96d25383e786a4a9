#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=beside
#
# tests/run and .ci/run, with tests of their own that pass, fail, crash, hang, and fail only once:
# in a folder that has what the two need, and nothing of gotap.

load lib/common

setup() {
	BOX=$BATS_TEST_TMPDIR/box
	mkdir -p "$BOX"/{tests/lib,.ci,build/unit,tools}
	cp "$CHECKOUT/tests/run" "$BOX/tests/"
	cp "$CHECKOUT/tests/lib/excerpts.awk" "$CHECKOUT/tests/lib/retry.bash" "$BOX/tests/lib/"
	cp "$CHECKOUT/.ci/run" "$BOX/.ci/"
	: >"$BOX/tools/go-releases.txt"
	printf 'test:\n\t@tests/run $(ARGS)\n' >"$BOX/Makefile"
	export ONCE=$BOX/once
}

# bats_file NAME: the lines of standard input as a bats file, in which a test begins with %test, and
# its tags with %tags=: an @test at the beginning of a line here would be one of this file, and tags
# would be those of the next one.
bats_file() { { printf '#!/usr/bin/env bats\n'; sed 's/^%test/@test/; s/^%tags=/# bats test_tags=/'; } >"$BOX/tests/$1.bats"; }

# unit_file NAME: as a unit test.
unit_file() {
	{ printf '#!/usr/bin/env bash\n'; cat; } >"$BOX/build/unit/$1"
	chmod +x "$BOX/build/unit/$1"
}

# runs ARGUMENT...: tests/run there, as if nobody had started it from bats.
runs() { BUILD=build run_logged env -u BATS_TEST_FILTER "$BOX/tests/run" "$@"; }

# ends_with TEXT: that is the last line.
ends_with() { [ "${lines[-1]}" = "$1" ] || fail "the last line is '${lines[-1]}'"; }

# A test that fails when it runs for the first time.
flaky_bats() {
	bats_file flaky <<-'END'
		%test "steady" { true; }
		%test "only (sometimes) good: 2.5 * 2 [a] \$x" {
			[ ! -e "$ONCE" ] || { echo "the second time"; echo "## it went well" >&3; return 0; }
			: >"$ONCE"
			echo "what was wrong"
			false
		}
	END
}

@test "all pass" {
	bats_file good <<<'%test "one" { true; }'
	unit_file room_what <<<'echo 1..2; echo ok 1 - a; echo ok 2 - b "# SKIP no reason"'
	runs -r 60
	[ "$status" -eq 0 ]
	contains "skipped  build/unit/room_what: b (no reason)"
	ends_with "2 passed, 0 failed, 1 skipped"
}

@test "each file has a line with its time and the CPU time of all that it ran" {
	unit_file room_burns <<-'END'
		used() { awk '{ print ($14 + $15) * 1000 / '"$(getconf CLK_TCK)"' }' "/proc/$1/stat"; }
		( me=$BASHPID; until [ "$(used "$me" | cut -d . -f 1)" -ge 500 ]; do for ((i = 0; i < 5000; i++)); do :; done; done )
		echo 1..1; echo ok 1 - burnt
	END
	runs
	matches '^# build/unit/room_burns: 1 tests, [0-9.]+ s, (0\.[5-9]|[1-9])[0-9.]* s of CPU$'
}

@test "nothing ran: that is no success" {
	runs
	[ "$status" -eq 1 ]
	ends_with "0 passed, 0 failed, 0 skipped"
}

@test "a test that fails once and then passes is flaky, with both outputs, and does not count as failed" {
	flaky_bats
	runs -r 60
	[ "$status" -eq 0 ]
	contains 'flaky: tests/flaky.bats: only (sometimes) good: 2.5 * 2 [a] $x'
	contains "# what was wrong"
	contains "## it went well"
	! contains "again: tests/flaky.bats: steady" || fail "not so"
	! matches '^FAILED' || fail "not so"
	ends_with "2 passed, 0 failed, 0 skipped"
}

@test "without -r it has failed" {
	flaky_bats
	runs
	[ "$status" -eq 1 ]
	contains "FAILED   tests/flaky.bats: only (sometimes) good"
	ends_with "1 passed, 1 failed, 0 skipped"
}

@test "what fails twice has failed, and only that test runs again" {
	bats_file bad <<-'END'
		%test "counted" { echo x >>"$ONCE"; }
		%test "always bad" { echo "why it is so"; false; }
	END
	runs -r 60
	[ "$status" -eq 1 ]
	[ "$(wc -l <"$ONCE")" -eq 1 ]
	matches '^FAILED   tests/bad.bats: always bad$'
	contains "and again, alone:"
	! contains "flaky:" || fail "not so"
	ends_with "1 passed, 1 failed, 0 skipped"
}

@test "what is skipped the second time has not passed" {
	bats_file skips <<-'END'
		%test "one" { [ ! -e "$ONCE" ] || skip "no more"; : >"$ONCE"; false; }
	END
	runs -r 60
	[ "$status" -eq 1 ]
	ends_with "0 passed, 1 failed, 0 skipped"
}

@test "a unit test runs again as a whole, once for all that failed in it" {
	unit_file room_what <<-'END'
		echo 1..3
		echo ok 1 - a
		[ ! -e "$ONCE" ] || { echo ok 2 - b; echo ok 3 - c; echo x >>"$ONCE"; exit; }
		: >"$ONCE"
		echo not ok 2 - b
		echo not ok 3 - c
		exit 1
	END
	runs -r 60
	[ "$status" -eq 0 ]
	[ "$(wc -l <"$ONCE")" -eq 1 ]
	contains "flaky: build/unit/room_what: b"
	contains "flaky: build/unit/room_what: c"
	ends_with "3 passed, 0 failed, 0 skipped"
}

@test "a crash once is flaky, and counts the tests that came to run then" {
	unit_file room_crash <<-'END'
		echo 1..3
		echo ok 1 - a
		[ -e "$ONCE" ] || { : >"$ONCE"; kill -SEGV $$; }
		echo ok 2 - b
		echo ok 3 - c
	END
	runs -r 60
	[ "$status" -eq 0 ]
	contains "flaky: build/unit/room_crash: ended with status 139"
	ends_with "3 passed, 0 failed, 0 skipped"
}

@test "a crash twice has failed; and so has a file that ends before its plan" {
	unit_file room_crash <<<'echo 1..3; echo ok 1 - a; kill -SEGV $$'
	unit_file room_short <<<'echo 1..3; echo ok 1 - a'
	runs -r 60
	[ "$status" -eq 1 ]
	contains "FAILED   build/unit/room_crash: ended with status 139"
	contains "FAILED   build/unit/room_short: 1 of 3 tests ran"
	ends_with "2 passed, 2 failed, 0 skipped"
}

@test "a hang is ended, once and again, and the others run" {
	unit_file room_hang <<<'echo 1..1; exec sleep 600'
	bats_file good <<<'%test "one" { true; }'
	runs -t 6 -r 20
	[ "$status" -eq 1 ]
	contains "FAILED   build/unit/room_hang: was ended after"
	contains "and again, alone:"
	ends_with "1 passed, 1 failed, 0 skipped"
}

@test "no second run begins when the time for them is over" {
	unit_file room_a <<<'echo 1..1; echo not ok 1 - a; exec sleep 600'
	unit_file room_b <<<'echo 1..1; echo not ok 1 - b; exit 1'
	runs -t 1 -r 1
	[ "$status" -eq 1 ]
	contains "again: build/unit/room_a: a"
	! contains "again: build/unit/room_b: b" || fail "not so"
	contains "no time is left"
}

@test "more failures than can be luck do not run again" {
	unit_file room_many <<<'echo 1..21; for i in {1..21}; do echo "not ok $i - n$i"; done; exit 1'
	runs -r 60
	[ "$status" -eq 1 ]
	contains "21 failures: too many"
	ends_with "0 passed, 21 failed, 0 skipped"
}

@test "at the deadline a file is ended, and none begins" {
	unit_file room_a <<<'echo 1..1; exec sleep 600'
	bats_file late <<<'%test "one" { true; }'
	runs -e $((EPOCHSECONDS + 8)) -r 60 room_a late
	[ "$status" -eq 1 ]
	contains "FAILED   build/unit/room_a: was ended after"
	runs -e $((EPOCHSECONDS - 1)) late
	contains "FAILED   tests/late.bats: was not begun: the time was over"
}

@test ".ci/run: flaky tests are named, and the last line is the summary" {
	flaky_bats
	run_logged "$BOX/.ci/run"
	[ "$status" -eq 0 ]
	contains "flaky: tests/flaky.bats: only (sometimes) good"
	ends_with "2 passed, 0 failed, 0 skipped"
}

@test ".ci/run: a failure, and no test at all" {
	bats_file bad <<<'%test "always bad" { false; }'
	run_logged "$BOX/.ci/run"
	[ "$status" -ne 0 ]
	ends_with "0 passed, 1 failed, 0 skipped"
	printf 'test:\n\tfalse\n' >"$BOX/Makefile"
	run_logged "$BOX/.ci/run"
	[ "$status" -ne 0 ]
	contains "no tests ran"
	ends_with "0 passed, 0 failed, 0 skipped"
}

# meets NAME: says that it has come and waits for the other one.
meets() {
	bats_file "$1" <<-END
		%test "$1 meets $2" {
			: >"$BOX/$1.came"
			for i in {1..600}; do [ ! -e "$BOX/$2.came" ] || return 0; sleep 0.05; done
			false
		}
	END
}

@test "files that may run together do; one that must be alone comes last, when none runs" {
	meets a b
	meets b a
	bats_file c <<<'%test "c" { true; }'
	{ printf '# bats file_tags=alone\n'; cat; } <<-END | bats_file alone
		%test "the others have ended" { [ -e "$BOX/a.came" ] && [ -e "$BOX/b.came" ]; }
	END
	unit_file room_what <<<'echo 1..1; echo ok 1 - u'
	runs -j 2
	[ "$status" -eq 0 ]
	[ "$(grep -oE '^# tests/[a-z]+\.bats:' <<<"$output" | tail -n 1)" = "# tests/alone.bats:" ]
	ends_with "5 passed, 0 failed, 0 skipped"
}

@test "a file that fails in a lane is shown with its failure" {
	for name in a b; do bats_file $name <<<'%test "one" { true; }'; done
	bats_file c <<-'END'
		%test "bad" { echo why it is so; false; }
	END
	runs -j 2
	[ "$status" -eq 1 ]
	contains "FAILED   tests/c.bats: bad"
	contains "why it is so"
	ends_with "2 passed, 1 failed, 0 skipped"
}

# --- tests/soak/run ---

soak_box() {
	mkdir "$BOX/tests/soak"
	cp "$CHECKOUT/tests/soak/run" "$BOX/tests/soak/"
	bats_file mixed <<-'END'
		%test "short" { echo short >>"$ONCE"; }
		%tags=inline,soak
		%test "long" { echo "$SOAK $SOAK_SEED" >>"$ONCE"; }
		%tags=soak-only
		%test "only there" { echo once >>"$ONCE"; }
		%test "last" {
			[ ! -e "$ONCE.fails" ] || { rm "$ONCE.fails"; false; }
		}
	END
	{ printf '# bats file_tags=soak\n'; cat; } <<-'END' | bats_file soak/longest
		%test "a" { echo "$SOAK $SOAK_SEED" >>"$ONCE"; }
	END
}

@test "soak: the tests with the tag, each for its part of the time, with the seed" {
	soak_box
	run_logged "$BOX/tests/soak/run" --seconds 20 --seed 7
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "soak: 2 tests, 10 s each, and 1 once; the seed is 7" ]
	[ "$(sort "$ONCE")" = $'10 7\n10 7\nonce' ]
	ends_with "3 passed, 0 failed, 0 skipped"
	run_logged "$BOX/tests/soak/run" --seconds 20
	matches '^soak: 2 tests, 10 s each, and 1 once; the seed is [1-9][0-9]*$'
	run_logged "$BOX/tests/soak/run" --seconds x
	[ "$status" -eq 2 ]
	contains "'x' is not a number"
}

@test "soak-only: left out, but for its tag and by its name; what fails behind it runs again by its own name" {
	soak_box
	: >"$ONCE.fails"
	runs -r 60
	[ "$status" -eq 0 ]
	contains "flaky: tests/mixed.bats: last"
	ends_with "3 passed, 0 failed, 0 skipped"
	! grep -qx once "$ONCE" || fail "it ran"
	runs -f 'only there' mixed
	ends_with "1 passed, 0 failed, 0 skipped"
	runs -g soak-only mixed
	ends_with "1 passed, 0 failed, 0 skipped"
	[ "$(grep -cx once "$ONCE")" -eq 2 ]
}

@test "what is only in tests/soak does not run with all, but by its name" {
	soak_box
	runs
	[ "$status" -eq 0 ]
	! contains "tests/soak" || fail "it ran"
	ends_with "3 passed, 0 failed, 0 skipped"
	runs longest
	ends_with "1 passed, 0 failed, 0 skipped"
}
