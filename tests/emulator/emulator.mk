# emulator.mk: programs whose CUDA backend runs on an emulated GPU; see README.md. The Makefile includes it.
#
# $(BUILD)/emulated is a build of its own for tests. Files that know CUDA are compiled for the emulator, all others
# come from $(BUILD).

EMULATED_CXX    ?= $(if $(findstring clang,$(CC)),clang++,g++)
EMULATED_CFLAGS ?= -O2 -g1 $(filter -fsanitize% -fno-sanitize%,$(CFLAGS))
emulated         = $(BUILD)/emulated
emulated_include = -DDBFS_EMULATED -Itests/emulator/include
emulated_tls     = $(if $(findstring clang,$(EMULATED_CXX)),,-fno-extern-tls-init)
emulated_cxx     = -std=c++17 -Wall $(emulated_include) -I$(emulated)/src -I. $(EMULATED_CFLAGS)

# kernels, as C++, and the headers beside them
kernel_files   = $(foreach folder,traverse/cuda traverse/cuda/* traverse/programs/graph500/cuda traverse/programs/joined/cuda traverse/programs/batch/cuda \
                   traverse/programs/paths/cuda, \
                   $(wildcard $(folder)/*.cu $(folder)/*.cuh $(folder)/*.h))
rewritten      = $(patsubst %,$(emulated)/src/%,$(kernel_files))
emulated_cu    = $(patsubst %,$(emulated)/%.o,$(filter %.cu,$(kernel_files)))
emulated_cc    = $(patsubst %.cc,$(emulated)/%.o,$(wildcard tests/emulator/*.cc))

# C files that include CUDA's header or the limits of searches, or ask whether there is a GPU
emulated_c       = $(wildcard traverse/cuda/*.c traverse/cuda/*/*.c) traverse/session/backend_choose.c
emulated_proof_c = $(wildcard traverse/programs/graph500/cuda/*.c)
emulated_joined_c = $(wildcard traverse/programs/joined/cuda/*.c)
emulated_batch_c = $(wildcard traverse/programs/batch/cuda/*.c)
emulated_paths_c = $(wildcard traverse/programs/paths/cuda/*.c)
emulated_c_obj   = $(patsubst %.c,$(emulated)/%.o,$(1))
knows_cuda       = $(emulated_c) $(emulated_proof_c) $(emulated_joined_c) $(emulated_batch_c) $(emulated_paths_c)

emulated_kernels  = $(emulated_cu) $(emulated_cc)
emulated_traverse = $(call obj,$(filter-out $(knows_cuda),$(traverse_src))) \
                    $(call emulated_c_obj,$(emulated_c))
emulated_graph500 = $(call obj,$(filter-out $(knows_cuda),$(graph500_src))) \
                    $(call emulated_c_obj,$(emulated_proof_c))
emulated_batch    = $(call obj,$(filter-out $(knows_cuda),$(batch_src))) \
                    $(call emulated_c_obj,$(emulated_batch_c))
emulated_paths    = $(call obj,$(filter-out $(knows_cuda),$(paths_src))) \
                    $(call emulated_c_obj,$(emulated_paths_c))
emulated_joined   = $(call obj,$(filter-out $(knows_cuda),$(joined_src))) \
                    $(call emulated_c_obj,$(emulated_joined_c))
emulated_shared   = $(emulated_kernels) $(libmpi) $(libformats)
without_mains     = $(filter-out %_main.o %/traverse/main.o,$(1))

# replaces the header with all inline PTX
$(emulated)/src/traverse/cuda/device/cuda_ptx.cuh: tests/emulator/include/cuda_ptx.cuh
	@mkdir -p $(@D)
	@cp $< $@

$(emulated)/src/%: % tests/emulator/rewrite.sed
	@mkdir -p $(@D)
	@{ echo '#line 1 "$<"'; sed -E -f tests/emulator/rewrite.sed $<; } >$@

$(emulated)/%.cu.o: $(emulated)/src/%.cu $(rewritten)
	@mkdir -p $(@D)
	$(EMULATED_CXX) -x c++ -include device.h $(emulated_cxx) -Wno-unknown-pragmas -Wno-sign-compare \
	    -Wno-unused $(emulated_tls) -MMD -MP -c -o $@ $<

$(emulated)/tests/emulator/%.o: tests/emulator/%.cc
	@mkdir -p $(@D)
	$(EMULATED_CXX) $(emulated_cxx) -Wextra -MMD -MP -c -o $@ $<

$(emulated)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -DDBFS_CUDA $(emulated_include) $(CPPFLAGS) -MMD -MP -c -o $@ $<

emulated_link = $(mpicc) $(ALL_CFLAGS) $(EMULATED_CFLAGS) $(LDFLAGS) -o $@ $(filter %.o %.a,$^) $(LDLIBS) \
                -ldl -lstdc++ -lpthread

$(emulated)/bin/dbfs-traverse: $(emulated_traverse) $(emulated_shared)
	@mkdir -p $(@D)
	$(emulated_link)

$(emulated)/bin/dbfs-graph500: $(call without_mains,$(emulated_traverse)) $(emulated_graph500) $(emulated_shared)
	@mkdir -p $(@D)
	$(emulated_link)

$(emulated)/bin/dbfs-batch: $(filter-out %/traverse/main.o,$(emulated_traverse)) $(emulated_joined) $(emulated_batch) $(emulated_shared)
	@mkdir -p $(@D)
	$(emulated_link)

$(emulated)/bin/dbfs-paths: $(filter-out %/traverse/main.o,$(emulated_traverse)) $(emulated_joined) $(emulated_paths) $(emulated_shared)
	@mkdir -p $(@D)
	$(emulated_link)

$(emulated)/tests/gpu_kernels: $(call emulated_c_obj,$(gpu_test_src)) \
    $(call without_mains,$(emulated_traverse) $(emulated_graph500)) $(emulated_shared)
	@mkdir -p $(@D)
	$(emulated_link)

$(emulated)/tests/fail_cuda: $(call emulated_c_obj,tests/gpu/fail_cuda.c) $(emulated_traverse) $(emulated_shared)
	@mkdir -p $(@D)
	$(emulated_link) $(stand_ins)

$(emulated)/tests/plant_faults: $(call emulated_c_obj,tests/plant_faults.c) \
    $(call without_mains,$(emulated_traverse) $(emulated_graph500)) $(emulated_shared)
	@mkdir -p $(@D)
	$(emulated_link)

# is preloaded before the MPI library
$(emulated)/tests/device_mpi.so: tests/emulator/device_mpi.c
	@mkdir -p $(@D)
	$(CC) $(filter-out -fsanitize%,$(ALL_CFLAGS)) -fPIC -shared -o $@ $<

# kernels with mistakes
$(emulated)/tests/mistakes: $(emulated)/tests/emulator/mistakes/mistakes.cu.o $(emulated_cc)
	@mkdir -p $(@D)
	$(EMULATED_CXX) $(emulated_cxx) $(LDFLAGS) -o $@ $^ -lpthread

# all other programs are those of the build
emulated_others = $(patsubst $(BUILD)/%,$(emulated)/%,$(TOOLS:%=$(BUILD)/bin/%) $(SCRIPTS:%=$(BUILD)/bin/%) \
                  $(plain_bin) $(BUILD)/tests/mutate $(count_mpi) $(pretend) $(fake_nvml))
$(emulated_others): $(emulated)/%: $(BUILD)/%
	@mkdir -p $(@D)
	@ln -sf $(abspath $<) $@

emulated_bin = $(emulated)/bin/dbfs-traverse $(emulated)/bin/dbfs-graph500 $(emulated)/bin/dbfs-batch $(emulated)/bin/dbfs-paths $(emulated)/tests/gpu_kernels \
               $(emulated)/tests/fail_cuda $(emulated)/tests/plant_faults $(emulated)/tests/mistakes \
               $(emulated)/tests/device_mpi.so $(emulated_others)
emulated: $(emulated_bin)

# ThreadSanitizer does not know fibers. Without a C++ compiler the tests are skipped and say so.
emulated_if_possible = $(if $(findstring sanitize=thread,$(CFLAGS)),,$(if $(shell command -v $(EMULATED_CXX)),emulated))

.PHONY: emulated
