// SPDX-License-Identifier: Apache-2.0
/* effort: see effort.h. */
#include "cmd/ps/effort.h"

#include <sys/resource.h>
#include <time.h>

#include "base/clock.h"

struct user_effort {
	uid_t uid;
	const struct container *in;
	double seconds;
};

/*
 * Seconds. Work that takes at least this long counts with its elapsed time: it waited for something, as for a file. Shorter work
 * counts with its CPU time, since on a busy machine it may have waited for a CPU.
 */
static const double WAITED = 1;

static double seconds_of(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
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

static struct user_effort *user_of(const struct ps_effort *e)
{
	return vec_at(&e->users, struct user_effort, e->user);
}

static bool is_left(const struct ps_effort *e)
{
	double most = e->all < PS_EFFORT_ALL ? PS_EFFORT_USER : PS_EFFORT_LEAST;

	return user_of(e)->seconds < most;
}

static void find_user(struct ps_effort *e, uid_t uid, const struct container *in)
{
	struct user_effort *u;

	for (e->user = 0; e->user < e->users.len; e->user++)
		if (user_of(e)->uid == uid && user_of(e)->in == in)
			return;
	u = vec_push(&e->users, sizeof(*u));
	*u = (struct user_effort){ .uid = uid, .in = in };
}

bool ps_effort_begin(struct ps_effort *e, uid_t uid, const struct container *in)
{
	find_user(e, uid, in);
	e->cpu = cpu_seconds();
	e->wall = (double)now_ns() / 1e9;
	return is_left(e);
}

void ps_effort_add(struct ps_effort *e, double seconds)
{
	user_of(e)->seconds += seconds;
	e->all += seconds;
}

bool ps_effort_go_on(struct ps_effort *e)
{
	double cpu = cpu_seconds(), wall = (double)now_ns() / 1e9;

	ps_effort_add(e, wall - e->wall >= WAITED ? wall - e->wall : cpu - e->cpu);
	e->cpu = cpu;
	e->wall = wall;
	return is_left(e);
}

void ps_effort_free(struct ps_effort *e)
{
	vec_free(&e->users);
}
