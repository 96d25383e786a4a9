#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# A trace says which program it is of: what it says is true, and no text that the program chose does harm where it is shown.

load lib/common
load lib/record

setup() {
	require_root
	require_tool jq hostname readelf
	cd "$BATS_TEST_TMPDIR"
}

teardown() { stop_targets; }

# fact KEY [TRACE]: the fact as the report of the trace has it, or nothing.
fact() { "$GOTAP" report --json "${2:-trace}" | jq -r --arg key "$1" '.traces[0].origin[$key] // empty'; }

# is FACT VALUE
is() { [ "$(fact "$1")" = "$2" ] || fail "$1 is '$(fact "$1")', not '$2'"; }

# page_has_it: the page of the trace shows the facts, in a browser.
page_has_it() {
	succeeds "$GOTAP" report --html page.html trace
	"$GOTAP" report --json trace >report.json
	"$GOTAP" text --events --no-stacks --json trace >events.json
	type chromium-headless-shell chromium 2>/dev/null | grep -q . || skip "needs chromium"
	run_logged timeout 600 python3 "$CHECKOUT/tests/html/check.py" page.html report.json events.json origin
	[ "$status" -eq 0 ]
}

@test "program, release, build, PID, host, date, command: as the system has them; gotap assemble says the same" {
	local began
	build_prog "$REFERENCE_GO" netload
	start_target "$PROG" -pause 5ms
	began=$(date +%s)
	recorded trace -p "$TARGET" -d 200ms --spool spool
	is program "$(readlink "/proc/$TARGET/exe")"
	is pid "$TARGET"
	is host "$(hostname)"
	is command "$(tr '\0' ' ' <"/proc/$TARGET/cmdline" | sed 's/ $//')"
	is go "$("$GOTAP" ps --json | jq -r --argjson pid "$TARGET" '.processes[] | select(.pid == $pid).go')"
	readelf -n "$PROG" | grep -q "Build ID: $(fact build_id)$"
	[ "$("$GOTAP" --version | head -n 1)" = "gotap $(fact gotap)" ]
	[ "$(date -d "$(fact date)" +%s)" -ge "$began" ]
	[ "$(date -d "$(fact date)" +%s)" -le "$(date +%s)" ]
	views_ok trace
	succeeds "$GOTAP" assemble spool -o again
	cmp trace again
	succeeds "$GOTAP" report trace
	contains "PID $TARGET on $(hostname)"
	succeeds "$GOTAP" pprof --type sched -o profile.gz trace
	gzip -dc profile.gz | grep -aq "host=\"$(hostname)\""
	succeeds "$GOTAP" perfetto -o perfetto trace
	grep -aq "host=\"$(hostname)\"" perfetto
}

@test "the module and its version are those that the linker wrote" {
	require_go "$REFERENCE_GO"
	mkdir shop
	printf 'module example.com/shop/v3\ngo 1.21\n' >shop/go.mod
	printf 'package main\nimport "time"\nfunc main() { println("ready"); for { time.Sleep(time.Millisecond) } }\n' >shop/main.go
	(cd shop && GOFLAGS=-buildvcs=false flock "$GO" "$GO" build -o shop)
	start_target ./shop/shop
	recorded trace -p "$TARGET" -d 200ms
	is module example.com/shop/v3
	is version '(devel)'
	succeeds "$GOTAP" report trace
	contains "shop/shop (devel), PID $TARGET"
}

