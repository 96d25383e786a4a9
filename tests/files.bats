#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Files that others have put in place of a program: they may lie about their size, change while they are read, or be no
# files at all. gotap looks at them as root.

load lib/common

setup() {
	T=$BATS_TEST_TMPDIR
}

teardown() { stop_targets; }

# maps FILE: a process with FILE mapped as code.
maps() {
	start_target python3 -c 'import mmap, os, sys, time
fd = os.open(sys.argv[1], os.O_RDONLY)
m = mmap.mmap(fd, 4096, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC)
print("ready", flush=True)
time.sleep(600)' "$1"
}

# An ELF header whose section 0 says how many sections there are: 8 GB full of them, none of which is on the disk.
@test "a sparse file that claims 134 million sections" {
	python3 -c 'import struct, sys
size = 8 << 30
f = open(sys.argv[1], "wb")
f.write(struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1", 3, 62, 1, 0, 0, 64, 0, 64, 56, 0, 64, 0, 0xffff))
f.write(struct.pack("<IIQQQQIIQQ", 0, 0, 0, 0, 0, size // 64 - 1, 1, 0, 0, 0))
f.truncate(size)' "$T/sparse"
	maps "$T/sparse"
	succeeds timeout 60 "$GOTAP" ps
	run_logged timeout 60 "$GOTAP" doctor "$T/sparse"
	[ "$status" -eq 1 ]
	contains "not a Go program"
}

# The same for one whose sections are there, with names, and of a size that no program has.
@test "a sparse file with a function table of 4 GB" {
	python3 -c 'import struct, sys
def section(name, kind, flags, at, size, link=0):
    return struct.pack("<IIQQQQIIQQ", name, kind, flags, at, at, size, link, 0, 8, 24)
names = b"\0.gopclntab\0.symtab\0.strtab\0.data.rel.ro\0"
big = 4 << 30
f = open(sys.argv[1], "wb")
f.write(struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1", 3, 62, 1, 0, 64, 256, 0, 64, 56, 1, 64, 6, 5))
f.write(struct.pack("<IIQQQQQQ", 1, 6, 4096, 4096, 4096, big, big, 4096))
f.seek(256)
f.write(section(0, 0, 0, 0, 0) + section(1, 1, 2, 4096, big) + section(12, 2, 0, 4096, big, 3) +
        section(20, 3, 0, 4096, big) + section(28, 1, 2, 4096, big) + section(0, 3, 0, 2048, len(names)))
f.seek(2048)
f.write(names)
f.truncate(9 << 30)' "$T/sparse"
	maps "$T/sparse"
	succeeds timeout 60 "$GOTAP" ps
	run_logged timeout 60 "$GOTAP" doctor "$T/sparse"
	[ "$status" -eq 1 ]
}

# A user's own folder: what looks like podman's there names a FIFO.
@test "a FIFO in the place of a container runtime's file" {
	local store=$T/run/user/1000/containers/overlay-containers
	mkdir -p "$store/deadbeef/userdata" "$T/run/user/1000/crun/deadbeef" "$T/run/crun"
	echo '[{"id": "deadbeef", "names": ["web"]}]' >"$store/containers.json"
	mkfifo "$store/deadbeef/userdata/pidfile" "$T/run/user/1000/crun/deadbeef/status"
	GOTAP_STATE_ROOT=$T succeeds timeout 60 "$GOTAP" ps
}

# Each time that gotap asks for the size of the file, somebody is about to make it shorter.
@test "a file that is truncated while it is read" {
	local n size
	build_prog 1.26 pingpong
	cat >"$T/cut.c" <<-END
		#define _GNU_SOURCE
		#include <dlfcn.h>
		#include <stdlib.h>
		#include <sys/stat.h>
		#include <unistd.h>
		int fstat(int fd, struct stat *st)
		{
			static int n;
			int (*next)(int, struct stat *) = dlsym(RTLD_NEXT, "fstat");
			int r = next(fd, st);
			if (!r && st->st_size == atol(getenv("CUT_SIZE")) && ++n == atoi(getenv("CUT_AT")))
				truncate(getenv("CUT_FILE"), st->st_size / 8 & ~4095);
			return r;
		}
	END
	cc -shared -fPIC -o "$T/cut.so" "$T/cut.c"
	size=$(stat -c %s "$PROG")
	for n in 1 2 3; do
		cp "$PROG" "$T/program"
		CUT_SIZE=$size CUT_AT=$n CUT_FILE=$T/program LD_PRELOAD=$T/cut.so gotap doctor "$T/program"
		[ "$(stat -c %s "$T/program")" -lt "$size" ] || break
		if [ "$n" -le 2 ]; then
			[ "$status" -eq 1 ]
		else
			# The search for what leads to functions comes last: where it could not read, they remain uprobes.
			[ "$status" -eq 0 ]
			[[ $output =~ inline.*\ ([0-9]+)\ frequent\ functions\ remain ]]
			[ "${BASH_REMATCH[1]}" -gt 5 ]
		fi
	done
	[ "$n" -gt 1 ]
}
