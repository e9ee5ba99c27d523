# dbfs: degree-separated breadth-first search. `make help` lists the targets.
#
# This file builds programs and man pages. tests/tests.mk builds and runs tests, scripts/install.mk installs, and
# scripts/package.mk makes packages.

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

# The CUDA backend is built if nvcc is found; `make CUDA=0` leaves it out. It has code for the H200 and H100, and PTX from which
# the driver makes code for others.
NVCC      ?= $(shell command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null)
CUDA      ?= $(if $(NVCC),1,0)
NVCC      := $(NVCC)
# looked up once
CUDA      := $(CUDA)
CUDA_ARCH ?= -gencode arch=compute_90,code=[sm_90,compute_90] -gencode arch=compute_75,code=compute_75
NVCCFLAGS ?= -O3

# the MPI wrapper compiles with the same compiler as the rest, so that there is one OpenMP
mpicc = MPICH_CC='$(CC)' OMPI_CC='$(CC)' $(MPICC)

WARNINGS = -Wall -Wextra -Werror=implicit-function-declaration -Wshadow -Wstrict-prototypes -Wvla -Wpointer-arith -Wwrite-strings
ALL_CFLAGS = -std=c11 -D_GNU_SOURCE $(WARNINGS) -fopenmp -I. $(CFLAGS)
LDLIBS = -lz -lm

# libgomp becomes a part of each program where it can, so that it reads its settings after formats/base/cli.c has changed them.
# -lgomp, which the compiler appends, is then not needed.
libgomp     := $(shell $(CC) --version 2>/dev/null | grep -q clang || $(CC) -print-file-name=libgomp.a 2>/dev/null)
as_needed    = -Wl,--as-needed
openmp_libs  = $(if $(findstring /,$(libgomp)),$(libgomp) -ldl $(as_needed))

# edgeconv reads archives through libarchive; ARCHIVE=0 builds without it
archive_libs      = $(if $(filter 0,$(ARCHIVE)),,-larchive)
archive_left_out  = tools/convert/input/$(if $(filter 0,$(ARCHIVE)),archive_in.c,archive_none.c)

# $(call if_cuda,TEXT): the text with CUDA=1, nothing otherwise
if_cuda    = $(if $(filter 1,$(CUDA)),$(1))
cuda_home  = $(abspath $(dir $(realpath $(NVCC)))/..)
cuda_flags = -DDBFS_CUDA -I$(cuda_home)/include
cuda_libs  = $(call if_cuda,-L$(cuda_home)/lib64 -lcudart_static -ldl -lrt -lpthread -lstdc++)

# ---- sources ----

# A program's main file is tools/PROGRAM.c, traverse/main.c or one of a folder of traverse/programs/. All other files of
# formats/ and tools/ go into archives; programs of traverse/ share objects.
MPI_TOOLS = degsplit dbfs-pack dbfs-check dbfs-components
TOOLS     = rmatgen edgeconv $(MPI_TOOLS)
SEARCHING = dbfs-traverse dbfs-traverse-2d dbfs-graph500 dbfs-paths dbfs-batch dbfs-diameter
PROGRAMS  = $(TOOLS) $(SEARCHING)
SCRIPTS   = dbfs dbfs-report dbfs-model

mpi_src      = $(wildcard formats/mpi/*.c)
formats_src  = $(filter-out $(mpi_src),$(wildcard formats/*.c formats/*/*.c))
tools_src    = $(filter-out $(TOOLS:%=tools/%.c) $(archive_left_out),$(wildcard tools/*.c tools/*/*.c tools/*/*/*.c))

# the plan of device memory, and what follows from what a GPU says of itself, need no CUDA
cuda_src     = $(filter-out %/cuda_plan.c %/cuda_traits.c,$(wildcard traverse/cuda/*.c traverse/cuda/*/*.c))
shared_src   = $(filter-out $(cuda_src) traverse/main.c traverse/programs/%,$(wildcard traverse/*/*.c traverse/*/*/*.c)) \
               $(call if_cuda,$(cuda_src) $(wildcard traverse/cuda/*.cu traverse/cuda/*/*.cu))
traverse_src = traverse/main.c $(shared_src)

