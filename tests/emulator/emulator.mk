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
settings        += emulated
settings_emulated = $(EMULATED_CXX) $(emulated_cxx) $(emulated_tls) $(settings_cc)

# kernels, as C++, and the headers beside them
kernel_files   = $(foreach folder,traverse/cuda traverse/cuda/* traverse/programs/*/cuda, \
                   $(wildcard $(folder)/*.cu $(folder)/*.cuh $(folder)/*.h))
rewritten      = $(patsubst %,$(emulated)/src/%,$(kernel_files))

# $(call emulated_obj,FILES): objects of files that are compiled for the emulator; $(call other_obj,FILES): those of the build
emulated_obj   = $(patsubst %,$(emulated)/%.o,$(filter %.cu,$(1))) $(patsubst %,$(emulated)/%.o,$(basename $(filter %.c %.cc,$(1))))
other_obj      = $(call obj,$(filter-out $(emulated_c) %.cu,$(1)))
# C files that include CUDA's header or the limits of searches, or ask whether there is a GPU
emulated_c     = $(wildcard traverse/cuda/*.c traverse/cuda/*/*.c traverse/programs/*/cuda/*.c) \
                 traverse/session/backend_choose.c
emulator_cc    = $(wildcard tests/emulator/*.cc)

# $(call emulated_program,NAME...): objects of these folders of traverse/programs/, as with a GPU
emulated_program  = $(foreach name,$(1),$(call other_obj,$(wildcard traverse/programs/$(name)/*.c)) \
                    $(call emulated_obj,$(wildcard traverse/programs/$(name)/cuda/*.c)))
# objects that all programs share: kernels, too, as the emulator finds them by name
emulated_shared   = $(call other_obj,$(filter-out traverse/main.c,$(shared_src))) \
                    $(call emulated_obj,$(filter-out traverse/programs/%,$(emulated_c)) $(filter %.cu,$(kernel_files)) $(emulator_cc))
emulated_libs     = $(libmpi) $(libformats) $(set)/link $(set)/searching $(set)/emulated

# replaces the header with all inline PTX
$(emulated)/src/traverse/cuda/device/cuda_ptx.cuh: tests/emulator/include/cuda_ptx.cuh
	@mkdir -p $(@D)
	@cp $< $@

$(emulated)/src/%: % tests/emulator/rewrite.sed
	@mkdir -p $(@D)
	@{ echo '#line 1 "$<"'; sed -E -f tests/emulator/rewrite.sed $<; } >$@

$(emulated)/%.cu.o: $(emulated)/src/%.cu $(rewritten) $(set)/emulated
	@mkdir -p $(@D)
	$(EMULATED_CXX) -x c++ -include device.h $(emulated_cxx) -Wno-unknown-pragmas -Wno-sign-compare \
	    -Wno-unused $(emulated_tls) -MMD -MP -c -o $@ $<

$(emulated)/tests/emulator/%.o: tests/emulator/%.cc $(set)/emulated
	@mkdir -p $(@D)
	$(EMULATED_CXX) $(emulated_cxx) -Wextra -MMD -MP -c -o $@ $<

$(emulated)/%.o: %.c $(set)/emulated | $(set)/checked
	@mkdir -p $(@D)
	$(call compile,$(CC) -DDBFS_CUDA $(emulated_include))

# programs, and tests that link what they share
$(emulated)/bin/dbfs-traverse: $(BUILD)/traverse/main.o
$(emulated)/bin/dbfs-graph500: $(call emulated_program,graph500)
$(emulated)/bin/dbfs-batch: $(call emulated_program,joined batch)
$(emulated)/bin/dbfs-paths: $(call emulated_program,joined paths)
$(emulated)/bin/dbfs-diameter: $(call other_obj,$(diameter_src))
$(emulated)/tests/fail_cuda: $(call emulated_obj,tests/gpu/fail_cuda.c) $(BUILD)/traverse/main.o
$(emulated)/tests/fail_cuda: libs = $(stand_ins)
$(emulated)/tests/gpu_kernels: $(call emulated_obj,$(gpu_test_src)) $(filter-out %_main.o,$(call emulated_program,graph500))
$(emulated)/tests/plant_faults: $(call emulated_obj,tests/plant_faults.c) $(filter-out %_main.o,$(call emulated_program,graph500))
emulated_linked = $(addprefix $(emulated)/,$(addprefix bin/dbfs-,traverse graph500 batch paths diameter) \
                  $(addprefix tests/,fail_cuda gpu_kernels plant_faults))
$(emulated_linked): $(emulated_shared) $(emulated_libs)
	@mkdir -p $(@D)
	$(call link,$(mpicc) $(EMULATED_CFLAGS)) -ldl -lstdc++ -lpthread

# is preloaded before the MPI library
$(emulated)/tests/device_mpi.so: tests/emulator/device_mpi.c $(set)/cc $(set)/link
	@mkdir -p $(@D)
	$(call preload,$(CC))

# kernels with mistakes
$(emulated)/tests/mistakes: $(call emulated_obj,tests/emulator/mistakes/mistakes.cu $(emulator_cc)) $(set)/emulated
	@mkdir -p $(@D)
	$(EMULATED_CXX) $(emulated_cxx) $(LDFLAGS) -o $@ $(filter %.o,$^) -lpthread

# the driver's library for programs that open memory of the emulated GPU
$(emulated)/tests/libcuda.so.1: tests/emulator/driver/cuda_driver.cc tests/emulator/shared_pages.cc tests/emulator/shared_pages.h $(set)/emulated
	@mkdir -p $(@D)
	$(EMULATED_CXX) $(emulated_cxx) -Wextra -fPIC -shared $(LDFLAGS) -o $@ $(filter %.cc,$^)

# all other programs are those of the build
emulated_others = $(patsubst $(BUILD)/%,$(emulated)/%,$(TOOLS:%=$(BUILD)/bin/%) $(SCRIPTS:%=$(BUILD)/bin/%) \
                  $(plain_bin) $(mutate) $(count_mpi) $(pretend) $(fake_nvml))
$(emulated_others): $(emulated)/%: $(BUILD)/%
	@mkdir -p $(@D)
	@ln -sf '$(abspath $<)' $@

emulated_bin = $(emulated_linked) $(emulated)/tests/mistakes $(emulated)/tests/device_mpi.so $(emulated)/tests/libcuda.so.1 $(emulated_others)
emulated: $(emulated_bin)

# ThreadSanitizer does not know fibers. Without a C++ compiler the tests are skipped and say so.
emulated_if_possible = $(if $(findstring sanitize=thread,$(CFLAGS)),,$(if $(shell command -v $(EMULATED_CXX)),emulated))

.PHONY: emulated
