// SPDX-License-Identifier: Apache-2.0

// storm: all workers are woken for each job, which only one of them gets.
package main

import (
	"sync"
	"time"
)

var (
	mu   sync.Mutex
	more = sync.NewCond(&mu)
	jobs int
)

func submit() {
	mu.Lock()
	jobs++
	mu.Unlock()
	more.Broadcast() // BLAME
}

func worker() {
	for {
		mu.Lock()
		for jobs == 0 {
			more.Wait()
		}
		jobs--
		mu.Unlock()
	}
}

func sick() {
	for i := 0; i < 40; i++ {
		go worker()
	}
	go func() {
		for {
			submit()
			time.Sleep(2 * time.Millisecond)
		}
	}()
}
