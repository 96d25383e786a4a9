// SPDX-License-Identifier: Apache-2.0

// waits has goroutines that wait for objects with known addresses, one object of each kind, and prints them: a line
// "FUNCTION KIND ADDRESS CAPACITY ..." for each goroutine, by the name of its function, and then "ready". After SIGUSR1,
// with -now at once, the goroutines begin to wait, in the order of the lines, and the program prints "waiting".
package main

import (
	"flag"
	"fmt"
	"net"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

var (
	mutex sync.Mutex
	inner = &struct {
		pad [40]byte
		mu  sync.Mutex
	}{}
	readers sync.RWMutex
	writer  sync.RWMutex
	group   sync.WaitGroup
	cond    = sync.NewCond(&sync.Mutex{})
	bare    = make(chan int)
	full    = make(chan int, 7)
	large   = make(chan struct{}, 100000)
	nothing chan int
	many    [10]chan int
	socket  net.Conn
	fd      uintptr
)

func lockMutex()    { mutex.Lock() }
func lockInner()    { inner.mu.Lock() }
func readRWMutex()  { readers.RLock() }
func writeRWMutex() { writer.Lock() }
func waitGroup()    { group.Wait() }
func waitCond()     { cond.L.Lock(); cond.Wait() }
func receiveBare()  { <-bare }
func sendFull()     { full <- 1 }
func receiveLarge() { <-large }
func receiveNil()   { <-nothing }
func readSocket()   { socket.Read(make([]byte, 1)) }
func selectTwo() {
	select {
	case <-bare:
	case full <- 2:
	}
}
func selectTen() {
	select {
	case <-many[0]:
	case <-many[1]:
	case <-many[2]:
	case <-many[3]:
	case <-many[4]:
	case <-many[5]:
	case <-many[6]:
	case <-many[7]:
	case <-many[8]:
	case <-many[9]:
	}
}

func prepare() {
	mutex.Lock()
	inner.mu.Lock()
	readers.Lock()
	writer.RLock()
	group.Add(1)
	for i := 0; i < cap(full); i++ {
		full <- i
	}
	for i := range many {
		many[i] = make(chan int, i)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	if socket, err = net.Dial("tcp", l.Addr().String()); err != nil {
		panic(err)
	}
	raw, err := socket.(syscall.Conn).SyscallConn()
	if err != nil {
		panic(err)
	}
	raw.Control(func(n uintptr) { fd = n })
}

func show() {
	fmt.Printf("main.lockMutex mutex %p\n", &mutex)
	fmt.Printf("main.lockInner mutex %p\n", &inner.mu)
	fmt.Printf("main.readRWMutex rwmutex %p\n", &readers)
	fmt.Printf("main.writeRWMutex rwmutex %p\n", &writer)
	fmt.Printf("main.waitGroup waitgroup %p\n", &group)
	fmt.Printf("main.waitCond cond %p\n", cond)
	fmt.Printf("main.receiveBare channel %p 0\n", bare)
	fmt.Printf("main.sendFull channel %p 7\n", full)
	fmt.Printf("main.receiveLarge channel %p 100000\n", large)
	fmt.Printf("main.receiveNil nothing\n")
	fmt.Printf("main.readSocket network %d %s %s\n", fd, socket.LocalAddr(), socket.RemoteAddr())
	fmt.Printf("main.selectTwo select %p 0 %p 7\n", bare, full)
	fmt.Printf("main.selectTen select")
	for i, c := range many {
		fmt.Printf(" %p %d", c, i)
	}
	fmt.Println()
}

func main() {
	now := flag.Bool("now", false, "")
	flag.Parse()
	begin := make(chan os.Signal, 1)
	signal.Notify(begin, syscall.SIGUSR1)
	prepare()
	show()
	fmt.Println("ready")
	if !*now {
		<-begin
	}
	for _, wait := range []func(){lockMutex, lockInner, readRWMutex, writeRWMutex, waitGroup, waitCond, receiveBare,
		sendFull, receiveLarge, receiveNil, readSocket, selectTwo, selectTen} {
		go wait()
	}
	fmt.Println("waiting")
	time.Sleep(10 * time.Minute)
}
