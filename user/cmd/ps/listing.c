// SPDX-License-Identifier: Apache-2.0
/* listing: see listing.h. */
#define _GNU_SOURCE
#include "cmd/ps/listing.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/isolated.h"
#include "base/open_under.h"
#include "base/user_name.h"
#include "base/vec.h"
#include "live/module.h"
#include "plan/plan.h"
#include "proc/maps.h"
#include "proc/privilege.h"
#include "target/gobin.h"


/* --- programs --- */

static void ps_listing_describe(struct executable *p, const struct gobin *bin)
{
	const char *pgo = gobin_build_setting(bin, "-pgo");

	p->is_go = true;
	p->is_plugin = module_is_plugin(bin);
	p->symbols = gobin_has_dwarf(bin) ? DWARF : gobin_has_symtab(bin) ? SYMTAB : STRIPPED;
	snprintf(p->go, sizeof(p->go), "%s", gobin_go_version(bin));
	snprintf(p->module, sizeof(p->module), "%s", gobin_module_path(bin));
	snprintf(p->version, sizeof(p->version), "%s", gobin_module_version(bin));
	snprintf(p->pgo, sizeof(p->pgo), "%s", pgo && strcmp(pgo, "off") ? pgo : "");
}

/* In a process without privileges: the file may be any user's (base/isolated.h). */
static int ps_listing_examine(void *ctx, void *answer, struct error *err)
{
	struct executable *p = answer;
	struct error why_not = {0};
	struct gobin *bin;
	struct plan plan;

	if (gobin_open_fd(&bin, *(int *)ctx, "it", err))
		return err->code;
	ps_listing_describe(p, bin);
	p->traceable = !plan_make(&plan, bin, groups_default(), &why_not);
	memcpy(p->why_not, why_not.text, sizeof(p->why_not));
	plan_release(&plan);
	if (!plan_describe(&plan, bin, &why_not))	/* also of one that cannot be traced */
		p->roots = ps_roots_of(&plan, bin);
	plan_release(&plan);
	gobin_free(bin);
	return 0;
}

static void end_texts(struct executable *p)
{
	p->go[sizeof(p->go) - 1] = p->module[sizeof(p->module) - 1] = 0;
	p->version[sizeof(p->version) - 1] = p->pgo[sizeof(p->pgo) - 1] = 0;
	p->why_not[sizeof(p->why_not) - 1] = 0;
	p->symbols = p->symbols <= DWARF ? p->symbols : STRIPPED;
}

/*
 * Did the process that looks at a file fail? Any other error says that the file is no Go program.
 */
static bool is_failure(int r)
{
	return r == -ETIMEDOUT || r == -EBADMSG || r == -EAGAIN || r == -ENOMEM || r == -EMFILE ||
	       r == -ENFILE;
}

/* The file @fd, as it was found when it was met first. A file of no regular kind is none. */
static const struct executable *executable_of(struct listing *l, int fd)
{
	struct isolated_work work = { .run = ps_listing_examine, .ctx = &fd, .fd = fd,
				      .size = sizeof(struct executable),
				      .seconds = ps_effort_seconds(&l->effort) };
	struct error err = {0};
	struct executable *p;
	struct stat st;
	size_t i;
	int r;

	if (fstat(fd, &st))
		return NULL;
	for (i = 0; i < l->programs.len; i++) {
		p = *vec_at(&l->programs, struct executable *, i);
		if (!procfs_same_file(p->id, (struct procfs_file_id){ st.st_dev, st.st_ino }) ||
		    p->changed.tv_sec != st.st_ctim.tv_sec ||
		    p->changed.tv_nsec != st.st_ctim.tv_nsec)
			continue;
		p->met = true;
		return p;
	}
	p = xcalloc(1, sizeof(*p));
	r = isolated_run(&work, p, &err);
	if (r)
		*p = (struct executable){0};
	if (is_failure(r))
		snprintf(p->fault, sizeof(p->fault), "%.255s", err.text);
	end_texts(p);
	p->id = (struct procfs_file_id){ st.st_dev, st.st_ino };
	p->changed = st.st_ctim;
	p->met = true;
	*(struct executable **)vec_push(&l->programs, sizeof(p)) = p;
	return p;
}

/* --- processes --- */

/* The path as the process sees it; that of a deleted file ends with " (deleted)". */
static void name_exe(const struct listing *l, struct go_process *proc)
{
	char path[PROCFS_PATH];
	ssize_t n;

	procfs_path(&l->fs, proc->pid, "exe", path);
	n = readlink(path, proc->exe, sizeof(proc->exe) - 1);
	proc->exe[n < 0 ? 0 : n] = 0;
}

