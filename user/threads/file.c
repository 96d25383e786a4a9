// SPDX-License-Identifier: Apache-2.0
/* file: see file.h. */
#include "threads/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "stream/merge.h"

/*
 * A chunk is written when it has so many bytes or is so old. If gotap is killed, only the last
 * chunk is lost.
 */
enum { FLUSH_BYTES = 256 << 10, FLUSH_NS = 1000000000 };
/*
 * Most bytes of records that wait for a watermark. No record waits in a file that gotap has
 * written; a damaged file may have no watermark.
 */
enum { PENDING_MAX = 256 << 20 };

struct threads_writer {
	struct spool_writer *spool;
	struct chunk chunk;
	size_t segment;		/* offset in the chunk at which the open segment begins */
	uint64_t since;		/* time of its first record */
	int ret;
	struct error err;	/* of the first write that failed */
};

struct threads_reader {
	struct spool_reader *spool;
	struct merge *merge;
	struct threads *threads;
	struct chunk chunk;
	uint64_t time;
	bool ended;
};

/*
 * Returns where ".partial" or ".partial.N" begins at the end of @path; if it is not there, the end
 * of @path.
 */
static const char *end_of_name(const char *path)
{
	static const char partial[] = ".partial";
	const char *end = path + strlen(path), *at = end;

	while (at > path && at[-1] >= '0' && at[-1] <= '9')
		at--;
	at = at < end && at > path && at[-1] == '.' ? at - 1 : end;
	if ((size_t)(at - path) < sizeof(partial))
		return end;
	at -= sizeof(partial) - 1;
	return strncmp(at, partial, sizeof(partial) - 1) || at[-1] == '/' ? end : at;
}

char *threads_file_name(const char *trace)
{
	const char *end = end_of_name(trace);

	return xasprintf("%.*s.threads%s", (int)(end - trace), trace, end);
}

static void note_other(void *ctx, uint32_t cpu, struct rec *r)
{
	bool *other = ctx;

	*other |= rec_family(r->kind) != REC_FAMILY_LINUX;
}

bool threads_file_is(const char *path)
{
	struct capture_info *info = xcalloc(1, sizeof(*info));
	struct spool_reader *r = NULL;
	struct chunk c = {0};
	struct error err;
	bool other = spool_open(&r, path, info, &err);

	if (!other && spool_read(r, &c, &err) > 0)
		chunk_each(&c, c.data.len, note_other, &other);
	spool_close(r);
	chunk_free(&c);
	free(info);
	return !other;
}

/* --- writing --- */

static void begin_chunk(struct threads_writer *w)
{
	chunk_reset(&w->chunk);
	w->segment = chunk_segment_begin(&w->chunk, CHUNK_USER_CPU);
}

/* Writes the chunk. No record up to @time will come any more, so that @time is the watermark. */
static void file_flush(struct threads_writer *w, uint64_t time)
{
	chunk_segment_end(&w->chunk, w->segment);
	w->chunk.watermark = time;
	if (!w->ret)
		w->ret = spool_write(w->spool, &w->chunk, &w->err);
	begin_chunk(w);
}

static void on_record(void *ctx, const struct rec *r)
{
	struct threads_writer *w = ctx;

	/*
	 * Further records may have the same time as this one, so that the watermark of the chunk is
	 * just before this time.
	 */
	if (w->chunk.data.len - w->segment >= FLUSH_BYTES || r->time - w->since >= FLUSH_NS)
		file_flush(w, r->time - 1);
	if (w->chunk.data.len == w->segment)
		w->since = r->time;
	buf_add(&w->chunk.data, r, record_size(r, SIZE_MAX));
}

static void on_finish(void *ctx, uint64_t time)
{
	file_flush(ctx, time);
}

int threads_writer_new(struct threads_writer **ret, struct threads *t, int fd, const char *name,
		       const struct capture_info *info, struct error *err)
{
	struct threads_writer *w = xcalloc(1, sizeof(*w));
	int r = spool_create(&w->spool, fd, name, info, err);

	if (r) {
		free(w);
		return r;
	}
	begin_chunk(w);
	threads_visit(
		t, &(struct threads_visitor){ .ctx = w, .record = on_record, .finish = on_finish });
	*ret = w;
	return 0;
}

void threads_writer_clock(struct threads_writer *w, uint64_t mono_ns, uint64_t wall_ns)
{
	w->chunk.mono_ns = mono_ns;
	w->chunk.wall_ns = wall_ns;
}

int threads_writer_finish(struct threads_writer *w, struct error *err)
{
	if (w->ret)
		*err = w->err;
	return w->ret;
}

void threads_writer_free(struct threads_writer *w)
{
	if (!w)
		return;
	spool_writer_free(w->spool);
	chunk_free(&w->chunk);
	free(w);
}

/* --- reading --- */

static void file_take_records(struct threads_reader *f)
{
	const struct rec *r;

	while ((r = merge_next(f->merge)))
		if (rec_family(r->kind) == REC_FAMILY_LINUX)
			threads_record(f->threads, r);
}

int threads_reader_open(struct threads_reader **ret, const char *path, struct capture_info *info,
			struct error *err)
{
	struct threads_reader *r = xcalloc(1, sizeof(*r));
	int status = spool_open(&r->spool, path, info, err);

	if (status) {
		free(r);
		return status;
	}
	r->threads = threads_new();
	threads_set_machine(r->threads, info->machine);
	r->merge = merge_new();
	*ret = r;
	return 0;
}

struct threads *threads_reader_threads(struct threads_reader *r)
{
	return r->threads;
}

void threads_reader_times(const struct threads_reader *r, struct spool_times *ret)
{
	spool_times(r->spool, ret);
}

static void file_end(struct threads_reader *r)
{
	r->ended = true;
	merge_finish(r->merge);
	file_take_records(r);
	threads_finish(r->threads, r->time);
	r->time = UINT64_MAX;
}

int threads_reader_next(struct threads_reader *r, struct error *err)
{
	int ret;

	if (r->ended)
		return 0;
	ret = spool_read(r->spool, &r->chunk, err);
	if (ret > 0 && r->chunk.watermark > r->time)
		r->time = r->chunk.watermark;
	if (ret > 0)
		ret = merge_add(r->merge, &r->chunk, err) ? err->code : 1;
	file_take_records(r);
	if (ret > 0 && merge_pending(r->merge) > PENDING_MAX)
		ret = error_set(
			err, -EINVAL,
			"damaged: %d MB of records without a time up to which they are whole",
			PENDING_MAX >> 20);
	if (ret <= 0)
		file_end(r);
	return ret;
}

uint64_t threads_reader_time(const struct threads_reader *r)
{
	return r->time;
}

void threads_reader_close(struct threads_reader *r)
{
	if (!r)
		return;
	spool_close(r->spool);
	merge_free(r->merge);
	threads_free(r->threads);
	chunk_free(&r->chunk);
	free(r);
}
