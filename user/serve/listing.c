// SPDX-License-Identifier: Apache-2.0
/* listing: see listing.h. */
#include "serve/listing.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/show.h"

/* --- from ps --- */

const char *listing_text_of(struct json_object *of, const char *name)
{
	struct json_object *value;
	const char *text =
		json_object_object_get_ex(of, name, &value) ? json_object_get_string(value) : NULL;

	return text ? text : "";
}

int64_t listing_left_out(const struct listing *l)
{
	struct json_object *value;

	return json_object_object_get_ex(l->root, "left_out", &value) ?
		       json_object_get_int64(value) :
		       0;
}

/* "" for a list that is whole. */
static void left_out_text(const struct listing *l, char ret[static 120])
{
	int64_t n = listing_left_out(l);

	ret[0] = 0;
	if (n)
		snprintf(ret, 120,
			 "the list is not whole: %" PRId64
			 " process%s left out, since looking at files took too long",
			 n, n == 1 ? " was" : "es were");
}

pid_t listing_pid_of(struct json_object *process)
{
	struct json_object *value;

	return json_object_object_get_ex(process, "pid", &value) ? json_object_get_int(value) : 0;
}

const char *listing_container_of(struct json_object *process, const char *name)
{
	struct json_object *container;

	if (!json_object_object_get_ex(process, "container", &container) || !container)
		return "";
	return listing_text_of(container, name);
}

static struct json_object *listing_at(const struct listing *l, size_t i)
{
	return json_object_array_get_idx(l->processes, i);
}

static bool is_allowed(const struct procfs *fs, pid_t pid, const struct peer *who)
{
	struct subject t;
	bool allowed;

	if (!subject_open(&t, fs, pid))
		return false;
	allowed = subject_allowed(&t, who);
	subject_close(&t);
	return allowed;
}

/*
 * Also drops the list of processes that could not be looked at, since it names processes of other
 * users.
 */
static void keep_allowed(struct listing *l, const struct procfs *fs, const struct peer *who)
{
	size_t i = json_object_array_length(l->processes);

	while (i--)
		if (!is_allowed(fs, listing_pid_of(listing_at(l, i)), who))
			json_object_array_del_idx(l->processes, i, 1);
	json_object_object_del(l->root, "unseen");
	json_object_object_del(l->root, "hidden");
}

bool listing_parse(struct listing *l, const char *json, size_t n, const struct procfs *fs,
		   const struct peer *who)
{
	struct json_tokener *tok = json_tokener_new();

	*l = (struct listing){0};
	if (tok && n <= INT32_MAX)
		l->root = json_tokener_parse_ex(tok, json, (int)n);
	json_tokener_free(tok);
	if (!l->root || !json_object_object_get_ex(l->root, "processes", &l->processes) ||
	    !json_object_is_type(l->processes, json_type_array)) {
		listing_free(l);
		return false;
	}
	if (!who->all)
		keep_allowed(l, fs, who);
	return true;
}

void listing_free(struct listing *l)
{
	if (l->root)
		json_object_put(l->root);
	*l = (struct listing){0};
}

/*
 * The command line in the text and the page, or the executable where that is empty. The caller
 * frees it.
 */
static char *listing_command_of(struct json_object *process)
{
	const char *command = listing_text_of(process, "command");
	struct json_object *cut;

	if (json_object_object_get_ex(process, "command_cut", &cut) && json_object_get_boolean(cut))
		return xasprintf("%s ...", command);
	return xstrdup(*command ? command : listing_text_of(process, "exe"));
}

/* --- by name --- */

static const char *listing_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

const char *listing_program_of(struct json_object *process)
{
	return listing_base_name(listing_text_of(process, "exe"));
}

bool listing_has_name(struct json_object *process, const char *name)
{
	static const char *const of_container[] = { "name", "pod", "id" };
	size_t i;

	if (!strcmp(listing_program_of(process), name))
		return true;
	for (i = 0; i < sizeof(of_container) / sizeof(of_container[0]); i++)
		if (!strcmp(listing_container_of(process, of_container[i]), name))
			return true;
	return false;
}

bool listing_find(const struct listing *l, const char *name, pid_t *ret, struct refusal *why)
{
	size_t i, found = 0, n = json_object_array_length(l->processes);
	struct buf list = {0};
	char left_out[120];

	for (i = 0; i < n; i++) {
		struct json_object *process = json_object_array_get_idx(l->processes, i);

		if (!listing_has_name(process, name))
			continue;
		*ret = listing_pid_of(process);
		if (list.len < 100)
			buf_printf(&list, "%s%d", found ? ", " : "", *ret);
		found++;
	}
	buf_add_byte(&list, 0);
	left_out_text(l, left_out);
	if (!found)
		refuse(why, 404,
		       "no Go program of that name runs here that you may ask about: see "
		       "/processes%s%s",
		       *left_out ? "; " : "", left_out);
	if (found > 1)
		refuse(why, 409, "%zu processes have that name: give one as \"pid\": %s", found,
		       (char *)list.data);
	buf_free(&list);
	return found == 1;
}

