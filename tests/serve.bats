# SPDX-License-Identifier: Apache-2.0
#
# gotap serve: its answers compared with those of net/http/pprof in the program itself, and read by go tool pprof and go
# tool trace. (Lists that take long to make: serve_list.bats.)

load lib/common
load lib/serve

@test "the profiles are those of net/http/pprof of the same program, in names, units and values" {
	local kind seconds=2
	start_profiled
	on_socket
	for kind in block profile; do
		# One after the other: each takes CPU time of its own.
		its "$kind?seconds=$seconds" >"$BATS_TEST_TMPDIR/its-$kind"
		ask "/debug/pprof/$kind?seconds=$seconds&pid=$TARGET" -f -o "$BATS_TEST_TMPDIR/ours-$kind"
	done
	its goroutine >"$BATS_TEST_TMPDIR/its-goroutine"
	ask "/debug/pprof/goroutine?pid=$TARGET" -f -o "$BATS_TEST_TMPDIR/ours-goroutine"
	for kind in block profile goroutine; do
		raw "$BATS_TEST_TMPDIR/its-$kind" >"$BATS_TEST_TMPDIR/its-$kind.raw"
		raw "$BATS_TEST_TMPDIR/ours-$kind" >"$BATS_TEST_TMPDIR/ours-$kind.raw"
		succeeds python3 "$CHECKOUT/tests/lib/same_profiles.py" "$kind" "$BATS_TEST_TMPDIR/its-$kind.raw" \
			"$BATS_TEST_TMPDIR/ours-$kind.raw"
	done
}

@test "goroutine?debug=1 and 2 are text of net/http/pprof's form" {
	start_profiled
	on_socket
	ask "/debug/pprof/goroutine?pid=$TARGET&debug=1" -f >"$BATS_TEST_TMPDIR/1"
	its 'goroutine?debug=1' >"$BATS_TEST_TMPDIR/its-1"
	grep -A 3 '^20 @' "$BATS_TEST_TMPDIR/its-1" | grep '^#' | grep -v '^# state' >"$BATS_TEST_TMPDIR/its-idle"
	grep -A 3 '^20 @' "$BATS_TEST_TMPDIR/1" | grep '^#' | grep -v '^# state' >"$BATS_TEST_TMPDIR/idle"
	grep -q 'main.idle' "$BATS_TEST_TMPDIR/idle"
	succeeds diff "$BATS_TEST_TMPDIR/its-idle" "$BATS_TEST_TMPDIR/idle"
	run_logged ask "/debug/pprof/goroutine?pid=$TARGET&debug=2"
	[ "$(grep -c '^goroutine [0-9]* \[chan receive\(, [0-9]* minutes\)\?\] {role: idler}:$' <<<"$output")" -eq 20 ]
	its 'goroutine?debug=2' | grep -c '^main.idle(' | grep -qx 20
}

@test "a trace is one that go tool trace takes, and lasts as long as asked" {
	local began took
	start_profiled
	on_socket
	began=${EPOCHREALTIME/./}
	run_logged ask "/debug/pprof/trace?seconds=1.5&pid=$TARGET" -f -D "$BATS_TEST_TMPDIR/head" \
		-o "$BATS_TEST_TMPDIR/trace"
	took=$(((${EPOCHREALTIME/./} - began) / 1000))
	[ "$status" -eq 0 ]
	grep -qi '^content-type: application/octet-stream' "$BATS_TEST_TMPDIR/head"
	grep -qi '^content-disposition: attachment; filename="trace"' "$BATS_TEST_TMPDIR/head"
	views_ok "$BATS_TEST_TMPDIR/trace"
	succeeds go_tool trace -pprof=sync "$BATS_TEST_TMPDIR/trace"
	run_logged "$GOTAP" pprof --type wall "$BATS_TEST_TMPDIR/trace" -o "$BATS_TEST_TMPDIR/wall"
	raw "$BATS_TEST_TMPDIR/wall" | awk -v most="$took" '/^Duration:/ { exit !($2 >= 1.5 && $2 <= most / 1000) }' ||
		fail "not 1.5 s, or more than the $took ms until the answer was there"
	wait_for 20 no_recordings
	[ "$(probe_count "$TARGET")" -le 1 ]
	target_runs
}

