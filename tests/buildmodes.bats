#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# What the linker can make of a Go program: position independent or not, linked by Go or by the system's linker, with
# C in it or in C programs, instrumented, unoptimized, and what was done to it afterwards.

load lib/common
load lib/record
load lib/differential

setup() {
	require_root
	require_tool gcc objcopy python3
	oracle "$REFERENCE_GO"
	T=$BATS_TEST_TMPDIR
}

teardown() { stop_targets; }

STRIPPED='-ldflags=-s -w'
EXTERNAL='-ldflags=-s -w -linkmode=external'

pie() {
	build_prog "$1" mixed -buildmode=pie "$STRIPPED"
	compare "Go $1, PIE" 2
	CGO_ENABLED=1 build_prog "$1" mixed -buildmode=pie "$EXTERNAL"
	compare "Go $1, PIE with cgo, linked externally" 2
}

@test "position independent, linked by Go, and with cgo by the system's linker: Go 1.22" { pie 1.22; }
@test "position independent, linked by Go, and with cgo by the system's linker: Go 1.24" { pie 1.24; }
@test "position independent, linked by Go, and with cgo by the system's linker: Go 1.26" { pie 1.26; }
@test "position independent, linked by Go, and with cgo by the system's linker: Go 1.27" { pie 1.27; }

@test "linked statically by the system's linker" {
	CGO_ENABLED=1 build_prog 1.24 mixed '-ldflags=-linkmode=external -extldflags=-static' '-tags=netgo osusergo'
	compare "Go 1.24, static, linked externally" 2
}

@test "with the race detector" {
	CGO_ENABLED=1 build_prog 1.27 mixed -race
	compare "Go 1.27, -race" 2
}

@test "without optimization" {
	build_prog 1.26 mixed '-gcflags=all=-N -l'
	compare "Go 1.26, -N -l" 2
}

@test "calls from C and threads of C, static and position independent" {
	local mode
	for mode in exe pie; do
		build_prog 1.27 cgo -buildmode=$mode
		start_target "$PROG"
		recorded "$T/a.trace" -d 500ms -p "$TARGET"
		stop_target
		views_ok "$T/a.trace"
		[ "$(count_of "$T/a.trace" 'Go NotExist->Syscall|Go Syscall->NotExist')" -gt 10 ]
	done
}

# as_library VERSION MODE: sets $PROG to a C program that has mixed.go in it, by -buildmode=MODE.
as_library() {
	local dir=$BUILD/modes/go$1-$2 modes=$CHECKOUT/tests/prog/modes
	require_go "$1"
	mkdir -p "$dir"
	cp "$CHECKOUT"/tests/prog/mixed*.go "$modes/exported.go" "$dir"
	[ "$1" != 1.22 ] || rm -f "$dir/mixed_pull.go"
	(cd "$dir" && CGO_ENABLED=1 GOFLAGS='' GOWORK=off "$GO" build -buildmode="$2" "$STRIPPED" -o "libmixed.${3:?}" ./*.go &&
		gcc -o "main" "$modes/main.c" "libmixed.$3" -lpthread "-Wl,-rpath,$dir")
	PROG=$dir/main
}

@test "a shared library in a C program: Go 1.22, 1.26, 1.27" {
	local version
	for version in 1.22 1.26 1.27; do
		as_library "$version" c-shared so
		compare "Go $version, c-shared" 2
	done
}

@test "an archive in a C program: Go 1.24" {
	as_library 1.24 c-archive a
	compare "Go 1.24, c-archive" 2
}

# A plugin has a copy of the runtime's code. What runs in it would be missing from the trace.
@test "a program with a plugin is refused" {
	local dir=$BUILD/modes/go1.27-plugin modes=$CHECKOUT/tests/prog/modes
	require_go 1.27
	mkdir -p "$dir"
	cp "$CHECKOUT/tests/prog/pingpong.go" "$modes/plugged.go" "$dir"
	export CGO_ENABLED=1 GOFLAGS='' GOWORK=off PLUGIN=$dir/pingpong.so
	(cd "$dir" && "$GO" build -buildmode=plugin -o "$PLUGIN" pingpong.go plugged.go)
	"$GO" build -o "$dir/host" "$modes/host.go"
	start_target "$dir/host"
	run_logged "$GOTAP" record -d 1s -o "$T/a.trace" -p "$TARGET"
	[ "$status" -eq 1 ]
	contains "has loaded a Go plugin or library besides its own program, '$PLUGIN'"
}

# altered PROGRAM COMMAND...: a copy that the command changed, as $PROG.
altered() {
	PROG=$T/altered
	cp "$1" "$PROG"
	"${@:2}" "$PROG"
}

@test "without build info" {
	build_prog 1.26 mixed "$STRIPPED"
	altered "$PROG" objcopy --remove-section .go.buildinfo
	compare "Go 1.26, without build info" 2
}

@test "the symbol table stripped of functions, DWARF kept" {
	build_prog 1.24 mixed
	altered "$PROG" objcopy --strip-all --keep-section '.debug_*' --keep-section '.zdebug_*'
	compare "Go 1.24, without symbols" 2
}

@test "programs that cannot be recorded are told apart" {
	printf 'int main(void) { for (;;) { } }' >"$T/c.c"
	gcc -o "$T/c" "$T/c.c"
	run_logged "$GOTAP" record -o "$T/a.trace" -- "$T/c"
	[ "$status" -eq 1 ]
	contains "not a Go program"
	# what upx leaves: no sections, and its mark near the start
	python3 -c '
import sys
b = bytearray(open(sys.argv[1], "rb").read())
b[0x28:0x30] = bytes(8)
b[0x3a:0x40] = bytes(6)
b[0x1f0:0x1f4] = b"UPX!"
open(sys.argv[1], "wb").write(b)' "$T/c"
	run_logged "$GOTAP" doctor "$T/c"
	[ "$status" -eq 1 ]
	contains "packed with upx"
}
