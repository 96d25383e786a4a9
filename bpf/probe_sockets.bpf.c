// SPDX-License-Identifier: GPL-2.0
/*
 * probe_sockets: the socket of a descriptor with its addresses, when the runtime's network poller
 * gets the descriptor: after accept, and after connect was called. All waits for the network come
 * after that (internal/poll, FD.Init), so that no wait is for a socket that is not known. The looks
 * of user space (capture/sockets.h) are too rare for connections that live for milliseconds.
 *
 * The kernel's structs are read from the descriptor of the thread that hit the probe.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>

#include "emit.h"

enum {
	FAMILY_UNIX = 1, FAMILY_INET = 2, FAMILY_INET6 = 10,	/* linux/socket.h */
	PROTOCOL_TCP = 6, PROTOCOL_UDP = 17,			/* linux/in.h */
	FILE_TYPE = 0170000, FILE_SOCKET = 0140000,		/* linux/stat.h */
};

/* Relocated to the running kernel: only these fields are read. */
struct inode {
	unsigned short i_mode;
	unsigned long i_ino;
} __attribute__((preserve_access_index));

struct file {
	struct inode *f_inode;
	void *private_data;
} __attribute__((preserve_access_index));

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
} __attribute__((preserve_access_index));

struct files_struct {
	struct fdtable *fdt;
} __attribute__((preserve_access_index));

struct in6_addr {
	__u8 bytes[16];
};

/* Its addresses and ports are in unions in the kernel. */
struct sock_common {
	__be32 skc_daddr, skc_rcv_saddr;
	__u16 skc_dport;		/* as on the network */
	__u16 skc_num;
	unsigned short skc_family;
	struct in6_addr skc_v6_daddr, skc_v6_rcv_saddr;
} __attribute__((preserve_access_index));

struct socket {
	struct file *file;
	struct sock *sk;
} __attribute__((preserve_access_index));

struct sock {
	struct sock_common __sk_common;
	struct socket *sk_socket;
	u16 sk_protocol;
} __attribute__((preserve_access_index));

struct unix_sock {
	struct sock *peer;
	void *addr;		/* the name that it is bound to */
} __attribute__((preserve_access_index));

/* With the field that no other program reads. */
struct task_struct___files {
	struct files_struct *files;
} __attribute__((preserve_access_index));

static __always_inline struct file *socket_file(int fd)
{
	struct task_struct___files *task = (void *)bpf_get_current_task();
	struct fdtable *table = BPF_CORE_READ(task, files, fdt);
	struct file **files = BPF_CORE_READ(table, fd), *file = 0;

	if (fd < 0 || (__u32)fd >= BPF_CORE_READ(table, max_fds))
		return 0;
	bpf_probe_read_kernel(&file, sizeof(file), files + fd);
	return file;
}

static __always_inline void put_mapped(__u8 to[16], __u32 address)
{
	*(__u64 *)to = 0;
	*(__u32 *)(to + 8) = 0xffff0000;
	*(__u32 *)(to + 12) = address;
}

static __always_inline void put_no_addresses(struct rec_socket *r)
{
	__builtin_memset(r->local, 0, sizeof(r->local) + sizeof(r->remote));
}

/* A kernel without CONFIG_IPV6 does not have the fields, nor such sockets. */
static __always_inline void put_addresses(struct rec_socket *r, struct sock *sk, __u32 family)
{
	if (family == FAMILY_INET) {
		put_mapped(r->local, BPF_CORE_READ(sk, __sk_common.skc_rcv_saddr));
		put_mapped(r->remote, BPF_CORE_READ(sk, __sk_common.skc_daddr));
	} else if (bpf_core_field_exists(sk->__sk_common.skc_v6_daddr)) {
		bpf_core_read(r->local, 16, &sk->__sk_common.skc_v6_rcv_saddr);
		bpf_core_read(r->remote, 16, &sk->__sk_common.skc_v6_daddr);
	} else {
		put_no_addresses(r);
	}
}

