// SPDX-License-Identifier: Apache-2.0
/* show: see show.h. */
#define _GNU_SOURCE
#include "cmd/ps/show.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/cleanup.h"
#include "base/json_out.h"
#include "base/show.h"
#include "cmd/next.h"
#include "proc/privilege.h"

/* JSON_VERSION: that of the schema ps (docs/json.md). */
enum { UNSEEN_SHOWN = 20, JSON_VERSION = 1 };

static const char *const symbols_names[] = {
	[STRIPPED] = "stripped", [SYMTAB] = "symtab", [DWARF] = "dwarf",
};


/* NULL: it can be traced. */
static const char *why_not(const struct go_process *proc)
{
	if (proc->is_double)
		return "there are two Go programs in it, of which one is a library";
	return proc->program->traceable ? NULL : proc->program->why_not;
}

/* --- for people --- */

static const char *ps_show_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* SIZE_MAX where stdout is no terminal, or one that does not know its width. */
static size_t ps_show_terminal_width(void)
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
	_cleanup_free_ char *raw =
		*proc->library ?
			xasprintf("%s (%s in %s)", proc->command, ps_show_base_name(proc->library),
				  ps_show_base_name(proc->exe)) :
			xstrdup(*proc->command ? proc->command : ps_show_base_name(proc->exe));

	return show_dup(raw);
}

/* The caller frees it. */
static char *container_text(const struct go_process *proc)
{
	_cleanup_free_ char *raw = proc->container ? container_label(proc->container) : NULL;

	return show_dup(raw ? raw : "-");
}

/*
 * The width of the column CONTAINER: no more than its texts need, so that the commands find room on
 * a terminal.
 */
static int container_column(const struct listing *l)
{
	enum { LEAST = sizeof("CONTAINER") - 1, MOST = 28 };
	size_t i, n, ret = LEAST;

	for (i = 0; i < l->processes.len && ret < MOST; i++) {
		_cleanup_free_ char *text =
			container_text(vec_at(&l->processes, struct go_process, i));

		n = strlen(text);
		ret = n > ret ? n : ret;
	}
	return (int)(ret < MOST ? ret : MOST);
}

static void print_row(const struct go_process *proc, int column, size_t width)
{
	const struct executable *p = proc->program;
	_cleanup_free_ char *label = container_text(proc), *go = show_dup(p->go);
	_cleanup_free_ char *command = command_text(proc);
	char goroutines[32] = "-";

	if (proc->goroutines.n >= 0)
		snprintf(goroutines, sizeof(goroutines), "%" PRId64, proc->goroutines.n);
	print_cut(xasprintf("%7d %7d %9.1f %10s %-10s %-8s %-3s %-5s %-*s %s", proc->pid,
			    proc->parent, proc->cpu_percent, goroutines, go,
			    symbols_names[p->symbols], *p->pgo ? "yes" : "no",
			    why_not(proc) ? "no" : "yes", column, label, command),
		  width);
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
			show_printf(stderr, "gotap: could not look at process %d (%s): %s\n",
				    u->pid, u->name, u->why);
	}
	if (i > UNSEEN_SHOWN)
		fprintf(stderr, "gotap: could not look at %zu more: `gotap ps --json` names them\n",
			i - UNSEEN_SHOWN);
	if (l->left_out)
		fprintf(stderr,
			"gotap: the list is not whole: %zu process%s left out, since looking at "
			"files took too long\n",
			l->left_out, l->left_out == 1 ? " was" : "es were");
	if (denied && !(privilege_have() & PRIVILEGE_PTRACE))
		fprintf(stderr,
			"gotap: could not look at %zu process%s of other users: run gotap as root "
			"or with CAP_SYS_PTRACE\n",
			denied, denied == 1 ? "" : "es");
}

/* The first rows are those that used most CPU. */
static const struct go_process *ps_show_first(const struct listing *l, bool traceable)
{
	size_t i;

	for (i = 0; i < l->processes.len; i++) {
		const struct go_process *proc = vec_at(&l->processes, struct go_process, i);

		if (!why_not(proc) == traceable)
			return proc;
	}
	return NULL;
}

static void ps_show_print_next(const struct listing *l)
{
	const struct go_process *busy = ps_show_first(l, true), *not = ps_show_first(l, false);
	struct next next = {0};
	char pid[16];

	if (busy || not)
		snprintf(pid, sizeof(pid), "%d", (busy ? busy : not)->pid);
	next.pid = busy || not ? pid : NULL;
	next_want(&next, busy ? NEXT_RECORD : not ? NEXT_DOCTOR : NEXT_LAUNCH);
	next.other = "COMMAND";
	next_print(&next, stdout);
}

void ps_show_table(const struct listing *l)
{
	size_t i, width = ps_show_terminal_width();
	int column = container_column(l);

	if (l->processes.len)
		print_cut(xasprintf("%7s %7s %9s %10s %-10s %-8s %-3s %-5s %-*s %s", "PID", "PPID",
				    "%CPU-LIFE", "GOROUTINES", "GO", "SYMBOLS", "PGO", "TRACE",
				    column, "CONTAINER", "COMMAND"),
			  width);
	else
		puts(l->unseen.len ? "no Go program seen" : "no Go program runs here");
	for (i = 0; i < l->processes.len; i++)
		print_row(vec_at(&l->processes, struct go_process, i), column, width);
	ps_show_print_next(l);
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

static void json_goroutines(struct json_out *j, const struct ps_goroutines *g)
{
	int i;

	if (g->n < 0) {
		json_put_text(j, "goroutines", NULL);
		json_put_text(j, "goroutines_by_state", NULL);
		return;
	}
	json_put_number(j, "goroutines", g->n);
	json_open_object(j, "goroutines_by_state");
	for (i = 0; i < PS_STATES; i++)
		json_put_count(j, ps_state_names[i], g->in[i]);
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
	json_goroutines(j, &proc->goroutines);
	json_put_text(j, "command", proc->command);
	json_put_bool(j, "command_cut", proc->command_cut);
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

void ps_show_json(const struct listing *l)
{
	struct json_out j = { .f = stdout };
	size_t i;

	json_open_object(&j, NULL);
	json_put_count(&j, "version", JSON_VERSION);
	json_open_array(&j, "processes");
	for (i = 0; i < l->processes.len; i++)
		json_process(&j, vec_at(&l->processes, struct go_process, i));
	json_close_array(&j);
	json_put_number(&j, "hidden", (int64_t)l->unseen.len);
	json_put_number(&j, "left_out", (int64_t)l->left_out);
	json_open_array(&j, "unseen");
	for (i = 0; i < l->unseen.len; i++)
		json_unseen(&j, vec_at(&l->unseen, struct unseen, i));
	json_close_array(&j);
	json_close_object(&j);
	putchar('\n');
}
