#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# gotap why about requests: --request, --route, --slowest. The numbers are those of gotap requests.

load lib/common
load lib/record

setup_file() {
	[ "$(id -u)" -eq 0 ] || return 0
	export GODEBUG=httpmuxgo121=0
	build_prog 1.27 requests
	"$GOTAP" record -o "$BATS_FILE_TMPDIR/x.trace" --budget none --strict -e +http -- "$PROG" 8 100 >/dev/null
}

setup() {
	require_root
	TRACE=$BATS_FILE_TMPDIR/x.trace
}

teardown() { stop_targets; }

@test "a request by its number, whole and short" {
	local id
	# jq holds numbers as doubles: those from 2^62 on lose their last digits
	id=$(($("$GOTAP" requests "$TRACE" --json --slowest 1 | jq .slowest[0].request) + (1 << 62)))
	succeeds "$GOTAP" why "$TRACE" --request "$id"
	contains "request $id, ended by goroutine"
	"$GOTAP" why "$TRACE" --request "$id" --json >"$BATS_TEST_TMPDIR/whole"
	"$GOTAP" why "$TRACE" --request $((id - (1 << 62))) --json >"$BATS_TEST_TMPDIR/short"
	succeeds diff "$BATS_TEST_TMPDIR/whole" "$BATS_TEST_TMPDIR/short"
	succeeds jq -e --argjson id $((id - (1 << 62))) '.of == "request" and .request == $id and .ns == ([.causes[].ns] | add)' "$BATS_TEST_TMPDIR/whole"
}

@test "each of the slowest of a route, as gotap requests lists them" {
	succeeds "$GOTAP" why "$TRACE" --route 'GET /late' --slowest 5
	[ "$(grep -c '^request GET /late [0-9]*, ended by goroutine' <<<"$output")" -eq 5 ]
	contains 'number 5 of the slowest of 16: '
	"$GOTAP" why "$TRACE" --route /late --slowest 5 --json >"$BATS_TEST_TMPDIR/why"
	"$GOTAP" requests "$TRACE" --route /late --slowest 5 --json >"$BATS_TEST_TMPDIR/requests"
	succeeds diff <(jq -c '.slowest[] | [.request, .ns, .from_ns]' "$BATS_TEST_TMPDIR/why") \
		<(jq -c '.slowest[] | [.request, .ns, .from_ns]' "$BATS_TEST_TMPDIR/requests")
	# each path is that of the request alone, and fills it
	succeeds jq -e 'all(.slowest[]; .ns == ([.causes[].ns] | add)) and (.slowest | length) == 5' "$BATS_TEST_TMPDIR/why"
	for i in 0 4; do
		"$GOTAP" why "$TRACE" --request "$(jq ".slowest[$i].request" "$BATS_TEST_TMPDIR/why")" --json |
			jq -cS '[.causes, .steps, .runnable]' >"$BATS_TEST_TMPDIR/one"
		succeeds diff <(jq -cS ".slowest[$i] | [.causes, .steps, .runnable]" "$BATS_TEST_TMPDIR/why") "$BATS_TEST_TMPDIR/one"
	done
	# more than there are: all
	[ "$("$GOTAP" why "$TRACE" --route 'GET /stream' --slowest 20 --json | jq '.slowest | length')" -eq 16 ]
	"$GOTAP" schema why >"$BATS_TEST_TMPDIR/schema"
	succeeds python3 -c 'import json, jsonschema, sys; jsonschema.validate(*(json.load(open(f)) for f in sys.argv[1:]))' \
		"$BATS_TEST_TMPDIR/why" "$BATS_TEST_TMPDIR/schema"
	# of another kind
	[ "$("$GOTAP" why "$TRACE" --func main.children.func1 --slowest 3 --json | jq '.slowest | length')" -eq 3 ]
}

@test "wrong usage, and requests that are not there" {
	gotap why "$TRACE" --request 99999
	[ "$status" -eq 1 ]
	contains 'has no request 4611686018427487903 that ends in it'
	gotap why "$TRACE" --route /nothing
	[ "$status" -eq 1 ]
	contains "no request that ends in the trace is of route '/nothing'; there are GET"
	gotap why "$TRACE" --request 'GET /late'
	[ "$status" -eq 2 ]
	contains '--request needs the number of a request'
	gotap why "$TRACE" --request 1 --slowest 2
	[ "$status" -eq 2 ]
	gotap why "$TRACE" --route /late --slowest 2 --all
	[ "$status" -eq 2 ]
	contains '--slowest excludes --all and --percentile'
	gotap why "$TRACE" --route /late --task 1
	[ "$status" -eq 2 ]
	contains 'is one too many'
}
