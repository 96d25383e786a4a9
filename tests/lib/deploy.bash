# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# gotap's image in a container of runc, with the rights that a manifest gives it. Load after lib/container.

# image_of_this FOLDER: an image as `make image` makes it, of the gotap that is tested and of its shared libraries: the
# static one would have to be built first.
image_of_this() {
	local file
	mkdir -p "$1"/root/{dev,etc,proc,run,sys,tmp,usr/bin}
	chmod 1777 "$1/root/tmp"
	strip -o "$1/root/usr/bin/gotap" "$GOTAP"
	{ ldd "$GOTAP"; ldd "$(ldconfig -p | sed -n 's/.*libmicrohttpd.so.12 .*=> //p' | head -n 1)"; ldconfig -p | grep 'libmicrohttpd.so.12 '; } |
		grep -o '/[^ ]*' | sort -u | while read -r file; do
		mkdir -p "$1/root${file%/*}"
		cp -L "$file" "$1/root$file"
	done
	"$CHECKOUT/tools/image" 9 2026-01-02 "$1"
}

# blob FOLDER FILTER: the path of the blob whose descriptor that jq filter finds in the manifest.
blob() {
	local manifest
	manifest=$1/oci/blobs/$(jq -r '.manifests[0].digest' "$1/oci/index.json" | tr : /)
	echo "$1/oci/blobs/$(jq -r "$2.digest" "$manifest" | tr : /)"
}

# unpack FOLDER: $BOX/root has the layer of that image.
unpack() {
	mkdir -p "$BOX/root"
	tar -xzf "$(blob "$1" '.layers[0]')" -C "$BOX/root"
}

# As a pod of deploy/kubernetes/gotap.yaml, by its fields: capabilities, the pid namespace, volumes in memory, a root that is
# read-only, the environment; and by the profile of system calls beside it. $CAPABILITIES and $PROFILE stand for its own.
AS_DAEMON='
import json, os, yaml
pod = next(d for d in yaml.safe_load_all(open(os.environ["MANIFEST"])) if d["kind"] == "DaemonSet")["spec"]["template"]["spec"]
one = pod["containers"][0]
security = one["securityContext"]
assert security["capabilities"]["drop"] == ["ALL"]
caps = os.environ.get("CAPABILITIES")
caps = security["capabilities"]["add"] if caps is None else caps.split()
for kind in ("bounding", "effective", "permitted"):
    c["process"]["capabilities"][kind] = ["CAP_" + cap for cap in caps]
c["process"]["capabilities"].pop("ambient", None)
c["process"]["capabilities"].pop("inheritable", None)
c["process"]["noNewPrivileges"] = not security["allowPrivilegeEscalation"]
c["process"]["user"] = {"uid": security["runAsUser"], "gid": security["runAsGroup"]}
c["process"]["cwd"] = "/"
c["process"]["env"] = ["PATH=/usr/bin"] + [e["name"] + "=" + e["value"] for e in one.get("env", [])]
c["process"].pop("rlimits", None)
c["root"]["readonly"] = security["readOnlyRootFilesystem"]
if pod["hostPID"]:
    c["linux"]["namespaces"] = [n for n in c["linux"]["namespaces"] if n["type"] != "pid"]
if not any(n["type"] == "cgroup" for n in c["linux"]["namespaces"]):
    c["linux"]["namespaces"].append({"type": "cgroup"})
volumes = {v["name"]: v for v in pod["volumes"]}
for mount in one["volumeMounts"]:
    assert "emptyDir" in volumes[mount["name"]]
    c["mounts"].append({"destination": mount["mountPath"], "type": "tmpfs", "source": "tmpfs", "options": ["nosuid", "nodev", "mode=1777"]})
profile = os.environ.get("PROFILE", "")
if profile:
    c["linux"]["seccomp"] = json.load(open(profile))'

# as_daemon COMMAND...: gotap in such a container, until it ends; its output is in $output.
as_daemon() {
	local name=gotap-$$-daemon-$((++DAEMONS))
	export MANIFEST=$CHECKOUT/deploy/kubernetes/gotap.yaml
	RUNC_IDS+=" $name"
	SPEC_EDIT=$AS_DAEMON spec "$@" || return
	(cd "$BOX" && timeout 60 runc run "$name" </dev/null)
}
