#!/bin/bash
# settings.sh: after another CUDA, ARCHIVE, compiler, MPI or CFLAGS in the same folder, make builds what depends on that
# again, and nothing else. Compilers that only note what they make stand in for real ones.
set -u
. tests/lib.sh
if [ -e config.mk ]; then
    skip 'make builds again what a setting changes: config.mk has its own settings'
    finish
fi
for name in cc other-cc mpicc other-mpicc nvcc; do
    cat >"$tmp/$name" <<END
#!/bin/sh
while [ \$# -gt 0 ]; do
    [ "\$1" != -o ] || [ "\$2" = /dev/null ] || { echo "$name \${2#$tmp/build/}" >>"$tmp/made" && : >"\$2"; }
    shift
done
END
    chmod +x "$tmp/$name"
done
printf '#!/bin/sh\necho "ar ${2#%s/build/}" >>%s/made && : >"$2"\n' "$tmp" "$tmp" >"$tmp/ar"
chmod +x "$tmp/ar"

# built VARIABLE=VALUE...: makes edgeconv and dbfs-traverse; $tmp/made has what was made, with the program that made it
built() {
    : >"$tmp/made"
    env -u MAKEFLAGS -u MFLAGS -u MAKEOVERRIDES -u CUDA -u NVCC -u ARCHIVE -u CC -u MPICC -u CFLAGS -u BUILD -u LDFLAGS -u LDLIBS -u CUDA_ARCH -u NVCCFLAGS make -s settings_revision=fixed \
        BUILD="$tmp/build" CC="$tmp/cc" MPICC="$tmp/mpicc" NVCC="$tmp/nvcc" AR="$tmp/ar" CUDA=0 "$@" \
        "$tmp/build/bin/edgeconv" "$tmp/build/bin/dbfs-traverse" >"$tmp/out" 2>"$tmp/err"
    code=$?
}
# wanted NAME LINE...: exactly these were made; '@PROGRAM FOLDER SUFFIX' stands for all files of a folder
wanted() {
    local name=$1 line
    for line in "${@:2}"; do
        case $line in
        @*) find $(cut -d ' ' -f 2 <<<"$line") -name "*.${line##* }" ! -name cuda_plan.c ! -name cuda_traits.c |
            sed "s/\.c$/.o/; s/\.cu$/.cu.o/; s/^/$(cut -d ' ' -f 1 <<<"${line#@}") /" ;;
        *) echo "$line" ;;
        esac
    done | sort >"$tmp/wanted"
    sort "$tmp/made" >"$tmp/sorted"
    check "$name" sh -c 'test "$1" = 0 && diff "$2" "$3"' - "$code" "$tmp/wanted" "$tmp/sorted"
}

check_exit 0 'make builds with compilers that stand in' built
check 'make compiles each source once' test "$(grep -c '\.o$' "$tmp/made")" = "$(grep '\.o$' "$tmp/made" | sort -u | wc -l)" \
    -a "$(wc -l <"$tmp/made")" -gt 150
built
wanted 'make builds nothing twice with the same settings'

built CUDA=1
wanted 'CUDA=1 after CUDA=0 compiles what knows CUDA, and links what searches' '@cc traverse/cuda c' '@nvcc traverse/cuda cu' \
    'cc traverse/session/backend_choose.o' 'mpicc bin/dbfs-traverse'
built
wanted 'CUDA=0 after CUDA=1 leaves CUDA out again' 'cc traverse/session/backend_choose.o' 'mpicc bin/dbfs-traverse'
built CUDA=1 CUDA_ARCH=-arch=sm_80
wanted 'another CUDA_ARCH compiles the kernels, and CUDA=1 again no other file of the backend' '@nvcc traverse/cuda cu' \
    'cc traverse/session/backend_choose.o' 'mpicc bin/dbfs-traverse'
built
built ARCHIVE=0
wanted 'ARCHIVE=0 after ARCHIVE=1 takes libarchive out of edgeconv, and no other program is linked' \
    'cc tools/convert/input/archive_none.o' 'ar libtools.a' 'cc bin/edgeconv'
built
wanted 'ARCHIVE=1 after ARCHIVE=0 reads archives again' 'ar libtools.a' 'cc bin/edgeconv'
built shared_src=traverse/cpu/unique.c
wanted 'dbfs-traverse is linked again where a source is gone' 'mpicc bin/dbfs-traverse'
built
built MPICC="$tmp/other-mpicc"
wanted 'another MPICC compiles what sees MPI, and links all' '@other-mpicc formats/mpi c' 'ar libdbfsmpi.a' \
    'cc bin/edgeconv' 'other-mpicc bin/dbfs-traverse'
built
all=$(find "$tmp/build" -name '*.o' ! -name 'archive_none.o' ! -path '*/cuda/*/*' | wc -l)
for setting in CC="$tmp/other-cc" CFLAGS=-O1 CPPFLAGS=-DX="'a b'"; do
    built -n "$setting"
    check "another ${setting%%=*} compiles every file" test "$(grep -c ' -c -o ' "$tmp/out")" = "$((all + 2))"
done
built
wanted 'make -n with other settings changes nothing'
finish
