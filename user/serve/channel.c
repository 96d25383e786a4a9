// SPDX-License-Identifier: Apache-2.0
/* channel: see channel.h. */
#define _GNU_SOURCE
#include "serve/channel.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

/* The kernel fills the room of a control message: on 64 bits one descriptor has room for two. */
enum { CHANNEL_FDS = 2 };

union channel_control {
	struct cmsghdr head;
	char room[CMSG_SPACE(CHANNEL_FDS * sizeof(int))];
};

int channel_open(int ends[static 2])
{
	return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) ? -errno : 0;
}

int channel_send(int channel, const void *data, size_t n, int fd)
{
	struct iovec part = { .iov_base = (void *)data, .iov_len = n };
	union channel_control control = {0};
	struct msghdr m = { .msg_iov = &part, .msg_iovlen = 1 };
	ssize_t sent;

	if (fd >= 0) {
		control.head = (struct cmsghdr){ .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS,
						 .cmsg_len = CMSG_LEN(sizeof(fd)) };
		memcpy(CMSG_DATA(&control.head), &fd, sizeof(fd));
		m.msg_control = &control;
		m.msg_controllen = CMSG_SPACE(sizeof(fd));
	}
	do {
		sent = sendmsg(channel, &m, MSG_NOSIGNAL);
	} while (sent < 0 && errno == EINTR);
	return sent < 0 ? -errno : sent == (ssize_t)n ? 0 : -EMSGSIZE;
}

/* The descriptors of a packet, at most CHANNEL_FDS. */
static size_t channel_take_fds(struct msghdr *m, int fds[static CHANNEL_FDS])
{
	struct cmsghdr *c = CMSG_FIRSTHDR(m);
	size_t n;

	if (!c || c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
		return 0;
	n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
	memcpy(fds, CMSG_DATA(c), n * sizeof(int));
	return n;
}

int channel_receive(int channel, void *data, size_t n, int *fd)
{
	union channel_control control;
	struct iovec part = { .iov_base = data, .iov_len = n };
	struct msghdr m = { .msg_iov = &part, .msg_iovlen = 1,
			    .msg_control = &control, .msg_controllen = sizeof(control) };
	int fds[CHANNEL_FDS];
	size_t nfds, i;
	ssize_t got;

	*fd = -1;
	do {
		got = recvmsg(channel, &m, MSG_CMSG_CLOEXEC);
	} while (got < 0 && errno == EINTR);
	if (got < 0)
		return errno == ECONNRESET ? 0 : -errno;
	nfds = channel_take_fds(&m, fds);
	if (got == (ssize_t)n && nfds <= 1 && !(m.msg_flags & MSG_TRUNC)) {
		*fd = nfds ? fds[0] : -1;
		return 1;
	}
	for (i = 0; i < nfds; i++)
		close(fds[i]);
	return got || nfds ? -EBADMSG : 0;
}
