// SPDX-License-Identifier: Apache-2.0
/* client: see client.h. */
#define _GNU_SOURCE
#include "http/client.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/show.h"
#include "base/vec.h"

static const uint64_t MS_NS = 1000000;

/* One request while it goes on. */
struct http_call {
	const struct http_request *request;
	int fd;
	uint64_t deadline;		/* ns */
};

/* RETRY_AFTER: the longest pause, in seconds, that an answer can ask for */
enum { ADDRESSES = 8, RETRY_AFTER = 60 };

struct endpoint_address {
	struct sockaddr_storage at;
	socklen_t len;
};

/* --- waiting --- */

static int call_left_ms(const struct http_call *c)
{
	uint64_t now = now_ns();

	return now >= c->deadline ? 0 : (int)((c->deadline - now) / MS_NS) + 1;
}

/* 0, or -ETIMEDOUT. */
static int call_wait(const struct http_call *c, short events)
{
	struct pollfd fd = { .fd = c->fd, .events = events };
	int r;

	do
		r = poll(&fd, 1, call_left_ms(c));
	while (r < 0 && errno == EINTR);
	return r > 0 ? 0 : -ETIMEDOUT;
}

/* --- connecting --- */

static int call_connect_to(struct http_call *c, const struct endpoint_address *a)
{
	int e = 0;
	socklen_t n = sizeof(e);

	c->fd = socket(a->at.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (c->fd < 0)
		return -errno;
	if (!connect(c->fd, (const struct sockaddr *)&a->at, a->len))
		return 0;
	if (errno != EINPROGRESS)
		return -errno;
	if (call_wait(c, POLLOUT))
		return -ETIMEDOUT;
	return getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &e, &n) ? -errno : -e;
}

#ifdef GOTAP_STATIC

/* The C library's resolver loads shared libraries; without them only numbers are known. */
static int call_resolve(const struct url *u, struct endpoint_address all[ADDRESSES],
			struct error *err)
{
	const char *host = !strcmp(u->host, "localhost") ? "127.0.0.1" : u->host;
	struct sockaddr_in6 *six = (struct sockaddr_in6 *)&all[0].at;
	struct sockaddr_in *four = (struct sockaddr_in *)&all[0].at;
	in_port_t port = htons((in_port_t)atoi(u->port));

	if (inet_pton(AF_INET, host, &four->sin_addr) == 1) {
		four->sin_family = AF_INET;
		four->sin_port = port;
		all[0].len = sizeof(*four);
	} else if (inet_pton(AF_INET6, host, &six->sin6_addr) == 1) {
		six->sin6_family = AF_INET6;
		six->sin6_port = port;
		all[0].len = sizeof(*six);
	} else {
		return error_set(err, -ENOENT,
				 "cannot find the host of %s: a static gotap takes the number of "
				 "an address, or localhost",
				 u->shown);
	}
	return 1;
}

#else

/* Returns how many addresses the host has, at most ADDRESSES, or a negative errno. */
static int call_resolve(const struct url *u, struct endpoint_address all[ADDRESSES],
			struct error *err)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV };
	struct addrinfo *found = NULL, *a;
	int r = getaddrinfo(u->host, u->port, &hints, &found), n = 0;

	if (r)
		return error_set(err, r == EAI_AGAIN ? -EHOSTUNREACH : -ENOENT,
				 "cannot find the host of %s: %s", u->shown, gai_strerror(r));
	for (a = found; a && n < ADDRESSES; a = a->ai_next) {
		if (a->ai_addrlen > sizeof(all[n].at))
			continue;
		memcpy(&all[n].at, a->ai_addr, a->ai_addrlen);
		all[n++].len = a->ai_addrlen;
	}
	freeaddrinfo(found);
	return n;
}

#endif

/* The addresses of a host one after the other. */
static int call_connect(struct http_call *c, struct error *err)
{
	struct endpoint_address all[ADDRESSES] = {0};
	const struct url *u = c->request->url;
	int n = call_resolve(u, all, err), r = -EHOSTUNREACH, i;

	if (n < 0)
		return n;
	for (i = 0; i < n; i++) {
		cleanup_close(&c->fd);
		c->fd = -1;
		r = call_connect_to(c, &all[i]);
		if (!r || r == -ETIMEDOUT)
			break;
	}
	return !r ? 0 : error_set(err, r, "cannot connect to %s: %s", u->shown, strerror(-r));
}

