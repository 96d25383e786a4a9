// SPDX-License-Identifier: Apache-2.0

// mixed does a little of everything that the scheduler knows, at a moderate rate, and can trace itself meanwhile:
// the program of the differential test. It prints "ready" when all its workers run.
//
//	mixed [-trace FILE] [-await FILE] [-delay D] [-dur D] [-rounds N] [-tail D] [-pause D] [-procs]
package main

import (
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

var (
	traceFile = flag.String("trace", "", "write the program's own execution trace to this file")
	await     = flag.String("await", "", "wait a minute at most until something is in this file: another's trace has begun")
	delay     = flag.Duration("delay", time.Second, "time between ready, or the wait, and the start of the own trace")
	dur       = flag.Duration("dur", 2*time.Second, "length of the own trace")
	rounds    = flag.Int64("rounds", 0, "the own trace also has so many rounds of workers, however slow the machine is")
	tail      = flag.Duration("tail", 500*time.Millisecond, "time to go on for after the own trace")
	pause     = flag.Duration("pause", 6*time.Millisecond, "pause of every worker between two rounds; smaller is busier")
	procs     = flag.Bool("procs", false, "change GOMAXPROCS now and then")
)

var (
	stopped int32
	made    int64 // rounds, by all workers
)

func running() bool { return atomic.LoadInt32(&stopped) == 0 }

// rest ends every round of a worker, so that the event rate depends on -pause and not on the machine.
func rest() {
	time.Sleep(*pause)
	atomic.AddInt64(&made, 1)
}

// A worker starts goroutines that end soon after running() has become false.
var workers = []func(*sync.WaitGroup){
	unbuffered, buffered, selecting, contending, readersWriter, broadcasting, gathering, ticking, networking,
	blockingReads, shortSyscalls, lockedThreads, garbage, shortLived, yielding, spinning,
}

func start(wg *sync.WaitGroup, fn func()) {
	wg.Add(1)
	go func() {
		defer wg.Done()
		fn()
	}()
}

func unbuffered(wg *sync.WaitGroup) {
	ping, pong := make(chan int), make(chan int)
	start(wg, func() {
		for i := range ping {
			pong <- i + 1
		}
		close(pong)
	})
	start(wg, func() {
		for i := 0; running(); rest() {
			for k := 0; k < 4; k++ {
				ping <- i
				i = <-pong
			}
		}
		close(ping)
	})
}

func buffered(wg *sync.WaitGroup) {
	queue := make(chan []byte, 4)
	for i := 0; i < 2; i++ {
		start(wg, func() {
			for b := range queue {
				b[0]++
			}
		})
	}
	start(wg, func() {
		for running() {
			for k := 0; k < 12; k++ {
				queue <- make([]byte, 16)
			}
			rest()
		}
		close(queue)
	})
}

func selecting(wg *sync.WaitGroup) {
	a, b, done := make(chan int), make(chan int), make(chan struct{})
	feed := func(ch chan int) func() {
		return func() {
			for running() {
				select {
				case ch <- 1:
				case <-done:
				}
				rest()
			}
		}
	}
	start(wg, feed(a))
	start(wg, feed(b))
	start(wg, func() {
		for running() {
			select {
			case <-a:
			case <-b:
			case <-time.After(10 * time.Millisecond):
			}
		}
		close(done)
	})
}

func contending(wg *sync.WaitGroup) {
	var mu sync.Mutex
	for i := 0; i < 3; i++ {
		start(wg, func() {
			for running() {
				mu.Lock()
				burn(5 * time.Microsecond)
				runtime.Gosched()
				mu.Unlock()
				rest()
			}
		})
	}
}

func readersWriter(wg *sync.WaitGroup) {
	var mu sync.RWMutex
	for i := 0; i < 2; i++ {
		start(wg, func() {
			for running() {
				mu.RLock()
				time.Sleep(*pause / 8)
				mu.RUnlock()
			}
		})
	}
	start(wg, func() {
		for running() {
			mu.Lock()
			burn(2 * time.Microsecond)
			mu.Unlock()
			rest()
		}
	})
}

func broadcasting(wg *sync.WaitGroup) {
	var mu sync.Mutex
	cond := sync.NewCond(&mu)
	round := 0
	for i := 0; i < 3; i++ {
		start(wg, func() {
			mu.Lock()
			defer mu.Unlock()
			for seen := 0; running(); seen = round {
				for seen == round && running() {
					cond.Wait()
				}
			}
		})
	}
	start(wg, func() {
		for running() {
			mu.Lock()
			round++
			mu.Unlock()
			cond.Broadcast()
			rest()
		}
		cond.Broadcast()
	})
}

func gathering(wg *sync.WaitGroup) {
	start(wg, func() {
		for running() {
			var group sync.WaitGroup
			for i := 0; i < 3; i++ {
				start(&group, func() { time.Sleep(20 * time.Microsecond) })
			}
			group.Wait()
			rest()
		}
	})
}

func ticking(wg *sync.WaitGroup) {
	start(wg, func() {
		ticker := time.NewTicker(2 * time.Millisecond)
		defer ticker.Stop()
		for running() {
			<-ticker.C
			fired := make(chan bool, 1)
			time.AfterFunc(100*time.Microsecond, func() { fired <- true })
			<-fired
		}
	})
}

// networking sends requests over loopback connections that live for a few rounds each.
func networking(wg *sync.WaitGroup) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	start(wg, func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			start(wg, func() { serve(conn) })
		}
	})
	start(wg, func() {
		defer ln.Close()
		for running() {
			request(ln.Addr().String(), 20)
		}
	})
}

