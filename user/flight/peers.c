// SPDX-License-Identifier: Apache-2.0
/* peers: see peers.h. */
#define _GNU_SOURCE
#include "flight/peers.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "base/token.h"
#include "base/vec.h"
#include "http/client.h"

#define SNAP_PATH "/debug/flight/snap"

/* As many requests as two incidents have at most: further ones are counted as failed. */
enum { PEERS_RUNNING = 2 * PEERS_MOST };

struct peer_host {
	struct peers *all;
	struct url url;
	bool failing;			/* its last request failed, which was said */
};

struct peers {
	struct vec hosts;		/* struct peer_host; not changed once it is made */
	bool has_token;
	struct token token;
	void (*say)(void *ctx, const char *text);
	void *ctx;
	char own[FACT_FROM];		/* name of this host */
	pthread_mutex_t lock;		/* of the members below, and of hosts[].failing */
	pthread_cond_t idle;
	unsigned int running;
	struct peers_counts counts;
};

/* A request to one peer, which its thread frees. */
struct peer_ask {
	struct peer_host *host;
	char *path;
};

/* --- one request --- */

/* The begin of the answer of serve/snap.c, a line: {"recordings": 2, "taken": 1, ... */
static bool peer_read_answer(const char *line, unsigned int *recordings, unsigned int *taken)
{
	enum { RECORDINGS_MOST = 4096 };	/* of a host; an answer may be forged */

	return sscanf(line, "{\"recordings\": %u, \"taken\": %u", recordings, taken) == 2 &&
	       *recordings <= RECORDINGS_MOST && *taken <= *recordings;
}

/* @why: why the peer has not answered; NULL: it has. */
static void peer_say(const struct peer_host *h, const char *why)
{
	_cleanup_free_ char *line = xasprintf(
		why ? "a peer was not asked for a snapshot: %s" : "peer %s answers again",
		why ? why : h->url.shown);

	h->all->say(h->all->ctx, line);
}

static void peer_done(struct peer_host *h, unsigned int taken, const char *why)
{
	struct peers *p = h->all;
	bool changed;

	pthread_mutex_lock(&p->lock);
	p->counts.taken += taken;
	p->counts.failed += why != NULL;
	changed = h->failing != (why != NULL);
	h->failing = why;
	pthread_mutex_unlock(&p->lock);
	/* without the lock, which a trigger takes: it must not wait for a full pipe */
	if (changed)
		peer_say(h, why);
	pthread_mutex_lock(&p->lock);
	p->running--;
	pthread_cond_broadcast(&p->idle);
	pthread_mutex_unlock(&p->lock);
}

static void peer_request(struct peer_ask *ask)
{
	struct peer_host *h = ask->host;
	const struct http_request request = {
		.url = &h->url, .path = ask->path,
		.token = h->all->has_token ? h->all->token.text : NULL,
		.timeout_ms = PEERS_SECONDS * 1000,
	};
	unsigned int recordings = 0, taken = 0;
	struct http_answer answer;
	struct error err = {0};

	if (!http_post(&request, &answer, &err)) {
		if (answer.status != 200)
			error_set(&err, -EREMOTEIO, "%s refused with status %u%s%s", h->url.shown,
				  answer.status, *answer.line ? ": " : "", answer.line);
		else if (!peer_read_answer(answer.line, &recordings, &taken))
			error_set(&err, -EBADMSG, "the answer of %s is not gotap's", h->url.shown);
		else if (!recordings)
			error_set(&err, -ENOENT, "%s has no flight recording", h->url.shown);
	}
	peer_done(h, taken, err.code ? err.text : NULL);
}

static void *peer_main(void *request)
{
	struct peer_ask *ask = request;

	peer_request(ask);
	free(ask->path);
	free(ask);
	return NULL;
}

/* --- asking --- */

/* The caller frees it. */
static char *peer_path(const struct peer_host *h, const struct flight_fact *fact)
{
	const struct url *u = &h->url;
	size_t n = strcspn(u->path, "?");
	const char *arguments = u->path + n;
	char reason[sizeof(fact->what) + 80];
	struct buf path = {0};

	while (n && u->path[n - 1] == '/')
		n--;
	buf_add(&path, u->path, n);
	if (n < strlen(SNAP_PATH) || strncmp(u->path + n - strlen(SNAP_PATH), SNAP_PATH,
					     strlen(SNAP_PATH)))
		buf_printf(&path, SNAP_PATH);
	buf_printf(&path, "%s%sid=", *arguments ? arguments : "?", *arguments ? "&" : "");
	url_add_escaped(&path, fact->id);
	buf_printf(&path, "&hops=%u&from=", fact->hops - 1);
	url_add_escaped(&path, h->all->own);
	/* one that is passed on has the reason of the first host */
	snprintf(reason, sizeof(reason), "%.40s%s%.180s", *fact->from ? "" : fact->trigger,
		 *fact->what && !*fact->from ? ": " : "", fact->what);
	buf_printf(&path, "&reason=");
	url_add_escaped(&path, reason);
	buf_add_byte(&path, 0);
	return (char *)path.data;
}

