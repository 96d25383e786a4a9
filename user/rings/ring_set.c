// SPDX-License-Identifier: Apache-2.0
/* ring_set: see ring_set.h. */
#include "rings/ring_set.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum {
	RINGS_TOTAL = 64 << 20,		/* default for the rings of all CPUs that are online */
	RING_MIN = 1 << 20,
	RING_MAX = 16 << 20,
	OFFLINE_TOTAL = 16 << 20,	/* for the rings of all others, */
	OFFLINE_MIN = 64 << 10,		/* unless that is less than this for each */
	CALIBRATION_SIZE = 64 << 10,
	/*
	 * The smallest ring has twice the room that 100,000 context switches a second need in 10
	 * ms.
	 */
	THREADS_TOTAL = 16 << 20,
	THREADS_MIN = 256 << 10,
	THREADS_MAX = 2 << 20,
};

/* The largest size from @min to @max of which @n take no more than @total. */
static size_t ring_set_share(size_t total, size_t n, size_t min, size_t max)
{
	size_t size = max;

	while (size > min && size * n > total)
		size /= 2;
	return size;
}

/* A file of /sys/devices/system/cpu: "0-3,8". Sets those in @cpus; returns how many, or -errno. */
static int read_cpus(const char *path, bool cpus[RING_CPUS], struct error *err)
{
	FILE *f = fopen(path, "re");
	unsigned int first, last;
	char sep = ',';
	int n = 0;

	if (!f)
		return error_set(err, -errno, "cannot read the list of CPUs: '%s': %s", path,
				 strerror(errno));
	while (sep == ',' && fscanf(f, "%u", &first) == 1) {
		last = first;
		sep = (char)fgetc(f);
		if (sep == '-') {
			if (fscanf(f, "%u", &last) != 1)
				break;
			sep = (char)fgetc(f);
		}
		for (; first <= last && first < RING_CPUS; first++, n++)
			cpus[first] = true;
	}
	fclose(f);
	return n ? n : error_set(err, -EINVAL, "cannot read the list of CPUs: '%s'", path);
}

static void add_ring(struct ring_set *set, uint32_t cpu, size_t size)
{
	*(struct ring *)vec_push(&set->rings, sizeof(struct ring)) =
		ring_plan(&set->memory, cpu, size);
}

int ring_set_plan(struct ring_set *set, size_t size, struct error *err)
{
	bool possible[RING_CPUS] = { false }, online[RING_CPUS] = { false };
	int n = read_cpus("/sys/devices/system/cpu/possible", possible, err);
	int n_online = n < 0 ? n : read_cpus("/sys/devices/system/cpu/online", online, err);
	size_t offline, n_offline;
	uint32_t cpu;

	if (n_online < 0)
		return n_online;
	if (!size)
		size = ring_set_share(RINGS_TOTAL, (size_t)n_online, RING_MIN, RING_MAX);
	n_offline = n > n_online ? (size_t)(n - n_online) : 1;
	offline = ring_set_share(OFFLINE_TOTAL, n_offline, size < OFFLINE_MIN ? size : OFFLINE_MIN,
				 size);
	for (cpu = 0; cpu < RING_CPUS; cpu++)
		if (online[cpu] || possible[cpu])
			add_ring(set, cpu, online[cpu] ? size : offline);
	set->cpus = set->rings.len;
	set->size = size;
	add_ring(set, RING_CPUS, 0);
	set->calibration = ring_plan(&set->memory, RING_CALIBRATION, CALIBRATION_SIZE);
	return 0;
}

void ring_set_plan_threads(struct ring_set *set)
{
	size_t size = ring_set_share(THREADS_TOTAL, set->cpus, THREADS_MIN, THREADS_MAX), i;
	struct ring r;

	for (i = 0; i < set->cpus; i++) {
		const struct ring *of_cpu = vec_at(&set->rings, struct ring, i);

		r = ring_plan(&set->memory, RING_THREADS + of_cpu->cpu,
			      of_cpu->size < size ? of_cpu->size : size);
		r.of_threads = true;
		*(struct ring *)vec_push(&set->rings, sizeof(r)) = r;
	}
	r = ring_plan(&set->memory, RING_THREADS + RING_CPUS, 0);
	r.of_threads = true;
	*(struct ring *)vec_push(&set->rings, sizeof(r)) = r;
}

int ring_set_make(const struct ring_set *set, struct error *err)
{
	return ring_memory_make(&set->memory, err);
}

int ring_set_open(struct ring_set *set, int chunks_fd, int states_fd, bool rewinds,
		  struct error *err)
{
	size_t i;
	int r = ring_memory_map(&set->memory, chunks_fd, states_fd, RING_STATES, err);

	if (r)
		return r;
	for (i = 0; i < set->rings.len; i++) {
		struct ring *ring = vec_at(&set->rings, struct ring, i);

		if (ring->foreign)
			continue;
		ring->taken = &set->probes;
		ring_open(ring, &set->memory, rewinds);
	}
	ring_open(&set->calibration, &set->memory, rewinds);
	return 0;
}

uint64_t ring_set_lost(const struct ring_set *set)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < set->rings.len; i++)
		if (!vec_at(&set->rings, struct ring, i)->of_threads)
			n += ring_lost(vec_at(&set->rings, struct ring, i));
	return n;
}

struct ring_counts ring_set_counts(const struct ring_set *set, bool foreign)
{
	struct ring_counts n = {0};
	size_t i;

	for (i = 0; i < set->rings.len; i++) {
		const struct ring *r = vec_at(&set->rings, struct ring, i);

		if (r->foreign != foreign || r->of_threads)
			continue;
		n.lost += ring_lost(r);
		n.hits += __atomic_load_n(&r->state->hits, __ATOMIC_RELAXED);
		n.fill += ring_fill(r);
	}
	return n;
}

void ring_set_free(struct ring_set *set)
{
	ring_memory_free(&set->memory);
	vec_free(&set->rings);
}
