// SPDX-License-Identifier: Apache-2.0
/* effort: see effort.h. */
#include "cmd/ps/effort.h"

#include <sys/resource.h>
#include <time.h>

#include "base/clock.h"

struct user_effort {
	struct principal who;
	double seconds;
	struct vec pids;	/* pid_t */
	size_t next;		/* of them */
};

/*
 * Seconds. Work that takes at least this long counts with its elapsed time: it waited for
 * something, as for a file. Shorter work counts with its CPU time, since on a busy machine it may
 * have waited for a CPU.
 */
static const double WAITED = 1;

static double seconds_of(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static double clock_seconds(void)
{
	return (double)now_ns() / 1e9;
}

/* CPU time of this process and of the children that it has waited for. */
static double cpu_seconds(void)
{
	struct rusage own, children;

	getrusage(RUSAGE_SELF, &own);
	getrusage(RUSAGE_CHILDREN, &children);
	return seconds_of(own.ru_utime) + seconds_of(own.ru_stime) + seconds_of(children.ru_utime) +
	       seconds_of(children.ru_stime);
}

/* --- users --- */

static struct user_effort *effort_user(const struct ps_effort *e, size_t i)
{
	return vec_at(&e->users, struct user_effort, i);
}

static struct user_effort *effort_find(struct ps_effort *e, const struct principal *who)
{
	struct user_effort *u;
	size_t i;

	for (i = 0; i < e->users.len; i++)
		if (principal_is(&effort_user(e, i)->who, who))
			return effort_user(e, i);
	u = vec_push(&e->users, sizeof(*u));
	*u = (struct user_effort){ .who = *who };
	return u;
}

void ps_effort_put(struct ps_effort *e, const struct principal *of, pid_t pid)
{
	*(pid_t *)vec_push(&effort_find(e, of)->pids, sizeof(pid_t)) = pid;
}

static bool effort_has_more(const struct user_effort *u)
{
	return u->next < u->pids.len;
}

static pid_t effort_take(struct user_effort *u)
{
	return *vec_at(&u->pids, pid_t, u->next++);
}

/* --- time --- */

static void effort_mark(struct ps_effort *e)
{
	e->cpu = cpu_seconds();
	e->wall = clock_seconds();
	if (e->begin <= 0)
		e->begin = e->wall;
}

bool ps_effort_is_over(const struct ps_effort *e)
{
	return e->begin > 0 && clock_seconds() - e->begin >= PS_EFFORT_END;
}

bool ps_effort_next(struct ps_effort *e, pid_t *ret)
{
	struct user_effort *least = NULL;
	size_t i;

	effort_mark(e);
	for (i = 0; i < e->users.len; i++) {
		struct user_effort *u = effort_user(e, i);

		if (!effort_has_more(u) || u->seconds >= PS_EFFORT_USER ||
		    (least && least->seconds <= u->seconds))
			continue;
		least = u;
		e->user = i;
	}
	if (!least || ps_effort_is_over(e))
		return false;
	*ret = effort_take(least);
	return true;
}

void ps_effort_add(struct ps_effort *e, double seconds)
{
	effort_user(e, e->user)->seconds += seconds;
}

bool ps_effort_go_on(struct ps_effort *e)
{
	double cpu = cpu_seconds() - e->cpu, wall = clock_seconds() - e->wall;

	ps_effort_add(e, wall >= WAITED ? wall : cpu);
	effort_mark(e);
	return effort_user(e, e->user)->seconds < PS_EFFORT_USER && !ps_effort_is_over(e);
}

unsigned int ps_effort_seconds(const struct ps_effort *e)
{
	double left = e->begin + PS_EFFORT_END - clock_seconds();

	return left < 1 ? 1 : left < PS_EFFORT_FILE ? (unsigned int)left : PS_EFFORT_FILE;
}

bool ps_effort_left(struct ps_effort *e, pid_t *ret)
{
	size_t i;

	for (i = 0; i < e->users.len; i++) {
		if (!effort_has_more(effort_user(e, i)))
			continue;
		*ret = effort_take(effort_user(e, i));
		return true;
	}
	return false;
}

void ps_effort_free(struct ps_effort *e)
{
	size_t i;

	for (i = 0; i < e->users.len; i++)
		vec_free(&effort_user(e, i)->pids);
	vec_free(&e->users);
}
