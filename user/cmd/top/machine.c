// SPDX-License-Identifier: Apache-2.0
/*
 * machine: the numbers of `gotap top` that no event has: CPU times, the quota, what gotap costs
 * and lost. See top.h.
 */
#define _GNU_SOURCE
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/vec.h"
#include "cmd/top/top.h"

static uint64_t timespec_ns(const struct timespec *t)
{
	return (uint64_t)t->tv_sec * 1000000000 + (uint64_t)t->tv_nsec;
}

static uint64_t own_cpu(void)
{
	struct timespec t = {0};

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return timespec_ns(&t);
}

/*
 * CPU time of the process, ns; 0: not known. Read from its CPU clock, or, if its ids are those of
 * another mount of proc, from its stat file, which counts ticks of 10 ms.
 */
static uint64_t cpu_of(const struct process *p)
{
	struct procfs_usage usage;
	struct timespec t;
	clockid_t clock;

	if (p->fs.own && !clock_getcpuclockid(p->pid, &clock) && !clock_gettime(clock, &t))
		return timespec_ns(&t);
	if (procfs_usage(&p->fs, p->pid, &usage))
		return 0;
	return usage.cpu * 1000000000 / (uint64_t)sysconf(_SC_CLK_TCK);
}

static size_t read_levels(const struct top_meter *m, struct cgroup_cpu ret[CGROUP_LEVELS])
{
	enum { TEXT_MAX = 65536 };
	struct buf text = {0};
	size_t n = 0;

	if (!procfs_read(&m->proc->fs, m->proc->pid, "cgroup", TEXT_MAX, &text))
		n = cgroup_cpu_read(&m->mounts, (const char *)text.data, ret);
	buf_free(&text);
	return n;
}

/*
 * Chooses, of the cgroups with a quota, the one that throttled the program for longest since the
 * last call; else the innermost one.
 */
static void read_quota(struct top_meter *m, struct top_machine *ret)
{
	struct cgroup_cpu now[CGROUP_LEVELS];
	size_t n = read_levels(m, now), i;

	for (i = 0; i < n; i++) {
		const struct cgroup_cpu *c = &now[i], *before = &m->levels[i];
		bool same = i < m->n_levels && before->up == c->up &&
			    before->throttled_ns <= c->throttled_ns;
		uint64_t ns = same ? c->throttled_ns - before->throttled_ns : 0;

		if (!c->quota_ns || (ret->has_quota && ns <= ret->throttled_ns))
			continue;
		ret->has_quota = true;
		ret->quota_ns = c->quota_ns;
		ret->period_ns = c->period_ns;
		ret->throttled_ns = ns;
		ret->throttled = same ? c->throttled - before->throttled : 0;
	}
	__builtin_memcpy(m->levels, now, sizeof(now));
	m->n_levels = n;
}

void top_rates_read(struct top_rates *r, uint64_t time, uint64_t cpu, uint64_t own)
{
	enum { LEAST_NS = 10000000 };
	double ns = (double)(time - r->time);

	if (r->time && time < r->time + LEAST_NS)
		return;
	r->of_program = cpu >= r->cpu && r->cpu ? (double)(cpu - r->cpu) / ns : -1;
	r->of_gotap = r->time ? (double)(own - r->own) / ns : 0;
	r->time = time;
	r->cpu = cpu;
	r->own = own;
}

static void read_cpu(struct top_meter *m, struct top_machine *ret)
{
	ret->cpu_ever = cpu_of(m->proc);
	top_rates_read(&m->rates, now_ns(), ret->cpu_ever, own_cpu());
	ret->cpu = m->rates.of_program;
	ret->cpu_own = m->rates.of_gotap;
	ret->cpu_own_ever = own_cpu();
}

static void read_cost(struct top_meter *m, struct top_machine *ret)
{
	struct capture_cost c = capture_cost(m->capture);

	ret->level = c.level ? rec_level_text(c.level) : "";
	ret->level_number = c.level;
	ret->cpu_budget = m->ceiling / 1e9;
	if (c.metered > m->metered)
		m->of_probes = (c.spent - m->spent) / (c.metered - m->metered);
	ret->cpu_probes = m->of_probes;
	m->spent = c.spent;
	m->metered = c.metered;
}

static uint64_t repairs_of(const struct model_counts *c)
{
	uint64_t n = 0;
	int i;

	for (i = 0; i < REPAIR_KINDS; i++)
		n += c->repairs[i];
	return n;
}

static void read_counts(struct top_meter *m, struct assembler *a, struct top_machine *ret)
{
	const struct model_counts *c = assembler_counts(a);
	uint64_t records = assembler_records(a), repairs = repairs_of(c);

	ret->records = records - m->records;
	ret->lost = c->lost - m->lost;
	ret->repairs = repairs - m->repairs;
	ret->lost_ever = c->lost;
	ret->repairs_ever = repairs;
	m->records = records;
	m->lost = c->lost;
	m->repairs = repairs;
}

void top_meter_begin(struct top_meter *m, const struct process *p, const struct capture *c,
		     double ceiling)
{
	struct top_machine ignored = {0};

	*m = (struct top_meter){ .proc = p, .capture = c, .ceiling = ceiling,
				 .of_probes = -1, .rates.of_program = -1 };
	cgroup_mounts_find(&m->mounts, "/proc/self/mountinfo");
	read_cpu(m, &ignored);
	read_cost(m, &ignored);
	read_quota(m, &ignored);
}

void top_meter_read(struct top_meter *m, struct assembler *a, struct top_machine *ret)
{
	*ret = (struct top_machine){0};
	read_cpu(m, ret);
	read_cost(m, ret);
	read_quota(m, ret);
	read_counts(m, a, ret);
}

void top_meter_free(struct top_meter *m)
{
	cgroup_mounts_free(&m->mounts);
}
