#!/bin/bash
# bench-scale.sh: shows the gain from more GPUs and more ranks of a host: the same graphs in several set-ups, and
# ratios of their rates.
#
#   scripts/bench-scale.sh [STAGE...]      (default: rmat uniform grid four figure8)
#
#   rmat     RMAT on one GPU and on all, in one process and with a rank for each GPU, by memory of peers and by
#            messages through the host; weak scaling; options of the exchange
#   uniform  a uniform random graph, with the suggested TH and without delegates
#   grid     a grid, for microseconds a level in many small levels
#   four     four shards, in 1, 2 and 4 ranks, which share the GPUs where there are fewer; --local-all2all
#   figure8  the eight combinations of --reduction, --local-all2all and --uniquify with messages of lists: times of
#            the parts of a search, as in figure 8 of the paper, and vertices and bytes before and after
#   th       the suggested TH for all GPUs beside a sweep, in one process and by messages through the host
#   cpu      two ranks of half the cores each beside one rank of all cores, on the CPU
#
# A set-up is a packing, a layout and options. A layout is ranks x GPUs of each; on the CPU ranks share the cores. A
# stage packs for its set-ups, and then runs all set-ups in turn, ROUNDS times. Each run is a row. Ratios follow the
# rows: of the best rounds, the range round by round, and of the least medians; `must` is the wanted ratio. All
# set-ups of a graph must find the same distances. The environment:
#   GPUS      2 or 4;  BACKEND  cuda, or cpu, which rehearses without a GPU
#   SCALE     of `rmat` on one GPU (26): all GPUs search SCALE + log2 GPUs;  TH_SCALES  of `th` ("26 27")
#   UNIFORM   scale of `uniform` (24);  GRID  side of `grid` (4000);  FOUR  scale of `four` and `figure8` (24)
#   CPU       scale of `cpu` (25);  TH  of `th` ("0 8 32 64 128 inf")
#   ROOTS     searches of a run (64; `grid` has two corners and its middle);  ROUNDS (3)
#   HOSTS     addresses of hosts, separated by commas, which get ranks in turn; WORK must then be a folder that all of
#             them see, and the programs lie at the same place
#   SETUPS    a pattern of awk that chooses set-ups by their whole name (column `set-up`)
#   BUDGET    seconds after which nothing begins and the running program is ended (default: no limit)
#   LIMIT     seconds that one program may run (120);  PACK  options for dbfs-pack
#   RAW       a folder that keeps the output of every run, with --json
#   WORK      a folder in memory for graphs (default: /dev/shm)
#   RESULTS   a file that keeps the table, with command, machine, revision and date (scripts/results/)
#
# Exit 4 if set-ups find different distances, 1 if a program fails, 2 for an unknown stage. Grids need `make
# tests-bin`.
set -euo pipefail
cd "$(dirname "$0")/.."
export TMPDIR=${WORK:-/dev/shm}
# Open MPI would bind a rank to one core
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_hwloc_base_binding_policy=none
export OMPI_MCA_rmaps_base_oversubscribe=1
settings='GPUS BACKEND SCALE UNIFORM GRID FOUR CPU TH TH_SCALES ROOTS ROUNDS HOSTS SETUPS BUDGET LIMIT PACK'
. scripts/bench-lib.sh
gpus=${GPUS:-2}
backend=${BACKEND:-cuda}
machine=gpu
[ "$backend" = cuda ] || machine=cpu
raw=${RAW:-$work/raw}
mkdir -p "$raw"
ROOTS=${ROOTS:-64}
table=$work/table
columns='%-8s %5s %-15s %-10s %4s %-6s %5s %10s %10s %10s %9s %9s %10s %-6s %-16s %s\n'
declare -A roots_of
code=0
: >"$table"

on_hosts=
if [ -n "${HOSTS:-}" ]; then
    on_hosts="-host $HOSTS"
    if "$mpiexec" --version 2>&1 | grep -q HYDRA; then on_hosts="-hosts $HOSTS -ppn 1"; fi
fi

left() { echo $((${BUDGET:-1000000} - SECONDS)); }
limit() { local most=${LIMIT:-120} rest; rest=$(left); echo $((rest < most ? rest : most)); }
bad() { echo "not ok - $1"; [ "$code" != 0 ] || code=1; }

# ---- graphs ----

