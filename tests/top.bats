# SPDX-License-Identifier: Apache-2.0
#
# gotap top: its numbers, compared with gotap stacks, a recording of the same time and /proc; and its screen, in a
# terminal of tmux.

load lib/common
load lib/cgroup

teardown() {
	[ -z "${TMUX_NAME:-}" ] || tmux -L "$TMUX_NAME" kill-server 2>/dev/null || true
	stop_targets
	[ -z "${FOLDER:-}" ] || rmdir "$FOLDER"
}

# lines_of OPTION...: writes JSON lines of top to $LINES_FILE.
lines_of() {
	LINES_FILE=$BATS_TEST_TMPDIR/lines
	"$GOTAP" top -p "$TARGET" --json "$@" >"$LINES_FILE"
}

# holds [JQ OPTION...] FILTER: it is true of the array of these lines.
holds() { jq -s -e "$@" "$LINES_FILE" >/dev/null || fail "not so: ${*: -1}: $(head -c 2000 "$LINES_FILE")"; }

# --- numbers ---

@test "goroutines, states and reasons are those of gotap stacks, and of the program" {
	local all own
	require_root
	build_prog "$REFERENCE_GO" sleepers
	start_target "$PROG" -n 7
	lines_of --once
	all=$("$GOTAP" stacks -p "$TARGET" --system --json | jq '.goroutines | length')
	own=$("$GOTAP" stacks -p "$TARGET" --json | jq '.goroutines | length')
	holds --argjson all "$all" --argjson own "$own" \
		'.[0] | .version == 1 and .goroutines == $all and .goroutines - .system_goroutines == $own'
	holds '[.[0].rows[] | select(.name | startswith("main.on")) | .goroutines] == [range(9) | 7]'
	holds '.[0] | [.rows[] | {(.name): .waiting_for}] | add |
		."main.onReceive" == {"chan receive": 7} and ."main.onSend" == {"chan send": 7} and
		."main.onSelect" == {select: 7} and ."main.onNetwork" == {network: 7} and ."main.onSleep" == {sleep: 7}'
}

@test "the states of an interval add up, and its intervals follow one another" {
	require_root
	build_prog "$REFERENCE_GO" spawn
	start_target "$PROG"
	lines_of -i 300ms -n 4
	holds 'length == 4 and ([.[].number] == [1, 2, 3, 4])'
	holds '[range(3) as $i | .[$i].to_ns == .[$i + 1].from_ns] | all'
	holds 'all(.gotap.lost == 0 and .gotap.unrecorded_seconds == 0)'
	# The rows add up to the totals, but for rounding.
	holds 'all((.seconds_in | add) - ([.rows[].seconds_in[]] | add) | fabs < 1e-6)'
	holds 'all((.created - ([.rows[].created] | add)) == 0)'
	# No P is busy for more than the interval, and goroutines run exactly when Ps run them.
	holds 'all(.[].procs[]; .running_seconds + .syscall_seconds + .other_seconds < 0.3000001)'
	holds 'all((.seconds_in.running - ([.procs[].running_seconds] | add)) | fabs < 0.001)'
	# The histogram has the waits whose quantiles the line has.
	holds 'all((.histograms.sched.counts | add) == ([.rows[] | select(.system | not) | .sched.count] | add) and .sched.count > 0)'
	holds 'all(.histograms as $h | (.rows | max_by(.sched.count)).sched as $s |
		([range($h.limits_ns | length) | select($h.limits_ns[.] < $s.p50_ns / 2) | $h.sched.counts[.]] | add // 0)
		<= ($h.sched.counts | add) - $s.count / 2)'
}

@test "stops of the world by their reason, mark assists; --brief leaves rows and units out" {
	require_root
	build_prog "$REFERENCE_GO" gc
	start_target "$PROG"
	lines_of --brief -n 2
	holds 'all(.gc.cycles > 0 and (.histograms.stops_gc.counts | add) == .gc.stops)'
	holds 'all((.histograms.stops_other.counts | add) == 0 and .gc.assists > 0 and .gc.assist_seconds > 0)'
	holds 'all((has("rows") or has("units") or has("by")) | not)'
	gotap top -p "$TARGET" --brief --once
	[ "$status" -eq 2 ]
	contains '--brief is about --json'
}

