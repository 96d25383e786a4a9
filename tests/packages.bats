#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=beside
#
# The Debian packages: debian/ agrees with the source; and, in `make soak`, the packages are built twice with equal bytes,
# lintian finds nothing, and they work in a fresh Debian without a compiler.

load lib/common
load lib/chroot

setup() { cd "$CHECKOUT"; }

# --- debian/ and the source ----------------------------------------------------------------------

@test "debian/changelog has the version of the Makefile" {
	require_tool dpkg-parsechangelog
	[ "$(dpkg-parsechangelog -S Version)" = "$(sed -n 's/^VERSION := //p' Makefile)" ]
	[ "$(dpkg-parsechangelog -S Source)" = gotap ]
}

@test "the packages have what make install installs, each file once" {
	local root=$BATS_TEST_TMPDIR/root dirs
	dirs=$(sed -n 's/^DIRS := //p' debian/rules | sed 's/\$(DEB_HOST_MULTIARCH)/x86_64-linux-gnu/')
	eval "succeeds make -s BUILD=\"$BUILD\" DESTDIR=\"$root\" $dirs install"
	(cd "$root" && find . ! -type d -printf '%P\n') | sort >"$BATS_TEST_TMPDIR/installed"
	while read -r pattern; do
		(cd "$root" && find $pattern ! -type d)
	done < <(cat debian/*.install) | sort >"$BATS_TEST_TMPDIR/packed"
	diff "$BATS_TEST_TMPDIR/installed" "$BATS_TEST_TMPDIR/packed"
}

@test "debian/libgotap2.symbols has the symbols and the soname of the library" {
	diff <(awk '/^GOTAP_/ { node = $1; print node "@" node } /^\t\tgotap_/ { sub(/;/, ""); print $1 "@" node }' \
		user/api/libgotap.map | sort) <(awk '/^ / { print $1 }' debian/libgotap2.symbols | sort)
	[ "$(head -n 1 debian/libgotap2.symbols)" = "libgotap.so.$(sed -n 's/^API_VERSION := //p' Makefile) libgotap2 #MINVER#" ]
}

@test "debian/copyright has the licence that each file names in its first lines" {
	tools/source-files | python3 -c '
import fnmatch, re, sys

stanzas = [(m.group(1).split(), m.group(2)) for m in re.finditer(
    r"^Files:(.*)\n(?:.+\n)*?License: (\S+)", open("debian/copyright").read(), re.M)]
wrong = named = 0
for path in sys.stdin.read().splitlines():
    with open(path, "rb") as file:
        found = re.search(rb"^(?:/\*|//|#|<!--)? ?SPDX-License-Identifier: ([A-Za-z0-9.-]+)", file.read(300), re.M)
    licence = [l for files, l in stanzas if any(fnmatch.fnmatch(path, f) for f in files)][-1]
    if found:
        named += 1
        if licence != found.group(1).decode():
            wrong += 1
            print(path, found.group(1).decode(), "not", licence)
sys.exit(1 if wrong or named < 1000 else 0)'
}

@test "debian/control and tools/deps name the same packages to build with" {
	diff <(sed -n '/^Build-Depends/,/^[A-Z].*:/p' debian/control | sed '/<cross>/d' | sed -nE 's/^(Build-Depends:)? *([a-z0-9-]+).*/\2/p' |
		grep -v -e debhelper-compat -e '^$' | sort) \
		<(sed -n '/^build_packages=/,/)/p' tools/deps | tr -d '()' | sed 's/build_packages=//' | tr -s ' \t' '\n\n' |
			grep -v -e '^--' -e '^gcc$' -e '^libc6-dev$' -e '^make$' -e '^$' | sort)
}

# --- the packages --------------------------------------------------------------------------------

# builds FOLDER: make deb, of this source, once for all tests of the file.
builds() {
	alone packages builds_once "$1"
}

builds_once() {
	[ ! -e "$BATS_FILE_TMPDIR/$1/deb/made" ] || return 0
	succeeds make BUILD="$BATS_FILE_TMPDIR/$1" deb
	touch "$BATS_FILE_TMPDIR/$1/deb/made"
}

# bats test_tags=soak-only
@test "lintian finds nothing in the packages" {
	require_tool lintian
	builds one
	run_logged lintian --allow-root --info --pedantic --fail-on error,warning,info,pedantic "$BATS_FILE_TMPDIR"/one/deb/*.changes
	[ "$status" -eq 0 ]
	! grep -i 'warning:' "$BATS_FILE_TMPDIR/one/deb/build.log"
}

# bats test_tags=soak-only
@test "packages that are built twice, in two folders, are equal byte for byte" {
	local deb n=0
	builds one
	builds another
	for deb in "$BATS_FILE_TMPDIR"/one/deb/*.deb; do
		cmp "$deb" "$BATS_FILE_TMPDIR/another/deb/${deb##*/}"
		n=$((n + 1))
	done
	[ "$n" -ge 3 ]
}

# works_in SUITE: gotap records, reports and has its manual there, without a compiler; the library runs a C program
# that was compiled elsewhere, with nothing but libgotap-dev.
works_in() {
	local example dev=$BATS_TEST_TMPDIR/dev
	require_kernel 5.8
	build_prog "$REFERENCE_GO" mixed
	debian_root "$1"
	builds one
	cp "$BATS_FILE_TMPDIR"/one/deb/{gotap,libgotap2}_*.deb debian/tests/record "$PROG" "$ROOT/tmp/"
	in_root sh -c 'apt-get update -qq && apt-get install -y -qq --no-install-recommends man-db /tmp/*.deb'
	[ "$status" -eq 0 ]
	in_root sh -c '! command -v gcc cc clang'
	[ "$status" -eq 0 ]
	in_root /tmp/record /tmp/mixed
	[ "$status" -eq 0 ]
	in_root gotap doctor
	[ "$status" -eq 0 ]
	dpkg -x "$BATS_FILE_TMPDIR"/one/deb/libgotap-dev_*.deb "$dev"
	dpkg -x "$BATS_FILE_TMPDIR"/one/deb/libgotap2_*.deb "$dev"
	for example in write_trace goroutine_times; do
		succeeds gcc -Wall -Werror -I"$dev/usr/include" -o "$ROOT/tmp/$example" "examples/$example.c" \
			-L"$dev/usr/lib/x86_64-linux-gnu" -lgotap
	done
	in_root sh -c '/tmp/write_trace /tmp/new.trace && /tmp/goroutine_times /tmp/new.trace'
	[ "$status" -eq 0 ]
}

# bats test_tags=soak-only
@test "the packages work in Debian 12" { works_in bookworm; }

# bats test_tags=soak-only
@test "the packages work in Debian 13" { works_in trixie; }
