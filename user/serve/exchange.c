// SPDX-License-Identifier: Apache-2.0
/* exchange: one request, in a thread of its own, from its first look at a process to its end. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/show.h"
#include "serve/internal.h"
#include "serve/listing.h"

/* --- its line --- */

/* The line about a recording that has ended; NULL: nothing was recorded. The caller frees it. */
static char *exchange_done_text(const struct exchange *x)
{
	char size[SHOW_SIZE];

	if (x->server->o->quiet || !x->since || x->slots != &x->server->recordings)
		return NULL;
	return xasprintf("gotap: %s of process %d%s: %.1f s, %s%s\n", x->request.endpoint->name,
			 x->subject.pid, x->peer.all ? "" : " for its user",
			 (double)(now_ns() - x->since) / 1e9, show_size(x->sent, size),
			 x->cut ? ", not all of it" : "");
}

/* --- the answer --- */

/*
 * Reads the command line by the process id, and then checks that no other process has got the id
 * meanwhile.
 */
static void exchange_answer_cmdline(struct exchange *x)
{
	enum { MOST = 1 << 20 };
	struct refusal why = {0};
	struct buf out = {0};

	procfs_read(&x->server->fs, x->subject.pid, "cmdline", MOST, &out);
	if (grant_is_valid(x, &why) && subject_state(&x->subject) != SUBJECT_THERE)
		refuse(&why, 404, "process %d has ended", x->subject.pid);
	if (why.status) {
		buf_free(&out);
		reply_refuse(x, &why);
		return;
	}
	if (out.len && !out.data[out.len - 1])
		out.len--;
	reply_buf(x, &out);
}

static void exchange_answer_page(struct exchange *x)
{
	struct buf out = {0};

	listing_page_of(x->subject.pid, &out);
	reply_buf(x, &out);
}

/* Answers HEAD, after the same checks as GET, without recording anything. */
static void exchange_answer_head(struct exchange *x)
{
	struct buf none = {0};

	reply_buf(x, &none);
}

static void exchange_answer_subject(struct exchange *x)
{
	if (x->request.endpoint->asked == ASKED_INDEX)
		exchange_answer_page(x);
	else if (x->request.endpoint->asked == ASKED_SNAP)
		lists_answer_snap(x);
	else if (x->request.endpoint->asked == ASKED_CMDLINE)
		exchange_answer_cmdline(x);
	else if (x->head)
		exchange_answer_head(x);
	else
		stream_answer(x);
}

static bool exchange_is_about_a_process(const struct request *r)
{
	return r->endpoint->name || r->endpoint->asked == ASKED_CMDLINE ||
	       ((r->endpoint->asked == ASKED_INDEX || r->endpoint->asked == ASKED_SNAP) &&
		(r->pid || *r->name));
}

static void exchange_answer(struct exchange *x)
{
	struct refusal why = {0};

	if (x->request.endpoint->asked == ASKED_SNAP && !x->peer.all)
		reply_refuse(x, &(struct refusal){ 403, "root may ask for snapshots here, others "
							"with gotap snap" });
	else if (x->request.endpoint->asked == ASKED_METRICS)
		scrape_answer(x);
	else if (!exchange_is_about_a_process(&x->request))
		lists_answer(x);
	else if ((*x->request.name && !lists_find(x, &why)) || !grant_subject(x, &why))
		reply_refuse(x, &why);
	else
		exchange_answer_subject(x);
}

/* --- begin and end --- */

/* The children have ended when the client sees the end of a connection that was cut. */
static void exchange_free(struct exchange *x)
{
	_cleanup_free_ char *done = exchange_done_text(x);
	struct server *s = x->server;

	run_end(&x->run);
	grant_give_slot(x);
	subject_close(&x->subject);
	if (done)
		serve_say(s, done);
	close(x->patience.answer);
	close(x->patience.client);
	free(x);
	atomic_fetch_sub(&s->exchanges, 1);
}

static void *exchange_main(void *exchange)
{
	exchange_answer(exchange);
	exchange_free(exchange);
	return NULL;
}

int exchange_begin(struct server *s, const struct caller *c, int answer)
{
	struct exchange *x = xcalloc(1, sizeof(*x));
	pthread_attr_t attr;
	pthread_t thread;
	int r;

	x->server = s;
	x->request = c->request;
	x->head = c->head;
	x->peer = c->peer;
	x->subject = SUBJECT_CLOSED;
	x->run = RUN_NONE;
	x->patience = (struct patience){ .client = c->client, .answer = answer, .stop = s->stop };
	x->until = now_ns() + ((uint64_t)c->request.seconds + GRACE_SECONDS + QUEUE_MS / 1000 +
			       TAKE_SECONDS) * SECOND_NS;
	atomic_fetch_add(&s->exchanges, 1);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	r = pthread_create(&thread, &attr, exchange_main, x);
	pthread_attr_destroy(&attr);
	if (r) {
		atomic_fetch_sub(&s->exchanges, 1);
		free(x);
	}
	return r;
}
