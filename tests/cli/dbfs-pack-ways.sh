#!/bin/bash
# dbfs-pack-ways.sh: dbfs-pack writes the same bytes with any number of threads and ranks, and with little memory. The
# table at the end has digests. A packer that placed and sorted both directions of each edge made them, and a second
# one agreed. After a deliberate change of a format, write the table again:
#   BUILD=build bash tests/cli/dbfs-pack-ways.sh --write
set -u
in_memory_mib=1024
. tests/lib.sh
budget=40M
grep -q __asan_init "$BIN/dbfs-pack" && budget=96M # AddressSanitizer adds memory of its own
pack=$(realpath "$BIN/dbfs-pack")
mkdir "$tmp/spill"
script=$0
writing=${1:-}

declare -A expected
while read -r digest name; do
    expected[$name]=$digest
done < <(sed -n '1,/^# TABLE$/d; s/^# //p' "$script")

sums() { (cd "$1" && sha256sum -- * | sha256sum | cut -c1-16); }
is_expected() { # NAME FOLDER
    local made want=${expected[$1]:-none}
    made=$(sums "$2")
    [ "$made" = "$want" ] || { echo "expected $want, made $made" >&2; return 1; }
}
ways=('-@ 1' '-@ 2' '-@ 5' "-@ 2 -S $budget" '-@ 1 on two ranks')
turn=0
alike() { # NAME OPTIONS...
    local name=$1 number way launch
    shift
    if [ "$writing" = --write ]; then
        "$pack" -q -p 1 "$@" -o "$tmp/made" && echo "# $(sums "$tmp/made") $name" >>"$tmp/table"
        rm -r "$tmp/made"
        return
    fi
    turn=$((turn + 1))
    for number in 0 1 2 3 4; do # short mode: two of them in turn
        [ "${TEST_MODE:-short}" = long ] || [ $(((number + turn) % 5)) -lt 2 ] || continue
        way=${ways[number]}
        launch=()
        [[ $way != *ranks ]] || launch=(timeout 120 "$MPIEXEC" -n 2)
        rm -rf "$tmp/made"
        check_exit 0 "$name: $way" "${launch[@]}" "$pack" -q ${way%% on *} -T "$tmp/spill" -p 1 "$@" \
            -o "$tmp/made"
        check "$name, $way: bytes are those of the table" is_expected "$name" "$tmp/made"
    done
    check_exit 0 "$name: sound" "$pack" --verify "$tmp/made"
}

# ---- hubs, short rows, duplicates: TH above, between and below all degrees ----

"$BIN/rmatgen" -q -s 17 -o "$tmp/rmat.edges"
for th in 0 1 8 300 inf; do
    alike "RMAT, TH $th" -t $th "$tmp/rmat.edges"
done
alike 'RMAT, by memory' --suggest memory "$tmp/rmat.edges"
alike 'RMAT, 3 shards' -p 3 --suggest memory "$tmp/rmat.edges"
alike 'RMAT, 6 shards, TH 8' -p 6 -t 8 "$tmp/rmat.edges"
alike 'RMAT, raw' --suggest memory --encoding raw "$tmp/rmat.edges"
alike 'RMAT, many heads' --suggest memory --heads nn=1,nd=8,dn=3,dd=5 "$tmp/rmat.edges"
"$BIN/degsplit" -q -t 20 -o "$tmp/rmat.split" "$tmp/rmat.edges"
alike 'RMAT, a .split' -s "$tmp/rmat.split" "$tmp/rmat.edges"

# ---- both directions in the stream ----

"$BIN/rmatgen" -q -s 12 -f text | awk '{ print $1, $2; print $2, $1 }' |
    "$BIN/edgeconv" -q --direction symmetric -o "$tmp/symmetric.edges"
alike 'a symmetric stream' --suggest memory "$tmp/symmetric.edges"
alike 'a symmetric stream, TH 3' -t 3 "$tmp/symmetric.edges"
alike 'a symmetric stream, 3 shards' -p 3 -t 9 "$tmp/symmetric.edges"

# ---- rows and ranges of every size ----

# two hubs that share 300,000 neighbours, each edge twice: rows that are too long to be sorted whole
awk 'BEGIN { for (i = 0; i < 600000; i++) { print 0, 2 + i * 7 % 300000; print 1, 2 + i * 11 % 300000 } }' |
    "$BIN/edgeconv" -q -u -o "$tmp/hubs.edges"
for th in 0 4 inf; do
    alike "two hubs, TH $th" -t $th "$tmp/hubs.edges"
    alike "two hubs, TH $th, 3 shards" -p 3 -t $th "$tmp/hubs.edges"
done
# a star whose neighbours are consecutive: blocks of packed columns have no words
awk 'BEGIN { for (i = 1; i < 20000; i++) print 0, i }' | "$BIN/edgeconv" -q -u -o "$tmp/star.edges"
for th in 0 1 inf; do
    alike "a star, TH $th" -t $th "$tmp/star.edges"
done
# a path: a range has so many rows that records need 8 bytes
awk 'BEGIN { for (i = 1; i < 900000; i++) print i - 1, i }' | "$BIN/edgeconv" -q -u -o "$tmp/path.edges"
for th in 0 1 inf; do
    alike "a path, TH $th" -t $th "$tmp/path.edges"
    alike "a path, TH $th, 2 shards" -p 2 -t $th "$tmp/path.edges"
