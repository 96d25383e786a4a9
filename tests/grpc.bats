#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Group grpc: the calls that google.golang.org/grpc serves and makes. tests/grpc/calls.go has unary methods and all kinds
# of streams, which return, fail, panic, are cancelled, time out or exit the goroutine, over gRPC's own HTTP/2 and through
# net/http; package grpc counts them itself (stats.Handler). Each of Debian's suites has another version of the module.

load lib/common
load lib/record
load lib/grpc

setup() {
	require_root
	T=$BATS_TEST_TMPDIR
}

teardown() { stop_targets; }

# recorded_calls [OPTION...]: $PROG from its begin to its end.
recorded_calls() {
	"$GOTAP" record -o "$T/x.trace" --budget none --strict -e +grpc "$@" -- "$PROG" 5 100 "${WORKERS:-0}" >"$T/counts" 2>"$T/report" ||
		fail "$(cat "$T/report")"
	trace_ok "$T/x.trace"
	"$GOTAP" text --events --json "$T/x.trace" >"$T/events"
}

# calls SUITE VERSION [OPTION...]: the trace has what package grpc has counted.
calls() {
	build_grpc "$1" "$2"
	recorded_calls "${@:3}"
	python3 "$CHECKOUT/tests/lib/grpc.py" "$T/counts" "$T/events" ${UNENDED:+unended}
}

# In these versions nothing is deferred behind a handler, where a probe could be.
# bats test_tags=soak-only
@test "calls of grpc 1.27, Go 1.15" { UNENDED=1 calls bullseye 1.15; }
@test "calls of grpc 1.33, Go 1.19" { calls bookworm 1.19; }
# bats test_tags=soak-only
@test "calls of grpc 1.33, Go 1.19, with inline code and workers" { require_inline; WORKERS=4 UNENDED=1 calls bookworm 1.19 --attach inline; }
# bats test_tags=soak-only
@test "calls of grpc 1.64, Go 1.22" { calls trixie 1.22; }
# bats test_tags=soak-only
@test "calls of grpc 1.64, Go 1.24, with inline code and workers" { require_inline; WORKERS=4 calls trixie 1.24 --attach inline; }
# bats test_tags=soak-only
@test "calls of grpc 1.81, Go 1.26" { calls forky 1.26; }
@test "calls of grpc 1.81, Go 1.27" { calls forky 1.27; }
@test "calls of grpc 1.81, Go 1.27, with inline code and workers" { require_inline; WORKERS=4 calls forky 1.27 --attach inline; }

# The text of the codes of package grpc, in the order of their numbers, and which are faults of the server.
@test "gotap requests has served methods as routes, and counts faults of the server" {
	build_grpc forky 1.27
	recorded_calls
	"$GOTAP" requests "$T/x.trace" --json --slowest 1000 >"$T/json"
	"$GOTAP" schema requests >"$T/schema"
	python3 - "$T" <<-'END'
		import collections, json, sys
		import jsonschema
		folder = sys.argv[1]
		answer = json.load(open(folder + '/json'))
		jsonschema.validate(answer, json.load(open(folder + '/schema')))
		faults = {'Unknown', 'DeadlineExceeded', 'Unimplemented', 'Internal', 'Unavailable', 'DataLoss'}
		count, failed = collections.Counter(), collections.Counter()
		for line in open(folder + '/counts'):
		    words = line.split()
		    if words[0] == 'served':
		        count[words[2]] += int(words[4])
		        failed[words[2]] += int(words[4]) * (words[3] in faults)
		    if words[0] == 'called' and words[2] == 'Unimplemented':	# nobody counts these where they are served
		        count[words[1]] += int(words[3])
		        failed[words[1]] += int(words[3])
		seen = {route['name']: (route['count'], route['failed'], route['grpc']) for route in answer['routes']}
		want = {name: (n, failed[name], n) for name, n in count.items()}
		assert seen == want, (seen, want)
		codes = {(q['name'], q['grpc_code']) for q in answer['slowest']}
		assert ('/test.Calls/Fails', 5) in codes and ('/test.Calls/Exits', None) in codes, codes
	END
	succeeds "$GOTAP" requests "$T/x.trace" --route /test.Calls/Fails
	matches '^ +10 +0 .* /test.Calls/Fails$'
	! grep -q 'call /test' <<<"$output" || fail "calls that the program makes are routes"
}

