# SPDX-License-Identifier: Apache-2.0
#
# Flight recordings that ask their peers: hosts of their own, each with a network, a name and a /run (namespaces), joined
# by a bridge.

load lib/common

setup() {
	require_root
	require_tool ip nsenter unshare jq curl
	build_prog "$REFERENCE_GO" measured
	T=$BATS_TEST_TMPDIR
	(umask 077; echo 0123456789abcdef0123 >"$T/token"; echo another-token-of-20-bytes >"$T/wrong")
	TARGETS= HOLDERS= NODES=()
}

teardown() {
	stop_targets
	local pid
	for pid in $HOLDERS; do kill -KILL "$pid" 2>/dev/null && wait "$pid" 2>/dev/null || true; done
}

# hold NAME COMMAND: namespaces of that name's own; sets $HOLDER to a process in them.
hold() {
	unshare --net --mount --uts sh -c "hostname $1 && mount -t tmpfs -o mode=755 none /run && ip link set lo up && $2 &&
		echo ready && exec sleep 600" >"$T/$1.ready" 2>&1 3>&- &
	HOLDER=$!
	HOLDERS+=" $HOLDER"
	wait_for 20 grep -q ready "$T/$1.ready"
}

# hosts N: makes the hosts node1 to nodeN, with addresses 10.99.0.1 and so on.
hosts() {
	local i switch
	hold switch 'ip link add br0 type bridge && ip link set br0 up'
	switch=$HOLDER
	for ((i = 1; i <= $1; i++)); do
		hold "node$i" true
		NODES[i]=$HOLDER
		nsenter -t "$switch" -n ip link add "port$i" type veth peer name eth0 netns "$HOLDER" || skip "no veth here"
		nsenter -t "$switch" -n ip link set "port$i" master br0 up
		on "$i" ip addr add "10.99.0.$i/24" dev eth0
		on "$i" ip link set eth0 up
	done
}

# on I COMMAND...: runs it on nodeI.
on() { nsenter -t "${NODES[$1]}" -n -m -u "${@:2}"; }

# program I: starts a program on nodeI; its pid is ${PROGRAM[I]}, and `works I WHAT` lets it do something.
program() {
	start_target "$PROG" "$T/its$1"
	PROGRAM[$1]=$TARGET
}

works() { curl -sS -f --max-time 30 --unix-socket "$T/its$1" "http://x/work?$2" >/dev/null; }

# serves I [TOKEN FILE]: starts gotap serve on nodeI.
serves() {
	nsenter -t "${NODES[$1]}" -n -m -u "$GOTAP" serve --listen "10.99.0.$1:6061" --public --token "${2:-$T/token}" >"$T/serve$1" 2>&1 3>&- &
	TARGETS+=" $!"
	wait_for 20 grep -q 'listens on' "$T/serve$1"
}

# flies I OPTION...: starts a flight recording on nodeI, with snapshots in $T/nodeI/.
flies() {
	local token=()
	mkdir -p "$T/node$1"
	[[ " $* " != *' --peers '* ]] || token=(--peer-token "$T/token")
	nsenter -t "${NODES[$1]}" -n -m -u "$GOTAP" record -p "${PROGRAM[$1]}" --flight 10s -o "$T/node$1/%n.trace" "${token[@]}" --json "${@:2}" \
		>"$T/flight$1" 2>&1 3>&- &
	FLIGHT[$1]=$!
	TARGETS+=" $!"
	wait_for 20 listens "$1"
}

listens() { on "$1" sh -c 'ls /run/gotap/flight-* >/dev/null 2>&1'; }

url() { echo "http://10.99.0.$1:6061"; }

# snapshots I: how many nodeI has.
snapshots() { find "$T/node$1" -name '*.trace.json' | wc -l; }
has_snapshots() { [ "$(snapshots "$1")" -ge "$2" ]; }

# fact I FILTER: of the first snapshot of nodeI.
fact() { jq -r "$2" "$T/node$1/1.trace.json"; }

# incident I ID [ARGUMENT]: asks for a snapshot of nodeI, as a peer does.
incident() {
	on "$1" curl -sS -X POST -H "Authorization: Bearer $(cat "$T/token")" \
		"$(url "$1")/debug/flight/snap?id=$2&hops=0&from=tester&reason=slow${3:-}"
}

