# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Packages of any Debian suite, through apt, without touching the machine: to be sourced by tools that set DIR first, and
# DEBIAN_ARCH if the packages are not for this machine's architecture.
#
# apt runs on a private root below DIR/.apt: the machine's own apt state is read (mirror, keyring, proxies)
# and never written. A suite gets a root of its own, so that the candidate version is never ambiguous.
#
#   get_packages SUITE FOLDER PACKAGE...       unpacks them into the folder
#   get_closure SUITE FOLDER PACKAGE...        and all that they depend on
#   packages_like SUITE REGEX                  prints the names of the suite's packages that match, newest first
#   once NAME TARGET COMMAND...                makes TARGET, once, by a command that gets a temporary folder

# Suites that get no more updates; their Release files expire and stay expired.
readonly ARCHIVED_SUITES=" buster buster-backports bullseye bullseye-backports bookworm-backports "
# Lists younger than this are not asked for again.
readonly LISTS_MAX_AGE_MIN=720
DEBIAN_ARCH=${DEBIAN_ARCH:-$(dpkg --print-architecture)}

die() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; exit 1; }
say() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; }

check_machine() {
	local tool
	for tool in apt-get apt-cache dpkg flock awk; do
		command -v "$tool" >/dev/null || die "$tool is missing; this needs a Debian machine"
	done
}

# --- the machine's own sources ------------------------------------------------------------------

# Both parsers print one line per source: URI SUITE KEYRING, keyring "-" where none is named.

one_line_sources() {
	local file
	for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
		[ -r "$file" ] && awk '
			$1 != "deb" { next }
			{ key = "-"; i = 2
			  if ($2 ~ /^\[/) {
				for (; i <= NF; i++) {
					opt = $i; gsub(/[][]/, "", opt)
					if (tolower(opt) ~ /^signed-by=/) key = substr(opt, 11)
					if ($i ~ /\]$/) { i++; break }
				}
			  }
			  print $i, $(i + 1), key }' "$file"
	done
	return 0
}

