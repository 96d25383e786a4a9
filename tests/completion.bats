#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=beside
#
# `gotap completion`: bash, zsh and fish take what it prints, and complete with it what --help shows; `gotap manual`:
# mandoc and man take each page, and it has what --help shows.

load lib/common
load lib/commands

setup_file() {
	local shell
	load lib/common
	load lib/commands
	for shell in bash zsh fish; do "$GOTAP" completion $shell >"$BATS_FILE_TMPDIR/gotap.$shell"; done
	the_commands >"$BATS_FILE_TMPDIR/commands"
	export ZCOMPDUMP=$BATS_FILE_TMPDIR/zcompdump
	mkdir "$BATS_FILE_TMPDIR/man"
	for command in $(the_commands); do
		"$GOTAP" manual "$command" >"$BATS_FILE_TMPDIR/man/gotap-$command.1"
	done
	"$GOTAP" manual >"$BATS_FILE_TMPDIR/man/gotap.1"
}

setup() {
	cd "$BATS_TEST_TMPDIR"
	PATH=$(dirname "$GOTAP"):$PATH		# completions ask the gotap of PATH for processes
}

teardown() { stop_targets; }

# offered SHELL LINE: what the shell completes at the end of LINE, a match a line, without descriptions.
offered() {
	case $1 in
	fish) fish --no-config -c 'source $argv[1]; complete -C "$argv[2]"' "$BATS_FILE_TMPDIR/gotap.fish" "$2" |
		cut -f 1 | sort -u ;;
	*) timeout 60 "$BATS_TEST_DIRNAME/completion/$1-complete" "$BATS_FILE_TMPDIR/gotap.$1" "$2" ;;
	esac
}

# same_words LIST WHAT: standard input has the words of LIST, a word a line.
same_words() { diff <(tr ' ' '\n' <<<"$1" | sort -u) <(sort -u) || fail "$2"; }

# completes SHELL LINE WORD...: the shell offers these words and no other.
completes() { offered "$1" "$2" | same_words "${*:3}" "$1: $2"; }

# accepts SHELL: it takes the script, offers all commands, and for each all options that --help shows.
accepts() {
	local command
	require_tool "$1"
	"$1" -n "$BATS_FILE_TMPDIR/gotap.$1"
	offered "$1" "gotap " | grep '^[a-z]' | same_words "$(cat "$BATS_FILE_TMPDIR/commands") help" "$1: commands"
	for command in $(cat "$BATS_FILE_TMPDIR/commands"); do
		offered "$1" "gotap $command -" | same_words "$(options_of "$command")" "$1: options of $command"
	done
}

# lines SHELL: lines of all kinds.
lines() {
	local line option
	require_tool "$1"
	: >trace.out
	: >other.txt
	mkdir folder
	completes "$1" "gotap rep" report
	completes "$1" "gotap help st" stacks
	completes "$1" "gotap manual conv" convert
	completes "$1" "gotap completion " bash zsh fish
	completes "$1" "gotap report tr" trace.out
	completes "$1" "gotap doctor oth" other.txt
	completes "$1" "gotap record -o tra" trace.out
	completes "$1" "gotap record --symbols " auto dwarf pclntab
	completes "$1" "gotap record --attach inl" inline
	completes "$1" "gotap record -e gc,+he" gc,+heap
	completes "$1" "gotap record -e labels,lin" labels,linux
	completes "$1" "gotap text --events --kind GoBlock,UserL" GoBlock,UserLog
}

@test "bash takes the completion, which has all commands and all options of --help" { accepts bash; }
@test "zsh takes the completion, which has all commands and all options of --help" { accepts zsh; }
@test "fish takes the completion, which has all commands and all options of --help" { accepts fish; }
@test "bash completes lines" { lines bash; completes bash "gotap record --attach=inl" inline; }
@test "zsh completes lines" { lines zsh; completes zsh "gotap record --attach=inl" --attach=inline; }
@test "fish completes lines" { lines fish; completes fish "gotap record --attach=inl" --attach=inline; }

