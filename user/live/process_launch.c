// SPDX-License-Identifier: Apache-2.0
/*
 * process_launch: programs that gotap starts, from the fork to the moment when gotap continues
 * them. In: a command. Out: a process that is stopped at an exec.
 *
 * gotap traces the process by PTRACE_SEIZE: an exec stops it without a signal, signals and job
 * control are as without gotap, and if gotap dies the kernel continues the process. Processes that
 * the program starts are not traced.
 */
#define _GNU_SOURCE
#include "live/process.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "live/process_internal.h"

enum { OPTIONS = PTRACE_O_TRACEEXEC | PTRACE_O_TRACESYSGOOD, SYSCALL_STOP = SIGTRAP | 0x80 };

/* --- from stop to stop --- */

static bool is_requested(const struct process *p)
{
	return p->stop && *p->stop;
}

/*
 * As waitpid(2); 0: gotap is asked to stop. The caller has blocked SIGCHLD, which comes with each
 * status. A request that comes between the check and the wait is seen after the timeout, and so is
 * a status if another thread took its SIGCHLD.
 */
static pid_t next_status(const struct process *p, const sigset_t *child, int *status)
{
	static const struct timespec at_most = { .tv_nsec = 200000000 };
	pid_t tid;

	while (!(tid = waitpid(-1, status, __WALL | WNOHANG)) && !is_requested(p))
		sigtimedwait(child, NULL, &at_most);
	return tid;
}

static bool is_thread_of(const struct process *p, pid_t tid)
{
	char task[64], path[PROCFS_PATH];

	snprintf(task, sizeof(task), "task/%d", tid);
	procfs_path(&p->fs, p->pid, task, path);
	return !access(path, F_OK);
}

static bool stops_jobs(int sig)
{
	return sig == SIGSTOP || sig == SIGTSTP || sig == SIGTTIN || sig == SIGTTOU;
}

/* Continues @tid as without gotap: with its signal, or stopped by job control. */
static void launch_pass_on(const struct process *p, pid_t tid, int request, int status)
{
	int sig = WSTOPSIG(status), event = status >> 16;

	if (!is_thread_of(p, tid))	/* a process, made by clone() with unusual flags */
		ptrace(PTRACE_DETACH, tid, NULL, (long)(event ? 0 : sig));
	else if (event == PTRACE_EVENT_STOP && stops_jobs(sig))
		ptrace(PTRACE_LISTEN, tid, NULL, NULL);
	else
		ptrace(request, tid, NULL, (long)(event ? 0 : sig));
}

/* Returns whether @status is a stop that the caller of process_run() waits for. */
static bool is_stop(int status, enum stop *ret)
{
	if (status >> 8 == (SIGTRAP | PTRACE_EVENT_EXEC << 8))
		*ret = STOP_EXEC;
	else if (status >> 8 == SYSCALL_STOP)
		*ret = STOP_SYSCALL;
	else
		return false;
	return true;
}

static enum stop launch_ended(struct process *p, int status)
{
	p->status = status;
	p->reaped = true;
	p->held = false;
	return STOP_ENDED;
}

static enum stop stop_of_status(struct process *p, int request, const sigset_t *child)
{
	enum stop stop;
	int status;
	pid_t tid;

	while ((tid = next_status(p, child, &status)) > 0) {
		if (WIFSTOPPED(status)) {
			if (tid == p->pid && is_stop(status, &stop))
				return stop;
			launch_pass_on(p, tid, request, status);
		} else if (tid == p->pid) {
			return launch_ended(p, status);
		}
	}
	if (tid < 0)
		return launch_ended(p, 0);
	p->held = false;
	return STOP_REQUESTED;
}

static enum stop wait_stop(struct process *p, int request)
{
	sigset_t child, before;
	enum stop stop;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, &before);
	stop = stop_of_status(p, request, &child);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return stop;
}

int process_stop_requested(const struct process *p, struct error *err)
{
	return error_set(err, -EINTR,
			 "ended by a signal before a Go program was run: process %d goes on, and "
			 "there is no trace",
			 p->pid);
}

enum stop process_run(struct process *p, int request)
{
	ptrace(request, p->pid, NULL, NULL);	/* fails only if the process is being killed */
	return wait_stop(p, request);
}