/*
 * The end of a connection of AF_UNIX that connected. The struct is not known if the kernel's module
 * of AF_UNIX has no type information.
 */
static __always_inline struct sock *unix_connected(struct sock *sk, bool *accepted)
{
	struct unix_sock *u = (void *)sk;

	if (!bpf_core_field_exists(u->addr) || !bpf_core_field_exists(u->peer))
		return 0;
	*accepted = BPF_CORE_READ(u, addr);
	return *accepted ? BPF_CORE_READ(u, peer) : sk;
}

/*
 * A connection of AF_UNIX has no addresses. Both ends know the inode of the end that connected: it
 * stands for both addresses, and the accepted end has local port 1 and the other one remote port 1.
 * The end that was accepted has the name of the socket that listens, and the other one has none.
 */
static __always_inline bool put_unix(struct rec_socket *r, struct sock *sk)
{
	bool accepted = false;
	struct sock *end = unix_connected(sk, &accepted);
	__u64 inode = end ? BPF_CORE_READ(end, sk_socket, file, f_inode, i_ino) : 0;

	*(__u64 *)r->local = *(__u64 *)r->remote = inode;
	*(__u64 *)(r->local + 8) = *(__u64 *)(r->remote + 8) = 0;
	r->r.id |= (__u64)1 << (accepted ? 32 : 48);
	return inode;
}

static __always_inline __u8 protocol_of(struct sock *sk, __u32 family)
{
	__u16 protocol;

	if (family == FAMILY_UNIX)
		return REC_UNIX;
	if (family != FAMILY_INET && family != FAMILY_INET6)
		return 0;
	protocol = BPF_CORE_READ(sk, sk_protocol);
	return protocol == PROTOCOL_TCP ? REC_TCP : protocol == PROTOCOL_UDP ? REC_UDP : 0;
}

static __always_inline void put_ports(struct rec_socket *r, struct sock *sk)
{
	__u16 local = BPF_CORE_READ(sk, __sk_common.skc_num),
	      remote = __builtin_bswap16(BPF_CORE_READ(sk, __sk_common.skc_dport));

	r->r.id |= (__u64)local << 32 | (__u64)remote << 48;
}

static __always_inline struct sock *sock_of(struct file *file)
{
	struct socket *socket;

	if (!file || (BPF_CORE_READ(file, f_inode, i_mode) & FILE_TYPE) != FILE_SOCKET)
		return 0;
	socket = BPF_CORE_READ(file, private_data);
	return BPF_CORE_READ(socket, sk);
}

static __always_inline void send_socket(__u64 pid_tgid, int fd)
{
	struct file *file = socket_file(fd);
	struct sock *sk = sock_of(file);
	__u32 family = sk ? BPF_CORE_READ(sk, __sk_common.skc_family) : 0;
	__u8 protocol = sk ? protocol_of(sk, family) : 0;
	struct rec_socket *r = rec_begin_own(sizeof(*r), pid_tgid, REC_SOCKET_OPENED, protocol);

	if (!r)
		return;
	r->r.id = (__u32)fd;
	r->r.ptr = protocol ? BPF_CORE_READ(file, f_inode, i_ino) : 0;
	if (protocol == REC_UNIX) {
		if (!put_unix(r, sk))
			r->r.ptr = 0;
	} else if (protocol) {
		put_ports(r, sk);
		put_addresses(r, sk, family);
	} else {
		put_no_addresses(r);
	}
	rec_submit(r);
}

/* poll_runtime_pollOpen(fd uintptr) */
SEC("uprobe")
int GO_PROGRAM(poll_open)(struct pt_regs *ctx)
{
	__u64 pid_tgid = current_ids();

	if (!is_target(pid_tgid) || go_restarts(ctx, INLINE_NONE))
		return 0;
	send_socket(pid_tgid, (int)go_arg1(ctx));
	return 0;
}
