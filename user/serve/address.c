// SPDX-License-Identifier: Apache-2.0
/* address: see address.h. */
#define _GNU_SOURCE
#include "serve/address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/folder_lock.h"

/* --- from text --- */

static int parse_unix(struct address *a, const char *path, struct error *err)
{
	struct sockaddr_un *un = (struct sockaddr_un *)&a->at;

	if (!*path)
		return error_set(err, -EINVAL, "--listen unix: needs a path");
	if (strlen(path) >= sizeof(un->sun_path))
		return error_set(err, -ENAMETOOLONG,
				 "the path of a Unix socket has at most %zu bytes, '%s' has %zu",
				 sizeof(un->sun_path) - 1, path, strlen(path));
	un->sun_family = AF_UNIX;
	strcpy(un->sun_path, path);
	a->len = sizeof(*un);
	a->is_unix = a->is_loopback = true;
	return 0;
}

/* Digits only, at most 65535. */
static bool parse_port(const char *s, in_port_t *ret)
{
	size_t n = strlen(s);

	if (!n || n > 5 || strspn(s, "0123456789") != n || atoi(s) > UINT16_MAX)
		return false;
	*ret = htons((uint16_t)atoi(s));
	return true;
}

static bool parse_ipv4(struct address *a, const char *host, const char *port)
{
	struct sockaddr_in *in = (struct sockaddr_in *)&a->at;

	in->sin_family = AF_INET;
	a->len = sizeof(*in);
	if (inet_pton(AF_INET, host, &in->sin_addr) != 1 || !parse_port(port, &in->sin_port))
		return false;
	a->is_loopback = ntohl(in->sin_addr.s_addr) >> 24 == 127;
	return true;
}

static bool parse_ipv6(struct address *a, const char *host, const char *port)
{
	struct sockaddr_in6 *in = (struct sockaddr_in6 *)&a->at;

	in->sin6_family = AF_INET6;
	a->len = sizeof(*in);
	if (inet_pton(AF_INET6, host, &in->sin6_addr) != 1 || !parse_port(port, &in->sin6_port))
		return false;
	a->is_loopback = IN6_IS_ADDR_LOOPBACK(&in->sin6_addr);
	return true;
}

/*
 * Copies "HOST" of "HOST:PORT" or "[HOST]:PORT"; returns what stands behind, or NULL if it is too
 * long.
 */
static const char *split_host(const char *text, char host[static INET6_ADDRSTRLEN], bool *brackets)
{
	const char *end;
	size_t n;

	*brackets = *text == '[';
	text += *brackets;
	end = *brackets ? strchr(text, ']') : strchrnul(text, ':');
	n = end ? (size_t)(end - text) : INET6_ADDRSTRLEN;
	if (n >= INET6_ADDRSTRLEN)
		return NULL;
	memcpy(host, text, n);
	host[n] = 0;
	return end + *brackets;
}

int address_parse(struct address *a, const char *text, struct error *err)
{
	char host[INET6_ADDRSTRLEN];
	const char *rest;
	bool brackets;

	*a = (struct address){0};
	if (!strncmp(text, "unix:", 5))
		return parse_unix(a, text + 5, err);
	rest = split_host(text, host, &brackets);
	if (rest && *rest == ':' && (brackets ? parse_ipv6 : parse_ipv4)(a, host, rest + 1))
		return 0;
	return error_set(err, -EINVAL,
			 "--listen takes unix:PATH, 127.0.0.1:PORT or [::1]:PORT, not '%s'", text);
}

/* Is @host, with or without a port, one of @names? */
static bool address_is_named(const char *host, const char *names)
{
	size_t n = strcspn(host, ":"), length;
	in_port_t port;

	if (!n || (host[n] && !parse_port(host + n + 1, &port)))
		return false;
	for (; names && *names; names += length + (names[length] == ',')) {
		length = strcspn(names, ",");
		if (length == n && !strncasecmp(names, host, n))
			return true;
	}
	return false;
}

bool address_is_host(const char *host, const char *names)
{
	char name[INET6_ADDRSTRLEN];
	struct in6_addr number;
	const char *rest;
	in_port_t port;
	bool brackets;

	if (host && address_is_named(host, names))
		return true;
	rest = host ? split_host(host, name, &brackets) : NULL;
	if (!rest || (*rest && (*rest != ':' || !parse_port(rest + 1, &port))))
		return false;
	if (brackets)
		return inet_pton(AF_INET6, name, &number) == 1;
	return !strcasecmp(name, "localhost") || inet_pton(AF_INET, name, &number) == 1;
}

/* --- the socket --- */

static const char *path_of(const struct address *a)
{
	return ((const struct sockaddr_un *)&a->at)->sun_path;
}

/* 1: a process listens there; 0: none does; a negative errno: that cannot be found out. */
static int address_is_alive(const struct address *a)
{
	_cleanup_close_ int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	return !connect(fd, (const struct sockaddr *)&a->at, a->len) || errno != ECONNREFUSED;
}

/*
 * Removes a socket at which nobody listens. @lock is the folder's: without it another server could
 * have begun to listen since.
 */
