// SPDX-License-Identifier: Apache-2.0
/* process: see process.h. */
#define _GNU_SOURCE
#include "live/process.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/open_under.h"
#include "live/memory.h"
#include "base/clock.h"
#include "live/process_internal.h"
#include "proc/privilege.h"

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434	/* Linux 5.3 */
#endif

/*
 * An exec on a busy machine takes at most this long from the end of the old memory to the start of
 * the program.
 */
#define EXEC_NS 500000000ULL
static const struct timespec moment = { .tv_nsec = 1000000 };	/* between two looks */

/* a field of the stat file that changes with every exec, also of the same file */
enum { STACK_START = 28 };

void process_file_path(int fd, char ret[PROCFS_PATH])
{
	snprintf(ret, PROCFS_PATH, "/proc/self/fd/%d", fd);
}

int process_file_of_path(const char *path)
{
	int fd;

	return path && sscanf(path, "/proc/self/fd/%d", &fd) == 1 ? fd : -1;
}

static void process_drop(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static int exe_identity(const struct process *p, uint64_t id[3])
{
	struct procfs_file_id exe;
	int r = procfs_file_id(&p->fs, p->pid, "exe", &exe);

	if (r)
		return r;
	id[0] = exe.dev;
	id[1] = exe.ino;
	id[2] = procfs_stat_field(&p->fs, p->pid, STACK_START);
	return 0;
}

static int no_process(const struct process *p, int e, struct error *err)
{
	if (e == -ESRCH || e == -ENOENT)
		return error_set(err, -ESRCH, "no process %d", p->pid);
	return error_set(err, e, "no process %d: %s", p->pid, strerror(-e));
}

/*
 * Without the right to read, the error names all rights that a recording needs, so that the user
 * can give all of them at once.
 */
static int may_not_read(struct process *p, const char *what, int e, struct error *err)
{
	char why[256];

	if (e != -EACCES && e != -EPERM) {
		if (process_ended(p))
			return no_process(p, -ESRCH, err);
		return error_set(err, e, "cannot read %s process %d: %s", what, p->pid,
				 strerror(-e));
	}
	privilege_explain(privilege_have() & PRIVILEGE_PTRACE ? PRIVILEGE_PTRACE :
			  PRIVILEGE_BPF | PRIVILEGE_PERFMON | PRIVILEGE_PTRACE, why);
	return error_set(err, e, "not allowed to read %s process %d: %s", what, p->pid, why);
}

static int open_handle(struct process *p, struct error *err)
{
	char path[PROCFS_PATH];

	if (p->fs.own) {
		p->pidfd = (int)syscall(SYS_pidfd_open, p->pid, 0);
		return p->pidfd < 0 ? no_process(p, -errno, err) : 0;
	}
	procfs_path(&p->fs, p->pid, "", path);
	p->pidfd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (p->pidfd < 0)
		return no_process(p, -errno, err);
	p->memory = openat(p->pidfd, "mem", O_RDONLY | O_CLOEXEC);
	if (p->memory < 0)
		return may_not_read(p, "the memory of", -errno, err);
	return 0;
}

static bool is_kernel_thread(const struct process *p)
{
	/* field of the stat file; include/linux/sched.h */
	enum { FLAGS = 9, PF_KTHREAD = 0x200000 };

	return procfs_stat_field(&p->fs, p->pid, FLAGS) & PF_KTHREAD;
}

/*
 * A process that has lost its first thread shows no program. Either all of it has ended, or its
 * other threads run, and one of them may exec: that thread then becomes the first one.
 */
static bool may_yet_exec(struct process *p)
{
	return !process_ended(p) && !is_kernel_thread(p);
}

/* Opens the executable. -EAGAIN: the process exec'ed between the two looks. */
static int hold_exe(struct process *p)
{
	char path[PROCFS_PATH];
	struct stat st;
	int r;

	process_drop(&p->exe_file);
	procfs_path(&p->fs, p->pid, "exe", path);
	p->exe_file = open_regular(path);
	if (p->exe_file < 0)
		return p->exe_file;
	if (fstat(p->exe_file, &st))
		return -errno;
	r = exe_identity(p, p->exe_id);
	if (r)
		return r;
	return p->exe_id[0] == st.st_dev && p->exe_id[1] == st.st_ino ? 0 : -EAGAIN;
}

/*
 * Opens the root folder. A program that a launched command execs may have another one: chroot(8),
 * unshare(1), bwrap(1).
 */
static void hold_root(struct process *p)
{
	char path[PROCFS_PATH];

	process_drop(&p->root);
	procfs_path(&p->fs, p->pid, "root", path);
	p->root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/*
 * Opens the executable; waits for the end of an exec that is under way, since until then there is
 * no program.
 */
static int hold_exe_soon(struct process *p)
{
	uint64_t end = now_ns() + EXEC_NS;
	int r;

	while ((r = hold_exe(p)) == -EAGAIN || (r == -ENOENT && may_yet_exec(p))) {
		if (now_ns() > end)
			break;
		nanosleep(&moment, NULL);
	}
	return r;
}

int process_open_exe(struct process *p, struct error *err)
{
	int r = hold_exe_soon(p);

	if (r == -ENOENT && is_kernel_thread(p))
		return error_set(err, r, "process %d has no program file: it is a kernel thread",
				 p->pid);
	if (r == -ENOENT && process_ended(p))
		return error_set(err, r, "process %d has ended", p->pid);
	if (r == -ENOENT)
		return error_set(err, r,
				 "process %d shows no program file: its first thread has ended, "
				 "and only other "
				 "threads go on",
				 p->pid);
	if (r)
		return may_not_read(p, "the program of", r, err);
	process_file_path(p->exe_file, p->exe);
	hold_root(p);
	return 0;
}

/* Checks that @p is a process: threads have a /proc entry too, but another thread group. */
static int process_check_status(const struct process *p, const struct procfs_status *st, int r,
			struct error *err)
{
	if (r == -ENOENT || r == -ESRCH)
		return error_set(err, -ESRCH, "no process %d", p->pid);
	if (!r && st->tgid != p->pid)
		return error_set(err, -EINVAL,
				 "%d is a thread, not a process: give its process id", p->pid);
	return 0;
}

int process_open_pid(struct process *p, struct error *err)
{
	struct procfs_status st;
	int r = procfs_status(&p->fs, p->pid, "status", &st);

	r = process_check_status(p, &st, r, err);
	if (!r)
		r = open_handle(p, err);
	if (!r)
		r = process_open_exe(p, err);
	p->bpf_tgid = p->pid;
	if (!r && !p->fs.initial)
		r = process_use_inner_ids(p, err);
	return r;
}

int process_open(struct process *p, const struct procfs *fs, pid_t pid, struct error *err)
{
	*p = (struct process)PROCESS_CLOSED;
	p->fs = *fs;
	p->pid = pid;
	return process_open_pid(p, err);
}

int process_open_held(struct process *p, const struct procfs *fs, pid_t pid, int holder,
		      struct error *err)
{
	int r = process_open(p, fs, pid, err);

	p->launched = p->held = true;
	p->holder = holder;
	return r;
}

/* --- ids in PID namespaces --- */

int process_use_inner_ids(struct process *p, struct error *err)
{
	struct procfs_status st;
	int r = procfs_status(&p->fs, p->pid, "status", &st);

	if (!r)
		r = procfs_file_id(&p->fs, p->pid, "ns/pid", &p->bpf_ns);
	if (r || !st.levels)
		return may_not_read(p, "the PID namespace of", r ? r : -ESRCH, err);
	p->bpf_tgid = procfs_inner_id(&st);
	return 0;
}

bool process_needs_tid_map(const struct process *p)
{
	struct procfs_status st;

	if (p->core || p->bpf_ns.ino)
		return false;
	return !procfs_status(&p->fs, p->pid, "status", &st) && st.levels > 1;
}

void process_map_tids(const struct process *p, struct map64 *ret)
{
	procfs_map_tids(&p->fs, p->pid, ret);
}

/* --- where it is in memory --- */

/*
 * Reads the entry from the auxiliary vector as the kernel left it at the top of the stack, after
 * argc, argv and envp. Its file in /proc takes the owner's rights or CAP_DAC_READ_SEARCH; this read
 * takes no right that gotap does not need anyway.
 */
static bool entry_from_stack(const struct process *p, uint64_t *entry)
{
	enum { WORDS = 64, LIMIT = 1 << 20 };
	uint64_t at = p->exe_id[2] + 8, word[2];	/* after argc */
	size_t i, ends = 0, left = LIMIT;

	if (!p->exe_id[2])
		return false;
	for (; ends < 2 && left; left--, at += 8) {
		if (!memory_read(p, at, word, 8))
			return false;
		ends += !word[0];
	}
	for (i = 0; i < WORDS; i += 2, at += 16) {
		if (!memory_read(p, at, word, 16) || word[0] == AT_NULL)
			return false;
		if (word[0] == AT_ENTRY) {
			*entry = word[1];
			return true;
		}
	}
	return false;
}

static int entry_from_file(const struct process *p, uint64_t *entry)
{
	_cleanup_close_ int fd = -1;
	Elf64_auxv_t aux[64];
	char path[PROCFS_PATH];
	ssize_t n, i;

	procfs_path(&p->fs, p->pid, "auxv", path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, aux, sizeof(aux));
	if (n < 0)
		return -errno;
	for (i = 0; i < n / (ssize_t)sizeof(aux[0]); i++)
		if (aux[i].a_type == AT_ENTRY) {
			*entry = aux[i].a_un.a_val;
			return 0;
		}
	return -ESRCH;
}

int process_entry(struct process *p, uint64_t *ret, struct error *err)
{
	int r = entry_from_file(p, ret);

	if ((r == -EACCES || r == -EPERM) && entry_from_stack(p, ret))
		r = 0;
	if (r && memory_is_silent(p))
		return memory_error(p, NULL, "the stack", err);
	if (r == -ESRCH)
		return error_set(err, r, "process %d has ended", p->pid);
	if (r)
		return may_not_read(p, "the memory of", r, err);
	return 0;
}

int process_find_bias(struct process *p, uint64_t entry, struct error *err)
{
	uint64_t loaded, end = now_ns() + EXEC_NS;
	int r;

	/*
	 * during an exec the process has no entry until its stack is laid out (create_elf_tables)
	 */
	while ((r = process_entry(p, &loaded, err)) == -ESRCH && !process_ended(p) &&
	       now_ns() < end)
		nanosleep(&moment, NULL);
	if (!r)
		p->bias = loaded - entry;
	return r;
}

/* --- its clock --- */

/* Parses a line "monotonic SECONDS NANOSECONDS". */
static bool parse_offset(const char *text, int64_t *ret)
{
	const char *line = strstr(text, "monotonic");
	int64_t s, ns;

	if (!line || sscanf(line, "monotonic %" SCNd64 " %" SCNd64, &s, &ns) != 2)
		return false;
	*ret = s * 1000000000 + ns;
	return true;
}

/*
 * The file timens_offsets has the offsets of the time namespace for children, which is the
 * process's own unless it has just called unshare(2).
 */
uint64_t process_nanotime(const struct process *p)
{
	struct procfs_file_id own, children;
	struct buf text = {0};
	int64_t offset = 0;
	bool known;

	if (p->core)
		return 0;
	if (procfs_file_id(&p->fs, p->pid, "ns/time", &own))
		return now_ns();	/* a kernel without time namespaces */
	known = !procfs_file_id(&p->fs, p->pid, "ns/time_for_children", &children) &&
		procfs_same_file(own, children) &&
		!procfs_read(&p->fs, p->pid, "timens_offsets", 4096, &text) &&
		parse_offset((char *)text.data, &offset);
	buf_free(&text);
	return known ? now_ns() + (uint64_t)offset : 0;
}

/*
 * Returns whether the process has ended, by its folder: the folder of an ended process is empty,
 * even if another process has its id now.
 */
static bool has_no_folder(const struct process *p)
{
	char text[512] = "";
	const char *state;
	int fd = openat(p->pidfd, "stat", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	state = n > 0 ? strrchr(text, ')') : NULL;
	return !state || strchr("ZX", state[1] ? state[2] : 'X');
}

static uint64_t process_cpu_ns(const struct rusage *usage)
{
	struct timeval cpu;

	timeradd(&usage->ru_utime, &usage->ru_stime, &cpu);
	return (uint64_t)cpu.tv_sec * 1000000000 + (uint64_t)cpu.tv_usec * 1000;
}

bool process_ended(struct process *p)
{
	struct pollfd pfd = { .fd = p->pidfd, .events = POLLIN };
	struct rusage usage;

	if (p->reaped)
		return true;
	if (process_is_child(p)) {
		p->reaped = wait4(p->pid, &p->status, WNOHANG, &usage) == p->pid &&
			    !WIFSTOPPED(p->status);
		p->reaped_ns = p->reaped ? process_cpu_ns(&usage) : 0;
		return p->reaped;
	}
	return p->fs.own ? poll(&pfd, 1, 0) > 0 : has_no_folder(p);
}

bool process_execed(const struct process *p)
{
	uint64_t id[3];

	return !exe_identity(p, id) && id[2] && memcmp(id, p->exe_id, sizeof(id));
}

static bool lost_memory(const struct process *p)
{
	char path[PROCFS_PATH];

	procfs_path(&p->fs, p->pid, "exe", path);
	return access(path, F_OK) && errno == ENOENT;
}

bool process_leaves(struct process *p)
{
	return process_ended(p) || lost_memory(p);
}

/*
 * Returns whether the process execs: meanwhile it has no program, and then a program without a
 * stack.
 */
static bool is_execing(const struct process *p)
{
	uint64_t id[3];

	return exe_identity(p, id) || (p->exe_id[2] && !id[2]);
}

enum process_fate process_fate(struct process *p)
{
	uint64_t end = now_ns() + EXEC_NS;

	while (!process_ended(p) && is_execing(p) && now_ns() < end)
		nanosleep(&moment, NULL);
	if (process_ended(p))
		return PROCESS_ENDED;
	return process_execed(p) ? PROCESS_EXECED : PROCESS_SAME;
}

bool process_is_gone(const struct process *p)
{
	struct pollfd ended = { .fd = p->pidfd, .events = POLLIN };
	uint64_t end = now_ns() + EXEC_NS;

	while (is_execing(p) && poll(&ended, 1, 0) != 1 && now_ns() < end)
		nanosleep(&moment, NULL);
	return poll(&ended, 1, 0) == 1 || lost_memory(p) || process_execed(p);
}

/* struct pidfd_info of Linux 6.13; exit_code exists since 6.15. */
struct exit_info {
	uint64_t mask, cgroup;
	uint32_t ids[11];
	int32_t exit_code;
};

bool process_wait_status(const struct process *p, int *ret)
{
	enum { INFO_EXIT = 1 << 3 };
	struct exit_info info = { .mask = INFO_EXIT };

	if (p->reaped || process_is_child(p)) {
		*ret = p->status;
		return p->reaped;
	}
	if (!p->fs.own || ioctl(p->pidfd, _IOWR(0xff, 11, struct exit_info), &info) ||
	    !(info.mask & INFO_EXIT))
		return false;
	*ret = info.exit_code;
	return true;
}

int process_exit_status(const struct process *p)
{
	if (!p->reaped)
		return 0;
	return WIFEXITED(p->status) ? WEXITSTATUS(p->status) : 128 + WTERMSIG(p->status);
}

bool process_is_of_user(const struct process *p)
{
	char path[PROCFS_PATH];
	struct stat st;

	procfs_path(&p->fs, p->pid, "mem", path);
	return !stat(path, &st) && st.st_uid == geteuid();
}

void process_hold_memory(struct process *p)
{
	char path[PROCFS_PATH];

	procfs_path(&p->fs, p->pid, "mem", path);
	p->writable = open(path, O_RDWR | O_CLOEXEC);
}

void process_leave_memory(struct process *p)
{
	process_drop(&p->writable);
}

void process_close(struct process *p)
{
	memory_end(p);
	if (p->held && process_is_child(p)) {	/* a program that never began must not be left */
		kill(p->pid, SIGKILL);
		waitpid(p->pid, &p->status, 0);
	}
	p->held = false;
	process_drop(&p->holder);
	process_drop(&p->pidfd);
	process_drop(&p->memory);
	process_drop(&p->writable);
	process_drop(&p->exe_file);
	process_drop(&p->root);
	process_drop(&p->library_file);
}
