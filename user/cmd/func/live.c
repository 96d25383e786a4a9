// SPDX-License-Identifier: Apache-2.0
/*
 * live: the recording of `gotap func`, and the numbers that a terminal shows meanwhile. The
 * thread that makes the trace draws them, and skips a frame that the terminal would not take at
 * once.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/show.h"
#include "base/temp_file.h"
#include "calls/live.h"
#include "cmd/cmd.h"
#include "cmd/func/func.h"
#include "cmd/record/record.h"

enum { FRAME_NS = 500000000 };

struct func_live {
	const struct func_options *o;
	struct calls_live *calls;	/* NULL: nothing is shown */
	uint64_t began, drawn;		/* ns; 0: no event, no frame yet */
	unsigned int lines;		/* of the frame on the terminal */
	int fd;				/* gets the trace; -1: a file of the user's does */
	long long bytes;
	struct error failed;		/* of a write; code 0: none */
};

static bool func_terminal_takes(void)
{
	struct pollfd p = { .fd = STDOUT_FILENO, .events = POLLOUT };

	return poll(&p, 1, 0) == 1 && p.revents & POLLOUT;
}

static unsigned int func_count_lines(const char *text)
{
	unsigned int n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

/* Replaces the frame that is there; an empty @text removes it. */
static void func_draw(struct func_live *l, const char *text)
{
	if (l->lines)
		printf("\033[%uA\r\033[J", l->lines);
	fputs(text, stdout);
	fflush(stdout);
	l->lines = func_count_lines(text);
}

static void func_live_seen(void *ctx, uint64_t time)
{
	struct func_live *l = ctx;
	uint64_t now = now_ns();
	char *text = NULL;
	size_t n = 0;
	FILE *f;

	if (!l->began)
		l->began = now;
	if (now - l->drawn < FRAME_NS || !func_terminal_takes())
		return;
	f = open_memstream(&text, &n);
	if (!f)
		return;
	l->drawn = now;
	show_printf(f, "%s, so far; Ctrl-C ends it\n", l->o->function);
	func_put_dist(f, calls_live_dist(l->calls), calls_live_left(l->calls),
		      (double)(now - l->began) / 1e9);
	fclose(f);
	func_draw(l, text);
	free(text);
}

/* --- the trace --- */

static void func_written(void *ctx, const struct tracefile_generation *g)
{
	struct func_live *l = ctx;
	size_t i;

	for (i = 0; i < 2 && !l->failed.code; i++) {
		if (temp_file_write(l->fd, g->parts[i].data, g->parts[i].n, l->bytes, &l->failed))
			return;
		l->bytes += (long long)g->parts[i].n;
	}
}

static void func_observe(void *ctx, struct observers *to)
{
	static const struct observer_ops ops = { .written = func_written };
	struct func_live *l = ctx;

	if (l->fd >= 0)
		observers_add(to, &ops, l);
	if (l->calls)
		calls_live_observe(l->calls, to);
}

static void func_say_price(void *ctx, double ns)
{
	fprintf(stderr, "gotap: a call costs the program up to %.1f us more while it is recorded\n",
		ns / 1e3);
}

int func_record(struct func_options *o, int *fd)
{
	struct func_live l = { .o = o, .fd = -1 };
	struct error err = {0};
	int status;

	l.fd = o->output ? -1 : temp_file_open(&err);
	if (!o->output && l.fd < 0)
		return cmd_fail(&err);
	if (!o->json && isatty(STDOUT_FILENO))
		l.calls = calls_live_new(&(struct calls_live_opts){
			.pattern = o->function, .seen = func_live_seen, .ctx = &l });
	o->record.regions[o->record.nregions++] = o->function;
	o->record.output = o->output ? o->output : BESIDE_NOWHERE;
	o->record.quiet = true;
	o->record.capture.said_price = o->json ? NULL : func_say_price;
	o->record.observe = func_observe;
	o->record.observe_ctx = &l;
	status = record_run(&o->record);
	func_draw(&l, "");
	calls_live_free(l.calls);
	*fd = l.fd;
	return !status && l.failed.code ? cmd_fail(&l.failed) : status;
}
