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

// The runtime's own trace of Go 1.22 has no stacks of goroutines that wait when it begins: so they begin to later.
func sick() {
	time.AfterFunc(200*time.Millisecond, func() {
		for i := 0; i < 2; i++ {
			go update()
		}
		time.Sleep(10 * time.Millisecond)
		for i := 0; i < 4; i++ {
			go get()
		}
	})
}
