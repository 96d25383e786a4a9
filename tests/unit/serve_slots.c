// SPDX-License-Identifier: Apache-2.0
/* serve: who waits for a slot, when connections end, and the share of both that one user can have. */
#define _GNU_SOURCE
#include "unit.h"

#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "serve/expiry.h"
#include "serve/slots.h"

static const struct peer root = { .all = true };

/* --- slots --- */

static struct slots slots;
static int taken_order[2], taken;

/* Waits for up to a minute, without a client that may disconnect and without a stop of the server. */
static struct patience patient(void)
{
	return (struct patience){ .client = -1, .stop = -1, .deadline = now_ns() + 60000000000ULL };
}

static void *take_one(void *arg)
{
	struct patience p = patient();

	CHECK(slots_take(&slots, &root, &p, 60000) == SLOTS_TAKEN);
	taken_order[taken++] = *(int *)arg;
	slots_give(&slots, &root);
	return NULL;
}

static unsigned int waiting(void)
{
	unsigned int n;

	pthread_mutex_lock(&slots.lock);
	n = slots.waiting;
	pthread_mutex_unlock(&slots.lock);
	return n;
}

static void who_waits_first_is_first(void)
{
	struct patience p = patient();
	int number[] = { 1, 2 };
	pthread_t thread[2];
	unsigned int i;

	slots_init(&slots, 1, 2);
	CHECK(slots_take(&slots, &root, &p, 0) == SLOTS_TAKEN);
	for (i = 0; i < 2; i++) {
		pthread_create(&thread[i], NULL, take_one, &number[i]);
		while (waiting() != i + 1)
			usleep(1000);
	}
	CHECK(slots_take(&slots, &root, &p, 1000) == SLOTS_FULL);
	slots_give(&slots, &root);
	for (i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	CHECK(taken == 2 && taken_order[0] == 1 && taken_order[1] == 2);
	CHECK(slots.free == 1 && !slots.waiting && !slots.first);
}

static void who_waits_is_not_forgotten(void)
{
	struct patience p = patient();
	int ends[2];

	p.stop = eventfd(0, 0);
	slots_init(&slots, 1, 2);
	CHECK(slots_take(&slots, &root, &p, 0) == SLOTS_TAKEN);
	CHECK(slots_take(&slots, &root, &p, 10) == SLOTS_LATE);
	CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
	p.client = ends[0];
	close(ends[1]);
	CHECK(slots_take(&slots, &root, &p, 60000) == SLOTS_CLIENT);
	p.client = -1;
	eventfd_write(p.stop, 1);
	CHECK(slots_take(&slots, &root, &p, 60000) == SLOTS_STOP);
	CHECK(!slots.free && !slots.waiting && !slots.first);
	slots_give(&slots, &root);
	CHECK(slots_take(&slots, &root, &p, 0) == SLOTS_TAKEN);
	close(ends[0]);
	close(p.stop);
}

struct asker {
	struct peer who;
	int number;
};

static void *take_for(void *arg)
{
	struct patience p = patient();
	const struct asker *a = arg;

	CHECK(slots_take(&slots, &a->who, &p, 60000) == SLOTS_TAKEN);
	taken_order[taken++] = a->number;
	return NULL;
}

/* One user can have one of the two slots and two of the four places in the queue; others get the rest at once. */
static void one_user_does_not_keep_all(void)
{
	struct patience p = patient();
	struct asker greedy[2] = { { { .uid = 7 }, 1 }, { { .uid = 7 }, 2 } };
	const struct peer other = { .uid = 8 };
	pthread_t thread[2];
	unsigned int i;

	taken = 0;
	slots_init(&slots, 2, 4);
	CHECK(slots_take(&slots, &greedy[0].who, &p, 0) == SLOTS_TAKEN);
	for (i = 0; i < 2; i++) {
		pthread_create(&thread[i], NULL, take_for, &greedy[i]);
		while (waiting() != i + 1)
			usleep(1000);
	}
	CHECK(slots.free == 1);
	CHECK(slots_take(&slots, &greedy[0].who, &p, 1000) == SLOTS_SHARE);
	CHECK(slots_take(&slots, &other, &p, 0) == SLOTS_TAKEN);
	slots_give(&slots, &other);
	CHECK(slots.free == 1 && slots.waiting == 2);
	CHECK(slots_take(&slots, &root, &p, 0) == SLOTS_TAKEN);
	slots_give(&slots, &greedy[0].who);
	pthread_join(thread[0], NULL);
	CHECK(taken == 1 && taken_order[0] == 1 && slots.waiting == 1);
	slots_give(&slots, &root);
	CHECK(slots.free == 1 && slots.waiting == 1);
	slots_give(&slots, &greedy[0].who);
	pthread_join(thread[1], NULL);
	CHECK(taken == 2 && taken_order[1] == 2 && !slots.waiting);
	slots_give(&slots, &greedy[1].who);
	CHECK(slots.free == 2 && !slots.has.users.len && !slots.waits.users.len);
	slots_free(&slots);
}

/* --- connections --- */

static bool is_shut(int fd)
{
	char c;

	return recv(fd, &c, 1, MSG_DONTWAIT) == 0;
}

static void a_connection_ends_with_its_time(void)
{
	struct expiry_entry *x[2];
	struct expiry e;
	int a[2], b[2];

	CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, a) && !socketpair(AF_UNIX, SOCK_STREAM, 0, b));
	expiry_init(&e, 1, 4);
	x[0] = expiry_add(&e, a[0], &root, 3600000000000ULL);
	x[1] = expiry_add(&e, b[0], &root, 3600000000000ULL);
	expiry_run(&e);
	CHECK(!is_shut(a[1]) && !is_shut(b[1]));
	expiry_set(&e, x[0], 0);
	expiry_run(&e);
	CHECK(is_shut(a[1]) && !is_shut(b[1]));
	expiry_set(&e, x[1], 0);
	expiry_remove(&e, x[1]);
	expiry_run(&e);
	CHECK(!is_shut(b[1]));
	expiry_remove(&e, x[0]);
	CHECK(!e.first);
	close(a[0]), close(a[1]), close(b[0]), close(b[1]);
}

