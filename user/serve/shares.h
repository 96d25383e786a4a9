/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shares: how much of something each client has now, so that one of them cannot keep all of it.
 * Slots (slots.h) and connections (expiry.h) count with it, under locks of their own.
 */
#ifndef GOTAP_SERVE_SHARES_H
#define GOTAP_SERVE_SHARES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

/* A client by peer_share() or peer_share_of_socket(). That of root is not counted. */
#define SHARE_OF_NOBODY UINT64_MAX

/* Zeroed: nobody has any. Its memory is that of the largest number of clients at a time. */
struct shares {
	struct vec all;		/* struct share, of those who have some */
};

/* Takes one more for @who. False: @who has @most already. */
bool shares_take(struct shares *s, uint64_t who, unsigned int most);
/* Gives one of @who back. */
void shares_give(struct shares *s, uint64_t who);
/* The share of @all that one user may have: half of it, but at least one if @all is not 0. */
static inline unsigned int shares_half(unsigned int all)
{
	return (all + 1) / 2;
}
void shares_free(struct shares *s);

#endif
