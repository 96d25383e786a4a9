#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# gotap requests --otlp: what OpenTelemetry's own reader finds in it, and how a receiver is asked.

load lib/common
load lib/record
load lib/otlp

setup() {
	T=$BATS_TEST_TMPDIR
	SERVER=
}

teardown() {
	[ -z "$SERVER" ] || kill "$SERVER" 2>/dev/null || true
	stop_targets
}

# receiver ANSWER...: starts tests/lib/otlp_server.py; sets $URL.
receiver() {
	mkdir -p "$T/got"
	python3 "$CHECKOUT/tests/lib/otlp_server.py" "$T/got" "$@" >"$T/port" 3>&- &
	SERVER=$!
	wait_for 20 test -s "$T/port"
	URL=http://127.0.0.1:$(cat "$T/port")
}

# got N FILTER: what jq says of request N.
got() { jq -e "$2" "$T/got/$1.json" >/dev/null || fail "not so: $2: $(cat "$T/got/$1.json")"; }

@test "each kind of operation, in protobuf and in JSON, by OpenTelemetry's reader" {
	require_tool python3
	otlp_story
	gotap requests "$TRACE" --otlp "$T/spans.json" --otlp-waits
	[ "$status" -eq 0 ]
	contains 'spans.json: 18 spans of 10 traces, 8 of them errors, '
	contains 'not exported: 1 operations that had not ended, and 1 spans inside of requests that had not'
	succeeds python3 "$CHECKOUT/tests/lib/otlp_story.py" "$T/spans.json" "$TRACE" waits
	require_otlp_judges
	succeeds "$GOTAP" requests "$TRACE" --otlp "$T/spans" --otlp-waits
	decoded "$T/spans" >"$T/decoded"
	succeeds python3 "$CHECKOUT/tests/lib/otlp_story.py" "$T/decoded" "$TRACE" waits
	succeeds diff <(jq -S . "$T/spans.json") <(jq -S . "$T/decoded")
	# without waits; to standard output, of standard input
	"$GOTAP" requests - --otlp - <"$TRACE" >"$T/piped" 2>/dev/null
	decoded "$T/piped" >"$T/decoded"
	succeeds python3 "$CHECKOUT/tests/lib/otlp_story.py" "$T/decoded" -
	# the same ids under another name
	cp "$TRACE" "$T/other.trace"
	"$GOTAP" requests "$T/other.trace" --otlp "$T/other.json"
	ids='[.. | .spans? | arrays | .[] | [.traceId, .spanId, .parentSpanId]]'
	succeeds diff <(jq "$ids" "$T/spans.json") <(jq "$ids" "$T/other.json")
}

@test "the requests of a server: names, statuses, times as gotap requests has them, one route, a name of the service" {
	require_root
	require_otlp_judges
	export GODEBUG=httpmuxgo121=0
	build_prog 1.27 requests
	"$GOTAP" record -o "$T/x.trace" --budget none --strict -e +http -- "$PROG" 40 100 long >/dev/null
	"$GOTAP" requests "$T/x.trace" --slowest 1000 --json >"$T/requests"
	# some batches: one message in protobuf, lines in JSON
	gotap requests "$T/x.trace" --otlp "$T/spans" --service 'my shop'
	[ "$status" -eq 0 ]
	decoded "$T/spans" >"$T/decoded"
	succeeds python3 - "$T/requests" "$T/decoded" <<-'END'
		import json, sys
		asked = {q['task']: q for q in json.load(open(sys.argv[1]))['slowest']}
		[message] = [json.loads(line) for line in open(sys.argv[2])]
		assert len(message['resourceSpans']) == (len([0 for r in message['resourceSpans'] for c in r['scopeSpans'] for s in c['spans']]) + 511) // 512
		spans = [s for r in message['resourceSpans'] for c in r['scopeSpans'] for s in c['spans']]
		for r in message['resourceSpans']:
		    assert [a['value']['stringValue'] for a in r['resource']['attributes'] if a['key'] == 'service.name'] == ['my shop']
		first = None
		by_id, children = {s['spanId']: s for s in spans}, 0
		for s in spans:
		    of = {a['key']: a['value'] for a in s['attributes']}
		    if 'gotap.task' not in of:	# a goroutine that works for a request
		        up = by_id[s['parentSpanId']]
		        assert s['name'] == 'child of ' + up['name'] and s['kind'] == 1 and s['traceId'] == up['traceId'], (s, up)
		        assert int(up['startTimeUnixNano']) <= int(s['startTimeUnixNano'])
		        assert int(s['endTimeUnixNano']) <= int(up['endTimeUnixNano'])
		        children += 1
		        continue
		    if s['kind'] == 3:	# the client is in the same program
		        continue
		    q = asked.pop(int(of['gotap.task']['intValue']))
		    begin, end = int(s['startTimeUnixNano']), int(s['endTimeUnixNano'])
		    assert end - begin == q['ns'], (s, q)
		    first = first or begin - q['from_ns']
		    assert abs(begin - q['from_ns'] - first) < 10e6, 'each generation has the time of day: that of one machine'
		    assert s['name'] == q['name'].removesuffix(' net/http') and s['kind'] == 2, (s, q)
		    assert of.get('url.path', {}).get('stringValue', '') == q['path'], (s, q)
		    assert int(of.get('http.response.status_code', {}).get('intValue', 0)) == q['status'], (s, q)
		    assert (s.get('status', {}).get('code') == 2) == (q['panic'] or q['status'] >= 500), (s, q)
		assert not asked and len(spans) > 900 and children >= 3 * 80, (len(asked), len(spans), children)
	END
	"$GOTAP" requests "$T/x.trace" --otlp "$T/spans.json" --service 'my shop'
	[ "$(wc -l <"$T/spans.json")" -eq "$(jq '.resourceSpans | length' "$T/decoded")" ]
	"$GOTAP" requests "$T/x.trace" --otlp "$T/late.json" --route /late
	jq -e 'all(.resourceSpans[].scopeSpans[].spans[]; .name == "GET /late" or .name == "child of GET /late")' "$T/late.json"
	gotap requests "$T/x.trace" --otlp "$T/none.json" --route /nothing
	[ "$status" -eq 1 ]
	contains 'has no requests'
	[ ! -e "$T/none.json" ]
}

