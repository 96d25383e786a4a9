// SPDX-License-Identifier: Apache-2.0
/*
 * gobin: see gobin.h. Joins elf_file, buildinfo, func_table, pclntab and dwarf_offsets. Functions
 * come from .gopclntab, which strip(1) does not remove, or from the symbol table if the file has no
 * .gopclntab that can be read.
 */
#define _GNU_SOURCE
#include "target/gobin.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/pclntab.h"
#include "base/cleanup.h"
#include "target/buildinfo.h"
#include "target/debug_file.h"
#include "target/dwarf_offsets.h"
#include "target/func_table.h"
#include "target/gobin_memory.h"
#include "target/runtime_block.h"

struct gobin {
	char *path;
	struct elf_file elf;
	struct buildinfo info;
	struct pclntab *table;		/* NULL if the file has none that can be read */
	struct runtime_block runtime;	/* set only if has_block: the package is in one piece */
	bool has_block;
	/* functions of the block; of the symbols if there is no table */
	struct func_table funcs;
	char *build_id;
	/* path by which the file can be opened; @path is for messages */
	char *file;
	/* path of the separate debug file, for messages; NULL: none known */
	char *debug_path;
	int debug_fd;			/* if there is a debug file: open descriptor, */
	char *debug_file;		/* path by which it can be opened once more, */
	struct elf_file debug;		/* and its reader */
};

/* --- opening --- */

static bool has_section(const struct elf_file *f, const char *name)
{
	Elf64_Shdr header;

	return elf_section_header(f, name, &header);
}

static bool has_go_symbols(const struct elf_file *f)
{
	struct func_table funcs = {0};
	bool has;

	func_table_from_symbols(&funcs, f);
	has = func_table_by_name(&funcs, "runtime.casgstatus");
	func_table_free(&funcs);
	return has;
}

/*
 * Returns whether the file has a mark of a Go program: to look for the function table in each
 * program of a machine would take long.
 */
static bool may_be_go(const struct elf_file *f)
{
	static const char *const marks[] = {
		".go.buildinfo", ".gopclntab", ".data.rel.ro.gopclntab", ".note.go.buildid",
	};
	size_t i;

	for (i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		if (has_section(f, marks[i]))
			return true;
	}
	return !f->nsections || has_go_symbols(f);
}

enum { NOTE_GO_BUILD_ID = 4, MAX_BUILD_ID = 256 };

static char *read_build_id(const struct elf_file *f)
{
	struct buf text = {0};
	const uint8_t *id;
	size_t i, n;

	id = elf_note(f, ".note.gnu.build-id", NT_GNU_BUILD_ID, "GNU", &n);
	for (i = 0; id && i < n && i < MAX_BUILD_ID; i++)
		buf_printf(&text, "%02x", id[i]);
	if (!id) {
		id = elf_note(f, ".note.go.buildid", NOTE_GO_BUILD_ID, "Go\0", &n);
		if (id)
			buf_add(&text, id, n < MAX_BUILD_ID ? n : MAX_BUILD_ID);
	}
	buf_add_byte(&text, '\0');
	return (char *)text.data;
}

/*
 * Returns whether upx has packed the file: upx writes its mark after the program headers and leaves
 * no sections.
 */
static bool is_packed(const struct elf_file *f)
{
	enum { HEAD = 512 };
	const uint8_t *p = elf_file_at(f, 0, HEAD);

	return p && !f->nsections && memmem(p, HEAD, "UPX!", 4);
}

static int refuse_non_go(const struct gobin *b, struct error *err)
{
	if (is_packed(&b->elf))
		return error_set(err, -ENOTSUP, "a program packed with upx: what it runs is not in "
				 "the file; unpack it with 'upx -d' and run that");
	return error_set(err, -ENOEXEC, "not a Go program");
}

/*
 * Adds the functions of package runtime, without ABI wrappers, which have the name of the function
 * that they wrap.
 */
static void add_runtime_functions(struct gobin *b)
{
	struct pclntab_func f;
	size_t i;

	for (i = b->runtime.first; i < b->runtime.end; i++)
		if (pclntab_func(b->table, i, &f) && f.kind != FUNC_WRAPPER)
			func_table_add(&b->funcs, f.name, f.entry, f.end - f.entry);
	func_table_sort(&b->funcs);
}

/*
 * Reads the functions of package runtime from the function table or, if there is none, all
 * functions from the symbols.
 */
