// SPDX-License-Identifier: Apache-2.0

// Transfers lock two accounts, the one that pays first; who does not get the second within 20 to 40 ms begins again.
package main

import (
	"flag"
	"fmt"
	"math/rand"
	"sort"
	"sync"
	"sync/atomic"
	"time"
)

var runFor = flag.Duration("t", 10*time.Second, "how long to run")

type account struct {
	lock    chan struct{}
	balance int
}

func newAccount(balance int) *account {
	return &account{lock: make(chan struct{}, 1), balance: balance}
}

func (a *account) lockWithin(limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case a.lock <- struct{}{}:
		return true
	case <-timer.C:
		return false
	}
}

func (a *account) unlock() { <-a.lock }

// patience is not the same for all, so that one of two that wait for each other gets on.
func patience() time.Duration {
	return 20*time.Millisecond + time.Duration(rand.Intn(20))*time.Millisecond
}

type bank struct {
	accounts []*account
	again    atomic.Int64
}

// checkLimits asks whether the account may pay.
func checkLimits(a *account, amount int) bool {
	time.Sleep(time.Millisecond)
	return a.balance >= amount
}

func (b *bank) transfer(from, to *account, amount int) bool {
	if !from.lockWithin(patience()) {
		return false
	}
	defer from.unlock()
	enough := checkLimits(from, amount)
	if !to.lockWithin(patience()) {
		return false
	}
	defer to.unlock()
	if enough {
		from.balance -= amount
		to.balance += amount
	}
	return true
}

func (b *bank) handleTransfer(user, n int) {
	from, to := b.accounts[user%2], b.accounts[(user+1)%2]
	for !b.transfer(from, to, 1) {
		b.again.Add(1)
	}
}

func main() {
	flag.Parse()
	b := &bank{accounts: []*account{newAccount(1e6), newAccount(1e6)}}
	drive(4, time.Millisecond, b.handleTransfer)
	fmt.Printf("begun again: %d\n", b.again.Load())
}

// drive calls op in so many goroutines, each one call after the other, and prints how long calls took.
func drive(users int, pause time.Duration, op func(user, n int)) {
	var took timings
	var wg sync.WaitGroup
	until := time.Now().Add(*runFor)
	for user := 0; user < users; user++ {
		wg.Add(1)
		go func(user int) {
			defer wg.Done()
			for n := 0; time.Now().Before(until); n++ {
				began := time.Now()
				op(user, n)
				took.add(time.Since(began))
				time.Sleep(pause)
			}
		}(user)
	}
	wg.Wait()
	took.print()
}

// timings has how long each operation took, for the line that is printed at exit.
type timings struct {
	mu    sync.Mutex
	taken []time.Duration
}

func (t *timings) add(d time.Duration) {
	t.mu.Lock()
	t.taken = append(t.taken, d)
	t.mu.Unlock()
}

func (t *timings) print() {
	t.mu.Lock()
	defer t.mu.Unlock()
	sort.Slice(t.taken, func(i, j int) bool { return t.taken[i] < t.taken[j] })
	if n := len(t.taken); n > 0 {
		fmt.Printf("ops=%d p50=%v p99=%v max=%v\n", n, t.taken[n/2], t.taken[n*99/100], t.taken[n-1])
	}
}
