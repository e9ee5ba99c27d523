#!/bin/bash
# exchange-options.sh: options of the exchange change the messages between ranks as they should; count_mpi.so counts
# messages. An option without effect fails here.
set -u
. tests/lib.sh

# ---- graphs and their oracles ----

# graph NAME TH ROOTS: packs $tmp/NAME.txt into four shards at TH and asks the oracle
graph() {
    "$BIN/edgeconv" -q -u -o "$tmp/$1.edges" "$tmp/$1.txt" &&
        "$BIN/dbfs-pack" -q -p 4 -t "$2" -o "$tmp/$1" "$tmp/$1.edges" &&
        "$TESTS/oracle" -o "$tmp/$1.depths.%d" "$tmp/$1.txt" "$3" >/dev/null
}

# Prints the number of levels that find delegates: distinct depths above 0 of vertices of degree > TH.
levels_with_delegates() { # NAME TH ROOT
    awk -v th="$2" '
        NR == FNR { if (!/^#/ && $1 != $2) { degree[$1]++; degree[$2]++ } next }
        degree[$1] > th && $2 > 0 && !($2 in seen) { seen[$2]; levels++ }
        END { print levels + 0 }' "$tmp/$1.txt" "$tmp/$1.depths.$3"
}

# All pairs of 100 vertices are edges, and all are normal. From 0 the others are reached at once, and each of them
# then sends all vertices of the other ranks.
"$TESTS/mkgraph" complete 100 >"$tmp/complete.txt"
graph complete inf 0 || fail 'a complete graph'
"$BIN/rmatgen" -q -s 11 -f text -o "$tmp/rmat.txt"
graph rmat 300 1,7 || fail 'an RMAT graph'
"$BIN/rmatgen" -q -s 11 -f text -o "$tmp/normal.txt"
graph normal inf 1 || fail 'an RMAT graph of normal vertices'
# a path of 40 with hubs at 8, 9, 20 and 33, each with ten leaves of its own
{
    "$TESTS/mkgraph" path 40
    awk 'BEGIN { split("8 9 20 33", hub); for (i = 0; i < 40; i++) print 40 + i, hub[i % 4 + 1] }'
} >"$tmp/path.txt"
graph path 5 0,9 || fail 'a path with hubs'
"$TESTS/mkgraph" grid 100 100 >"$tmp/grid.txt"
graph grid inf 0 || fail 'a grid'
# a path of 10, and hubs that no edge joins to it
{
    "$TESTS/mkgraph" path 10
    awk 'BEGIN { for (i = 0; i < 64; i++) print 20 + i % 8, 40 + int(i / 8) }'
} >"$tmp/apart.txt"
graph apart 5 0 || fail 'a path beside hubs'

# ---- running ----

# run GRAPH ROOTS RANKS OPTIONS...: leaves the MPI calls of all ranks since the first search in $tmp/wire, and
# $tmp/out, $tmp/err, $tmp/json. Messages of answers, with tags from 8192 on, are left out. Ranks send messages, and
# vertices go as lists, unless options say otherwise.
run() {
    local graph=$1 roots=$2 ranks=$3
    shift 3
    name="$graph, $ranks ranks${*:+, $*}"
    set -- --exchange-memory host --exchange-form list "$@"
    rm -f "$tmp"/wire.*
    check_exit 0 "$name" timeout 120 "$MPIEXEC" -n "$ranks" "${counted[@]}" \
        "$BIN/dbfs-traverse" -q -@ 1 --backend cpu -r "$roots" --force --json "$tmp/json" "$@" "$tmp/$graph"
    touch "$tmp/wire.0" # a lone rank may make no MPI call
    awk 'FNR == 1 { searching = 0 } /^barrier$/ { searching = 1 }
        searching && !(/^(send|repeated)/ && $3 >= 8192)' "$tmp"/wire.[0-9] >"$tmp/wire"
    sed -n 's/^distance_checksum: //p' "$tmp/out" >>"$tmp/$graph.checksums"
}

json_sum() { grep -o "\"$1\": [0-9]*" "$tmp/json" | awk '{ sum += $2 } END { print sum + 0 }'; }
sends() { awk '$1 == "send"' "$tmp/wire"; }
messages() { sends | wc -l; }
bytes() { sends | awk '{ sum += $4 } END { print sum + 0 }'; }
repeated() { awk '$1 == "repeated" { sum += $4 } END { print sum + 0 }' "$tmp/wire"; }
# calls of the first rank, as all ranks make them
calls() { sed '1,/^barrier$/d' "$tmp/wire.0" | grep -c "$1"; }
# calls before the last alltoall, which is that of the last level: answers stand at their owners
between_alltoalls() {
    sed '1,/^barrier$/d' "$tmp/wire.0" | awk -v what="$1" '/^alltoall$/ { sum += n; n = 0 } $0 ~ what { n++ }
        END { print sum + 0 }'
}
equal() { # NAME GOT WANTED
    check "$1 ($2, expected $3)" test "$2" = "$3"
}
counted() { equal "$name: sent_vertices is what was sent" "$(($(json_sum sent_vertices) * 4))" "$(bytes)"; }

# ---- --uniquify and --local-all2all ----

# Alltoalls end levels. Between two of them each device of a rank sends at most one message to each device of another
# rank.
most_messages_of_a_level() {
    awk '/^alltoall$/ { split("", here) } $1 == "send" && ++here[$2] > most { most = here[$2] }
        END { print most + 0 }' "$tmp/wire"
}
# a tag is from * G + to; each of two ranks has two devices
between_unlike_devices() { sends | awk 'int($3 / 2) != $3 % 2' | wc -l; }

# From 0, the complete graph of n = 100 takes two levels. The first sends n/2 vertices. The second sends n/2 for each
# of n-1 vertices; with --uniquify for each of 4 devices; gathered for each of 2 ranks. With 4 ranks of one device,
# n/2 becomes 3n/4.
sent() { # WANTED
    counted
    [[ $name != complete* ]] || equal "$name: vertices sent" "$(json_sum sent_vertices)" $1
}

for graph in complete rmat; do
    root=1
    [ $graph = complete ] && root=0
    run $graph $root 2
    sent $((50 + 99 * 50))
    plain=$(bytes)
    check "$name: sends an id twice" test "$(repeated)" -gt 0
    equal "$name: a rank sends from every device to every device" "$(most_messages_of_a_level)" 4
    check "$name: ranks send between unlike devices" test "$(between_unlike_devices)" -gt 0

    run $graph $root 2 --local-all2all
    sent $((50 + 99 * 50))
    equal "$name: as many bytes as without" "$(bytes)" "$plain"
    equal "$name: a rank sends every device one message" "$(most_messages_of_a_level)" 2
    equal "$name: between like devices alone" "$(between_unlike_devices)" 0

    run $graph $root 2 --uniquify
    sent $((50 + 4 * 50))
    unique=$(bytes)
    check "$name: fewer bytes than without ($unique, $plain)" test "$unique" -lt "$plain"
    equal "$name: no message has an id twice" "$(repeated)" 0
    check "$name: ids without duplicates go between unlike devices" test "$(between_unlike_devices)" -gt 0

    run $graph $root 2 --uniquify --local-all2all
    sent $((50 + 2 * 50))
    check "$name: fewer bytes than ungathered ($(bytes), $unique)" test "$(bytes)" -lt "$unique"
    equal "$name: no message has an id twice" "$(repeated)" 0
    equal "$name: between like devices alone" "$(between_unlike_devices)" 0
done
run complete 0 4
sent $((75 + 99 * 75))
run complete 0 4 --uniquify
sent $((75 + 4 * 75))
run complete 0 1 --uniquify --local-all2all
sent 0
equal "$name: no messages" "$(messages)" 0

# ---- --chunk ----

largest() { sends | awk '$4 > most { most = $4 } END { print most + 0 }'; }
run normal 1 2 --uniquify
sends >"$tmp/whole"
whole_messages=$(messages) whole_bytes=$(bytes)
for chunk in 64 1001 1K; do
    size=$((${chunk/K/*1024}))
    wanted=$(awk -v size=$size '{ sum += int(($4 + size - 1) / size) } END { print sum }' "$tmp/whole")
    run normal 1 2 --uniquify --chunk $chunk
    counted
    equal "$name: the largest message" "$(largest)" $size
    equal "$name: as many bytes" "$(bytes)" "$whole_bytes"
    equal "$name: the messages of a run without, cut up" "$(messages)" "$wanted"
    check "$name: there are more messages than whole ones ($whole_messages before)" test "$(messages)" -gt "$whole_messages"
    equal "$name: no id twice" "$(repeated)" 0
done

# ---- --reduction, and masks that did not change ----

check_masks() { # GRAPH TH ROOTS RANKS REDUCTION
    local graph=$1 th=$2 root=$3 ranks=$4 how=$5 expected on_wire reduced words
    expected=$(levels_with_delegates "$graph" "$th" "$root")
    run "$graph" "$root" "$ranks" --reduction "$how"
    equal "$name, root $root: masks are reduced where delegates are found" \
        "$(json_sum mask_reductions)" "$expected"
    check "$name, root $root: masks are not reduced in every level" \
        test "$(json_sum mask_reductions)" -lt "$(json_sum iterations)"
    words=$((($(sed -n 's/.*"delegates": \([0-9]*\).*/\1/p' "$tmp/json") + 63) / 64))
    on_wire=$expected
    [ "$ranks" = 1 ] && on_wire=0
    reduced=$(calls "^reduce $how or $words$")
    equal "$name, root $root: MPI reduces as many, of a bit a delegate" "$reduced" "$on_wire"
    equal "$name, root $root: and no others" "$(calls '^reduce .* or ')" "$reduced"
    [ "$ranks" = 1 ] || equal "$name, root $root: no other reduction between two levels" \
        "$(between_alltoalls '^reduce blocking other')" 0
}
check_masks path 5 0 2 blocking
equal "$name: they are four" "$(json_sum mask_reductions)" 4
equal "$name: an alltoall a level, and none for the answer" "$(calls '^alltoall')" "$(json_sum iterations)"
check_masks path 5 0 2 nonblocking
check_masks path 5 9 2 nonblocking
check_masks path 5 9 4 blocking
check_masks path 5 9 1 blocking
check_masks rmat 300 1 2 blocking
check_masks rmat 300 7 2 nonblocking
check_masks rmat 300 7 4 nonblocking
check_masks apart 5 0 2 blocking
equal "$name: there are none" "$(json_sum mask_reductions)" 0

# ---- --exchange-form ----

# Messages of frontiers are the mask of a shard: a bit for each id, in words of 64.
# GRAPH: prints the largest number of words; all vertices of these graphs are normal
words_of_shard() {
    awk '!/^#/ { seen[$1]; seen[$2] } END { for (v in seen) n[v % 4]++
        for (s in n) if (n[s] > most) most = n[s]; print int((most + 63) / 64) }' "$tmp/$1.txt"
}

run normal 1 2 --direction push
list_bytes=$(bytes)
run normal 1 2 --direction push --exchange-form bits
words=$(words_of_shard normal)
equal "$name: a message is the mask of a shard" "$(sends | awk '{ print $4 }' | sort -u)" $((8 * words))
equal "$name: no vertices in lists" "$(json_sum sent_vertices)" 0
bits_bytes=$(bytes)
check "$name: fewer bytes than lists ($bits_bytes, $list_bytes)" test "$bits_bytes" -lt "$list_bytes"
run normal 1 2 --direction push --exchange-form bits --local-all2all
equal "$name: half as many bytes" $((2 * $(bytes))) "$bits_bytes"
run normal 1 2 --direction push --exchange-form auto
check "$name: no more bytes than either ($(bytes))" test "$(bytes)" -le "$bits_bytes"
pulled() { grep -c ' nn [0-9]*/[0-9]* pull' "$tmp/err"; } # counts levels that pull nn
run normal 1 2 -v --direction pull --exchange-form bits
check "$name: bits are exchanged while nn is pulled" test "$(pulled)" -gt 0
equal "$name: messages are frontiers" "$(sends | awk '{ print $4 }' | sort -u)" $((8 * words))
equal "$name: in each level of each of four devices" "$(messages)" $((4 * $(json_sum iterations)))
run normal 1 2 -v --exchange-form auto
check "$name: nn is pulled in some levels, not in all" \
    test "$(pulled)" -gt 0 -a "$(pulled)" -lt "$(json_sum iterations)"
check "$name: fewer bytes than lists ($(bytes), $list_bytes)" test "$(bytes)" -lt "$list_bytes"

run rmat 7 2 --direction push
list_bytes=$(bytes)
run rmat 7 2 --direction push --exchange-form bits
bits_bytes=$(bytes)
run rmat 7 2 --direction push --exchange-form auto
check "$name: no more bytes than either ($(bytes), $list_bytes, $bits_bytes)" \
    test "$(bytes)" -le "$list_bytes" -a "$(bytes)" -le "$bits_bytes"
run grid 0 2 --direction push
list_bytes=$(bytes)
run grid 0 2 --direction push --exchange-form auto
equal "$name: lists, as frontiers are small" "$(bytes)" "$list_bytes"
run grid 0 2 --direction push --exchange-form bits
check "$name: more bytes ($list_bytes before)" test "$(bytes)" -gt "$list_bytes"

# ---- counts of --json ----

moved() { # NAME: sums over levels
    sed -n "s/.*\"$1\": \[\([^]]*\)\].*/\1/p" "$tmp/json" | tr ',' '\n' | awk '{ sum += $1 } END { print sum + 0 }'
}
for options in '' '--uniquify' '--direction push --exchange-form bits' '--exchange-form auto --uniquify'; do
    run normal 1 2 --breakdown $options
    equal "$name: the bytes counted are those sent" \
        $(($(moved list_bytes) + $(moved bits_bytes) + $(moved frontier_bytes))) "$(bytes)"
    equal "$name: as many vertices sent" "$(moved sent_vertices)" "$(json_sum sent_vertices)"
    if [ "$options" = --uniquify ]; then
        check "$name: fewer than were found" test "$(moved sent_vertices)" -lt "$(moved found_vertices)"
    elif [ -z "$options" ]; then
        equal "$name: as many as were found" "$(moved sent_vertices)" "$(moved found_vertices)"
    fi
done
run path 0 2 --breakdown
d=$(sed -n 's/.*"delegates": \([0-9]*\).*/\1/p' "$tmp/json")
equal "$name: masks of both ranks, in each reduction" "$(moved mask_bytes)" \
    $((2 * 8 * ((d + 63) / 64) * $(json_sum mask_reductions)))

# ---- pairs of ranks ----

# Prints sums over pairs for each level, beside the counts of all ranks: vertices before and after, and bytes.
pair_sums() {
    "$BIN/dbfs-report" exchange --pairs "$tmp/json" | awk -F '\t' '
        NR > 1 { for (i = 5; i <= 8; i++) sum[$2, i] += $i; if ($3 == $4) exit 1; if ($2 > last) last = $2 }
        END { for (l = 0; l <= last; l++) print l, sum[l, 5] + 0, sum[l, 6] + 0, sum[l, 7] + 0, sum[l, 8] + 0 }'
}
level_sums() {
    "$BIN/dbfs-report" exchange "$tmp/json" | awk -F '\t' '
        NR > 1 && ($3 == "list" || $3 == "bits") { for (i = 4; i <= 7; i++) sum[$2, i] += $i }
        NR > 1 && ($3 == "list" || $3 == "bits") && $6 > 0 { last = $2 }
        END { for (l = 0; l <= last; l++) print l, sum[l, 4] + 0, sum[l, 5] + 0, sum[l, 6] + 0, sum[l, 7] + 0 }'
}
for options in '--uniquify' '--uniquify --local-all2all' '--direction push --exchange-form bits' '--exchange-form auto'; do
    for ranks in 2 4; do
        run normal 1 $ranks --breakdown --count-pairs $options
        check "$name: pairs add up to the counts of levels" diff <(pair_sums) <(level_sums)
        check "$name: counts of pairs are not 0" test "$(pair_sums | awk '$5 > 0' | wc -l)" -ge 1
    done
done

# Ten neighbours of the root, all of rank 0, have the same two neighbours, of ranks 1 and 2, and each has a leaf of
# rank 3.
awk 'BEGIN { for (i = 1; i <= 10; i++) { print 0, 4 * i; print 4 * i, 1; print 4 * i, 2; print 4 * i, 4 * i + 3 } }' >"$tmp/same.txt"
graph same inf 0 || fail 'a graph of duplicates'
same_pairs() { # AFTER: how many are left of ten equal vertices
    printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' 1 0 1 10 "$1" 40 $((4 * $1)) 1 0 2 10 "$1" 40 $((4 * $1)) 1 0 3 10 10 40 40 \
        2 1 0 10 10 40 40 2 2 0 10 10 40 40 2 3 0 10 10 40 40
}
for option in '' --uniquify; do
    run same 0 4 --direction push --count-pairs $option
    check "$name: each pair has what leaves, before and after" diff \
        <("$BIN/dbfs-report" exchange --pairs "$tmp/json" | tail -n +2 | cut -f 2-) <(same_pairs $([ -n "$option" ] && echo 1 || echo 10))
done
run same 0 2 --direction push --count-pairs
equal "$name: shards of one rank are one source and destination" \
    "$("$BIN/dbfs-report" exchange --pairs "$tmp/json" | cut -f 2-5 | tr '\t\n' ' ,')" 'level source destination vertices,1 0 1 20,2 1 0 20,'
run same 0 4 --count-pairs --exchange-memory peer
equal "$name: ranks that read each other's memory send nothing" "$("$BIN/dbfs-report" exchange --pairs "$tmp/json" | wc -l)" 1
run same 0 4 --direction push
check "$name: no pairs without --count-pairs" test "$(grep -c pairs_exchanged "$tmp/json")" = 0
check_exit 3 'a table of them' "$BIN/dbfs-report" exchange --pairs "$tmp/json"
check_says "$tmp/json: no pairs_exchanged: dbfs-traverse writes it with --count-pairs"

# ---- masks of which few words change ----

# Words go with their places. All vertices are delegates; a level finds one or two of 20, and the others fill 80
# words.
{
    "$TESTS/mkgraph" path 20
    awk 'BEGIN { for (i = 0; i < 5000; i++) print 100 + i, 101 + i }'
} >"$tmp/few.txt"
graph few 0 10 || fail 'a path beside another one'
for how in blocking nonblocking; do
    run few 10 2 --reduction $how --breakdown --depths "$tmp/few.got"
    check "$name: words are gathered" test "$(calls '^gather')" -gt 2
    equal "$name: never more than two words" "$(awk '$1 == "gather" && $2 > 4' "$tmp/wire" | wc -l)" 0
    check "$name: distances with few words are right" cmp "$tmp/few.got" "$tmp/few.depths.10"
    check "$name: --json has the bytes" test "$(moved mask_bytes)" -lt "$(moved whole_mask_bytes)"
done
run few 10 2 --breakdown
check "$name: less than a tenth of whole masks" test $((10 * $(moved mask_bytes))) -lt "$(moved whole_mask_bytes)"

# ---- delegates of the next level are visited while vertices are under way ----

run rmat 1 2 -v --breakdown --direction push
check "$name: dd goes ahead in every level that reduced masks" awk '/: level / {
        for (i = 1; i < NF; i++) value[$i] = $(i + 1)
        n += value["masks"]; if ((value["masks"] > 0) != (value["ahead_us"] > 0)) exit 1 } END { exit n < 2 }' "$tmp/err"
check "$name: --breakdown tells for how long" grep -q '"ahead": \[.*[1-9]' "$tmp/json"
run normal 1 2 -v
equal "$name: never without delegates" "$(grep -c ' ahead_us 0.0$' "$tmp/err")" "$(json_sum iterations)"

# ---- dd is pulled in two parts, with a reduction between them ----

# Delegates 1 to 8000 are neighbours of 0, and each has three of 8001 to 16000, of higher degree and other owners. So the
# second part finds all of these.
awk 'BEGIN { for (i = 0; i < 8000; i++) {
    print 0, 1 + i
    for (k = 0; k < 3; k++) print 1 + i, 8001 + (i + 701 * (2 * k + 1)) % 8000
    for (k = 1; k < 3; k++) print 8001 + i, 8001 + (i + k) % 8000 } }' >"$tmp/layers.txt"
