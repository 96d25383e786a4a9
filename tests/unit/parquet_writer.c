// SPDX-License-Identifier: Apache-2.0
/*
 * parquet: faults of the disk and of the caller, and memory. That the files are right is for readers that are not ours:
 * tests/parquet.bats.
 */
#define _GNU_SOURCE
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/map64.h"
#include "base/vec.h"
#include "parquet/parquet.h"

enum { ID, NAME, RATE, SMALL };

static const struct parquet_column columns[] = {
	[ID] =    { "id", PARQUET_I64, false, PARQUET_CHOOSE },
	[NAME] =  { "name", PARQUET_TEXT, true, PARQUET_CHOOSE },
	[RATE] =  { "rate", PARQUET_F64, true, PARQUET_PLAIN },
	[SMALL] = { "small", PARQUET_U32, true, PARQUET_DELTA },
};
static const struct parquet_options defaults;

static struct parquet *open_at(int fd)
{
	return parquet_new(fd, columns, sizeof(columns) / sizeof(*columns), &defaults);
}

static struct parquet *open_memory(int *fd)
{
	*fd = memfd_create("parquet", MFD_CLOEXEC);
	return open_at(*fd);
}

/* Ends the file, and closes it. */
static void check_fault(struct parquet *p, int fd, int code, const char *text)
{
	struct error err = {0};

	CHECK_EQ(parquet_end(p, &err), code);
	CHECK_EQ(err.code, code);
	CHECK_STR(err.text, text);
	parquet_free(p);
	close(fd);
}

static void a_full_disk_is_a_fault(void)
{
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC), i, failed = 0;
	struct parquet *p = open_at(fd);
	uint64_t rows;

	for (i = 0; !failed && i < 3 * PARQUET_GROUP_ROWS; i++) {
		parquet_int(p, ID, (int64_t)hash64((uint64_t)i));
		parquet_real(p, RATE, i * 0.37);
		failed = parquet_row(p);
	}
	/* The first row group, of about 1.5 MB, is written when it is full. */
	CHECK_EQ(failed, -ENOSPC);
	CHECK_EQ(i, PARQUET_GROUP_ROWS);
	CHECK_EQ(parquet_counts(p)->bytes, 0);
	rows = parquet_memory(p);
	for (i = 0; failed == -ENOSPC && i < 3 * PARQUET_GROUP_ROWS; i++) {
		parquet_int(p, ID, i);
		failed = parquet_row(p);
	}
	CHECK_EQ(failed, -ENOSPC);
	CHECK(parquet_memory(p) <= rows);
	check_fault(p, fd, -ENOSPC, "No space left on device");
}

static void a_fault_at_the_end_is_returned(void)
{
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
	struct parquet *p = open_at(fd);

	parquet_int(p, ID, 1);
	CHECK_EQ(parquet_row(p), 0);
	check_fault(p, fd, -ENOSPC, "No space left on device");
}

static void faults_of_the_caller(void)
{
	struct parquet *p;
	int fd;

	p = open_memory(&fd);
	CHECK_EQ(parquet_row(p), -EINVAL);
	check_fault(p, fd, -EINVAL, "column id has no value in row 0");
	p = open_memory(&fd);
	parquet_null(p, ID);
	check_fault(p, fd, -EINVAL, "column id has no value in row 0");
	p = open_memory(&fd);
	parquet_int(p, ID, 1);
	parquet_int(p, ID, 1);
	CHECK_EQ(parquet_row(p), -EINVAL);
	check_fault(p, fd, -EINVAL, "column id has two values in row 0");
	p = open_memory(&fd);
	parquet_int(p, NAME, 1);
	check_fault(p, fd, -EINVAL, "a value of column name has another type");
	p = open_memory(&fd);
	parquet_text(p, ID, "a", 1);
	check_fault(p, fd, -EINVAL, "a value of column id has another type");
	p = open_memory(&fd);
	parquet_int(p, SMALL, -1);
	check_fault(p, fd, -EINVAL, "column small: -1 exceeds 32 bits");
	p = open_memory(&fd);
	parquet_int(p, 4, 1);
	check_fault(p, fd, -EINVAL, "there is no column 4");
	p = open_memory(&fd);
	parquet_int(p, ID, 1);
	check_fault(p, fd, -EINVAL, "values after the last row");
}

