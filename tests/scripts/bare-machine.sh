#!/bin/bash
# bare-machine.sh: on a machine without compilers or libraries, make says what is missing before it compiles; elsewhere
# it looks once.
set -u
. tests/lib.sh
if [ -e config.mk ]; then
    skip 'what make needs: config.mk has its own settings'
    finish
fi
object=$tmp/build/formats/base/text.o

# Compilers that know only some headers, and note each call
compiler() { # NAME HEADER...: has no other header than these
    local name=$1
    shift
    cat >"$tmp/$name" <<END
#!/bin/sh
echo "\$@" >>"$tmp/calls"
case "\$*" in *' -c '*) while [ "\$1" != -o ]; do shift; done; : >"\$2"; exit ;; esac
header=\$(sed -n 's/#include <\\(.*\\)>/\\1/p')
case " $* " in *" \$header "*) exit 0 ;; *) exit 1 ;; esac
END
    chmod +x "$tmp/$name"
}
built() { # VARIABLE=VALUE...: makes one object in a folder of its own
    rm -f "$tmp/calls"
    env -u MAKEFLAGS -u MFLAGS -u MAKEOVERRIDES -u CUDA -u NVCC -u ARCHIVE -u CC -u MPICC -u CFLAGS make --no-print-directory \
        BUILD="$tmp/build" NVCC= "$@" "$object"
}
compiler all stdio.h zlib.h archive.h mpi.h omp.h
compiler bare omp.h
compiler no-archive stdio.h zlib.h mpi.h omp.h
compiler no-mpi stdio.h zlib.h archive.h omp.h

check_exit 2 'without a compiler make' built CC="$tmp/none" MPICC="$tmp/all"
check_says 'make: cannot build here: CC=.*/none: no such compiler'
check_exit 2 'without headers' built CC="$tmp/bare" MPICC="mpicc.mpich.none"
check_says 'missing: libc6-dev zlib1g-dev libarchive-dev'
check_says 'make: `make demo` installs them, as root or with sudo, and builds'
check_says '`make ARCHIVE=0` builds without libarchive'
check 'nothing was compiled' sh -c '! grep -q -e " -c " "$1" && [ ! -e "$2" ]' - "$tmp/calls" "$object"
check_exit 2 'without MPI' built CC="$tmp/no-mpi" MPICC=mpicc.openmpi.none
check_says 'missing: libopenmpi-dev'
check_exit 2 'without libarchive' built CC="$tmp/no-archive" MPICC="$tmp/all"
check_exit 0 'ARCHIVE=0 does not need it' built CC="$tmp/no-archive" MPICC="$tmp/all" ARCHIVE=0
check_exit 2 'CUDA=1 without nvcc' built CC="$tmp/all" MPICC="$tmp/all" CUDA=1
check_says 'CUDA=1 needs nvcc'
rm -f "$object"
check_exit 0 'a compiler with options, and flags that say where headers are' \
    built CC="$tmp/all -m64" MPICC="$tmp/all -v" CPPFLAGS=-I/opt/include CFLAGS='-O2 -DTEXT="x"'
check "$situation: deps.sh looks with these flags" grep -q -e '^-m64 -I/opt/include -O2 -DTEXT="x" -E -$' "$tmp/calls"
check "$situation: make compiles" test -e "$object"
check_exit 0 'the next time' built CC="$tmp/all -m64" MPICC="$tmp/all -v" CPPFLAGS=-I/opt/include CFLAGS='-O2 -DTEXT="x"'
check "$situation: make looks for no headers, and compiles nothing" sh -c '! grep -q -e " -E -" -e " -c " "$1" 2>/dev/null' - "$tmp/calls"
for goal in help clean; do
    check_exit 0 "make $goal needs no compiler" make --no-print-directory BUILD="$tmp/build" CC="$tmp/none" MPICC="$tmp/none" $goal
done
finish
