// SPDX-License-Identifier: GPL-2.0
/*
 * knobs: the constants of the image. gotap sets them before it writes the image to the target
 * (user/inline/image.c); common.h and goabi.h explain each. They have a file of their own: in a
 * file that uses them the compiler would see that no code sets them, and take them for 0.
 */
#include "common.h"

#define KNOB(name) __typeof__(name) name __attribute__((section(".knobs")));
#include "knobs.def"
KNOB(has_rdpid)
KNOB(layout)
