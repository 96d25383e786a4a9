// SPDX-License-Identifier: Apache-2.0
/* findings_cpu_judge: makes findings from the sums of findings_cpu.c that are large enough. */
#include "report/findings_cpu.h"

/* Least lost times, as parts of the trace's length. */
#define THROTTLED_SHARE 0.05
#define TAKEN_SHARE 0.1
#define STOPPED_SHARE 0.05
#define PLACE_SHARE 0.1
/*
 * Least lost times, as parts of the time for which goroutines wanted a CPU: on a shared machine any
 * program loses some.
 */
#define THROTTLED_PART 0.05
#define TAKEN_PART 0.25
static double lost_by(const struct cpu *c, enum split split)
{
	return c->causes[split].ns + c->causes[split].ready;
}

/*
 * Returns @ns as a part of the time for which threads wanted a CPU, for goroutines that ran or were
 * ready.
 */
static double part_wanted(const struct cpu *c, double ns)
{
	double all = c->wanted + c->causes[SPLIT_PREEMPTED].ready + c->causes[SPLIT_QUEUED].ready +
		c->causes[SPLIT_THROTTLED].ready;

	return all > 0 ? ns / all : 0;
}

static void cpu_judge_add(struct findings *f, const char *kind, double ns, uint32_t place,
			  const struct cpu_cause *c, struct buf *text)
{
	findings_add(f, &(struct verdict){ kind, ns, place, &c->goroutines, c->from, c->to }, text);
}

static void say_ready(const struct cpu_cause *c, struct buf *text)
{
	if (c->ready < 0.1 * c->ns)
		return;
	buf_printf(text, " Others that are ready wait for it, too: ");
	findings_time(text, c->ready);
	buf_printf(text, ".");
}

/* --- quotas --- */

static void say_quota(const struct findings *f, struct buf *text)
{
	const struct cgroup_sum *limit = thread_sums_limit(f->cpu->sums);

	if (!limit) {
		buf_printf(text, "by the CPU quota of a cgroup");
		return;
	}
	buf_printf(text, "by a quota of %.2f CPUs", cgroup_sum_cpus(limit));
	if (limit->up)
		buf_printf(text, " (of a cgroup above its own)");
	buf_printf(text, ", used up in %llu of %llu periods,",
		   (unsigned long long)sums_since(limit->first.throttled, limit->last.throttled),
		   (unsigned long long)sums_since(limit->first.periods, limit->last.periods));
}

static void judge_throttled(struct findings *f)
{
	const struct cpu *c = f->cpu;
	const struct cpu_cause *cause = &c->causes[SPLIT_THROTTLED];
	double ns = lost_by(c, SPLIT_THROTTLED);
	struct buf text = { 0 };

	if (ns < THROTTLED_SHARE * findings_wall(f) || part_wanted(c, ns) < THROTTLED_PART)
		return;
	buf_printf(&text,
		   "The program is throttled: %.0f %% of the time for which goroutines want a CPU, "
		   "on average %.1f "
		   "at a time, ",
		   100 * part_wanted(c, ns), ns / findings_wall(f));
	say_quota(f, &text);
	buf_printf(&text, " while GOMAXPROCS is %llu; the longest stretch takes ",
		   (unsigned long long)ps_count(f->ps));
	findings_time(&text, (double)(cause->to - cause->from));
	buf_printf(&text, ".");
	say_ready(cause, &text);
	cpu_judge_add(f, "throttled", ns, 0, cause, &text);
}

/* --- other tasks on the CPU --- */

static const struct cpu_taker *most_taken(const struct cpu *c)
{
	const struct cpu_taker *most = NULL;
	size_t i;

	for (i = 1; i < c->takers.len; i++) {
		const struct cpu_taker *t = vec_at(&c->takers, struct cpu_taker, i);

		if (!most || t->ns > most->ns)
			most = t;
	}
	return most;
}

/*
 * Returns the time in the queue of a CPU. For the part @preempted the task that had the CPU is
 * known. For a thread that was woken the task is not known: most likely other programs had the CPU,
 * but even on an idle machine a woken thread starts late. The waits of woken threads therefore add
 * at most as much as the measured part.
 */
static double cpu_judge_queued(const struct cpu *c, double preempted)
{
	double known = c->peers + c->others, part = known > 0 ? preempted / known : 0;
	double measured = part * lost_by(c, SPLIT_PREEMPTED),
	       woken = part * lost_by(c, SPLIT_QUEUED);

	return measured + (woken < measured ? woken : measured);
}

