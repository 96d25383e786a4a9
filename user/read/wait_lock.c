// SPDX-License-Identifier: Apache-2.0
/* wait_lock: see wait_lock.h. */
#include "read/wait_lock.h"

#include <string.h>

/*
 * The lock's function is the caller of those of the runtime: the stack of a GoBlock begins with it,
 * that of a status with gopark.
 */
enum { FRAMES = 8 };

/* The places of semaphores in package sync; release/waitobject.def has them for reasons. */
static const struct wait_lock {
	const char *function;
	uint8_t kind, offset;
} wait_locks[] = {
	{ "sync.(*RWMutex).RLock", WAIT_RWMUTEX, 12 },
	{ "sync.(*RWMutex).Lock", WAIT_RWMUTEX, 8 },
	{ "sync.(*WaitGroup).Wait", WAIT_WAITGROUP, 8 },
	{ "sync.(*Mutex).Lock", WAIT_MUTEX, 4 },
	{ "sync.(*Mutex).lockSlow", WAIT_MUTEX, 4 },
	{ "internal/sync.(*Mutex).Lock", WAIT_MUTEX, 4 },
	{ "internal/sync.(*Mutex).lockSlow", WAIT_MUTEX, 4 },
};

static const struct wait_lock *wait_lock_of(const struct v2_tables *t, uint64_t func)
{
	size_t i, len;
	const char *name = tables_string(t, func, &len);

	for (i = 0; name && i < sizeof(wait_locks) / sizeof(*wait_locks); i++)
		if (strlen(wait_locks[i].function) == len &&
		    !memcmp(wait_locks[i].function, name, len))
			return &wait_locks[i];
	return NULL;
}

void wait_name_lock(struct trace_wait *wait, const struct v2_tables *t,
		    const struct v2_stack *stack)
{
	const struct wait_lock *lock = NULL;
	uint32_t i;

	for (i = 0; stack && !lock && i < stack->len && i < FRAMES; i++)
		lock = wait_lock_of(t, tables_frame(t, stack, i)->func);
	if (!lock || wait->of[0] <= lock->offset)
		return;
	wait->kind = lock->kind;
	/*
	 * Up to Go 1.17 a WaitGroup that does not begin at a multiple of 8 begins with its
	 * semaphore.
	 */
	if (lock->kind == WAIT_WAITGROUP && wait->of[0] % 8)
		return;
	wait->of[0] -= lock->offset;
}
