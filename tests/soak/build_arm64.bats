#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=beside,soak-only
#
# gotap is built for arm64: on another machine with the libraries of Debian 12 and of Debian 13; in a Debian 13, as packages;
# the packages, the static program, the image and the release of this machine's Debian; and natively, in a root of arm64. What
# was built runs under qemu's emulation of programs; what is given to others also records, in a virtual machine.

load ../lib/common
load ../lib/differential
load ../lib/kernel
load ../lib/kernel_arm64
load ../lib/chroot
load ../lib/arm64_root

setup() { require_tool qemu-aarch64-static aarch64-linux-gnu-gcc; }

# Unit tests of rooms that depend on the architecture or on its libraries.
UNITS="rings_ring stream_chunk frames_stacks symbol_pcvalue capture_budget capture_region_budget tables_tables"

# make_arm64 ARGUMENT...: sets $DIR, where the results are, and $SYSROOT, the libraries of arm64 that it was built with.
make_arm64() {
	DIR=$BATS_TEST_TMPDIR/build
	succeeds make -s -j2 -C "$CHECKOUT" ARCH=arm64 "BUILD=$DIR" "$@"
	[[ $output != *warning:* ]]
}

# is_arm64 FILE
is_arm64() { [ "$(readelf -h "$1" | sed -n 's/^ *Machine: *//p')" = AArch64 ]; }

# emulated FILE ARGUMENT...
emulated() { succeeds qemu-aarch64-static -L "$SYSROOT" "$@"; }

# commands_work ROOT PROGRAM: what gotap does with files, as a program of arm64 with the libraries of ROOT.
commands_work() {
	SYSROOT=$1
	emulated "$2" --version
	contains "build: arm64, gcc"
	build_prog "$REFERENCE_GO" mixed
	"$PROG" -trace "$BATS_TEST_TMPDIR/t" -dur 100ms -tail 0s >/dev/null
	emulated "$2" check "$BATS_TEST_TMPDIR/t"
	emulated "$2" report "$BATS_TEST_TMPDIR/t"
	contains main.
	run_logged qemu-aarch64-static -L "$SYSROOT" "$2" doctor "$PROG"
	contains "a machine of it can record the program; this one, of arm64"
}

# records SYSROOT PROGRAM: this gotap, with the libraries of SYSROOT, in a virtual machine: a program is launched, against the
# runtime's own trace, and one attached to.
records() {
	local -a MIXED=()
	require_tool qemu-system-aarch64
	oracle "$REFERENCE_GO"
	SYSROOT=$1 RECORDER=$2
	arm64_mixed mixed "$REFERENCE_GO"
	: >"$BATS_TEST_TMPDIR/brief"
	boot_arm64 6.12 neoverse-n1 guest_short "${MIXED[@]}" "$BATS_TEST_TMPDIR/brief"
	arm64_is_true mixed uprobe_multi
	arm64_leaves_no_trace
}

# --- make ARCH=arm64 -----------------------------------------------------------------------------

# cross_built SUITE: gotap, libgotap and unit tests, by the compiler of this machine's Debian.
cross_built() {
	local name
	local -a names=()
	SYSROOT=$("$CHECKOUT/tools/arm64-sysroot" "$1" 2>"$BATS_TEST_TMPDIR/log") || skip "$(tail -n 1 "$BATS_TEST_TMPDIR/log")"
	for name in $UNITS; do
		[ ! -e "$CHECKOUT/tests/unit/$name.c" ] || names+=("$BATS_TEST_TMPDIR/build/unit/$name")
	done
	[ "${#names[@]}" -ge 5 ]
	make_arm64 SUITE="$1" all lib man "${names[@]}"
	is_arm64 "$DIR/gotap"
	commands_work "$SYSROOT" "$DIR/gotap"
	for name in "${names[@]}"; do
		emulated "$name"
	done
	[ -s "$DIR/man/gotap-record.1" ]
	# libgotap, with a program that uses it
	succeeds aarch64-linux-gnu-gcc -o "$BATS_TEST_TMPDIR/times" -I "$CHECKOUT/include" "$CHECKOUT/examples/goroutine_times.c" \
		"$DIR/libgotap.a" -L"$SYSROOT/usr/lib/aarch64-linux-gnu" -lz -lpthread
	emulated "$BATS_TEST_TMPDIR/times" "$BATS_TEST_TMPDIR/t"
}

@test "make ARCH=arm64 with the libraries of Debian 12" {
	cross_built bookworm
	[ -z "$(readelf --dyn-syms -W "$DIR/gotap" | grep GLIBC_2.38)" ]
}

# Its headers, too: glibc 2.38 has functions of C23 for the numbers that a program of its headers reads.
@test "make ARCH=arm64 with the libraries of Debian 13" {
	cross_built trixie
	readelf --dyn-syms -W "$DIR/gotap" | grep -q '__isoc23_.*GLIBC_2.38'
}

# --- what make makes of it -----------------------------------------------------------------------

