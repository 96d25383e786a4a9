#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=beside
#
# make install and make uninstall.

load lib/common
load lib/commands

setup() { ROOT=$BATS_TEST_TMPDIR/root; }

# installs TARGET: below $ROOT/usr.
installs() { succeeds make -s -C "$CHECKOUT" BUILD="$BUILD" DESTDIR="$ROOT" PREFIX=/usr "$1"; }

@test "make install installs gotap, the library, manual pages, completions and pages, and uninstall takes all away" {
	local command
	installs install
	cd "$ROOT/usr"
	succeeds bin/gotap --version
	[ -s share/man/man1/gotap.1 ]
	for command in $(the_commands); do [ -s "share/man/man1/gotap-$command.1" ] || fail "$command"; done
	[ -z "$(find share/man -type f ! -name 'gotap*.1')" ]
	cmp share/bash-completion/completions/gotap <("$GOTAP" completion bash)
	cmp share/zsh/site-functions/_gotap <("$GOTAP" completion zsh)
	cmp share/fish/vendor_completions.d/gotap.fish <("$GOTAP" completion fish)
	[ -s lib/libgotap.so ]
	diff <(cd "$CHECKOUT/deploy/systemd" && ls) <(ls lib/systemd/system)
	diff <(cd "$CHECKOUT/docs" && ls) <(ls share/doc/gotap/docs)
	cd "$CHECKOUT"
	installs uninstall
	[ -z "$(find "$ROOT" ! -type d)" ] || fail "left: $(find "$ROOT" ! -type d)"
}

@test "man finds an installed page by its name" {
	local page
	require_tool man
	installs install-man
	for page in gotap gotap-record; do
		[ "$(MANPATH=$ROOT/usr/share/man man -w $page)" = "$ROOT/usr/share/man/man1/$page.1" ]
	done
}

@test "the links of installed pages lead somewhere" {
	installs install-doc
	python3 - "$ROOT/usr/share/doc/gotap" <<-'END'
	import os, re, sys
	missing = []
	for folder, _, names in os.walk(sys.argv[1]):
	    for name in names:
	        if name.endswith('.md'):
	            text = open(os.path.join(folder, name), encoding='utf-8').read()
	            for link in re.findall(r'\]\(([^)#:]+)(?:#[^)]*)?\)', text):
	                if not os.path.exists(os.path.join(folder, link)):
	                    missing.append((name, link))
	sys.exit(f'{missing}' if missing else 0)
	END
}
