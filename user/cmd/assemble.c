// SPDX-License-Identifier: Apache-2.0
/* assemble: `gotap assemble`: from the raw records of a spool file to a trace. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/record/on.h"
#include "files/beside.h"
#include "files/claims.h"
#include "files/leftover.h"
#include "files/old_format.h"
#include "files/output.h"
#include "cmd/options.h"
#include "cmd/record/report.h"
#include "files/thread_file.h"
#include "assemble/assembler.h"
#include "stream/spool.h"
#include "symbol/symbol.h"
#include "target/alloc_type.h"
#include "target/gobin.h"

struct assemble_options {
	const char *spool, *output, *perfetto, *binary;
	int version;
	enum symbol_source symbols;
	bool json, quiet, verbose, strict, no_notes;
	struct on_list on;
};

static const char *assemble_take_on(void *list, const char *arg)
{
	return on_add_kept(list, arg);
}

static const struct option_row assemble_rows[] = {
	OPTION('o', "output", "FILE", OPTION_TEXT, offsetof(struct assemble_options, output),
	  "the trace; '-' is stdout (default trace.out)"),
	OPTION(0, "perfetto", "FILE", OPTION_TEXT, offsetof(struct assemble_options, perfetto),
	  "write a trace for Perfetto, too, or only that if "
	  "there is no -o (docs/perfetto.md); '-' is stdout"),
	OPTION(0, "on", "TRIGGER", OPTION_TAKE, offsetof(struct assemble_options, on),
	  "print the moments at which `gotap record --flight "
	  "--on TRIGGER` would write a snapshot, as lines of "
	  "JSON; can be given several times; --on help lists triggers", .take = assemble_take_on),
	OPTION(0, "on-label", "KEY=VALUE", OPTION_TAKE,
	  offsetof(struct assemble_options, on.labels),
	  "of --on about goroutines and requests, those with this profiler label alone; * and "
	  "? in VALUE are as in a shell; several: all of them", .take = option_add_label),
	OPTION(0, "format", "VERSION", OPTION_TAKE, offsetof(struct assemble_options, version),
	  "go1.22, go1.23, go1.25 (default) or go1.26; or "
	  "what the tracers before wrote: gotrace (before "
	  "Go 1.5), go1.8, go1.11, go1.19 or go1.21", .take = option_take_format),
	OPTION(0, "binary", "FILE", OPTION_TEXT, offsetof(struct assemble_options, binary),
	  "the traced executable, where it is not at its old place"),
	OPTION(0, "symbols", "SOURCE", OPTION_TAKE, offsetof(struct assemble_options, symbols),
	  "names from dwarf, pclntab, or auto (default)", .take = option_take_symbols),
	OPTION(0, "no-notes", NULL, OPTION_FLAG, offsetof(struct assemble_options, no_notes),
	  "leave out the log events of category gotap, which "
	  "say at their time in the trace what is missing there"),
	OPTION(0, "strict", NULL, OPTION_FLAG, offsetof(struct assemble_options, strict),
	  "exit 1 if records were lost or the order was repaired"),
	OPTION(0, "json", NULL, OPTION_FLAG, offsetof(struct assemble_options, json),
	  "report as JSON"),
	OPTION('q', "quiet", NULL, OPTION_FLAG, offsetof(struct assemble_options, quiet),
	  "no report"),
	OPTION('v', "verbose", NULL, OPTION_FLAG, offsetof(struct assemble_options, verbose),
	  "report all counts: of each event, of what is missing and why"),
	{0},
};

static const char *assemble_check(void *options, char **operands)
{
	struct assemble_options *o = options;

	o->spool = operands[0];
	if (!o->output)
		o->output = o->perfetto ? BESIDE_NOWHERE : "trace.out";
	if (o->on.rules.len &&
	    (!strcmp(o->output, "-") || (o->perfetto && !strcmp(o->perfetto, "-"))))
		return "--on prints on stdout: give a file with -o";
	if (on_check(&o->on))
		return on_check(&o->on);
	if (o->perfetto && o->version < 22)
		return "--perfetto needs --format go1.22 or later: "
		       "the other formats are written when all is read";
	return NULL;
}

static const struct command_line assemble_line = {
	.name = "assemble",
	.usage = "gotap assemble [OPTION...] SPOOL",
	.about = "Turns the raw records that `gotap record --spool` kept into the same trace,\n"
		 "without root and without the process. SPOOL '-' is stdin.\n",
	.tables = { { assemble_rows, 0 } },
	.least = 1, .most = 1, .operands = "give one spool file",
	.check = assemble_check,
};

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
	int r = claims_input_file(w->path, err);

	if (r)
		return r;
	r = gobin_open(&b, w->path, err);
	if (r)
		return error_prefix(err, "no names without the %s%s", w->what, w->hint);
	r = add_opened(s, w, b, o, err);
	gobin_free(b);
	return r;
}

static int assemble_open_symbols(struct symbolizer **ret, const struct assemble_options *o,
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

/* The types of sampled allocations; without the file none is known. */
static void assemble_open_types(struct alloc_types *ret, struct gobin **b,
				const struct assemble_options *o, const struct capture_info *info)
{
	if (!gobin_open(b, o->binary ? o->binary : info->exe, NULL))
		*ret = (struct alloc_types){ *b, info->bias };
}

