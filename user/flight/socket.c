// SPDX-License-Identifier: Apache-2.0
/*
 * socket: see socket.h. The side that listens: a thread that reads from clients; the writers of
 * snapshots answer them.
 */
#define _GNU_SOURCE
#include "flight/socket.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/json_out.h"
#include "base/limits.h"
#include "base/vec.h"
#include "flight/socket_address.h"
#include "flight/socket_file.h"
#include "flight/socket_folder.h"
#include "flight/socket_peer.h"
#include "proc/privilege.h"

struct client {
	int fd;			/* -1: the slot is free */
	uint64_t deadline;	/* for its line, ns */
	uint64_t id;		/* of the request that it waits for, 0: it has not asked yet */
	size_t n;
	char line[SOCKET_QUESTION];
};

struct flight_socket {
	struct flight *flight;
	int listener, wake;
	struct socket_file file;
	pthread_t thread;
	pthread_mutex_t lock;	/* of the members below */
	struct client clients[SOCKET_CLIENTS];
	/* no slot or no descriptor was left: further clients wait for the next round */
	bool full;
	bool over;
};

/* --- answers --- */

static void socket_drop(struct client *c)
{
	close(c->fd);
	*c = (struct client){ .fd = -1 };
}

/* Sends the line. A client that cannot take it at once does not get it. */
static void send_line(int fd, char *text, size_t n, int file)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control = {0};
	struct iovec part = { text, n };
	struct msghdr m = { .msg_iov = &part, .msg_iovlen = 1 };

	if (file >= 0) {
		m.msg_control = control.room;
		m.msg_controllen = sizeof(control.room);
		control.head = (struct cmsghdr){ .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS,
						 .cmsg_len = CMSG_LEN(sizeof(int)) };
		memcpy(CMSG_DATA(&control.head), &file, sizeof(int));
	}
	sendmsg(fd, &m, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/*
 * Opens the trace with the rights to files that wrote it, because its folder may belong to another
 * user. Returns a descriptor or a negative errno.
 */
static int open_trace(const char *path)
{
	int fd;

	privilege_raise_files();
	fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		fd = -errno;
	privilege_lower_files();
	return fd;
}

static void socket_answer(struct client *c, const struct flight_done *d)
{
	_cleanup_close_ int file = d->path ? open_trace(d->path) : -1;
	_cleanup_free_ char *text = NULL;
	size_t n = 0;
	struct json_out j = { .f = open_memstream(&text, &n) };

	json_open_object(&j, NULL);
	if (d->path) {
		json_put_text(&j, "path", d->path);
		json_put_count(&j, "bytes", d->bytes);
		json_put_real(&j, "duration_s", (double)(d->to - d->from) / 1e9, 9);
		if (file < 0)
			json_put_text(&j, "not_open", strerror(-file));
	} else {
		json_put_text(&j, "error", d->error);
	}
	json_close_object(&j);
	fputc('\n', j.f);
	fclose(j.f);
	send_line(c->fd, text, n, file);
	socket_drop(c);
}

static void socket_refuse(struct client *c, const char *why)
{
	socket_answer(c, &(struct flight_done){ .error = why });
}

void socket_done(struct flight_socket *s, const struct flight_done *d)
{
	int i;

	if (!s)
		return;
	pthread_mutex_lock(&s->lock);
	for (i = 0; i < SOCKET_CLIENTS; i++)
		if (s->clients[i].fd >= 0 && s->clients[i].id == d->id)
			socket_answer(&s->clients[i], d);
	pthread_mutex_unlock(&s->lock);
}

/* --- questions --- */

static const char *const flight_refusals[] = {
	[FLIGHT_TAKEN] = "taken", [FLIGHT_SEEN] = "seen", [FLIGHT_COOLS] = "cooldown",
	[FLIGHT_BUSY] = "busy",	  [FLIGHT_OVER] = "over",
};

/* The client does not wait for the snapshot. */
static void flight_ask_for_peer(struct flight_socket *s, struct client *c, const char *arguments)
{
	struct flight_fact fact = { .trigger = "peer" };
	enum flight_refusal why;
	char answer[64];
	int at = 0;

	if (sscanf(arguments, "%32s %u %64s%n", fact.id, &fact.hops, fact.from, &at) != 3 ||
	    fact.hops > FACT_HOPS_MOST) {
		socket_refuse(c, "'peer' takes an id, a number of hops, a host and a reason");
		return;
	}
	snprintf(fact.what, sizeof(fact.what), "%.64s asks (%.32s):%.150s", fact.from, fact.id,
		 arguments + at);
	flight_trigger_why(s->flight, &fact, &why);
	at = snprintf(answer, sizeof(answer), "{\"answer\": \"%s\"}\n", flight_refusals[why]);
	send_line(c->fd, answer, (size_t)at, -1);
	socket_drop(c);
}

static void flight_ask_for_snap(struct flight_socket *s, struct client *c, const char *reason,
				unsigned int hops)
{
	struct flight_fact fact = { .trigger = "socket", .asked = true, .hops = hops };

	snprintf(fact.what, sizeof(fact.what), "%s", reason);
	c->id = flight_trigger(s->flight, &fact);
	if (!c->id)
		socket_refuse(
			c, "the recording takes no request now: it ends, or too many wait already");
}

/* What follows @word in @line, or NULL: it begins with another word. */
static const char *flight_arguments(const char *line, const char *word)
{
	size_t n = strlen(word);

	if (strncmp(line, word, n) || (line[n] && line[n] != ' '))
		return NULL;
	return line + n + (line[n] == ' ');
}

static void flight_ask(struct flight_socket *s, struct client *c)
{
	const char *snap = flight_arguments(c->line, "snap");
	const char *all = flight_arguments(c->line, "all");
	const char *peer = flight_arguments(c->line, "peer");

	if (peer)
		flight_ask_for_peer(s, c, peer);
	else if (snap || all)
		flight_ask_for_snap(s, c, snap ? snap : all, all ? FACT_HOPS : 0);
	else
		socket_refuse(c, "the requests that are known here are 'snap REASON', 'all REASON' "
				 "and 'peer ID HOPS FROM REASON'");
}

static void socket_read_some(struct flight_socket *s, struct client *c)
{
	ssize_t n = recv(c->fd, c->line + c->n, sizeof(c->line) - 1 - c->n, MSG_DONTWAIT);
	char *end;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0 || c->id) {	/* the client is gone, or sends more than one line */
		socket_drop(c);
		return;
	}
	c->n += (size_t)n;
	c->line[c->n] = 0;
	end = strchr(c->line, '\n');
	if (end) {
		*end = 0;
		flight_ask(s, c);
	} else if (c->n == sizeof(c->line) - 1) {
		socket_refuse(c, "the line is too long");
	}
}

