#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# No output of gotap overwrites a file that the same command reads, or its other output, under any name of that file.
# The commands are those of `gotap --help`: a new one needs rows here.

load lib/common
load lib/commands

# The files that commands read, made once: a trace with its file of threads, the raw records, the text, the program.
setup_file() {
	load lib/common
	require_root
	build_prog "$REFERENCE_GO" mixed
	cp "$PROG" "$BATS_FILE_TMPDIR/program"
	start_target "$PROG" -delay 10m
	"$GOTAP" record -q -p "$TARGET" -d 300ms -e +linux -o "$BATS_FILE_TMPDIR/trace" --spool "$BATS_FILE_TMPDIR/spool"
	stop_targets
	"$GOTAP" convert "$BATS_FILE_TMPDIR/trace" -o "$BATS_FILE_TMPDIR/other"
	"$GOTAP" text "$BATS_FILE_TMPDIR/trace" -o "$BATS_FILE_TMPDIR/text"
	[ -s "$BATS_FILE_TMPDIR/trace.threads" ]
}

setup() {
	require_root
	HERE=$BATS_TEST_TMPDIR/here
}

teardown() { stop_targets; }

# Rows: the arguments of one call each. V:FILE is the file that is read and must stay as it is, O the output that is
# that file; without O it is standard output. V=FILE: the same, and FILE is read without being named. I:FILE is
# another input, N an output of another name.
rows_of() {
	case $1 in
	record)
		echo "-o O -- V:program"
		echo "-o N --spool O -- V:program"
		echo "-o N --perfetto O -- V:program"
		echo "-o O --tables N -- V:program"
		echo "--btf V:trace -o O -- true"
		;;
	assemble)
		echo "V:spool -o O"
		echo "V:spool --perfetto O"
		echo "V:spool -o N --perfetto O"
		echo "I:spool --binary V:program -o O"
		;;
	records) echo "V:spool" ;;
	report)
		echo "V:trace -o O"
		echo "V:trace"
		echo "V:trace --html O"
		echo "V:trace -o N --html O"
		echo "I:other V:trace -o O"
		echo "I:trace V=trace.threads --html O"
		echo "I:trace V=trace.threads -o O"
		;;
	text)
		echo "V:trace -o O"
		echo "V:trace --events -o O"
		echo "V:trace --events"
		echo "I:trace --binary V:program -o O"
		;;
	wire) echo "V:text -o O" ;;
	check)
		echo "V:trace"
		echo "I:other V:trace"
		;;
	convert)
		echo "V:trace -o O"
		echo "V:trace --format go1.21 -o O"
		;;
	diff)
		echo "-o O V:trace I:other"
		echo "-o O I:other V:trace"
		;;
	pprof)
		echo "-t wall V:trace -o O"
		echo "-t wall I:other V:trace -o O"
		echo "-t wall --folded I:other V:trace -o O"
		;;
	why)
		echo "V:trace -o O"
		echo "V:trace --func main.main -o O"
		echo "I:trace V=trace.threads -o O"
		;;
	whatif)
		echo "V:trace -o O"
		echo "V:trace --json --no-gc -o O"
		;;
	requests)
		echo "V:trace -o O"
		echo "V:trace --json --slowest 2 -o O"
		echo "V:trace --otlp O"
		;;
	perfetto)
		echo "V:trace -o O"
		echo "I:trace V=trace.threads -o O"
		;;
	tables)
		echo "V:trace -o N"
		echo "I:other V:trace -q -o N"
		;;
	doctor) echo "V:program" ;;
	core) ;;			# as heap
	heap) ;;			# it reads no file, and has no other output
	snap) ;;			# a test of its own below
	mcp) ;;	# it reads traces of its folder, and writes under names that no file there has
	func) ;;	# it writes what it has recorded itself, or to standard output
	top | ps | stacks | serve | events | schema | manual | completion) ;;	# they read no file that is named
	*) fail "tests/overwrite.bats has no rows for gotap $1" ;;
	esac
}


# ways_of ROW: how the output can be the file that is read.
ways_of() {
	case " $1 " in
	*" O "*) echo path dotted symlink hardlink appended standard ;;
	*) echo appended ;;
	esac
}

# call COMMAND WAY ROW: runs it in $HERE on copies of the files. Sets $VICTIM to the file that must stay.
call() {
	local command=$1 way=$2 word out into=/dev/null
	local -a args=()
	rm -rf "$HERE"
	mkdir "$HERE"
	cp -p "$BATS_FILE_TMPDIR"/{trace,trace.threads,other,spool,text,program} "$HERE/"
	VICTIM=$(grep -o 'V[:=][a-z.]*' <<<"$3")
	VICTIM=${VICTIM#V?}
	case $way in
	path) out=$VICTIM ;;
	dotted) out=../here/./$VICTIM ;;
	symlink) ln -s "$VICTIM" "$HERE/link" && out=link ;;
	hardlink) ln "$HERE/$VICTIM" "$HERE/link" && out=link ;;
	appended) out=- into=$VICTIM ;;
	standard) out=/dev/stdout into=$VICTIM ;;
	esac
	for word in $3; do
		case $word in
		V:program) args+=(./program) ;;
		V:* | I:*) args+=("${word#??}") ;;
		V=*) ;;
		O) args+=("$out") ;;
		N) args+=(new) ;;
		*) args+=("$word") ;;
		esac
	done
	cd "$HERE"
	run_logged bash -c 'into=$1; shift; exec "$@" 2>&1 >>"$into"' - "$into" "$GOTAP" "$command" "${args[@]}"
	cd "$OLDPWD"
}

