#!/bin/bash
# dbfs-model.sh: predictions of dbfs-model. Counts of RMAT graphs are compared with real ones, formulas with the
# paper, and each part of the cost is computed again. Bad inputs are refused.
set -u
. tests/lib.sh
model=$BIN/dbfs-model

# column NAME ROW: prints a cell of the table in $tmp/out; rows count from 1
column() { awk -F '\t' -v name="$1" -v row="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR == row + 1 { print $at[name] }' "$tmp/out"; }
# is A B TOLERANCE: A differs from B by at most that share of B
is() { awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN { d = a - b; if (d < 0) d = -d; exit !(d <= t * (b < 0 ? -b : b)) }'; }
below() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a < b) }'; }

# ---- RMAT graphs that nobody makes ----

"$BIN/rmatgen" -q -s 15 -o "$tmp/g.edges"
"$BIN/dbfs-pack" -q -p 1 -t 24 -o "$tmp/p1" "$tmp/g.edges"
"$BIN/dbfs-pack" -q -p 2 -t 24 -o "$tmp/p2" "$tmp/g.edges"
"$BIN/dbfs-pack" -q -p 4 -t 24 -o "$tmp/p4" "$tmp/g.edges"
"$BIN/dbfs-traverse" -q -n 8 --json "$tmp/1.json" "$tmp/p1" >"$tmp/said"
"$BIN/dbfs-traverse" -q -n 8 --json "$tmp/4.json" --trace "$tmp/4.trace" "$tmp/p4" >"$tmp/said"
"$MPIEXEC" -n 2 "$BIN/dbfs-traverse" -@ 1 -q -n 8 --json "$tmp/22.json" --breakdown "$tmp/p4" >"$tmp/said"
real() { grep -oE "\"$1\": [0-9.]+" "$tmp/1.json" | head -1 | sed 's/.*: //'; }
check_exit 0 'an RMAT graph' "$model" rmat --rmat 15 -t 24
check 'dbfs-model rmat takes values behind =' cmp "$tmp/out" <("$model" rmat --rmat=15 --threshold=24)
check_exit 2 'a value of an option of dbfs-model that has none' "$model" rmat --rmat=15 --stepped=1
check_says '^dbfs-model: --stepped=1: --stepped takes no value'
check_exit 0 'an RMAT graph' "$model" rmat --rmat 15 -t 24
for key in vertices_with_edges delegates nn nd dn dd; do
    name=${key%_with_edges}
    check "the model has the $name of a real graph: $(column $name 1), $(real $key)" is "$(column $name 1)" "$(real $key)" .03
done
searched=$(grep -oE '"iterations": [0-9]+' "$tmp/1.json" | awk '{ s += $2 } END { print s / NR }')
check "the model has the levels of a real graph: $(column levels 1), $searched" is "$(column levels 1)" "$searched" .2
check_exit 0 'scale 33 by figure 7' "$model" rmat --rmat 33 -t 181
check "$situation: delegates are those of section VI-B, 1.75%" is "$(column delegates 1)" "$(awk 'BEGIN { print .0175 * 2 ^ 33 }')" .005
# Ids of at most 10 one bits have 316 edge ends and more in the mean, others 100 and fewer, and TH 181 lies between.
# So delegates are known by their ids, and the first edges of that graph give the share of nn.
nn=$(column nn 1) nd=$(column nd 1) edges=$(column edges 1)
"$BIN/rmatgen" -q -s 33 --no-randomize --count 400000 -f text -o - | awk '
    function ones(x,   n) { for (; x > 0; x = int(x / 2)) n += x % 2; return n }
    { u = ones($1) > 10; v = ones($2) > 10; nn += u && v; nd += u && !v } END { print nn / NR, nd / NR }' >"$tmp/sample"
read -r nn_sample nd_sample <"$tmp/sample"
share() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.4f", a / b }'; }
check "the model has the nn edges of a sample of scale 33: $(share "$nn" "$edges"), $nn_sample" is "$(share "$nn" "$edges")" "$nn_sample" .04
check "the model has the nd edges of a sample of scale 33: $(share "$nd" "$edges"), $nd_sample" is "$(share "$nd" "$edges")" "$nd_sample" .02
check_exit 0 'TH inf' "$model" rmat --rmat 20 -t inf
check "$situation: predicts no delegates" test "$(column delegates 1) $(column nd 1) $(column reductions 1)" = '0 0 0'

# ---- TH, if none is given ----

"$BIN/rmatgen" -q -s 18 -o "$tmp/s18.edges"
for p in 1 2 4 16; do
    "$BIN/degsplit" -q -p $p --suggest memory --sweep "$tmp/sweep" --force -o /dev/null "$tmp/s18.edges"
    check_exit 0 "no TH, $p devices" "$model" predict -p $p --rmat 18
    th=$(column th 1)
    bytes=$(awk -F '\t' -v th="$th" '$1 == th { print $12 }' "$tmp/sweep")
    least=$(awk -F '\t' '$15 == 1 { print $12 }' "$tmp/sweep")
    check "TH $th takes the bytes of what degsplit suggests by memory: $bytes, $least" is "$bytes" "$least" .005
