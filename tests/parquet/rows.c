// SPDX-License-Identifier: Apache-2.0
/*
 * rows FILE CASE: writes a Parquet file with user/parquet, and FILE.rows with the same rows as text,
 * for readers that are not gotap's (read.mjs). CASE: a name of the table below, or a number, the
 * seed of a file with random columns, encodings, sizes and values.
 *
 * The first line of FILE.rows has NAME:TYPE of each column. A value is a decimal number, 0 or 1,
 * the bits of a double in hex, or the bytes of a text in hex as they were put, after "x"; "-" is
 * null.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/vec.h"
#include "parquet/parquet.h"

enum { COLUMNS_MOST = 12, POOL = 64, LONG_TEXT = 40000 };

/* How the values of a column follow one another. */
enum shape { CONSTANT, FEW, ASCENDING, ANY, RUNS, MANY, EXTREMES, SHAPES };
enum nulls { NEVER, SELDOM, OFTEN, IN_RUNS, ALWAYS, NULLS };

struct made {
	struct parquet_column column;
	enum shape shape;
	enum nulls nulls;
	uint64_t last;
	bool last_null;
	char name[16];
};

static const char *const type_names[] = { "bool", "i32", "i64", "u32", "u64", "f64", "text", "time" };
static char pool[POOL][40];
static uint64_t state;
static FILE *rows;
static struct parquet *file;
static struct made made[COLUMNS_MOST];
static size_t columns;

/* xorshift64* */
static uint64_t any(void)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return state * 0x2545f4914f6cdd1dULL;
}

static uint64_t below(uint64_t n)
{
	return any() % n;
}

static uint64_t extreme(void)
{
	static const uint64_t values[] = { 0, 1, UINT64_MAX, INT64_MAX, (uint64_t)INT64_MIN,
					   INT32_MAX, (uint64_t)INT32_MIN, UINT32_MAX };

	return values[below(sizeof(values) / sizeof(*values))];
}

static uint64_t next_value(struct made *m)
{
	switch (m->shape) {
	case CONSTANT:
		return m->last;
	case FEW:
		return below(10);
	case ASCENDING:
		return m->last += below(1000);
	case RUNS:
		return below(50) ? m->last : (m->last = any());
	case MANY:
		return below(100000);
	case EXTREMES:
		return extreme();
	default:
		return any();
	}
}

static bool next_null(struct made *m)
{
	switch (m->nulls) {
	case SELDOM:
		return !below(1000);
	case OFTEN:
		return below(2);
	case IN_RUNS:
		return m->last_null ^= !below(300);
	case ALWAYS:
		return true;
	default:
		return false;
	}
}

static void put_bytes(size_t i, const char *text, size_t n, bool shared)
{
	size_t at;

	(shared ? parquet_shared : parquet_text)(file, i, text, n);
	fputc('x', rows);
	for (at = 0; at < n; at++)
		fprintf(rows, "%02x", (uint8_t)text[at]);
}

/* A text that depends on @value; of a column of any values it has any bytes. */
static void put_text(size_t i, uint64_t value)
{
	char text[64];
	size_t n, at;

	if (made[i].shape == FEW) {
		put_bytes(i, pool[value], strlen(pool[value]), true);
		return;
	}
	if (made[i].shape != ANY) {
		put_bytes(i, text, (size_t)snprintf(text, sizeof(text), "h\xc3\xa9 %" PRIu64, value),
			  false);
		return;
	}
	n = value % 41;
	for (at = 0; at < n; at++)
		text[at] = (char)(below(3) ? any() % 128 : any());
	put_bytes(i, text, n, false);
}

static void put_real(size_t i, uint64_t value)
{
	static const double extremes[] = { 0.0, -0.0, 1e308, -1e308, 5e-324, __builtin_inf(),
					   -__builtin_inf(), __builtin_nan("") };
	double real = made[i].shape == EXTREMES ? extremes[value % 8] : (double)(int64_t)value / 3;
	uint64_t bits;

	memcpy(&bits, &real, sizeof(bits));
	parquet_real(file, i, real);
	fprintf(rows, "%016" PRIx64, bits);
}

static void put_value(size_t i, uint64_t value)
{
	switch (made[i].column.type) {
	case PARQUET_TEXT:
		put_text(i, value);
		return;
	case PARQUET_F64:
		put_real(i, value);
		return;
	case PARQUET_BOOL:
		value &= 1;
		break;
	case PARQUET_I32:
		value = (uint64_t)(int32_t)value;
		break;
	case PARQUET_U32:
		value = (uint32_t)value;
		break;
	case PARQUET_TIME_NS:
		/* DuckDB has the least and the greatest one for infinities. */
		value = (uint64_t)((int64_t)value / 2);
		break;
	default:
		break;
	}
	parquet_int(file, i, (int64_t)value);
	if (made[i].column.type == PARQUET_U64)
		fprintf(rows, "%" PRIu64, value);
	else
		fprintf(rows, "%" PRId64, (int64_t)value);
}

