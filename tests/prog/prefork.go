// SPDX-License-Identifier: Apache-2.0

// prefork starts children of its own file, as servers with several processes do, and waits for them. A child starts
// some goroutines; it ends when the parent closes its pipe, after all children have printed "up".
//
//	prefork [-n CHILDREN]
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

var (
	n     = flag.Int("n", 4, "children")
	child = flag.Bool("child", false, "be one of them")
)

func serve(wg *sync.WaitGroup) {
	defer wg.Done()
	time.Sleep(time.Millisecond)
}

func beChild() {
	var wg sync.WaitGroup
	wg.Add(20)
	for i := 0; i < 20; i++ {
		go serve(&wg)
	}
	wg.Wait()
	fmt.Println("up")
	io.Copy(io.Discard, os.Stdin)
}

func main() {
	flag.Parse()
	if *child {
		beChild()
		return
	}
	var commands []*exec.Cmd
	var ends []io.Closer
	for i := 0; i < *n; i++ {
		c := exec.Command(os.Args[0], "-child")
		in, err := c.StdinPipe()
		if err != nil {
			panic(err)
		}
		out, err := c.StdoutPipe()
		if err != nil {
			panic(err)
		}
		if err := c.Start(); err != nil {
			panic(err)
		}
		bufio.NewReader(out).ReadString('\n')
		commands, ends = append(commands, c), append(ends, in)
	}
	for i, c := range commands {
		ends[i].Close()
		c.Wait()
	}
	fmt.Println("ready")
}
