// SPDX-License-Identifier: Apache-2.0
/*
 * serve: the slots for requests: which requests wait for one, and how many slots one user can have.
 */
#define _GNU_SOURCE
#include "unit.h"

#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "serve/slots.h"

static const struct peer root = { .all = true };

static struct slots slots;
static int taken_order[2], taken;

/* Waits for up to a minute, without a client that may disconnect and without a stop of the server. */
static struct patience patient(void)
{
	return (struct patience){ .client = -1, .answer = -1, .stop = -1, .deadline = now_ns() + 60000000000ULL };
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
	CHECK(slots.free == 2 && !slots.has.all.len && !slots.waits.all.len);
	slots_free(&slots);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(who_waits_first_is_first),
		UNIT(who_waits_is_not_forgotten),
		UNIT(one_user_does_not_keep_all),
		{0},
	});
}
