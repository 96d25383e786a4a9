#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=beside
#
# deploy/kubernetes: the manifests obey the schemas of Kubernetes' own API, and kubectl-gotap, the plugin, asks the gotap of the
# pod's node. There is no cluster here: a kubectl that stands in for one says what it was asked, and runs what it was to exec.

load lib/common

FILES=$CHECKOUT/deploy/kubernetes

setup() {
	PATH=$BATS_TEST_TMPDIR/bin:$FILES:$PATH
	mkdir "$BATS_TEST_TMPDIR/bin"
	cd "$BATS_TEST_TMPDIR"
	# kubectl: pod shop/cart is on node-1, where gotap-abc is; shop/lost is on node-2, without one; shop/new is on none.
	cat >bin/kubectl <<-'END'
		#!/bin/bash
		printf '%s|' "$@" >>asked
		echo >>asked
		case "$*" in
		"get pod none"*) echo 'Error from server (NotFound): pods "none" not found' >&2; exit 1 ;;
		*"get pod cart"*.spec.nodeName*) printf 'node-1 7c1e5b3a-9d8f-4a2b-b1c0-d9e8f7a6b5c4' ;;
		*"get pod lost"*.spec.nodeName*) printf 'node-2 8c1e5b3a-9d8f-4a2b-b1c0-d9e8f7a6b5c4' ;;
		*"get pod new"*.spec.nodeName*) printf ' 9c1e5b3a-9d8f-4a2b-b1c0-d9e8f7a6b5c4' ;;
		*'containerStatuses[?(@.name=="app")]'*) printf 'containerd://d0c4e5' ;;
		*containerStatuses*) ;;
		*.spec.containers*) printf 'app sidecar' ;;
		*"get pods"*spec.nodeName=node-1,*) printf 'gotap-abc gotap-old' ;;
		*"get pods"*) ;;
		*exec*)
			while [ "$1" != -- ]; do shift; done
			shift
			exec ./"${1##*/}" "${@:2}" ;;
		esac
	END
	cat >gotap <<-'END'
		#!/bin/bash
		echo "gotap $*" >>ran
		[ "$1" != stacks ] || exit 7
		printf 'go 1.26 trace\0\0\0'
	END
	chmod +x bin/kubectl gotap
}

plugin() { run_logged kubectl-gotap "$@"; }

@test "kubectl gotap POD: a trace of five seconds, by the gotap of the pod's node" {
	plugin cart
	[ "$status" -eq 0 ]
	[ "$(cat ran)" = "gotap record --container 7c1e5b3a-9d8f-4a2b-b1c0-d9e8f7a6b5c4 -d 5s -o -" ]
	[ "$(sed -n 3p asked)" = "exec|--namespace=gotap|gotap-abc|-c|gotap|--|/usr/bin/gotap|record|--container|7c1e5b3a-9d8f-4a2b-b1c0-d9e8f7a6b5c4|-d|5s|-o|-|" ]
	cmp cart.trace <(printf 'go 1.26 trace\0\0\0')
	[ ! -e cart.trace.part ]
}

@test "namespaces, contexts, a container, a file, options of gotap" {
	plugin -n shop --context prod --kubeconfig=/k --gotap-namespace tools pod/cart record -d 200ms -c app -e +linux -o x.out --ring-size 4M
	[ "$status" -eq 0 ]
	[ "$(cat ran)" = "gotap record --container d0c4e5 -d 200ms -e +linux --ring-size 4M -o -" ]
	[ "$(grep -c '^--context=prod|--kubeconfig=/k|' asked)" -eq 4 ]
	[ "$(grep -c 'get|pod|cart|--namespace=shop|' asked)" -eq 2 ]
	grep -q 'exec|--namespace=tools|gotap-abc|' asked
	cmp x.out <(printf 'go 1.26 trace\0\0\0')
}

@test "the trace to stdout; other commands, with their exit status" {
	kubectl-gotap cart -o - >out
	cmp out <(printf 'go 1.26 trace\0\0\0')
	[ ! -e cart.trace ]
	plugin cart stacks --func main.
	[ "$status" -eq 7 ]
	[ "$(tail -n 1 ran)" = "gotap stacks --container 7c1e5b3a-9d8f-4a2b-b1c0-d9e8f7a6b5c4 --func main." ]
	plugin cart top -e +linux
	[ "$status" -eq 0 ]
	tail -n 1 asked | grep -q 'gotap-abc|-c|gotap|-i|-t|--|/usr/bin/gotap|top|'
}

@test "what cannot be asked is one error, and leaves no file" {
	plugin none
	[ "$status" -eq 1 ]
	contains "not found"
	plugin lost
	[ "$status" -eq 1 ]
	contains "no gotap runs on node node-2"
	plugin new
	[ "$status" -eq 1 ]
	contains "pod new is on no node yet"
	plugin cart -c db
	[ "$status" -eq 1 ]
	contains "no container 'db' that runs: it has app sidecar"
	printf '#!/bin/sh\nprintf half\nexit 1\n' >gotap
	plugin cart
	[ "$status" -eq 1 ]
	[ -z "$(ls ./*.trace*)" ]
}

@test "wrong usage: one line, status 2" {
	local args
	for args in "" "cart -p 3" "cart heap" "cart stacks -o x" "-d 5s cart" "cart -n" "cart --follow"; do
		plugin $args
		[ "$status" -eq 2 ]
		[ "${#lines[@]}" -eq 1 ]
	done
	plugin --help
	[ "$status" -eq 0 ]
	[ ! -e asked ]
}

# Fields that the API does not have are faults, too.
@test "the manifests obey the schemas of the API of Kubernetes" {
	require_tool node npm python3
	alone schemas fetch_schemas >"$BATS_TEST_TMPDIR/npm" 2>&1 || skip "no schemas: $(tail -n 1 "$BATS_TEST_TMPDIR/npm")"
	python3 -c '
import json, sys, yaml
json.dump([d for f in sys.argv[1:] for d in yaml.safe_load_all(open(f))], sys.stdout)' "$FILES"/*.yaml >all.json
	succeeds node "$CHECKOUT/tests/lib/kubernetes_schemas.mjs" "$BUILD/npm/kubernetes" all.json
	matches '^DaemonSet gotap: ok$'
	matches '^RoleBinding gotap-user: ok$'
	[ "${#lines[@]}" -eq 5 ]
	sed 's/"hostPID"/"hostPid"/; s/"runAsUser": 0/"runAsUser": "root"/' all.json >wrong.json
	run_logged node "$CHECKOUT/tests/lib/kubernetes_schemas.mjs" "$BUILD/npm/kubernetes" wrong.json
	[ "$status" -eq 1 ]
	contains "hostPid"
	contains "runAsUser"
}

fetch_schemas() {
	[ ! -e "$BUILD/npm/kubernetes/done" ] || return 0
	npm install --silent --no-save --no-audit --no-fund --prefix "$BUILD/npm/kubernetes" kubernetes-models@5.1.0 &&
		touch "$BUILD/npm/kubernetes/done"
}
