// SPDX-License-Identifier: Apache-2.0
/*
 * take: takes an image of a process (moment_take()) and prints its figures as JSON. For tests/moment.bats and
 * tests/moment/guest.
 *
 *   take PID [--hold MS] [--rounds N] [--again] [--token FILE] [--die STEP N] [--at STEP N COMMAND]
 *
 * --token FILE: the output of tests/prog/pages.go "token": prints in how many of its words the only
 * pointer to an object is ("token"), in how many registers ("registers"), and by how much the first
 * count is ahead of the second one ("ahead"). --die STEP N: the process that takes the image kills
 * itself before its N-th step of that name (MOMENT_STEP); --orphan STEP N: it kills this process.
 * --at STEP N COMMAND: it runs the command before that step, and waits for its end.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "moment/moment.h"

struct at {
	const char *step;
	int number;
};

static struct at die_at, run_at;
static bool die_parent;
static const char *run_command;

static bool is_at(struct at *a, const char *name)
{
	return a->step && !strcmp(name, a->step) && !--a->number;
}

/* The taker is a child of this process, and each has a count of its own. */
void moment_step(const char *name)
{
	if (is_at(&run_at, name) && system(run_command))
		fprintf(stderr, "take: %s: failed\n", run_command);
	if (is_at(&die_at, name))
		kill(die_parent ? getppid() : getpid(), SIGKILL);
}

static uint64_t word_at(const struct moment *s, uint64_t addr)
{
	uint64_t word;

	if (!moment_read(s, addr, &word, sizeof(word))) {
		fprintf(stderr, "take: the image has nothing at %#" PRIx64 "\n", addr);
		exit(3);
	}
	return word;
}

static int in_registers(const struct moment *s, uint64_t token)
{
	int n = 0;

	for (size_t i = 0; i < s->n_threads; i++) {
		const struct moment_thread *t = &s->threads[i];
		uint64_t words[sizeof(t->regs) / 8];

		memcpy(words, &t->regs, sizeof(words));
		for (size_t k = 0; k < sizeof(words) / 8; k++)
			n += words[k] == token;
	}
	return n;
}

static void print_token(const struct moment *s, const char *path)
{
	char line[100];
	uint64_t token = 0, addr, counts = 0;
	int n = 0;
	FILE *f = fopen(path, "r");

	if (!f) {
		perror(path);
		exit(2);
	}
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "token %" SCNx64, &token) == 1)
			token = ~token;
		else if (sscanf(line, "slot %" SCNx64, &addr) == 1)
			n += word_at(s, addr) == token;
		else
			sscanf(line, "counts %" SCNx64, &counts);
	}
	fclose(f);
	printf(",\"token\":%d,\"registers\":%d,\"ahead\":%" PRId64, n, in_registers(s, token),
	       (int64_t)(word_at(s, counts) - word_at(s, counts + 8)));
}

static void print_facts(const struct moment_facts *f)
{
	printf("\"size\":%" PRIu64 ",\"bound_ns\":%" PRIu64 ",\"hold_ns\":%" PRIu64
	       ",\"longest_ns\":%" PRIu64 ",\"predicted_ns\":%" PRIu64
	       ",\"copied_running\":%" PRIu64 ",\"clear_ns\":%" PRIu64 ",\"copied_held\":%" PRIu64
	       ",\"changed_per_second\":%" PRIu64
	       ",\"rounds\":%u,\"given_up\":%u,\"threads\":%u,\"scan\":%s,\"marks\":%s",
	       f->size, f->bound_ns, f->hold_ns, f->longest_ns, f->predicted_ns, f->copied_running,
	       f->clear_ns, f->copied_held, f->changed_per_second, f->rounds, f->given_up,
	       f->threads, f->scan ? "true" : "false", f->marks ? "true" : "false");
}

static void parse_options(char **argv, struct moment_opts *opts, const char **token)
{
	for (; *argv; argv++) {
		if (!strcmp(*argv, "--again")) {
			opts->clear_again = true;
		} else if (!strcmp(*argv, "--accept-seccomp")) {
			opts->accept_seccomp = true;
		} else if (argv[1] && !strcmp(*argv, "--hold")) {
			opts->hold_ns = (uint64_t)(atof(*++argv) * 1e6);
		} else if (argv[1] && !strcmp(*argv, "--rounds")) {
			opts->rounds = (uint32_t)atoi(*++argv);
		} else if (argv[1] && !strcmp(*argv, "--token")) {
			*token = *++argv;
		} else if (argv[1] && argv[2] && (!strcmp(*argv, "--die") || !strcmp(*argv, "--orphan"))) {
			die_parent = !strcmp(*argv, "--orphan");
			die_at = (struct at){ argv[1], atoi(argv[2]) };
			argv += 2;
		} else if (argv[1] && argv[2] && argv[3] && !strcmp(*argv, "--at")) {
			run_at = (struct at){ argv[1], atoi(argv[2]) };
			run_command = argv[3];
			argv += 3;
		} else {
			fprintf(stderr, "take: bad argument '%s'\n", *argv);
			exit(2);
		}
	}
}

int main(int argc, char **argv)
{
	struct process proc = PROCESS_CLOSED;
	struct moment_opts opts = { .proc = &proc };
	struct error err = { 0 };
	struct moment image;
	const char *token = NULL;
	struct procfs fs;
	int r;

	if (argc < 2)
		return 2;
	parse_options(argv + 2, &opts, &token);
	r = procfs_open(&fs, NULL, &err);
	if (!r)
		r = process_open(&proc, &fs, atoi(argv[1]), &err);
	if (r) {
		fprintf(stderr, "take: %s\n", err.text);
		return 1;
	}
	r = moment_take(&image, &opts, &err);
	printf("{");
	print_facts(&image.facts);
	if (!r && token)
		print_token(&image, token);
	printf("}\n");
	if (r)
		fprintf(stderr, "take: %s: %s\n", strerror(-r), err.text);
	moment_free(&image);
	process_close(&proc);
	return r ? 1 : 0;
}
