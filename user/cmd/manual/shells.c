// SPDX-License-Identifier: Apache-2.0
/*
 * shells: see shells.h. The directive .incbin reads the files, relative to the folder of the
 * Makefile, where make runs the compiler.
 */
#include "cmd/manual/shells.h"

#define INCLUDE(name)										\
	__asm__(".pushsection .rodata\n"							\
		".globl shell_" #name "_text\n"							\
		"shell_" #name "_text: .incbin \"user/cmd/manual/shells/gotap." #name "\"\n"	\
		".byte 0\n"									\
		".popsection\n");

INCLUDE(bash)
INCLUDE(zsh)
INCLUDE(fish)
