// SPDX-License-Identifier: Apache-2.0

// sleepers parks goroutines for good, each kind with a stack and a reason of its own, and prints how many of each.
// After that only main wakes up, once per tick.
//
//	sleepers [-n PER KIND] [-tick D] [-dur D]
package main

import (
	"flag"
	"fmt"
	"net"
	"os"
	"sync"
	"time"
)

var (
	n    = flag.Int("n", 10, "goroutines of each kind")
	tick = flag.Duration("tick", 100*time.Millisecond, "how often main wakes up")
	dur  = flag.Duration("dur", 0, "how long to go on (0: for ever)")

	never  = make(chan int)
	unsent = make(chan int)
	unread = make(chan int)
	taken  sync.Mutex
	absent sync.WaitGroup
	cond   = sync.NewCond(new(sync.Mutex))
)

func onReceive() { <-never }
func onSend()    { unread <- 1 }
func onSelect() {
	select {
	case <-never:
	case <-unsent:
	}
}
func onMutex()     { taken.Lock() }
func onWaitGroup() { absent.Wait() }
func onSleep()     { time.Sleep(time.Hour) }
func onForever()   { select {} }

func onCond() {
	cond.L.Lock()
	cond.Wait()
}

func onNetwork() {
	conn, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		fmt.Fprintln(os.Stderr, "sleepers:", err)
		os.Exit(1)
	}
	conn.Read(make([]byte, 1))
}

var kinds = []func(){
	onReceive, onSend, onSelect, onMutex, onWaitGroup, onSleep, onForever, onCond, onNetwork,
}

func main() {
	flag.Parse()
	taken.Lock()
	absent.Add(1)
	for _, kind := range kinds {
		for i := 0; i < *n; i++ {
			go kind()
		}
	}
	time.Sleep(100*time.Millisecond + time.Duration(*n)*20*time.Microsecond)
	fmt.Println("parked", len(kinds)**n)
	fmt.Println("ready")
	for start := time.Now(); *dur == 0 || time.Since(start) < *dur; {
		time.Sleep(*tick)
	}
}
