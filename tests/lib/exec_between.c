// SPDX-License-Identifier: Apache-2.0
/*
 * exec_between: preloaded into gotap, makes the target ($TARGET) exec another program in
 * the moment between gotap's look at its executable and the first probe: it sends
 * SIGUSR1 and waits until the process runs another file.
 */
#include "bpf_shim.h"

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINK_CREATE_PID = 14 };	/* the word of its attributes that has the process id */

static void read_exe(const char *pid, char ret[512])
{
	char path[64];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%s/exe", pid);
	n = readlink(path, ret, 511);
	ret[n < 0 ? 0 : n] = 0;
}

static void make_it_exec(const char *pid)
{
	char before[512], now[512];

	read_exe(pid, before);
	kill(atoi(pid), SIGUSR1);
	do {
		usleep(1000);
		read_exe(pid, now);
	} while (!strcmp(before, now));
	usleep(200000);		/* and until it has begun */
}

static int shim_bpf(const struct shim_args *args, long *ret)
{
	static int done;
	const char *pid = getenv("TARGET");

	if (!done && args->a[0] == BPF_LINK_CREATE && pid &&
	    ((const uint32_t *)args->a[1])[LINK_CREATE_PID] == (uint32_t)atoi(pid)) {
		done = 1;
		make_it_exec(pid);
	}
	return 0;
}
