# SPDX-License-Identifier: Apache-2.0
#
# What tests of traces of Go 1.21 and older share: canned and made ones, and Go's reading of them.

OLD_GO=1.19

# v1oracle: prints the events of a trace as the reference release reads them; sees v1 files, too.
v1oracle() {
	require_go "$REFERENCE_GO"
	V1ORACLE=$BUILD/oracle/v1oracle
	alone v1oracle build_v1oracle
}

build_v1oracle() {
	local root overlay=$BUILD/oracle/v1oracle.json
	[ ! -x "$V1ORACLE" ] || [ "$CHECKOUT/tests/v1/oracle/main.go" -nt "$V1ORACLE" ] || return 0
	mkdir -p "$BUILD/oracle"
	root=$("$GO" env GOROOT)
	printf '{"Replace":{"%s/src/cmd/v1oracle/main.go":"%s/tests/v1/oracle/main.go"}}' "$root" "$CHECKOUT" >"$overlay"
	(cd "$root/src/cmd" && GOFLAGS='' GOPROXY=off "$GO" build -overlay "$overlay" -o "$V1ORACLE" cmd/v1oracle)
}

# The canned traces of Go 1.19 (1.5 to 1.19), and of the reference release (1.11 to 1.21).
old_traces() {
	require_go "$OLD_GO"
	OLD_TRACES=$CHECKOUT/build/go/go$OLD_GO/src/internal/trace/testdata
}

v1_traces() {
	require_go "$REFERENCE_GO"
	V1_TRACES=$CHECKOUT/build/go/go$REFERENCE_GO/src/internal/trace/internal/tracev1/testdata
}

# canned_traces: prints the canned traces of all releases that have some, each content once.
canned_traces() {
	local version
	for version in "${ALL_GO[@]}"; do
		require_go "$version"
		find "$CHECKOUT/build/go/go$version/src/internal/trace" -name '*_good' -exec sha1sum {} +
	done | sort -u -k1,1 | cut -d' ' -f3-
}

# made VERSION <TEXT: a trace made from text (tests/v1/make.h), as $MADE.
made() {
	local make=$BATS_FILE_TMPDIR/make
	[ -x "$make" ] || gcc -O1 -o "$make" "$CHECKOUT/tests/v1/make.c"
	MADE=$BATS_TEST_TMPDIR/made.trace
	"$make" "$1" >"$MADE"
}
