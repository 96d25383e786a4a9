#compdef gotap
# zsh completion of gotap, as `gotap completion zsh` prints it.
# SPDX-License-Identifier: Apache-2.0

# Go programs that run: their process ids, with the first word of their command lines.
_gotap_pids() {
	local -a pids
	pids=(${(f)"$(command gotap ps 2>/dev/null | awk 'NR > 1 && $1 ~ /^[0-9]+$/ { print $1 ":" $10 }')"})
	_describe 'process of a Go program' pids
}

# The last word of a list, which has commas, + and -: _gotap_list WORD...
_gotap_list() {
	compset -P '*,'
	compset -P '[+-]'
	compadd -S '' -- "$@"
}

_gotap_command() {
	_describe 'command' _gotap_commands
}

_gotap_program() {
	_command_names -e || _files
}

_gotap() {
	local curcontext=$curcontext state line
	typeset -A opt_args
	_arguments -C '(-)'{-h,--help}'[show the commands]' '(-)'{-V,--version}'[show the version]' \
		'1: :_gotap_command' '*:: :->arguments'
	[[ $state == arguments ]] || return
	curcontext=${curcontext%:*}-$words[1]:
	_gotap_options $words[1]
}

