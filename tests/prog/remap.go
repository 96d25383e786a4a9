// SPDX-License-Identifier: Apache-2.0

// remap moves its code to memory of no file, as programs do that want it in huge pages: before it says ready, or with
// -signal on SIGUSR1, after which it says moved. With -clean the copy is made from the file, else from memory.
//
//	remap [-signal] [-clean]
package main

/*
#define _GNU_SOURCE
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int move(uintptr_t start, size_t n, int file, long offset)
{
	void *copy = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (copy == MAP_FAILED)
		return -1;
	if (file < 0)
		memcpy(copy, (void *)start, n);
	else if (pread(file, copy, n, offset) < 0)
		return -1;
	if (mprotect(copy, n, PROT_READ | PROT_EXEC))
		return -1;
	return mremap(copy, n, n, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)start) == MAP_FAILED ? -1 : 0;
}
*/
import "C"

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

var (
	onSignal = flag.Bool("signal", false, "move on SIGUSR1")
	clean    = flag.Bool("clean", false, "copy from the file")
)

func textRange() (start, end, offset uint64) {
	exe, err := os.Readlink("/proc/self/exe")
	if err != nil {
		panic(err)
	}
	f, err := os.Open("/proc/self/maps")
	if err != nil {
		panic(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		line := lines.Text()
		if strings.Contains(line, " r-xp ") && strings.HasSuffix(line, exe) {
			fmt.Sscanf(line, "%x-%x r-xp %x", &start, &end, &offset)
			return
		}
	}
	panic("no code in /proc/self/maps")
}

func move() {
	start, end, offset := textRange()
	file := -1
	if *clean {
		f, err := os.Open("/proc/self/exe")
		if err != nil {
			panic(err)
		}
		file = int(f.Fd())
	}
	if C.move(C.uintptr_t(start), C.size_t(end-start), C.int(file), C.long(offset)) != 0 {
		panic("the code could not be moved")
	}
}

func tick() {
	for {
		time.Sleep(time.Millisecond)
	}
}

func main() {
	flag.Parse()
	sig := make(chan os.Signal, 1)
	signal.Notify(sig, syscall.SIGUSR1)
	if !*onSignal {
		move()
	}
	go tick()
	fmt.Println("ready")
	<-sig
	move()
	fmt.Println("moved")
	select {}
}
