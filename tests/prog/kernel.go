// SPDX-License-Identifier: Apache-2.0

// kernel has threads that the kernel keeps from running, by a cause that its arguments choose:
//
//	kernel [-dur D] burn N          N goroutines that compute without a pause
//	kernel [-dur D] fault FILE      reads a byte of each page of a mapping of FILE, in a scattered order, again and again
//	kernel [-dur D] swap MB         writes MB megabytes, then reads a byte of each page of them, in a scattered order, for ever
//	kernel [-dur D] read FILE       reads FILE past the page cache (O_DIRECT), block by block, again and again
//	kernel [-dur D] pingpong [US]   two goroutines, each with its own thread, wake each other in turn, and compute for about US us before
//	kernel [-dur D] start           starts /bin/true, again and again
//	kernel [-dur D] idle            sleeps
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

var (
	dur  = flag.Duration("dur", 0, "how long to go on (0: for ever)")
	work uint64
)

const block = 4096

func burn() {
	x := atomic.LoadUint64(&work)
	for {
		for i := 0; i < 1000000; i++ {
			x = x*6364136223846793005 + 1442695040888963407
		}
		atomic.StoreUint64(&work, x)
	}
}

func check(err error) {
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// pages calls do for each page, in an order for which the kernel reads nothing ahead.
func pages(size int, do func(page int)) {
	n := size / block
	for i, p := 0, 0; i < n; i++ {
		p = (p + 7919) % n
		do(p)
	}
}

func fault(name string) {
	f, err := os.Open(name)
	check(err)
	st, err := f.Stat()
	check(err)
	for {
		m, err := syscall.Mmap(int(f.Fd()), 0, int(st.Size()), syscall.PROT_READ, syscall.MAP_SHARED)
		check(err)
		check(syscall.Madvise(m, syscall.MADV_RANDOM))
		pages(len(m), func(p int) { work += uint64(m[p*block]) })
		check(syscall.Munmap(m))
		// POSIX_FADV_DONTNEED: out of the page cache
		syscall.Syscall6(syscall.SYS_FADVISE64, f.Fd(), 0, 0, 4, 0, 0)
	}
}

func swap(megabytes int) {
	m, err := syscall.Mmap(-1, 0, megabytes<<20, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	check(err)
	pages(len(m), func(p int) { m[p*block] = byte(p) | 1 })
	go func() {
		for {
			pages(len(m), func(p int) { work += uint64(m[p*block]) })
		}
	}()
}

func read(name string) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_DIRECT, 0)
	check(err)
	st, err := f.Stat()
	check(err)
	raw := make([]byte, 2*block)
	skip := block - int(uintptr(unsafe.Pointer(&raw[0])))%block
	buf := raw[skip : skip+block]
	for {
		pages(int(st.Size()), func(p int) {
			_, err := f.ReadAt(buf, int64(p)*block)
			check(err)
		})
	}
}

func compute(us int) {
	x := atomic.LoadUint64(&work)
	for i := 0; i < us*1000; i++ {
		x = x*6364136223846793005 + 1442695040888963407
	}
	atomic.StoreUint64(&work, x)
}

func pingpong(us int) {
	a, b := make([]int, 2), make([]int, 2)
	check(syscall.Pipe(a))
	check(syscall.Pipe(b))
	relay := func(in, out int) {
		runtime.LockOSThread()
		var c [1]byte
		for {
			syscall.Read(in, c[:])
			compute(us)
			syscall.Write(out, c[:])
		}
	}
	go relay(a[0], b[1])
	go relay(b[0], a[1])
	syscall.Write(a[1], []byte{1})
}

func start() {
	for {
		check(exec.Command("/bin/true").Run())
	}
}

func main() {
	flag.Parse()
	switch flag.Arg(0) {
	case "burn":
		n, err := strconv.Atoi(flag.Arg(1))
		check(err)
		for i := 0; i < n; i++ {
			go burn()
		}
	case "fault":
		go fault(flag.Arg(1))
	case "swap":
		n, err := strconv.Atoi(flag.Arg(1))
		check(err)
		swap(n)
	case "read":
		go read(flag.Arg(1))
	case "pingpong":
		us, _ := strconv.Atoi(flag.Arg(1))
		pingpong(us)
	case "start":
		go start()
	case "idle":
		go time.Sleep(time.Hour)
	}
	fmt.Println("ready")
	if *dur == 0 {
		select {}
	}
	time.Sleep(*dur)
}