done
check_exit 0 'an RMAT graph without TH' "$model" rmat --rmat 18
cut -f 1 "$tmp/out" | tail -n +2 >"$tmp/th"
# the rows end at the largest degree, which is about that of the real graph
check "$situation: prints a row for each TH of a sweep" test "$(head -20 "$tmp/th" | tr '\n' ' ')" = \
    "$("$BIN/degsplit" -q -t inf --sweep "$tmp/sweep" --force -o /dev/null "$tmp/s18.edges"; cut -f 1 "$tmp/sweep" | sed -n 2,21p | tr '\n' ' ')"
check "$situation: prints a row for infinite TH" test "$(tail -1 "$tmp/th")" = inf
check_exit 0 'TH of figure 7' "$model" rmat --rmat 33 -t paper
check "$situation: is 181 at scale 33" test "$(column th 1)" = 181
check "$situation: delegates are those of section VI-B, 1.75%" is "$(column delegates 1)" "$(awk 'BEGIN { print .0175 * 2 ^ 33 }')" .005

# ---- the paper ----

check_exit 0 'the points of the paper' "$model" paper
cp "$tmp/out" "$tmp/paper"
for row in 1 2 3 4 5; do
    scale=$(column scale $row) p=$(column p $row) ranks=$(column ranks $row)
    want=$("$model" rmat --rmat "$scale" -t "$(column th $row)" | awk -F '\t' -v p="$p" -v ranks="$ranks" 'NR == 1 {
        for (i = 1; i <= NF; i++) at[$i] = i }
        NR == 2 { n = $at["ids"]; d = $at["delegates"]; nn = $at["nn"]; S = $at["levels"]; steps = log(ranks) / log(2)
            print d * ranks / 4 * S + 4 * nn, 1e3 * (d * steps / 4 * S + 4 * nn / p) / 12.5e9,
                1e3 * n * steps / p * S / 12.5e9 }')
    i=0
    for name in volume_bytes cost_ms short_cost_ms; do
        i=$((i + 1))
        check "$p GPUs: $name of section V-B" is "$(column $name $row)" "$(echo "$want" | cut -d ' ' -f $i)" .001
    done
