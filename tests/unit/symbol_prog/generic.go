// SPDX-License-Identifier: Apache-2.0

//go:build go1.18
// +build go1.18

package main

import "fmt"

type number interface{ ~int | ~float64 }

//go:noinline
func sum[T number](v []T) (t T) {
	for _, x := range v {
		t += x
		here()
	}
	return
}

func each[T any](v []T, f func(T)) {
	for _, x := range v {
		f(x)
	}
}

type list[T any] struct {
	v    T
	next *list[T]
}

func (l *list[T]) walk(f func(T)) {
	for ; l != nil; l = l.next {
		f(l.v)
	}
}

type pairOf[K comparable, V any] struct {
	k K
	v V
}

//go:noinline
func (p pairOf[K, V]) String() string { here(); return fmt.Sprint(p.k, p.v) }

func generics() {
	sum([]int{1, 2})
	sum([]float64{1})
	each([]string{"a"}, func(string) { outer(2) })
	l := &list[int]{1, &list[int]{2, nil}}
	l.walk(func(n int) { inner(n) })
	_ = fmt.Sprint(pairOf[string, int]{"a", 1}, pairOf[square, []int]{square{1}, nil})
}
