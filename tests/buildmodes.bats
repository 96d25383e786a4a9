#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# What the linker can make of a Go program: position independent or not, linked by Go or by the
# system's linker, with C in it or in C programs, instrumented, unoptimized, and what was done to it
# afterwards.

load lib/common
load lib/record
load lib/differential
load lib/modes

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

# for releases 1.22 1.24 1.26 newest (inline newest; soak-only not newest):
#	@test "position independent, linked by Go, and with cgo by the system's linker: Go %" { pie %; }
# bats test_tags=soak-only
@test "position independent, linked by Go, and with cgo by the system's linker: Go 1.22" { pie 1.22; }
# bats test_tags=soak-only
@test "position independent, linked by Go, and with cgo by the system's linker: Go 1.24" { pie 1.24; }
# bats test_tags=soak-only
@test "position independent, linked by Go, and with cgo by the system's linker: Go 1.26" { pie 1.26; }
# bats test_tags=inline
@test "position independent, linked by Go, and with cgo by the system's linker: Go 1.27" { pie 1.27; }
# end of releases

# bats test_tags=inline-soak
@test "linked statically by the system's linker" {
	CGO_ENABLED=1 build_prog 1.24 mixed '-ldflags=-linkmode=external -extldflags=-static' '-tags=netgo osusergo'
	compare "Go 1.24, static, linked externally" 2
}

# bats test_tags=inline
@test "with the race detector" {
	CGO_ENABLED=1 build_prog 1.27 mixed -race
	compare "Go 1.27, -race" 2
}

# bats test_tags=inline-soak
@test "without optimization" {
	build_prog 1.26 mixed '-gcflags=all=-N -l'
	compare "Go 1.26, -N -l" 2
}

# bats test_tags=inline-soak
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

library() {
	as_library "$1" c-shared so
	compare "Go $1, c-shared" 2
}

# for releases 1.22 1.26 newest (inline newest; soak-only 1.26):
#	@test "a shared library in a C program: Go %" { library %; }
@test "a shared library in a C program: Go 1.22" { library 1.22; }
# bats test_tags=soak-only
@test "a shared library in a C program: Go 1.26" { library 1.26; }
# bats test_tags=inline
@test "a shared library in a C program: Go 1.27" { library 1.27; }
# end of releases

@test "ps and doctor know libraries and plugins" {
	local release=${REFERENCE_GO/./\\.}
	as_library "$REFERENCE_GO" c-shared so
	start_target "$PROG" -tail 1h
	gotap ps
	matches "^ *$TARGET .* go$release.* yes .*\(libmixed\.so in main\)$"
	gotap ps --json
	contains "\"library\": \"$(dirname "$PROG")/libmixed.so\""
	gotap doctor -p "$TARGET"
	[ "$status" -eq 0 ]
	matches "^  ok    file +$(dirname "$PROG")/libmixed\.so$"
	matches '^  ok    memory +goroutines found at 0x'
	as_plugin "$REFERENCE_GO"
	start_target "$PROG" -tail 1h
	gotap ps
	matches "^ *$TARGET .* go$release.* yes +- +[^ ]*/host( .*)?$"
	gotap doctor -p "$TARGET"
	[ "$status" -eq 0 ]
	matches "^  ok    plugin +$PLUGIN, loaded at"
	matches "^  runtime\.releasep .* emulated +push %rbp at [+]0x[0-9a-f]+ in $PLUGIN$"
}

# Held until the library is mapped: its runtime is traced from its start.
@test "a C program with a shared library, launched" {
	as_library "$REFERENCE_GO" c-shared so
	recorded "$T/a.trace" -- "$PROG" -dur 300ms
	views_ok "$T/a.trace"
	"$ORACLE/check" -goroutines "$T/a.trace" >"$T/goroutines"
	grep -q '^goroutine 1 first=Runnable .* name=runtime.main$' "$T/goroutines"
	grep -q 'name=main\.' "$T/goroutines"
}

@test "a C program that loads a Go library as it runs: launched it is not recorded, by its process id it can be" {
	as_library "$REFERENCE_GO" c-shared so
	cat >"$T/late.c" <<-END
		#include <dlfcn.h>
		int main(int argc, char **argv)
		{
			void (*run)(void) = dlsym(dlopen(argv[argc - 1], RTLD_NOW), "GoMain");
			if (argc > 2)
				run();
		}
	END
	gcc -o "$T/late" "$T/late.c" -ldl
	run_logged "$GOTAP" record -o "$T/a.trace" -- "$T/late" "$(dirname "$PROG")/libmixed.so"
	[ "$status" -eq 125 ]
	contains "'$T/late': not a Go program, nor is a library that it is linked with"
	contains "record that with -p PID"
	start_target "$T/late" -tail 1h "$(dirname "$PROG")/libmixed.so"
	recorded "$T/a.trace" -d 300ms -p "$TARGET"
	views_ok "$T/a.trace"
}

