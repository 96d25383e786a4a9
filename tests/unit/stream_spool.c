// SPDX-License-Identifier: Apache-2.0
/* spool: what is written comes back, and a damaged file says so. */
#define _GNU_SOURCE
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/vec.h"
#include "stream/spool.h"

static char path[] = "/tmp/gotap-spool-XXXXXX";

static const struct capture_info INFO = {
	.exe = "/bin/x", .build_id = "abc", .go_version = "go1.27.4", .go_minor = 27, .pid = 5,
	.bias = 0x1000, .stack_depth = 127, .launched = 1,
};

static void fill(struct chunk *c, uint64_t seed)
{
	struct rec r = { .time = seed, .kind = REC_GO_START, .id = seed };
	size_t at;

	chunk_reset(c);
	c->watermark = seed + 1;
	c->mono_ns = seed + 2;
	c->wall_ns = seed + 3;
	at = chunk_segment_begin(c, (uint32_t)seed);
	buf_add(&c->data, &r, sizeof(r));
	chunk_segment_end(c, at);
}

/* Two chunks, and an empty one between them. */
static void write_file(void)
{
	struct spool_writer *w;
	struct chunk c = {0};
	struct error err;

	int fd = open(path, O_WRONLY | O_TRUNC);

	CHECK_EQ(spool_create(&w, fd, path, &INFO, &err), 0);
	fill(&c, 1);
	CHECK_EQ(spool_write(w, &c, &err), 0);
	c.data.len = 0;
	CHECK_EQ(spool_write(w, &c, &err), 0);
	fill(&c, 7);
	CHECK_EQ(spool_write(w, &c, &err), 0);
	spool_writer_free(w);
	close(fd);
	chunk_free(&c);
}

static void what_is_written_comes_back(void)
{
	struct capture_info info;
	struct spool_reader *r;
	struct chunk c = {0}, want = {0};
	struct error err;

	write_file();
	CHECK_EQ(spool_open(&r, path, &info, &err), 0);
	CHECK(!memcmp(&info, &INFO, sizeof(info)));
	fill(&want, 1);
	CHECK_EQ(spool_read(r, &c, &err), 1);
	CHECK_EQ(c.data.len, want.data.len);
	CHECK(!memcmp(c.data.data, want.data.data, c.data.len));
	CHECK_EQ(c.watermark, 2);
	CHECK_EQ(c.mono_ns, 3);
	CHECK_EQ(c.wall_ns, 4);
	CHECK_EQ(spool_read(r, &c, &err), 1);
	CHECK_EQ(c.data.len, 0);
	CHECK_EQ(spool_read(r, &c, &err), 1);
	CHECK_EQ(c.watermark, 8);
	CHECK_EQ(spool_read(r, &c, &err), 0);
	CHECK_EQ(spool_read(r, &c, &err), 0);
	spool_close(r);
	chunk_free(&c);
	chunk_free(&want);
}

static void times_of_all_chunks(void)
{
	struct capture_info info;
	struct spool_reader *r;
	struct spool_times t;
	struct chunk c = {0};
	struct error err;
	struct stat st;
	int i;

	write_file();
	for (i = 0; i < 2; i++) {
		CHECK_EQ(spool_open(&r, path, &info, &err), 0);
		spool_times(r, &t);
		CHECK_EQ(t.begin, 1);
		CHECK_EQ(t.end, i ? 2 : 8);
		CHECK(t.has_clock && t.wall_min == 1 && t.wall_max == 1);
		CHECK_EQ(t.cut, i);
		/* spool_times() does not move the place that spool_read() reads from */
		CHECK_EQ(spool_read(r, &c, &err), 1);
		CHECK_EQ(c.watermark, 2);
		spool_close(r);
		CHECK(!stat(path, &st) && !truncate(path, st.st_size - 1));
	}
	chunk_free(&c);
}

/* Reads a file of @n bytes of the written one; the last result, and how many chunks came. */
static int read_cut(size_t n, size_t *chunks)
{
	struct capture_info info;
	struct spool_reader *r;
	struct chunk c = {0};
	struct error err = {0};
	int ret;

	*chunks = 0;
	if (truncate(path, (off_t)n))
		return -errno;
	ret = spool_open(&r, path, &info, &err);
	if (ret) {
		CHECK(err.text[0]);
		return ret;
	}
	while ((ret = spool_read(r, &c, &err)) > 0)
		(*chunks)++;
	CHECK(!ret || strstr(err.text, path));
	spool_close(r);
	chunk_free(&c);
	return ret;
}

