// SPDX-License-Identifier: Apache-2.0
/*
 * v1_text: a v1 trace as text and back, byte for byte: every record of every format, every form
 * that a record can have in a file, and what is wrong with a text.
 */
#include "../v1/make.h"
#include "unit.h"

#include "v1/format.h"
#include "v1/text.h"
#include "v1/text_form.h"

static const int versions[] = { V1_GOTRACE, 5, 7, 8, 9, 10, 11, 19, 21 };

enum { VERSIONS = sizeof(versions) / sizeof(*versions) };

/* The bytes or, with a NUL behind them, the error. */
static bool to_wire(const char *text, struct buf *out)
{
	struct raw_source source;
	struct raw_sink sink;
	struct error err;
	bool ok;

	source_open_memory(&source, text, strlen(text));
	sink_open(&sink, -1, NULL);
	ok = !v1_wire_write(&source, &sink, &err);
	if (!ok) {
		sink.buf.len = 0;
		buf_add(&sink.buf, err.text, strlen(err.text) + 1);
	}
	*out = sink.buf;
	return ok;
}

static bool to_text(const uint8_t *data, size_t n, struct buf *out)
{
	struct raw_sink sink;
	struct error err;
	bool ok;

	sink_open(&sink, -1, NULL);
	ok = !v1_text(data, n, NULL, &sink, &err);
	if (!ok) {
		sink.buf.len = 0;
		buf_add(&sink.buf, err.text, strlen(err.text));
	}
	buf_add_byte(&sink.buf, 0);
	*out = sink.buf;
	return ok;
}

/* The bytes give @text, and that gives the bytes. */
static void both_ways(const uint8_t *data, size_t n, const char *text)
{
	struct buf wire, back;

	to_text(data, n, &back);
	CHECK_STR((char *)back.data, text);
	if (!to_wire((char *)back.data, &wire))
		CHECK_STR((char *)wire.data, "bytes");
	CHECK(wire.len == n && !memcmp(wire.data, data, n));
	buf_free(&wire);
	buf_free(&back);
}

/* --- every record --- */

struct record_row {
	const char *name;	/* of the newest format */
	unsigned int type;
};

static void add_header(struct buf *text, int version)
{
	if (version == V1_GOTRACE)
		buf_printf(text, "Trace gotrace\n");
	else
		buf_printf(text, "Trace Go1.%d\n", version);
}

/* A line with numbers of all sizes, and what follows it. */
static void add_record(struct buf *text, const struct v1_format *f, const struct v1_text_names *names,
		       unsigned int type)
{
	const char *name = names->of[type];
	uint64_t value = 1;

	buf_printf(text, "%s", f->spec[type]->name);
	for (; *name; value = value * 130 + 1) {
		int n = (int)strcspn(name, " ");

		buf_printf(text, " %.*s=%llu", n, name,
			   type == V1_STACK && *name == 'n' ? 2ULL : (unsigned long long)value);
		name += n + (name[n] == ' ');
	}
	buf_add_byte(text, '\n');
	if (type == V1_STACK && v1_pc_only(f->version))
		buf_printf(text, "\tpc=18446744073709551615\n\tpc=4096\n");
	else if (type == V1_STACK)
		buf_printf(text, "\tpc=18446744073709551615 func=1 file=2 line=300\n"
			   "\tpc=4096 func=0 file=0 line=0\n");
	if (type == V1_STRING || type == V1_LOG)
		buf_printf(text, "\tdata=\"\xc3\xa9 \\xff\\x00\\\"\\t\"\n");
}

