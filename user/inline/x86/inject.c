// SPDX-License-Identifier: Apache-2.0
/* inject: see inject.h. */
#define _GNU_SOURCE
#include "inline/inject.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/membarrier.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "inline.h"
#include "inline/calls.h"
#include "inline/hold.h"
#include "inline/inside.h"
#include "inline/remains.h"
#include "inline/threads.h"
#include "inline/vm.h"
#include "proc/privilege.h"

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18	/* Linux 4.14 */
#endif
#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000	/* Linux 4.17 */
#endif
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x8U	/* Linux 6.3 */
#endif

#define MS 1000000ULL

enum { PAGE = 4096 };

/*
 * MADV_DONTFORK does not serve to keep the mapping from children: a signal handler in C could fork
 * while its thread is in the code, and the child would go on there, and fault.
 */
void inject_free_pages(int memfd)
{
	struct stat st;

	if (!fstat(memfd, &st) && st.st_size > PAGE)
		fallocate(memfd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, PAGE,
			  st.st_size - PAGE);
}

void injected_close(struct injected *in)
{
	if (in->memfd >= 0)
		close(in->memfd);
	if (in->mem >= 0)
		close(in->mem);
	in->memfd = in->mem = -1;
}

/* --- can it be at all? --- */

static bool has_membarrier(void)
{
	long commands = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);

	return commands > 0 && (commands & MEMBARRIER_CMD_GLOBAL);
}

/*
 * Returns 0 if the program has no seccomp filter, or gotap can read the filter, as filter.h needs.
 */
static int check_seccomp(const struct process *p, struct error *err)
{
	long mode = thread_status(p, 0, "Seccomp");

	if (mode <= 0)
		return 0;
	if (!privilege_may_raise(PRIVILEGE_ADMIN) || privilege_has_seccomp())
		return error_set(err, -ENOTSUP,
				 "process %d has a seccomp filter, which only a gotap with "
				 "CAP_SYS_ADMIN and without a filter of its own can read",
				 p->pid);
	return 0;
}

int inject_possible(const struct process *p, struct error *err)
{
	long tracer = thread_status(p, 0, "TracerPid");

	if (!p->fs.own)
		return error_set(err, -ENOTSUP,
				 "process %d is in another PID namespace than gotap, so its "
				 "threads cannot be held",
				 p->pid);
	if (tracer > 0)
		return error_set(err, -ENOTSUP,
				 "process %d is traced by process %ld, a debugger or strace",
				 p->pid, tracer);
	if (!has_membarrier())
		return error_set(err, -ENOTSUP,
				 "this kernel has no membarrier(MEMBARRIER_CMD_GLOBAL), or "
				 "runs with nohz_full");
	if (!vm_may_force())
		return error_set(err, -ENOTSUP,
				 "this kernel forbids to write into code by /proc/PID/mem "
				 "(proc_mem.force_override)");
	return check_seccomp(p, err);
}

/* --- where? --- */

/* The span of a relative address of 32 bits, less a little. */
#define REACH 0x7fff0000ULL
#define LOWEST 0x100000ULL
#define HIGHEST 0x7ffff0000000ULL

struct gap {
	uint64_t start, end;
};

static void keep_larger(struct gap *best, uint64_t start, uint64_t end, struct gap within)
{
	if (start < within.start)
		start = within.start;
	if (end > within.end)
		end = within.end;
	if (start < end && end - start > best->end - best->start)
		*best = (struct gap){ start, end };
}

/* Returns the largest free range within @within. */
static struct gap largest_gap(const struct areas *a, struct gap within)
{
	struct gap best = {0};
	uint64_t start = LOWEST;
	size_t i;

	for (i = 0; i < a->list.len; i++) {
		keep_larger(&best, start, vec_at(&a->list, struct area, i)->start, within);
		start = vec_at(&a->list, struct area, i)->end;
	}
	keep_larger(&best, start, HIGHEST, within);
	return best;
}

/*
 * Chooses the place of the code. It lies above the text if that has a free range, so that the
 * runtime takes a profiling signal there for one in foreign code; below the text if not. It lies at
 * three quarters of the largest gap: the heap of C (brk) and mappings grow from the ends of the
 * gap.
 */
static uint64_t choose_place(const struct areas *a, uint64_t lo, uint64_t hi, uint64_t size)
{
	struct gap above = largest_gap(a, (struct gap){ hi, lo + REACH });
	struct gap below = largest_gap(a, (struct gap){ hi > REACH ? hi - REACH : LOWEST, lo });
	struct gap *g = above.end - above.start >= 2 * size ? &above : &below;
	uint64_t room = g->end - g->start;

	return room >= 2 * size ? (g->start + (room - size) / 4 * 3) & ~(uint64_t)(PAGE - 1) : 0;
}

