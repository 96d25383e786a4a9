// SPDX-License-Identifier: Apache-2.0
/*
 * target: gobin on files made here and on what is left of them after cuts and
 * changes of every header byte. Run it with a sanitizer to see over-reads: each
 * file is in a heap block of its exact size.
 */
#include "unit.h"

#include <errno.h>
#include <stdlib.h>

#include "target/callsites.h"
#include "target/gobin.h"
#include "target/gobin_memory.h"
#include "target_image.h"

static const char modules[] =
	"path\texample.com/app\n"
	"mod\texample.com/app\tv1.2.3\th1:abc=\n"
	"dep\texample.com/lib\tv0.1.0\th1:def=\n"
	"build\t-buildmode=exe\n"
	"build\t-ldflags=\"-s -w\"\n"
	"build\tCGO_ENABLED=0\n";

static void make_whole(struct image *m)
{
	image_begin(m);
	image_code(m);
	image_buildinfo(m, "go1.25.12", modules);
	image_finish(m);
}

static int open_image(struct gobin **b, const struct image *m, struct error *err)
{
	return gobin_open_memory(b, m->file.data, m->file.len, "image", err);
}

/* --- whole files --- */

static void facts_of_a_program(void)
{
	struct gobin *b = NULL;
	struct error err;
	struct image m;

	make_whole(&m);
	CHECK(!open_image(&b, &m, &err));
	CHECK_STR(gobin_go_version(b), "go1.25.12");
	CHECK_EQ(gobin_go_minor(b), 25);
	CHECK_STR(gobin_module_path(b), "example.com/app");
	CHECK_STR(gobin_module_version(b), "v1.2.3");
	CHECK_STR(gobin_build_setting(b, "-buildmode"), "exe");
	CHECK_STR(gobin_build_setting(b, "-ldflags"), "-s -w");
	CHECK_STR(gobin_build_setting(b, "CGO_ENABLED"), "0");
	CHECK(!gobin_build_setting(b, "-pgo"));
	CHECK_STR(gobin_build_id(b), "");
	CHECK(gobin_has_symtab(b) && !gobin_has_dwarf(b) && !gobin_is_pie(b));
	gobin_free(b);
	image_free(&m);
}

static void functions_by_name_and_address(void)
{
	struct gobin *b = NULL;
	struct gobin_func fn;
	struct image m;
	uint64_t text, end, off;

	make_whole(&m);
	CHECK(!open_image(&b, &m, NULL));
	gobin_text_range(b, &text, &end);
	CHECK_EQ(end - text, 64);
	/* of two functions with one name the larger, not the wrapper */
	CHECK(!gobin_func(b, "runtime.casgstatus", &fn));
	CHECK(fn.addr == text && fn.size == 16);
	CHECK(gobin_func(b, "runtime.casgstatu", &fn) == -ENOENT);
	CHECK(!gobin_func_at(b, text + 21, &fn));
	CHECK_STR(fn.name, "runtime.ready");
	CHECK(gobin_func_at(b, text + 22, &fn) == -ENOENT);	/* behind ready */
	CHECK(gobin_func_at(b, text - 1, &fn) == -ENOENT);
	CHECK(!gobin_data_symbol(b, "runtime.allgs", &off));
	CHECK_EQ(off, IMAGE_DATA + 0x40);
	CHECK(gobin_data_symbol(b, "runtime.ready", &off) == -ENOENT);
	gobin_free(b);
	image_free(&m);
}

static void code_bytes_and_offsets(void)
{
	struct gobin *b = NULL;
	uint64_t text, end, off;
	struct image m;

	make_whole(&m);
	CHECK(!open_image(&b, &m, NULL));
	gobin_text_range(b, &text, &end);
	CHECK(gobin_bytes(b, text, 2)[1] == 0xc3);
	CHECK(!gobin_bytes(b, IMAGE_CODE, m.file.len + 1));
	CHECK(!gobin_bytes(b, IMAGE_CODE + m.file.len, 1));
	CHECK(!gobin_bytes(b, text, SIZE_MAX));
	CHECK(!gobin_bytes(b, UINT64_MAX, 2));
	CHECK(!gobin_file_offset(b, text + 1, &off));
	CHECK_EQ(off, text + 1 - IMAGE_CODE);
	CHECK(gobin_file_offset(b, IMAGE_DATA, &off) == -ERANGE);	/* not code */
	gobin_free(b);
	image_free(&m);
}

static void call_sites_have_their_callers(void)
{
	struct vec sites = {0};
	struct gobin *b = NULL;
	uint64_t text, end;
	struct image m;

	make_whole(&m);
	CHECK(!open_image(&b, &m, NULL));
	gobin_text_range(b, &text, &end);
	callsites_find(b, text, &sites);
	CHECK_EQ(sites.len, 1);
	CHECK_EQ(vec_at(&sites, struct callsite, 0)->return_addr, text + 21);
	CHECK_STR(vec_at(&sites, struct callsite, 0)->func.name, "runtime.ready");
	callsites_find(b, text + 1, &sites);
	CHECK_EQ(sites.len, 1);
	vec_free(&sites);
	gobin_free(b);
	image_free(&m);
}