/* --- the request --- */

static void call_add_base64(struct buf *out, const char *text)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t n = strlen(text), i, k;

	for (i = 0; i < n; i += 3) {
		uint32_t bits = 0;

		for (k = 0; k < 3; k++)
			bits = bits << 8 | (i + k < n ? (uint8_t)text[i + k] : 0);
		for (k = 0; k < 4; k++)
			buf_add_byte(out, i + k > n ? '=' :
						      (uint8_t)digits[bits >> (18 - 6 * k) & 63]);
	}
}

static void call_add_basic(struct buf *out, const char *pair)
{
	buf_printf(out, "Authorization: Basic ");
	call_add_base64(out, pair);
	buf_printf(out, "\r\n");
}

static void call_add_authorization(struct buf *out, const struct http_request *r)
{
	_cleanup_free_ char *pair = NULL;

	if (r->token && r->user) {
		pair = xasprintf("%s:%s", r->user, r->token);
		call_add_basic(out, pair);
		explicit_bzero(pair, strlen(pair));
	} else if (r->token) {
		buf_printf(out, "Authorization: Bearer %s\r\n", r->token);
	} else if (*r->url->user) {
		call_add_basic(out, r->url->user);
	}
}

static void call_add_head(struct buf *out, const struct http_request *r)
{
	const struct url *u = r->url;
	const char *path = r->path ? r->path : *u->path ? u->path : "/";

	buf_printf(out, "POST %s HTTP/1.1\r\nHost: %s%s%s:%s\r\nUser-Agent: gotap/" GOTAP_VERSION
			"\r\nContent-Length: %zu\r\nConnection: close\r\n",
		   path, u->brackets ? "[" : "", u->host, u->brackets ? "]" : "", u->port, r->size);
	if (r->type)
		buf_printf(out, "Content-Type: %s\r\n", r->type);
	call_add_authorization(out, r);
	buf_printf(out, "\r\n");
}

/* A server that has answered already may close before it has all: its answer counts. */
static int call_send(struct http_call *c, const void *data, size_t n)
{
	const char *at = data;
	ssize_t r;

	while (n) {
		r = send(c->fd, at, n, MSG_NOSIGNAL);
		if (r > 0) {
			at += r;
			n -= (size_t)r;
		} else if (errno == EPIPE || errno == ECONNRESET) {
			return 0;
		} else if (errno != EAGAIN && errno != EINTR) {
			return -errno;
		} else if (call_wait(c, POLLOUT)) {
			return -ETIMEDOUT;
		}
	}
	return 0;
}

/* --- the answer --- */

/* The number of a header, cut to @most; 0: there is none. */
static unsigned int answer_number(const char *head, const char *name, unsigned int most)
{
	const char *at = strcasestr(head, name);
	unsigned long n;

	if (!at)
		return 0;
	at += strlen(name);
	at += strspn(at, " \t");
	n = *at >= '0' && *at <= '9' ? strtoul(at, NULL, 10) : 0;
	return n < most ? (unsigned int)n : most;
}

/* Appends what the chunks at @text have. Returns whether the last one is there. */
static bool answer_unchunk(const char *text, const char *end, struct buf *ret)
{
	while (text < end) {
		const char *line = memchr(text, '\n', (size_t)(end - text));
		unsigned long long size;

		/* the line has a length in hexadecimal digits, which its end ends */
		if (!line || !isxdigit((unsigned char)*text))
			return false;
		size = strtoull(text, NULL, 16);
		if (!size)
			return true;
		text = line + 1;
		if (size > (size_t)(end - text)) {
			buf_add(ret, text, (size_t)(end - text));
			return false;
		}
		buf_add(ret, text, (size_t)size);
		text += size;
		text += end - text > 1 && *text == '\r' ? 2 : 1;
	}
	return false;
}