@test "go tool pprof takes profiles from the URL, with the token in it" {
	local port base
	start_profiled
	(umask 077; echo 0123456789abcdef0123 >"$BATS_TEST_TMPDIR/token")
	start_serve --listen 127.0.0.1:0 --token "$BATS_TEST_TMPDIR/token"
	port=$(sed -n 's,.*http://127.0.0.1:\([0-9]*\)$,\1,p' "$SERVER_LOG")
	base=127.0.0.1:$port/debug/pprof
	export PPROF_TMPDIR=$BATS_TEST_TMPDIR/pprof
	run_logged go_tool pprof -top -seconds 1 "http://gotap:0123456789abcdef0123@$base/profile?pid=$TARGET"
	[ "$status" -eq 0 ]
	contains 'Type: cpu'
	matches ' main\.spin$'
	run_logged go_tool pprof -top "http://gotap:0123456789abcdef0123@$base/goroutine?pid=$TARGET"
	[ "$status" -eq 0 ]
	matches ' 20 .* main.idle$'
	run_logged go_tool pprof -top "http://$base/goroutine?pid=$TARGET"
	[ "$status" -ne 0 ]
	contains 'a token is needed'
	run_logged curl -sS -w '%{http_code}' -H "Authorization: Bearer 0123456789abcdef012x" "http://$base/"
	contains 401
	# Requests of a browser: by a foreign name that resolves to this machine (DNS rebinding), and from the page of a
	# foreign site.
	run_logged curl -sS -w '%{http_code}' -H "Authorization: Bearer 0123456789abcdef0123" -H 'Host: evil.example' "http://$base/"
	contains 403
	run_logged curl -sS -w '%{http_code}' -H "Authorization: Bearer 0123456789abcdef0123" -H 'Sec-Fetch-Site: cross-site' "http://$base/"
	contains 403
	run_logged curl -sS -o /dev/null -w '%{http_code}' -H "Authorization: Bearer 0123456789abcdef0123" -H "Host: localhost:$port" "http://$base/"
	contains 200
}

@test "a scraper gets what it asks for, all profiles at once, again and again" {
	start_profiled
	on_socket
	succeeds python3 "$CHECKOUT/tests/lib/scrape.py" "$SOCKET" "$TARGET" 1
}

@test "processes are listed as text, JSON and a page, and found by name" {
	local name=profiled-$$
	start_profiled
	cp "$PROG" "$BATS_TEST_TMPDIR/$name"
	PROG=$BATS_TEST_TMPDIR/$name
	start_target "$PROG" "$BATS_TEST_TMPDIR/its1"
	ITS_SOCKET=$BATS_TEST_TMPDIR/its1
	on_socket
	run_logged ask /processes
	matches "^ *$TARGET go$REFERENCE_GO.* root .*profiled"
	ask /processes.json >"$BATS_TEST_TMPDIR/json"
	succeeds python3 -c 'import json, sys
l = json.load(open(sys.argv[1]))["processes"]
assert [p["go"] for p in l if p["pid"] == int(sys.argv[2])], l' "$BATS_TEST_TMPDIR/json" "$TARGET"
	run_logged ask /
	contains "<a href=\"/debug/pprof/?pid=$TARGET\">"
	run_logged ask "/debug/pprof/?pid=$TARGET"
	contains "<a href=\"/debug/pprof/trace?pid=$TARGET\">"
	run_logged ask "/debug/pprof/cmdline?pid=$TARGET" -o "$BATS_TEST_TMPDIR/cmdline"
	its cmdline | cmp - "$BATS_TEST_TMPDIR/cmdline"
	run_logged ask "/debug/pprof/goroutine?name=$name&debug=1"
	contains main.idle
	refused 404 'no Go program of that name' '/debug/pprof/goroutine?name=no-such-program'
	start_target "$PROG" "$BATS_TEST_TMPDIR/its2"
	refused 409 '2 processes have that name' "/debug/pprof/goroutine?name=$name"
}

