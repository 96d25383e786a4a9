#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# gotap record --follow, --name and --wait: each Go program that is started has a trace of its own, from its first
# goroutine on; and the programs, Go or not, do what they do without gotap.

load lib/common
load lib/record
load lib/differential
load lib/container

setup() {
	require_root
	oracle "$REFERENCE_GO"
	cd "$BATS_TEST_TMPDIR"
	REPORT=$BATS_TEST_TMPDIR/report
}

teardown() {
	stop_containers
	close_place
}

# follow ARGUMENT...: gotap record --follow, with traces trace.N.PROGRAM. Sets $status.
follow() {
	status=0
	rm -f trace.*
	"$GOTAP" record --json --budget none -o 'trace.%n.%e' "$@" 2>"$REPORT" || status=$?
	printf '$ gotap record %s\n%s\n(status %s)\n' "$*" "$(cat "$REPORT")" "$status"
}

# start_follow ARGUMENT...: the same in the background, as $RECORDER.
start_follow() {
	"$GOTAP" record --json --budget none -o 'trace.%n.%e' "$@" 2>"$REPORT" >out 3>&- &
	RECORDER=$!
	TARGETS="${TARGETS:-} $RECORDER"
}

# report EXPRESSION: prints it for the last report: ps are the lines of the processes, d is the last line, with the
# counts.
report() {
	python3 -c 'import json, sys
*ps, d = [json.loads(l) for l in open(sys.argv[1]) if l[0] == "{"]
print(eval(sys.argv[2]))' "$REPORT" "$1"
}

# flawless N: gotap made N recordings, each from the first goroutine on, with no loss, repair or error.
flawless() {
	[ "$(report '(len(ps), *d.values())')" = "($1, $1, 0, 0, 0, 0)" ]
	[ "$(report 'all(p["done"] and p["from_start"] and not p["report"]["lost"] + p["report"]["repairs_total"] +
		p["report"]["notes"] + p["report"]["stops_total"] for p in ps)')" = True ]
}

# from_first FILE...: the traces are valid; each goroutine begins with its creation, also goroutine 1.
from_first() {
	local trace
	views_ok "$@"
	for trace; do
		"$ORACLE/wire" -text <"$trace" >wire
		! awk '/^EventBatch/ { first = / gen=1 / } first' wire | grep -q ^GoStatus || fail "$trace: a goroutine was there already"
		grep -qE '^GoCreate .*new_g=1 ' wire
	done
}

goroutines_named() { "$ORACLE/check" -goroutines "$1" | grep -c " name=$2\$"; }

@test "sh -c and its child; the exit status is the command's" {
	build_prog "$REFERENCE_GO" exitquick
	follow --follow -- sh -c "'$PROG' -n 100 >out; echo done >>out; exit 5"
	[ "$status" -eq 5 ]
	[ "$(cat out)" = $'ready\ndone' ]
	flawless 1
	from_first trace.1.exitquick
	[ "$(goroutines_named trace.1.exitquick main.work)" -eq 100 ]
}

@test "launchers that start the program as another process" {
	local launcher all= i=0
	build_prog "$REFERENCE_GO" exitquick
	for launcher in "timeout 60" "setsid --fork --wait" "unshare --fork" "xargs -a /dev/null" "script -qec" "su root -c" \
		"sudo" "runuser -u root --"; do
		command -v "${launcher%% *}" >/dev/null || continue
		all+="$launcher '$PROG' </dev/null || exit; "
		i=$((i + 1))
	done
	[ "$i" -ge 4 ]
	follow --follow -- sh -c "$all"
	[ "$status" -eq 0 ]
	flawless "$i"
	from_first trace.*.exitquick
	[ "$(goroutines_named trace.1.exitquick main.work)" -eq 10 ]
}

@test "a Go supervisor and its worker: both, and the worker's trace is what its runtime says" {
	build_prog "$REFERENCE_GO" mixed
	local worker=$PROG
	build_prog "$REFERENCE_GO" exec
	follow --follow -- "$PROG" -after 1ms -fork "$worker" -trace theirs -delay 1ms -dur 1s -tail 10ms
	[ "$status" -eq 0 ]
	flawless 2
	from_first trace.1.exec trace.2.mixed
	run_logged "$ORACLE/diff" "${LIMITS[@]}" theirs trace.2.mixed
	[ "$status" -eq 0 ]
}

