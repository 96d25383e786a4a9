// SPDX-License-Identifier: Apache-2.0
/* threads: how long the program's threads were on CPUs, and what kept them off (group linux). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/show.h"
#include "cmd/report/threads.h"
#include "threads/lacks.h"

enum { TAKERS_SHOWN = 3, TAKERS_JSON = 20 };

static bool has_any(const struct thread_report *r)
{
	return r->threads && threads_any(r->threads);
}

static double s(uint64_t ns)
{
	return (double)ns / 1e9;
}

static uint64_t report_threads_length(const struct thread_report *r)
{
	return threads_end_time(r->threads) - threads_begin_time(r->threads);
}

static int report_threads_by_time(const void *a, const void *b)
{
	const struct taker *x = a, *y = b;

	return (x->ns < y->ns) - (x->ns > y->ns);
}

/* Takers of CPUs, the one that took most first: @n, at most @most. The list is the caller's. */
static struct taker *takers(const struct thread_sums *sums, size_t most, size_t *n)
{
	struct taker *list = xcalloc(sums->takers.len + 1, sizeof(*list));

	if (sums->takers.len)
		memcpy(list, sums->takers.data, sums->takers.len * sizeof(*list));
	qsort(list, sums->takers.len, sizeof(*list), report_threads_by_time);
	*n = sums->takers.len < most ? sums->takers.len : most;
	return list;
}

/* --- for people --- */

static void print_takers(const struct thread_report *r, FILE *f)
{
	size_t i, n;
	struct taker *list = takers(r->sums, TAKERS_SHOWN, &n);

	for (i = 0; i < n; i++)
		show_printf(f, "%s%s (%u%s) %" PRIu64 " times, %.3f s", i ? "; " : ", by ",
			    list[i].comm, list[i].pid,
			    list[i].pid == r->pid ? ", the program itself" : "", list[i].times,
			    s(list[i].ns));
	free(list);
}

static void print_limit(const struct thread_report *r, FILE *f)
{
	const struct cgroup_sum *c = thread_sums_limit(r->sums);

	if (!c)
		return;
	fprintf(f, "cgroup: a quota of %.2f CPUs", cgroup_sum_cpus(c));
	if (c->up)
		fprintf(f, " (%u levels up)", c->up);
	fprintf(f, " was used up in %" PRIu64 " of %" PRIu64 " periods\n",
		sums_since(c->first.throttled, c->last.throttled),
		sums_since(c->first.periods, c->last.periods));
}

static void print_lacks(const struct thread_report *r, FILE *f)
{
	const char *texts[THREADS_LACKS];
	unsigned int i, n = threads_lacks(threads_with(r->threads), texts);

	for (i = 0; i < n; i++)
		fprintf(f, "%s%s", i ? "; " : "not known on this kernel: ", texts[i]);
	if (n)
		fputc('\n', f);
}

void report_print_threads(const struct thread_report *r, FILE *f)
{
	const struct thread_sum *t;
	unsigned int i;

	if (!has_any(r))
		return;
	t = &r->sums->total;
	fprintf(f, "threads: %" PRIu64 ", on a CPU for %.3f s in %.3f s",
		r->sums->n_others + r->sums->done.len, s(t->ran_ns), s(report_threads_length(r)));
	for (i = THREAD_QUEUED; i < THREAD_STATES; i++)
		if (t->state_ns[i] && i != THREAD_SLEEPING)
			fprintf(f, ", %s %.3f s", thread_state_words(i), s(t->state_ns[i]));
	if (t->state_ns[THREAD_UNKNOWN])
		fprintf(f, ", not recorded %.3f s", s(t->state_ns[THREAD_UNKNOWN]));
	fprintf(f, "\npreempted: %" PRIu64 " times", t->preempted);
	print_takers(r, f);
	fputc('\n', f);
	print_limit(r, f);
	print_lacks(r, f);
	show_count(f, "lost: ", threads_lost(r->threads), " records of threads\n");
	show_count(f, "missing: ", threads_missing(r->threads),
		   threads_lost(r->threads) ?
			   " switches of threads\n" :
			   " switches of threads: the kernel ran no tracepoint there\n");
	show_count(f, "missing: ", cpus_missing(r->sums->cpus), " switches to other programs\n");
}

/* --- as JSON --- */

/*
 * on_cpu_seconds and runqueue_seconds are the kernel's account, as schedstat has it; states are
 * from one record to the next, and add up to the seconds. A wait for a CPU in the former sense
 * includes being throttled.
 */

static void json_sum(struct json_out *j, const struct thread_sum *t)
{
	unsigned int i;

	json_put_real(j, "seconds", s(t->life_ns), 6);
	json_put_real(j, "on_cpu_seconds", s(t->ran_ns), 6);
	json_put_real(j, "runqueue_seconds", s(t->waited_ns), 6);
	json_put_real(j, "throttled_seconds", s(t->state_ns[THREAD_THROTTLED]), 6);
	json_open_object(j, "states");
	for (i = 0; i < THREAD_STATES; i++)
		json_put_real(j, thread_state_name(i), s(t->state_ns[i]), 6);
	json_close_object(j);
	json_put_count(j, "stays_on_cpu", t->stays);
	json_put_count(j, "preempted", t->preempted);
	json_put_count(j, "woken", t->woken);
	json_put_count(j, "migrations", t->moves);
}

