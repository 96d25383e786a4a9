// SPDX-License-Identifier: Apache-2.0
/*
 * fuzz_http: bytes of a client to the process of `gotap serve` that parses HTTP, over a connection of its own: the
 * front with libmicrohttpd, and in place of the server a thread that answers each question at once. The first byte
 * says whether the address is a Unix socket or TCP, the second at which byte the client pauses. All that the front asks
 * must be a valid question; whatever the client gets must be HTTP, and its connection must end.
 */
#define _GNU_SOURCE
#include "fuzz.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "serve/channel.h"
#include "serve/front_internal.h"

enum { END_MS = 60000, MAX_SECONDS = 300, TEXT = 100 };

/* One front, with the other end of its channel, and where it listens. */
static struct side {
	struct front_side front;
	int server;
	struct sockaddr_storage at;
	socklen_t len;
} sides[2];

/* --- the server --- */

static void write_all(int fd, const void *data, size_t n)
{
	must(send(fd, data, n, MSG_NOSIGNAL) == (ssize_t)n || errno == EPIPE || errno == ECONNRESET,
	     "an answer has room in its socket");
}

/* Half of the answers have no size, and some of these no end. */
static void answer(int fd, const struct ask *a)
{
	struct answer begin = { .size = a->pid % 2 ? TEXT : -1 };
	uint32_t piece = TEXT, end = 0;
	char text[TEXT];

	memset(text, 'x', sizeof(text));
	write_all(fd, &begin, sizeof(begin));
	write_all(fd, &piece, sizeof(piece));
	write_all(fd, text, sizeof(text));
	if (a->debug <= 0)
		write_all(fd, &end, sizeof(end));
}

static void reply(struct side *s, const struct ask *a)
{
	struct refusal why = {0};
	int ends[2];

	if (!strcmp(a->authorization, "Bearer no"))
		why = (struct refusal){ .status = 401, .text = "no" };
	if (why.status || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) {
		must(!channel_send(s->server, &why, sizeof(why), -1), "the front takes a reply");
		return;
	}
	must(!channel_send(s->server, &why, sizeof(why), ends[0]), "the front takes a reply");
	close(ends[0]);
	answer(ends[1], a);
	close(ends[1]);
}

static void *server(void *side)
{
	struct side *s = side;
	struct request r;
	struct ask a;
	int client;

	while (channel_receive(s->server, &a, sizeof(a), &client) == 1) {
		must(client >= 0, "a question has the socket of its client");
		close(client);
		must(ask_is_valid(&a), "the front asks valid questions");
		must(!ask_decode(&a, &r) || r.endpoint->path, "a question has an end point");
		reply(s, &a);
	}
	return NULL;
}

/* --- the front --- */

static void *front(void *side)
{
	front_daemon_run(&((struct side *)side)->front);
	return NULL;
}

static void listen_at(struct side *s)
{
	const struct sockaddr_in tcp = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	const struct sockaddr_un local = { .sun_family = AF_UNIX };	/* the kernel gives it a name */
	int family = s->front.is_unix ? AF_UNIX : AF_INET;

	memcpy(&s->at, s->front.is_unix ? (const void *)&local : (const void *)&tcp,
	       s->front.is_unix ? sizeof(local) : sizeof(tcp));
	s->len = s->front.is_unix ? sizeof(sa_family_t) : sizeof(tcp);
	s->front.listener = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	must(!bind(s->front.listener, (struct sockaddr *)&s->at, s->len) && !listen(s->front.listener, 64),
	     "the front can listen");
	s->len = sizeof(s->at);
	must(!getsockname(s->front.listener, (struct sockaddr *)&s->at, &s->len), "it has an address");
}

static void begin(struct side *s, bool is_unix)
{
	struct error err;
	pthread_t thread;
	int ends[2];

	must(!channel_open(ends), "there is a channel");
	s->server = ends[0];
	s->front = (struct front_side){
		.is_unix = is_unix, .max_seconds = MAX_SECONDS, .channel = ends[1],
		.asking = PTHREAD_MUTEX_INITIALIZER,
	};
	listen_at(s);
	must(!front_daemon_start(&s->front, &err), "libmicrohttpd starts");
	must(!pthread_create(&thread, NULL, server, s) && !pthread_detach(thread), "a thread starts");
	must(!pthread_create(&thread, NULL, front, s) && !pthread_detach(thread), "a thread starts");
}

static void begin_all(void)
{
	struct error err;

	must(!mhd_load(&err), "libmicrohttpd is installed");
	begin(&sides[0], true);
	begin(&sides[1], false);
}

/* --- the client --- */

/* Reads to the end of the connection. */
static void read_all(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char got[4096], first[5];
	size_t len = 0, n;
	ssize_t r;

	do {
		/* libFuzzer's timer interrupts calls */
		while ((r = poll(&p, 1, END_MS)) < 0 && errno == EINTR)
			;
		must(r == 1, "a connection that the client has ended ends");
		r = recv(fd, got, sizeof(got), 0);
		for (n = 0; r > 0 && n < (size_t)r && len < sizeof(first); n++)
			first[len++] = got[n];
	} while (r > 0);
	must(len < sizeof(first) || !memcmp(first, "HTTP/", sizeof(first)), "an answer is HTTP");
}

static void send_part(int fd, const uint8_t *data, size_t n)
{
	ssize_t r;

	for (; n; data += r, n -= (size_t)r) {
		r = send(fd, data, n, MSG_NOSIGNAL);
		if (r <= 0)
			return;	/* the front has refused the rest */
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	size_t pause;
	struct side *s;
	int fd;

	pthread_once(&once, begin_all);
	if (size < 2)
		return 0;
	s = &sides[data[0] % 2];
	pause = data[1] < size - 2 ? data[1] : size - 2;
	fd = socket(s->at.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	must(fd >= 0 && !connect(fd, (struct sockaddr *)&s->at, s->len), "a client connects");
	send_part(fd, data + 2, pause);
	if (pause && pause < size - 2)
		sched_yield();
	send_part(fd, data + 2 + pause, size - 2 - pause);
	shutdown(fd, SHUT_WR);
	read_all(fd);
	close(fd);
	return 0;
}
