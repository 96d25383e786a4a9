/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gobin: one Go executable (ELF, amd64) as a tracer sees it: release, build settings, functions,
 * code bytes, file offsets, data symbols, DWARF. It reads files only, never a process, and takes
 * any file as hostile: every offset in the file is checked before it is followed. All addresses are
 * link-time virtual addresses; in a process the load bias is added.
 */
#ifndef GOTAP_TARGET_GOBIN_H
#define GOTAP_TARGET_GOBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "gooffsets.h"
#include "symbol/goarch.h"

struct elf_file;
struct gobin;
struct pclntab;

/*
 * Opens the executable at @path (for a process: /proc/PID/exe, which also works for deleted files
 * and for files of a container). gobin_free() frees *@ret. On failure *@ret is untouched, and @err
 * says why: not an ELF file, another machine, not a Go program.
 */
int gobin_open(struct gobin **ret, const char *path, struct error *err);
/* As gobin_open(), for a file that messages call @name, not @path. */
int gobin_open_as(struct gobin **ret, const char *path, const char *name, struct error *err);
/*
 * As gobin_open(), for a descriptor open for reading. The caller keeps it, and must not close it
 * before gobin_find_debug() was called, if that is to be called.
 */
int gobin_open_fd(struct gobin **ret, int fd, const char *name, struct error *err);
/* Accepts NULL. */
void gobin_free(struct gobin *b);

/* Returns the file's name, for messages. */
const char *gobin_path(const struct gobin *b);
/*
 * Returns the Go release as the linker recorded it, e.g. "go1.25.12"; a text that says so if the
 * file names none.
 */
const char *gobin_go_version(const struct gobin *b);
/* Returns the NN of go1.NN; 0 if the file names no release. */
int gobin_go_minor(const struct gobin *b);
/* Treats the program as one of Go 1.@minor from now on, whatever its file says. */
void gobin_assume_minor(struct gobin *b, int minor);
/* Return path and version of the main module from the build info, "" if none. */
const char *gobin_module_path(const struct gobin *b);
const char *gobin_module_version(const struct gobin *b);
/* Returns the value of a build setting (-buildmode, -pgo, CGO_ENABLED, ...), NULL if unset. */
const char *gobin_build_setting(const struct gobin *b, const char *key);
/* Returns the architecture that the program is built for. */
const struct goarch *gobin_arch(const struct gobin *b);
/*
 * Returns 0 if this gotap can record the program: it is of the architecture of this machine. If
 * not, -ENOTSUP with a text.
 */
int gobin_check_host(const struct gobin *b, struct error *err);
/* Returns whether its release passes arguments in registers on its architecture. */
bool gobin_register_args(const struct gobin *b);
bool gobin_is_pie(const struct gobin *b);
/*
 * Stores the link-time range of the largest segment that is neither written nor executed: the
 * program's constants, among them its string literals. It is mapped as long as the program runs.
 * False: there is none.
 */
bool gobin_constants(const struct gobin *b, uint64_t *start, uint64_t *end);
/* Returns the link-time address of the first instruction; AT_ENTRY minus this is the load bias. */
uint64_t gobin_entry(const struct gobin *b);
bool gobin_has_symtab(const struct gobin *b);
bool gobin_has_dwarf(const struct gobin *b);
/*
 * Looks for the separate debug file of a program that has no DWARF data itself (debug_file.h).
 * Field offsets and data symbols come from that file from then on. @root: root of the program's own
 * file system, NULL if gotap has the same.
 */
void gobin_find_debug(struct gobin *b, const char *root, bool ask_servers);
/*
 * Return the path of the debug file for messages, and a path by which it can be opened as long as
 * @b lives; NULL if there is none.
 */
const char *gobin_debug_path(const struct gobin *b);
const char *gobin_debug_file(const struct gobin *b);
/*
 * Returns the GNU build id as text, if there is none the Go build id; "" if the file has neither.
 */
const char *gobin_build_id(const struct gobin *b);

struct gobin_func {
	const char *name;	/* owned by the gobin */
	uint64_t addr;		/* first byte */
	uint64_t size;
};

/*
 * Finds the function with exactly this name in package runtime, or one that package runtime
 * provides to another package ("runtime.casgstatus"). It never returns an ABI wrapper of the same
 * name (".abi0", or a second small body). -ENOENT if there is none.
 */
int gobin_func(const struct gobin *b, const char *name, struct gobin_func *ret);
/*
 * As gobin_func(), for a function of any package. The first call builds an index over all functions
 * of the binary.
 */
int gobin_any_func(const struct gobin *b, const char *name, struct gobin_func *ret);
/* Finds the physical function, not an inlined one, whose code contains @addr; -ENOENT if none. */
int gobin_func_at(const struct gobin *b, uint64_t addr, struct gobin_func *ret);
/* Returns the binary's own function table; NULL if it has none that can be read. */
const struct pclntab *gobin_table(const struct gobin *b);
/* Returns the file itself, valid as long as @b lives. */
const struct elf_file *gobin_elf(const struct gobin *b);
/* Finds the address of a data symbol ("runtime.allgs"); -ENOENT if there is none. */
int gobin_data_symbol(const struct gobin *b, const char *name, uint64_t *ret);
/*
 * Finds the address of a symbol in .dynsym, which the dynamic linker reads: a program that can open
 * plugins exports all its functions. -ENOENT if there is none.
 */
int gobin_exported_symbol(const struct gobin *b, const char *name, uint64_t *ret);

/* Range of all writable data, with the data that is zero at the start; empty if there is none. */
void gobin_data_range(const struct gobin *b, uint64_t *start, uint64_t *end);

/* Executable range [*start, *end) that holds the Go text. */
void gobin_text_range(const struct gobin *b, uint64_t *start, uint64_t *end);
/*
 * The part of the text that is Go's package runtime; the whole text if the package is not in one
 * piece.
 */
void gobin_runtime_range(const struct gobin *b, uint64_t *start, uint64_t *end);
/* The functions of package runtime, as indices in gobin_table(), which must not be NULL. */
void gobin_runtime_functions(const struct gobin *b, size_t *first, size_t *end);
/* Returns @n file-backed bytes at @addr, NULL if they are not all there. */
const uint8_t *gobin_bytes(const struct gobin *b, uint64_t addr, size_t n);
/*
 * Stores the offset in the file of code address @addr, computed by the executable PT_LOAD (never by
 * .text, because moduledata.text differs from .text in cgo builds). -ERANGE if @addr is in no code
 * segment.
 */
int gobin_file_offset(const struct gobin *b, uint64_t addr, uint64_t *ret);

/*
 * Stores the address of the byte at @offset in the file. -ERANGE if no code segment begins at
 * @offset or before it.
 */
int gobin_offset_address(const struct gobin *b, uint64_t offset, uint64_t *ret);

/* Returns the file that has the DWARF data: its own, or the debug file's; NULL if there is none. */
const struct elf_file *gobin_dwarf_file(const struct gobin *b);
/*
 * Reads field offsets from DWARF. -ENOENT with a text if there is no DWARF data, or if a required
 * field is missing.
 */
int gobin_dwarf_offsets(const struct gobin *b, struct go_offsets *ret, struct error *err);

#endif
