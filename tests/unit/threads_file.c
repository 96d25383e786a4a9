// SPDX-License-Identifier: Apache-2.0
/* file: the names of files of threads, and which files are none. */
#define _GNU_SOURCE
#include "unit.h"

#include <stdlib.h>
#include <unistd.h>

#include "thread_story.h"

static void names(void)
{
	static const char *const of[][2] = {
		{ "x.trace", "x.trace.threads" },
		{ "a.partial/x", "a.partial/x.threads" },
		{ "x.partial", "x.threads.partial" },
		{ "a/x.trace.partial.12", "a/x.trace.threads.partial.12" },
		{ "a/.partial", "a/.partial.threads" },
		{ ".partial", ".partial.threads" },
		{ "x.partial.", "x.partial..threads" },
		{ "x.partial.1b", "x.partial.1b.threads" },
		{ "x.7", "x.7.threads" },
		{ "7", "7.threads" },
		{ "", ".threads" },
	};
	size_t i;

	for (i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
		char *name = threads_file_name(of[i][0]);

		CHECK_STR(name, of[i][1]);
		free(name);
	}
}

static void files_of_threads(void)
{
	struct thread_story s;

	thread_story_begin(&s);
	thread_on(&s, 1, 990, 0);
	thread_story_end(&s, 1000);
	CHECK(threads_file_is(s.path));
	/* its recorder was killed before it wrote the first chunk */
	CHECK(!ftruncate(s.fd, (off_t)(16 + sizeof(struct capture_info))));
	CHECK(threads_file_is(s.path));
	CHECK(!ftruncate(s.fd, 100));
	CHECK(!threads_file_is(s.path));
	close(s.fd);
	CHECK(!threads_file_is("/dev/null"));
	CHECK(!threads_file_is("/nowhere/x"));
}

static void raw_records(void)
{
	struct rec r[2] = { { .kind = REC_THREADS, .sub = REC_THREADS_BEGIN, .time = 5 }, { .kind = REC_GO_START, .time = 6 } };
	struct capture_info *info = xcalloc(1, sizeof(*info));
	char path[32];
	struct spool_writer *w;
	struct chunk c = {0};
	struct error err;
	size_t at;
	int fd = memfd_create("spool", 0);

	snprintf(path, sizeof(path), "/dev/fd/%d", fd);
	at = chunk_segment_begin(&c, 0);
	buf_add(&c.data, r, sizeof(r));
	chunk_segment_end(&c, at);
	CHECK(!spool_create(&w, fd, path, info, &err));
	CHECK(!spool_write(w, &c, &err));
	CHECK(!threads_file_is(path));
	spool_writer_free(w);
	chunk_free(&c);
	free(info);
	close(fd);
}

int main(void)
{
	static const struct unit_case cases[] = {
		UNIT(names),
		UNIT(files_of_threads),
		UNIT(raw_records),
		{0},
	};

	return unit_main(cases);
}
