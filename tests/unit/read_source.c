// SPDX-License-Identifier: Apache-2.0
/* raw_source: the inputs that have no path: a descriptor, and a function of the caller's. */
#define _GNU_SOURCE
#include "unit.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "read/raw_source.h"

enum { MANY = 600 * 1000 };	/* bytes: more than a window */

static int numbered_file(void)
{
	int fd = memfd_create("numbers", MFD_CLOEXEC), i;
	uint8_t line[1000];

	for (i = 0; i < MANY / 1000; i++) {
		memset(line, i % 251, sizeof(line));
		CHECK_EQ(write(fd, line, sizeof(line)), sizeof(line));
	}
	lseek(fd, 0, SEEK_SET);
	return fd;
}

/* All bytes are the file's from @from on. */
static void reads_from(struct raw_source *s, size_t from)
{
	size_t n = 0, wrong = 0;

	for (; source_need(s, 1); s->pos++, n++)
		wrong += *s->pos != (from + n) / 1000 % 251;
	CHECK_EQ(wrong, 0);
	CHECK_EQ(n, MANY - from);
	CHECK_EQ(source_offset(s), n);
}

static void a_descriptor_is_read_from_where_it_stands(void)
{
	struct raw_source s;
	struct error err;
	int fd = numbered_file();

	source_open_fd(&s, fd, false);
	CHECK(s.seekable);
	reads_from(&s, 0);
	CHECK_EQ(source_check(&s, &err), 0);
	source_close(&s);
	lseek(fd, 1234, SEEK_SET);
	source_open_fd(&s, fd, true);
	CHECK(!s.seekable);
	reads_from(&s, 1234);
	source_close(&s);
	CHECK_EQ(lseek(fd, 0, SEEK_SET), -1ULL);	/* it was the source's, and is closed */
}

struct feed {
	int fd, left, fail;
};

/* A little at a time, and at the end @fail. */
static int64_t give(void *ctx, void *buf, size_t n)
{
	struct feed *f = ctx;

	if (!f->left--)
		return f->fail;
	return read(f->fd, buf, n < 7777 ? n : 7777);
}

static void a_function_gives_as_much_as_it_likes(void)
{
	struct feed f = { .fd = numbered_file(), .left = -1 };
	struct raw_source s;
	struct error err;

	source_open_function(&s, give, &f);
	reads_from(&s, 0);
	CHECK_EQ(source_check(&s, &err), 0);
	CHECK(!source_read_at(&s, 0, (uint8_t[1]){0}, 1));
	source_close(&s);
	close(f.fd);
}

static void an_error_of_the_function_is_that_of_the_source(void)
{
	static const int fails[] = { -ENETDOWN, INT32_MAX };	/* more than it was asked for */
	static const int codes[] = { -ENETDOWN, -EIO };
	struct raw_source s;
	struct error err;
	int i;

	for (i = 0; i < 2; i++) {
		struct feed f = { .fd = numbered_file(), .left = 3, .fail = fails[i] };

		source_open_function(&s, give, &f);
		while (source_need(&s, 1))
			s.pos++;
		CHECK_EQ(source_offset(&s), 3 * 7777);
		CHECK_EQ(source_check(&s, &err), codes[i]);
		source_close(&s);
		close(f.fd);
	}
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(a_descriptor_is_read_from_where_it_stands),
		UNIT(a_function_gives_as_much_as_it_likes),
		UNIT(an_error_of_the_function_is_that_of_the_source),
		{0},
	});
}