static void put_row(void)
{
	size_t i;

	for (i = 0; i < columns; i++) {
		if (i)
			fputc('\t', rows);
		if (!made[i].column.optional || !next_null(&made[i])) {
			put_value(i, next_value(&made[i]));
			continue;
		}
		/* Without a value a row has a null, too. */
		if (below(2))
			parquet_null(file, i);
		fputc('-', rows);
	}
	fputc('\n', rows);
	if (parquet_row(file))
		exit(1);
}

static void add_column(enum parquet_type type, enum nulls nulls, enum shape shape,
		       enum parquet_encoding encoding)
{
	struct made *m = &made[columns];

	snprintf(m->name, sizeof(m->name), "c%zu", columns++);
	m->column = (struct parquet_column){ m->name, type, nulls != NEVER, encoding };
	m->nulls = nulls;
	m->shape = shape;
	m->last = shape == ASCENDING ? below(1000) : any();
}

static void open_file(int fd, uint32_t group_rows, size_t sorted_by)
{
	const struct parquet_pair pair = { "k\xc3\xa9y", "value" };
	const struct parquet_options options = { .group_rows = group_rows, .metadata = &pair,
						 .metadata_count = 1, .sorted_by = sorted_by };
	struct parquet_column list[COLUMNS_MOST];
	size_t i;

	for (i = 0; i < columns; i++) {
		list[i] = made[i].column;
		fprintf(rows, "%s%s:%s", i ? "\t" : "", list[i].name, type_names[list[i].type]);
	}
	fputc('\n', rows);
	file = parquet_new(fd, list, columns, &options);
}

static void add_each_type(enum nulls nulls, enum shape shape)
{
	int type;

	for (type = PARQUET_BOOL; type <= PARQUET_TIME_NS; type++)
		add_column((enum parquet_type)type, nulls, shape, PARQUET_CHOOSE);
}

static void put_rows(size_t n)
{
	for (; n; n--)
		put_row();
}

static void case_empty(int fd)
{
	add_each_type(SELDOM, ANY);
	open_file(fd, 0, 1);
}

static void case_one(int fd)
{
	add_each_type(NEVER, ANY);
	open_file(fd, 0, 3);
	put_rows(1);
}

static void case_nulls(int fd)
{
	add_each_type(ALWAYS, ANY);
	open_file(fd, 25000, 0);
	put_rows(30000);
}

static void case_groups(int fd)
{
	add_each_type(OFTEN, MANY);
	open_file(fd, 7, 0);
	put_rows(500);
}

static void case_extremes(int fd)
{
	add_each_type(SELDOM, EXTREMES);
	open_file(fd, 0, 0);
	put_rows(30000);
}

static void case_deltas(int fd)
{
	static const enum parquet_type types[] = { PARQUET_I32, PARQUET_I64, PARQUET_U32, PARQUET_U64,
						   PARQUET_TIME_NS };
	size_t i;

	for (i = 0; i < sizeof(types) / sizeof(*types); i++) {
		add_column(types[i], NEVER, EXTREMES, PARQUET_DELTA);
		add_column(types[i], IN_RUNS, ASCENDING, PARQUET_DELTA);
	}
	open_file(fd, 0, 0);
	put_rows(1 + 128 * 40 + 33);
}

/* Texts of up to LONG_TEXT bytes, alike in their first ones, and of the largest characters. */
static void case_long_texts(int fd)
{
	char *text = xcalloc(LONG_TEXT + 1, 1);
	size_t row, i, n;

	add_column(PARQUET_TEXT, NEVER, ANY, PARQUET_CHOOSE);
	add_column(PARQUET_TEXT, NEVER, ANY, PARQUET_DICTIONARY);
	add_column(PARQUET_TEXT, NEVER, ANY, PARQUET_PLAIN);
	add_column(PARQUET_TEXT, NEVER, ANY, PARQUET_DELTA);
	open_file(fd, 0, 0);
	for (row = 0; row < 100; row++) {
		memset(text, row % 3 ? 'a' : '\xff', LONG_TEXT);
		for (i = 0; row % 3 == 1 && i + 4 <= LONG_TEXT; i += 4)
			memcpy(text + i, "\xf4\x8f\xbf\xbf", 4);
		for (i = 0; i < columns; i++) {
			n = row < 4 ? 60 + row * 5 : below(LONG_TEXT / (row % 3 ? 4 : 400)) * 4;
			put_bytes(i, text, n, false);
			fputc(i + 1 < columns ? '\t' : '\n', rows);
		}
		if (parquet_row(file))
			exit(1);
	}
	free(text);
}