static void a_file_cut_anywhere_gives_its_whole_chunks_and_an_error(void)
{
	const size_t head = 16 + sizeof(struct capture_info), chunk = 32 + 8 + sizeof(struct rec);
	size_t size = head + 2 * chunk + 32, n, chunks;
	int r;

	for (n = size; n-- > head - 20;) {
		write_file();
		r = read_cut(n, &chunks);
		CHECK_EQ(chunks, n < head + chunk ? 0 : n < head + chunk + 32 ? 1 : 2);
		CHECK(r == 0 || r == -EBADMSG);
		CHECK_EQ(r == 0, n == head || n == head + chunk || n == head + chunk + 32);
	}
}

static void other_files_are_refused(void)
{
	struct capture_info info;
	struct spool_reader *r;
	struct error err;
	FILE *f;

	CHECK_EQ(spool_open(&r, "/nonexistent/spool", &info, &err), -ENOENT);
	f = fopen(path, "w");
	fputs("go 1.25 trace\0\0\0 and so on", f);
	fclose(f);
	CHECK_EQ(spool_open(&r, path, &info, &err), -EINVAL);
	CHECK(strstr(err.text, "not a gotap spool file"));
	write_file();
	f = fopen(path, "r+");
	fseek(f, 8, SEEK_SET);
	putc(77, f);
	fclose(f);
	CHECK_EQ(spool_open(&r, path, &info, &err), -EINVAL);
	CHECK(strstr(err.text, "another version"));
}

/* A chunk that claims a gigabyte must not cost one. */
static void a_wrong_length_is_an_error(void)
{
	const uint64_t lengths[] = { UINT64_MAX, 1ULL << 31, 1 << 30, 1000 };
	struct capture_info info;
	struct spool_reader *r;
	struct chunk c = {0};
	struct error err;
	size_t i;
	FILE *f;

	for (i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		write_file();
		f = fopen(path, "r+");
		fseek(f, 16 + sizeof(struct capture_info) + 24, SEEK_SET);
		fwrite(&lengths[i], 8, 1, f);
		fclose(f);
		CHECK_EQ(spool_open(&r, path, &info, &err), 0);
		CHECK_EQ(spool_read(r, &c, &err), -EBADMSG);
		CHECK(c.data.cap < 8 << 20);
		spool_close(r);
	}
	chunk_free(&c);
}

static void a_full_disk_is_an_error_with_the_name(void)
{
	struct spool_writer *w;
	struct error err = {0};
	int fd = open("/dev/full", O_WRONLY), r;

	r = spool_create(&w, fd, "/dev/full", &INFO, &err);
	close(fd);
	CHECK_EQ(r, -ENOSPC);
	CHECK(strstr(err.text, "/dev/full"));
	spool_writer_free(NULL);
	spool_close(NULL);
}

static bool takes_nothing;

/* In place of libc's: a file that takes no bytes and says no error. */
ssize_t write(int fd, const void *data, size_t n)
{
	return takes_nothing ? 0 : syscall(SYS_write, fd, data, n);
}

static void a_file_that_takes_nothing_is_an_error(void)
{
	struct spool_writer *w;
	struct error err = {0};

	takes_nothing = true;
	CHECK_EQ(spool_create(&w, 1, "x", &INFO, &err), -EIO);
	takes_nothing = false;
	CHECK(strstr(err.text, "cannot write 'x'"));
}

int main(void)
{
	int fd = mkstemp(path), r;

	if (fd < 0)
		return 1;
	close(fd);
	r = unit_main((struct unit_case[]){
		UNIT(what_is_written_comes_back),
		UNIT(times_of_all_chunks),
		UNIT(a_file_cut_anywhere_gives_its_whole_chunks_and_an_error),
		UNIT(other_files_are_refused),
		UNIT(a_wrong_length_is_an_error),
		UNIT(a_full_disk_is_an_error_with_the_name),
		UNIT(a_file_that_takes_nothing_is_an_error),
		{0} });
	unlink(path);
	return r;
}
