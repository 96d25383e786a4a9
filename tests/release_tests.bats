#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=beside
#
# tools/release-tests: tests that there are once for each release follow from tools/go-releases.txt.

load lib/common

setup() {
	require_tool python3
	BOX=$BATS_TEST_TMPDIR/box
	mkdir -p "$BOX"/{tools,tests}
	cp "$CHECKOUT/tools/release-tests" "$BOX/tools/"
	printf '# releases\n1.22 one\n1.23 two\n1.24 three\n' >"$BOX/tools/go-releases.txt"
	cat >"$BOX/tests/a.bats" <<-'END'
		# for releases 1.23+ (inline newest; soak 1.23 newest):
		#	@test "go %" { go %; }
		# end of releases
		# for releases 1.22 newest (soak-only not newest):
		#	@test "other %" { other %; }
		# end of releases
	END
}

@test "the tests of each release are those of the list" {
	succeeds "$CHECKOUT/tools/release-tests" --check
}

# built HOW: the releases of release.def with that word, "1.15 1.19 ..."
built() {
	sed -n "s/^RELEASE(\([0-9]*\), $1)\$/1.\1/p" "$CHECKOUT/user/release/release.def" | paste -sd ' '
}

@test "release.def takes for tested those of the list, and docs/limits.md names the others" {
	[ "$(built BUILT)" = "${ALL_GO[*]}" ]
	[[ "$(tr '\n' ' ' <"$CHECKOUT/docs/limits.md" | sed 's/, / /g; s/ and / /g; s/  */ /g')" \
		== *"no compiler of $(built READ):"* ]]
}

@test "a new release gets its tests, with their tags" {
	succeeds "$BOX/tools/release-tests"
	echo '1.25 four' >>"$BOX/tools/go-releases.txt"
	run_logged "$BOX/tools/release-tests" --check
	[ "$status" -eq 1 ]
	contains "run tools/release-tests"
	contains "tests/a.bats"
	succeeds "$BOX/tools/release-tests"
	succeeds "$BOX/tools/release-tests" --check
	grep -v '^#	\|^# for\|^# end' "$BOX/tests/a.bats" >"$BOX/lines"
	cat >"$BOX/want" <<-'END'
		%tags=soak
		%test "go 1.23" { go 1.23; }
		%test "go 1.24" { go 1.24; }
		%tags=inline,soak
		%test "go 1.25" { go 1.25; }
		%tags=soak-only
		%test "other 1.22" { other 1.22; }
		%test "other 1.25" { other 1.25; }
	END
	sed 's/^%tags=/# bats test_tags=/; s/^%/@/' "$BOX/want" | succeeds diff - "$BOX/lines"
}

@test "a release that is not in the list, and a block without an end" {
	echo '# for releases 1.9+:' >>"$BOX/tests/a.bats"
	printf '#\t@test "x %%" { x; }\n# end of releases\n' >>"$BOX/tests/a.bats"
	run_logged "$BOX/tools/release-tests"
	[ "$status" -eq 1 ]
	contains "no release '1.9+'"
	sed -i '/^# end/d' "$BOX/tests/a.bats"
	run_logged "$BOX/tools/release-tests"
	[ "$status" -eq 1 ]
	contains "no '# end of releases'"
}
