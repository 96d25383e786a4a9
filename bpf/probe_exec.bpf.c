// SPDX-License-Identifier: GPL-2.0
/*
 * probe_exec: the instant at which the target becomes another program. The
 * tracepoint is reached with the old memory gone and before the first instruction
 * of the new program, in the context of the one thread that is left. Nothing is
 * recorded from there on: where a program execs itself, records from probes in the new
 * memory would look like records from the old memory.
 *
 * It is hit by every exec of the machine, for which it compares one number.
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