graph layers 3 0 || fail 'layers of rising degree'
"$BIN/rmatgen" -q -s 16 -f text -o "$tmp/hubs.txt"
graph hubs 8 1,7 || fail 'an RMAT graph of many delegates'
"$BIN/dbfs-pack" -q -p 1 -t 8 -o "$tmp/hubs.one" "$tmp/hubs.edges"

for ranks in 1 2 4; do
    for how in blocking nonblocking; do
        for direction in auto pull; do
            run layers 0 $ranks --reduction $how --direction $direction --depths "$tmp/layers.got" \
                --parents "$tmp/layers.parents"
            check "$name: distances of layers are right" cmp "$tmp/layers.got" "$tmp/layers.depths.0"
            check "$name: parents are a tree" "$TESTS/treecheck" "$tmp/layers.txt" 0 "$tmp/layers.got" "$tmp/layers.parents"
        done
        [ $ranks = 1 ] || equal "$name: one level reduces twice" "$(json_sum mask_reductions)" 3
    done
done

# Prints the probes of dd in level 2, which has two parts.
probes_of_dd() { # TRACE
    "$BIN/dbfs-report" levels "$1" | awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["level"] == 2 { sum += $at["dd.probes"] } END { print sum + 0 }'
}
check_exit 0 'one shard' "$BIN/dbfs-traverse" -q --backend cpu -@ 1 -r 1,7 --direction pull --trace "$tmp/one.trace" \
    "$tmp/hubs.one"
