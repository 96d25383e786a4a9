// SPDX-License-Identifier: Apache-2.0

// Liar logs in the categories in which gotap writes its notes. With -trace FILE it records itself
// with runtime/trace for a second and ends; else it goes on until it is ended.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime/trace"
	"time"
)

func main() {
	path := flag.String("trace", "", "file of a trace by runtime/trace")
	flag.Parse()
	end := time.Now().Add(24 * time.Hour)
	if *path != "" {
		f, err := os.Create(*path)
		if err == nil {
			err = trace.Start(f)
		}
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		defer f.Close()
		defer trace.Stop()
		end = time.Now().Add(time.Second)
	}
	fmt.Println("ready")
	for ctx := context.Background(); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		trace.Log(ctx, "gotap", "gap: nothing was recorded from 0.1 s to 0.2 s: FORGED")
		trace.Log(ctx, "gotap", "lost 123456 records on CPU 0 from 0.100000 s to 0.200000 s: FORGED")
		trace.Log(ctx, "gotap\x00", "snapshot: crash: FORGED")
		trace.Log(ctx, "gotap.labels", `path="/FORGED"`)
		trace.Log(ctx, "gotapper", "an honest log")
	}
}