func serve(conn net.Conn) {
	defer conn.Close()
	io.Copy(conn, conn)
}

func request(addr string, rounds int) {
	conn, err := net.Dial("tcp", addr)
	must(err)
	defer conn.Close()
	buf := make([]byte, 64)
	for i := 0; i < rounds && running(); i++ {
		_, err := conn.Write(buf)
		must(err)
		_, err = io.ReadFull(conn, buf)
		must(err)
		rest()
	}
}

// blockingReads blocks in a raw read, which costs the reader its P.
func blockingReads(wg *sync.WaitGroup) {
	var fds [2]int
	must(syscall.Pipe(fds[:]))
	start(wg, func() {
		buf := make([]byte, 1)
		for {
			if n, err := syscall.Read(fds[0], buf); n != 1 || err != nil {
				return
			}
		}
	})
	start(wg, func() {
		for running() {
			_, err := syscall.Write(fds[1], []byte{1})
			must(err)
			time.Sleep(3 * *pause)
		}
		syscall.Close(fds[1])
	})
}

func shortSyscalls(wg *sync.WaitGroup) {
	start(wg, func() {
		file, err := os.Open("/proc/self/stat")
		must(err)
		defer file.Close()
		buf := make([]byte, 256)
		for running() {
			for i := 0; i < 8; i++ {
				syscall.Syscall(syscall.SYS_GETPID, 0, 0, 0)
			}
			_, err := file.ReadAt(buf, 0)
			must(err)
			rest()
		}
	})
}

func lockedThreads(wg *sync.WaitGroup) {
	tokens := make(chan int)
	start(wg, func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		for range tokens {
			runtime.Gosched()
		}
	})
	start(wg, func() {
		for running() {
			tokens <- 1
			rest()
		}
		close(tokens)
	})
}

var (
	ballast = make([]byte, 8<<20)
	sink    []*[128]byte
)

// garbage makes the collector run a few times a second; the ballast keeps it from more.
func garbage(wg *sync.WaitGroup) {
	start(wg, func() {
		for running() {
			kept := make([]*[128]byte, 0, 500)
			for i := 0; i < cap(kept); i++ {
				kept = append(kept, new([128]byte))
			}
			sink = kept
			time.Sleep(2 * time.Millisecond)
		}
		runtime.KeepAlive(ballast)
	})
}

func shortLived(wg *sync.WaitGroup) {
	start(wg, func() {
		for running() {
			for i := 0; i < 10; i++ {
				start(wg, func() {})
			}
			rest()
		}
	})
}

func yielding(wg *sync.WaitGroup) {
	start(wg, func() {
		for running() {
			for i := 0; i < 5; i++ {
				runtime.Gosched()
			}
			rest()
		}
	})
}

// spinning runs into the 10 ms time slice, so that it is preempted by a signal.
func spinning(wg *sync.WaitGroup) {
	start(wg, func() {
		for running() {
			burn(25 * time.Millisecond)
			time.Sleep(100 * time.Millisecond)
		}
	})
}

var burned uint64

// burn computes without a call, a loop that only a signal can preempt, until the time is over.
func burn(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); {
		x := atomic.LoadUint64(&burned)
		for i := 0; i < 2000; i++ {
			x = x*6364136223846793005 + 1442695040888963407
		}
		atomic.StoreUint64(&burned, x)
	}
}

func resizing() {
	for n := runtime.GOMAXPROCS(0); running(); {
		time.Sleep(300 * time.Millisecond)
		runtime.GOMAXPROCS(n + 1)
		time.Sleep(300 * time.Millisecond)
		runtime.GOMAXPROCS(n)
	}
}

func awaitFile(name string) {
	for i := 0; i < 3000; i++ {
		if info, err := os.Stat(name); err == nil && info.Size() > 0 {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	fmt.Fprintf(os.Stderr, "mixed: a minute has passed, and nothing is in %s\n", name)
	os.Exit(1)
}

func main() {
	flag.Parse()
	var wg sync.WaitGroup
	for _, worker := range workers {
		worker(&wg)
	}
	if *procs {
		go resizing()
	}
	time.Sleep(100 * time.Millisecond)
	fmt.Println("ready")
	if *await != "" {
		awaitFile(*await)
	}
	time.Sleep(*delay)
	ownTraceOf(*traceFile, func() { enough(*dur, &made, *rounds) })
	time.Sleep(*tail)
	atomic.StoreInt32(&stopped, 1)
	wg.Wait()
	fmt.Println("done")
}
