// SPDX-License-Identifier: Apache-2.0
/* patience: see patience.h. */
#define _GNU_SOURCE
#include "serve/patience.h"

#include <limits.h>
#include <string.h>

#include "base/clock.h"

/* Until the deadline, or @ms if that is sooner. */
static int patience_timeout(const struct patience *p, int ms)
{
	uint64_t now = now_ns(), left = p->deadline > now ? (p->deadline - now) / 1000000 + 1 : 0;
	int most = left > INT_MAX ? INT_MAX : (int)left;

	return ms >= 0 && ms < most ? ms : most;
}

enum patience_end patience_wait(const struct patience *p, struct pollfd *fds, unsigned int n,
				int ms)
{
	struct pollfd all[PATIENCE_FDS + 3];
	unsigned int i;
	int r;

	memcpy(all, fds, n * sizeof(*fds));
	all[n] = (struct pollfd){ .fd = p->client, .events = POLLRDHUP };
	all[n + 1] = (struct pollfd){ .fd = p->stop, .events = POLLIN };
	all[n + 2] = (struct pollfd){ .fd = p->answer, .events = POLLRDHUP };
	r = poll(all, n + 3, patience_timeout(p, ms));
	if (now_ns() >= p->deadline)
		return PATIENCE_LATE;
	for (i = 0; i < n; i++)
		fds[i].revents = r > 0 ? all[i].revents : 0;
	if (r <= 0)
		return PATIENCE_TIME;
	if (all[n].revents || all[n + 2].revents)
		return PATIENCE_CLIENT;
	return all[n + 1].revents ? PATIENCE_STOP : PATIENCE_READY;
}
