/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gobin: one Go executable (ELF, amd64) as a tracer sees it: release, build
 * settings, functions, code bytes, file offsets, data symbols, DWARF. Reads
 * files only, never a process; written for hostile files: every offset in the
 * file is checked before it is followed. Addresses are link-time virtual
 * addresses throughout; a process adds its load bias.
 */
#ifndef GOTAP_TARGET_GOBIN_H
#define GOTAP_TARGET_GOBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "gooffsets.h"

struct elf_file;
struct gobin;
struct pclntab;

/*
 * Opens the executable at @path (for a process: /proc/PID/exe, which works
 * for deleted and container files too). On failure *@ret is untouched, @err
 * says what it is not: not an ELF file, another machine, not a Go program.
 */
int gobin_open(struct gobin **ret, const char *path, struct error *err);
/* The same for a file that people know by another @name than @path. */
int gobin_open_as(struct gobin **ret, const char *path, const char *name, struct error *err);
/*
 * The same for a descriptor open for reading, which stays the caller's and stays open
 * until gobin_find_debug() was called, if it is.
 */
int gobin_open_fd(struct gobin **ret, int fd, const char *name, struct error *err);
/* Accepts NULL. */
void gobin_free(struct gobin *b);

/* The file's name, for messages. */
const char *gobin_path(const struct gobin *b);
/* Go release as the linker recorded it, e.g. "go1.25.12"; a text if the file has none. */
const char *gobin_go_version(const struct gobin *b);
/* The NN of go1.NN; 0 if the file does not say. */
int gobin_go_minor(const struct gobin *b);
/* Takes the program for one of Go 1.@minor from now on, whatever it says. */
void gobin_assume_minor(struct gobin *b, int minor);
/* Main module path and version from the build info, "" if none. */
const char *gobin_module_path(const struct gobin *b);
const char *gobin_module_version(const struct gobin *b);
/* Value of a build setting (-buildmode, -pgo, CGO_ENABLED, ...), NULL if unset. */
const char *gobin_build_setting(const struct gobin *b, const char *key);
bool gobin_is_pie(const struct gobin *b);
/* Link-time address of the first instruction; with AT_ENTRY it gives the load bias. */
uint64_t gobin_entry(const struct gobin *b);
bool gobin_has_symtab(const struct gobin *b);
bool gobin_has_dwarf(const struct gobin *b);
/*
 * Looks for the separate debug file of a program that has no DWARF data itself
 * (debug_file.h), for field offsets and data symbols from then on. @root: of the
 * program's own file system, NULL if it is ours.
 */
void gobin_find_debug(struct gobin *b, const char *root, bool ask_servers);
/*
 * Its path for people, NULL if it was not found; and where it can be opened, as long as @b lives.
 */
const char *gobin_debug_path(const struct gobin *b);
const char *gobin_debug_file(const struct gobin *b);
/* GNU build id, or else the Go build id, as text; "" if the file has neither. */
const char *gobin_build_id(const struct gobin *b);

struct gobin_func {
	const char *name;	/* owned by the gobin */
	uint64_t addr;		/* first byte */
	uint64_t size;
};

/*
 * The function of that exact name in package runtime, or that package runtime
 * provides to another ("runtime.casgstatus"). ABI wrappers of the
 * same name (".abi0", or a second small body) are never returned.
 * -ENOENT if there is none.
 */
int gobin_func(const struct gobin *b, const char *name, struct gobin_func *ret);
/* The outermost (physical) function whose code contains @addr; -ENOENT if none. */
int gobin_func_at(const struct gobin *b, uint64_t addr, struct gobin_func *ret);
/* The binary's own function table; NULL if there is none that can be read. */
const struct pclntab *gobin_table(const struct gobin *b);
/* The file itself, as long as @b lives. */
const struct elf_file *gobin_elf(const struct gobin *b);
/* Address of a data symbol ("runtime.allgs"); -ENOENT if there is none. */
int gobin_data_symbol(const struct gobin *b, const char *name, uint64_t *ret);
/*
 * The address of a symbol in .dynsym, which the dynamic linker reads: a program that can open
 * plugins exports all its functions.
 */
int gobin_exported_symbol(const struct gobin *b, const char *name, uint64_t *ret);

/* Range of all writable data, with what is zero at the start; empty if there is none. */
void gobin_data_range(const struct gobin *b, uint64_t *start, uint64_t *end);

/* Executable range [*start, *end) that holds the Go text. */
void gobin_text_range(const struct gobin *b, uint64_t *start, uint64_t *end);
/* The part of it that is Go's package runtime; all of it where that is not in one piece. */
void gobin_runtime_range(const struct gobin *b, uint64_t *start, uint64_t *end);
/* The functions of that part: indices in gobin_table(), which must not be NULL. */
void gobin_runtime_functions(const struct gobin *b, size_t *first, size_t *end);
/* Pointer to @n file-backed bytes at @addr, NULL if they are not all there. */
const uint8_t *gobin_bytes(const struct gobin *b, uint64_t addr, size_t n);
/*
 * Offset in the file of code address @addr, computed by the executable PT_LOAD
 * (never by .text: moduledata.text differs from it in cgo builds). -ERANGE.
 */
int gobin_file_offset(const struct gobin *b, uint64_t addr, uint64_t *ret);

/* Address of the byte at @offset in the file, if a code segment begins there or before. -ERANGE. */
int gobin_offset_address(const struct gobin *b, uint64_t offset, uint64_t *ret);

/*
 * Field offsets from DWARF. -ENOENT with a text when there is no DWARF or a
 * required field is missing there.
 */
int gobin_dwarf_offsets(const struct gobin *b, struct go_offsets *ret, struct error *err);

#endif
