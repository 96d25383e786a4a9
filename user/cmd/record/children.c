// SPDX-License-Identifier: Apache-2.0
/* children: see children.h. */
#include "cmd/record/children.h"

#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/show.h"
#include "cmd/go_file.h"

/* Percent of one CPU. Clock ticks are 10 ms: a shorter time says nothing about a few percent. */
static const double IDLE_PERCENT = 5, BUSY_PERCENT = 20;
static const double LEAST_SECONDS = 0.4;

static void add_child(struct children *c, pid_t pid)
{
	struct procfs_status st;
	struct child_use child = { .pid = pid };

	if (procfs_usage(c->fs, pid, &child.before) || child.before.parent != c->self.pid ||
	    procfs_status(c->fs, pid, "status", &st) || !go_file_runs(c->fs, pid))
		return;
	snprintf(child.name, sizeof(child.name), "%.15s", st.name);
	c->list[c->count++] = child;
}

void children_begin(struct children *c, const struct procfs *fs, pid_t pid)
{
	struct vec pids = {0};
	size_t i;

	*c = (struct children){ .fs = fs, .self.pid = pid };
	procfs_pids(fs, &pids);
	for (i = 0; i < pids.len && c->count < CHILDREN_KEPT; i++)
		add_child(c, *vec_at(&pids, pid_t, i));
	vec_free(&pids);
	for (i = 0; i < c->count; i++)
		procfs_usage(fs, c->list[i].pid, &c->list[i].before);
	if (c->count && !procfs_usage(fs, pid, &c->self.before))
		c->since = now_ns();
}

/* In percent of one CPU; -1 if another process has that id now. */
static double used(const struct children *c, const struct child_use *u, double seconds)
{
	struct procfs_usage now;

	if (procfs_usage(c->fs, u->pid, &now) || now.start != u->before.start)
		return -1;
	return 100 * (double)(now.cpu - u->before.cpu) / (double)sysconf(_SC_CLK_TCK) / seconds;
}

void children_look(struct children *c)
{
	double seconds = (double)(now_ns() - c->since) / 1e9, own, percent;
	size_t i;

	if (!c->since || seconds < LEAST_SECONDS)
		return;
	own = used(c, &c->self, seconds);
	if (own < 0 || own >= IDLE_PERCENT)
		return;
	for (i = 0; i < c->count; i++) {
		percent = used(c, &c->list[i], seconds);
		if (percent < BUSY_PERCENT || percent <= c->percent)
			continue;
		c->busy = &c->list[i];
		c->percent = percent;
	}
}

void children_print(const struct children *c, FILE *f)
{
	if (c->busy)
		show_printf(f,
			    "process %d is idle; its child %d (%s) uses %.0f %% of a CPU: record "
			    "it with -p %d\n",
			    c->self.pid, c->busy->pid, c->busy->name, c->percent, c->busy->pid);
}

void children_json(const struct children *c, struct json_out *j)
{
	if (!c->busy) {
		json_put_text(j, "busy_child", NULL);
		return;
	}
	json_open_object(j, "busy_child");
	json_put_number(j, "pid", c->busy->pid);
	json_put_text(j, "name", c->busy->name);
	json_put_real(j, "cpu_percent", c->percent, 1);
	json_close_object(j);
}