done
masks=$({ "$model" rates ray; "$model" rmat --rmat 29 -t "$(column th 4)" | sed 1d; } | awk '
    /^#/ { next } NF < 11 || $2 !~ /^[0-9]+$/ { rate[$1] = $2; next }
    { bytes = $5 / 8 * $11; print 1e3 * ($11 * (rate["peer_latency"] + 2 * rate["network_latency"]) + \
        3 * bytes / rate["peer_bandwidth"] + 2 * bytes / rate["network_bandwidth"]) }')
check 'two hosts of four GPUs: masks are read within a host, and a tree reduces them between hosts' is "$(column masks_ms 4)" "$masks" .001
check 'the points of one host calibrate' is "$(column predicted_ms 1)" "$(column paper_ms 1)" .02
check 'the point of four GPUs calibrates' is "$(column predicted_ms 3)" "$(column paper_ms 3)" .02
check "124 GPUs are predicted: $(column error_percent 5)%" is "$(column predicted_ms 5)" "$(column paper_ms 5)" .25
check 'their time is that of 259.8 GTEPS' is "$(column paper_ms 5)" "$(awk 'BEGIN { print 2 ^ 37 / 259.8e9 * 1e3 }')" .001

# ---- each part ----

# a made-up run of one device and 10 levels, of which these numbers alone are known; and rates that are round numbers
cat >"$tmp/hand.json" <<'END'
{"environment": {"vertices": 1000000, "vertices_with_edges": 900000, "input_edges": 8000000, "th": 16, "delegates": 100000,
  "edges_kept": {"nn": 4000000, "nd": 3000000, "dn": 3000000, "dd": 6000000}, "backend": "cuda", "ranks": 1,
  "shards_per_rank": 1, "ranks_on_host": 1}, "summary": {},
 "roots": [{"root": 5, "time_s": 0.5, "levels": 9, "iterations": 10, "mask_reductions": 0},
  {"root": 6, "time_s": 99, "levels": 1, "iterations": 1, "mask_reductions": 0}]}
END
cat >"$tmp/rates" <<'END'
# round numbers
edge_s 1e-9
normal_edge_s 2e-9
delegate_s 1e-8
alone_level_s 1e-3
alone_small_s 4e-4
peer_level_s 2e-3
peer_small_s 5e-4
small_level 20000
loop_factor 2
message_level_s 3e-3   # with messages

peer_latency 1e-4
peer_bandwidth 1e9
host_latency 2e-4
host_bandwidth 5e8
network_latency 4e-4
network_bandwidth 1e8
message_s 1e-6
relay_level_s 5e-3
relay_small_s 7e-4
relay_host_latency 3e-4
relay_host_bandwidth 4e8
relay_network_latency 6e-4
relay_network_bandwidth 2e8
END
predict() { "$model" predict --rates "$tmp/rates" --calibrate 0 "$@" "$tmp/hand.json"; }
# parts_are VISITS DELEGATES LEVELS MASKS VERTICES MESSAGES COUNTS: compares row 1, in ms
parts_are() {
    local name
    for name in visits delegates levels masks vertices messages counts; do
        check "$name: $(column ${name}_ms 1) ms" is "$(column ${name}_ms 1)" "$1" .001
        shift
    done
}
check_exit 0 'one device' predict -p 1
parts_are 16 0 10 0 0 0 0
# Masks are reduced 5 times, 12500 bytes each. In each level each of four devices finds 100000 vertices, a quarter for
# each device: 100000 bytes
check_exit 0 'four that read each other' predict -p 4
parts_are 6 .75 20 "$(awk 'BEGIN { print 5 * 3 * .0125 }')" "$(awk 'BEGIN { print 10 * 3 * 25 / 1e3 }')" 0 0
check 'nn goes as bits, as 800000 / 4 / 8 bytes are fewer than 4 for each of 25000 vertices' is "$(column vertices_ms 1)" .75 .001
check_exit 0 'as lists' predict -p 4 --form list
check "$situation: vertices take four times the bytes" is "$(column vertices_ms 1)" "$(awk 'BEGIN { print 10 * 3 * 100 / 1e3 }')" .001
check_exit 0 'eight' predict -p 8
check "$situation: levels are small, as each device finds less than 20000" is "$(column levels_ms 1)" 5 .001
check_exit 0 'eight by messages' predict -p 8 --group 4 --stepped
check "$situation: levels are not small" is "$(column levels_ms 1)" 30 .001
sed 's/"iterations": 10/"iterations": 50/' "$tmp/hand.json" >"$tmp/deep.json"
check_exit 0 'one device and more levels' "$model" predict --rates "$tmp/rates" --calibrate 0 -p 1 "$tmp/deep.json"
check "$situation: levels are small" is "$(column levels_ms 1)" 20 .001
# each level visits a tenth of the nn edges: messages hold bits of all normals, then of nine tenths, and so on
check_exit 0 'by messages' predict -p 4 --group 1 --stepped
check "$situation: the host takes devices through the levels" test "$(column kind 1)" = message
parts_are 10 .75 30 "$(awk 'BEGIN { print 5 * (1.5 * .025 + 4 * .2) }')" "$(awk 'BEGIN { print 5.5 * 3 * .05 }')" \
    "$(awk 'BEGIN { print 10 * (.003 + .2) }')" "$(awk 'BEGIN { print 10 * 2 * (.2 + 32 / 5e5) }')"
check_exit 0 'two hosts of two' predict -p 4 -H 2 --stepped
parts_are 10 .75 30 "$(awk 'BEGIN { print 5 * (.1 + .0125 + .125 + 2 * .4) }')" "$(awk 'BEGIN { print 10 * .025 + 5.5 * .5 }')" \
    "$(awk 'BEGIN { print 10 * (.002 + .4) }')" "$(awk 'BEGIN { print 10 * (.4 + 16 / 1e5) }')"
# A relayed search: each device tells each far group its delegates, of which each of 5 levels finds 20000: bits of those that are
# unvisited, 12500 bytes and then 2500 less a level, where ids of 5000 would be 20000. Each level has two barriers, as a device finds 22500
# vertices of it
check_exit 0 'four hosts of one' predict -p 4 -H 4
check "$situation: messages are relayed" test "$(column kind 1)" = relay
masks=$(awk 'BEGIN { print 3 * (12500 + 10000 + 7500 + 5000 + 2500) / 2e8 * 1e3 }')
parts_are 6 .75 50 "$masks" "$(awk 'BEGIN { print 5.5 * 3 * 25e3 / 2e8 * 1e3 }')" "$(awk 'BEGIN { print 10 * 2 * (.6 + 2 * .001) }')" 0
check_exit 0 'two hosts of two' predict -p 4 -H 2
check "$situation: messages are relayed" test "$(column kind 1)" = relay
parts_are 6 .75 50 "$(awk -v far="$masks" 'BEGIN { print .0125 * 5 + far / 3 }')" "$(awk 'BEGIN { print 10 * .025 + 5.5 * 25e3 / 2e8 * 1e3 }')" \
    "$(awk 'BEGIN { print 10 * 2 * (.6 + .001) }')" 0
check_exit 0 'four ranks of a host' predict -p 4 --group 1
parts_are 6 .75 50 "$(awk -v far="$masks" 'BEGIN { print far / 2 }')" "$(awk 'BEGIN { print 5.5 * 3 * 25e3 / 4e8 * 1e3 }')" "$(awk 'BEGIN { print 10 * 2 * (.3 + .002) }')" 0
check_exit 0 'eight hosts' predict -p 8 -H 8
check "$situation: levels are small, with a barrier each: $(column levels_ms 1), $(column messages_ms 1) ms" \
    test "$(column levels_ms 1) $(column messages_ms 1)" = "7 $(awk 'BEGIN { printf "%.4g", 10 * (.6 + 6 * .001) }')"
check_exit 0 'more devices than may search by themselves' predict -p 16,17 -H 1 --group 1
check "$situation: are stepped: $(column kind 1), $(column kind 2)" test "$(column kind 1) $(column kind 2)" = 'relay message'
check_exit 0 'lists alone' predict -p 4 -H 4 --form list
check "$situation: are stepped, as in dbfs-traverse" test "$(column kind 1)" = message
check_exit 0 'CPUs' "$model" predict -p 2 -H 2 --rates cpu --rmat 20
check "$situation: are stepped" test "$(column kind 1)" = message

# ---- bands ----

check_exit 0 'rates without bands' predict -p 8 -H 8
check "$situation: least and most are the time" test "$(column least_ms 1) $(column most_ms 1)" = "$(column time_ms 1) $(column time_ms 1)"
cp "$tmp/rates" "$tmp/banded"
sed -i -e 's/^relay_network_bandwidth .*/relay_network_bandwidth 2e8 1e8 8e8/' -e 's/^relay_small_s .*/relay_small_s 7e-4 5e-4 9e-4/' "$tmp/banded"
time=$(column time_ms 1) masks=$(column masks_ms 1) vertices=$(column vertices_ms 1)
check_exit 0 'rates with bands' "$model" predict --rates "$tmp/banded" --calibrate 0 -p 8 -H 8 "$tmp/hand.json"
check "$situation: the time is that of the values" test "$(column time_ms 1)" = "$time"
check "$situation: the least time is that of the fast ends: $(column least_ms 1)" \
    is "$(column least_ms 1)" "$(awk -v t="$time" -v b="$masks" -v v="$vertices" 'BEGIN { print t - .75 * (b + v) - 2 }')" .001
check "$situation: the longest is that of the slow ends: $(column most_ms 1)" \
    is "$(column most_ms 1)" "$(awk -v t="$time" -v b="$masks" -v v="$vertices" 'BEGIN { print t + b + v + 2 }')" .001
rests=$(column rests_on 1)
check "a prediction names the rates that it rests on: $rests" is "$(tr ' ' '\n' <<<"$rests" | sed -n 's/^relay_small_s://p')" \
    "$(awk -v t="$time" 'BEGIN { print 7 / t }')" .1
check "$situation: the largest first, each with its share of the time" test "$(tr ' ' '\n' <<<"$rests" | cut -d : -f 2 | sort -rn | tr '\n' ' ')" = \
    "$(tr ' ' '\n' <<<"$rests" | cut -d : -f 2 | tr '\n' ' ')"

# ---- rates of links, measured in runs ----

# linked LATENCY BANDWIDTH BYTES: a made-up run of two ranks, --stepped, and one that is relayed, with links of so many seconds and bytes a
# second, and levels of so many bytes. Level 2 reduces masks. Level 6 waits longer: medians leave it out.
linked() {
    awk -v latency="$1" -v bandwidth="$2" -v of_levels="$3" -v out="$tmp" '
        function list(name, value, n,   i) { printf "\"%s\": [", name >file; for (i = 0; i < n; i++) printf "%s%s", i ? ", " : "", value[i] + 0 >file; printf "]" >file }
        BEGIN {
            split(of_levels, bytes, " ")
            for (relayed = 0; relayed < 2; relayed++) {
                file = out (relayed ? "/relayed.json" : "/sent.json")
                split("", wait); split("", masks); split("", moved)
                for (i = 0; i < 8; i++) {
                    moved[i] = 2 * bytes[i + 1] # of both ranks
                    masks[i] = i == 2 ? moved[i] : 0
                    messages = relayed ? 1 : i == 2 ? 3 : 1 + (moved[i] > 0)
                    wait[i] = (i == 6 ? 5 : 1) * messages * latency + bytes[i + 1] / bandwidth
                }
                printf "{\"environment\": {\"vertices\": 1000, \"vertices_with_edges\": 900, \"input_edges\": 8000, \"th\": 16, \"delegates\": 100, \"edges_kept\": {\"nn\": 4, \"nd\": 3, \"dn\": 3, \"dd\": 6}, \"backend\": \"cuda\", \"ranks\": 2, \"shards_per_rank\": 1, \"ranks_on_host\": %d, \"exchange_memory\": \"host\"}, \"summary\": {},\n", relayed ? 1 : 2 >file
                printf "\"roots\": [{\"root\": 5, \"time_s\": 0.5, \"levels\": 8, \"iterations\": 8, \"mask_reductions\": 1, \"exchange_s\": %s, \"levels_s\": {", relayed ? "0.000" : "0.1" >file
                list(relayed ? "local_exchange" : "remote_exchange", wait, 8)
                printf "}, \"levels_exchanged\": {" >file
                if (relayed) { list("peer_bytes", moved, 8) } else {
                    for (i = 0; i < 8; i++) moved[i] -= masks[i]
                    list("list_bytes", moved, 8); printf ", " >file; list("mask_bytes", masks, 8); printf ", " >file
                    split("", wait); list("peer_bytes", wait, 8)
                }
                print "}}]}" >file
            }
        }'
}
rate() { awk -v name="$1" -v field="$2" '$1 == name { print $field }' "$tmp/out"; } # NAME FIELD
linked 2e-5 4e9 '100 1000 400000 3000000 2000000 800 200 0'
check_exit 0 'dbfs-model rates of a stepped run within a host' "$model" rates "$tmp/sent.json"
check "$situation: finds the latency of a message: $(rate host_latency 2)" is "$(rate host_latency 2)" 2e-5 .01
check "$situation: finds the bandwidth: $(rate host_bandwidth 2)" is "$(rate host_bandwidth 2)" 4e9 .01
check "$situation: has nothing of other links" test "$(grep -cv '^#' "$tmp/out")" = 2
check "$situation: says on how many levels they rest" test "$(sed 's/.*: //' "$tmp/out" | tail -n 2 | tr '\n' ',')" = \
    '5 levels of at most 4096 bytes,3 levels of at least 65536 bytes,'
cp "$tmp/out" "$tmp/measured"
check_exit 0 'measured rates' "$model" predict -p 2 -g 2 --group 1 --stepped --rmat 20 --rates "$tmp/measured"
check "$situation: are what --rates takes: $(column rests_on 1)" grep -q 'host_latency:' <<<"$(column rests_on 1)"
check_exit 0 'dbfs-model rates of a relayed run on two hosts, and a stepped one on one' "$model" rates "$tmp/relayed.json" "$tmp/sent.json"
check "$situation: finds the latency of a barrier: $(rate relay_network_latency 2)" is "$(rate relay_network_latency 2)" 2e-5 .01
check "$situation: finds the bandwidth: $(rate relay_network_bandwidth 2)" is "$(rate relay_network_bandwidth 2)" 4e9 .01
check "$situation: has the rates of both" test "$(grep -v '^#' "$tmp/out" | cut -d ' ' -f 1 | tr '\n' ' ')" = \
    'host_latency host_bandwidth relay_network_latency relay_network_bandwidth '
cp "$tmp/sent.json" "$tmp/whole.json"
linked 2e-5 4e9 '100 1000 400 3000 2000 800 200 0'
check_exit 0 'a run with few bytes' "$model" rates "$tmp/sent.json"
check "$situation: says what is not measured" grep -q '^# host_bandwidth: not measured, as no level moved 65536 bytes a device' "$tmp/out"
linked 2e-5 4e9 '5000 5000 5000 5000 5000 5000 5000 5000'
check_exit 3 'a run that tells no rate' "$model" rates "$tmp/sent.json"
check_says 'dbfs-model: the runs tell no rate: larger graphs, or more roots, have levels that do'
sed 's/, "levels_exchanged".*}}\]}/}]}/' "$tmp/whole.json" >"$tmp/bad"
check_exit 3 'dbfs-model rates of levels without counts' "$model" rates "$tmp/bad"
check_says "$tmp/bad: it does not say what each level moved: rates want runs with --breakdown"
check_exit 3 'dbfs-model rates of one device' "$model" rates "$tmp/1.json"
check_says "$tmp/1.json: it has one rank, and no messages"
check_exit 3 'dbfs-model rates of ranks with two devices' "$model" rates "$tmp/22.json"
check_says "$tmp/22.json: devices read each other's memory"
"$MPIEXEC" -n 2 "$BIN/dbfs-traverse" -@ 1 -q -n 8 --exchange-memory host --json "$tmp/two-ranks.json" --breakdown "$tmp/p2" >"$tmp/said"
check_exit 0 'dbfs-model rates of a real run of two ranks' "$model" rates "$tmp/two-ranks.json"
check "$situation: has a latency with its band: $(rate host_latency 2) of $(rate host_latency 3) to $(rate host_latency 4) s" \
    awk -v a="$(rate host_latency 3)" -v b="$(rate host_latency 2)" -v c="$(rate host_latency 4)" 'BEGIN { exit !(0 < a && a <= b && b <= c && c < 1) }'
check_exit 1 'dbfs-model rates of no file' "$model" rates "$tmp/none.json"

check_exit 0 'memory' predict -p 4
check "$situation: memory is a quarter of Table I and some" is "$(column device_bytes 1)" \
    "$(awk 'BEGIN { print (8e6 + 64e6 + 16e6) / 4 + 8e5 + 5e4 + 2 * 75e3 }')" .001

# ---- levels from a trace; sparse masks ----

check_exit 0 'a run and its trace' "$model" check --calibrate 0 "$tmp/4.json" "$tmp/4.trace" "$tmp/22.json"
check 'the shape is that of the trace' test "$(column shape 1) $(column shape 2)" = 'trace rmat'

# ---- runs ----

check_exit 0 'three runs' "$model" check "$tmp/1.json" "$tmp/4.json" "$tmp/22.json"
check "$situation: the run of one device calibrates" test "$(column use 1) $(column error_percent 1)" = 'calibrates 0.0'
check 'the others are predicted' test "$(column use 2) $(column use 3)" = 'predicted predicted'
check "$situation: layouts are those of the runs" test "$(column p 1) $(column group 2) $(column p 3) $(column hosts 3)" = '1 4 4 1'
check "bytes are about those counted: $(column bytes_modelled 3), $(column bytes_counted 3)" \
    is "$(column bytes_modelled 3)" "$(column bytes_counted 3)" .5
check 'a run without --breakdown has none' test "$(column bytes_counted 2)" = NA
check "$situation: the parts of a prediction add up to its time" is "$(for n in visits imbalance delegates levels masks vertices messages counts; do
    column ${n}_ms 2; done | awk '{ s += $1 } END { print s }')" "$(column predicted_ms 2)" .002