/* No longer than @most bytes, and no part of a character of UTF-8. */
static void cut_text(struct buf *b, size_t most)
{
	if (b->len <= most)
		return;
	while (most && (b->data[most] & 0xc0) == 0x80)
		most--;
	b->len = most;
}

/* The arguments are the program's to write: it may have left one string, or none. */
static void name_command(const struct listing *l, struct go_process *proc)
{
	struct buf args = {0};
	size_t i;

	procfs_read(&l->fs, proc->pid, "cmdline", l->command_max + 1, &args);
	while (args.len && !args.data[args.len - 1])
		args.len--;
	proc->command_cut = args.len > l->command_max;
	cut_text(&args, l->command_max);
	for (i = 0; i < args.len; i++)
		args.data[i] = args.data[i] ? args.data[i] : ' ';
	buf_add_byte(&args, 0);
	proc->command = (char *)args.data;
}

/* Seconds: both times are rounded to ticks of 10 ms. */
static const double LEAST_LIFE = 0.1;

static void ps_listing_measure(const struct listing *l, struct go_process *proc)
{
	double ticks = (double)sysconf(_SC_CLK_TCK), life;
	struct procfs_usage usage;

	procfs_usage(&l->fs, proc->pid, &usage);
	life = procfs_uptime(&l->fs) - (double)usage.start / ticks;
	proc->parent = usage.parent;
	proc->cpu_seconds = (double)usage.cpu / ticks;
	proc->cpu_percent = 100 * proc->cpu_seconds / (life > LEAST_LIFE ? life : LEAST_LIFE);
}

static void add_unseen(struct listing *l, pid_t pid, int code, const char *why)
{
	struct procfs_status st;
	struct unseen *u;

	if (procfs_status(&l->fs, pid, "status", &st) || st.state == 'Z')
		return;
	u = vec_push(&l->unseen, sizeof(*u));
	*u = (struct unseen){ .pid = pid, .denied = code == -EACCES || code == -EPERM };
	snprintf(u->name, sizeof(u->name), "%s", st.name);
	snprintf(u->why, sizeof(u->why), "%s", why);
}

/*
 * A mapped file with Go code that is not the executable: it is the process's Go program, if that
 * has none yet.
 */
static void look_at_mapping(struct listing *l, struct go_process *proc, int root,
			    const struct executable *exe, const struct mapping *map)
{
	_cleanup_close_ int fd = maps_open(&l->fs, proc->pid, root, map);
	const struct executable *e = fd < 0 ? NULL : executable_of(l, fd);

	if (!e || e == exe || !e->is_go || e->is_plugin)
		return;
	if (!proc->program) {
		proc->program = e;
		snprintf(proc->library, sizeof(proc->library), "%s", map->path);
	} else if (proc->program != e) {
		proc->is_double = true;
	}
}

/*
 * The time of its user, or that of the listing, was used up before the process was looked at, or
 * all of it.
 */
static void add_too_long(struct listing *l, pid_t pid)
{
	struct procfs_file_id exe;

	if (procfs_file_id(&l->fs, pid, "exe", &exe))	/* a thread of the kernel, or gone */
		return;
	l->left_out++;
	add_unseen(l, pid, 0, ps_effort_is_over(&l->effort) ?
		   "left out: the list took too long" :
		   "left out: the programs and libraries of its user took too long to look at");
}

static void look_at_mappings(struct listing *l, struct go_process *proc,
			     const struct executable *exe)
{
	_cleanup_close_ int root = -1;
	char path[PROCFS_PATH];
	struct maps maps;
	size_t i = 0;

	procfs_path(&l->fs, proc->pid, "root", path);
	root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (!maps_read(&maps, &l->fs, proc->pid))
		for (i = 0; i < maps.code.len && ps_effort_go_on(&l->effort); i++)
			look_at_mapping(l, proc, root, exe, vec_at(&maps.code, struct mapping, i));
	if (i < maps.code.len)
		add_too_long(l, proc->pid);
	maps_free(&maps);
}