@test "what cannot be answered is refused in one line" {
	on_socket --max-time 10s
	refused 404 'Unknown profile' /debug/pprof/nothing
	refused 404 'only the program itself can make symbol' '/debug/pprof/symbol?pid=1'
	refused 404 '404 page not found' /etc/passwd
	refused 400 '"pid" or "name" is needed' /debug/pprof/trace
	refused 400 'invalid value for "pid"' '/debug/pprof/trace?pid=-1'
	refused 400 'invalid value for "seconds" - must be a positive integer' '/debug/pprof/block?pid=1&seconds=1.5'
	refused 400 'profile duration exceeds the limit of 10 seconds' '/debug/pprof/trace?pid=1&seconds=11'
	refused 404 'there is no process 999999999' '/debug/pprof/trace?pid=999999999'
	refused 405 'only GET and HEAD' '/debug/pprof/trace?pid=1' -X POST
	refused 413 'has no body' '/debug/pprof/trace?pid=1' -X GET -d x
	sleep 60 &
	refused 500 'Could not enable tracing: ' "/debug/pprof/trace?pid=$!"
	# The shortest time is a valid one.
	refused 500 'not a Go program' "/debug/pprof/trace?pid=$!&seconds=0.0000000001"
	kill $!
	run_logged ask "/debug/pprof/" -I
	contains '200'
}

@test "a user may ask about his own processes, root about all" {
	local as=(setpriv --reuid 65533 --regid 65533 --clear-groups) pid
	open_place
	chmod 711 "$BATS_TEST_TMPDIR"
	build_prog "$REFERENCE_GO" profiled
	install -m 755 "$PROG" "$PLACE/profiled"
	install -m 755 -o 65533 -d "$PLACE/its"
	ITS_SOCKET=$PLACE/its/root
	start_target "$PLACE/profiled" "$ITS_SOCKET"
	pid=$TARGET
	start_target "${as[@]}" "$PLACE/profiled" "$PLACE/its/own"
	SOCKET=$PLACE/gotap.sock
	start_serve --listen "unix:$SOCKET"
	run_logged "${as[@]}" curl -sS --unix-socket "$SOCKET" "http://x/debug/pprof/goroutine?pid=$pid" -w ' %{http_code}'
	contains "process $pid is not yours"
	contains ' 403'
	run_logged "${as[@]}" curl -sS --unix-socket "$SOCKET" "http://x/debug/pprof/goroutine?pid=$TARGET&debug=1"
	contains main.idle
	run_logged "${as[@]}" curl -sS --unix-socket "$SOCKET" "http://x/debug/pprof/trace?pid=$TARGET&seconds=0.5" -f \
		-o "$PLACE/its/trace"
	[ "$status" -eq 0 ]
	succeeds "$GOTAP" check "$PLACE/its/trace"
	run_logged "${as[@]}" curl -sS --unix-socket "$SOCKET" http://x/processes
	matches "^ *$TARGET "
	! matches "^ *$pid " || fail "root's"
	run_logged "${as[@]}" curl -sS --unix-socket "$SOCKET" http://x/processes.json
	[[ $output != *'"unseen"'* && $output != *"\"pid\":$pid,"* ]]
	run_logged ask /processes
	matches "^ *$TARGET "
	matches "^ *$pid "
	# One user does not get all connections.
	succeeds python3 -c 'import os, socket, sys
os.setresuid(65533, 65533, 65533)
def connected():
    s = socket.socket(socket.AF_UNIX)
    s.connect(sys.argv[1])
    s.settimeout(20)
    return s
every = [connected() for i in range(32)]
assert all(s.recv(1) == b"" for s in every[24:])
every[0].send(b"GET /debug/pprof/nothing HTTP/1.1\r\nHost: x\r\n\r\n")
assert every[0].recv(12) == b"HTTP/1.1 404"' "$SOCKET"
	# A program with more rights than its user, by capabilities or as set-user-ID, is not his.
	install -m 755 "$PROG" "$PLACE/capable"
	setcap cap_net_raw+ep "$PLACE/capable"
	start_target "${as[@]}" "$PLACE/capable" "$PLACE/its/capable"
	run_logged "${as[@]}" curl -sS --unix-socket "$SOCKET" "http://x/debug/pprof/goroutine?pid=$TARGET" -w ' %{http_code}'
	contains "process $TARGET is not yours"
	install -m 4755 "$PROG" "$PLACE/setuid"
	start_target "${as[@]}" "$PLACE/setuid" "$PLACE/its/setuid"
	run_logged "${as[@]}" curl -sS --unix-socket "$SOCKET" "http://x/debug/pprof/goroutine?pid=$TARGET" -w ' %{http_code}'
	contains "process $TARGET is not yours"
}

