// SPDX-License-Identifier: Apache-2.0
/* serve: when connections end, which one is closed for another, and how long each has a place. */
#define _GNU_SOURCE
#include "unit.h"

#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "serve/expiry.h"

enum { MOST = 4, GREEDY = 7, OTHER = 8 };
#define HOUR_NS 3600000000000ULL

static struct expiry expiry;
static int fd[MOST][2];
static struct expiry_entry *x[MOST];

static void begin(struct expiry_limits limits)
{
	int i;

	CHECK_EQ(expiry_init(&expiry, &limits), 0);
	for (i = 0; i < MOST; i++)
		CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, fd[i]), 0);
}

static void add(int i, uint64_t who)
{
	CHECK(expiry_has_place(&expiry));
	expiry_take_place(&expiry);
	x[i] = expiry_add(&expiry, fd[i][0], who, HOUR_NS);
}

static bool is_shut(int i)
{
	char c;

	return recv(fd[i][1], &c, 1, MSG_DONTWAIT) == 0;
}

static void end(void)
{
	int i;

	CHECK(!expiry.first && !expiry.taken && !expiry.silent && !expiry.ended);
	CHECK(!expiry.shares.all.len);
	expiry_free(&expiry);
	for (i = 0; i < MOST; i++)
		close(fd[i][0]), close(fd[i][1]);
}

static void a_connection_ends_with_its_time(void)
{
	begin((struct expiry_limits){ .places = 4, .of_one = 1, .silent = 4 });
	add(0, SHARE_OF_NOBODY);
	add(1, SHARE_OF_NOBODY);
	expiry_run(&expiry);
	CHECK(!is_shut(0) && !is_shut(1));
	expiry_set(&expiry, x[0], 0);
	expiry_run(&expiry);
	CHECK(is_shut(0) && !is_shut(1));
	expiry_set(&expiry, x[1], 0);
	expiry_remove(&expiry, x[1]);
	expiry_run(&expiry);
	CHECK(!is_shut(1));
	expiry_remove(&expiry, x[0]);
	end();
}

static void one_user_does_not_keep_all_connections(void)
{
	begin((struct expiry_limits){ .places = 4, .of_one = 1, .silent = 4 });
	add(0, GREEDY);
	add(1, GREEDY);
	add(2, OTHER);
	CHECK(!is_shut(0) && is_shut(1) && !is_shut(2));
	expiry_remove(&expiry, x[1]);
	expiry_remove(&expiry, x[0]);
	add(3, GREEDY);
	CHECK(!is_shut(3));
	expiry_remove(&expiry, x[2]);
	expiry_remove(&expiry, x[3]);
	end();
}

/* The one of its own that has been silent for the longest time, not those of others. */
static void one_address_replaces_its_own_connections(void)
{
	begin((struct expiry_limits){ .places = 4, .of_one = 2, .silent = 4, .replace = true });
	add(0, OTHER);
	add(1, GREEDY);
	add(2, GREEDY);
	add(3, GREEDY);
	CHECK(!is_shut(0) && is_shut(1) && !is_shut(2) && !is_shut(3));
	expiry_remove(&expiry, x[1]);
	expiry_asks(&expiry, x[2], true);
	expiry_asks(&expiry, x[3], true);
	CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, fd[1]));
	add(1, GREEDY);
	CHECK(is_shut(1) && !is_shut(2) && !is_shut(3));
	expiry_remove(&expiry, x[0]);
	expiry_remove(&expiry, x[1]);
	expiry_remove(&expiry, x[2]);
	expiry_remove(&expiry, x[3]);
	end();
}

/* The connection that asks for nothing for the longest time makes room; one with a request does not. */
static void silent_connections_make_room(void)
{
	int i;

	begin((struct expiry_limits){ .places = 4, .of_one = 1, .silent = 2 });
	add(0, SHARE_OF_NOBODY);
	expiry_asks(&expiry, x[0], true);
	add(1, SHARE_OF_NOBODY);
	add(2, SHARE_OF_NOBODY);
	CHECK(!is_shut(0) && !is_shut(1) && !is_shut(2));
	add(3, SHARE_OF_NOBODY);
	CHECK(!is_shut(0) && is_shut(1) && !is_shut(2) && !is_shut(3));
	expiry_remove(&expiry, x[1]);
	expiry_asks(&expiry, x[0], false);	/* its request is over: it is silent from now on, as the last one */
	CHECK_EQ(expiry.silent, 3);
	add(1, SHARE_OF_NOBODY);
	CHECK(is_shut(2) && !is_shut(0));
	for (i = 0; i < MOST; i++)
		expiry_remove(&expiry, x[i]);
	end();
}

/* The thread of a connection may not have run yet: its bytes may be a request with the token. */
static void one_that_has_sent_something_is_not_closed_for_another(void)
{
	int i;

	begin((struct expiry_limits){ .places = 4, .of_one = 1, .silent = 2 });
	add(0, SHARE_OF_NOBODY);
	CHECK_EQ(write(fd[0][1], "GET", 3), 3);
	add(1, SHARE_OF_NOBODY);
	add(2, SHARE_OF_NOBODY);
	CHECK(!is_shut(0) && is_shut(1) && !is_shut(2));
	for (i = 0; i < 3; i++)
		expiry_remove(&expiry, x[i]);
	end();
}

static void a_connection_has_its_place_until_it_is_removed(void)
{
	eventfd_t n;

	begin((struct expiry_limits){ .places = 2, .of_one = 2, .silent = 1 });
	add(0, OTHER);
	add(1, OTHER);
	CHECK(is_shut(0) && !expiry_has_place(&expiry));
	CHECK(recv(fd[1][1], &n, 1, MSG_DONTWAIT) < 0);
	CHECK(eventfd_read(expiry.room, &n));
	expiry_remove(&expiry, x[0]);
	CHECK(expiry_has_place(&expiry));
	CHECK(!eventfd_read(expiry.room, &n) && n == 1);
	expiry_remove(&expiry, x[1]);
	end();
}

/* One at a time: the next one only when the first has given its place back. */
static void a_client_that_waits_gets_the_place_of_a_silent_one(void)
{
	int i;

	begin((struct expiry_limits){ .places = 3, .of_one = 3, .silent = 3 });
	add(0, OTHER);
	expiry_asks(&expiry, x[0], true);
	add(1, OTHER);
	add(2, OTHER);
	CHECK(!expiry_has_place(&expiry));
	while (!is_shut(1)) {
		expiry_ease(&expiry);
		usleep(1000);
	}
	usleep(1000);
	expiry_ease(&expiry);
	CHECK(!is_shut(0) && !is_shut(2));
	for (i = 0; i < 3; i++)
		expiry_remove(&expiry, x[i]);
	end();
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(a_connection_ends_with_its_time),
		UNIT(one_user_does_not_keep_all_connections),
		UNIT(one_address_replaces_its_own_connections),
		UNIT(silent_connections_make_room),
		UNIT(one_that_has_sent_something_is_not_closed_for_another),
		UNIT(a_connection_has_its_place_until_it_is_removed),
		UNIT(a_client_that_waits_gets_the_place_of_a_silent_one),
		{0},
	});
}
