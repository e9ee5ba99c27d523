#!/bin/bash
# no-memory.sh: runs each program once for each of its allocations and lets that one fail. It must exit with 5 or do
# without that memory, and never end by a signal. The same holds if one of two ranks fails.
set -u
in_memory_mib=512 # packs hundreds of graphs, and each is synced
. tests/lib.sh
pack=$(realpath "$BIN/dbfs-pack")
shim=$(realpath "$TESTS/fail_alloc.so")

if grep -q __asan_init "$pack"; then
    skip 'failing allocations: the sanitizer has its own'
    finish
fi

printf '%s\n' '0 1' '1 2' '2 0' '2 3' '3 4' '4 5' '2 5' '2 6' '2 7' '8 2' |
    "$BIN/edgeconv" -q -u -o "$tmp/g.edges"
options=(-q -@ 1 -p 2 -t 3 -o "$tmp/x" "$tmp/g.edges")

# ALLOCATION: fails in the one process, or in the second of two ranks
alone() { timeout 60 env LD_PRELOAD="$shim" FAIL_ALLOC="$1" "$pack" "${options[@]}"; }
second() {
    timeout 60 "$MPIEXEC" -n 1 "$pack" "${options[@]}" : \
        -n 1 env LD_PRELOAD="$shim:${YIELD_MPI:-}" FAIL_ALLOC="$1" "$pack" "${options[@]}"
}

# stride SHORT [LONG]: each so-manieth allocation is tried; in long mode all of them
stride() { [ "${TEST_MODE:-short}" = long ] && echo "${2:-1}" || echo "$1"; }

# walk HOW STEP NAME: tries each STEP-th allocation; $tmp/count has their number
walk() {
    local how=$1 step=$2 name=$3 n code failed=0 bad=
    for n in $(seq 1 "$step" "$(cat "$tmp/count")"); do
        rm -rf "$tmp/x"
        code=0
        $how "$n" >"$tmp/out" 2>"$tmp/err" </dev/null || code=$?
        [ $code = 5 ] && failed=$((failed + 1))
        [ $code = 0 ] || [ $code = 5 ] || bad="$bad $n:exit$code"
        # a graph with a manifest is whole
        if [ $code = 0 ] || [ -e "$tmp/x/manifest" ]; then
            "$pack" -q --verify "$tmp/x" >&2 || bad="$bad $n:unsound"
        fi
    done
    check "$name: each exits with 5 or succeeds ($bad )" test -z "$bad"
    check "$name: many allocations fail with 5 ($failed)" test "$failed" -gt 20
}

export FAIL_ALLOC_COUNT=$tmp/count
check 'a packing whose allocations are counted' alone 0
unset FAIL_ALLOC_COUNT
walk alone 1 'one process'
# two ranks take long to start, so short mode tries a sixth of the allocations, and long mode a third
walk second "$(stride 6 3)" 'one rank of two'

# ---- other programs: exit 5 or success, a message, and nothing left in files or memory ----

printf '%s\n' '#include <stdlib.h>' 'int main(void) { free(malloc(9)); return malloc(7) == NULL; }' >"$tmp/leak.c"
if "${CC:-cc}" -O0 -o "$tmp/leak" "$tmp/leak.c" 2>/dev/null; then
    env LD_PRELOAD="$shim" FAIL_ALLOC_LEFT="$tmp/left" "$tmp/leak"
    check 'what is not freed is seen' grep -q '^7 bytes at ' "$tmp/left"
fi

# one COMMAND: in this process; two COMMAND: in the second of two ranks
one() { timeout 60 env LD_PRELOAD="$shim" "${shim_env[@]}" "$@"; }
two() { timeout 60 "$MPIEXEC" -n 1 "$@" : -n 1 env LD_PRELOAD="$shim:${YIELD_MPI:-}" "${shim_env[@]}" "$@"; }

# Open MPI's launcher ends the other ranks when one ends with an exit code
ends_others='processes exited with non-zero status'

# judge CODE N: adds the mistakes of the run with allocation N to $bad. A rank that ends the job has no time to free
# its memory.
judge() {
    [ "$1" = 0 ] || [ "$1" = 5 ] || bad="$bad $2:exit$1"
    [ "$1" = 0 ] || [ -s "$tmp/err" ] || bad="$bad $2:silent"
    [ "$1" = 0 ] || [ -z "$(find "$tmp/o" -mindepth 1 ! -path "$tmp/o/x*" -o -name '.*.??????')" ] ||
        bad="$bad $2:files"
    [ ! -s "$tmp/left" ] || bad="$bad $2:leak"
    [ -e "$tmp/left" ] || grep -q "rank [0-9]* on \|$ends_others" "$tmp/err" || bad="$bad $2:died"
}