static void read_functions(struct gobin *b)
{
	if (pclntab_from_elf(&b->table, &b->elf, NULL))
		b->table = NULL;
	b->has_block = b->table && runtime_block_find(b->table, &b->runtime);
	if (b->has_block)
		add_runtime_functions(b);
	else if (!b->table)
		func_table_from_symbols(&b->funcs, &b->elf);
}

static int gobin_read_all(struct gobin *b, struct error *err)
{
	if (!may_be_go(&b->elf))
		return refuse_non_go(b, err);
	read_functions(b);
	buildinfo_read(&b->info, &b->elf);
	if (!b->table && !b->info.version && !func_table_by_name(&b->funcs, "runtime.casgstatus"))
		return refuse_non_go(b, err);
	if (!b->info.version)
		b->info.version = xstrdup("an unknown release of Go");
	b->build_id = read_build_id(&b->elf);
	return 0;
}

static int gobin_new(struct gobin **ret, struct elf_file *elf, const char *path,
		     struct error *err)
{
	struct gobin *b = xcalloc(1, sizeof(*b));
	int r;

	b->elf = *elf;
	b->path = xstrdup(path);
	r = gobin_read_all(b, err);
	if (r < 0)
		gobin_free(b);
	else
		*ret = b;
	return r;
}

/* @r: the result of opening @elf. */
static int use_file(struct gobin **ret, int r, struct elf_file *elf, const char *name,
		    struct error *err)
{
	if (!r)
		r = gobin_new(ret, elf, name, err);
	return r ? error_prefix(err, "cannot use '%s'", name), r : 0;
}

int gobin_open_as(struct gobin **ret, const char *path, const char *name, struct error *err)
{
	struct elf_file elf;
	int r = use_file(ret, elf_file_open(&elf, path, err), &elf, name, err);

	if (!r)
		(*ret)->file = xstrdup(path);
	return r;
}

int gobin_open_fd(struct gobin **ret, int fd, const char *name, struct error *err)
{
	struct elf_file elf;
	int r = use_file(ret, elf_file_open_fd(&elf, fd, err), &elf, name, err);

	if (!r)
		(*ret)->file = xasprintf("/proc/self/fd/%d", fd);
	return r;
}

int gobin_open(struct gobin **ret, const char *path, struct error *err)
{
	return gobin_open_as(ret, path, path, err);
}

int gobin_open_memory(struct gobin **ret, const void *data, size_t size, const char *name,
		      struct error *err)
{
	struct elf_file elf;
	int r = elf_file_from_memory(&elf, data, size, err);

	if (!r)
		r = gobin_new(ret, &elf, name, err);
	return r;
}

void gobin_free(struct gobin *b)
{
	if (!b)
		return;
	func_table_free(&b->funcs);
	pclntab_free(b->table);
	buildinfo_free(&b->info);
	elf_file_close(&b->elf);
	elf_file_close(&b->debug);
	if (b->debug_path)
		cleanup_close(&b->debug_fd);
	free(b->debug_path);
	free(b->debug_file);
	free(b->file);
	free(b->build_id);
	free(b->path);
	free(b);
}

/* --- facts --- */

const char *gobin_path(const struct gobin *b)
{
	return b->path;
}

const char *gobin_go_version(const struct gobin *b)
{
	return b->info.version;
}

int gobin_go_minor(const struct gobin *b)
{
	return b->info.minor;
}

void gobin_assume_minor(struct gobin *b, int minor)
{
	b->info.minor = minor;
}

const char *gobin_module_path(const struct gobin *b)
{
	return b->info.module_path;
}

const char *gobin_module_version(const struct gobin *b)
{
	return b->info.module_version;
}

const char *gobin_build_setting(const struct gobin *b, const char *key)
{
	return buildinfo_setting(&b->info, key);
}

uint64_t gobin_entry(const struct gobin *b)
{
	return b->elf.header.e_entry;
}

const struct goarch *gobin_arch(const struct gobin *b)
{
	return b->elf.arch;
}

int gobin_check_host(const struct gobin *b, struct error *err)
{
	return goarch_check_host(b->elf.arch, b->path, err);
}

