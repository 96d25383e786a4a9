# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# The commands of gotap, and their options, as --help shows them.

# the_commands: those that this gotap has.
the_commands() { "$GOTAP" --help | awk '/^  [a-z]+ +/ && $1 != "sudo" { print $1 }'; }

# options_of COMMAND [--long]: its options, "-p" and "--pid", each once; --long: only the second form.
options_of() {
	"$GOTAP" "$1" --help | sed -nE 's/^  (-.,|   ) (--[a-z0-9-]+).*/\1 \2/p' | tr -s ', ' '\n' | grep . |
		if [ "${2:-}" = --long ]; then grep '^--'; else cat; fi
}
