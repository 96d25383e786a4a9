#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# tests/oracle/gotest/build.sh GOROOT OUTFILE
#
# Builds the tests of Go's own tracer (internal/trace, trace_test.go) so that they judge a trace that gotap wrote:
# each of its programs runs under `gotap record`, and what was its own trace on stdout is thrown away. Everything else
# is Go's: the programs, the reader, the validator, and what each test looks for. By environment:
#
#	GOTAP		gotap
#	GOTAP_FLAGS	more flags of gotap record
#	TESTPROG_GO	the go command that builds the programs
#	GOSCHED_FRAME	the first frame of a stack at runtime.Gosched: that function; or nothing up to Go 1.24, the
#			tracer of which leaves out one frame there, and Gosched is inlined
#	TESTPROG	a copy of their folder, testdata/testprog, outside of Go's own module

set -euo pipefail

goroot=$(cd "$1" && pwd)
out=$2
test_file=$goroot/src/internal/trace/trace_test.go
overlay=$out.overlay.json
edited=$out.trace_test.go

mkdir -p "$(dirname "$out")"
sed -e 's|filepath.Join("./testdata/testprog", |filepath.Join(os.Getenv("TESTPROG"), |' \
	-e 's|^\t\tbuildCmd.Args = append(buildCmd.Args, testPath)|&; buildCmd.Dir = os.Getenv("TESTPROG")|' \
	-e 's|testenv.GoToolPath(t), "build"|os.Getenv("TESTPROG_GO"), "build"|' \
	-e 's|^\t\tcmd := testenv.CommandContext(t, t.Context(), bin)|\t\tcmd := testenv.CommandContext(t, t.Context(), os.Getenv("GOTAP"),\
			append(append([]string{"record", "--strict", "--budget", "none", "-q", "-o", bin + ".trace"},\
				strings.Fields(os.Getenv("GOTAP_FLAGS"))...), "--", bin)...)\
		t.Cleanup(func() { os.Remove(bin + ".trace") })|' \
	-e 's|^\t\t\t\t{"runtime.Gosched", 0},|\t\t\t\t{os.Getenv("GOSCHED_FRAME"), 0},|' \
	-e 's|^\t\tstackMatches := func.*|&\
			if len(frames) > 0 \&\& frames[0].fn == "" {\
				frames = frames[1:]\
			}\
			if stk == trace.NoStack {\
				return false\
			}|' \
	-e 's|^\t\ttb := traceBuf.Bytes()|\t\ttb, err := os.ReadFile(bin + ".trace")\
		if err != nil {\
			t.Fatal(err)\
		}|' "$test_file" >"$edited"
[ "$(diff "$test_file" "$edited" | grep -c '^>')" -eq 18 ] || {
	echo "gotest: $test_file is not as expected" >&2
	exit 1
}
printf '{"Replace":{"%s":"%s"}}\n' "$test_file" "$edited" >"$overlay"
cd "$goroot/src"
GOTOOLCHAIN=local GOFLAGS='' GOPROXY=off GOWORK=off CGO_ENABLED=0 \
	"$goroot/bin/go" test -c -overlay "$overlay" -o "$out" internal/trace