# report_of FROM TO: writes the report of the part of $TRACE between these times of CLOCK_MONOTONIC to $REPORT.
report_of() {
	local begin
	begin=$("$GOTAP" text --events "$TRACE" | sed -n 's/.*Sync .*monotonic \([0-9]*\) ns.*/\1/p;q')
	begin=${begin:?}
	"$GOTAP" convert --from "$((($1 - begin) / 1000))us" --to "$((($2 - begin) / 1000))us" \
		-o "$BATS_TEST_TMPDIR/cut" "$TRACE"
	REPORT=$BATS_TEST_TMPDIR/report
	"$GOTAP" report --json "$BATS_TEST_TMPDIR/cut" >"$REPORT"
}

@test "waits by reason are those of the rows; the unit is that of a recording, with a rate and a p99" {
	local unit
	require_root
	build_prog "$REFERENCE_GO" shop
	TARGETS=
	"$PROG" -trace /dev/null -dur 10m >/dev/null 2>&1 3>&- &
	TARGET=$!
	TARGETS+=" $TARGET"
	wait_for 30 eval '[ "$(readlink "/proc/$TARGET/exe")" = "$PROG" ]'	# until the shell's child has exec'ed it
	# At the end all that was recorded has been read.
	LINES_FILE=$BATS_TEST_TMPDIR/lines
	timeout --preserve-status -s INT 4 "$GOTAP" top -p "$TARGET" --json -i 300ms >"$LINES_FILE"
	holds 'all(((.blocked | map(.seconds) | add) - ([.rows[] | select(.system | not) | .seconds_in.waiting] | add)) | fabs < 1e-6)'
	holds 'all((.blocked | map(.now) | add) == ([.rows[] | select(.system | not) | .now.waiting] | add))'
	holds 'all(.[].blocked[].ended; .count == 0 or (.p50_ns <= .p99_ns and .p99_ns <= .max_ns * 1.02))'
	# Units come late, and then in each interval.
	holds '[.[].units] | map(. != null) | . == (sort) and .[-1]'
	holds '.[-1] | .units_seconds >= 0.3 and .units_skipped == 0'
	holds 'all(.[].units // [] | .[]; .count == 0 or (0 < .p50_ns and .p50_ns <= .p99_ns))'
	"$GOTAP" record -p "$TARGET" -o "$BATS_TEST_TMPDIR/shop.trace" -d 2s -q
	"$GOTAP" report --json "$BATS_TEST_TMPDIR/shop.trace" >"$BATS_TEST_TMPDIR/report"
	unit=$(jq -r '.answer[0] | select(.kind == "unit") | "\(.unit_kind) \(.unit)"' "$BATS_TEST_TMPDIR/report")
	holds --arg unit "${unit:?}" '.[-1].units | any("\(.kind) \(.name | sub(".* "; ""))" == $unit)'
	run env COLUMNS=120 "$GOTAP" top -p "$TARGET" --once
	[ "$status" -eq 0 ]
	matches "unit rounds of main\.[a-z]+ [0-9.]+/s, p50 [0-9.]+ms, p99 [0-9.]+ms"
	matches "blocked [0-9.]+: chan receive [0-9.]+ \(p99 "
	matches "\(the runtime's own: [0-9]+\)"
	[[ $output != *runtime.bgsweep* ]] || fail "the runtime's own goroutines have rows"
}

@test "the sums of a trace are those of user/spans" {
	local trace=$BATS_TEST_TMPDIR/judged.trace
	require_root
	build_prog "$REFERENCE_GO" spawn
	start_target "$PROG"
	"$GOTAP" record -p "$TARGET" -o "$trace" -d 1s -q
	GOTAP_TEST_TRACES=$trace succeeds "$BUILD/unit/cmd_top"
	contains '# 1 traces'
}

@test "the CPU time of the program is that of /proc" {
	local before after hz
	require_root
	build_prog "$REFERENCE_GO" spawn
	start_target "$PROG" -batch 100
	hz=$(getconf CLK_TCK)
	ticks() { awk '{ sub(/.*\) /, ""); print $12 + $13 }' "/proc/$TARGET/stat"; }
	before=$(ticks)
	lines_of -i 300ms -n 2
	after=$(ticks)
	# /proc counts user and system time in whole ticks, each rounded down.
	holds --argjson before "$before" --argjson after "$after" --argjson hz "$hz" \
		'all(.cpu_seconds_ever >= $before / $hz and .cpu_seconds_ever <= ($after + 2) / $hz and .cpu_percent > 0)'
	holds '.[1].cpu_seconds_ever > .[0].cpu_seconds_ever'
}

