# SPDX-License-Identifier: Apache-2.0
# bats file_tags=beside
#
# gotap pprof --push, to a server with Pyroscope's ingest API (tests/lib/ingest.py, made from its source: Debian and npm
# have no Pyroscope).

load lib/common

setup() {
	require_tool python3 jq
	T=$BATS_TEST_TMPDIR
	TRACE=$CHECKOUT/tests/vectors/ok_all_kinds.trace
	SERVER=
}

teardown() { [ -z "$SERVER" ] || kill "$SERVER" 2>/dev/null || true; }

# ingest STATUS...: starts the server; sets $URL.
ingest() {
	mkdir -p "$T/got"
	python3 "$CHECKOUT/tests/lib/ingest.py" "$T/got" "$@" >"$T/port" 3>&- &
	SERVER=$!
	wait_for 20 test -s "$T/port"
	URL=http://127.0.0.1:$(cat "$T/port")
}

# got N FILTER: what jq says of request N.
got() { jq -e "$2" "$T/got/$1.json" >/dev/null || fail "not so: $2: $(cat "$T/got/$1.json")"; }

@test "the profile of --push is that of -o, with the name, its labels and its times" {
	local name='shop{zone=a,pod="x y"}'
	require_go "$REFERENCE_GO"
	ingest
	gotap pprof -t wall --push "$URL" --push-name "$name" "$TRACE"
	[ "$status" -eq 0 ]
	contains "shop{zone=a,pod=\"x y\"} was sent to $URL: "
	got 1 '.method == "POST" and .path == "/ingest" and .query.format == ["pprof"] and .query.name == ["shop{zone=a,pod=\"x y\"}"]'
	got 1 '(.query.until[0] | tonumber) > (.query.from[0] | tonumber)'
	got 1 '.headers["Content-Type"] == "application/octet-stream" and (.headers | has("Authorization") | not)'
	succeeds "$GOTAP" pprof -t wall -o "$T/wall" "$TRACE"
	# Compressed bytes may differ by the time; what Go's pprof reads may not.
	go_tool pprof -raw "$T/got/1.body" >"$T/pushed.raw"
	go_tool pprof -raw "$T/wall" >"$T/wall.raw"
	grep -q '^Samples:' "$T/wall.raw"
	succeeds diff "$T/wall.raw" "$T/pushed.raw"
	# Types that runtime/pprof has are in its form.
	gotap pprof -t goroutine --push "$URL/" --push-name shop "$TRACE"
	[ "$status" -eq 0 ]
	succeeds "$GOTAP" pprof -t goroutine --as-runtime -o "$T/goroutine" "$TRACE"
	succeeds diff <(go_tool pprof -raw "$T/goroutine") <(go_tool pprof -raw "$T/got/2.body")
	# From standard input, as of a recording; below a path, with an argument.
	run_logged "$GOTAP" pprof -t sched --push "$URL/proxy/?tenant=7" --push-name shop - <"$TRACE"
	[ "$status" -eq 0 ]
	got 3 '.path == "/proxy/ingest" and .query.tenant == ["7"] and .query.name == ["shop"]'
}

@test "a token, and a user with it, are sent, and shown nowhere" {
	local secret=secret-secret-secret-secret
	ingest 401 200 200 200
	(umask 077; echo "$secret" >"$T/token")
	gotap pprof -t wall --push "$URL" --push-name shop --push-token "$T/token" "$TRACE"
	[ "$status" -eq 1 ]
	contains "$URL refused the profile with status 401: status 401"
	[[ $output != *"$secret"* && $output != *$'\x1b'* && $output != *more* ]]
	got 1 ".headers.Authorization == \"Bearer $secret\""
	gotap pprof -t wall --push "$URL" --push-name shop --push-token "$T/token" --push-user me "$TRACE"
	[ "$status" -eq 0 ]
	got 2 ".headers.Authorization == \"Basic $(printf 'me:%s' "$secret" | base64 -w0)\""
	gotap pprof -t wall --push "${URL/127/me:$secret@127}" --push-name shop "$TRACE"
	[ "$status" -eq 0 ]
	[[ $(grep '^gotap: ' <<<"$output") != *"$secret"* ]] || fail "the message has the password"
	got 3 ".headers.Authorization == \"Basic $(printf 'me:%s' "$secret" | base64 -w0)\""
	chmod 644 "$T/token"
	gotap pprof -t wall --push "$URL" --push-name shop --push-token "$T/token" "$TRACE"
	[ "$status" -eq 1 ]
	contains 'other users may read the token'
	[ ! -e "$T/got/4.json" ]
}

