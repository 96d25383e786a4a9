// SPDX-License-Identifier: Apache-2.0
/*
 * files: see files.h. The directive .incbin reads the files, relative to the folder of the
 * Makefile, where make runs the compiler.
 */
#include "schema/files.h"

/* name, the output; common has the definitions that several schemas use */
#define FILES(FILE)								\
	FILE(ps, "gotap ps --json")						\
	FILE(doctor, "gotap doctor --json")					\
	FILE(record, "gotap record --json, gotap assemble --json")		\
	FILE(follow, "gotap record --follow --json, each line")			\
	FILE(snap, "gotap snap --json")						\
	FILE(snapshot, "FILE.json beside a snapshot of record --flight")	\
	FILE(trigger, "gotap assemble --on RULE --json, each line")		\
	FILE(top, "gotap top --json, each line")				\
	FILE(stacks, "gotap stacks --json")					\
	FILE(report, "gotap report --json")					\
	FILE(why, "gotap why --json")						\
	FILE(diff, "gotap diff --json")						\
	FILE(whatif, "gotap whatif --json")					\
	FILE(check, "gotap check --json, each line")				\
	FILE(events, "gotap text --events --json, each line")			\
	FILE(processes, "/processes.json of gotap serve")			\
	FILE(common, NULL)

#define INCLUDE(name, says)									\
	__asm__(".pushsection .rodata\n"							\
		"schema_file_" #name ": .incbin \"user/schema/files/" #name ".json\"\n"		\
		"schema_file_" #name "_end: .byte 0\n"						\
		".globl schema_file_" #name ", schema_file_" #name "_end\n"			\
		".popsection\n");								\
	extern const char schema_file_##name[], schema_file_##name##_end[];
#define ROW(name, says) { #name, schema_file_##name, schema_file_##name##_end, says },

FILES(INCLUDE)

const struct schema_file schema_files[] = { FILES(ROW) { 0 } };
