#include <unistd.h>
		static __attribute__((constructor)) void late(void) { usleep(1500000); }
