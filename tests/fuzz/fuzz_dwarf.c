// SPDX-License-Identifier: Apache-2.0
/*
 * fuzz_dwarf: an ELF file of any bytes through a symbolizer on DWARF, and for the types of global
 * variables. libdw wants a file for names, so the bytes go through a memfd.
 *
 * First inputs: a Go program of few functions, linked with -ldflags=-compressdwarf=false
 * and cut by objcopy to its .debug_ sections.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "symbol/symbol.h"
#include "target/dwarf_variables.h"

enum { PCS = 64, FRAMES = 128 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Low addresses, as objects have them, and those of a Go executable. */
static void use_symbolizer(struct symbolizer *s)
{
	struct frame out[FRAMES];
	uint64_t pcs[2 * PCS];
	size_t i;

	for (i = 0; i < PCS; i++) {
		pcs[2 * i] = i * 16;
		pcs[2 * i + 1] = 0x401000 + i * 16;
	}
	symbolizer_stack(s, pcs, 2 * PCS, 0, out, FRAMES);
	symbolizer_entry(s, 0x401000, out);
}

/* What is returned may be false, but lies within its room. */
static void use_variables(const uint8_t *data, size_t size)
{
	static struct dwarf_variables all;
	struct elf_file f;
	struct error err;
	uint32_t i;

	if (elf_file_from_memory(&f, data, size, &err))
		return;
	if (dwarf_variables_read(&f, &all, &err))
		must(!all.n, "an error has no variables");
	must(all.n <= DWARF_VARIABLES, "there is room for all");
	for (i = 0; i < all.n; i++)
		must(all.all[i].type != 0, "each has a type");
	elf_file_close(&f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct symbolizer *s;
	char path[64];

	if (fd < 0)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (write(fd, data, size) == (ssize_t)size &&
	    symbolizer_open(&s, &(struct symbol_file){ path, NULL, 0, dwarf_isolated_new, NULL },
			    SYMBOL_DWARF, NULL) == 0) {
		use_symbolizer(s);
		symbolizer_free(s);
	}
	close(fd);
	use_variables(data, size);
	return 0;
}
