// SPDX-License-Identifier: Apache-2.0

// mutex lets goroutines contend for one sync.Mutex and one sync.RWMutex.
//
//	mutex [-dur D] [-n GOROUTINES] [-hold D]
package main

import (
	"flag"
	"fmt"
	"sync"
	"time"
)

var (
	dur  = flag.Duration("dur", 0, "how long to go on (0: for ever)")
	n    = flag.Int("n", 4, "goroutines per lock")
	hold = flag.Duration("hold", 200*time.Microsecond, "how long a lock is held")

	mu sync.Mutex
	rw sync.RWMutex
)

func locker() {
	for {
		mu.Lock()
		time.Sleep(*hold)
		mu.Unlock()
	}
}

func reader() {
	for {
		rw.RLock()
		time.Sleep(*hold)
		rw.RUnlock()
	}
}

func writer() {
	for {
		rw.Lock()
		time.Sleep(*hold)
		rw.Unlock()
	}
}

func main() {
	flag.Parse()
	for i := 0; i < *n; i++ {
		go locker()
		go reader()
	}
	go writer()
	fmt.Println("ready")
	if *dur == 0 {
		select {}
	}
	time.Sleep(*dur)
}
