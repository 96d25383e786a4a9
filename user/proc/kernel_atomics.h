/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel_atomics: whether the kernel compiles atomic instructions of BPF. Where other CPUs may see
 * plain stores in any order (arm64), programs submit their records by such an instruction. Linux
 * has them since 5.12 (linux/bpf.h, BPF_XCHG), and its compiler for arm64 since 5.18, or in the
 * backports of a distribution; before, it leaves a program that has one to the interpreter, or
 * refuses it.
 */
#ifndef GOTAP_PROC_KERNEL_ATOMICS_H
#define GOTAP_PROC_KERNEL_ATOMICS_H

#include <stdbool.h>

#include "base/error.h"

/* A message: what a kernel lacks that cannot trace any program, and the remedy. */
extern const char kernel_atomics_lacking[];
/* Returns whether programs need them, which depends on the architecture of this gotap. */
bool kernel_atomics_needed(void);
/*
 * Loads a program that has one and looks whether the kernel compiled it; the program is not run.
 * Returns 0 if it did, if none is needed, or if the caller lacks the privilege to find out;
 * -ENOTSUP: it did not, and @err has the message.
 */
int kernel_atomics_check(struct error *err);

#endif
