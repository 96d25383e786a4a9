// SPDX-License-Identifier: Apache-2.0
/*
 * exec_between: preloaded into gotap, makes the target ($TARGET) exec another program in
 * the moment between gotap's look at its executable and the first probe: it sends
 * SIGUSR1 and waits until the process runs another file.
 */
#include "bpf_shim.h"
#include "make_exec.h"

#include <stdint.h>

enum { LINK_CREATE_PID = 14 };	/* the word of its attributes that has the process id */

static int shim_bpf(const struct shim_args *args, long *ret)
{
	static int done;
	const char *pid = getenv("TARGET");

	if (!done && args->a[0] == BPF_LINK_CREATE && pid &&
	    ((const uint32_t *)args->a[1])[LINK_CREATE_PID] == (uint32_t)atoi(pid)) {
		done = 1;
		make_it_exec(pid);
		usleep(200000);		/* and until it has begun */
	}
	return 0;
}
