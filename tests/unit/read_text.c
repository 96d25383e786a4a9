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
	/* An empty string has its data line, too. */
	text_gives("Trace Go1.22\nString id=5\n\tdata=\"\"\nString id=6\n\tdata=\"x\"\n",
		   "Trace Go1.22\nString id=5\n\tdata=\"\"\nString id=6\n\tdata=\"x\"\n");
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

/* What the text form's description says, one statement a row (package comment and textreader.go of Go's raw). */
static const struct statement {
	const char *says, *text, *gives;
} statements[] = {
	{ "blank lines may stand before the header and between events",
	  "\n \nTrace Go1.22\n\nProcStop dt=1\n\n", "Trace Go1.22\nProcStop dt=1\n" },
	{ "a line whose first character that is no space is # is a comment",
	  "# a\nTrace Go1.22\n\t # b\nProcStop dt=1\n#\n", "Trace Go1.22\nProcStop dt=1\n" },
	{ "a comment may stand between a String and its data",
	  "Trace Go1.22\nString id=1\n# c\n\tdata=\"x\"\n", "Trace Go1.22\nString id=1\n\tdata=\"x\"\n" },
	{ "a comment may stand between a Stack and its frames",
	  "Trace Go1.22\nStack id=1 nframes=1\n# c\n\tpc=1 func=2 file=3 line=4\n",
	  "Trace Go1.22\nStack id=1 nframes=1\n\tpc=1 func=2 file=3 line=4\n" },
	{ "a comment behind the header is an error",
	  "Trace Go1.22 # x\n", "line 1: unexpected text at the end of the header" },
	{ "a comment behind an event is an error", "Trace Go1.22\nProcStop dt=1 # x\n",
	  "line 2: unexpected text at the end of the line: '# x'" },
	{ "the header is Trace and Go1.NN", "Trace go1.22\n", "line 1: expected 'Trace Go1.NN'" },
	{ "nothing else stands in the header's line", "Trace Go1.22 x\n",
	  "line 1: unexpected text at the end of the header" },
	{ "white space may stand behind the header", "Trace Go1.22 \t\n", "Trace Go1.22\n" },
	{ "version 22 is known", "Trace Go1.22\n", "Trace Go1.22\n" },
	{ "version 23 is known", "Trace Go1.23\n", "Trace Go1.23\n" },
	{ "version 24 is not", "Trace Go1.24\n", "line 1: unknown or unsupported Go version 1.24" },
	{ "version 25 is known", "Trace Go1.25\n", "Trace Go1.25\n" },
	{ "version 26 is known", "Trace Go1.26\n", "Trace Go1.26\n" },
	{ "version 27 is not", "Trace Go1.27\n", "line 1: unknown or unsupported Go version 1.27" },
	{ "tabs separate tokens", "Trace\tGo1.22\n\tProcStop\tdt=1\t\n", "Trace Go1.22\nProcStop dt=1\n" },
	{ "all white space of Unicode separates tokens",
	  "Trace\xe3\x80\x80Go1.22\nProcStop\xc2\x85" "dt=1\n", "Trace Go1.22\nProcStop dt=1\n" },
	{ "lines may end with CR and LF", "Trace Go1.22\r\nProcStop dt=1\r\n", "Trace Go1.22\nProcStop dt=1\n" },
	{ "the last line needs no end", "Trace Go1.22\nProcStop dt=1", "Trace Go1.22\nProcStop dt=1\n" },
	{ "all arguments must stand there", "Trace Go1.22\nProcStart dt=1 p=2\n",
	  "line 2: argument 'p_seq' is missing" },
	{ "arguments stand in their order", "Trace Go1.22\nProcStart dt=1 p_seq=2 p=3\n",
	  "line 2: expected argument 'p', but got 'p_seq'" },
	{ "no other arguments stand there", "Trace Go1.22\nProcStop dt=1 p=3\n",
	  "line 2: unexpected text at the end of the line: 'p=3'" },
	{ "no space stands around the = of an argument", "Trace Go1.22\nProcStop dt =1\n",
	  "line 2: malformed argument 'dt'" },
	{ "numbers may begin with zeros", "Trace Go1.22\nProcStop dt=0001\n", "Trace Go1.22\nProcStop dt=1\n" },
	{ "the largest number has 64 bits", "Trace Go1.22\nProcStop dt=18446744073709551615\n",
	  "Trace Go1.22\nProcStop dt=18446744073709551615\n" },
	{ "arguments have no sign", "Trace Go1.22\nProcStop dt=-1\n",
	  "line 2: '-1' for 'dt' is not a number of 64 bits" },
	{ "arguments have no plus", "Trace Go1.22\nProcStop dt=+1\n",
	  "line 2: '+1' for 'dt' is not a number of 64 bits" },
	{ "numbers are not hexadecimal", "Trace Go1.22\nProcStop dt=0x1\n",
	  "line 2: '0x1' for 'dt' is not a number of 64 bits" },
	{ "numbers have no underscore", "Trace Go1.22\nProcStop dt=1_0\n",
	  "line 2: '1_0' for 'dt' is not a number of 64 bits" },
	{ "a number has digits", "Trace Go1.22\nProcStop dt=\n", "line 2: '' for 'dt' is not a number of 64 bits" },
	{ "numbers of frames are signed", "Trace Go1.22\nStack id=1 nframes=1\npc=-1 func=-0 file=3 line=-2\n",
	  "Trace Go1.22\nStack id=1 nframes=1\n\tpc=18446744073709551615 func=0 file=3 "
	  "line=18446744073709551614\n" },
	{ "the least number of a frame is that of 64 bits",
	  "Trace Go1.22\nStack id=1 nframes=1\npc=-9223372036854775808 func=2 file=3 line=4\n",
	  "Trace Go1.22\nStack id=1 nframes=1\n\tpc=9223372036854775808 func=2 file=3 line=4\n" },
	{ "a frame's number below that is an error",
	  "Trace Go1.22\nStack id=1 nframes=1\npc=-9223372036854775809 func=2 file=3 line=4\n",
	  "line 3: '-9223372036854775809' for 'pc' is not a number of 64 bits" },
	{ "a frame has four numbers", "Trace Go1.22\nStack id=1 nframes=1\npc=1 func=2 file=3\n",
	  "line 3: argument 'line' is missing" },
	{ "a stack without frames has no lines", "Trace Go1.22\nStack id=1 nframes=0\nProcStop dt=1\n",
	  "Trace Go1.22\nStack id=1 nframes=0\nProcStop dt=1\n" },
	{ "a stack may say n instead of nframes", "Trace Go1.22\nStack id=1 n=0\n",
	  "Trace Go1.22\nStack id=1 nframes=0\n" },
	{ "data is a string in double quotes", "Trace Go1.22\nString id=1\ndata=\"a\\n\"\n",
	  "Trace Go1.22\nString id=1\n\tdata=\"a\\n\"\n" },
	{ "data is a raw string", "Trace Go1.22\nString id=1\ndata=`a\\n`\n",
	  "Trace Go1.22\nString id=1\n\tdata=\"a\\\\n\"\n" },
	{ "data is one character", "Trace Go1.22\nString id=1\ndata='\xc3\xa9'\n",
	  "Trace Go1.22\nString id=1\n\tdata=\"\xc3\xa9\"\n" },
	{ "data may have bytes that are no text", "Trace Go1.22\nString id=1\ndata=\"\\xff\\x00\"\n",
	  "Trace Go1.22\nString id=1\n\tdata=\"\\xff\\x00\"\n" },
	{ "spaces may stand around the = of data", "Trace Go1.22\nString id=1\n data \t= \"x\"\n",
	  "Trace Go1.22\nString id=1\n\tdata=\"x\"\n" },
	{ "data may contain =", "Trace Go1.22\nString id=1\ndata=\"a=b\"\n",
	  "Trace Go1.22\nString id=1\n\tdata=\"a=b\"\n" },
	{ "data may contain #", "Trace Go1.22\nString id=1\ndata=\"#\"\n",
	  "Trace Go1.22\nString id=1\n\tdata=\"#\"\n" },
	{ "nothing follows the string of data", "Trace Go1.22\nString id=1\ndata=\"x\" y\n",
	  "line 3: not a Go string: \"x\" y" },
	{ "an empty String has a line of data", "Trace Go1.22\nString id=1\n data = \"\"\nProcStop dt=1\n",
	  "Trace Go1.22\nString id=1\n\tdata=\"\"\nProcStop dt=1\n" },
	{ "a String without its line of data is none", "Trace Go1.22\nString id=1\nProcStop dt=1\n",
	  "line 3: expected data=\"...\", but got 'ProcStop dt=1'" },
	{ "nor is one at the end of the text", "Trace Go1.22\nString id=1\n",
	  "line 3: text ends where data=\"...\" is to be" },
	{ "data of an experiment has its line", "Trace Go1.23\nExperimentalBatch exp=1 gen=1 m=2 time=3\n",
	  "line 3: text ends where data=\"...\" is to be" },
	{ "header 1.22 knows no events of 1.23", "Trace Go1.22\nGoSwitch dt=1 g=1 g_seq=1\n",
	  "line 2: unidentified event: GoSwitch" },
	{ "header 1.23 knows no events of 1.25", "Trace Go1.23\nSync\n", "line 2: unidentified event: Sync" },
	{ "header 1.25 knows no events of 1.26", "Trace Go1.25\nEndOfGeneration\n",
	  "line 2: unidentified event: EndOfGeneration" },
	/* Go 1.25's own text has them under its header, that of 1.26 no more. */
	{ "header 1.25 knows experiments", "Trace Go1.25\nSpan dt=1 id=2 npages_value=3 kindclass=4\n",
	  "Trace Go1.25\nSpan dt=1 id=2 npages_value=3 kindclass=4\n" },
	{ "data of an experiment has no length", "Trace Go1.26\nExperimentalBatch exp=1 gen=1 m=2 time=3\ndata=\"ab\"\n",
	  "Trace Go1.26\nExperimentalBatch exp=1 gen=1 m=2 time=3\n\tdata=\"ab\"\n" },
	{ "the size of a batch is taken as it stands", "Trace Go1.22\nEventBatch gen=1 m=0 time=0 size=99\nProcStop dt=1\n",
	  "Trace Go1.22\nEventBatch gen=1 m=0 time=0 size=99\nProcStop dt=1\n" },
};

static void statement(const void *row)
{
	const struct statement *s = row;

	text_gives(s->text, s->gives);
}

int main(void)
{
	struct unit_case cases[100] = {
		UNIT(quotes_as_go),
		UNIT(unquotes_as_go),
		UNIT(events_come_back),
		UNIT(what_go_allows_is_allowed),
		UNIT(what_go_lacks_is_allowed),
		UNIT(errors_name_the_line),
		UNIT(long_lines_pass),
	};

	UNIT_ROWS(cases, statements, statement);
	return unit_main(cases);
}
