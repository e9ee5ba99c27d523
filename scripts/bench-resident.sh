#!/bin/bash
# bench-resident.sh: searches of packed columns beside those of raw ones, on one RMAT graph: bytes of device memory
# for a directed edge, everything counted, and speed.
#
#   [BACKEND=cuda] [THREADS=2] [ROOTS=16] [TH=N] [RUN='chrt -f 1'] scripts/bench-resident.sh [SCALE [ROUNDS]]
#
# Raw and packed take turns, ROUNDS times. Ratios are formed within a round, because machines drift; the last line
# is their median. TH is that which is suggested. RUN is put before dbfs-traverse.
set -euo pipefail
cd "$(dirname "$0")/.."
scale=${1:-22}
rounds=${2:-7}
settings='BACKEND THREADS ROOTS TH RUN'
. scripts/bench-lib.sh
options="--no-check --trust --backend ${BACKEND:-cpu} -@ ${THREADS:-2} -n ${ROOTS:-16}"

"$bin/rmatgen" -q -s "$scale" | "$bin/dbfs-pack" -q -p 1 ${TH:+-t "$TH"} -o "$work/graph" -
edges=$(awk '/^edges-/ { sum += $2 } END { printf "%.0f", sum }' "$work/graph/manifest")
"$bin/dbfs-traverse" --plan "$work/graph" | awk -v edges="$edges" '
    /^(graph|working arrays|total)/ { bytes = $NF; sub(/ +[0-9]+ +[0-9]+$/, ""); printf "%-24s %.3f bytes an edge\n", $0, bytes / edges }'

for round in $(seq "$rounds"); do
    for resident in raw packed; do
        ${RUN:-} "$bin/dbfs-traverse" $options --resident $resident "$work/graph" >"$work/$resident"
        grep -q "^resident: $resident " "$work/$resident"
        teps[${#resident}]=$(sed -n 's/^harmonic_mean_TEPS: //p' "$work/$resident")
    done
    cmp -s <(grep distance_checksum "$work/raw") <(grep distance_checksum "$work/packed")
    echo "round $round: raw ${teps[3]} TEPS, packed ${teps[6]}: $(ratio "${teps[6]}" "${teps[3]}")"
done | tee "$work/rounds"
sed 's/.*: //' "$work/rounds" | sort -g | awk '{ r[NR] = $1 } END { print "packed over raw, median:", r[int((NR + 1) / 2)] }'
