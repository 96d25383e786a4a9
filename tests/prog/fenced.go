// SPDX-License-Identifier: Apache-2.0

// fenced puts all its threads under a seccomp filter that answers one system call in a way of its own, and then
// works a little, for ever.
//
//	fenced [-call NUMBER] [-with kill|errno|log|allow]
package main

import (
	"flag"
	"fmt"
	"os"
	"syscall"
	"time"
	"unsafe"
)

var (
	call = flag.Int("call", 319, "the system call (319: memfd_create)")
	with = flag.String("with", "kill", "the answer")
)

var answers = map[string]uint32{"kill": 0x80000000, "errno": 0x00050001, "log": 0x7ffc0000, "allow": 0x7fff0000}

type insn struct {
	code   uint16
	jt, jf uint8
	k      uint32
}

type program struct {
	n     uint16
	insns *insn
}

func check(e syscall.Errno) {
	if e != 0 {
		fmt.Println("fenced:", e)
		os.Exit(3)
	}
}

func install(number int, answer uint32) {
	const load, jumpIfEqual, ret = 0x20, 0x15, 0x06
	insns := []insn{
		{load, 0, 0, 0}, // the number
		{jumpIfEqual, 0, 1, uint32(number)},
		{ret, 0, 0, answer},
		{ret, 0, 0, answers["allow"]},
	}
	const noNewPrivs, seccomp, setFilter, allThreads = 38, 317, 1, 1
	_, _, e := syscall.RawSyscall6(syscall.SYS_PRCTL, noNewPrivs, 1, 0, 0, 0, 0)
	check(e)
	p := program{uint16(len(insns)), &insns[0]}
	_, _, e = syscall.RawSyscall(seccomp, setFilter, allThreads, uintptr(unsafe.Pointer(&p)))
	check(e)
}

func main() {
	flag.Parse()
	install(*call, answers[*with])
	fmt.Println("ready")
	for range time.Tick(time.Millisecond) {
		go os.Getpid()
	}
}