@test "a program that execs another: each has its trace" {
	build_prog "$REFERENCE_GO" exitquick
	local second=$PROG
	build_prog "$REFERENCE_GO" exec
	follow --follow -- "$PROG" -after 50ms "$second" -after 50ms
	[ "$status" -eq 0 ]
	flawless 2
	from_first trace.1.exec trace.2.exitquick
	[ "$(report 'ps[0]["pid"] == ps[1]["pid"], "has exec" in ps[0]["report"]["ended"]')" = "(True, True)" ]
}

@test "a server with several processes" {
	build_prog "$REFERENCE_GO" prefork
	follow --follow -- "$PROG" -n 4
	[ "$status" -eq 0 ]
	flawless 5
	from_first trace.*.prefork
	# The parent was started first, so it has trace 1; only its children have goroutines of main.serve.
	[ "$(goroutines_named trace.1.prefork main.serve)" -eq 0 ] || fail "the first is no parent"
	for i in 2 3 4 5; do
		[ "$(goroutines_named "trace.$i.prefork" main.serve)" -eq 20 ]
	done
}

@test "no more than --follow-max at a time; the others run and are counted" {
	build_prog "$REFERENCE_GO" prefork
	follow --follow --follow-max 3 -- "$PROG" -n 5
	[ "$status" -eq 0 ]
	[ "$(report 'len(ps), d["skipped"]')" = "(3, 3)" ]
	"$GOTAP" record --follow --follow-max 1 -o 'other.%n' -- "$PROG" -n 2 2>err
	grep -qx 'gotap: 2 Go programs were not recorded, since 1 were being recorded at that time (--follow-max)' err
}

@test "go test: the test binaries" {
	local package
	require_go "$REFERENCE_GO"
	mkdir -p m/a m/b
	printf 'module m\ngo 1.22\n' >m/go.mod
	for package in a b; do
		cat >"m/$package/x_test.go" <<-END
			package $package
			import "testing"
			func work(c chan int) { c <- 1 }
			func TestX(t *testing.T) { c := make(chan int); for i := 0; i < 30; i++ { go work(c) }; for i := 0; i < 30; i++ { <-c } }
		END
	done
	cd m
	follow --follow --program '*.test' -- "$GO" test ./...
	[ "$status" -eq 0 ]
	flawless 2
	from_first trace.*.a.test trace.*.b.test
	for package in a b; do
		[ "$("$ORACLE/check" -goroutines trace.*."$package".test | grep -c " name=m/$package.work\$")" -eq 30 ]
	done
}

@test "what a running process has started, and what it starts" {
	build_prog "$REFERENCE_GO" pingpong
	local old=$PROG
	build_prog "$REFERENCE_GO" exitquick
	mkfifo go
	start_target sh -c "'$old' & read line <go; '$PROG' -n 7; kill \$!"
	start_follow --follow -p "$TARGET"
	wait_for 60 has_bytes trace.1.pingpong.partial 1
	echo >go
	wait_record
	[ "$status" -eq 0 ]
	views_ok trace.1.pingpong
	from_first trace.2.exitquick
	[ "$(report '[p["from_start"] for p in sorted(ps, key=lambda p: p["output"])]')" = "[False, True]" ]
	[ "$(goroutines_named trace.2.exitquick main.work)" -eq 7 ]
}

@test "--name: the process of that name, which runs already or is waited for" {
	build_prog "$REFERENCE_GO" pingpong
	cp "$PROG" ./webby
	start_target ./webby -work 20000
	# This file of the same name makes the recorder write a message in addition to its report.
	head -c 4096 /dev/zero >running.partial
	"$GOTAP" record --name 'web?y' -d 300ms --json -o running 2>"$REPORT"
	views_ok running
	[ "$(report 'ps[0]["pid"], ps[0]["from_start"], ps[0]["done"], ps[0]["report"]["lost"]')" = "($TARGET, False, True, 0)" ]
	[[ $(report 'ps[0]["error"]') == *running.partial* ]]
	start_target ./webby
	gotap record --name webby -d 1s -o running
	[ "$status" -eq 1 ]
	matches "^gotap: [0-9]+ \(webby\), [0-9]+ \(webby\) have the name 'webby': give one of them with -p"
	stop_targets
	"$GOTAP" record --name webby -d 300ms --budget none --json -o waited 2>"$REPORT" 3>&- &
	RECORDER=$!
	wait_for 60 catches "$RECORDER"
	# --name is about the name of the file. The kernel names the task after the link by which it was started.
	ln -s webby ./link
	start_target ./link -work 20000
	wait_record
	[ "$status" -eq 0 ]
	flawless 1
	from_first waited
	target_runs
}

