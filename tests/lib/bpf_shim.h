/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bpf_shim: for libraries that are preloaded into gotap and change one of its bpf() calls. libbpf makes them by
 * syscall(), of which a shim has its own.
 */
#ifndef GOTAP_TESTS_BPF_SHIM_H
#define GOTAP_TESTS_BPF_SHIM_H

#define _GNU_SOURCE
#include <dlfcn.h>
#include <linux/bpf.h>
#include <stdarg.h>
#include <sys/syscall.h>

/* The arguments behind @n of syscall(). */
struct shim_args {
	long a[6];
};

/* What the shim decides: true: *@ret is the result; false: the call is made. */
static int shim_bpf(const struct shim_args *args, long *ret);

long syscall(long n, ...)
{
	static long (*next)(long, ...);
	struct shim_args args;
	long ret;
	va_list ap;
	int i;

	va_start(ap, n);
	for (i = 0; i < 6; i++)
		args.a[i] = va_arg(ap, long);
	va_end(ap);
	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "syscall");
	if (n == SYS_bpf && shim_bpf(&args, &ret))
		return ret;
	return next(n, args.a[0], args.a[1], args.a[2], args.a[3], args.a[4], args.a[5]);
}

#endif
