# counted.sh: counts vertices that move in one dimension, from the distances of a search. Each process sends the
# neighbours of its frontier to their owners, by edges without duplicates, as shards have them. Vertex v belongs to
# process v modulo P. A pair of processes and a level has all these neighbours before sort-unique, and the different
# ones after it.

# counted P: counts in $work/edges from a random root, with distances in $work/depths; rows are `level source
# destination before after`, those within a process, too
counted() {
    packed counted 1 - <"$work/edges"
    heard "$bin/dbfs-traverse" -n 1 --force --depths "$work/depths" "$work/counted" >/dev/null
    heard "$bin/edgeconv" -t text --force -o - "$work/edges" |
        awk '!/^#/ && $1 != $2 { print ($1 < $2 ? $1 " " $2 : $2 " " $1) }' | sort -u | awk -v p="$1" -v OFS='\t' '
        FILENAME == ARGV[1] { depth[$1] = $2; next }
        function send(u, v,   key) {
            if (!(u in depth) || depth[u] < 0) return
            key = depth[u] + 1 "\t" u % p "\t" v % p
            before[key]++
            if (!((key, v) in sent)) { sent[key, v]; after[key]++ }
        }
        { send($1, $2); send($2, $1) }
        END { for (key in before) print key, before[key], after[key] }' "$work/depths" - | sort -n -k1,1 -k2,2 -k3,3
}

# sent P: prints the same as a search on P ranks sends it and dbfs-report tells it, without vertices within a process:
# rows `level source destination before after bytes_before bytes_after`
sent() {
    packed sent "$1" inf <"$work/edges"
    searched sent "$1" --breakdown -n 1 --direction push --uniquify --exchange-memory host --exchange-form list --count-pairs
    "$bin/dbfs-report" exchange --pairs "$work/sent.json" | awk -F '\t' -v OFS='\t' '
        NR > 1 { print $2 + 1, $3, $4, $5, $6, $7, $8 }'
}
counting='counted from the distances of dbfs-traverse'
