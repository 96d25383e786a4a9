// SPDX-License-Identifier: Apache-2.0
/* read: numbers at the edge of what is there, files and memory as a source. */
#include "unit.h"

#include <stdlib.h>
#include <unistd.h>

#include "read/cursor.h"
#include "read/raw_source.h"

struct number {
	const char *bytes;
	size_t n;
	enum cursor_status status;
	uint64_t value;
	size_t taken;
};

#define BYTES(s) s, sizeof(s) - 1

static void uvarint_takes_what_go_takes(void)
{
	static const struct number numbers[] = {
		{ BYTES("\x00"), CURSOR_OK, 0, 1 },
		{ BYTES("\x7f"), CURSOR_OK, 127, 1 },
		{ BYTES("\x80\x01"), CURSOR_OK, 128, 2 },
		{ BYTES("\x81\x80\x80\x00"), CURSOR_OK, 1, 4 },	/* padding, as in batch sizes */
		{ BYTES("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), CURSOR_OK, UINT64_MAX, 10 },
		{ BYTES("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"), CURSOR_OVERFLOW, 0, 0 },
		{ BYTES("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00"), CURSOR_OVERFLOW, 0, 0 },
		{ BYTES(""), CURSOR_EOF, 0, 0 },
		{ BYTES("\x80"), CURSOR_SHORT, 0, 0 },
	};
	size_t i;

	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		const struct number *want = &numbers[i];
		struct cursor c = cursor_of((const uint8_t *)want->bytes, want->n, 100);
		uint64_t v = 0;

		CHECK_EQ(cursor_uvarint(&c, &v), want->status);
		CHECK_EQ(v, want->value);
		CHECK_EQ(cursor_offset(&c), 100 + want->taken);
	}
}

static void drain(struct raw_source *s, uint64_t total)
{
	uint64_t seen = 0;

	while (source_need(s, 1)) {
		CHECK_EQ(source_offset(s), seen);
		CHECK_EQ(*s->pos, seen % 251);
		s->pos++;
		seen++;
		if (unit_failures)
			return;
	}
	CHECK_EQ(seen, total);
}

/* More than a window, through a file that can seek. */
static void file_source_counts_offsets_over_refills(void)
{
	char path[] = "/tmp/gotap-read-XXXXXX";
	int fd = mkstemp(path);
	const uint32_t total = RAW_WINDOW * 2 + 777;
	struct raw_source s;
	struct error err;
	uint8_t byte, buf[4];
	uint32_t i;

	for (i = 0; i < total; i += sizeof(buf)) {
		for (byte = 0; byte < sizeof(buf); byte++)
			buf[byte] = (uint8_t)((i + byte) % 251);
		CHECK(write(fd, buf, total - i < 4 ? total - i : 4) > 0);
	}
	close(fd);
	CHECK_EQ(source_open(&s, path, &err), 0);
	CHECK(s.seekable);
	drain(&s, total);
	CHECK(!source_need(&s, 1));
	CHECK(source_read_at(&s, RAW_WINDOW, buf, 4) == buf);
	CHECK_EQ(buf[0], RAW_WINDOW % 251);
	CHECK(!source_read_at(&s, total - 2, buf, 4));
	source_close(&s);
	unlink(path);
}

static int header_of(const char *text, size_t n)
{
	struct raw_source s;
	struct error err;
	int version;

	source_open_memory(&s, text, n);
	return source_header(&s, &version, &err) ? 0 : version;
}

static void header_is_exact(void)
{
	CHECK_EQ(header_of(BYTES("go 1.22 trace\0\0\0")), 22);
	CHECK_EQ(header_of(BYTES("go 1.26 trace\0\0\0x")), 26);
	CHECK_EQ(header_of(BYTES("go 1.24 trace\0\0\0")), 0);
	CHECK_EQ(header_of(BYTES("go 1.21 trace\0\0\0")), 0);
	CHECK_EQ(header_of(BYTES("go 1.26 trace\0\0")), 0);
	CHECK_EQ(header_of(BYTES("go 1.26 Trace\0\0\0")), 0);
	CHECK_EQ(header_of(BYTES("")), 0);
}

static void need_stops_at_the_end_of_memory(void)
{
	struct raw_source s;
	uint64_t v;

	source_open_memory(&s, "\x05\x80", 2);
	CHECK(source_need(&s, 2));
	CHECK(!source_need(&s, 3));
	CHECK_EQ(source_uvarint(&s, &v), CURSOR_OK);
	CHECK_EQ(v, 5);
	CHECK_EQ(source_uvarint(&s, &v), CURSOR_SHORT);
	CHECK_EQ(source_offset(&s), 1);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(uvarint_takes_what_go_takes),
		UNIT(file_source_counts_offsets_over_refills),
		UNIT(header_is_exact),
		UNIT(need_stops_at_the_end_of_memory),
		{0},
	});
}