@test "throttling is what the kernel counts" {
	local before after
	require_root
	build_prog "$REFERENCE_GO" spawn
	quota_group
	start_target "$PROG" -batch 1000 -pause 1us
	echo "$TARGET" >"$FOLDER/cgroup.procs"
	throttled() { awk '$1 == "nr_throttled" { print $2 }' "$FOLDER/cpu.stat"; }
	before=$(throttled)
	lines_of -i 500ms -n 3
	after=$(throttled)
	holds 'all(.quota.quota_ns == 20000000 and .quota.period_ns == 100000000)'
	holds --argjson most "$((after - before))" '[.[].quota.throttled_periods] | add > 0 and add <= $most'
	stop_target
	wait_for 20 empty_group
}

empty_group() { [ -z "$(cat "$FOLDER/cgroup.procs")" ]; }

@test "what the budget leaves out is said" {
	require_root
	build_prog "$REFERENCE_GO" spawn
	start_target "$PROG" -batch 100
	lines_of -i 1s -n 3 --budget 0.1
	holds 'any(.gotap.left_out != "" or .gotap.unrecorded_seconds > 0)'
	holds 'all((.seconds - .recorded_seconds - .gotap.unrecorded_seconds) | fabs < 1e-6)'
}

@test "rows by labels, by the value of one, and by region" {
	require_root
	build_prog "$REFERENCE_GO" labelled
	start_target "$PROG"
	lines_of --once --by label
	holds '.[0] | .by == "label" and
		([.rows[] | select(.name | startswith("path=\"/buy\" request=")) | .seconds_in.running] | add > 0)'
	lines_of --once --by label:path
	holds '.[0] | [.rows[].name] | contains(["/buy", "/pay \"now\"", "(no such label)"])'
	gotap top -p "$TARGET" --once --by label --events sched
	[ "$status" -eq 2 ]
	contains '--by label needs the group labels'
	stop_target
	build_prog "$REFERENCE_GO" annotated
	start_target "$PROG" -dur 10m
	lines_of --once --by region
	holds '.[0] | .by == "region" and ([.rows[].name] | contains(["(in no region)"]) and length > 1)'
}

# delay_ns: prints how long the threads of the target have waited for a CPU.
delay_ns() { awk '{ sum += $2 } END { printf "%d\n", sum }' "/proc/$TARGET/task/"*/schedstat; }

# Both record the same program, but each takes the times of its events by itself: where a thread loses
# its CPU between the two, they differ by what the thread then waits.
@test "creations, stays in the run queue and their p99 are those of a recording of the same time" {
	local recorder delay
	require_root
	build_prog "$REFERENCE_GO" spawn
	start_target "$PROG"
	TRACE=$BATS_TEST_TMPDIR/same.trace
	delay=$(delay_ns)
	"$GOTAP" record -p "$TARGET" -o "$TRACE" --budget none -q 3>&- &
	recorder=$!
	wait_for 60 [ -s "$TRACE.partial" ]
	lines_of -i 1s --once --budget none
	delay=$(($(delay_ns) - delay))
	kill -TERM "$recorder"
	wait "$recorder"
	report_of "$(jq .from_ns "$LINES_FILE")" "$(jq .to_ns "$LINES_FILE")"
	near() { awk -v a="$1" -v b="$2" -v by="$3" -v more="${4:-20}" 'BEGIN { exit !(a <= b * by + more && b <= a * by + more) }'; }
	ours() { jq ".rows[] | select(.name == \"main.shortLived\") | $1" "$LINES_FILE"; }
	judge() { jq ".goroutines[] | select(.function == \"main.shortLived\") | $1" "$REPORT"; }
	explain "top: $(ours '[.created, .sched.count, .sched.p99_ns]' | paste -sd ' ')," \
		"the report: $(judge '[.created, .runnable.count, .runnable.p99_ns]' | paste -sd ' ')"
	near "$(ours .created)" "$(judge .created)" 1.01
	near "$(ours .sched.count)" "$(judge .runnable.count)" 1.01
	near "$(ours '.seconds_in.runnable * 1e9')" "$(judge .runnable.sum_ns)" 1.2 "$delay"
	# The 99th of a hundred is between the 90th and the longest, and near the same one unless threads waited.
	near "$(ours .sched.p99_ns)" "$(judge .runnable.p99_ns)" 1.5 $((delay / 100 + 20))
	awk -v a="$(ours .sched.p99_ns)" -v p90="$(judge .runnable.p90_ns)" -v max="$(judge .runnable.max_ns)" \
		'BEGIN { exit !(a * 1.5 + 20 >= p90 && a <= max * 1.5 + 20) }'
}

# --- the terminal ---

