// SPDX-License-Identifier: Apache-2.0
/* stuck: see stuck.h. */
#include "rings/stuck.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/vec.h"

/* No thread needs this long for a record; /proc is not read before. */
#define PATIENCE_NS 1000000000ULL
#define LOOK_NS 100000000ULL
/* A signal handler can run on the thread in the middle of a record. */
#define RAN_NS 200000000ULL
/* CPU time of the process while the record's thread is not known: others have most of it. */
#define ALL_RAN_NS 2000000000ULL
enum { THREADS_MAX = 4096 };	/* of which one look reads the state */

/*
 * CPU time of the thread in ns: 0, or -errno. -ENOENT: the thread has ended, or the kernel has no
 * such file.
 */
static int stuck_thread_ran(const struct process *proc, uint32_t tid, uint64_t *ret)
{
	struct buf text = {0};
	char what[64];
	int r;

	snprintf(what, sizeof(what), "task/%u/schedstat", tid);
	r = procfs_read(&proc->fs, proc->pid, what, 256, &text);
	if (!r)
		*ret = strtoull((char *)text.data, NULL, 10);
	buf_free(&text);
	return r;
}

static uint64_t stuck_process_ran(const struct process *proc)
{
	struct procfs_usage usage;

	if (procfs_usage(&proc->fs, proc->pid, &usage))
		return UINT64_MAX;	/* it has ended */
	return usage.cpu * (1000000000ULL / (uint64_t)sysconf(_SC_CLK_TCK));
}

/* Is a thread of the process stopped, by a debugger or a signal? */
static bool stuck_thread_is_stopped(const struct process *proc)
{
	struct procfs_status st;
	struct vec tids = {0};
	bool stopped = false;
	char what[64];
	size_t i;

	procfs_tids(&proc->fs, proc->pid, &tids);
	for (i = 0; i < tids.len && i < THREADS_MAX && !stopped; i++) {
		snprintf(what, sizeof(what), "task/%d/status", *vec_at(&tids, pid_t, i));
		stopped = !procfs_status(&proc->fs, proc->pid, what, &st) &&
			  (st.state == 't' || st.state == 'T');
	}
	vec_free(&tids);
	return stopped;
}

static void stuck_begin(struct stuck *s, const struct process *proc, struct ring_block block,
			uint64_t now)
{
	*s = (struct stuck){ .waits = true, .block = block, .since = now, .looked = now };
	s->of_thread = block.tid && !stuck_thread_ran(proc, block.tid, &s->ran);
	if (!s->of_thread)
		s->ran = stuck_process_ran(proc);
}

static uint64_t stuck_ran(const struct stuck *s, const struct process *proc)
{
	uint64_t ran;

	if (s->of_thread)
		return stuck_thread_ran(proc, s->block.tid, &ran) ? UINT64_MAX : ran - s->ran;
	ran = stuck_process_ran(proc);
	return ran == UINT64_MAX ? ran : ran - s->ran;
}

bool stuck_may_end(struct stuck *s, const struct process *proc, struct ring_block block,
		   uint64_t now)
{
	if (!s->waits || s->block.head != block.head || s->block.tid != block.tid)
		stuck_begin(s, proc, block, now);
	if (now - s->since < PATIENCE_NS || now - s->looked < LOOK_NS)
		return true;
	s->looked = now;
	if (s->of_thread || block.tid)
		return stuck_ran(s, proc) < RAN_NS;
	/* a thread that is stopped may be the record's: its time begins when it goes on */
	if (stuck_thread_is_stopped(proc))
		s->ran = stuck_process_ran(proc);
	return stuck_ran(s, proc) < ALL_RAN_NS;
}
