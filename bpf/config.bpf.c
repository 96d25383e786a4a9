// SPDX-License-Identifier: GPL-2.0
/* config: defines the knobs of all probes; common.h explains each. */
#include "common.h"

const volatile struct go_offsets off = {};
const volatile __u32 target_tgid = 0;
const volatile __u64 target_ns_dev = 0;
const volatile __u64 target_ns_ino = 0;
const volatile __u32 stack_depth = 127;
const volatile bool at_status_calls = false;
const volatile __u32 at_calls = 0;
const volatile bool goid_before_status = true;
const volatile bool syscall_bp = true;
const volatile bool have_task_regs = false;
const volatile __s32 ready_skip_slot = 0;
const volatile __u32 exitsyscall_p_reg = 2;
const volatile __u32 heap_live_reg = 0;
const volatile __u64 heap_live_at = 0;
const volatile __u64 heap_goal_at = 0;
const volatile struct go_operand gstack_lo = {};
const volatile struct go_operand gstack_size = {};
const volatile struct go_operand object_addr = {};
const volatile struct go_operand object_size = {};
const volatile struct go_operand object_type = {};
const volatile __u64 object_min = 0;
const volatile bool labels_in_map = false;
const volatile __u64 types_start = 0;
const volatile __u64 types_end = 0;
const volatile __u64 text_start = 0;
const volatile __u64 text_end = 0;
const volatile struct site_slot site_table[SITE_SLOTS] = {};
const volatile __u64 site_multiplier = 1;
const volatile __u64 systemstack_return = 0;
const volatile __u64 systemstack_pc = 0;
const volatile __u64 sigpanic_start = 0;
const volatile __u64 sigpanic_end = 0;
const volatile __u32 panic_arg = 0;
const volatile bool switch_has_state = false;
const volatile bool queue_pointers = false;
const volatile bool every_switch = false;
const volatile bool on_own_stack = true;

__u32 active = 0;
__u64 names_from = ~0ULL;
__u64 names_lost = 0;
__u64 names_lost_before = 0;
__u32 stacks = STACKS_WHOLE;
__u64 texts_missing = 0;
__u32 threads_active = 0;
__u32 threads_tgid = 0;
__u64 exec_time = 0;

char LICENSE[] SEC("license") = "GPL";
