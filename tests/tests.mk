# tests.mk: builds what tests run, and runs tests. The Makefile includes it.

# ---- unit tests ----

unit_bin = $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(wildcard tests/unit/*.c))

# objects of traverse/ that unit tests link
$(BUILD)/tests/test_host_threads: $(BUILD)/traverse/engine/host_threads.o
$(BUILD)/tests/test_thread_pool $(BUILD)/tests/test_thread_pool_wakes: $(BUILD)/traverse/cpu/thread_pool.o
$(BUILD)/tests/test_numa_nodes: $(BUILD)/traverse/session/numa_nodes.o
$(BUILD)/tests/test_probe $(BUILD)/tests/test_columns: $(BUILD)/traverse/cpu/cpu_probe.o $(BUILD)/traverse/cpu/cpu_columns.o
$(BUILD)/tests/test_counts: $(BUILD)/traverse/cpu/cpu_frontier.o $(BUILD)/traverse/cpu/thread_pool.o
$(BUILD)/tests/test_choose $(BUILD)/tests/test_fused_cost: $(BUILD)/traverse/engine/choose.o
$(BUILD)/tests/test_gpu_traits $(BUILD)/tests/test_fused_cost: $(BUILD)/traverse/cuda/device/cuda_traits.o
$(BUILD)/tests/test_backend_table: $(BUILD)/traverse/engine/backend_table.o
$(BUILD)/tests/test_energy: $(BUILD)/traverse/programs/graph500/energy.o
$(BUILD)/tests/test_predict_time: $(BUILD)/traverse/session/predict_time.o

$(BUILD)/tests/test_read_ahead $(BUILD)/tests/test_ids: libs = $(archive_libs)
# These stand in for functions of the C library, which MPI's libraries call, too.
unit_linker = $(mpicc)
$(BUILD)/tests/test_thread_pool_wakes $(BUILD)/tests/test_patience: unit_linker = $(CC)
$(BUILD)/tests/test_numa_nodes $(BUILD)/tests/test_energy: unit_linker = $(CC)
$(BUILD)/tests/test_pipeline: openmp_libs = # it stands in for a function of libgomp
$(unit_bin): $(BUILD)/tests/%: $(BUILD)/tests/unit/%.o $(libtools) $(libmpi) $(libformats) $(set)/link
	@mkdir -p $(@D)
	$(call link,$(unit_linker))

# ---- programs that judge others ----

# They share no code with the product: not even its archives.
plain_bin = $(BUILD)/tests/oracle $(BUILD)/tests/treecheck $(BUILD)/tests/mkgraph $(BUILD)/tests/mkwebgraph
$(plain_bin): $(BUILD)/tests/%: tests/%.c $(set)/cc $(set)/link
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $<

# changes files and mends their CRCs
mutate = $(BUILD)/tests/mutate
$(mutate): $(call obj,tests/fuzz/mutate.c tests/fuzz/change.c tests/fuzz/mend.c) $(set)/link
	@mkdir -p $(@D)
	$(call link,$(CC))

# prints the rows to which scripts/fit-rates fits rates of TH
$(BUILD)/tests/th_steps: $(BUILD)/tests/th_steps.o $(libtools) $(libmpi) $(libformats) $(set)/link
	@mkdir -p $(@D)
	$(call link,$(mpicc))

# ---- tests of kernels; programs in which the GPU fails ----

gpu_test_src = $(filter-out tests/gpu/staging_mpi.c tests/gpu/fail_cuda.c,$(wildcard tests/gpu/*.c))
gpu_test_bin = $(call if_cuda,$(addprefix $(BUILD)/tests/,gpu_kernels fail_cuda staging_mpi.so))

# dbfs-traverse whose sparse levels run in parallel regions of changing numbers of threads
$(BUILD)/tests/scramble_regions: $(call obj,tests/scramble_regions.c $(traverse_src)) $(libmpi) $(libformats) $(set)/link $(set)/searching
	@mkdir -p $(@D)
	$(call link,$(mpicc)) -Wl,--wrap=choose_level,--wrap=choose_local_levels -ldl $(cuda_libs)

# the validator of the benchmark, on answers with planted faults; kernels beside their twins on the CPU; dbfs-traverse
# with calls of the CUDA runtime that fail, as they go to the stand-ins in fail_cuda.o
proof_src = $(filter-out %_main.c,$(graph500_src)) $(shared_src)
stand_ins = $$(nm $(filter %/fail_cuda.o,$^) | sed -n 's/.* T __wrap_/-Wl,--wrap=/p')
$(BUILD)/tests/plant_faults: $(call obj,tests/plant_faults.c $(proof_src))
$(BUILD)/tests/gpu_kernels: $(call obj,$(gpu_test_src) $(proof_src))
$(BUILD)/tests/fail_cuda: $(call obj,tests/gpu/fail_cuda.c $(traverse_src))
$(BUILD)/tests/fail_cuda: libs = $(stand_ins)
$(addprefix $(BUILD)/tests/,plant_faults gpu_kernels fail_cuda): $(libmpi) $(libformats) $(set)/link $(set)/searching
	@mkdir -p $(@D)
	$(call link,$(mpicc)) -ldl $(cuda_libs)

# ---- libraries that are preloaded ----

# $(call preload,COMPILER); a sanitizer would have to be the first library
unsanitized = $(filter-out -fsanitize%,$(ALL_CFLAGS))
preload     = $(1) $(unsanitized) $(CPPFLAGS) -fPIC -shared $(LDFLAGS) -o $@ $< -ldl

# makes an allocation fail
fail_alloc = $(BUILD)/tests/fail_alloc.so
$(fail_alloc): unsanitized = $(ALL_CFLAGS)
$(fail_alloc): tests/fail_alloc.c $(set)/cc $(set)/link
	@mkdir -p $(@D)
	$(call preload,$(CC)) -fno-builtin

# before the MPI library: notes what a rank sends
count_mpi = $(BUILD)/tests/count_mpi.so
$(count_mpi): unsanitized = $(ALL_CFLAGS)
$(count_mpi): tests/count_mpi.c $(set)/mpicc $(set)/link
	@mkdir -p $(@D)
	$(call preload,$(mpicc))

# before the MPI library: ranks that wait give their core to others; AddressSanitizer must be the first
yield_mpi = $(if $(findstring -fsanitize=address,$(CFLAGS)),,$(BUILD)/tests/yield_mpi.so)
$(BUILD)/tests/yield_mpi.so: tests/yield_mpi.c $(set)/cc $(set)/link
	@mkdir -p $(@D)
	$(call preload,$(CC))

# another machine
pretend = $(BUILD)/tests/pretend.so
$(pretend): tests/pretend.c $(set)/cc $(set)/link
	@mkdir -p $(@D)
	$(call preload,$(CC))

# NVML's own library, whose soname it has
fake_nvml = $(BUILD)/tests/nvml/libnvidia-ml.so.1
$(fake_nvml): tests/fake_nvml.c $(set)/cc $(set)/link
	@mkdir -p $(@D)
	$(call preload,$(CC)) -Wl,-soname,$(@F)

# before the MPI library: refuses memory of devices; a program's own CUDA runtime must not see this one's
$(BUILD)/tests/staging_mpi.so: tests/gpu/staging_mpi.c $(set)/mpicc $(set)/cuda $(set)/link
	@mkdir -p $(@D)
	$(mpicc) $(ALL_CFLAGS) $(cuda_flags) $(CPPFLAGS) -fPIC -shared -Wl,--exclude-libs,ALL $(LDFLAGS) -o $@ $< $(cuda_libs)

# ---- fuzz targets ----

# with a driver of their own; `make fuzz` builds them with sanitizers, and with libFuzzer
fuzz_bin    = $(patsubst tests/fuzz/fuzz_%.c,$(BUILD)/tests/fuzz_%,$(wildcard tests/fuzz/fuzz_*.c))
fuzz_driver = $(BUILD)/tests/fuzz/driver.o
$(fuzz_bin): libs = $(fuzz_link) $(archive_libs)
$(fuzz_bin): $(BUILD)/tests/fuzz_%: $(BUILD)/tests/fuzz/fuzz_%.o $(fuzz_driver) \
             $(call obj,tests/fuzz/files.c tests/fuzz/change.c tests/fuzz/mend.c) \
             $(libtools) $(libmpi) $(libformats) $(set)/link
	@mkdir -p $(@D)
	$(call link,$(mpicc))

$(BUILD)/tests/packed_seeds: $(BUILD)/tests/fuzz/packed_seeds.o $(libformats) $(set)/link
	@mkdir -p $(@D)
	$(call link,$(CC))

fuzz-bin: $(fuzz_bin) $(BUILD)/tests/packed_seeds

# ---- all that tests run ----

include tests/emulator/emulator.mk

tests-bin: $(unit_bin) $(plain_bin) $(gpu_test_bin) $(fail_alloc) $(count_mpi) $(yield_mpi) $(pretend) $(fake_nvml) \
           $(BUILD)/tests/plant_faults $(BUILD)/tests/scramble_regions $(BUILD)/tests/th_steps $(mutate) fuzz-bin $(emulated_if_possible)

# the programs that scripts/check-gpu.sh runs
tests-gpu: $(gpu_test_bin) $(plain_bin) $(count_mpi) $(pretend) $(fake_nvml) $(BUILD)/tests/plant_faults $(mutate)

# ---- runs ----

test_env = BUILD='$(BUILD)' MPIEXEC='$(MPIEXEC)' CC='$(CC)' MPICC='$(MPICC)' ARCHIVE='$(ARCHIVE)' \
           CFLAGS='$(CFLAGS)' CUDA='$(CUDA)' NVCC='$(NVCC)'

# for scripts that run tests by themselves
test-env:
	@echo "export $(test_env)"

# quick: from a built tree in a minute or two
check: mode = short
check-scripts: mode = scripts
check-long: mode = long
quick: mode = quick
check check-scripts check-long quick: deps
	@$(MAKE) --no-print-directory $(all_jobs) all tests-bin
	@$(test_env) tests/run.sh $(mode)

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
	@failed=0; for tests in short scripts; do \
	    $(test_env) BUILD='$(BUILD)/$@' CFLAGS='$($@_flags)' tests/run.sh $$tests || failed=1; done; exit $$failed

# Programs with several threads under ThreadSanitizer. Through the library archer it knows the barriers of clang's OpenMP,
# and not those of gcc's; MPI is left out.
ARCHER ?= $(firstword $(wildcard /usr/lib/llvm-*/lib/libarcher.so))
tsan: deps
	@test -n '$(ARCHER)' || { echo 'tsan: needs clang with libarcher (libomp-dev), or ARCHER=FILE'; exit 2; }
	@$(MAKE) --no-print-directory CC=clang CUDA=0 BUILD=$(BUILD)/tsan CFLAGS='$(tsan_flags)' all tests-bin
	@$(test_env) BUILD='$(BUILD)/tsan' ARCHER='$(ARCHER)' tests/tsan.sh

# all tests with each compiler and each MPI that is here
matrix: deps
	@failed=0; for cc in gcc clang; do for mpi in mpich openmpi; do \
	    if command -v $$cc >/dev/null && command -v mpicc.$$mpi >/dev/null; then \
	        for tests in check check-scripts; do \
	            $(MAKE) --no-print-directory CC=$$cc MPICC=mpicc.$$mpi MPIEXEC=mpiexec.$$mpi \
	                BUILD='$(BUILD)/'$$cc-$$mpi $$tests || failed=1; done; \
	    else echo "skip - $$cc with $$mpi: not installed"; fi; done; done; exit $$failed

# every figure and table of the papers, small, and a page of them: scripts/experiments/lib.sh has the variables
experiments: all
	@BUILD='$(BUILD)' MPIEXEC='$(MPIEXEC)' scripts/experiments/run.sh

.PHONY: fuzz-bin tests-bin tests-gpu test-env check check-scripts check-long quick fuzz asan ubsan tsan matrix experiments
