// SPDX-License-Identifier: Apache-2.0
/* socket_ask: see socket.h. The side that asks: `gotap snap`. */
#define _GNU_SOURCE
#include "flight/socket.h"

#include <errno.h>

#include "base/cleanup.h"
#include "flight/socket_address.h"

static int not_there(const char *path, unsigned int pid, int e, struct error *err)
{
	if (path)
		return error_set(err, -e, "no flight recording listens at '%s': %s", path, strerror(e));
	if (e == ECONNREFUSED)
		return error_set(err, -e, "there is no flight recording of process %u: begin one "
				 "with `gotap record --flight TIME -p %u`", pid, pid);
	return error_set(err, -e, "cannot ask the flight recording of process %u: %s", pid, strerror(e));
}

static int open_connection(int *fd, const char *path, unsigned int pid, struct error *err)
{
	struct sockaddr_un a;
	socklen_t n = socket_address(&a, path, pid);
	struct ucred peer;

	if (!n)
		return not_there(path, pid, ENAMETOOLONG, err);
	*fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (*fd < 0 || connect(*fd, (struct sockaddr *)&a, n))
		return not_there(path, pid, errno, err);
	if (!socket_is_trusted(*fd, &peer))
		return error_set(err, -EPERM, "the socket is that of process %d of user %u, who is neither root nor "
				 "you: it gets no request", peer.pid, peer.uid);
	return 0;
}

static int take_file(struct msghdr *m)
{
	struct cmsghdr *c = CMSG_FIRSTHDR(m);
	int fd = -1;

	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS &&
	    c->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(&fd, CMSG_DATA(c), sizeof(fd));
	return fd;
}

/* Up to the end of the line; the file comes with its first part. */
static int take_answer(int from, char line[static SOCKET_LINE], int *fd, struct error *err)
{
	char control[CMSG_SPACE(sizeof(int))];
	size_t n = 0;

	*fd = -1;
	while (!n || line[n - 1] != '\n') {
		struct iovec part = { line + n, SOCKET_LINE - 1 - n };
		struct msghdr m = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = control,
				    .msg_controllen = sizeof(control) };
		ssize_t got = recvmsg(from, &m, MSG_CMSG_CLOEXEC);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0 || part.iov_len == 0)
			return error_set(err, -EPIPE, "the flight recording ended, or was killed, before it "
					 "answered");
		if (*fd < 0)
			*fd = take_file(&m);
		n += (size_t)got;
	}
	line[n - 1] = 0;
	return 0;
}

int socket_ask(const char *path, unsigned int pid, const char *reason, char line[static SOCKET_LINE],
	       int *fd, struct error *err)
{
	_cleanup_close_ int s = -1;
	char question[300];
	int r = open_connection(&s, path, pid, err), n;

	*fd = -1;
	if (r)
		return r;
	n = snprintf(question, sizeof(question), "snap %.280s\n", reason);
	if (send(s, question, (size_t)n, MSG_NOSIGNAL) != n)
		return not_there(path, pid, errno, err);
	return take_answer(s, line, fd, err);
}
