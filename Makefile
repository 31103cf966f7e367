# make            build ./sweep with all this machine can do      make help   the other targets
# make demo       install what is missing, build, run, draw        make V=1    show the commands
# make test       install what is missing, build, run every test
#
# Settings of your own (CC, OPT, CUDA, SM, PREFIX, HDF5_CFLAGS ...) go into config.mk, which git ignores.
-include config.mk

ifeq ($(origin CC),default)     # "CC ?= gcc" would not: make itself defines CC
CC := gcc
endif
PREFIX  ?= /usr/local
B       ?= build
VERSION := $(shell sed -n 's/^.define SW_VERSION "\(.*\)"/\1/p' src/base/sw_version.h)

# ---- what this machine has
NVCC     ?= $(firstword $(shell command -v nvcc) $(wildcard /usr/local/cuda/bin/nvcc))
CUDA     ?= $(if $(NVCC),1)
CUDA_DIR ?= $(patsubst %/bin/nvcc,%,$(NVCC))
# Compiled for the GPUs of this machine, which takes half as long as for all; and for all where there is none, where
# nvcc does not know one or it is older than sm_80, and for what others start. Asked once, when something needs it.
all_sm    = 80 90
gpus      = $(shell nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | tr -d . | sort -un)
known_sm  = $(filter-out 5% 6% 7%,$(patsubst sm_%,%,$(shell $(NVCC) --list-gpu-code 2>/dev/null)))
sm_for    = $(if $(1),$(if $(filter-out $(known_sm),$(1)),$(all_sm),$(1)),$(all_sm))
SM       ?= $(eval SM := $(if $(PORTABLE),$(all_sm),$(call sm_for,$(gpus))))$(SM)
first_of  = $(firstword $(foreach m,$(1),$(shell pkg-config --exists $m && echo $m)))
pc        = $(shell pkg-config $(1) $(call first_of,$(2)) 2>/dev/null)
# MPI: of mpirun, for sweeps over several nodes. A portable program has to start where there is none: MPI=1 asks for it.
mpis      = ompi-c mpi-c ompi mpich
MPI      ?= $(if $(PORTABLE)$(SANITIZE),,$(if $(call first_of,$(mpis)),1))
MPI_CFLAGS  ?= $(if $(MPI),$(call pc,--cflags,$(mpis)))
MPI_LDFLAGS ?= $(if $(MPI),$(call pc,--libs,$(mpis)))
# NCCL: between GPUs, loaded at run time; its header may be elsewhere: NCCL=1 NCCL_CFLAGS=-I...
NCCL     ?= $(if $(CUDA),$(if $(wildcard $(CUDA_DIR)/include/nccl.h /usr/include/nccl.h /usr/local/include/nccl.h),1))
HDF5_CFLAGS ?= $(call pc,--cflags,hdf5 hdf5-serial)
HDF5_LDFLAGS ?= $(call pc,--libs-only-L,hdf5 hdf5-serial)
# hdf5, or hdf5_serial where the library has its own name (Debian, from HDF5 2 on).
hdf5_name     = $(or $(patsubst -l%,%,$(firstword $(call pc,--libs-only-l,hdf5 hdf5-serial))),hdf5)
HDF5_LIBS    ?= -l$(hdf5_name)_hl -l$(hdf5_name)
# Each is looked for once, not again for each file that is compiled.
$(foreach v,NVCC CUDA CUDA_DIR MPI MPI_CFLAGS MPI_LDFLAGS NCCL HDF5_CFLAGS HDF5_LDFLAGS hdf5_name HDF5_LIBS,\
    $(eval $v := $$($v)))

