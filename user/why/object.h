/* SPDX-License-Identifier: Apache-2.0 */
/*
 * object: the channel, lock or descriptor that a wait was for, as the trail and the path have it.
 */
#ifndef GOTAP_WHY_OBJECT_H
#define GOTAP_WHY_OBJECT_H

#include <stdint.h>

/* As in struct trace_wait, but for the socket of a descriptor. */
struct trail_object {
	uint64_t of;
	uint8_t kind;		/* enum wait_kind; WAIT_NOTHING: not known, or several */
};

#endif