threads_of() { awk '/^Threads:/ { print $2 }' "/proc/$1/status"; }
has_threads() { [ "$(threads_of "$SERVER")" -ge "$1" ]; }
times_ready() { [ "$(grep -cx ready "$TARGET_OUT")" -ge "$1" ]; }

@test "a process that execs a setuid program while the request waits gives its user nothing, also when it is gone" {
	local as=(setpriv --reuid 65533 --regid 65533 --clear-groups) first client threads
	open_place
	chmod 711 "$BATS_TEST_TMPDIR"
	build_prog "$REFERENCE_GO" profiled
	install -m 755 "$PROG" "$PLACE/profiled"
	install -m 4755 "$PROG" "$PLACE/setuid"
	install -m 755 -o 65533 -d "$PLACE/its"
	SOCKET=$PLACE/gotap.sock
	start_serve --listen "unix:$SOCKET" --recordings 1
	start_target "$PLACE/profiled" "$PLACE/its/root"
	in_background "$BATS_TEST_TMPDIR/first" "/debug/pprof/trace?pid=$TARGET&seconds=100"
	first=$CLIENT
	wait_for 20 recordings
	start_target "${as[@]}" bash -c "echo ready; until [ -e $PLACE/go ]; do sleep 0.05; done; exec $PLACE/setuid $PLACE/its/own"
	threads=$(threads_of "$SERVER")
	AS=("${as[@]}")
	in_background "$PLACE/its/answer" "/debug/pprof/profile?pid=$TARGET&seconds=100"
	client=$CLIENT
	wait_for 20 has_threads $((threads + 1))
	sleep 0.3
	touch "$PLACE/go"
	wait_for 20 times_ready 2
	kill "$first"
	# If the program is recorded the answer comes when it ends.
	wait_for 3 has_bytes "$PLACE/its/answer" || true
	kill -KILL "$TARGET"
	wait "$client"
	grep -qx '40[34]' "$PLACE/its/answer" || fail "status $(cat "$PLACE/its/answer")"
	gotap stacks --of-user 65533 -p $$
	[ "$status" -eq 1 ]
	contains 'is not that of user 65533 alone'
}

@test "without root a user sees goroutines of his own, and is told what recordings take" {
	local as=(setpriv --reuid 65533 --regid 65533 --clear-groups)
	open_place
	chmod 711 "$BATS_TEST_TMPDIR"
	build_prog "$REFERENCE_GO" profiled
	install -m 755 "$PROG" "$PLACE/profiled"
	install -m 755 -o 65533 -d "$PLACE/its"
	start_target "${as[@]}" "$PLACE/profiled" "$PLACE/its/own"
	SOCKET=$PLACE/its/gotap
	SERVE_AS=("${as[@]}")
	GOTAP_HERE=$PLACE/gotap
	start_serve --listen "unix:$SOCKET"
	run_logged ask "/debug/pprof/goroutine?pid=$TARGET&debug=1"
	contains main.idle
	refused 500 'Could not enable tracing: ' "/debug/pprof/trace?pid=$TARGET"
	contains CAP_BPF
	refused 500 'Could not enable CPU profiling: ' "/debug/pprof/profile?pid=$TARGET"
}

