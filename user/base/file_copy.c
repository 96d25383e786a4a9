// SPDX-License-Identifier: Apache-2.0
/* file_copy: see file_copy.h. */
#define _GNU_SOURCE
#include "base/file_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <zlib.h>

#include "base/cleanup.h"
#include "base/vec.h"

/* The number of bytes of a piece of the copy. */
enum { CHUNK = 64 << 10 };

struct file_copy {
	int fd;
	size_t size;
	uint8_t *data;
	pthread_mutex_t lock;	/* protects the members below */
	bool *has;		/* for each chunk: the copy has it */
	uint64_t copied;	/* bytes in the chunks of the copy */
};

int file_copy_new(struct file_copy **ret, int fd, struct error *err)
{
	struct file_copy *c;
	struct stat st;
	void *data;

	if (fstat(fd, &st))
		return error_set(err, -errno, "%s", strerror(errno));
	if (!S_ISREG(st.st_mode) || st.st_size <= 0)
		return error_set(err, -ENOEXEC, "not a file with contents");
	data = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (data == MAP_FAILED)
		return error_set(err, -errno, "no memory to look at a file of %lld bytes: %s",
				 (long long)st.st_size, strerror(errno));
	c = xcalloc(1, sizeof(*c));
	c->size = (size_t)st.st_size;
	c->data = data;
	c->has = xcalloc(c->size / CHUNK + 1, sizeof(*c->has));
	pthread_mutex_init(&c->lock, NULL);
	c->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (c->fd < 0) {
		int r = error_set(err, -errno, "%s", strerror(errno));

		file_copy_free(c);
		return r;
	}
	*ret = c;
	return 0;
}

void file_copy_free(struct file_copy *c)
{
	if (!c)
		return;
	munmap(c->data, c->size);
	cleanup_close(&c->fd);
	pthread_mutex_destroy(&c->lock);
	free(c->has);
	free(c);
}

int file_copy_fd(const struct file_copy *c)
{
	return c->fd;
}

size_t file_copy_size(const struct file_copy *c)
{
	return c->size;
}

/* Copies [at, end). False: the file has become shorter, or cannot be read. */
static bool copy_read_all(struct file_copy *c, uint64_t at, uint64_t end)
{
	/* one call takes less time than a fault for each page; it may fail, then these come */
	madvise(c->data + at, end - at, MADV_POPULATE_WRITE);
	while (at < end) {
		ssize_t n = pread(c->fd, c->data + at, end - at, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		at += (uint64_t)n;
	}
	return true;
}

/*
 * Copies only data, no holes of the file: a hole reads as zeros, and so do untouched pages of the
 * copy, which take no memory.
 */
static bool copy_read_data(struct file_copy *c, uint64_t at, uint64_t end)
{
	while (at < end) {
		off_t data = lseek(c->fd, (off_t)at, SEEK_DATA), hole;

		if (data < 0 && errno == ENXIO)
			return lseek(c->fd, 0, SEEK_END) >= (off_t)end;
		if (data < 0)	/* the file system does not report holes */
			return copy_read_all(c, at, end);
		if ((uint64_t)data >= end)
			return true;
		hole = lseek(c->fd, data, SEEK_HOLE);
		at = hole < data || (uint64_t)hole > end ? end : (uint64_t)hole;
		if (!copy_read_all(c, (uint64_t)data, at))
			return false;
	}
	return true;
}

static bool take_chunks(struct file_copy *c, size_t first, size_t n)
{
	uint64_t at = (uint64_t)first * CHUNK, end = at + (uint64_t)n * CHUNK;

	if (end > c->size)
		end = c->size;
	if (end - at > FILE_COPY_MAX - c->copied || !copy_read_data(c, at, end))
		return false;
	c->copied += end - at;
	memset(c->has + first, true, n);
	return true;
}

/* Copies the missing chunks of [@first, @last], with as few reads as possible. */
static bool take_missing(struct file_copy *c, size_t first, size_t last)
{
	size_t i, n;

	for (i = first; i <= last; i += n + 1) {
		for (n = 0; i + n <= last && !c->has[i + n]; n++)
			;
		if (n && !take_chunks(c, i, n))
			return false;
	}
	return true;
}

const uint8_t *file_copy_at(struct file_copy *c, uint64_t off, uint64_t n)
{
	bool there = true;

	if (off > c->size || n > c->size - off)
		return NULL;
	if (n) {
		pthread_mutex_lock(&c->lock);
		there = take_missing(c, off / CHUNK, (off + n - 1) / CHUNK);
		pthread_mutex_unlock(&c->lock);
	}
	return there ? c->data + off : NULL;
}

int file_copy_crc32(const struct file_copy *c, uint32_t *ret)
{
	_cleanup_free_ uint8_t *piece = xcalloc(1, CHUNK);
	uLong crc = crc32_z(0, NULL, 0);
	uint64_t at = 0;
	ssize_t n;

	if (c->size > FILE_COPY_MAX)
		return -EFBIG;
	while (at < c->size) {
		n = pread(c->fd, piece, CHUNK, (off_t)at);
		if (n <= 0)
			return n ? -errno : -EIO;
		crc = crc32_z(crc, piece, (size_t)n);
		at += (uint64_t)n;
	}
	*ret = (uint32_t)crc;
	return 0;
}
