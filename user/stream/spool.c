// SPDX-License-Identifier: Apache-2.0
/*
 * spool: see spool.h. A file has a magic, struct spool_head, struct capture_info, and for each
 * chunk a struct spool_chunk and its data, in native byte order. The head has the sizes of the
 * structs, so that gotap refuses a file of another build.
 */
#include "stream/spool.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/write_all.h"

static const char MAGIC[8] = "gotapspl";

enum {
	SPOOL_VERSION = 3,
	/* Much more than any chunk has; bounds the allocation for a damaged file. */
	CHUNK_MAX = 1 << 30,
};

struct spool_head {
	char magic[8];
	uint32_t version;
	uint32_t info_size;
};

struct spool_chunk {
	uint64_t watermark, mono_ns, wall_ns;
	uint64_t len;
};

struct spool_writer {
	int fd;
	char *name;
};

struct spool_reader {
	FILE *f;
	char *path;
};

static int spool_put(const struct spool_writer *w, const void *p, size_t n, struct error *err)
{
	size_t done;
	int r = write_all(w->fd, p, n, &done);

	return r ? error_set(err, r, "cannot write '%s': %s", w->name, strerror(-r)) : 0;
}

int spool_create(struct spool_writer **ret, int fd, const char *name,
		 const struct capture_info *info, struct error *err)
{
	struct spool_head head = { .version = SPOOL_VERSION, .info_size = sizeof(*info) };
	struct spool_writer *w = xcalloc(1, sizeof(*w));
	int r;

	w->fd = fd;
	w->name = xstrdup(name);
	memcpy(head.magic, MAGIC, sizeof(MAGIC));
	r = spool_put(w, &head, sizeof(head), err);
	if (!r)
		r = spool_put(w, info, sizeof(*info), err);
	if (r)
		spool_writer_free(w);
	else
		*ret = w;
	return r;
}

int spool_write(struct spool_writer *w, const struct chunk *c, struct error *err)
{
	struct spool_chunk head = {
		.watermark = c->watermark,
		.mono_ns = c->mono_ns,
		.wall_ns = c->wall_ns,
		.len = c->data.len,
	};
	int r = spool_put(w, &head, sizeof(head), err);

	return r ? r : spool_put(w, c->data.data, c->data.len, err);
}

void spool_writer_free(struct spool_writer *w)
{
	if (!w)
		return;
	free(w->name);
	free(w);
}

static void check_origin(struct capture_info *info)
{
	unsigned int i;

	for (i = 0; i < CAPTURE_ORIGINS; i++)
		info->origin[i][CAPTURE_ORIGIN_SIZE - 1] = 0;
}

static void check_plugins(struct capture_info *info)
{
	uint32_t i;

	if (info->n_plugins > CAPTURE_PLUGINS)
		info->n_plugins = CAPTURE_PLUGINS;
	for (i = 0; i < info->n_plugins; i++) {
		info->plugins[i].path[sizeof(info->plugins[i].path) - 1] = 0;
		info->plugins[i].build_id[sizeof(info->plugins[i].build_id) - 1] = 0;
	}
}

static int spool_begin(struct spool_reader **ret, FILE *f, const char *path,
		       struct capture_info *info, struct error *err)
{
	struct spool_reader *r = xcalloc(1, sizeof(*r));
	struct spool_head head;

	r->f = f;
	r->path = xstrdup(path);
	if (fread(&head, sizeof(head), 1, f) != 1 || memcmp(head.magic, MAGIC, sizeof(MAGIC)))
		error_set(err, -EINVAL, "'%s' is not a gotap spool file", path);
	else if (head.version != SPOOL_VERSION || head.info_size != sizeof(*info))
		error_set(err, -EINVAL, "'%s' was written by another version of gotap", path);
	else if (fread(info, sizeof(*info), 1, f) != 1)
		error_set(err, -EBADMSG, "'%s' ends in its header", path);
	else {
		info->exe[sizeof(info->exe) - 1] = 0;
		info->build_id[sizeof(info->build_id) - 1] = 0;
		info->go_version[sizeof(info->go_version) - 1] = 0;
		check_plugins(info);
		check_origin(info);
		*ret = r;
		return 0;
	}
	spool_close(r);
	return err->code;
}

