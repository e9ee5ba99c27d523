#!/bin/bash
# locales.sh: every script that is installed says the same where numbers have a comma (German) and where i has another
# capital letter (Turkish) as in the C locale; and so do the programs, and Python.
set -u
. tests/lib.sh
bin=$(realpath "$BIN")
here=$PWD
PATH=$bin:$PATH
export PYTHONPATH=$here/scripts/python PYTHONDONTWRITEBYTECODE=1
cd "$tmp" || exit 1

# locale LANGUAGE: makes it in a folder of the test; all programs of the C library find it there
export LOCPATH=$tmp/locales
mkdir locales
locale() {
    command -v localedef >/dev/null && localedef -i "$1" -f UTF-8 "locales/$1.UTF-8" >/dev/null 2>&1
    test "$(LC_ALL=$1.UTF-8 bash -c 'printf "%.1f" 1e0' 2>&1)" = 1,0
}

file='Müller İıĞ.txt'
rmatgen -q -s 9 -f text -o "$file"
edgeconv -q -u "$file" | dbfs-pack -q -p 2 -o g.dbfs -
dbfs-traverse -q -n 3 --json run.json --trace run.trace g.dbfs >/dev/null
dbfs-traverse -q -n 3 --seed 2 --json other.json g.dbfs >/dev/null
mkdir srun
printf '#!/bin/bash\nwhile [[ $1 == -* ]]; do [[ $1 != -[nN] ]] || shift; shift; done\nSLURM_PROCID=0 SLURM_LOCALID=0 exec "$@"\n' >srun/srun
chmod +x srun/srun

# All that is compared. Seconds are other ones each time: what is left of them is whether they are 0.
said() {
    local seconds='s/[0-9.]+(e-[0-9]+)? s\b/SECONDS/g'
    dbfs --no-cache -r 7 -o - "$file"
    dbfs --no-cache -r 7 "$file" | sed -E "s/ 0 s/ NONE/; $seconds"
    dbfs --no-cache -n 3 "$file" | sed -E "s/ 0 s/ NONE/; $seconds"
    dbfs --cache kept -q -r 7 -o - "$file"
    ls kept
    dbfs --no-cache -q -n 5 --centrality - "$file"
    dbfs --no-cache -v -q -r 7 "$file" 2>&1 | grep -o 'edgeconv .* | dbfs-pack'
    dbfs-report graph500 run.json
    dbfs-report means run.json other.json
    dbfs-report compare run.json other.json
    dbfs-report levels run.trace
    dbfs-model rmat --rmat 20 -t 24
    bash "$here/scripts/dataset.sh" --list
    SLURM_NTASKS=1 SLURM_JOB_NUM_NODES=1 PATH=$PWD/srun:$PATH bash "$here/scripts/slurm-search.sh" "$PWD/g.dbfs" -q -n 3 | grep checksum
    degsplit -q --suggest "$file.edges"
    dbfs-pack --list g.dbfs
    dbfs-traverse -q --plan g.dbfs
    ! python3 -c 'import numpy' 2>/dev/null || python3 -c '
import locale
locale.setlocale(locale.LC_ALL, "")
import dbfs
with dbfs.open("g.dbfs") as g:
    print([int(d) for d in g.search(7)[0]])
'
} 2>&1
edgeconv -q -u -o "$file.edges" "$file"
LC_ALL=C.UTF-8 said >want
check 'each command of the list prints something' test "$(wc -l <want)" -gt 600
check 'no command of the list fails' eval '! grep -inE "usage|error|traceback|not found" want'
check 'searches in the list take longer than 0 s' grep -q 'levels [0-9]*, SECONDS$' want
check "file names are printed in the letters of the user's locale" grep -q "edgeconv .*Müller.* | dbfs-pack" want
for language in de_DE tr_TR; do
    if ! locale $language; then
        skip "$language: localedef cannot make this locale here"
        continue
    fi
    LC_ALL=$language.UTF-8 said >got
    check "$language: the scripts and programs say the same" diff want got
done
if locale de_DE; then
    (unset LC_ALL && LANG=de_DE.UTF-8 said >got)
    check 'LANG=de_DE.UTF-8 alone changes no output' diff want got
fi
cd "$here" || exit 1
check 'scripts that work with numbers or order set the C locale' test -z "$(
    grep -lE '\b(awk|sort|comm)\b|TIMEFORMAT|%\.[0-9]' scripts/*.sh scripts/experiments/*.sh tools/*.sh | xargs grep -l '^#!' |
        xargs grep -LE '^(export )?LC_ALL=C|^\. .*lib\.sh')"
finish
