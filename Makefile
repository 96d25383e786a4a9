# SPDX-License-Identifier: Apache-2.0
#
# make          build/gotap
# make demo     install what is missing, build, trace a real Go program, show the result
# make check    unit tests, quick tests of files, one live recording: under 3 minutes, nothing is fetched
# make test     install what tests need, run all tests
# make soak     what takes luck or hours: ARGS="--seconds 3600 --seed 1"
# make stress   the order of stores of the rings, on this hardware: ARGS="--seconds 600"
# make kernels  tests on Debian's kernels, 5.10 to the newest, in virtual machines
# make hostile  hostile programs, moments, limits and files at random; ARGS="--seconds 3600"
# make attack   a table: each way in which a program can forge records, and how gotap held; ARGS="--seconds 600 --jobs 3"
# make bench    ratios against the empty-uprobe floor; ARGS="--quick a" for a part
# make ARCH=arm64 build/arm64/gotap, on another machine: docs/arm64.md; SUITE=trixie: for Debian 13
# make SERVE=no a gotap without `serve`, and without libmicrohttpd
# make install  PREFIX=/usr/local: gotap, libgotap, manual, completion, pages, units; make uninstall takes it away
# make man      the manual pages and the completions, which install installs
# make static   build/static/gotap, without shared libraries: runs on Alpine, and in an image without files
# make image    build/image: an OCI image of the static program, made without a daemon
# make min-btf  build/min.btf: of KERNEL_BTF (this kernel's) what gotap's programs need, for --btf
# make release  build/release: tarball, static program, bill of materials (SPDX), checksums
# make deb      Debian packages, in build/deb
# make SANITIZE=yes BUILD=build/sanitized   a gotap under ASan and UBSan, in a folder of its own
# V=1 shows the commands. Everything generated lies under build/.

# The architecture of the host, and the programs that it traces: names bpf/arch_$(ARCH).h, vmlinux/$(ARCH).
HOST    := $(if $(filter aarch64%,$(shell $(CC) -dumpmachine)),arm64,x86)
# Only the command line sets ARCH: other projects have a variable of this name in the environment.
ifneq ($(origin ARCH),command line)
  ARCH  := $(HOST)
endif
ifneq ($(filter-out x86 arm64,$(ARCH)),)
  $(error gotap is built for ARCH=x86 or ARCH=arm64, not for $(ARCH))
endif

# As Go names it.
GOARCH := $(if $(filter arm64,$(ARCH)),arm64,amd64)

# Another architecture than this machine's: Debian's cross compiler (tools/deps arm64), and libraries that
# tools/arm64-sysroot unpacks. What make man and schemas run of it runs under qemu's emulation of programs.
ifneq ($(ARCH),$(HOST))
  ifneq ($(ARCH),arm64)
    $(error on arm64 only ARCH=arm64 can be built)
  endif
  CROSS   := aarch64-linux-gnu-
  ifeq ($(shell command -v $(CROSS)gcc),)
    $(error ARCH=arm64 needs $(CROSS)gcc: run `tools/deps arm64`)
  endif
  # SUITE=trixie: the libraries of that Debian release, in place of those of the machine's own.
  ifneq ($(origin SUITE),command line)
    SUITE :=
  endif
  # SYSROOT=/: those of this machine, which has the packages of tools/arm64-sysroot for both architectures.
  ifneq ($(origin SYSROOT),command line)
    SYSROOT := $(shell tools/arm64-sysroot $(SUITE))
  endif
  ifeq ($(SYSROOT),)
    $(error ARCH=arm64 needs the arm64 libraries, which tools/arm64-sysroot could not fetch)
  endif
  BUILD   ?= build/arm64$(SUITE:%=-%)
  CC      := $(CROSS)gcc --sysroot=$(SYSROOT)
  # Debian's cross compiler looks first at the C library that it came with, which may be of another release.
  ifneq ($(SYSROOT),/)
    CC    += -B$(SYSROOT)/usr/lib/aarch64-linux-gnu -nostdinc $(patsubst %,-isystem %,$(shell $(CROSS)gcc -print-file-name=include) \
		$(SYSROOT)/usr/include/aarch64-linux-gnu $(SYSROOT)/usr/include)
  endif
  LDFLAGS += -Wl,-rpath-link,$(SYSROOT)/lib/aarch64-linux-gnu:$(SYSROOT)/usr/lib/aarch64-linux-gnu
  LIBRARIES := $(SYSROOT)/usr/lib/aarch64-linux-gnu
  QEMU    := $(firstword $(shell command -v qemu-aarch64-static qemu-aarch64) qemu-aarch64-static)
  RUN     := $(QEMU) -L $(SYSROOT) #
endif

BUILD   ?= build
PREFIX  ?= /usr/local
LIBDIR  ?= $(PREFIX)/lib
CLANG   ?= clang
BPFTOOL ?= $(or $(shell command -v bpftool),/usr/sbin/bpftool)
CFLAGS  ?= -O2 -g
VERSION := 0.1.0
# The day of that version, for manual pages: a page is the same whenever it is made.
RELEASED := 2026-11-27
ALL_CFLAGS := -std=gnu11 -DGOTAP_VERSION=\"$(VERSION)\" -Wall -Wextra -Wno-unused-parameter -Wmissing-prototypes -Wshadow \
	-Iuser -Iinclude -I$(BUILD) $(CFLAGS)
LDLIBS  := -lmd -lbpf -ldw -lelf -lz -lzstd -ljson-c -lpthread -lm

