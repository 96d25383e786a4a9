#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# The differential test: a program that does everything the scheduler knows writes its own runtime/trace while gotap
# records it, and the two are held against each other, goroutine by goroutine and P by P. What differs is shown as
# diagnostics of the test, whether it passes or not.

load lib/common
load lib/record
load lib/differential

setup() {
	require_root
	oracle "$REFERENCE_GO"
}

teardown() { stop_targets; }

agree() {
	local procs
	build_prog "$1" mixed
	for procs in 1 2 4; do
		compare "Go $1" "$procs"
	done
}

# for releases 1.22+ (inline newest; inline-soak 1.22 1.24; soak-only 1.23 1.24 1.26):
#	@test "gotap sees what the runtime sees: Go %, GOMAXPROCS 1, 2, 4" { agree %; }
# bats test_tags=inline-soak
@test "gotap sees what the runtime sees: Go 1.22, GOMAXPROCS 1, 2, 4" { agree 1.22; }
# bats test_tags=soak-only
@test "gotap sees what the runtime sees: Go 1.23, GOMAXPROCS 1, 2, 4" { agree 1.23; }
# bats test_tags=inline-soak,soak-only
@test "gotap sees what the runtime sees: Go 1.24, GOMAXPROCS 1, 2, 4" { agree 1.24; }
@test "gotap sees what the runtime sees: Go 1.25, GOMAXPROCS 1, 2, 4" { agree 1.25; }
# bats test_tags=soak-only
@test "gotap sees what the runtime sees: Go 1.26, GOMAXPROCS 1, 2, 4" { agree 1.26; }
# bats test_tags=inline
@test "gotap sees what the runtime sees: Go 1.27, GOMAXPROCS 1, 2, 4" { agree 1.27; }
# end of releases
