#!/bin/bash
# kolganov-transformations.sh: the gain from their transformations of the graph here: rates of the same searches, and
# bytes.
# - The global sort (numbers by descending degree) and the local sort (columns of a row in order) are rules of the format of
#   shards (SPEC-shard.md), so they cannot be switched off.
# - Renumbering in BFS order gives ids before that, so it orders vertices of equal degree.
# - Head columns are their mixed order of first neighbours.
. scripts/experiments/lib.sh

# Numbers the vertices of an edge list in the order of a queue from the first one, then those that it does not reach.
bfs_order() {
    awk '!/^#/ && $1 != $2 {
            m++; to[m] = $2; next_of[m] = last[$1]; last[$1] = m; u[m] = $1
            m++; to[m] = $1; next_of[m] = last[$2]; last[$2] = m; u[m] = $2 }
        END {
            for (e = 1; e <= m; e++) {
                if (u[e] in number) continue
                number[u[e]] = n + 0; queue[n++] = u[e]
                for (; head < n; head++)
                    for (i = last[queue[head]]; i; i = next_of[i])
                        if (!(to[i] in number)) { number[to[i]] = n + 0; queue[n++] = to[i] }
            }
            for (e = 1; e <= m; e += 2) print number[u[e]], number[to[e]]
        }'
}
bytes() { "$bin/dbfs-pack" --list --json "$work/graph" | grep -o '"file_bytes": [0-9]*' | awk '{ sum += $2 } END { print sum }'; }

rmat $((scale + 2)) >"$work/random"
heard "$bin/edgeconv" -t text -o - "$work/random" | bfs_order | heard "$bin/edgeconv" -u --force -o "$work/bfs" -
{
    row ids pack search gteps file_bytes
    while IFS='|' read -r ids pack search; do
        packed graph 1 - $pack <"$work/$ids"
        searched graph 1 $search
        row "$ids" "$pack" "${search:---resident auto}" "$(gteps graph)" "$(bytes)"
    done <<'END'
random|--encoding raw|
random|--encoding raw --heads nn=0,nd=0,dn=0,dd=0|
random|--encoding raw --heads nd=1,dd=1|
random|--encoding raw --heads nd=4,dd=4|
random|--encoding packed|--resident raw
random|--encoding packed|--resident packed
bfs|--encoding raw|
bfs|--encoding packed|--resident packed
END
} | keep kolganov-transformations "Kolganov: head columns, packed neighbours and BFS order, RMAT $((scale + 2))" "$own"
