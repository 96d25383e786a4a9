// SPDX-License-Identifier: Apache-2.0
/*
 * front_daemon: clients are accepted, one thread of libmicrohttpd for each, as long as there are
 * places. gotap accepts them itself: at its limit the library closes the next client, and a
 * connection that was closed counts until its thread has ended, which takes long on a busy machine.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "serve/front_internal.h"
#include "serve/peer.h"

/*
 * A connection without a whole request ends after REQUEST_SECONDS. Each has MEMORY bytes for its
 * request: a longer one is refused (431, 414). A user other than root may have OF_ONE_USER of them:
 * more than the requests of one user that, with the default options, can be under way or wait.
 */
enum { OF_ONE_USER = 24, REQUEST_SECONDS = 30, MEMORY = 16 << 10 };
/*
 * Descriptors of the server itself, with those of a child that is being started, and of a request:
 * its client, both ends of its answer, its process's, and two for its child or one to wait with.
 * The front has fewer.
 */
enum { OWN_FILES = 24, FILES_OF_ONE = 6 };

/* --- the calls of libmicrohttpd --- */

/* The first call for a request, with its headers, and the second, at its end. */
static enum MHD_Result front_on_request(void *ctx, struct MHD_Connection *c, const char *url,
					const char *method, const char *version, const char *data,
					size_t *size, void **visit)
{
	struct front_side *f = ctx;
	struct refusal why = {0};

	if (!*visit) {
		*visit = visit_new(f, c);
		return visit_accept(*visit, url, method, &why) ? MHD_YES : answer_refuse(c, &why);
	}
	*size = 0;
	return visit_answer(*visit);
}

static void front_on_completed(void *ctx, struct MHD_Connection *c, void **visit,
			       enum MHD_RequestTerminationCode why)
{
	struct visit *v = *visit;
	struct expiry_entry *entry = v ? v->expiry : NULL;
	struct front_side *f = ctx;

	if (!v)
		return;
	visit_free(v, why == MHD_REQUEST_TERMINATED_COMPLETED_OK);
	*visit = NULL;
	expiry_asks(&f->expiry, entry, false);
	expiry_set(&f->expiry, entry, REQUEST_SECONDS * SECOND_NS);
	mhd.set_connection_option(c, MHD_CONNECTION_OPTION_TIMEOUT, (unsigned int)IDLE_SECONDS);
}

static void front_on_connection(void *ctx, struct MHD_Connection *c, void **entry,
				enum MHD_ConnectionNotificationCode what)
{
	const union MHD_ConnectionInfo *info =
		mhd.get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct front_side *f = ctx;
	int fd = info->connect_fd;

	if (what == MHD_CONNECTION_NOTIFY_CLOSED)
		expiry_remove(&f->expiry, *entry);
	else
		*entry = expiry_add(&f->expiry, fd, peer_share_of_socket(fd, f->is_unix),
				    REQUEST_SECONDS * SECOND_NS);
}

/* Its messages are about what clients sent. */
static void front_no_message(void *ctx, const char *fmt, va_list ap)
{
}

/* --- begin --- */

/* At most as many connections as both processes have descriptors for. */
static unsigned int front_places(void)
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
static struct expiry_limits front_limits(const struct front_side *f)
{
	unsigned int places = front_places(), silent = places < 4 ? places : places - places / 4;

	return (struct expiry_limits){
		.places = places, .silent = silent, .of_one = f->is_unix ? OF_ONE_USER : silent,
		.replace = !f->is_unix,
	};
}

int front_daemon_start(struct front_side *f, struct error *err)
{
	enum {
		FLAGS = MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD |
			MHD_USE_POLL | MHD_USE_ITC | MHD_USE_ERROR_LOG | MHD_USE_NO_LISTEN_SOCKET
	};
	const struct expiry_limits limits = front_limits(f);

	if (expiry_init(&f->expiry, &limits))
		return error_set(err, -errno, "cannot make an eventfd: %s", strerror(errno));
	/* Its limit is never reached: expiry counts each connection for longer than it does. */
	f->daemon = mhd.start_daemon(
		FLAGS, 0, NULL, NULL, front_on_request, f, MHD_OPTION_EXTERNAL_LOGGER,
		front_no_message, NULL, MHD_OPTION_NOTIFY_COMPLETED, front_on_completed, f,
		MHD_OPTION_NOTIFY_CONNECTION, front_on_connection, f, MHD_OPTION_CONNECTION_LIMIT,
		2 * limits.places, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned int)IDLE_SECONDS,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)MEMORY, MHD_OPTION_THREAD_STACK_SIZE,
		(size_t)STACK, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
	return f->daemon ? 0 :
			   error_set(err, -ENOMEM, "libmicrohttpd could not start: %s",
				     strerror(errno));
}

/* --- clients --- */

/* A client that is gone already, or no descriptor: the next turn comes soon, and not at once. */
static void front_accept(struct front_side *f)
{
	const long PAUSE_NS = 10000000;
	struct sockaddr_storage at = {0};
	socklen_t len = sizeof(at);
	int fd = accept4(f->listener, (struct sockaddr *)&at, &len, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0) {
		sleep_ns(PAUSE_NS);
		return;
	}
	expiry_take_place(&f->expiry);
	/* The library closes a descriptor that it does not take. */
	if (mhd.add_connection(f->daemon, fd, (struct sockaddr *)&at, len) != MHD_YES)
		expiry_give_place(&f->expiry);
}

/*
 * Waits for a client, at most @ms, and takes it. Without a place it waits until one is given back.
 * False: the server has closed the channel.
 */
static bool front_turn(struct front_side *f, int ms)
{
	bool has_place = expiry_has_place(&f->expiry);
	struct pollfd fds[] = {
		{ .fd = f->channel, .events = POLLRDHUP },
		{ .fd = has_place ? -1 : f->expiry.room, .events = POLLIN },
		{ .fd = f->listener, .events = POLLIN },
	};
	eventfd_t places;
	bool waits = poll(fds, 3, ms) > 0 && fds[2].revents;

	if (waits && has_place) {
		front_accept(f);
	} else if (waits) {
		expiry_ease(&f->expiry);
		poll(fds, 2, ms);
	}
	if (fds[1].revents)
		eventfd_read(f->expiry.room, &places);
	return !fds[0].revents;
}

/* Answers that are under way are sent; the server bounds the time of that. */
static void front_finish(struct front_side *f)
{
	const long LOOK_NS = 5000000;

	close(f->listener);
	while (atomic_load(&f->visits))
		sleep_ns(LOOK_NS);
	mhd.stop_daemon(f->daemon);
	expiry_free(&f->expiry);
}

void front_daemon_run(struct front_side *f)
{
	enum { TICK_MS = 1000 };
	uint64_t last = now_ns();

	while (front_turn(f, TICK_MS)) {
		if (now_ns() - last < SECOND_NS)
			continue;
		last = now_ns();
		expiry_run(&f->expiry);
	}
	front_finish(f);
}