# in_background FILE PATH: asks in the background, as the user of AS; FILE gets the status of the answer, FILE.body its
# body. Sets $CLIENT.
in_background() {
	"${AS[@]}" curl -sS --unix-socket "$SOCKET" "http://x$2" -o "$1.body" -w '%{http_code}' >"$1" 2>/dev/null 3>&- &
	CLIENT=$!
}

@test "a client that goes away ends its recording, and the queue is bounded" {
	local first short="/debug/pprof/trace?seconds=0.2" place=$BATS_TEST_TMPDIR/answer
	start_profiled
	on_socket --recordings 1 --queue 1
	in_background "$place" "/debug/pprof/trace?pid=$TARGET&seconds=60"
	first=$CLIENT
	wait_for 20 recordings
	# One of these two waits, the other one finds the queue full.
	in_background "$place.1" "$short&pid=$TARGET"
	in_background "$place.2" "$short&pid=$TARGET"
	wait_for 20 eval "grep -q 503 $place.1 $place.2"
	grep -q '^too many requests: ' "$place".[12].body
	# Answers without a recording do not wait for a slot.
	run_logged ask "/debug/pprof/goroutine?pid=$TARGET&debug=1"
	contains main.idle
	kill "$first"
	wait_for 30 eval "grep -q 200 $place.1 $place.2"
	succeeds "$GOTAP" check "$(grep -l 200 "$place".[12]).body"
	wait_for 20 no_recordings
	wait_for 20 grep -q 'trace of process .*, not all of it$' "$SERVER_LOG"
	target_runs
}

@test "SIGTERM ends recordings, whose answers are whole, and leaves nothing" {
	local client
	start_profiled
	on_socket
	in_background "$BATS_TEST_TMPDIR/trace" "/debug/pprof/trace?pid=$TARGET&seconds=60"
	client=$CLIENT
	wait_for 20 has_bytes "$BATS_TEST_TMPDIR/trace.body"
	kill "$SERVER"
	wait "$client"
	succeeds "$GOTAP" check "$BATS_TEST_TMPDIR/trace.body"
	status=0
	wait "$SERVER" || status=$?
	[ "$status" -eq 0 ]
	[ ! -e "$SOCKET" ]
	no_recordings
	target_runs
}

has_bytes() { [ -s "$1" ]; }

# on_socket_recording: a client has got the begin of a trace of the target; sets $child to its recorder.
on_socket_recording() {
	start_profiled
	on_socket
	in_background "$BATS_TEST_TMPDIR/trace" "/debug/pprof/trace?pid=$TARGET&seconds=60"
	wait_for 20 has_bytes "$BATS_TEST_TMPDIR/trace.body"
	child=$(recorders | head -n 1)
}

@test "killed, its recordings end as well, and the next one takes its socket" {
	local child
	on_socket_recording
	kill -KILL "$SERVER"
	wait_for 20 eval "! kill -0 $child 2>/dev/null"
	[ -S "$SOCKET" ]
	on_socket
	run_logged ask "/debug/pprof/goroutine?pid=$TARGET&debug=1"
	contains main.idle
	gotap serve --listen "unix:$SOCKET"
	[ "$status" -eq 1 ]
	contains 'listens on'
	target_runs
}

@test "the process that parses HTTP is killed: gotap says so, ends its recordings, and leaves nothing" {
	local child
	on_socket_recording
	kill -KILL "$(front)"
	status=0
	wait "$SERVER" || status=$?
	[ "$status" -eq 1 ]
	[ "$(grep -c 'gotap-http, the process that parses HTTP, was ended by signal 9' "$SERVER_LOG")" -eq 1 ]
	! kill -0 "$child" 2>/dev/null || fail "the recording goes on"
	[ ! -e "$SOCKET" ]
	wait_for 20 eval '[ "$(probe_count "$TARGET")" -le 1 ]'
	target_runs
}

