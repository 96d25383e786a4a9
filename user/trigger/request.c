// SPDX-License-Identifier: Apache-2.0
/*
 * request: request[:ROUTE]>T, one request that takes longer than T, and errors[:ROUTE]>P%, the
 * share of the requests that failed. Group http has the requests (requests/served.h).
 *
 * A request without a final name may still get any route: a rule with a ROUTE looks at it when it
 * ends, and at others as soon as they are too long.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "read/http.h"
#include "requests/served.h"
#include "trigger/internal.h"
#include "trigger/window.h"

enum {
	ERRORS_SLICE_NS = 1000 * 1000 * 1000,
	ERRORS_LEAST = 20,	/* fewer requests in the window make no fact */
	MILLION = 1000 * 1000,
};

struct request_rule {
	struct rule *rule;
	struct served *served;
	/* of errors: the requests that ended, and the last one that failed */
	struct window window;
	uint64_t failed_task;
	char failed_name[SERVED_NAME];
};

/* An open request that the rule compares with its limit. The first member is in the rule's list. */
struct request_watch {
	struct stay stay;
	struct served_request *q;
	bool later;		/* it is too long, and may still get the labels */
};

/*
 * ROUTE is compared with the name ("GET /cart"), with what is behind the method in it, and, of a
 * request without a route, with the path.
 */
static bool request_matches(const struct rule *r, const struct served_request *q)
{
	const char *pattern = r->is->name, *route = strchr(q->name, ' ');

	if (!pattern || matches(pattern, q->name))
		return true;
	if (!route)
		return false;
	return matches(pattern, route + 1) ||
	       (!strcmp(route + 1, HTTP_NO_ROUTE) && *q->result.path &&
		matches(pattern, q->result.path));
}

/* --- request>T --- */

static void request_unwatch(struct served_request *q)
{
	struct request_watch *w = q->data;

	if (w)
		stay_remove(&w->stay);
	free(w);
	q->data = NULL;
}

/* What is known of the result of a request that has ended: ", status 503". */
struct request_result { char text[64]; };

static struct request_result request_result_text(const struct result *of)
{
	struct request_result ret = { "" };

	if (of->panic)
		snprintf(ret.text, sizeof(ret.text), ", its handler did not return");
	else if (of->status)
		snprintf(ret.text, sizeof(ret.text), ", status %u", of->status);
	return ret;
}

/*
 * @until: its end, or the time of a look at it. The fact of one that has ended has the time of the
 * end, so that the snapshot has all of it.
 */
static void request_fire(struct rule *r, const struct served_request *q, uint64_t until)
{
	struct tap_go *g = q->g ? tap_find(r->triggers->tap, q->g) : NULL;
	struct fact_place place = { .time = q->until ? q->until : q->since + r->is->limit,
				    .since = q->since, .until = until, .g = g, .goid = q->g,
				    .task = q->task };

	fire(r, &place, "request %" PRIu64 ", %.100s%s, %s %s%s",
	     http_request_number(q->task), q->name,
	     q->named ? "" : " (route not known yet)", q->until ? "took" : "is open for",
	     span_text(until - q->since).text, request_result_text(&q->result).text);
}

static void request_begun(struct rule *r, struct served_request *q)
{
	struct request_watch *w;

	if (r->is->name && !(q->named && request_matches(r, q)))
		return;
	w = xcalloc(1, sizeof(*w));
	w->q = q;
	q->data = w;
	stay_add(&r->stays, &w->stay, q->since);
}

static void request_ended(struct rule *r, struct served_request *q)
{
	const struct request_watch *w = q->data;
	bool reported = w && !w->stay.next && !w->later;

	request_unwatch(q);
	if (!reported && q->until > q->since + r->is->limit && request_matches(r, q))
		request_fire(r, q, q->until);
}

static void request_on_begun(void *ctx, struct served_request *q)
{
	request_begun(((struct request_rule *)ctx)->rule, q);
}

static void request_on_ended(void *ctx, struct served_request *q)
{
	request_ended(((struct request_rule *)ctx)->rule, q);
}

