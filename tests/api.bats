#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=beside
#
# libgotap as a stranger uses it: installed, found by pkg-config, linked both ways, with the programs of examples/.

load lib/common

setup_file() {
	ROOT=$BATS_FILE_TMPDIR/root
	export ROOT
	make -s -C "$CHECKOUT" BUILD="$BUILD" PREFIX="$ROOT" install-lib >&2
}

EXAMPLES=$CHECKOUT/examples

# built NAME shared|static: sets $EXAMPLE to the example, compiled against the installed tree.
built() {
	local flags
	require_tool pkg-config
	export PKG_CONFIG_PATH=$ROOT/lib/pkgconfig
	EXAMPLE=$BATS_FILE_TMPDIR/$1-$2
	[ ! -x "$EXAMPLE" ] || return 0
	read -ra flags < <(pkg-config --cflags "$([ "$2" = shared ] || echo --static)" --libs gotap)
	[ "$2" = shared ] && flags+=("-Wl,-rpath,$ROOT/lib")
	[ "$2" = static ] && flags=("${flags[@]/#-lgotap/$ROOT/lib/libgotap.a}")
	succeeds cc -std=c99 -Wall -Wextra -Werror -pedantic-errors -D_GNU_SOURCE -o "$EXAMPLE" "$EXAMPLES/$1.c" "${flags[@]}"
}

@test "the library shows gotap_* and nothing else" {
	run_logged nm -D --defined-only "$ROOT/lib/libgotap.so.1"
	[ "$(wc -l <<<"$output")" -ge 20 ]
	! grep -v ' T gotap_' <<<"$output" || fail "the shared library shows more"
	run_logged nm -g --defined-only "$ROOT/lib/libgotap.a"
	! grep ' [A-Z] ' <<<"$output" | grep -v ' T gotap_' || fail "the archive shows more"
	readelf -d "$ROOT/lib/libgotap.so" | grep -q 'SONAME.*libgotap\.so\.1'
}

@test "what the headers declare is what the library has" {
	nm -D --defined-only "$ROOT/lib/libgotap.so" | awk '{ print $3 }' | sort >"$BATS_TEST_TMPDIR/has"
	cat "$ROOT"/include/gotap/*.h | grep -A1 '^GOTAP_API ' | grep -o 'gotap_[a-z_]*(' | tr -d '(' | sort -u |
		diff - "$BATS_TEST_TMPDIR/has"
}

@test "each header compiles by itself, as C99 and as C++" {
	local header
	for header in "$ROOT"/include/gotap/*.h; do
		succeeds cc -std=c99 -pedantic-errors -Wall -Werror -fsyntax-only -I"$ROOT/include" -x c "$header"
		command -v c++ >/dev/null || continue
		succeeds c++ -Wall -Werror -fsyntax-only -I"$ROOT/include" -x c++ "$header"
	done
}

# But for the seed of its hashes, which is set when it is loaded and never again.
@test "the library keeps no state of its own" {
	run_logged nm "$ROOT/lib/libgotap.a"
	[ "$(grep ' [bBC] ' <<<"$output" | awk '{ print $3 }')" = hash64_seed ]
}

@test "the library starts no process and does not read DWARF data" {
	run_logged nm -D --undefined-only "$ROOT/lib/libgotap.so.1"
	! grep -wE 'fork|execve|dwarf_begin' <<<"$output" || fail "it does"
}

@test "no two objects of the program define the same name" {
	local twice
	twice=$(find "$BUILD"/user -name '*.o' -exec nm -g --defined-only {} + | awk 'NF == 3 { print $3 }' | sort | uniq -d)
	[ -z "$twice" ] || fail "defined twice: $twice"
}

# Written by hand, through the library, under every header: Go's reader and validator take it.
@test "a trace that the library wrote is one for Go, under every header" {
	local how header
	for how in shared static; do
		built write_trace "$how"
		for header in 22 23 25 26; do
			succeeds "$EXAMPLE" "$BATS_TEST_TMPDIR/$how.$header.trace" "$header"
			succeeds "$GOTAP" check "$BATS_TEST_TMPDIR/$how.$header.trace"
		done
	done
	views_ok "$BATS_TEST_TMPDIR"/*.trace
	run_logged "$BATS_FILE_TMPDIR/write_trace-shared" "$BATS_TEST_TMPDIR/bad" 24
	[ "$status" -eq 1 ]
	contains "there is no trace format go1.24"
}

@test "the library reads what it wrote: states, stacks, names" {
	local how trace=$BATS_TEST_TMPDIR/w.trace
	built write_trace shared
	"$EXAMPLE" "$trace"
	for how in shared static; do
		built goroutine_times "$how"
		succeeds "$EXAMPLE" "$trace"
		matches '^ +1 +0\.3[0-9]+ +0\.15[0-9]+ +0\.15[0-9]+ +0\.0+  main\.main$'
		matches '^ +18 +0\.2[0-9]+ +0\.1[0-9]+ +0\.0+ +0\.0+  main\.child$'
	done
	"$EXAMPLE" - <"$trace" | diff - <("$EXAMPLE" "$trace")
}

@test "the library reads a trace of every release since 1.5" {
	local trace n=0
	require_go 1.19
	built goroutine_times shared
	for trace in "$CHECKOUT"/build/go/go1.19/src/internal/trace/testdata/*_good; do
		succeeds "$EXAMPLE" "$trace"
		[ "${#lines[@]}" -gt 4 ]
		n=$((n + 1))
	done
	[ "$n" -ge 18 ]
	for trace in "$CHECKOUT"/tests/vectors/ok_*.trace; do
		succeeds "$EXAMPLE" "$trace"
	done
}

@test "a damaged or foreign file gives an error, and what came before it" {
	built goroutine_times shared
	run_logged "$EXAMPLE" "$CHECKOUT/tests/vectors/bad_steal_unknown_m.trace"
	[ "$status" -eq 1 ]
	contains "stole proc from non-existent thread 77"
	run_logged "$EXAMPLE" "$CHECKOUT/Makefile"
	[ "$status" -eq 1 ]
	contains "not a Go execution trace"
	run_logged "$EXAMPLE" "$BATS_TEST_TMPDIR/none"
	[ "$status" -eq 1 ]
	contains "No such file"
}
