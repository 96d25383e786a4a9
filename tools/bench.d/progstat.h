/* SPDX-License-Identifier: Apache-2.0 */
/* progstat: what the kernel counted for BPF programs of this process. */
#ifndef BENCH_PROGSTAT_H
#define BENCH_PROGSTAT_H

#include <bpf/bpf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Statistics are on as long as this descriptor is open, so never longer than the process lives. */
static inline int stats_on(void)
{
	return bpf_enable_stats(BPF_STATS_RUN_TIME);
}

static inline bool is_program(int fd)
{
	char path[32], target[64];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	n = readlink(path, target, sizeof(target) - 1);
	target[n < 0 ? 0 : n] = 0;
	return strstr(target, "bpf-prog");
}

static inline bool program_stat(int fd, struct bpf_prog_info *info)
{
	__u32 len = sizeof(*info);

	memset(info, 0, sizeof(*info));
	return is_program(fd) && !bpf_obj_get_info_by_fd(fd, info, &len);
}

enum { PROGSTAT_FDS = 512 };

/* One moment: the counts of all programs that are open, by descriptor. */
struct progstat {
	struct {
		__u64 runs, ns;
		__u32 instructions;
		char name[BPF_OBJ_NAME_LEN];
	} of[PROGSTAT_FDS];
};

static inline void progstat_read(struct progstat *s)
{
	struct bpf_prog_info info;
	int fd;

	memset(s, 0, sizeof(*s));
	for (fd = 3; fd < PROGSTAT_FDS; fd++) {
		if (!program_stat(fd, &info))
			continue;
		s->of[fd].runs = info.run_cnt;
		s->of[fd].ns = info.run_time_ns;
		s->of[fd].instructions = info.xlated_prog_len / 8;
		memcpy(s->of[fd].name, info.name, sizeof(info.name));
	}
}

/* What happened to the program of that name between two moments. */
struct progdiff {
	double runs, ns;
	__u32 instructions;
	bool found;
};

static inline struct progdiff progstat_diff(const struct progstat *from, const struct progstat *to,
					    const char *name)
{
	int fd;

	for (fd = 3; fd < PROGSTAT_FDS; fd++)
		if (to->of[fd].name[0] && !strncmp(to->of[fd].name, name, BPF_OBJ_NAME_LEN - 1))
			return (struct progdiff){ (double)(to->of[fd].runs - from->of[fd].runs),
						  (double)(to->of[fd].ns - from->of[fd].ns),
						  to->of[fd].instructions, true };
	return (struct progdiff){0};
}

#endif
