/* SPDX-License-Identifier: Apache-2.0 */
/*
 * follow_event: the events of processes that bpf/follow/follow.bpf.c sends to user/follow/follow.c,
 * and the sizes of its maps.
 */
#ifndef GOTAP_FOLLOW_EVENT_H
#define GOTAP_FOLLOW_EVENT_H

enum {
	FOLLOW_PROCESSES = 16384,	/* processes that are followed at one time */
	FOLLOW_NAME = 16,		/* bytes of a task's name (comm), with the NUL */
};

/* A process has returned from exec in the kernel, and has run no instruction of its new program. */
struct follow_event {
	unsigned long long time;	/* CLOCK_MONOTONIC, in ns */
	unsigned int tgid;
	unsigned int reserved;
};

#endif
