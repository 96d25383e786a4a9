# bash completion of gotap, as `gotap completion bash` prints it.
# SPDX-License-Identifier: Apache-2.0

# Sets COMPREPLY to those WORDs that begin with PREFIX: _gotap_words PREFIX WORD...
_gotap_words() {
	mapfile -t COMPREPLY < <(compgen -W "${*:2}" -- "$1")
}

# Go programs that run: their process ids.
_gotap_pids() {
	command gotap ps 2>/dev/null | awk 'NR > 1 && $1 ~ /^[0-9]+$/ { print $1 }'
}

# The last word of a list, which has commas, + and -: _gotap_list CUR WORD...
_gotap_list() {
	local before= last=$1
	case $last in *,*) before=${last%,*}, last=${last##*,} ;; esac
	case $last in [+-]*) before+=${last:0:1} last=${last:1} ;; esac
	_gotap_words "$last" "${@:2}"
	COMPREPLY=("${COMPREPLY[@]/#/$before}")
	compopt -o nospace 2>/dev/null
}

# Completes CUR, of which WHAT is a word of _gotap_options: _gotap_what WHAT CUR
_gotap_what() {
	case $1 in
	file) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$2") ;;
	dir) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$2") ;;
	pid) _gotap_words "$2" "$(_gotap_pids)" ;;
	list:*) local words=${1#list:}; _gotap_list "$2" "${words//,/ }" ;;
	command) _gotap_words "$2" "$_gotap_commands" ;;
	program) mapfile -t COMPREPLY < <(compgen -c -f -- "$2") ;;
	words:*) local words=${1#words:}; _gotap_words "$2" "${words//,/ }" ;;
	esac
}

# What the argument of option $1 is, of the lines of _gotap_options in $2: nothing if it has none.
_gotap_argument() {
	local line
	while read -r line; do
		[[ $line != "$1="* ]] || { printf '%s\n' "${line#*=}"; return; }
	done <<<"$2"
}

# The program that `gotap record` runs begins at word $1.
_gotap_program() {
	if declare -F _command_offset >/dev/null; then
		_command_offset "$1"
	elif [ "$1" -eq "$COMP_CWORD" ]; then
		_gotap_what program "${COMP_WORDS[COMP_CWORD]}"
	else
		_gotap_what file "${COMP_WORDS[COMP_CWORD]}"
	fi
}

_gotap() {
	local cur=${COMP_WORDS[COMP_CWORD]} word argument= i options operand
	COMPREPLY=()
	if [ "$COMP_CWORD" -eq 1 ]; then
		_gotap_words "$cur" "$_gotap_commands help --help --version"
		return
	fi
	[ "${COMP_WORDS[1]}" != help ] || { _gotap_what command "$cur"; return; }
	options=$(_gotap_options "${COMP_WORDS[1]}")
	operand=$(_gotap_operand "${COMP_WORDS[1]}")
	for ((i = 2; i < COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		if [ -n "$argument" ]; then
			[ "$word" = = ] || argument=
		elif [ "$word" = -- ] && [ "$operand" = program ]; then
			_gotap_program $((i + 1))
			return
		elif [[ $word == -* ]]; then
			argument=$(_gotap_argument "$word" "$options")
		elif [ "$operand" = program ]; then
			_gotap_program "$i"
			return
		fi
	done
	[ "$cur" != = ] || cur=
	if [ -n "$argument" ]; then
		_gotap_what "$argument" "$cur"
	elif [[ $cur == -* ]]; then
		_gotap_words "$cur" "$(sed 's/=.*//' <<<"$options")"
	else
		_gotap_what "$operand" "$cur"
	fi
}

complete -F _gotap gotap

