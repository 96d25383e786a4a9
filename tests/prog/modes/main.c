/* SPDX-License-Identifier: Apache-2.0 */
/* A C program that runs a Go program, made a library by exported.go, in a thread of its own. */
#include <pthread.h>

extern void GoMain(void);

static void *run(void *unused)
{
	GoMain();
	return unused;
}

int main(void)
{
	pthread_t thread;

	return pthread_create(&thread, 0, run, 0) || pthread_join(thread, 0);
}
