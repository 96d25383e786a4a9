/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sockets: which sockets the descriptors of the program are, with their addresses, as records. A
 * probe knows a descriptor by its number only. gotap looks at /proc/PID/fd, and at /proc/PID/net
 * for the addresses of inodes that it has not met, never in the path of a record.
 *
 * A look is a record REC_SOCKET for each descriptor that has become another socket, or none, and a
 * REC_SOCKETS_LOOK. Sockets have inode numbers of their own: a descriptor with the same inode in
 * two looks was the same socket in between.
 */
#ifndef GOTAP_CAPTURE_SOCKETS_H
#define GOTAP_CAPTURE_SOCKETS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map64.h"
#include "base/vec.h"

struct sockets {
	int proc;		/* /proc/PID of the program; -1: none, all looks find nothing */
	struct map64 inodes;	/* inode -> index in known + 1 */
	struct vec known;	/* struct rec_socket, without a descriptor */
	struct map64 fds;	/* descriptor -> index in open */
	struct vec open;	/* struct socket_fd */
	bool opened;		/* the recording has SOCKET_OPENED; set by the owner */
	uint64_t look;		/* number of the look */
	uint64_t next;		/* when the next one is due, on now_ns() */
};

/* @folder: /proc/PID of the program. */
void sockets_init(struct sockets *s, const char *folder);
void sockets_free(struct sockets *s);
/*
 * Appends the records of a look to @out, if one is due, or @now. Looks take at most a hundredth of
 * a CPU, and are 100 ms apart or more. Returns whether it looked.
 */
bool sockets_look(struct sockets *s, bool now, struct buf *out);

#endif
