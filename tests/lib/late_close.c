// SPDX-License-Identifier: Apache-2.0
/*
 * late_close: a library for LD_PRELOAD that makes each thread of `gotap serve` slow to notice that
 * its connection was closed, as on a busy machine.
 */
#define _GNU_SOURCE
#include <sys/socket.h>
#include <time.h>

ssize_t recv(int fd, void *data, size_t size, int flags)
{
	const struct timespec late = { .tv_nsec = 500000000 };
	ssize_t n = recvfrom(fd, data, size, flags, NULL, NULL);

	if (!n && !(flags & MSG_PEEK))
		nanosleep(&late, NULL);
	return n;
}