# systemd-run works this way: a service that runs already starts the program.
@test "what a command has another process start, by its name" {
	build_prog "$REFERENCE_GO" exitquick
	cp "$PROG" ./asked
	mkfifo ask
	sh -c 'read line <ask; ./asked -n 6' >/dev/null 2>&1 3>&- &
	TARGETS=" $!"
	follow --follow --name asked -- sh -c 'echo >ask'
	[ "$status" -eq 0 ]
	flawless 1
	from_first trace.1.asked
	[ "$(goroutines_named trace.1.asked main.work)" -eq 6 ]
	follow --follow --name 'ask*' -- ./asked -n 2
	[ "$status" -eq 0 ]
	flawless 1
}

# catches PID: gotap's programs are attached, it has searched the running processes, and waits in poll(2), 50 ms at a
# time.
catches() {
	[ "$(cat "/proc/$1/fdinfo/"* 2>/dev/null | grep -c ^link_type:)" -ge 3 ] && grep -qE '^7 0x[0-9a-f]+ 0x1 0x32 ' "/proc/$1/syscall"
}

@test "--name --wait: again after each restart" {
	build_prog "$REFERENCE_GO" exitquick
	cp "$PROG" ./websrv
	start_follow --name 'websr*' --wait
	wait_for 60 catches "$RECORDER"
	./websrv -n 3
	./websrv -n 4
	setsid --fork --wait ./websrv -n 5
	"$PROG"
	wait_for 60 test -e trace.3.websrv
	stop_record
	[ "$status" -eq 0 ]
	flawless 3
	from_first trace.1.websrv trace.2.websrv trace.3.websrv
	[ "$(goroutines_named trace.3.websrv main.work)" -eq 5 ]
}

@test "--name of a container, from its first goroutine on" {
	container_setup
	build_prog "$REFERENCE_GO" pingpong
	image "$PROG"
	"$GOTAP" record --name 'shop-*' -d 500ms --budget none --json -o trace 2>"$REPORT" 3>&- &
	RECORDER=$!
	wait_for 60 catches "$RECORDER"
	run_container "shop-$$" /bin/pingpong -work 20000
	wait_record
	[ "$status" -eq 0 ]
	flawless 1
	from_first trace
	[ "$(report 'ps[0]["pid"]')" = "$TARGET" ]
}

# The program that gotap holds at its exec when it is killed goes on, and so do those that run.
@test "gotap is killed at any moment: what it follows goes on, and its recorders end with their traces" {
	local moment i=0
	build_prog "$REFERENCE_GO" exitquick
	for moment in has_recorder begun; do
		i=$((i + 1))
		"$GOTAP" record -q --follow -o "killed$i.%n" -- sh -c "'$PROG' -after 300ms -n 10; '$PROG' -n 10; echo end" >"out.$i" 2>&1 3>&- &
		RECORDER=$!
		wait_for 60 "$moment"
		kill -KILL "$RECORDER"
		wait "$RECORDER" || true
		wait_for 60 grep -qx end "out.$i"
	done
	# Each recorder ends and completes its trace, if it has begun one.
	wait_for 60 no_recorder
	for trace in killed*; do
		views_ok "$trace"
	done
}

# Moments at which gotap is killed; i is the number of the run.
begun() { grep -qx ready "out.$i"; }
has_recorder() { pgrep -P "$RECORDER" -f ' record .*--pid=' >/dev/null; }
no_recorder() { ! pgrep -f "output=(.*/)?killed[0-9]" >/dev/null; }

