#!/bin/sh
# deps.sh [build]: checks that packages for build and tests are there. On Debian, as root or with passwordless sudo, it
# installs missing ones. Otherwise it names them and exits with 1. With `build` it looks only for what compiling needs,
# installs nothing, and says how to get it. The environment has the variables of make.
set -u

missing='' other=''
need() { missing="$missing $1"; }
cc=${CC:-cc} mpicc=${MPICC:-mpicc}
found() { command -v "${1%% *}" >/dev/null 2>&1; } # a program, and maybe its options

# The flags may say where headers are. Without a compiler the usual folders are looked at.
has_header() { # HEADER [OPTION]
    if found "$cc"; then
        echo "#include <$1>" | $cc ${CPPFLAGS:-} ${CFLAGS:-} ${2:-} -E - >/dev/null 2>&1
    else
        ls /usr/include/"$1" /usr/include/*/"$1" 2>/dev/null | grep -q .
    fi
}

if ! found "$cc"; then
    case $cc in
    cc | gcc | gcc\ *) need gcc ;;
    clang | clang\ *) need 'clang libomp-dev' ;;
    *) other="$other CC=${cc%% *}: no such compiler." ;;
    esac
elif ! has_header omp.h -fopenmp && $cc --version 2>/dev/null | grep -q clang; then
    need libomp-dev
fi
has_header stdio.h || need libc6-dev
has_header zlib.h || need zlib1g-dev
# Open MPI's wrapper names its headers only to compile, and not for -E alone.
if ! found "$mpicc" || { found "$cc" && ! echo '#include <mpi.h>' | MPICH_CC=$cc OMPI_CC=$cc $mpicc -x c -c -o /dev/null - >/dev/null 2>&1; }; then
    case ${mpicc%% *} in
    *openmpi*) need libopenmpi-dev ;;
    mpicc | mpicc.mpich) need libmpich-dev ;;
    *) other="$other MPICC=${mpicc%% *}: does not compile." ;;
    esac
fi
[ "${ARCHIVE:-1}" = 0 ] || has_header archive.h || need libarchive-dev
[ "${CUDA:-0}" = 0 ] || found "${NVCC-nvcc}" || other="$other CUDA=1 needs nvcc (NVCC=FILE)."

if [ "${1:-}" = build ]; then
    [ -n "$missing$other" ] || exit 0
    echo "make: cannot build here:$other${missing:+ These Debian packages, or their like, are missing:$missing.}" >&2
    [ -z "$missing" ] || echo 'make: `make demo` installs them, as root or with sudo, and builds' >&2
    case $missing in *libarchive-dev*) echo 'make: `make ARCHIVE=0` builds without libarchive' >&2 ;; esac
    exit 1
fi

found mpiexec.mpich || found "${MPIEXEC:-mpiexec}" || need mpich
[ "${ARCHIVE:-1}" = 0 ] || found bsdtar || need libarchive-tools # the tests make archives with it
found g++ || need g++                                              # the tests run the CUDA backend on an emulated GPU
found xz || need xz-utils
found mandoc || need mandoc

[ -z "$other" ] || echo "deps:$other" >&2
[ -n "$missing" ] || exit 0

as_root=''
[ "$(id -u)" = 0 ] || { command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null && as_root=sudo; }
if command -v apt-get >/dev/null 2>&1 && { [ "$(id -u)" = 0 ] || [ -n "$as_root" ]; }; then
    echo "deps: installing$missing"
    $as_root apt-get -q update >/dev/null &&
        DEBIAN_FRONTEND=noninteractive $as_root apt-get -q -y install --no-install-recommends $missing >/dev/null &&
        exit 0
    echo "deps: the installation failed" >&2
    exit 1
fi
echo "deps: please install these Debian packages, or their like:$missing" >&2
exit 1
