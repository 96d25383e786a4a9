#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=beside
#
# make release: the tarball, its bill of materials, checksums. What tools/sbom prints is asserted here; `make soak` makes
# a release twice.

load lib/common

setup() { cd "$CHECKOUT"; }

# bill: the bill of materials of this source and this gotap, as $BATS_TEST_TMPDIR/bill.
bill() {
	require_tool jq dpkg-query
	tools/source-files | tar -c --no-recursion -T - --transform 's|^|gotap-9/|S' | gzip -n >"$BATS_TEST_TMPDIR/source.tar.gz"
	tools/sbom 9 2026-01-02 "$BATS_TEST_TMPDIR/source.tar.gz" "$GOTAP" amd64 >"$BATS_TEST_TMPDIR/bill"
}

# of FILTER: what jq finds in the bill.
of() { jq -r "$1" "$BATS_TEST_TMPDIR/bill"; }

@test "the bill of materials has each file of the source, with its checksums and licence" {
	bill
	diff <(of '.files[].fileName' | sort) <(tools/source-files | sed 's|^|./|' | sort)
	of '.files[] | (.checksums[] | select(.algorithm == "SHA256").checksumValue) + "  " + .fileName' | sha256sum --check --quiet
	of '.files[] | (.checksums[] | select(.algorithm == "SHA1").checksumValue) + "  " + .fileName' | sha1sum --check --quiet
	[ "$(of '[.files[] | select(.fileName == "./bpf/ring.h")][0].licenseConcluded')" = GPL-2.0-only ]
	[ "$(of '[.files[] | select(.fileName == "./user/cmd/main.c")][0].licenseConcluded')" = Apache-2.0 ]
	[ "$(of '[.files[].licenseConcluded] | unique | join(" ")')" = "Apache-2.0 GPL-2.0-only" ]
}

@test "the bill of materials has what SPDX 2.3 demands, and its references lead somewhere" {
	local code
	bill
	[ "$(of '[.spdxVersion, .dataLicense, .SPDXID, .creationInfo.created] | join(" ")')" = \
		"SPDX-2.3 CC0-1.0 SPDXRef-DOCUMENT 2026-01-02T00:00:00Z" ]
	[ "$(of '[.packages[] | select((.name and .SPDXID and .downloadLocation and .versionInfo and .licenseConcluded) | not)] | length')" = 0 ]
	[ "$(of '.documentNamespace')" = "urn:gotap:9:amd64:$(sha256sum <"$BATS_TEST_TMPDIR/source.tar.gz" | cut -d ' ' -f 1)" ]
	diff /dev/null <(comm -23 <(of '.relationships[] | .spdxElementId, .relatedSpdxElement' | sort -u) \
		<(of '.SPDXID, .packages[].SPDXID, .files[].SPDXID' | sort))
	[ "$(of '[.files[].SPDXID, .packages[].SPDXID] | (length - (unique | length))')" = 0 ]
	# The code of SPDX: the SHA-1 of the sorted SHA-1 sums of the files, without anything between them.
	code=$(tools/source-files | tr '\n' '\0' | xargs -0 sha1sum | cut -d ' ' -f 1 | sort | tr -d '\n' | sha1sum | cut -d ' ' -f 1)
	[ "$(of '.packages[0].packageVerificationCode.packageVerificationCodeValue')" = "$code" ]
}

@test "the bill of materials has each library that make static links, in the version that is installed" {
	local library package
	bill
	diff <(of '.relationships[] | select(.relationshipType == "STATIC_LINK").relatedSpdxElement' | sort) \
		<(of '.packages[2:][].SPDXID' | sort)
	# -lpthread and -lm are glibc.
	for library in $(sed -nE 's/^ *LDLIBS *[+:]= *//p' Makefile | tr ' ' '\n' | grep '^-l' | sed 's/^-l//' | grep -v -x -e pthread -e m); do
		package=$(dpkg-query -S "/lib*/lib$library.a" "/usr/lib/*/lib$library.a" 2>/dev/null | sed 's/:.*//' | head -n 1)
		[ "$(of "[.packages[] | select(.externalRefs[0].referenceLocator? // \"\" | startswith(\"pkg:deb/debian/$package@\"))] | length")" = 1 ] ||
			fail "$library: no row for $package"
	done
	[ "$(of '.packages[] | select(.name == "zlib").versionInfo')" = "$(dpkg-query -W -f '${source:Version}' zlib1g-dev)" ]
}

@test "the bill of materials of arm64 has the versions of the libraries that were linked, not of those that are installed" {
	require_tool jq
	tar -czf "$BATS_TEST_TMPDIR/source.tar.gz" --transform 's|^|gotap-9/|' LICENSE
	sed -n "s/^    ('\([a-z0-9-]*\)', .*/\1 9.9-1/p" tools/sbom >"$BATS_TEST_TMPDIR/versions"
	tools/sbom 9 2026-01-02 "$BATS_TEST_TMPDIR/source.tar.gz" "$GOTAP" arm64 "$BATS_TEST_TMPDIR/versions" >"$BATS_TEST_TMPDIR/bill"
	[ "$(of '.packages[2:][].versionInfo' | sort -u)" = 9.9-1 ]
	[ "$(of '.packages[2:][].externalRefs[0].referenceLocator' | sed 's/.*?//' | sort -u)" = arch=arm64 ]
	[ "$(of '.packages[2:] | length')" -eq "$(wc -l <"$BATS_TEST_TMPDIR/versions")" ]
	[[ $(of .documentNamespace) == urn:gotap:9:arm64:* ]]
}

@test "CHANGELOG.md has the version and the day of the Makefile" {
	grep -qx "## $(sed -n 's/^VERSION := //p' Makefile), $(sed -n 's/^RELEASED := //p' Makefile)" CHANGELOG.md
}

# bats test_tags=soak-only
@test "two releases are equal byte for byte, the sums are true, and the tarball builds" {
	local folder
	for folder in one two; do
		succeeds make -s BUILD="$BATS_TEST_TMPDIR/$folder" release
		(cd "$BATS_TEST_TMPDIR/$folder/release" && sha256sum --check SHA256SUMS)
	done
	diff -r "$BATS_TEST_TMPDIR/one/release" "$BATS_TEST_TMPDIR/two/release"
	tar -xzf "$BATS_TEST_TMPDIR"/one/release/gotap-*.tar.gz -C "$BATS_TEST_TMPDIR"
	cd "$BATS_TEST_TMPDIR"/gotap-*/
	diff <(tools/source-files) <(cd "$CHECKOUT" && tools/source-files)
	succeeds make -s -j2 BUILD=build all
	succeeds build/gotap --version
}
