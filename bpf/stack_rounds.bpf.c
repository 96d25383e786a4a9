// SPDX-License-Identifier: GPL-2.0
/* stack_rounds: stack.bpf.c for kernels before 5.17; linked in its place into gotap_rounds.bpf.o. */
#define STACK_ROUNDS
#include "stack.bpf.c"
