// SPDX-License-Identifier: Apache-2.0
/* place: see place.h. */
#include "why/place.h"

#include <string.h>

#include "release/release.h"

static bool place_is_runtime(const char *func)
{
	return !strncmp(func, "runtime.", 8) || !strncmp(func, "internal/runtime/", 17);
}

struct place place_of(const struct stack_set *stacks, uint32_t stack)
{
	struct place place = {0}, inner = {0};
	const uint32_t *frames;
	uint32_t n, i;

	frames = stack_set_of(stacks, stack, &n);
	for (i = 0; i < n; i++) {
		const char *func = stack_set_frame_at(stacks, frames[i])->func;

		if (*func && !release_is_std(func)) {
			place = (struct place){ i ? frames[i - 1] : 0, frames[i] };
			break;
		}
		if (!inner.at && !place_is_runtime(func))
			inner = (struct place){ i ? frames[i - 1] : 0, frames[i] };
	}
	if (place.at)
		return place;
	return inner.at ? inner : (struct place){ 0, n ? frames[0] : 0 };
}

const struct stack_frame *place_frame(const struct stack_set *stacks, uint32_t stack)
{
	uint32_t at = place_of(stacks, stack).at;

	return at ? stack_set_frame_at(stacks, at) : NULL;
}

bool place_is_unlock(const struct stack_set *stacks, uint32_t stack)
{
	static const char *const unlocks[] = { "sync.(*Mutex).Unlock", "sync.(*RWMutex).Unlock",
					       "sync.(*RWMutex).RUnlock" };
	const uint32_t *frames;
	uint32_t n, i, j;

	frames = stack_set_of(stacks, stack, &n);
	for (i = 0; i < n && i < 4; i++)
		for (j = 0; j < 3; j++)
			if (!strcmp(stack_set_frame_at(stacks, frames[i])->func, unlocks[j]))
				return true;
	return false;
}

bool place_is_poll(const struct stack_set *stacks, uint32_t stack)
{
	const struct stack_frame *leaf = stack_set_at(stacks, stack, 0);

	return leaf &&
	       (!strncmp(leaf->func, "internal/poll.", 14) || !strncmp(leaf->func, "net.", 4));
}
