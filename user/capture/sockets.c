// SPDX-License-Identifier: Apache-2.0
/* sockets: see sockets.h. */
#define _GNU_SOURCE
#include "capture/sockets.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "record.h"

enum {
	LOOK_EVERY = 100 * 1000 * 1000,	/* ns */
	LOOK_SHARE = 100,	/* the next look is so many times its CPU time later */
	FDS_MOST = 1 << 16,	/* descriptors that are looked at */
	INODES_MOST = 1 << 18,	/* inodes that are remembered; then all are forgotten */
	LINE = 512,
};

/* A descriptor that was a socket at the last look. */
struct socket_fd {
	uint64_t fd, inode;
	uint64_t look;		/* number of the last look that has found it */
	/*
	 * Its addresses are not known: it is none of IP, or not bound or connected yet. They are
	 * looked up again in look @again, and then after twice as many looks as before.
	 */
	uint64_t again, pause;
};

void sockets_init(struct sockets *s, const char *folder)
{
	*s = (struct sockets){ .proc = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) };
}

static void sockets_forget_inodes(struct sockets *s)
{
	map64_clear(&s->inodes);
	s->known.len = 0;
}

void sockets_free(struct sockets *s)
{
	if (s->proc >= 0)
		close(s->proc);
	map64_free(&s->inodes);
	vec_free(&s->known);
	map64_free(&s->fds);
	vec_free(&s->open);
}

/* --- addresses: /proc/PID/net/tcp and so on, a line for each socket of the namespace --- */

/* Words of four bytes, each as the machine reads them. */
static bool sockets_parse_address(const char *hex, size_t digits, uint8_t to[16])
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	uint32_t word;
	size_t i;

	if (digits != 8 && digits != 32)
		return false;
	memcpy(to, mapped, sizeof(mapped));
	for (i = 0; i < digits / 8; i++) {
		if (sscanf(hex + 8 * i, "%8" SCNx32, &word) != 1)
			return false;
		memcpy(to + 4 * i + (digits == 8 ? 12 : 0), &word, sizeof(word));
	}
	return true;
}

static bool sockets_parse_line(const char *line, uint8_t protocol, struct rec_socket *ret)
{
	char local[40], remote[40];
	unsigned int lport, rport;
	uint64_t inode;

	if (sscanf(line, " %*u: %32[0-9A-F]:%x %32[0-9A-F]:%x %*x %*x:%*x %*x:%*x %*x %*u %*u %"
		   SCNu64, local, &lport, remote, &rport, &inode) != 5 || !inode)
		return false;
	*ret = (struct rec_socket){ .r = { .kind = REC_SOCKET, .sub = protocol, .ptr = inode,
					   .id = (uint64_t)(lport & 0xffff) << 32 |
						 (uint64_t)(rport & 0xffff) << 48 } };
	return sockets_parse_address(local, strlen(local), ret->local) &&
	       sockets_parse_address(remote, strlen(remote), ret->remote);
}

static void sockets_read_table(struct sockets *s, const char *name, uint8_t protocol)
{
	int fd = openat(s->proc, name, O_RDONLY | O_CLOEXEC);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "re");
	struct rec_socket found;
	char line[LINE];
	uint64_t *index;

	if (!f) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while (fgets(line, sizeof(line), f) && s->inodes.len < INODES_MOST) {
		if (!sockets_parse_line(line, protocol, &found))
			continue;
		index = map64_put(&s->inodes, found.r.ptr, NULL);
		*(struct rec_socket *)vec_push(&s->known, sizeof(found)) = found;
		*index = s->known.len;
	}
	fclose(f);
}

