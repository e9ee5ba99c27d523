# dbfs: degree-separated breadth-first search. `make help` lists the targets.

prefix  ?= /usr/local
PREFIX  ?= $(prefix)
DESTDIR ?=
BUILD   ?= build
ARCHIVE ?= 1
CFLAGS  ?= -O3 -g

# MPICH where it is installed beside another MPI; any mpicc and mpiexec otherwise
MPICC   ?= $(shell command -v mpicc.mpich || command -v mpicc || command -v mpicc.openmpi || echo mpicc)
MPIEXEC ?= $(shell command -v mpiexec.mpich || command -v mpiexec || command -v mpiexec.openmpi || echo mpiexec)

-include config.mk

# The CUDA backend is built if nvcc is found; `make CUDA=0` leaves it out. It has code for the H200, and PTX from which
# the driver makes code for others.
NVCC      ?= $(shell command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null)
CUDA      ?= $(if $(NVCC),1,0)
CUDA_ARCH ?= -gencode arch=compute_90,code=sm_90 -gencode arch=compute_75,code=compute_75

# the MPI wrapper compiles with the same compiler as the rest, so that there is one OpenMP
mpicc = MPICH_CC='$(CC)' OMPI_CC='$(CC)' $(MPICC)

WARNINGS = -Wall -Wextra -Wshadow -Wstrict-prototypes -Wvla -Wpointer-arith -Wwrite-strings
ALL_CFLAGS = -std=c11 -D_GNU_SOURCE $(WARNINGS) -fopenmp -I. $(CFLAGS)
LDLIBS = -lz -lm

TOOLS    = rmatgen edgeconv degsplit dbfs-pack dbfs-check
MPI_TOOLS = degsplit dbfs-pack dbfs-check
PROGRAMS = $(TOOLS) dbfs-traverse dbfs-traverse-2d dbfs-graph500 dbfs-paths dbfs-batch
SCRIPTS  = dbfs dbfs-report dbfs-model

# edgeconv reads archives through libarchive; ARCHIVE=0 builds without it
archive_without_1 = tools/convert/input/archive_none.c
archive_without_0 = tools/convert/input/archive_in.c
archive_libs_1    = -larchive

ifeq ($(CUDA),1)
cuda_home  = $(abspath $(dir $(realpath $(NVCC)))/..)
cuda_flags = -DDBFS_CUDA -I$(cuda_home)/include
cuda_libs  = -L$(cuda_home)/lib64 -lcudart_static -ldl -lrt -lpthread -lstdc++
cuda_c     =
cuda_cu    = $(wildcard traverse/cuda/*.cu traverse/cuda/*/*.cu)
proof_cu   = $(wildcard traverse/programs/graph500/cuda/*.cu)
batch_cu   = $(wildcard traverse/programs/batch/cuda/*.cu)
paths_cu   = $(wildcard traverse/programs/paths/cuda/*.cu)
else
cuda_c     = $(filter-out traverse/cuda/device/cuda_plan.c,$(wildcard traverse/cuda/*.c traverse/cuda/*/*.c))
endif

# A main file is named after its program; every other file of a folder goes into its archive.
mpi_src      = $(wildcard formats/mpi/*.c)
formats_src  = $(filter-out $(mpi_src),$(wildcard formats/*.c formats/*/*.c))
tools_src    = $(filter-out $(TOOLS:%=tools/%.c) $(archive_without_$(ARCHIVE)), \
                 $(wildcard tools/*.c tools/*/*.c tools/*/*/*.c))
graph500_src = $(wildcard traverse/programs/graph500/*.c) $(if $(filter 1,$(CUDA)),$(wildcard traverse/programs/graph500/cuda/*.c))
grid_src     = $(wildcard traverse/programs/grid/*.c)
joined_src   = $(wildcard traverse/programs/joined/*.c) $(if $(filter 1,$(CUDA)),$(wildcard traverse/programs/joined/cuda/*.c))
paths_src    = $(wildcard traverse/programs/paths/*.c) $(if $(filter 1,$(CUDA)),$(wildcard traverse/programs/paths/cuda/*.c))
batch_src    = $(wildcard traverse/programs/batch/*.c) $(if $(filter 1,$(CUDA)),$(wildcard traverse/programs/batch/cuda/*.c))
traverse_src = $(filter-out $(cuda_c) $(graph500_src) $(grid_src) $(joined_src) $(paths_src) $(batch_src),\
                 $(wildcard traverse/*.c traverse/*/*.c traverse/cuda/*/*.c traverse/exchange/*/*.c))