bool gobin_constants(const struct gobin *b, uint64_t *start, uint64_t *end)
{
	uint64_t most = 0;
	Elf64_Phdr h;
	size_t i = 0;

	while (elf_load_next(&b->elf, &i, 0, &h)) {
		if (h.p_flags & (PF_W | PF_X) || h.p_filesz <= most)
			continue;
		most = h.p_filesz;
		*start = h.p_vaddr;
		*end = h.p_vaddr + h.p_filesz;
	}
	return most;
}

bool gobin_register_args(const struct gobin *b)
{
	return b->info.minor >= b->elf.arch->register_args_since;
}

bool gobin_is_pie(const struct gobin *b)
{
	return b->elf.header.e_type == ET_DYN;
}

bool gobin_has_symtab(const struct gobin *b)
{
	return has_section(&b->elf, ".symtab");
}

/* Up to Go 1.18 the linker named compressed sections .zdebug_*. */
bool gobin_has_dwarf(const struct gobin *b)
{
	return has_section(&b->elf, ".debug_info") || has_section(&b->elf, ".zdebug_info");
}

const char *gobin_build_id(const struct gobin *b)
{
	return b->build_id;
}

void gobin_find_debug(struct gobin *b, const char *root, bool ask_servers)
{
	_cleanup_free_ char *name = root || !b->file ? NULL : realpath(b->file, NULL);
	struct debug_place place = {
		.name = name ? name : b->path,
		.root = root,
		.ask_servers = ask_servers,
	};

	if (gobin_has_dwarf(b) || b->debug_path || !b->file)
		return;
	b->debug_fd = debug_file_find(&b->elf, &place, &b->debug_path);
	if (b->debug_fd < 0)
		return;
	b->debug_file = xasprintf("/proc/self/fd/%d", b->debug_fd);
	/* fails if the file has changed since debug_file_find() checked it */
	if (elf_file_open_fd(&b->debug, b->debug_fd, NULL)) {
		free(take_ptr(b->debug_path));
		cleanup_close(&b->debug_fd);
	}
}

const char *gobin_debug_path(const struct gobin *b)
{
	return b->debug_path;
}

const char *gobin_debug_file(const struct gobin *b)
{
	return b->debug_path ? b->debug_file : NULL;
}

/* --- functions and data --- */

static int gobin_known(const struct gobin_func *fn, struct gobin_func *ret)
{
	if (!fn)
		return -ENOENT;
	*ret = *fn;
	return 0;
}

/*
 * Stores a function of the table. Its size includes the padding after it, a symbol's size does not.
 */
static int entry_found(bool found, const struct pclntab_func *f, struct gobin_func *ret)
{
	if (!found)
		return -ENOENT;
	*ret = (struct gobin_func){ f->name, f->entry, f->end - f->entry };
	return 0;
}

int gobin_func(const struct gobin *b, const char *name, struct gobin_func *ret)
{
	struct pclntab_func f;

	if (b->has_block || !b->table)
		return gobin_known(func_table_by_name(&b->funcs, name), ret);
	return entry_found(pclntab_func_named(b->table, name, &f), &f, ret);
}

int gobin_any_func(const struct gobin *b, const char *name, struct gobin_func *ret)
{
	struct pclntab_func f;

	if (!b->table)
		return gobin_func(b, name, ret);
	return entry_found(pclntab_func_named(b->table, name, &f), &f, ret);
}

int gobin_func_at(const struct gobin *b, uint64_t addr, struct gobin_func *ret)
{
	struct pclntab_func f;

	if (!b->table)
		return gobin_known(func_table_by_addr(&b->funcs, addr), ret);
	return entry_found(pclntab_func_at(b->table, addr, &f), &f, ret);
}

const struct pclntab *gobin_table(const struct gobin *b)
{
	return b->table;
}

const struct elf_file *gobin_elf(const struct gobin *b)
{
	return &b->elf;
}

static int find_object(const struct elf_symbols *symbols, const char *name, uint64_t *ret)
{
	size_t i;

	for (i = 0; i < symbols->n; i++) {
		Elf64_Sym s = elf_symbol(symbols, i);

		if (ELF64_ST_TYPE(s.st_info) != STT_OBJECT || s.st_shndx == SHN_UNDEF ||
		    strcmp(elf_string(&symbols->names, s.st_name), name))
			continue;
		*ret = s.st_value;
		return 0;
	}
	return -ENOENT;
}