static int find_place(const struct process *p, uint64_t lo, uint64_t hi, uint64_t size,
		      uint64_t *ret, struct error *err)
{
	struct areas a;
	int r = areas_read(&a, p);

	*ret = r ? 0 : choose_place(&a, lo, hi, size);
	areas_free(&a);
	if (r)
		return error_set(err, r, "cannot read the mappings of process %d: %s", p->pid,
				 strerror(-r));
	return *ret ? 0 :
		      error_set(err, -ENOMEM, "process %d has no free addresses near its code",
				p->pid);
}

/* --- the shared memory, gotap's side --- */

/*
 * Writes the header as the first content of the file. Whether the file is empty or has the header,
 * a later gotap identifies it as gotap's (remains.c), at whatever instant this process is killed.
 */
static bool inject_begin_file(int fd, const struct injected *in)
{
	struct inline_shared begin = { .magic = INLINE_MAGIC, .size = in->shared_size,
				       .code = in->code, .code_size = in->code_size };

	return pwrite(fd, &begin, sizeof(begin), 0) == sizeof(begin);
}

/*
 * Makes the pages, which the memory controller then charges to the prober, because the first
 * process that touches a page pays. From here on no process can shorten the file, which would make
 * an access a SIGBUS.
 */
static int make_pages(int fd, const struct injected *in, struct error *err)
{
	struct stat st;

	if (!inject_begin_file(fd, in))
		return error_set(err, -EIO, "no memory for a page of buffers");
	INJECT_STEP();
	if (ftruncate(fd, (off_t)in->shared_size) || fallocate(fd, 0, 0, (off_t)in->shared_size))
		return error_set(err, -errno, "no memory for %zu bytes of buffers: %s",
				 in->shared_size, strerror(errno));
	INJECT_STEP();
	if (fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) || fstat(fd, &st) ||
	    (size_t)st.st_size != in->shared_size)
		return error_set(err, -EIO,
				 "the memory that is shared with the program cannot be made ready");
	return 0;
}

static int inject_open_shared(const struct process *p, uint64_t number, struct injected *in,
			      struct error *err)
{
	char what[32], path[PROCFS_PATH];
	int r;

	snprintf(what, sizeof(what), "fd/%" PRIu64, number);
	procfs_path(&p->fs, p->pid, what, path);
	INJECT_STEP();
	in->memfd = remains_open(path);
	if (in->memfd < 0)
		return error_set(err, in->memfd,
				 "cannot open the memory that process %d has made for "
				 "gotap: %s",
				 p->pid, strerror(-in->memfd));
	INJECT_STEP();
	r = make_pages(in->memfd, in, err);
	INJECT_STEP();
	return r;
}

/* --- the target's side --- */

struct injection {
	const struct process *p;
	const struct inject_hosts *hosts;
	struct injected *in;
	uint64_t deadline;
};

static int ms_left(uint64_t deadline)
{
	uint64_t now = now_ns();

	return now < deadline ? (int)((deadline - now) / MS) + 1 : 1;
}

/*
 * All calls in their order. The first @n are made; the others are only checked against the filters,
 * which must allow them later.
 */
enum {
	MAKE_MEMFD,
	MAP_MEMFD,
	CLOSE_MEMFD,
	MAP_CODE,
	OPEN_CONTROL,
	WIPE_CONTROL,
	HIDE_CODE,
	HIDE_SHARED,
	TAKE_OUT,
	CALLS
};

/*
 * Returns flags that this kernel knows. Kernels before 6.3 do not know MFD_NOEXEC_SEAL; some later
 * ones are set up to require it (vm.memfd_noexec).
 */
static uint64_t memfd_flags(void)
{
	_cleanup_close_ int fd = memfd_create(INLINE_NAME, MFD_CLOEXEC | MFD_NOEXEC_SEAL);

	return MFD_CLOEXEC | MFD_ALLOW_SEALING | (fd >= 0 ? MFD_NOEXEC_SEAL : 0);
}

