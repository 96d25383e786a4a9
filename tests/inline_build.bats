#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=beside
#
# tools/inline-check: what the build refuses of the code that --attach inline puts into programs.

load lib/common

setup() {
	WORK=$BATS_TEST_TMPDIR
	OBJECTS=("$BUILD"/bpf_inline/{stub,image,knobs}.o)
	[ -s "${OBJECTS[0]}" ] || skip 'not built here'
}

# link SOURCE: the image with one more function, extra(), into $WORK/elf.
link_extra() {
	printf '%s\n' "$1" >"$WORK/extra.c"
	gcc -O1 -w -mno-red-zone -fPIC -fvisibility=hidden -ffunction-sections -fcf-protection=none -fno-stack-protector -fomit-frame-pointer \
		-fno-asynchronous-unwind-tables -c "$WORK/extra.c" -o "$WORK/extra.o"
	ld -u extra --gc-sections --no-relax --no-undefined -static -T bpf/inline/image.lds -o "$WORK/elf" \
		"${OBJECTS[@]}" "$WORK/extra.o" 2>"$WORK/ld"
}

refused() {
	link_extra "$1"
	run tools/inline-check "$WORK/elf"
	[ "$status" -ne 0 ]
	[[ $output == *"$2"* ]] || fail "$output"
}

@test "code that keeps the rules is taken" {
	link_extra 'int extra(int x) { volatile char room[200]; room[x] = 1; return room[0]; }'
	tools/inline-check "$WORK/elf"
}

@test "vector registers, registers that are not saved, memory below the stack" {
	refused 'void extra(void) { __asm__ volatile("pxor %xmm0, %xmm0"); }' 'pxor'
	refused 'void extra(void) { __asm__ volatile("vzeroupper"); }' 'vzeroupper'
	refused 'void extra(void) { __asm__ volatile("mov $1, %r9d"); }' 'not saved: mov'
	refused 'void extra(void) { __asm__ volatile("xchg %r10, %rax"); }' 'not saved: xchg'
	refused 'void extra(void) { __asm__ volatile("inc %r14"); }' 'not saved: inc'
	refused 'void extra(void) { __asm__ volatile("mov %rax, -8(%rsp)"); }' 'below the stack: mov'
}

@test "more than a kilobyte of stack, in one function or over its calls, and a depth that nobody knows" {
	refused 'char extra(int i) { volatile char room[1100]; room[i] = 1; return room[0]; }' 'bytes of stack, more than 1024'
	refused 'static __attribute__((noinline)) int below(int i) { volatile char room[500]; room[i] = 1; return room[0]; }
		int extra(int i) { volatile char room[500]; room[i] = 1; return room[0] + below(i + 1); }' 'extra needs '
	refused 'int extra(int n) { volatile int k; if (n > 9) return 1; k = extra(n + 1); return k * 3 + n; }' 'extra calls itself'
	refused 'int extra(int (*f)(void)) { return f() + 1; }' 'extra: call'
}

@test "a stub that uses the goroutine's stack" {
	local insn
	for insn in 'push %rax' 'mov %rax, -8(%rsp)' 'call common'; do
		sed "0,/jz\tleave/s//$insn; jz leave/" bpf/inline/stub.S >"$WORK/stub.S"
		gcc -Ibpf/inline -Iinclude -c "$WORK/stub.S" -o "$WORK/stub.o"
		OBJECTS[0]=$WORK/stub.o
		refused 'int extra(void) { return 1; }' 'before the switch of stacks'
	done
}

@test "memory that can be written, and names that nobody has, do not get into the image" {
	! link_extra 'static int n; int extra(void) { return ++n; }' || fail linked
	grep -q 'writable data' "$WORK/ld"
	! link_extra 'int nowhere(void); int extra(void) { return nowhere() + 1; }' || fail linked
	grep -q nowhere "$WORK/ld"
}