check_exit 0 'with runs of four devices calibrating' "$model" check --calibrate 4 "$tmp/1.json" "$tmp/4.json" "$tmp/22.json"
check "$situation: both kinds of runs of four devices calibrate" test "$(column use 2) $(column use 3)" = 'calibrates calibrates'
middle=$("$model" check --calibrate 0 --rates "$tmp/rates" "$tmp/hand.json" | cut -f 7 | tail -1)
check "searches of one level do not count: $middle ms" test "$middle" = 500

# ---- growth ----

check_exit 0 'weak scaling' "$model" weak --rmat 20 -t paper
cp "$tmp/out" "$tmp/weak"
check "$situation: rows are of 1 to 100000 devices" test "$(grep -v '^#' "$tmp/weak" | cut -f 1 | tail -n +2 | tr '\n' ' ')" = \
    '1 2 4 8 16 32 64 128 256 512 1024 2048 4096 8192 16384 32768 65536 100000 '
check 'the graph grows by scales' test "$(grep -v '^#' "$tmp/weak" | cut -f 4 | tail -n +2 | sort -n | uniq | wc -l)" = 18
check 'efficiency never rises' awk -F '\t' '/^#/ { next } NR > 2 && $10 > last + 1e-9 { exit 1 } { last = $10 }' "$tmp/weak"
check 'what breaks, and where, is what the rows say' awk -F '\t' '
    NR == 1 { for (i = 11; i <= 18; i++) { name[i] = $i; sub(/_ms/, "", name[i]); if (name[i] == "visits") v = i } next }
    /^# this design/ { line = $0 }
    /^#/ { next }
    { for (i = 11; i <= 18; i++) if (i != v && $i > $v && !(i in first)) first[i] = $1 }
    END { for (i in first) { n++; if (index(line, name[i] " from p = " first[i]) == 0) exit 1 } exit n < 3 }' "$tmp/weak"
