#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# --btf FILE: gotap where the kernel shows no types of its own (/sys/kernel/btf is hidden in a mount namespace): with a whole file,
# with a minimal one, and with files that are no such thing.

load lib/common

setup() {
	require_root
	[ -r /sys/kernel/btf/vmlinux ] || skip "this kernel has no BTF"
	cd "$BATS_TEST_TMPDIR"
	cp /sys/kernel/btf/vmlinux full.btf
}
teardown() { stop_targets; }

# Only where no process of gotap holds them: one of each test.
started() {
	build_prog "$REFERENCE_GO" mixed
	start_target "$PROG" -tail 10m
}

# hidden COMMAND...: becomes the command, without /sys/kernel/btf.
hidden() { exec unshare --mount sh -c 'mount -t tmpfs tmpfs /sys/kernel/btf && exec "$@"' - "$@"; }

# minimal [KERNEL_BTF]: min.btf, by `make min-btf`.
minimal() {
	succeeds make -s -C "$CHECKOUT" BUILD="$BUILD" ${1:+"KERNEL_BTF=$1"} min-btf
	cp "$BUILD/min.btf" min.btf
}

# types C: types.btf, raw BTF of these types.
types() {
	printf '%s\nstruct task_struct *used;\n' "$1" >types.c
	clang -g -O2 -target bpf -c types.c -o types.o
	python3 - <<-'END'
		import struct
		elf = open('types.o', 'rb').read()
		at, = struct.unpack_from('<Q', elf, 40)
		size, count, names = struct.unpack_from('<HHH', elf, 58)
		section = lambda i: struct.unpack_from('<IIQQQQ', elf, at + i * size)
		strings = section(names)[4]
		for i in range(count):
		    name, _, _, _, offset, length = section(i)
		    if elf[strings + name:].startswith(b'.BTF\0'):
		        open('types.btf', 'wb').write(elf[offset:offset + length])
	END
}

@test "without BTF: the error and doctor say how to get a file" {
	started
	run_logged hidden "$GOTAP" record -p "$TARGET" -d 100ms -o x.out
	[ "$status" -eq 1 ]
	[ "${#lines[@]}" -eq 1 ]
	contains "give a file of this kernel's with --btf, from BTFHub or pahole (docs/kernels.md)"
	[ ! -e x.out ]
	run_logged hidden "$GOTAP" doctor
	[ "$status" -eq 1 ]
	matches '^  FAIL  BTF '
	contains "with --btf"
	for word in bpftool BTFHub pahole; do grep -q "$word" "$CHECKOUT/docs/kernels.md"; done
}

@test "with the whole file, with an ELF file that has it, and with 2 kB of it" {
	local file
	require_tool gcc objcopy
	started
	minimal
	explain "minimal BTF: $(stat -c %s min.btf) bytes, of $(stat -c %s full.btf)"
	[ "$(stat -c %s min.btf)" -lt 10000 ]
	echo 'int x;' >elf.c
	gcc -c elf.c -o elf.o
	objcopy --add-section .BTF=full.btf elf.o
	for file in full.btf elf.o min.btf; do
		succeeds hidden "$GOTAP" record --btf $file --cpu-samples 100 --budget none -p "$TARGET" -d 300ms -o x.out
		contains "lost: 0, repairs: 0"
		views_ok x.out
		[ "$(count_of x.out StackSample)" -gt 0 ]
		succeeds hidden "$GOTAP" doctor --btf $file -p "$TARGET"
		matches "^  ok    BTF +of the file $file$"
	done
	succeeds hidden "$GOTAP" record --btf min.btf --attach perf -p "$TARGET" -d 100ms -o x.out
	succeeds "$GOTAP" doctor
	matches '^  ok    BTF +the kernel describes its types \(/sys/kernel/btf/vmlinux\)$'
}

