#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Requests while they are recorded: triggers. The name of a request is that of its end there, too.

load lib/common
load lib/record

setup() {
	require_root
	require_tool jq
	cd "$BATS_TEST_TMPDIR"
	mkdir snaps
	# Go 1.22 and later set the pattern of a route only so; a program of GOPATH mode has the old ServeMux by default.
	export GODEBUG=httpmuxgo121=0
}

teardown() { stop_targets; }

@test "a slow request makes a snapshot that has all of it, and names its route, result and task" {
	local task
	build_prog 1.27 requests
	"$GOTAP" record --json --budget none --flight 10s --cooldown 0 -o 'snaps/%n.trace' --on 'request:/long>1s' \
		--on 'request>1.1s' --on 'request:/plain>1h' --on 'request:/panic>1us' -- "$PROG" 3 100 long >served 2>report
	jq -s '[.[].trigger | {name, what, task, next}]' snaps/*.json
	# the two long ones, each once of a rule: open for the rule without a route, and ended for the other one
	[ "$(jq -r .trigger.name snaps/*.json | grep -c '^request:/long>1s$')" -eq 2 ]
	[ "$(jq -r .trigger.name snaps/*.json | grep -c '^request>1.1s$')" -eq 2 ]
	[ "$(jq -r .trigger.name snaps/*.json | grep -c '/plain')" -eq 0 ]
	jq -e -s '[.[].trigger | select(.name == "request:/long>1s") | .what] |
		all(test("^request [0-9]+, GET /long, took 1[.][0-9]+ s, status 200$"))' snaps/*.json
	jq -e -s '[.[].trigger | select(.name == "request>1.1s") | .what] |
		all(test("^request [0-9]+, GET net/http .route not known yet., is open for 1[.]1[0-9]* s$"))' snaps/*.json
	jq -e -s '[.[].trigger | select(.name == "request:/panic>1us") | .what] | length > 0 and
		all(test(", GET /panic, took .*, its handler did not return$"))' snaps/*.json
	jq -r 'select(.trigger.name == "request:/long>1s") | .trigger.next' snaps/*.json | head -n 1 >next
	task=$(sed 's/.* //' next)
	cd snaps
	succeeds "$GOTAP" why "$(sed 's/^gotap why \(.*\) --task.*/\1/' ../next)" --task "$task"
	contains "task $task, ended by goroutine"
	"$GOTAP" requests "$(sed 's/^gotap why \(.*\) --task.*/\1/' ../next)" --json --slowest 1000 >json
	jq -e --argjson task "$task" '.slowest | any(.task == $task and .name == "GET /long" and .ns > 1.3e9)' json
}

@test "failed requests above a share make one snapshot" {
	build_prog 1.27 requests
	"$GOTAP" record --json --budget none --flight 10s --cooldown 0 -o 'snaps/%n.trace' --on 'errors>5%' \
		--on 'errors:/late>99.9%' --on 'errors:/stream>0%' --on 'errors:GET /status/>0%' -- "$PROG" 20 100 long >served 2>report
	jq -s '[.[].trigger | {name, what, task}]' snaps/*.json
	[ "$(cat snaps/*.json | jq -r .trigger.name | sort | paste -sd ' ')" = 'errors:/late>99.9% errors>5%' ]
	jq -e -s 'map(.trigger) | map(select(.name == "errors:/late>99.9%") | .what) |
		all(test("^of [0-9]+ requests of the last 10 s [0-9]+ failed; the last one was [0-9]+, GET /late$"))' snaps/*.json
	"$GOTAP" requests "snaps/$(jq -r 'select(.trigger.name == "errors:/late>99.9%") | .trace' snaps/*.json)" --json --slowest 1000 \
		--route 'GET /late' >json
	jq -e --argjson task "$(jq 'select(.trigger.name == "errors:/late>99.9%") | .trigger.task' snaps/*.json)" \
		'.slowest | any(.task == $task and .status == 503)' json
}
