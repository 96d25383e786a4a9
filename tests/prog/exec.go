// SPDX-License-Identifier: Apache-2.0

// exec replaces itself by another program after a while, in the same process; or starts it as a child with -fork.
// With -signal it does so on SIGUSR1. With -await the time begins when something is in FILE.
//
//	exec [-await FILE] [-after D] [-signal] [-fork] PROGRAM [ARG...]
package main

import (
	"flag"
	"fmt"
	"os"
	osexec "os/exec"
	"os/signal"
	"syscall"
	"time"
)

var (
	after = flag.Duration("after", 500*time.Millisecond, "time before the other program begins")
	await = flag.String("await", "", "wait a minute at most until something is in this file")
	onSig = flag.Bool("signal", false, "begin the other program on SIGUSR1")
	fork  = flag.Bool("fork", false, "start the other program as a child and wait for it")
)

func tick() {
	for {
		time.Sleep(5 * time.Millisecond)
	}
}

func awaitFile(name string) {
	for i := 0; i < 3000; i++ {
		if info, err := os.Stat(name); err == nil && info.Size() > 0 {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func child(args []string) error {
	cmd := osexec.Command(args[0], args[1:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd.Run()
}

func replace(args []string) error {
	path, err := osexec.LookPath(args[0])
	if err != nil {
		return err
	}
	return syscall.Exec(path, args, os.Environ())
}

func main() {
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "usage: exec [-after D] [-signal] [-fork] PROGRAM [ARG...]")
		os.Exit(2)
	}
	go tick()
	sig := make(chan os.Signal, 1)
	if *onSig {
		signal.Notify(sig, syscall.SIGUSR1)
		*after = time.Hour
	}
	fmt.Println("ready")
	if *await != "" {
		awaitFile(*await)
	}
	select {
	case <-sig:
	case <-time.After(*after):
	}
	run := replace
	if *fork {
		run = child
	}
	if err := run(flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "exec:", err)
		os.Exit(1)
	}
}
