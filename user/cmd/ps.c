// SPDX-License-Identifier: Apache-2.0
/*
 * ps: `gotap ps`: the Go programs that run on this machine. In: /proc, the
 * executables, the state folders of container runtimes. Out: a table or JSON.
 * An executable is examined once, however many processes run it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/isolated.h"
#include "base/open_under.h"
#include "base/vec.h"
#include "live/module.h"
#include "plan/plan.h"
#include "cmd/cmd.h"
#include "base/json_out.h"
#include "cmd/pick.h"
#include "base/show.h"
#include "proc/container.h"
#include "proc/maps.h"
#include "proc/privilege.h"
#include "proc/procfs.h"
#include "target/gobin.h"

enum { COMMAND_MAX = 4096, UNSEEN_SHOWN = 20 };

/* The facts about one file with code. Texts of the file, cut to size; "" none. */
struct executable {
	struct procfs_file_id id;
	bool is_go, traceable;
	bool is_plugin;			/* of a Go program: has no scheduler of its own */
	char go[32], module[512], version[128], pgo[1024];
	enum { STRIPPED, SYMTAB, DWARF } symbols;
	char why_not[512];
	char fault[256];		/* why nothing is known of the file; "" it is */
};

static const char *const symbols_names[] = {
	[STRIPPED] = "stripped", [SYMTAB] = "symtab", [DWARF] = "dwarf",
};

struct go_process {
	pid_t pid, parent;
	double cpu_seconds, cpu_percent;	/* of one CPU, since it began */
	uid_t uid;
	char user[33];
	char *command;			/* its arguments, separated by blanks; "" none are there */
	char exe[512];
	char library[512];		/* of the process that is the Go program; "" its exe is */
	const struct executable *program;
	bool is_double;			/* there is another Go program in it */
	const struct container *container;	/* NULL: none */
};

/* A process that could not be looked at. */
struct unseen {
	pid_t pid;
	char name[64];
	char why[256];
	bool denied;
};

struct listing {
	struct procfs fs;
	struct containers containers;
	struct vec programs;		/* struct executable * */
	struct vec processes;		/* struct go_process */
	struct vec unseen;		/* struct unseen */
};

static const char help[] =
	"usage: gotap ps [--json] [--proc DIR]\n"
	"\n"
	"Lists the Go programs that run on this machine, those that used most CPU first:\n"
	"\n"
	"  PID, PPID  the process and its parent\n"
	"  %CPU-LIFE  CPU time since the process began, in percent of one CPU\n"
	"  GO         the release that built it\n"
	"  SYMBOLS    dwarf, symtab or stripped\n"
	"  PGO        built with a profile?\n"
	"  TRACE      can gotap trace it? If not, the reason stands below\n"
	"  CONTAINER  the one that it runs in\n"
	"  COMMAND    its arguments, cut to the width of a terminal\n"
	"\n"
	"Also other programs with a Go library. Other users' programs take root or\n"
	"CAP_SYS_PTRACE. Processes that could not be looked at are named on stderr.\n"
	"\n"
	"      --json            as JSON: also the user, executable, module and build settings\n"
	"      --proc DIR        the host's /proc, where gotap runs in a container itself\n";

/* --- programs --- */

static void describe(struct executable *p, const struct gobin *bin)
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