static struct client *free_slot(struct flight_socket *s)
{
	int i;

	for (i = 0; i < SOCKET_CLIENTS; i++)
		if (s->clients[i].fd < 0)
			return &s->clients[i];
	return NULL;
}

/*
 * Returns the client that has sent no line for the longest time; NULL: all wait for their
 * snapshots.
 */
static struct client *longest_silent(struct flight_socket *s)
{
	struct client *longest = NULL;
	int i;

	for (i = 0; i < SOCKET_CLIENTS; i++)
		if (!s->clients[i].id && (!longest || s->clients[i].deadline < longest->deadline))
			longest = &s->clients[i];
	return longest;
}

static uint64_t connected_ns(const struct client *c)
{
	return now_ns() + SOCKET_SECONDS * 1000000000ULL - c->deadline;
}

/*
 * Returns a slot for a client that connects. Clients that only connect must not keep a client out
 * that asks.
 */
static struct client *make_slot(struct flight_socket *s)
{
	struct client *c = free_slot(s);

	if (c)
		return c;
	c = longest_silent(s);
	if (!c || connected_ns(c) < SOCKET_HURRY_MS * 1000000ULL)
		return NULL;
	socket_drop(c);
	return c;
}

static int accept_next(struct flight_socket *s)
{
	int fd = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	s->full = fd < 0 &&
		  (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS);
	return fd;
}

/*
 * Accepts a client. While the other clients are new, it waits to be accepted; if all of them wait
 * for their snapshots, it is refused with an answer.
 */
static void accept_one(struct flight_socket *s)
{
	struct client *c = make_slot(s);
	struct client new = { .fd = -1 };
	const char *why;

	s->full = !c && longest_silent(s);
	if (s->full)
		return;
	new.fd = accept_next(s);
	if (new.fd < 0)
		return;
	new.deadline = now_ns() + SOCKET_SECONDS * 1000000000ULL;
	why = socket_peer_refused(new.fd);
	if (why || !c)
		socket_refuse(&new, why ? why : "too many clients are connected already");
	else
		*c = new;
}

static void drop_silent(struct flight_socket *s)
{
	int i;

	for (i = 0; i < SOCKET_CLIENTS; i++)
		if (s->clients[i].fd >= 0 && !s->clients[i].id && now_ns() > s->clients[i].deadline)
			socket_drop(&s->clients[i]);
}

/* --- the thread --- */

enum { FIRST = 2, FDS = FIRST + SOCKET_CLIENTS };

/*
 * Fills @fds, and returns their number up to the last client: poll() refuses more than
 * RLIMIT_NOFILE.
 */
