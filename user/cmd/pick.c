// SPDX-License-Identifier: Apache-2.0
/* pick: see pick.h. */
#include "cmd/pick.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "live/module.h"
#include "cmd/parse.h"
#include "proc/container.h"
#include "proc/owner.h"
#include "target/gobin.h"

/* A Go process of the container that was asked for. */
struct candidate {
	pid_t pid;
	bool first;		/* of its container */
	char name[64];
};

static const char *pick_take_pid(void *pid, const char *arg)
{
	unsigned long n;

	if (!parse_number(arg, 1, 1 << 30, &n))
		return "takes a process id";
	*(pid_t *)pid = (pid_t)n;
	return NULL;
}

static const char *take_owner(void *pick, const char *arg)
{
	struct pick *p = pick;
	unsigned long n;

	if (!parse_number(arg, 1, UINT32_MAX - 1UL, &n))
		return "takes the id of a user other than root";
	p->owner = (uid_t)n;
	p->has_owner = true;
	return NULL;
}

const struct option_row pick_rows[] = {
	OPTION('p', "pid", "PID", OPTION_TAKE, offsetof(struct pick, pid),
	  "the process", .take = pick_take_pid),
	OPTION(0, "container", "NAME", OPTION_TAKE, offsetof(struct pick, container),
	  "the Go program in that container: a name, an id "
	  "or the start of one, a Kubernetes pod; of docker, "
	  "containerd, podman, CRI-O, runc, crun", .take = option_take_some),
	OPTION_PROC(offsetof(struct pick, proc_dir)),
	{0},
};

const struct option_row pick_core_rows[] = {
	OPTION(0, "core", "FILE", OPTION_TEXT, offsetof(struct pick, core),
	  "in the place of a process: a core file of it (gcore, coredumpctl dump, "
	  "GOTRACEBACK=crash)"),
	OPTION(0, "exe", "FILE", OPTION_TEXT, offsetof(struct pick, exe),
	  "with --core: the program, if it is not where the core file names it"),
	{0},
};

const struct option_row pick_image_rows[] = {
	OPTION(0, "image", NULL, OPTION_FLAG, offsetof(struct pick, image),
	  "of a process that runs: take an image of its memory, for which it is stopped for at "
	  "most 1 ms, and 5 ms for each GB; refused if that is not enough (docs/still-image.md)"),
	{0},
};

const struct option_row pick_hold_rows[] = {
	OPTION(0, "hold", "TIME", OPTION_DURATION, offsetof(struct pick, hold),
	  "stop the process for at most TIME for its image (default 1 ms, and 5 ms for each GB)"),
	OPTION(0, "clear-again", NULL, OPTION_FLAG, offsetof(struct pick, clear_again),
	  "clear the soft-dirty bits of the process also if they have been cleared before: not "
	  "while CRIU migrates it"),
	OPTION(0, "accept-seccomp", NULL, OPTION_FLAG, offsetof(struct pick, accept_seccomp),
	  "stop also a process with a seccomp filter: one that does not allow restart_syscall(2) "
	  "ends the process; those of Docker and systemd (@default) allow it"),
	{0},
};

const char *pick_one_or_core(const struct pick *p)
{
	if ((p->pid != 0) + (p->container != NULL) + (p->core != NULL) != 1)
		return "give one process (-p), container or core file (--core)";
	if (p->exe && !p->core)
		return "--exe takes --core FILE";
	if ((p->hold || p->clear_again || p->accept_seccomp) && !p->image)
		return "--hold, --clear-again and --accept-seccomp take --image";
	if (p->image && p->core)
		return "--image is of a process, not of a core file";
	return NULL;
}

const struct option_row pick_owner_rows[] = {
	OPTION(0, "of-user", "UID", OPTION_TAKE, 0, NULL, .take = take_owner),
	{0},
};

char *pick_state_root(const struct pick *p)
{
	const char *tests = getenv("GOTAP_STATE_ROOT");

	if (tests)
		return xstrdup(tests);
	return p->proc_dir ? xasprintf("%s/1/root", p->proc_dir) : xstrdup("");
}

/* 1: it is, 0: it is not, -errno: who knows. */
static int pick_is_go(const struct procfs *fs, pid_t pid)
{
	char exe[PROCFS_PATH];
	struct gobin *bin;
	int r;

	procfs_path(fs, pid, "exe", exe);
	r = gobin_open(&bin, exe, NULL);
	if (!r)
		gobin_free(bin);
	if (r == -EACCES || r == -EPERM)
		return r;
	return !r || module_has_library(fs, pid);
}

