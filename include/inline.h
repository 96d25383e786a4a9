/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inline: the memory that gotap and its code inside the target share with `--attach inline`.
 * Compiled by both sides: user/inline, user/capture (gotap) and bpf/inline (the target).
 *
 * The target can write all of it: gotap reads every word of it as hostile input.
 */
#ifndef GOTAP_INLINE_H
#define GOTAP_INLINE_H

#include "rings.h"

/*
 * The number of Ps for which the memory has the last thread: as many as the first page has room
 * for.
 */
enum { INLINE_PS = 960 };

/*
 * The begin of the shared memory (a memfd). After it come, each at a multiple of 4096 bytes:
 * @n_states struct ring_state (one per CPU number), INLINE_SEEN keys of stacks, INLINE_HINTS struct
 * inline_hints, the chunks of the rings.
 */
struct inline_shared {
	__rec_u64 magic;	/* INLINE_MAGIC: a later gotap knows the memory by it */
	/*
	 * A robust futex (set_robust_list(2)): the thread id of the prober. When that ends, in
	 * whatever way, the kernel sets FUTEX_OWNER_DIED here. The code records only while the word
	 * has an id and not that bit.
	 */
	__rec_u32 alive;
	__rec_u32 on;		/* 0: nothing is recorded, for a while or for good */
	__rec_u32 stacks;	/* STACKS_WHOLE, SHORT or NONE */
	__rec_u32 n_states;
	__rec_u64 states, seen, hints, chunks, size;	/* offsets from here, and bytes in all */
	__rec_u64 names_lost;	/* counted by the sources of bpf/; nobody reads it here */
	__rec_u64 texts_missing;
	__rec_u64 code, code_size;	/* of the code in the target, for a later gotap */
	/*
	 * The thread that took the P last; the index is p.id. A thread that exits gives its P away
	 * when its M has no id any more.
	 */
	__rec_u32 owners[INLINE_PS];
};

#define INLINE_MAGIC 0x31656e696c6e6967ULL
#define INLINE_NAME "gotap"			/* of the memfd: /memfd:gotap in maps */

/* Keys of stacks that were sent: sets of four in a cache line, as `seen` of bpf/stack.h. */
enum { INLINE_SEEN = 65536 };

/*
 * Where a deep stack had its frames when it was walked last (bpf/inline/deep.h): distances in words
 * from the frame where hints begin. They make a walk faster, and nothing else depends on them.
 */
enum { INLINE_HINTS = 1024 };

struct inline_hints {
	__rec_u16 at[128];	/* as many as a stack has frames at most */
};

/* FUTEX_OWNER_DIED of linux/futex.h, which the target's code does not include. */
#define INLINE_OWNER_DIED 0x40000000U

/*
 * The page of data after the code, which the target alone has (MADV_WIPEONFORK): a child that was
 * forked and has not exec'ed finds zeros in it, and so records nothing.
 */
struct inline_control {
	__rec_u64 shared;	/* address of struct inline_shared in the target; 0: off */
};

/*
 * The layout of the shared memory: offsets from its begin, and counts. The code in the target has a
 * copy of its own, so that nothing that the target may write to the memory leads the code
 * elsewhere.
 */
struct inline_layout {
	__rec_u32 n_states, n_chunks;
	__rec_u64 states, seen, hints, chunks;
};

/* The probe that a site replaces: which of the programs of bpf/ runs there. */
enum inline_program {
	INLINE_NONE,
#define INLINE_PROGRAM(name) INLINE_##name,
#include "inline.def"
#undef INLINE_PROGRAM
	INLINE_PROGRAMS,
};

/*
 * One patched place. The table lies in the image behind the code (r-x); gotap fills it before it
 * writes the image. A call leads to the stub of its site, and from there to @target.
 */
struct inline_site {
	__rec_u64 target;	/* where the original call leads */
	__rec_u64 flag;		/* a trace hook: address of trace.enabled; 0: a call */
	__rec_u32 program;	/* enum inline_program */
	__rec_u32 unused;
};

enum { INLINE_SITES = 512 };

#endif