unit_src     = $(wildcard tests/unit/*.c)
gpu_test_src = $(filter-out tests/gpu/staging_mpi.c tests/gpu/fail_cuda.c,$(wildcard tests/gpu/*.c))
plain_tests  = oracle treecheck mkgraph

CC_LINK = $(CC)

obj = $(patsubst %.c,$(BUILD)/%.o,$(1))
libformats = $(BUILD)/libformats.a
libmpi     = $(BUILD)/libdbfsmpi.a
libtools   = $(BUILD)/libtools.a

man_pages = $(patsubst %,$(BUILD)/%,$(wildcard man/*.[157]))

all: $(PROGRAMS:%=$(BUILD)/bin/%) $(SCRIPTS:%=$(BUILD)/bin/%) $(man_pages)

# ---- objects and archives ----

# Before anything is compiled, deps.sh looks whether that can be: once, and again if one of these differs from last time.
deps_env = CC='$(CC)' MPICC='$(MPICC)' MPIEXEC='$(MPIEXEC)' CPPFLAGS='$(CPPFLAGS)' CFLAGS='$(CFLAGS)' ARCHIVE='$(ARCHIVE)' \
           CUDA='$(CUDA)' NVCC='$(NVCC)'
can_build = $(BUILD)/can_build
$(can_build): always
	@mkdir -p $(@D)
	@$(deps_env) scripts/deps.sh build $@

$(BUILD)/%.o: %.c | $(can_build)
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(CPPFLAGS) -MMD -MP -c -o $@ $<

# files that see MPI
$(call obj,$(mpi_src)): $(BUILD)/%.o: %.c | $(can_build)
	@mkdir -p $(@D)
	$(mpicc) $(ALL_CFLAGS) $(CPPFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/traverse/%.o: traverse/%.c | $(can_build)
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(cuda_flags) $(CPPFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/%.cu.o: %.cu | $(can_build)
	@mkdir -p $(@D)
	$(NVCC) -O3 -std=c++17 --extended-lambda -I. $(CUDA_ARCH) -Xcompiler -Wall,-Wextra -MMD -MP -c -o $@ $<

$(libformats): $(call obj,$(formats_src))
$(libmpi): $(call obj,$(mpi_src))
$(libformats) $(libmpi):
	@rm -f $@
	$(AR) rcs $@ $^

# changes if ARCHIVE differs from last time
archive_used = $(BUILD)/archive.used
$(archive_used): always
	@mkdir -p $(@D)
	@echo '$(ARCHIVE)' | cmp -s - $@ || echo '$(ARCHIVE)' >$@
always:

$(libtools): $(call obj,$(tools_src)) $(archive_used)
	@rm -f $@
	$(AR) rcs $@ $(filter %.o,$^)

# changes if the revision differs from last time
revision = $(shell git describe --always --dirty --tags 2>/dev/null)
revision_used = $(BUILD)/revision.used
$(revision_used): always
	@mkdir -p $(@D)
	@echo '$(revision)' | cmp -s - $@ || echo '$(revision)' >$@
$(BUILD)/traverse/session/report.o: CPPFLAGS += -DDBFS_REVISION='"$(revision)"'
$(BUILD)/traverse/session/report.o: $(revision_used)

# ---- programs ----

cuda_obj  = $(cuda_cu:%=$(BUILD)/%.o)
proof_obj = $(proof_cu:%=$(BUILD)/%.o)
batch_obj = $(batch_cu:%=$(BUILD)/%.o)
paths_obj = $(paths_cu:%=$(BUILD)/%.o)

# Programs of traverse/ share all objects of dbfs-traverse but its main file. -ldl: the program asks at run time what its
# MPI library can do.
shared_src = $(filter-out traverse/main.c,$(traverse_src))
$(BUILD)/bin/dbfs-traverse: $(call obj,$(traverse_src))
$(BUILD)/bin/dbfs-traverse-2d: $(call obj,$(grid_src) $(shared_src))
$(BUILD)/bin/dbfs-graph500: $(call obj,$(graph500_src) $(shared_src)) $(proof_obj)
$(BUILD)/bin/dbfs-paths: $(call obj,$(joined_src) $(paths_src) $(shared_src)) $(paths_obj)
$(BUILD)/bin/dbfs-batch: $(call obj,$(joined_src) $(batch_src) $(shared_src)) $(batch_obj)
# the validator of the benchmark, on answers with planted faults; kernels beside their twins on the CPU
$(BUILD)/tests/plant_faults.o: CPPFLAGS += $(cuda_flags)
$(BUILD)/tests/plant_faults: $(BUILD)/tests/plant_faults.o
$(BUILD)/tests/gpu_kernels: $(call obj,$(gpu_test_src))
$(BUILD)/tests/plant_faults $(BUILD)/tests/gpu_kernels: \
    $(call obj,$(filter-out %_main.c,$(graph500_src)) $(shared_src)) $(proof_obj)
searching = $(filter-out $(TOOLS),$(PROGRAMS))
$(searching:%=$(BUILD)/bin/%) $(BUILD)/tests/plant_faults $(BUILD)/tests/gpu_kernels: $(cuda_obj) $(libmpi) $(libformats)
	@mkdir -p $(@D)
	$(mpicc) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(libmpi) $(libformats) $(LDLIBS) -ldl $(cuda_libs)

$(BUILD)/bin/edgeconv: LDLIBS += $(archive_libs_$(ARCHIVE))
# the tools that run under mpiexec too
$(MPI_TOOLS:%=$(BUILD)/bin/%): CC_LINK = $(mpicc)
$(MPI_TOOLS:%=$(BUILD)/bin/%): $(libmpi)
$(TOOLS:%=$(BUILD)/bin/%): $(BUILD)/bin/%: $(BUILD)/tools/%.o $(libtools) $(libformats)
	@mkdir -p $(@D)
	$(CC_LINK) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $< $(libtools) $(filter $(libmpi),$^) $(libformats) $(LDLIBS)

# scripts in sh contain the files that they share; the version is that of all programs
spliced = $(wildcard tools/report/*.sh tools/model/*) formats/rates.def
$(BUILD)/bin/dbfs-report $(BUILD)/bin/dbfs-model: $(BUILD)/bin/%: tools/%.sh $(spliced) formats/base/cli.h
	@mkdir -p $(@D)
	awk -v version='$(version)' -f scripts/include.awk $< >$@.part
	@chmod 755 $@.part && mv $@.part $@

$(BUILD)/bin/dbfs: scripts/dbfs.sh
	@mkdir -p $(@D)
	install -m 755 $< $@

# ---- man pages ----

# text that several pages share is in man/common.mdoc
$(BUILD)/man/%: man/% man/common.mdoc man/splice.awk
	@mkdir -p $(@D)
	awk -f man/splice.awk man/common.mdoc $< >$@.part
	@mv $@.part $@

# ---- tests ----

unit_bin  = $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(unit_src))
plain_bin = $(plain_tests:%=$(BUILD)/tests/%)

$(BUILD)/tests/test_host_threads: $(BUILD)/traverse/engine/host_threads.o
$(BUILD)/tests/test_thread_pool $(BUILD)/tests/test_thread_pool_wakes: $(BUILD)/traverse/cpu/thread_pool.o
$(BUILD)/tests/test_numa_nodes: $(BUILD)/traverse/session/numa_nodes.o
$(BUILD)/tests/test_host_threads $(BUILD)/tests/test_thread_pool $(BUILD)/tests/test_thread_pool_wakes: LDLIBS := $(libformats) $(LDLIBS)
$(BUILD)/tests/test_probe $(BUILD)/tests/test_columns: $(BUILD)/traverse/cpu/cpu_probe.o $(BUILD)/traverse/cpu/cpu_columns.o
$(BUILD)/tests/test_counts: $(BUILD)/traverse/cpu/cpu_frontier.o $(BUILD)/traverse/cpu/thread_pool.o
$(BUILD)/tests/test_counts $(BUILD)/tests/test_probe: LDLIBS := $(libformats) $(LDLIBS)
$(BUILD)/tests/test_read_ahead $(BUILD)/tests/test_ids: LDLIBS += $(archive_libs_$(ARCHIVE))
$(BUILD)/tests/test_choose: $(BUILD)/traverse/engine/choose.o
$(BUILD)/tests/test_fused_cost: $(BUILD)/traverse/engine/choose.o
$(BUILD)/tests/test_energy: $(BUILD)/traverse/programs/graph500/energy.o
# These stand in for functions of the C library, which MPI's libraries call, too.
unit_link = $(mpicc)
$(BUILD)/tests/test_thread_pool_wakes $(BUILD)/tests/test_patience: unit_link = $(CC)
$(BUILD)/tests/test_numa_nodes $(BUILD)/tests/test_energy: unit_link = $(CC)
$(unit_bin): $(BUILD)/tests/%: $(BUILD)/tests/unit/%.o $(libtools) $(libmpi) $(libformats)
	@mkdir -p $(@D)
	$(unit_link) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

# prints the rows to which scripts/fit-rates fits rates of TH
$(BUILD)/tests/th_steps: $(BUILD)/tests/th_steps.o $(libtools) $(libmpi) $(libformats)
	@mkdir -p $(@D)
	$(mpicc) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

# The oracle and its companions share no code with the product: not even its archives.
$(plain_bin): $(BUILD)/tests/%: tests/%.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $<

gpu_test_bin = $(if $(filter 1,$(CUDA)),$(addprefix $(BUILD)/tests/,gpu_kernels fail_cuda staging_mpi.so))

$(BUILD)/tests/gpu/%.o: tests/gpu/%.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(cuda_flags) $(CPPFLAGS) -MMD -MP -c -o $@ $<

# dbfs-traverse with calls of the CUDA runtime that fail: they go to the stand-ins in the first object
stand_ins = $$(nm $< | sed -n 's/.* T __wrap_/-Wl,--wrap=/p')
$(BUILD)/tests/fail_cuda: $(call obj,tests/gpu/fail_cuda.c $(traverse_src)) $(cuda_obj) $(libmpi) $(libformats)
	@mkdir -p $(@D)
	$(mpicc) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(stand_ins) $(LDLIBS) -ldl $(cuda_libs)

# preloaded before the MPI library; a program's own CUDA runtime must not see this one's
$(BUILD)/tests/staging_mpi.so: tests/gpu/staging_mpi.c
	@mkdir -p $(@D)
	$(mpicc) $(ALL_CFLAGS) $(cuda_flags) $(CPPFLAGS) -fPIC -shared -Wl,--exclude-libs,ALL $(LDFLAGS) \
	    -o $@ $< $(cuda_libs)

# for scripts that run tests by themselves
test-env:
	@echo "export $(test_env)"

# preloaded into a program: makes an allocation fail
fail_alloc = $(BUILD)/tests/fail_alloc.so
$(fail_alloc): tests/fail_alloc.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -fno-builtin $(CPPFLAGS) -fPIC -shared $(LDFLAGS) -o $@ $< -ldl

# preloaded before the MPI library: notes what a rank sends
count_mpi = $(BUILD)/tests/count_mpi.so
$(count_mpi): tests/count_mpi.c
	@mkdir -p $(@D)
	$(mpicc) $(ALL_CFLAGS) $(CPPFLAGS) -fPIC -shared $(LDFLAGS) -o $@ $<

# preloaded before the MPI library: ranks that wait give their core to others. AddressSanitizer must be the first.
yield_mpi = $(if $(findstring -fsanitize=address,$(CFLAGS)),,$(BUILD)/tests/yield_mpi.so)
$(BUILD)/tests/yield_mpi.so: tests/yield_mpi.c
	@mkdir -p $(@D)
	$(CC) $(filter-out -fsanitize%,$(ALL_CFLAGS)) $(CPPFLAGS) -fPIC -shared $(LDFLAGS) -o $@ $< -ldl

# preloaded: another machine
pretend = $(BUILD)/tests/pretend.so
$(pretend): tests/pretend.c
	@mkdir -p $(@D)
	$(CC) $(filter-out -fsanitize%,$(ALL_CFLAGS)) $(CPPFLAGS) -fPIC -shared $(LDFLAGS) -o $@ $< -ldl

# taken for NVML's own library, whose soname it has, where it is preloaded
fake_nvml = $(BUILD)/tests/nvml/libnvidia-ml.so.1
$(fake_nvml): tests/fake_nvml.c
	@mkdir -p $(@D)
	$(CC) $(filter-out -fsanitize%,$(ALL_CFLAGS)) $(CPPFLAGS) -fPIC -shared -Wl,-soname,$(@F) $(LDFLAGS) -o $@ $<

# changes files and mends their CRCs; shares no code with the product
$(BUILD)/tests/mutate: $(call obj,tests/fuzz/mutate.c tests/fuzz/change.c tests/fuzz/mend.c)
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ -lz

# fuzz targets with a driver of their own; `make fuzz` builds them with sanitizers, and with libFuzzer
fuzz_names  = $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
fuzz_bin    = $(fuzz_names:%=$(BUILD)/tests/fuzz_%)
fuzz_driver = $(BUILD)/tests/fuzz/driver.o
$(fuzz_bin): LDLIBS += $(archive_libs_$(ARCHIVE))
$(fuzz_bin): $(BUILD)/tests/fuzz_%: $(BUILD)/tests/fuzz/fuzz_%.o $(fuzz_driver) \
             $(call obj,tests/fuzz/files.c tests/fuzz/change.c tests/fuzz/mend.c) \
             $(libtools) $(libmpi) $(libformats)
	@mkdir -p $(@D)
	$(mpicc) $(ALL_CFLAGS) $(LDFLAGS) $(fuzz_link) -o $@ $^ $(LDLIBS)

$(BUILD)/tests/packed_seeds: $(BUILD)/tests/fuzz/packed_seeds.o $(libformats)
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

fuzz-bin: $(fuzz_bin) $(BUILD)/tests/packed_seeds

include tests/emulator/emulator.mk

tests-bin: $(unit_bin) $(plain_bin) $(gpu_test_bin) $(fail_alloc) $(count_mpi) $(yield_mpi) $(pretend) \
           $(fake_nvml) $(BUILD)/tests/plant_faults $(BUILD)/tests/th_steps \
           $(BUILD)/tests/mutate fuzz-bin $(emulated_if_possible)

# the programs that scripts/check-gpu.sh runs
tests-gpu: $(gpu_test_bin) $(plain_bin) $(count_mpi) $(pretend) $(fake_nvml) $(BUILD)/tests/plant_faults $(BUILD)/tests/mutate

test_env = BUILD='$(BUILD)' MPIEXEC='$(MPIEXEC)' CC='$(CC)' MPICC='$(MPICC)' ARCHIVE='$(ARCHIVE)' \
           CFLAGS='$(CFLAGS)' CUDA='$(CUDA)' NVCC='$(NVCC)'

deps:
	@$(deps_env) scripts/deps.sh

# with all cores, unless make was told how many
all_jobs = $(if $(findstring -j,$(MAKEFLAGS)),,-j$(shell nproc))

check: deps
	@$(MAKE) --no-print-directory $(all_jobs) all tests-bin
	@$(test_env) tests/run.sh short

# from a built tree in a minute or two
quick: deps
	@$(MAKE) --no-print-directory $(all_jobs) all tests-bin
	@$(test_env) tests/run.sh quick

check-long: deps
	@$(MAKE) --no-print-directory $(all_jobs) all tests-bin
	@$(test_env) tests/run.sh long

# every fuzz target for FUZZ_SECONDS of CPU time, under AddressSanitizer and UBSan
FUZZ_SECONDS ?= 180
fuzz: deps
	@$(MAKE) --no-print-directory all tests-bin
	@$(test_env) FUZZ_SECONDS='$(FUZZ_SECONDS)' tests/fuzz/fuzz.sh

asan_flags  = -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
ubsan_flags = -O1 -g -fsanitize=undefined -fno-sanitize-recover=undefined
tsan_flags  = -O1 -g -fsanitize=thread

# the tests under AddressSanitizer and UBSan, and under UBSan alone, which is faster
asan ubsan: deps
	@$(MAKE) --no-print-directory BUILD='$(BUILD)/$@' CFLAGS='$($@_flags)' all tests-bin
	@$(test_env) BUILD='$(BUILD)/$@' CFLAGS='$($@_flags)' tests/run.sh short

# Programs with several threads under ThreadSanitizer. Through the library archer it knows the barriers of clang's OpenMP,
# and not those of gcc's; MPI is left out.
ARCHER ?= $(firstword $(wildcard /usr/lib/llvm-*/lib/libarcher.so))
tsan: deps
	@test -n '$(ARCHER)' || { echo 'tsan: needs clang with libarcher (libomp-dev), or ARCHER=FILE'; exit 2; }
	@$(MAKE) --no-print-directory CC=clang CUDA=0 BUILD=$(BUILD)/tsan CFLAGS='$(tsan_flags)' all tests-bin
	@$(test_env) BUILD='$(BUILD)/tsan' ARCHER='$(ARCHER)' tests/tsan.sh

