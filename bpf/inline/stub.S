/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stub: the code that the changed calls of the target lead to. There is one stub per site, and a
 * part that all share.
 *
 * At a call of a Go function (ABIInternal, Go 1.17 and later) r14 is g, the arguments are in rax,
 * rbx, rcx, rdi, rsi, r8, r9, r10 and r11, the closure is in rdx, and the code of a plugin or of
 * -dynlink may have its GOT in r15. r12, r13 and the flags are free. The stubs therefore keep the
 * site in r12, and the target's stack pointer in r13, until they jump to the original function: no
 * return address ever points into the stubs.
 *
 * The goroutine's stack is not used, as it may have no room left (nosplit functions):
 * tools/inline-check looks at the code up to the label `switched`. A goroutine's hit runs on the
 * system stack of its thread, as the runtime's own calls of the vDSO do (runtime.nanotime1). A hit
 * on the system stack or on the stack for signals runs on that stack.
 */
#define INLINE_PROGRAM(name) .globl name;
#include "inline.def"
#undef INLINE_PROGRAM

/* Offsets in the structs of include/inline.h and vmlinux.h; image.c asserts them. */
#define SITE_TARGET	0
#define SITE_FLAG	8
#define SITE_PROGRAM	16
#define SITE_SIZE	24
#define SHARED_ALIVE	8
#define SHARED_ON	12
#define OWNER_DIED	0x40000000
#define INLINE_SITES	512

/*
 * The last four bytes of the instruction before: the offset of a field in a struct of the runtime,
 * which gotap fills in (user/inline/x86/image.c).
 */
#define OFFSET(name) .globl stub_##name; stub_##name = . - 4

	.text
	.globl	stubs
	.balign	64
stubs:
	.set	i, 0
	.rept	INLINE_SITES
	lea	sites + i * SITE_SIZE(%rip), %r12
	jmp	common
	.balign	16, 0xcc
	.set	i, i + 1
	.endr

	.balign	64
common:
	mov	control(%rip), %r13
	test	%r13, %r13
	jz	leave
	testl	$OWNER_DIED, SHARED_ALIVE(%r13)
	jnz	leave
	cmpl	$0, SHARED_ALIVE(%r13)
	je	leave
	cmpl	$0, SHARED_ON(%r13)
	je	leave
	mov	0x7fffffff(%r14), %r13
	OFFSET(g_m)
	cmp	%r14, 0x7fffffff(%r13)
	OFFSET(m_curg)
	jne	stay
	mov	0x7fffffff(%r13), %r13
	OFFSET(m_g0)
	mov	0x7fffffff(%r13), %r13
	OFFSET(g_sched_sp)
	xchg	%rsp, %r13
switched:
	push	%r12
	push	%r13
	push	%r15
	push	%rbp
	push	%r8
	push	%rdi
	push	%rsi
	push	%rdx
	push	%rcx
	push	%rbx
	push	%rax
	mov	control(%rip), %r15
	test	%r15, %r15
	jz	restore
	mov	SITE_PROGRAM(%r12), %eax
	xor	%r12d, %r12d
	lea	programs(%rip), %rcx
	movslq	(%rcx, %rax, 4), %rax
	add	%rcx, %rax
	mov	%rsp, %rdi
	call	*%rax
restore:
	pop	%rax
	pop	%rbx
	pop	%rcx
	pop	%rdx
	pop	%rsi
	pop	%rdi
	pop	%r8
	pop	%rbp
	pop	%r15
	pop	%r13
	pop	%r12
	mov	%r13, %rsp
leave:
	cmpq	$0, SITE_FLAG(%r12)
	jne	hook
	jmp	*SITE_TARGET(%r12)
stay:
	mov	%rsp, %r13
	jmp	switched

/*
 * A call of traceAcquireEnabled, which the target only reaches because gotap has the hook test
 * another flag. If trace.enabled itself is set, the stub goes on to the call; if not, it returns a
 * traceLocker that is not ok.
 */
hook:
	mov	SITE_FLAG(%r12), %r13
	cmpb	$0, (%r13)
	je	1f
	jmp	*SITE_TARGET(%r12)
1:	xor	%eax, %eax
	xor	%ebx, %ebx
	ret

none:
	ret

	.section .rodata
	.balign	4
programs:
	.long	none - programs
#define INLINE_PROGRAM(name) .long name - programs;
#include "inline.def"
#undef INLINE_PROGRAM

/* Never 0: the flag that the target's trace hook tests in place of trace.enabled. */
	.globl	true_byte
true_byte:
	.byte	1

	.section .sites, "a"
	.balign	64
	.globl	sites
sites:
	.zero	INLINE_SITES * SITE_SIZE

	.section .note.GNU-stack, "", @progbits