/* --- build info of other kinds --- */

/* The release that is found in the finished @m, or the error text. Frees @m. */
static int version_of_finished(struct image *m, char out[512])
{
	struct gobin *b = NULL;
	struct error err = {0};
	int r = open_image(&b, m, &err);

	snprintf(out, 512, "%s", r ? err.text : gobin_go_version(b));
	gobin_free(b);
	image_free(m);
	return r;
}

static int version_of(struct image *m, char out[512])
{
	image_finish(m);
	return version_of_finished(m, out);
}

static void old_buildinfo_has_pointers(void)
{
	static const char version[] = "go1.17.13";
	uint64_t header[4] = {0}, string[2];
	char out[512];
	struct image m;
	size_t s;

	image_begin(&m);
	s = image_section(&m, ".rodata", SHT_PROGBITS, IMAGE_CODE, version, 9);
	string[0] = m.headers[s].sh_addr;
	string[1] = 9;
	s = image_section(&m, ".data", SHT_PROGBITS, IMAGE_DATA, string, sizeof(string));
	memcpy(header, "\xff Go buildinf:\x08", 16);
	header[2] = m.headers[s].sh_addr;
	image_section(&m, ".go.buildinfo", SHT_PROGBITS, IMAGE_DATA, header, sizeof(header));
	CHECK(!version_of(&m, out));
	CHECK_STR(out, version);
}

static void without_buildinfo_the_referred_release_counts(void)
{
	/* runs into a digit of the next string; an older release is merely mentioned */
	static const char rodata[] = "go1.4.2 is old, go1.22.67 files";
	uint64_t string[2];
	Elf64_Phdr ph;
	char out[512];
	struct image m;
	size_t s;

	image_begin(&m);
	s = image_section(&m, ".rodata", SHT_PROGBITS, IMAGE_CODE, rodata, sizeof(rodata));
	string[0] = m.headers[s].sh_addr + 16;
	string[1] = 8;
	image_section(&m, ".data", SHT_PROGBITS, IMAGE_DATA, string, sizeof(string));
	image_section(&m, ".gopclntab", SHT_PROGBITS, IMAGE_CODE, "x", 1);
	image_finish(&m);
	memcpy(&ph, m.file.data + sizeof(Elf64_Ehdr), sizeof(ph));
	ph.p_flags = PF_R;	/* releases are searched in read-only data */
	memcpy(m.file.data + sizeof(Elf64_Ehdr), &ph, sizeof(ph));
	CHECK(!version_of_finished(&m, out));
	CHECK_STR(out, "go1.22.6");
}

static void buildinfo_without_a_section_is_found_in_the_data(void)
{
	char out[512];
	struct image m;

	image_begin(&m);
	image_code(&m);
	image_buildinfo(&m, "go1.26.1 X:nogreenteagc", "");
	m.headers[m.n - 1].sh_name = 0;
	CHECK(!version_of(&m, out));
	CHECK_STR(out, "go1.26.1 X:nogreenteagc");
}

static void strangers_are_named(void)
{
	char out[512];
	struct image m;

	image_begin(&m);
	CHECK(version_of(&m, out) == -ENOEXEC);
	CHECK_STR(out, "not a Go program");

	image_begin(&m);
	image_code(&m);
	CHECK(!version_of(&m, out));
	CHECK_STR(out, "an unknown release of Go");

	make_whole(&m);
	m.file.data[18] = EM_RISCV;
	CHECK(version_of_finished(&m, out) == -ENOEXEC);
	CHECK_STR(out, "an ELF file for another machine (number 243), only amd64 and arm64 are supported");
}

static void paths_that_are_no_programs(void)
{
	struct gobin *b = NULL;
	struct error err;

	CHECK(gobin_open(&b, "/nonexistent", &err) == -ENOENT);
	CHECK_STR(err.text, "cannot use '/nonexistent': No such file or directory");
	CHECK(gobin_open(&b, "/proc/self/status", &err) == -ENOEXEC);
	CHECK(gobin_open(&b, "/dev/null", &err) == -ENOEXEC);
	CHECK(gobin_open(&b, "/", &err) == -ENOEXEC);
	CHECK(gobin_open(&b, "/proc/self/exe", &err) == -ENOEXEC);
	CHECK_STR(err.text, "cannot use '/proc/self/exe': not a Go program");
	CHECK(!b);
}

/* --- broken files --- */

