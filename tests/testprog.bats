#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# The test programs of Go's own tracer (internal/trace/testdata/testprog), recorded by gotap and judged by their own
# tests (trace_test.go): reader, validator, and what each looks for. Not a record lost, nothing repaired.
#
# TestTraceCPUProfile wants as many samples in the trace as the program's own CPU profiler took at 100 Hz, of each
# stack, and none of its stacks missing. gotap's samples are others, so it takes a hundred times as many.

load lib/common

PROGRAMS='Annotations|AnnotationsStress|CgoCallback|FutileWakeup|GCStress|GOMAXPROCS|Stacks|Stress|StressStartStop'
PROGRAMS+='|ManyStartStop|WaitOnPipe|IterPull'

setup() { require_root; }

# judge: sets $JUDGE to Go's tests as a program and $TESTPROG to their programs.
judge() {
	local build=$CHECKOUT/tests/oracle/gotest/build.sh
	require_go "$REFERENCE_GO"
	GO_TRACE=${GO%/bin/go}/src/internal/trace
	JUDGE=$BUILD/oracle/gotest
	TESTPROG=$BATS_TEST_TMPDIR/testprog
	[ -x "$JUDGE" ] && [ "$JUDGE" -nt "$build" ] || "$build" "${GO%/bin/go}" "$JUDGE"
	cp -r "$GO_TRACE/testdata/testprog" "$TESTPROG"
}

# stacks.go needs each goroutine to have blocked when main goes on, and sleeps 2 times 100 ms for that, which may not do
# on a busy machine. Instead of the second sleep main waits until only two goroutines are not blocked: itself and one
# that never blocks. The numbers of lines stay.
wait_until_all_block() {
	local last='time.Sleep(100 \* time.Millisecond) // the last chance'
	grep -q "$last" "$TESTPROG/stacks.go"
	sed -i -e 's,^import ($,import ("bytes";,' -e "s,$last,for !allBlock() { time.Sleep(10 * time.Millisecond) } //," "$TESTPROG/stacks.go"
	cat >>"$TESTPROG/stacks.go" <<-'END'

		func allBlock() bool {
			text := make([]byte, 1<<20)
			return bytes.Count(text[:runtime.Stack(text, true)], []byte(" [runn")) <= 2
		}
	END
}

# judged VERSION PROGRAMS [GOTAP RECORD FLAG...]: programs built with that release.
judged() {
	local version=$1 programs=$2 frame
	shift 2
	judge
	PATH=${GO%/go}:$PATH
	require_go "$version"
	require_tool gcc
	# cpu-profile.go reads its own profile with a package that only Go itself may import.
	mkdir "$TESTPROG/internal"
	cp -r "${GO%/bin/go}"/src/internal/{profile,lazyregexp} "$TESTPROG/internal"
	printf 'module testprog\n\ngo %s\n' "$version" >"$TESTPROG/go.mod"
	sed -i -E 's,"internal/(profile|lazyregexp)","testprog/internal/\1",' "$TESTPROG"/cpu-profile.go \
		"$TESTPROG"/internal/*/*.go
	wait_until_all_block
	cd "$GO_TRACE"
	case $version in 1.22 | 1.23 | 1.24) frame='' ;; *) frame=runtime.Gosched ;; esac
	GOSCHED_FRAME=$frame TESTPROG=$TESTPROG TESTPROG_GO=$GO GOTAP=$GOTAP GOTAP_FLAGS="--budget none $*" \
		GOPROXY=off GOFLAGS='' succeeds "$JUDGE" -test.v -test.timeout 20m -test.run "TestTrace($programs)\$/Default"
	contains PASS
}

# bats test_tags=soak-only
@test "Go's own test programs, Go 1.22" { judged 1.22 "${PROGRAMS%|IterPull}"; }
# for releases 1.23+ (soak-only not newest):
#	@test "Go's own test programs, Go %" { judged % "$PROGRAMS"; }
# bats test_tags=soak-only
@test "Go's own test programs, Go 1.23" { judged 1.23 "$PROGRAMS"; }
# bats test_tags=soak-only
@test "Go's own test programs, Go 1.24" { judged 1.24 "$PROGRAMS"; }
# bats test_tags=soak-only
@test "Go's own test programs, Go 1.25" { judged 1.25 "$PROGRAMS"; }
# bats test_tags=soak-only
@test "Go's own test programs, Go 1.26" { judged 1.26 "$PROGRAMS"; }
@test "Go's own test programs, Go 1.27" { judged 1.27 "$PROGRAMS"; }
# end of releases
@test "Go's own test programs with all events" { judged 1.27 'Annotations|GCStress|IterPull|Stress' -e all; }

# sampled VERSION
sampled() { judged "$1" CPUProfile --cpu-samples 10000; }

# for releases 1.22 1.25 newest (soak-only not newest):
#	@test "Go's own test program with a CPU profile, Go %" { sampled %; }
# bats test_tags=soak-only
@test "Go's own test program with a CPU profile, Go 1.22" { sampled 1.22; }
# bats test_tags=soak-only
@test "Go's own test program with a CPU profile, Go 1.25" { sampled 1.25; }
@test "Go's own test program with a CPU profile, Go 1.27" { sampled 1.27; }
# end of releases
