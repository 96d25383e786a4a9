#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# deploy/systemd: the units are valid, as exposed as docs/deploy.md says, and give gotap what it needs. systemd does not run here:
# the command of a unit is run with the capabilities of the unit.

load lib/common

setup() {
	require_tool systemd-analyze setpriv python3
	ROOT=$BATS_TEST_TMPDIR/root
	succeeds make -s -C "$CHECKOUT" BUILD="$BUILD" PREFIX="$ROOT" install-units
	UNITS=$ROOT/lib/systemd/system
	mkdir -p "$ROOT/bin"
	cp "$GOTAP" "$ROOT/bin/gotap"
}
teardown() { stop_targets; }

# of UNIT KEY: the values of all lines of a key.
of() { sed -n "s/^$2=//p" "$UNITS/$1" | tr '\n' ' '; }

@test "systemd-analyze verify finds nothing in the units" {
	printf '[Service]\nExecStart=/bin/true\n' >"$UNITS/web.service"
	cp "$UNITS/gotap-flight@.service" "$UNITS/gotap-flight@web.service"
	sed -i '/^Documentation=/d' "$UNITS"/*.service	# man would have to find the pages
	for unit in gotap-serve gotap-flight@web; do
		SYSTEMD_UNIT_PATH=$UNITS: run_logged systemd-analyze verify "$UNITS/$unit.service"
		[ "$status" -eq 0 ]
		[ "$(grep -c "gotap" <<<"$output")" -eq 0 ]
	done
	sed -i 's/^ProtectSystem=/ProtectSystems=/' "$UNITS/gotap-serve.service"
	SYSTEMD_UNIT_PATH=$UNITS: run_logged systemd-analyze verify "$UNITS/gotap-serve.service"
	contains ProtectSystems
}

@test "systemd-analyze security gives the units the scores of the docs" {
	local unit score
	for unit in gotap-serve gotap-flight@; do
		run_logged systemd-analyze security --offline=true --no-pager "$UNITS/$unit.service"
		score=$(sed -n 's/.*Overall exposure level for .*: \([0-9.]*\) .*/\1/p' <<<"$output")
		[ "$(sed -n "s/^| \`$unit.service\` | \([0-9.]*\) |.*/\1/p" "$CHECKOUT/docs/deploy.md")" = "$score" ] || fail "$unit: $score"
	done
}

# set_of REGEX: the capabilities of rows of docs/deploy.md (tests/capabilities.bats).
set_of() {
	awk -F ' *[|] *' -v rows="^($1)$" '/^[|] use [|]/ { on = 1; next } on && !/^[|]/ { exit } on && $4 ~ rows { print $3 }' \
		"$CHECKOUT/docs/deploy.md" | tr ' ' '\n' | sort -u | paste -sd ' '
}

caps_of() { of "$1" CapabilityBoundingSet | tr ' ' '\n' | sed -n 's/^CAP_//p' | tr A-Z a-z | sort -u | paste -sd ' '; }

@test "the units have the capabilities of their rows" {
	[ "$(caps_of gotap-serve.service)" = "$(set_of 'serve|stacks|ps|unreadable|nobody|root')" ] || fail "$(caps_of gotap-serve.service)"
	[ "$(caps_of gotap-flight@.service)" = "$(set_of 'record|unreadable')" ] || fail "$(caps_of gotap-flight@.service)"
}

# filter_of UNIT: the system calls that it allows.
filter_of() {
	local name
	for name in $(of "$1" SystemCallFilter); do expand "$name"; done | sort -u
}

expand() {
	local name
	case $1 in
	@*) for name in $(systemd-analyze syscall-filter --no-pager "$1" | sed -n 's/^ \{4\}\([@a-z0-9_-]*\)$/\1/p'); do expand "$name"; done ;;
	*) echo "$1" ;;
	esac
}

# The calls that tests/seccomp.bats has seen; chroot and ids are of serve alone.
@test "the filters of the units have the calls that gotap makes" {
	local seen=$BATS_TEST_TMPDIR/seen
	require_tool jq
	jq -r '.syscalls[0].names[]' "$CHECKOUT/deploy/seccomp/gotap.json" | sort -u >"$seen"
	[ -z "$(comm -13 <(filter_of gotap-serve.service) "$seen")" ] || fail "$(comm -13 <(filter_of gotap-serve.service) "$seen")"
	[ "$(comm -13 <(filter_of gotap-flight@.service) "$seen")" = chroot ] || fail "$(comm -13 <(filter_of gotap-flight@.service) "$seen")"
}

# command_of UNIT: its ExecStart, an argument a line, as systemd splits it for the instance web.
command_of() {
	python3 - "$UNITS/$1" <<-'END'
		import re, shlex, sys
		text = open(sys.argv[1]).read().replace('\\\n', ' ')
		env = dict(re.findall(r'^Environment=(\w+)=(.*)$', text, re.M))
		line = re.search(r'^ExecStart=(.*)$', text, re.M).group(1)
		for word in shlex.split(line):
		    if re.fullmatch(r'\$\w+', word):
		        print('\n'.join(env.get(word[1:], '').split()), end='\n' if env.get(word[1:]) else '')
		        continue
		    word = word.replace('%i', 'web').replace('%%', '%')
		    print(re.sub(r'\$\{(\w+)\}', lambda m: env[m.group(1)], word).replace('$$', '$'))
	END
}

# with_caps_of UNIT COMMAND...: becomes the command, as root with the capabilities of the unit.
with_caps_of() {
	exec setpriv --inh-caps=-all --bounding-set="-all$(for c in $(caps_of "$1"); do printf ',+%s' "$c"; done)" "${@:2}"
}

@test "gotap-flight@web records the main process of web.service, and answers gotap snap" {
	local command
	require_root
	"$GOTAP" doctor | grep -q 'attach .*uprobe_multi:' || skip "this kernel has no uprobe_multi"
	build_prog "$REFERENCE_GO" mixed
	start_target setpriv --reuid=65534 --regid=65534 --clear-groups "$PROG" -tail 10m
	mkdir -p "$BATS_TEST_TMPDIR/bin" "$BATS_TEST_TMPDIR/state/web"
	printf '#!/bin/sh\n[ "$*" = "show --property=MainPID --value web.service" ] && echo %s\n' "$TARGET" >"$BATS_TEST_TMPDIR/bin/systemctl"
	chmod +x "$BATS_TEST_TMPDIR/bin/systemctl"
	mapfile -t command < <(command_of gotap-flight@.service | sed "s|^/var/lib/gotap/|$BATS_TEST_TMPDIR/state/|")
	(PATH=$BATS_TEST_TMPDIR/bin:$PATH with_caps_of gotap-flight@.service "${command[@]}") 3>&- &
	TARGETS+=" $!"
	wait_for 30 "$GOTAP" snap -p "$TARGET" -m slow
	views_ok "$BATS_TEST_TMPDIR"/state/web/*.trace
	kill "$!"
	wait "$!"
}

@test "gotap-serve listens where the docs say" {
	local command
	mapfile -t command < <(command_of gotap-serve.service)
	[ "${command[*]}" = "$ROOT/bin/gotap serve --listen unix:/run/gotap-serve/socket" ]
	grep -q -- '--unix-socket /run/gotap-serve/socket' "$CHECKOUT/docs/deploy.md"
}
