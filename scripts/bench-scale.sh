#!/bin/bash
# bench-scale.sh: what a second GPU and a second rank are worth: searches of the same graphs in several set-ups,
# and their ratios.
#
#   scripts/bench-scale.sh [rmat] [uniform] [grid] [four] [cpu]      (default: rmat uniform grid four)
#
# A set-up is a layout, ranks x GPUs, with options. Each stage packs its graphs, then runs all set-ups in turn,
# ROUNDS times, and prints the best round of each and the ratios. All set-ups must find the same distances. The
# script ends with exit status 1 if some do not, or if a run fails.
#   BUILD     build (default: build); another build, such as an older one, may lack options
#   BACKEND   cuda; cpu rehearses the stages without a GPU
#   SCALE     of `rmat` (27); the weak-scaling row takes SCALE - 1 on one GPU
#   TH        of `rmat` (default: what dbfs-pack suggests)
#   UNIFORM   scale of `uniform` (24);  GRID  side of `grid` (4000);  FOUR  scale of `four` (24)
#   ROOTS     searches of a run (64; 8 for `grid`);  ROUNDS (3)
#   OUT       a folder for the raw output of every run (default: none is kept)
#   WORK      a folder in memory for graphs (default: /dev/shm)
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/lib.sh
work=$(mktemp -d "${WORK:-/dev/shm}/dbfs-scale.XXXXXX") || exit 1
trap 'rm -rf "$tmp" "$work"' EXIT
backend=${BACKEND:-cuda}
out=${OUT:-$tmp/raw}
mkdir -p "$out"

# ---- graphs ----

generate() { # NAME OPTION...: edges of rmatgen, in $work/NAME.edges
    local name=$1
    shift
    [ -e "$work/$name.edges" ] || "$BIN/rmatgen" -q "$@" -o "$work/$name.edges"
}

pack() { # NAME P TH: $work/NAME-P-TH
    local th=
    [ "$3" = suggested ] || th="-t $3"
    [ -e "$work/$1-$2-$3" ] || "$BIN/dbfs-pack" -q -p "$2" $th -o "$work/$1-$2-$3" "$work/$1.edges" ||
        { echo "not ok - packing $1 for $2"; failures=$((failures + 1)); }
}

drop() { rm -rf "$work/$1".edges "$work/$1"-*; } # NAME

# ---- runs ----

