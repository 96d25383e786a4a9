// SPDX-License-Identifier: Apache-2.0
/*
 * records: `gotap records`: the raw records of a spool file as text, in the order in which the
 * model takes them.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/vec.h"
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "files/leftover.h"
#include "stream/merge.h"
#include "stream/record_text.h"
#include "stream/spool.h"

static const struct command_line records_line = {
	.name = "records",
	.usage = "gotap records SPOOL",
	.about =
		"Prints the raw records that `gotap record --spool` kept, one a line, in order of\n"
		"time: nanoseconds of CLOCK_MONOTONIC, thread, kind, and its words by name. What\n"
		"each means is in include/record.def. SPOOL '-' is stdin.\n",
	.least = 1, .most = 1, .operands = "give one spool file",
};

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
	struct error err = {0};
	int status = command_line_read(&records_line, NULL, argc, argv);

	if (status)
		return status - 1;
	return print_spool(argv[optind], &err) ? cmd_fail(&err) : EXIT_OK;
}