# ---- flags
# No contraction into FMAs and no fast-math: a result must not depend on how the compiler blocked a loop.
ARCH      = $(if $(PORTABLE),-march=x86-64-v3,-march=native)
# Lines for backtraces, and no record of where each variable is: that takes a third of the time of the largest files.
# Under sanitizers the instructions of this machine, too: without them each fma() is a call.
OPT      ?= $(if $(SANITIZE),-O1,-O3) -g1 $(ARCH)
# The instruction sets of src/problem/line/simd, each half a minute to compile: of a program for this machine its best
# one, as under sanitizers; of one that others may start, and where OPT names no machine, all.
native_set = $(shell $(CC) -march=native -dM -E -x c /dev/null | \
               awk '/__AVX512DQ__/ { s = "avx512" } /__AVX2__/ && !s { s = "avx2" } END { print s ? s : "generic" }')
LANES   ?= $(if $(SANITIZE)$(findstring -march=native,$(OPT)),$(native_set),avx512 avx2 generic)
lanes   := $(sort $(LANES) $(if $(filter avx512 avx2,$(LANES)),few_avx2))
# Against errors in memory: a canary on the stack, checked copies, addresses that differ from start to start, and tables
# of functions that are read-only from the start; docs/explanation/overheads.md says how to see what that costs. Of
# checked copies the third level, or what the compiler and its library know: without optimization none. Sanitizers check
# more than that.
fortifies = $(shell printf '\043include <features.h>\n__USE_FORTIFY_LEVEL\n' | \
              $(CC) $(OPT) -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=$(1) -w -x c -E - 2> /dev/null | grep -x $(1))
ifndef HARDEN
HARDEN   := $(if $(SANITIZE),,-fstack-protector-strong -fPIE \
              $(addprefix -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=,$(or $(call fortifies,3),$(call fortifies,2))))
endif
HARDEN_LDFLAGS ?= $(if $(SANITIZE),,-pie -Wl$(,)-z$(,)relro$(,)-z$(,)now)
# Of pointers that are NULL or point beyond an object, AddressSanitizer tells; UBSan takes a fifth longer with them.
# What UBSan finds is a signal, and AddressSanitizer says where (handle_sigill=2, run_tests.sh): to compile UBSan's own
# messages, with the values, takes a sixth longer. UBSAN_SAYS=1 has them.
SANITIZERS = -fsanitize=address,undefined -fno-sanitize=null,object-size -fno-sanitize-recover=all \
             $(if $(UBSAN_SAYS),,-fsanitize-undefined-trap-on-error) -fno-omit-frame-pointer
# With little optimization GCC leaves the upper halves of wide registers in use, which slows the C library's mathematics
# down to a seventh: there structures are not to be moved by so wide ones (GCC from 12 on, x86).
narrow   := $(if $(shell $(CC) -mmove-max=128 -E -x c /dev/null 2> /dev/null),-mmove-max=128 -mstore-max=128)
CFLAGS    = $(OPT) -std=c11 -D_GNU_SOURCE -ffp-contract=off -fno-math-errno -fopenmp \
            -ffunction-sections -fdata-sections $(HARDEN) \
            -Wall -Wextra -Wshadow -Wvla -Wstrict-prototypes -Wmissing-prototypes $(if $(WERROR),-Werror) \
            $(if $(SANITIZE),$(SANITIZERS) $(narrow))
CPPFLAGS += -Isrc -I. -Itests/helpers -I$B/gen $(HDF5_CFLAGS) \
            $(if $(CUDA),-DSW_HAVE_CUDA -I$(CUDA_DIR)/include $(if $(CUDA_SYNC),-DSW_CUDA_SYNC)) -MMD -MP
NVOPT    ?= -O3
NVFLAGS   = $(NVOPT) -std=c++17 -lineinfo $(foreach s,$(SM),-gencode arch=compute_$s,code=sm_$s) \
            -gencode arch=compute_$(lastword $(SM)),code=compute_$(lastword $(SM)) \
            -Isrc -I. -MMD -MP $(if $(CUDA_SYNC),-DSW_CUDA_SYNC) \
            -Xcompiler -Wall,-Wextra,-fPIE $(if $(WERROR),-Werror all-warnings)