/* In each format that has it. */
static void record_type(const void *row)
{
	unsigned int type = ((const struct record_row *)row)->type;
	struct v1_text_names names;
	struct v1_format f;
	int i, n = 0;

	for (i = 0; i < VERSIONS; i++) {
		struct buf text = {0}, wire, back;

		v1_format_init(&f, versions[i]);
		v1_text_names_init(&names, &f);
		if (!f.spec[type])
			continue;
		add_header(&text, versions[i]);
		add_record(&text, &f, &names, type);
		buf_add_byte(&text, 0);
		n++;
		if (!to_wire((char *)text.data, &wire))
			CHECK_STR((char *)wire.data, (char *)text.data);
		to_text(wire.data, wire.len, &back);
		CHECK_STR((char *)back.data, (char *)text.data);
		buf_free(&wire);
		buf_free(&back);
		buf_free(&text);
	}
	CHECK(n > 0);
}

/* --- forms that no tracer writes, or not all of them --- */

static const struct form_row {
	const char *name;
	int version;
	const char *made;	/* see make.h */
	const char *text;	/* without the header */
} forms[] = {
	{ "a number that takes more bytes than it needs", 11, "hex 66 01 85 00", "GoStartLocal dt=1 g=5/2\n" },
	{ "a number of ten bytes", 11, "hex 06 85 80 80 80 80 80 80 80 80 00", "ProcStop dt=5/10\n" },
	{ "a number of ten bytes that needs them", 11, "hex 06 ff ff ff ff ff ff ff ff ff 01",
	  "ProcStop dt=18446744073709551615\n" },
	{ "few numbers by their length", 11, "hex c6 01 05", "ProcStop dt=5 k=3\n" },
	{ "few numbers by a long length", 11, "hex c6 81 00 05", "ProcStop dt=5 k=3 L=1/2\n" },
	{ "a stack by a length of ten bytes, as Go 1.21 has it", 21,
	  "hex c3 86 80 80 80 80 80 80 80 80 00 01 01 02 03 04 05",
	  "Stack id=1 n=1 L=6/10\n\tpc=2 func=3 file=4 line=5\n" },
	{ "an empty stack by its count", 11, "hex 43 07 00", "Stack id=7 n=0 k=1\n" },
	{ "a stack of one frame by its count", 5, "hex 43 07 01 09", "Stack id=7 n=1 k=1\n\tpc=9\n" },
	{ "a frame's numbers take more bytes", 11, "hex c3 08 01 01 82 00 03 84 00 05",
	  "Stack id=1 n=1\n\tpc=2/2 func=3 file=4/2 line=5\n" },
	{ "the code of a String is free", 11, "hex e5 01 01 78", "String id=1 k=3\n\tdata=\"x\"\n" },
	{ "an id and a length of a String take more bytes", 11, "hex 25 81 00 81 80 00 78",
	  "String id=1/2 len=1/3\n\tdata=\"x\"\n" },
	{ "a log's text is empty", 11, "UserLog 1 2 3 \"\"", "UserLog dt=1 task=1 key=2 stack=3\n\tdata=\"\"\n" },
	{ "a log's length takes more bytes", 11, "hex f0 04 01 01 02 03 80 00",
	  "UserLog dt=1 task=1 key=2 stack=3 len=0/2\n\tdata=\"\"\n" },
	{ "a record of 1.5 has two deltas", 5, "hex 06 01 02", "ProcStop dseq=1 dt=2\n" },
	{ "a record of 1.5 by its length", 5, "hex c6 02 01 02", "ProcStop dseq=1 dt=2 k=3\n" },
	{ "Frequency before the events", 7, "Frequency 5; Batch 0 1; ProcStop",
	  "Frequency freq=5\nBatch p=0 ticks=1\nProcStop dt=1\n" },
	{ "Frequency in the middle", 7, "Batch 0 1; ProcStop; Frequency 5; ProcStop",
	  "Batch p=0 ticks=1\nProcStop dt=1\nFrequency freq=5\nProcStop dt=1\n" },
	{ "batches of one P", 7, "Batch 0 1; Batch 0 1", "Batch p=0 ticks=1\nBatch p=0 ticks=1\n" },
};

static void form(const void *row)
{
	const struct form_row *r = row;
	struct make m = make_trace(r->version, r->made);
	struct buf text = {0};

	add_header(&text, r->version);
	buf_add(&text, r->text, strlen(r->text) + 1);
	both_ways(m.data, m.len, (char *)text.data);
	buf_free(&text);
	free(m.data);
}