static void sockets_read_tables(struct sockets *s)
{
	static const struct {
		const char *name;
		uint8_t protocol;
	} tables[] = {
		{ "net/tcp", REC_TCP }, { "net/tcp6", REC_TCP },
		{ "net/udp", REC_UDP }, { "net/udp6", REC_UDP },
	};
	size_t i;

	for (i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		sockets_read_table(s, tables[i].name, tables[i].protocol);
}

/* The socket of an inode; NULL: none of IP. *@read: the tables were read in this look. */
static const struct rec_socket *sockets_of_inode(struct sockets *s, uint64_t inode, bool *read)
{
	uint64_t *index = map64_get(&s->inodes, inode);

	if (!index && !*read) {
		if (s->inodes.len >= INODES_MOST / 2)
			sockets_forget_inodes(s);
		sockets_read_tables(s);
		*read = true;
		index = map64_get(&s->inodes, inode);
	}
	return index ? vec_at(&s->known, struct rec_socket, *index - 1) : NULL;
}

/* --- descriptors --- */

static uint64_t sockets_inode_of(int dir, const char *name)
{
	char target[64];
	ssize_t n = readlinkat(dir, name, target, sizeof(target) - 1);
	uint64_t inode;

	if (n <= 0)
		return 0;
	target[n] = 0;
	return sscanf(target, "socket:[%" SCNu64 "]", &inode) == 1 ? inode : 0;
}

static struct socket_fd *sockets_open(struct sockets *s, uint64_t fd)
{
	bool is_new;
	uint64_t *index = map64_put(&s->fds, fd, &is_new);

	if (is_new) {
		*index = s->open.len;
		*(struct socket_fd *)vec_push(&s->open, sizeof(struct socket_fd)) =
			(struct socket_fd){ .fd = fd };
	}
	return vec_at(&s->open, struct socket_fd, *index);
}

static void sockets_record(struct buf *out, uint64_t fd, const struct rec_socket *socket)
{
	struct rec_socket r = { .r = { .kind = REC_SOCKET } };

	if (socket)
		r = *socket;
	r.r.id |= fd & UINT32_MAX;
	buf_add(out, &r, sizeof(r));
}

static void sockets_take(struct sockets *s, uint64_t fd, uint64_t inode, bool *read,
			 struct buf *out)
{
	struct socket_fd *open = sockets_open(s, fd);
	const struct rec_socket *socket;
	bool is_new = open->inode != inode;

	open->look = s->look;
	if (!is_new && open->again != s->look)
		return;
	socket = sockets_of_inode(s, inode, read);
	open->pause = is_new ? 1 : 2 * open->pause;
	open->again = socket ? 0 : s->look + open->pause;
	open->inode = inode;
	if (is_new || socket)
		sockets_record(out, fd, socket);
}

/* Removes the descriptors that the look has not found. */
static void sockets_take_closed(struct sockets *s, struct buf *out)
{
	struct socket_fd *open;
	size_t i;

	for (i = 0; i < s->open.len;) {
		open = vec_at(&s->open, struct socket_fd, i);
		if (open->look == s->look) {
			i++;
			continue;
		}
		sockets_record(out, open->fd, NULL);
		map64_del(&s->fds, open->fd);
		*open = *vec_at(&s->open, struct socket_fd, --s->open.len);
		if (i < s->open.len)
			*map64_put(&s->fds, open->fd, NULL) = i;
	}
}

static void sockets_scan(struct sockets *s, struct buf *out)
{
	int fd = openat(s->proc, "fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	bool read = false;
	uint64_t inode;
	size_t n = 0;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((entry = readdir(dir)) && n++ < FDS_MOST) {
		inode = sockets_inode_of(fd, entry->d_name);
		if (inode)
			sockets_take(s, strtoull(entry->d_name, NULL, 10), inode, &read, out);
	}
	closedir(dir);
	sockets_take_closed(s, out);
}

/* CPU time of this thread: the time that looks take from others, also on a busy machine. */
static uint64_t sockets_cpu_ns(void)
{
	struct timespec t = {0};

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

bool sockets_look(struct sockets *s, bool now, struct buf *out)
{
	uint64_t begin = now_ns(), took = sockets_cpu_ns();
	struct rec_long look = { .r = { .kind = REC_SOCKETS_LOOK }, .arg = begin };

	if (!now && begin < s->next)
		return false;
	s->look++;
	if (s->opened) {	/* before the first descriptor: it says what their records mean */
		buf_add(out, &(struct rec_long){ .r = { .kind = REC_SOCKETS_LOOK, .id = 1 } },
			sizeof(look));
		look.r.id = 1;
	}
	sockets_scan(s, out);
	buf_add(out, &look, sizeof(look));
	took = sockets_cpu_ns() - took;
	s->next = begin + (took * LOOK_SHARE > LOOK_EVERY ? took * LOOK_SHARE : LOOK_EVERY);
	return true;
}
