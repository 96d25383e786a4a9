// SPDX-License-Identifier: Apache-2.0
/*
 * usage COMMAND...: runs it with no output and prints "CPU_NS PEAK_KIB STATUS" of it.
 * A program that a large one starts begins with the peak of that one's memory
 * in its own account; this one is small.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static long long ns(struct timeval t)
{
	return t.tv_sec * 1000000000LL + t.tv_usec * 1000LL;
}

int main(int argc, char **argv)
{
	struct rusage usage;
	int status;
	pid_t pid = argc > 1 ? fork() : -1;

	if (!pid) {
		dup2(open("/dev/null", O_WRONLY), 1);
		execv(argv[1], argv + 1);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid || !WIFEXITED(status))
		return 1;
	printf("%lld %ld %d\n", ns(usage.ru_utime) + ns(usage.ru_stime), usage.ru_maxrss,
	       WEXITSTATUS(status));
	return 0;
}