# Then the library has g elsewhere in thread-local storage than a program of Go.
@test "samples in C are of their goroutine where the C program has thread-local variables" {
	require_go "$REFERENCE_GO"
	cat >"$T/lib.go" <<-END
		package main
		// static int spin(void) { volatile int x = 0; while (x < 20000000) x++; return x; }
		import "C"
		import "os"
		//export GoMain
		func GoMain() { os.Stdout.WriteString("ready\n"); for { C.spin() } }
		func main() {}
	END
	cat >"$T/main.c" <<-END
		extern void GoMain(void);
		__thread long mine[40] = { 1 };
		int main(void) { mine[3]++; GoMain(); return (int)mine[5]; }
	END
	CGO_ENABLED=1 GOFLAGS='' GOWORK=off GO111MODULE=off flock "$GO" "$GO" build -buildmode=c-shared '-ldflags=-s -w' -o "$T/libspin.so" "$T/lib.go"
	gcc -o "$T/main" "$T/main.c" "$T/libspin.so" "-Wl,-rpath,$T"
	start_target "$T/main"
	recorded "$T/a.trace" -d 1s --cpu-samples 200 --spool "$T/a.spool" -p "$TARGET"
	succeeds "$GOTAP" records "$T/a.spool"
	[ "$(grep -c ' CPU_SAMPLE goid=[1-9]' <<<"$output")" -ge 3 ]
	[ "$(grep -c ' CPU_SAMPLE goid=[1-9]' <<<"$output")" -ge "$(grep -c ' CPU_LEAF goid=0 ' <<<"$output")" ]
}

archive() {
	as_library "$1" c-archive a
	compare "Go $1, c-archive" 2
}

# for releases 1.24 newest (soak-only 1.24):
#	@test "an archive in a C program: Go %" { archive %; }
# bats test_tags=soak-only
@test "an archive in a C program: Go 1.24" { archive 1.24; }
@test "an archive in a C program: Go 1.27" { archive 1.27; }
# end of releases

# A plugin has the runtime's code once more, on the program's data: both have probes and names.
plugin() {
	as_plugin "$1"
	compare "Go $1, plugin" 2
	run_logged "$ORACLE/check" -goroutines "$T/2-gotap.trace"
	matches 'name=plugin/unnamed-[0-9a-f]+\.'
}

# for releases 1.22 1.26 newest (soak-only not newest):
#	@test "a plugin: Go %" { plugin %; }
# bats test_tags=soak-only
@test "a plugin: Go 1.22" { plugin 1.22; }
# bats test_tags=soak-only
@test "a plugin: Go 1.26" { plugin 1.26; }
@test "a plugin: Go 1.27" { plugin 1.27; }
# end of releases

@test "a plugin, all stripped" {
	as_plugin "$REFERENCE_GO" "$STRIPPED"
	compare "Go $REFERENCE_GO, plugin, stripped" 2
}

# bats test_tags=inline
@test "a plugin, from a spool file" {
	as_plugin 1.27
	start_target "$PROG" -dur 1h
	recorded "$T/a.trace" -d 500ms --spool "$T/a.spool" -p "$TARGET"
	succeeds "$GOTAP" assemble -q -o "$T/b.trace" "$T/a.spool"
	cmp "$T/a.trace" "$T/b.trace"
}

# The code of a plugin that comes later has no probes: the trace ends where it comes.
# bats test_tags=inline
@test "a plugin that is opened meanwhile ends the recording" {
	local host
	as_plugin 1.27
	PLUGIN_AFTER=signal start_target "$PROG" -dur 1s
	start_record "$T/a.trace" --strict -p "$TARGET"
	kill -USR1 "$TARGET"
	wait_record
	[ "$status" -eq 0 ]
	[[ $(reported ended) == "the program has opened a plugin"* ]]
	views_ok "$T/a.trace"
	! "$ORACLE/check" -stacks "$T/a.trace" | grep -q plugin/unnamed- || fail "something of the plugin is in it"
	# The same with a launched program. When a generation is written gotap has looked many times
	# for a plugin: the trace ends with the last look that found none.
	PLUGIN_AFTER=signal start_record "$T/b.trace" --strict -- "$PROG" -dur 500ms >"$T/out"
	wait_for 60 grep -qx ready "$T/out"
	host=$(pgrep -P "$RECORDER" -x host)
	TARGETS+=" $host"
	wait_for 60 has_bytes "$T/b.trace.partial" 1000
	kill -USR1 "$host"
	wait_record
	[ "$status" -eq 0 ]
	[[ $(reported ended) == "the program has opened a plugin"* ]]
	views_ok "$T/b.trace"
}

# plugin_runs: it says "ready" once more, after the program that opened it.
plugin_runs() { [ "$(grep -cx ready "$TARGET_OUT")" -eq 2 ]; }

# The thread that looks for plugins is held before its first look. Nothing that comes after the last
# look is kept: as long as no look has come after the reading of the goroutines, gotap does not say
# that it records.
@test "a plugin that is opened before a look has come behind the goroutines: there is no trace" {
	as_plugin 1.27
	PLUGIN_AFTER=signal start_target "$PROG" -dur 2s
	want_hold
	REPORT=$T/report
	holdable true
	LD_PRELOAD=$T/hold_drain.so GOTAP_TEST_HOLD=$T/hold "$GOTAP" record -o "$T/a.trace" -p "$TARGET" 2>"$REPORT" 3>&- &
	RECORDER=$!
	TARGETS+=" $RECORDER"
	wait_for 60 test -e "$T/hold.held"
	wait_for 60 has_looked $(($(looks) + 50))
	[ ! -s "$T/a.trace.partial" ]
	kill -USR1 "$TARGET"
	wait_for 60 plugin_runs
	let_drain_go
	wait_record
	[ "$status" -eq 1 ]
	grep -q "^gotap: the recording ended before the goroutines had been read: there is no trace; the program has opened a plugin" "$REPORT"
	[ ! -e "$T/a.trace" ]
	[ ! -e "$T/a.trace.partial" ]
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
	printf 'int main(void) { return 0; }' >"$T/c.c"
	gcc -o "$T/c" "$T/c.c"
	run_logged "$GOTAP" record -o "$T/a.trace" -- "$T/c"
	[ "$status" -eq 125 ]
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
	run_logged "$GOTAP" record -o "$T/a.trace" -- "$T/c"
	[ "$status" -eq 125 ]
	contains "packed with upx"
}
