// SPDX-License-Identifier: Apache-2.0
/* read: text to wire and back, and the strings in it. Expected values come from Go 1.27. */
#include "unit.h"

#include <stdlib.h>

#include "read/raw_sink.h"
#include "read/text_quote.h"
#include "read/text_write.h"
#include "read/wire_write.h"

#define BYTES(s) s, sizeof(s) - 1

static void quotes_as_go(void)
{
	static const struct {
		const char *raw;
		size_t n;
		const char *quoted;
	} cases[] = {
		{ BYTES(""), "\"\"" },
		{ BYTES("plain text"), "\"plain text\"" },
		{ BYTES("\a\b\f\n\r\t\v\"\\"), "\"\\a\\b\\f\\n\\r\\t\\v\\\"\\\\\"" },
		{ BYTES("\0\x01\x1f\x7f"), "\"\\x00\\x01\\x1f\\x7f\"" },
		{ BYTES("'`"), "\"'`\"" },
		{ BYTES("\xff\xc3"), "\"\\xff\\xc3\"" },		/* no UTF-8 */
		{ BYTES("\xc3\xa9\xe4\xb8\x96"), "\"\xc3\xa9\xe4\xb8\x96\"" },
		{ BYTES("\xef\xbf\xbd"), "\"\xef\xbf\xbd\"" },	/* U+FFFD itself */
		{ BYTES("\xc2\xa0\xc2\xad"), "\"\\u00a0\\u00ad\"" },
		{ BYTES("\xe2\x80\xa8"), "\"\\u2028\"" },
		{ BYTES("\xf4\x8f\xbf\xbf"), "\"\\U0010ffff\"" },
		{ BYTES("\xf0\x9f\x98\x80"), "\"\xf0\x9f\x98\x80\"" },
		{ BYTES("\xed\xa0\x80"), "\"\\xed\\xa0\\x80\"" },	/* a surrogate */
		{ BYTES("\xc0\x80"), "\"\\xc0\\x80\"" },		/* not the shortest form */
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf out = {0}, back = {0};

		quote_append(&out, (const uint8_t *)cases[i].raw, cases[i].n);
		buf_add_byte(&out, 0);
		CHECK_STR((char *)out.data, cases[i].quoted);
		CHECK(unquote_append(&back, out.data, out.len - 1));
		CHECK(back.len == cases[i].n && !memcmp(back.data ? back.data : (uint8_t *)"",
							cases[i].raw, back.len));
		buf_free(&out);
		buf_free(&back);
	}
}

/* NULL: not a string literal. */
static void unquotes_as_go(void)
{
	static const char *const cases[][2] = {
		{ "`raw\\n\r`", "raw\\n" },
		{ "'a'", "a" }, { "'\\''", "'" }, { "'\xe4\xb8\x96'", "\xe4\xb8\x96" },
		{ "''", "" },
		{ "'ab'", NULL }, { "'", NULL }, { "\"", NULL }, { "", NULL }, { "abc", NULL },
		{ "\"\\'\"", NULL }, { "'\\\"'", NULL }, { "\"a\"b\"", NULL }, { "\"a", NULL },
		{ "\"\\x41\\101\\u0041\\U00000041\"", "AAAA" },
		{ "\"\\x4\"", NULL }, { "\"\\400\"", NULL }, { "\"\\8\"", NULL },
		{ "\"\\ud800\"", NULL }, { "\"\\U00110000\"", NULL }, { "\"\\q\"", NULL },
		{ "\"\\", NULL }, { "\"\\\"", NULL },
		{ "\"\xff\"", "\xef\xbf\xbd" },
		{ "\"\\xff\"", "\xff" },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf out = {0};
		bool ok = unquote_append(&out, (const uint8_t *)cases[i][0], strlen(cases[i][0]));

		CHECK(ok == (cases[i][1] != NULL));
		buf_add_byte(&out, 0);
		if (ok)
			CHECK_STR((char *)out.data, cases[i][1]);
		buf_free(&out);
	}
}

/* The text's wire form as text again, or the error. The caller frees it. */
static char *there_and_back(const char *text)
{
	struct raw_source source;
	struct raw_sink wire, again;
	struct error err = {0};

	source_open_memory(&source, text, strlen(text));
	sink_open(&wire, -1, NULL);
	sink_open(&again, -1, NULL);
	if (!wire_write(&source, &wire, &err)) {
		source_open_memory(&source, wire.buf.data, wire.buf.len);
		text_write(&source, &again, &err);
	}
	buf_add_byte(&again.buf, 0);
	buf_free(&wire.buf);
	if (err.code) {
		buf_free(&again.buf);
		return xstrdup(err.text);
	}
	return (char *)again.buf.data;
}

