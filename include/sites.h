/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sites: the table of call sites, as both sides compile it. user/plan/sites.c makes the table, and
 * site_find() of bpf/emit.h looks sites up in it.
 */
#ifndef GOTAP_SITES_H
#define GOTAP_SITES_H

#include "record.h"

/*
 * The class of a call site is the record that a call of the probed function from there makes. The
 * return address of the call names the site. site_find() looks it up by SITE_KEY; a call from a
 * site that is not in the table makes no record.
 */
struct site_class {
	__rec_u8 kind;		/* enum rec_kind */
	__rec_u8 sub;
	__rec_u8 stack;		/* enum stack_class, 0 = none */
	__rec_u8 at;		/* enum site_at; of a probe that is the site (plan/pgo.def) */
};

/*
 * What the program of a probe that is the site has to know of it. It is always SITE_AT_CALLER where
 * a call leaves its return address on the stack.
 */
enum site_at {
	SITE_AT_CALLER = 0,	/* the frame pointer is that of the caller */
	SITE_AT_CHECK,		/* likewise; the function restarts if the branch there is taken */
	SITE_AT_FRAME,		/* the frame pointer leads to the function's own frame */
};

/*
 * The classes lie in a hash table without collisions: user space picks a multiplier for which every
 * key has a slot of its own. A look-up is one multiplication and one comparison (a BPF hash map
 * costs 30 ns more per transition).
 */
enum { SITE_SLOTS = 1024 };

struct site_slot {
	__rec_u64 key;		/* 0: empty */
	struct site_class class;
	__rec_u32 unused;
};

#define SITE_SLOT(key, multiplier) (((__rec_u64)(key) * (multiplier)) >> 54)

/* User addresses have 47 bits (57 with LA57, which Go does not use for text). */
#define SITE_KEY(pc, old, new_) \
	((__rec_u64)(pc) | (__rec_u64)((old) & 0xff) << 48 | (__rec_u64)((new_) & 0xff) << 56)

#endif