static void use(struct gobin *b)
{
	struct vec sites = {0};
	struct go_offsets offsets;
	struct gobin_func fn;
	uint64_t start, end;

	gobin_text_range(b, &start, &end);
	if (start < end)
		CHECK(gobin_bytes(b, start, end - start) != NULL);
	if (!gobin_func(b, "runtime.casgstatus", &fn)) {
		callsites_find(b, fn.addr, &sites);
		gobin_bytes(b, fn.addr, fn.size);
		gobin_file_offset(b, fn.addr, &start);
	}
	gobin_func_at(b, start, &fn);
	gobin_data_symbol(b, "runtime.allgs", &start);
	gobin_dwarf_offsets(b, &offsets, NULL);
	vec_free(&sites);
}

/* Opens a copy in a block of the exact size. */
static void try_bytes(const uint8_t *data, size_t n)
{
	uint8_t *copy = malloc(n ? n : 1);
	struct gobin *b = NULL;

	memcpy(copy, data, n);
	if (!gobin_open_memory(&b, copy, n, "broken", NULL))
		use(b);
	gobin_free(b);
	free(copy);
}

static void every_truncation(void)
{
	struct image m;
	size_t n;

	make_whole(&m);
	for (n = 0; n <= m.file.len; n++)
		try_bytes(m.file.data, n);
	image_free(&m);
}

static void every_byte_changed(void)
{
	static const uint8_t values[] = { 0x00, 0x01, 0x7f, 0x80, 0xff };
	struct image m;
	size_t i, k;

	make_whole(&m);
	for (i = 0; i < m.file.len; i++) {
		uint8_t old = m.file.data[i];

		for (k = 0; k < sizeof(values); k++) {
			m.file.data[i] = values[k];
			try_bytes(m.file.data, m.file.len);
		}
		m.file.data[i] = old;
	}
	image_free(&m);
}

/* Wide fields of all headers at once: offsets and sizes near 2^64. */
static void random_header_fields(void)
{
	static const uint64_t values[] = { 0, 1, 24, 64, 0x400000, UINT32_MAX, INT64_MAX,
					   UINT64_MAX, UINT64_MAX - 63 };
	struct image m;
	size_t tables;
	int i, k;

	make_whole(&m);
	tables = m.file.len - m.n * sizeof(Elf64_Shdr);
	srand(3);
	for (i = 0; i < 20000; i++) {
		struct buf copy = {0};

		buf_add(&copy, m.file.data, m.file.len);
		for (k = rand() % 3; k >= 0; k--) {
			size_t room = rand() % 2 ? 176 : copy.len - tables;
			size_t base = room == 176 ? 16 : tables;
			uint64_t v = values[(size_t)rand() % 9] + (uint64_t)(rand() % 3 - 1);

			memcpy(copy.data + base + (size_t)rand() % (room - 16) / 8 * 8, &v, 8);
		}
		try_bytes(copy.data, copy.len);
		buf_free(&copy);
	}
	image_free(&m);
}

/* A name that never ends and a table of symbols that all have it: no quadratic work. */
static void many_symbols_with_one_endless_name(void)
{
	enum { N = 200000, NAME = 1 << 20 };
	Elf64_Sym *symbols = xcalloc(N, sizeof(*symbols));
	char *name = xcalloc(1, NAME);
	struct gobin *b = NULL;
	struct gobin_func fn;
	struct image m;
	size_t i, symtab;

	memset(name + 1, 'x', NAME - 2);
	for (i = 0; i < N; i++)
		symbols[i] = (Elf64_Sym){ .st_name = 1, .st_info = STT_FUNC, .st_shndx = 1,
					  .st_value = N - i, .st_size = 1 };
	image_begin(&m);
	image_buildinfo(&m, "go1.25.12", "");
	symtab = image_section(&m, ".symtab", SHT_SYMTAB, 0, symbols, N * sizeof(*symbols));
	m.headers[symtab].sh_link = (Elf64_Word)symtab + 1;
	image_section(&m, ".strtab", SHT_STRTAB, 0, name, NAME);
	image_finish(&m);
	CHECK(!open_image(&b, &m, NULL));
	CHECK(!gobin_func(b, name + 1, &fn));
	CHECK(gobin_func(b, "runtime.casgstatus", &fn) == -ENOENT);
	gobin_free(b);
	image_free(&m);
	free(symbols);
	free(name);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(facts_of_a_program),
		UNIT(functions_by_name_and_address),
		UNIT(code_bytes_and_offsets),
		UNIT(call_sites_have_their_callers),
		UNIT(old_buildinfo_has_pointers),
		UNIT(without_buildinfo_the_referred_release_counts),
		UNIT(buildinfo_without_a_section_is_found_in_the_data),
		UNIT(strangers_are_named),
		UNIT(paths_that_are_no_programs),
		UNIT(every_truncation),
		UNIT(every_byte_changed),
		UNIT(random_header_fields),
		UNIT(many_symbols_with_one_endless_name),
		{0} });
}
