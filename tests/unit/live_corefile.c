// SPDX-License-Identifier: Apache-2.0
/*
 * corefile: where bytes come from that a core file lacks. The program has a segment of constants, one of variables, the
 * first page of which the loader makes constant (PT_GNU_RELRO), and one of zeros; the core file has only the second page
 * of the variables.
 */
#define _GNU_SOURCE
#include "unit.h"

#include <elf.h>
#include <stdlib.h>
#include <sys/procfs.h>
#include <unistd.h>

#include "live/corefile.h"
#include "live/registers.h"

enum {
	PAGE = 4096, BIAS = 0x10000,
	CONSTANTS = 0x400000,	/* one page, at offset 0: with the headers */
	VARIABLES = 0x401000,	/* three pages, at offset PAGE; a fourth one of zeros */
	STORED = VARIABLES + PAGE,
};

static uint8_t image[4 * PAGE], core_bytes[4 * PAGE];
static struct elf_file elf;
static struct corefile *core;
static char path[] = "/tmp/gotap-unit-corefile.XXXXXX";

static void make_program(void)
{
	Elf64_Ehdr h = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			 .e_type = ET_DYN, .e_machine = REGISTERS_MACHINE, .e_version = EV_CURRENT,
			 .e_phoff = sizeof(h), .e_ehsize = sizeof(h), .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 3 };
	Elf64_Phdr p[3] = {
		{ .p_type = PT_LOAD, .p_flags = PF_R, .p_vaddr = CONSTANTS, .p_filesz = PAGE, .p_memsz = PAGE },
		{ .p_type = PT_LOAD, .p_flags = PF_R | PF_W, .p_vaddr = VARIABLES, .p_offset = PAGE,
		  .p_filesz = 3 * PAGE, .p_memsz = 4 * PAGE },
		{ .p_type = PT_GNU_RELRO, .p_flags = PF_R, .p_vaddr = VARIABLES, .p_offset = PAGE, .p_filesz = PAGE,
		  .p_memsz = PAGE },
	};
	struct error err;
	size_t i;

	for (i = 0; i < sizeof(image); i++)
		image[i] = (uint8_t)(i / PAGE * 16 + i % 13);
	memcpy(image, &h, sizeof(h));
	memcpy(image + sizeof(h), p, sizeof(p));
	CHECK(!elf_file_from_memory(&elf, image, sizeof(image), &err));
}

static void make_core(void)
{
	Elf64_Nhdr note = { 5, sizeof(struct elf_prstatus), NT_PRSTATUS };
	Elf64_Ehdr h = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			 .e_type = ET_CORE, .e_machine = REGISTERS_MACHINE, .e_version = EV_CURRENT,
			 .e_phoff = sizeof(h), .e_ehsize = sizeof(h), .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 2 };
	Elf64_Phdr p[2] = {
		{ .p_type = PT_NOTE, .p_offset = PAGE, .p_filesz = sizeof(note) + 8 + sizeof(struct elf_prstatus) },
		{ .p_type = PT_LOAD, .p_flags = PF_R | PF_W, .p_vaddr = STORED + BIAS, .p_offset = 3 * PAGE,
		  .p_filesz = PAGE, .p_memsz = PAGE },
	};
	struct elf_prstatus status = { .pr_pid = 7 };

	memset(core_bytes, 0xee, sizeof(core_bytes));
	memcpy(core_bytes, &h, sizeof(h));
	memcpy(core_bytes + sizeof(h), p, sizeof(p));
	memcpy(core_bytes + PAGE, &note, sizeof(note));
	memcpy(core_bytes + PAGE + sizeof(note), "CORE\0\0\0", 8);
	memcpy(core_bytes + PAGE + sizeof(note) + 8, &status, sizeof(status));
}

static void open_core(void)
{
	struct error err;
	int fd = mkstemp(path);

	make_program();
	make_core();
	CHECK(fd >= 0 && write(fd, core_bytes, sizeof(core_bytes)) == (ssize_t)sizeof(core_bytes));
	close(fd);
	CHECK(!corefile_open(&core, path, &err));
	unlink(path);
	CHECK(!corefile_set_program(core, &elf, BIAS, "program", &err));
}

/* Are @n bytes at @addr of the program those of the file of the program? */
static bool of_program(uint64_t addr, size_t n)
{
	uint8_t to[3 * PAGE];

	return corefile_read(core, addr + BIAS, to, n) && !memcmp(to, image + (addr - CONSTANTS), n);
}

static bool is_read(uint64_t addr, size_t n)
{
	uint8_t to[3 * PAGE];

	return corefile_read(core, addr + BIAS, to, n);
}

static void constants_come_from_the_program(void)
{
	CHECK(of_program(CONSTANTS, PAGE));
	CHECK(of_program(CONSTANTS + 1000, 1500));
	CHECK(of_program(CONSTANTS + PAGE - 1, 1));
}

static void what_the_loader_makes_constant_too(void)
{
	CHECK(of_program(VARIABLES, PAGE));
	CHECK(of_program(CONSTANTS + PAGE - 8, 16));	/* over the border of the segments */
}

static void variables_come_from_the_core_file_alone(void)
{
	uint8_t to[PAGE];

	CHECK(corefile_read(core, STORED + BIAS, to, PAGE));
	CHECK(to[0] == 0xee && to[PAGE - 1] == 0xee);
	/* what they began with says nothing about what they were */
	CHECK(!is_read(STORED + PAGE, 8));
	CHECK(!is_read(STORED + PAGE - 4, 8));
	CHECK(!is_read(STORED + 2 * PAGE, 8));	/* zeros at the begin */
}

static void a_read_that_goes_on_in_the_core_file_is_whole(void)
{
	uint8_t to[16];

	CHECK(corefile_read(core, STORED - 8 + BIAS, to, sizeof(to)));
	CHECK(!memcmp(to, image + (STORED - 8 - CONSTANTS), 8));
	CHECK(to[8] == 0xee && to[15] == 0xee);
}

static void outside_of_the_program_there_is_nothing(void)
{
	CHECK(!is_read(CONSTANTS - 8, 8));
	CHECK(!is_read(CONSTANTS - 8, 16));
	CHECK(!is_read(CONSTANTS - BIAS, 8));	/* where it would be without the bias */
	CHECK(!is_read(0 - (uint64_t)BIAS, 8));
	CHECK(!is_read(UINT64_MAX - BIAS - 3, 8));
}

int main(void)
{
	struct unit_case cases[] = {
		UNIT(open_core),
		UNIT(constants_come_from_the_program),
		UNIT(what_the_loader_makes_constant_too),
		UNIT(variables_come_from_the_core_file_alone),
		UNIT(a_read_that_goes_on_in_the_core_file_is_whole),
		UNIT(outside_of_the_program_there_is_nothing),
		{0},
	};
	int failed = unit_main(cases);

	corefile_free(core);
	elf_file_close(&elf);
	return failed;
}
