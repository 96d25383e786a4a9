// SPDX-License-Identifier: Apache-2.0
/*
 * module: see module.h. A library is opened by /proc/PID/map_files, which is
 * the very file that is mapped, in whatever container and even if deleted; where
 * that is not allowed, by its path below /proc/PID/root.
 */
#include "capture/module.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAPS_MAX = 64 << 20 };

/* One line of /proc/PID/maps that maps code of a file. */
struct mapping {
	uint64_t start, end, offset;
	const char *path;
};

struct search {
	struct process *p;
	struct gobin *found;
	uint64_t bias;
	char file[PROCFS_PATH], path[256];
	char other[256];	/* path of a second one */
	bool not_exe;		/* leave out the process's executable */
};

/* START-END PERM OFFSET DEVICE INODE PATH */
static bool read_mapping(char *line, struct mapping *ret)
{
	char exec;
	int at = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*c%*c%c%*c %" SCNx64 " %*s %*s %n",
		   &ret->start, &ret->end, &exec, &ret->offset, &at) < 4 || !at)
		return false;
	ret->path = line + at;
	return exec == 'x' && *ret->path == '/';
}

static void file_of(const struct search *s, const struct mapping *m, char ret[PROCFS_PATH])
{
	char what[PROCFS_PATH];

	snprintf(what, sizeof(what), "map_files/%" PRIx64 "-%" PRIx64, m->start, m->end);
	procfs_path(&s->p->fs, s->p->pid, what, ret);
	if (!access(ret, R_OK))
		return;
	snprintf(what, sizeof(what), "root%.200s", m->path);
	procfs_path(&s->p->fs, s->p->pid, what, ret);
}

static bool same_file(const char *a, const char *b)
{
	struct stat x, y;

	return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static void try_mapping(struct search *s, const struct mapping *m)
{
	char file[PROCFS_PATH];
	struct gobin *b;
	uint64_t addr;

	file_of(s, m, file);
	if (s->not_exe && same_file(file, s->p->exe))
		return;
	if (gobin_open(&b, file, NULL))
		return;
	if (gobin_offset_address(b, m->offset, &addr)) {
		gobin_free(b);
	} else if (s->found) {
		snprintf(s->other, sizeof(s->other), "%s", m->path);
		gobin_free(b);
	} else {
		s->found = b;
		s->bias = m->start - addr;
		memcpy(s->file, file, sizeof(file));
		snprintf(s->path, sizeof(s->path), "%s", m->path);
	}
}

static int search_mappings(struct search *s)
{
	struct buf maps = {0};
	struct mapping m;
	char *line, *rest;
	int r = procfs_read(&s->p->fs, s->p->pid, "maps", MAPS_MAX, &maps);

	if (!r)
		for (rest = (char *)maps.data; (line = strsep(&rest, "\n")) && !*s->other;)
			if (read_mapping(line, &m))
				try_mapping(s, &m);
	buf_free(&maps);
	return r;
}

static int open_library(struct process *p, struct gobin **ret, struct error *err)
{
	struct search s = { .p = p };

	/* The loader of a launched program has not run yet: no library is there. */
	if (p->launched || search_mappings(&s) || !s.found)
		return err->code;
	if (*s.other) {
		gobin_free(s.found);
		return error_set(err, -ENOTSUP, "process %d has two Go programs in it, the other "
				 "is '%s'; only one can be recorded", p->pid, s.other);
	}
	memcpy(p->module, s.file, sizeof(p->module));
	p->bias = s.bias;
	*ret = s.found;
	return 0;
}

/*
 * A plugin has the runtime's code once more, and its goroutines run in it: the
 * probes in the program itself would see half of what happens.
 */
static int refuse_plugins(struct process *p, struct error *err)
{
	struct search s = { .p = p, .not_exe = true };

	if (p->launched || search_mappings(&s) || !s.found)
		return 0;
	gobin_free(s.found);
	return error_set(err, -ENOTSUP, "process %d has loaded a Go plugin or library besides its "
			 "own program, '%s'; its part of the scheduler cannot be recorded", p->pid,
			 s.path);
}

int module_open(struct process *p, struct gobin **ret, struct error *err)
{
	int r = gobin_open(ret, p->exe, err);

	if (r == -ENOEXEC)
		return open_library(p, ret, err);
	if (!r)
		r = process_find_bias(p, gobin_entry(*ret), err);
	if (!r)
		r = refuse_plugins(p, err);
	memcpy(p->module, p->exe, sizeof(p->module));
	return r;
}
