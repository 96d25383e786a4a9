// SPDX-License-Identifier: Apache-2.0
/*
 * grant: what a request takes while it is answered: a process that the client may ask about, a
 * slot, children.
 */
#include "serve/internal.h"

/*
 * A refusal says nothing about the process but that its id is in use, which every user can see in
 * /proc.
 */
bool grant_subject(struct exchange *x, struct refusal *why)
{
	if (!subject_open(&x->subject, &x->server->fs, x->request.pid))
		return refuse(why, 404, "there is no process %d", x->request.pid);
	if (!subject_allowed(&x->subject, &x->peer))
		return refuse(why, 403,
			      "process %d is not yours, or has more rights than you: root may ask "
			      "about each process",
			      x->request.pid);
	return true;
}

/*
 * For a user other than root the child checks the process that it has opened itself (--of-user),
 * since the process may exec or end after the check here. This look finds an id that another
 * process has got since.
 */
bool grant_is_valid(struct exchange *x, struct refusal *why)
{
	switch (subject_state(&x->subject)) {
	case SUBJECT_GONE:
		return true;
	case SUBJECT_THERE:
		if (subject_allowed(&x->subject, &x->peer))
			return true;
		break;
	case SUBJECT_OTHER:
		break;
	}
	return refuse(why, 403,
		      "process %d is not this user's any more, or another process has its id now",
		      x->request.pid);
}

bool grant_slot(struct exchange *x, struct slots *slots, struct refusal *why)
{
	switch (slots_take(slots, &x->peer, &x->patience, QUEUE_MS)) {
	case SLOTS_TAKEN:
		x->slots = slots;
		return true;
	case SLOTS_FULL:
		return refuse(why, 503,
			      "too many requests: others are under way, and wait (gotap serve "
			      "--recordings, --queue)");
	case SLOTS_SHARE:
		return refuse(why, 503,
			      "too many requests of yours: as many as one user may have are under "
			      "way, and wait");
	case SLOTS_LATE:
		return refuse(why, 503,
			      "too many requests: none of those under way ended in %d seconds",
			      QUEUE_MS / 1000);
	case SLOTS_STOP:
		return refuse(why, 503, "gotap serve ends");
	case SLOTS_CLIENT:
		break;
	}
	return refuse(why, 503, "the client has gone");
}

void grant_give_slot(struct exchange *x)
{
	if (x->slots)
		slots_give(x->slots, &x->peer);
	x->slots = NULL;
}

bool grant_run(struct exchange *x, const struct run_args *first, const struct run_args *second,
	       struct refusal *why)
{
	struct error err;

	if (!run_start(&x->run, first, second, &err))
		return true;
	return refuse(why, 500, "%s", err.text);
}
