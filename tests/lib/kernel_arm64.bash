# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Helpers of the tests on arm64: load after lib/common, lib/differential and lib/kernel. gotap is cross-built, and runs in a
# virtual machine on an emulated processor (tests/kernel/guest_short, or guest), or under qemu's emulation of a program.

# require_arm64 [TARGET...]: sets $SYSROOT and $ARM64, the folder of a build for arm64, and makes TARGETs of it. The build
# of short tests takes half of the time: -O1, no DWARF.
require_arm64() {
	local why folder
	require_tool qemu-system-aarch64 qemu-aarch64-static aarch64-linux-gnu-gcc make clang
	local -a flags=(CFLAGS=-O1)
	ARM64=$BUILD/arm64-brief
	[[ $BATS_TEST_FILENAME != */soak/* ]] || { ARM64=$BUILD/arm64; flags=(); }
	SYSROOT=$("$CHECKOUT/tools/arm64-sysroot" 2>"$BATS_TEST_TMPDIR/sysroot") ||
		skip "the arm64 libraries cannot be had: $(tail -n 1 "$BATS_TEST_TMPDIR/sysroot")"
	# as `make ARCH=arm64` names it, so that both know of what a file there depends
	folder=${ARM64#"$CHECKOUT/"}
	why=$(flock "$BUILD/.arm64" env -u MAKEFLAGS -u MFLAGS make -s -j2 -C "$CHECKOUT" ARCH=arm64 "BUILD=$folder" "${flags[@]}" \
		"${@/#/$folder/}" 2>&1) ||
		fail "the cross build: $(tail -n 5 <<<"$why")"
}

# arm64_prog VERSION NAME [GO FLAG...]: sets $PROG to tests/prog/NAME.go, built for arm64.
arm64_prog() {
	local version=$1 name=$2
	shift 2
	require_go "$version"
	PROG=$BUILD/prog/arm64/go$version$([ $# = 0 ] || tr -c 'A-Za-z0-9\n' _ <<<"$*")/$name
	GOARCH=arm64 CGO_ENABLED=0 "$CHECKOUT/tests/prog/build" "$version" "$(dirname "$PROG")" -p "$name" "$@"
}

# boot_arm64 RELEASE CPU GUEST FILE...: sets $GUEST to the folder of what came out of the machine, which has run tests/kernel/GUEST.
# Its gotap is that of $ARM64, or $RECORDER.
boot_arm64() {
	local release=$1 cpu=$2 script=$3 why
	shift 3
	KERNEL=$CHECKOUT/build/kernels-arm64/$release
	[ -d "$KERNEL" ] || why=$("$CHECKOUT/tools/kernel-fetch" -a arm64 "$release" 2>&1 >/dev/null) ||
		skip "Linux $release for arm64 cannot be had: $(tail -n 1 <<<"$why")"
	mkdir -p "$BATS_TEST_TMPDIR/bin"
	cp "$CHECKOUT/tests/kernel/$script" "$BATS_TEST_TMPDIR/bin/guest"
	# what the emulated machine unpacks costs time
	aarch64-linux-gnu-strip -o "$BATS_TEST_TMPDIR/bin/gotap" "${RECORDER:-$ARM64/gotap}"
	GUEST=$BATS_TEST_TMPDIR/guest
	"$CHECKOUT/tests/kernel/initramfs" -r "$SYSROOT" "$KERNEL" "$BATS_TEST_TMPDIR/initramfs" "$BATS_TEST_TMPDIR/bin/guest" \
		"$BATS_TEST_TMPDIR/bin/gotap" "$SYSROOT/usr/bin/setpriv" "$SYSROOT/usr/sbin/bpftool" "$@" &&
		"$CHECKOUT/tests/kernel/boot" -a arm64 -c "$cpu" "$KERNEL" "$BATS_TEST_TMPDIR/initramfs" "$GUEST" ||
		fail "Linux $release did not run to its end: $(tail -n 20 "$GUEST/console")" || return
	rm "$BATS_TEST_TMPDIR/initramfs"
	[[ $(cat "$GUEST/release") == "${release%-16k}"[.-]* ]]
}

# arm64_mixed NAME VERSION [GO FLAG...]: adds tests/prog/mixed.go to $MIXED, the programs of guest_short, as NAME.
arm64_mixed() {
	local name=$1 version=$2
	shift 2
	arm64_prog "$version" mixed "$@" || return
	cp "$PROG" "$BATS_TEST_TMPDIR/$name"
	MIXED+=("$BATS_TEST_TMPDIR/$name")
}

# arm64_is_true NAME METHOD: the program NAME of guest_short was traced as the runtime traced it.
arm64_is_true() {
	step_succeeds "$1"
	method_is "$2"
	contains '"lost": 0'
	contains '"repairs_total": 0'
	views_ok "$GUEST/$1.trace"
	run_logged "$ORACLE/diff" "${KERNEL_LIMITS[@]}" "$GUEST/$1.runtime.trace" "$GUEST/$1.trace"
	[ "$status" -eq 0 ]
}

# Attached, gotap killed: the program runs on, its code is as before, no instruction was stepped.
arm64_leaves_no_trace() {
	step_succeeds attach
	views_ok "$GUEST/attach.trace"
	step_succeeds emulated
	step_succeeds killed
	views_ok "$GUEST/killed.trace.partial"
	step inline
	[ "$status" -eq 2 ]
	contains 'inline is for amd64'
}
