// SPDX-License-Identifier: Apache-2.0
/* clock: see clock.h. */
#define _GNU_SOURCE
#include "base/clock.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000

/* ns that the time namespace of gotap adds to the machine's CLOCK_MONOTONIC. */
static int64_t namespace_adds;

/* @process: "self" or a process id. False: the kernel has no such namespace file. */
static bool clock_namespace_of(const char *process, const char *which, ino_t *ret)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%s/ns/%s", process, which);
	if (stat(path, &st))
		return false;
	*ret = st.st_ino;
	return true;
}

/* Reads the offset from the line "monotonic SECONDS NANOSECONDS". */
static void read_offsets(const char *process)
{
	char path[64], line[128];
	int64_t s, ns;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%s/timens_offsets", process);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "monotonic %" SCNd64 " %" SCNd64, &s, &ns) == 2)
			namespace_adds = s * SECOND + ns;
	if (f)
		fclose(f);
}

/*
 * /proc/PID/timens_offsets shows the offsets of the namespace for children (fs/proc/base.c,
 * timens_offsets_show). After unshare(CLONE_NEWTIME) this namespace is not the process's own one
 * until the process execs, and before Linux 6.1 not after the exec either. gotap then reads the
 * file of its parent, which usually has not left gotap's namespace. A kernel without time
 * namespaces has none of these files.
 */
static void read_namespace(void)
{
	char parent[16];
	const char *who[] = { "self", parent };
	ino_t own, theirs;
	size_t i;

	if (!clock_namespace_of("self", "time", &own))
		return;
	snprintf(parent, sizeof(parent), "%d", getppid());
	for (i = 0; i < sizeof(who) / sizeof(who[0]); i++)
		if (clock_namespace_of(who[i], "time_for_children", &theirs) && theirs == own) {
			read_offsets(who[i]);
			return;
		}
}

static uint64_t read_clock(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

uint64_t now_ns(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, read_namespace);
	return read_clock(CLOCK_MONOTONIC) - (uint64_t)namespace_adds;
}

uint64_t wall_ns(void)
{
	return read_clock(CLOCK_REALTIME);
}

uint64_t wall_at(uint64_t time)
{
	enum { TRIES = 8, CLOSE = 10000 };
	uint64_t least = UINT64_MAX, ret = 0;
	int i;

	for (i = 0; i < TRIES && least > CLOSE; i++) {
		uint64_t before = now_ns(), wall = wall_ns(), apart = now_ns() - before;

		if (apart >= least)
			continue;
		least = apart;
		ret = wall - (before + apart / 2 - time);
	}
	return ret;
}

uint64_t clock_own_cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

void sleep_ns(long ns)
{
	struct timespec t = { .tv_nsec = ns };

	nanosleep(&t, NULL);
}