for ranks in 2 4; do
    run hubs 1,7 $ranks --direction pull --trace "$tmp/parts.trace" --depths "$tmp/hubs.got.%d"
    check "$name: distances from hubs are right" cmp "$tmp/hubs.got.7" "$tmp/hubs.depths.7"
    check "$name: rows of dd are read as on one shard, where hubs come first" \
        test "$(probes_of_dd "$tmp/parts.trace")" -le $(($(probes_of_dd "$tmp/one.trace") * 11 / 10))
done

# ---- masks and vertices under way at the same time have the merged time of figure 10 ----

# Counts levels of a search: those with masks and several messages, as one may have come before; those of them with a
# merged time; and those with a merged time but without masks or messages.
merged_levels() {
    awk '{ gsub(/[][,:{}"]/, " ") }
        { n = 0; for (i = 1; i <= NF; i++) { if ($i ~ /^[a-z_]+$/) { name = $i; n = 0 } else at[name, n++] = $i
            if (name == "merged_exchange" && n > levels) levels = n } }
        END { for (i = 0; i < levels; i++) {
                merges = at["merged_exchange", i] > 0
                both += at["mask_bytes", i] > 0 && at["messages", i] > 4
                merged += at["mask_bytes", i] > 0 && at["messages", i] > 4 && merges
                wrong += (at["mask_bytes", i] == 0 || at["messages", i] == 0) && merges }
            print both + 0, merged + 0, wrong + 0 }' "$tmp/json"
}
export COUNT_MPI_HOLD=30 # a reduction takes long
for how in blocking nonblocking; do
    run rmat 1 2 --breakdown --direction push --chunk 64 --reduction $how
    read -r both merged wrong < <(merged_levels)
    check "$name: levels have both ($both)" test "$both" -gt 1
    if [ $how = blocking ]; then
        equal "$name: their times are separate" "$merged $wrong" '0 0'
        for part in mask_reduction remote_exchange; do
            check "$name: there is a time for $part" grep -q "\"$part\": \[.*[1-9]" "$tmp/json"
        done
    else
        equal "$name: they have a merged time, and no others" "$merged $wrong" "$both 0"
    fi