int spool_open(struct spool_reader **ret, const char *path, struct capture_info *info,
	       struct error *err)
{
	FILE *f = strcmp(path, "-") ? fopen(path, "re") : stdin;

	if (!f)
		return error_set(err, -errno, "cannot open '%s': %s", path, strerror(errno));
	return spool_begin(ret, f, path, info, err);
}

int spool_open_fd(struct spool_reader **ret, int fd, const char *name, struct capture_info *info,
		  struct error *err)
{
	FILE *f = fdopen(fd, "r");

	if (f)
		return spool_begin(ret, f, name, info, err);
	error_set(err, -errno, "cannot read '%s': %s", name, strerror(errno));
	close(fd);
	return err->code;
}

uint64_t spool_read_bytes(const struct spool_reader *r)
{
	off_t at = ftello(r->f);

	return at > 0 ? (uint64_t)at : 0;
}

/* Time of the first record of the chunk of @len bytes at @at; 0: the chunk has none. */
static uint64_t first_time(int fd, off_t at, uint64_t len)
{
	struct rec rec = {0};

	if (len < sizeof(struct segment) + sizeof(rec) ||
	    pread(fd, &rec, sizeof(rec), at + (off_t)sizeof(struct segment)) != sizeof(rec))
		return 0;
	return rec.time;
}

static void spool_take_head(struct spool_times *t, const struct spool_chunk *head)
{
	int64_t wall = (int64_t)(head->wall_ns - head->mono_ns);

	if (head->watermark > t->end)
		t->end = head->watermark;
	if (!head->wall_ns)
		return;
	if (!t->has_clock || wall < t->wall_min)
		t->wall_min = wall;
	if (!t->has_clock || wall > t->wall_max)
		t->wall_max = wall;
	t->has_clock = true;
}

void spool_times(struct spool_reader *r, struct spool_times *ret)
{
	int fd = fileno(r->f);
	struct spool_chunk head;
	off_t at = ftello(r->f);
	struct stat st;

	*ret = (struct spool_times){0};
	if (at < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode))
		return;
	while (at < st.st_size && pread(fd, &head, sizeof(head), at) == sizeof(head)) {
		at += (off_t)sizeof(head);
		if (head.len > CHUNK_MAX || (off_t)head.len > st.st_size - at)
			break;
		if (!ret->begin)
			ret->begin = first_time(fd, at, head.len);
		spool_take_head(ret, &head);
		at += (off_t)head.len;
	}
	ret->cut = at != st.st_size;
}

int spool_read(struct spool_reader *r, struct chunk *c, struct error *err)
{
	struct spool_chunk head;
	size_t n = fread(&head, 1, sizeof(head), r->f);

	chunk_reset(c);
	if (!n && feof(r->f))
		return 0;
	if (n != sizeof(head))
		return error_set(err, -EBADMSG, "'%s' ends in the middle of a chunk", r->path);
	if (head.len > CHUNK_MAX)
		return error_set(err, -EBADMSG, "'%s' has a damaged chunk", r->path);
	c->watermark = head.watermark;
	c->mono_ns = head.mono_ns;
	c->wall_ns = head.wall_ns;
	/* Grow as the bytes come: a false length must not allocate memory. */
	while (c->data.len < head.len) {
		size_t want = head.len - c->data.len > 1 << 20 ? 1 << 20 : head.len - c->data.len;

		buf_reserve(&c->data, want);
		n = fread(c->data.data + c->data.len, 1, want, r->f);
		c->data.len += n;
		if (n != want)
			return error_set(err, -EBADMSG, "'%s' ends in the middle of a chunk",
					 r->path);
	}
	return 1;
}

void spool_close(struct spool_reader *r)
{
	if (!r)
		return;
	if (r->f != stdin)
		fclose(r->f);
	free(r->path);
	free(r);
}
