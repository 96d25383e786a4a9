// SPDX-License-Identifier: Apache-2.0
/*
 * hold_drain: preloaded into gotap, holds the thread gotap-drain, which empties the rings and ends the capture, where it
 * gives itself its name, before its first round, and in nanosleep(), as long as there is a file $GOTAP_TEST_HOLD, two
 * minutes at most. When it begins to do so it makes $GOTAP_TEST_HOLD.held.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int real_nanosleep(const struct timespec *time, struct timespec *rest)
{
	static int (*real)(const struct timespec *, struct timespec *);

	if (!real)
		real = dlsym(RTLD_NEXT, "nanosleep");
	return real(time, rest);
}

static void tell_held(const char *hold)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s.held", hold);
	close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
}

static void hold_drain(void)
{
	const struct timespec moment = { .tv_nsec = 10000000 };
	const char *hold = getenv("GOTAP_TEST_HOLD");
	char thread[16] = "";
	int i;

	if (hold && !pthread_getname_np(pthread_self(), thread, sizeof(thread)) && !strcmp(thread, "gotap-drain") &&
	    !access(hold, F_OK)) {
		tell_held(hold);
		for (i = 0; i < 12000 && !access(hold, F_OK); i++)
			real_nanosleep(&moment, NULL);
	}
}

int pthread_setname_np(pthread_t thread, const char *name)
{
	static int (*real)(pthread_t, const char *);
	int r;

	if (!real)
		real = dlsym(RTLD_NEXT, "pthread_setname_np");
	r = real(thread, name);
	hold_drain();
	return r;
}

int nanosleep(const struct timespec *time, struct timespec *rest)
{
	hold_drain();
	return real_nanosleep(time, rest);
}
