// SPDX-License-Identifier: GPL-2.0
/*
 * knobs: the constants of the image, which gotap sets before it writes it (user/inline/image.c);
 * common.h and goabi.h explain each. They have a file of their own: the compiler would take them
 * for 0 in a file where it sees that no code sets them.
 */
#include "common.h"

#define KNOB(name) __typeof__(name) name __attribute__((section(".knobs")));
#include "knobs.def"
KNOB(has_rdpid)
KNOB(layout)
