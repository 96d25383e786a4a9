// SPDX-License-Identifier: Apache-2.0
/*
 * hold_takeover: preloaded into gotap, holds it with --attach inline when calls lead to its code in the target, and
 * uprobes are still at the tests of trace.enabled, as long as there is a file $GOTAP_TEST_HOLD, two minutes at most.
 * When it begins to do so it makes $GOTAP_TEST_HOLD.held. gotap waits for all CPUs (membarrier) three times while it
 * changes the calls, and then before it changes the tests.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { BEFORE_TESTS = 4 };

static void hold(const char *file)
{
	const struct timespec moment = { .tv_nsec = 10000000 };
	char path[4096];
	int i;

	snprintf(path, sizeof(path), "%s.held", file);
	close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	for (i = 0; i < 12000 && !access(file, F_OK); i++)
		nanosleep(&moment, NULL);
}

long syscall(long number, ...)
{
	static long (*real)(long, ...);
	static int barriers;
	const char *file = getenv("GOTAP_TEST_HOLD");
	long arg[6];
	va_list ap;
	int i;

	if (!real)
		real = dlsym(RTLD_NEXT, "syscall");
	va_start(ap, number);
	for (i = 0; i < 6; i++)
		arg[i] = va_arg(ap, long);
	va_end(ap);
	if (number == SYS_membarrier && ++barriers == BEFORE_TESTS && file)
		hold(file);
	return real(number, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]);
}
