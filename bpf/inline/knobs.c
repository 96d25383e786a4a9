// SPDX-License-Identifier: GPL-2.0
/*
 * knobs: the constants of the image, which gotap sets before it writes it (user/inline/image.c);
 * common.h and goabi.h explain each. In a file of their own, as the compiler would take them for 0
 * where it sees this.
 */
#include "common.h"

#define KNOB(name) __typeof__(name) name __attribute__((section(".knobs")));
#include "knobs.def"
KNOB(has_rdpid)
KNOB(layout)