check "$situation: this design and each step to it have a line" test "$(grep -c '^# ' "$tmp/weak")" = 6
at() { grep "^# .*$1.*:" "$tmp/weak" | sed 's/.*at p = 100000 \(.*\) GTEPS/\1/'; }
check "masks by hosts are faster there than flat ones: $(at 'and masks=hosts') GTEPS" below "$(at masks=flat)" "$(at 'and masks=hosts')"
check "halving is faster than a tree: $(at reduction=halving) GTEPS" below "$(at 'and masks=hosts')" "$(at reduction=halving)"
check "sparse masks are faster than whole ones: $(at words=sparse) GTEPS" below "$(at form=auto)" "$(at words=sparse)"
time_with() { # RATE FACTOR: prints ms of 64 devices with that rate changed
    "$model" rates | awk -v name="$1" -v by="$2" '$1 == name { print name, $2 * by }' >"$tmp/changed"
    "$model" predict -p 64 --rmat 26 -t 64 --rates "$tmp/changed" | cut -f 8 | tail -1
}
for name in edge_s normal_edge_s delegate_s loop_factor message_level_s peer_latency network_latency message_s; do
    check "more $name: never faster" test "$(time_with $name 1 | tr -d .)" != '' -a \
        "$(awk -v a="$(time_with $name 1)" -v b="$(time_with $name 10)" 'BEGIN { print a <= b }')" = 1
