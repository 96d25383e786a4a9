// SPDX-License-Identifier: Apache-2.0
/* assemble: `gotap assemble`: from the raw records of a spool file to a trace. */
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/leftover.h"
#include "cmd/output.h"
#include "cmd/parse.h"
#include "cmd/report.h"
#include "sched/assembler.h"
#include "stream/spool.h"
#include "symbol/symbol.h"
#include "target/gobin.h"

struct assemble_options {
	const char *spool, *output, *binary;
	int version;
	enum symbol_source symbols;
	bool json, quiet, strict, no_notes;
};

static const char help[] =
	"usage: gotap assemble [OPTION...] SPOOL\n"
	"\n"
	"Turns the raw records that `gotap record --spool` kept into the same trace,\n"
	"without root and without the process. SPOOL '-' is stdin.\n"
	"\n"
	"  -o, --output FILE     the trace; '-' is stdout (default trace.out)\n"
	"      --format VERSION  go1.22, go1.23, go1.25 (default) or go1.26; or what the tracers\n"
	"                        before wrote: go1.8, go1.11, go1.19 or go1.21\n"
	"      --binary FILE     the traced executable, where it is not at its old place\n"
	"      --symbols SOURCE  names from dwarf, pclntab, or auto (default)\n"
	"      --no-notes        leave out the log events of category gotap, which say at their\n"
	"                        time in the trace what is missing there\n"
	"      --strict          exit 1 if records were lost or the order was repaired\n"
	"      --json            report as JSON\n"
	"  -q, --quiet           no report\n";

enum { OPT_FORMAT = 256, OPT_BINARY, OPT_STRICT, OPT_JSON, OPT_SYMBOLS, OPT_NO_NOTES };

