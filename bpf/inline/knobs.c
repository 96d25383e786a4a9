// SPDX-License-Identifier: GPL-2.0
/*
 * knobs: the constants of the image. gotap sets them before it writes the image to the target
 * (user/inline/x86/image.c); knobs.def explains each. They have a file of their own: in a
 * file that uses them the compiler would see that no code sets them, and take them for 0.
 */
#include "common.h"

#define IN_IMAGE(name) __typeof__(name) name __attribute__((section(".knobs")));
#define KNOB_BPF(name)
#define KNOB_BOTH(name) IN_IMAGE(name)
#define KNOB(code, type, name, initial) KNOB_##code(name)
#include "knobs.def"
IN_IMAGE(has_rdpid)