/* --- as text --- */

static void add_shown(struct buf *out, const char *fmt, const char *text)
{
	_cleanup_free_ char *shown = show_dup(*text ? text : "-");

	buf_printf(out, fmt, shown);
}

void listing_text(const struct listing *l, struct buf *out)
{
	size_t i, n = json_object_array_length(l->processes);
	char left_out[120];

	buf_printf(out, "%7s %-10s %-12s %-28s %s\n", "PID", "GO", "USER", "CONTAINER", "COMMAND");
	for (i = 0; i < n; i++) {
		struct json_object *process = json_object_array_get_idx(l->processes, i);
		_cleanup_free_ char *command = listing_command_of(process);

		buf_printf(out, "%7d ", listing_pid_of(process));
		add_shown(out, "%-10s ", listing_text_of(process, "go"));
		add_shown(out, "%-12s ", listing_text_of(process, "user"));
		add_shown(out, "%-28s ", listing_container_of(process, "label"));
		add_shown(out, "%s\n", command);
	}
	left_out_text(l, left_out);
	if (*left_out)
		buf_printf(out, "# %s\n", left_out);
}

void listing_json(const struct listing *l, struct buf *out)
{
	const char *text = json_object_to_json_string_ext(
		l->root, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);

	buf_add(out, text, strlen(text));
	buf_add_byte(out, '\n');
}

/* --- as a page --- */

static void add_escaped(struct buf *out, const char *text)
{
	_cleanup_free_ char *shown = show_dup(text);
	const char *p;

	for (p = shown; *p; p++) {
		if (strchr("<>&\"'", *p))
			buf_printf(out, "&#%d;", *p);
		else
			buf_add_byte(out, (uint8_t)*p);
	}
}

static void begin_page(struct buf *out)
{
	buf_printf(
		out,
		"<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>gotap serve</title>\n"
		"<style>body{font-family:sans-serif;margin:2em}td,th{text-align:left;padding:.1em "
		"1em .1em 0}"
		"</style></head>\n<body>\n");
}

static void add_cell(struct buf *out, const char *text)
{
	buf_printf(out, "<td>");
	add_escaped(out, text);
	buf_printf(out, "</td>");
}

static void add_row(struct buf *out, struct json_object *process)
{
	_cleanup_free_ char *command = listing_command_of(process);
	pid_t pid = listing_pid_of(process);

	buf_printf(out, "<tr><td><a href=\"/debug/pprof/?pid=%d\">%d</a></td>", pid, pid);
	add_cell(out, listing_text_of(process, "go"));
	add_cell(out, listing_text_of(process, "user"));
	add_cell(out, listing_container_of(process, "label"));
	add_cell(out, command);
	buf_printf(out, "</tr>\n");
}

void listing_page(const struct listing *l, struct buf *out)
{
	size_t i, n = json_object_array_length(l->processes);
	char left_out[120];

	begin_page(out);
	buf_printf(out, "<h1>Go programs that run here</h1>\n<table>\n"
			"<tr><th>pid</th><th>Go</th><th>user</th><th>container</th><th>command</"
			"th></tr>\n");
	for (i = 0; i < n; i++)
		add_row(out, json_object_array_get_idx(l->processes, i));
	left_out_text(l, left_out);
	buf_printf(out,
		   "</table>\n<p>%s</p>\n<p>As text: <a href=\"/processes\">/processes</a>, "
		   "<a href=\"/processes.json\">/processes.json</a></p>\n</body></html>\n",
		   left_out);
}

void listing_page_of(pid_t pid, struct buf *out)
{
	const struct endpoint *e;

	begin_page(out);
	buf_printf(out, "<h1>Process %d</h1>\n<table>\n", pid);
	for (e = endpoints; e->path; e++) {
		if (!e->about)
			continue;
		buf_printf(out, "<tr><td><a href=\"%s?pid=%d\">%s</a></td><td>%s", e->path, pid,
			   strrchr(e->path, '/') + 1, e->about);
		if (e->seconds)
			buf_printf(out, "; &amp;seconds=N, else %u", e->seconds);
		buf_printf(out, "</td></tr>\n");
	}
	buf_printf(
		out,
		"<tr><td><a href=\"/debug/pprof/goroutine?pid=%d&amp;debug=2\">full goroutine "
		"stack "
		"dump</a></td>"
		"<td></td></tr>\n</table>\n<p><a href=\"/\">all programs</a></p>\n</body></html>\n",
		pid);
}
