// SPDX-License-Identifier: Apache-2.0
/* server: see server.h. */
#define _GNU_SOURCE
#include "serve/server.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/vec.h"
#include "proc/privilege.h"
#include "serve/internal.h"

/*
 * A connection without a whole request ends after REQUEST_SECONDS. Each has a thread with a stack
 * of STACK bytes, and MEMORY bytes for its request: a longer one is refused (431, 414). A user
 * other than root may have OF_ONE_USER of them: more than the requests of one user that, with the
 * default options, can be under way or wait.
 */
enum {
	CONNECTIONS = 64,
	OF_ONE_USER = 24,
	REQUEST_SECONDS = 30,
	MEMORY = 16 << 10,
	STACK = 256 << 10
};
enum { LOOKS = 4, LOOKS_QUEUE = 16 };
/*
 * Descriptors of the server itself, with those of a child that is being started, and of a
 * connection: its own, its process's, and two for its child or one to wait with.
 */
enum { OWN_FILES = 24, FILES_OF_ONE = 4 };

/* The first call for a request, with its headers, and the second, at its end. */
static enum MHD_Result on_request(void *ctx, struct MHD_Connection *c, const char *url,
				  const char *method, const char *version, const char *data,
				  size_t *size, void **exchange)
{
	struct server *s = ctx;
	struct refusal why = {0};

	if (!*exchange) {
		*exchange = exchange_new(s, c);
		return exchange_accept(*exchange, url, method, &why) ? MHD_YES :
								       answer_refuse(c, &why);
	}
	*size = 0;
	return exchange_answer(*exchange, !strcmp(method, "HEAD"));
}

static void on_completed(void *ctx, struct MHD_Connection *c, void **exchange,
			 enum MHD_RequestTerminationCode why)
{
	struct exchange *x = *exchange;
	struct expiry_entry *entry = x ? x->expiry : NULL;
	struct server *s = ctx;

	if (!x)
		return;
	x->cut |= why != MHD_REQUEST_TERMINATED_COMPLETED_OK;
	exchange_free(x);
	*exchange = NULL;
	expiry_asks(&s->expiry, entry, false);
	expiry_set(&s->expiry, entry, REQUEST_SECONDS * SECOND_NS);
	mhd.set_connection_option(c, MHD_CONNECTION_OPTION_TIMEOUT, (unsigned int)IDLE_SECONDS);
}

static void on_connection(void *ctx, struct MHD_Connection *c, void **entry,
			  enum MHD_ConnectionNotificationCode what)
{
	const union MHD_ConnectionInfo *info =
		mhd.get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct server *s = ctx;
	struct peer who;

	if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
		expiry_remove(&s->expiry, *entry);
		return;
	}
	/* all peers that are not known count as one user */
	peer_of(info->connect_fd, s->o->address.is_unix, &who);
	*entry = expiry_add(&s->expiry, info->connect_fd, &who, REQUEST_SECONDS * SECOND_NS);
}

/* Its messages are about what clients sent. */
static void no_message(void *ctx, const char *fmt, va_list ap)
{
}

/*
 * At most as many connections as there are descriptors for: if accept() fails for want of one,
 * libmicrohttpd tries again without a pause. Further clients wait until a connection is closed.
 */
static unsigned int connections_most(void)
{
	struct rlimit most;

	if (getrlimit(RLIMIT_NOFILE, &most) ||
	    most.rlim_cur >= OWN_FILES + CONNECTIONS * FILES_OF_ONE)
		return CONNECTIONS;
	if (most.rlim_cur < OWN_FILES + FILES_OF_ONE)
		return 1;
	return ((unsigned int)most.rlim_cur - OWN_FILES) / FILES_OF_ONE;
}

/* A quarter of the places, if there are so many, is for clients with a request that is allowed. */
static unsigned int silent_most(void)
{
	unsigned int most = connections_most();

	return most < 4 ? most : most - most / 4;
}

static int start_daemon(struct server *s, struct error *err)
{
	enum {
		FLAGS = MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD |
			MHD_USE_POLL | MHD_USE_ITC | MHD_USE_ERROR_LOG
	};

	s->daemon = mhd.start_daemon(FLAGS, 0, NULL, NULL, on_request, s,
				     MHD_OPTION_EXTERNAL_LOGGER, no_message, NULL,
				     MHD_OPTION_LISTEN_SOCKET, s->listener,
				     MHD_OPTION_NOTIFY_COMPLETED, on_completed, s,
				     MHD_OPTION_NOTIFY_CONNECTION, on_connection, s,
				     MHD_OPTION_CONNECTION_LIMIT, connections_most(),
				     MHD_OPTION_CONNECTION_TIMEOUT, (unsigned int)IDLE_SECONDS,
				     MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)MEMORY,
				     MHD_OPTION_THREAD_STACK_SIZE, (size_t)STACK,
				     MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
	return s->daemon ? 0 :
			   error_set(err, -ENOMEM, "libmicrohttpd could not start: %s",
				     strerror(errno));
}

static void free_server(struct server *s)
{
	address_close(&s->address);
	expiry_free(&s->expiry);
	slots_free(&s->recordings);
	slots_free(&s->looks);
	if (s->listener >= 0)
		close(s->listener);
	if (s->stop >= 0)
		close(s->stop);
	free(s);
}

struct server *server_start(const struct serve_options *options, struct error *err)
{
	struct server *s = xcalloc(1, sizeof(*s));
	int r;

	*s = (struct server){ .o = options, .address = options->address, .listener = -1 };
	expiry_init(&s->expiry, OF_ONE_USER, silent_most());
	slots_init(&s->recordings, options->recordings, options->queue);
	slots_init(&s->looks, LOOKS, LOOKS_QUEUE);
	s->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	r = mhd_load(err);
	if (!r)
		r = procfs_open(&s->fs, options->proc_dir, err);
	if (!r)
		r = s->listener = address_listen(&s->address, err);
	if (r >= 0)
		r = privilege_keep_for_children(err);
	if (r >= 0)
		r = start_daemon(s, err);
	if (r >= 0)
		return s;
	free_server(s);
	return NULL;
}

const char *server_text(const struct server *s, char ret[static ADDRESS_TEXT])
{
	return address_text(&s->address, s->listener, ret);
}

void server_quiesce(struct server *s)
{
	mhd.quiesce_daemon(s->daemon);
	address_close(&s->address);
	eventfd_write(s->stop, 1);
}

void server_tick(struct server *s)
{
	expiry_run(&s->expiry);
}

bool server_idle(struct server *s)
{
	return !atomic_load(&s->exchanges);
}

void server_stop(struct server *s)
{
	mhd.stop_daemon(s->daemon);
	free_server(s);
}
