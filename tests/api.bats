#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=beside
#
# libgotap as a stranger uses it: installed, found by pkg-config, linked both ways, with the programs of examples/.

load lib/common
load lib/convert

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

# declared: prints the functions of the headers, one a line.
declared() { cat "$ROOT"/include/gotap/*.h | grep -A1 '^GOTAP_API ' | grep -o 'gotap_[a-z_]*(' | tr -d '(' | LC_ALL=C sort -u; }

# A trace as text: 4 s of one goroutine.
two_stops() {
	echo "Trace Go1.22"
	tables 1 1000 "GC mark termination" other
	cat <<-'EOF'
		EventBatch gen=1 m=7 time=1000 size=?
		ProcStatus dt=0 p=0 pstatus=1
		GoStatus dt=1 g=1 m=7 gstatus=2
		ProcsChange dt=0 procs_value=1 stack=0
		STWBegin dt=1000000000 kind_string=2 stack=0
		STWEnd dt=1000000
		HeapAlloc dt=1000000000 heapalloc_value=1
		HeapAlloc dt=900000000 heapalloc_value=2
		STWBegin dt=99000000 kind_string=1 stack=0
		STWEnd dt=3000000
		HeapAlloc dt=1000000000 heapalloc_value=3
	EOF
}

@test "the library shows gotap_* and nothing else" {
	run_logged nm -g --defined-only "$ROOT/lib/libgotap.a"
	! grep ' [A-Z] ' <<<"$output" | grep -v ' T gotap_' || fail "the archive shows more"
	readelf -d "$ROOT/lib/libgotap.so" | grep -q 'SONAME.*libgotap\.so\.2'
}

# versions: the functions that the map lists, each behind the version that it has there.
versions() {
	awk '/^GOTAP_[0-9]+ \{/ { node = $1 } /^\t\tgotap_/ { sub(/;/, "", $1); print $1 "@@" node }' "$CHECKOUT/user/api/libgotap.map"
}

@test "what the headers declare is what the library has, each with the version that the map gives it" {
	[ "$(declared | wc -l)" -ge 45 ]
	nm -D --defined-only --with-symbol-versions "$ROOT/lib/libgotap.so.2" |
		awk '$3 !~ /^GOTAP_[0-9]+$/ { print $3 }' | LC_ALL=C sort | diff <(versions | LC_ALL=C sort) -
	versions | sed 's/@.*//' | LC_ALL=C sort | diff <(declared) -
	# What programs were linked with has the version that it had then.
	[ "$(versions | grep -c '@@GOTAP_2$')" -eq 54 ]
}

@test "each function has a unit test that calls it" {
	local name missing=
	while read -r name; do
		grep -qw "$name" "$CHECKOUT"/tests/unit/api_*.c "$CHECKOUT/tests/unit/api_trace.h" || missing+=" $name"
	done < <(declared)
	[ -z "$missing" ] || fail "no test calls$missing"
}

@test "each header compiles by itself, as C89, C99, C++98 and C++17" {
	local header language
	for header in "$ROOT"/include/gotap/*.h; do
		for language in c89 c99 c11; do
			succeeds cc -std=$language -pedantic-errors -Wall -Wextra -Werror -fsyntax-only -I"$ROOT/include" -x c "$header"
		done
		command -v c++ >/dev/null || continue
		for language in c++98 c++17; do
			succeeds c++ -std=$language -pedantic-errors -Wall -Wextra -Werror -fsyntax-only -I"$ROOT/include" \
				-x c++ "$header"
		done
	done
}

@test "a program of C++ links with the library" {
	command -v c++ >/dev/null || skip "no C++ compiler here"
	printf '%s\n' '#include <gotap/check.h>' '#include <gotap/raw.h>' '#include <gotap/reader.h>' '#include <gotap/rewrite.h>' '#include <gotap/writer.h>' \
		'int main() { return gotap_api_version() != GOTAP_API_VERSION || gotap_kind_named("GoStart", 7) != GOTAP_GO_START; }' \
		>"$BATS_TEST_TMPDIR/p.cc"
	succeeds c++ -o "$BATS_TEST_TMPDIR/p" "$BATS_TEST_TMPDIR/p.cc" -I"$ROOT/include" -L"$ROOT/lib" -lgotap "-Wl,-rpath,$ROOT/lib"
	succeeds "$BATS_TEST_TMPDIR/p"
}

@test "the library needs the C library and zlib alone" {
	run_logged readelf -d "$ROOT/lib/libgotap.so.2"
	! sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' <<<"$output" | grep -vE '^(libz|libc|libpthread|ld-linux[a-z0-9-]*)\.so' ||
		fail "it needs more"
	run_logged ldd "$ROOT/lib/libgotap.so.2"
	! grep -E 'libdw|libelf|libbpf' <<<"$output" || fail "it needs one of them"
	! grep -E 'ldw|lelf|lbpf' "$ROOT/lib/pkgconfig/gotap.pc" || fail "a static program would need one of them"
}

@test "what was installed can be taken away again" {
	local root=$BATS_TEST_TMPDIR/root
	succeeds make -s -C "$CHECKOUT" BUILD="$BUILD" PREFIX="$root" install-lib
	[ -e "$root/lib/libgotap.so" ]
	[ -e "$root/include/gotap/raw.h" ]
	succeeds make -s -C "$CHECKOUT" BUILD="$BUILD" PREFIX="$root" uninstall
	[ -z "$(find "$root" -type f -o -type l)" ]
}

# But for the seed of its hashes, which is set when it is loaded and never again.
@test "the library keeps no state of its own" {
	run_logged nm "$ROOT/lib/libgotap.a"
	[ "$(grep ' [bBC] ' <<<"$output" | awk '{ print $3 }')" = hash64_seed ]
}

@test "the library starts no process and does not read DWARF data" {
	run_logged nm -D --undefined-only "$ROOT/lib/libgotap.so.2"
	! grep -wE 'fork|execve|dwarf_begin' <<<"$output" || fail "it does"
}

# The archives have the objects of the sources that there are; those of a source that was moved stay in the folders.
@test "no two objects of the program define the same name" {
	local twice
	twice=$(nm -g --defined-only "$BUILD"/lib/*.a "$BUILD/user/cmd/main.o" | awk 'NF == 3 { print $3 }' | sort | uniq -d)
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

# The world stops twice in it, for 1 ms at 1 s and for 3 ms at 3 s.
@test "the library cuts the second around the longest stop of the world" {
	local how trace=$BATS_TEST_TMPDIR/long.trace part=$BATS_TEST_TMPDIR/part.trace
	two_stops | trace_of long
	succeeds "$GOTAP" check "$trace"
	for how in shared static; do
		built cut_longest_stop "$how"
		succeeds "$EXAMPLE" "$trace" "$part"
		matches '^.*/part\.trace: 3\.000000 ms at 3\.0000[0-9]* s \(GC mark termination\), [0-9]+ events$'
		succeeds "$GOTAP" check "$part"
		[ "$("$GOTAP" text "$part" | grep -c '^STWBegin')" -eq 1 ]
		[ "$("$GOTAP" text "$part" | grep -c '^HeapAlloc')" -eq 1 ]
	done
	views_ok "$part"
	built write_trace shared
	"$EXAMPLE" "$trace"
	built cut_longest_stop shared
	run_logged "$EXAMPLE" "$trace" "$part"
	[ "$status" -eq 1 ]
	contains "the world does not stop in it"
}

