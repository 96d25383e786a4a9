// SPDX-License-Identifier: Apache-2.0
/*
 * no_exec_watch: preloaded into gotap, takes away the tracepoint at which the kernel side notes an exec, as on a kernel
 * that does not have it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/syscall.h>

long syscall(long n, ...)
{
	static long (*next)(long, ...);
	long a[6];
	va_list ap;
	int i;

	va_start(ap, n);
	for (i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "syscall");
	if (n == SYS_bpf && a[0] == BPF_RAW_TRACEPOINT_OPEN) {
		fputs("no exec tracepoint\n", stderr);
		errno = ENOENT;
		return -1;
	}
	return next(n, a[0], a[1], a[2], a[3], a[4], a[5]);
}
