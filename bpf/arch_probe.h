/* SPDX-License-Identifier: GPL-2.0 */
/*
 * arch_probe: the registers at a probe, of the architecture for which this is compiled; for code
 * inside the target those that its stub has saved.
 */
#ifndef GOTAP_BPF_ARCH_PROBE_H
#define GOTAP_BPF_ARCH_PROBE_H

#if defined(__TARGET_ARCH_x86) && defined(GO_INLINE)
#include "inline/arch_x86_stub.h"
#elif defined(__TARGET_ARCH_x86)
#include "arch_x86.h"
#include "arch_x86_task.h"
#elif defined(__TARGET_ARCH_arm64)
#include "arch_arm64.h"
#include "arch_arm64_task.h"
#else
#error "no registers of this architecture are known"
#endif

#endif
