/* SPDX-License-Identifier: Apache-2.0 */
/* base: the bytes of protobuf.h, as the encoding guide of protocol buffers and protoc have them. */
#include "unit.h"

#include "base/protobuf.h"

static void check_bytes(struct buf *b, const char *expected, size_t n)
{
	CHECK_EQ(b->len, n);
	CHECK(b->len == n && !memcmp(b->data, expected, n));
	buf_free(b);
}

/* The examples of the guide: 150 in field 1, "testing" in field 2, and the first as a message in field 3. */
static void examples(void)
{
	struct buf b = {0};
	size_t open;

	protobuf_uint(&b, 1, 150);
	check_bytes(&b, "\x08\x96\x01", 3);
	protobuf_text(&b, 2, "testing");
	check_bytes(&b, "\x12\x07testing", 9);
	open = protobuf_open(&b, 3);
	protobuf_uint(&b, 1, 150);
	protobuf_close(&b, open);
	check_bytes(&b, "\x1a\x03\x08\x96\x01", 5);
	open = protobuf_open(&b, 6);
	protobuf_element(&b, 3);
	protobuf_element(&b, 270);
	protobuf_element(&b, 86942);
	protobuf_close(&b, open);
	check_bytes(&b, "\x32\x06\x03\x8e\x02\x9e\xa7\x05", 8);
}

static void numbers(void)
{
	struct buf b = {0};

	protobuf_uint(&b, 16, (uint64_t)-1);
	check_bytes(&b, "\x80\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12);
	protobuf_fixed64(&b, 1, 0x0102030405060708);
	check_bytes(&b, "\x09\x08\x07\x06\x05\x04\x03\x02\x01", 9);
}

/* Lengths of one, two and three bytes, one message inside the other. */
static void nested_lengths(void)
{
	static const size_t sizes[] = { 0, 127, 128, 16383, 16384, 70000 };
	static char text[70000];
	struct buf b = {0}, inner = {0}, expected = {0};
	size_t i, open, deeper;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		open = protobuf_open(&b, 1);
		protobuf_uint(&b, 5, i);
		deeper = protobuf_open(&b, 2);
		protobuf_bytes(&b, 3, text, sizes[i]);
		protobuf_close(&b, deeper);
		protobuf_close(&b, open);

		protobuf_bytes(&inner, 3, text, sizes[i]);
		buf_add_byte(&expected, 5 << 3);
		buf_add_byte(&expected, (uint8_t)i);
		protobuf_bytes(&expected, 2, inner.data, inner.len);
		inner.len = 0;
		protobuf_bytes(&inner, 1, expected.data, expected.len);
		CHECK(b.len == inner.len && !memcmp(b.data, inner.data, b.len));
		b.len = inner.len = expected.len = 0;
	}
	buf_free(&b);
	buf_free(&inner);
	buf_free(&expected);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(examples), UNIT(numbers), UNIT(nested_lengths), {0},
	});
}