static void add_candidate(struct vec *found, const struct procfs *fs, const struct container *c,
			  pid_t pid)
{
	struct candidate *cand = vec_push(found, sizeof(*cand));
	struct procfs_status st;

	cand->pid = pid;
	if (procfs_status(fs, pid, "status", &st))
		return;
	cand->first = pid == c->init || (st.levels > 1 && procfs_inner_id(&st) == 1);
	memcpy(cand->name, st.name, sizeof(cand->name));
}

/* Returns how many processes could not be looked at. */
static int find_candidates(struct vec *found, const struct procfs *fs, const struct container *c)
{
	int hidden = 0;
	size_t i;

	for (i = 0; i < c->pids.len; i++) {
		pid_t pid = *vec_at(&c->pids, pid_t, i);
		int r = pick_is_go(fs, pid);

		if (r > 0)
			add_candidate(found, fs, c, pid);
		hidden += r < 0;
	}
	return hidden;
}

static int several(const char *query, const struct vec *found, struct error *err)
{
	struct buf list = {0};
	size_t i;

	for (i = 0; i < found->len; i++) {
		const struct candidate *c = vec_at(found, struct candidate, i);

		buf_printf(&list, "%s%d (%s)", i ? ", " : "", c->pid, c->name);
	}
	error_set(err, -ENOTUNIQ, "'%s' runs %zu Go programs: %.*s; give one of them with -p",
		  query, found->len, (int)list.len, list.data);
	buf_free(&list);
	return -ENOTUNIQ;
}

static int pick_choose(const char *query, const struct vec *found, pid_t *ret, struct error *err)
{
	size_t i, firsts = 0;

	for (i = 0; i < found->len; i++) {
		const struct candidate *c = vec_at(found, struct candidate, i);

		if (c->first || found->len == 1) {
			*ret = c->pid;
			firsts++;
		}
	}
	return firsts == 1 ? 0 : several(query, found, err);
}

static int none(const char *query, size_t processes, int hidden, struct error *err)
{
	if (!processes)
		return error_set(err, -ESRCH, "container '%s' is not running", query);
	if (hidden)
		return error_set(err, -EACCES,
				 "cannot look at the processes of '%s': run gotap as root or with "
				 "CAP_SYS_PTRACE", query);
	return error_set(err, -ENOEXEC, "no Go program runs in container '%s' (%zu processes)",
			 query, processes);
}

static int pick_from(const struct vec *containers, const char *query, const struct procfs *fs,
		     pid_t *ret, struct error *err)
{
	struct vec found = {0};
	size_t i, processes = 0;
	int r, hidden = 0;

	for (i = 0; i < containers->len; i++) {
		const struct container *c = *vec_at(containers, struct container *, i);

		hidden += find_candidates(&found, fs, c);
		processes += c->pids.len;
	}
	r = found.len ? pick_choose(query, &found, ret, err) : none(query, processes, hidden, err);
	vec_free(&found);
	return r;
}

static int pick_in_container(const struct pick *p, const struct procfs *fs, pid_t *ret,
			     struct error *err)
{
	_cleanup_free_ char *root = pick_state_root(p);
	struct vec meant = {0};
	struct containers all;
	int r;

	containers_load(&all, root);
	containers_scan(&all, fs);
	r = containers_find(&all, p->container, &meant, err);
	if (!r)
		r = pick_from(&meant, p->container, fs, ret, err);
	vec_free(&meant);
	containers_free(&all);
	return r;
}

int pick_process(const struct pick *p, struct procfs *fs, pid_t *ret, struct error *err)
{
	int r = procfs_open(fs, p->proc_dir, err);

	if (r)
		return r;
	*ret = p->pid;
	return p->container ? pick_in_container(p, fs, ret, err) : 0;
}

/*
 * Asks process_execed() after the look at the owner: an exec before or between the two is
 * noticed.
 */
int pick_check(const struct pick *p, const struct process *proc, struct error *err)
{
	_cleanup_close_ int dir = -1;
	char path[PROCFS_PATH];

	if (!p->has_owner)
		return 0;
	procfs_path(&proc->fs, proc->pid, "", path);
	dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir >= 0 && owner_is(dir, p->owner) && !process_execed(proc))
		return 0;
	return error_set(err, -EACCES,
			 "process %d is not that of user %u alone any more, or has ended",
			 proc->pid, p->owner);
}
