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
	bool counted, asks, ended;
	uint64_t since;		/* it does not ask, ns */
};

void expiry_init(struct expiry *e, unsigned int most, unsigned int silent_most)
{
	*e = (struct expiry){ .most = most, .silent_most = silent_most };
	pthread_mutex_init(&e->lock, NULL);
}

void expiry_free(struct expiry *e)
{
	shares_free(&e->shares);
}

static bool expiry_is_silent(const struct expiry_entry *x)
{
	return !x->asks && !x->ended;
}

/* Under the lock, as the following. */
static void expiry_end(struct expiry *e, struct expiry_entry *x)
{
	if (expiry_is_silent(x))
		e->silent--;
	x->ended = true;
	shutdown(x->fd, SHUT_RDWR);
}

/* A list of connections is short. */
static void expiry_make_room(struct expiry *e)
{
	struct expiry_entry *x, *longest = NULL;

	if (e->silent <= e->silent_most)
		return;
	for (x = e->first; x; x = x->next)
		if (expiry_is_silent(x) && (!longest || x->since < longest->since))
			longest = x;
	expiry_end(e, longest);
}

struct expiry_entry *expiry_add(struct expiry *e, int fd, const struct peer *who, uint64_t ns)
{
	struct expiry_entry *x = xcalloc(1, sizeof(*x));

	*x = (struct expiry_entry){ .fd = fd, .at = now_ns() + ns, .who = *who,
				    .since = now_ns() };
	pthread_mutex_lock(&e->lock);
	x->counted = shares_take(&e->shares, who, e->most);
	x->next = e->first;
	e->first = x;
	e->silent++;
	if (x->counted)
		expiry_make_room(e);
	else
		expiry_end(e, x);
	pthread_mutex_unlock(&e->lock);
	return x;
}

void expiry_set(struct expiry *e, struct expiry_entry *x, uint64_t ns)
{
	pthread_mutex_lock(&e->lock);
	x->at = now_ns() + ns;
	pthread_mutex_unlock(&e->lock);
}

void expiry_asks(struct expiry *e, struct expiry_entry *x, bool asks)
{
	pthread_mutex_lock(&e->lock);
	if (!x->ended && x->asks != asks) {
		x->asks = asks;
		x->since = now_ns();
		e->silent += asks ? -1U : 1U;
	}
	pthread_mutex_unlock(&e->lock);
}

void expiry_remove(struct expiry *e, struct expiry_entry *x)
{
	struct expiry_entry **at;

	pthread_mutex_lock(&e->lock);
	for (at = &e->first; *at != x; at = &(*at)->next)
		;
	*at = x->next;
	if (expiry_is_silent(x))
		e->silent--;
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
			expiry_end(e, x);
	pthread_mutex_unlock(&e->lock);
}