static const struct option long_options[] = {
	{ "output", required_argument, NULL, 'o' },
	{ "format", required_argument, NULL, OPT_FORMAT },
	{ "binary", required_argument, NULL, OPT_BINARY },
	{ "symbols", required_argument, NULL, OPT_SYMBOLS },
	{ "no-notes", no_argument, NULL, OPT_NO_NOTES },
	{ "strict", no_argument, NULL, OPT_STRICT },
	{ "json", no_argument, NULL, OPT_JSON },
	{ "quiet", no_argument, NULL, 'q' },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

static int read_options(struct assemble_options *o, int argc, char **argv)
{
	int c;

	*o = (struct assemble_options){ .output = "trace.out", .version = 25 };
	while ((c = getopt_long(argc, argv, ":o:qh", long_options, NULL)) != -1) {
		switch (c) {
		case 'o': o->output = optarg; break;
		case OPT_BINARY: o->binary = optarg; break;
		case OPT_NO_NOTES: o->no_notes = true; break;
		case OPT_STRICT: o->strict = true; break;
		case OPT_JSON: o->json = true; break;
		case 'q': o->quiet = true; break;
		case 'h':
			fputs(help, stdout);
			return EXIT_OK + 1;
		case OPT_FORMAT:
			if (parse_format(optarg, &o->version))
				break;
			return cmd_usage("assemble",
					 "--format takes " PARSE_FORMATS) + 1;
		case OPT_SYMBOLS:
			if (parse_symbols(optarg, &o->symbols))
				break;
			return cmd_usage("assemble",
					 "--symbols takes auto, dwarf or pclntab") + 1;
		default:
			return cmd_bad_option("assemble", c, argv) + 1;
		}
	}
	if (optind != argc - 1)
		return cmd_usage("assemble", "give one spool file") + 1;
	o->spool = argv[optind];
	return 0;
}

/* A file of the recorded process, whose names are wanted. */
struct wanted {
	const char *path, *build_id;
	uint64_t bias;
	const char *what, *hint;	/* for messages */
};

static int add_opened(struct symbolizer **s, const struct wanted *w, struct gobin *b,
		      const struct assemble_options *o, struct error *err)
{
	struct symbol_file file = { .path = w->path, .bias = w->bias,
				    .dwarf = dwarf_isolated_new };

	if (strcmp(gobin_build_id(b), w->build_id))
		return error_set(err, -1, "'%s' is not the %s that was recorded: its build id "
				 "differs%s", w->path, w->what, w->hint);
	gobin_find_debug(b, NULL, o->symbols == SYMBOL_DWARF);
	file.debug = gobin_debug_file(b);
	return *s ? symbolizer_add(*s, &file, o->symbols, err) :
		    symbolizer_open(s, &file, o->symbols, err);
}

/* Names must come from the very file that ran. */
static int add_file(struct symbolizer **s, const struct wanted *w,
		    const struct assemble_options *o, struct error *err)
{
	struct gobin *b = NULL;
	int r = gobin_open(&b, w->path, err);

	if (r)
		return error_prefix(err, "no names without the %s%s", w->what, w->hint);
	r = add_opened(s, w, b, o, err);
	gobin_free(b);
	return r;
}

static int open_symbols(struct symbolizer **ret, const struct assemble_options *o,
			const struct capture_info *info, struct error *err)
{
	struct wanted program = { o->binary ? o->binary : info->exe, info->build_id, info->bias,
				  "executable", " (see --binary)" };
	int r = add_file(ret, &program, o, err);
	uint32_t i;

	for (i = 0; i < info->n_plugins && !r; i++) {
		const struct capture_plugin *p = &info->plugins[i];
		struct wanted plugin = { p->path, p->build_id, p->bias, "plugin", "" };

		r = add_file(ret, &plugin, o, err);
	}
	return r;
}

static int feed(struct assembler *a, struct spool_reader *in, struct error *err)
{
	struct chunk c = {0};
	int r;

	while ((r = spool_read(in, &c, err)) > 0) {
		r = assembler_chunk(a, &c, err);
		if (r)
			break;
	}
	chunk_free(&c);
	return r;
}

static bool report(const struct assemble_options *o, const struct assembler *a,
		   const struct capture_info *info, const char *output)
{
	struct assembler_result *res = calloc(1, sizeof(*res));
	struct report rep = { .info = info, .result = res, .output = output };
	bool flawless;

	if (!res)
		return false;
	assembler_result(a, res);
	if (o->json)
		report_json(&rep, stderr);
	else if (!o->quiet)
		report_print(&rep, stderr);
	flawless = report_flawless(&rep);
	if (o->strict && !flawless && !o->json)
		report_print_flaws(&rep, o->quiet, stderr);
	free(res);
	return flawless;
}

static int open_output(struct output *out, const struct assemble_options *o, struct error *err)
{
	int r = output_open(out, o->output, OUTPUT_BINARY, err);

	if (!r && (strcmp(o->spool, "-") ? output_is_file(out, o->spool) : output_is(out, STDIN_FILENO)))
		r = error_set(err, -EINVAL, "'%s' is input and output", o->output);
	if (!r && out->leftover)
		leftover_tell(out->leftover);
	return r ? r : output_begin(out, err);
}

/* The generations that were written before a fault are a trace, if there is one. */
static bool has_trace(const struct assembler *a)
{
	return a && assembler_has_trace(a);
}

static int assemble(const struct assemble_options *o, struct spool_reader *in,
		    const struct capture_info *info, struct error *err)
{
	struct assembler_opts opts = { .version = o->version, .info = info,
				       .no_notes = o->no_notes };
	struct assembler *a = NULL;
	struct symbolizer *symbols = NULL;
	struct output out = OUTPUT_CLOSED;
	bool flawless = false;
	struct error damage;
	int r = 0, cut = 0;

	if (info->stack_depth)
		r = open_symbols(&symbols, o, info, err);
	opts.symbols = symbols;
	if (!r)
		r = open_output(&out, o, err);
	opts.output = out.path;
	if (!r)
		r = assembler_new(&a, out.fd, &opts, err);
	if (!r)
		cut = feed(a, in, &damage);	/* what came before a cut is a trace all the same */
	if (!r)
		r = assembler_finish(a, err);
	if (output_close(&out, has_trace(a), r ? NULL : err))
		r = r ? r : err->code;
	if (!r)
		flawless = report(o, a, info, o->output);
	assembler_free(a);
	symbolizer_free(symbols);
	if (r || cut)
		return cmd_fail(r ? err : &damage);
	return o->strict && !flawless ? EXIT_FAIL : EXIT_OK;
}

int cmd_assemble(int argc, char **argv)
{
	struct assemble_options o;
	struct capture_info *info = calloc(1, sizeof(*info));
	struct spool_reader *in = NULL;
	struct error err = {0};
	int status = read_options(&o, argc, argv);

	if (status)
		status--;
	else if (!info || leftover_spool_open(&in, o.spool, info, &err))
		status = cmd_fail(&err);
	else
		status = assemble(&o, in, info, &err);
	spool_close(in);
	free(info);
	return status;
}