static int make_room(const struct address *a, int lock, struct error *err)
{
	const char *path = path_of(a);
	struct stat st;
	int alive;

	if (lstat(path, &st))
		return 0;
	if (!S_ISSOCK(st.st_mode))
		return error_set(err, -EEXIST, "'%s' is there and no socket: give another path",
				 path);
	alive = address_is_alive(a);
	if (alive > 0)
		return error_set(err, -EADDRINUSE,
				 "a process listens on '%s' already: stop it or give another path",
				 path);
	if (!alive && lock >= 0 && (!unlink(path) || errno == ENOENT))
		return 0;
	alive = alive ? alive : lock < 0 ? lock : -errno;
	return error_set(err, alive,
			 "cannot listen on '%s', a socket that is there: it cannot be replaced: %s",
			 path, strerror(-alive));
}

static int bind_unix(struct address *a, int fd, int lock, struct error *err)
{
	struct stat st;
	mode_t old;
	int r = make_room(a, lock, err);

	if (r)
		return r;
	old = umask(0111);
	r = bind(fd, (struct sockaddr *)&a->at, a->len) ? -errno : 0;
	umask(old);
	if (r)
		return error_set(err, r, "cannot listen on '%s': %s", path_of(a), strerror(-r));
	if (!lstat(path_of(a), &st)) {
		a->dev = st.st_dev;
		a->ino = st.st_ino;
	}
	return 0;
}

static int bind_port(struct address *a, int fd, struct error *err)
{
	char text[ADDRESS_TEXT];
	int on = 1, r;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (!bind(fd, (struct sockaddr *)&a->at, a->len))
		return 0;
	r = -errno;
	return error_set(err, r, "cannot listen on %s: %s", address_text(a, -1, text),
			 strerror(-r));
}

int address_listen(struct address *a, struct error *err)
{
	enum { BACKLOG = 64 };
	_cleanup_close_ int lock = a->is_unix ? folder_lock(path_of(a)) : -1;
	int r, fd = socket(a->at.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return error_set(err, -errno, "cannot make a socket: %s", strerror(errno));
	r = a->is_unix ? bind_unix(a, fd, lock, err) : bind_port(a, fd, err);
	if (!r && listen(fd, BACKLOG))
		r = error_set(err, -errno, "cannot listen: %s", strerror(errno));
	if (!r)
		return fd;
	close(fd);
	address_close(a);
	return r;
}

/* Have both one path, or one family and one port? */
static bool address_same_door(const struct address *a, const struct sockaddr_storage *at)
{
	const struct sockaddr_storage *own = &a->at;

	if (at->ss_family != own->ss_family)
		return false;
	if (a->is_unix)
		return !strncmp(((const struct sockaddr_un *)at)->sun_path, path_of(a),
				sizeof(((struct sockaddr_un *)0)->sun_path));
	if (at->ss_family == AF_INET)
		return ((const struct sockaddr_in *)at)->sin_port ==
		       ((const struct sockaddr_in *)own)->sin_port;
	return ((const struct sockaddr_in6 *)at)->sin6_port ==
	       ((const struct sockaddr_in6 *)own)->sin6_port;
}

void address_settle(struct address *a, int fd)
{
	socklen_t len = sizeof(a->at);

	if (!a->is_unix)
		getsockname(fd, (struct sockaddr *)&a->at, &len);
}

bool address_has_client(const struct address *a, int fd)
{
	struct sockaddr_storage at = {0};
	socklen_t len = sizeof(at), size = sizeof(int);
	int listens = 1;

	return !getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) && !listens &&
	       !getsockname(fd, (struct sockaddr *)&at, &len) && address_same_door(a, &at);
}

const char *address_text(const struct address *a, int fd, char ret[static ADDRESS_TEXT])
{
	struct sockaddr_storage at = a->at;
	socklen_t len = sizeof(at);
	char host[INET6_ADDRSTRLEN];

	if (a->is_unix) {
		snprintf(ret, ADDRESS_TEXT, "unix:%s", path_of(a));
		return ret;
	}
	if (fd < 0 || getsockname(fd, (struct sockaddr *)&at, &len))
		at = a->at;
	if (at.ss_family == AF_INET) {
		const struct sockaddr_in *in = (const struct sockaddr_in *)&at;

		snprintf(ret, ADDRESS_TEXT, "http://%s:%d",
			 inet_ntop(AF_INET, &in->sin_addr, host, sizeof(host)),
			 ntohs(in->sin_port));
	} else {
		const struct sockaddr_in6 *in = (const struct sockaddr_in6 *)&at;

		snprintf(ret, ADDRESS_TEXT, "http://[%s]:%d",
			 inet_ntop(AF_INET6, &in->sin6_addr, host, sizeof(host)),
			 ntohs(in->sin6_port));
	}
	return ret;
}

void address_close(struct address *a)
{
	struct stat st;

	if (a->is_unix && a->ino && !lstat(path_of(a), &st) && st.st_ino == a->ino &&
	    st.st_dev == a->dev)
		unlink(path_of(a));
	a->ino = 0;
}