shards_of() { echo $((${1%x*} * ${1#*x})); }                  # LAYOUT
pack_of() { echo "$work/${1%/*}-$(shards_of "$2")-${1#*/}"; } # GRAPH/TH LAYOUT

make_edges() { # GRAPH
    [ ! -e "$work/$1.edges" ] || return 0
    make_graph "$1"
    roots_of[$1]=$roots
    mv "$work/edges" "$work/$1.edges"
}

# GRAPH P TH: TH is a number, inf, or the links for which one is suggested
pack() {
    local th="-t $3"
    case $3 in peer | host) th="--for $machine --links $3" ;; esac
    timeout "$(limit)" "$bin/dbfs-pack" -q -p "$2" $th -@ $(((cores + 1) / 2)) ${PACK:-} -o "$work/$1-$2-$3" \
        "$work/$1.edges" 2>"$work/why-$1-$2-$3"
}

# FILE of set-ups: packs where a packing is missing, two side by side
prepare() {
    local label graph layout rest pids=
    while read -r label graph layout rest; do
        [ -e "$(pack_of "$graph" "$layout")" ] || echo "${graph%/*} $(shards_of "$layout") ${graph#*/}"
    done <"$1" | sort -u >"$work/missing"
    while read -r graph layout rest; do
        make_edges "$graph"
        pack "$graph" "$layout" "$rest" &
        pids="$pids $!"
        [ "$(wc -w <<<"$pids")" = 1 ] || { wait $pids || true; pids=; }
    done <"$work/missing"
    [ -z "$pids" ] || wait $pids || true
    while read -r graph layout rest; do
        [ -e "$work/$graph-$layout-$rest/manifest" ] ||
            bad "packing $graph for $layout, TH $rest: $(head -c 300 "$work/why-$graph-$layout-$rest")"
    done <"$work/missing"
}

# ---- runs ----

value() { sed -n "s/^$1: *\([^ ]*\).*/\1/p" "$2"; }

run_setup() { # STAGE ROUND LABEL GRAPH/TH LAYOUT [OPTION...]
    local stage=$1 round=$2 label=$3 graph=$4 layout=$5 of=$raw/$1-$3-$2 launch= threads=
    shift 5
    [ -e "$(pack_of "$graph" "$layout")/manifest" ] || return 0
    [ "$(left)" -gt 4 ] || { echo "left out, no time: $stage $label"; return 0; }
    [ "${layout%x*}" = 1 ] || launch="$mpiexec $on_hosts -n ${layout%x*}"
    [ "$backend" = cuda ] || threads="-@ $(((cores + ${layout%x*} - 1) / ${layout%x*}))"
    timeout -k 3 "$(limit)" $launch "$bin/dbfs-traverse" -q --no-check --trust --backend "$backend" $threads \
        -g "${layout#*x}" ${roots_of[${graph%/*}]} "$@" --force --json "$of.json" "$(pack_of "$graph" "$layout")" \
        >"$of.txt" 2>"$of.err" </dev/null ||
        { bad "$stage $label: exit status $?: $(head -c 400 "$of.err")"; return 0; }
    make_row "$stage" "$round" "$label" "$graph" "$layout" "$of" "$*"
}

# STAGE ROUND LABEL GRAPH/TH LAYOUT OUTPUT OPTIONS: prints a row: stage, round, set-up, graph, TH, layout, searches,
# us (median, mean, least), GTEPS, us a level, nn vertices that a search sends, memory of the exchange, checksum,
# options
make_row() {
    local th
    th=$(sed -n 's/^th //p' "$(pack_of "$4" "$5")/manifest")
    tr ',{}' '\n' <"$6.json" | awk -v OFS='\t' -v row="$1 $2 $3 ${4%/*} $th $5" -v options="${7:--}" \
        -v median="$(value median_time "$6.txt")" -v teps="$(value harmonic_mean_TEPS "$6.txt")" \
        -v sum="$(value distance_checksum "$6.txt")" '
        $1 == "\"exchange_memory\":" { gsub(/"/, "", $2); memory = $2 }
        $1 == "\"time_s\":" && $2 > 0 { time += $2; if (!n++ || $2 < least) least = $2 }
        $1 == "\"iterations\":" { levels += $2 }
        $1 == "\"sent_vertices\":" && $2 ~ /^[0-9]+$/ { sent += $2 }
        END { gsub(/ /, OFS, row)
            print row, n, sprintf("%.1f\t%.1f\t%.1f\t%.4g\t%.2f\t%d", 1e6 * median, 1e6 * time / n, 1e6 * least,
                teps / 1e9, levels ? 1e6 * time / levels : 0, sent / n), memory, sum, options }' >>"$table"
    tail -1 "$table" | tr '\t' '\n' | xargs -d '\n' printf "$columns"
}

# STAGE <SET-UPS: runs the set-ups, ROUNDS times in turn. A line is LABEL GRAPH/TH LAYOUT [OPTION...]
measure() {
    local stage=$1 round line
    awk -v wanted="^(${SETUPS:-.*})\$" '$1 ~ wanted' >"$work/setups"
    [ -s "$work/setups" ] || return 0
    [ "$(left)" -gt 4 ] || { echo "left out, no time: $stage"; return 0; }
    prepare "$work/setups"
    echo "$stage: packed, $SECONDS s since the start"
    for ((round = 1; round <= ${ROUNDS:-3}; round++)); do
        while read -r line <&3; do run_setup "$stage" "$round" $line; done 3<"$work/setups"
    done
    check_sums
}

check_sums() { # distances of a graph have one checksum
    local differ
    differ=$(awk -F'\t' '!(($4, $15) in seen) { seen[$4, $15]; sums[$4]++ }
        END { for (graph in sums) if (sums[graph] > 1) printf " %s", graph }' "$table")
    [ -z "$differ" ] || { echo "not ok - set-ups find other distances of:$differ"; code=4; }
}

drop() { rm -rf "$work/$1"[.-]*; } # GRAPH

# ---- ratios ----

# STAGE SET-UP OVER MUST TEXT: prints the ratio of GTEPS: of the best rounds, of each round, and by the least medians
over() {
    awk -F'\t' -v stage="$1" -v one="$2" -v two="$3" -v must="$4" -v text="$5" '
        function smaller(a, b) { return !b || a < b ? a : b }
        $1 == stage { teps[$3, $2] = $11; median[$3] = smaller($8, median[$3]); if ($11 > best[$3]) best[$3] = $11
            if ($2 > rounds) rounds = $2 }
        END {
            if (!best[one] || !best[two]) { printf "%-62s %8s\n", text, "-"; exit }
            for (i = 1; i <= rounds; i++) if (teps[one, i] && teps[two, i]) {
                x = teps[one, i] / teps[two, i]; least = smaller(x, least); if (x > most) most = x }
            printf "%-62s %8.3f  rounds %.3f to %.3f  by medians %.3f  must be %s\n", text, best[one] / best[two],
                least, most, median[two] / median[one], must }' "$table"
}

us_a_level() { # STAGE SET-UP MUST TEXT
    awk -F'\t' -v stage="$1" -v one="$2" -v must="$3" -v text="$4" '
        $1 == stage && $3 == one && (!least || $12 < least) { least = $12 }
        END { printf "%-62s %8s  must be %s\n", text, least ? least : "-", must }' "$table"
}

# SET-UP GRAPH MUST TEXT: prints the mean time of the set-up, which has the suggested TH, over the least of all TH.
# The others are named after it and their TH.
over_the_best() {
    awk -F'\t' -v one="$1" -v graph="$2" -v must="$3" -v text="$4" '
        $1 != "th" || $4 != graph || index($3, one) != 1 { next }
        { label = substr($3, length(one) + 1) }
        label == "" && (!chosen || $9 < chosen) { chosen = $9; th = $5 }
        label ~ /^-?th/ || label == "" { if (!least || $9 < least) { least = $9; best = $5 } }
        END {
            if (!chosen) { printf "%-62s %8s\n", text, "-"; exit }
            printf "%-62s %8.3f  TH %s; the best is TH %s  must be below %s\n", text, chosen / least, th, best,
                must }' "$table"
}

# ---- stages ----

# LABEL-SUFFIX GRAPH/TH MEMORY [OPTION...]: prints set-ups in each layout of all GPUs with several ranks, by memory of
# peers
in_ranks() {
    local suffix=$1 graph=$2 memory=$3 ranks
    shift 3
    for ((ranks = 2; ranks <= gpus; ranks *= 2)); do
        echo "${ranks}x$((gpus / ranks))$suffix $graph ${ranks}x$((gpus / ranks)) --exchange-memory $memory $*"
    done
}

stage_rmat() {
    local less=${SCALE:-26} scale all=1x$gpus ranks=${gpus}x1 must=1.5 must_weak=1.7 must_ranks=.9 set_up
    scale=$((less + (gpus == 4 ? 2 : 1)))
    [ "$gpus" != 4 ] || must=2.5 must_weak=3.2 must_ranks=.85
    measure rmat <<END
weak-1x1 rmat$less/peer 1x1
1x1 rmat$scale/peer 1x1
$all rmat$scale/peer $all
$(in_ranks '' rmat$scale/peer peer)
$ranks-u rmat$scale/peer $ranks --exchange-memory peer --uniquify
$(in_ranks -host rmat$scale/host host)
$ranks-host-stepped rmat$scale/host $ranks --exchange-memory host --stepped
$ranks-host-u rmat$scale/host $ranks --exchange-memory host --uniquify
$ranks-host-ir rmat$scale/host $ranks --exchange-memory host --reduction nonblocking
$ranks-list rmat$scale/host $ranks --exchange-memory host --exchange-form list
$ranks-list-u rmat$scale/host $ranks --exchange-memory host --exchange-form list --uniquify
END
    drop rmat$less
    drop rmat$scale
    over rmat $all 1x1 $must "RMAT $scale, $gpus GPUs over 1 GPU"
    over rmat $all weak-1x1 $must_weak "RMAT $scale on $gpus over RMAT $less on 1 (weak)"
    for set_up in $(in_ranks '' - - | cut -d' ' -f1); do
        over rmat $set_up $all $must_ranks "RMAT $scale, $set_up over $all"
        over rmat $set_up-host $all .5 "RMAT $scale, $set_up by host messages over $all"
    done
    over rmat $ranks-u $ranks .95 "RMAT $scale, $ranks, --uniquify over without"
    over rmat $ranks-host-u $ranks-host-stepped .95 'the same by host messages, stepped'
    over rmat $ranks-list-u $ranks-list .95 'the same by host messages of lists'
    over rmat $ranks-host-ir $ranks-host-stepped 1.0 "RMAT $scale, $ranks by host messages, stepped, nonblocking over blocking"
    over rmat $ranks-host $ranks-host-stepped 1.3 "RMAT $scale, $ranks by host messages, over stepped"
}

stage_uniform() {
    local scale=${UNIFORM:-24} all=1x$gpus ranks=${gpus}x1
    measure uniform <<END
1x1 uniform$scale/peer 1x1
$all uniform$scale/peer $all
$ranks uniform$scale/peer $ranks --exchange-memory peer
inf-1x1 uniform$scale/inf 1x1
inf-$all uniform$scale/inf $all
inf-$ranks uniform$scale/inf $ranks --exchange-memory peer
inf-$ranks-host uniform$scale/inf $ranks --exchange-memory host
END
    drop uniform$scale
    over uniform $all 1x1 1.4 "uniform $scale, $all over 1x1"
    over uniform $ranks 1x1 1.4 "uniform $scale, $ranks over 1x1"
    over uniform inf-$all inf-1x1 .8 "uniform $scale, -t inf, $all over 1x1"
    over uniform inf-$ranks inf-1x1 .8 "uniform $scale, -t inf, $ranks over 1x1"
    over uniform inf-$ranks-host inf-1x1 .3 "uniform $scale, -t inf, $ranks by host messages over 1x1"
}

stage_grid() {
    local side=${GRID:-4000} all=1x$gpus ranks=${gpus}x1
    measure grid <<END
1x1 grid$side/peer 1x1
$all grid$side/peer $all
$ranks grid$side/peer $ranks --exchange-memory peer
$ranks-host grid$side/host $ranks --exchange-memory host
END
    drop grid$side
    us_a_level grid 1x1 - "grid $side, us a level, 1x1"
    us_a_level grid $all 20 "grid $side, us a level, $all"
    us_a_level grid $ranks 20 "grid $side, us a level, $ranks"
    us_a_level grid $ranks-host 60 "grid $side, us a level, $ranks by host messages"
}

stage_four() {
    local scale=${FOUR:-24}
    measure four <<END
1x4 rmat$scale/peer 1x4
2x2 rmat$scale/peer 2x2
4x1 rmat$scale/peer 4x1
2x2-peer rmat$scale/peer 2x2 --exchange-memory peer
2x2-host rmat$scale/host 2x2 --exchange-memory host
2x2-host-stepped rmat$scale/host 2x2 --exchange-memory host --stepped
2x2-host-l rmat$scale/host 2x2 --exchange-memory host --local-all2all
2x2-list rmat$scale/host 2x2 --exchange-memory host --exchange-form list
2x2-list-l rmat$scale/host 2x2 --exchange-memory host --exchange-form list --local-all2all
END
    drop rmat$scale
    over four 2x2 1x4 .85 "RMAT $scale, p = 4 on $gpus GPUs, 2x2 over 1x4"
    over four 4x1 1x4 .85 "RMAT $scale, p = 4 on $gpus GPUs, 4x1 over 1x4"
    over four 2x2-host-l 2x2-host-stepped 1.0 "RMAT $scale, 2x2 by host messages, stepped, --local-all2all over without"
    over four 2x2-list-l 2x2-list 1.0 'the same with lists'
}

# Tables show the fastest round of each combination. --breakdown takes time, so do not compare these rows with others.
stage_figure8() {
    local scale=${FOUR:-24} reduction gather unique label kept
    measure figure8 <<END
$(for reduction in '' '-ir --reduction nonblocking'; do
        for gather in '' '-l --local-all2all'; do
            for unique in '' '-u --uniquify'; do
                label=br${reduction%% *}${gather%% *}${unique%% *}
                echo "${label/br-ir/ir} rmat$scale/host 2x2 --exchange-memory host --exchange-form list --breakdown" \
                    "${reduction#* } ${gather#* } ${unique#* }"
            done
        done
    done)
END
    drop rmat$scale
    kept=($(awk -F'\t' -v raw="$raw" '
        $1 == "figure8" && !($3 in least) { order[++n] = $3 }
        $1 == "figure8" && (!least[$3] || $8 < least[$3]) { least[$3] = $8; round[$3] = $2 }
        END { for (i = 1; i <= n; i++) print raw "/figure8-" order[i] "-" round[order[i]] ".json" }' "$table"))
    [ ${#kept[@]} != 0 ] || return 0
    "$bin/dbfs-report" options "${kept[@]}" | sed "s|^$raw/figure8-\(.*\)-[0-9]*.json|\1|"
    "$bin/dbfs-report" exchange "${kept[-1]}" | sed "s|^$raw/figure8-\(.*\)-[0-9]*.json|\1|"
}

# all TH are packed first, then searched; the next scale drops these packings
stage_th() {
    local scale th all=1x$gpus ranks=${gpus}x1
    for scale in ${TH_SCALES:-26 27}; do
        measure th <<END
$all rmat$scale/peer $all
$ranks-host rmat$scale/host $ranks --exchange-memory host
$(for th in ${TH:-0 8 32 64 128 inf}; do
            echo "$all-th$th rmat$scale/$th $all"
            echo "$ranks-host-th$th rmat$scale/$th $ranks --exchange-memory host"
        done)
END
        drop rmat$scale
        over_the_best $all rmat$scale 1.1 "RMAT $scale, $all, mean time with TH suggested over the best"
        over_the_best $ranks-host rmat$scale 1.1 "RMAT $scale, $ranks by host messages, the same"
    done
}

stage_cpu() {
    local scale=${CPU:-25} backend=cpu machine=cpu
    measure cpu <<END
1x1 rmat$scale/peer 1x1
2x1 rmat$scale/peer 2x1 --exchange-memory peer
2x1-host rmat$scale/host 2x1 --exchange-memory host
END
    drop rmat$scale
    over cpu 2x1 1x1 1.0 "RMAT $scale, CPU, 2 ranks of half of the $cores cores over 1 of all"
    over cpu 2x1-host 1x1 - 'the same by host messages'
}

stages=${*:-rmat uniform grid four figure8}
for stage in $stages; do
    declare -F "stage_$stage" >/dev/null || { echo "no stage '$stage'" >&2; exit 2; }
done
printf "$columns" stage round set-up graph TH layout roots median_us mean_us least_us GTEPS us/level sent memory \
    checksum options
for stage in $stages; do
    "stage_$stage"
done
echo "$(wc -l <"$table") runs, $SECONDS s"
exit "$code"