# An exec of a file with capabilities clears the parent-death signal (prctl(2)), so the recorders need another way to
# notice.
@test "gotap with file capabilities is killed: its recorders end, too" {
	require_tool setcap
	build_prog "$REFERENCE_GO" pingpong
	open_place
	install -m 755 "$PROG" "$PLACE/pingpong"
	install -d -o 65534 -g 65534 "$PLACE/out"
	setcap cap_bpf,cap_perfmon,cap_sys_ptrace+ep "$PLACE/gotap" || skip "no file capabilities here"
	setpriv --reuid=65534 --regid=65534 --clear-groups "$PLACE/gotap" record -q --follow -o "$PLACE/out/killed5.%n" -- \
		"$PLACE/pingpong" >out 2>&1 3>&- &
	RECORDER=$!
	TARGETS=" $RECORDER"
	wait_for 60 has_bytes "$PLACE/out/killed5.1.partial" 100 || { cat out; return 1; }
	TARGETS+=" $(pgrep -P "$RECORDER" -x pingpong)"
	kill -KILL "$RECORDER"
	wait_for 60 no_recorder
	views_ok "$PLACE/out/killed5.1"
}

# gotap is blocked in a write to stderr, as after Ctrl-S. A program that it holds meanwhile goes on, or does when gotap
# is killed.
@test "nobody reads what gotap says: what it follows goes on" {
	build_prog "$REFERENCE_GO" pingpong
	mkfifo go
	start_target sh -c "'$PROG' & for i in 1 2; do read line <go; sh -c :; echo \$i >>ran; done; kill \$!"
	python3 - "$GOTAP" record --follow -o killed6.%n -p "$TARGET" 3>&- <<-'END' &
		import fcntl, os, sys
		theirs, ours = os.pipe()
		os.set_blocking(ours, False)
		try:
		    while True: os.write(ours, b"x" * 4096)
		except BlockingIOError:
		    os.set_blocking(ours, True)
		os.set_inheritable(theirs, True)
		os.dup2(ours, 2)
		os.execv(sys.argv[1], sys.argv[1:])
	END
	RECORDER=$!
	wait_for 60 grep -q '^1 0x2 ' "/proc/$RECORDER/syscall"
	echo >go
	wait_for 60 caught
	wait_for 60 grep -qx 1 ran
	echo >go
	wait_for 60 caught
	kill -KILL "$RECORDER"
	wait "$RECORDER" || true
	wait_for 60 grep -qx 2 ran
	wait_for 60 no_recorder
}

# caught: gotap holds a child of the target.
caught() {
	local pid
	for pid in $(pgrep -P "$TARGET" -x sh); do
		! grep -qs "^TracerPid:.[1-9]" "/proc/$pid/status" || return 0
	done
	return 1
}

# The kernel reports the end of a traced process to its tracer first: gotap must let the parent have it at once, also if
# the end comes in the moment in which gotap lets the process go.
@test "a child that is killed while it is held ends for its parent at once" {
	follow --follow -- python3 -c 'import os, random, signal, time
for i in range(300):
    pid = os.fork() or os.execv("/bin/true", ["true"])
    end = time.monotonic() + random.random() * 0.0012
    while time.monotonic() < end: pass
    os.kill(pid, signal.SIGKILL)
    for k in range(6000):
        if os.waitpid(pid, os.WNOHANG)[0]: break
        time.sleep(0.01 if k > 100 else 0)
    else: os._exit(9)'
	[ "$status" -eq 125 ]	# gotap's status for "no Go program"; that of the command would be 9
	grep -qx 'gotap: no Go program was run: there is no trace' "$REPORT"
}

# A zombie child of the process has passed the tracepoint at which gotap's BPF programs forget it: gotap must not wait
# for it.
@test "a process that has started gotap, and that waits for none of its children" {
	mkfifo go
	start_target python3 -c 'import os, subprocess, sys
child = os.fork() or os._exit(0)
os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
gotap = subprocess.Popen([*sys.argv[1:], "-p", str(os.getpid())], stderr=open("err", "w"))
print(gotap.pid, "ready", sep="\n", flush=True)
open("go").read()
os._exit(0)' "$GOTAP" record --follow -o %n
	RECORDER=$(head -n 1 "$TARGET_OUT")
	TARGETS+=" $RECORDER"
	wait_for 60 catches "$RECORDER"
	run_logged timeout -s KILL 60 "$GOTAP" record --follow -o %n -p "$(pgrep -P "$TARGET" -x python3)"
	[ "$status" -eq 1 ]
	matches "^gotap: process [0-9]+ has ended$"
	echo >go
	wait_for 60 grep -qx 'gotap: no Go program was run: there is no trace' err
}

