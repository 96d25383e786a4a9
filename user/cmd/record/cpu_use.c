// SPDX-License-Identifier: Apache-2.0
/* cpu_use: see cpu_use.h. */
#include "cmd/record/cpu_use.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

#define SECOND 1000000000ULL

static const uint64_t EVERY = SECOND / 4;

/* The ids of gotap's children are those of this mount, whichever mount shows the program. */
static const struct procfs mount = { .dir = "/proc" };

static uint64_t timeval_ns(struct timeval t)
{
	return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_usec * 1000;
}

static uint64_t usage_ns(const struct procfs *fs, pid_t pid)
{
	struct procfs_usage usage;

	if (procfs_usage(fs, pid, &usage))
		return 0;
	return usage.cpu * (SECOND / (uint64_t)sysconf(_SC_CLK_TCK));
}

/*
 * Adds up the CPU time of those children of one thread that execute gotap's own file. Others are
 * the launched program and commands of --exec.
 */
static uint64_t children_of(const char *tid, const struct procfs_file_id *own)
{
	struct procfs_file_id file;
	struct buf text = {0};
	char what[64], *at, *end;
	uint64_t ns = 0;
	long pid;

	snprintf(what, sizeof(what), "self/task/%.20s/children", tid);
	if (!procfs_read(&mount, 0, what, 4096, &text))
		for (at = (char *)text.data; (pid = strtol(at, &end, 10)) > 0; at = end)
			if (!procfs_file_id(&mount, (pid_t)pid, "exe", &file) &&
			    procfs_same_file(file, *own))
				ns += usage_ns(&mount, (pid_t)pid);
	buf_free(&text);
	return ns;
}

/* Adds up the children that run: the prober, the readers, gotap-names. */
static uint64_t running_children(void)
{
	struct procfs_file_id own;
	const struct dirent *e;
	uint64_t ns = 0;
	DIR *dir;

	if (procfs_file_id(&mount, 0, "self/exe", &own))
		return 0;
	dir = opendir("/proc/self/task");
	while (dir && (e = readdir(dir)))
		if (e->d_name[0] != '.')
			ns += children_of(e->d_name, &own);
	if (dir)
		closedir(dir);
	return ns;
}

static uint64_t gotap_ns(const struct process *p)
{
	struct timespec self = {0};
	struct rusage reaped;
	uint64_t ns;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &self);
	getrusage(RUSAGE_CHILDREN, &reaped);
	ns = (uint64_t)self.tv_sec * SECOND + (uint64_t)self.tv_nsec +
	     timeval_ns(reaped.ru_utime) +
	     timeval_ns(reaped.ru_stime);
	return ns - p->reaped_ns + running_children();
}

static struct cpu_times times_now(const struct process *p)
{
	return (struct cpu_times){ .program = usage_ns(&p->fs, p->pid), .gotap = gotap_ns(p) };
}

void cpu_use_begin(struct cpu_use *u, const struct process *p)
{
	*u = (struct cpu_use){ .proc = p, .from = now_ns(), .first = times_now(p) };
	u->to = u->from;
	u->last = u->first;
}

void cpu_use_look(struct cpu_use *u)
{
	struct cpu_times now = times_now(u->proc);

	/*
	 * Asked last: another thread reaps a launched program, and its CPU time would count as that
	 * of a child of gotap before reaped_ns has it.
	 */
	if (process_is_gone(u->proc))
		return;
	u->to = now_ns();
	u->last = now;
}

void cpu_use_tick(struct cpu_use *u)
{
	if (now_ns() - u->to >= EVERY)
		cpu_use_look(u);
}

static double cpu_rate(const struct cpu_use *u, uint64_t first, uint64_t last)
{
	return u->to > u->from && last > first ?
		       (double)(last - first) * SECOND / (double)(u->to - u->from) : 0;
}

double cpu_use_program(const struct cpu_use *u)
{
	return cpu_rate(u, u->first.program, u->last.program);
}

double cpu_use_gotap(const struct cpu_use *u)
{
	return cpu_rate(u, u->first.gotap, u->last.gotap);
}

double cpu_use_gotap_whole(const struct process *p)
{
	return (double)gotap_ns(p) / SECOND;
}
