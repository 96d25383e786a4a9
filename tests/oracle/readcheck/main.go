// SPDX-License-Identifier: Apache-2.0

// readcheck reads traces with the reader of whatever Go release it was built in, back to 1.22.
//
//	readcheck FILE...
//
// One line per file: "ok FILE events=N" or "FAIL FILE: error".
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
)

func main() {
	status := 0
	for _, path := range os.Args[1:] {
		n, err := countEvents(path)
		if err != nil {
			status = 1
			line, _, _ := strings.Cut(strings.TrimSpace(err.Error()), "\n")
			fmt.Printf("FAIL %s: %s (after %d events)\n", path, line, n)
			continue
		}
		fmt.Printf("ok %s events=%d\n", path, n)
	}
	os.Exit(status)
}

func countEvents(path string) (n int, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	next, err := open(bufio.NewReader(f))
	if err != nil {
		return 0, err
	}
	for {
		if err := next(); err == io.EOF {
			return n, nil
		} else if err != nil {
			return n, err
		}
		n++
	}
}