static void too_many_columns_are_a_fault(void)
{
	struct parquet_column many[65];
	int fd = memfd_create("parquet", MFD_CLOEXEC);
	size_t i;

	for (i = 0; i < 65; i++)
		many[i] = columns[ID];
	check_fault(parquet_new(fd, many, 65, &defaults), fd, -EINVAL, "65 columns, of at most 64");
}

static void long_texts_are_cut_and_counted(void)
{
	size_t n = PARQUET_TEXT_MOST + 1, i;
	char *text = xcalloc(n, 1);
	struct parquet *p;
	int fd;

	p = open_memory(&fd);
	memset(text, 'a', n);
	/* The last character, of two bytes, begins at the last byte that fits. */
	memcpy(text + n - 2, "\xc3\xa9", 2);
	for (i = 0; i < 3; i++) {
		parquet_int(p, ID, 1);
		parquet_shared(p, NAME, text, n - i);
		CHECK_EQ(parquet_row(p), 0);
	}
	CHECK_EQ(parquet_counts(p)->texts_cut, 1);
	/* The second one ends with half a character. */
	CHECK_EQ(parquet_counts(p)->texts_repaired, 1);
	CHECK_EQ(parquet_end(p, NULL), 0);
	CHECK_EQ(parquet_counts(p)->rows, 3);
	parquet_free(p);
	close(fd);
	free(text);
}

/* Incompressible values: a row group is kept until it is full. Memory does not grow from group to group. */
static void memory_is_bounded(void)
{
	char text[64];
	struct parquet *p;
	int fd, i, failed = 0;
	size_t most = 0;

	p = open_memory(&fd);
	for (i = 0; i < 4 * PARQUET_GROUP_ROWS; i++) {
		uint64_t x = hash64((uint64_t)i);

		parquet_int(p, ID, (int64_t)x);
		parquet_text(p, NAME, text, (size_t)snprintf(text, sizeof(text), "%llx", (unsigned long long)x));
		parquet_int(p, SMALL, (uint32_t)x);
		failed |= parquet_row(p);
		if (i == 2 * PARQUET_GROUP_ROWS)
			most = parquet_memory(p);
	}
	CHECK_EQ(failed, 0);
	CHECK(parquet_memory(p) <= most + (1 << 20));
	CHECK(most < 24 << 20);
	CHECK_EQ(parquet_end(p, NULL), 0);
	CHECK_EQ(parquet_counts(p)->bytes, lseek(fd, 0, SEEK_END));
	parquet_free(p);
	close(fd);
}

/* Texts of a megabyte, of which zstd makes little less: a row group ends before it has all its rows. */
static void memory_is_bounded_with_long_texts(void)
{
	uint64_t *text = xcalloc(PARQUET_TEXT_MOST, 1), x = 1;
	size_t words = PARQUET_TEXT_MOST / sizeof(*text), w;
	struct parquet *p;
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC), i;

	p = open_at(fd);
	for (i = 0; i < 100; i++) {
		for (w = 0; w < words; w++) {
			x = x * 6364136223846793005ULL + 1442695040888963407ULL;
			text[w] = x >> 7 & 0x7f7f7f7f7f7f7f7fULL;
		}
		parquet_int(p, ID, i);
		parquet_text(p, NAME, (const char *)text, PARQUET_TEXT_MOST);
		CHECK_EQ(parquet_row(p), 0);
	}
	CHECK(parquet_counts(p)->bytes > 50 << 20);
	CHECK(parquet_memory(p) < 100 << 20);
	CHECK_EQ(parquet_end(p, NULL), 0);
	parquet_free(p);
	close(fd);
	free(text);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(a_full_disk_is_a_fault), UNIT(a_fault_at_the_end_is_returned),
		UNIT(faults_of_the_caller), UNIT(too_many_columns_are_a_fault),
		UNIT(long_texts_are_cut_and_counted), UNIT(memory_is_bounded),
		UNIT(memory_is_bounded_with_long_texts), {0} });
}