@test "make static, image and release for arm64: the static program runs without libraries, image and bill of materials name arm64" {
	local version
	version=$(sed -n 's/^VERSION := //p' "$CHECKOUT/Makefile")
	require_tool jq
	make_arm64 image release
	is_arm64 "$DIR/static/gotap.stripped"
	[ -z "$(readelf -lW "$DIR/static/gotap.stripped" | grep INTERP)" ]
	mkdir "$BATS_TEST_TMPDIR/none"
	commands_work "$BATS_TEST_TMPDIR/none" "$DIR/static/gotap.stripped"
	[ "$(jq -c '.manifests[0].platform' "$DIR/image/oci/index.json")" = '{"architecture":"arm64","os":"linux","variant":"v8"}' ]
	cmp "$DIR/static/gotap.stripped" "$DIR/image/root/usr/bin/gotap"
	cd "$DIR/release"
	succeeds sha256sum --check SHA256SUMS
	cmp "$DIR/static/gotap.stripped" "gotap-$version-linux-arm64"
	[ "$(jq -r '[.packages[2:][].externalRefs[0].referenceLocator | sub(".*[?]"; "")] | unique | join(" ")' \
		"gotap-$version-linux-arm64.spdx.json")" = arch=arm64 ]
	# its sysroot is for what else the machine has; the program takes none of its libraries
	cd "$CHECKOUT"
	records "$("$CHECKOUT/tools/arm64-sysroot")" "$DIR/static/gotap.stripped"
}

# packages_are_whole FOLDER SYSROOT: gotap and its library run, with their manual; nothing else than amd64's packages have.
packages_are_whole() {
	local deb root=$BATS_TEST_TMPDIR/packages
	for deb in "$1"/*.deb; do
		[ "$(dpkg-deb -f "$deb" Architecture)" = arm64 ]
		dpkg -x "$deb" "$root"
	done
	is_arm64 "$root/usr/bin/gotap"
	[ -e "$root/usr/lib/aarch64-linux-gnu/libgotap.so.2" ]
	commands_work "$2" "$root/usr/bin/gotap"
	[ "$(ls "$root"/usr/share/man/man1 | wc -l)" -eq "$(($(emulated "$root/usr/bin/gotap" --help | grep -cE '^  [a-z]+  ') + 1))" ]
	zcat "$root/usr/share/man/man1/gotap-record.1.gz" | grep -q '^\.SH'
	[ -s "$root/usr/share/gotap/schemas/doctor.json" ]
	# the libraries that it names are those of its dependencies
	[[ $(dpkg-deb -f "$1"/gotap_*_arm64.deb Depends) == *libbpf1*libc6*libdw1*libjson-c5* ]]
}

@test "make deb for arm64, with the libraries of tools/arm64-sysroot: lintian finds nothing, the contents run" {
	require_tool lintian dpkg-buildpackage
	make_arm64 deb
	run_logged lintian --allow-root --info --pedantic --fail-on error,warning,info,pedantic "$DIR"/deb/*.changes
	[ "$status" -eq 0 ]
	packages_are_whole "$DIR/deb" "$("$CHECKOUT/tools/arm64-sysroot")"
	records "$SYSROOT" "$BATS_TEST_TMPDIR/packages/usr/bin/gotap"
}

# --- other systems -------------------------------------------------------------------------------

# As Debian cross-builds: the packages of Build-Depends, for arm64 where that says so, clang and gcc of Debian 13.
@test "dpkg-buildpackage -a arm64 in a Debian 13" {
	debian_root trixie
	mkdir "$ROOT/tmp/gotap"
	(cd "$CHECKOUT" && tools/source-files | tar -c --no-recursion -T - | tar -x -C "$ROOT/tmp/gotap")
	in_root sh -ec 'dpkg --add-architecture arm64
		apt-get update -qq
		apt-get install -y -qq --no-install-recommends dpkg-dev
		cd /tmp/gotap
		apt-get build-dep -y -qq --no-install-recommends -a arm64 -P cross .
		tools/deps arm64-deb
		dpkg-buildpackage -P cross -a arm64 -b -us -uc -j2'
	[ "$status" -eq 0 ]
	SYSROOT=$("$CHECKOUT/tools/arm64-sysroot" trixie)
	packages_are_whole "$ROOT/tmp" "$SYSROOT"
	records "$SYSROOT" "$BATS_TEST_TMPDIR/packages/usr/bin/gotap"
}

# A whole build takes an hour of emulation: a program of BPF, an archive and a unit test are built, and of all else the commands
# are looked at.
@test "on arm64 make builds natively" {
	arm64_root bookworm
	(cd "$CHECKOUT" && tools/source-files | tar -c --no-recursion -T - | tar -x -C "$BATS_TEST_TMPDIR/src")
	arm64_in sh -c 'uname -m && cd /src && make -n V=1 all lib man'
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = aarch64 ]
	[ "$(grep -c '^cc .* -c user/' <<<"$output")" -gt 500 ]
	[ -z "$(grep -E 'aarch64-linux-gnu-|sysroot|qemu' <<<"$output")" ]
	contains '-DGOTAP_MHD=\"libmicrohttpd.so.12\"'
	contains '-D__TARGET_ARCH_arm64'
	arm64_in make -s -C /src -j2 CFLAGS=-O1 build/bpf_oldkernel/emit.bpf.o build/unit/base_protobuf
	[ "$status" -eq 0 ]
	is_arm64 "$BATS_TEST_TMPDIR/src/build/unit/base_protobuf"
	arm64_in /src/build/unit/base_protobuf
	[ "$status" -eq 0 ]
}