@test "no command overwrites a file that it reads, under any name of that file" {
	local command row way rows=0
	for command in $(the_commands); do
		rows_of "$command" >"$BATS_TEST_TMPDIR/rows" || fail "$(cat "$BATS_TEST_TMPDIR/rows")"
		while read -r row; do
			for way in $(ways_of "$row"); do
				call "$command" "$way" "$row" </dev/null
				[ "$status" -ne 0 ] || fail "gotap $command $row ($way) did not fail"
				# Linux itself does not run a program that is open for writing.
				matches "is input and output|cannot run '.*': Text file busy|--spool takes a file"
				cmp "$HERE/$VICTIM" "$BATS_FILE_TMPDIR/$VICTIM"
				[ -z "$(find "$HERE" -name '*.partial*')" ] || fail "something is left: $(ls "$HERE")"
			done
			rows=$((rows + 1))
		done <"$BATS_TEST_TMPDIR/rows"
	done
	[ "$rows" -ge 30 ]
}

@test "standard input is a file, too" {
	local row
	for row in "assemble - -o spool:spool" "records -:spool" "text - -o trace:trace" "wire - -o text:text" \
		   "check -:trace" "convert - -o trace:trace" "report - -o trace:trace" "report - --html trace:trace" \
		   "diff - other -o trace:trace" "pprof -t wall - -o trace:trace" "why - -o trace:trace" \
		   "whatif - -o trace:trace" "requests - -o trace:trace" "func - main.main:trace" \
		   "perfetto - -o trace:trace" "tables - -o folder:trace"; do
		rm -rf "$HERE"
		mkdir "$HERE"
		cp "$BATS_FILE_TMPDIR"/{trace,other,spool,text} "$HERE/"
		cd "$HERE"
		# shellcheck disable=SC2086
		run_logged bash -c 'file=$1; shift; exec "$@" <"$file" 2>&1 >>"$file"' - "${row#*:}" "$GOTAP" ${row%:*}
		cd "$OLDPWD"
		[ "$status" -ne 0 ]
		contains "is input and output"
		cmp "$HERE/${row#*:}" "$BATS_FILE_TMPDIR/${row#*:}"
	done
}

@test "no two outputs of a command are the same file" {
	local row
	for row in "record -o x --spool x -- ./program" "record -o x --perfetto x -- ./program" \
		   "record -o x --spool y --perfetto y -- ./program" "record -o x --spool link -- ./program" \
		   "record -o x --spool x.partial -- ./program" "record -o x.partial --spool x -- ./program" \
		   "record -e +linux -o x --spool x.threads -- ./program" "record -o - --perfetto - -- ./program" \
		   "record -o /dev/stdout --perfetto - -- ./program" "assemble spool -o x --perfetto x" \
		   "assemble spool -o x --perfetto link" "report trace -o x --html x" "report trace -o link --html x" \
		   "report trace -o /dev/stdout --html /dev/stdout"; do
		rm -rf "$HERE"
		mkdir "$HERE"
		cp "$BATS_FILE_TMPDIR"/{trace,spool,program} "$HERE/"
		ln -s x "$HERE/link"
		cd "$HERE"
		# shellcheck disable=SC2086
		run_logged bash -c 'exec "$@" 2>&1 >out' - "$GOTAP" $row
		cd "$OLDPWD"
		[ "$status" -ne 0 ]
		contains "two outputs are the same file"
		[ ! -e "$HERE/x" ]
		[ ! -s "$HERE/out" ]
		[ -z "$(find "$HERE" -name '*.partial*')" ]
	done
}

@test "assemble keeps a file of threads that it reads, which would be that beside its trace" {
	mkdir "$HERE"
	cp "$BATS_FILE_TMPDIR/trace.threads" "$BATS_FILE_TMPDIR/program" "$HERE/"
	gotap assemble "$HERE/trace.threads" --binary "$HERE/program" -o "$HERE/trace"
	[ "$status" -eq 1 ]
	contains "is input, and the file of threads beside the output"
	cmp "$HERE/trace.threads" "$BATS_FILE_TMPDIR/trace.threads"
	[ ! -e "$HERE/trace" ]
}

@test "snap does not copy a snapshot over itself" {
	build_prog "$REFERENCE_GO" mixed
	mkdir "$HERE"
	start_target "$PROG" -delay 10m
	"$GOTAP" record -q --flight 1s -p "$TARGET" -o "$HERE/snap.%n.trace" 3>&- &
	TARGETS+=" $!"
	wait_for 60 "$GOTAP" snap -p "$TARGET" 2>/dev/null
	cp "$HERE/snap.1.trace" "$HERE/copy"
	gotap snap -p "$TARGET" -o "$HERE/snap.2.trace"
	[ "$status" -eq 1 ]
	contains "is input and output"
	succeeds "$GOTAP" check "$HERE/snap.2.trace"
	cmp "$HERE/snap.1.trace" "$HERE/copy"
}

@test "what is read and written may be a device, and a new output may be read again" {
	cd "$BATS_TEST_TMPDIR"
	succeeds "$GOTAP" record -o fresh --report -- "$BATS_FILE_TMPDIR/program" -delay 0s
	succeeds "$GOTAP" report "$BATS_FILE_TMPDIR/trace" -o /dev/null --html /dev/null
	succeeds bash -c "'$GOTAP' report '$BATS_FILE_TMPDIR/trace' -o other >other"
	succeeds "$GOTAP" report "$BATS_FILE_TMPDIR/trace" -o other --html page
}
