// SPDX-License-Identifier: Apache-2.0
/* server: see server.h. */
#define _GNU_SOURCE
#include "serve/server.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/vec.h"
#include "proc/kernel_btf.h"
#include "proc/privilege.h"
#include "serve/internal.h"
#include "serve/lister.h"
#include "serve/watches.h"

enum { LOOKS = 4, LOOKS_QUEUE = 16 };

static void server_free(struct server *s)
{
	watches_stop(s->watch);
	lister_stop(s->lister);
	front_kill(&s->front);
	address_close(&s->address);
	slots_free(&s->recordings);
	slots_free(&s->looks);
	if (s->stop >= 0)
		close(s->stop);
	free(s);
}

/* The front is made while this process has one thread, and the right to change its root. */
static int server_start_front(struct server *s, struct error *err)
{
	const struct front_options options = {
		.address = &s->address, .max_seconds = s->o->max_seconds,
		.hosts = s->o->hosts, .forget = &s->o->token,
		.forget_size = sizeof(s->o->token),
	};
	int r, listener = address_listen(&s->address, err);

	if (listener < 0)
		return listener;
	address_settle(&s->address, listener);
	r = front_start(&s->front, &options, listener, err);
	close(listener);
	return r;
}

static int server_start_desk(struct server *s, struct error *err)
{
	int r = pthread_create(&s->desk, NULL, desk_main, s);

	s->has_desk = !r;
	return r ? error_set(err, -r, "cannot make a thread: %s", strerror(r)) : 0;
}

struct server *server_start(struct serve_options *options, struct error *err)
{
	struct server *s = xcalloc(1, sizeof(*s));
	int r;

	*s = (struct server){ .o = options, .address = options->address, .front = FRONT_NONE };
	slots_init(&s->recordings, options->recordings, options->queue);
	slots_init(&s->looks, LOOKS, LOOKS_QUEUE);
	s->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	r = kernel_btf_check(err);
	if (!r)
		r = procfs_open(&s->fs, options->proc_dir, err);
	if (!r)
		r = server_start_front(s, err);
	if (!r)
		r = privilege_keep_for_children(err);
	if (!r)
		r = lister_start(&s->lister, s, err);
	if (!r && options->watch.len)
		r = watches_start(&s->watch, s, err);
	if (!r)
		r = server_start_desk(s, err);
	if (!r)
		return s;
	server_free(s);
	return NULL;
}

const char *server_text(const struct server *s, char ret[static ADDRESS_TEXT])
{
	return address_text(&s->address, -1, ret);
}

bool server_is_broken(struct server *s, struct error *err)
{
	char how[64];

	if (atomic_load(&s->cheated))
		error_set(err, -EBADMSG,
			  "gotap-http, the process that parses HTTP, sent what it never sends, "
			  "so a client may have taken it over: gotap serve ends; start it again");
	else if (front_has_ended(&s->front, how))
		error_set(err, -EPIPE,
			  "gotap-http, the process that parses HTTP, %s: gotap serve ends, too; "
			  "start it again",
			  how);
	else
		return false;
	return true;
}

void server_quiesce(struct server *s)
{
	front_quiesce(&s->front);
	address_close(&s->address);
	eventfd_write(s->stop, 1);
}

bool server_idle(struct server *s)
{
	char how[64];

	return front_has_ended(&s->front, how) && !atomic_load(&s->exchanges);
}

/* Without the front each request ends as if its client had gone. */
void server_stop(struct server *s)
{
	const long LOOK_NS = 2000000;

	front_quiesce(&s->front);
	if (s->has_desk)
		pthread_join(s->desk, NULL);
	front_kill(&s->front);
	while (atomic_load(&s->exchanges))
		sleep_ns(LOOK_NS);
	server_free(s);
}
