// SPDX-License-Identifier: Apache-2.0

// exitquick runs a few goroutines and exits.
//
//	exitquick [-n GOROUTINES] [-status N] [-after D]
package main

import (
	"flag"
	"fmt"
	"os"
	"sync"
	"time"
)

var (
	n      = flag.Int("n", 10, "goroutines")
	status = flag.Int("status", 0, "exit status")
	after  = flag.Duration("after", 0, "time before the goroutines start")
)

func work(wg *sync.WaitGroup) {
	defer wg.Done()
	time.Sleep(time.Millisecond)
}

func main() {
	flag.Parse()
	fmt.Println("ready")
	time.Sleep(*after)
	var wg sync.WaitGroup
	wg.Add(*n)
	for i := 0; i < *n; i++ {
		go work(&wg)
	}
	wg.Wait()
	os.Exit(*status)
}
