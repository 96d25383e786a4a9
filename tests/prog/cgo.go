// SPDX-License-Identifier: Apache-2.0

// cgo calls C, C calls back into Go, and a thread that C made calls into Go as well.
//
//	cgo [-dur D] [-rounds N] [-pause D]
package main

/*
#cgo LDFLAGS: -lpthread
#include <pthread.h>
#include <unistd.h>

void goCallback(int from);

static void short_call(void) {}
static void long_call(void) { usleep(2000); }
static void call_back(void) { goCallback(1); }

static void *thread(void *unused)
{
	goCallback(2);
	usleep(500);
	goCallback(3);
	return unused;
}

static int call_from_thread(void)
{
	pthread_t t;
	if (pthread_create(&t, NULL, thread, NULL))
		return -1;
	return pthread_join(t, NULL);
}
*/
import "C"

import (
	"flag"
	"fmt"
	"sync/atomic"
	"time"
)

var (
	dur    = flag.Duration("dur", 0, "how long to go on (0: for ever)")
	rounds = flag.Int("rounds", 0, "make so many rounds at least, however slow the machine is")
	pause  = flag.Duration("pause", 2*time.Millisecond, "pause between rounds")

	calls int64
)

//export goCallback
func goCallback(from C.int) {
	atomic.AddInt64(&calls, 1)
	if from == 3 {
		time.Sleep(100 * time.Microsecond)
	}
}

func main() {
	flag.Parse()
	fmt.Println("ready")
	start := time.Now()
	for i := 0; *dur == 0 || time.Since(start) < *dur || i < *rounds; i++ {
		C.short_call()
		C.long_call()
		C.call_back()
		C.call_from_thread()
		time.Sleep(*pause)
	}
	fmt.Println("callbacks", atomic.LoadInt64(&calls))
}
