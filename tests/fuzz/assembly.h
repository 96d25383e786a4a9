/* SPDX-License-Identifier: Apache-2.0 */
/*
 * assembly: an assembler for records that a fuzzer makes, and the verdict of `gotap check` on the
 * trace that comes out. $FUZZ_TRACE names a file for a trace that is refused.
 */
#ifndef GOTAP_TESTS_FUZZ_ASSEMBLY_H
#define GOTAP_TESTS_FUZZ_ASSEMBLY_H

#include <sys/mman.h>
#include <unistd.h>

#include "assemble/assembler.h"
#include "fuzz.h"
#include "read/check.h"
#include "read/check_report.h"

struct assembly {
	struct capture_info *info;
	struct assembler *assembler;
	int fd;		/* of the trace */
};

/* @minor: the release of Go that the records are of. */
static inline void assembly_begin(struct assembly *a, const struct assembler_opts *opts, int minor)
{
	struct assembler_opts mine = *opts;
	struct error err;

	a->info = calloc(1, sizeof(*a->info));
	a->info->go_minor = (uint32_t)minor;
	a->info->stack_depth = 127;
	a->fd = memfd_create("trace", MFD_CLOEXEC);
	mine.info = a->info;
	must(!assembler_new(&a->assembler, a->fd, &mine, &err), "an assembler is made");
}

static inline void assembly_keep(const void *bytes, size_t n)
{
	const char *path = getenv("FUZZ_TRACE");
	FILE *f = path ? fopen(path, "w") : NULL;

	if (f) {
		fwrite(bytes, 1, n, f);
		fclose(f);
	}
}

static inline void assembly_judge(int fd, bool (*accepts)(const struct check_result *))
{
	size_t n = (size_t)lseek(fd, 0, SEEK_END);
	void *bytes = mmap(NULL, n, PROT_READ, MAP_PRIVATE, fd, 0);
	struct check_result result;
	struct buf why = {0};

	check_memory(bytes, n, false, &result);
	if (!accepts(&result)) {
		check_report_text(&why, "trace", &result);
		fwrite(why.data, 1, why.len, stderr);
		assembly_keep(bytes, n);
		abort();
	}
	munmap(bytes, n);
}

/* Finishes the trace. @accepts says whether it is as it must be, if there is one. */
static inline void assembly_end(struct assembly *a, bool (*accepts)(const struct check_result *))
{
	struct assembler_result *result = calloc(1, sizeof(*result));
	struct error err = {0};

	must(!assembler_finish(a->assembler, &err), err.text);
	assembler_result(a->assembler, result);
	if (result->trace.generations)
		assembly_judge(a->fd, accepts);
	assembler_free(a->assembler);
	close(a->fd);
	free(result);
	free(a->info);
}

#endif
