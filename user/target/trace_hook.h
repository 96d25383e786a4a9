/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_hook: where a function asks the runtime's own tracer whether it is on; for `--attach
 * inline`. The code tests the tracer's flag. If traceAcquire is not inlined (-N -l), there is a
 * call of traceAcquire instead of the test:
 *
 * 	if trace := traceAcquire(); trace.ok() {
 * 		cmpb	$0, trace.enabled(%rip)		<- @test
 * 		jne	1f
 * 		xor	%ebx, %ebx; xor %eax, %eax
 * 		jmp	2f
 * 	1:	call	runtime.traceAcquireEnabled	<- @call
 * 	2:	test	%rbx, %rbx			trace.ok()
 *
 * traceAcquireEnabled also returns zeroes in RAX and RBX if tracing ends meanwhile.
 */
#ifndef GOTAP_TARGET_TRACE_HOOK_H
#define GOTAP_TARGET_TRACE_HOOK_H

#include <stdint.h>

enum { HOOK_TEST_LEN = 7 };	/* bytes of the test */

struct trace_hook {
	uint64_t test;		/* 0: there is only the call */
	uint64_t flag;		/* address of the flag that @test tests */
	uint64_t call;
	const char *callee;
};

#endif
