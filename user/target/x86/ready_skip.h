/* SPDX-License-Identifier: Apache-2.0 */
/* ready_skip: where a function of amd64 keeps an argument, for target/ready_skip.h. */
#ifndef GOTAP_TARGET_X86_READY_SKIP_H
#define GOTAP_TARGET_X86_READY_SKIP_H

#include <stddef.h>
#include <stdint.h>

/*
 * Finds the slot that holds the argument which register @reg has on entry, at offset @upto of the
 * function of @n bytes: the slot is at the frame pointer + *@fp_off. -ENOTSUP if the argument is
 * not provably there on every way to @upto.
 */
int x86_spill_slot(const uint8_t *code, size_t n, size_t upto, unsigned int reg, int *fp_off);

#endif
