#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Well-known Go programs of Debian's, stripped, of several releases, under a load on loopback that two CPUs bear: each
# trace is valid, nothing in it is lost or repaired, and stacks have the application's own functions. make test has some
# of each release, make soak the others.

load lib/common
load lib/record

setup() {
	require_root
	require_tool curl unshare nsenter ip
	oracle "$REFERENCE_GO"
	T=$BATS_TEST_TMPDIR
	export HOME=$T XDG_CACHE_HOME=$T/cache
}

teardown() { stop_targets; }

# real NAME: sets $PROG to a program of tools/real-programs.txt.
real() {
	local row libs
	row=$("$CHECKOUT/tools/real-programs" "$1" 2>"$T/fetch.log") || skip "$1 cannot be had: $(tail -n 1 "$T/fetch.log")"
	read -r _ PROG libs <<<"$row"
	[ "$libs" = - ] || export LD_LIBRARY_PATH=$libs
}

# serve URL ARGUMENT...: runs $PROG as $TARGET, until the URL (and curl's options before it) answers. The server has a
# loopback of its own: its ports are free, whatever runs on this machine.
serve() {
	local url
	read -ra url <<<"$1"
	shift
	# shellcheck disable=SC2016
	unshare --net sh -c 'ip link set lo up && exec "$@"' sh "$PROG" "$@" >"$T/out" 2>&1 3>&- &
	TARGET=$!
	TARGETS="${TARGETS:-} $TARGET"
	wait_for 60 answers "${url[@]}" || fail "$(tail -n 5 "$T/out")"
}

answers() { nsenter -t "$TARGET" --net curl -s -m 120 -o /dev/null "$@"; }

# times N COMMAND...
times() {
	local i
	for ((i = 0; i < $1; i++)); do
		"${@:2}" || return
	done
}

# flawless RELEASE FUNCTION: the last recording, of a program of that release, has this function in its stacks.
flawless() {
	[[ $(reported go_version) == go$1.* ]]
	[ "$(reported lost)$(reported repairs_total)" = 00 ]
	views_ok "$T/a.trace"
	"$ORACLE/check" -stacks "$T/a.trace" >"$T/stacks"
	grep -qF "$2" "$T/stacks" || fail "no function of $2"
	explain "Go $(reported go_version): $(reported records) records"
}

# recorded_under COMMAND...: records $TARGET until the load has ended.
recorded_under() {
	start_record "$T/a.trace" -p "$TARGET"
	"$@" || fail "no load: $*"
	stop_record
	[ "$status" -eq 0 ]
}

@test "consul (1.15) as an agent" {
	real consul
	serve http://127.0.0.1:18500/v1/status/leader agent -dev -bind 127.0.0.1 -http-port 18500 -grpc-port -1 -dns-port -1 \
		-serf-lan-port 18501 -serf-wan-port 18502 -server-port 18503
	recorded_under times 30 answers http://127.0.0.1:18500/v1/agent/self
	flawless 1.15 github.com/hashicorp/consul/
}

caddy() {
	mkdir "$T/files"
	head -c 20000 /dev/urandom >"$T/files/a"
	real "caddy-$1"
	serve http://127.0.0.1:18601/a file-server --listen 127.0.0.1:18601 --root "$T/files"
	recorded_under times 60 answers http://127.0.0.1:18601/a
	flawless "$1" github.com/caddyserver/caddy/v2
}

# for releases 1.19 1.24 1.26 (soak-only 1.24 1.26):
#	@test "caddy (%) as a file server" { caddy %; }
@test "caddy (1.19) as a file server" { caddy 1.19; }
# bats test_tags=soak-only
@test "caddy (1.24) as a file server" { caddy 1.24; }
# bats test_tags=soak-only
@test "caddy (1.26) as a file server" { caddy 1.26; }
# end of releases

@test "gojq (1.21) from start to end" {
	real gojq
	# Not --strict: up to Go 1.23 a goroutine that is created right before the exit may have no number yet.
	record "$T/a.trace" -- "$PROG" -n '[range(20000)] | add' >"$T/out"
	[ "$status" -eq 0 ] || fail "$(cat "$T/out")"
	[ "$(reported goroutines_unnamed)" -le 1 ]
	grep -qx 199990000 "$T/out"
	flawless 1.21 github.com/itchyny/gojq
}

# bats test_tags=soak-only
@test "hugo (1.22) as a server" {
	real hugo
	mkdir -p "$T/site/content" "$T/site/layouts/_default"
	echo 'title = "x"' >"$T/site/hugo.toml"
	echo hello >"$T/site/content/a.md"
	echo '<html>{{.Title}}</html>' | tee "$T/site/layouts/_default/single.html" >"$T/site/layouts/_default/list.html"
	serve http://127.0.0.1:18602/ server -s "$T/site" --bind 127.0.0.1 -p 18602
	recorded_under times 60 answers http://127.0.0.1:18602/a/
	flawless 1.22 github.com/gohugoio/hugo/
}

