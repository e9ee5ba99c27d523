#!/bin/bash
# answers.sh: result files of graphs whose values stand at the owners of vertices. They are byte for byte those of one
# shard, which has values by input id: in every number of shards and ranks, with ids that are permuted or not. With BACKEND
# on GPUs.
set -u
in_memory_mib=200
. tests/lib.sh
backend=${BACKEND:-cpu}
layouts='2x1 2x2 3x1 3x3 4x2 4x4 8x1'
vertices=300007 # several windows (ANSWER_WINDOW), the last of them short, and no multiple of any number of shards
[ "$backend" = cpu ] || { vertices=3001 layouts='2x1 2x2 3x1 4x1 4x2 4x4'; }

traverse() { # RANKS OPTION...
    local ranks=$1 launch=()
    shift
    [ "$ranks" = 1 ] || launch=("$MPIEXEC" -n "$ranks")
    "${launch[@]}" "$BIN/dbfs-traverse" -q -@ $((ranks > 1 ? 1 : 2)) --backend "$backend" --no-check --force $(divided "$ranks" "$@") "$@"
}
layout_of() { sed -n 's/.*"answer_layout": "\([a-z]*\)".*/\1/p' "$1"; }

# ---- a graph of several windows ----

for ids in permuted plain; do
    "$BIN/rmatgen" -q --force --poisson -n $vertices -k 2 -o "$tmp/edges"
    [ $ids = plain ] || { mv "$tmp/edges" "$tmp/plain"; "$BIN/edgeconv" -q --randomize=3 -o "$tmp/edges" "$tmp/plain"; }
    for p in 1 2 3 4 8; do
        rm -rf "$tmp/graph.$p"
        "$BIN/dbfs-pack" -q -p $p -o "$tmp/graph.$p" "$tmp/edges" || fail "packing $p shards"
    done
    root=$("$BIN/dbfs-traverse" --no-check -n 1 --backend cpu "$tmp/graph.1" | awk '$1 == "root" { print $2 }')
    check_exit 0 "$ids: one shard" traverse 1 -r "$root" --depths "$tmp/one.npy" --json "$tmp/json" "$tmp/graph.1"
    check "$ids: answers of one shard stand by input id" test "$(layout_of "$tmp/json")" = ids
    check_exit 0 "$ids: one shard, as text" traverse 1 -r "$root" --depths "$tmp/one.csv" "$tmp/graph.1"
    for layout in $layouts; do
        p=${layout%x*} ranks=${layout#*x} name="$ids, $p shards on $ranks ranks"
        check_exit 0 "$name" traverse "$ranks" -r "$root" --depths "$tmp/d.npy" --parents "$tmp/p.npy" --parents-width 8 \
            --json "$tmp/json" "$tmp/graph.$p"
        check "$name: answers stand at their owners" test "$(layout_of "$tmp/json")" = owner
        check "$name: depths are those of one shard" cmp "$tmp/d.npy" "$tmp/one.npy"
        check_exit 0 "$name: the parents are a tree of shortest paths" "$BIN/dbfs-check" -q --depths "$tmp/d.npy" \
            --parents "$tmp/p.npy" "$tmp/edges"
    done
    for layout in 4x4 2x1; do
        p=${layout%x*} ranks=${layout#*x} name="$ids, $p shards on $ranks ranks"
        check_exit 0 "$name: all write text" traverse "$ranks" -r "$root" --depths "$tmp/d.csv" "$tmp/graph.$p"
        check "$name: text is that of one shard" cmp "$tmp/d.csv" "$tmp/one.csv"
        traverse "$ranks" -r "$root" --depths - --result-format csv "$tmp/graph.$p" >"$tmp/piped"
        check "$name: rank 0 writes all windows into a pipe" cmp "$tmp/piped" "$tmp/one.csv"
    done
done

# ---- ids without edges, and fewer ids than shards ----

for ids in permuted plain; do
    printf '0 1\n1 4\n4 9\n' |
        "$BIN/edgeconv" -q -u --vertices 12 $([ $ids = permuted ] && echo --randomize=3) --force -o "$tmp/edges" -
    for p in 1 3 16; do
        rm -rf "$tmp/graph.$p"
        "$BIN/dbfs-pack" -q -p $p -o "$tmp/graph.$p" "$tmp/edges" || fail "packing $p shards"
    done
    for kind in depths parents; do
        rm -f "$tmp"/*.txt
        traverse 1 -r 0,3,9,11 --$kind "$tmp/one.%d.txt" "$tmp/graph.1" >"$tmp/out" || fail "$ids: one shard"
        for layout in 3x1 3x3 16x1 16x4; do
            p=${layout%x*} ranks=${layout#*x}
            [ "$backend" = cpu ] || [ $p -lt 16 ] || continue
            check_exit 0 "$ids, $kind of roots with and without edges, $p shards on $ranks ranks" \
                traverse "$ranks" -r 0,3,9,11 --$kind "$tmp/d.%d.txt" "$tmp/graph.$p"
            for root in 0 3 9 11; do
                check "$ids, $p shards on $ranks ranks: $kind from $root are those of one shard" \
                    cmp "$tmp/d.$root.txt" "$tmp/one.$root.txt"
            done
        done
    done
done
finish
