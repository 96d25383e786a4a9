// SPDX-License-Identifier: Apache-2.0
/*
 * floor: puts an empty program at each instruction that gotap would probe in
 * process PID, prints "ready", and takes them away when stdin ends. Then it
 * prints how often they ran and for how long, if statistics are wanted.
 *
 *	floor PID EVENTS [stats]
 */
#define _GNU_SOURCE
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "plan/plan.h"
#include "floor.skel.h"
#include "progstat.h"
#include "target/gobin.h"

enum { ATTACH_TYPE_UPROBE_MULTI = 48 };	/* BPF_TRACE_UPROBE_MULTI, Linux 6.6 */

struct link_create_uprobe_multi {
	uint32_t prog_fd, target_fd, attach_type, flags;
	uint64_t path, offsets, ref_ctr_offsets, cookies;
	uint32_t cnt, multi_flags, pid, reserved;
};

static int die(const char *what, const char *why)
{
	fprintf(stderr, "floor: %s: %s\n", what, why);
	return 1;
}

static struct floor_bpf *load(bool multi)
{
	struct floor_bpf *skel = floor_bpf__open();

	if (!skel)
		return NULL;
	if (multi)
		bpf_program__set_expected_attach_type(
			skel->progs.floor_probe, (enum bpf_attach_type)ATTACH_TYPE_UPROBE_MULTI);
	if (!floor_bpf__load(skel))
		return skel;
	floor_bpf__destroy(skel);
	return NULL;
}

static bool attach_multi(struct floor_bpf *skel, const char *exe, int pid,
			 const struct probe_point *pt)
{
	struct link_create_uprobe_multi attr = {
		.prog_fd = (uint32_t)bpf_program__fd(skel->progs.floor_probe),
		.attach_type = ATTACH_TYPE_UPROBE_MULTI,
		.path = (uint64_t)(uintptr_t)exe,
		.offsets = (uint64_t)(uintptr_t)&pt->file_offset,
		.cnt = 1,
		.pid = (uint32_t)pid,
	};

	return syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr)) >= 0;
}

static bool attach_all(struct floor_bpf *skel, const char *exe, int pid, const struct plan *plan,
		       bool multi)
{
	size_t i;

	for (i = 0; i < plan->points.len; i++) {
		const struct probe_point *pt = vec_at(&plan->points, struct probe_point, i);

		if (multi ? !attach_multi(skel, exe, pid, pt) :
			    !bpf_program__attach_uprobe(skel->progs.floor_probe, false, pid, exe,
							pt->file_offset))
			return false;
	}
	return true;
}

/* As gotap does it where the kernel can, else by perf events. */
static bool attach(struct floor_bpf **skel, const char *exe, int pid, const struct plan *plan)
{
	*skel = load(true);
	if (*skel && attach_all(*skel, exe, pid, plan, true))
		return true;
	floor_bpf__destroy(*skel);	/* links of its own close with the process */
	*skel = load(false);
	return *skel && attach_all(*skel, exe, pid, plan, false);
}

static void wait_for_end_of_stdin(void)
{
	char c;

	while (read(STDIN_FILENO, &c, 1) > 0)
		;
}

static int run(const char *exe, int pid, const struct plan *plan, bool stats)
{
	struct floor_bpf *skel = NULL;
	struct bpf_prog_info info;

	if (stats && stats_on() < 0)
		return die("statistics", strerror(errno));
	if (!attach(&skel, exe, pid, plan))
		return die("cannot attach (root?)", strerror(errno));
	puts("ready");
	fflush(stdout);
	wait_for_end_of_stdin();
	if (stats && program_stat(bpf_program__fd(skel->progs.floor_probe), &info))
		printf("%llu %llu\n", info.run_cnt, info.run_time_ns);
	return 0;
}

int main(int argc, char **argv)
{
	struct gobin *b = NULL;
	struct plan plan = {0};
	struct error err = {0};
	unsigned int groups;
	char exe[64];
	int status;

	if (argc < 3 || !groups_parse(argv[2], &groups))
		return die("usage", "floor PID EVENTS [stats]");
	snprintf(exe, sizeof(exe), "/proc/%d/exe", atoi(argv[1]));
	if (gobin_open(&b, exe, &err) || plan_make(&plan, b, groups, &err))
		status = die(exe, err.text);
	else
		status = run(exe, atoi(argv[1]), &plan, argc > 3);
	plan_release(&plan);
	gobin_free(b);
	return status;
}