@test "a trigger on one host makes a snapshot on its peers, of the same time and with the same id" {
	local i id apart from
	hosts 3
	for i in 1 2 3; do program "$i"; serves "$i"; done
	flies 2 --peers "$(url 3)"
	flies 3 --peers "$(url 2)"
	flies 1 --on gc --peers "$(url 2),$(url 3)"
	sleep 1.5
	works 1 gc=1
	for i in 1 2 3; do wait_for 20 has_snapshots "$i" 1; done
	id=$(fact 1 .trigger.id)
	[[ $id =~ ^[0-9a-f]{32}$ ]]
	[ "$(fact 1 '.trigger.name, .trigger.from')" = $'gc\nnull' ]
	for i in 2 3; do
		[ "$(fact "$i" .trigger.id)" = "$id" ]
		# 2 may have asked 3 before 1 did, or the reverse.
		[ "$(fact "$i" .trigger.name)" = peer ]
		from=$(fact "$i" .trigger.from)
		[[ $(fact "$i" .trigger.what) == "$from asks ($id): "*"gc: "* ]] || fail "its sentence: $(fact "$i" .trigger.what)"
		succeeds "$GOTAP" check "$T/node$i/1.trace"
		"$GOTAP" text --events "$T/node$i/1.trace" | grep -q "snapshot: peer: $from asks ($id)"
		# By the same clock (UTC): within the time that a request takes, and with the seconds before.
		apart=$(jq -rn --arg a "$(fact 1 .trigger.time)" --arg b "$(fact "$i" .trigger.time)" \
			'def s: sub("\\.[0-9]*Z$"; "Z") | fromdate; ($a | s) - ($b | s) | fabs')
		[ "${apart%.*}" -le 3 ] || fail "$apart s apart"
		jq -e '.window.duration_s >= 1' "$T/node$i/1.trace.json" >/dev/null
	done
	[[ $(fact 2 .trigger.from) == node1 || $(fact 3 .trigger.from) == node1 ]]
	# Though 2 and 3 are peers of one another, each has one.
	sleep 1
	[ "$(snapshots 1) $(snapshots 2) $(snapshots 3)" = "1 1 1" ]
	kill "${FLIGHT[1]}"
	wait_for 20 eval "! target_runs ${FLIGHT[1]}"
	tail -n 1 "$T/flight1" | jq -e '.flight.peers | .requests == 2 and .snapshots >= 1 and .failed == 0' >/dev/null ||
		fail "the report: $(tail -n 1 "$T/flight1")"
}

@test "three hosts in a circle make one each, and hops end a line" {
	local i
	hosts 3
	for i in 1 2 3; do program "$i"; serves "$i"; done
	flies 1 --peers "$(url 2)" --cooldown 0 --on gc
	flies 2 --peers "$(url 3)" --cooldown 0
	flies 3 --peers "$(url 1)" --cooldown 0
	works 1 gc=1
	for i in 1 2 3; do wait_for 20 has_snapshots "$i" 1; done
	sleep 2
	[ "$(snapshots 1) $(snapshots 2) $(snapshots 3)" = "1 1 1" ]
	[ "$(fact 3 .trigger.from)" = node2 ]
	[ "$(fact 3 .trigger.id)" = "$(fact 1 .trigger.id)" ]
	# Asked with no hop left, 2 does not ask 3; a user may ask for a snapshot of all.
	incident 2 other | jq -e '.recordings == 1 and .taken == 1' >/dev/null
	wait_for 20 has_snapshots 2 2
	sleep 1
	[ "$(snapshots 3)" -eq 1 ]
	succeeds on 3 "$GOTAP" snap -p "${PROGRAM[3]}" --peers -m 'all of you'
	for i in 1 3; do wait_for 20 has_snapshots "$i" 2; done
	wait_for 20 has_snapshots 2 3
	succeeds on 3 "$GOTAP" snap -p "${PROGRAM[3]}" -m 'only you'
	sleep 1
	[ "$(snapshots 1) $(snapshots 2) $(snapshots 3)" = "2 3 3" ]
}

