#!/bin/bash
# bench-resident.sh: searches of packed columns beside those of raw ones, on one RMAT graph: bytes of device memory
# for a directed edge, everything counted, and speed. With BACKEND=cuda columns in memory of the host are a third kind.
#
#   [BACKEND=cuda] [THREADS=2] [ROOTS=16] [TH=N] [RUN='chrt -f 1'] [KINDS='packed host'] [GRAPH=DIR]
#       scripts/bench-resident.sh [SCALE [ROUNDS]]
#
# Raw and the KINDS take turns, ROUNDS times. Ratios are formed within a round, because machines drift; the last lines
# are their medians. TH is that which is suggested. RUN is put before dbfs-traverse. GRAPH is searched instead of an
# RMAT graph of SCALE.
set -euo pipefail
cd "$(dirname "$0")/.."
scale=${1:-22}
rounds=${2:-7}
settings='BACKEND THREADS ROOTS TH RUN KINDS GRAPH'
. scripts/bench-lib.sh
options="--no-check --trust --backend ${BACKEND:-cpu} -@ ${THREADS:-2} -n ${ROOTS:-16}"
[ "${BACKEND:-cpu}" = cuda ] && kinds=${KINDS:-packed host} || kinds=${KINDS:-packed}
graph=${GRAPH:-$work/graph}

[ -n "${GRAPH:-}" ] || "$bin/rmatgen" -q -s "$scale" | "$bin/dbfs-pack" -q -p 1 ${TH:+-t "$TH"} -o "$graph" -
edges=$(awk '/^edges-/ { sum += $2 } END { printf "%.0f", sum }' "$graph/manifest")
"$bin/dbfs-traverse" --plan "$graph" | awk -v edges="$edges" '
    /^(graph|working arrays|total|memory)/ { bytes = $NF; sub(/ +[0-9]+ +[0-9]+$/, ""); printf "%-24s %.3f bytes an edge\n", $0, bytes / edges }'

declare -A teps
for round in $(seq "$rounds"); do
    for kind in raw $kinds; do
        ${RUN:-} "$bin/dbfs-traverse" $options --resident "$kind" "$graph" >"$work/$kind"
        grep -q "^resident: $kind " "$work/$kind"
        cmp -s <(grep distance_checksum "$work/raw") <(grep distance_checksum "$work/$kind")
        teps[$kind]=$(sed -n 's/^harmonic_mean_TEPS: //p' "$work/$kind")
        echo "round $round: $kind ${teps[$kind]} TEPS: $(ratio "${teps[$kind]}" "${teps[raw]}")"
    done
done | tee "$work/rounds"
for kind in $kinds; do
    sed -n "s/.*: $kind .*: //p" "$work/rounds" | sort -g |
        awk -v kind="$kind" '{ r[NR] = $1 } END { print kind " over raw, median:", r[int((NR + 1) / 2)] }'
done