/* --- texts that somebody writes --- */

static const struct text_row {
	const char *name;
	const char *text;
	const char *gives;	/* text again, or the error */
} texts[] = {
	{ "comments, blank lines, tabs and CR",
	  "\n# x\nTrace\tGo1.11 \r\n\n Batch\tp=0 ticks=1\r\n#\nString id=1\n\n# y\n data = `a`\n",
	  "Trace Go1.11\nBatch p=0 ticks=1\nString id=1\n\tdata=\"a\"\n" },
	{ "numbers with a sign", "Trace Go1.11\nBatch p=-1 ticks=1\nStack id=1 n=1\npc=-1 func=0 file=0 line=-2\n",
	  "Trace Go1.11\nBatch p=18446744073709551615 ticks=1\nStack id=1 n=1\n"
	  "\tpc=18446744073709551615 func=0 file=0 line=18446744073709551614\n" },
	{ "nframes as in the text of v2", "Trace Go1.5\nStack id=1 nframes=1\npc=1\n",
	  "Trace Go1.5\nStack id=1 n=1\n\tpc=1\n" },
	{ "names of frames that hold addresses only are skipped",
	  "Trace Go1.5\nStack id=1 n=1\npc=1 func=\"f\" file=\"f.go\" line=1\n# inlined into func=\"g\"\n",
	  "Trace Go1.5\nStack id=1 n=1\n\tpc=1\n" },
	{ "no line of data", "Trace Go1.11\nUserLog dt=1 task=1 key=2 stack=3\nProcStop dt=1\n",
	  "line 3: expected data=\"...\", but got 'ProcStop dt=1'" },
	{ "no line of data at the end", "Trace Go1.11\nString id=1\n",
	  "line 3: text ends where data=\"...\" is to be" },
	{ "numbers behind the frames of before 1.5", "Trace gotrace\nStack id=1 n=1\n\tpc=1\n\tpc=2\n\tpc=3\nProcStop dt=1\n",
	  "Trace gotrace\nStack id=1 n=1\n\tpc=1\n\tpc=2\n\tpc=3\nProcStop dt=1\n" },
	{ "the same of 1.5", "Trace Go1.5\nStack id=1 n=1\n\tpc=1\n\tpc=2\n", "line 4: unidentified event: pc=2" },
	{ "the trace of an archive", "x\n-- trace --\nTrace Go1.11\nBatch p=0 ticks=1\n-- y --\n",
	  "Trace Go1.11\nBatch p=0 ticks=1\n" },
	{ "a form that is that of tracers", "Trace Go1.11\nProcStop dt=5/1 k=0\n", "Trace Go1.11\nProcStop dt=5\n" },
	{ "a v2 trace", "Trace Go1.22\nProcStop dt=5\n", NULL },
	{ "a header of no version", "Trace Go1.6\n", "line 1: unknown or unsupported Go version 1.6" },
	{ "a header of none", "Trace gotrac\n", "line 1: expected 'Trace Go1.NN'" },
	{ "an event of later formats", "Trace Go1.10\nUserTaskEnd dt=1 task=1 stack=0\n",
	  "line 2: unidentified event: UserTaskEnd" },
	{ "a name of other formats", "Trace Go1.21\nNextGC dt=1 bytes=1\n", "line 2: unidentified event: NextGC" },
	{ "an argument is missing", "Trace Go1.11\nProcStart dt=1\n", "line 2: argument 'thread' is missing" },
	{ "an argument of other formats", "Trace gotrace\nProcStart dt=1 thread=2\n",
	  "line 2: unexpected text at the end of the line: 'thread=2'" },
	{ "another argument", "Trace Go1.11\nProcStart dt=1 m=2\n", "line 2: expected argument 'thread', but got 'm'" },
	{ "no argument", "Trace Go1.11\nProcStart dt\n", "line 2: malformed argument 'dt'" },
	{ "no number", "Trace Go1.11\nProcStop dt=x\n", "line 2: 'x' for 'dt' is not a number of 64 bits" },
	{ "a number of too few bytes", "Trace Go1.11\nProcStop dt=300/1\n",
	  "line 2: '300/1' for 'dt' is not a number of 64 bits" },
	{ "a number of too many bytes", "Trace Go1.11\nProcStop dt=3/11\n",
	  "line 2: '3/11' for 'dt' is not a number of 64 bits" },
	{ "a number of no bytes", "Trace Go1.11\nProcStop dt=3/\n", "line 2: '3/' for 'dt' is not a number of 64 bits" },
	{ "a comment behind a record", "Trace Go1.11\nProcStop dt=3 # x\n",
	  "line 2: unexpected text at the end of the line: '# x'" },
	{ "a code that does not fit", "Trace Go1.11\nProcStop dt=3 k=1\n", "line 2: k=1 is for 2 numbers, but there are 1" },
	{ "a code that is none", "Trace Go1.11\nProcStop dt=3 k=4\n", "line 2: k is a number from 0 to 3, not 4" },
	{ "a length that is wrong", "Trace Go1.11\nProcStop dt=3 k=3 L=2\n", "line 2: the length of the numbers is 1, not 2" },
	{ "a length without a code", "Trace Go1.11\nProcStop dt=3 L=1\n", "line 2: L is for records with k=3" },
	{ "a text's length without a text", "Trace Go1.11\nProcStop dt=3 len=1\n", "line 2: len is for records with a text" },
	{ "a text's length that is wrong", "Trace Go1.11\nString id=1 len=2\ndata=\"x\"\n",
	  "line 3: the length of the text is 1, not 2" },
	{ "a form twice", "Trace Go1.11\nProcStop dt=3 k=3 k=3\n",
	  "line 2: unexpected text at the end of the line: 'k=3'" },
	{ "the id 0", "Trace Go1.11\nString id=0\ndata=\"x\"\n", "line 3: a String needs an id that is not 0" },
	{ "an empty String", "Trace Go1.11\nString id=1\ndata=\"\"\n",
	  "line 3: a String needs data=\"...\", which is not empty" },
	{ "no string", "Trace Go1.11\nString id=1\ndata=x\n", "line 3: not a Go string: x" },
	{ "too many frames", "Trace Go1.11\nStack id=1 n=1001\n", "line 2: a stack has at most 1000 frames, not 1001" },
	{ "too few frames", "Trace Go1.11\nStack id=1 n=1\n", "line 3: text ends inside a stack" },
	{ "a frame of addresses", "Trace Go1.11\nStack id=1 n=1\npc=1\n", "line 3: argument 'func' is missing" },
	{ "more behind a frame", "Trace Go1.11\nStack id=1 n=1\npc=1 func=1 file=1 line=1 x=1\n",
	  "line 3: unexpected text at the end of the line: 'x=1'" },
};

static void written_text(const void *row)
{
	const struct text_row *r = row;
	struct buf wire, back;

	if (!to_wire(r->text, &wire)) {
		CHECK_STR((char *)wire.data, r->gives);
	} else if (r->gives) {
		to_text(wire.data, wire.len, &back);
		CHECK_STR((char *)back.data, r->gives);
		buf_free(&back);
	} else {
		CHECK(!memcmp(wire.data, "go 1.22 trace", 13));
	}
	buf_free(&wire);
}

int main(void)
{
	static struct record_row records[V1_TYPES];
	static struct unit_case cases[V1_TYPES + 100];
	struct v1_format f;
	unsigned int type, n = 0;

	v1_format_init(&f, 21);
	for (type = 0; type < V1_TYPES; type++)
		if (f.spec[type])
			records[n++] = (struct record_row){ f.spec[type]->name, type };
	unit_rows(cases, records, n, sizeof(*records), record_type);
	UNIT_ROWS(cases, forms, form);
	UNIT_ROWS(cases, texts, written_text);
	return unit_main(cases);
}
