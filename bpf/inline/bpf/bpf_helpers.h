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

/* False for an address that comes from a nil pointer (LOWEST_ADDRESS of read.h). */
static __always_inline bool is_readable(u64 addr)
{
	return addr >= 65536;
}

/*
 * Copies within the target, as this code runs there. Returns 0, or -1 for an address that comes
 * from a nil pointer, as the helper of BPF does. All addresses come from the runtime, which reads
 * the same words; only frame pointers may lead anywhere, and frames.h has bounds for them.
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
 * Returns the time stamp counter, after all earlier instructions are done; gotap converts it to
 * nanoseconds (user/inline/tsc.h). Records take their time with less cost (order.h).
 */
static __always_inline u64 bpf_ktime_get_ns(void)
{
	u32 low, high;

	__asm__ volatile("lfence\n\trdtsc" : "=a"(low), "=d"(high) :: "memory");
	return (u64)high << 32 | low;
}

/* The processor has RDPID; gotap sets this (user/inline/x86/image.c). */
extern const bool has_rdpid;

/*
 * Linux keeps the number of the CPU in the low 12 bits of TSC_AUX and in the limit of a segment,
 * for programs to read (arch/x86/include/asm/vdso/processor.h, __CPUNODE_SEG).
 */
static __always_inline u32 bpf_get_smp_processor_id(void)
{
	enum { CPUNODE_SEG = 15 * 8 + 3, CPU_BITS = 12 };
	u64 cpu;

	/* volatile: the compiler must not move up an instruction that this processor lacks */
	if (has_rdpid)
		__asm__ volatile("rdpid %0" : "=r"(cpu));
	else
		__asm__ volatile("lsl %1, %0" : "=r"(cpu) : "r"((u64)CPUNODE_SEG) : "cc");
	return cpu & ((1 << CPU_BITS) - 1);
}

#endif
