// SPDX-License-Identifier: Apache-2.0
/* shares: see shares.h. */
#include "serve/shares.h"

struct share {
	uid_t uid;
	unsigned int n;
};

static struct share *shares_find(const struct shares *s, uid_t uid)
{
	size_t i;

	for (i = 0; i < s->users.len; i++)
		if (vec_at(&s->users, struct share, i)->uid == uid)
			return vec_at(&s->users, struct share, i);
	return NULL;
}

bool shares_take(struct shares *s, const struct peer *who, unsigned int most)
{
	struct share *share;

	if (who->all)
		return true;
	share = shares_find(s, who->uid);
	if (share ? share->n >= most : !most)
		return false;
	if (!share) {
		share = vec_push(&s->users, sizeof(*share));
		share->uid = who->uid;
	}
	share->n++;
	return true;
}

void shares_give(struct shares *s, const struct peer *who)
{
	struct share *share = who->all ? NULL : shares_find(s, who->uid);

	if (share && !--share->n)
		*share = *vec_at(&s->users, struct share, --s->users.len);
}

void shares_free(struct shares *s)
{
	vec_free(&s->users);
}
