// SPDX-License-Identifier: Apache-2.0
/* A file that changes under its reader: bytes handed out stay, lost ones are not there. */
#define _GNU_SOURCE
#include "base/file_copy.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "unit.h"

enum { SIZE = 1 << 20 };

/* A file of SIZE bytes, each the number of its 4096 byte page. */
static int make_file(uint8_t *bytes)
{
	char path[] = "/tmp/gotap-unit-XXXXXX";
	int fd = mkstemp(path), i;

	unlink(path);
	for (i = 0; i < SIZE; i++)
		bytes[i] = (uint8_t)(i >> 12);
	CHECK_EQ(pwrite(fd, bytes, SIZE, 0), SIZE);
	return fd;
}

static void bytes_are_the_files(void)
{
	static uint8_t want[SIZE];
	int fd = make_file(want);
	struct file_copy *c = NULL;
	const uint8_t *p;
	uint32_t crc = 0;

	CHECK_EQ(file_copy_new(&c, fd, NULL), 0);
	close(fd);	/* the copy has its own */
	CHECK_EQ(file_copy_size(c), SIZE);
	p = file_copy_at(c, 100000, 300000);
	CHECK(p && !memcmp(p, want + 100000, 300000));
	p = file_copy_at(c, 0, SIZE);
	CHECK(p && !memcmp(p, want, SIZE));
	CHECK(file_copy_at(c, SIZE, 0));
	CHECK(!file_copy_at(c, SIZE, 1));
	CHECK(!file_copy_at(c, 1, SIZE));
	CHECK(!file_copy_at(c, UINT64_MAX, 2));
	CHECK(!file_copy_at(c, 2, UINT64_MAX));
	CHECK_EQ(file_copy_crc32(c, &crc), 0);
	CHECK_EQ(crc, crc32_z(0, want, SIZE));
	file_copy_free(c);
}

static void what_was_cut_off_is_not_there(void)
{
	static uint8_t want[SIZE];
	int fd = make_file(want);
	struct file_copy *c = NULL;
	const uint8_t *p;
	uint32_t crc;

	CHECK_EQ(file_copy_new(&c, fd, NULL), 0);
	p = file_copy_at(c, 0, SIZE / 4);
	CHECK_EQ(ftruncate(fd, SIZE / 2), 0);
	CHECK_EQ(pwrite(fd, "changed", 7, 0), 7);
	CHECK(p && !memcmp(p, want, SIZE / 4));
	CHECK(file_copy_at(c, 0, SIZE / 2) == p);
	CHECK(!file_copy_at(c, SIZE / 2, 1));
	CHECK(!file_copy_at(c, 0, SIZE));
	CHECK(file_copy_crc32(c, &crc) < 0);
	CHECK_EQ(ftruncate(fd, 0), 0);
	CHECK(p && !memcmp(p, want, SIZE / 4));
	file_copy_free(c);
	close(fd);
}

/* Memory that a mapping takes now, in bytes. */
static size_t resident(const uint8_t *p, size_t n)
{
	size_t i, pages = 0;
	unsigned char *in = malloc(n / 4096 + 1);

	CHECK_EQ(mincore((void *)((uintptr_t)p & ~4095ul), n, in), 0);
	for (i = 0; i < n / 4096; i++)
		pages += in[i] & 1;
	free(in);
	return pages * 4096;
}

static void holes_take_no_memory(void)
{
	enum { PLACE = 700 << 20, HOLE = 600 << 20 };
	char path[] = "/tmp/gotap-unit-XXXXXX";
	int fd = mkstemp(path);
	struct file_copy *c = NULL;
	const uint8_t *p;

	unlink(path);
	CHECK_EQ(pwrite(fd, "here", 4, PLACE), 4);
	CHECK_EQ(ftruncate(fd, 8LL << 30), 0);
	CHECK_EQ(file_copy_new(&c, fd, NULL), 0);
	p = file_copy_at(c, PLACE - HOLE, HOLE + 4096);
	CHECK(p && !memcmp(p + HOLE, "here", 5));
	CHECK(p && resident(p, HOLE) < 4 << 20);
	CHECK(!file_copy_at(c, 4LL << 30, FILE_COPY_MAX));	/* no file needs as much */
	CHECK(file_copy_at(c, 4LL << 30, 4096));
	file_copy_free(c);
	close(fd);
}

static void only_regular_files(void)
{
	struct file_copy *c = NULL;
	int ends[2], dir = open("/", O_RDONLY | O_CLOEXEC);

	CHECK_EQ(pipe(ends), 0);
	CHECK(file_copy_new(&c, ends[0], NULL) < 0);
	CHECK(file_copy_new(&c, dir, NULL) < 0);
	CHECK(file_copy_new(&c, -1, NULL) < 0);
	CHECK(!c);
	close(ends[0]);
	close(ends[1]);
	close(dir);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(bytes_are_the_files),
		UNIT(what_was_cut_off_is_not_there),
		UNIT(holes_take_no_memory),
		UNIT(only_regular_files),
		{0} });
}
