// SPDX-License-Identifier: Apache-2.0

// slow_consumer: many goroutines write to one channel, and the one that reads from it sleeps for each.
package main

import "time"

var lines = make(chan string, 4)

func consume() {
	for range lines {
		time.Sleep(2 * time.Millisecond) // BLAME
	}
}

func produce() {
	for {
		time.Sleep(time.Millisecond)
		lines <- "x"
	}
}

func sick() {
	for i := 0; i < 8; i++ {
		go produce()
	}
	go consume()
}
