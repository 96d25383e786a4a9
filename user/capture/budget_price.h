/* SPDX-License-Identifier: Apache-2.0 */
/*
 * budget_price: the price of a probe on this machine, measured when a recording
 * starts: gotap puts two probes into itself (bpf/probe_calibrate.bpf.c), calls, and
 * looks at its own CPU time. It takes some 10 ms. The kernel's own statistics
 * (BPF_ENABLE_STATS) would give the time of programs, but not that of the trap,
 * which is the larger part; they need CAP_SYS_ADMIN and make every BPF
 * program of the machine slower.
 */
#ifndef GOTAP_CAPTURE_BUDGET_PRICE_H
#define GOTAP_CAPTURE_BUDGET_PRICE_H

#include "attach/bpf.h"
#include "capture/budget.h"

/*
 * Measures the prices; the programs must be loaded. A price that cannot be measured is assumed, and
 * @ret->measured is then false.
 */
void budget_measure(struct bpf_side *b, struct budget_prices *ret);
/* Measures the price of a hit at an instruction that the kernel has to step, after these. */
void budget_measure_step(struct bpf_side *b, struct budget_prices *ret);
/* Measures the prices of code in the target, by the same code inside gotap itself. */
void budget_measure_inline(struct budget_prices *ret);

#endif
