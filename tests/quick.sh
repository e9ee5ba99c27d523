#!/bin/bash
# quick.sh: tests a bit of everything for `make quick`: one graph goes through all programs, on CPUs and emulated
# GPUs, with one rank and two, and results are those of the oracle.
set -u
. tests/lib.sh
here=$PWD
dbfs=$(realpath "$BIN/dbfs")
roots=7,0

# ---- edges ----

check_exit 0 rmatgen "$BIN/rmatgen" -q -s 12 -f text -o "$tmp/text"
check_exit 0 'edgeconv, undirected' "$BIN/edgeconv" -q -u -o "$tmp/edges" "$tmp/text"
check_exit 0 'edgeconv turns a stream into text' "$BIN/edgeconv" -q -t text -o "$tmp/back" "$tmp/edges"
check "$situation: edges are the same" cmp <(sort "$tmp/text") <(sort "$tmp/back")
check_exit 0 'edgeconv, directed' "$BIN/edgeconv" -q --direction directed -o "$tmp/arcs" "$tmp/text"
check_exit 0 'arcs are packed as they are' "$BIN/dbfs-pack" -q -p 1 -o "$tmp/arcs1" "$tmp/arcs"
check_exit 0 'directed shards are searched from tail to head' "$BIN/dbfs-traverse" -q -@ 1 --backend cpu -r 7 --depths "$tmp/depths" \
    --parents "$tmp/parents" "$tmp/arcs1"
check "$situation: parents are a tree" "$TESTS/treecheck" -d "$tmp/text" 7 "$tmp/depths" "$tmp/parents"
check_exit 0 'dbfs-check accepts results of a directed search' "$BIN/dbfs-check" -q --depths "$tmp/depths" --parents "$tmp/parents" "$tmp/arcs"
check_exit 0 'arcs as undirected edges' "$BIN/edgeconv" -q -u --force -o "$tmp/again" "$tmp/arcs"
"$BIN/edgeconv" -q -t text --force -o "$tmp/back" "$tmp/again"
check "$situation: edges are the same" cmp <(sort "$tmp/text") <(sort "$tmp/back")
gzip -c "$tmp/text" >"$tmp/text.gz"
check_exit 0 'edgeconv of what is compressed' "$BIN/edgeconv" -q -u --force -o "$tmp/again" "$tmp/text.gz"
check "$situation: edges are the same" cmp "$tmp/edges" "$tmp/again"
"$TESTS/oracle" -o "$tmp/oracle.%d" "$tmp/text" $roots >"$tmp/out" 2>&1 || fail 'the oracle'

# all roots of the oracle are in the largest component
check_exit 0 dbfs-components "$BIN/dbfs-components" -q -@ 2 -o "$tmp/components" "$tmp/edges"
check 'the largest component is what the oracle reaches' \
    cmp <(awk '$2 == 0 { print $1 }' "$tmp/components") <(awk '$2 >= 0 { print $1 }' "$tmp/oracle.7")

# ---- shards ----

check_exit 0 degsplit "$BIN/degsplit" -q -p 2 -o "$tmp/split" "$tmp/edges"
check_exit 0 'two ranks of degsplit' timeout 120 "$MPIEXEC" -n 2 "$BIN/degsplit" -q -@ 1 -p 2 -o "$tmp/split2" "$tmp/edges"
check 'two ranks of degsplit write the same split' cmp "$tmp/split" "$tmp/split2"
check_exit 0 'dbfs-pack' "$BIN/dbfs-pack" -q -p 1 -o "$tmp/g1" "$tmp/edges"
check_exit 0 'two shards' "$BIN/dbfs-pack" -q -p 2 -s "$tmp/split" -o "$tmp/g2" "$tmp/edges"
check_exit 0 'two ranks of dbfs-pack' timeout 120 "$MPIEXEC" -n 2 "$BIN/dbfs-pack" -q -@ 1 -p 2 -s "$tmp/split" \
    -o "$tmp/ranks" "$tmp/edges"
check 'two ranks of dbfs-pack write the same bytes' diff -r "$tmp/g2" "$tmp/ranks"
check_exit 0 '--verify' "$BIN/dbfs-pack" -q --verify "$tmp/g2"

# ---- searches ----

right() { # distances are the oracle's, and parents form a tree
    local root
    for root in ${roots//,/ }; do
        cmp "$tmp/depths.$root" "$tmp/oracle.$root" &&
            "$TESTS/treecheck" "$tmp/text" "$root" "$tmp/depths.$root" "$tmp/parents.$root" || return 1
    done
}
searches() { # BACKEND
    local layout ranks shards
    for layout in 1x1 1x2 2x1; do
        ranks=${layout%x*} shards=${layout#*x}
        rm -f "$tmp"/depths.* "$tmp"/parents.*
        check_exit 0 "$1, $ranks ranks of $shards shards" timeout 120 "$MPIEXEC" -n $ranks "$BIN/dbfs-traverse" -q -@ 1 \
            --backend $1 -g $shards -r $roots --depths "$tmp/depths.%d" --parents "$tmp/parents.%d" "$tmp/g$((ranks * shards))"
        check "$situation: distances are those of the oracle, and parents are trees" right
        check_exit 0 "dbfs-graph500 of $1, $ranks ranks of $shards shards" timeout 120 "$MPIEXEC" -n $ranks "$BIN/dbfs-graph500" -q -@ 1 --no-energy \
            --backend $1 -g $shards -n 2 "$tmp/g$((ranks * shards))"
    done
}
searches cpu
check_exit 0 dbfs-check "$BIN/dbfs-check" -q -r $roots --depths "$tmp/depths.%d" --parents "$tmp/parents.%d" "$tmp/edges"
check_exit 0 'dbfs-check of shards, by two ranks' timeout 120 "$MPIEXEC" -n 2 "$BIN/dbfs-check" -q -@ 1 -r $roots \
    --depths "$tmp/depths.%d" --parents "$tmp/parents.%d" "$tmp/g2"
sed '2s/\t.*/\t99/' "$tmp/depths.7" >"$tmp/wrong"
check_exit 4 'a wrong depth' "$BIN/dbfs-check" -q -r 7 --depths "$tmp/wrong" "$tmp/edges"

# ---- scripts ----

cd "$tmp" || exit 1
check_exit 0 dbfs "$dbfs" -q --no-cache -r 7 -o all text
check "$situation: distances are those of the oracle" cmp all oracle.7
cd "$here" || exit 1
"$BIN/dbfs-traverse" -q --backend cpu -r 7 --trace "$tmp/trace" "$tmp/g1" >"$tmp/out" 2>&1
check_exit 0 dbfs-report "$BIN/dbfs-report" levels "$tmp/trace"
check "$situation: prints levels" test "$(wc -l <"$tmp/out")" -gt 3
check_exit 0 dbfs-model "$BIN/dbfs-model" weak --rmat 20
check_exit 0 dbfs-dataset scripts/dataset.sh -n wordnet-3.0 "$tmp/dataset"

use_emulated_gpus 'searches on emulated GPUs'
export EMULATED_PROCESSORS=2 EMULATED_GPUS=2
searches cuda
finish
