// SPDX-License-Identifier: GPL-2.0
/*
 * image: the code that `--attach inline` puts into the target. stub.S calls the programs that
 * inline.def lists, compiled from the same sources as the BPF programs. The linker makes one flat
 * piece of memory of them (image.lds), without a writable byte. gotap sets the constants in it
 * before it writes it to the target.
 */
#include "common.h"
#include "emit.h"
#include "stack_walk.h"
#include "deep.h"

#include "probe_go.bpf.c"
#include "probe_proc.bpf.c"
#include "probe_syscall.bpf.c"
#include "probe_assist.bpf.c"
#include "probe_heap.bpf.c"
#include "probe_user.bpf.c"
#include "probe_http.bpf.c"
#include "probe_grpc_end.bpf.c"
#include "probe_http_route.bpf.c"

/* stub.S has these offsets as numbers. */
_Static_assert(offsetof(struct inline_site, target) == 0 &&
		       offsetof(struct inline_site, flag) == 8 &&
		       offsetof(struct inline_site, program) == 16 &&
		       sizeof(struct inline_site) == 24,
	       "struct inline_site");
_Static_assert(offsetof(struct inline_shared, alive) == 8 &&
		       offsetof(struct inline_shared, on) == 12 &&
		       INLINE_OWNER_DIED == 0x40000000 && INLINE_SITES == 512,
	       "struct inline_shared");
_Static_assert(offsetof(struct inline_control, shared) == 0 && INLINE_NONE == 0,
	       "include/inline.h");
_Static_assert(offsetof(struct pt_regs, sp) == 9 * 8 && offsetof(struct pt_regs, site) == 10 * 8 &&
	       sizeof(struct pt_regs) == 11 * 8, "struct pt_regs");

/*
 * Knobs that have one value for all inline code. knobs.c has the others, in a file of its own, so
 * that the compiler does not see their values.
 */
const __u32 at_calls = ~0U;
const bool at_status_calls = true;
const __u32 exitsyscall_p_reg = EXITSYSCALL_P_OF_M;
