#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# gotap schema: what the commands print with --json is valid by its schema, which python3-jsonschema judges, and each
# schema describes each field (lib/schema.py). A field that a schema does not have fails a test, as objects are closed.

load lib/common
load lib/record

# Once: the schemas; and recordings with all that the schemas name.
setup_file() {
	load lib/common
	load lib/record
	require_root
	cd "$BATS_FILE_TMPDIR"
	mkdir schemas seen
	for name in $("$GOTAP" schema | cut -d' ' -f1); do
		"$GOTAP" schema "$name" >"schemas/$name.json"
	done
	build_prog "$REFERENCE_GO" annotated
	start_target "$PROG" -dur 20s
	"$GOTAP" record -p "$TARGET" -d 400ms -e +linux,heap,labels,cpu --cpu-samples 99 --json --spool spool -o first 2>record.1
	"$GOTAP" record -p "$TARGET" -d 400ms -e +linux --json -o second 2>record.2
	stop_targets
	python3 "$CHECKOUT/tests/lib/whatif_story.py" "$GOTAP" 100 story
	build_prog "$REFERENCE_GO" mixed
	start_target "$PROG" -delay 10m
	"$GOTAP" record -p "$TARGET" -d 1s --budget 0.01% --json -o small 2>record.small
	"$GOTAP" record -p "$TARGET" -d 300ms --ring-size 64K --defer --events all --json -o lossy --perfetto lossy.pf 2>record.lossy || true
	stop_targets
	"$GOTAP" record --json -o own --events all -- "$PROG" -delay 10ms -dur 10ms -tail 1ms 2>own.said >/dev/null
	tail -n 1 own.said >record.own
}

setup() {
	require_root
	cd "$BATS_FILE_TMPDIR"
	for PYTHON in python3 /usr/bin/python3 none; do
		"$PYTHON" -c 'import jsonschema' 2>/dev/null && break
	done
	[ "$PYTHON" != none ] || skip "needs python3-jsonschema"
}

teardown() { stop_targets; }

# valid SCHEMA FILE...: each line of the files is.
valid() { succeeds "$PYTHON" "$CHECKOUT/tests/lib/schema.py" check "schemas/$1.json" "seen/$1" "${@:2}"; }

# says SCHEMA ARGUMENT...: what gotap prints is, whatever the exit status.
says() {
	local name=$1
	shift
	printf '$ gotap %s\n' "$*"
	"$GOTAP" "$@" >out.json || true
	valid "$name" out.json
}

