# SPDX-License-Identifier: Apache-2.0
#
# /metrics of gotap serve: read by promtool, by prometheus and by the parser of OpenMetrics of Prometheus' client for
# Python; its numbers compared with runtime/metrics of the program and with a trace.

load lib/common
load lib/serve
load lib/cgroup

# start_measured: starts tests/prog/measured.go; `truth PATH` then asks it.
start_measured() {
	build_prog "$REFERENCE_GO" measured
	ITS_SOCKET=$BATS_TEST_TMPDIR/its
	start_target "$PROG" "$ITS_SOCKET"
}

truth() { curl -sS -f --max-time 60 --unix-socket "$ITS_SOCKET" "http://x/$1"; }

# prometheus: sets $PROMETHEUS to the folder with Debian's prometheus and promtool.
prometheus() {
	require_package prometheus bookworm prometheus-bookworm
	PROMETHEUS=$PACKAGE_ROOT/usr/bin
}

# value_of METRIC [LABEL]: the sum of its samples of $TARGET that have this label, in the metrics of $SOCKET.
value_of() {
	ask /metrics | awk -v name="$1" -v pid="pid=\"$TARGET\"" -v label="${2:-}" '
		index($0, name "{") == 1 && index($0, pid) && index($0, label) { sum += $NF; found = 1 }
		END { if (found) print sum }'
}

# is_watched: the metrics have intervals of $TARGET.
is_watched() { [ "$(value_of gotap_watched)" = 1 ]; }

# has_seconds N: they have N seconds of it.
has_seconds() { awk -v have="$(value_of gotap_watch_recorded_seconds_total)" -v want="$1" 'BEGIN { exit !(have >= want) }'; }

@test "numbers are those of runtime/metrics, and of a trace of the same time" {
	local work='gc=5&stops=20&goroutines=300&syscalls=2000&assists=20&waits=800' seconds recorder
	start_measured
	on_socket --watch "$TARGET" --watch-budget none
	wait_for 20 is_watched
	"$GOTAP" record -p "$TARGET" --budget none -o "$BATS_TEST_TMPDIR/trace" >"$BATS_TEST_TMPDIR/record" 2>&1 3>&- &
	recorder=$!
	wait_for 20 test -s "$BATS_TEST_TMPDIR/trace.partial"
	# What the answer did is behind the sums of the next whole interval.
	truth metrics >"$BATS_TEST_TMPDIR/before.json"
	seconds=$(value_of gotap_watch_recorded_seconds_total)
	wait_for 20 has_seconds $((seconds + 2))
	ask /metrics -f -o "$BATS_TEST_TMPDIR/before.prom"
	truth "work?$work" >"$BATS_TEST_TMPDIR/after.json"
	seconds=$(value_of gotap_watch_recorded_seconds_total)
	wait_for 20 has_seconds $((seconds + 3))
	ask /metrics -f -o "$BATS_TEST_TMPDIR/after.prom"
	kill -INT "$recorder"
	wait "$recorder"
	"$GOTAP" report --json "$BATS_TEST_TMPDIR/trace" >"$BATS_TEST_TMPDIR/report"
	succeeds python3 "$CHECKOUT/tests/lib/metrics_truth.py" "$BATS_TEST_TMPDIR/before" "$BATS_TEST_TMPDIR/after" "$TARGET" \
		"${work//&/ }" "$BATS_TEST_TMPDIR/report"
}