# A list of set-ups, one a line: LABEL GRAPH LAYOUT OPTION... GRAPH is a name, TH after a slash.
measure() { # STAGE ROOTS <SET-UPS
    local stage=$1 roots=$2 label graph layout options round dir raw p
    cat >"$tmp/setups"
    for round in $(seq "${ROUNDS:-3}"); do
        while read -r label graph layout options; do
            p=$((${layout%x*} * ${layout#*x}))
            dir=$work/${graph%/*}-$p-${graph#*/}
            raw=$out/$stage-$label-$round
            if ! "$MPIEXEC" -n "${layout%x*}" "$BIN/dbfs-traverse" -g "${layout#*x}" --no-check \
                --backend "$backend" -n "$roots" --force --json "$raw.json" $options "$dir" \
                >"$raw.txt" 2>"$raw.err" </dev/null; then
                echo "not ok - $stage $label: $(head -c 400 "$raw.err")"
                failures=$((failures + 1))
                continue
            fi
            note "$stage" "$label" "${graph%/*}" "$raw"
        done <"$tmp/setups"
    done
    check_sums "$stage"
}

value() { sed -n "s/^$1: *\([^ ]*\).*/\1/p" "$2"; }

note() { # STAGE LABEL GRAPH RAW: appends STAGE LABEL GRAPH TEPS US_A_LEVEL CHECKSUM to $tmp/results
    local levels
    levels=$(grep -oE '"(time_s|iterations)": [0-9.]+' "$4.json" | awk -F': ' '
        /time_s/ { time += $2 } /iterations/ { levels += $2 }
        END { printf "%.3f", (levels > 0 ? 1e6 * time / levels : 0) }')
    echo "$1 $2 $3 $(value harmonic_mean_TEPS "$4.txt") $levels $(value distance_checksum "$4.txt")" >>"$tmp/results"
}

check_sums() { # STAGE: one checksum for each graph
    local bad
    bad=$(awk -v stage="$1" '$1 == stage && !(($3, $6) in seen) { seen[$3, $6]; sums[$3]++ }
        END { for (g in sums) if (sums[g] > 1) print g }' "$tmp/results")
    [ -z "$bad" ] || { echo "not ok - $1: set-ups find other distances of $bad"; failures=$((failures + 1)); }
}

# ---- tables ----

show() { # STAGE: the best round of each set-up
    awk -v stage="$1" '
        $1 == stage { if (!($2 in teps)) order[++n] = $2
            if ($4 > teps[$2]) { teps[$2] = $4; us[$2] = $5; sum[$2] = $6; graph[$2] = $3 } }
        END { printf "%-10s %-22s %-14s %12s %12s  %s\n", "stage", "set-up", "graph", "GTEPS", "us a level", "checksum"
            for (i = 1; i <= n; i++) printf "%-10s %-22s %-14s %12.3f %12.2f  %s\n", stage, order[i], graph[order[i]],
                teps[order[i]] / 1e9, us[order[i]], sum[order[i]] }' "$tmp/results"
}

ratio() { # STAGE TEXT LABEL OVER: of the best rounds
    awk -v stage="$1" -v text="$2" -v a="$3" -v b="$4" '
        $1 == stage && $4 > best[$2] { best[$2] = $4 }
        END { if (best[a] > 0 && best[b] > 0) printf "%-60s %8.3f\n", text, best[a] / best[b]
              else printf "%-60s %8s\n", text, "-" }' "$tmp/results"
}

# ---- stages ----

stage_rmat() {
    local scale=${SCALE:-27} th=${TH:-suggested} less p
    less=$((scale - 1))
    generate rmat$less -s $less
    pack rmat$less 1 "$th"
    rm -f "$work/rmat$less.edges"
    generate rmat$scale -s "$scale"
    for p in 1 2; do
        pack rmat$scale $p "$th"
    done
    rm -f "$work/rmat$scale.edges"
    measure rmat "${ROOTS:-64}" <<END
weak-1x1 rmat$less/$th 1x1
1x1 rmat$scale/$th 1x1
1x2 rmat$scale/$th 1x2
1x2-list rmat$scale/$th 1x2 --exchange-form list
2x1 rmat$scale/$th 2x1 --exchange-memory peer
2x1-host rmat$scale/$th 2x1 --exchange-memory host
2x1-host-list rmat$scale/$th 2x1 --exchange-memory host --exchange-form list
2x1-host-u rmat$scale/$th 2x1 --exchange-memory host --uniquify
2x1-host-ir rmat$scale/$th 2x1 --exchange-memory host --reduction nonblocking
END
    drop rmat$less
    drop rmat$scale
    show rmat
    ratio rmat "RMAT $scale, 2 GPUs over 1 GPU" 1x2 1x1
    ratio rmat "RMAT $scale on 2 over RMAT $less on 1 (weak)" 1x2 weak-1x1
    ratio rmat '2x1 over 1x2, same host' 2x1 1x2
    ratio rmat '2x1 by host messages over 1x2' 2x1-host 1x2
    ratio rmat '--uniquify over without, 2x1, host messages' 2x1-host-u 2x1-host
    ratio rmat 'nonblocking over blocking, host messages' 2x1-host-ir 2x1-host
}

stage_uniform() {
    local scale=${UNIFORM:-24} p th
    generate uniform -s "$scale" -A .25 -B .25 -C .25
    for p in 1 2; do
        for th in suggested inf; do
            pack uniform $p $th
        done
    done
    measure uniform "${ROOTS:-64}" <<END
1x1 uniform/suggested 1x1
1x2 uniform/suggested 1x2
2x1 uniform/suggested 2x1 --exchange-memory peer
inf-1x1 uniform/inf 1x1
inf-1x2 uniform/inf 1x2
inf-2x1 uniform/inf 2x1 --exchange-memory peer
inf-2x1-host uniform/inf 2x1 --exchange-memory host
END
    drop uniform
    show uniform
    ratio uniform "uniform $scale, 1x2 over 1x1" 1x2 1x1
    ratio uniform "uniform $scale, 2x1 over 1x1" 2x1 1x1
    ratio uniform "uniform $scale, -t inf, 1x2 over 1x1" inf-1x2 inf-1x1
    ratio uniform "uniform $scale, -t inf, 2x1 over 1x1" inf-2x1 inf-1x1
    ratio uniform "uniform $scale, -t inf, 2x1 by host messages over 1x1" inf-2x1-host inf-1x1
}

stage_grid() {
    local side=${GRID:-4000} p
    "$TESTS/mkgraph" grid "$side" "$side" | "$BIN/edgeconv" -q -u -o "$work/grid.edges" -
    for p in 1 2; do
        pack grid $p suggested
    done
    measure grid "${ROOTS:-8}" <<END
1x1 grid/suggested 1x1
1x2 grid/suggested 1x2
2x1 grid/suggested 2x1 --exchange-memory peer
2x1-host grid/suggested 2x1 --exchange-memory host
END
    drop grid
    show grid
}

stage_four() {
    local scale=${FOUR:-24}
    generate four -s "$scale"
    pack four 4 suggested
    measure four "${ROOTS:-64}" <<END
1x4 four/suggested 1x4
2x2 four/suggested 2x2
4x1 four/suggested 4x1
2x2-peer four/suggested 2x2 --exchange-memory peer
2x2-host four/suggested 2x2 --exchange-memory host
2x2-host-l four/suggested 2x2 --exchange-memory host --local-all2all
END
    drop four
    show four
    ratio four "RMAT $scale, p = 4, 2x2 over 1x4" 2x2 1x4
    ratio four "RMAT $scale, p = 4, 4x1 over 1x4" 4x1 1x4
    ratio four '--local-all2all over without, 2x2, host messages' 2x2-host-l 2x2-host
}

# Two ranks of half the cores beside one of all.
stage_cpu() {
    local scale=${SCALE:-25} half backend=cpu
    half=$(($(nproc) / 2))
    [ $half -gt 0 ] || half=1
    generate cpu -s "$scale"
    pack cpu 1 suggested
    pack cpu 2 suggested
    measure cpu "${ROOTS:-64}" <<END
1x1 cpu/suggested 1x1 -@ $((2 * half))
2x1 cpu/suggested 2x1 -@ $half --exchange-memory peer
2x1-host cpu/suggested 2x1 -@ $half --exchange-memory host
END
    drop cpu
    show cpu
    ratio cpu "RMAT $scale, CPU, 2 ranks x $half threads over 1 x $((2 * half))" 2x1 1x1
    ratio cpu 'the same by host messages' 2x1-host 1x1
}

make -j"$(nproc)" all tests-bin >"$work/build" 2>&1 || { tail "$work/build"; exit 1; }
for stage in ${*:-rmat uniform grid four}; do
    start=$SECONDS
    "stage_$stage"
    echo "stage $stage: $((SECONDS - start)) s"
done
finish
