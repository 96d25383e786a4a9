/* SPDX-License-Identifier: Apache-2.0 */
/*
 * buildinfo: what the Go linker wrote about the build (section .go.buildinfo,
 * cmd/link/internal/ld/data.go): the release, and since 1.13 the modules, since
 * 1.18 also the build settings. In: an ELF file. Out: copies of the texts.
 */
#ifndef GOTAP_TARGET_BUILDINFO_H
#define GOTAP_TARGET_BUILDINFO_H

#include "base/vec.h"
#include "symbol/elf_file.h"

struct buildinfo {
	char *version;		/* "go1.25.12" and what follows; NULL if unknown */
	int minor;		/* NN of go1.NN, 0 if the version is not of that form */
	char *module_path, *module_version;	/* "" if none */
	struct vec settings;	/* struct build_setting */
};

struct build_setting {
	char *key, *value;
};

/*
 * Fills @ret, whose version is NULL if the file names no Go release at all.
 * A missing section is not an error: some linkers drop it (esbuild 0.27 has
 * none); then the release is the string that runtime.buildVersion refers to.
 */
void buildinfo_read(struct buildinfo *ret, const struct elf_file *f);
void buildinfo_free(struct buildinfo *info);
/* NULL if unset. */
const char *buildinfo_setting(const struct buildinfo *info, const char *key);

#endif