# `make check` with each compiler and each MPI that is here
matrix: deps
	@failed=0; for cc in gcc clang; do for mpi in mpich openmpi; do \
	    if command -v $$cc >/dev/null && command -v mpicc.$$mpi >/dev/null; then \
	        $(MAKE) --no-print-directory CC=$$cc MPICC=mpicc.$$mpi MPIEXEC=mpiexec.$$mpi \
	            BUILD='$(BUILD)/'$$cc-$$mpi check || failed=1; \
	    else echo "skip - $$cc with $$mpi: not installed"; fi; done; done; exit $$failed

# compiler commands are not shown
demo: deps
	@echo 'building with $(if $(all_jobs),$(shell nproc) cores,the cores that -j names)'
	@$(MAKE) --no-print-directory -s $(all_jobs) all
	@$(test_env) scripts/demo.sh

# every figure and table of the papers, small, and a page of them: scripts/experiments/lib.sh has the variables
experiments: all
	@BUILD='$(BUILD)' MPIEXEC='$(MPIEXEC)' scripts/experiments/run.sh

# ---- installation ----

bindir  = $(DESTDIR)$(PREFIX)/bin
mandir  = $(DESTDIR)$(PREFIX)/share/man
sharedir = $(DESTDIR)$(PREFIX)/share
bash_completions = $(sharedir)/bash-completion/completions
completed = $(PROGRAMS) $(SCRIPTS) dbfs-dataset