/* Returns the rest of the waits of woken threads, of which only the long ones count. */
static double cpu_judge_late(const struct cpu *c)
{
	const struct cpu_cause *queued = &c->causes[SPLIT_QUEUED];
	double counted = c->peers + c->others > 0 ? lost_by(c, SPLIT_PREEMPTED) : 0,
	       late = queued->late + queued->late_ready;

	return late > counted ? late - counted : 0;
}

static const struct cpu_cause *cpu_judge_larger(const struct cpu *c)
{
	return c->causes[SPLIT_PREEMPTED].ns >= c->causes[SPLIT_QUEUED].ns ?
		       &c->causes[SPLIT_PREEMPTED] :
		       &c->causes[SPLIT_QUEUED];
}

static bool is_much(const struct findings *f, double ns)
{
	return ns >= TAKEN_SHARE * findings_wall(f) && part_wanted(f->cpu, ns) >= TAKEN_PART;
}

static void say_taken(const struct findings *f, double ns, struct buf *text)
{
	buf_printf(text,
		   "%.0f %% of the time for which they want one, on average %.1f at a time, the "
		   "longest for ",
		   100 * part_wanted(f->cpu, ns), ns / findings_wall(f));
	findings_time(text,
		      (double)(cpu_judge_larger(f->cpu)->to - cpu_judge_larger(f->cpu)->from));
}

static void say_taker(const struct cpu_taker *t, struct buf *text)
{
	buf_printf(text, ". They are preempted mostly by %s",
		   t->comm[0] ? t->comm : "a program without a name");
	if (t->several)
		buf_printf(text, " (several processes)");
	else
		buf_printf(text, " (pid %u)", t->pid);
	buf_printf(text, ": %llu times, which takes ", (unsigned long long)t->times);
	findings_time(text, t->ns);
}

static void judge_others(struct findings *f)
{
	const struct cpu_taker *most = most_taken(f->cpu);
	double ns = cpu_judge_queued(f->cpu, f->cpu->others);
	struct buf text = { 0 };

	if (!most || !is_much(f, ns))
		return;
	buf_printf(&text, "Goroutines that run wait for a CPU that other programs have: ");
	say_taken(f, ns, &text);
	say_taker(most, &text);
	buf_printf(&text, ".");
	cpu_judge_add(f, "preempted", ns, 0, cpu_judge_larger(f->cpu), &text);
}

/*
 * Reports that the program's threads take CPUs from each other. CPUs on which no thread of the
 * program ever ran count as not available to it.
 */
static void judge_peers(struct findings *f)
{
	double ns = cpu_judge_queued(f->cpu, f->cpu->peers);
	struct buf text = { 0 };

	if (f->cpu->cpus.len >= ps_count(f->ps) || !is_much(f, ns))
		return;
	buf_printf(&text,
		   "GOMAXPROCS is %llu on %zu CPU%s: threads that run goroutines take the CPU from "
		   "one another, ",
		   (unsigned long long)ps_count(f->ps), f->cpu->cpus.len,
		   f->cpu->cpus.len == 1 ? "" : "s");
	say_taken(f, ns, &text);
	buf_printf(&text, ".");
	cpu_judge_add(f, "too many Ps", ns, 0, cpu_judge_larger(f->cpu), &text);
}

/*
 * Reports that woken threads wait for a CPU. The task that has it then is in no record; it may be
 * none, where the host of a virtual machine has taken the CPU.
 */
static void judge_queued(struct findings *f)
{
	const struct cpu_cause *cause = &f->cpu->causes[SPLIT_QUEUED];
	double ns = cpu_judge_late(f->cpu);
	struct buf text = { 0 };

	if (!is_much(f, ns))
		return;
	buf_printf(&text,
		   "Threads that run goroutines wait for a CPU after they are woken: %.0f %% of "
		   "the time for which they want one, the longest for ",
		   100 * part_wanted(f->cpu, ns));
	findings_time(&text, (double)(cause->to - cause->from));
	buf_printf(&text,
		   ". What has the CPU then is not recorded: another program, another thread of "
		   "this one, or the host of a virtual machine.");
	cpu_judge_add(f, "queued", ns, 0, cause, &text);
}

/* --- stopped --- */

/* Returns the ns for which threads were in @state during the trace, with or without a goroutine. */
static double stopped_for(const struct findings *f, enum thread_state state)
{
	const struct cpu_stop *s = &f->cpu->stops[state];
	double behind = s->end > f->last ? (double)(s->end - f->last) : 0;

	return s->ns > behind ? s->ns - behind : 0;
}