@test "--flight: a signal to gotap gives each its snapshot, and it says so at once" {
	build_prog "$REFERENCE_GO" pingpong
	start_target sh -c "'$PROG' & '$PROG' & wait"
	"$GOTAP" record --follow --flight 5s -o 'snap.%p.%n' -p "$TARGET" 2>err 3>&- &
	RECORDER=$!
	TARGETS+=" $RECORDER"
	wait_for 60 has_recorder
	wait_for 60 snapshots
	views_ok snap.*[0-9]
	stop_record
	[ "$status" -eq 0 ]
	target_runs
	pkill -P "$TARGET"
}

# snapshots: asks until each child has a snapshot: a recording that has just begun cannot write one.
snapshots() {
	local pid
	kill -USR1 "$RECORDER"
	sleep 0.3
	for pid in $(pgrep -P "$TARGET"); do
		grep -qE "snap\.$pid\.[0-9]+: .* s, .*; signal" err || return
	done
}

@test "an interrupt ends all recordings, each with its trace" {
	build_prog "$REFERENCE_GO" pingpong
	start_target sh -c "'$PROG' & '$PROG' & wait"
	start_follow --follow -p "$TARGET"
	wait_for 60 has_bytes trace.1.pingpong.partial 1
	wait_for 60 has_bytes trace.2.pingpong.partial 1
	stop_record TERM
	[ "$status" -eq 0 ]
	views_ok trace.1.pingpong trace.2.pingpong
	target_runs
	pkill -P "$TARGET"
}

@test "who has a debugger is recorded as it runs" {
	require_tool strace
	build_prog "$REFERENCE_GO" pingpong
	start_follow --follow -- strace -qq -e trace=none -o /dev/null "$PROG"
	wait_for 60 has_bytes trace.1.pingpong.partial 1
	pkill -P "$(pgrep -P "$RECORDER" -x strace)"
	wait_record
	[ "$(report '[(p["done"], p["from_start"]) for p in ps]')" = "[(True, False)]" ]
	views_ok trace.1.pingpong
}

@test "names of traces" {
	build_prog "$REFERENCE_GO" exitquick
	mkdir dir
	"$GOTAP" record -q --follow -o 'dir/%e-%p-%t-%n.trace' -- bash -c "exec -a '../x' '$PROG'"
	ls dir
	[[ $(ls dir) =~ ^exitquick-[0-9]+-20[0-9]{6}T[0-9]{6}Z-1.trace$ ]]
	# Files that exist are not replaced.
	echo mine >dir/1
	echo unfinished >dir/2.partial
	"$GOTAP" record -q --follow -o 'dir/%n' -- "$PROG"
	[ "$(cat dir/1 dir/2.partial)" = $'mine\nunfinished' ]
	views_ok dir/3
}

@test "what cannot be done is one line" {
	gotap record --follow -o x -p 1
	[ "$status" -eq 2 ]
	contains "give -o a name with %n"
	gotap record --follow -o '%n%x' -p 1
	[ "$status" -eq 2 ]
	gotap record --name '*x'
	[ "$status" -eq 2 ]
	gotap record --name x -p 1
	[ "$status" -eq 2 ]
	gotap record --wait -p 1
	[ "$status" -eq 2 ]
	gotap record --follow-max 0 --follow true
	[ "$status" -eq 2 ]
	start_target python3 -c 'import threading, time
threading.Thread(target=time.sleep, args=(600,)).start()
print("ready", flush=True)'
	gotap record --follow -p "$(ls "/proc/$TARGET/task" | tail -n 1)"
	[ "$status" -eq 1 ]
	[[ $output == "gotap: "*" is a thread, not a process: give its process id, $TARGET" ]]
	gotap record --held-by 1 -p 1
	[ "$status" -eq 2 ]
	gotap record --follow --spool x true
	[ "$status" -eq 2 ]
	status=0
	output=$("$GOTAP" record --follow -- no-such-command 2>&1) || status=$?
	[ "$status" -eq 127 ]
	[ "$output" = "gotap: cannot run 'no-such-command': No such file or directory" ]
	gotap record --follow -- sh -c 'exit 3'
	[ "$status" -eq 3 ]
	[ "$output" = "gotap: no Go program was run: there is no trace" ]
	gotap record --follow -p 999999999
	[ "$status" -eq 1 ]
	[ "$output" = "gotap: no process 999999999" ]
}
