#!/bin/sh
# deps.sh: checks that packages for build and tests are there. On Debian, as root or with passwordless sudo, it
# installs missing ones. Otherwise it names them and exits with 1.
set -u

missing=''
need() { missing="$missing $1"; }

has_header() {
    echo "#include <$1>" | ${CC:-cc} -E - >/dev/null 2>&1
}

command -v "${CC:-cc}" >/dev/null 2>&1 || need gcc
has_header stdio.h || need libc6-dev
has_header zlib.h || need zlib1g-dev
command -v mpicc.mpich >/dev/null 2>&1 || command -v "${MPICC:-mpicc}" >/dev/null 2>&1 || need libmpich-dev
command -v mpiexec.mpich >/dev/null 2>&1 || command -v "${MPIEXEC:-mpiexec}" >/dev/null 2>&1 || need mpich
if [ "${ARCHIVE:-1}" != 0 ]; then
    has_header archive.h || need libarchive-dev
    command -v bsdtar >/dev/null 2>&1 || need libarchive-tools # the tests make archives with it
fi
command -v g++ >/dev/null 2>&1 || need g++ # the tests run the CUDA backend on an emulated GPU
command -v xz >/dev/null 2>&1 || need xz-utils
command -v mandoc >/dev/null 2>&1 || need mandoc

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
