// SPDX-License-Identifier: Apache-2.0
/* process: see process.h. */
#define _GNU_SOURCE
#include "capture/process.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434	/* Linux 5.3 */
#endif

/*
 * The start of the stack (field 28 of /proc/PID/stat) moves with every exec,
 * even of the same file. The command name in field 2 may hold anything, so
 * counting begins behind its last parenthesis.
 */
static uint64_t stack_start(pid_t pid)
{
	char path[64], line[1024], *s;
	ssize_t n;
	int i, fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, line, sizeof(line) - 1);
	close(fd);
	if (n <= 0)
		return 0;
	line[n] = 0;
	s = strrchr(line, ')');
	for (i = 2; s && i < 28; i++)
		s = strchr(s + 1, ' ');
	return s ? strtoull(s, NULL, 10) : 0;
}

static int exe_identity(const struct process *p, uint64_t id[3])
{
	struct stat st;

	if (stat(p->exe, &st))
		return -errno;
	id[0] = st.st_dev;
	id[1] = st.st_ino;
	id[2] = stack_start(p->pid);
	return 0;
}

/* Threads have a /proc entry too, but are no processes: the thread group says. */
static bool is_thread_group(pid_t pid)
{
	char path[64], line[256];
	bool is = true;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "re");
	if (!f)
		return true;
	while (fgets(line, sizeof(line), f))
		if (!strncmp(line, "Tgid:", 5))
			is = atoi(line + 5) == pid;
	fclose(f);
	return is;
}

static int open_pid(struct process *p, struct error *err)
{
	int r;

	p->pidfd = (int)syscall(SYS_pidfd_open, p->pid, 0);
	if (p->pidfd < 0 && errno == EINVAL)
		return error_set(err, -EINVAL, "%d is a thread, not a process: give its process id",
				 p->pid);
	if (p->pidfd < 0)
		return error_set(err, -errno, "no process %d: %s", p->pid, strerror(errno));
	snprintf(p->exe, sizeof(p->exe), "/proc/%d/exe", p->pid);
	r = exe_identity(p, p->exe_id);
	if (r == -ENOENT)
		return error_set(err, r, "process %d has no program file: a kernel thread or a zombie",
				 p->pid);
	if (r)
		return error_set(err, r,
				 "cannot read process %d: %s; run gotap as root or with CAP_SYS_PTRACE",
				 p->pid, strerror(-r));
	return 0;
}

int process_open(struct process *p, pid_t pid, struct error *err)
{
	*p = (struct process){ .pid = pid, .pidfd = -1 };
	if (kill(pid, 0) && errno == ESRCH)
		return error_set(err, -ESRCH, "no process %d", pid);
	if (!is_thread_group(pid))
		return error_set(err, -EINVAL,
				 "%d is a thread, not a process: give its process id", pid);
	return open_pid(p, err);
}

/* In the child: exec, or tell the parent why not through the pipe. */
static void exec_child(char **argv, int fd)
{
	int e;

	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	if (!ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		execvp(argv[0], argv);
	e = errno;
	if (write(fd, &e, sizeof(e)) < 0)
		_exit(126);
	_exit(127);
}

static int wait_for_exec(struct process *p, const char *name, int fd, struct error *err)
{
	int status, e = 0;

	if (read(fd, &e, sizeof(e)) == sizeof(e)) {
		waitpid(p->pid, &status, 0);
		return error_set(err, -e, "cannot run '%s': %s", name, strerror(e));
	}
	if (waitpid(p->pid, &status, 0) < 0 || !WIFSTOPPED(status))
		return error_set(err, -ECHILD, "'%s' ended before it began", name);
	return 0;
}

int process_launch(struct process *p, char **argv, struct error *err)
{
	int fds[2], r;

	*p = (struct process){ .pidfd = -1, .launched = true };
	if (pipe2(fds, O_CLOEXEC))
		return error_set(err, -errno, "cannot make a pipe: %s", strerror(errno));
	p->pid = fork();
	if (p->pid < 0) {
		r = error_set(err, -errno, "cannot fork: %s", strerror(errno));
		close(fds[0]);
		close(fds[1]);
		return r;
	}
	if (!p->pid)
		exec_child(argv, fds[1]);
	close(fds[1]);
	r = wait_for_exec(p, argv[0], fds[0], err);
	close(fds[0]);
	if (r)
		return r;
	p->held = true;
	r = open_pid(p, err);
	if (r)
		process_close(p);
	return r;
}

void process_release(struct process *p)
{
	if (p->held)
		ptrace(PTRACE_DETACH, p->pid, NULL, NULL);
	p->held = false;
}

int process_find_bias(struct process *p, uint64_t entry, struct error *err)
{
	_cleanup_close_ int fd = -1;
	Elf64_auxv_t aux[64];
	char path[64];
	ssize_t n, i;

	snprintf(path, sizeof(path), "/proc/%d/auxv", p->pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, aux, sizeof(aux));
	if (n < 0)
		return error_set(err, -errno,
				 "cannot read '%s': %s; run gotap as root or with CAP_SYS_PTRACE",
				 path, strerror(errno));
	for (i = 0; i < n / (ssize_t)sizeof(aux[0]); i++)
		if (aux[i].a_type == AT_ENTRY) {
			p->bias = aux[i].a_un.a_val - entry;
			return 0;
		}
	return error_set(err, -ESRCH, "process %d has ended", p->pid);
}

bool process_read(const struct process *p, uint64_t addr, void *buf, size_t n)
{
	struct iovec local = { buf, n }, remote = { (void *)(uintptr_t)addr, n };

	return process_vm_readv(p->pid, &local, 1, &remote, 1, 0) == (ssize_t)n;
}

static size_t whole_ranges(const struct iovec *remote, size_t n, size_t got)
{
	size_t i;

	for (i = 0; i < n && got >= remote[i].iov_len; i++)
		got -= remote[i].iov_len;
	return i;
}

size_t process_read_many(const struct process *p, struct iovec *local, struct iovec *remote,
			 size_t n)
{
	size_t done = 0, want, got;
	ssize_t r;

	while (done < n) {
		want = n - done > IOV_MAX ? IOV_MAX : n - done;
		r = process_vm_readv(p->pid, local + done, want, remote + done, want, 0);
		if (r < 0)
			break;
		got = whole_ranges(remote + done, want, (size_t)r);
		done += got;
		if (got < want)
			break;
	}
	return done;
}

bool process_ended(struct process *p)
{
	struct pollfd pfd = { .fd = p->pidfd, .events = POLLIN };

	if (p->reaped)
		return true;
	if (p->launched) {
		p->reaped = waitpid(p->pid, &p->status, WNOHANG) == p->pid &&
			    !WIFSTOPPED(p->status);
		return p->reaped;
	}
	return poll(&pfd, 1, 0) > 0;
}

bool process_execed(const struct process *p)
{
	uint64_t id[3];

	return !exe_identity(p, id) && id[2] && memcmp(id, p->exe_id, sizeof(id));
}

int process_exit_status(const struct process *p)
{
	if (!p->reaped)
		return 0;
	return WIFEXITED(p->status) ? WEXITSTATUS(p->status) : 128 + WTERMSIG(p->status);
}

void process_close(struct process *p)
{
	if (p->held) {	/* never ran: nothing of it must stay behind */
		kill(p->pid, SIGKILL);
		waitpid(p->pid, &p->status, 0);
		p->held = false;
	}
	if (p->pidfd >= 0)
		close(p->pidfd);
	p->pidfd = -1;
}
