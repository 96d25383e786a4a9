// SPDX-License-Identifier: Apache-2.0
/* expiry: see expiry.h. */
#include "serve/expiry.h"

#include <stdlib.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/vec.h"

struct expiry_entry {
	struct expiry_entry *next;
	int fd;
	uint64_t at;
	struct peer who;
	bool counted;
};

void expiry_init(struct expiry *e, unsigned int most)
{
	*e = (struct expiry){ .most = most };
	pthread_mutex_init(&e->lock, NULL);
}

void expiry_free(struct expiry *e)
{
	shares_free(&e->shares);
}

struct expiry_entry *expiry_add(struct expiry *e, int fd, const struct peer *who, uint64_t ns)
{
	struct expiry_entry *x = xcalloc(1, sizeof(*x));

	*x = (struct expiry_entry){ .fd = fd, .at = now_ns() + ns, .who = *who };
	pthread_mutex_lock(&e->lock);
	x->counted = shares_take(&e->shares, who, e->most);
	if (!x->counted)
		shutdown(fd, SHUT_RDWR);
	x->next = e->first;
	e->first = x;
	pthread_mutex_unlock(&e->lock);
	return x;
}

void expiry_set(struct expiry *e, struct expiry_entry *x, uint64_t ns)
{
	pthread_mutex_lock(&e->lock);
	x->at = now_ns() + ns;
	pthread_mutex_unlock(&e->lock);
}

void expiry_remove(struct expiry *e, struct expiry_entry *x)
{
	struct expiry_entry **at;

	pthread_mutex_lock(&e->lock);
	for (at = &e->first; *at != x; at = &(*at)->next)
		;
	*at = x->next;
	if (x->counted)
		shares_give(&e->shares, &x->who);
	pthread_mutex_unlock(&e->lock);
	free(x);
}

void expiry_run(struct expiry *e)
{
	uint64_t now = now_ns();
	struct expiry_entry *x;

	pthread_mutex_lock(&e->lock);
	for (x = e->first; x; x = x->next)
		if (x->at <= now)
			shutdown(x->fd, SHUT_RDWR);
	pthread_mutex_unlock(&e->lock);
}
