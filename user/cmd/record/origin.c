// SPDX-License-Identifier: Apache-2.0
/* origin: see origin.h. */
#define _GNU_SOURCE
#include "cmd/record/origin.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "read/origin.h"

/* The texts of log events: that of the program, and that of the recording. */
enum { ORIGIN_PROGRAM_TEXT, ORIGIN_RECORDING_TEXT };

static void origin_keep(struct capture_info *info, int which, struct buf *text)
{
	snprintf(info->origin[which], sizeof(info->origin[which]), "%.*s", (int)text->len,
		 (const char *)text->data);
	buf_free(text);
}

static void origin_fill_program(struct capture_info *info, const struct gobin *bin)
{
	struct buf text = {0};

	origin_put(&text, ORIGIN_PROGRAM, info->exe);
	origin_put(&text, ORIGIN_MODULE, gobin_module_path(bin));
	origin_put(&text, ORIGIN_VERSION, gobin_module_version(bin));
	origin_put(&text, ORIGIN_GO, info->go_version);
	origin_put(&text, ORIGIN_BUILD, info->build_id);
	origin_keep(info, ORIGIN_PROGRAM_TEXT, &text);
}

/* The program can write its arguments: it may have left one string, or none. */
static void origin_put_command(struct buf *text, const struct process *proc)
{
	enum { MOST = 1024 };
	struct buf args = {0};
	size_t i;

	procfs_read(&proc->fs, proc->pid, "cmdline", MOST, &args);
	while (args.len && !args.data[args.len - 1])
		args.len--;
	for (i = 0; i < args.len; i++)
		args.data[i] = args.data[i] ? args.data[i] : ' ';
	buf_add_byte(&args, 0);
	origin_put(text, ORIGIN_COMMAND, (const char *)args.data);
	buf_free(&args);
}

static void origin_put_time(struct buf *text)
{
	time_t now = time(NULL);
	char date[32] = "";
	struct tm utc;

	if (gmtime_r(&now, &utc))
		strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", &utc);
	origin_put(text, ORIGIN_DATE, date);
}

/* The number of the network namespace; sockets of two of them are not connected by loopback. */
static void origin_put_netns(struct buf *text, const struct process *proc)
{
	char path[PROCFS_PATH], link[64], number[32];
	ssize_t n;

	procfs_path(&proc->fs, proc->pid, "ns/net", path);
	n = readlink(path, link, sizeof(link) - 1);
	link[n < 0 ? 0 : n] = 0;
	if (sscanf(link, "net:[%31[0-9]", number) == 1)
		origin_put(text, ORIGIN_NETNS, number);
}

static void origin_fill_recording(struct capture_info *info, const struct process *proc,
				  bool without_command)
{
	struct buf text = {0};
	char pid[16], host[256] = "";

	snprintf(pid, sizeof(pid), "%d", proc->pid);
	gethostname(host, sizeof(host) - 1);
	origin_put(&text, ORIGIN_PID, pid);
	origin_put(&text, ORIGIN_HOST, host);
	origin_put_netns(&text, proc);
	origin_put_time(&text);
	origin_put(&text, ORIGIN_GOTAP, GOTAP_VERSION);
	if (!without_command)
		origin_put_command(&text, proc);
	origin_keep(info, ORIGIN_RECORDING_TEXT, &text);
}

void origin_fill(struct capture_info *info, const struct process *proc, const struct gobin *bin,
		 bool without_command)
{
	origin_fill_program(info, bin);
	origin_fill_recording(info, proc, without_command);
}
