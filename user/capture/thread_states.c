// SPDX-License-Identifier: Apache-2.0
/* thread_states: see thread_states.h. */
#include "capture/thread_states.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "proc/cgroup_cpu.h"
#include "proc/freezer.h"

enum { CGROUP_TEXT = 16384, FILE_TEXT = 4096, SOME_THREADS = 64 };
#define CGROUP_NS (250 * 1000 * 1000)

/* --- threads --- */

static bool read_task(const struct process *p, pid_t tid, const char *file, struct buf *ret)
{
	char what[64];

	ret->len = 0;
	snprintf(what, sizeof(what), "task/%d/%s", tid, file);
	return !procfs_read(&p->fs, p->pid, what, FILE_TEXT, ret) && ret->len;
}

static enum rec_off off_of(char state)
{
	switch (state) {
	case 'R': return REC_OFF_RUNNABLE;
	case 'D': return REC_OFF_BLOCKED;
	case 'T': return REC_OFF_STOPPED;
	case 't': return REC_OFF_TRACED;
	case 'Z': case 'X': return REC_OFF_DEAD;
	default: return REC_OFF_SLEEP;
	}
}

/* "TID (comm) STATE ...", in which comm may hold anything; the CPU is field 39. */
static bool take_stat(struct rec_thread *t, const char *text)
{
	const char *open = strchr(text, '('), *close = strrchr(text, ')'), *s = close;
	size_t n;
	int i;

	if (!open || !close || close < open || close[1] != ' ')
		return false;
	n = (size_t)(close - open - 1);
	memcpy(t->comm, open + 1, n < sizeof(t->comm) ? n : sizeof(t->comm));
	t->r.sub = off_of(close[2]);
	for (i = 2; s && i < 39; i++)
		s = strchr(s + 1, ' ');
	t->r.flags = s ? (uint16_t)strtoul(s, NULL, 10) : 0;
	return true;
}

/* "RAN WAITED TIMES" */
static void take_schedstat(struct rec_thread *t, const char *text)
{
	char *end;

	t->stack = strtoull(text, &end, 10);
	t->r.id = strtoull(end, NULL, 10);
}

/* "NUMBER ARGUMENTS", "-1 SP PC" if it sleeps without one, "running" of a runnable thread. */
static uint64_t syscall_of(const char *text)
{
	return *text == 'r' ? UINT64_MAX : (uint64_t)strtoll(text, NULL, 10);
}

/*
 * Is @wchan (/proc/PID/task/TID/wchan) the function in which the cgroup freezer of version 1 or 2
 * holds a thread? Before Linux 6.1 version 1 does not move a thread that sleeps: such a thread
 * counts as asleep.
 */
static bool is_frozen_at(const char *wchan)
{
	return strstr(wchan, "refrigerator") || strstr(wchan, "freezer") ||
	       strstr(wchan, "get_signal");
}

/* Returns the id of a thread as records have it. */
static uint32_t record_tid(const struct process *p, pid_t tid)
{
	struct procfs_status st;
	char what[64];

	if (!p->bpf_ns.ino)
		return (uint32_t)tid;
	snprintf(what, sizeof(what), "task/%d/status", tid);
	return procfs_status(&p->fs, p->pid, what, &st) || !st.levels ?
		       0 :
		       (uint32_t)procfs_inner_id(&st);
}

/* Returns whether the whole cgroup of the program is frozen. */
static bool group_is_frozen(const struct thread_states *t)
{
	const struct freezer_mounts m = { .mounts = t->mounts };
	struct buf text = {0};
	bool frozen = !procfs_read(&t->proc->fs, t->proc->pid, "cgroup", CGROUP_TEXT, &text) &&
		      text.len && freezer_is_frozen(&m, (char *)text.data);

	buf_free(&text);
	return frozen;
}

/*
 * @group: the whole cgroup is frozen. Since 6.1 the freezer of version 1 leaves a thread where it
 * sleeps; /proc then has its state as D, or as R, though it cannot run.
 */
static bool is_frozen(const struct process *p, pid_t tid, enum rec_off state, bool group,
		      struct buf *text)
{
	if (group && (state == REC_OFF_BLOCKED || state == REC_OFF_RUNNABLE))
		return true;
	return (state == REC_OFF_SLEEP || state == REC_OFF_BLOCKED) &&
	       read_task(p, tid, "wchan", text) && is_frozen_at((char *)text->data);
}

/*
 * Reads schedstat before the state: if the thread goes on a CPU in between, its sum of run time
 * does not include that stay.
 */
static bool read_thread(const struct process *p, pid_t tid, bool group_frozen, struct rec_thread *t)
{
	struct buf text = {0};
	bool there;

	*t = (struct rec_thread){ .r = { .kind = REC_SNAP_THREAD, .tid = record_tid(p, tid) },
				  .arg = UINT64_MAX };
	if (read_task(p, tid, "schedstat", &text))
		take_schedstat(t, (char *)text.data);
	if (read_task(p, tid, "syscall", &text))
		t->arg = syscall_of((char *)text.data);
	there = t->r.tid && read_task(p, tid, "stat", &text) && take_stat(t, (char *)text.data) &&
		t->r.sub != REC_OFF_DEAD;
	if (there && is_frozen(p, tid, t->r.sub, group_frozen, &text))
		t->r.sub = REC_OFF_FROZEN;
	buf_free(&text);
	return there;
}