# tool HOW STEP NAME PROGRAM ARGUMENT...: writes into $tmp/o; only names that begin with x may stay there
tool() {
    local how=$1 step=$2 name=$3 n code bad= failed=0 shim_env
    shift 3
    rm -rf "$tmp/o" "$tmp/left"
    mkdir "$tmp/o"
    shim_env=(FAIL_ALLOC_COUNT="$tmp/count" FAIL_ALLOC_LEFT="$tmp/left")
    check_exit 0 "$name: undisturbed" "$how" "$@"
    check 'all memory is freed' test -e "$tmp/left" -a ! -s "$tmp/left"
    for n in $(seq $((1 + RANDOM % step)) "$step" "$(cat "$tmp/count")"); do
        rm -rf "$tmp/o" "$tmp/left"
        mkdir "$tmp/o"
        code=0
        shim_env=(FAIL_ALLOC="$n" FAIL_ALLOC_LEFT="$tmp/left")
        "$how" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null || code=$?
        [ $code = 5 ] && failed=$((failed + 1))
        judge $code "$n"
    done
    check "$name: each of $(cat "$tmp/count") by $step exits with 5 or succeeds ($bad )" test -z "$bad"
    check "$name: some allocations fail with 5 ($failed)" test "$failed" -gt 0
}
rm -rf "$tmp/x"
"$pack" "${options[@]}"
printf '%s\n' '0 1' '1 2' '2 0' >"$tmp/g.txt"
gzip -k "$tmp/g.txt"
tool one 1 rmatgen "$BIN/rmatgen" -q -@ 1 -s 5 -o "$tmp/o/f.edges"
tool one 1 edgeconv "$BIN/edgeconv" -q -@ 1 -u -o "$tmp/o/f.edges" "$tmp/g.txt.gz"
tool one 1 'edgeconv --compact' \
    "$BIN/edgeconv" -q -@ 1 -u --compact="$tmp/o/f.map" -o "$tmp/o/f.edges" "$tmp/g.txt"
"$TESTS/mkwebgraph" "$tmp/web" 5 <"$tmp/g.txt"
tool one 1 'edgeconv of WebGraph' "$BIN/edgeconv" -q -@ 1 -u -o "$tmp/o/f.edges" "$tmp/web.graph"
tool one 1 degsplit "$BIN/degsplit" -q -@ 1 -p 2 -o "$tmp/o/f.split" "$tmp/g.edges"
tool one 1 dbfs-components "$BIN/dbfs-components" -q -@ 1 -o "$tmp/o/x" --sizes "$tmp/o/x.tsv" --largest "$tmp/o/f" "$tmp/g.edges"
"$BIN/edgeconv" -q --direction directed -o "$tmp/arcs.edges" "$tmp/g.txt"
tool one 1 'dbfs-components --strong' "$BIN/dbfs-components" -@ 1 --strong --json "$tmp/o/f" "$tmp/arcs.edges"
tool two "$(stride 5)" 'dbfs-components, two ranks' "$BIN/dbfs-components" -q -@ 1 -o "$tmp/o/f" "$tmp/g.edges"
tool one 1 'dbfs-pack --verify' "$pack" -q -@ 1 --verify "$tmp/x"
tool one 1 'dbfs-pack --list' "$pack" --list --json "$tmp/x"
tool one 1 'dbfs-pack --plan' "$pack" --plan "$tmp/g.edges"
tool two "$(stride 5)" 'degsplit, two ranks' "$BIN/degsplit" -q -@ 1 -p 2 -o "$tmp/o/f.split" "$tmp/g.edges"

# ---- spilling ----

"$BIN/rmatgen" -q -s 17 -e 20 -o "$tmp/large.edges"
tool one "$(stride 90 3)" 'dbfs-pack, spilling' \
    "$pack" -v -@ 1 -S 32M -T "$tmp" -p 2 -o "$tmp/o/x" "$tmp/large.edges"
rm -rf "$tmp/o"
mkdir "$tmp/o"
"$pack" -v -@ 1 -S 32M -T "$tmp" -p 2 -o "$tmp/o/x" "$tmp/large.edges" 2>"$tmp/err"
check_says 'spilled .* of edges to temporary files' 'dbfs-pack -S 32M spills, before allocations fail'
tool two "$(stride 150 9)" 'dbfs-pack, spilling, two ranks' \
    "$pack" -q -@ 1 -S 36M -T "$tmp" -p 2 -o "$tmp/o/x" "$tmp/large.edges"