done
for name in peer_bandwidth network_bandwidth; do
    check "more $name: faster" below "$(time_with $name 10)" "$(time_with $name 1)"
done
check_exit 0 'strong scaling' "$model" strong --rmat 31
check "$situation: begins where the graph fits" below 1 "$(column p 1)"
check "$situation: keeps the graph" test "$(grep -v '^#' "$tmp/out" | cut -f 4 | tail -n +2 | sort -u)" = 31
check_exit 0 'strong scaling of a run' "$model" strong "$tmp/4.json"
check "$situation: the TH is that of the run" test "$(grep -v '^#' "$tmp/out" | cut -f 5 | tail -n +2 | sort -u)" = 24

# ---- rows that runs correct, and other rows ----

# the run is 60 times as slow as the rates say of one device
sed -e 's/"shards_per_rank": 1/"shards_per_rank": 2/' -e 's/"time_s": 0.5/"time_s": 2/' "$tmp/hand.json" >"$tmp/two.json"
rows() { awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } !/^#/ && $1 <= 16 { printf "%s %s %s, ", $1, $at["corrected_by"], $at["efficiency"] == 1 ? "first" : "" }' "$tmp/out"; }
check_exit 0 'a run of two devices' "$model" strong --rates "$tmp/rates" "$tmp/two.json"
check "one device is not corrected, and no measure of others: $(rows)" test "$(rows)" = '1 none first, 2 peer first, 4 peer , 8 peer , 16 peer , '
check_exit 0 'the picture of strong scaling leaves out rows without rates' "$model" strong -o - --rates "$tmp/rates" "$tmp/two.json"
check "$situation: the first row is of two devices" test "$(sed -n '/^\$rates/,/^END/p' "$tmp/out" | sed -n 3p | cut -f 1)" = 2
check_exit 0 'with a run of one' "$model" strong --rates "$tmp/rates" --calibrate 2 "$tmp/two.json" "$tmp/hand.json"
check "all are corrected: $(rows)" test "$(rows)" = '1 alone first, 2 peer , 4 peer , 8 peer , 16 peer , '
check_exit 0 'no run' "$model" predict -p 1,2,4 --rmat 20
check "$situation: corrects none: $(rows)" test "$(rows)" = '1 none first, 2 none , 4 none , '