# $(call program_src,NAME): the files of traverse/programs/NAME
program_src  = $(wildcard traverse/programs/$(1)/*.c) \
               $(call if_cuda,$(wildcard traverse/programs/$(1)/cuda/*.c traverse/programs/$(1)/cuda/*.cu))
graph500_src = $(call program_src,graph500)
grid_src     = $(call program_src,grid)
paths_src    = $(call program_src,joined) $(call program_src,paths)
batch_src    = $(call program_src,joined) $(call program_src,batch)
diameter_src = $(call program_src,diameter) $(filter-out %_main.c,$(wildcard traverse/programs/joined/*.c traverse/programs/batch/*.c))

# C files that include CUDA's headers; files that are compiled with CUDA=0, too, and then without them
knows_cuda   = $(cuda_src) $(wildcard traverse/programs/*/cuda/*.c tests/gpu/*.c)
asks_cuda    = traverse/session/backend_choose.c tests/plant_faults.c

obj        = $(patsubst %.c,$(BUILD)/%.o,$(filter %.c,$(1))) $(patsubst %,$(BUILD)/%.o,$(filter %.cu,$(1)))
libformats = $(BUILD)/libformats.a
libmpi     = $(BUILD)/libdbfsmpi.a
libtools   = $(BUILD)/libtools.a
man_pages  = $(patsubst %,$(BUILD)/%,$(wildcard man/*.[157]))

all: $(PROGRAMS:%=$(BUILD)/bin/%) $(SCRIPTS:%=$(BUILD)/bin/%) $(man_pages)

# ---- settings ----

# What objects and programs are made with stands in files of $(BUILD)/settings. A file is written only if its text is
# another than last time, and what was made with the old text is made again: after CUDA=0, ARCHIVE=0, CC=clang, another
# MPICC or CFLAGS, and after a source is gone.
settings             = checked cc mpicc cuda asked nvcc link formats tools searching revision
settings_checked     = $(deps_env)
settings_cc          = $(CC) $(ALL_CFLAGS) $(CPPFLAGS)
settings_mpicc       = $(mpicc) $(ALL_CFLAGS) $(CPPFLAGS)
settings_cuda        = $(CC) $(ALL_CFLAGS) $(cuda_flags) $(CPPFLAGS)
settings_asked       = $(CC) $(ALL_CFLAGS) $(call if_cuda,$(cuda_flags)) $(CPPFLAGS)
settings_nvcc        = $(NVCC) $(NVCCFLAGS) $(CUDA_ARCH)
settings_link        = $(mpicc) $(ALL_CFLAGS) $(LDFLAGS) $(LDLIBS) $(openmp_libs)
settings_formats     = $(AR) $(formats_src) $(mpi_src)
settings_tools       = $(AR) $(tools_src)
settings_searching   = $(cuda_libs) $(traverse_src) $(graph500_src) $(grid_src) $(paths_src) $(batch_src) $(diameter_src)
settings_revision    = $(shell git describe --always --dirty --tags 2>/dev/null)
set = $(BUILD)/settings

# Before anything is compiled, deps.sh looks whether that can be.
deps_env = CC='$(CC)' MPICC='$(MPICC)' MPIEXEC='$(MPIEXEC)' CPPFLAGS='$(CPPFLAGS)' CFLAGS='$(CFLAGS)' ARCHIVE='$(ARCHIVE)' \
           CUDA='$(CUDA)' NVCC='$(NVCC)'
$(set)/checked: before = $(deps_env) scripts/deps.sh build

always:
quoted = '$(subst ','\'',$(1))'
define setting
text_$(1) := $$(strip $$(settings_$(1)))
$(set)/$(1): $$(shell printf '%s\n' $$(call quoted,$$(text_$(1))) | cmp -s - $(set)/$(1) || echo always)
	@$$(before)
	@mkdir -p $(set)
	@printf '%s\n' $$(call quoted,$$(text_$(1))) >$$@
endef

# ---- objects and archives ----

# $(call compile,COMPILER FLAGS) and $(call link,COMPILER); defines and libs are those of a target
compile = $(1) $(ALL_CFLAGS) $(defines) $(CPPFLAGS) -MMD -MP -c -o $@ $<
link    = $(1) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) \
          $(foreach library,$(libtools) $(libmpi) $(libformats),$(filter $(library),$^)) $(libs) $(LDLIBS) $(openmp_libs)

$(BUILD)/%.o: %.c $(set)/cc | $(set)/checked
	@mkdir -p $(@D)
	$(call compile,$(CC))

$(call obj,$(mpi_src)): $(BUILD)/%.o: %.c $(set)/mpicc | $(set)/checked
	@mkdir -p $(@D)
	$(call compile,$(mpicc))

$(call obj,$(knows_cuda)): $(BUILD)/%.o: %.c $(set)/cuda | $(set)/checked
	@mkdir -p $(@D)
	$(call compile,$(CC) $(cuda_flags))

$(call obj,$(asks_cuda)): $(BUILD)/%.o: %.c $(set)/asked | $(set)/checked
	@mkdir -p $(@D)
	$(call compile,$(CC) $(call if_cuda,$(cuda_flags)))

$(BUILD)/%.cu.o: %.cu $(set)/nvcc | $(set)/checked
	@mkdir -p $(@D)
	$(NVCC) $(NVCCFLAGS) -std=c++17 --extended-lambda -I. $(CUDA_ARCH) -Xcompiler -Wall,-Wextra -MMD -MP -c -o $@ $<

$(BUILD)/traverse/session/report.o: defines = -DDBFS_REVISION='"$(text_revision)"'
$(BUILD)/traverse/session/report.o: $(set)/revision

$(libformats): $(call obj,$(formats_src)) $(set)/formats
$(libmpi): $(call obj,$(mpi_src)) $(set)/formats
$(libtools): $(call obj,$(tools_src)) $(set)/tools
$(libformats) $(libmpi) $(libtools):
	@rm -f $@
	$(AR) rcs $@ $(filter %.o,$^)

# ---- programs ----

$(BUILD)/bin/edgeconv: libs = $(archive_libs)
$(TOOLS:%=$(BUILD)/bin/%): linker = $(CC)
$(MPI_TOOLS:%=$(BUILD)/bin/%): linker = $(mpicc)
$(MPI_TOOLS:%=$(BUILD)/bin/%): $(libmpi)
$(TOOLS:%=$(BUILD)/bin/%): $(BUILD)/bin/%: $(BUILD)/tools/%.o $(libtools) $(libformats) $(set)/link
	@mkdir -p $(@D)
	$(call link,$(linker))

$(BUILD)/bin/dbfs-traverse: $(call obj,$(traverse_src))
$(BUILD)/bin/dbfs-traverse-2d: $(call obj,$(grid_src) $(shared_src))
$(BUILD)/bin/dbfs-graph500: $(call obj,$(graph500_src) $(shared_src))
$(BUILD)/bin/dbfs-paths: $(call obj,$(paths_src) $(shared_src))
$(BUILD)/bin/dbfs-batch: $(call obj,$(batch_src) $(shared_src))
$(BUILD)/bin/dbfs-diameter: $(call obj,$(diameter_src) $(shared_src))
# -ldl: a program asks at run time what its MPI library can do
$(SEARCHING:%=$(BUILD)/bin/%): $(libmpi) $(libformats) $(set)/link $(set)/searching
	@mkdir -p $(@D)
	$(call link,$(mpicc)) -ldl $(cuda_libs)

# scripts contain the files that they share; the version is that of all programs
version = $(shell sed -n 's/^\#define DBFS_VERSION "\(.*\)"/\1/p' formats/base/cli.h)
splice  = awk -v version='$(version)' -f scripts/include.awk $< >$@.part && chmod 755 $@.part && mv $@.part $@
spliced = $(wildcard tools/report/*.sh tools/model/*) formats/rates.def
$(BUILD)/bin/dbfs-report $(BUILD)/bin/dbfs-model: $(BUILD)/bin/%: tools/%.sh $(spliced) formats/base/cli.h
	@mkdir -p $(@D)
	$(splice)

$(BUILD)/bin/dbfs: scripts/dbfs.sh tools/report/similar.sh tools/report/outfile.sh
	@mkdir -p $(@D)
	$(splice)

$(BUILD)/scripts/dbfs-dataset: scripts/dataset.sh tools/report/similar.sh
	@mkdir -p $(@D)
	$(splice)

# ---- man pages ----

# text that several pages share is in man/common.mdoc
$(BUILD)/man/%: man/% man/common.mdoc man/splice.awk
	@mkdir -p $(@D)
	awk -f man/splice.awk man/common.mdoc $< >$@.part
	@mv $@.part $@

# ---- tests, installation, packages ----

include tests/tests.mk scripts/install.mk scripts/package.mk

$(foreach name,$(settings),$(eval $(call setting,$(name))))

deps:
	@$(deps_env) scripts/deps.sh

# with all cores, unless make was told how many
all_jobs = $(if $(findstring -j,$(MAKEFLAGS)),,-j$(shell nproc))

# compiler commands are not shown
demo: deps
	@echo 'building with $(if $(all_jobs),$(shell nproc) cores,the cores that -j names)'
	@$(MAKE) --no-print-directory -s $(all_jobs) all
	@$(test_env) scripts/demo.sh

clean:
	rm -rf $(BUILD)

help:
	@echo 'make             build the programs into $(BUILD)/bin, man pages into $(BUILD)/man'
	@echo 'make demo        install what is missing, build, run the pipeline on real graphs'
	@echo 'make check       install what is missing, build, test what the product does'
	@echo 'make check-scripts  the same for benchmarks, experiments, containers, Slurm, builds and packages'
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
	@echo 'variables        CC MPICC MPIEXEC NVCC CUDA=0|1 CUDA_ARCH NVCCFLAGS CFLAGS LDFLAGS PREFIX (or prefix) DESTDIR BUILD'
	@echo '                 (on the command line or in config.mk)'
	@echo '                 ARCHIVE=0 builds edgeconv without libarchive'

.PHONY: all always deps demo clean help
.SECONDARY:

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