# raw_copy: sets $COPY to a program that copies the raw events of a trace to a file.
raw_copy() {
	COPY=$BATS_FILE_TMPDIR/raw_copy
	cat >"$COPY.c" <<-'EOF'
		#include <fcntl.h>
		#include <stdio.h>
		#include <gotap/raw.h>

		int main(int argc, char **argv)
		{
			struct gotap_input in = { .size = sizeof(in), .path = argv[1] };
			struct gotap_raw_reader *r;
			struct gotap_raw_writer *w;
			struct gotap_raw_event ev;
			struct gotap_error err;
			int ret;

			if (gotap_raw_open(&r, &in, &err) ||
			    gotap_raw_writer_new(&w, open(argv[2], O_WRONLY | O_CREAT | O_TRUNC, 0600), gotap_raw_version(r), &err))
				return fprintf(stderr, "%s\n", err.text), 1;
			while ((ret = gotap_raw_next(r, &ev, sizeof(ev))) > 0)
				if (gotap_raw_write(w, &ev, sizeof(ev)))
					return fprintf(stderr, "%s\n", gotap_raw_writer_error(w)->text), 1;
			if (ret < 0)
				fprintf(stderr, "%s\n", gotap_raw_error(r)->text);
			return ret < 0 || gotap_raw_writer_close(w, &err);
		}
	EOF
	succeeds cc -o "$COPY" "$COPY.c" -I"$ROOT/include" -L"$ROOT/lib" -lgotap "-Wl,-rpath,$ROOT/lib"
}

@test "raw events of a trace of any release are the same file when they are written" {
	local trace n=0
	require_go 1.19
	require_go 1.21
	raw_copy
	for trace in "$CHECKOUT"/build/go/go1.19/src/internal/trace/testdata/*_good \
		"$CHECKOUT"/build/go/go1.21/src/internal/trace/testdata/*_1_21_good "$CHECKOUT"/tests/vectors/ok_*.trace; do
		[[ -e $trace && $trace != *nonminimal_varint* ]] || continue	# no tracer writes those
		succeeds "$COPY" "$trace" "$BATS_TEST_TMPDIR/copy"
		cmp "$trace" "$BATS_TEST_TMPDIR/copy"
		n=$((n + 1))
	done
	[ "$n" -ge 40 ]
}

# A span of each, through the library: the old formats as well.
@test "the library cuts a part out of a trace of every release since 1.5" {
	local trace n=0
	require_go 1.19
	built cut_longest_stop shared
	for trace in "$CHECKOUT"/build/go/go1.19/src/internal/trace/testdata/{stress,http}_*_good; do
		run_logged "$EXAMPLE" "$trace" "$BATS_TEST_TMPDIR/part"
		[ "$status" -eq 0 ] || { contains "the world does not stop in it"; continue; }
		succeeds "$GOTAP" check "$BATS_TEST_TMPDIR/part"
		n=$((n + 1))
	done
	[ "$n" -ge 3 ]
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
