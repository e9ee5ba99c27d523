#!/bin/bash
# install.sh: make install, uninstall, dist and deb; completions; installed programs find their data.
set -u
. tests/lib.sh
bin=$(realpath "$BIN")
settings=(--no-print-directory -s "BUILD=$BUILD" "CUDA=${CUDA:-0}" "ARCHIVE=${ARCHIVE:-1}")
[ -z "${NVCC:-}" ] || settings+=("NVCC=$NVCC")

for variable in PREFIX prefix; do
    check "make install $variable=" make "${settings[@]}" "DESTDIR=$tmp/$variable" $variable=/opt/dbfs install
done
check 'PREFIX and prefix mean the same' diff -r "$tmp/PREFIX" "$tmp/prefix"
root=$tmp/prefix/opt/dbfs
for program in dbfs dbfs-batch dbfs-check dbfs-components dbfs-dataset dbfs-diameter dbfs-graph500 dbfs-model dbfs-pack dbfs-paths dbfs-report dbfs-traverse degsplit edgeconv \
    rmatgen; do
    check "$program is there" test -x "$root/bin/$program"
    check "$program has a page" test -s "$root/share/man/man1/$program.1"
    check "$program runs from there" "$root/bin/$program" --help
done
check 'the overview is there' test -s "$root/share/man/man7/dbfs.7"
check 'dbfs-dataset has its table' test "$("$root/bin/dbfs-dataset" --list | wc -l)" -gt 50
check 'dbfs-dataset has the graphs that ship' "$root/bin/dbfs-dataset" wordnet-3.0 "$tmp/wordnet"
check 'dbfs-dataset packs a graph that ships' test -s "$tmp/wordnet/wordnet-3.0-p1.dbfs/manifest"
check 'the graphs that ship stay where they are' test -s "$root/share/dbfs/datasets/wordnet-3.0.txt"
if python3 -c 'import numpy' 2>/dev/null; then
    check 'the Python module finds the programs' env PATH="$root/bin:$PATH" PYTHONPATH="$(dirname "$(dirname "$(find "$root/lib" -name _pack.py)")")" \
        PYTHONDONTWRITEBYTECODE=1 python3 -c "import dbfs
dbfs.pack([[0, 1]], '$tmp/python.dbfs')
assert dbfs.open('$tmp/python.dbfs').search(0).distances.tolist() == [0, 1]"
else
    skip 'the Python module finds the programs: no python3 with numpy'
fi
mkdir "$tmp/-t"
check 'the demo runs from there, and takes a relative TMPDIR that begins with -' \
    sh -c 'cd "$1" && shift && "$@"' - "$tmp" env TMPDIR=-t MPIEXEC="$MPIEXEC" "$root/share/doc/dbfs/examples/demo.sh"

# ---- completions ----

completes() { # NAME WANT WORD...: completes the last word of a command line
    local want=$2
    COMP_WORDS=("${@:3}") COMP_CWORD=$(($# - 3)) COMPREPLY=()
    _dbfs_complete "$3" "${@: -1}" "${@: -2:1}" 2>/dev/null
    check "$1 (${COMPREPLY[*]:0:4})" test "$(printf '%s\n' "${COMPREPLY[@]}" | grep -cxF -e "$want")" = 1
}
PATH=$root/bin:$PATH
. "$root/share/bash-completion/completions/dbfs-pack"
completes 'bash completes options' --encoding dbfs-pack --enc
completes 'those of dbfs' --compact dbfs --com
completes 'those that dbfs passes on' --exchange-form dbfs --exchange-f
completes 'all of them' --warm-up dbfs-traverse --
completes 'values' packed dbfs-pack --encoding pa
completes 'options of a script' --clock dbfs-report --clo
completes 'values of a switch' list dbfs-model --form li
completes 'options of dbfs-batch' --centrality dbfs-batch --cen
completes 'options of dbfs-graph500' --construction-time dbfs-graph500 --con
completes 'options of dbfs-paths' --one-sided dbfs-paths --one
completes 'values of one program' symmetric edgeconv --direction s
completes 'and of dbfs-dataset' directed dbfs-dataset --direction d
completes 'the steps of dbfs-dataset' download dbfs-dataset --to d
completes 'formats of edgeconv' graph500 edgeconv --to g
completes 'values of the table of options' bits dbfs-traverse --exchange-form b
completes 'and of dbfs-graph500' pull dbfs-graph500 --direction pul
(
    cd "$tmp" && for before in 'S/touch ran #/e;#' '-S/w ran' 'a/b'; do
        COMP_WORDS=(dbfs-pack "$before" x) COMP_CWORD=2
        _dbfs_complete dbfs-pack x "$before" 2>>"$tmp/completed"
    done
)
check 'a path before the word is no program of sed, whatever its signs' sh -c '! [ -e "$1/ran" ] && ! grep sed "$1/completed"' - "$tmp"
touch "$tmp/some.edges"
completes 'files' "$tmp/some.edges" dbfs-pack "$tmp/some.e"
if command -v zsh >/dev/null 2>&1; then
    check 'zsh loads its completions' zsh -fc "fpath=('$root/share/zsh/site-functions' \$fpath); autoload -Uz compinit && compinit -u -d '$tmp/zcompdump' && [[ \$_comps[dbfs-pack] = _dbfs ]]"
else
    skip 'completions of zsh: not installed'
fi

# ---- uninstall, dist, deb ----

version=$("$root/bin/dbfs" --version) && version=${version##* }
installed=$(ls "$root/bin" | wc -l)
check 'make uninstall ends with 0' make "${settings[@]}" "DESTDIR=$tmp/prefix" prefix=/opt/dbfs uninstall
check "make uninstall leaves no file ($(find "$tmp/prefix" ! -type d | head -3))" test -z "$(find "$tmp/prefix" ! -type d)"
if git rev-parse >/dev/null 2>&1; then
    check 'make dist ends with 0' make "${settings[@]}" dist
    mkdir "$tmp/dist"
    tar -C "$tmp/dist" -xzf "$BUILD/dbfs-$version.tar.gz"
    check 'make dist has the version of the programs' grep -qxF "#define DBFS_VERSION \"$version\"" "$tmp/dist/dbfs-$version/formats/base/cli.h"
    check 'make dist has the sources' test -s "$(ls -d "$tmp"/dist/dbfs-*)/Makefile"
    check 'all that git has' test "$(find "$tmp/dist" ! -type d | wc -l)" = "$(git ls-files | wc -l)"
else
    skip 'make dist: no git'
fi
if command -v dpkg-shlibdeps >/dev/null 2>&1 && [ "${CUDA:-0}" = 0 ]; then
    check 'make deb ends with 0' make "${settings[@]}" deb
    package=$(ls -t "$BUILD"/dbfs_*.deb | head -1)
    check 'the Debian package has the version of the programs, before that of a release' \
        test "$(dpkg-deb -f "$package" Version)" = "${version/-dev/\~dev}" -a "$(dpkg-deb --fsys-tarfile "$package" | tar -xO ./usr/bin/edgeconv | strings | grep -xF "$version")" = "$version"
    check 'the Debian package suggests gnuplot' test -n "$(dpkg-deb -f "$package" Suggests | grep -o 'gnuplot-nox | gnuplot')"
    check 'the Debian package names its libraries' test -n "$(dpkg-deb -f "$package" Depends | grep -o 'libc6')"
    check 'the Debian package has the programs' test "$(dpkg-deb -c "$package" | grep -c ' ./usr/bin/.')" = "$installed"
else
    skip 'make deb: needs dpkg-dev, and is tried without CUDA'
fi
finish
