# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# A Debian of arm64 in which programs run under qemu's emulation. Load after lib/common.

# arm64_root SUITE: sets $ROOT to a root of arm64 with what `make` needs (tools/arm64-sysroot --tools).
arm64_root() {
	require_root
	require_tool qemu-aarch64-static unshare
	ROOT=$("$CHECKOUT/tools/arm64-sysroot" --tools "$1" 2>"$BATS_TEST_TMPDIR/sysroot") ||
		skip "the arm64 programs of $1 cannot be had: $(tail -n 1 "$BATS_TEST_TMPDIR/sysroot")"
	arm64_in true
	[ "$status" -eq 0 ] || skip "the kernel runs no programs of arm64 by qemu: binfmt_misc of a user namespace (Linux 6.7)"
}

# arm64_in COMMAND...: runs it in $ROOT, with this checkout's source as /src, which is a copy: $BATS_TEST_TMPDIR/src. The kernel
# gives programs of arm64 to qemu in this user namespace alone: nothing of the machine is changed.
arm64_in() {
	mkdir -p "$BATS_TEST_TMPDIR/src" "$ROOT/src"
	QEMU=$(command -v qemu-aarch64-static) SRC=$BATS_TEST_TMPDIR/src run_logged unshare --user --map-root-user --mount --pid --fork bash -c '
		mount -t binfmt_misc none /proc/sys/fs/binfmt_misc &&
		printf ":aarch64:M::%s:%s:%s:F" "\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00" \
			"\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff" "$QEMU" >/proc/sys/fs/binfmt_misc/register &&
		cd "$1" && mount --bind "$SRC" src && mount -t proc proc proc && mount --rbind /dev dev &&
		exec chroot . /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C "${@:2}"' - "$ROOT" "$@"
}
