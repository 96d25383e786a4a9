/* SPDX-License-Identifier: GPL-2.0 */
/* arch_order: arch_x86_order.h, or that of the architecture for which this is compiled. */
#ifndef GOTAP_BPF_ARCH_ORDER_H
#define GOTAP_BPF_ARCH_ORDER_H

#if defined(__TARGET_ARCH_x86)
#include "arch_x86_order.h"
#elif defined(__TARGET_ARCH_arm64)
#include "arch_arm64_order.h"
#endif

#endif
