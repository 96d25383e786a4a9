#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# --label KEY=VALUE: requests whose handler, or a goroutine that works for it, has a profiler label meanwhile
# (tests/prog/tenants.go, on one connection).

load lib/common
load lib/record

setup_file() {
	[ "$(id -u)" -eq 0 ] || return 0
	export GODEBUG=httpmuxgo121=0
	build_prog 1.27 tenants
	"$GOTAP" record -o "$BATS_FILE_TMPDIR/x.trace" --budget none --strict -e +http,+labels -- "$PROG"
}

setup() {
	require_root
	TRACE=$BATS_FILE_TMPDIR/x.trace
}

teardown() { stop_targets; }

# counts LABEL ROUTE:COUNT...: what gotap requests --label says.
counts() {
	"$GOTAP" requests "$TRACE" --label "$1" --json >"$BATS_TEST_TMPDIR/json" || fail "$1"
	succeeds diff <(printf '%s\n' "${@:2}" | sort) <(jq -r '.routes[] | "\(.name):\(.count)"' "$BATS_TEST_TMPDIR/json" | sort)
}

@test "requests of a label: of the handler, of its goroutines, and not of the request before on the connection" {
	counts tenant=acme-1 'GET /buy:7' 'GET /look:4'
	counts tenant=acme-2 'GET /buy:3'
	counts 'tenant=acme*' 'GET /buy:10' 'GET /look:4'
	counts 'tenant=*' 'GET /buy:12' 'GET /look:4'
	counts 'tenant=acme-?' 'GET /buy:10' 'GET /look:4'
	# the composition is that of these requests
	"$GOTAP" requests "$TRACE" --label tenant=acme-2 >"$BATS_TEST_TMPDIR/text"
	grep -q '3 tasks GET /buy' "$BATS_TEST_TMPDIR/text" || fail "$(cat "$BATS_TEST_TMPDIR/text")"
	gotap requests "$TRACE" --label tenant=nobody
	[ "$status" -eq 1 ]
	contains 'has no requests with the label tenant=nobody'
	gotap requests "$TRACE" --label tenant
	[ "$status" -eq 2 ]
	contains '--label takes KEY=VALUE'
}

# sum FILTER FILE: a number of the goroutines of a report, added up.
sum() { jq "[.goroutines[] | $1 // 0] | add" "$BATS_TEST_TMPDIR/$2"; }

@test "a report of a label: what its goroutines did while they had it, and no more" {
	report() { "$GOTAP" report "$TRACE" --json "${@:2}" >"$BATS_TEST_TMPDIR/$1" || fail "$*"; }
	report one --label tenant=acme-1
	report all --by-label tenant
	report both --label 'tenant=acme*' --label 'tenant=*-2'
	succeeds jq -e '.labels == ["tenant=acme-1"] and (has("answer") or has("findings") or has("gc") or has("label") | not)' "$BATS_TEST_TMPDIR/one"
	succeeds jq -e '.longest | has("gc_cycle") or has("stop") | not' "$BATS_TEST_TMPDIR/one"
	# each of 11 sleeps, and the running around it, cut where the label was set and removed
	[ "$(sum .waiting.sleep.count one)" -eq 11 ]
	[ "$(sum .running.count one)" -ge 22 ]
	[ "$(sum .states_ns one)" -eq "$(sum .life.sum_ns one)" ]
	[ "$(sum .waiting.sleep.sum_ns one)" -eq "$(jq '.goroutines[] | select(.function == "acme-1").waiting.sleep.sum_ns' "$BATS_TEST_TMPDIR/all")" ]
	[ "$(sum .waiting.sleep.count both)" -eq 3 ]
	succeeds diff <(jq -r '.goroutines[] | "\(.function) \(.goroutines)"' "$BATS_TEST_TMPDIR/one" | sort) <(printf 'main.look.func1 4\nnet/http.(*conn).serve 1\n')
	succeeds diff <(jq -r '.requests[].routes[] | "\(.name):\(.count)"' "$BATS_TEST_TMPDIR/one" | sort) <(printf 'GET /buy:7\nGET /look:4\n')
	"$GOTAP" report "$TRACE" --label tenant=acme-1 >"$BATS_TEST_TMPDIR/text"
	grep -q '^Only what has the profiler label tenant=acme-1. Left out' "$BATS_TEST_TMPDIR/text"
	[ "$(grep -Ec '^(FINDINGS|UNIT OF WORK|GC AND|OVER TIME|NEXT)' "$BATS_TEST_TMPDIR/text")" -eq 0 ]
}

