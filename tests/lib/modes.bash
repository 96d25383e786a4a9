# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# tests/prog/mixed.go as a library in a C program and as a plugin in a Go program; and a CPU profile for builds with
# -pgo. Load after lib/common.

# A program that is current is not built again: another test may run it at this moment.

MODES=$CHECKOUT/tests/prog/modes

# is_newest FILE: it is newer than all its sources.
is_newest() { [ -e "$1" ] && [ -z "$(find "$CHECKOUT"/tests/prog/{mixed*.go,lib_owntrace.go} "$MODES" "$GO" -newer "$1" -print -quit)" ]; }

# mode_sources VERSION DIR FILE: mixed.go and FILE of modes/, in DIR.
mode_sources() {
	mkdir -p "$2"
	cp "$CHECKOUT"/tests/prog/{mixed*,lib_owntrace}.go "$MODES/$3" "$2"
	[ "$1" != 1.22 ] || rm -f "$2/mixed_pull.go"
}

# as_library VERSION MODE SUFFIX: sets $PROG to a C program linked with mixed.go, which is built with -buildmode=MODE.
as_library() {
	local dir=$BUILD/modes/go$1-$2
	require_go "$1"
	alone "modes-$1-$2" build_library "$1" "$dir" "$2" "libmixed.${3:?}"
	PROG=$dir/main
}

build_library() {
	local version=$1 dir=$2 mode=$3 library=$4
	! is_newest "$dir/main" || return 0
	mode_sources "$version" "$dir" exported.go
	cd "$dir" || return
	GOGC=400 CGO_ENABLED=1 GOFLAGS='' GOWORK=off flock "$GO" "$GO" build -buildmode="$mode" '-ldflags=-s -w' -o "$library" ./*.go &&
		gcc -o .main "$MODES/main.c" "$library" -lpthread "-Wl,-rpath,$dir" && mv .main main
}

# as_plugin VERSION [BUILD FLAG]: sets $PROG to a program that opens mixed.go as a plugin, $PLUGIN.
as_plugin() {
	local dir=$BUILD/modes/go$1-plugin${2:+-stripped}
	require_go "$1"
	export PLUGIN=$dir/mixed.so
	alone "modes-$1-plugin${2:+-stripped}" build_plugin "$1" "$dir" "${@:2}"
	PROG=$dir/host
}

build_plugin() {
	local version=$1 dir=$2
	shift 2
	! is_newest "$dir/host" || return 0
	mode_sources "$version" "$dir" plugged.go
	cd "$dir" || return
	export GOGC=400 CGO_ENABLED=1 GOFLAGS='' GOWORK=off
	flock "$GO" "$GO" build "$@" -buildmode=plugin -o "$PLUGIN" ./*.go && "$GO" build "$@" -o .host "$MODES/host.go" && mv .host host
}

# real_profile: sets $PROFILE to a CPU profile that the program profile wrote.
real_profile() {
	build_prog 1.27 profile
	PROFILE=$BUILD/pgo/cpu.pprof
	mkdir -p "$BUILD/pgo"
	alone pgo make_profile
}

make_profile() { [ -s "$PROFILE" ] || { "$PROG" "$PROFILE.new" && mv "$PROFILE.new" "$PROFILE"; }; }
