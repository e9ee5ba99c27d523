#!/bin/bash
# max-depth.sh: searches that end at a depth find what the full search from that root has up to there; with BACKEND on
# GPUs.
set -u
in_memory_mib=100
. tests/lib.sh
backend=${BACKEND:-cpu}
traverse() { "$BIN/dbfs-traverse" -q -@ "${threads:-1}" --backend "$backend" --force $(divided 1 "$@") "$@"; }
mpi() { local n=$1; shift; "$MPIEXEC" -n "$n" "$BIN/dbfs-traverse" -q -@ 1 --backend "$backend" --force $(divided "$n" "$@") "$@"; }

"$BIN/rmatgen" -q -s 9 -e 4 -f text -o "$tmp/rmat.txt"
"$TESTS/mkgraph" path 40 >"$tmp/path.txt"
"$TESTS/mkgraph" grid 20 20 >"$tmp/grid.txt"

# cut D FILE: prints a full search's result up to depth D
cut_at() { awk -v most="$1" '{ print $1 "\t" ($2 > most ? -1 : $2) }' "$2"; }
number() { sed -n "s/.*\"$1\": \\([0-9]*\\).*/\\1/p" "$2" | head -n 1; }

# limited NAME DEPTHS COMMAND DIR: searches to each of these depths
limited() {
    local name=$1 depths=$2 most shards=$4
    for most in $depths; do
        check_exit 0 "$name, D = $most" $3 -r "$root" --max-depth "$most" --depths "$tmp/d" --parents "$tmp/p" \
            --json "$tmp/json" "$shards"
        cut_at "$most" "$tmp/full" >"$tmp/want"
        check "$name, D = $most: distances" cmp "$tmp/d" "$tmp/want"
        check "$name, D = $most: levels" test "$(number levels "$tmp/json")" = \
            "$(awk '$2 > m { m = $2 } END { print m + 1 }' "$tmp/want")"
        check "$name, D = $most: reached" test "$(number reached "$tmp/json")" = "$(awk '$2 >= 0' "$tmp/want" | wc -l)"
        check "$name, D = $most: dbfs-check" "$BIN/dbfs-check" -q --max-depth "$most" --depths "$tmp/d" \
            --parents "$tmp/p" "$tmp/$graph.edges"
    done
}

for graph in rmat path grid; do
    case $graph in
    rmat) n=512 root=1 ;;
    path) n=40 root=17 ;;
    grid) n=400 root=45 ;;
    esac
    "$BIN/edgeconv" -q -u --vertices $n -o "$tmp/$graph.edges" "$tmp/$graph.txt"
    "$TESTS/oracle" -n $n -o "$tmp/oracle.%d.txt" "$tmp/$graph.txt" $root >/dev/null
    cp "$tmp/oracle.$root.txt" "$tmp/full"
    for setting in '1 8' '1 inf' '4 4'; do
        set -- $setting
        "$BIN/dbfs-pack" -q --force -p "$1" -t "$2" -o "$tmp/g" "$tmp/$graph.edges"
        limited "$graph, p $1, TH $2" '0 1 2 3 1000' traverse "$tmp/g"
        limited "$graph, p $1, TH $2, levels by the host" '0 2' 'traverse --factor0 dd=0.1' "$tmp/g"
        [ "$1" = 1 ] || limited "$graph, p $1, TH $2, 2 ranks" '0 1 2 5' 'mpi 2' "$tmp/g"
        [ "$1" = 1 ] || limited "$graph, p $1, TH $2, 2 ranks, messages" '1 2' \
            'mpi 2 --exchange-memory host --reduction nonblocking' "$tmp/g"
    done
    if [ $graph = grid ]; then
        "$BIN/dbfs-pack" -q --force -p 1 -o "$tmp/g" "$tmp/$graph.edges"
        for direction in push pull cost; do
            limited "grid, $direction" '1 7' "traverse --direction $direction" "$tmp/g"
        done
    fi
done

# many roots in a row: nothing of an earlier search is left
"$BIN/dbfs-pack" -q --force -p 1 -o "$tmp/g" "$tmp/rmat.edges"
sums() { sed -n 's/^root \([0-9]*\) .* checksum \([^ ]*\).*/\1 \2/p' "$1"; }
for setting in '1 2' '2 1'; do
    set -- $setting
    threads=$1
    "$BIN/dbfs-traverse" -@ $threads --backend "$backend" -n 20 --max-depth "$2" "$tmp/g" >"$tmp/many"
    sums "$tmp/many" >"$tmp/many.sums"
    sort -R --random-source="$tmp/many" "$tmp/many.sums" | while read -r root _; do
        "$BIN/dbfs-traverse" -@ $threads --backend "$backend" -r "$root" --max-depth "$2" "$tmp/g"
    done >"$tmp/each"
    check "20 roots to depth $2 have the results of one by one, $threads threads" \
        eval 'test $(wc -l <"$tmp/many.sums") = 20 && sums "$tmp/each" | sort | cmp - <(sort "$tmp/many.sums")'
