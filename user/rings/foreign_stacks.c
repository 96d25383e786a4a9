// SPDX-License-Identifier: Apache-2.0
/* foreign_stacks: see foreign_stacks.h. */
#include "rings/foreign_stacks.h"

void foreign_stacks_free(struct foreign_stacks *s)
{
	map64_free(&s->known);
}

static bool foreign_stacks_refuse(struct foreign_stacks *s)
{
	s->refused++;
	return false;
}

bool foreign_stacks_find(struct foreign_stacks *s, uint64_t key)
{
	if (!map64_get(&s->known, key)) {
		if (!s->tokens || s->known.len >= FOREIGN_STACKS)
			return foreign_stacks_refuse(s);
		s->tokens--;
		map64_put(&s->known, key, NULL);
	}
	s->recent[key % FOREIGN_RECENT] = key;
	return true;
}

bool foreign_stacks_define(struct foreign_stacks *s, uint64_t key, uint32_t frames)
{
	uint64_t *kept;

	if (!key)
		return foreign_stacks_refuse(s);
	if (!foreign_stacks_has(s, key))
		return false;
	kept = map64_get(&s->known, key);
	if (frames <= *kept)
		return true;	/* it was sent before */
	if (s->frames + frames - *kept > FOREIGN_FRAMES)
		return foreign_stacks_refuse(s);
	s->frames += frames - *kept;
	*kept = frames;
	return true;
}
