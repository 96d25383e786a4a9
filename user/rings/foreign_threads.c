// SPDX-License-Identifier: Apache-2.0
/* foreign_threads: see foreign_threads.h. */
#define _GNU_SOURCE
#include "rings/foreign_threads.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/map64.h"
#include "base/vec.h"

enum {
	WORDS = FOREIGN_TIDS / 64,
	LOOKS = 4096,		/* in a round: some us each */
};

#define SECOND_NS 1000000000ULL
#define MAP_NS (SECOND_NS / 10)		/* between two readings of all ids of a namespace */

void foreign_threads_init(struct foreign_threads *t, const struct process *proc)
{
	struct procfs_status st;
	char path[PROCFS_PATH];

	procfs_path(&proc->fs, proc->pid, "task", path);
	*t = (struct foreign_threads){
		.proc = proc,
		.task = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC),
		.inner = proc->bpf_ns.ino &&
			 !procfs_status(&proc->fs, proc->pid, "status", &st) && st.levels > 1,
	};
	t->now = xcalloc(WORDS, sizeof(*t->now));
	t->before = xcalloc(WORDS, sizeof(*t->before));
}

void foreign_threads_free(struct foreign_threads *t)
{
	if (t->now && t->task >= 0)
		close(t->task);
	free(t->now);
	free(t->before);
	*t = (struct foreign_threads){0};
}

void foreign_threads_round(struct foreign_threads *t, uint64_t now)
{
	uint64_t *old = t->before;

	t->looks = LOOKS;
	t->round = now;
	if (now - t->turned < SECOND_NS)
		return;
	t->turned = now;
	t->tokens = FOREIGN_UNSEEN;
	t->before = t->now;
	t->now = old;
	memset(t->now, 0, WORDS * sizeof(*t->now));
}

static void foreign_threads_mark(struct foreign_threads *t, uint64_t tid)
{
	if (tid < FOREIGN_TIDS)
		t->now[tid / 64] |= 1ULL << (tid % 64);
}

/* In a namespace of its own: the file of each thread has its ids. */
static void foreign_threads_map(struct foreign_threads *t)
{
	struct map64 ids = {0};
	size_t i;

	if (t->mapped && t->round - t->mapped < MAP_NS)
		return;
	t->mapped = t->round;
	process_map_tids(t->proc, &ids);
	for (i = 0; i < ids.cap; i++)
		if (ids.slots[i].used)
			foreign_threads_mark(t, ids.slots[i].key);
	map64_free(&ids);
}

static bool foreign_threads_in_proc(struct foreign_threads *t, uint32_t tid)
{
	char name[16];

	if (t->inner) {
		foreign_threads_map(t);
		return t->now[tid / 64] >> (tid % 64) & 1;
	}
	snprintf(name, sizeof(name), "%u", tid);
	return !faccessat(t->task, name, F_OK, 0);
}

/* It has ended since the second before, or nobody has seen it. */
static bool foreign_threads_gone(struct foreign_threads *t, uint32_t tid)
{
	if (t->before[tid / 64] >> (tid % 64) & 1)
		return true;
	if (!t->tokens)
		return false;
	t->tokens--;
	t->unseen++;
	return true;
}

bool foreign_threads_find(struct foreign_threads *t, uint32_t tid)
{
	if (!t->looks)
		return false;
	t->looks--;
	if (!foreign_threads_in_proc(t, tid) && !foreign_threads_gone(t, tid))
		return false;
	foreign_threads_mark(t, tid);
	return true;
}
