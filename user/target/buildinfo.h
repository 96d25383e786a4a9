/* SPDX-License-Identifier: Apache-2.0 */
/*
 * buildinfo: the facts about the build that the Go linker wrote (section .go.buildinfo,
 * cmd/link/internal/ld/data.go): the release, since Go 1.13 the modules, since 1.18 also the build
 * settings. In: an ELF file. Out: copies of the texts.
 */
#ifndef GOTAP_TARGET_BUILDINFO_H
#define GOTAP_TARGET_BUILDINFO_H

#include "base/vec.h"
#include "symbol/elf_file.h"

struct buildinfo {
	char *version;		/* "go1.25.12" and the text after it; NULL if unknown */
	int minor;		/* NN of go1.NN, 0 if the version is not of that form */
	char *module_path, *module_version;	/* "" if none */
	struct vec settings;	/* struct build_setting */
};

struct build_setting {
	char *key, *value;
};

/*
 * Fills @ret. @ret->version is NULL if the file names no Go release. A missing section is no error:
 * some linkers drop it (the release 0.27 of esbuild has none). The release is then the string that
 * runtime.buildVersion refers to. buildinfo_free() frees the texts.
 */
void buildinfo_read(struct buildinfo *ret, const struct elf_file *f);
void buildinfo_free(struct buildinfo *info);
/* Returns the value of the build setting @key, owned by @info; NULL if it is not set. */
const char *buildinfo_setting(const struct buildinfo *info, const char *key);

#endif