static void peer_start(struct peers *p, struct peer_host *h, const struct flight_fact *fact)
{
	struct peer_ask *ask = xcalloc(1, sizeof(*ask));
	pthread_t thread;

	*ask = (struct peer_ask){ .host = h, .path = peer_path(h, fact) };
	pthread_mutex_lock(&p->lock);
	p->counts.asked++;
	if (p->running < PEERS_RUNNING && !thread_start(&thread, peer_main, ask)) {
		p->running++;
		pthread_detach(thread);
		ask = NULL;
	} else {
		p->counts.failed++;
	}
	pthread_mutex_unlock(&p->lock);
	if (!ask)
		return;
	free(ask->path);
	free(ask);
}

void peers_ask(struct peers *p, const struct flight_fact *fact)
{
	size_t i;

	if (!fact->hops)
		return;
	for (i = 0; i < p->hosts.len; i++)
		peer_start(p, vec_at(&p->hosts, struct peer_host, i), fact);
}

/* --- begin and end --- */

static int peers_add(struct peers *p, const char *text, struct error *err)
{
	struct peer_host host = { .all = p };
	int r = url_parse(&host.url, text, err);

	if (r)
		return error_prefix(err, "--peers");
	if (p->hosts.len == PEERS_MOST)
		return error_set(err, -E2BIG, "--peers has more than %d hosts", PEERS_MOST);
	*(struct peer_host *)vec_push(&p->hosts, sizeof(host)) = host;
	return 0;
}

static int peers_add_all(struct peers *p, const char *list, struct error *err)
{
	_cleanup_free_ char *copy = xstrdup(list);
	char *one, *rest = copy;
	int r = 0;

	while (!r && (one = strsep(&rest, ",")))
		r = *one ? peers_add(p, one, err) : 0;
	return !r && !p->hosts.len ? error_set(err, -EINVAL, "--peers takes URLs") : r;
}

int peers_new(struct peers **ret, const char *list, const char *token,
	      void (*say)(void *ctx, const char *text), void *ctx, struct error *err)
{
	struct peers *p = xcalloc(1, sizeof(*p));
	int r;

	p->say = say;
	p->ctx = ctx;
	p->has_token = token;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->idle, NULL);
	if (gethostname(p->own, sizeof(p->own) - 1))
		snprintf(p->own, sizeof(p->own), "unknown");
	r = peers_add_all(p, list, err);
	if (!r && token)
		r = token_read(&p->token, token, err);
	if (r) {
		peers_close(p);
		p = NULL;
	}
	*ret = p;
	return r;
}

int peers_check(const char *list, const char *token, struct error *err)
{
	struct peers *p = NULL;
	int r = peers_new(&p, list, token, NULL, NULL, err);

	peers_close(p);
	return r;
}

void peers_counts(struct peers *p, struct peers_counts *ret)
{
	pthread_mutex_lock(&p->lock);
	*ret = p->counts;
	pthread_mutex_unlock(&p->lock);
}

/*
 * Each request has a time limit, but for the C library's look-up of a name: a thread that is there
 * still may go on using @p, which the end of the process frees.
 */
bool peers_wait(struct peers *p)
{
	struct timespec until;
	bool idle;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += PEERS_SECONDS + 1;
	pthread_mutex_lock(&p->lock);
	while (p->running && !pthread_cond_timedwait(&p->idle, &p->lock, &until))
		;
	idle = !p->running;
	pthread_mutex_unlock(&p->lock);
	return idle;
}

void peers_close(struct peers *p)
{
	size_t i;

	if (!p || !peers_wait(p))
		return;
	for (i = 0; i < p->hosts.len; i++)
		explicit_bzero(&vec_at(&p->hosts, struct peer_host, i)->url,
			       sizeof(struct url));
	vec_free(&p->hosts);
	token_forget(&p->token);
	pthread_mutex_destroy(&p->lock);
	pthread_cond_destroy(&p->idle);
	free(p);
}
