// SPDX-License-Identifier: Apache-2.0
/* server: see server.h: the loop that polls, and the lines to the client. */
#define _GNU_SOURCE
#include "mcp/server.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/cleanup.h"
#include "mcp/internal.h"

enum {
	SERVER_LOOK_MS = 50, /* how often calls that run are looked at */
	SERVER_REAP_MS = 2, /* and a child that has closed its output, and is about to end */
	SERVER_FDS = 3 + 2 * MCP_CALLS,
};

/* --- output --- */

void mcp_send(struct mcp *m, struct json_object *message)
{
	size_t n;
	const char *text = json_object_to_json_string_length(
		message, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE, &n);

	buf_add(&m->out, text, n);
	buf_add_byte(&m->out, '\n');
	json_object_put(message);
}

/* Bytes that the client does not have yet. */
static size_t server_waiting(const struct mcp *m)
{
	return m->out.len - m->written;
}

/* Moves what waits only when it is the smaller part: a pipe takes an answer in many pieces. */
static void server_drop_written(struct mcp *m)
{
	size_t left = server_waiting(m);

	if (m->written < left)
		return;
	memmove(m->out.data, m->out.data + m->written, left);
	m->out.len = left;
	m->written = 0;
}

/*
 * Writes what can be written without waiting. The descriptor is shared with other processes, so it
 * stays blocking: a pipe that poll(2) calls writable takes PIPE_BUF bytes.
 */
static int server_write(struct mcp *m, int out)
{
	const uint8_t *from = m->out.data + m->written;
	size_t left = server_waiting(m);
	ssize_t n = send(out, from, left, MSG_DONTWAIT | MSG_NOSIGNAL);

	if (n < 0 && errno == ENOTSOCK)
		n = write(out, from, left < PIPE_BUF ? left : PIPE_BUF);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	m->written += (size_t)n;
	server_drop_written(m);
	return 0;
}

/* --- input --- */

static void server_take_lines(struct mcp *m)
{
	enum input_state state;
	const char *line;
	size_t n;

	while ((state = input_next(&m->input, &line, &n)) != INPUT_NONE) {
		if (state == INPUT_LINE)
			mcp_take(m, line, n);
		else
			mcp_refuse(m, NULL, MESSAGE_INVALID_REQUEST,
				   "the message is longer than 1 MiB");
	}
}

static void server_read(struct mcp *m, int in)
{
	char piece[1 << 14];
	ssize_t n = read(in, piece, sizeof(piece));

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n > 0)
		input_add(&m->input, piece, (size_t)n);
	else
		m->input.ended = true;
	server_take_lines(m);
}

/* --- the loop --- */

static void server_add_calls(const struct mcp *m, struct pollfd *fds)
{
	size_t i;

	for (i = 0; i < m->calls.len; i++) {
		const struct job *j = &(*vec_at(&m->calls, struct mcp_call *, i))->job;

		fds[2 * i] = (struct pollfd){ .fd = j->out_fd, .events = POLLIN };
		fds[2 * i + 1] = (struct pollfd){ .fd = j->said_fd, .events = POLLIN };
	}
}

static int server_patience(const struct mcp *m)
{
	size_t i;

	for (i = 0; i < m->calls.len; i++) {
		const struct job *j = &(*vec_at(&m->calls, struct mcp_call *, i))->job;

		if (j->out_fd < 0 && j->said_fd < 0)
			return SERVER_REAP_MS;
	}
	return m->calls.len ? SERVER_LOOK_MS : -1;
}

/* A client that does not read its answers is not read either. */
static void server_wait(const struct mcp *m, struct pollfd *fds, int in, int out, int signals)
{
	bool reads = server_waiting(m) < MCP_WAITING;

	fds[0] = (struct pollfd){ .fd = signals, .events = POLLIN };
	fds[1] = (struct pollfd){ .fd = reads ? in : -1, .events = POLLIN };
	fds[2] = (struct pollfd){ .fd = server_waiting(m) ? out : -1, .events = POLLOUT };
	server_add_calls(m, fds + 3);
	poll(fds, (nfds_t)(3 + 2 * m->calls.len), server_patience(m));
}

/* Takes the signals that came: the mask of before, which main() restores, would let them end gotap.
 */
static void server_take_signals(int signals)
{
	struct signalfd_siginfo info;

	while (read(signals, &info, sizeof(info)) > 0)
		;
}

/* Serves until the input or the output ends, or a signal. Returns 0 or -errno. */
static int server_loop(struct mcp *m, int in, int out, int signals)
{
	struct pollfd fds[SERVER_FDS];
	int r = 0;

	while (!m->input.ended && !r) {
		server_wait(m, fds, in, out, signals);
		if (fds[0].revents)
			return 0;
		if (fds[1].revents)
			server_read(m, in);
		mcp_step_calls(m);
		if (fds[2].revents)
			r = server_write(m, out);
	}
	return r;
}

/* A client that reads slowly does not keep the server. */
#define FLUSH_NS 3000000000ULL

/* What waits for a client that still reads: answers to its last requests. */
static void server_flush(struct mcp *m, int out)
{
	struct pollfd fd = { .fd = out, .events = POLLOUT };
	uint64_t until = now_ns() + FLUSH_NS;

	while (server_waiting(m) && now_ns() < until && poll(&fd, 1, 1000) > 0 &&
	       !server_write(m, out))
		;
}

/* Signals that end the server are read from the descriptor that it returns, or -errno. */
static int server_signals(void)
{
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	signal(SIGPIPE, SIG_IGN);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

int mcp_serve(const struct mcp_options *o, int in, int out, struct error *err)
{
	_cleanup_close_ int signals = server_signals();
	struct mcp m = { .o = o };
	int r;

	if (signals < 0)
		return error_set(err, signals, "cannot wait for signals: %s", strerror(-signals));
	r = store_open(&m.store, o->dir, o->most_bytes, err);
	if (!r) {
		r = server_loop(&m, in, out, signals);
		mcp_end_calls(&m);
		server_flush(&m, out);
		server_take_signals(signals);
		/* a client that is gone is the end, and no error */
		r = r == -EPIPE || r == -ECONNRESET ? 0 : r;
		if (r)
			error_set(err, r, "cannot write to the client: %s", strerror(-r));
	}
	input_free(&m.input);
	buf_free(&m.out);
	store_close(&m.store);
	return r;
}
