# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# mixed.go in other programs: as a library in a C program, as a plugin in a Go program. Load after lib/common.

# as_library VERSION MODE SUFFIX: sets $PROG to a C program that has mixed.go in it, by -buildmode=MODE.
as_library() {
	local dir=$BUILD/modes/go$1-$2 modes=$CHECKOUT/tests/prog/modes
	require_go "$1"
	mkdir -p "$dir"
	cp "$CHECKOUT"/tests/prog/{mixed*,lib_owntrace}.go "$modes/exported.go" "$dir"
	[ "$1" != 1.22 ] || rm -f "$dir/mixed_pull.go"
	(cd "$dir" && CGO_ENABLED=1 GOFLAGS='' GOWORK=off "$GO" build -buildmode="$2" '-ldflags=-s -w' -o "libmixed.${3:?}" ./*.go &&
		gcc -o "main" "$modes/main.c" "libmixed.$3" -lpthread "-Wl,-rpath,$dir")
	PROG=$dir/main
}

# as_plugin VERSION [BUILD FLAG]: sets $PROG to a program that opens mixed.go as a plugin, $PLUGIN.
as_plugin() {
	local dir=$BUILD/modes/go$1-plugin${2:+-stripped} modes=$CHECKOUT/tests/prog/modes
	require_go "$1"
	mkdir -p "$dir"
	cp "$CHECKOUT"/tests/prog/{mixed*,lib_owntrace}.go "$modes/plugged.go" "$dir"
	[ "$1" != 1.22 ] || rm -f "$dir/mixed_pull.go"
	export CGO_ENABLED=1 GOFLAGS='' GOWORK=off PLUGIN=$dir/mixed.so
	(cd "$dir" && "$GO" build "${@:2}" -buildmode=plugin -o "$PLUGIN" ./*.go &&
		"$GO" build "${@:2}" -o host "$modes/host.go")
	PROG=$dir/host
}