# has_words COMMAND OPTION WORDS: the option takes each of these words, and names no other when it takes none.
has_words() {
	local word
	for word in ${3//,/ }; do succeeds "$GOTAP" "$1" "$2" "$word" --help; done
	gotap "$1" "$2" nonsense
	[ "$status" -eq 2 ]
	[[ $2 == --*budget ]] && return		# it takes any percentage as well
	sed -E 's/.*takes //; s/;.*//; s/ or /, /; s/label:KEY, //; s/,//g' <<<"$output" |
		tr ' ' '\n' | same_words "${3//,/ }" "$1 $2"
}

@test "the words of an argument are those that its option takes" {
	local command options option n=0
	while read -r command options; do
		for option in $options; do
			[[ $option == --*=words:* ]] || continue
			has_words "${command%)}" "${option%%=*}" "${option#*=words:}"
			n=$((n + 1))
		done
	done < <(sed -n '/^_gotap_options/,/^}/p' "$BATS_FILE_TMPDIR/gotap.bash" | grep printf)
	[ "$n" -ge 8 ]
}

@test "the words of a list are those that its option takes: all groups, and all events and kinds" {
	local words word
	words=$(sed -n 's/.* --events=list:\([^ ]*\).*/\1/p' "$BATS_FILE_TMPDIR/gotap.bash" | sort -u)
	"$GOTAP" events | awk 'NR > 1 && /^[a-z]/ { print $1 }' | same_words "$(tr ',' ' ' <<<"${words/all,/}")" groups
	succeeds "$GOTAP" record -e "$words" --help
	words=$(sed -n 's/.* --kind=list:\([^ ]*\).*/\1/p' "$BATS_FILE_TMPDIR/gotap.bash")
	succeeds "$GOTAP" text --events --kind "$words" --help
	for word in GoStart Sync CPUSample StateTransition RangeBegin Metric; do [[ ,$words, == *,$word,* ]]; done
}

@test "-p has the Go programs that run, and a shell as operand is not one" {
	local shell
	build_prog "$REFERENCE_GO" mixed
	start_target "$PROG" -delay 10m
	for shell in bash zsh fish; do
		require_tool $shell
		offered $shell "gotap record -p " >pids
		grep -qx "$TARGET" pids || fail "$shell: no $TARGET"
		! grep -qx "$$" pids || fail "$shell: $$ is a bash"
	done
}

@test "what follows -- is a program, of which gotap knows no options" {
	printf '#!/bin/sh\n' >serve-this
	chmod +x serve-this
	for shell in bash zsh fish; do
		require_tool $shell
		offered $shell "gotap record -o x -- ./serve-th" | grep -Eqx "(./)?serve-this"
		offered $shell "gotap record -o x -- ./serve-this --budg" >found
		! grep budget found || fail "$shell"
	done
}

@test "zsh takes the completion as a file of fpath, too" {
	require_tool zsh
	cp "$BATS_FILE_TMPDIR/gotap.zsh" _gotap
	zsh -fc 'fpath=($PWD $fpath); autoload -Uz compinit; compinit -u -D; [[ $_comps[gotap] == _gotap ]]'
}

# --- the manual ----------------------------------------------------------------------------------

@test "mandoc and man take each page without a warning" {
	local page
	require_tool mandoc man
	succeeds mandoc -T lint -W warning "$BATS_FILE_TMPDIR"/man/*.1
	for page in "$BATS_FILE_TMPDIR"/man/*.1; do
		LC_ALL=C.UTF-8 man --warnings=w -l "$page" 2>&1 >/dev/null | tee warnings
		[ ! -s warnings ]
	done
}

# text_of PAGE: as it is read.
text_of() { mandoc -T ascii "$BATS_FILE_TMPDIR/man/$1.1" | col -bx; }

@test "the page of a command has its options and all words of --help" {
	local command
	require_tool mandoc col
	for command in $(cat "$BATS_FILE_TMPDIR/commands"); do
		text_of "gotap-$command" >page
		sed -nE 's/^ {7}(-.), (--[a-z0-9-]+).*/\1 \2/p; s/^ {7}(--[a-z0-9-]+).*/\1/p' page | tr ' ' '\n' |
			same_words "$(options_of "$command")" "gotap-$command(1)"
		"$GOTAP" "$command" --help | sed 's/^usage: //' | tr -d '`' | tr -s ' \n' '\n\n' | grep . >words
		tr -s ' \n' '\n\n' <page | grep . >has
		# Each word of --help, in the same order, is in the page.
		diff words has | grep '^<' >missing || continue
		fail "gotap-$command(1) lacks: $(cat missing)"
	done
}

@test "the page of gotap has each command with its text" {
	local command
	text_of gotap | tr -s ' \n' '  ' >page
	"$GOTAP" --help | sed -nE '/^  [a-z]+ /{/sudo/d; s/^  ([a-z]+) +/\1 /p}' | tr -d '`' >rows
	[ "$(wc -l <rows)" -eq "$(wc -l <"$BATS_FILE_TMPDIR/commands")" ]
	while read -r command help; do
		grep -qF "gotap-$command(1) $help" page || fail "gotap(1) lacks: $command $help"
	done <rows
}

# The lines below EXAMPLES of a page, as a shell would take them.
examples_of() { text_of "$1" | sed -n '/^EXAMPLES/,/^SEE ALSO/p' | sed -nE 's/^ {11}(gotap .*)/\1/p'; }

@test "the parser of a command takes the examples of its page" {
	local page line n=0
	for page in "$BATS_FILE_TMPDIR"/man/*.1; do
		while read -r line; do
			line=${line%% [|>]*}
			eval "set -- ${line/ -- / --help -- }"
			[[ $line == *" -- "* ]] || set -- "$@" --help
			succeeds "$GOTAP" "${@:2}"
			n=$((n + 1))
		done < <(examples_of "$(basename "$page" .1)")
	done
	[ "$n" -ge 20 ]
}

@test "wrong usage of manual and completion" {
	gotap manual nonsense
	[ "$status" -eq 2 ]
	contains "there is no command 'nonsense'"
	gotap completion ksh
	[ "$status" -eq 2 ]
	contains "takes bash, zsh or fish, not 'ksh'"
	gotap completion
	[ "$status" -eq 2 ]
}
