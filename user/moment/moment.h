/* SPDX-License-Identifier: Apache-2.0 */
/*
 * moment: an image of the memory of a running process, as of one moment: all writable private
 * memory, and the registers of all threads. In: an open process. Out: a file in memory.
 *
 * The kernel marks which pages the process writes (soft-dirty bits, /proc/PID/clear_refs). gotap
 * clears the marks, copies all pages while the process runs, and then stops all threads by ptrace,
 * copies the pages that were written meanwhile, reads the registers, and continues the threads.
 * On a kernel without marks all pages are copied in the stop, which only a longer bound allows.
 * docs/still-image.md has the proof, the numbers, and the ways that were rejected.
 *
 * The stop has a bound. gotap computes beforehand how long the stop would take, and refuses if that
 * is beyond the bound; a stop that takes longer nevertheless is given up, the threads continue, and
 * gotap tries again. A process of gotap's own ("taker") traces the threads: with its end, of
 * whatever kind, the kernel continues them. Nothing is written to the process, and its cgroup is
 * charged for no memory.
 */
#ifndef GOTAP_MOMENT_MOMENT_H
#define GOTAP_MOMENT_MOMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

#include "base/error.h"
#include "live/process.h"
#include "live/stop_request.h"

/* The default bound of a stop: 1 ms, and 5 ms for each GB (2^30) of memory that is copied. */
#define MOMENT_HOLD_NS 1000000ULL
#define MOMENT_HOLD_NS_PER_GB 5000000ULL

enum {
	MOMENT_ROUNDS = 3,     /* copies of all memory, before gotap gives up */
	MOMENT_VECTORS = 2816, /* bytes kept of the vector registers of a thread */
};

/* A range of memory of the process that the image has. */
struct moment_range {
	uint64_t start, end;
	/* of a file: pages that the process has not written have the content of the file */
	bool file;
	bool constant;	/* the loader has made it read-only after it had relocated pointers there */
};

struct moment_thread {
	pid_t tid;
	struct user_regs_struct regs;
	/* the bytes of @vectors: the XSAVE area, or as the architecture has them */
	uint32_t vectors_size;
	uint8_t vectors[MOMENT_VECTORS];
};

/* What was done. Times in ns, memory in bytes. */
struct moment_facts {
	uint64_t size;         /* of all pages that the image has */
	uint64_t bound_ns;     /* the longest stop that was allowed */
	uint64_t hold_ns;      /* the stop, from its request to the last thread's release */
	uint64_t longest_ns;   /* the longest one, of those that were given up, too */
	uint64_t predicted_ns; /* its length as computed beforehand */
	/* the longest clearing of the marks, for which page faults of the process wait */
	uint64_t clear_ns;
	uint64_t copied_running;     /* copied while the process ran, all rounds */
	uint64_t copied_held;        /* copied while it was stopped */
	uint64_t changed_per_second; /* bytes of pages that the process wrote for the first time */
	uint32_t rounds, given_up;   /* copies of all memory; stops that were given up */
	uint32_t threads;
	bool marks; /* the kernel marks written pages */
	bool scan;  /* by PAGEMAP_SCAN (Linux 6.7), not by the pagemap file */
};

struct moment_opts {
	const struct process *proc;
	uint64_t hold_ns; /* the bound; 0: the default one */
	uint32_t rounds;  /* 0: MOMENT_ROUNDS */
	/* clear the marks also if they have been cleared before: another program may need them */
	bool clear_again;
	/* stop threads with a seccomp filter, which may kill for restart_syscall(2) */
	bool accept_seccomp;
	const struct stop_request *stop; /* may be NULL */
};

struct moment {
	int memory; /* file in memory; an address of the process is an offset in it */
	struct moment_range *ranges; /* ascending */
	size_t n_ranges;
	struct moment_thread *threads;
	size_t n_threads;
	struct moment_facts facts;
	void *shared; /* what the taker wrote */
};

/*
 * Takes an image. The caller frees @ret by moment_free(), also after an error; ret->facts then has
 * what was done so far. Errors, all with a text: -EBUSY: the process changes too much for the
 * bound; -EEXIST: the bits have been cleared before, by whoever needs them, or by gotap
 * (@clear_again); -ENOTSUP: a thread has a seccomp filter (@accept_seccomp); -EPERM: the right to
 * trace it is missing, or another program traces it; -ENOMEM: gotap has no room for the image;
 * -EINTR: @stop asks to stop; -ESRCH: the process has ended.
 */
int moment_take(struct moment *ret, const struct moment_opts *opts, struct error *err);
/*
 * Reads @n bytes at the address @addr of the process. False if the image does not have all of them.
 * A page that was not in memory reads as zeros.
 */
bool moment_read(const struct moment *s, uint64_t addr, void *to, size_t n);
void moment_free(struct moment *s);

/* Only tests define this function. It is called before each step that another process can see. */
void moment_step(const char *name) __attribute__((weak));
#define MOMENT_STEP(name) ((void)(moment_step && (moment_step(name), 0)))

#endif