# ---- pictures ----

check_exit 0 'the script of a plot' "$model" weak -o - --rmat 20 -t paper
for data in rates times; do
    check "the picture of weak scaling has the rows of $data" test "$(sed -n "/^\$$data/,/^END/p" "$tmp/out" | wc -l)" = 21
done
if command -v gnuplot >/dev/null 2>&1; then
    check_exit 0 'a picture' "$model" weak -o "$tmp/weak.svg" --rmat 20 -t paper
    check "$situation: names the parts" grep -q 'visits' "$tmp/weak.svg"
    check "$situation: prints the table, too" cmp "$tmp/out" "$tmp/weak"
    check_exit 1 'a picture that is there' "$model" weak -o "$tmp/weak.svg" --rmat 20 -t paper
    check_exit 0 'replaced' "$model" weak --force -o "$tmp/weak.svg" --rmat 20 -t paper
else
    skip 'pictures: gnuplot is not installed'
fi

# ---- inputs that are pipes ----

by_every_way "$tmp/hand.json" "$model" check @
by_every_way "$tmp/hand.json" "$model" predict -p 2 @
by_every_way "$tmp/4.trace" "$model" check "$tmp/4.json" @
by_every_way "$tmp/rates" "$model" predict -p 4 --rmat 20 --rates @
by_every_way "$tmp/rates" "$model" strong "$tmp/hand.json" --rates @
check_exit 2 'dbfs-model refuses standard input twice' "$model" predict -p 2 --rates - -
check_says 'standard input: is given twice, and can be read once'
check_exit 1 'a folder for a run' "$model" check "$tmp"
check_exit 1 'a folder for rates' "$model" predict -p 2 --rmat 20 --rates "$tmp"
echo '# no rate' >"$tmp/bad"
check_exit 3 'rates without one' "$model" predict -p 2 --rmat 20 --rates "$tmp/bad"
check_says "$tmp/bad: it has no rate"
ln -s "$(command -v awk)" "$tmp/awk"
for tool in cat cut grep mktemp rm tail; do ln -s "$(command -v $tool)" "$tmp/$tool"; done
check_exit 1 'a picture without gnuplot' env PATH="$tmp" /bin/sh "$model" weak --rmat 20 -o "$tmp/y.svg"
check_says 'gnuplot: not found: install .*gnuplot-nox'

# ---- the page of predictions ----

