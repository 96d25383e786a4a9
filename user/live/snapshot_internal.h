/* SPDX-License-Identifier: Apache-2.0 */
/*
 * snapshot_internal: shared by the files of the snapshot. snapshot.c takes it, snapshot_gs.c reads
 * goroutines, snapshot_ps.c reads Ms and Ps, and snapshot_fits.c checks whether the plan describes
 * the process.
 *
 * The program may be broken or hostile: no list of the snapshot is longer than the memory of the
 * program allows (memory_size()), and every loop over it ends when a stop is requested.
 */
#ifndef GOTAP_LIVE_SNAPSHOT_INTERNAL_H
#define GOTAP_LIVE_SNAPSHOT_INTERNAL_H

#include "base/map64.h"
#include "live/labels.h"
#include "live/pointers.h"
#include "live/snapshot.h"
#include "live/snapshot_stack.h"
#include "live/thread_ids.h"

enum { GS_BATCH = STACK_WALKS };	/* gs read by one request */

/* An M. */
struct m_fact {
	uint32_t tid;
	uint64_t oldp;
	uint32_t syscalltick;
};

struct snapshot_reader {
	const struct plan *plan;
	const struct process *proc;
	const struct roots *roots;
	struct buf *out;
	struct map64 ms;	/* address of an m -> index in m_facts, from 1 */
	struct vec m_facts;	/* struct m_fact */
	uint64_t size;		/* memory_size() */
	struct thread_ids tids;
	struct map64 syscalls;	/* P and tick -> tid: the threads of Ps in syscalls */
	uint64_t now;
	struct stack_reader stacks;
	struct stack_walk *walks;	/* GS_BATCH of them */
	struct wait_walk *waits;	/* GS_BATCH of them */
	struct live_labels *labels;	/* room for one set; NULL: no labels are wanted */
	const struct stop_request *stop;
};

/* Appends a record of @kind. The pointer is valid until the next call. */
static inline struct rec_long *snapshot_add(struct snapshot_reader *rd, uint8_t kind)
{
	struct rec_long zero = { .r = { .time = rd->now, .kind = kind } };
	size_t at = rd->out->len;

	buf_add(rd->out, &zero, sizeof(zero));
	return (struct rec_long *)(rd->out->data + at);
}

/* snapshot_gs.c */
int snapshot_list_gs(const struct snapshot_reader *rd, struct pointers *ret, struct error *err);
/*
 * Reads @size bytes at @offset of each g, to places of @room bytes each; @ok gets which were
 * readable.
 */
void snapshot_read_gs(const struct snapshot_reader *rd, const uint64_t *gs, size_t n,
		      unsigned int offset, size_t size, void *to, size_t room, bool *ok);
/*
 * Appends a record for each goroutine, and counts those that could not be read. Returns 0 or a
 * negative errno.
 */
int snapshot_take_gs(struct snapshot_reader *rd, struct snapshot_counts *counts, struct error *err);

/*
 * snapshot_ps.c: returns the M at @m, NULL if it cannot be read. The pointer is valid until the
 * next call.
 */
struct m_fact *snapshot_m(struct snapshot_reader *rd, uint64_t m);
/* Must follow snapshot_read_gs() of all goroutines, because it needs their Ms. */
int snapshot_take_ps(struct snapshot_reader *rd, struct snapshot_counts *counts, struct error *err);

/* snapshot_waits.c: room for a batch; the caller frees it. */
struct wait_walk *snapshot_waits_new(void);
/*
 * Reads what each of @n goroutines waits for that has its member of @waiting set. @bytes has their
 * gs, each @size bytes after the one before.
 */
void snapshot_waits_read(struct snapshot_reader *rd, const uint64_t *gs, const uint8_t *bytes,
			 size_t size, const bool *waiting, size_t n);
/* Appends what goroutine @i of them waits for, if that is known, after the SNAP_G at @record. */
void snapshot_waits_record(struct snapshot_reader *rd, size_t i, size_t record);

/*
 * snapshot_fits.c: -EINVAL: the offsets are not those of this process, so that all values would be
 * wrong.
 */
int snapshot_check(const struct snapshot_reader *rd, struct error *err);

#endif