# a folder for each section of the manual
install_pages = install -d $(mandir)/man$(1) && install -m 644 $(filter %.$(1),$(man_pages)) $(mandir)/man$(1)

install: all
	install -d $(bindir) $(sharedir)/dbfs/datasets $(sharedir)/dbfs/python $(sharedir)/doc/dbfs/examples $(bash_completions) \
	    $(sharedir)/zsh/site-functions
	install -m 755 $(PROGRAMS:%=$(BUILD)/bin/%) $(SCRIPTS:%=$(BUILD)/bin/%) $(bindir)
	install -m 755 scripts/dataset.sh $(bindir)/dbfs-dataset
	$(call install_pages,1)
	$(call install_pages,5)
	$(call install_pages,7)
	install -m 644 datasets/MANIFEST.tsv datasets/*.txt datasets/LICENSE.* $(sharedir)/dbfs/datasets
	install -m 644 scripts/dbfs.py $(sharedir)/dbfs/python
	install -m 644 README.md CHANGELOG.md LICENSE $(sharedir)/doc/dbfs
	install -m 644 scripts/read_dbfs.py formats/SPEC-*.md $(sharedir)/doc/dbfs/examples
	install -m 755 scripts/demo.sh scripts/slurm-pack.sh scripts/slurm-search.sh $(sharedir)/doc/dbfs/examples
	install -m 644 scripts/completion/_dbfs $(sharedir)/zsh/site-functions
	install -m 644 scripts/completion/dbfs.bash $(bash_completions)/dbfs
	for program in $(filter-out dbfs,$(completed)); do ln -sf dbfs $(bash_completions)/$$program; done

uninstall:
	rm -f $(completed:%=$(bindir)/%) $(completed:%=$(bash_completions)/%) \
	    $(foreach s,1 5 7,$(patsubst $(BUILD)/man/%,$(mandir)/man$(s)/%,$(filter %.$(s),$(man_pages)))) \
	    $(sharedir)/zsh/site-functions/_dbfs
	rm -rf $(sharedir)/dbfs $(sharedir)/doc/dbfs

# ---- packages ----

version = $(shell sed -n 's/^\#define DBFS_VERSION "\(.*\)"/\1/p' formats/base/cli.h)
deb_env = BUILD='$(BUILD)' CUDA='$(CUDA)' ARCHIVE='$(ARCHIVE)' MAKE='$(MAKE)'

deb: all
	@$(deb_env) scripts/deb.sh

deb-check: deb
	@scripts/deb-check.sh "$$(ls -t $(BUILD)/dbfs*_$(version)_*.deb | head -n 1)"

# the files that git knows, as they are in the working tree
dist:
	@mkdir -p $(BUILD)
	git ls-files -z | tar --null -T - --sort=name --owner=0 --group=0 --numeric-owner --mode=go=rX,u+rw \
	    --transform 's,^,dbfs-$(version)/,' -czf $(BUILD)/dbfs-$(version).tar.gz
	@echo $(BUILD)/dbfs-$(version).tar.gz

clean:
	rm -rf $(BUILD)

help:
	@echo 'make             build the programs into $(BUILD)/bin, man pages into $(BUILD)/man'
	@echo 'make demo        install what is missing, build, run the pipeline on real graphs'
	@echo 'make check       install what is missing, build, test (under 10 minutes on 2 cores)'
	@echo 'make quick       one test of everything, in under 2 minutes from a built tree'
	@echo 'make check-long  the tests that take longer'
	@echo 'make tests-gpu   the tests for hosts with GPUs, see scripts/check-gpu.sh (CUDA=1)'
	@echo 'make emulated    the CUDA backend for an emulated GPU, into $(BUILD)/emulated: see tests/emulator'
	@echo 'make asan        the tests under AddressSanitizer and UBSan'
	@echo 'make tsan        programs of several threads under ThreadSanitizer (clang with libarcher)'
	@echo 'make ubsan       the tests under UBSan alone; make matrix: with each compiler and each MPI'
	@echo 'make fuzz        every fuzz target for FUZZ_SECONDS (180) of CPU time; clang: libFuzzer'
	@echo 'make experiments every figure and table of the papers, small, into $(BUILD)/experiments/index.html'
	@echo 'make install     programs, man pages, completions into DESTDIR/PREFIX; uninstall removes them'
	@echo 'make deb         a Debian package, with CUDA or without; make deb-check tries it in a clean chroot'
	@echo 'make dist        an archive of the sources'
	@echo 'variables        CC MPICC MPIEXEC NVCC CUDA=0|1 CUDA_ARCH CFLAGS LDFLAGS PREFIX (or prefix) DESTDIR BUILD'
	@echo '                 (on the command line or in config.mk)'
	@echo '                 ARCHIVE=0 builds edgeconv without libarchive'

.PHONY: all always tests-bin tests-gpu test-env fuzz-bin fuzz ubsan tsan matrix deps check quick check-long asan \
        demo experiments install uninstall deb deb-check dist clean help
.SECONDARY:

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
