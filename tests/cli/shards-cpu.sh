#!/bin/bash
# shards-cpu.sh: several shards on CPUs find the same as one, by each way of pushes and vertices: marks or bins, masks
# or lists, one thread or several; parents are proved.
set -u
in_memory_mib=1024
. tests/lib.sh

# search P RANKS OPTION...: compares the checksum of distances, and trees
search() {
    local p=$1 ranks=$2 root launch=
    shift 2
    [ "$ranks" = 1 ] || launch="$MPIEXEC -n $ranks"
    rm -f "$tmp"/parents.*
    $launch "$BIN/dbfs-traverse" --backend cpu -q -r "$roots" "$@" --parents "$tmp/parents.%d" "$tmp/graph-$p" \
        >"$tmp/out" 2>"$tmp/err" || { echo "$p shards, $ranks ranks, $*: $(cat "$tmp/err")"; return 1; }
    sed -n 's/^distance_checksum: //p' "$tmp/out" >>"$tmp/checksums"
    for root in ${roots//,/ }; do
        "$BIN/dbfs-check" -q -r "$root" --parents "$tmp/parents.$root" "$tmp/edges" >"$tmp/out" 2>&1 ||
            { echo "$p shards, $ranks ranks, $*: $(cat "$tmp/out")"; return 1; }
    done
}

settings() {
    search 1 1 -@ 2 && search 2 1 -@ 2 && search 2 2 -@ 1 && search 2 2 -@ 3 && search 3 1 -@ 1 &&
        search 4 2 -@ 2 && search 4 4 -@ 1 && search 8 1 -@ 2 && search 8 2 -@ 1 || return 1
    search 2 2 -@ 2 --exchange-form bits --direction push && search 4 1 -@ 3 --exchange-form bits --direction push &&
        search 2 1 -@ 3 --exchange-form list --direction push && search 4 2 -@ 1 --direction pull || return 1
    search 4 2 -@ 1 --exchange-memory host --exchange-form bits --direction push &&
        search 4 4 -@ 1 --exchange-memory host && search 4 2 -@ 2 --uniquify --local-all2all --exchange-form list ||
        return 1
    search 2 1 -@ 2 -S 32M && search 2 2 -@ 1 --factor0 dd=0,dn=0,nd=0,nn=0
}

check_graph() { # NAME TH: the edges are $tmp/edges
    local p bad=0
    rm -rf "$tmp"/graph-* "$tmp/checksums"
    for p in 1 2 3 4 8; do
        "$BIN/dbfs-pack" -q -p "$p" -t "$2" -o "$tmp/graph-$p" "$tmp/edges" || bad=1
    done
    settings >"$tmp/why" 2>&1 || { bad=1; echo "    $1: $(head -c 600 "$tmp/why")"; }
    check "$1: the trees of all shards are right" test $bad = 0
    check "$1: $(wc -l <"$tmp/checksums") searches have one checksum" \
        test "$(sort -u "$tmp/checksums" | wc -l)" = 1
}

roots=5,1000
"$BIN/rmatgen" -q -s 14 -A .25 -B .25 -C .25 -o "$tmp/edges"
check_graph 'uniform, no delegates' inf
check_graph 'uniform, all delegates' 0
"$BIN/rmatgen" -q -s 13 --force -o "$tmp/edges"
roots=$("$BIN/dbfs-pack" -q -p 1 -o "$tmp/first" "$tmp/edges" && "$BIN/dbfs-traverse" -q -n 2 --json - "$tmp/first" |
    sed -n 's/.*{"root": \([0-9]*\),.*/\1/p' | paste -sd ,)
check_graph 'RMAT, some delegates' 16
check_graph 'RMAT, no delegates' inf

# Prints the directions of one subgraph, a word a level, or "." where it has no frontier.
directions() { # GRAPH-NUMBER SUBGRAPH OPTION...
    local p=$1 of=$2
    shift 2
    "$BIN/dbfs-traverse" --backend cpu -q -r "${roots%%,*}" "$@" --trace - "$tmp/graph-$p" |
        sed -n "s/.*\"$of\": {\"direction\": \"\([a-z]*\)\".*/\1/p" | tr '\n' ' '
}

costs=$(directions 2 nn -@ 1)
never=$(directions 2 nn -@ 1 --factor0 nn=1e9)
check "directions of two shards follow costs" test "${costs/pull/}" != "$costs"
check 'directions of two shards follow factors, if they are given' test "${never/pull/}" = "$never" -a -n "$never"

finish