done
unset COUNT_MPI_HOLD
run rmat 1 2 --breakdown --reduction nonblocking --exchange-memory peer
equal "$name: no merged time without messages" "$(grep -c '"merged_exchange": \[.*[1-9]' "$tmp/json")" 0

# ---- memory in the budget ----

"$TESTS/mkgraph" complete 1000 >"$tmp/wide.txt"
graph wide inf 0 || fail 'a complete graph of 1000'
check_exit 0 '--plan' "$BIN/dbfs-traverse" --plan "$tmp/wide"
check "$situation: messages take 8 bytes an edge of nn, and bins 12" test \
    "$(awk '$1 == "messages" { print $2 } $1 == "bins" { print $3 }' "$tmp/out" | tr '\n' ' ')" = '7992000 11988000 '
bounded() { # CODE SIZE RANKS MEMORY
    check_exit "$1" "-S $2, $3 ranks, $4" "$MPIEXEC" -n "$3" "$BIN/dbfs-traverse" -q -@ 1 --backend cpu -S "$2" \
        --exchange-memory "$4" --exchange-form list --direction push -r 0 "$tmp/wide"
}
bounded 0 32M 2 host
bounded 5 6M 2 host
check_says 'nn exchange buffers: needs' 'buffers of messages count for -S'
bounded 0 32M 1 auto
bounded 5 6M 1 auto
check_says 'for other shards: needs' 'bins count for -S'

