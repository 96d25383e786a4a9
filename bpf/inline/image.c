// SPDX-License-Identifier: GPL-2.0
/*
 * image: the code that `--attach inline` puts into the target: the programs of bpf/ that inline.def lists,
 * from the same sources as the BPF programs, for stub.S to call. It is linked to a flat piece of memory
 * (image.lds) without a writable byte, and gotap sets its constants before it writes it.
 */
#include "common.h"
#include "emit.h"
#include "stack_walk.h"

#include "probe_go.bpf.c"
#include "probe_proc.bpf.c"
#include "probe_syscall.bpf.c"
#include "probe_assist.bpf.c"
#include "probe_heap.bpf.c"
#include "probe_user.bpf.c"

/* Knobs that do not vary here. knobs.c has the others, where the compiler does not see their values. */
const __u32 at_calls = ~0U;
const bool at_status_calls = true;
const __u32 exitsyscall_p_reg = EXITSYSCALL_P_OF_M;

__attribute__((cold, noinline)) int count_unreadable(void)
{
	struct ring_state *s = ring_of_cpu();

	if (s)
		__sync_fetch_and_add(&s->unreadable, 1);
	return 0;
}