# HDF5 may need thirty libraries (Debian's: libcurl, and what that needs), and to load them is 10 of the 14 ms of a
# start. A program for this machine has HDF5, and what else the machine has as an archive, in itself.
hdf5_archives = $(HDF5_LIBS) -lsz -laec -lz
hdf5_archive  = $(if $(HDF5_LDFLAGS),$(wildcard $(patsubst -L%,%/lib$(hdf5_name).a,$(HDF5_LDFLAGS))),1)
try_archives  = printf 'int H5open(void); int main(void) { return H5open(); }' | $(CC) -x c -o /dev/null - \
    $(HDF5_LDFLAGS) -Wl$(,)-Bstatic $(hdf5_archives) -lconfig -lnettle -lstdc++ -Wl$(,)-Bdynamic -ldl -lm 2> /dev/null
ARCHIVES ?= $(eval ARCHIVES := $(if $(PORTABLE)$(and $(findstring -march=native,$(OPT)),$(hdf5_archive), \
    $(shell $(try_archives) && echo there)),1))$(ARCHIVES)
STATIC    = $(if $(ARCHIVES),-Wl$(,)-Bstatic $(1) -Wl$(,)-Bdynamic,$(2))
,        := ,
# A thread of OpenMP ends by a library that glibc loads then, and aborts if there is no memory for it: here it is loaded
# at the start.
AT_START  = -Wl$(,)--push-state$(,)--no-as-needed -lgcc_s -Wl$(,)--pop-state
LDLIBS    = $(HDF5_LDFLAGS) \
            $(call STATIC,$(hdf5_archives) -lconfig -lnettle,$(HDF5_LIBS) -lconfig -lnettle) \
            $(if $(CUDA),-L$(CUDA_DIR)/lib64 -lcudart_static -lrt $(call STATIC,-lstdc++,-lstdc++)) \
            $(if $(MPI),$(MPI_LDFLAGS)) $(if $(PORTABLE),$(call STATIC,-lgomp)) $(AT_START) -lpthread -ldl -lm
LDFLAGS  += $(if $(SANITIZE),,-Wl$(,)--gc-sections) $(HARDEN_LDFLAGS) \
            $(if $(PORTABLE),-s -static-libgcc -Wl$(,)--as-needed)

simd := src/problem/line/simd
$(lanes:%=$B/$(simd)/lanes_%.o): private CFLAGS += -fno-var-tracking
# What reads texts and prints them is no faster for -O3, which takes twice as long.
$B/src/cli/%.o $B/src/input/%.o $B/src/sweep/%.o: private OPT := $(OPT:-O3=-O1)
# Under sanitizers tests take a tenth less with what evaluates expressions optimized.
$B/src/expr/eval.o $B/src/expr/operation.o: private OPT := $(if $(SANITIZE),$(OPT:-O1=-O2),$(OPT))
# The tests themselves are no faster for -O3, which takes thrice as long; UBSan is for what they test. GCC warns falsely
# of variables without a value where it optimizes little.
$B/tests/unit/%.o $B/tests/rows/%.o $B/tests/helpers/%.o: private CFLAGS += -O1 -Wno-maybe-uninitialized
$B/tests/unit/%.o $B/tests/rows/%.o $B/tests/helpers/%.o: private SANITIZERS += -fno-sanitize=undefined
$B/tests/unit/%.o $B/tests/rows/%.o $B/tests/helpers/%.o: private CFLAGS += $(narrow)
# Those of a module, but for a few, hardly compute, and compile in half the time without optimization, which checked
# copies need.
computing = own_steps w_steps w_methods elliptic_bounds
$B/tests/unit/%.o: private CFLAGS += $(if $(filter $(computing:%=test_%.o),$(@F)),,-O0 -U_FORTIFY_SOURCE)