@test "each schema is one, is closed, and describes each field with its unit" {
	succeeds "$PYTHON" "$CHECKOUT/tests/lib/schema.py" rules schemas/*.json
	gotap schema
	[ "${#lines[@]}" -eq "$(ls schemas | wc -l)" ]
	gotap schema nothing
	[ "$status" -eq 2 ]
	contains "there is no schema 'nothing'"
	gotap schema ps doctor
	[ "$status" -eq 2 ]
}

@test "ps, doctor, stacks of live programs" {
	build_prog "$REFERENCE_GO" labelled
	start_target "$PROG"
	says ps ps --json
	says doctor doctor --json
	says doctor doctor --json "$PROG"
	says doctor doctor --json -p "$TARGET"
	says doctor doctor --json -p $$
	says doctor doctor --json -e all "$GOTAP"
	require_go "${ALL_GO[0]}"
	says doctor doctor --json -e all "$GO"
	says stacks stacks -p "$TARGET" --json --system
	says stacks stacks -p "$TARGET" --json --group
	says stacks stacks -p "$TARGET" --json --watch 100ms
	build_prog "$REFERENCE_GO" stacked
	start_target "$PROG"
	says stacks stacks -p "$TARGET" --json --system
	says ps ps --json
}

@test "profiles that the runtime keeps, and leaked goroutines" {
	local kind
	build_prog "$REFERENCE_GO" heaped
	start_target "$PROG" "$BATS_TEST_TMPDIR"
	for kind in heap allocs block mutex; do
		says heap heap -p "$TARGET" --kind "$kind" --json
	done
	says heap heap -p "$TARGET" --now --diff 10ms --json
	says core core -p "$TARGET" -o core --hold 2s --clear-again --json
	build_prog "$REFERENCE_GO" leaky
	start_target "$PROG"
	says stacks stacks -p "$TARGET" --detect-leaks --json
	kill -STOP "$TARGET"
	says retained heap -p "$TARGET" --retained --json
	says stacks stacks -p "$TARGET" --leaked --by reachability --json
	kill -CONT "$TARGET"
}

@test "reports of recordings: threads, inline, budget, old formats, and of raw records" {
	valid record record.1 record.2
	"$GOTAP" assemble spool --json -o assembled 2>out.json
	valid record out.json
	"$GOTAP" assemble spool --on 'blocked>1us' --json -o assembled >out.json 2>err.json
	valid record err.json
	build_prog "$REFERENCE_GO" mixed
	start_target "$PROG" -delay 10m
	"$GOTAP" record -p "$TARGET" -d 200ms --attach inline --budget none --json -o inline 2>out.json
	valid record out.json
	"$GOTAP" record -p "$TARGET" -d 200ms --format go1.11 --json -o old 2>out.json
	valid record out.json
	kill -STOP "$TARGET"
	"$GOTAP" record -p "$TARGET" -d 800ms --json -o stopped 2>out.json 3>&- &
	sleep 0.6
	kill -CONT "$TARGET"
	wait $!
	valid record out.json
	valid record record.small record.lossy record.own
}

@test "flight: snapshots, the answer of snap, triggers; follow" {
	build_prog "$REFERENCE_GO" mixed
	start_target "$PROG" -delay 10m
	"$GOTAP" record -p "$TARGET" --flight 2s --on 'blocked>1ms' --on signal -d 3s --json -o 'flight.%n' 2>flight.report 3>&- &
	wait_for 20 "$GOTAP" snap -p "$TARGET" --json -m first
	says snap snap -p "$TARGET" --json -m 'a reason'
	wait $!
	tail -n 1 flight.report >last.json
	valid record last.json
	valid snapshot flight.*.json
	"$GOTAP" assemble spool --on 'task:inner>1us' -o assembled >triggers.json 2>err.txt
	valid trigger triggers.json
	"$GOTAP" record --follow --json -o 'follow.%n' -- "$PROG" -delay 10ms -dur 10ms -tail 1ms 2>follow.json >/dev/null
	valid follow follow.json
}

@test "serve: /processes.json" {
	build_prog "$REFERENCE_GO" mixed
	start_target "$PROG" -delay 10m
	"$GOTAP" serve --listen "unix:$BATS_TEST_TMPDIR/socket" 2>"$BATS_TEST_TMPDIR/log" 3>&- &
	TARGETS+=" $!"
	wait_for 20 grep -q '^gotap: listens on ' "$BATS_TEST_TMPDIR/log"
	curl -sS --max-time 60 --unix-socket "$BATS_TEST_TMPDIR/socket" http://localhost/processes.json >out.json
	valid processes out.json
}

@test "top" {
	build_prog "$REFERENCE_GO" mixed
	start_target "$PROG" -delay 10m
	"$GOTAP" top -p "$TARGET" --json -i 600ms -n 3 >out.json
	valid top out.json
	"$GOTAP" top -p "$TARGET" --json --brief -i 300ms -n 1 >out.json
	valid top out.json
}

@test "report, why, diff" {
	says report report --json first
	says report report --json first second
	says report report --json --by-label path first
	"$GOTAP" tables first -o tables
	valid manifest tables/_manifest/*.json
	says why why --json first
	says why why --json --full first
	says why why --json --func main.main.func1 first
	says why why --json --func main.main.func1 --slowest 3 first
	says why why --json --task inner --all first
	says why why --json --region nested first
	says diff diff --json first second
	says why why --json -g 1 --full story
	says report report --json story
	build_prog "$REFERENCE_GO" mutex
	start_target "$PROG"
	"$GOTAP" record -q -p "$TARGET" -d 300ms --budget none -o locks
	says report report --json locks
	build_prog "$REFERENCE_GO" allocates
	start_target "$PROG" "$BATS_TEST_TMPDIR" busy
	"$GOTAP" record -q -p "$TARGET" -d 300ms --budget none -e +alloc -o allocs
	says report report --json allocs
	says why why --json -g 1 allocs
	build_prog "$REFERENCE_GO" tenants
	"$GOTAP" record -q --budget none -e +http,+labels -o labelled -- "$PROG"
	says report report --json --label 'tenant=acme*' --label 'tenant=*1' labelled
	says why why --json locks
	says report report --json small lossy
	says diff diff --json story first
	build_prog "$REFERENCE_GO" shop
	"$PROG" -dur 300ms -requests 200 -trace usual >/dev/null
	for slow in store audit twice; do
		"$PROG" -dur 300ms -requests 200 -slow "$slow" -trace slower >/dev/null
		says diff diff --json usual slower
	done
	says diff diff --json --top 100 slower usual
}

@test "requests" {
	build_prog "$REFERENCE_GO" requests
	"$GOTAP" record -o served -e +http --budget none -- "$PROG" 3 100 >/dev/null 2>record.served
	says requests requests --json served
	says requests requests --json --slowest 100 --route 'GET /panic' served
	says report report --json served
}

@test "func" {
	build_prog "$REFERENCE_GO" regions
	"$GOTAP" record -q -o called --region 'main.*' --budget none -- "$PROG" 2 30 100 >/dev/null
	says func func --json called 'main.*'
	says func func --json --slowest 100 called main.panics
	# the composition of the function with the most time, if that one returns
	"$GOTAP" record -q -o summed --region main.fibonacci --budget none -- "$PROG" 2 30 100 >/dev/null
	says func func --json summed main.fibonacci
}

@test "whatif" {
	says whatif whatif --json story
	says whatif whatif --json --sleep main.query --by 25 story
	says whatif whatif --json first
	says whatif whatif --json --no-gc first
	says whatif whatif --json --function main.nothing --lock main.query story
	says whatif whatif --json small
}

@test "check and events, of good and bad traces of all formats" {
	says check check --json first old "$CHECKOUT"/tests/vectors/*.trace
	for trace in first own lossy "$CHECKOUT"/tests/vectors/ok_*.trace; do
		"$GOTAP" text --events --json --links "$trace" >>events.json || true
	done
	valid events events.json
	says events text --events --json --links --no-stacks first
}

# A property that is required, and that no output of these tests had, would be one that nothing makes.
@test "each field of a schema was printed, or says when it is" {
	for name in schemas/*.json; do
		name=$(basename "$name" .json)
		[ -e "seen/$name" ] || continue
		run_logged "$PYTHON" "$CHECKOUT/tests/lib/schema.py" unseen "schemas/$name.json" "seen/$name"
		[ "$status" -eq 0 ] || fail "$name"
		explain "$name: $(grep -c '^only' <<<"$output") fields did not occur"
	done
}