@test "control characters, HTML and long arguments: shown as text, and cut" {
	local evil=$'\e]0;owned\a<script>alert(1)</script>"\n' long
	build_prog "$REFERENCE_GO" netload
	long=$(printf 'x%.0s' {1..3000})
	cp "$PROG" $'./a\e[2Jb'
	bash -c 'exec -a "$1" "$2" -pause 5ms "$3"' - "$evil" $'./a\e[2Jb' "$long" >out 3>&- &
	TARGET=$!
	TARGETS+=" $TARGET"
	wait_for 20 grep -qx ready out
	recorded trace -p "$TARGET" -d 200ms
	views_ok trace
	fact command | head -c 20 | grep -q owned
	[ "$(fact command | wc -c)" -lt 1024 ]
	"$GOTAP" report trace >report
	grep -q 'xxx\.\.\.$' report
	! grep -q $'[\e\a]' report || fail "the report has control characters of the program"
	"$GOTAP" text --events trace | grep -F gotap.origin >events
	[ "$(wc -l <events)" -ge 2 ] && [ "$(wc -l <events)" -le 3 ]	# those of the program, and losses and cost
	! grep -q $'[\e\a]' events || fail "the events have control characters of the program"
	page_has_it
}

@test "--no-command leaves the command line out, --no-notes all of it" {
	build_prog "$REFERENCE_GO" netload
	start_target "$PROG" -pause 5ms
	recorded trace -p "$TARGET" -d 200ms --no-command --spool spool
	is pid "$TARGET"
	is command ""
	! grep -aq -- '-pause' trace spool || fail "the command line is in a file"
	recorded trace -p "$TARGET" -d 200ms --no-notes
	is pid ""
	succeeds "$GOTAP" report trace
	[[ $output != *"PID $TARGET"* ]]
}

# near FACT FIELD: the fact is the field of the report within a third, or both are less than a tenth of a percent. The mean of
# the report includes the time in which the probes were taken away, which is long on a loaded machine; the fact has none of it.
near() {
	awk -v a="$(fact "$1")" -v b="$(reported "$2")" -v all="$(reported seconds)" -v away="$(reported unrecorded_seconds)" 'BEGIN {
		b *= all / (all - away); exit !(a != "" && (a < 0.1 && b < 0.1 || a / b > 0.67 && a / b < 1.5)) }' ||
		fail "$1 is $(fact "$1"), $2 is $(reported "$2")"
}

@test "losses and cost: as the report of the recording has them, in each output, and from the raw records" {
	build_prog "$REFERENCE_GO" fullload
	start_target "$PROG"
	record trace -p "$TARGET" -d 3s --budget 1000 --ring-size 4K --spool spool
	[ "$(reported lost)" -gt 0 ]
	is lost "$(reported lost)"
	is repairs "$(reported repairs_total)"
	near probes_percent cost_percent
	[ -n "$(fact gotap_percent)" ] && [ -n "$(fact not_recorded_s)" ]
	succeeds "$GOTAP" report trace
	matches "^Recording: lost $(reported lost), repairs .*; % of a CPU: probes [0-9.]+, gotap [0-9.]+$"
	succeeds "$GOTAP" assemble spool -q -o again
	cmp trace again
	succeeds "$GOTAP" pprof --type sched -o profile.gz trace
	gzip -dc profile.gz | grep -aq "lost=\"$(reported lost)\""
	succeeds "$GOTAP" perfetto -o perfetto trace
	grep -aq "lost=\"$(reported lost)\"" perfetto
	succeeds "$GOTAP" report --html page.html trace
	[ "$(fact lost)" != "" ]
}

@test "each snapshot of a flight recording has it, and a trace of Go 1.19's format" {
	build_prog "$REFERENCE_GO" netload
	start_target "$PROG" -pause 5ms
	"$GOTAP" record --budget none -p "$TARGET" --flight 5s,16M -o '%n.trace' 2>log 3>&- &
	TARGETS+=" $!"
	wait_for 60 eval '"$GOTAP" snap -p "$TARGET" 2>/dev/null'
	succeeds "$GOTAP" snap -p "$TARGET"
	[ "$(fact pid 2.trace)" = "$TARGET" ]
	succeeds "$GOTAP" check 2.trace
	stop_targets
	start_target "$PROG" -pause 5ms
	recorded trace -p "$TARGET" -d 200ms --format go1.19
	is pid "$TARGET"
}
