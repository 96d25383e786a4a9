// SPDX-License-Identifier: Apache-2.0

// grpc serves a unary method of gRPC, and calls it: what part l of tools/bench measures. Messages are bytes, so that no code
// has to be generated.
//
//	grpc serve               prints the address, then "ready"; ends with stdin
//	grpc call ADDRESS MS     calls for MS milliseconds, from 16 goroutines, and prints how many calls returned
package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding"
)

type raw struct{}

func (raw) Marshal(v any) ([]byte, error) { return *v.(*[]byte), nil }
func (raw) Unmarshal(data []byte, v any) error {
	*v.(*[]byte) = append([]byte(nil), data...)
	return nil
}
func (raw) Name() string { return "raw" }

const method = "/bench.Hello/Say"

var service = grpc.ServiceDesc{
	ServiceName: "bench.Hello",
	HandlerType: (*any)(nil),
	Methods: []grpc.MethodDesc{{MethodName: "Say", Handler: func(_ any, ctx context.Context, decode func(any) error,
		_ grpc.UnaryServerInterceptor) (any, error) {
		var in []byte
		out := []byte("hello\n")
		return &out, decode(&in)
	}}},
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "grpc:", err)
		os.Exit(1)
	}
}

func serve() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	s := grpc.NewServer()
	s.RegisterService(&service, struct{}{})
	go s.Serve(l)
	fmt.Println(l.Addr())
	fmt.Println("ready")
	io.Copy(io.Discard, bufio.NewReader(os.Stdin))
}

func call(address string, length time.Duration) {
	c, err := grpc.Dial(address, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.CallContentSubtype("raw")))
	check(err)
	var n atomic.Int64
	var all sync.WaitGroup
	for end, i := time.Now().Add(length), 0; i < 16; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			for time.Now().Before(end) {
				var in, out []byte
				check(c.Invoke(context.Background(), method, &in, &out))
				n.Add(1)
			}
		}()
	}
	all.Wait()
	fmt.Println(n.Load())
}

func main() {
	encoding.RegisterCodec(raw{})
	switch {
	case len(os.Args) == 2 && os.Args[1] == "serve":
		serve()
	case len(os.Args) == 4 && os.Args[1] == "call":
		ms, err := strconv.Atoi(os.Args[3])
		check(err)
		call(os.Args[2], time.Duration(ms)*time.Millisecond)
	default:
		check(fmt.Errorf("serve, or call ADDRESS MS"))
	}
}