# open_terminal COLUMNS ROWS: starts a shell in a terminal of tmux.
open_terminal() {
	require_tool tmux
	TMUX_NAME=gotap-$BATS_TEST_NUMBER-$$
	LC_ALL=C.UTF-8 tmux -L "$TMUX_NAME" -f /dev/null new-session -d -x "$1" -y "$2" \
		"cd '$BATS_TEST_TMPDIR' && exec env PS1='prompt> ' LC_ALL=C.UTF-8 bash --norc" 3>&-
	type_in "echo here-it-began" Enter
	wait_for 20 is_shown '^here-it-began'
}

type_in() { tmux -L "$TMUX_NAME" send-keys "$@"; }
screen() { tmux -L "$TMUX_NAME" capture-pane -p "$@"; }
is_shown() { screen | grep -Eq -- "$1"; }
is_not_shown() { ! is_shown "$1"; }

# is_restored: the shell has its screen back, and the terminal its line mode and its echo.
is_restored() {
	is_shown '^here-it-began' || fail "the screen is not that from before: $(screen)"
	type_in "stty -a | grep -c -w -e icanon -e echo; tput -T xterm lines >/dev/null; echo done-\$((1 + 1))" Enter
	wait_for 20 is_shown '^done-2' || fail "$(screen)"
	is_not_shown '-icanon|-echo ' || fail "$(screen)"
}

start_top() {
	type_in "$GOTAP top -p $TARGET -i 200ms $*; echo status-\$?" Enter
	wait_for 60 is_shown 'lost 0, repairs 0' || fail "$(screen)"
}

@test "keys: select, expand, filter, sort, group, pause, help, snapshot, quit" {
	require_root
	build_prog "$REFERENCE_GO" sleepers
	start_target "$PROG" -n 5 -tick 20ms
	open_terminal 120 40
	start_top --sort name
	wait_for 20 is_shown '  5 .* main.onReceive +chan receive 5'
	type_in /
	type_in onRec
	type_in Enter
	wait_for 20 is_not_shown main.onSend
	type_in Enter
	wait_for 20 is_shown '5 waiting: chan receive at'
	wait_for 20 is_shown 'main.onReceive sleepers.go:[0-9]+'
	type_in Escape
	wait_for 20 is_shown main.onSend
	type_in Space
	wait_for 20 is_shown PAUSED
	type_in Space
	wait_for 20 is_not_shown PAUSED
	type_in '?'
	wait_for 20 is_shown 'rows by function, by labels, by region'
	type_in '?'
	type_in g
	wait_for 20 is_shown '\(no labels\)'
	type_in s
	wait_for 20 is_shown "^$BATS_TEST_TMPDIR.*-1.trace: "
	type_in q
	wait_for 60 is_shown '^status-0'
	is_restored
	succeeds "$GOTAP" check "$BATS_TEST_TMPDIR"/gotap-"$TARGET"-*-1.trace
}

@test "a resized terminal, also a tiny one, shows what it has room for" {
	require_root
	build_prog "$REFERENCE_GO" sleepers
	start_target "$PROG" -tick 20ms
	open_terminal 80 24
	start_top
	wait_for 20 is_shown main.main
	tmux -L "$TMUX_NAME" resize-window -x 30 -y 5
	wait_for 20 is_shown '^gotap lost 0, repairs 0'
	tmux -L "$TMUX_NAME" resize-window -x 3 -y 2
	sleep 0.5
	tmux -L "$TMUX_NAME" resize-window -x 132 -y 30
	wait_for 20 is_shown 'main.main .*sleep 1'
	wait_for 20 eval '[ "$(screen | grep -c "^gotap lost")" -eq 1 ]'
	type_in C-c
	wait_for 60 is_shown '^status-0'
	is_restored
	# --once is as wide as the terminal. On a terminal that cannot move its cursor top ends with an error.
	tmux -L "$TMUX_NAME" resize-window -x 100 -y 30
	type_in "clear; $GOTAP top -p $TARGET -i 100ms --once; TERM=dumb $GOTAP top -p $TARGET; echo status-\$?" Enter
	wait_for 60 is_shown '^status-1'
	is_shown ' function +waits for$' || fail "$(screen)"
	is_shown '^gotap: the terminal cannot place text' || fail "$(screen)"
}

# has_guard: sets $pid to gotap top and $guard to its gotap-terminal, once both have their names.
has_guard() { pid=$(top_pid) && guard=$(pgrep -P "$pid" -x gotap-terminal); }