@test "what the server cannot have taken is tried again, and not more than twice" {
	ingest 503 429 200 503 503 503 422 close
	gotap pprof -t wall --push "$URL" --push-name shop "$TRACE"
	[ "$status" -eq 0 ]
	contains 'status 503: status 503; it is tried again'
	contains 'status 429: status 429; it is tried again'
	[ -e "$T/got/3.json" ] && [ ! -e "$T/got/4.json" ]
	gotap pprof -t wall --push "$URL" --push-name shop "$TRACE"
	[ "$status" -eq 1 ]
	[ -e "$T/got/6.json" ] && [ ! -e "$T/got/7.json" ]
	gotap pprof -t wall --push "$URL" --push-name shop "$TRACE"
	[ "$status" -eq 1 ]
	contains 'refused the profile with status 422: status 422'
	# It may have taken what it did not answer: twice would count twice.
	gotap pprof -t wall --push "$URL" --push-name shop "$TRACE"
	[ "$status" -eq 1 ]
	contains "no answer from $URL"
	[ -e "$T/got/8.json" ] && [ ! -e "$T/got/9.json" ]
}

@test "a server that hangs, is not there, or is none of HTTP ends it with a message" {
	ingest hang
	gotap pprof -t wall --push "$URL" --push-name shop --push-timeout 300ms "$TRACE"
	[ "$status" -eq 1 ]
	contains "no answer from $URL: Connection timed out"
	kill "$SERVER"
	wait "$SERVER" || true
	gotap pprof -t wall --push "$URL" --push-name shop "$TRACE"
	[ "$status" -eq 1 ]
	contains "cannot connect to $URL: Connection refused"
	gotap pprof -t wall --push http://no-such-host.invalid --push-name shop "$TRACE"
	[ "$status" -eq 1 ]
	contains 'cannot find the host of http://no-such-host.invalid:80'
	printf 'garbage\n' >"$T/garbage"
	python3 -c 'import socket, sys
s = socket.create_server(("127.0.0.1", 0))
print(s.getsockname()[1], flush=True)
c = s.accept()[0]
c.recv(100)
c.send(b"SSH-2.0-x\r\n")
c.close()' >"$T/port2" 3>&- &
	wait_for 20 test -s "$T/port2"
	gotap pprof -t wall --push "http://127.0.0.1:$(cat "$T/port2")" --push-name shop "$TRACE"
	[ "$status" -eq 1 ]
	contains 'is not HTTP'
}

@test "wrong options, and a damaged trace, send nothing" {
	local wrong
	ingest
	while read -r wrong; do
		# shellcheck disable=SC2086
		gotap pprof -t wall $wrong "$TRACE"
		[ "$status" -ne 0 ]
		[ ${#lines[@]} -eq 1 ] || fail "not one line"
	done <<-END
		--push $URL
		--push $URL --push-name {a=b}
		--push $URL --push-name x --folded
		--push $URL --push-name x -o $T/x
		--push-name x
		--push $URL --push-name x --push-user me
		--push https://127.0.0.1/ --push-name x
		--push ftp://127.0.0.1/ --push-name x
		--push $URL --push-name x --push-token $T/none
		--push $URL --push-name x --push-timeout 0
	END
	head -c $(($(stat -c %s "$TRACE") - 20)) "$TRACE" >"$T/cut"
	gotap pprof -t wall --push "$URL" --push-name shop "$T/cut"
	[ "$status" -eq 1 ]
	[ ! -e "$T/got/1.json" ]
}