@test "promtool and the parser of OpenMetrics take both forms, also with hostile names" {
	local name=$'we"b\\x\n\xff{a="b"} 1' openmetrics
	prometheus
	require_package python3-prometheus-client trixie
	start_measured
	mkdir "$BATS_TEST_TMPDIR/hostile"
	cp "$PROG" "$BATS_TEST_TMPDIR/hostile/$name"
	on_socket --watch "$TARGET"
	start_target "$BATS_TEST_TMPDIR/hostile/$name" "$BATS_TEST_TMPDIR/its2"
	TARGET=${TARGETS%% $TARGET}
	TARGET=${TARGET# }
	wait_for 20 has_seconds 2
	ask /metrics -f -D "$BATS_TEST_TMPDIR/head" -o "$BATS_TEST_TMPDIR/text"
	grep -qi '^content-type: text/plain; version=0.0.4; charset=utf-8' "$BATS_TEST_TMPDIR/head"
	run_logged "$PROMETHEUS/promtool" check metrics <"$BATS_TEST_TMPDIR/text"
	[ "$status" -eq 0 ]
	[ -z "$output" ] || fail "promtool has advice"
	openmetrics='application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;q=0.5'
	ask /metrics -f -H "Accept: $openmetrics" -D "$BATS_TEST_TMPDIR/head" -o "$BATS_TEST_TMPDIR/open"
	grep -qi '^content-type: application/openmetrics-text; version=1.0.0; charset=utf-8' "$BATS_TEST_TMPDIR/head"
	succeeds env PYTHONPATH="$PACKAGE_ROOT/usr/lib/python3/dist-packages" python3 -c '
import sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse
from prometheus_client.parser import text_string_to_metric_families as parse_text
new = list(parse(open(sys.argv[1]).read()))
old = list(parse_text(open(sys.argv[2]).read()))
names = [f.name for f in new]
assert len(names) == len(set(names)) == len(old) >= 30, names
hostile = [s.labels["process"] for f in new for s in f.samples if s.name == "gotap_process_info" and "{" in s.labels["process"]]
assert hostile == ["we\"b\\x\\x0a\ufffd{a=\"b\"} 1"], hostile
# Between the two scrapes a goroutine may have waited for a reason for the first time, and a family got its first sample.
keys = lambda families: {(s.name, tuple(sorted(s.labels.items()))) for f in families for s in f.samples
                         if s.labels.get("pid") == sys.argv[3] and "reason" not in s.labels}
assert keys(new) == keys(old) and len(keys(new)) > 60, keys(new) ^ keys(old)' \
		"$BATS_TEST_TMPDIR/open" "$BATS_TEST_TMPDIR/text" "$TARGET"
}

@test "prometheus scrapes it, with the token, and evaluates the rules of examples/prometheus" {
	local port=18931 query
	prometheus
	succeeds "$PROMETHEUS/promtool" check rules "$CHECKOUT/examples/prometheus/gotap.rules.yml"
	succeeds "$PROMETHEUS/promtool" test rules "$CHECKOUT/examples/prometheus/gotap.rules.test.yml"
	start_measured
	(umask 077; echo 0123456789abcdef0123 >"$BATS_TEST_TMPDIR/token")
	# A loopback of their own: its ports are free.
	SERVE_AS=(unshare --net sh -c 'ip link set lo up && exec "$@"' sh)
	start_serve --listen 127.0.0.1:6061 --token "$BATS_TEST_TMPDIR/token" --host node7 --watch "$TARGET" \
		--watch-budget none
	sed -e "s,/etc/gotap.token,$BATS_TEST_TMPDIR/token," -e 's/15s/5s/' -e "s,gotap.rules.yml,$CHECKOUT/examples/prometheus/&," \
		-e '1i global: {evaluation_interval: 1s}' "$CHECKOUT/examples/prometheus/prometheus.yml" >"$BATS_TEST_TMPDIR/prometheus.yml"
	succeeds "$PROMETHEUS/promtool" check config "$BATS_TEST_TMPDIR/prometheus.yml"
	nsenter -t "$SERVER" -n "$PROMETHEUS/prometheus" --config.file="$BATS_TEST_TMPDIR/prometheus.yml" --log.level=warn \
		--storage.tsdb.path="$BATS_TEST_TMPDIR/tsdb" --web.listen-address=127.0.0.1:$port >"$BATS_TEST_TMPDIR/log" 2>&1 3>&- &
	TARGETS+=" $!"
	query() {
		nsenter -t "$SERVER" -n curl -s --max-time 10 "http://127.0.0.1:$port/api/v1/query" --data-urlencode "query=$1" |
			jq -r '.data.result[0].value[1] // empty' 2>/dev/null
	}
	has_query() { truth 'work?waits=50' >/dev/null && [ -n "$(query "$1")" ]; }
	wait_for 300 has_query 'gotap_watch_records_total > 0'
	[ "$(query 'up{job="gotap"}')" = 1 ] || fail "not scraped: $(cat "$BATS_TEST_TMPDIR/log")"
	[ "$(query "gotap_process_info{pid=\"$TARGET\",process=\"measured\"}")" = 1 ]
	# a rate takes two scrapes
	wait_for 300 has_query 'gotap:sched_latency_seconds:p99 >= 0'
	# It took OpenMetrics, of which it is told by the type.
	nsenter -t "$SERVER" -n curl -sS "http://127.0.0.1:$port/api/v1/metadata?metric=gotap_gc_cycles" |
		jq -e '.data.gotap_gc_cycles[0].type == "counter"' >/dev/null || fail "the family has another name: no OpenMetrics"
	# By a name that was not given, and without the token, there is nothing.
	run_logged nsenter -t "$SERVER" -n curl -sS -w ' %{http_code}' http://127.0.0.1:6061/metrics
	contains ' 401'
	run_logged nsenter -t "$SERVER" -n curl -sS -w ' %{http_code}' -H "$(printf 'Authorization: Bearer %s' "$(cat "$BATS_TEST_TMPDIR/token")")" \
		-H 'Host: node8' http://127.0.0.1:6061/metrics
	contains ' 403'
	run_logged nsenter -t "$SERVER" -n curl -sS -o /dev/null -w ' %{http_code}' -H "Host: node7:6061" -H \
		"$(printf 'Authorization: Bearer %s' "$(cat "$BATS_TEST_TMPDIR/token")")" http://127.0.0.1:6061/metrics
	contains ' 200'
}

@test "a scrape starts no recording, and without --watch there is what costs nothing" {
	start_measured
	on_socket
	ask /metrics -f -o "$BATS_TEST_TMPDIR/text"
	grep -q "^gotap_process_goroutines{pid=\"$TARGET\",process=\"measured\",state=\"waiting\"} [1-9]" "$BATS_TEST_TMPDIR/text"
	grep -q "^gotap_watched{pid=\"$TARGET\",process=\"measured\"} 0$" "$BATS_TEST_TMPDIR/text"
	! grep -q '^gotap_sched_latency\|^gotap_watch_records' "$BATS_TEST_TMPDIR/text" || fail "it is recorded"
	[ "$(probe_count "$TARGET")" -eq 0 ]
	# What lists processes goes on: it looks at each executable once.
	[ "$(recorders | wc -l)" -eq 1 ]
	pgrep -P "$SERVER" -f '^gotap .* ps --json --again ' >/dev/null
	[ "$(awk -v pid="pid=\"$TARGET\"" '/^gotap_process_cpu_seconds_total/ && index($0, pid) { print ($2 >= 0 && $2 < 60) }' \
		"$BATS_TEST_TMPDIR/text")" = 1 ]
	run_logged ask /metrics -I
	contains ' 200 '
	refused 405 'only GET' /metrics -X POST
}

# watchers: prints the processes that record for metrics.
watchers() { pgrep -P "$SERVER" -f '^gotap .* top --json --brief '; }

# its_series PID: the metrics have numbers of a recording of it.
its_series() { TARGET=$1 is_watched; }

@test "a program that is watched by its name is found again when it restarts, and serve leaves nothing" {
	local first name=measured-$$
	start_measured
	cp "$PROG" "$BATS_TEST_TMPDIR/$name"
	first=$TARGET
	on_socket --watch "$name"
	start_target "$BATS_TEST_TMPDIR/$name" "$BATS_TEST_TMPDIR/its1"
	wait_for 40 is_watched
	! its_series "$first" || fail "another program is watched"
	first=$TARGET
	stop_target
	start_target "$BATS_TEST_TMPDIR/$name" "$BATS_TEST_TMPDIR/its2"
	wait_for 40 is_watched
	[ -z "$(TARGET=$first value_of gotap_watched)" ] || fail "the one that ended has samples"
	[ "$(ask /metrics | awk '/^gotap_watch_programs_total/ { print $2 }')" -eq 2 ]
	[ "$(ask /metrics | awk '/^gotap_watch_failures_total/ { print $2 }')" -eq 0 ]
	# The recording is killed: it is begun again, and sums go on.
	kill -KILL "$(watchers)"
	wait_for 20 grep -q "process $TARGET ($name): its recording for /metrics failed" "$SERVER_LOG"
	first=$(value_of gotap_watch_recorded_seconds_total)
	wait_for 40 has_seconds $((first + 1))
	kill "$SERVER"
	wait "$SERVER"
	no_recordings
	wait_for 20 eval '[ "$(probe_count $TARGET)" -eq 0 ]'
	target_runs
}

@test "serve that is killed leaves no recording of a program that it watches" {
	local child
	start_measured
	on_socket --watch "$TARGET"
	wait_for 20 is_watched
	child=$(watchers)
	kill -KILL "$SERVER"
	wait_for 20 eval "! kill -0 $child 2>/dev/null"
	target_runs
}

@test "a user sees the metrics of his own programs" {
	local as=(setpriv --reuid 65533 --regid 65533 --clear-groups) pid
	open_place
	chmod 711 "$BATS_TEST_TMPDIR"
	build_prog "$REFERENCE_GO" measured
	install -m 755 "$PROG" "$PLACE/measured"
	install -m 755 -o 65533 -d "$PLACE/its"
	start_target "$PLACE/measured" "$PLACE/its/root"
	pid=$TARGET
	start_target "${as[@]}" "$PLACE/measured" "$PLACE/its/own"
	SOCKET=$PLACE/gotap.sock
	start_serve --listen "unix:$SOCKET" --watch measured
	wait_for 40 is_watched
	"${as[@]}" curl -sS -f --unix-socket "$SOCKET" http://x/metrics >"$BATS_TEST_TMPDIR/text"
	grep -q "^gotap_sched_latency_seconds_count{pid=\"$TARGET\"" "$BATS_TEST_TMPDIR/text"
	! grep -q "pid=\"$pid\"" "$BATS_TEST_TMPDIR/text" || fail "root's"
	wait_for 40 its_series "$pid"
}

@test "the quota is that of the cgroup" {
	local throttled
	start_measured
	quota_group
	echo "$TARGET" >"$FOLDER/cgroup.procs"
	on_socket
	truth 'work?waits=1000' >/dev/null
	throttled=$(awk '$1 == "nr_throttled" { print $2 }' "$FOLDER/cpu.stat")
	[ "$(value_of gotap_cgroup_cpu_limit_cpus 'level="0"')" = 0.2 ]
	awk -v have="$(value_of gotap_cgroup_cpu_throttled_periods_total 'level="0"')" -v least="$throttled" \
		'BEGIN { exit !(least > 0 && have >= least && have <= least + 20) }'
	stop_target
	wait_for 20 eval '[ -z "$(cat "$FOLDER/cgroup.procs")" ]'
	rmdir "$FOLDER"
}

@test "what cannot be watched is refused, or said once" {
	local i pid many=()
	gotap serve --listen "unix:$BATS_TEST_TMPDIR/s" --watch ''
	[ "$status" -eq 2 ]
	contains '--watch takes a process id, or the name'
	for i in {1..17}; do
		many+=(--watch "x$i")
	done
	gotap serve --listen "unix:$BATS_TEST_TMPDIR/s" "${many[@]}"
	[ "$status" -eq 2 ]
	contains '--watch may be given 16 times'
	gotap serve --listen "unix:$BATS_TEST_TMPDIR/s" --host 'a b'
	[ "$status" -eq 2 ]
	contains '--host takes names of hosts'
	sleep 60 3>&- &
	pid=$!
	on_socket --watch "$pid"
	wait_for 20 grep -q "process $pid: its recording for /metrics failed: .*not a Go program" "$SERVER_LOG"
	ask /metrics -f | grep -q '^gotap_watch_failures_total [1-9]'
	kill "$pid"
}
