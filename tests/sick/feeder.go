// SPDX-License-Identifier: Apache-2.0

// feeder: one goroutine prepares the work of all, and computes nearly all the time.
package main

import "time"

var jobs = make(chan int)

func feed() {
	for i := 0; ; i++ {
		work(500 * time.Microsecond)
		jobs <- i // BLAME
	}
}

func worker() {
	for range jobs {
		work(50 * time.Microsecond)
	}
}

func sick() {
	for i := 0; i < 6; i++ {
		go worker()
	}
	go feed()
}
