// SPDX-License-Identifier: Apache-2.0
/* ring_set: see ring_set.h. */
#include "capture/ring_set.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum {
	RINGS_TOTAL = 64 << 20,		/* default for all rings together */
	RING_MIN = 1 << 20,
	RING_MAX = 16 << 20,
	CALIBRATION_SIZE = 64 << 10,
	MAX_CPUS = 1024,		/* bpf/common.h */
};

static size_t default_size(size_t cpus)
{
	size_t size = RING_MAX;

	while (size > RING_MIN && size * cpus > RINGS_TOTAL)
		size /= 2;
	return size;
}

/* Each CPU that can run a thread of the target: those that are online, as uint32_t. */
static int online_cpus(struct vec *cpus, struct error *err)
{
	FILE *f = fopen("/sys/devices/system/cpu/online", "re");
	uint32_t first, last;
	char sep = ',';

	if (!f)
		return error_set(err, -errno, "cannot read the list of CPUs: %s", strerror(errno));
	while (sep == ',' && fscanf(f, "%u", &first) == 1) {
		last = first;
		sep = (char)fgetc(f);
		if (sep == '-') {
			if (fscanf(f, "%u", &last) != 1)
				break;
			sep = (char)fgetc(f);
		}
		for (; first <= last && first < MAX_CPUS; first++)
			*(uint32_t *)vec_push(cpus, sizeof(uint32_t)) = first;
	}
	fclose(f);
	return cpus->len ? 0 : error_set(err, -EINVAL, "cannot read the list of CPUs");
}

int ring_set_plan(struct ring_set *set, size_t size, struct error *err)
{
	struct vec cpus = {0};
	int r = online_cpus(&cpus, err);
	size_t i;

	if (!size)
		size = default_size(cpus.len);
	for (i = 0; i < cpus.len; i++)
		*(struct ring *)vec_push(&set->per_cpu, sizeof(struct ring)) =
			ring_plan(&set->memory, *vec_at(&cpus, uint32_t, i), size);
	set->calibration = ring_plan(&set->memory, MAX_CPUS, CALIBRATION_SIZE);
	vec_free(&cpus);
	return r;
}

int ring_set_make(const struct ring_set *set, struct error *err)
{
	return ring_memory_make(&set->memory, err);
}

int ring_set_open(struct ring_set *set, int chunks_fd, int states_fd, bool rewinds, struct error *err)
{
	size_t i;
	int r = ring_memory_map(&set->memory, chunks_fd, states_fd, MAX_CPUS + 1, err);

	if (r)
		return r;
	for (i = 0; i < set->per_cpu.len; i++)
		ring_open(vec_at(&set->per_cpu, struct ring, i), &set->memory, rewinds);
	ring_open(&set->calibration, &set->memory, rewinds);
	return 0;
}

void ring_set_free(struct ring_set *set)
{
	ring_memory_free(&set->memory);
	vec_free(&set->per_cpu);
}