@test "the terminal is restored: kill -9, SIGTERM, the end of the program" {
	local pid guard late
	require_root
	build_prog "$REFERENCE_GO" sleepers
	start_target "$PROG" -tick 20ms
	open_terminal 80 24
	for late in yes no; do
		type_in "$GOTAP top -p $TARGET -i 200ms; echo \$? >status" Enter
		wait_for 60 is_shown 'lost 0, repairs 0' || fail "$(screen)"
		wait_for 60 has_guard
		# If the shell notices the end before gotap-terminal does, what it prints goes to the alternate screen
		# and is lost.
		[ "$late" = no ] || kill -STOP "$guard"
		kill -9 "$pid"
		wait_for 60 grep -sqx 137 "$BATS_TEST_TMPDIR/status"
		kill -CONT "$guard" 2>/dev/null || true
		wait_for 60 has_ended "$guard"
		is_restored
		type_in clear Enter "echo here-it-began" Enter
		rm "$BATS_TEST_TMPDIR/status"
	done
	start_top
	kill -TERM "$(top_pid)"
	wait_for 60 is_shown '^status-0'
	is_restored
	type_in clear Enter "echo here-it-began" Enter
	start_top
	stop_target
	wait_for 60 is_shown 'gotap: the program has ended'
	is_restored
}

@test "stopped by Ctrl-Z it leaves the terminal to the shell, also when it is killed then" {
	local pid signal
	require_root
	build_prog "$REFERENCE_GO" sleepers
	start_target "$PROG" -tick 20ms
	open_terminal 80 24
	for signal in TERM KILL; do
		start_top
		pid=$(top_pid)
		type_in C-z
		wait_for 60 is_shown '^status-147'
		wait_for 20 is_stopped "$pid"
		[ -z "$(pgrep -P "$pid" -x gotap-terminal)" ] || fail "a guard waits to write into the shell's lines"
		type_in "kill -$signal %1" Enter
		wait_for 60 has_ended "$pid"
		is_restored
		type_in clear Enter "echo here-it-began" Enter
	done
}

is_stopped() { grep -q '^State:.T' "/proc/$1/status"; }
has_ended() { ! grep -qs '^State:.[^ZX]' "/proc/$1/status"; }

# top_pid: prints the process of gotap top that records. Its children have names of their own, and
# may be of the same tick of the clock, so that pgrep -o does not say which one is the oldest; those
# of a top that was killed may not have ended yet.
top_pid() {
	local pid all
	all=$(pgrep -f "^$GOTAP top -p $TARGET ")
	for pid in $all; do
		grep -qx gotap "/proc/$pid/comm" 2>/dev/null || continue
		grep -qxF "$(ps -o ppid= -p "$pid" | tr -d ' ')" <<<"$all" || echo "$pid"
	done
}

@test "NO_COLOR: no colors; else there are" {
	require_root
	build_prog "$REFERENCE_GO" sleepers
	start_target "$PROG" -tick 20ms
	open_terminal 80 24
	start_top
	wait_for 20 eval '[ "$(colors)" -gt 0 ]'
	type_in q
	wait_for 60 is_shown '^status-0'
	type_in "export NO_COLOR=1" Enter clear Enter
	start_top
	wait_for 20 is_shown main.main
	[ "$(colors)" -eq 0 ]
	type_in q
}

# colors: prints how many lines of the screen have colors.
colors() { screen -e | grep -c $'\033\\[[0-9;]*3[0-7]m'; }

# --- without a terminal ---

@test "without a terminal: what to do" {
	require_root
	build_prog "$REFERENCE_GO" sleepers
	start_target "$PROG"
	gotap top -p "$TARGET"
	[ "$status" -eq 1 ]
	[ "${#lines[@]}" -eq 1 ]
	contains '--once prints text, --json a line for each interval'
	succeeds "$GOTAP" top -p "$TARGET" --once -i 200ms
	matches '^gotap lost 0, repairs 0'
	matches '10 .* main.onReceive +chan receive 10'
	[[ $output != *$'\033'* ]]
}

@test "wrong usage is one line and a hint" {
	local wrong
	for wrong in "" "-p 1 --container x" "-p 1 --once -n 2" "-p 1 -i 1ms" "-p 1 --by thread" "-p 1 --sort size" "-p 1 -o x"; do
		# shellcheck disable=SC2086
		gotap top $wrong
		[ "$status" -eq 2 ]
		[ "${#lines[@]}" -le 2 ]
	done
	gotap top -p 999999999
	[ "$status" -ne 0 ]
	[ "${#lines[@]}" -eq 1 ]
}