static void one_user_does_not_keep_all_connections(void)
{
	const struct peer greedy = { .uid = 7 }, other = { .uid = 8 };
	struct expiry_entry *x[4];
	struct expiry e;
	int fd[4][2], i;

	for (i = 0; i < 4; i++)
		CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, fd[i]));
	expiry_init(&e, 1, 4);
	for (i = 0; i < 2; i++)
		x[i] = expiry_add(&e, fd[i][0], &greedy, 3600000000000ULL);
	x[2] = expiry_add(&e, fd[2][0], &other, 3600000000000ULL);
	CHECK(!is_shut(fd[0][1]) && is_shut(fd[1][1]) && !is_shut(fd[2][1]));
	expiry_remove(&e, x[1]);
	expiry_remove(&e, x[0]);
	x[3] = expiry_add(&e, fd[3][0], &greedy, 3600000000000ULL);
	CHECK(!is_shut(fd[3][1]));
	expiry_remove(&e, x[2]);
	expiry_remove(&e, x[3]);
	CHECK(!e.first && !e.shares.users.len);
	expiry_free(&e);
	for (i = 0; i < 4; i++)
		close(fd[i][0]), close(fd[i][1]);
}

/* The connection that asks for nothing for the longest time makes room; one with a request does not. */
static void silent_connections_make_room(void)
{
	struct expiry_entry *x[4];
	struct expiry e;
	int fd[4][2], i;

	expiry_init(&e, 1, 2);
	for (i = 0; i < 4; i++)
		CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, fd[i]), 0);
	x[0] = expiry_add(&e, fd[0][0], &root, 3600000000000ULL);
	expiry_asks(&e, x[0], true);
	x[1] = expiry_add(&e, fd[1][0], &root, 3600000000000ULL);
	x[2] = expiry_add(&e, fd[2][0], &root, 3600000000000ULL);
	CHECK(!is_shut(fd[0][1]) && !is_shut(fd[1][1]) && !is_shut(fd[2][1]));
	x[3] = expiry_add(&e, fd[3][0], &root, 3600000000000ULL);
	CHECK(!is_shut(fd[0][1]) && is_shut(fd[1][1]) && !is_shut(fd[2][1]) && !is_shut(fd[3][1]));
	expiry_remove(&e, x[1]);
	expiry_asks(&e, x[0], false);	/* its request is over: it is silent from now on, as the last one */
	CHECK_EQ(e.silent, 3);
	x[1] = expiry_add(&e, fd[1][0], &root, 3600000000000ULL);
	CHECK(is_shut(fd[2][1]) && !is_shut(fd[0][1]));
	for (i = 0; i < 4; i++)
		expiry_remove(&e, x[i]);
	CHECK_EQ(e.silent, 0);
	for (i = 0; i < 8; i++)
		close(fd[i / 2][i % 2]);
	expiry_free(&e);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(who_waits_first_is_first),
		UNIT(who_waits_is_not_forgotten),
		UNIT(one_user_does_not_keep_all),
		UNIT(a_connection_ends_with_its_time),
		UNIT(one_user_does_not_keep_all_connections),
		UNIT(silent_connections_make_room),
		{0},
	});
}