@test "gotap is killed: the process that parses HTTP ends" {
	local pid
	on_socket
	pid=$(front)
	[ "$(ask /nothing -o /dev/null -w "%{http_code}")" = 404 ]
	kill -KILL "$SERVER"
	wait_for 20 eval "! kill -0 $pid 2>/dev/null"
}

@test "nobody reads what it says: recordings and its end do not wait for that, and it says how many it left out" {
	start_profiled
	succeeds python3 - "$GOTAP" "$BATS_TEST_TMPDIR/mute" "$TARGET" 3>&- <<-'END'
		import os, signal, subprocess, sys, time
		gotap, path, pid = sys.argv[1:]
		ours, theirs = os.pipe()
		serve = subprocess.Popen([gotap, "serve", "--recordings", "1", "--listen", "unix:" + path], stderr=theirs)
		def late(*_): sys.exit("it waits")
		signal.signal(signal.SIGALRM, late)
		signal.alarm(60)
		def files(): return len(os.listdir("/proc/%d/fd" % serve.pid))
		def fill():
		    os.set_blocking(theirs, False)
		    try:
		        while True: os.write(theirs, b"x" * 4096)
		    except BlockingIOError:
		        os.set_blocking(theirs, True)
		def ask():	# until its connection is closed, which comes after its line
		    url = "http://x/debug/pprof/trace?seconds=0.1&pid=" + pid
		    subprocess.run(["curl", "-sS", "-f", "-o", path + ".out", "--unix-socket", path, url], check=True)
		    while files() > at_rest: time.sleep(0.02)
		try:
		    while b"listens on" not in os.read(ours, 4096): pass
		    at_rest = files()
		    fill()
		    ask()
		    ask()
		    os.set_blocking(ours, False)
		    try:
		        while os.read(ours, 1 << 20): pass
		    except BlockingIOError: pass
		    ask()
		    said = os.read(ours, 4096)
		    assert said.startswith(b"gotap: 2 lines before this one are missing here"), said
		    assert said.count(b"trace of process") == 1, said
		    fill()
		    ask()
		    serve.terminate()
		    assert serve.wait() == 0
		finally:
		    serve.kill()
	END
	target_runs
}

# bats test_tags=soak
@test "garbage, slow and silent clients do not stop it" {
	local pid n
	start_profiled
	on_socket
	soak_seed
	for ((n = 0; ; n++)); do
		goes_on 1 "$n" || break
		succeeds python3 "$CHECKOUT/tests/lib/garbage.py" "$SOCKET" "$TARGET" "$RANDOM"
		run_logged ask "/debug/pprof/goroutine?pid=$TARGET&debug=1"
		contains main.idle
	done
	for pid in "$SERVER" "$(front)"; do
		[ "$(threads_of "$pid")" -le 70 ]
		[ "$(awk '/^VmHWM:/ { print $2 }' "/proc/$pid/status")" -le 65536 ]
	done
}

# ticks: prints the CPU time of both processes, in 1/100 s.
ticks() { awk '{ n += $14 + $15 } END { print n }' "/proc/$SERVER/stat" "/proc/$(front)/stat"; }

# All places at once, and more that wait to be accepted. When the answer is there most of them are still connected: it did
# not have to wait for their end.
@test "connections that ask for nothing keep nobody with a token out" {
	(umask 077; echo 0123456789abcdef0123 >"$BATS_TEST_TMPDIR/token")
	start_serve --listen 127.0.0.1:0 --token "$BATS_TEST_TMPDIR/token"
	run_logged python3 "$CHECKOUT/tests/lib/idle_clients.py" "$(sed -n 's|.*http://||p' "$SERVER_LOG" | head -n 1)" \
		0123456789abcdef0123
	contains "status 200"
	contains "enough are open"
}

