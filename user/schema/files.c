// SPDX-License-Identifier: Apache-2.0
/*
 * files: see files.h. The directive .incbin reads the files, relative to the folder of the
 * Makefile, where make runs the compiler.
 */
#include "schema/files.h"

#include <stddef.h>

#define INCLUDE(name)										\
	__asm__(".pushsection .rodata\n"							\
		"schema_file_" #name ": .incbin \"user/schema/files/" #name ".json\"\n"		\
		".byte 0\n"									\
		".globl schema_file_" #name "\n"						\
		".popsection\n");								\
	extern const char schema_file_##name[];

#define SCHEMA(name, says) INCLUDE(name)
#include "schema/files.def"
#undef SCHEMA
INCLUDE(common)

const struct schema_file schema_files[] = {
#define SCHEMA(name, says) { #name, schema_file_##name, says },
#include "schema/files.def"
#undef SCHEMA
	{ "common", schema_file_common, NULL },	/* the definitions that several schemas use */
	{0},
};
