// SPDX-License-Identifier: Apache-2.0
/* records: `gotap records`: the raw records of a spool file as text, in the order in which the model takes them. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/vec.h"
#include "cmd/cmd.h"
#include "files/leftover.h"
#include "stream/merge.h"
#include "stream/record_text.h"
#include "stream/spool.h"

static const char help[] =
	"usage: gotap records SPOOL\n"
	"\n"
	"Prints the raw records that `gotap record --spool` kept, one a line, in order of\n"
	"time: nanoseconds of CLOCK_MONOTONIC, thread, kind, and its words by name. What\n"
	"each means is in include/record.def. SPOOL '-' is stdin.\n"
	"\n"
	"  -h, --help  show this\n";

struct printer {
	struct buf line;
	int minor;
};

static void print_record(struct printer *p, const struct rec *r)
{
	p->line.len = 0;
	record_text(&p->line, r, p->minor);
	buf_add_byte(&p->line, '\n');
	fwrite(p->line.data, 1, p->line.len, stdout);
}

static void print_records(struct printer *p, struct merge *m)
{
	const struct rec *r;

	while ((r = merge_next(m)))
		print_record(p, r);
}

/* The records before a damaged place are printed all the same. */
static int print_all(struct printer *p, struct spool_reader *in, struct error *err)
{
	struct merge *m = merge_new();
	struct chunk c = {0};
	int r = 0;

	while (!r && (r = spool_read(in, &c, err)) > 0) {
		r = merge_add(m, &c, err);
		print_records(p, m);
	}
	merge_finish(m);
	print_records(p, m);
	merge_free(m);
	chunk_free(&c);
	return r;
}

static int print_spool(const char *path, struct error *err)
{
	struct capture_info *info = xcalloc(1, sizeof(*info));
	struct spool_reader *in = NULL;
	struct printer p = {0};
	int r = leftover_spool_open(&in, path, info, err);

	if (!r) {
		p.minor = (int)info->go_minor;
		r = print_all(&p, in, err);
	}
	spool_close(in);
	buf_free(&p.line);
	free(info);
	return r;
}

int cmd_records(int argc, char **argv)
{
	static const struct option options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	struct error err = {0};
	int opt;

	while ((opt = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
		if (opt != 'h')
			return cmd_bad_option("records", opt, argv);
		fputs(help, stdout);
		return EXIT_OK;
	}
	if (optind != argc - 1)
		return cmd_usage("records", "give one spool file");
	return print_spool(argv[optind], &err) ? cmd_fail(&err) : EXIT_OK;
}