# ---- files
sources := $(sort $(filter-out src/main.c,$(shell find src -name '*.c')))
sources := $(filter-out $(patsubst %,$(simd)/lanes_%.c,$(filter-out $(lanes),avx512 avx2 few_avx2 generic)),$(sources))
ifeq ($(CUDA),)
sources := $(filter-out %_cuda.c,$(sources))
endif
ifeq ($(MPI),)
sources := $(filter-out %_mpi.c,$(sources))
endif
ifeq ($(and $(CUDA),$(NCCL)),)
sources := $(filter-out %_nccl_cuda.c,$(sources))
endif
# What takes long to compile comes first, so that no core waits for it at the end.
objects := $(lanes:%=$B/$(simd)/lanes_%.o) $(if $(CUDA),$(patsubst %.cu,$B/%.o,$(wildcard cuda/*.cu cuda/*/*.cu)))
objects += $(filter-out $(objects),$(sources:%.c=$B/%.o)) $B/gen/embed.o
# A program for each tests/*/.../test_NAME.c, and tests/bench/bench_NAME.c, by its name alone.
test_sources := $(sort $(shell find tests/unit tests/rows -name 'test_*.c'))
tests   := $(patsubst %.c,$B/%,$(notdir $(test_sources)))
benches := $(patsubst tests/bench/%.c,$B/%,$(wildcard tests/bench/bench_*.c))
# Texts in the program: what run-time compilation needs, the very files the build compiles; the catalogue of equations.
embedded := src/base/sw_hd.h cuda/cluster.cuh \
            $(sort $(shell find src -name '*_point.h') $(wildcard cuda/*_rtc.cuh cuda/*/*_rtc.cuh)) \
            $(wildcard src/cli/*.tmpl src/cli/completion.*) $(sort $(wildcard configs/equations/*.cfg))
say      = $(if $V,,@printf '  %-5s %s\n' $(1) $(2);)

all:                           ## ./sweep (the default), by all cores
	@$(MAKE) --no-print-directory $(all_cores) sweep

# Whichever build was asked for last: dates do not tell.
sweep: $B/sweep FORCE
	@cmp -s $< $@ || { echo '  COPY  $@'; cp -f $< $@; }

$B/sweep: $B/src/main.o $B/libsweep.a $B/gen/link.flags
	$(call say,LINK,$@)$(CC) $(CFLAGS) -o $@ $(filter %.o %.a,$^) $(LDFLAGS) $(LDLIBS)

$B/libsweep.a: $(objects) $B/gen/objects.flags
	$(call say,AR,$@)rm -f $@ && ar rcs $@ $(objects)

$(foreach source,$(test_sources),$(eval $B/$(notdir $(source:.c=)): $B/$(source:.c=.o)))
$(benches): $B/%: $B/tests/bench/%.o
# A hundred programs of tests with the whole library in each: ld.lld, where it is, takes half the time of gold, and gold
# half of that of ld.
quick_ld := $(if $(PORTABLE),,$(or \
    $(if $(shell ld.lld --threads=1 --version 2> /dev/null),-fuse-ld=lld -Wl$(,)--threads=1), \
    $(if $(shell command -v ld.gold),-fuse-ld=gold)))
$(tests) $(benches): $B/tests/helpers/helpers.o $B/libsweep.a $(if $(PORTABLE),$B/libcmocka.so.0) $B/gen/link.flags
	$(call say,LINK,$@)$(CC) $(CFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LDFLAGS) $(quick_ld) \
	    $(if $(PORTABLE),'-Wl$(,)-rpath$(,)$$ORIGIN') -lcmocka $(LDLIBS)

$B/test_evaluations: private LDFLAGS += $(addprefix -Wl$(,)--wrap=,sw_expr_parse sw_program_compile sw_eval_create \
    sw_eval_points sw_setup_column sw_setup_find sw_setup_word sw_problem_find)

# tests/helpers/quick_kernels.h
compile_kernels := $(if $(CUDA),$(notdir $(basename $(shell grep -l '"architecture.h"' $(test_sources)))))
$(compile_kernels:%=$B/%): private LDFLAGS += $(addprefix -Wl$(,)--wrap=,sw_module_create dlsym)

# Steppers on an emulated device reach no kernel that nvcc has compiled.
$B/test_paces_emulated: private LDFLAGS += $(addprefix -Wl$(,)--wrap=,cudaSetDevice sw_cuda_line_reset \
    sw_cuda_to_lines sw_cuda_line_measure)

$B/libcmocka.so.0:
	$(call say,COPY,$@)mkdir -p $(@D) && cp -fL $$(ldconfig -p | awk '/libcmocka.so.0 / {print $$NF; exit}') $@

$B/%.o: %.c Makefile $B/gen/cc.flags | $B/gen/build_info.h
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

for_lanes = $(foreach set,$(lanes),-DSW_LANES_$(shell echo $(set) | tr a-z A-Z))
$B/$(simd)/lanes.o $B/src/problem/fields/tiles.o: private CPPFLAGS += $(for_lanes)
$B/$(simd)/lanes.o $B/src/problem/fields/tiles.o: $B/gen/lanes.flags
$B/gen/lanes.flags: made_with = $(for_lanes)

for_comm = $(if $(MPI),-DSW_HAVE_MPI $(MPI_CFLAGS)) $(if $(and $(CUDA),$(NCCL)),-DSW_HAVE_NCCL $(NCCL_CFLAGS))
$B/src/comm/%.o: private CPPFLAGS += $(for_comm)
$(filter $B/src/comm/%,$(objects)): $B/gen/comm.flags

$B/%.o: %.cu Makefile $B/gen/nvcc.flags
	@mkdir -p $(@D)
	$(call say,NVCC,$<)$(NVCC) $(NVFLAGS) -c -o $@ $<

$B/gen/embed.o: $(embedded) scripts/build/embed.sh Makefile
	@mkdir -p $(@D)
	$(call say,EMBED,$@)scripts/build/embed.sh $(embedded) > $B/gen/embed.S && $(CC) -c -o $@ $B/gen/embed.S

# What it was made with. Rewritten only when that changes, and then it is made again; warnings as errors change nothing.
$B/gen/cc.flags: made_with = $(CC) $(CPPFLAGS) $(filter-out -Werror,$(CFLAGS))
$B/gen/comm.flags: made_with = $(for_comm)
$B/gen/nvcc.flags: made_with = $(NVCC) $(filter-out -Werror all-warnings,$(NVFLAGS))
$B/gen/link.flags: made_with = $(LDFLAGS) $(LDLIBS)
$B/gen/objects.flags: made_with = $(objects)
in_quotes = '$(subst ','\'',$(1))'
$B/gen/%.flags: FORCE
	@mkdir -p $(@D)
	@echo $(call in_quotes,$(made_with)) | cmp -s - $@ || echo $(call in_quotes,$(made_with)) > $@

# Rewritten only when it changes, so that a commit rebuilds one file (src/base/sw_build.c).
COMMIT ?= $(shell git rev-parse --short=12 HEAD 2>/dev/null)
# What it is a package of: "sweep 1.0.0-1 (Debian)"; packaging has the recipes that say so.
PACKAGE ?=
$B/gen/build_info.h: FORCE
	@mkdir -p $(@D)
	@{ echo '#define SW_BUILD_COMMIT "$(COMMIT)"'; \
	   echo '#define SW_BUILD_DIRTY $(if $(shell git status --porcelain -uno 2>/dev/null),1,0)'; \
	   echo '#define SW_BUILD_PACKAGE "$(strip $(PACKAGE))"'; \
	   echo '#define SW_BUILD_COMPILER "$(shell $(CC) --version | head -n 1)"'; \
	   echo '#define SW_BUILD_SM "$(if $(CUDA),$(SM))"'; \
	   echo '#define SW_BUILD_FLAGS "$(OPT)$(if $(CUDA),$(if $(filter-out -O3,$(NVOPT)), nvcc $(NVOPT)))"'; } > $@.new
	@cmp -s $@.new $@ && rm -f $@.new || mv $@.new $@

# ---- what to do with it
help:                          ## this list
	@echo "sweep $(VERSION)"; awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' Makefile
	@echo "  settings: V=1 PORTABLE=1 CUDA= MPI= SM='80 90' PREFIX=/usr/local B=build WERROR=1 SANITIZE=1 CUDA_SYNC=1"

info:                          ## what was found on this machine
	@echo "sweep   $(VERSION)"; echo "CC      $(CC): $$($(CC) --version | head -n 1)"
	@echo "CUDA    $(if $(CUDA),$(NVCC) for sm $(SM),none: built for the CPU only)"
	@echo "MPI     $(if $(MPI),$(strip $(MPI_CFLAGS) $(MPI_LDFLAGS)),none: a sweep runs in one process)"
	@echo "NCCL    $(if $(and $(CUDA),$(NCCL)),loaded at run time,none: GPUs exchange numbers through the host)"
	@echo "HDF5    $(or $(strip $(HDF5_CFLAGS) $(HDF5_LDFLAGS)),not found by pkg-config: set HDF5_CFLAGS and HDF5_LDFLAGS)"

setup:                         ## install the system packages that are missing (Debian, Ubuntu)
	@scripts/build/setup.sh

demo: setup                    ## install, build, run configs/ch_forcing.cfg, draw it
	@$(MAKE) --no-print-directory all
	@scripts/build/demo.sh

# A compiler for each core, unless make was told how many.
all_cores = $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(shell nproc))

# Without a GPU its code is compiled only: for one architecture and with little optimization that takes a quarter of the
# time (nvcc from 12.9 on has an option for that). What is compiled stays.
has_gpu     = $(shell nvidia-smi -L 2>/dev/null | grep '^GPU')
compiled    = $(shell cat $B/gen/nvcc.flags 2>/dev/null)
sm_compiled = $(shell grep -o 'code=sm_[0-9]*' $B/gen/nvcc.flags 2>/dev/null | sed 's/.*_//')
sm_tested   = $(if $(has_gpu),$(SM),$(or $(sm_compiled),$(lastword $(SM))))
quickly     = $(eval quickly := $(if $(shell $(NVCC) --help 2>/dev/null | grep -e --Ofast-compile),\
                  --Ofast-compile=max,-Xcicc -O1 -Xptxas -O0))$(quickly)
nv_tested   = $(strip $(NVOPT) $(if $(has_gpu),,$(if $(compiled),$(findstring $(quickly),$(compiled)),$(quickly))))

# The objects are those of `make`: what it has compiled, tests need not compile again. What is sanitized is compiled and
# run beside the other tests, and gives way to them: they wait at times, and at the end for the longest.
test:                          ## install, build with warnings as errors, run every test, also under sanitizers
	@scripts/build/setup.sh --tests
	@$(MAKE) --no-print-directory $(all_cores) test-here test-sanitized

test-here:
	@$(MAKE) --no-print-directory B=$B WERROR=1 SM='$(sm_tested)' NVOPT='$(nv_tested)' check

test-sanitized:
	@nice $(MAKE) --no-print-directory B=$B/sanitize WERROR=1 SANITIZE=1 CUDA= check-sanitized

# Libraries to preload: the k-th call of a kind fails (test_faults.sh), the clock is set (test_clock.sh), threads are
# counted (test_threads.sh), MPI buffers nothing (test_mpi.sh).
preloads := $B/fail_nth.so $B/jump_clock.so $B/count_threads.so $(if $(MPI),$B/synchronous_sends.so)
$B/synchronous_sends.so: private preload_flags = $(MPI_CFLAGS)
$(preloads): $B/%.so: tests/faults/%.c Makefile
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CC) -O1 -g -std=c11 -D_GNU_SOURCE -Wall -Wextra -Wshadow -Wstrict-prototypes \
	    $(if $(WERROR),-Werror) $(preload_flags) -shared -fPIC -o $@ $< -ldl

# A program that fails, or kills, another one at one of its system calls (tests/fuzz/scenes.py, test_faults.sh).
$B/at_call: tests/faults/at_call.c Makefile
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CC) -O1 -g -std=c11 -D_GNU_SOURCE -Wall -Wextra -Wshadow -Wstrict-prototypes \
	    $(if $(WERROR),-Werror) -o $@ $<

tests: $(tests) $B/sweep $(preloads) $B/at_call  ## build the test programs without running them

benches: $(benches)            ## build the programs that time things

check: tests                   ## run the tests that are built here (no set-up, no sanitizers)
	@scripts/build/run_tests.sh $B
check-sanitized: tests
	@SW_SMALL=$${SW_SMALL-1} SW_SANITIZED=1 scripts/build/run_tests.sh $B

FUZZ_SECONDS ?= 60
fuzz:                          ## libFuzzer over tests/fuzz, FUZZ_SECONDS=60 for each target (needs clang)
	@scripts/build/fuzz.sh $(FUZZ_SECONDS) $B/fuzz

FUZZ_SEED ?= 1
fuzz-fields: $B/test_fields_random  ## random equations in each row of fields, FUZZ_SECONDS=60, from FUZZ_SEED=1 on
	@SW_FUZZ_SECONDS=$(FUZZ_SECONDS) SW_FUZZ_SEED=$(FUZZ_SEED) $B/test_fields_random

NIGHT_SECONDS ?= 28800
fuzz-night:                    ## damaged configs and output files, NIGHT_SECONDS=28800 in all; a summary at the end
	@scripts/build/fuzz_night.sh $(NIGHT_SECONDS)

# A folder to carry to a machine without compiler or libraries, beside the checkout, where run_tests.sh build/portable
# runs it. Objects stay elsewhere. (One library for all tests would be smaller, but Debian's static HDF5 cannot be part
# of one.)
portable:                      ## build/portable: program and tests that need glibc, libgcc_s (MPI=1: Open MPI)
	@$(MAKE) --no-print-directory PORTABLE=1 B=$B/portable-objects tests benches
	@rm -rf $B/portable && mkdir -p $B/portable
	@cd $B/portable-objects && cp sweep at_call libcmocka.so.0 *.so $(notdir $(tests) $(benches)) ../portable
	@du -sh $B/portable

# Minutes, so not part of `make`: who runs one config waits less for its own kernels. Packages have them.
kernels: $B/sweep              ## build/kernels: what the configs compile on a GPU, for each of SM
	@scripts/build/make_kernels.sh $B/sweep $B/kernels $(SM)

docs: $B/sweep                 ## write the generated pages of docs/ and their tables again
	@scripts/build/make_docs.sh $B/sweep
	@python3 scripts/bench/bench_tables.py

site:                          ## build/site: the pages as a site that needs no network (mkdocs, mkdocs-material)
	@scripts/build/make_site.sh $B/site

packages:                      ## build/packages: Debian's, tried in a clean root; checks the recipes of others
	@scripts/build/make_packages.sh $B/packages

install: sweep                 ## into PREFIX (default /usr/local), under DESTDIR
	@scripts/build/install.sh "$(DESTDIR)$(PREFIX)"

format:                        ## clang-format over src, cuda and tests
	clang-format -i $$(git ls-files 'src/*.[ch]' 'tests/*.[ch]')

clean:                         ## remove build/ and ./sweep
	rm -rf $B sweep

FORCE:
.PHONY: all help info setup demo test test-here test-sanitized tests benches check check-sanitized portable kernels \
    docs site packages install format clean fuzz fuzz-fields fuzz-night FORCE
.PRECIOUS: $B/%.o
-include $(shell find $B -path $B/sanitize -prune -o -name '*.d' -print 2>/dev/null)
