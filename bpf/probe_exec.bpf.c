// SPDX-License-Identifier: GPL-2.0
/*
 * probe_exec: the instant at which the target becomes another program. The kernel reaches the
 * tracepoint when the old memory is gone and before the first instruction of the new program, in
 * the one thread that is left. From there on no probe makes a record: in a program that execs
 * itself, records from probes in the new memory would look like records from the old memory.
 *
 * Every exec of the machine runs this program, which then compares one number.
 */
#include "emit.h"

SEC("raw_tracepoint/sched_process_exec")
int target_execed(void *ctx)
{
	if ((current_ids() >> 32) != target_tgid || exec_time)
		return 0;
	active = 0;
	threads_active = 0;
	exec_time = bpf_ktime_get_ns();
	return 0;
}
