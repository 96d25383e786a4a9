// SPDX-License-Identifier: Apache-2.0
/* socket_ask: see socket.h. The side that asks: `gotap snap`. */
#define _GNU_SOURCE
#include "flight/socket.h"

#include <errno.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "flight/socket_address.h"
#include "flight/socket_folder.h"
#include "flight/socket_peer.h"

static int connect_to(int *fd, const char *path, struct error *err)
{
	struct sockaddr_un a;
	socklen_t n = socket_address(&a, path);
	struct ucred peer;
	int e = ENAMETOOLONG;

	*fd = n ? socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0) : -1;
	if (n && (*fd < 0 || connect(*fd, (struct sockaddr *)&a, n)))
		e = errno;
	else if (n)
		e = 0;
	if (e)
		return error_set(err, -e, "no flight recording listens at '%s': %s", path,
				 strerror(e));
	if (!socket_peer_is_trusted(*fd, &peer))
		return error_set(
			err, -EPERM,
			"the socket is that of process %d of user %u, who is neither root nor "
			"you: it gets no request",
			peer.pid, peer.uid);
	return 0;
}

/* Returns whether no process listens there, so that another folder may have the socket. */
static bool is_elsewhere(int r)
{
	return r == -ENOENT || r == -ECONNREFUSED;
}

/*
 * Connects in one of the folders of this user. A folder that another user could have made is not
 * used, but named in the error.
 */
static int connect_to_process(int *fd, unsigned int pid, struct error *err)
{
	char path[SOCKET_PATH];
	int i, r = -ENOENT;

	for (i = 0; is_elsewhere(r) && socket_folder_path(i, pid, path); i++) {
		r = *path ? socket_folder_check(path) : -ENOENT;
		if (r == -EPERM)
			return error_set(err, r,
					 "the folder of '%s' must be this user's, and closed to "
					 "others (mode "
					 "0700): it is not asked",
					 path);
		if (!r)
			r = connect_to(fd, path, err);
		if (is_elsewhere(r))
			cleanup_close(fd);
	}
	if (!is_elsewhere(r))
		return r;
	return error_set(err, r,
			 "there is no flight recording of process %u by this user: begin one "
			 "with `gotap record --flight TIME -p %u`",
			 pid, pid);
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

/* Reads up to the end of the line; the descriptor comes with the first part. */
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
			return error_set(err, -EPIPE,
					 "the flight recording ended, or was killed, before it "
					 "answered");
		if (*fd < 0)
			*fd = take_file(&m);
		n += (size_t)got;
	}
	line[n - 1] = 0;
	return 0;
}

int socket_ask(const char *path, unsigned int pid, const char *question,
	       char line[static SOCKET_LINE], int *fd, struct error *err)
{
	_cleanup_close_ int s = -1;
	char text[SOCKET_QUESTION];
	int r = path ? connect_to(&s, path, err) : connect_to_process(&s, pid, err), n;

	*fd = -1;
	if (r)
		return r;
	n = snprintf(text, sizeof(text), "%.*s\n", SOCKET_QUESTION - 2, question);
	/* EPIPE: a recording that refuses this process has answered and closed already. */
	if (send(s, text, (size_t)n, MSG_NOSIGNAL) != n && errno != EPIPE)
		return error_set(err, -errno, "cannot ask the flight recording: %s",
				 strerror(errno));
	return take_answer(s, line, fd, err);
}
