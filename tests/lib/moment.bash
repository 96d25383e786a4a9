# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Images on other kernels: load after lib/common and lib/kernel. tests/moment/guest works through its steps in a virtual
# machine, and what came out is judged here.

# boot_moment RELEASE [brief]: sets $GUEST to the folder of what came out of the machine.
boot_moment() {
	require_tool qemu-system-x86_64 busybox
	require_kernel_image "$1"
	[ -x "$BUILD/moment/take" ] || fail "make unit builds $BUILD/moment/take" || return
	build_prog "$REFERENCE_GO" pages
	GUEST=$BATS_TEST_TMPDIR/guest
	local -a programs=("$CHECKOUT/tests/moment/guest" "$BUILD/moment/take" "$PROG")
	[ -z "${2:-}" ] || { : >"$BATS_TEST_TMPDIR/brief"; programs+=("$BATS_TEST_TMPDIR/brief"); }
	"$CHECKOUT/tests/kernel/initramfs" "$KERNEL" "$BATS_TEST_TMPDIR/initramfs" "${programs[@]}" &&
		"$CHECKOUT/tests/kernel/boot" "$KERNEL" "$BATS_TEST_TMPDIR/initramfs" "$GUEST" ||
		fail "Linux $1 did not run to its end: $(tail -n 20 "$GUEST/console")" || return
	rm "$BATS_TEST_TMPDIR/initramfs"
	[[ $(cat "$GUEST/release") == "$1"[.-]* ]]
}

# said STEP STATUS: what take printed in the machine is in $output, with that status.
said() {
	output=$(cat "$GUEST/$1.out" "$GUEST/$1.err")
	printf '[guest] %s\n%s\n(status %s)\n' "$1" "$output" "$(cat "$GUEST/$1.status")"
	[ "$(cat "$GUEST/$1.status")" = "$2" ] || fail "$1"
}

# facts EXPRESSION: of jq.
facts() { jq -e "$1" <<<"$output" >/dev/null || fail "not so: $1"; }

ran_on() { [ "$(cat "$GUEST/$1.runs")" = 0 ] || fail "$1: the program does not run on"; }

# moment_on RELEASE SCAN [brief]: whether the kernel has PAGEMAP_SCAN.
moment_on() {
	local name tokens="token1 token2 token3" steps="clear_1 interrupt_2 copied_1 detach_2"
	boot_moment "$1" "${3:-}"
	[ -z "${3:-}" ] || tokens=token1 steps=copied_1
	for name in token $tokens after; do
		said "$name" 0
		facts ".marks and .scan == $2 and .rounds == 1"
		facts '.token + .registers >= 1 and (.ahead == 0 or .ahead == 1)'
	done
	said second 1
	contains "the soft-dirty bits of process"
	for name in $steps; do
		said "die-$name" 1
		contains "has been killed"
		ran_on "die-$name"
	done
	said few 0
	facts '.size > 60000000 and .copied_held < .size / 10'
	ran_on few
	said memory 0
	facts '.copied_held < .size'
	cmp "$GUEST/memory.before" "$GUEST/memory.after"
	cmp "$GUEST/memory.events.before" "$GUEST/memory.events.after"
	ran_on memory
	said hostile 1
	contains "MB/s of pages; an image would stop it for"
	contains '"hold_ns":0,"longest_ns":0'
	contains '"rounds":3'
	ran_on hostile
}
