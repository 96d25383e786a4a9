// SPDX-License-Identifier: Apache-2.0
//
// shop: a service in small, of which shop.trace is a recording. Four clients send orders to three workers; an order is a
// task. A worker locks the stock for too long, asks a "database" that sleeps, and writes a line to /dev/null.
package main

import (
	"context"
	"fmt"
	"os"
	"runtime/pprof"
	"runtime/trace"
	"sync"
	"time"
)

type order struct {
	number int
	item   string
	done   chan int
}

var (
	stock     = map[string]int{}
	stockLock sync.Mutex
	out       *os.File
	parcel    [][]byte
	warehouse = make([]byte, 4<<20)
)

// pack allocates, so that there are garbage collections.
func pack(o order) int {
	parcel = nil
	for i := 0; i < 24; i++ {
		parcel = append(parcel, make([]byte, 16<<10))
	}
	return len(parcel)
}

func takeFromStock(o order) int {
	stockLock.Lock()
	defer stockLock.Unlock()
	stock[o.item]++
	return pack(o)
}

func queryDatabase() { time.Sleep(300 * time.Microsecond) }

func handle(ctx context.Context, o order) {
	ctx, task := trace.NewTask(ctx, "order")
	defer task.End()
	trace.Log(ctx, "item", o.item)
	pprof.Do(ctx, pprof.Labels("item", o.item), func(ctx context.Context) {
		trace.WithRegion(ctx, "stock", func() { takeFromStock(o) })
		trace.WithRegion(ctx, "database", queryDatabase)
		trace.WithRegion(ctx, "receipt", func() { fmt.Fprintf(out, "order %d: %s\n", o.number, o.item) })
	})
	o.done <- o.number
}

func worker(orders <-chan order) {
	for o := range orders {
		handle(context.Background(), o)
	}
}

func client(orders chan<- order, item string) {
	done := make(chan int)
	for i := 0; ; i++ {
		orders <- order{i, item, done}
		<-done
	}
}

func main() {
	out, _ = os.OpenFile("/dev/null", os.O_WRONLY, 0)
	orders := make(chan order)
	for i := 0; i < 3; i++ {
		go worker(orders)
	}
	for _, item := range []string{"apple", "pear", "plum", "fig"} {
		go client(orders, item)
	}
	time.Sleep(time.Minute)
}
