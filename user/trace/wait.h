/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wait: the object that a goroutine waits for, as events of the model and of readers have it. The
 * model (sched/waits.c) makes it from records, v2_sink.c writes it, read/waits.h reads it.
 */
#ifndef GOTAP_TRACE_WAIT_H
#define GOTAP_TRACE_WAIT_H

#include <stdbool.h>
#include <stdint.h>

#include "waits.h"

enum trace_protocol { TRACE_NO_SOCKET = 0, TRACE_TCP = 1, TRACE_UDP = 2, TRACE_UNIX = 3 };

/*
 * The socket of a descriptor, with both addresses. If it is one of AF_UNIX, both addresses are the
 * inode number of the end that connected (8 bytes of the machine's order), and the ports are 1
 * local, 0 remote at the end that was accepted, and 0 local, 1 remote at the other one.
 */
struct trace_socket {
	uint8_t protocol;	/* enum trace_protocol; TRACE_NO_SOCKET: not known */
	uint16_t local_port, remote_port;
	uint8_t local[16], remote[16];	/* of IPv6; those of IPv4 are mapped */
};

struct trace_wait {
	uint8_t kind;		/* enum wait_kind */
	uint8_t n;		/* objects: one, or those of a select */
	bool more;		/* a select has further channels */
	union {
		/* waits.h: the address of the object itself, and a channel's capacity */
		uint64_t of[WAIT_CHANNELS];
		struct {
			uint64_t descriptor;	/* of[0] */
			struct trace_socket socket;
		} network;		/* of WAIT_NETWORK; set by the reader of a trace */
	};
};

/* A descriptor was this socket in this time (ns) at least. */
struct trace_socket_time {
	uint64_t fd, from, to;
	struct trace_socket socket;
};

/* The address of object @i; of WAIT_NETWORK the number of the descriptor. */
static inline uint64_t wait_address(const struct trace_wait *w, unsigned int i)
{
	return (w->of[i] & WAIT_ADDRESS) - (w->kind == WAIT_NETWORK);
}

/*
 * The capacity of channel @i, -1: the object is no channel. WAIT_CAP_MOST - 1 stands for larger
 * ones, too.
 */
static inline int wait_capacity(const struct trace_wait *w, unsigned int i)
{
	return (int)(w->of[i] >> WAIT_ADDRESS_BITS) - 1;
}

/* "channel", "mutex", ... */
const char *wait_kind_name(uint8_t kind);

#endif
