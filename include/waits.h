/* SPDX-License-Identifier: Apache-2.0 */
/*
 * waits: the object that a goroutine waits for, as one word of a record (REC_GO_PARK,
 * REC_GO_SELECT, REC_SNAP_WAIT). Both sides compile this header.
 *
 * The low 48 bits are the address of a channel, of a semaphore's word or of a sync.Cond's list, or
 * the number of a descriptor + 1. Go on amd64 has heap addresses of 48 bits (runtime/malloc.go,
 * heapAddrBits). The upper 16 bits are the capacity of a channel + 1; 0: not a channel;
 * WAIT_CAP_MOST: that capacity or a larger one. The word 0: not known.
 */
#ifndef GOTAP_WAITS_H
#define GOTAP_WAITS_H

enum {
	WAIT_ADDRESS_BITS = 48,
	WAIT_CAP_MOST = 0xffff,
	WAIT_CHANNELS = 8,	/* channels of a select that are read, at most */
	WAIT_NOTIFY_LOCK = 8,	/* offset of notifyList.lock, in all releases */
	WAIT_REASONS = 64,	/* numbers of wait reasons: fewer, in all releases */
};

#define WAIT_ADDRESS ((1ULL << WAIT_ADDRESS_BITS) - 1)

/* Whatever a goroutine waits for. The numbers are part of the trace (trace/wait.h): append only. */
enum wait_kind {
	WAIT_NOTHING = 0,	/* no object, or not known which */
	WAIT_CHANNEL = 1,
	WAIT_SELECT = 2,	/* several channels */
	WAIT_SEMAPHORE = 3,	/* the word of a semaphore; the type around it is not known */
	WAIT_MUTEX = 4,
	WAIT_RWMUTEX = 5,
	WAIT_WAITGROUP = 6,
	WAIT_COND = 7,
	WAIT_NETWORK = 8,	/* a descriptor; its number + 1 stands for an address */
	WAIT_KINDS,
};

/* How the object is found, by the wait reason (release_wait_how()). */
enum wait_how {
	WAIT_HOW_NONE,		/* there is no object, or it cannot be found */
	WAIT_HOW_CHANNEL,	/* m.waitlock is &hchan.lock */
	WAIT_HOW_SELECT,	/* g.waiting is a list with the channels */
	/* Go 1.26 and later: the elem of g.waiting is the address of the semaphore's word */
	WAIT_HOW_SEMA,
	/* up to 1.25: likewise of the sudog in the frame of semacquire1 (sema_slot) */
	WAIT_HOW_SEMA_SLOT,
	WAIT_HOW_COND,		/* m.waitlock is &notifyList.lock */
	WAIT_HOW_NETWORK,	/* m.waitlock is &pollDesc.rg or &pollDesc.wg */
};

struct wait_hows {
	unsigned char of[WAIT_REASONS];		/* enum wait_how */
};

#endif