/* In a process without privileges: the file may be anybody's (base/isolated.h). */
static int examine(void *ctx, void *answer, struct error *err)
{
	struct executable *p = answer;
	struct error why_not = {0};
	struct gobin *bin;
	struct plan plan;

	if (gobin_open_fd(&bin, *(int *)ctx, "it", err))
		return err->code;
	describe(p, bin);
	p->traceable = !plan_make(&plan, bin, groups_default(), &why_not);
	memcpy(p->why_not, why_not.text, sizeof(p->why_not));
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

/* Did the process that looks at a file fail? Any other error says that the file is no Go program. */
static bool is_failure(int r)
{
	return r == -ETIMEDOUT || r == -EBADMSG || r == -EAGAIN || r == -ENOMEM || r == -EMFILE ||
	       r == -ENFILE;
}

/* The file @fd, as it was found when it was met first. A file of no regular kind is none. */
static const struct executable *executable_of(struct listing *l, int fd)
{
	struct isolated_work work = { .run = examine, .ctx = &fd, .fd = fd, .size = sizeof(struct executable) };
	struct error err = {0};
	struct executable *p;
	struct stat st;
	size_t i;
	int r;

	if (fstat(fd, &st))
		return NULL;
	for (i = 0; i < l->programs.len; i++) {
		p = *vec_at(&l->programs, struct executable *, i);
		if (procfs_same_file(p->id, (struct procfs_file_id){ st.st_dev, st.st_ino }))
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
	*(struct executable **)vec_push(&l->programs, sizeof(p)) = p;
	return p;
}

/* --- processes --- */

static void name_user(struct go_process *proc)
{
	struct passwd *pw = getpwuid(proc->uid);

	if (pw)
		snprintf(proc->user, sizeof(proc->user), "%s", pw->pw_name);
	else
		snprintf(proc->user, sizeof(proc->user), "%u", proc->uid);
}

/* The path as the process sees it; that of a deleted file ends with " (deleted)". */
static void name_exe(const struct listing *l, struct go_process *proc)
{
	char path[PROCFS_PATH];
	ssize_t n;

	procfs_path(&l->fs, proc->pid, "exe", path);
	n = readlink(path, proc->exe, sizeof(proc->exe) - 1);
	proc->exe[n < 0 ? 0 : n] = 0;
}

/* The arguments are the program's to write: it may have left one string, or none. */
static void name_command(const struct listing *l, struct go_process *proc)
{
	struct buf args = {0};
	size_t i;

	procfs_read(&l->fs, proc->pid, "cmdline", COMMAND_MAX, &args);
	while (args.len && !args.data[args.len - 1])
		args.len--;
	for (i = 0; i < args.len; i++)
		args.data[i] = args.data[i] ? args.data[i] : ' ';
	buf_add_byte(&args, 0);
	proc->command = (char *)args.data;
}

/* Seconds: both times are rounded to ticks of 10 ms. */
static const double LEAST_LIFE = 0.1;

static void measure(const struct listing *l, struct go_process *proc)
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

/* Go code in @proc that is not its executable's: a program, if there is none yet. */
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

static void look_at_mappings(struct listing *l, struct go_process *proc,
			     const struct executable *exe)
{
	_cleanup_close_ int root = -1;
	char path[PROCFS_PATH];
	struct maps maps;
	size_t i;

	procfs_path(&l->fs, proc->pid, "root", path);
	root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (!maps_read(&maps, &l->fs, proc->pid))
		for (i = 0; i < maps.code.len; i++)
			look_at_mapping(l, proc, root, exe, vec_at(&maps.code, struct mapping, i));
	maps_free(&maps);
}

static void add_process(struct listing *l, struct go_process *proc)
{
	struct procfs_status st;

	if (procfs_status(&l->fs, proc->pid, "status", &st))
		return;
	proc->uid = st.uid;
	proc->container = containers_of(&l->containers, &l->fs, proc->pid);
	name_user(proc);
	name_exe(l, proc);
	name_command(l, proc);
	measure(l, proc);
	*(struct go_process *)vec_push(&l->processes, sizeof(*proc)) = *proc;
}

static void look_at(struct listing *l, pid_t pid)
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

static int by_cpu(const void *a, const void *b)
{
	const struct go_process *p = a, *q = b;

	if (p->cpu_percent != q->cpu_percent)
		return p->cpu_percent < q->cpu_percent ? 1 : -1;
	return p->pid < q->pid ? -1 : p->pid > q->pid;
}

static int listing_make(struct listing *l, const struct pick *where, struct error *err)
{
	_cleanup_free_ char *root = pick_state_root(where);
	struct vec pids = {0};
	int r = procfs_open(&l->fs, where->proc_dir, err);
	size_t i;

	if (r)
		return r;
	containers_load(&l->containers, root);
	procfs_pids(&l->fs, &pids);
	for (i = 0; i < pids.len; i++)
		look_at(l, *vec_at(&pids, pid_t, i));
	vec_free(&pids);
	if (l->processes.len)
		qsort(l->processes.data, l->processes.len, sizeof(struct go_process), by_cpu);
	return 0;
}

static void listing_release(struct listing *l)
{
	size_t i;

	for (i = 0; i < l->programs.len; i++)
		free(*vec_at(&l->programs, struct executable *, i));
	vec_free(&l->programs);
	for (i = 0; i < l->processes.len; i++)
		free(vec_at(&l->processes, struct go_process, i)->command);
	vec_free(&l->processes);
	vec_free(&l->unseen);
	containers_free(&l->containers);
}

/* NULL: it can be traced. */
static const char *why_not(const struct go_process *proc)
{
	if (proc->is_double)
		return "there are two Go programs in it, of which one is a library";
	return proc->program->traceable ? NULL : proc->program->why_not;
}

/* --- for people --- */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* SIZE_MAX where stdout is no terminal, or one that does not know its width. */
static size_t terminal_width(void)
{
	struct winsize size;

	return !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col ? size.ws_col : SIZE_MAX;
}

/* Prints the first @width characters of @row, and frees it. */
static void print_cut(char *row, size_t width)
{
	size_t n = 0;
	char *p;

	for (p = row; *p; p++) {
		if ((*p & 0xc0) != 0x80 && n++ == width)
			break;
	}
	printf("%.*s\n", (int)(p - row), row);
	free(row);
}

/* The arguments, or the file's name where a program has cleared them. */
static char *command_text(const struct go_process *proc)
{
	_cleanup_free_ char *raw = *proc->library ?
		xasprintf("%s (%s in %s)", proc->command, base_name(proc->library), base_name(proc->exe)) :
		xstrdup(*proc->command ? proc->command : base_name(proc->exe));

	return show_dup(raw);
}

static void print_row(const struct go_process *proc, size_t width)
{
	const struct executable *p = proc->program;
	_cleanup_free_ char *raw = proc->container ? container_label(proc->container) : NULL;
	_cleanup_free_ char *label = show_dup(raw ? raw : "-"), *go = show_dup(p->go);
	_cleanup_free_ char *command = command_text(proc);

	print_cut(xasprintf("%7d %7d %9.1f %-10s %-8s %-3s %-5s %-28s %s", proc->pid, proc->parent,
			    proc->cpu_percent, go, symbols_names[p->symbols], *p->pgo ? "yes" : "no",
			    why_not(proc) ? "no" : "yes", label, command), width);
	if (why_not(proc))
		show_printf(stdout, "        ^ %s\n", why_not(proc));
}

static void print_unseen(const struct listing *l)
{
	size_t i, denied = 0;

	for (i = 0; i < l->unseen.len; i++) {
		const struct unseen *u = vec_at(&l->unseen, struct unseen, i);

		denied += u->denied;
		if (i < UNSEEN_SHOWN)
			show_printf(stderr, "gotap: could not look at process %d (%s): %s\n", u->pid, u->name,
				    u->why);
	}
	if (i > UNSEEN_SHOWN)
		fprintf(stderr, "gotap: could not look at %zu more: `gotap ps --json` names them\n",
			i - UNSEEN_SHOWN);
	if (denied && !(privilege_have() & PRIVILEGE_PTRACE))
		fprintf(stderr, "gotap: could not look at %zu process%s of other users: run gotap as root or "
			"with CAP_SYS_PTRACE\n", denied, denied == 1 ? "" : "es");
}

static void print_listing(const struct listing *l)
{
	size_t i, width = terminal_width();

	if (l->processes.len)
		print_cut(xasprintf("%7s %7s %9s %-10s %-8s %-3s %-5s %-28s %s", "PID", "PPID", "%CPU-LIFE",
				    "GO", "SYMBOLS", "PGO", "TRACE", "CONTAINER", "COMMAND"), width);
	else
		puts(l->unseen.len ? "no Go program seen" : "no Go program runs here");
	for (i = 0; i < l->processes.len; i++)
		print_row(vec_at(&l->processes, struct go_process, i), width);
	print_unseen(l);
}

/* --- as JSON --- */

static void json_container(struct json_out *j, const struct container *c)
{
	_cleanup_free_ char *label = NULL;

	if (!c) {
		json_put_text(j, "container", NULL);
		return;
	}
	label = container_label(c);
	json_open_object(j, "container");
	json_put_text(j, "label", label);
	json_put_text(j, "runtime", c->runtime);
	json_put_text(j, "id", c->id);
	json_put_text(j, "name", c->name);
	json_put_text(j, "pod", c->pod);
	json_put_text(j, "pod_namespace", c->pod_namespace);
	json_put_text(j, "pod_uid", c->pod_uid);
	json_close_object(j);
}

static void json_process(struct json_out *j, const struct go_process *proc)
{
	const struct executable *p = proc->program;

	json_open_object(j, NULL);
	json_put_number(j, "pid", proc->pid);
	json_put_number(j, "parent", proc->parent);
	json_put_real(j, "cpu_percent", proc->cpu_percent, 1);
	json_put_real(j, "cpu_seconds", proc->cpu_seconds, 2);
	json_put_text(j, "command", proc->command);
	json_put_text(j, "user", proc->user);
	json_put_text(j, "exe", proc->exe);
	json_put_text(j, "library", *proc->library ? proc->library : NULL);
	json_put_text(j, "go", p->go);
	json_put_text(j, "module", p->module);
	json_put_text(j, "version", p->version);
	json_put_text(j, "symbols", symbols_names[p->symbols]);
	json_put_text(j, "pgo", *p->pgo ? p->pgo : NULL);
	json_container(j, proc->container);
	json_put_bool(j, "traceable", !why_not(proc));
	json_put_text(j, "why_not", why_not(proc));
	json_close_object(j);
}

static void json_unseen(struct json_out *j, const struct unseen *u)
{
	json_open_object(j, NULL);
	json_put_number(j, "pid", u->pid);
	json_put_text(j, "name", u->name);
	json_put_text(j, "why", u->why);
	json_close_object(j);
}

static void json_listing(const struct listing *l)
{
	struct json_out j = { .f = stdout };
	size_t i;

	json_open_object(&j, NULL);
	json_open_array(&j, "processes");
	for (i = 0; i < l->processes.len; i++)
		json_process(&j, vec_at(&l->processes, struct go_process, i));
	json_close_array(&j);
	json_put_number(&j, "hidden", (int64_t)l->unseen.len);
	json_open_array(&j, "unseen");
	for (i = 0; i < l->unseen.len; i++)
		json_unseen(&j, vec_at(&l->unseen, struct unseen, i));
	json_close_array(&j);
	json_close_object(&j);
	putchar('\n');
}

/* --- the command --- */

/* 0: go on; else the exit status + 1. */
static int read_options(struct pick *where, bool *json, int argc, char **argv)
{
	static const struct option options[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "proc", required_argument, NULL, PICK_PROC },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
		switch (c) {
		case 'j':
			*json = true;
			break;
		case PICK_PROC:
			pick_option(where, c, optarg);
			break;
		case 'h':
			fputs(help, stdout);
			return EXIT_OK + 1;
		default:
			return cmd_bad_option("ps", c, argv) + 1;
		}
	}
	if (optind < argc)
		return cmd_usage("ps", "what is '%s'? gotap ps takes no names", argv[optind]) + 1;
	return 0;
}

int cmd_ps(int argc, char **argv)
{
	struct pick where = {0};
	struct listing l = {0};
	struct error err = {0};
	bool json = false;
	int status = read_options(&where, &json, argc, argv);

	if (status)
		return status - 1;
	if (listing_make(&l, &where, &err))
		status = cmd_fail(&err);
	else if (json)
		json_listing(&l);
	else
		print_listing(&l);
	listing_release(&l);
	return status;
}
