# fish completion of gotap, as `gotap completion fish` prints it.
# SPDX-License-Identifier: Apache-2.0

# Go programs that run: their process ids, with the first word of their command lines.
function __gotap_pids
	command gotap ps 2>/dev/null | awk 'NR > 1 && $1 ~ /^[0-9]+$/ { print $1 "\t" $10 }'
end

# The last word of a list, which has commas, + and -: __gotap_list WORD...
function __gotap_list
	set -l before (string match -r '^(?:.*,)?[+-]?' -- (commandline -ct | string replace -r '^--[a-z-]+=' ''))
	printf '%s\n' $before$argv
end

function __gotap_needs_command
	test (count (commandline -opc)) -eq 1
end

# The command is $argv[1], and no program to run has begun.
function __gotap_command
	set -l words (commandline -opc)
	test (count $words) -ge 2; and test $words[2] = $argv[1]; and not contains -- -- $words
end

# What follows -- is a program with its arguments.
function __gotap_program
	contains -- -- (commandline -opc)
end

complete -c gotap -f
complete -c gotap -n __gotap_needs_command -s h -l help -d 'show the commands'
complete -c gotap -n __gotap_needs_command -s V -l version -d 'show the version'
complete -c gotap -n __gotap_program -F -a '(__fish_complete_command)'