# Threads of connections that were closed end late, as on a busy machine: the next client waits for a place.
@test "connections that take long to close keep nobody with a token out" {
	(umask 077; echo 0123456789abcdef0123 >"$BATS_TEST_TMPDIR/token")
	"${CC:-cc}" -shared -fPIC -O1 -Wall -o "$BATS_TEST_TMPDIR/late.so" "$CHECKOUT/tests/lib/late_close.c"
	SERVE_AS=(env LD_PRELOAD="$BATS_TEST_TMPDIR/late.so")
	start_serve --listen 127.0.0.1:0 --token "$BATS_TEST_TMPDIR/token"
	run_logged python3 "$CHECKOUT/tests/lib/idle_clients.py" "$(sed -n 's|.*http://||p' "$SERVER_LOG" | head -n 1)" \
		0123456789abcdef0123
	contains "status 200"
}

@test "with few descriptors it waits for one, and uses no CPU meanwhile" {
	local before SERVE_AS=(prlimit --nofile=32:32)
	on_socket
	before=$(ticks)
	python3 -c 'import socket, sys, time
all = [socket.socket(socket.AF_UNIX) for _ in range(40)]
for one in all: one.connect(sys.argv[1])
time.sleep(1)' "$SOCKET"
	[ $(($(ticks) - before)) -lt 20 ]
	[ "$(ask /nothing -o /dev/null -w "%{http_code}")" = 404 ]
}

@test "a recorder that is killed: the client is told, also one of HTTP/1.0" {
	local port version client
	start_profiled
	start_serve --listen 127.0.0.1:0 --no-token
	port=$(sed -n 's,.*http://127.0.0.1:\([0-9]*\)$,\1,p' "$SERVER_LOG")
	for version in --http1.0 --http1.1; do
		rm -f "$BATS_TEST_TMPDIR/cut"
		curl -sS "$version" "http://127.0.0.1:$port/debug/pprof/trace?pid=$TARGET&seconds=60" -o "$BATS_TEST_TMPDIR/cut" 3>&- &
		client=$!
		wait_for 20 has_bytes "$BATS_TEST_TMPDIR/cut"
		kill -KILL "$(recorders | head -n 1)"
		! wait "$client" || fail "$version: no error"
	done
	target_runs
}

@test "an answer that is too large ends early and is whole" {
	start_profiled
	build_prog "$REFERENCE_GO" pingpong
	start_target "$PROG"
	on_socket --max-size 1M
	run_logged ask "/debug/pprof/trace?pid=$TARGET&seconds=30" -f -o "$BATS_TEST_TMPDIR/trace"
	[ "$status" -eq 0 ]
	succeeds "$GOTAP" check "$BATS_TEST_TMPDIR/trace"
	[ "$(stat -c %s "$BATS_TEST_TMPDIR/trace")" -gt $((1 << 20)) ]
}

@test "wrong options are one line" {
	local row
	for row in '' '--listen 0.0.0.0:0' '--listen 127.0.0.1:0' '--listen localhost:80' '--listen unix:' \
		'--listen 10.0.0.1:0 --public' '--listen 10.0.0.1:0 --public --no-token' '--listen unix:/x --max-size 3' \
		'--listen unix:/x --recordings 0' '--listen unix:/x --max-time 0' '--listen unix:/x what' \
		'--listen 127.0.0.1:0 --token /x --no-token'; do
		# shellcheck disable=SC2086
		gotap serve $row
		[ "$status" -eq 2 ]
		[ ${#lines[@]} -le 2 ]
	done
	touch "$BATS_TEST_TMPDIR/file"
	gotap serve --listen "unix:$BATS_TEST_TMPDIR/file"
	[ "$status" -eq 1 ]
	[ ${#lines[@]} -eq 1 ]
	[ -e "$BATS_TEST_TMPDIR/file" ]
	gotap serve --listen 127.0.0.1:0 --token "$BATS_TEST_TMPDIR/none"
	[ "$status" -eq 1 ]
	[ ${#lines[@]} -eq 1 ]
	gotap serve --help
	[ "$status" -eq 0 ]
}
