#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=beside
#
# Programs of arm64 on this machine, whatever it is: cross-built, and judged by binutils for aarch64. No emulator.

load lib/common

setup() { require_tool aarch64-linux-gnu-objdump; }

# cross ARCH VERSION NAME [FLAG...]: sets $PROG to tests/prog/NAME.go, built for that architecture.
cross() {
	local arch=$1 version=$2 name=$3 dir
	require_go "$version"
	dir=$BUILD/prog/$arch/go$version
	shift 3
	[ $# -eq 0 ] || dir+=-$(tr -c 'A-Za-z0-9\n' _ <<<"$*")
	GOARCH=$arch CGO_ENABLED=0 "$CHECKOUT/tests/prog/build" "$version" "$dir" -p "$name" "$@"
	PROG=$dir/$name
}

# judged VERSION: each place of a probe is the instruction that gotap takes it for.
judged() {
	cross arm64 "$1" queries
	GOTAP_TEST_ARM64=$PROG succeeds "$BUILD/unit/target_arm64"
	matches '^ok [0-9]+ - .*the decoder knows what objdump knows'
	# frames and tables by the program's own symbols and DWARF data
	GOTAP_TEST_BINARIES=$PROG succeeds "$BUILD/unit/symbol_pclntab"
	GOTAP_TEST_BINARIES=$PROG succeeds "$BUILD/unit/symbol_sources"
}

# lacks: the functions without a place, in the output of doctor --json.
lacks() { jq -r '.missing_probes[] | "\(.function): \(.why)"' <<<"$output" | sort; }

# same_functions VERSION: the functions that have a probe are those of the same program for amd64, and none is missing more.
same_functions() {
	local there
	cross amd64 "$1" queries
	gotap doctor --json -e all "$PROG"
	there=$(lacks)
	[ -n "$there" ] || [ "${1#1.}" -ge 23 ]
	[ "${1#1.}" -ge 21 ] || there=$(sort <<<"$there"$'\nruntime.adjustframe: from Go 1.21 on')
	cross arm64 "$1" queries
	gotap doctor --json -e all "$PROG"
	[ "$status" -eq 0 ]
	[ "$(lacks)" = "$there" ] || fail "amd64: $there; arm64: $(lacks)"
	[ "$(jq '[.probes[] | select(.emulated)] | length' <<<"$output")" -gt 60 ]
}

# for releases 1.15 1.19 1.21+ (soak-only not 1.15 newest):
#	@test "places in a program of Go %" { judged %; }
@test "places in a program of Go 1.15" { judged 1.15; }
# bats test_tags=soak-only
@test "places in a program of Go 1.19" { judged 1.19; }
# bats test_tags=soak-only
@test "places in a program of Go 1.21" { judged 1.21; }
# bats test_tags=soak-only
@test "places in a program of Go 1.22" { judged 1.22; }
# bats test_tags=soak-only
@test "places in a program of Go 1.23" { judged 1.23; }
# bats test_tags=soak-only
@test "places in a program of Go 1.24" { judged 1.24; }
# bats test_tags=soak-only
@test "places in a program of Go 1.25" { judged 1.25; }
# bats test_tags=soak-only
@test "places in a program of Go 1.26" { judged 1.26; }
@test "places in a program of Go 1.27" { judged 1.27; }
# end of releases

# for releases 1.15 1.19 1.21+ (soak-only not 1.15 newest):
#	@test "Go % has the same probes as for amd64" { same_functions %; }
@test "Go 1.15 has the same probes as for amd64" { same_functions 1.15; }
# bats test_tags=soak-only
@test "Go 1.19 has the same probes as for amd64" { same_functions 1.19; }
# bats test_tags=soak-only
@test "Go 1.21 has the same probes as for amd64" { same_functions 1.21; }
# bats test_tags=soak-only
@test "Go 1.22 has the same probes as for amd64" { same_functions 1.22; }
# bats test_tags=soak-only
@test "Go 1.23 has the same probes as for amd64" { same_functions 1.23; }
# bats test_tags=soak-only
@test "Go 1.24 has the same probes as for amd64" { same_functions 1.24; }
# bats test_tags=soak-only
@test "Go 1.25 has the same probes as for amd64" { same_functions 1.25; }
# bats test_tags=soak-only
@test "Go 1.26 has the same probes as for amd64" { same_functions 1.26; }
@test "Go 1.27 has the same probes as for amd64" { same_functions 1.27; }
# end of releases

@test "stripped, and position independent: the same probes" {
	local probes
	cross arm64 1.27 queries
	gotap doctor --json "$PROG"
	probes=$(jq '.probes | length' <<<"$output")
	cross arm64 1.27 queries -buildmode=pie -ldflags=-s\ -w
	gotap doctor --json "$PROG"
	[ "$status" -eq 0 ]
	[ "$(jq '.probes | length' <<<"$output")" -eq "$probes" ]
}

@test "doctor says on which machine it can be traced" {
	[ "$(uname -m)" = x86_64 ] || skip "this machine is of arm64 itself"
	cross arm64 1.27 mixed
	gotap doctor "$PROG"
	[ "$status" -eq 0 ]
	contains "This program can be traced, on a machine of arm64."
	matches '^  note  architecture +arm64: '
	matches '^  runtime\.releasep +0x[0-9a-f]+ +0\.8 us +emulated +b\.ls at \+0x[0-9a-f]+, dropped if taken$'
	matches '^  runtime\.gcAssistAlloc +0x[0-9a-f]+ +1\.4 us +stepped '
	[[ $output != *"--attach inline"* ]]
}

@test "a recording of a program of another architecture is refused" {
	[ "$(uname -m)" = x86_64 ] || skip "this machine is of arm64 itself"
	require_root
	cross arm64 1.27 mixed
	gotap record -o "$BATS_TEST_TMPDIR/t" -- "$PROG"
	[ "$status" -eq 125 ]
	contains "is a program for arm64, and this machine is of amd64"
	[ "$(wc -l <<<"$output")" -eq 1 ]
	[ ! -e "$BATS_TEST_TMPDIR/t" ]
}
