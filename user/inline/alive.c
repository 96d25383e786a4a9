// SPDX-License-Identifier: Apache-2.0
/* alive: see alive.h. */
#define _GNU_SOURCE
#include "inline/alive.h"

#include <errno.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "inline.h"

_Static_assert(INLINE_OWNER_DIED == FUTEX_OWNER_DIED, "the bit that the kernel sets");

/*
 * The list and its only entry. They are private memory, so that the target cannot change the
 * address that the kernel writes to.
 */
static struct robust_list entry;
static struct robust_list_head head;

static void empty_list(void)
{
	head.list.next = &head.list;
	head.list_op_pending = NULL;
}

int alive_begin(uint32_t *word, struct error *err)
{
	empty_list();
	if (syscall(SYS_set_robust_list, &head, sizeof(head)))
		return error_set(err, -errno,
				 "the kernel watches no robust futex of this thread "
				 "(set_robust_list: %s), without which code in a program would not "
				 "see gotap's end",
				 strerror(errno));
	/*
	 * The kernel finds the word at this distance from the entry; the two are in different
	 * mappings.
	 */
	head.futex_offset = (long)((uintptr_t)word - (uintptr_t)&entry);
	entry.next = &head.list;
	__atomic_store_n(word, (uint32_t)syscall(SYS_gettid), __ATOMIC_SEQ_CST);
	__atomic_store_n(&head.list.next, &entry, __ATOMIC_SEQ_CST);
	return 0;
}

void alive_end(uint32_t *word)
{
	__atomic_store_n(word, 0, __ATOMIC_SEQ_CST);
	empty_list();
}
