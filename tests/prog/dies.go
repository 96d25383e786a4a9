// SPDX-License-Identifier: Apache-2.0

// dies ends in the way that its argument names, in a goroutine that is not the main one. Tests compare gotap's words
// with the message and the stack that the runtime prints.
package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"syscall"
	"time"
)

type node struct{ pad, value int }

// leaf has no frame: a stack by frame pointers would lack its caller.
//
//go:noinline
func leaf(n *node) int { return n.value }

//go:noinline
func caller(n *node) int { return leaf(n) + 1 }

//go:noinline
func recurse(n int) int {
	var room [64]int
	room[n%64] = n
	return recurse(n+1) + room[(n+1)%64]
}

type large [32]int

//go:noinline
func first(l large) int { return l[0] }

// copied has its argument copied by runtime.duffcopy, in releases whose compilers use it.
//
//go:noinline
func copied(l *large) int { return first(*l) + 1 }

func recovered() {
	defer func() { recover() }()
	caller(nil)
}

type words string

func send(signal syscall.Signal) {
	syscall.Kill(os.Getpid(), signal)
	time.Sleep(time.Minute)
}

//go:noinline
func die(how string) {
	switch how {
	case "panic":
		panic("the end")
	case "error":
		panic(errors.New("an error ends it"))
	case "named":
		panic(words("named\nlines"))
	case "int":
		panic(42)
	case "nil":
		caller(nil)
	case "copied":
		copied(nil)
	case "index":
		var s []int
		s[len(how)] = 1
	case "again":
		defer func() { panic("the second") }()
		panic("the first")
	case "unlock":
		var all sync.Mutex
		all.Unlock()
	case "overflow":
		recurse(0)
	case "limited":
		// for machines into which the stack of 1 GB does not fit that the default allows
		debug.SetMaxStack(4 << 20)
		recurse(0)
	case "trap":
		runtime.Breakpoint()
	case "quit":
		send(syscall.SIGQUIT)
	case "term":
		send(syscall.SIGTERM)
	case "kill":
		send(syscall.SIGKILL)
	case "exit2":
		os.Exit(2)
	case "recovered":
		recovered()
		os.Exit(3)
	}
}

func main() {
	fmt.Println("ready")
	recovered()
	time.Sleep(20 * time.Millisecond)
	if os.Args[1] == "deadlock" {
		select {}
	}
	if os.Args[1] == "goexit" {
		runtime.Goexit()
	}
	go die(os.Args[1])
	time.Sleep(time.Minute)
}
