// SPDX-License-Identifier: Apache-2.0
/*
 * fuzz_parquet: any columns and values as a Parquet file. The first byte is the number of columns, then each has a byte,
 * and so have the options; the rest are values. The file must have its begin and its end; that readers take it is for
 * tests/parquet.bats.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "parquet/parquet.h"

enum { COLUMNS = 8, REPEATS = 300, ROWS = 60000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
	const uint8_t *data;
	size_t size, rows;
};

static uint8_t take(struct input *in)
{
	if (!in->size)
		return 0;
	in->size--;
	return *in->data++;
}

static int64_t take_number(struct input *in)
{
	int64_t value = 0;
	size_t n = take(in) % 9, left = in->size < n ? in->size : n;

	memcpy(&value, in->data, left);
	in->data += left;
	in->size -= left;
	return n == 1 ? (int8_t)value : value;
}

static void put_text(struct parquet *p, size_t column, struct input *in)
{
	size_t n = take(in) % 40;

	n = n < in->size ? n : in->size;
	/* The input does not change until the file is complete. */
	if (take(in) & 1 && n <= in->size)
		parquet_shared(p, column, (const char *)in->data, n);
	else if (n <= in->size)
		parquet_text(p, column, (const char *)in->data, n);
	else
		return;
	in->data += n;
	in->size -= n;
}

static void put_value(struct parquet *p, size_t i, const struct parquet_column *c, struct input *in)
{
	int64_t value;
	double real;

	if (c->optional && take(in) & 1)
		return;
	if (c->type == PARQUET_TEXT) {
		put_text(p, i, in);
		return;
	}
	value = take_number(in);
	memcpy(&real, &value, sizeof(real));
	if (c->type == PARQUET_F64)
		parquet_real(p, i, real);
	else if (c->type == PARQUET_I32)
		parquet_int(p, i, (int32_t)value);
	else if (c->type == PARQUET_U32)
		parquet_int(p, i, (uint32_t)value);
	else
		parquet_int(p, i, value);
}

/* The next bytes as rows, the same ones several times. */
static void put_rows(struct parquet *p, const struct parquet_column *columns, size_t n,
		     struct input *in)
{
	size_t repeats = 1 + (size_t)take(in) * take(in) % REPEATS, i;
	const struct input begin = *in;

	for (; repeats && in->rows < ROWS; repeats--) {
		size_t rows = in->rows + 1;

		*in = begin;
		in->rows = rows;
		for (i = 0; i < n; i++)
			put_value(p, i, &columns[i], in);
		parquet_row(p);
	}
}

/* Empty texts that were cut off at the end of the input leave a column without a value. */
static void check_file(int fd, int ended, const struct parquet *p)
{
	uint64_t n = parquet_counts(p)->bytes;
	uint32_t footer = 0;
	char *file;

	if (ended)
		return;
	file = mmap(NULL, n, PROT_READ, MAP_SHARED, fd, 0);
	if (n < 12 || file == MAP_FAILED)
		abort();
	memcpy(&footer, file + n - 8, sizeof(footer));
	if (memcmp(file, "PAR1", 4) || memcmp(file + n - 4, "PAR1", 4) || footer > n - 12 ||
	    lseek(fd, 0, SEEK_END) != (off_t)n)
		abort();
	munmap(file, n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[COLUMNS] = { "a", "b", "c", "d", "e", "f", "g", "h" };
	struct input in = { data, size, 0 };
	size_t n = 1 + take(&in) % COLUMNS, i;
	struct parquet_options options = { .zstd_level = 1, .group_rows = (uint32_t)take(&in) * 37,
					   .sorted_by = take(&in) % (n + 1) };
	struct parquet_column columns[COLUMNS];
	int fd = memfd_create("parquet", MFD_CLOEXEC);
	struct parquet *p;
	struct error err;

	for (i = 0; i < n; i++) {
		uint8_t what = take(&in);

		columns[i] = (struct parquet_column){ names[i], what % (PARQUET_TIME_NS + 1), what & 64,
						      what / 8 % 4 };
	}
	p = parquet_new(fd, columns, n, &options);
	while (in.size && in.rows < ROWS)
		put_rows(p, columns, n, &in);
	check_file(fd, parquet_end(p, &err), p);
	parquet_free(p);
	close(fd);
	return 0;
}
