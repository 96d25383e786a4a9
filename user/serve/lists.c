// SPDX-License-Identifier: Apache-2.0
/*
 * lists: requests for the list of processes, which `gotap ps` makes, and for a process by its name.
 */
#include "base/cleanup.h"
#include "base/clock.h"
#include "serve/internal.h"
#include "serve/listing.h"

enum { LIST_BYTES = 16 << 20 };

/* Reads all that the child writes. */
static bool lists_read_all(struct exchange *x, struct buf *out, struct refusal *why)
{
	enum run_state state;
	size_t n;

	while ((state = run_read(&x->run, &x->patience, x->piece, sizeof(x->piece), &n)) ==
	       RUN_DATA) {
		buf_add(out, x->piece, n);
		if (out->len > LIST_BYTES)
			return refuse(why, 500, "the list of processes is too long");
	}
	if (state != RUN_OVER || x->run.failed) {
		_cleanup_free_ char *text = run_error(&x->run);

		return refuse(why, 500, "could not list the processes: %s", text);
	}
	return true;
}

static bool lists_make(struct exchange *x, struct listing *l, struct refusal *why)
{
	struct run_args args = {0};
	struct buf json = {0};
	bool ok;

	run_arg2(&args, "gotap", "ps");
	run_arg(&args, "--json");
	/* of thousands of processes; JSON takes up to 6 bytes for one */
	run_arg2(&args, "--command-max", "256");
	if (x->server->o->proc_dir)
		run_arg2(&args, "--proc", x->server->o->proc_dir);
	x->patience.deadline = now_ns() + GRACE_SECONDS * SECOND_NS;
	ok = grant_slot(x, &x->server->looks, why) && grant_run(x, &args, NULL, why) &&
	     lists_read_all(x, &json, why);
	if (ok && !listing_parse(l, (const char *)json.data, json.len, &x->server->fs, &x->peer))
		ok = refuse(why, 500, "could not list the processes: gotap ps gave no JSON");
	buf_free(&json);
	run_end(&x->run);
	x->run = RUN_NONE;
	grant_give_slot(x);
	return ok;
}

/* `gotap snap` asks them, and has their answers at once: it waits for no snapshot. */
static bool lists_snap(struct exchange *x, struct buf *out, struct refusal *why)
{
	const struct snap *s = &x->request.snap;
	_cleanup_free_ char *of = xasprintf("%s %u %s", s->id, s->hops, s->from);
	_cleanup_free_ char *pid = xasprintf("%d", x->request.pid);
	struct run_args args = {0};
	bool ok;

	run_arg2(&args, "gotap", "snap");
	run_arg2(&args, "--of-peer", of);
	run_arg2(&args, "-m", s->reason);
	if (x->request.pid)
		run_arg2(&args, "-p", pid);
	x->patience.deadline = now_ns() + GRACE_SECONDS * SECOND_NS;
	ok = grant_slot(x, &x->server->looks, why) && grant_run(x, &args, NULL, why) &&
	     lists_read_all(x, out, why);
	run_end(&x->run);
	x->run = RUN_NONE;
	grant_give_slot(x);
	return ok;
}

void lists_answer_snap(struct exchange *x)
{
	struct refusal why = {0};
	struct buf out = {0};

	if (lists_snap(x, &out, &why)) {
		reply_buf(x, &out);
		return;
	}
	buf_free(&out);
	reply_refuse(x, &why);
}

void lists_answer(struct exchange *x)
{
	struct listing l;
	struct buf out = {0};
	struct refusal why = {0};

	if (x->request.endpoint->asked == ASKED_SNAP) {
		lists_answer_snap(x);
		return;
	}
	if (!lists_make(x, &l, &why)) {
		reply_refuse(x, &why);
		return;
	}
	if (x->request.endpoint->asked == ASKED_INDEX)
		listing_page(&l, &out);
	else if (x->request.endpoint->asked == ASKED_PROCESSES_JSON)
		listing_json(&l, &out);
	else
		listing_text(&l, &out);
	listing_free(&l);
	reply_buf(x, &out);
}

bool lists_find(struct exchange *x, struct refusal *why)
{
	struct listing l;
	bool ok = lists_make(x, &l, why);

	if (!ok)
		return false;
	ok = listing_find(&l, x->request.name, &x->request.pid, why);
	listing_free(&l);
	return ok;
}