static void add_process(struct listing *l, struct go_process *proc)
{
	struct procfs_status st;

	if (procfs_status(&l->fs, proc->pid, "status", &st))
		return;
	proc->uid = st.uid;
	proc->container = containers_of(&l->containers, &l->fs, proc->pid);
	user_name(proc->uid, proc->user, sizeof(proc->user));
	name_exe(l, proc);
	name_command(l, proc);
	ps_listing_measure(l, proc);
	proc->goroutines = *proc->library || proc->is_double ?
				   (struct ps_goroutines){ .n = -1 } :
				   ps_goroutines_of(&l->fs, proc->pid, &proc->program->roots);
	*(struct go_process *)vec_push(&l->processes, sizeof(*proc)) = *proc;
}

static void look_at_program(struct listing *l, pid_t pid)
{
	struct go_process proc = { .pid = pid };
	const struct executable *program;
	_cleanup_close_ int fd = -1;
	char path[PROCFS_PATH];

	procfs_path(&l->fs, pid, "exe", path);
	fd = open_regular(path);
	if (fd == -EACCES || fd == -EPERM)
		add_unseen(l, pid, fd, strerror(-fd));
	if (fd < 0)	/* or a kernel thread, a zombie, gone */
		return;
	program = executable_of(l, fd);
	if (program && *program->fault)
		add_unseen(l, pid, 0, program->fault);
	if (program && program->is_go)
		proc.program = program;
	look_at_mappings(l, &proc, program);
	if (proc.program)
		add_process(l, &proc);
}

/* A process of the machine's own PID namespace is in no container: nothing is read for it. */
static void ps_listing_put_process(struct listing *l, const struct subordinates *ids, pid_t pid)
{
	const struct container *in = NULL;
	struct principal of;
	struct procfs_status st;

	if (procfs_status(&l->fs, pid, "status", &st))
		return;
	if (st.levels > 1)
		in = containers_of(&l->containers, &l->fs, pid);
	of = principal_of(&l->fs, pid, &st, in, ids);
	ps_effort_put(&l->effort, &of, pid);
}

static void put_processes(struct listing *l)
{
	struct subordinates ids = {0};
	struct vec pids = {0};
	size_t i;

	subordinates_load(&ids, &l->fs);
	procfs_pids(&l->fs, &pids);
	for (i = 0; i < pids.len; i++)
		ps_listing_put_process(l, &ids, *vec_at(&pids, pid_t, i));
	vec_free(&pids);
	subordinates_free(&ids);
}

static void ps_listing_look_at_all(struct listing *l)
{
	pid_t pid;

	while (ps_effort_next(&l->effort, &pid)) {
		look_at_program(l, pid);
		ps_effort_go_on(&l->effort);
	}
	while (ps_effort_left(&l->effort, &pid))
		add_too_long(l, pid);
}

static int by_cpu(const void *a, const void *b)
{
	const struct go_process *p = a, *q = b;

	if (p->cpu_percent != q->cpu_percent)
		return p->cpu_percent < q->cpu_percent ? 1 : -1;
	return p->pid < q->pid ? -1 : p->pid > q->pid;
}

int listing_make(struct listing *l, const struct pick *where, struct error *err)
{
	_cleanup_free_ char *root = pick_state_root(where);
	int r = procfs_open(&l->fs, where->proc_dir, err);

	if (r)
		return r;
	containers_load(&l->containers, root);
	put_processes(l);
	ps_listing_look_at_all(l);
	vec_sort(&l->processes, sizeof(struct go_process), by_cpu);
	return 0;
}

/* Drops the executables that this list has not met, or could not look at. */
static void keep_met(struct listing *l)
{
	size_t i, n = 0;

	for (i = 0; i < l->programs.len; i++) {
		struct executable *p = *vec_at(&l->programs, struct executable *, i);

		if (!p->met || *p->fault) {
			free(p);
			continue;
		}
		p->met = false;
		*vec_at(&l->programs, struct executable *, n++) = p;
	}
	l->programs.len = n;
}

void listing_again(struct listing *l)
{
	size_t i;

	for (i = 0; i < l->processes.len; i++)
		free(vec_at(&l->processes, struct go_process, i)->command);
	vec_free(&l->processes);
	vec_free(&l->unseen);
	ps_effort_free(&l->effort);
	containers_free(&l->containers);
	l->effort = (struct ps_effort){0};
	l->containers = (struct containers){0};
	l->left_out = 0;
	keep_met(l);
}

void listing_release(struct listing *l)
{
	size_t i;

	listing_again(l);
	for (i = 0; i < l->programs.len; i++)
		free(*vec_at(&l->programs, struct executable *, i));
	vec_free(&l->programs);
}