static void request_on_dropped(void *ctx, struct served_request *q)
{
	request_unwatch(q);
}

/* --- errors>P% --- */

static void errors_on_ended(void *ctx, struct served_request *q)
{
	struct request_rule *own = ctx;
	bool failed = result_failed(&q->result);

	if (!request_matches(own->rule, q) || !labels_had(own->rule, q->g, q->since))
		return;
	window_count(&own->window, failed);
	if (!failed)
		return;
	own->failed_task = q->task;
	memcpy(own->failed_name, q->name, sizeof(own->failed_name));
}

static void errors_judge(const struct request_rule *own, uint64_t time)
{
	struct window_sum sum = window_sum(&own->window);
	struct rule *r = own->rule;
	bool above = sum.all >= ERRORS_LEAST && sum.hits * MILLION > sum.all * r->is->limit;

	if (above && !r->above)
		fire(r, &(struct fact_place){ .time = time, .task = own->failed_task },
		     "of %" PRIu64 " requests of the last 10 s %" PRIu64 " failed; the last one "
		     "was request %" PRIu64 ", %.100s", sum.all, sum.hits,
		     http_request_number(own->failed_task), own->failed_name);
	r->above = above;
}

/* --- the families --- */

static void request_rule_begin_with(struct rule *r, const struct served_ops *ops)
{
	struct request_rule *own = xcalloc(1, sizeof(*own));

	own->rule = r;
	own->served = served_new(ops, own);
	own->window.slice_ns = ERRORS_SLICE_NS;
	r->more = own;
}

static void request_rule_begin(struct rule *r)
{
	static const struct served_ops ops = {
		.begun = request_on_begun, .ended = request_on_ended, .dropped = request_on_dropped,
	};

	request_rule_begin_with(r, &ops);
}

static void errors_begin(struct rule *r)
{
	static const struct served_ops ops = { .ended = errors_on_ended };

	request_rule_begin_with(r, &ops);
}

static void request_event(struct rule *r, const struct tap_step *s)
{
	const struct request_rule *own = r->more;

	served_event(own->served, s->event, s->by ? s->by->id : 0);
}

static void request_text(struct rule *r, uint64_t later, const char *bytes, size_t n)
{
	const struct request_rule *own = r->more;

	served_text(own->served, later, bytes, n);
}

static void request_gone(struct rule *r, struct tap_go *g, uint64_t time)
{
	const struct request_rule *own = r->more;

	served_gone(own->served, g->id);
}

static void request_seen(struct rule *r, uint64_t time)
{
	struct request_watch *w;
	struct stay *s;

	while (time > r->is->limit && (s = stay_take(&r->stays, time - r->is->limit))) {
		w = (struct request_watch *)(void *)s;
		w->later = !labels_had(r, w->q->g, w->q->since);
		if (!w->later)
			request_fire(r, w->q, time);
	}
}

static void errors_seen(struct rule *r, uint64_t time)
{
	struct request_rule *own = r->more;

	if (!window_is_due(&own->window, time))
		return;
	errors_judge(own, time);
	window_turn(&own->window, time);
}

static void request_gap(struct rule *r, uint64_t time)
{
	struct request_rule *own = r->more;

	served_forget(own->served);
	window_forget(&own->window);
}

static void request_end(struct rule *r)
{
	struct request_rule *own = r->more;

	served_free(own->served);
	free(own);
}

#define REQUEST_EVENTS { EV_UserTaskBegin, EV_UserTaskEnd, EV_UserLog }

const struct family family_request = {
	.begin = request_rule_begin,
	.gone = request_gone,
	.event = request_event,
	.seen = request_seen,
	.text = request_text,
	.gap = request_gap,
	.end = request_end,
	.events = REQUEST_EVENTS,
	.stream = true,
	.lasts = true,
};

const struct family family_errors = {
	.begin = errors_begin,
	.gone = request_gone,
	.event = request_event,
	.seen = errors_seen,
	.text = request_text,
	.gap = request_gap,
	.end = request_end,
	.events = REQUEST_EVENTS,
	.stream = true,
};