# ---- --exchange-memory peer ----

for form in list bits auto; do
    run normal 1 4 -v --exchange-memory peer --exchange-form $form
    equal "$name: no messages" "$(messages)" 0
    equal "$name: no masks are reduced" "$(calls '^reduce .* or')" 0
    equal "$name: no alltoall" "$(calls '^alltoall')" 0
    if [ $form = list ]; then
        equal "$name: nn is pushed" "$(pulled)" 0
    else
        check "$name: nn is pulled" test "$(pulled)" -gt 0
    fi
    check "$name: the report says peer" grep -q '"exchange_memory": "peer"' "$tmp/json"
done
run path 0 2 --exchange-memory auto
equal "$name: auto takes peer" "$(messages) $(calls '^reduce .* or')" '0 0'

# A rank cannot open the memory of another where the system has no memory with a descriptor.
export PRETENDED_LACK=memfd_create
run path 0 2 --exchange-memory auto
check_says 'cannot read another' "$name: the message says that ranks send messages"
check "$name: ranks send messages" test "$(calls '^alltoall')" -gt 0
check_exit 5 'peer memory that cannot be had' timeout 120 "$MPIEXEC" -n 2 "${counted[@]}" \
    "$BIN/dbfs-traverse" -q -@ 1 --backend cpu -r 0 --exchange-memory peer "$tmp/path"