@test "a report of a label that nothing has, or that goes with something else" {
	gotap report "$TRACE" --label tenant=acme-1 --label tenant=acme-2
	[ "$status" -eq 1 ]
	contains 'no goroutine has the labels tenant=acme-1 and the others: group labels must be recorded (--events +labels)'
	for option in '--html x' '--unit main.buy' '--by-label tenant'; do
		# shellcheck disable=SC2086
		gotap report "$TRACE" --label tenant=acme-1 $option
		[ "$status" -eq 2 ]
		contains "--label and ${option% *} do not go together"
	done
	gotap report "$TRACE" --label =x
	[ "$status" -eq 2 ]
	contains '--label takes KEY=VALUE'
}

# facts LABEL COUNT...: how many facts each trigger has, about those with the label.
facts() {
	"$GOTAP" record --json --flight 5s --budget none --cooldown 1h -o "$BATS_TEST_TMPDIR/%p-%n.trace" --on 'request>500us' \
		--on 'request:/buy>500us' --on 'blocked>500us:sleep' --on-label "$1" -- "$PROG" >"$BATS_TEST_TMPDIR/json" 2>&1 || fail "$1"
	grep -o '"triggers": \[[^]]*\]' "$BATS_TEST_TMPDIR/json" | sed 's/.*/{&}/' >"$BATS_TEST_TMPDIR/triggers"
	succeeds diff <(printf '%s\n' "${@:2}") <(jq '.triggers[].facts' "$BATS_TEST_TMPDIR/triggers")
}

@test "triggers of a label: of the handler for requests, of each goroutine for waits; the group labels comes along" {
	build_prog 1.27 tenants
	export GODEBUG=httpmuxgo121=0
	facts tenant=acme-1 7 7 11
	facts 'tenant=acme*' 10 10 14
	facts tenant=nobody 0 0 0
	gotap record --flight 5s --on gc --on-label tenant=acme-1 -- "$PROG"
	[ "$status" -eq 2 ]
	contains '--on-label restricts triggers about goroutines: no --on is one'
	gotap record --flight 5s --on 'request>1s' --on-label tenant -- "$PROG"
	[ "$status" -eq 2 ]
	contains '--on-label takes KEY=VALUE'
	gotap record --on-label tenant=acme-1 -- "$PROG"
	[ "$status" -eq 2 ]
	contains 'are for --flight TIME'
}

@test "why and --otlp of a label" {
	"$GOTAP" why "$TRACE" --route /buy --label tenant=acme-2 --slowest 20 --json >"$BATS_TEST_TMPDIR/why"
	[ "$(jq '.slowest | length' "$BATS_TEST_TMPDIR/why")" -eq 3 ]
	"$GOTAP" requests "$TRACE" --label tenant=acme-2 --slowest 20 --json >"$BATS_TEST_TMPDIR/json"
	succeeds diff <(jq -c '.slowest[] | [.request, .ns]' "$BATS_TEST_TMPDIR/why") <(jq -c '.slowest[] | [.request, .ns]' "$BATS_TEST_TMPDIR/json")
	[ "$("$GOTAP" why "$TRACE" --func main.look.func1 --label tenant=acme-1 --slowest 20 --json | jq '.slowest | length')" -eq 4 ]
	gotap why "$TRACE" --route /plain --label 'tenant=*'
	[ "$status" -eq 1 ]
	gotap why "$TRACE" --request 1 --label 'tenant=*'
	[ "$status" -eq 2 ]
	contains '--label needs --func, --region, --route or a type of --task'
	"$GOTAP" requests "$TRACE" --label 'tenant=acme*' --otlp "$BATS_TEST_TMPDIR/spans.json"
	jq -r '.resourceSpans[].scopeSpans[].spans[] | select(.kind == 2).name' "$BATS_TEST_TMPDIR/spans.json" | sort | uniq -c | sed "s,^ *,," >"$BATS_TEST_TMPDIR/names"
	succeeds diff "$BATS_TEST_TMPDIR/names" <(printf '10 GET /buy\n4 GET /look\n')
	# the goroutines of /look are in it, calls of the client and other requests are not
	succeeds jq -e 'all(.resourceSpans[].scopeSpans[].spans[]; .kind != 3 and (.name | contains("plain") | not))' "$BATS_TEST_TMPDIR/spans.json"
}