static int by_tid(const void *a, const void *b)
{
	const struct thread_sum *x = a, *y = b;

	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

static void json_threads(const struct thread_sums *sums, struct json_out *j)
{
	struct thread_sum *list = xcalloc(sums->done.len + 1, sizeof(*list));
	size_t i;

	if (sums->done.len)
		memcpy(list, sums->done.data, sums->done.len * sizeof(*list));
	qsort(list, sums->done.len, sizeof(*list), by_tid);
	json_open_array(j, "threads");
	for (i = 0; i < sums->done.len; i++) {
		json_open_object(j, NULL);
		json_put_count(j, "tid", list[i].tid);
		json_put_text(j, "name", list[i].comm);
		json_sum(j, &list[i]);
		json_close_object(j);
	}
	json_close_array(j);
	free(list);
}

static void json_takers(const struct thread_sums *sums, struct json_out *j)
{
	size_t i, n;
	struct taker *list = takers(sums, TAKERS_JSON, &n), others = sums->other_takers;

	json_open_array(j, "preempted_by");
	for (i = 0; i < n; i++) {
		json_open_object(j, NULL);
		json_put_text(j, "name", list[i].comm);
		json_put_count(j, "pid", list[i].pid);
		json_put_count(j, "times", list[i].times);
		json_put_real(j, "seconds", s(list[i].ns), 6);
		json_close_object(j);
	}
	json_close_array(j);
	for (i = n; i < sums->takers.len; i++) {
		others.times += list[i].times;
		others.ns += list[i].ns;
	}
	json_open_object(j, "preempted_by_others");
	json_put_count(j, "times", others.times);
	json_put_real(j, "seconds", s(others.ns), 6);
	json_close_object(j);
	free(list);
}

static void json_pressure(const struct thread_sums *sums, struct json_out *j)
{
	static const char *const names[] = {
		[REC_RESOURCE_CPU] = "cpu",
		[REC_RESOURCE_MEMORY] = "memory",
		[REC_RESOURCE_IO] = "io",
	};
	unsigned int i;

	json_open_object(j, "pressure");
	for (i = REC_RESOURCE_CPU; i <= REC_RESOURCE_IO; i++) {
		const struct pressure_sum *p = &sums->pressures[i];

		if (!p->any)
			continue;
		json_open_object(j, names[i]);
		json_put_text(j, "of", p->machine ? "machine" : "cgroup");
		json_put_real(j, "some_seconds", s(sums_since(p->first.id, p->last.id)), 6);
		json_put_real(j, "full_seconds", s(sums_since(p->first.ptr, p->last.ptr)), 6);
		json_close_object(j);
	}
	json_close_object(j);
}

/* The limit that binds; without any, the counts are those of the program's own cgroup. */
static void json_cgroup(const struct thread_sums *sums, struct json_out *j)
{
	const struct cgroup_sum *c = thread_sums_limit(sums);
	bool limited = c;

	if (!c && sums->n_cgroups)
		c = &sums->cgroups[0];
	json_open_object(j, "cgroup");
	if (c) {
		if (limited)
			json_put_real(j, "quota_cpus", cgroup_sum_cpus(c), 3);
		json_put_real(j, "period_seconds", s(c->last.r.ptr), 6);
		json_put_count(j, "levels_up", c->up);
		json_put_count(j, "periods", sums_since(c->first.periods, c->last.periods));
		json_put_count(j, "throttled_periods",
			       sums_since(c->first.throttled, c->last.throttled));
		json_put_real(j, "throttled_seconds",
			      s(sums_since(c->first.throttled_ns, c->last.throttled_ns)), 6);
	}
	json_pressure(sums, j);
	json_close_object(j);
}

static void json_lacks(const struct thread_report *r, struct json_out *j)
{
	const char *texts[THREADS_LACKS];
	unsigned int i, n = threads_lacks(threads_with(r->threads), texts);

	json_open_array(j, "not_told");
	for (i = 0; i < n; i++)
		json_put_text(j, NULL, texts[i]);
	json_close_array(j);
}

void report_json_threads(const struct thread_report *r, struct json_out *j)
{
	if (!has_any(r))
		return;
	json_open_object(j, "linux");
	json_put_real(j, "seconds", s(report_threads_length(r)), 6);
	json_threads(r->sums, j);
	if (r->sums->n_others) {
		json_open_object(j, "other_threads");
		json_put_count(j, "threads", r->sums->n_others);
		json_sum(j, &r->sums->others);
		json_close_object(j);
	}
	json_open_object(j, "total");
	json_sum(j, &r->sums->total);
	json_close_object(j);
	json_takers(r->sums, j);
	json_cgroup(r->sums, j);
	json_lacks(r, j);
	json_put_count(j, "switches_of_others", r->sums->cpu_switches);
	json_put_count(j, "lost", threads_lost(r->threads));
	json_put_count(j, "switches_missing", threads_missing(r->threads));
	json_put_count(j, "switches_of_others_missing", cpus_missing(r->sums->cpus));
	json_close_object(j);
}
