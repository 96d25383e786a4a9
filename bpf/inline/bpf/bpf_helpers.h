/* SPDX-License-Identifier: GPL-2.0 */
/*
 * bpf_helpers, for code inside the target: the helpers of BPF that the sources of bpf/ call, as a
 * few instructions each.
 */
#ifndef GOTAP_BPF_INLINE_HELPERS_H
#define GOTAP_BPF_INLINE_HELPERS_H

#define __always_inline inline __attribute__((always_inline))
#define __noinline __attribute__((noinline))
/* Marks a program: a function that the stub jumps to. */
#define SEC(name) __noinline

#define barrier() __asm__ volatile("" ::: "memory")
#define barrier_var(v) __asm__("" : "+r"(v))

/* Not of a nil pointer (LOWEST_ADDRESS of read.h). */
static __always_inline bool is_readable(u64 addr)
{
	return addr >= 65536;
}

/*
 * The target's memory is our own. 0, or -1 for that of a nil pointer, as BPF has it. All
 * addresses come from the runtime, which reads the same words; only those of the chain of frames
 * may lead anywhere, and have bounds of their own (frames.h).
 */
static __always_inline long bpf_probe_read_user(void *to, u32 size, const void *from)
{
	u64 n = size;

	if (!is_readable((u64)from))
		return -1;
	if (__builtin_constant_p(size) && size <= 16)
		__builtin_memcpy(to, from, size);
	else
		__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) :: "memory");
	return 0;
}

/*
 * The time stamp counter; gotap makes nanoseconds of it (user/inline/tsc.h). Without the fence the
 * processor reads it before earlier instructions are done: of ten million records one was then
 * older than that of another CPU which it depended on.
 */
static __always_inline u64 bpf_ktime_get_ns(void)
{
	u32 low, high;

	__asm__ volatile("lfence\n\trdtsc" : "=a"(low), "=d"(high) :: "memory");
	return (u64)high << 32 | low;
}

/* Set by gotap (user/inline/image.c): the processor has RDPID. */
extern const bool has_rdpid;

/*
 * Linux keeps the number of the CPU in the low 12 bits of TSC_AUX and in the limit of a segment
 * (arch/x86/include/asm/vdso/processor.h, __CPUNODE_SEG), for programs to read.
 */
static __always_inline u32 bpf_get_smp_processor_id(void)
{
	enum { CPUNODE_SEG = 15 * 8 + 3, CPU_BITS = 12 };
	u64 cpu;

	/* volatile: the compiler must not hoist an instruction that this processor lacks */
	if (has_rdpid)
		__asm__ volatile("rdpid %0" : "=r"(cpu));
	else
		__asm__ volatile("lsl %1, %0" : "=r"(cpu) : "r"((u64)CPUNODE_SEG) : "cc");
	return cpu & ((1 << CPU_BITS) - 1);
}

#endif