# The first report of a sanitizer ends gotap: then a recording that ends as it should had none.
SANITIZE ?= no
ifeq ($(SANITIZE),yes)
  CFLAGS  := -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all
  LDFLAGS += -fsanitize=address,undefined
endif

# Without shared libraries: what these are linked with must be named; libmicrohttpd takes functions of user/serve/no_tls.c.
STATIC ?= no
ifeq ($(STATIC),yes)
  # No path of the machine that builds: the same source gives the same bytes.
  ALL_CFLAGS += -DGOTAP_STATIC -ffile-prefix-map=$(CURDIR)=. -ffile-prefix-map=$(BUILD)=build
  LDFLAGS += -static -Wl,--wrap=dlopen $(if $(filter no,$(SERVE)),,-Wl,-u,gnutls_init)
  LDLIBS += -lbz2 -llzma -lmicrohttpd
endif

# gotap serve is built with libmicrohttpd. Whether a gotap has it is said, not found out: it would depend on the machine.
SERVE   ?= yes
ifeq ($(SERVE),no)
  ALL_CFLAGS += -DGOTAP_NO_SERVE
else
  SERVE_ROOM := serve
  # The name by which it is loaded when a server starts (user/serve/mhd.h).
  LIBRARIES ?= $(shell pkg-config --variable=libdir libmicrohttpd 2>/dev/null)
  SERVE_LIB := $(shell $(CROSS)objdump -p "$(LIBRARIES)/libmicrohttpd.so" 2>/dev/null | sed -n 's/^ *SONAME *//p')
  ALL_CFLAGS += -DGOTAP_MHD=\"$(SERVE_LIB)\"
endif

ifeq ($(V),1)
  Q :=
  say = @:
else
  Q := @
  say = @printf '  %-8s %s\n' $(1) $(2)
endif

.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: all demo test check soak stress kernels deb static release hostile attack bench install install-lib install-man install-doc install-schemas install-units uninstall lib man clean unit FORCE fuzz fuzz-build image $(BUILD)/gotap.pc

all: $(BUILD)/gotap

ifneq ($(SERVE),no)
ifeq ($(SERVE_LIB),)
$(patsubst %.c,$(BUILD)/%.o,$(wildcard user/serve/*.c) user/cmd/serve.c): serve-needs-libmicrohttpd
.PHONY: serve-needs-libmicrohttpd
serve-needs-libmicrohttpd:
	$(error gotap serve needs libmicrohttpd, which pkg-config does not find: run `tools/deps build`, or `make SERVE=no` for a gotap without it)
endif
endif

# --- rooms: user/<room>/*.c, each an archive; a room uses those named after it ---
# cmd has folders of its own, whose files may bear the same name: ar must add each of them (q), not replace (r).
ROOMS := base schema release proc http metrics stream threads trace flight read symbol frames v1 v1write rewrite spans oncpu report pprof joins perfetto parquet tables why unit requests otlp calls whatif html top target plan live stacks inline rings attach capture follow sched assemble trigger api mcp files cmd
ROOMS += $(SERVE_ROOM)
needs_base    :=
needs_schema  :=
needs_release :=
needs_proc    := base
needs_stream  := release base
needs_threads := stream symbol base
needs_trace   := base
needs_flight  := http stream trace release proc base
needs_read    := trace base
needs_symbol  := base
needs_target  := symbol release base
needs_v1      := read symbol trace base
needs_v1write := v1 read symbol trace base
needs_rewrite := v1write v1 read symbol trace base
needs_plan    := target symbol release base
needs_live    := plan proc target symbol release base
ROOMS         += heap
needs_heap    := live plan proc target symbol release base
needs_stacks  := live plan proc target read symbol trace release base
needs_inline  := live plan proc target symbol release base
needs_rings   := inline live plan proc stream target symbol release base
needs_attach  := rings inline live plan proc stream target symbol release base
needs_capture := attach rings inline live plan proc stream target symbol release base
needs_follow  := live plan proc target symbol release base
needs_spans   := read trace base
needs_report  := oncpu threads stream spans read trace release symbol base
needs_pprof   := spans read trace base
needs_perfetto := joins spans read trace base
needs_parquet := base
needs_tables  := parquet threads stream spans read trace symbol base
needs_oncpu   := threads stream spans read trace symbol base
needs_joins   := spans read trace base
needs_why     := joins oncpu threads stream spans read trace release symbol base
needs_unit    := joins why report oncpu threads stream spans read trace release symbol base
needs_requests := joins report oncpu threads stream spans read trace release symbol base
needs_calls   := report oncpu threads stream spans read trace release symbol base
needs_otlp    := joins why oncpu threads stream spans read trace release symbol base
needs_whatif  := joins unit why report oncpu threads stream spans read trace release symbol base
needs_html    := report oncpu threads stream spans read trace release symbol base
needs_top     := requests report oncpu threads stream spans read trace release symbol base
needs_frames  := symbol trace release base
needs_sched   := read trace release base
needs_assemble := sched frames threads read stream trace symbol release base
needs_trigger := requests report oncpu spans sched threads read stream trace flight http release proc symbol base
needs_api     := rewrite v1write v1 read symbol trace base
needs_http    := base
needs_metrics := proc base
needs_serve   := metrics proc base
needs_mcp     := threads schema stream symbol base
needs_files   := rewrite v1write perfetto joins oncpu threads stream spans v1 read symbol trace proc release base
needs_cmd     := joins mcp schema http metrics files follow top trigger flight stacks capture attach rings inline live plan assemble sched frames perfetto tables parquet oncpu html whatif otlp calls requests unit why pprof report spans rewrite v1write v1 read target symbol trace threads stream proc release base
needs_cmd     += $(SERVE_ROOM)

needs_cmd     += heap
ROOMS         += heapgraph
needs_heapgraph := stacks live plan proc target read symbol trace release base
needs_cmd     += heapgraph
ROOMS         += moment
needs_moment  := live plan proc target symbol release base
needs_cmd     += moment

objs_of = $(patsubst %.c,$(BUILD)/%.o,$(filter-out user/cmd/main.c,$(wildcard user/$(1)/*.c) $(if $(filter target,$(1)),$(wildcard user/target/*/*.c)) $(if $(filter inline,$(1)),$(wildcard user/inline/$(ARCH)/*.c)) $(if $(filter cmd,$(1)),$(wildcard user/cmd/*/*.c))))
lib_of  = $(BUILD)/lib/$(1).a