@test "a receiver gets the bytes of the file: path, type, token; what it says of a part is told" {
	otlp_story
	receiver 200 200 200 partial chunked warning garbage partial
	"$GOTAP" requests "$TRACE" --otlp "$T/spans"
	gotap requests "$TRACE" --otlp "$URL"
	[ "$status" -eq 0 ]
	contains "$URL took 18 spans of 10 traces, 8 of them errors"
	succeeds cmp "$T/spans" "$T/got/1.body"
	got 1 '.method == "POST" and .path == "/v1/traces" and .headers["Content-Type"] == "application/x-protobuf"'
	got 1 '(.headers | has("Authorization") | not) and (.headers["User-Agent"] | startswith("gotap/"))'
	"$GOTAP" requests "$TRACE" --otlp "$T/spans.json"
	(umask 077; echo secret-secret-secret-secret >"$T/token")
	gotap requests "$TRACE" --otlp "$URL/tenant/?a=b" --otlp-format json --otlp-token "$T/token"
	[ "$status" -eq 0 ]
	[[ $output != *secret* ]]
	succeeds cmp "$T/spans.json" "$T/got/2.body"
	got 2 '.path == "/tenant/v1/traces" and .query == "a=b" and .headers["Content-Type"] == "application/json"'
	got 2 '.headers.Authorization == "Bearer secret-secret-secret-secret"'
	succeeds "$GOTAP" requests "$TRACE" --otlp "$URL/v1/traces"
	got 3 '.path == "/v1/traces"'
	for _ in length chunks; do
		gotap requests "$TRACE" --otlp "$URL"
		[ "$status" -eq 1 ]
		contains 'did not take 3 spans: no room\x1b[2J for them'
		contains 'took 15 spans of 10 traces'
	done
	gotap requests "$TRACE" --otlp "$URL"
	[ "$status" -eq 0 ]
	contains 'took all 18 spans, and says: no room\x1b[2J for them'
	gotap requests "$TRACE" --otlp "$URL"	# the status says that it took them
	[ "$status" -eq 0 ]
	gotap requests "$TRACE" --otlp "$URL" --otlp-format json
	[ "$status" -eq 1 ]
	contains 'did not take 3 spans: no room\x1b[2J for them'
}

@test "a busy receiver is asked again, at most four times; a refusal, a missing one and TLS are errors" {
	otlp_story
	receiver after 429 200 close 200 bad
	gotap requests "$TRACE" --otlp "$URL"
	[ "$status" -eq 0 ]
	contains 'refused the spans with status 503; it is tried again'
	contains 'refused the spans with status 429; it is tried again'
	succeeds cmp "$T/got/1.body" "$T/got/3.body"
	gotap requests "$TRACE" --otlp "$URL"	# what was sent and not answered is sent again: the ids are the same
	[ "$status" -eq 0 ]
	succeeds cmp "$T/got/4.body" "$T/got/5.body"
	gotap requests "$TRACE" --otlp "$URL"
	[ "$status" -eq 1 ]
	contains "refused the spans with status 400: no room\\x1b[2J for them"
	[ ! -e "$T/got/7.json" ]
	kill "$SERVER"
	wait "$SERVER" || true
	gotap requests "$TRACE" --otlp "$URL" --otlp-timeout 100ms
	[ "$status" -eq 1 ]
	[ "$(grep -c 'cannot connect to' <<<"$output")" -eq 5 ]
	gotap requests "$TRACE" --otlp https://127.0.0.1
	[ "$status" -eq 1 ]
	contains 'gotap itself has no TLS'
}

@test "wrong usage; a damaged trace, one without requests, one without the time of day, a full disk" {
	otlp_story
	for wrong in '--service x' '--otlp-format json' '--otlp-waits' '--otlp y --otlp-format xml' '--otlp y --json' '--otlp y -o z' \
		'--otlp y --otlp-token z'; do
		# shellcheck disable=SC2086
		gotap requests "$TRACE" $wrong
		[ "$status" -eq 2 ]
	done
	gotap requests "$TRACE" --otlp "$TRACE"
	[ "$status" -eq 1 ]
	# what comes before the damage counts
	head -c $(($(stat -c %s "$TRACE") - 30)) "$TRACE" >"$T/cut.trace"
	gotap requests "$T/cut.trace" --otlp "$T/cut.json"
	[ "$status" -eq 1 ]
	gotap requests "$CHECKOUT/tests/vectors/ok_all_kinds.trace" --otlp "$T/none"
	[ "$status" -eq 1 ]
	[ ! -e "$T/none" ]
	"$GOTAP" convert --format go1.23 "$TRACE" -o "$T/old.trace"
	gotap requests "$T/old.trace" --otlp "$T/old"
	[ "$status" -eq 1 ]
	contains 'does not say the time of day'
	gotap requests "$TRACE" --otlp /dev/full
	[ "$status" -eq 1 ]
	contains 'No space left on device'
}
