// SPDX-License-Identifier: Apache-2.0
/*
 * fuzz_dwarf: an ELF file of any bytes through a symbolizer on DWARF. libdw
 * wants a file, so the bytes go through a memfd. Build:
 *
 *	clang -g -O1 -std=gnu11 -fsanitize=fuzzer,address,undefined \
 *		-fno-sanitize-recover=undefined -Iuser -o fuzz_dwarf \
 *		tests/fuzz/fuzz_dwarf.c $(find user/symbol -name '*.c') \
 *		user/base/{error,map64,strset,vec}.c -ldw -lelf -lz
 *
 * First inputs: a Go program of few functions, linked with -ldflags=-compressdwarf=false
 * and cut by objcopy to its .debug_ sections.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "symbol/symbol.h"

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
	return 0;
}
