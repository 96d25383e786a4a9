// SPDX-License-Identifier: Apache-2.0
/*
 * goroutine_times: where does the time of each goroutine go? Reads a Go
 * execution trace of any release and prints a line for each goroutine: how
 * long it ran, was ready to run, waited and was in system calls, in ms.
 *
 *	cc -o goroutine_times goroutine_times.c $(pkg-config --cflags --libs gotap)
 *	./goroutine_times trace.out
 */
#include <gotap/reader.h>

#include <stdio.h>
#include <stdlib.h>

struct goroutine {
	uint64_t id;
	int64_t since;			/* when it came into the state it is in */
	int64_t in[GOTAP_GO_STATES];	/* ns */
	unsigned int state;		/* an index into it */
	char what[80];			/* the function it began with */
};

static struct goroutine *goroutines;
static size_t len, cap;

/* A program that expects more than some thousands would take a hash table. */
static struct goroutine *find(uint64_t id)
{
	size_t i;

	for (i = len; i-- > 0;)
		if (goroutines[i].id == id)
			return &goroutines[i];
	if (len == cap) {
		cap = cap ? 2 * cap : 64;
		goroutines = realloc(goroutines, cap * sizeof(*goroutines));
		if (!goroutines)
			abort();
	}
	goroutines[len] = (struct goroutine){ .id = id };
	return &goroutines[len++];
}

/* The last frame of a stack is the function that the goroutine began with. */
static void name(const struct gotap_reader *r, struct goroutine *g, uint64_t stack)
{
	struct gotap_frame frames[128];
	size_t n = gotap_stack(r, stack, frames, sizeof(frames[0]), 128);

	if (n && n <= 128 && !g->what[0])
		snprintf(g->what, sizeof(g->what), "%.*s", (int)frames[n - 1].func.len,
			 frames[n - 1].func.s);
}

static void take(const struct gotap_reader *r, const struct gotap_event *ev)
{
	struct gotap_transition tr;
	struct goroutine *g;

	if (!gotap_event_transition(r, &tr, sizeof(tr)) || tr.of != GOTAP_GOROUTINE)
		return;
	g = find(tr.id);
	name(r, g, tr.stack);
	if (g->since)
		g->in[g->state] += ev->time - g->since;
	g->state = tr.to - GOTAP_STATE_GO_UNDETERMINED;
	g->since = ev->time;
}

static double ms_in(const struct goroutine *g, enum gotap_state state)
{
	return (double)g->in[state - GOTAP_STATE_GO_UNDETERMINED] / 1e6;
}

static void print(int64_t end)
{
	size_t i;

	printf("%10s %12s %12s %12s %12s  %s\n", "goroutine", "running", "runnable", "waiting",
	       "syscall", "began with");
	for (i = 0; i < len; i++) {
		struct goroutine *g = &goroutines[i];

		g->in[g->state] += end - g->since;
		printf("%10llu %12.6f %12.6f %12.6f %12.6f  %s\n", (unsigned long long)g->id,
		       ms_in(g, GOTAP_STATE_GO_RUNNING), ms_in(g, GOTAP_STATE_GO_RUNNABLE),
		       ms_in(g, GOTAP_STATE_GO_WAITING), ms_in(g, GOTAP_STATE_GO_SYSCALL), g->what);
	}
}

int main(int argc, char **argv)
{
	struct gotap_read_options options = { .size = sizeof(options) };
	struct gotap_reader *r;
	struct gotap_event ev = { 0 };
	struct gotap_error err;
	int ret;

	if (argc < 2 || argc > 3) {
		fprintf(stderr, "usage: %s TRACE [PROGRAM]\n", argv[0]);
		return 2;
	}
	options.binary = argv[2];
	if (gotap_open(&r, argv[1], &options, &err)) {
		fprintf(stderr, "%s: %s\n", argv[1], err.text);
		return 1;
	}
	while ((ret = gotap_next(r, &ev, sizeof(ev))) > 0)
		take(r, &ev);
	print(ev.time);
	if (ret < 0)
		fprintf(stderr, "%s: %s\n", argv[1], gotap_reader_error(r)->text);
	gotap_close(r);
	free(goroutines);
	return ret < 0;
}