@test "top and serve, and a launched program" {
	started
	minimal
	succeeds hidden "$GOTAP" top --btf min.btf --json -n 1 -i 200ms -p "$TARGET"
	succeeds hidden "$GOTAP" record --btf min.btf -o x.out "$PROG" -dur 100ms -tail 0s
	views_ok x.out
	"$GOTAP" serve --help | grep -q libmicrohttpd && return
	hidden "$GOTAP" serve -q --btf min.btf --listen "unix:$BATS_TEST_TMPDIR/s" 3>&- &
	TARGETS+=" $!"
	wait_for 30 test -S s
	succeeds curl -sS --fail-with-body --unix-socket s "http://x/debug/pprof/trace?pid=$TARGET&seconds=0.2" -o x.out
	views_ok x.out
}

# The kernel must know the types of their tracepoints itself.
@test "group linux and --follow need the kernel's own, and say so" {
	started
	minimal
	run_logged hidden "$GOTAP" record --btf min.btf -e +linux -p "$TARGET" -d 100ms -o x.out
	[ "$status" -eq 1 ]
	contains "group linux needs the kernel's own BTF"
	run_logged hidden "$GOTAP" record --btf min.btf --follow -p "$TARGET" -d 100ms -o x.%n.out
	[ "$status" -eq 1 ]
	contains "following processes needs the kernel's own BTF"
	succeeds "$GOTAP" record --btf min.btf -e +linux -p "$TARGET" -d 100ms -o x.out
}

# refused TEXT FILE: by one line of doctor and one of record, before anything else happens.
refused() {
	run_logged "$GOTAP" doctor --btf "$2"
	[ "$status" -eq 1 ]
	contains "$1" || return
	run_logged timeout 20 "$GOTAP" record --btf "$2" -d 100ms -o x.out -p "$TARGET"
	[ "$status" -eq 1 ]
	[ "${#lines[@]}" -eq 1 ]
	contains "$1" || return
	[ ! -e x.out ]
}

@test "files that are no BTF, damaged, packed, of another architecture, kernel or program: one error" {
	require_tool clang xz gzip
	started
	refused "cannot open --btf nothing: No such file" nothing
	refused "is not a regular file" .
	mkfifo fifo
	refused "is not a regular file" fifo
	: >empty
	refused "is neither BTF nor an ELF file" empty
	echo hello >text
	refused "is neither BTF nor an ELF file" text
	refused "has no section .BTF" /bin/true
	xz -k -0 -c full.btf >packed
	refused "is compressed by xz" packed
	gzip -1 -c full.btf >packed
	refused "is compressed by gzip" packed
	head -c 1000000 full.btf >cut
	refused "is damaged" cut
	(printf '\353\237'; tail -c +3 full.btf) >turned
	refused "with the other order of bytes" turned
	types 'struct thread_struct { long cpu_context; }; struct task_struct { void *stack; struct thread_struct thread; };'
	refused "is of another architecture: this gotap is for x86-64" types.btf
	types 'struct thread_struct { long fsbase; }; struct task_struct { long before; void *stack; struct thread_struct thread; };'
	refused "is of another kernel than the one that runs: task_struct.stack is at byte 8, and here at" types.btf
	types 'struct task_struct { int tgid; };'
	refused "has no struct task_struct with a field stack: it is of no kernel, or was made minimal for other programs" types.btf
	cp /bin/true arm
	printf '\267\0' | dd of=arm bs=1 seek=18 conv=notrunc status=none
	refused "is of another architecture" arm
}

# Whatever bytes are changed: an error, or a recording; no crash, and no time.
@test "a damaged file never ends gotap otherwise than with an error" {
	local i
	started
	minimal
	soak_seed
	for ((i = 0; i < 30; i++)); do
		cp min.btf bad.btf
		printf "\\x$(printf %x $((RANDOM % 256)))\\x$(printf %x $((RANDOM % 256)))" |
			dd of=bad.btf bs=1 seek=$((RANDOM % $(stat -c %s min.btf))) conv=notrunc status=none
		run timeout 10 "$GOTAP" doctor --btf bad.btf -p "$TARGET"
		[ "$status" -le 1 ] || fail "status $status: $output"
	done
}