int gobin_data_symbol(const struct gobin *b, const char *name, uint64_t *ret)
{
	struct elf_symbols symbols;

	if (elf_symbols_of(&b->elf, &symbols) ||
	    (b->debug_path && elf_symbols_of(&b->debug, &symbols)))
		return find_object(&symbols, name, ret);
	return gobin_exported_symbol(b, name, ret);
}

int gobin_exported_symbol(const struct gobin *b, const char *name, uint64_t *ret)
{
	struct elf_symbols symbols;

	if (!elf_symbols_exported(&b->elf, &symbols))
		return -ENOENT;
	return find_object(&symbols, name, ret);
}

void gobin_data_range(const struct gobin *b, uint64_t *start, uint64_t *end)
{
	Elf64_Phdr ph;
	size_t i = 0;

	*start = *end = 0;
	while (elf_load_next(&b->elf, &i, PF_W, &ph)) {
		if (ph.p_vaddr + ph.p_memsz < ph.p_vaddr)
			continue;
		if (!*end || ph.p_vaddr < *start)
			*start = ph.p_vaddr;
		if (ph.p_vaddr + ph.p_memsz > *end)
			*end = ph.p_vaddr + ph.p_memsz;
	}
}

/* --- code --- */

/* Finds the first executable segment that has bytes in the file. */
static bool code_segment(const struct elf_file *f, Elf64_Phdr *ret)
{
	size_t i = 0;

	while (elf_load_next(f, &i, PF_X, ret))
		if (ret->p_filesz)
			return true;
	return false;
}

/* The range of .text if it lies in the executable segment, or else all executable bytes. */
void gobin_text_range(const struct gobin *b, uint64_t *start, uint64_t *end)
{
	Elf64_Shdr text;
	Elf64_Phdr ph;

	*start = *end = 0;
	if (elf_section_header(&b->elf, ".text", &text) &&
	    elf_exec_segment(&b->elf, text.sh_addr, &ph) &&
	    text.sh_size <= ph.p_filesz - (text.sh_addr - ph.p_vaddr)) {
		*start = text.sh_addr;
		*end = text.sh_addr + text.sh_size;
	} else if (code_segment(&b->elf, &ph)) {
		*start = ph.p_vaddr;
		*end = ph.p_vaddr + ph.p_filesz;
	}
}

void gobin_runtime_range(const struct gobin *b, uint64_t *start, uint64_t *end)
{
	gobin_text_range(b, start, end);
	if (b->has_block && b->runtime.start_addr >= *start && b->runtime.end_addr <= *end) {
		*start = b->runtime.start_addr;
		*end = b->runtime.end_addr;
	}
}

void gobin_runtime_functions(const struct gobin *b, size_t *first, size_t *end)
{
	*first = b->has_block ? b->runtime.first : 0;
	*end = b->has_block ? b->runtime.end : pclntab_funcs(b->table);
}

const uint8_t *gobin_bytes(const struct gobin *b, uint64_t addr, size_t n)
{
	return elf_bytes(&b->elf, addr, n);
}

int gobin_file_offset(const struct gobin *b, uint64_t addr, uint64_t *ret)
{
	Elf64_Phdr ph;

	if (!elf_exec_segment(&b->elf, addr, &ph))
		return -ERANGE;
	*ret = addr - ph.p_vaddr + ph.p_offset;
	return 0;
}

/* A mapping begins at the start of a page, its segment perhaps some bytes after that. */
int gobin_offset_address(const struct gobin *b, uint64_t offset, uint64_t *ret)
{
	uint64_t page = gobin_arch(b)->page_most;
	Elf64_Phdr ph;
	size_t i = 0;

	while (elf_load_next(&b->elf, &i, PF_X, &ph)) {
		if (offset + page <= ph.p_offset || offset >= ph.p_offset + ph.p_filesz)
			continue;
		*ret = ph.p_vaddr - ph.p_offset + offset;
		return 0;
	}
	return -ERANGE;
}

const struct elf_file *gobin_dwarf_file(const struct gobin *b)
{
	return gobin_has_dwarf(b) ? &b->elf : b->debug_path ? &b->debug : NULL;
}

int gobin_dwarf_offsets(const struct gobin *b, struct go_offsets *ret, struct error *err)
{
	const struct elf_file *f = gobin_dwarf_file(b);

	if (!f)
		return error_set(err, -ENOENT, "no DWARF data");
	return dwarf_offsets_read(f, b->info.minor, ret, err);
}