/* More values than a dictionary holds, after many rows with few. */
static void case_overflow(int fd)
{
	static const enum parquet_type types[] = { PARQUET_TEXT, PARQUET_I64, PARQUET_U32 };
	size_t i;

	for (i = 0; i < 3; i++) {
		add_column(types[i], NEVER, FEW, PARQUET_DICTIONARY);
		add_column(types[i], OFTEN, CONSTANT, PARQUET_CHOOSE);
	}
	open_file(fd, 0, 0);
	put_rows(25000);
	for (i = 0; i < columns; i++)
		made[i].shape = MANY;
	put_rows(60000);
}

static void case_invalid(int fd)
{
	static const char *const texts[] = {
		"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc2", "\xc2\x80", "\xe0\x80\x80", "\xe0\xa0\x80",
		"\xed\x9f\xbf", "\xed\xa0\x80", "\xed\xbf\xbf", "\xee\x80\x80", "\xef\xbf\xbd",
		"\xf0\x80\x80\x80", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5",
		"\xff\xfe", "abcdefgh\xe2\x82z", "abcdefghi\xe2\x82", "\xe2\x82\xac\xe2\x82",
	};
	size_t i, n, column;

	add_column(PARQUET_TEXT, NEVER, ANY, PARQUET_CHOOSE);
	add_column(PARQUET_TEXT, NEVER, ANY, PARQUET_PLAIN);
	add_column(PARQUET_TEXT, NEVER, FEW, PARQUET_DICTIONARY);
	open_file(fd, 0, 0);
	n = sizeof(texts) / sizeof(*texts);
	for (i = 0; i < 2 * n; i++) {
		for (column = 0; column < columns; column++) {
			put_bytes(column, texts[i % n], strlen(texts[i % n]), column == 2);
			fputc(column + 1 < columns ? '\t' : '\n', rows);
		}
		if (parquet_row(file))
			exit(1);
	}
	put_rows(5000);
	if (parquet_counts(file)->texts_repaired < 17 * 2 * columns)
		exit(1);
}

static void case_random(int fd)
{
	size_t n = 1 + below(COLUMNS_MOST), i, count = below(8) ? below(2000) : below(30000);
	uint32_t group = below(2) ? 0 : (uint32_t)(1 + count / 100 + below(50000));

	for (i = 0; i < n; i++)
		add_column((enum parquet_type)below(PARQUET_TIME_NS + 1),
			   (enum nulls)(below(2) ? 0 : below(NULLS)), (enum shape)below(SHAPES),
			   (enum parquet_encoding)below(PARQUET_DELTA + 1));
	open_file(fd, group, below(n + 1));
	put_rows(count);
}

static const struct { const char *name; void (*write)(int fd); } cases[] = {
	{ "empty", case_empty }, { "one", case_one }, { "nulls", case_nulls }, { "groups", case_groups },
	{ "extremes", case_extremes }, { "deltas", case_deltas }, { "long", case_long_texts },
	{ "overflow", case_overflow }, { "invalid", case_invalid },
};

static void write_case(int fd, const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		if (!strcmp(name, cases[i].name)) {
			state = 88172645463325252ULL;
			cases[i].write(fd);
			return;
		}
	state = strtoull(name, NULL, 10) * 2 + 1;
	for (i = 0; i < 8; i++)
		any();
	case_random(fd);
}

int main(int argc, char **argv)
{
	struct error err;
	char *beside;
	size_t i;
	int fd;

	if (argc != 3)
		return fprintf(stderr, "rows FILE CASE\n"), 2;
	for (i = 0; i < POOL; i++)
		snprintf(pool[i], sizeof(pool[i]), "%.*s%zu", (int)(i % 30),
			 "the same text at the same place", i);
	fd = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0644);
	beside = xasprintf("%s.rows", argv[1]);
	rows = fopen(beside, "w");
	if (fd < 0 || !rows)
		return perror(argv[1]), 1;
	write_case(fd, argv[2]);
	if (parquet_end(file, &err))
		return fprintf(stderr, "%s\n", err.text), 1;
	parquet_free(file);
	free(beside);
	return fclose(rows) || close(fd);
}
