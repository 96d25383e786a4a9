// SPDX-License-Identifier: Apache-2.0
/*
 * no_exec_watch: preloaded into gotap, takes away the tracepoint at which the kernel side notes an exec, as on a kernel
 * that does not have it.
 */
#include "bpf_shim.h"

#include <errno.h>
#include <stdio.h>

static int shim_bpf(const struct shim_args *args, long *ret)
{
	if (args->a[0] != BPF_RAW_TRACEPOINT_OPEN)
		return 0;
	fputs("no exec tracepoint\n", stderr);
	errno = ENOENT;
	*ret = -1;
	return 1;
}
