// SPDX-License-Identifier: Apache-2.0
/* cgroup_cpu: see cgroup_cpu.h. */
#include "proc/cgroup_cpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool read_v1(const char *folder, struct cgroup_cpu *c)
{
	char text[CGROUP_FILE];
	long long quota;

	if (!cgroup_read_file(folder, "cpu.cfs_quota_us", text))
		return false;
	quota = strtoll(text, NULL, 10);
	c->quota_ns = quota > 0 ? (uint64_t)quota * 1000 : 0;
	if (cgroup_read_file(folder, "cpu.cfs_period_us", text))
		c->period_ns = strtoull(text, NULL, 10) * 1000;
	if (cgroup_read_file(folder, "cpu.stat", text))
		c->throttled_ns = cgroup_value(text, "throttled_time", 1);
	c->periods = cgroup_value(text, "nr_periods", 1);
	c->throttled = cgroup_value(text, "nr_throttled", 1);
	return true;
}

/* Reads cpu.max: "max 100000" or "20000 100000". */
static bool read_v2(const char *folder, struct cgroup_cpu *c)
{
	unsigned long long quota = 0, period = 0;
	char text[CGROUP_FILE];

	if (!cgroup_read_file(folder, "cpu.max", text))
		return false;
	if (sscanf(text, "%llu %llu", &quota, &period) != 2)
		sscanf(text, "max %llu", &period);
	c->quota_ns = quota * 1000;
	c->period_ns = period * 1000;
	if (cgroup_read_file(folder, "cpu.stat", text))
		c->throttled_ns = cgroup_value(text, "throttled_usec", 1000);
	c->periods = cgroup_value(text, "nr_periods", 1);
	c->throttled = cgroup_value(text, "nr_throttled", 1);
	return true;
}

static size_t cgroup_cpu_read_levels(const struct cgroup_mount *mount, char *folder,
				     struct cgroup_cpu ret[CGROUP_LEVELS])
{
	unsigned int up = 0;
	size_t n = 0;

	do {
		struct cgroup_cpu c = { .up = up };

		if ((mount->v2 ? read_v2(folder, &c) : read_v1(folder, &c)) && (!up || c.quota_ns))
			ret[n++] = c;
		up++;
	} while (n < CGROUP_LEVELS && cgroup_mount_up(folder, mount));
	return n;
}

/*
 * If both versions are mounted, the controller is in one of them: the other one's folder does not
 * have the files.
 */
size_t cgroup_cpu_read(const struct cgroup_mounts *m, const char *text,
		       struct cgroup_cpu ret[CGROUP_LEVELS])
{
	char folder[CGROUP_FOLDER];
	size_t i, n = 0;

	for (i = 0; i < m->all.len && !n; i++) {
		const struct cgroup_mount *mount = vec_at(&m->all, struct cgroup_mount, i);

		if (cgroup_mount_folder(mount, text, "cpu", folder))
			n = cgroup_cpu_read_levels(mount, folder, ret);
	}
	return n;
}

/*
 * Parses "some avg10=0.00 avg60=0.00 avg300=0.00 total=0", then the same for "full"; total in us.
 */
static bool parse_pressure(const char *text, struct pressure *ret)
{
	const char *some = strstr(text, "some "), *full = strstr(text, "full "), *total;

	total = some ? strstr(some, "total=") : NULL;
	if (!total)
		return false;
	ret->some_ns = strtoull(total + 6, NULL, 10) * 1000;
	total = full ? strstr(full, "total=") : NULL;
	ret->full_ns = total ? strtoull(total + 6, NULL, 10) * 1000 : 0;
	return true;
}

bool pressure_read(const struct cgroup_mounts *m, const char *text, const struct procfs *fs,
		   const char *resource, struct pressure *ret)
{
	char folder[CGROUP_FOLDER], name[64], file[CGROUP_FILE];
	size_t i;

	*ret = (struct pressure){0};
	snprintf(name, sizeof(name), "%s.pressure", resource);
	for (i = 0; i < m->all.len; i++) {
		const struct cgroup_mount *mount = vec_at(&m->all, struct cgroup_mount, i);

		if (mount->v2 && cgroup_mount_folder(mount, text, "", folder) &&
		    cgroup_read_file(folder, name, file) && parse_pressure(file, ret))
			return true;
	}
	ret->machine = true;
	snprintf(folder, sizeof(folder), "%s/pressure", fs->dir);
	return cgroup_read_file(folder, resource, file) && parse_pressure(file, ret);
}