done
check_exit 0 'levels are traced' traverse -r 1 --max-depth 2 --trace "$tmp/trace" --depths "$tmp/d" "$tmp/g"
check "$situation: the trace has the levels that were visited" test "$(grep -c '"level": [01],' "$tmp/trace") $(grep -c '"level": 2,' "$tmp/trace")" = '2 0'
check_exit 0 'the report says the depth' traverse -r 1 --max-depth 2 --json "$tmp/json" "$tmp/g"
check "$situation: the JSON has max_depth" grep -q '"max_depth": 2,' "$tmp/json"

# the list of reached vertices
limited_list() { # NAME COMMAND DIR
    check_exit 0 "$1: the list" $2 -r 45 --max-depth 3 --list-reached "$tmp/list" "$3"
    check "$situation: vertices are those of the distances, by depth" cmp "$tmp/list" "$tmp/want"
    check "$situation: no answer is made" eval '! grep -q answer_time "$tmp/out"'
}
awk '$2 >= 0 && $2 <= 3 { print $1 "\t" $2 }' "$tmp/oracle.45.txt" | sort -k2,2n -k1,1n >"$tmp/want"
"$BIN/edgeconv" -q -u --randomize=3 -o "$tmp/random.edges" "$tmp/grid.txt"
"$BIN/dbfs-pack" -q -p 4 -t 3 -o "$tmp/g4" "$tmp/random.edges"
limited_list 'four shards' traverse "$tmp/g4"
limited_list 'two ranks' 'mpi 2' "$tmp/g4"
limited_list 'four ranks' 'mpi 4' "$tmp/g4"
check_exit 0 'with distances, several roots' traverse -r 45,46 --list-reached "$tmp/list.%d" --depths "$tmp/d.%d" "$tmp/g4"
check "$situation: each root has its vertices" eval 'test "$(sort -n "$tmp/list.45" | cmp - "$tmp/oracle.45.txt" && wc -l <"$tmp/list.46")" = 400'
check_exit 0 'several roots, one list' traverse -r 45,46 --list-reached "$tmp/list" --force "$tmp/g4"
check "$situation: has the vertices of each root" eval 'awk -v OFS="\t" "\$1 == 45 { print \$2, \$3 }" "$tmp/list" | cmp - "$tmp/list.45"'
check_exit 0 'a vertex without edges' "$BIN/dbfs" -q --no-cache --vertices 50 -r 49 --list-reached - "$tmp/path.txt"
check "$situation: the list has the root alone" eval 'printf "49\t0\n" | cmp - "$tmp/out"'
check_exit 1 'a list that exists' "$BIN/dbfs-traverse" -q --backend "$backend" -r 45 --list-reached "$tmp/want" "$tmp/g4"

# ---- dbfs-check refuses these ----
"$BIN/dbfs-traverse" -q -r 1 --backend "$backend" --force --max-depth 2 --depths "$tmp/d" "$tmp/g" >/dev/null
check_exit 0 'dbfs-check accepts distances up to their own --max-depth' "$BIN/dbfs-check" --max-depth 2 --depths "$tmp/d" "$tmp/rmat.edges"
check_exit 4 'results without --max-depth' "$BIN/dbfs-check" --depths "$tmp/d" "$tmp/rmat.edges"
check_exit 4 'a search that should have gone on' "$BIN/dbfs-check" --max-depth 3 --depths "$tmp/d" "$tmp/rmat.edges"
check_exit 4 'a search that should have ended' "$BIN/dbfs-check" --max-depth 1 --depths "$tmp/d" "$tmp/rmat.edges"
check_says 'depth 2, where the search ended at 1'
check_exit 2 'a depth that is none' "$BIN/dbfs-check" --max-depth x --depths "$tmp/d" "$tmp/rmat.edges"
check_exit 2 'a negative depth' traverse --max-depth -1 "$tmp/g"
check_exit 0 'dbfs passes it on' "$BIN/dbfs" -q --no-cache -r 17 --max-depth 2 -o - "$tmp/path.txt"
check 'dbfs --max-depth 2 prints five vertices of a path' test "$(awk '$2 >= 0' "$tmp/out" | wc -l)" = 5
finish