awk 'BEGIN { for (i = 0; i < 450000; i++) print i * 7919 % 8999993, i * i % 8999993 }' >"$tmp/wide.txt"
"$BIN/edgeconv" -q -u -o "$tmp/wide.edges" "$tmp/wide.txt"
check_exit 0 'a plan for many vertices and little memory' "$BIN/degsplit" --plan -S 32M -@ 1 "$tmp/wide.edges"
check "$situation: vertices are in windows" grep -qE '^vertex-windows +[2-9]' "$tmp/out"
tool one "$(stride 40 2)" 'degsplit in windows' \
    "$BIN/degsplit" -q -@ 1 -S 32M -T "$tmp" -t 3 -o "$tmp/o/f.split" "$tmp/wide.edges"
tool one "$(stride 25 2)" 'dbfs-components in windows' \
    "$BIN/dbfs-components" -q -@ 1 -S 32M -T "$tmp" -o "$tmp/o/f.raw" "$tmp/wide.edges"
tool one "$(stride 1200 9)" 'edgeconv --compact, names on disk' "$BIN/edgeconv" -v -@ 1 -S 32M -T "$tmp" -u \
    --compact="$tmp/o/f.map" -o "$tmp/o/f.edges" "$tmp/wide.txt"

# ---- searches, and proofs of them ----

export OMP_WAIT_POLICY=passive # as in run.sh
if grep -qa cudaGetDevice "$BIN/dbfs-traverse"; then
    skip 'dbfs-traverse without memory: the CUDA runtime, which is part of the program, ends in its own way'
    finish
fi
traverse=$BIN/dbfs-traverse
"$traverse" --backend cpu -q -r 0 --depths "$tmp/depths" --parents "$tmp/parents.npy" "$tmp/x" >/dev/null 2>&1
tool one 1 'dbfs-check of a stream' "$BIN/dbfs-check" --depths "$tmp/depths" "$tmp/g.edges"
tool one 1 'dbfs-check of shards' "$BIN/dbfs-check" --parents "$tmp/parents.npy" "$tmp/x"
tool two "$(stride 7)" 'dbfs-check, two ranks' "$BIN/dbfs-check" --parents "$tmp/parents.npy" "$tmp/x"
tool one "$(stride 7)" dbfs-traverse "$traverse" --backend cpu -q -@ 1 -r 0 --parents "$tmp/o/f" "$tmp/x"
tool one "$(stride 25)" 'dbfs-traverse, two threads' "$traverse" --backend cpu -@ 2 -n 3 \
    --depths "$tmp/o/x-%d.npy" --json "$tmp/o/f" --breakdown --count-pairs "$tmp/x"
tool one "$(stride 5)" 'dbfs-traverse -g 1' "$traverse" --backend cpu -q -@ 1 -g 1 -r 0 --depths "$tmp/o/f" "$tmp/x"
tool one 1 'dbfs-traverse --plan' "$traverse" --plan "$tmp/x"
"$pack" -q -@ 1 -p 1 -t 3 -o "$tmp/y" "$tmp/g.edges"
tool one "$(stride 3)" 'dbfs-traverse --trace' "$traverse" --backend cpu -q -@ 1 -r 0 --breakdown \
    --trace "$tmp/o/f" "$tmp/y"
tool two "$(stride 40)" 'dbfs-traverse, two ranks' "$traverse" --backend cpu -q -@ 1 -n 2 \
    --parents "$tmp/o/x-%d" "$tmp/x"
tool two "$(stride 8)" 'dbfs-traverse, two ranks, messages' "$traverse" --backend cpu -q -@ 1 -r 0 --exchange-memory host "$tmp/x"
seq 100 108 >"$tmp/names"
tool two "$(stride 12)" 'dbfs-traverse, two ranks, names' "$traverse" --backend cpu -q -@ 1 -r 102 \
    --map "$tmp/names" --depths "$tmp/o/x" "$tmp/x"
tool one "$(stride 25)" dbfs-graph500 \
    "$BIN/dbfs-graph500" --backend cpu -q -@ 1 -n 2 --no-energy --json "$tmp/o/f" "$tmp/x"
tool two "$(stride 9)" 'dbfs-graph500, two ranks' \
    "$BIN/dbfs-graph500" --backend cpu -q -@ 1 -n 2 --no-energy --json "$tmp/o/f" "$tmp/x"

tool one "$(stride 4)" dbfs-diameter "$BIN/dbfs-diameter" --backend cpu -q -@ 1 --all "$tmp/o/x" --json "$tmp/o/f" "$tmp/x"
printf '%s\n' '0 1' '1 2' '2 0' '2 3' '3 4' '4 5' '5 4' '6 2' '7 6' | "$BIN/edgeconv" -q --direction directed |
    "$pack" -q -@ 1 -p 1 -t 3 -o "$tmp/arcs" -