# bats test_tags=soak-only
@test "rclone (1.23) serving files" {
	real rclone
	mkdir "$T/files"
	head -c 100000 /dev/urandom >"$T/files/a"
	serve http://127.0.0.1:18603/ serve http "$T/files" --addr 127.0.0.1:18603
	recorded_under times 40 answers http://127.0.0.1:18603/a
	flawless 1.23 github.com/rclone/rclone/
}

@test "gh (1.23) from start to end" {
	real gh
	recorded "$T/a.trace" -- "$PROG" help reference >"$T/out"
	grep -q 'gh pr create' "$T/out"
	flawless 1.23 github.com/cli/cli/v2
}

# bats test_tags=soak-only
@test "nats-server (1.24)" {
	real nats-server
	serve http://127.0.0.1:18605/varz -a 127.0.0.1 -p 18604 -m 18605
	recorded_under times 40 answers http://127.0.0.1:18605/varz
	flawless 1.24 github.com/nats-io/nats-server/server
}

# bats test_tags=soak-only
@test "etcd (1.24)" {
	real etcd
	serve http://127.0.0.1:18606/version --data-dir "$T/data" --listen-client-urls http://127.0.0.1:18606 \
		--advertise-client-urls http://127.0.0.1:18606 --listen-peer-urls http://127.0.0.1:18607
	recorded_under times 30 answers http://127.0.0.1:18606/v3/kv/put -d '{"key": "YQ==", "value": "Yg=="}'
	flawless 1.24 go.etcd.io/etcd/server/
}

# bats test_tags=soak-only
@test "victoria-metrics (1.24)" {
	real victoria
	serve http://127.0.0.1:18608/metrics -storageDataPath "$T/data" -httpListenAddr 127.0.0.1:18608
	recorded_under times 30 answers http://127.0.0.1:18608/metrics
	flawless 1.24 github.com/VictoriaMetrics/VictoriaMetrics/
}

@test "fzf (1.24) as a filter" {
	real fzf
	recorded "$T/a.trace" -- "$PROG" --filter 4711 < <(seq 30000) >"$T/out"
	grep -qx 4711 "$T/out"
	flawless 1.24 github.com/junegunn/fzf/
}

# bats test_tags=soak-only
@test "prometheus-node-exporter (1.26)" {
	real node-exporter
	serve http://127.0.0.1:18609/ --web.listen-address 127.0.0.1:18609
	recorded_under times 5 answers http://127.0.0.1:18609/metrics
	flawless 1.26 github.com/prometheus/node_exporter/collector
}

# bats test_tags=soak-only
@test "docker-registry (1.26)" {
	real docker-registry
	printf 'version: 0.1\nstorage: {filesystem: {rootdirectory: %s}}\nhttp: {addr: 127.0.0.1:18610}\n' "$T/registry" \
		>"$T/config.yml"
	serve http://127.0.0.1:18610/v2/ serve "$T/config.yml"
	recorded_under times 40 answers http://127.0.0.1:18610/v2/_catalog
	flawless 1.26 github.com/docker/distribution/
}

# bats test_tags=soak-only
@test "restic (1.26) making a backup" {
	real restic
	mkdir "$T/files"
	head -c 8000000 /dev/urandom >"$T/files/a"
	export RESTIC_PASSWORD=x
	succeeds "$PROG" init -r "$T/repo"
	recorded "$T/a.trace" -- "$PROG" backup -r "$T/repo" "$T/files" >"$T/out"
	flawless 1.26 github.com/restic/restic/
}

@test "prometheus (1.27) under queries" {
	real prometheus
	cat >"$T/prometheus.yml" <<-END
		global: {scrape_interval: 1s}
		scrape_configs: [{job_name: self, static_configs: [{targets: ['127.0.0.1:18611']}]}]
	END
	serve http://127.0.0.1:18611/-/ready --config.file="$T/prometheus.yml" --storage.tsdb.path="$T/tsdb" \
		--web.listen-address=127.0.0.1:18611
	recorded_under times 40 answers 'http://127.0.0.1:18611/api/v1/query?query=up'
	flawless 1.27 github.com/prometheus/prometheus/
}

# It starts a containerd of its own below its exec root, which ends with it.
# bats test_tags=soak-only
@test "dockerd (1.27)" {
	real dockerd
	require_tool containerd
	serve "--unix-socket $T/socket http://localhost/_ping" --iptables=false --ip6tables=false --bridge=none \
		--userland-proxy=false --storage-driver vfs --data-root "$T/data" --exec-root "$T/exec" -p "$T/pid" \
		-H "unix://$T/socket"
	recorded_under times 20 answers --unix-socket "$T/socket" http://localhost/info
	flawless 1.27 github.com/docker/docker/
}

@test "age-keygen (1.27) from start to end" {
	real age-keygen
	recorded "$T/a.trace" -- "$PROG" -o "$T/key"
	grep -q AGE-SECRET-KEY "$T/key"
	flawless 1.27 main.
}