/* Reports stops of all threads by a signal, or by the freezer of a cgroup (@state). */
static void judge_stopped(struct findings *f, enum split split, enum thread_state state,
			  const char *how)
{
	const struct cpu_cause *cause = &f->cpu->causes[split];
	double all = stopped_for(f, state), ns = lost_by(f->cpu, split);
	struct cpu_cause place = { .goroutines = cause->goroutines,
				   .from = f->cpu->stops[state].from,
				   .to = f->cpu->stops[state].to };
	struct buf text = { 0 };

	if (ns < all) {
		f->lost += all - ns;
		ns = all;
	}
	if (ns < STOPPED_SHARE * findings_wall(f))
		return;
	buf_printf(&text, "The program is stopped %s, for ", how);
	findings_time(&text, all);
	buf_printf(&text, " in all: what is late then is not caused by the program. Which process "
			  "stopped it is not "
			  "recorded.");
	cpu_judge_add(f, split == SPLIT_FROZEN ? "frozen" : "stopped", ns, 0, &place, &text);
}

/*
 * Reports stops by a tracer, which stops threads one by one: only stops of threads with a goroutine
 * count.
 */
static void judge_traced(struct findings *f)
{
	const struct cpu_cause *cause = &f->cpu->causes[SPLIT_TRACED];
	double ns = lost_by(f->cpu, SPLIT_TRACED);
	struct buf text = { 0 };

	if (ns < STOPPED_SHARE * findings_wall(f))
		return;
	buf_printf(&text, "Threads are stopped by a debugger or tracer, and their goroutines and "
			  "those ready for their Ps lose ");
	findings_time(&text, ns);
	buf_printf(&text, " in all. Which process did that is not recorded.");
	cpu_judge_add(f, "stopped", ns, 0, cause, &text);
}

/* --- places --- */

static void judge_place(struct findings *f, const struct cpu_place *p)
{
	bool fault = p->split == SPLIT_FAULT;
	struct buf text = { 0 };

	if (p->cause.ns < PLACE_SHARE * findings_wall(f))
		return;
	findings_name(f, &text, p->place);
	buf_printf(&text, " waits %s: %llu times, on average ",
		   fault ? "in page faults" : "for a disk while it runs",
		   (unsigned long long)p->count);
	findings_time(&text, p->cause.ns / (double)p->count);
	buf_printf(&text, ", the longest ");
	findings_time(&text, (double)(p->cause.to - p->cause.from));
	buf_printf(&text, ", together ");
	findings_time(&text, p->cause.ns);
	buf_printf(&text, "; %s",
		   fault ? "memory has to be read first, of a mapped file or from swap, or is "
			   "locked by a change of the memory map." :
			   "the system call is not in the trace.");
	cpu_judge_add(f, fault ? "page faults" : "slow disk", p->cause.ns, p->place, &p->cause,
		      &text);
}

/*
 * Limits the ready times to the time for which goroutines waited. A goroutine may be ready while
 * the thread of a P has no CPU, and at the same time the thread that was woken for it may wait for
 * a CPU: findings_cpu.c has added such a time twice.
 */
static void count_ready_once(struct findings *f)
{
	double ready = 0, waited = ps_waited(f);
	unsigned int i;

	for (i = 0; i < SPLITS; i++)
		ready += f->cpu->causes[i].ready;
	for (i = 0; i < SPLITS && ready > waited; i++) {
		f->cpu->causes[i].ready *= waited / ready;
		f->cpu->causes[i].late_ready *= waited / ready;
	}
}

void cpu_judge(struct findings *f)
{
	struct cpu *c = f->cpu;
	unsigned int i;
	size_t k;

	if (!c->oncpu)
		return;
	for (i = 0; i < SPLITS; i++)
		f->lost += c->causes[i].ns;
	count_ready_once(f);
	judge_throttled(f);
	judge_others(f);
	judge_peers(f);
	judge_queued(f);
	judge_stopped(f, SPLIT_STOPPED, THREAD_STOPPED, "by a signal (SIGSTOP, or a terminal)");
	judge_traced(f);
	judge_stopped(f, SPLIT_FROZEN, THREAD_FROZEN, "by the freezer of a cgroup");
	for (k = 1; k < c->places.len; k++)
		judge_place(f, vec_at(&c->places, struct cpu_place, k));
}