/*
 * Reads at most @most of the threads that are left, and ends with REC_THREADS of @step after the
 * last one.
 */
static void read_threads(struct thread_states *t, size_t most, enum rec_threads step)
{
	struct rec end = { .kind = REC_THREADS, .sub = (uint8_t)step };
	bool frozen = group_is_frozen(t);
	struct buf out = {0};
	struct rec_thread one;

	if (!t->tids.len)
		procfs_tids(&t->proc->fs, t->proc->pid, &t->tids);
	for (; t->n_read < t->tids.len && most; t->n_read++, most--) {
		if (!read_thread(t->proc, *vec_at(&t->tids, pid_t, t->n_read), frozen, &one))
			continue;
		buf_add(&out, &one, sizeof(one));
		t->n_there++;
	}
	t->reading = t->n_read < t->tids.len;
	end.id = t->n_there;
	if (!t->reading)
		buf_add(&out, &end, sizeof(end));
	if (out.len)
		user_records_add(t->records, out.data, out.len);
	buf_free(&out);
	if (t->reading)
		return;
	vec_free(&t->tids);
	t->n_read = t->n_there = 0;
	/* the cgroup is read next, so that its numbers are of the same time */
	t->read_ns = 0;
}

/* --- the cgroup --- */

static void add_quotas(const struct thread_states *t, const char *text, struct buf *out)
{
	struct cgroup_cpu levels[CGROUP_LEVELS];
	size_t i, n = cgroup_cpu_read(&t->mounts, text, levels);

	for (i = 0; i < n; i++) {
		const struct cgroup_cpu *c = &levels[i];
		struct rec_cgroup r = {
			.r = { .kind = REC_CGROUP_CPU,
			       .flags = (uint16_t)c->up,
			       .id = c->quota_ns,
			       .ptr = c->period_ns },
			.periods = c->periods,
			.throttled = c->throttled,
			.throttled_ns = c->throttled_ns,
		};

		buf_add(out, &r, sizeof(r));
	}
}

static void add_pressures(const struct thread_states *t, const char *text, struct buf *out)
{
	static const char *const names[] = {
		[REC_RESOURCE_CPU] = "cpu",
		[REC_RESOURCE_MEMORY] = "memory",
		[REC_RESOURCE_IO] = "io",
	};
	struct pressure p;
	unsigned int i;

	for (i = REC_RESOURCE_CPU; i <= REC_RESOURCE_IO; i++) {
		struct rec r = { .kind = REC_PRESSURE, .sub = (uint8_t)i };

		if (!pressure_read(&t->mounts, text, &t->proc->fs, names[i], &p))
			continue;
		r.id = p.some_ns;
		r.ptr = p.full_ns;
		r.flags = p.machine;
		buf_add(out, &r, sizeof(r));
	}
}

static void read_cgroup(struct thread_states *t)
{
	uint64_t now = now_ns();
	struct buf text = {0}, out = {0};

	if (now - t->read_ns < CGROUP_NS)
		return;
	t->read_ns = now;
	if (!procfs_read(&t->proc->fs, t->proc->pid, "cgroup", CGROUP_TEXT, &text) && text.len) {
		add_quotas(t, (char *)text.data, &out);
		add_pressures(t, (char *)text.data, &out);
	}
	if (out.len)
		user_records_add(t->records, out.data, out.len);
	buf_free(&text);
	buf_free(&out);
}

void thread_states_tick(struct thread_states *t)
{
	if (!t->proc)
		return;
	if (t->reading)
		read_threads(t, SOME_THREADS, REC_THREADS_READ);
	read_cgroup(t);
}

/* --- begin and end --- */

void thread_states_begin(struct thread_states *t, const struct process *proc,
			 struct user_records *records, uint64_t with)
{
	struct rec begin = { .kind = REC_THREADS, .sub = REC_THREADS_BEGIN, .ptr = with };
	struct pressure p;

	*t = (struct thread_states){ .proc = proc, .records = records, .reading = true };
	cgroup_mounts_find(&t->mounts, "/proc/self/mountinfo");
	if (!pressure_read(&t->mounts, "", &proc->fs, "cpu", &p))
		begin.ptr |= REC_WITHOUT_PRESSURE;
	user_records_add(records, &begin, sizeof(begin));
}

void thread_states_end(struct thread_states *t)
{
	if (!t->proc)
		return;
	if (t->reading)		/* the program ended before all threads were read */
		read_threads(t, SIZE_MAX, REC_THREADS_READ);
	read_threads(t, SIZE_MAX, REC_THREADS_END);
	read_cgroup(t);
}

void thread_states_free(struct thread_states *t)
{
	vec_free(&t->tids);
	cgroup_mounts_free(&t->mounts);
}
