/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inline: the memory that gotap and its code inside the target share with `--attach inline`.
 * Both sides compile this header: gotap (user/inline, rings, attach) and the target (bpf/inline).
 *
 * The target can write all of it: gotap reads every word of it as hostile input.
 */
#ifndef GOTAP_INLINE_H
#define GOTAP_INLINE_H

#include "rings.h"

/* The number of Ps for which the memory has the last thread: as many as fit into its first page. */
enum { INLINE_PS = 960 };

/*
 * The begin of the shared memory (a memfd). The other parts follow, each at a multiple of 4096
 * bytes: @n_states struct ring_state (one per CPU number), INLINE_SEEN keys of stacks, INLINE_HINTS
 * struct inline_hints, INLINE_MS struct inline_m, the chunks of the rings.
 */
struct inline_shared {
	__rec_u64 magic;	/* INLINE_MAGIC, by which a later gotap recognizes the memory */
	/*
	 * A robust futex (set_robust_list(2)): the thread id of the prober. When the prober ends,
	 * for any reason, the kernel sets FUTEX_OWNER_DIED here. The code records only while the
	 * word has a thread id and FUTEX_OWNER_DIED is not set.
	 */
	__rec_u32 alive;
	__rec_u32 on;		/* 0: the code makes no records, for some time or until the end */
	__rec_u32 stacks;	/* STACKS_WHOLE, SHORT or NONE */
	__rec_u32 n_states;
	/* offsets from the begin of the memory; total bytes */
	__rec_u64 states, seen, hints, chunks, size;
	__rec_u64 names_lost;	/* counters of the sources of bpf/; gotap does not read them here */
	__rec_u64 texts_missing;
	__rec_u64 code, code_size;	/* of the code in the target, for a later gotap */
	/*
	 * The thread that took each P last; the index is p.id. A thread that exits releases its P
	 * after the runtime has cleared m.procid, so the code takes the thread id from here.
	 */
	__rec_u32 owners[INLINE_PS];
};

#define INLINE_MAGIC 0x31656e696c6e6967ULL
#define INLINE_NAME "gotap"			/* name of the memfd: /memfd:gotap in maps */

/*
 * Keys of stacks that were sent as REC_STACK: sets of four per cache line, as `seen` of
 * bpf/stack.h.
 */
enum { INLINE_SEEN = 65536 };

/*
 * The places of a deep stack's frames at its last walk (bpf/inline/deep.h): distances in words from
 * the frame at which the hints begin. Hints make a walk faster and do not change its result.
 */
enum { INLINE_HINTS = 1024 };

struct inline_hints {
	__rec_u16 at[128];	/* one for each frame that a stack has at most */
};

/*
 * The last record of an M (runtime.m; the index is m.id), in a cache line of its own
 * (bpf/inline/order.h). Ms with higher ids have none.
 */
enum { INLINE_MS = 512 };

struct inline_m {
	__rec_u64 last;		/* its time, of the TSC; 0: none */
	__rec_u64 unused[7];
};

/* FUTEX_OWNER_DIED of linux/futex.h, a header that the target's code does not include. */
#define INLINE_OWNER_DIED 0x40000000U

/*
 * The page of data after the code, which is private to the target (MADV_WIPEONFORK). A forked child
 * that has not exec'ed finds zeros in the page, and so makes no records.
 */
struct inline_control {
	__rec_u64 shared;	/* address of struct inline_shared in the target; 0: no records */
};

/*
 * The layout of the shared memory: offsets from its begin, and counts. The code in the target has a
 * private copy: a target that overwrites the shared memory cannot lead the code to other addresses.
 */
struct inline_layout {
	__rec_u32 n_states, n_chunks;
	__rec_u64 states, seen, hints, ms, chunks;
};

/*
 * Entries of the section .fields of the image (bpf/inline/field.h): where four bytes of the code
 * are, and which word is to be written there: its offset in struct go_offsets or, from
 * INLINE_FIELD_LAYOUT on, in struct inline_layout.
 */
enum { INLINE_FIELD_LAYOUT = 0x10000 };

struct inline_field {
	__rec_u32 at, word;
};

/* The program of bpf/ that runs at a patched place. */
enum inline_program {
	INLINE_NONE,
#define INLINE_PROGRAM(name) INLINE_##name,
#include "inline.def"
#undef INLINE_PROGRAM
	INLINE_PROGRAMS,
};

/*
 * A patched place. The table of places follows the code in the image (r-x); gotap fills the table
 * before it writes the image. A patched call leads to the stub of its place, and the stub jumps on
 * to @target.
 */
struct inline_site {
	__rec_u64 target;	/* the destination of the original call */
	__rec_u64 flag;		/* a trace hook: address of trace.enabled; 0: a call */
	__rec_u32 program;	/* enum inline_program */
	__rec_u32 unused;
};

enum { INLINE_SITES = 512 };

#endif
