// SPDX-License-Identifier: Apache-2.0
/*
 * stream: answers that a child makes: goroutines, recordings, profiles of recordings. The answer
 * begins with the first bytes, so that a fault before them is an error of HTTP; one after them ends
 * the connection without the end of the answer, which clients take for an error, too.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/vec.h"
#include "proc/kernel_btf.h"
#include "serve/internal.h"

/* The shortest recording, seconds. */
static const double LEAST = 1e-6;

/* Bytes that a recording which was ended for its size may still write: its end. */
enum { OVERSIZE = 64 << 20 };

/* How long a search for leaked goroutines waits for a collection: within GRACE_SECONDS. */
#define LEAKS_WITHIN "30s"

/* --- the child --- */

/*
 * `gotap COMMAND -p PID ARGS`, and if there is @then, `gotap THEN` on its output. A recording for a
 * profile has only the groups of events that the profile needs.
 */
struct command {
	const char *command, *args[8];
	const char *text[2][4];		/* in place of @args, with debug=1 and 2 */
	const char *then[6];
};

static const struct command commands[] = {
	[ASKED_TRACE] = { .command = "record", .args = { "-q", "-o", "-" } },
	[ASKED_BLOCK] = {
		.command = "record", .args = { "-q", "-o", "-", "-e", "sched" },
		.then = { "pprof", "--type", "sync", "--as-runtime", "-" },
	},
	[ASKED_PROFILE] = {
		.command = "record",
		.args = { "-q", "-o", "-", "-e", "sched", "--cpu-samples", "100" },
		.then = { "pprof", "--type", "cpu", "--as-runtime", "-" },
	},
	[ASKED_REQUESTS] = {
		.command = "record", .args = { "-q", "-o", "-", "-e", "+http" },
		.then = { "requests", "--or-none", "-" },
	},
	[ASKED_REQUESTS_JSON] = {
		.command = "record", .args = { "-q", "-o", "-", "-e", "+http" },
		.then = { "requests", "--or-none", "--json", "-" },
	},
	[ASKED_GOROUTINE] = {
		.command = "stacks", .args = { "--pprof" }, .text = { { "--group" }, { NULL } },
	},
	[ASKED_LEAKS] = {
		.command = "stacks", .args = { "--leaked", "--pprof" },
		.text = { { "--leaked", "--group" }, { "--leaked" } },
	},
	[ASKED_HEAP] = {
		.command = "heap", .args = { "-o", "-" },
		.text = { { "--records" }, { "--records" } },
	},
	[ASKED_ALLOCS] = {
		.command = "heap", .args = { "--kind", "allocs", "-o", "-" },
		.text = { { "--kind", "allocs", "--records" },
			  { "--kind", "allocs", "--records" } },
	},
	[ASKED_MUTEX] = {
		.command = "heap", .args = { "--kind", "mutex", "-o", "-" },
		.text = { { "--kind", "mutex", "--records" }, { "--kind", "mutex", "--records" } },
	},
};

/* The arguments that the form of the answer takes; the last one is NULL. */
static const char *const *stream_form(const struct command *c, const struct request *r)
{
	return r->debug > 0 ? c->text[r->debug - 1] : c->args;
}

/* What is asked for without a recording, and takes time nevertheless. */
static void stream_add_delta(struct exchange *x, struct run_args *a, const char *time)
{
	const struct request *r = &x->request;

	if (r->endpoint->asked == ASKED_LEAKS && x->server->o->detect_leaks) {
		run_arg(a, "--detect-leaks");
		run_arg2(a, "--within", r->seconds > 0 ? time : LEAKS_WITHIN);
	} else if (r->endpoint->asked != ASKED_LEAKS && r->seconds > 0) {
		run_arg2(a, "--diff", time);
	}
}