/*
 * Any thread may exec: the other threads then end, and the thread gets the process's id
 * (execve(2)), so that only that id can be stopped there.
 */
int process_next_exec(struct process *p, struct error *err)
{
	enum stop stop;

	ptrace(PTRACE_SETOPTIONS, p->pid, NULL, (long)(OPTIONS | PTRACE_O_TRACECLONE));
	stop = process_run(p, PTRACE_CONT);
	if (stop == STOP_REQUESTED)
		return process_stop_requested(p, err);
	if (stop == STOP_ENDED)
		return error_set(err, -ECHILD, "the command has ended");
	ptrace(PTRACE_SETOPTIONS, p->pid, NULL, (long)OPTIONS);
	return process_open_exe(p, err);
}

/*
 * Returns whether the holder still holds the process. A holder that has ended or stopped waiting
 * has continued it.
 */
static bool has_holder(const struct process *p)
{
	struct procfs_status st;

	return !procfs_status(&p->fs, p->pid, "status", &st) && st.tracer;
}

void process_release(struct process *p)
{
	if (p->held && p->holder >= 0)
		p->hold_lost = !has_holder(p) || send(p->holder, "", 1, MSG_NOSIGNAL) != 1;
	else if (p->held)
		ptrace(PTRACE_DETACH, p->pid, NULL, NULL);
	p->held = false;
}

/* --- the start --- */

/*
 * In the child: execs once gotap traces the child, or sends the parent the reason why exec failed.
 * If gotap has file capabilities, its children are not dumpable, and gotap may not trace them until
 * PR_SET_DUMPABLE allows it.
 */
static void launch_exec_child(char **argv, int out, int parent, void (*in_child)(void))
{
	char go = 0;
	int e;

	in_child();
	prctl(PR_SET_DUMPABLE, 1);
	if (write(parent, &go, 1) != 1 || read(parent, &go, 1) != 1)
		_exit(127);
	if (dup2(out, STDOUT_FILENO) >= 0)
		execvp(argv[0], argv);
	e = errno;
	if (write(parent, &e, sizeof(e)) < 0)
		_exit(126);
	_exit(e == ENOENT ? 127 : 126);	/* the status that env(1) and shells use */
}

static bool launch_is_ready(int child)
{
	ssize_t n;
	char ready;

	do
		n = read(child, &ready, 1);
	while (n < 0 && errno == EINTR);
	return n == 1;
}

static int hold_at_exec(struct process *p, const char *name, int child, struct error *err)
{
	enum stop stop;
	int e;

	if (!launch_is_ready(child) || ptrace(PTRACE_SEIZE, p->pid, NULL, (long)OPTIONS))
		return error_set(err, -errno, "cannot trace '%s' with ptrace: %s", name,
				 strerror(errno));
	stop = write(child, "", 1) == 1 ? wait_stop(p, PTRACE_CONT) : STOP_ENDED;
	if (stop == STOP_EXEC)
		return 0;
	if (stop == STOP_REQUESTED)
		return process_stop_requested(p, err);
	if (read(child, &e, sizeof(e)) == sizeof(e))
		return error_set(err, -e, "cannot run '%s': %s", name, strerror(e));
	return error_set(err, -ECHILD, "'%s' ended before it began", name);
}

int process_launch(struct process *p, const struct procfs *fs, char **argv, int out,
		   void (*in_child)(void), const volatile sig_atomic_t *stop, struct error *err)
{
	_cleanup_close_ int ours = -1;
	int fds[2], r;

	*p = (struct process)PROCESS_CLOSED;
	p->fs = *fs;
	p->launched = true;
	p->stop = stop;
	if (!fs->own)
		return error_set(err, -EINVAL,
				 "'%s' is not of this PID namespace, where a program would run",
				 fs->dir);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds))
		return error_set(err, -errno, "cannot make a socket: %s", strerror(errno));
	ours = fds[0];
	p->pid = fork();
	if (!p->pid) {
		close(ours);	/* so that the child sees the end of gotap */
		launch_exec_child(argv, out, fds[1], in_child);
	}
	close(fds[1]);
	if (p->pid < 0)
		return error_set(err, -errno, "cannot fork: %s", strerror(errno));
	p->held = true;
	r = hold_at_exec(p, argv[0], ours, err);
	if (!r)
		r = process_open_pid(p, err);
	if (r)
		process_close(p);
	return r;
}
