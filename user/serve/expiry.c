// SPDX-License-Identifier: Apache-2.0
/* expiry: see expiry.h. */
#include "serve/expiry.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/vec.h"

struct expiry_entry {
	struct expiry_entry *next;
	int fd;
	uint64_t at;
	uint64_t who;
	bool asks, ended;
	uint64_t since;		/* it does not ask, ns */
};

int expiry_init(struct expiry *e, const struct expiry_limits *limits)
{
	*e = (struct expiry){ .limits = *limits, .room = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) };
	pthread_mutex_init(&e->lock, NULL);
	return e->room < 0 ? -errno : 0;
}

void expiry_free(struct expiry *e)
{
	close(e->room);
	shares_free(&e->shares);
}

/* --- places --- */

bool expiry_has_place(struct expiry *e)
{
	bool has;

	pthread_mutex_lock(&e->lock);
	has = e->taken < e->limits.places;
	pthread_mutex_unlock(&e->lock);
	return has;
}

void expiry_take_place(struct expiry *e)
{
	pthread_mutex_lock(&e->lock);
	e->taken++;
	pthread_mutex_unlock(&e->lock);
}

void expiry_give_place(struct expiry *e)
{
	pthread_mutex_lock(&e->lock);
	e->taken--;
	pthread_mutex_unlock(&e->lock);
	eventfd_write(e->room, 1);
}

/* --- which one is closed for another; under the lock --- */

static bool expiry_is_silent(const struct expiry_entry *x)
{
	return !x->asks && !x->ended;
}

/* The thread of a connection reads all that is there: a client cannot keep this state. */
static bool expiry_is_unread(const struct expiry_entry *x)
{
	char byte;

	return recv(x->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

static void expiry_end(struct expiry *e, struct expiry_entry *x)
{
	if (expiry_is_silent(x))
		e->silent--;
	if (!x->ended) {
		e->ended++;
		shares_give(&e->shares, x->who);
	}
	x->ended = true;
	shutdown(x->fd, SHUT_RDWR);
}

/*
 * Ends the connection that has been silent for the longest time: of @who, unless that is NULL, and
 * at least since @before. A list of connections is short.
 */
static void expiry_end_longest(struct expiry *e, const uint64_t *who, uint64_t before)
{
	struct expiry_entry *x, *longest = NULL;

	for (x = e->first; x; x = x->next)
		if (expiry_is_silent(x) && (!who || x->who == *who) && x->since < before &&
		    !expiry_is_unread(x)) {
			longest = x;
			before = x->since;
		}
	if (longest)
		expiry_end(e, longest);
}

/* A client that was just accepted gets this time for its request, also where places are few. */
static const uint64_t EXPIRY_SILENT_NS = 1000000000;

void expiry_ease(struct expiry *e)
{
	pthread_mutex_lock(&e->lock);
	if (!e->ended)
		expiry_end_longest(e, NULL, now_ns() - EXPIRY_SILENT_NS);
	pthread_mutex_unlock(&e->lock);
}

/* --- one connection --- */

static bool expiry_take_share(struct expiry *e, uint64_t who)
{
	if (shares_take(&e->shares, who, e->limits.of_one))
		return true;
	if (!e->limits.replace)
		return false;
	expiry_end_longest(e, &who, UINT64_MAX);
	return shares_take(&e->shares, who, e->limits.of_one);
}

struct expiry_entry *expiry_add(struct expiry *e, int fd, uint64_t who, uint64_t ns)
{
	struct expiry_entry *x = xcalloc(1, sizeof(*x));

	*x = (struct expiry_entry){ .fd = fd, .at = now_ns() + ns, .who = who, .since = now_ns() };
	pthread_mutex_lock(&e->lock);
	x->ended = !expiry_take_share(e, who);
	x->next = e->first;
	e->first = x;
	if (x->ended) {
		e->ended++;
		shutdown(fd, SHUT_RDWR);
	} else if (++e->silent > e->limits.silent) {
		expiry_end_longest(e, NULL, UINT64_MAX);
	}
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
	if (x->ended)
		e->ended--;
	else
		shares_give(&e->shares, x->who);
	pthread_mutex_unlock(&e->lock);
	expiry_give_place(e);
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