define room_rules
$(call lib_of,$(1)): $(call objs_of,$(1))
	$$(call say,AR,$$@)
	@mkdir -p $$(@D)
	$$(Q)rm -f $$@ && ar qcs $$@ $$^
endef
$(foreach r,$(ROOMS),$(eval $(call room_rules,$(r))))

# The library runs on threads of others, with stacks as small as they made them. A buffer of 16 KB, and what stands beside it.
FRAMES := $(if $(filter yes,$(SANITIZE)),,-Wframe-larger-than=16640)

$(BUILD)/%.o: %.c
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(if $(filter user/%,$<),$(FRAMES)) -MMD -MP -c $< -o $@

$(BUILD)/gotap: $(BUILD)/user/cmd/main.o $(foreach r,cmd $(needs_cmd),$(call lib_of,$(r)))
	$(call say,LD,$@)
	$(Q)$(CC) $(LDFLAGS) $< -Wl,--start-group $(filter %.a,$^) -Wl,--end-group $(LDLIBS) -o $@

# --- libgotap: the API of include/gotap; libgotap.map lists what can be seen from outside ---
# The static library is one object, so that its other names clash with nobody's.
API_VERSION := 2
API_SO   := libgotap.so.$(API_VERSION)
API_LIBS := -lz -lpthread
API_MAP  := user/api/libgotap.map
# Of the other rooms it gets the objects that it uses: none that has state of its own.
pic_of    = $(patsubst %.c,$(BUILD)/pic/%.o,$(wildcard user/$(1)/*.c))
API_OBJS := $(call pic_of,api)
API_LIB  := $(BUILD)/pic/rooms.a

$(BUILD)/pic/%.o: %.c
	$(call say,CC,"$< (pic)")
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -fPIC -fvisibility=hidden -MMD -MP -c $< -o $@

$(API_LIB): $(foreach r,$(needs_api),$(call pic_of,$(r)))
	$(call say,AR,$@)
	$(Q)rm -f $@ && ar rcs $@ $^

$(BUILD)/$(API_SO): $(API_OBJS) $(API_LIB) $(API_MAP)
	$(call say,LD,$@)
	$(Q)$(CC) $(LDFLAGS) -shared -Wl,-soname,$(API_SO) -Wl,-z,defs -Wl,--version-script,$(API_MAP) \
		$(API_OBJS) $(API_LIB) $(API_LIBS) -o $@

$(BUILD)/libgotap.a: $(API_OBJS) $(API_LIB)
	$(call say,AR,$@)
	$(Q)$(CC) -r -nostdlib $^ -o $(BUILD)/pic/libgotap.o
	$(Q)$(CROSS)objcopy --localize-hidden $(BUILD)/pic/libgotap.o
	$(Q)rm -f $@ && ar rcs $@ $(BUILD)/pic/libgotap.o

# Made anew each time: it holds PREFIX.
$(BUILD)/gotap.pc:
	@mkdir -p $(@D)
	$(Q)printf '%s\n' 'prefix=$(PREFIX)' 'libdir=$(LIBDIR:$(PREFIX)/%=$${prefix}/%)' 'includedir=$${prefix}/include' '' \
		'Name: gotap' 'Description: reads and writes Go execution traces' 'Version: $(VERSION)' \
		'Libs: -L$${libdir} -lgotap' 'Libs.private: $(API_LIBS)' 'Cflags: -I$${includedir}' >$@

lib: $(BUILD)/$(API_SO) $(BUILD)/libgotap.a $(BUILD)/gotap.pc

# --- BPF: every bpf/*.bpf.c to an object, linked into one, skeleton for attach ---
# bpftool leaves DWARF out when it links; BTF stays, with paths of sources: below the folder of the Makefile, wherever that is.
# And once more for kernels before 5.17, which lack some of BPF (OLD_KERNEL).
BPF_SRCS  := $(wildcard bpf/*.bpf.c)
BPF_FLAGS := -g -O2 -Wall -Wextra -Wno-unused-parameter -target bpf -mcpu=v3 -D__TARGET_ARCH_$(ARCH) \
	-Iinclude -Ivmlinux -Ivmlinux/$(ARCH) -Ibpf -ffile-prefix-map=$(CURDIR)=.

define bpf_rule
$(BUILD)/$(1)/%.bpf.o: bpf/%.bpf.c
	$$(call say,BPF,"$$< $(2)")
	@mkdir -p $$(@D)
	$$(Q)$$(CLANG) $$(BPF_FLAGS) $(2) -MMD -MP -c $$< -o $$@
endef
$(eval $(call bpf_rule,bpf))
$(eval $(call bpf_rule,bpf_oldkernel,-DOLD_KERNEL))

$(BUILD)/gotap.bpf.o: $(BPF_SRCS:%.c=$(BUILD)/%.o)
$(BUILD)/gotap_oldkernel.bpf.o: $(BPF_SRCS:bpf/%.c=$(BUILD)/bpf_oldkernel/%.o)
$(BUILD)/follow.bpf.o: $(BUILD)/bpf/follow/follow.bpf.o
$(BUILD)/gotap.bpf.o $(BUILD)/gotap_oldkernel.bpf.o $(BUILD)/follow.bpf.o:
	$(call say,BPFLINK,$@)
	$(Q)$(BPFTOOL) gen object $@ $^

SKELETONS := $(BUILD)/gotap.skel.h $(BUILD)/gotap_oldkernel.skel.h

$(SKELETONS) $(BUILD)/follow.skel.h: $(BUILD)/%.skel.h: $(BUILD)/%.bpf.o
	$(call say,SKEL,$@)
	$(Q)$(BPFTOOL) gen skeleton $< name $*_bpf > $@

# the first build has no .d files yet: make the skeletons before attach
$(call objs_of,attach): | $(SKELETONS)

# The programs that follow processes: an object of their own, which user/follow loads.
$(BUILD)/user/follow/follow.o: $(BUILD)/follow.skel.h

# --- the code of --attach inline: the sources of bpf/ once more, natively, as a flat image for user/inline ---
# It runs between two instructions of a Go program: without vector registers, without those that stub.S does not save (r9
# to r11) and g (r14), and with little stack. tools/inline-check looks whether that is so. The code is not aligned: between
# two hits a server pushes it out of the first cache, and fewer lines are then faster (1 ns a record).
INLINE_CC    ?= gcc
INLINE_FLAGS := -std=gnu11 -O2 -Wall -Wextra -Wno-unused-parameter -DGO_INLINE -D__TARGET_ARCH_$(ARCH) \
	-Ibpf/inline -Ibpf -Iinclude -ffreestanding -fPIC -fvisibility=hidden -ffunction-sections -fno-strict-aliasing \
	-mgeneral-regs-only -ffixed-r9 -ffixed-r10 -ffixed-r11 -ffixed-r12 -ffixed-r14 -fcall-used-rbx -fcall-used-r13 \
	-mpreferred-stack-boundary=3 -mno-red-zone -fomit-frame-pointer -fcf-protection=none -fno-stack-protector \
	-fno-asynchronous-unwind-tables -fno-jump-tables -fno-tree-loop-distribute-patterns \
	-fno-align-functions -fno-align-jumps -fno-align-loops -fno-align-labels
INLINE_OBJS  := $(patsubst %,$(BUILD)/bpf_inline/%.o,stub image knobs)

$(BUILD)/bpf_inline/%.o: bpf/inline/%.c
	$(call say,INLINE,$<)
	@mkdir -p $(@D)
	$(Q)$(INLINE_CC) $(INLINE_FLAGS) -MMD -MP -c $< -o $@

$(BUILD)/bpf_inline/%.o: bpf/inline/%.S
	$(call say,INLINE,$<)
	@mkdir -p $(@D)
	$(Q)$(INLINE_CC) $(INLINE_FLAGS) -MMD -MP -c $< -o $@

$(BUILD)/inline.elf: $(INLINE_OBJS) bpf/inline/image.lds tools/inline-check
	$(call say,LD,$@)
	$(Q)$(LD) --gc-sections --no-relax --no-undefined -static -T bpf/inline/image.lds -o $@ $(INLINE_OBJS)
	$(Q)tools/inline-check $@

$(BUILD)/inline_image.h: $(BUILD)/inline.elf tools/inline-image
	$(Q)tools/inline-image $< >$@

$(BUILD)/user/inline/x86/image.o: $(BUILD)/inline_image.h

# --- the page of gotap report --html: its files are parts of user/html/assets.c ---
$(BUILD)/user/html/assets.o $(BUILD)/fuzz/user/html/assets.o: $(wildcard user/html/assets/*)

# --- the JSON schemas: their sources are parts of user/schema/files.c ---
$(BUILD)/user/schema/files.o $(BUILD)/fuzz/user/schema/files.o: user/schema/files.def $(wildcard user/schema/files/*)

# --- the pages that gotap mcp gives to its client ---
$(BUILD)/user/mcp/resources.o $(BUILD)/fuzz/user/mcp/resources.o: $(wildcard docs/*.md)

# --- the manual and the completion: parts of user/cmd/manual are files for shells ---
$(BUILD)/user/cmd/manual/shells.o: $(wildcard user/cmd/manual/shells/*)
# Functions of assembly that are called by their address have no landing pads (BTI): without the mark in this object the
# linker leaves it out of the program.
ifeq ($(ARCH),arm64)
$(BUILD)/user/capture/budget_price.o: ALL_CFLAGS += -mbranch-protection=none
endif
$(BUILD)/user/cmd/manual/roff.o: ALL_CFLAGS += -DGOTAP_RELEASED=\"$(RELEASED)\"

# Manual pages and completions: gotap makes them of its own tables.
$(BUILD)/man/made: $(BUILD)/gotap
	$(call say,MAN,$(@D))
	@rm -rf $(@D) $(BUILD)/completion && mkdir -p $(@D) $(BUILD)/completion
	$(Q)$(RUN)$< manual >$(@D)/gotap.1
	$(Q)for c in $$($(RUN)$< --help | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do $(RUN)$< manual $$c >$(@D)/gotap-$$c.1 || exit; done
	$(Q)$(RUN)$< completion bash >$(BUILD)/completion/gotap
	$(Q)$(RUN)$< completion zsh >$(BUILD)/completion/_gotap
	$(Q)$(RUN)$< completion fish >$(BUILD)/completion/gotap.fish
	@touch $@

man: $(BUILD)/man/made

# The schemas as gotap prints them: whole, with the definitions that their sources share.
$(BUILD)/schemas/made: $(BUILD)/gotap
	$(call say,SCHEMAS,$(@D))
	@rm -rf $(@D) && mkdir -p $(@D)
	$(Q)for s in $$($(RUN)$< schema | cut -d' ' -f1); do $(RUN)$< schema $$s >$(@D)/$$s.json || exit; done
	@touch $@

# --- the few types of a kernel that gotap's programs read, as BTFHub makes them: 2 kB of 5 MB ---
KERNEL_BTF ?= /sys/kernel/btf/vmlinux

.PHONY: min-btf
min-btf: $(BUILD)/gotap.bpf.o $(BUILD)/gotap_oldkernel.bpf.o $(BUILD)/follow.bpf.o
	$(Q)$(BPFTOOL) gen min_core_btf $(KERNEL_BTF) $(BUILD)/min.btf $^
	@printf '%s: %d bytes, of %d of %s\n' $(BUILD)/min.btf $$(stat -c %s $(BUILD)/min.btf) $$(stat -L -c %s $(KERNEL_BTF)) $(KERNEL_BTF)

# --- unit tests: tests/unit/<room>_<what>.c links that room and what it needs ---
# Those of --attach inline run its code for amd64.
UNIT_SRCS := $(filter-out $(if $(SERVE_ROOM),,tests/unit/serve_%.c) $(if $(filter x86,$(ARCH)),,tests/unit/inline_%.c tests/unit/rings_inline.c tests/unit/rings_inline_rings.c),$(wildcard tests/unit/*.c))
UNIT_BINS := $(patsubst tests/unit/%.c,$(BUILD)/unit/%,$(UNIT_SRCS))
room_of_unit = $(firstword $(subst _, ,$(1)))

.SECONDEXPANSION:
$(BUILD)/unit/%: $(BUILD)/tests/unit/%.o $$(foreach r,$$(call room_of_unit,$$*) $$(needs_$$(call room_of_unit,$$*)),$$(call lib_of,$$(r)))
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) $< -Wl,--start-group $(filter %.a,$^) -Wl,--end-group $(LDLIBS) -o $@

# --- tests/inline/*.c, for tests/inject.bats ---
DRIVE_OBJS := $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/inline/*.c))

$(BUILD)/inline/drive: $(DRIVE_OBJS) $(foreach r,inline $(needs_inline),$(call lib_of,$(r)))
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) $(DRIVE_OBJS) -Wl,--start-group $(filter %.a,$^) -Wl,--end-group $(LDLIBS) -o $@

# --- tests/parquet/*.c, for tests/parquet.bats ---
$(BUILD)/parquet/%: $(BUILD)/tests/parquet/%.o $(foreach r,parquet $(needs_parquet),$(call lib_of,$(r)))
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) $< -Wl,--start-group $(filter %.a,$^) -Wl,--end-group $(LDLIBS) -o $@

# --- tests/moment/take.c, for tests/moment.bats ---
$(BUILD)/moment/%: $(BUILD)/tests/moment/%.o $(foreach r,moment $(needs_moment),$(call lib_of,$(r)))
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) $< -Wl,--start-group $(filter %.a,$^) -Wl,--end-group $(LDLIBS) -o $@

# --- tests/stress/rings.c: the order of stores on this hardware ---
$(BUILD)/stress/rings: $(BUILD)/tests/stress/rings.o $(foreach r,rings $(needs_rings),$(call lib_of,$(r)))
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) $< -Wl,--start-group $(filter %.a,$^) -Wl,--end-group $(LDLIBS) -o $@

# ARGS="--seconds 600"
stress: $(BUILD)/stress/rings
	@$< $(ARGS)

unit: $(UNIT_BINS) $(if $(filter x86,$(ARCH)),$(BUILD)/inline/drive) $(BUILD)/parquet/rows $(BUILD)/moment/take

# --- fuzzers: tests/fuzz/fuzz_*.c with all rooms that need neither root nor kernel, under the sanitizers ---
# LLVM's linker, where it is there, links a fuzzer in 0.25 s of CPU time instead of 0.9.
FUZZ_LD    := $(if $(shell command -v ld.lld),-fuse-ld=lld)
# A fuzzer that runs for a second takes less time than its compilation: tests set -O0, which is a third of -O1.
FUZZ_OPT   ?= -O1
FUZZ_FLAGS := $(FUZZ_OPT) -gline-tables-only -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined
FUZZ_ROOMS := base schema release proc http metrics stream threads trace flight read symbol v1 v1write rewrite spans oncpu report pprof joins perfetto parquet tables why unit requests otlp calls whatif html top target plan frames sched assemble trigger api mcp
FUZZ_ROOMS += live heap stacks heapgraph $(SERVE_ROOM)
FUZZ_BINS  := $(patsubst tests/fuzz/%.c,$(BUILD)/fuzz/%,$(filter-out $(if $(SERVE_ROOM),,%_serve.c %_ask.c %_http.c),$(wildcard tests/fuzz/fuzz_*.c)))
FUZZ_OBJS  := $(patsubst %.c,$(BUILD)/fuzz/%.o,$(wildcard $(FUZZ_ROOMS:%=user/%/*.c) user/rings/foreign*.c user/capture/texts.c user/inline/vm.c user/inline/remains.c user/target/*/*.c user/cmd/check/json.c user/cmd/next.c $(filter-out %/why.c,$(wildcard user/cmd/why/*.c))))

FUZZ_LIB   := $(BUILD)/fuzz/rooms.a

# Objects that were made with other flags are made anew.
$(BUILD)/fuzz/.flags: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' '$(FUZZ_FLAGS)' | cmp -s - $@ || printf '%s\n' '$(FUZZ_FLAGS)' >$@

$(BUILD)/fuzz/%.o: %.c $(BUILD)/fuzz/.flags
	$(call say,CC,"$< (fuzz)")
	@mkdir -p $(@D)
	$(Q)$(CLANG) $(ALL_CFLAGS) $(FUZZ_FLAGS) -MMD -MP -c $< -o $@

# Of an archive a fuzzer has the objects that it uses: the fuzzing library looks at all counters after each input.
$(FUZZ_LIB): $(FUZZ_OBJS)
	$(call say,AR,$@)
	$(Q)rm -f $@ && ar qcs $@ $^

$(BUILD)/fuzz/fuzz_%: $(BUILD)/fuzz/tests/fuzz/fuzz_%.o $(FUZZ_LIB)
	$(call say,LD,$@)
	$(Q)$(CLANG) $(FUZZ_LD) -fsanitize=fuzzer,address,undefined $(filter %.o,$^) $(FUZZ_LIB) $(LDLIBS) -o $@

# it stands in for what leftover.c calls of rooms that hold threads
$(BUILD)/fuzz/fuzz_leftover: $(BUILD)/fuzz/user/inline/x86/leftover.o

# tests/spool/lossy.c, for tests/spool.bats
LOSSY_SRCS := tests/spool/lossy.c $(wildcard $(patsubst %,user/%/*.c,base release stream trace sched frames)) \
	$(wildcard $(patsubst %,user/%*.c,read/labels read/grpc read/origin read/text_quote read/text_rune v1/format v1/words v1write/writer v1write/steps v1write/sink))

$(BUILD)/fuzz/lossy: $(patsubst %.c,$(BUILD)/fuzz/%.o,$(LOSSY_SRCS))
	$(call say,LD,$@)
	$(Q)$(CLANG) $(FUZZ_LD) -fsanitize=fuzzer-no-link,address,undefined $^ -lpthread -lz -o $@

fuzz-build: $(FUZZ_BINS)

# FUZZ_SECONDS=60 each
fuzz: fuzz-build
	@tests/fuzz/run

# --- what a newcomer runs: each installs what it lacks, then builds ---
# The packages must be there before make expands paths of tools, so these call make again.

# The program that is traced is fetched meanwhile: that needs none of the packages.
demo:
	@tools/demo --program & \
		{ tools/deps demo && $(MAKE) --no-print-directory -j$(shell nproc) all && wait $$!; } || { wait; exit 1; }
	@tools/demo

test:
	@tools/deps test
	@$(MAKE) --no-print-directory -j$(shell nproc) all unit
	@tests/run $(ARGS)

# Go programs for unit tests of symbols are those that an earlier run has built.
CHECK_TESTS := unit smoke records read

check: all unit
	@tools/style-check
	@GOTAP_TEST_BINARIES="$$(cat $(BUILD)/symbol_prog/*/list 2>/dev/null | grep -v stripped | paste -sd ' ')" \
		GOTAP_TEST_FRAMES="$$(cat $(BUILD)/symbol_prog/*/list 2>/dev/null | paste -sd ' ')" \
		tests/run $(CHECK_TESTS)

# the tests with the tag "soak", for longer; it prints the seed
soak:
	@tools/deps test
	@$(MAKE) --no-print-directory -j$(shell nproc) all unit
	@BUILD=$(BUILD) tests/soak/run $(ARGS)

kernels:
	@tools/deps test
	@$(MAKE) --no-print-directory all $(BUILD)/moment/take
	@BUILD=$(BUILD) bats tests/soak/kernels.bats $(wildcard tests/soak/*_arm64*.bats)

# ARGS="--seconds 3600 --jobs 4"; a failure prints the seed that repeats it
hostile:
	@tools/deps test
	@$(MAKE) --no-print-directory all
	@BUILD=$(BUILD) tests/hostile/run $(ARGS)

# ARGS="--seconds 600 --jobs 3"; with SANITIZE=yes BUILD=build/sanitized under the sanitizers
attack:
	@tools/deps test
	@$(MAKE) --no-print-directory all
	@BUILD=$(BUILD) tests/hostile/attack $(ARGS)

bench:
	@tools/deps bench
	@$(MAKE) --no-print-directory all
	@BUILD=$(BUILD) tools/bench $(ARGS)

# Where the manual, the completions and the pages go, below PREFIX.
MAN_DIR  := share/man/man1
BASH_DIR := share/bash-completion/completions
ZSH_DIR  := share/zsh/site-functions
FISH_DIR := share/fish/vendor_completions.d
DOC_DIR  := share/doc/gotap
UNIT_DIR := lib/systemd/system
UNITS    := $(notdir $(wildcard deploy/systemd/*.service))
SCHEMA_DIR := share/gotap/schemas
TOP_PAGES := README.md CHANGELOG.md SECURITY.md CONTRIBUTING.md LICENSE

install: all install-lib install-man install-doc install-schemas install-units
	$(call say,INSTALL,$(DESTDIR)$(PREFIX)/bin/gotap)
	$(Q)install -D -m 755 $(BUILD)/gotap $(DESTDIR)$(PREFIX)/bin/gotap

install-man: man
	$(call say,INSTALL,$(DESTDIR)$(PREFIX)/$(MAN_DIR))
	$(Q)install -D -m 644 -t $(DESTDIR)$(PREFIX)/$(MAN_DIR) $(BUILD)/man/*.1
	$(Q)install -D -m 644 -t $(DESTDIR)$(PREFIX)/$(BASH_DIR) $(BUILD)/completion/gotap
	$(Q)install -D -m 644 -t $(DESTDIR)$(PREFIX)/$(ZSH_DIR) $(BUILD)/completion/_gotap
	$(Q)install -D -m 644 -t $(DESTDIR)$(PREFIX)/$(FISH_DIR) $(BUILD)/completion/gotap.fish

# The pages lie to one another as in the source, so that their links lead somewhere.
install-doc:
	$(call say,INSTALL,$(DESTDIR)$(PREFIX)/$(DOC_DIR))
	$(Q)install -D -m 644 -t $(DESTDIR)$(PREFIX)/$(DOC_DIR) $(TOP_PAGES)
	$(Q)install -D -m 644 -t $(DESTDIR)$(PREFIX)/$(DOC_DIR)/docs $(wildcard docs/*)
	$(Q)for file in $$(find examples deploy/kubernetes deploy/seccomp -type f); do \
		install -D -m $$([ -x $$file ] && echo 755 || echo 644) $$file $(DESTDIR)$(PREFIX)/$(DOC_DIR)/$$file || exit; done

# Not enabled. They name the gotap that is installed with them.
install-units:
	$(call say,INSTALL,$(DESTDIR)$(PREFIX)/$(UNIT_DIR))
	$(Q)install -d -m 755 $(DESTDIR)$(PREFIX)/$(UNIT_DIR)
	$(Q)for u in $(UNITS); do sed -e 's|/usr/bin/gotap|$(PREFIX)/bin/gotap|; s|/usr/share/doc/gotap|$(PREFIX)/$(DOC_DIR)|' deploy/systemd/$$u >$(DESTDIR)$(PREFIX)/$(UNIT_DIR)/$$u && \
		chmod 644 $(DESTDIR)$(PREFIX)/$(UNIT_DIR)/$$u || exit; done

install-schemas: $(BUILD)/schemas/made
	$(call say,INSTALL,$(DESTDIR)$(PREFIX)/$(SCHEMA_DIR))
	$(Q)install -D -m 644 -t $(DESTDIR)$(PREFIX)/$(SCHEMA_DIR) $(BUILD)/schemas/*.json

install-lib: lib
	$(call say,INSTALL,$(DESTDIR)$(LIBDIR)/$(API_SO))
	$(Q)install -D -m 755 $(BUILD)/$(API_SO) $(DESTDIR)$(LIBDIR)/$(API_SO)
	$(Q)ln -sf $(API_SO) $(DESTDIR)$(LIBDIR)/libgotap.so
	$(Q)install -D -m 644 $(BUILD)/libgotap.a $(DESTDIR)$(LIBDIR)/libgotap.a
	$(Q)install -D -m 644 $(BUILD)/gotap.pc $(DESTDIR)$(LIBDIR)/pkgconfig/gotap.pc
	$(Q)install -D -m 644 -t $(DESTDIR)$(PREFIX)/include/gotap include/gotap/*.h

# What install has put there.
uninstall:
	$(call say,UNINSTALL,$(DESTDIR)$(PREFIX))
	$(Q)rm -f $(DESTDIR)$(PREFIX)/bin/gotap $(DESTDIR)$(LIBDIR)/$(API_SO) $(DESTDIR)$(LIBDIR)/libgotap.so \
		$(DESTDIR)$(LIBDIR)/libgotap.a $(DESTDIR)$(LIBDIR)/pkgconfig/gotap.pc \
		$(patsubst include/%,$(DESTDIR)$(PREFIX)/include/%,$(wildcard include/gotap/*.h)) $(UNITS:%=$(DESTDIR)$(PREFIX)/$(UNIT_DIR)/%) \
		$(patsubst %,$(DESTDIR)$(PREFIX)/%,$(MAN_DIR)/gotap.1 $(MAN_DIR)/gotap-*.1 $(BASH_DIR)/gotap $(ZSH_DIR)/_gotap $(FISH_DIR)/gotap.fish)
	$(Q)rm -rf $(DESTDIR)$(PREFIX)/$(DOC_DIR) $(DESTDIR)$(PREFIX)/$(SCHEMA_DIR)
	$(Q)rmdir $(DESTDIR)$(PREFIX)/include/gotap $(DESTDIR)$(PREFIX)/share/gotap 2>/dev/null || true

# --- one file for every Linux: no shared libraries, no debug data; a build of its own ---
STATIC_DIR := $(BUILD)/static

static:
	@tools/deps static$(if $(CROSS), && tools/deps arm64)
	@$(MAKE) --no-print-directory BUILD=$(STATIC_DIR) STATIC=yes all
	$(call say,STRIP,$(STATIC_DIR)/gotap.stripped)
	$(Q)$(CROSS)strip -o $(STATIC_DIR)/gotap.stripped $(STATIC_DIR)/gotap
	@printf '%s: %d bytes, %d without debug data\n' $(STATIC_DIR)/gotap $$(stat -c %s $(STATIC_DIR)/gotap $(STATIC_DIR)/gotap.stripped)

# --- an OCI image (Containerfile, tools/image): folders that are mounted over, the static program, who made it ---
IMAGE_DIR := $(BUILD)/image

image: static
	@rm -rf $(IMAGE_DIR)/root && install -d -m 755 $(addprefix $(IMAGE_DIR)/root/,dev etc proc run sys) && install -d -m 1777 $(IMAGE_DIR)/root/tmp
	@install -D -m 755 $(STATIC_DIR)/gotap.stripped $(IMAGE_DIR)/root/usr/bin/gotap
	@install -D -m 644 -t $(IMAGE_DIR)/root/usr/share/doc/gotap LICENSE LICENSES/*
	@printf 'root:x:0:0::/:\nnobody:x:65534:65534::/:\n' >$(IMAGE_DIR)/root/etc/passwd
	@tools/image $(VERSION) $(RELEASED) $(IMAGE_DIR) $(GOARCH)

# --- a release: the source, the static program, their bill of materials (SPDX), and checksums of all ---
RELEASE_DIR  := $(BUILD)/release
RELEASE_NAME := gotap-$(VERSION)
RELEASE_PROGRAM := $(RELEASE_NAME)-linux-$(GOARCH)

release: static
	@rm -rf $(RELEASE_DIR) && mkdir -p $(RELEASE_DIR)
	@cp $(STATIC_DIR)/gotap.stripped $(RELEASE_DIR)/$(RELEASE_PROGRAM)
	@tools/source-files | tar -c --no-recursion -T - --sort=name --format=gnu --mtime='$(RELEASED) UTC' --owner=0 --group=0 \
		--numeric-owner --mode=u=rwX,go=rX --transform 's|^|$(RELEASE_NAME)/|S' | gzip -9n >$(RELEASE_DIR)/$(RELEASE_NAME).tar.gz
	@cd $(RELEASE_DIR) && $(CURDIR)/tools/sbom $(VERSION) $(RELEASED) $(RELEASE_NAME).tar.gz $(RELEASE_PROGRAM) $(GOARCH) \
		$(if $(CROSS),$(SYSROOT)/.versions) >$(RELEASE_PROGRAM).spdx.json
	@cd $(RELEASE_DIR) && sha256sum $(RELEASE_NAME)* >SHA256SUMS
	@cat $(RELEASE_DIR)/SHA256SUMS

# --- packages: debian/ of a copy of the source, which dpkg-buildpackage builds beside its results ---
DEB_DIR := $(BUILD)/deb
# Settings of this make, which are none of the one in the copy.
DEB_UNSET := $(patsubst %,-u %,BUILD PREFIX LIBDIR DESTDIR SERVE STATIC SANITIZE Q)
# The machine lacks the arm64 packages of Build-Depends: they are in the folder, with the packages of its libraries.
ifdef CROSS
  DEB_CROSS := GOTAP_SYSROOT=$(abspath $(SYSROOT))
  DEB_CROSS_FLAGS := -d -a arm64
endif

deb:
	@tools/deps deb$(if $(CROSS), && tools/deps arm64-deb)
	@rm -rf $(DEB_DIR) && mkdir -p $(DEB_DIR)/gotap-$(VERSION)
	@tools/source-files | tar -cf - --no-recursion -T - | tar -xf - -C $(DEB_DIR)/gotap-$(VERSION)
	$(if $(CROSS),@cp $(SYSROOT)/.shlibs $(DEB_DIR)/gotap-$(VERSION)/debian/shlibs.local)
	@cd $(DEB_DIR)/gotap-$(VERSION) && env -u MAKEFLAGS -u MFLAGS $(DEB_UNSET) $(DEB_CROSS) dpkg-buildpackage -b -us -uc -j$(shell nproc) $(DEB_CROSS_FLAGS) >../build.log 2>&1 || { tail -n 30 ../build.log; exit 1; }
	@rm -rf $(DEB_DIR)/gotap-$(VERSION)
	@ls -l $(DEB_DIR)/*.deb

clean:
	$(call say,CLEAN,$(BUILD))
	$(Q)rm -rf $(BUILD)/user $(BUILD)/lib $(BUILD)/bpf $(BUILD)/bpf_oldkernel $(BUILD)/bpf_inline $(BUILD)/follow* $(BUILD)/inline* \
		$(BUILD)/unit $(BUILD)/tests $(BUILD)/fuzz $(BUILD)/pic $(BUILD)/man $(BUILD)/schemas $(BUILD)/completion $(BUILD)/deb $(BUILD)/static $(BUILD)/release $(BUILD)/image $(BUILD)/libgotap* $(BUILD)/gotap*

-include $(shell find $(BUILD) \( -path '$(BUILD)/go' -o -path '$(BUILD)/deb' -o -path '$(BUILD)/roots' -o -path '$(BUILD)/static' -o -path '$(BUILD)/image' -o -path '$(BUILD)/arm64*' -o -path '$(BUILD)/sysroot-arm64' \) -prune -o -name '*.d' -type f -print 2>/dev/null)