bool http_content(const char *text, size_t n, struct buf *ret)
{
	const char *end = text + n, *body = memmem(text, n, "\r\n\r\n", 4);
	_cleanup_free_ char *head = NULL;
	unsigned int length;

	if (!body)
		return false;
	head = xstrndup(text, (size_t)(body - text));
	body += 4;
	if (strcasestr(head, "\r\ntransfer-encoding: chunked"))
		return answer_unchunk(body, end, ret);
	length = answer_number(head, "\r\ncontent-length:", UINT_MAX);
	if (!strcasestr(head, "\r\ncontent-length:"))
		length = UINT_MAX;
	buf_add(ret, body, length < (size_t)(end - body) ? length : (size_t)(end - body));
	return length <= (size_t)(end - body);
}

bool http_parse(const char *text, size_t n, struct http_answer *ret)
{
	_cleanup_free_ char *copy = xstrndup(text, n), *shown = NULL;
	char *body = strstr(copy, "\r\n\r\n");

	*ret = (struct http_answer){0};
	if (strncmp(copy, "HTTP/1.", 7) || strlen(copy) < 12 || copy[8] != ' ' ||
	    strspn(copy + 9, "0123456789") != 3)
		return false;
	ret->status = (unsigned int)atoi(copy + 9);
	if (!body)
		return ret->status >= 100;
	*body = 0;
	body += 4;
	ret->retry_after = answer_number(copy, "\r\nretry-after:", RETRY_AFTER);
	if (strcasestr(copy, "\r\ntransfer-encoding: chunked"))
		body += strcspn(body, "\n");	/* the length of the first piece */
	body += strspn(body, "\r\n");
	body[strcspn(body, "\r\n")] = 0;
	shown = show_dup(body);
	snprintf(ret->line, sizeof(ret->line), "%s", shown);
	return ret->status >= 100;
}

/* Is the head whole, and a body that has a second line? Where it has none, the server closes. */
static bool call_has_all(const struct http_call *c, const struct buf *b)
{
	const char *end = memmem(b->data, b->len, "\r\n\r\n", 4), *stop;
	struct buf content = {0};
	bool whole;

	if (c->request->content) {
		whole = http_content((const char *)b->data, b->len, &content);
		buf_free(&content);
		return whole;
	}
	if (!end)
		return false;
	stop = (const char *)b->data + b->len;
	end = memchr(end + 4, '\n', (size_t)(stop - end) - 4);
	return end && memchr(end + 1, '\n', (size_t)(stop - end) - 1);
}

static int call_receive(struct http_call *c, struct buf *b)
{
	char piece[2048];
	ssize_t n;

	while (b->len < HTTP_ANSWER && !call_has_all(c, b)) {
		if (call_wait(c, POLLIN))
			return memmem(b->data, b->len, "\r\n\r\n", 4) ? 0 : -ETIMEDOUT;
		n = recv(c->fd, piece, sizeof(piece), 0);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			continue;
		if (n <= 0)
			return b->len ? 0 : n < 0 ? -errno : -ECONNRESET;
		buf_add(b, piece, (size_t)n);
	}
	return 0;
}

static int call_answer(struct http_call *c, struct http_answer *ret, struct error *err)
{
	const char *shown = c->request->url->shown;
	struct buf b = {0};
	int r;

	buf_reserve(&b, 1);
	r = call_receive(c, &b);
	if (r)
		error_set(err, r, "no answer from %s: %s", shown, strerror(-r));
	else if (!http_parse((const char *)b.data, b.len, ret))
		r = error_set(err, -EBADMSG, "the answer of %s is not HTTP", shown);
	else if (c->request->content)
		http_content((const char *)b.data, b.len, c->request->content);
	buf_free(&b);
	ret->sent = true;
	return r;
}

int http_post(const struct http_request *r, struct http_answer *ret, struct error *err)
{
	struct http_call c = { .request = r, .fd = -1,
			       .deadline = now_ns() + r->timeout_ms * MS_NS };
	struct buf head = {0};
	int e = call_connect(&c, err);

	*ret = (struct http_answer){0};
	if (!e) {
		call_add_head(&head, r);
		e = call_send(&c, head.data, head.len);
		if (!e)
			e = call_send(&c, r->body, r->size);
		explicit_bzero(head.data, head.len);
		buf_free(&head);
		e = e ? error_set(err, e, "cannot send to %s: %s", r->url->shown, strerror(-e)) :
			call_answer(&c, ret, err);
	}
	cleanup_close(&c.fd);
	return e;
}