@test "a call that net/http serves has the request of HTTP/2 as its parent" {
	build_grpc forky 1.27
	recorded_calls -e +grpc,+http
	python3 - "$T" <<-'END'
		import json, shlex, sys
		begun, via = {}, {}
		for line in open(sys.argv[1] + '/events'):
		    event = json.loads(line)
		    if event['event'] == 'UserTaskBegin':
		        begun[event['task']] = event
		    elif event.get('category') == 'gotap.grpc':
		        log = dict(word.split('=', 1) for word in shlex.split(event['message']))
		        if log['side'] == 'server' and 'status' in log:
		            via[event['task']] = log.get('via')
		parents = {task: begun.get(begun[task]['parent'], {}).get('type', '') for task in via}
		wrong = [begun[task]['type'] for task in via if parents[task].startswith('POST ') != (via[task] == 'http')]
		assert not wrong and len(via) > 100, wrong
	END
}

@test "a stripped program" {
	build_grpc forky 1.27 -ldflags=-s
	recorded_calls
	python3 "$CHECKOUT/tests/lib/grpc.py" "$T/counts" "$T/events"
}

# bats test_tags=soak-only
@test "a program of GOPATH with the module in its folder vendor" {
	local path
	path=$(grpc_gopath forky)
	mkdir -p "$T/src/app/vendor/google.golang.org"
	cp -r "$CHECKOUT/build/go/pkg/golang-google-grpc-dev-forky/usr/share/gocode/src/google.golang.org/grpc" "$T/src/app/vendor/google.golang.org/"
	cp "$CHECKOUT"/tests/grpc/*.go "$T/src/app/"
	(cd "$T/src/app" && grpc_go 1.27 "$T:$path" build -o "$T/app" .)
	PROG=$T/app
	recorded_calls
	python3 "$CHECKOUT/tests/lib/grpc.py" "$T/counts" "$T/events"
}

# A module of that name with other code: handleStream does not look at the method as that of grpc does.
@test "a version with unknown code: doctor and report say what is missing, and nothing is guessed" {
	local dir=$T/src/google.golang.org/grpc
	mkdir -p "$dir" "$T/src/app"
	cat >"$dir/server.go" <<-'END'
		package grpc

		type Server struct{ n int }
		type Stream struct{ pad [4]int; method string }

		//go:noinline
		func (s *Server) handleStream(a, b int, st *Stream) { s.n += len(st.method) + a + b }

		//go:noinline
		func (s *Server) Serve(st *Stream) { s.handleStream(1, 2, st); s.done() }

		//go:noinline
		func (s *Server) done() { s.n++ }
	END
	cat >"$T/src/app/main.go" <<-'END'
		package main

		import "google.golang.org/grpc"

		func main() {
			var s grpc.Server
			s.Serve(&grpc.Stream{})
		}
	END
	(cd "$T/src/app" && grpc_go 1.27 "$T" build -o "$T/app" .)
	gotap doctor --events grpc "$T/app"
	contains "served calls"
	"$GOTAP" record -o "$T/y.trace" --budget none -e +grpc -- "$T/app" >/dev/null 2>"$T/report"
	grep -q "served calls" "$T/report" || fail "$(cat "$T/report")"
	! "$GOTAP" text --events "$T/y.trace" | grep -q gotap.grpc
}

@test "attach and detach amid load: no half call is a whole one" {
	local trace=$T/x.trace begun ended
	build_grpc forky 1.27
	start_target "$PROG" 300 0 0
	recorded "$trace" -p "$TARGET" -e +grpc -d 500ms
	views_ok "$trace"
	"$GOTAP" text --events "$trace" >"$T/text"
	begun=$(grep -c ' UserTaskBegin ' "$T/text")
	ended=$(grep -c ' UserTaskEnd ' "$T/text")
	echo "$begun begun, $ended ended"
	[ "$begun" -gt 50 ]
	[ "$ended" -le "$begun" ]
	[ $((begun - ended)) -le 6 ]
	[ "$(grep -c '"gotap.grpc"' "$T/text")" -eq "$ended" ]
}

etcdctl() { "$CTL" --endpoints "127.0.0.1:$PORT" "$@" >/dev/null 2>&1; }

# etcd NAME SUITE: what etcd has counted of its own calls (grpc_server_handled_total) is what the trace has.
etcd() {
	local row url i
	row=$("$CHECKOUT/tools/real-programs" "$1") || skip "$1 cannot be had"
	"$CHECKOUT/tools/go-fetch" --package etcd-client --suite "$2" --as "etcd-client-$2" >/dev/null || skip "no etcdctl"
	read -r _ PROG _ <<<"$row"
	CTL=$CHECKOUT/build/go/pkg/etcd-client-$2/usr/bin/etcdctl
	PORT=$((20000 + RANDOM % 12000)) url=http://127.0.0.1:$PORT
	export ETCDCTL_API=3
	"$PROG" --data-dir "$T/data" --listen-client-urls "$url" --advertise-client-urls "$url" --log-level error \
		--listen-peer-urls "http://127.0.0.1:$((PORT + 1))" --initial-advertise-peer-urls "http://127.0.0.1:$((PORT + 1))" \
		--initial-cluster "default=http://127.0.0.1:$((PORT + 1))" >"$T/out" 2>&1 3>&- &
	TARGET=$! TARGETS="${TARGETS:-} $!"
	wait_for 60 curl -sf -o "$T/health" "$url/health" || fail "$(tail -n 5 "$T/out")"
	start_record "$T/x.trace" -p "$TARGET" -e +grpc
	for i in 1 2 3 4 5 6; do
		etcdctl put "k$i" "v$i"
		etcdctl get "k$i"
	done
	! etcdctl lease revoke 1234567 || fail "a lease that is none was revoked"
	etcdctl member list
	timeout 1 "$CTL" --endpoints "127.0.0.1:$PORT" watch k1 >/dev/null || true
	curl -s "$url/metrics" >"$T/metrics"
	stop_record
	[ "$(reported lost)$(reported repairs_total)" = 00 ]
	"$GOTAP" text --events --json "$T/x.trace" >"$T/events"
	python3 - "$T" <<-'END'
		import collections, json, re, shlex, sys
		folder, want, seen, names = sys.argv[1], {}, collections.Counter(), {}
		for line in open(folder + '/metrics'):
		    found = re.match(r'grpc_server_handled_total\{(.*)\} (\d+)', line)
		    if found and found[2] != '0':
		        label = dict(re.findall(r'(\w+)="([^"]*)"', found[1]))
		        want[f'/{label["grpc_service"]}/{label["grpc_method"]}', label['grpc_code'], label['grpc_type'] == 'unary'] = int(found[2])
		for line in open(folder + '/events'):
		    event = json.loads(line)
		    if event['event'] == 'UserTaskBegin':
		        names[event['task']] = event['type']
		    elif event.get('category') == 'gotap.grpc':
		        log = dict(word.split('=', 1) for word in shlex.split(event['message']))
		        if log['side'] == 'server':
		            seen[names[event['task']], log['status'], log['kind'] == 'unary'] += 1
		print(dict(seen))
		assert want == seen and len(want) > 4, want
	END
}

@test "etcd (1.24, stripped): calls by method and code are those that it counts itself" { etcd etcd trixie; }
# bats test_tags=soak-only
@test "etcd (1.19, stripped): calls by method and code are those that it counts itself" { etcd etcd-1.19 bookworm; }