check_says 'memory of another process'
unset PRETENDED_LACK

# ---- more ranks than cores ----

blocking() { grep -cE '^(alltoall|barrier|gather)' "$tmp/wire.1"; } # calls that wait for other ranks
run path 0 2
check "ranks with a core each wait in calls of MPI ($(blocking))" test "$(blocking)" -gt 0
if grep -q '"mpi": "Open MPI' "$tmp/json"; then
    skip 'ranks that share a core: Open MPI gives it away by itself'
else
    counted=("${counted[@]/CORES=64/CORES=1}")
    run path 0 2
    check "ranks that share a core look and go on ($(blocking))" test "$(blocking)" = 0
    check 'ranks that share a core send messages' test "$(grep -c '^send' "$tmp/wire.1")" -gt 0
    counted=("${counted[@]/CORES=1/CORES=64}")
fi

for graph in complete rmat normal path grid apart few; do
    roots=$(sort -u "$tmp/$graph.checksums" | wc -l)
    wanted=1
    [ $graph = rmat ] || [ $graph = path ] && wanted=2
    equal "$graph: distances from its roots are the same with all options" "$roots" "$wanted"
done
# ---- starting ----

start() { # NAME PROGRAM BACKEND LAUNCHER...: leaves $tmp/wire.0 if MPI starts
    rm -f "$tmp"/wire.* "$tmp/json"
    check_exit 0 "$1" "${@:4}" "${counted[@]}" "$2" -q --backend "$3" -r 0 --force --json "$tmp/json" "$tmp/complete"
}
alone=$(env | sed -nE 's/^((PMI|OMPI_COMM_|SLURM_STEP_|MPI_LOCAL|FLUX_|PALS_)[^=]*)=.*/-u \1/p')
start 'mpiexec -n 1' "$BIN/dbfs-traverse" cpu "$MPIEXEC" -n 1
check 'MPI is started for one rank under a launcher' grep -q '^start$' "$tmp/wire.0"
start 'without a launcher' "$BIN/dbfs-traverse" cpu env $alone
check 'MPI is not started without a launcher' test ! -e "$tmp/wire.0"
check 'the report of a run without a launcher names the MPI library' grep -q '"mpi": "[^"]' "$tmp/json"
check 'the report of a run without a launcher names the host' grep -q "\"host\": \"$(uname -n)\"" "$tmp/json"
emulated=${BUILD:-build}/emulated/bin/dbfs-traverse
if [ -x "$emulated" ]; then
    start 'on a GPU without a launcher' "$emulated" cuda env $alone
    check 'MPI is not started either' test ! -e "$tmp/wire.0"
else
    skip 'a lone rank on a GPU: no emulated GPU is built'
fi
finish