static void plan_calls(const struct injected *in, struct call calls[CALLS])
{
	uint64_t code = in->code, control = code + in->code_size, both = in->code_size + PAGE,
		size = in->shared_size;
	uint64_t anonymous = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;

	calls[MAKE_MEMFD] = (struct call){ CALL(memfd_create, 0, memfd_flags()), .with_name = true,
					  .done = effect_memfd };
	calls[MAP_MEMFD] =
		(struct call){ CALL(mmap, 0, size, PROT_READ | PROT_WRITE, MAP_SHARED, 0, 0),
			       .done = effect_shared };
	calls[CLOSE_MEMFD] = (struct call){ CALL(close, 0), .done = effect_closed };
	calls[MAP_CODE] = (struct call){ CALL(mmap, code, both, PROT_READ | PROT_EXEC, anonymous,
					      (uint64_t)-1, 0), .done = effect_code };
	calls[OPEN_CONTROL] = (struct call){ CALL(mprotect, control, PAGE, PROT_READ | PROT_WRITE),
					     .done = effect_control };
	calls[WIPE_CONTROL] = (struct call){ CALL(madvise, control, PAGE, MADV_WIPEONFORK),
					    .done = effect_wiped };
	calls[HIDE_CODE] = (struct call){ CALL(madvise, code, both, MADV_DONTDUMP) };
	calls[HIDE_SHARED] = (struct call){ CALL(madvise, 0, size, MADV_DONTDUMP) };
	calls[TAKE_OUT] = (struct call){ CALL(munmap, code, both) };
}

/* Makes the calls from @first to the one before @end. */
static int inject_make(const struct injection *j, struct call *calls, size_t first, size_t end,
		       struct error *err)
{
	size_t made;

	return calls_make(j->p, j->hosts, calls + first, end - first, CALLS - first,
			  ms_left(j->deadline), &made, &j->in->held, err);
}

static int map_shared(const struct injection *j, struct call *calls, struct error *err)
{
	struct stat st;
	int r = fstat(j->in->memfd, &st);

	calls[MAP_MEMFD].args[4] = calls[CLOSE_MEMFD].args[0] = calls[MAKE_MEMFD].result;
	calls[MAP_MEMFD].ino = calls[CLOSE_MEMFD].ino = st.st_ino;
	r = inject_make(j, calls, MAP_MEMFD, MAP_CODE, err);
	if (!r)
		j->in->shared = calls[HIDE_SHARED].args[0] = calls[MAP_MEMFD].result;
	return r;
}

static int put_in(const struct injection *j, struct error *err)
{
	struct call calls[CALLS];
	int r;

	plan_calls(j->in, calls);
	r = inject_make(j, calls, MAKE_MEMFD, MAP_MEMFD, err);
	if (!r)
		r = inject_open_shared(j->p, calls[MAKE_MEMFD].result, j->in, err);
	if (!r)
		r = map_shared(j, calls, err);
	if (!r)
		r = inject_make(j, calls, MAP_CODE, OPEN_CONTROL, err);
	if (r && r != -EINPROGRESS)
		/* the code is not there; the mapping at this address may belong to the program */
		j->in->code = j->in->code_size = 0;
	return r ? r : inject_make(j, calls, OPEN_CONTROL, TAKE_OUT, err);
}

/* --- out again --- */

/*
 * Removes the memory. A call is never given to two threads: the second one would unmap, or close,
 * an object of the program that has taken the place meanwhile.
 */
static int inject_take_out(const struct injection *j, struct error *err)
{
	struct call calls[CALLS_MAX];
	struct remains left;
	struct stat st;
	size_t n, made;
	int r;

	if (fstat(j->in->memfd, &st))
		return error_set(err, -errno,
				 "the memory that is shared with process %d is not open",
				 j->p->pid);
	do {
		r = remains_find(j->p, st.st_ino, j->in->code, j->in->code_size, &left);
		if (r)
			return error_set(err, -ESRCH, "cannot read the mappings of process %d: %s",
					 j->p->pid, strerror(-r));
		n = remains_calls(&left, calls);
		if (!n)
			return 0;
		r = calls_make(j->p, j->hosts, calls, n, n, ms_left(j->deadline), &made,
			       &j->in->held, err);
	} while (!r || (r == -EAGAIN && now_ns() < j->deadline));
	return r;
}

/* @r: the result of put_in(). */
static int take_out_again(const struct injection *j, int r, struct error *err)
{
	enum { CLEAN_UP_MS = 500, SETTLE_MS = 3000 };
	struct injection again = *j;
	int settled =
		r == -EINPROGRESS ? inside_settle(j->p, j->hosts, SETTLE_MS, &j->in->held, err) : 0;

	again.deadline = now_ns() + CLEAN_UP_MS * MS;
	if (j->in->memfd < 0)
		/* the target has just made it, and gotap has not opened it yet */
		j->in->memfd = remains_open_descriptor(j->p);
	if (settled || j->in->memfd < 0)
		return settled;
	return inject_take_out(&again, err);
}

/* Other gotaps may remove the memory from here on. */
static void inject_unlock(const struct injected *in)
{
	if (in->memfd >= 0)
		flock(in->memfd, LOCK_UN);
}

/*
 * Removes the memory that was put in, after error @r, and returns @r; -EBUSY if a part could not be
 * removed: *j->in has it.
 */