static void text_gives(const char *text, const char *want)
{
	char *got = there_and_back(text);

	CHECK_STR(got, want);
	free(got);
}

static void events_come_back(void)
{
	static const char trace[] =
		"Trace Go1.26\n"
		"EventBatch gen=1 m=18446744073709551615 time=1000 size=17\n"
		"Stacks\n"
		"Stack id=1 nframes=2\n"
		"\tpc=7 func=1 file=2 line=3\n"
		"\tpc=8 func=1 file=2 line=4\n"
		"String id=1\n"
		"\tdata=\"a\\tb\"\n"
		"ProcsChange dt=1 procs_value=2 stack=0\n"
		"Span dt=1 id=2 npages_value=3 kindclass=4\n"
		"EndOfGeneration\n";

	text_gives(trace, trace);
}

static void what_go_allows_is_allowed(void)
{
	text_gives("\n# comment\n \t\r\n Trace   Go1.022 \r\n"
		   "\xc2\xa0GoStop\tdt=007 reason_string=0\xe2\x80\xa8"
		   "stack=1\n#x\nString id=1\n\n# between\n data = `x`\n",
		   "Trace Go1.22\nGoStop dt=7 reason_string=0 stack=1\n"
		   "String id=1\n\tdata=\"x\"\n");
}

static void what_go_lacks_is_allowed(void)
{
	text_gives("Trace Go1.22\nStack id=5 n=1\npc=1 func=2 file=3 line=4",
		   "Trace Go1.22\nStack id=5 nframes=1\n\tpc=1 func=2 file=3 line=4\n");
	/* An empty string has no data line. */
	text_gives("Trace Go1.22\nString id=5\nString id=6\n\tdata=\"x\"\nString id=7\n",
		   "Trace Go1.22\nString id=5\nString id=6\n\tdata=\"x\"\nString id=7\n");
	text_gives("comment\n-- expect --\nSUCCESS\n-- trace --\nTrace Go1.23\nProcStop dt=1\n"
		   "-- other --\nnonsense\n", "Trace Go1.23\nProcStop dt=1\n");
}

static void errors_name_the_line(void)
{
	text_gives("", "no text trace: the file is empty");
	text_gives("Hello\n", "no text trace: neither a 'Trace Go1.NN' line nor a"
		   " '-- trace --' member");
	text_gives("Trace Go1.24\n", "line 1: unknown or unsupported Go version 1.24");
	text_gives("Trace Go1.26 # x\n", "line 1: unexpected text at the end of the header");
	text_gives("Trace Go1.22\n\nGoSwitch dt=1 g=1 g_seq=1\n",
		   "line 3: unidentified event: GoSwitch");
	text_gives("Trace Go1.22\nProcStop\n", "line 2: argument 'dt' is missing");
	text_gives("Trace Go1.22\nProcStop dt=-1\n",
		   "line 2: '-1' for 'dt' is not a number of 64 bits");
	text_gives("Trace Go1.22\nProcStop dt=18446744073709551616\n",
		   "line 2: '18446744073709551616' for 'dt' is not a number of 64 bits");
	text_gives("Trace Go1.22\nProcStop at=1\n", "line 2: expected argument 'dt', but got 'at'");
	text_gives("Trace Go1.22\nProcStop dt\n", "line 2: malformed argument 'dt'");
	text_gives("Trace Go1.22\nProcStop dt=1 # why\n",
		   "line 2: unexpected text at the end of the line: '# why'");
	text_gives("Trace Go1.22\nString id=1\ndata=\"x\n", "line 3: not a Go string: \"x");
	text_gives("Trace Go1.22\nStack id=1 nframes=1\n", "line 3: text ends inside a stack");
}

static void long_lines_pass(void)
{
	struct buf text = {0};
	size_t i;
	char *got;

	buf_printf(&text, "Trace Go1.23\nExperimentalBatch exp=1 gen=1 m=1 time=1\n\tdata=\"");
	for (i = 0; i < 400000; i++)
		buf_printf(&text, "\\x00");
	buf_printf(&text, "\"\n");
	buf_add_byte(&text, 0);
	got = there_and_back((char *)text.data);
	CHECK(!strcmp(got, (char *)text.data));
	free(got);
	buf_free(&text);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(quotes_as_go),
		UNIT(unquotes_as_go),
		UNIT(events_come_back),
		UNIT(what_go_allows_is_allowed),
		UNIT(what_go_lacks_is_allowed),
		UNIT(errors_name_the_line),
		UNIT(long_lines_pass),
		{0},
	});
}