static bool stream_start(struct exchange *x, struct refusal *why)
{
	const struct serve_options *o = x->server->o;
	const struct command *c = &commands[x->request.endpoint->asked];
	const char *const *form = stream_form(c, &x->request);
	_cleanup_free_ char *pid = xasprintf("%d", x->request.pid);
	_cleanup_free_ char *user = xasprintf("%u", x->peer.uid);
	_cleanup_free_ char *time =
		xasprintf("%.9fs", x->request.seconds > LEAST ? x->request.seconds : LEAST);
	struct run_args first = {0}, second = {0};
	size_t i;

	run_arg2(&first, "gotap", c->command);
	run_arg2(&first, "-p", pid);
	if (!x->peer.all)
		run_arg2(&first, "--of-user", user);
	if (o->proc_dir)
		run_arg2(&first, "--proc", o->proc_dir);
	for (i = 0; form[i]; i++)
		run_arg(&first, form[i]);
	if (x->request.endpoint->delta)
		stream_add_delta(x, &first, time);
	if (kernel_btf_file() && x->request.endpoint->seconds)
		run_arg2(&first, "--btf", kernel_btf_file());
	if (x->request.endpoint->seconds)
		run_arg2(&first, "-d", time);
	if (x->request.endpoint->seconds && o->budget)
		run_arg2(&first, "--budget", o->budget);
	run_arg(&second, "gotap");
	for (i = 0; c->then[i]; i++)
		run_arg(&second, c->then[i]);
	x->since = now_ns();
	atomic_fetch_add(&x->server->recorded, x->request.endpoint->seconds > 0);
	return grant_run(x, &first, c->then[0] ? &second : NULL, why);
}

/* --- the output --- */

/*
 * Reads into the piece. Ends a recording that is too large, so that its end is written; cuts one
 * that writes much more even then.
 */
static enum run_state stream_read(struct exchange *x)
{
	uint64_t most = x->server->o->max_bytes;
	size_t n = 0;
	enum run_state state =
		run_read(&x->run, &x->patience, x->piece, sizeof(x->piece), &n);

	x->piece_len = (uint32_t)n;
	if (state != RUN_DATA)
		return state;
	if (x->sent + n > most + OVERSIZE)
		return RUN_LATE;
	if (x->sent + n > most)
		run_ask(&x->run);
	return RUN_DATA;
}

/*
 * Makes the client see that the answer is cut. With HTTP/1.0 the end of the connection is the end
 * of the answer: so a connection over TCP is reset, which clients report as an error. Bytes that
 * the kernel has not sent yet are lost by that.
 */
static void stream_cut(struct exchange *x)
{
	const struct sockaddr none = { .sa_family = AF_UNSPEC };

	x->cut = true;
	if (!x->server->o->address.is_unix)
		connect(x->patience.client, &none, sizeof(none));
}

/* Without the end of the answer the front ends the connection as an error. */
static void stream_send(struct exchange *x)
{
	enum run_state state = RUN_DATA;
	struct refusal why;

	while (state == RUN_DATA && reply_piece(x))
		state = stream_read(x);
	if (state == RUN_OVER && !x->run.failed && grant_is_valid(x, &why))
		reply_end(x);
	else
		stream_cut(x);
}

static bool stream_refuse(struct exchange *x, enum run_state state, struct refusal *why)
{
	const struct endpoint *e = x->request.endpoint;
	_cleanup_free_ char *text = NULL;

	if (state == RUN_CLIENT_GONE)
		return refuse(why, 503, "the client has gone");
	if (state == RUN_LATE)
		return refuse(why, 504, "it took longer than it may");
	if (!grant_is_valid(x, why))
		return false;
	if (subject_state(&x->subject) != SUBJECT_THERE)
		return refuse(why, 404, "process %d has ended", x->request.pid);
	text = run_error(&x->run);
	return refuse(why, 500, "%s%s", e->failed ? e->failed : "", text);
}

static bool stream_begin(struct exchange *x, struct refusal *why)
{
	bool records = x->request.endpoint->seconds || x->request.seconds > 0;
	enum run_state state;

	x->patience.deadline = now_ns() + (QUEUE_MS / 1000 + 1) * SECOND_NS;
	if (!grant_slot(x, records ? &x->server->recordings : &x->server->looks, why))
		return false;
	x->patience.deadline = now_ns() +
			       ((uint64_t)x->request.seconds + GRACE_SECONDS) * SECOND_NS;
	if (!stream_start(x, why))
		return false;
	state = stream_read(x);
	if (state != RUN_DATA)
		return stream_refuse(x, state, why);
	return grant_is_valid(x, why);
}

void stream_answer(struct exchange *x)
{
	struct refusal why = {0};

	if (!stream_begin(x, &why)) {
		x->cut = true;
		reply_refuse(x, &why);
	} else if (reply_begin(x, -1)) {
		stream_send(x);
	} else {
		stream_cut(x);
	}
}
