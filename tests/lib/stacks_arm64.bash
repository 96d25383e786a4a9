# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Stacks of goroutines on arm64, of a process, of its core file there, and of that on this machine: load after lib/common and
# lib/kernel_arm64.

same_as() {
	succeeds python3 "$CHECKOUT/tests/lib/same_stacks.py" "$1" "$2"
}

# Go 1.15: its own dump has the inlined runtime.goparkunlock, which no other release shows.
stacks_are_true() {
	local name=$1 dir=$GUEST/$1
	step_succeeds "$name"
	sed '/^runtime.goparkunlock/,+1d' "$dir/dump.2" >"$dir/dump"
	same_as "$dir/ours" "$dir/dump"
	same_as "$dir/image" "$dir/dump"
	"$GOTAP" stacks --core "$dir/core" --exe "$BATS_TEST_TMPDIR/$name" >"$dir/here" || fail "$name here"
	same_as "$dir/here" "$dir/dump"
	[ "$name" = stacked-1.15 ] || succeeds python3 "$CHECKOUT/tests/lib/same_labels.py" "$dir/json" "$dir/dump.1"
}

# boot_stacks KERNEL RELEASE...: runs guest_stacks there on tests/prog/stacked.go of these releases, as stacked-RELEASE, and on
# a stripped PIE of the newest one, as stacked-stripped.
boot_stacks() {
	local kernel=$1 release
	local -a programs=()
	shift
	for release; do
		arm64_prog "$release" stacked
		cp "$PROG" "$BATS_TEST_TMPDIR/stacked-$release"
		programs+=("$BATS_TEST_TMPDIR/stacked-$release")
	done
	arm64_prog "$REFERENCE_GO" stacked -buildmode=pie '-ldflags=-s -w'
	cp "$PROG" "$BATS_TEST_TMPDIR/stacked-stripped"
	boot_arm64 "$kernel" neoverse-n1 guest_stacks "${programs[@]}" "$BATS_TEST_TMPDIR/stacked-stripped"
}
