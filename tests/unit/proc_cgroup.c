// SPDX-License-Identifier: Apache-2.0
/* Which container a cgroup path tells: every form of every runtime, and what is none. */
#include "proc/cgroup.h"

#include "unit.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define OTHER "fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210"
#define UID "0f9d2c6e-1b2a-4c3d-8e4f-5a6b7c8d9e0f"
#define UID_ "0f9d2c6e_1b2a_4c3d_8e4f_5a6b7c8d9e0f"

static void check(const char *text, const char *runtime, const char *id, const char *pod)
{
	struct cgroup_ref ref;

	CHECK(cgroup_parse(text, &ref) == (*id != 0));
	CHECK_STR(ref.runtime, runtime);
	CHECK_STR(ref.id, id);
	CHECK_STR(ref.pod_uid, pod);
}

static void systemd_scopes(void)
{
	check("0::/system.slice/docker-" ID ".scope\n", "docker", ID, "");
	check("0::/machine.slice/libpod-" ID ".scope/container\n", "podman", ID, "");
	check("0::/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" ID ".scope\n",
	      "podman", ID, "");
	check("0::/system.slice/nerdctl-" ID ".scope\n", "containerd", ID, "");
	check("0::/system.slice/runc-web.scope\n", "runc", "web", "");
	check("0::/machine.slice/machine-box.scope/payload\n", "nspawn", "box", "");
	check("0::/lxc.payload.box/system.slice\n", "lxc", "box", "");
}

static void cgroupfs_paths(void)
{
	check("0::/docker/" ID "\n", "docker", ID, "");
	check("0::/libpod_parent/libpod-" ID "\n", "podman", ID, "");
	check("0::/k8s.io/" ID "\n", "containerd", ID, "");
	check("0::/ecs/0123456789abcdef/" ID "\n", "", ID, "");
}

static void kubernetes(void)
{
	check("0::/kubepods/burstable/pod" UID "/" ID "\n", "", ID, UID);
	check("0::/kubepods/pod" UID "/" ID "\n", "", ID, UID);
	check("0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" UID_
	      ".slice/cri-containerd-" ID ".scope\n", "containerd", ID, UID);
	check("0::/kubepods.slice/kubepods-pod" UID_ ".slice/crio-" ID ".scope\n", "cri-o", ID, UID);
	check("0::/system.slice/containerd.service/kubepods-besteffort-pod" UID_
	      ".slice:cri-containerd:" ID "\n", "containerd", ID, "");
}

static void version_1_has_many_lines(void)
{
	check("12:cpuset:/\n11:pids:/docker/" ID "\n1:name=systemd:/docker/" ID "\n0::/\n",
	      "docker", ID, "");
	/* the host's part of a path, seen from inside a cgroup namespace */
	check("0::/../../system.slice/docker-" ID ".scope\n", "docker", ID, "");
}

static void the_innermost_wins(void)
{
	check("0::/docker/" OTHER "/kubelet/kubepods/pod" UID "/" ID "\n", "", ID, UID);
}

static void these_are_none(void)
{
	check("", "", "", "");
	check("0::/\n", "", "", "");
	check("nonsense\n", "", "", "");
	check("0::/user.slice/user-0.slice/session-1.scope\n", "", "", "");
	check("0::/system.slice/docker.service\n", "", "", "");
	check("0::/machine.slice/libpod-conmon-" ID ".scope\n", "", "", "");
	check("0::/system.slice/docker-0123.scope\n", "", "", "");
	check("0::/plain\n", "", "", "");
}

static void known_paths(void)
{
	static const char text[] = "8:pids:/plain\n4:memory:/box/plain/inner\n0::/\n";

	CHECK(cgroup_is_in(text, "/plain"));
	CHECK(cgroup_is_in(text, "/box/plain"));
	CHECK(!cgroup_is_in(text, "/box/pla"));
	CHECK(!cgroup_is_in(text, "/"));
	CHECK(!cgroup_is_in(text, ""));
	CHECK(!cgroup_is_in(text, "/plain/inner/more"));
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(systemd_scopes), UNIT(cgroupfs_paths), UNIT(kubernetes),
		UNIT(version_1_has_many_lines), UNIT(the_innermost_wins), UNIT(these_are_none),
		UNIT(known_paths), {0} });
}