static nfds_t socket_gather(struct flight_socket *s, struct pollfd fds[FDS])
{
	nfds_t n = FIRST;
	int i;

	fds[0] = (struct pollfd){ s->wake, POLLIN, 0 };
	fds[1] = (struct pollfd){ s->full ? -1 : s->listener, POLLIN, 0 };
	s->full = false;
	for (i = 0; i < SOCKET_CLIENTS; i++) {
		fds[FIRST + i] = (struct pollfd){ s->clients[i].fd, POLLIN, 0 };
		if (s->clients[i].fd >= 0)
			n = FIRST + i + 1;
	}
	return n;
}

/*
 * Between poll() and the lock a slot may have got another client; to read from that does not block.
 */
static void socket_handle(struct flight_socket *s, const struct pollfd fds[FDS])
{
	int i;

	for (i = 0; i < SOCKET_CLIENTS; i++)
		if (fds[FIRST + i].revents && s->clients[i].fd >= 0)
			socket_read_some(s, &s->clients[i]);
	if (fds[1].revents)
		accept_one(s);
	drop_silent(s);
}

/*
 * poll() fails if a user lowers RLIMIT_NOFILE below the number of clients. The thread then reads
 * from all clients every 100 ms; the sockets do not block.
 */
static void wait_for_some(struct pollfd fds[FDS], nfds_t n)
{
	nfds_t i;

	if (poll(fds, n, fds[1].fd < 0 ? SOCKET_HURRY_MS : 1000) >= 0 || errno == EINTR)
		return;
	poll(NULL, 0, 100);
	for (i = 0; i < n; i++)
		fds[i].revents = POLLIN;
}

static void *socket_serve(void *ctx)
{
	struct flight_socket *s = ctx;
	struct pollfd fds[FDS];
	bool over = false;
	nfds_t n;

	while (!over) {
		pthread_mutex_lock(&s->lock);
		n = socket_gather(s, fds);
		pthread_mutex_unlock(&s->lock);
		wait_for_some(fds, n);
		pthread_mutex_lock(&s->lock);
		socket_handle(s, fds);
		over = s->over;
		pthread_mutex_unlock(&s->lock);
	}
	return NULL;
}

/* --- begin and end --- */

void socket_reserve(const char *path)
{
	const char *slash = strrchr(path, '/');
	_cleanup_free_ char *folder = slash ? xstrndup(path, (size_t)(slash - path) + 1) :
					      xstrdup(".");

	privilege_reserve_folder(folder);
}

static int open_listener(struct flight_socket *s, const char *path, unsigned int pid,
			 struct error *err)
{
	char own[SOCKET_PATH];
	struct sockaddr_un a;
	socklen_t n;
	int r = path ? 0 : socket_folder_make(pid, own, err);

	if (r)
		return r;
	if (!path)
		path = own;
	n = socket_address(&a, path);
	if (!n)
		return error_set(err, -ENAMETOOLONG,
				 "cannot listen at '%s': the path of a socket has at most %zu "
				 "bytes",
				 path, sizeof(a.sun_path) - 1);
	s->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (s->listener < 0)
		return error_set(err, -errno, "cannot make a socket: %s", strerror(errno));
	return socket_file_listen(&s->file, s->listener, &a, n, SOCKET_CLIENTS, err);
}

static void socket_release(struct flight_socket *s)
{
	socket_file_remove(&s->file);
	if (s->listener >= 0)
		close(s->listener);
	if (s->wake >= 0)
		close(s->wake);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

int socket_listen(struct flight_socket **ret, const char *path, unsigned int pid, struct flight *f,
		  struct error *err)
{
	struct flight_socket *s = xcalloc(1, sizeof(*s));
	int i, r;

	s->flight = f;
	s->listener = -1;
	for (i = 0; i < SOCKET_CLIENTS; i++)
		s->clients[i].fd = -1;
	pthread_mutex_init(&s->lock, NULL);
	s->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	r = s->wake < 0 ? error_set(err, -errno, "cannot make an eventfd: %s", strerror(errno)) :
	    open_listener(s, path, pid, err);
	if (!r)
		r = -thread_start(&s->thread, socket_serve, s);
	if (r) {
		socket_release(s);
		return err->code ? r : error_set(err, r, "cannot start a thread: %s", strerror(-r));
	}
	*ret = s;
	return 0;
}

void socket_close(struct flight_socket *s)
{
	uint64_t one = 1;
	int i;

	if (!s)
		return;
	pthread_mutex_lock(&s->lock);
	s->over = true;
	pthread_mutex_unlock(&s->lock);
	if (write(s->wake, &one, sizeof(one)) == sizeof(one))
		pthread_join(s->thread, NULL);
	for (i = 0; i < SOCKET_CLIENTS; i++)
		if (s->clients[i].fd >= 0)
			socket_refuse(&s->clients[i], "the recording is over");
	socket_release(s);
}
