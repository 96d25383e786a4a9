/* SPDX-License-Identifier: GPL-2.0 */
/*
 * wait_object: the object that a goroutine is about to wait for, as a word of include/waits.h. The
 * probe runs between gopark and the change of the status: m.waitlock is the second argument of
 * gopark, and g.waiting and the frames of the waiting functions are complete.
 */
#ifndef GOTAP_BPF_WAIT_OBJECT_H
#define GOTAP_BPF_WAIT_OBJECT_H

#include "gostate.h"

/* The word of the channel at @c. Its capacity never changes. */
static __always_inline __u64 wait_channel(__u64 c)
{
	__u64 cap = FIELD(64, c, hchan_dataqsiz);

	cap = cap < WAIT_CAP_MOST - 1 ? cap + 1 : WAIT_CAP_MOST;
	return (c & WAIT_ADDRESS) | cap << WAIT_ADDRESS_BITS;
}

static __always_inline void wait_send_pair(__u64 pid_tgid, __u64 gp, __u8 number,
					   const __u64 *pair)
{
	struct rec_long *l = rec_begin_own(sizeof(*l), pid_tgid, REC_GO_SELECT, number);

	if (!l)
		return;
	l->r.id = 0;
	l->r.ptr = gp;
	l->stack = pair[0];
	l->arg = pair[1];
	rec_submit(l);
}

/*
 * Sends the channels of a select, two by two, and returns the first. g.waiting has a sudog for each
 * case with a channel, in the order of the channels' addresses; a select without one has none.
 */
static __always_inline __u64 wait_select(__u64 gp, __u64 pid_tgid)
{
	__u64 s = FIELD(64, gp, g_waiting), first = 0, pair[2];
	struct wait_case c;
	__u8 i;

	for (i = 1; i <= WAIT_CHANNELS / 2 && s; i++) {
		c = read_case(s);
		pair[0] = wait_channel(c.c);
		pair[1] = 0;
		if (c.next) {
			c = read_case(c.next);
			pair[1] = wait_channel(c.c);
		}
		s = c.next;
		first = first ? first : pair[0];
		wait_send_pair(pid_tgid, gp, i, pair);
	}
	return first;
}

/* The word of the semaphore on which @gp waits with the sudog at @s. */
static __always_inline __u64 wait_semaphore(__u64 gp, __u64 s)
{
	struct wait_sudog sudog;

	if (!s)
		return 0;
	sudog = read_sudog(s);
	return sudog.g == gp ? sudog.elem & WAIT_ADDRESS : 0;
}

/*
 * The descriptor of the pollDesc of which @at is the word rg or wg, which are neighbours. The word
 * before fd is the link, nil or the address of a pollDesc. If @at is wg, the place where a pollDesc
 * with rg there would have its link is fd: a small number, and 0 only for descriptor 0.
 */
static __always_inline __u64 wait_descriptor(__u64 at)
{
	const __u64 most = 1ULL << 31;	/* fs.nr_open is below it, and no pollDesc */
	__u64 desc = at - off.poll_rg, link = read_u64(desc), fd;

	fd = link && link < most ? link : FIELD(64, desc, poll_fd);
	return fd < most ? fd + 1 : 0;
}

/*
 * Returns the object for which goroutine @gp, which runs on M @m, is about to be parked, as a word
 * of include/waits.h; 0: not known. @bp is the frame pointer of gopark.
 */
static __always_inline __u64 wait_find(__u64 gp, __u64 m, __u64 bp, __u64 pid_tgid, __u64 reason)
{
	__u64 lock;

	switch (wait_hows.of[reason & (WAIT_REASONS - 1)]) {
	case WAIT_HOW_CHANNEL:
		lock = FIELD(64, m, m_waitlock);
		return lock ? wait_channel(lock - off.hchan_lock) : 0;
	case WAIT_HOW_SELECT:
		return wait_select(gp, pid_tgid);
	case WAIT_HOW_SEMA:
		return wait_semaphore(gp, FIELD(64, gp, g_waiting));
	case WAIT_HOW_SEMA_SLOT:
		return wait_semaphore(gp, read_sema_frame(bp));
	case WAIT_HOW_COND:
		lock = FIELD(64, m, m_waitlock);
		return lock ? (lock - WAIT_NOTIFY_LOCK) & WAIT_ADDRESS : 0;
	case WAIT_HOW_NETWORK:
		lock = FIELD(64, m, m_waitlock);
		return lock ? wait_descriptor(lock) : 0;
	}
	return 0;
}

/*
 * In BPF a function of its own: its buffers are not on the stack of the program while the program
 * walks a stack. The verifier allows 512 bytes for both.
 */
#ifdef GO_INLINE
#define wait_object wait_find
#else
__u64 wait_object(__u64 gp, __u64 m, __u64 bp, __u64 pid_tgid, __u64 reason);
#endif

#endif
