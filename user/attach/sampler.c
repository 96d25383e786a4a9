// SPDX-License-Identifier: Apache-2.0
/* sampler: see sampler.h. */
#define _GNU_SOURCE
#include "attach/sampler.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* @tid -1: whatever runs on @cpu. */
static int open_clock(const struct sampler *s, pid_t tid, int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.freq = 1,
		.sample_freq = s->hz,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, tid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	int e;

	if (fd < 0)
		return -errno;
	if (ioctl(fd, PERF_EVENT_IOC_SET_BPF, s->prog_fd) ||
	    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0)) {
		e = errno;
		close(fd);
		return -e;
	}
	return fd;
}

static DIR *open_tasks(const struct sampler *s)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task", s->pid);
	return opendir(path);
}

static int sampler_add_thread(struct sampler *s, pid_t tid)
{
	bool is_new;
	uint64_t *slot = map64_put(&s->threads, (uint64_t)tid, &is_new);
	int fd;

	if (!is_new)
		return 0;
	fd = open_clock(s, tid, -1);
	*slot = fd < 0 ? 0 : (uint64_t)fd + 1;
	return fd < 0 && fd != -ESRCH ? fd : 0;
}

static void drop_ended(struct sampler *s)
{
	char path[64];
	size_t i;

	for (i = 0; i < s->threads.cap; i++) {
		struct map64_slot *slot = &s->threads.slots[i];

		snprintf(path, sizeof(path), "/proc/%d/task/%d", s->pid, (int)slot->key);
		if (!slot->used || !access(path, F_OK))
			continue;
		if (slot->value)
			close((int)slot->value - 1);
		map64_del(&s->threads, slot->key);
	}
}

static int sampler_add_threads(struct sampler *s)
{
	DIR *d = open_tasks(s);
	struct dirent *e;
	int r = 0, tid;

	if (!d)
		return -errno;
	while ((e = readdir(d)) && !r) {
		tid = atoi(e->d_name);
		if (tid > 0)
			r = sampler_add_thread(s, tid);
	}
	closedir(d);
	return r;
}

/*
 * Opens a clock for each CPU: perf_event_open() takes thread ids of gotap's own PID namespace only,
 * and the target's are of another one.
 */
static int add_cpus(struct sampler *s)
{
	int cpu, r = 0, n = (int)sysconf(_SC_NPROCESSORS_CONF);
	bool is_new;

	for (cpu = 0; cpu < n && !r; cpu++) {
		int fd = open_clock(s, -1, cpu);

		if (fd >= 0)
			*map64_put(&s->threads, (uint64_t)cpu, &is_new) = (uint64_t)fd + 1;
		else if (fd != -ENODEV && fd != -ENXIO)	/* it is offline */
			r = fd;
	}
	return r;
}

/* Has a CPU come or gone since the last call? */
static bool cpus_changed(struct sampler *s)
{
	char now[sizeof(s->online)] = "";
	int fd = open("/sys/devices/system/cpu/online", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, now, sizeof(now) - 1);

	if (fd >= 0)
		close(fd);
	if (n <= 0 || !strcmp(now, s->online))
		return false;
	memcpy(s->online, now, sizeof(now));
	return true;
}

static void close_clocks(struct sampler *s)
{
	size_t i;

	for (i = 0; i < s->threads.cap; i++)
		if (s->threads.slots[i].used && s->threads.slots[i].value)
			close((int)s->threads.slots[i].value - 1);
	map64_free(&s->threads);
}

/* The clock of a CPU that went offline stays dead when that comes back: all are opened anew. */
static void update_cpus(struct sampler *s)
{
	if (!cpus_changed(s))
		return;
	close_clocks(s);
	add_cpus(s);
}

int sampler_start(struct sampler *s, const struct process *proc, int prog_fd, unsigned int hz,
		  struct error *err)
{
	int r;

	*s = (struct sampler){ .pid = proc->pid, .prog_fd = prog_fd, .hz = hz,
			       .by_cpu = !proc->fs.own };
	cpus_changed(s);
	r = s->by_cpu ? add_cpus(s) : sampler_add_threads(s);
	if (r == -EACCES || r == -EPERM)
		return error_set(err, r,
				 "not allowed to sample process %d: run gotap as root or with "
				 "CAP_PERFMON",
				 proc->pid);
	if (r)
		return error_set(err, r, "cannot sample process %d: %s", proc->pid, strerror(-r));
	return 0;
}

void sampler_update(struct sampler *s)
{
	if (!s->hz)
		return;
	if (s->by_cpu) {
		update_cpus(s);
		return;
	}
	drop_ended(s);
	sampler_add_threads(s);
}

void sampler_stop(struct sampler *s)
{
	close_clocks(s);
	s->hz = 0;
}
