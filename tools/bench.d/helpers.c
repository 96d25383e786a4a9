// SPDX-License-Identifier: Apache-2.0
/*
 * helpers: what the single things cost that a probe does, in process PID,
 * which must make syscalls meanwhile: all programs of helpers.bpf.c sit at the
 * beginning of syscalls. "helper NAME RUNS NS_PER_RUN INSTRUCTIONS" each.
 *
 *	helpers PID MS
 */
#include <bpf/libbpf.h>
#include <errno.h>
#include <time.h>

#include "plan/plan.h"
#include "helpers.skel.h"
#include "progstat.h"
#include "target/gobin.h"

enum { DRAIN_NS = 2000000 };

static int die(const char *what, const char *why)
{
	fprintf(stderr, "helpers: %s: %s\n", what, why);
	return 1;
}

static const struct probe_point *syscall_point(const struct plan *plan)
{
	size_t i;

	for (i = 0; i < plan->points.len; i++) {
		const struct probe_point *pt = vec_at(&plan->points, struct probe_point, i);

		if (pt->program == PROGRAM_syscall_enter)
			return pt;
	}
	return NULL;
}

static int discard(void *ctx, void *data, size_t len)
{
	return 0;
}

static void run(struct helpers_bpf *skel, unsigned long ms)
{
	struct timespec pause = { .tv_nsec = DRAIN_NS };
	struct ring_buffer *ring = ring_buffer__new(bpf_map__fd(skel->maps.ring), discard, NULL,
						    NULL);
	unsigned long i;

	for (i = 0; i < ms * 1000000 / DRAIN_NS && ring; i++) {
		nanosleep(&pause, NULL);
		ring_buffer__consume(ring);
	}
	ring_buffer__free(ring);
}

static void print(struct helpers_bpf *skel, const struct progstat *from, const struct progstat *to)
{
	struct bpf_program *p;

	bpf_object__for_each_program(p, skel->obj) {
		struct progdiff d = progstat_diff(from, to, bpf_program__name(p));

		if (d.runs > 0)
			printf("helper %s %.0f %.1f %u\n", bpf_program__name(p), d.runs,
			       d.ns / d.runs, d.instructions);
	}
}

static int measure(const char *exe, int pid, unsigned long ms, const struct plan *plan)
{
	static struct progstat from, to;
	const struct probe_point *pt = syscall_point(plan);
	struct helpers_bpf *skel = helpers_bpf__open_and_load();
	struct bpf_program *p;

	if (!skel || !pt || stats_on() < 0)
		return die("cannot load (root?)", strerror(errno));
	bpf_object__for_each_program(p, skel->obj)
		if (!bpf_program__attach_uprobe(p, false, pid, exe, pt->file_offset))
			return die("cannot attach", strerror(errno));
	progstat_read(&from);
	run(skel, ms);
	progstat_read(&to);
	print(skel, &from, &to);
	return 0;
}

int main(int argc, char **argv)
{
	struct gobin *b = NULL;
	struct plan plan = {0};
	struct error err = {0};
	char exe[64];
	int status;

	if (argc != 3)
		return die("usage", "helpers PID MS");
	snprintf(exe, sizeof(exe), "/proc/%d/exe", atoi(argv[1]));
	if (gobin_open(&b, exe, &err) || plan_make(&plan, b, groups_default(), &err))
		status = die(exe, err.text);
	else
		status = measure(exe, atoi(argv[1]), strtoul(argv[2], NULL, 10), &plan);
	plan_release(&plan);
	gobin_free(b);
	return status;
}
