// SPDX-License-Identifier: GPL-2.0
/*
 * probe_grpc_end: the end of a call that google.golang.org/grpc has served. It needs nothing of the
 * begin (probe_grpc.bpf.c), so that it can run inside the target.
 */
#include "annotation.h"
#include "op_kind.h"

/* The call of (*WaitGroup).Done or Add behind handleStream, in the goroutine of the stream. */
SEC("uprobe")
int GO_PROGRAM(grpc_end)(struct pt_regs *ctx)
{
	__u64 pid_tgid = current_ids();
	struct annotation a = { .kind = REC_OP_END, .flags = OP_GRPC_SERVED };

	if (!is_target(pid_tgid))
		return 0;
	a.pid_tgid = pid_tgid;
	send_room(&a, 0, 128);
	return 0;
}
