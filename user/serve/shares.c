// SPDX-License-Identifier: Apache-2.0
/* shares: see shares.h. */
#include "serve/shares.h"

struct share {
	uint64_t who;
	unsigned int n;
};

static struct share *shares_find(const struct shares *s, uint64_t who)
{
	size_t i;

	for (i = 0; i < s->all.len; i++)
		if (vec_at(&s->all, struct share, i)->who == who)
			return vec_at(&s->all, struct share, i);
	return NULL;
}

bool shares_take(struct shares *s, uint64_t who, unsigned int most)
{
	struct share *share;

	if (who == SHARE_OF_NOBODY)
		return true;
	share = shares_find(s, who);
	if (share ? share->n >= most : !most)
		return false;
	if (!share) {
		share = vec_push(&s->all, sizeof(*share));
		share->who = who;
	}
	share->n++;
	return true;
}

void shares_give(struct shares *s, uint64_t who)
{
	struct share *share = who == SHARE_OF_NOBODY ? NULL : shares_find(s, who);

	if (share && !--share->n)
		*share = *vec_at(&s->all, struct share, --s->all.len);
}

void shares_free(struct shares *s)
{
	vec_free(&s->all);
}
