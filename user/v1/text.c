// SPDX-License-Identifier: Apache-2.0
/*
 * text: records of a v1 file come in, lines go out, in file order; the same
 * form as the v2 text (internal/trace/raw of Go): frames and bytes of strings
 * on lines of their own that begin with a tab.
 */
#include <errno.h>
#include <string.h>

#include "symbol/symbol.h"
#include "v1/record.h"
#include "v1/trace.h"

enum { MAX_INLINED = 64 };

#define LLU(x) ((unsigned long long)(x))

static void put_arg(FILE *out, const char *name, size_t len, uint64_t value)
{
	fprintf(out, " %.*s=%llu", (int)len, name, LLU(value));
}

static void put_args(FILE *out, const char *names, const uint64_t *values, size_t n)
{
	size_t i, len;

	for (i = 0; i < n; i++, names += len + 1) {
		len = strcspn(names, " ");
		put_arg(out, names, len, values[i]);
	}
}

static void put_quoted_byte(FILE *out, unsigned char c)
{
	switch (c) {
	case '"':
	case '\\':
		fprintf(out, "\\%c", c);
		break;
	case '\n':
		fputs("\\n", out);
		break;
	case '\r':
		fputs("\\r", out);
		break;
	case '\t':
		fputs("\\t", out);
		break;
	default:
		fprintf(out, c < 0x20 || c >= 0x7f ? "\\x%02x" : "%c", c);
	}
}

static void put_quoted(FILE *out, const char *name, const char *text, size_t n)
{
	size_t i;

	fprintf(out, "%s=\"", name);
	for (i = 0; i < n; i++)
		put_quoted_byte(out, (unsigned char)text[i]);
	fputc('"', out);
}

static void put_data(FILE *out, const struct v1_record *rec)
{
	put_quoted(out, "\tdata", (const char *)rec->data, rec->data_len);
	fputc('\n', out);
}

static void put_named(FILE *out, struct symbolizer *symbols, uint64_t pc)
{
	struct frame frames[MAX_INLINED];
	size_t i, n = symbolizer_stack(symbols, &pc, 1, 0, frames, MAX_INLINED);

	for (i = 0; i < n; i++) {
		fprintf(out, "\tpc=%llu", LLU(pc));
		put_quoted(out, " func", frames[i].func, strlen(frames[i].func));
		put_quoted(out, " file", frames[i].file, strlen(frames[i].file));
		fprintf(out, " line=%u\n", frames[i].line);
	}
}

static void put_frames(FILE *out, const struct v1_record *rec, unsigned int step,
		       struct symbolizer *symbols)
{
	const uint64_t *v;

	for (v = rec->values + 2; v < rec->values + rec->nvalues; v += step) {
		if (symbols) {
			put_named(out, symbols, v[0]);
			continue;
		}
		fprintf(out, "\tpc=%llu", LLU(v[0]));
		if (step == 4)
			fprintf(out, " func=%llu file=%llu line=%llu", LLU(v[1]), LLU(v[2]),
				LLU(v[3]));
		fputc('\n', out);
	}
}

static void put_record(FILE *out, const struct v1_reader *r, const struct v1_record *rec,
		       struct symbolizer *symbols)
{
	size_t nargs = r->format.nargs[rec->type];
	const uint64_t *v = rec->values;

	fputs(rec->spec->name, out);
	put_args(out, rec->ndeltas == 2 ? "dseq dt" : "dt", v, rec->ndeltas);
	put_args(out, rec->spec->args, v + rec->ndeltas, nargs);
	if (rec->spec->stack)
		put_arg(out, "stack", 5, v[rec->ndeltas + nargs]);
	fputc('\n', out);
	if (rec->type == V1_STACK)
		put_frames(out, rec, v1_frame_values(&r->format), symbols);
	if (rec->data)
		put_data(out, rec);
}

static int put_all(struct v1_reader *r, struct symbolizer *symbols, FILE *out,
		   struct error *err)
{
	struct v1_record rec;
	int ret;

	if (r->format.version == V1_GOTRACE)
		fputs("Trace gotrace\n", out);
	else
		fprintf(out, "Trace Go1.%d\n", r->format.version);
	while ((ret = v1_reader_next(r, &rec, err)) > 0)
		put_record(out, r, &rec, symbols);
	if (ferror(out))
		return error_set(err, -EIO, "cannot write the text: %s", strerror(errno));
	return ret;
}

int v1_text_named(const uint8_t *data, size_t n, const char *binary, FILE *out,
		  struct error *err)
{
	struct symbolizer *symbols = NULL;
	struct v1_reader r;
	int ret = v1_reader_init(&r, data, n, err);

	if (ret)
		return ret;
	if (binary && v1_pc_only(r.format.version))
		ret = symbolizer_open(&symbols, &(struct symbol_file){ .path = binary },
				      SYMBOL_PCLNTAB, err);
	if (!ret)
		ret = put_all(&r, symbols, out, err);
	symbolizer_free(symbols);
	v1_reader_release(&r);
	return ret;
}

int v1_text(const uint8_t *data, size_t n, FILE *out, struct error *err)
{
	return v1_text_named(data, n, NULL, out, err);
}
