/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inliner: puts the code of `--attach inline` into the target, leads calls to it, and undoes both.
 * Everything here runs in the prober (prober.h), which survives gotap, but for inliner_new() and
 * _free(): the result is in memory that both share.
 *
 * The order: probes are in place as uprobes (links.h), at instructions with an operand to patch.
 * Then inliner_inject() makes memory; gotap opens the rings in it; inliner_patch() changes the
 * operands under the uprobes; links_release() takes those away. The end is the reverse:
 * links_cover(), inliner_undo(), links_detach(), inliner_remove().
 */
#ifndef GOTAP_ATTACH_INLINER_H
#define GOTAP_ATTACH_INLINER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "attach/inline_left.h"
#include "base/error.h"
#include "base/vec.h"
#include "inline.h"
#include "inline/inject.h"
#include "inline/patch.h"
#include "live/process.h"
#include "plan/plan.h"
#include "proc/freezer.h"

struct links;

enum inline_state {
	INLINE_STATE_OFF,	/* nothing was changed */
	INLINE_STATE_ON,	/* calls lead to code in the target */
	INLINE_STATE_UNDONE,	/* all is as before */
	/* the program has ended, or runs another: its memory is gone with it */
	INLINE_STATE_GONE,
	/*
	 * calls are as before, or never led there; the memory could not be taken out: it is inert
	 */
	INLINE_STATE_LEFT,
	INLINE_STATE_STUCK,	/* calls could not be put back: their code does nothing */
};

/* Memory of an earlier gotap that was killed together with its prober. */
enum inline_earlier {
	INLINE_EARLIER_NONE,
	INLINE_EARLIER_TAKEN,	/* was found and taken out */
	INLINE_EARLIER_LEFT,	/* was found and is still there, or may be */
};

/*
 * The outcome of --attach inline. The prober writes it; gotap reads it after the answer to a
 * request, or at the end.
 */
struct inline_status {
	enum inline_state state;
	int memfd;		/* the prober's descriptor of the shared memory */
	unsigned int sites;	/* places that lead to the code */
	unsigned int stayed;	/* places that could, but are breakpoints: why */
	struct holds held;	/* of the program's threads */
	/* a function where somebody else's breakpoint came meanwhile; "": none */
	char disturbed[80];
	char why[160];
	enum inline_earlier earlier;
	char earlier_why[160];	/* of INLINE_EARLIER_LEFT */
	/* the prober goes on without gotap until it has taken out what is left */
	bool waits;
};

struct inliner {
	const struct plan *plan;
	const struct process *proc;
	const struct gotap_bpf__rodata *knobs;
	struct inline_shared head;	/* as the shared memory will begin */
	struct inline_status *status;	/* shared with gotap */
	struct freezer_mounts mounts;
	/* gotap's descriptor of the memory, for a second prober; -1: none yet */
	int known;
	/* of the prober: */
	struct injected memory;
	bool injected;
	/* one more descriptor of the memory of this recording, until the end; -1: none */
	int pages;
	struct inline_left left;
	bool ended;		/* what is left has had its last try before the end of gotap */
	struct inline_shared *shared;
	struct vec patches;	/* struct patch, one for each point with a patch */
	struct vec points;	/* size_t: the point of each */
};

/*
 * To be called before the prober is forked. @head: the layout of the shared memory
 * (rings/inline_rings). 0 or -errno.
 */
int inliner_init(struct inliner *in, const struct plan *plan, const struct process *proc,
		  const struct gotap_bpf__rodata *knobs, const struct inline_shared *head);
/* In gotap, at the end. */
void inliner_free(struct inliner *in);

/* Does the probe at point @i of the plan have no breakpoint any more? */
static inline bool inliner_has(const struct inliner *in, size_t i)
{
	size_t j;

	for (j = 0; j < in->points.len; j++)
		if (*vec_at(&in->points, size_t, j) == i)
			return vec_at(&in->patches, struct patch, j)->done;
	return false;
}

/*
 * To be called before the first probe. Takes out the memory of a gotap that was killed together
 * with its prober, and looks which places have a breakpoint of another tracer; gotap does not
 * change these. -EBUSY: another gotap records the program with --attach inline.
 */
int inliner_look(struct inliner *in, struct links *links, struct error *err);
/* -EAGAIN: no thread sleeps where it can be borrowed; later, perhaps. */
int inliner_inject(struct inliner *in, struct error *err);
/* Changes the operands. Where that cannot be done the uprobes stay: in->status counts both. */
int inliner_patch(struct inliner *in, struct error *err);
/*
 * To be called at the end, before uprobes are put there again: has another tracer put a breakpoint
 * there?
 */
void inliner_look_again(struct inliner *in);
/* Puts the calls back, under uprobes at all places that inliner_has(). */
void inliner_undo(struct inliner *in);
/*
 * The removal was impossible, for @why: the calls lead to code that does nothing until the program
 * ends.
 */
void inliner_give_up(struct inliner *in, const struct error *why);
/* Has the program ended, or exec'ed another? Then there is nothing to undo. */
bool inliner_is_gone(struct inliner *in);
/* No call leads in any more, or none could be put back. */
void inliner_remove(struct inliner *in);
/*
 * Gives back the pages of the shared memory: by gotap when it has read all, by the prober of a
 * gotap that was killed. What is left in the target, or in processes that it has forked, is address
 * space then.
 */
void inliner_free_pages(struct inliner *in);
/* Nothing is recorded from now on. */
void inliner_silence(struct inliner *in);

#endif
