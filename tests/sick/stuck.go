// SPDX-License-Identifier: Apache-2.0

// stuck: a goroutine waits for ever for an answer, and has a lock that all others want.
package main

import (
	"sync"
	"time"
)

var (
	mu     sync.Mutex
	answer = make(chan int)
	value  int
)

func update() {
	mu.Lock()
	value = <-answer // BLAME
	mu.Unlock()
}

func get() int {
	mu.Lock()
	defer mu.Unlock()
	return value
}

func sick() {
	for i := 0; i < 2; i++ {
		go update()
	}
	time.Sleep(10 * time.Millisecond)
	for i := 0; i < 4; i++ {
		go get()
	}
}
