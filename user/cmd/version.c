// SPDX-License-Identifier: Apache-2.0
/* version: see version.h. */
#include "cmd/version.h"

#include <bpf/libbpf.h>
#include <elfutils/libdwfl.h>
#include <stdio.h>

#include "base/arch.h"
#include "base/build.h"
#include "proc/machine.h"

static void version_print_build(void)
{
	unsigned int i;

	printf("build: " ARCH_NAME ", gcc " __VERSION__ ", %s\n",
	       build_is_static() ? "static" : "with shared libraries");
	for (i = 0; build_lacks(i); i++)
		printf("lacks: %s\n", build_lacks(i));
}

void version_print(void)
{
	struct machine m;

	machine_look(&m);
	puts("gotap " GOTAP_VERSION);
	version_print_build();
	printf("libraries: libbpf %s, libdw %s\n", libbpf_version_string(), dwfl_version(NULL));
	printf("kernel: Linux %s, %s\n", m.release, m.btf ? "with BTF" : "without BTF");
	if (machine_lacks(&m))
		printf("this kernel: %s\n", machine_lacks(&m));
}