static int inject_undo(const struct injection *j, int r, struct error *err)
{
	struct error why = {0};

	if (take_out_again(j, r, &why) && why.code != -ESRCH) {
		error_prefix(err,
			     "process %d keeps memory that does nothing, until gotap is run on it "
			     "again (%s)",
			     j->p->pid, why.text);
		inject_unlock(j->in);
		return -EBUSY;
	}
	injected_close(j->in);
	*j->in = (struct injected){ .memfd = -1, .mem = -1, .held = j->in->held };
	return r;
}

/*
 * Returns -ESRCH in place of error @r if the process has exec'ed or ended: during an exec, reads
 * give contents of the old program, of the new one, or fail.
 */
static int inject_as_it_is_now(const struct process *p, int r, struct error *err)
{
	if (!r || !process_is_gone(p))
		return r;
	return error_set(err, -ESRCH, "process %d has ended, or runs another program by now",
			 p->pid);
}

/* Changes nothing in the target. */
static int inject_prepare(const struct process *p, uint64_t near_lo, uint64_t near_hi,
			  struct injected *in, struct error *err)
{
	int r;

	in->mem = vm_open(p);
	r = in->mem < 0 ? error_set(err, in->mem, "cannot write into the memory of process %d: %s",
				    p->pid, strerror(-in->mem)) :
			  find_place(p, near_lo, near_hi, in->code_size + PAGE, &in->code, err);
	if (r)
		injected_close(in);
	return r;
}

int inject_memory(const struct process *p, const struct inject_hosts *hosts, uint64_t near_lo,
		  uint64_t near_hi, size_t code_size, size_t shared_size, int timeout_ms,
		  struct injected *ret, struct error *err)
{
	struct injection j = { p, hosts, ret, now_ns() + (uint64_t)timeout_ms * MS };
	int r;

	*ret = INJECTED_NONE;
	ret->code_size = code_size;
	ret->shared_size = shared_size;
	r = inject_prepare(p, near_lo, near_hi, ret, err);
	if (r)
		return inject_as_it_is_now(p, r, err);
	r = put_in(&j, err);
	if (!r)
		return 0;
	r = inject_undo(&j, r, err);
	return inject_as_it_is_now(p, r == -EINPROGRESS ? -EAGAIN : r, err);
}

int inject_write(const struct process *p, const struct injected *in, uint64_t addr,
		 const void *data, size_t size, struct error *err)
{
	int r;

	INJECT_STEP();
	r = vm_write(in->mem, addr, data, size);

	return r ? error_set(err, r, "cannot write into the memory of process %d: %s", p->pid,
			     strerror(-r)) : 0;
}

int inject_remove(const struct process *p, const struct inject_hosts *hosts, struct injected *in,
		  int timeout_ms, struct error *err)
{
	struct injection j = { p, hosts, in, now_ns() + (uint64_t)timeout_ms * MS };
	int r = 0;

	if (in->code)
		r = inside_wait(p, in->code, in->code + in->code_size, timeout_ms, &in->held, err);
	if (!r)
		r = inject_take_out(&j, err);
	if (!r)
		in->code = in->shared = 0;
	return inject_as_it_is_now(p, r == -EAGAIN || r == -EINPROGRESS ? -EBUSY : r, err);
}

/*
 * Locks the memory against other gotaps. If this gotap has had the memory made and never opened it,
 * the target's descriptor leads to it. -ENOENT: the target has no such descriptor any more.
 */
static int inject_lock(const struct process *p, struct injected *in)
{
	if (in->memfd >= 0)
		return !flock(in->memfd, LOCK_EX | LOCK_NB) ? 0 :
		       errno == EWOULDBLOCK                 ? -EBUSY :
							      -errno;
	in->memfd = remains_open_descriptor(p);
	return in->memfd < 0 ? in->memfd : 0;
}

/*
 * A thread may still have a call to make that an earlier gotap gave it. Only after the call is it
 * known which memory the call leaves in the target.
 */
int inject_remove_left(const struct process *p, const struct inject_hosts *hosts,
		       struct injected *in, int timeout_ms, struct error *err)
{
	int r = inside_settle(p, hosts, timeout_ms, &in->held, err), locked;

	if (r)
		return inject_as_it_is_now(p, -EBUSY, err);
	locked = inject_lock(p, in);
	if (locked == -ENOENT)
		return 0;
	if (locked)
		return inject_as_it_is_now(
			p, error_set(err, -EBUSY, "another gotap is at work in process %d", p->pid),
			err);
	r = inject_remove(p, hosts, in, timeout_ms, err);
	inject_unlock(in);
	return r && r != -ESRCH ? -EBUSY : r;
}