deb822_sources() {
	local file
	for file in /etc/apt/sources.list.d/*.sources; do
		# An empty line ends a stanza; comment lines may stand inside one.
		[ -r "$file" ] && { cat "$file"; echo; } | awk '
			function flush(  u, s, nu, ns, i, j) {
				if (f["types"] ~ /(^| )deb( |$)/ && tolower(f["enabled"]) !~ /^(no|false|0)$/) {
					nu = split(f["uris"], u, " "); ns = split(f["suites"], s, " ")
					split(f["signed-by"], k, " ")
					for (i = 1; i <= nu; i++) for (j = 1; j <= ns; j++)
						print u[i], s[j], (k[1] ~ /^\// ? k[1] : "-")
				}
				delete f; name = ""
			}
			/^#/ { next }
			/^[ \t]*$/ { flush(); next }
			/^[ \t]/ { f[name] = f[name] " " $0; next }
			{ name = tolower(substr($0, 1, index($0, ":") - 1))
			  value = substr($0, index($0, ":") + 1); gsub(/^[ \t]+|[ \t]+$/, "", value)
			  f[name] = value }'
	done
	return 0
}

# The source that carries the machine's own suite, whatever else it has configured.
own_source() {
	local codename
	codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-sid}")
	{ deb822_sources; one_line_sources; } |
		awk -v own="$codename" '$2 == own || $2 ~ /^(stable|testing|sid|unstable)$/ { print; exit }'
}

archive_keyring() {
	local key
	for key in "$1" /usr/share/keyrings/debian-archive-keyring.{gpg,pgp}; do
		[ -r "$key" ] && { echo "$key"; return; }
	done
	die "no Debian archive keyring found; install debian-archive-keyring"
}

# --- the private apt root -----------------------------------------------------------------------

is_archived() { [[ $ARCHIVED_SUITES == *" $1 "* ]]; }

# The keys of archived suites move to a keyring of their own in later Debian releases.
keyrings_for() {
	local suite=$1 keyring=$2 removed
	removed=${keyring/debian-archive-keyring/debian-archive-removed-keys}
	if is_archived "$suite" && [ "$removed" != "$keyring" ] && [ -r "$removed" ]; then
		echo "$keyring $removed"
	else
		echo "$keyring"
	fi
}

write_source() {
	local suite=$1 root=$2 uri key
	read -r uri _ key < <(own_source) || die "no Debian source found in /etc/apt"
	key=$(archive_keyring "$key")
	cat >"$root/list.sources" <<-END
		Types: deb
		URIs: $uri
		Suites: $suite
		Components: main
		Targets: Packages
		Architectures: $DEBIAN_ARCH
		Signed-By: $(keyrings_for "$suite" "$key")
		$(is_archived "$suite" && echo "Check-Valid-Until: no")
	END
	sed -i '/^$/d' "$root/list.sources"
}

# Cleared hooks: an image's own update hooks would delete or index files of the machine.
write_config() {
	local root=$1
	cat >"$root/apt.conf" <<-END
		Dir::State "$root/state";
		Dir::State::status "$root/status";
		Dir::Cache "$root/cache";
		Dir::Etc::SourceList "$root/list.sources";
		Dir::Etc::SourceParts "-";
		Dir::Etc::Preferences "-";
		Dir::Etc::PreferencesParts "-";
		Dir::Log "$root";
		APT::Architecture "$DEBIAN_ARCH";
		APT::Architectures "$DEBIAN_ARCH";
		Acquire::Languages "none";
		Acquire::Retries "3";
		APT::Sandbox::User "root";
		#clear APT::Update::Pre-Invoke;
		#clear APT::Update::Post-Invoke;
		#clear APT::Update::Post-Invoke-Success;
		#clear DPkg::Post-Invoke;
	END
}

# Makes and prints the folder of a suite, one for each architecture.
root_of() {
	local root=$DIR/.apt/$1
	[ "$DEBIAN_ARCH" = "$(dpkg --print-architecture)" ] || root+=-$DEBIAN_ARCH
	mkdir -p "$root" && printf '%s\n' "$root"
}

apt_private() {
	local root=$1
	shift
	apt-get -q -c "$root/apt.conf" "$@"
}

# Runs a command quietly; its output is shown only if it fails.
quietly() {
	local log=$1
	shift
	"$@" >"$log" 2>&1 || { tail -n 5 "$log" >&2; return 1; }
}

# In a checkout that was moved or copied since then, apt.conf still names the folders of before.
lists_are_fresh() {
	grep -qF "\"$1/state\"" "$1/apt.conf" 2>/dev/null && [ -n "$(find "$1/updated" -mmin "-$LISTS_MAX_AGE_MIN" 2>/dev/null)" ]
}

update_lists() {
	local suite=$1 root=$2
	say "reading the package lists of $suite"
	mkdir -p "$root"/{state/lists/partial,cache/archives/partial,debs}
	: >"$root/status"
	write_source "$suite" "$root"
	write_config "$root"
	quietly "$root/update.log" apt_private "$root" -o APT::Update::Error-Mode=any update || return 1
	touch "$root/updated"
}

# Leaves the .deb files of the given packages in the suite's debs folder.
download() {
	local root=$1
	shift
	cd "$root/debs"
	quietly "$root/download.log" apt_private "$root" download "$@"
}

# One that others only speak of is shown as nothing, and no error.
has_package() {
	[ -n "$(apt-cache -c "$1/apt.conf" show "$2" 2>/dev/null)" ]
}

# As download(), and what they depend on: on an empty system, which the root is, that is all of it.
download_closure() {
	local root=$1
	shift
	quietly "$root/download.log" apt_private "$root" install --download-only --no-install-recommends -y \
		-o "Dir::Cache::archives=$root/debs" -o Debug::NoLocking=true "$@"
}

# Every caller holds the suite's lock.
# fetch_debs SUITE ROOT COMMAND PACKAGE...: by download or download_closure.
fetch_debs() {
	local suite=$1 root=$2 how=$3
	shift 3
	lists_are_fresh "$root" || update_lists "$suite" "$root" || return 1
	has_package "$root" "$1" || { say "no package $1 in $suite"; return 1; }
	("$how" "$root" "$@") && return
	# The mirror may have moved on since the lists were read.
	update_lists "$suite" "$root" && ("$how" "$root" "$@")
}

# Prints the .deb files of one package, newest last.
debs_of() {
	find "$1/debs" -name "$2_*.deb" -printf '%T@ %p\n' | sort -n | cut -d' ' -f2-
}

unpack_debs() {
	local root=$1 into=$2 pkg
	shift 2
	for pkg; do
		dpkg -x "$(debs_of "$root" "$pkg" | tail -n 1)" "$into"
		debs_of "$root" "$pkg" | xargs rm -f
	done
}

# Downloads packages from one suite and unpacks them into a folder.
get_packages() {
	local suite=$1 into=$2 root
	shift 2
	root=$(root_of "$suite")
	(
		flock 8
		fetch_debs "$suite" "$root" download "$@" && unpack_debs "$root" "$into" "$@"
	) 8>"$root/lock"
}

# As get_packages(), with all that they depend on. FOLDER/.versions names each, with the version of its
# source, and FOLDER/.shlibs says which package a library is of (deb-shlibs(5)).
get_closure() {
	local suite=$1 into=$2 root deb
	shift 2
	root=$(root_of "$suite")-closure
	mkdir -p "$root"
	(
		flock 8
		fetch_debs "$suite" "$root" download_closure "$@" || exit
		for deb in "$root"/debs/*.deb; do
			dpkg -x "$deb" "$into" &&
				dpkg-deb -W --showformat '${Package} ${source:Version}\n' "$deb" >>"$into/.versions" || exit
			dpkg-deb -I "$deb" shlibs >>"$into/.shlibs" 2>/dev/null || true	# has no library
			rm "$deb"
		done
	) 8>"$root/lock"
}

# Names sort as versions do.
packages_like() {
	local root
	root=$(root_of "$1")
	(
		flock 8
		lists_are_fresh "$root" || update_lists "$1" "$root" || exit
		apt-cache -c "$root/apt.conf" pkgnames | grep -Ex "$2" | sort -rV
	) 8>"$root/lock"
}

# Runs a build step alone on NAME, with a temporary folder that never survives it.
once() {
	local name=$1 target=$2
	shift 2
	(
		flock 9
		[ -e "$target" ] && exit
		rm -rf "$DIR/.tmp/$name"
		mkdir -p "$DIR/.tmp/$name/tree"
		# now, and not at exit, when a local variable of a caller may hide ours
		trap "rm -rf ${DIR@Q}/.tmp/${name@Q}" EXIT
		"$@" "$DIR/.tmp/$name"
	) 9>"$DIR/.tmp/$name.lock" || exit 1
	printf '%s\n' "$target"
}