awk '/^\| `predict / {
    split($0, part, "`")
    rest = substr($0, length(part[2]) + 5)
    if (match(rest, /[0-9.]+ \([0-9.]+ to [0-9.]+\)/)) print part[2] "\t" substr(rest, RSTART, RLENGTH)
}' scripts/results/predictions.md >"$tmp/page"
check 'scripts/results/predictions.md has rows' test "$(wc -l <"$tmp/page")" -gt 40
differs=$(while IFS=$'\t' read -r command said; do
    found=$("$model" $command | awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { print $at["time_ms"] " (" $at["least_ms"] " to " $at["most_ms"] ")" }')
    [ "$found" = "$said" ] || echo "$command: $found;"
done <"$tmp/page")
check "predictions.md says what dbfs-model predicts ($differs)" test -z "$differs"

# ---- rates, refused input ----

for name in h200 h100 a100 l4 t4 b200 rtx5090 ray cpu; do
    check_exit 0 "the rates of $name" "$model" rates $name
    cp "$tmp/out" "$tmp/again"
    check "$situation: are a file that --rates reads" test "$("$model" predict -p 8 --rmat 24 --rates "$tmp/again")" = \
        "$("$model" predict -p 8 --rmat 24 --rates $name)"
done
of_l4() { "$model" rates l4 | awk -v name="$1" '$1 == name { print $2 }'; }
check 'levels of an L4 are those of an H200, by the clock' is "$(of_l4 alone_level_s)" "$(awk 'BEGIN { print 33.6e-6 * 1980 / 2040 }')" .001
check 'edges of an L4 take half a byte of its bandwidth' is "$(of_l4 edge_s)" "$(awk 'BEGIN { print .5 / .3e12 }')" .001
check 'delegates of an L4 take longer by clock and multiprocessors' is "$(of_l4 delegate_s)" "$(awk 'BEGIN { print 3e-11 * 132 * 1980 / 58 / 2040 }')" .001
check 'rates of an L4 say that they are scaled, and not measured' grep -q '^# One l4, not measured: ' <("$model" rates l4)
refused() { # TEXT SAYS: expects the message for a file of rates
    printf "edge_s 1\n$1\n" >"$tmp/bad"
    check_exit 3 "a rate: $1" "$model" predict -p 2 --rmat 20 --rates "$tmp/bad"
    check_says "$tmp/bad:2: $2"
}
refused 'edge_s' 'neither NAME VALUE nor NAME VALUE LEAST MOST'
refused 'peer_latency 1 2' 'neither NAME VALUE nor NAME VALUE LEAST MOST'
refused 'peer_latency 1 2 3' 'peer_latency: 1 is not between 2 and 3'
refused 'peer_latency 1 0 3' 'peer_latency: 0: not a number above 0'
refused 'speed 1' 'speed: no such rate'
refused 'peer_level_s 0' 'peer_level_s: 0: not a number above 0'
refused 'peer_level_s -1' 'peer_level_s: -1: not a number above 0'
refused 'peer_level_s fast' 'peer_level_s: fast: not a number above 0'
refused 'edge_s 2' 'edge_s: given twice'
printf '{"environment":\n {"vertices": x}}\n' >"$tmp/bad"
check_exit 3 'JSON that is none' "$model" check "$tmp/bad"
check_says "$tmp/bad:2: not JSON"
printf '{"environment": {"vertices": 1}}\n' >"$tmp/bad"
check_exit 3 'JSON of something else' "$model" check "$tmp/bad"
check_says "$tmp/bad: neither"
sed 's/"iterations": 10/"iterations": 0/' "$tmp/hand.json" >"$tmp/bad"
check_exit 3 'a search without iterations' "$model" check "$tmp/hand.json" "$tmp/bad"
check_says "$tmp/bad: search 0: time_s and iterations are not above 0"
check_exit 2 'a trace before its run' "$model" check "$tmp/4.trace" "$tmp/4.json"
check_exit 1 'no such file' "$model" check "$tmp/nothing"
check_exit 1 'no such rates' "$model" paper --rates "$tmp/nothing"
for words in '' 'guess' 'check' 'predict --rmat 20' 'predict -p 2' 'predict -p 2,,4 --rmat 20' 'predict -p 0 --rmat 20' \
    'predict -p 4 -H 3 --rmat 20' 'predict -p 6 --group 4 --rmat 20' 'predict -p 9 --rmat 20' 'weak -g 3 --rmat 20' \
    'weak --group 3 --rmat 20' 'predict -p x --rmat 20' 'weak' 'weak --rmat 99' 'weak --rmat 20 --colour' \
    'predict -p 2 --rmat 20 --form bits' 'rmat' 'rates h300' 'paper x' 'weak -o x.gif --rmat 20' \
    'predict -p 2 -t 3 x.json' 'predict -o x.svg -p 2 --rmat 20' 'predict -p 2 --rmat 20 --calibrate 1'; do
    check_exit 2 "usage: $words" "$model" $words
done
check_exit 0 '--help' "$model" --help
check_exit 0 '--version' "$model" --version
finish