done
# one hub in a sparse graph, and edges between any vertices
awk 'BEGIN { srand(4); for (i = 0; i < 300000; i++) { print 7, i * 5 % 270001
             if (i % 4 == 0) print int(rand() * 270001), int(rand() * 270001) } }' |
    "$BIN/edgeconv" -q -u -o "$tmp/hub.edges"
"$BIN/rmatgen" -q -s 17 -e 8 -A .25 -B .25 -C .25 -o "$tmp/uniform.edges"

printf '3 3\n' | "$BIN/edgeconv" -q -u --vertices 5 -o "$tmp/none.edges"
printf '3 4\n4 3\n' | "$BIN/edgeconv" -q -u --vertices 5 -o "$tmp/one.edges"
alike 'no edges' "$tmp/none.edges"
alike 'one edge' -t 1 "$tmp/one.edges"
alike 'one edge between delegates' -t 0 "$tmp/one.edges"
# ---- budgets: the memory is divided so that each is enough, from the least one on ----

# budgets LEAST NAME OPTIONS...: packs in each budget, in MiB, from LEAST on, with one thread and two; in short mode in turn
plenty='36 50 80'
[ "${TEST_MODE:-short}" = short ] || plenty=$(seq 33 2 127)
[ "$budget" = 40M ] || plenty="64 80 $plenty" # AddressSanitizer's own MiB
budgets() {
    local least=$1 name=$2 mib threads
    shift 2
    [ "$writing" != --write ] || return 0
    [ "$budget" = 40M ] || least=$((least + 56))
    rm -rf "$tmp/made"
    "$pack" -q -p 1 "$@" -o "$tmp/made"
    expected[budgets]=$(sums "$tmp/made")
    for mib in "$least" $plenty; do
        [ "$mib" -ge "$least" ] || continue
        for threads in 1 2; do
            turn=$((turn + threads))
            [ "${TEST_MODE:-short}" = long ] || [ $((turn % 4)) -lt 2 ] || continue
            rm -rf "$tmp/made"
            check_exit 0 "$name: -@ $threads -S ${mib}M" \
                "$pack" -q -p 1 -@ $threads -S "${mib}M" -T "$tmp/spill" "$@" -o "$tmp/made"
            check "$name, -@ $threads -S ${mib}M: bytes are those with ample memory" is_expected budgets "$tmp/made"
        done
    done
}
for th in 0 4 inf; do
    budgets 33 "two hubs, TH $th" -t $th "$tmp/hubs.edges"
    budgets 33 "a hub, TH $th" -t $th "$tmp/hub.edges"
done
for th in 0 inf; do
    budgets 33 "RMAT, TH $th" -t $th "$tmp/rmat.edges"
    budgets 33 "uniform, TH $th" -t $th "$tmp/uniform.edges"
    budgets 39 "a path, TH $th" -t $th "$tmp/path.edges"
done
budgets 33 'RMAT, by memory' --suggest memory "$tmp/rmat.edges"
budgets 33 'a star' -t 0 "$tmp/star.edges"

if [ "$writing" = --write ]; then
    sed -i '/^# TABLE$/q' "$script" && cat "$tmp/table" >>"$script"
    exit 0
fi
finish
exit
# TABLE
# aa1f53eb5597ef70 RMAT, TH 0
# 5c8515f03e18a26e RMAT, TH 1
# 9954e2aaadeb76e5 RMAT, TH 8
# b3ca182f8e4b4968 RMAT, TH 300
# 9643a63b1424f48d RMAT, TH inf
# 0434b589bbcbaf01 RMAT, by memory
# 41b3e2cf45153c02 RMAT, 3 shards
# 2b6c8453345b09fd RMAT, 6 shards, TH 8
# e09df1e69e6c5131 RMAT, raw
# e77821ef5b619cc6 RMAT, many heads
# 62c14251261ace96 RMAT, a .split
# 610f062b15345575 a symmetric stream
# 049a9474fff6f9b6 a symmetric stream, TH 3
# 023637878c140ac7 a symmetric stream, 3 shards
# a20278338efd09c6 two hubs, TH 0
# 893fbb6736e8f176 two hubs, TH 0, 3 shards
# 8b83a24e84a1da3e two hubs, TH 4
# 6cfea84b56921793 two hubs, TH 4, 3 shards
# 6ce709e28aeec1e5 two hubs, TH inf
# 6e4ec4db330b1e89 two hubs, TH inf, 3 shards
# 448d6f7894c944ff a star, TH 0
# 620130d7a666dc57 a star, TH 1
# 417e308398543056 a star, TH inf
# f88184ee1384ce66 a path, TH 0
# 9af10e7fe9d36f0a a path, TH 0, 2 shards
# a6892dd884438ce0 a path, TH 1
# d27f535336045da3 a path, TH 1, 2 shards
# 7f43b31464157932 a path, TH inf
# 12863e18b5bbc232 a path, TH inf, 2 shards
# b584d7633ebcd4dd no edges
# 7d794640c1ec0285 one edge
# 96233b4563346e39 one edge between delegates