/* What is written: the Go trace, and from it the Perfetto trace. */
struct outputs {
	struct output trace, perfetto;
	struct old_format *old;	/* NULL: the Go trace is a v2 trace */
	struct beside *beside;
	uint64_t perfetto_bytes;
	struct thread_file threads;
};

/* An error of an old format is known when that is finished. */
static int feed(struct assembler *a, struct outputs *out, struct spool_reader *in,
		struct error *err)
{
	struct chunk c = {0};
	int r = 0;

	while (!old_format_failed(out->old) && (r = spool_read(in, &c, err)) > 0) {
		thread_file_clock(&out->threads, &c);
		r = assembler_chunk(a, &c, err);
		if (r)
			break;
	}
	chunk_free(&c);
	return r;
}

static bool assemble_report(const struct assemble_options *o, struct assembler *a,
		   const struct capture_info *info, const struct outputs *out)
{
	struct assembler_result *res = calloc(1, sizeof(*res));
	struct report rep = {
		.info = info,
		.result = res,
		.version = o->version,
		.old = old_format_result(out->old),
		.perfetto = o->perfetto,
		.perfetto_bytes = out->perfetto_bytes,
		.output = beside_alone(o->output, o->perfetto) ? o->perfetto : o->output,
		.threads = { assembler_threads(a), assembler_thread_sums(a), info->pid },
		.next = output_is_regular(&out->trace),
		.verbose = o->verbose,
	};
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

static int open_outputs(struct outputs *out, const struct assemble_options *o,
			const struct capture_info *info, struct error *err)
{
	int r = output_start(&out->trace, o->output, OUTPUT_BINARY, err);

	if (!r)
		r = thread_file_check_place(&out->trace, err);
	if (!r)
		r = old_format_start(&out->old, &out->trace, o->version, err);
	if (r || !o->perfetto)
		return r;
	r = output_start(&out->perfetto, o->perfetto, OUTPUT_BINARY, err);
	return r ? r : beside_start(&out->beside, &out->perfetto, info, err);
}

/* What was written before a fault is a trace, too; of an old format only if that could be ended. */
static bool assemble_has_trace(const struct outputs *out, const struct assembler *a)
{
	return out->old ? old_format_has_trace(out->old) : a && assembler_generations(a);
}

/* @r: an error that is known already, which is returned then. */
static int close_outputs(struct outputs *out, const struct assembler *a, int r, struct error *err)
{
	struct error late;
	bool keep;
	int p = old_format_finish(out->old, r ? &late : err);

	r = r ? r : p;
	keep = assemble_has_trace(out, a);
	p = beside_finish(out->beside, &out->perfetto_bytes, r ? &late : err);
	r = r ? r : p;
	if (output_close(&out->perfetto, keep && !p, r ? &late : err) && !r)
		r = err->code;
	if (thread_file_finish(&out->threads, keep, r ? &late : err) && !r)
		r = err->code;
	if (thread_file_close_trace(&out->threads, &out->trace, keep, r ? &late : err) && !r)
		r = err->code;
	return r;
}

/* Makes the assembler, with all that looks on. */
static int assemble_start_assembler(struct assembler **ret, const struct assemble_options *o,
				    struct outputs *out, struct triggers *on,
				    struct assembler_opts *opts, struct error *err)
{
	int r;

	opts->version = out->old ? OLD_FORMAT_FROM : o->version;
	opts->output = out->trace.path;
	old_format_observe(out->old, &opts->observers);
	if (out->beside)
		beside_observe(out->beside, &opts->observers);
	if (on)
		triggers_observe(on, &opts->observers);
	r = assembler_new(ret, out->old ? -1 : out->trace.fd, opts, err);
	if (r)
		return r;
	if (out->beside)
		beside_threads(out->beside, assembler_threads(*ret));
	if (on) {
		triggers_threads(on, assembler_threads(*ret));
		triggers_losses(on, &assembler_counts(*ret)->lost);
	}
	thread_file_try(&out->threads, &out->trace, assembler_threads(*ret), opts->info);
	return 0;
}

static int assemble(const struct assemble_options *o, struct spool_reader *in,
		    const struct capture_info *info, struct error *err)
{
	struct assembler_opts opts = { .info = info, .no_notes = o->no_notes };
	struct outputs out = { .trace = OUTPUT_CLOSED, .perfetto = OUTPUT_CLOSED,
			       .threads = THREAD_FILE_CLOSED };
	struct triggers *on = on_begin_print(&o->on, stdout);
	struct assembler *a = NULL;
	struct symbolizer *symbols = NULL;
	struct alloc_types types = {0};
	struct gobin *bin = NULL;
	bool flawless = false;
	struct error damage;
	int r = 0, cut = 0;

	if (info->stack_depth)
		r = assemble_open_symbols(&symbols, o, info, err);
	opts.symbols = symbols;
	if (symbols && !r)
		assemble_open_types(&types, &bin, o, info);
	opts.alloc_type = bin ? alloc_type_name : NULL;
	opts.types = &types;
	if (!r)
		r = open_outputs(&out, o, info, err);
	if (!r)
		r = assemble_start_assembler(&a, o, &out, on, &opts, err);
	if (!r)
		/* what came before a cut is a trace all the same */
		cut = feed(a, &out, in, &damage);
	if (!r)
		r = assembler_finish(a, err);
	if (on)
		triggers_finish(on);
	r = close_outputs(&out, a, r, err);
	if (!r)
		flawless = assemble_report(o, a, info, &out);
	assembler_free(a);
	old_format_free(out.old);
	triggers_free(on);
	symbolizer_free(symbols);
	gobin_free(bin);
	if (r || cut)
		return cmd_fail(r ? err : &damage);
	return o->strict && !flawless ? EXIT_FAIL : EXIT_OK;
}

int cmd_assemble(int argc, char **argv)
{
	struct assemble_options o = { .version = 25 };
	struct capture_info *info = calloc(1, sizeof(*info));
	struct spool_reader *in = NULL;
	struct error err = {0};
	int status = command_line_read(&assemble_line, &o, argc, argv);

	if (status)
		status--;
	else if (!info || leftover_spool_open(&in, o.spool, info, &err))
		status = cmd_fail(&err);
	else
		status = assemble(&o, in, info, &err);
	spool_close(in);
	free(info);
	on_free(&o.on);
	return status;
}