tool one "$(stride 7)" 'dbfs-diameter, directed' "$BIN/dbfs-diameter" --backend cpu -q -@ 1 --all "$tmp/o/x" --json "$tmp/o/f" "$tmp/arcs"
tool one "$(stride 4)" dbfs-paths "$BIN/dbfs-paths" -q -@ 1 -n 2 --path --json "$tmp/o/f" "$tmp/x"
tool two "$(stride 20)" 'dbfs-traverse, two ranks, a list' "$traverse" --backend cpu -q -@ 1 -r 0 --max-depth 2 \
    --list-reached "$tmp/o/x" "$tmp/x"
tool one "$(stride 7)" 'dbfs-batch, tables' "$BIN/dbfs-batch" --backend cpu -q -@ 1 -n all --reached "$tmp/o/x" --hops "$tmp/o/x2" \
    -t 103 -t 104 --depths "$tmp/o/x3" --map "$tmp/names" "$tmp/x"
tool two "$(stride 30)" 'dbfs-batch, tables, two ranks' "$BIN/dbfs-batch" --backend cpu -q -@ 1 -n 4 --batch 2 --reached "$tmp/o/x" \
    -t 3,4 --depths "$tmp/o/x3.npy" "$tmp/x"
tool two "$(stride 40)" 'dbfs-batch --distribute, two ranks' "$BIN/dbfs-batch" --backend cpu -q -@ 1 --distribute -n 4 --batch 2 \
    --reached "$tmp/o/x" -t 103 -t 104 --map "$tmp/names" --depths "$tmp/o/x3" "$tmp/x"
tool two "$(stride 30)" 'dbfs-batch, distances and parents, two ranks' "$BIN/dbfs-batch" --backend cpu -q -@ 1 -n 4 --batch 1 \
    --depths "$tmp/o/x" --parents "$tmp/o/x" "$tmp/x"
tool two "$(stride 40)" 'dbfs-batch --distribute, two ranks, distances' "$BIN/dbfs-batch" --backend cpu -q -@ 1 --distribute -n 4 \
    --depths "$tmp/o/x" "$tmp/x"
tool one "$(stride 7)" 'dbfs-batch --sample' "$BIN/dbfs-batch" --backend cpu -q -@ 1 --sample 5 --centrality "$tmp/o/x" "$tmp/x"

tool two "$(stride 40)" 'dbfs-traverse, two ranks, nearest roots' "$traverse" --backend cpu -q -@ 1 -n 8 --together \
    --nearest "$tmp/o/x" "$tmp/x"

# ---- one rank fails before MPI has started ----

mkdir "$tmp/here" "$tmp/there"
echo 3 >"$tmp/here/roots"
rank() { echo -wdir "$tmp/$1" -n 1 "$(realpath "$traverse")" --backend cpu -q -@ 1 --roots-from roots "$tmp/x"; }
check_exit 1 'a file of roots that one rank cannot read' \
    timeout 30 "$MPIEXEC" $(rank here) : $(rank there)
check_says 'rank 1 on .*: roots: cannot open'
# ---- files of roots and of pairs ----

"$BIN/dbfs-pack" -q -p 1 -o "$tmp/roots" <("$BIN/rmatgen" -q -s 8 -o -)
# check_exit gives its command no input
more() { timeout 60 "$@" < <(yes "$text" 2>/dev/null); }
text=1 check_exit 5 'roots without end' more "$BIN/dbfs-traverse" --backend cpu -S 32M --roots-from - "$tmp/roots"
check_says 'standard input: takes more than 16.0 MiB, half of the memory budget (-S)'
text='1 2' check_exit 5 'pairs without end' more "$BIN/dbfs-paths" --backend cpu -S 32M --pairs - "$tmp/roots"
check_says 'standard input: takes more than 16.0 MiB, half of the memory budget (-S)'
# a message about one array names an -S that is enough for the whole search
"$BIN/rmatgen" -q -s 17 | "$BIN/dbfs-pack" -q -p 2 --force -o "$tmp/s17" -
for options in '' '--answer parents'; do
    check_exit 5 "1 MiB is too little for a search $options" "$BIN/dbfs-traverse" --backend cpu -r 3 -S 1M $options "$tmp/s17"
    enough=$(sed -n 's/.*; -S \([0-9]*M\) is enough for a search.*/\1/p' "$tmp/err")
    check_exit 0 "the -S that the message names (${enough:-none}) is enough" \
        "$BIN/dbfs-traverse" --backend cpu -r 3 -S "${enough:-1M}" $options "$tmp/s17"
done
finish