@test "a dead peer, a wrong token and one without a recording are said, and delay nobody" {
	local began took
	hosts 4
	program 1
	program 2
	program 3
	serves 2
	serves 3 "$T/wrong"
	serves 4
	flies 2
	flies 3
	# Nobody has 10.99.0.99, nobody listens on port 1.
	flies 1 --on gc --peers "http://10.99.0.99:6061,http://10.99.0.2:1,$(url 3),$(url 4),$(url 2)"
	began=${EPOCHREALTIME/./}
	works 1 gc=1
	wait_for 20 has_snapshots 1 1
	wait_for 20 has_snapshots 2 1
	took=$(((${EPOCHREALTIME/./} - began) / 1000))
	[ "$(jq -rn --arg a "$(fact 1 .trigger.time)" --arg b "$(fact 2 .trigger.time)" \
		'def s: sub("\\.[0-9]*Z$"; "Z") | fromdate; ($b | s) - ($a | s)')" -lt 3 ] || fail "delayed: $took ms"
	[ "$(snapshots 3)" -eq 0 ]
	wait_for 20 grep -q 'a peer was not asked for a snapshot: cannot connect to http://10.99.0.99:6061' "$T/flight1"
	grep -q 'a peer was not asked for a snapshot: cannot connect to http://10.99.0.2:1: Connection refused' "$T/flight1"
	grep -q 'a peer was not asked for a snapshot: http://10.99.0.3:6061 refused with status 401' "$T/flight1"
	grep -q 'a peer was not asked for a snapshot: http://10.99.0.4:6061 has no flight recording' "$T/flight1"
	! grep -q 0123456789abcdef0123 "$T/flight1" || fail "the token is shown"
	target_runs "${PROGRAM[1]}"
}

@test "an id that was seen, the cooldown and the limits of the disk hold for peers" {
	local i
	hosts 1
	program 1
	serves 1
	flies 1 --cooldown 1h
	incident 1 one | jq -e '.recordings == 1 and .taken == 1 and .answers[0].answer == "taken"' >/dev/null
	incident 1 one | jq -e '.recordings == 1 and .taken == 0 and .answers[0].answer == "seen"' >/dev/null
	incident 1 two "&pid=${PROGRAM[1]}" | jq -e '.taken == 0 and .answers[0].answer == "cooldown"' >/dev/null
	wait_for 20 has_snapshots 1 1
	kill "${FLIGHT[1]}"
	wait_for 20 eval "! target_runs ${FLIGHT[1]}"
	run_logged incident 1 three
	[ "$(jq .recordings <<<"$output")" = 0 ]
	rm -r "$T/node1"
	flies 1 --cooldown 0 --keep 2
	for i in a b c d e; do
		incident 1 "$i" | jq -e '.taken == 1' >/dev/null
		sleep 0.3
	done
	wait_for 20 test -e "$T/node1/5.trace.json"
	wait_for 20 eval '[ "$(snapshots 1)" -eq 2 ]'
	# What is no request of a peer makes none.
	run_logged on 1 curl -sS -w ' %{http_code}' -H "Authorization: Bearer $(cat "$T/token")" "$(url 1)/debug/flight/snap?id=x&from=y"
	contains ' 405'
	run_logged on 1 curl -sS -w ' %{http_code}' -X POST "$(url 1)/debug/flight/snap?id=x&from=y"
	contains ' 401'
	run_logged incident 1 'a%0ab'
	contains 'invalid value for "id"'
	run_logged incident 1 x '&hops=9'
	contains 'invalid value for "hops"'
	run_logged on 1 curl -sS -X POST -H "Authorization: Bearer $(cat "$T/token")" "$(url 1)/debug/flight/snap?id=x"
	contains '"id" and "from" are needed'
	wait_for 20 eval '[ "$(snapshots 1)" -eq 2 ]'
}

@test "wrong peers are refused before anything is recorded" {
	local wrong
	while read -r wrong; do
		# shellcheck disable=SC2086
		gotap record $wrong -p $$
		[ "$status" -ne 0 ]
		[ ${#lines[@]} -eq 1 ] || fail "not one line"
		[[ $output != *'not a Go program'* ]]
	done <<-END
		--peers http://h
		--flight 5s --peer-token $T/token
		--flight 5s --peers https://h
		--flight 5s --peers http://h:0
		--flight 5s --peers ,
		--flight 5s --peers http://h --peer-token $T/none
	END
}
