// SPDX-License-Identifier: Apache-2.0
/* threads: see threads.h. */
#define _GNU_SOURCE
#include "inline/threads.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "inline/vm.h"

enum { FILE_MAX = 8192, USER_CODE = 0x33 /* the 64-bit code segment */ };

/* --- files of one thread --- */

/* Reads a file of a thread and appends a NUL. */
static int read_task_file(const struct process *p, pid_t tid, const char *name, struct buf *ret)
{
	char what[64];

	snprintf(what, sizeof(what), "task/%d/%s", tid ? tid : p->pid, name);
	return procfs_read(&p->fs, p->pid, what, FILE_MAX, ret);
}

/* "running", or "NUMBER ARG... SP PC", or "-1 SP PC". */
static void parse_where(const char *text, struct where *ret)
{
	uint64_t *a = ret->args;

	*ret = (struct where){ .call = -1 };
	if (sscanf(text,
		   "%ld %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64
		   " %" SCNx64 " %" SCNx64,
		   &ret->call, &a[0], &a[1], &a[2], &a[3], &a[4], &a[5], &ret->sp, &ret->pc) == 9)
		ret->blocked = true;
	else if (sscanf(text, "-1 %" SCNx64 " %" SCNx64, &ret->sp, &ret->pc) == 2)
		ret->blocked = true;
}

int thread_where(const struct process *p, pid_t tid, struct where *ret)
{
	struct buf text = {0};
	int r = read_task_file(p, tid, "syscall", &text);

	if (!r)
		parse_where((char *)text.data, ret);
	buf_free(&text);
	return r == -ENOENT ? -ESRCH : r;
}

/* Stores the value of a field of the status file, which begins after the tab. */
static bool status_field(const struct process *p, pid_t tid, const char *field, char ret[32])
{
	struct buf text = {0};
	const char *at = NULL;
	char line[64];

	snprintf(line, sizeof(line), "\n%s:\t", field);
	if (!read_task_file(p, tid, "status", &text))
		at = strstr((char *)text.data, line);
	if (at)
		snprintf(ret, 32, "%.31s", at + strlen(line));
	buf_free(&text);
	return at;
}

long thread_status(const struct process *p, pid_t tid, const char *field)
{
	char value[32];

	return status_field(p, tid, field, value) ? strtol(value, NULL, 10) : -1;
}

char thread_state(const struct process *p, pid_t tid)
{
	char value[32];

	return status_field(p, tid, "State", value) ? value[0] : 0;
}

/* --- threads that sleep --- */

enum { ENOUGH = 4 };	/* one thread is enough, but it may wake meanwhile */

enum sleep { AWAKE, FOR_A_TIME, UNTIL_WOKEN };

static bool is_within(const uint64_t host[2], uint64_t pc)
{
	return host[0] < pc && pc < host[1];
}

/*
 * Returns whether the futex call is a wait: the runtime uses the result of a FUTEX_WAKE, never that
 * of a FUTEX_WAIT.
 */
static bool is_wait(uint64_t op)
{
	return (op & FUTEX_CMD_MASK) == FUTEX_WAIT;
}

/*
 * Returns how a thread sleeps at @pc. restart_syscall continues a timed wait that was interrupted
 * before; the second argument is still that of the first call.
 */
static enum sleep sleep_of(const struct inject_hosts *hosts, long call, uint64_t pc, uint64_t arg2)
{
	if (is_within(hosts->futex, pc) && is_wait(arg2)) {
		if (call == SYS_futex)
			return UNTIL_WOKEN;
		if (call == SYS_restart_syscall)
			return FOR_A_TIME;
	}
	if (is_within(hosts->usleep, pc) && (call == SYS_nanosleep || call == SYS_restart_syscall))
		return FOR_A_TIME;
	return AWAKE;
}

static enum sleep sleep_of_thread(const struct process *p, const struct inject_hosts *hosts,
				  pid_t tid)
{
	struct where w;

	if (thread_where(p, tid, &w) || !w.blocked)
		return AWAKE;
	return sleep_of(hosts, w.call, w.pc, w.args[1]);
}

static void inline_threads_append(struct vec *to, const struct vec *tids)
{
	size_t i;

	for (i = 0; i < tids->len; i++)
		*(pid_t *)vec_push(to, sizeof(pid_t)) = *vec_at(tids, pid_t, i);
}

void threads_asleep(const struct process *p, const struct inject_hosts *hosts, struct vec *ret)
{
	struct vec all = {0}, timed = {0};
	size_t i;

	procfs_tids(&p->fs, p->pid, &all);
	for (i = 0; i < all.len && ret->len < ENOUGH; i++) {
		pid_t tid = *vec_at(&all, pid_t, i);

		switch (sleep_of_thread(p, hosts, tid)) {
		case AWAKE:
			break;
		case FOR_A_TIME:
			*(pid_t *)vec_push(&timed, sizeof(pid_t)) = tid;
			break;
		case UNTIL_WOKEN:
			*(pid_t *)vec_push(ret, sizeof(pid_t)) = tid;
		}
	}
	inline_threads_append(ret, &timed);
	vec_free(&all);
	vec_free(&timed);
}

/*
 * Reads memory, so that it must be called before the thread is held: a read may wait for a thread
 * that gets no processor.
 */
uint64_t thread_sleeps_at(const struct process *p, const struct inject_hosts *hosts, pid_t tid)
{
	static const uint8_t syscall_insn[] = { 0x0f, 0x05 };
	uint8_t insn[2];
	struct where w;

	if (thread_where(p, tid, &w) || !w.blocked ||
	    sleep_of(hosts, w.call, w.pc, w.args[1]) == AWAKE)
		return 0;
	return vm_read(p, w.pc - 2, insn, 2) == 2 && !memcmp(insn, syscall_insn, 2) ? w.pc : 0;
}

bool thread_is_asleep(const struct inject_hosts *hosts, const struct user_regs_struct *regs)
{
	return regs->cs == USER_CODE &&
	       sleep_of(hosts, (long)regs->orig_rax, regs->rip, regs->rsi) != AWAKE;
}

/*
 * Each of these functions of the runtime makes the system call of its name, or restart_syscall(2)
 * after an interruption.
 */
bool thread_has_call(const struct inject_hosts *hosts, long call, uint64_t pc)
{
	if (!is_within(hosts->futex, pc) && !is_within(hosts->usleep, pc))
		return false;
	return call != SYS_futex && call != SYS_nanosleep && call != SYS_restart_syscall;
}
