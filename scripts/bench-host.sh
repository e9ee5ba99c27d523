#!/bin/bash
# bench-host.sh: how near --resident host comes to what the link between host and GPU allows
#
#   scripts/bench-host.sh DIR
#
# DIR is a graph of one shard, packed with -t 0: all its edges are dd. Each root is searched with raw columns and with
# the rests of rows in memory of the host, and both searches note their levels (--trace). The script computes how many
# columns of 4 bytes each level must read over the link: a push reads the columns of its rows beyond the head columns;
# a pull reads at least its probes less the head columns of all rows that look. If the two searches chose different
# directions, the smaller number counts. Copied columns, which the GPU has itself, count as read. A level takes at least
# the time of these bytes at the rate of the link, and at least the time of the level with raw columns. `possible` is
# the sum of the larger of both, and `share` is `possible` over the time with columns in memory of the host.
#
# A row for each root, and then their median share. The environment:
#   LINK     GB/s of the link (default: measured by link-rate.cu, which wants nvcc)
#   ROOTS    number of roots (16);  BACKEND  cuda, or cpu, which rehearses without a GPU
#   RESULTS  a file that keeps the table, with command, machine, revision and date (scripts/results/)
set -euo pipefail
[ $# = 1 ] || { echo "usage: bench-host.sh DIR" >&2; exit 2; }
graph=$(realpath -- "$1")
cd "$(dirname "$0")/.."
settings='LINK ROOTS BACKEND'
. scripts/bench-lib.sh

measure_link() {
    "$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)" -O3 -arch=native -o "$work/link-rate" scripts/link-rate.cu
    "$work/link-rate"
}
LINK=${LINK:-$(measure_link)}

packed=$("$bin/dbfs-pack" --list --json "$graph")
if [[ $packed != *'"edges": {"nn": 0, "nd": 0, "dn": 0, '* || $packed != *'"shards": 1,'* ]]; then
    echo "bench-host.sh: $graph: not one shard, packed with -t 0" >&2
    exit 3
fi
delegates=$(sed -n 's/.*"delegates": \([0-9]*\).*/\1/p' <<<"$packed")
heads=$(sed -n 's/.*"head_columns": {.*"dd": \([0-9]*\).*/\1/p' <<<"$packed")

levels() { # RESIDENCE: of each level root, seconds, direction, rows, pushed edges, probes
    "$bin/dbfs-traverse" --backend "${BACKEND:-cuda}" --trust --no-check -q -n "${ROOTS:-16}" --resident "$1" \
        --trace "$work/$1.json" --force "$graph" >/dev/null
    tr -d '{}:,"' <"$work/$1.json" | awk '{
        for (i = 1; $i != "root"; i++) ; # behind the number of the format, in the first line
        root = $(i + 1)
        for (; $i != "dd"; i++) ;
        for (; i < NF; i++) { if ($i == "pushed" || $i == "probes" || $i == "direction" || $i == "frontier") of[$i] = $(i + 1)
            if ($i == "compute_s") seconds = $(i + 2) }
        print root, seconds, of["direction"], of["frontier"], of["pushed"], of["probes"] }'
}
levels raw >"$work/raw"
levels host >"$work/host"
echo "link: $LINK GB/s; head columns of dd: $heads"
printf '%12s %7s %10s %10s %10s %10s %6s\n' root levels raw_us host_us link_MB possible share
paste -d ' ' "$work/raw" "$work/host" | awk -v link="$LINK" -v heads="$heads" -v rows="$delegates" '
    function end() {
        if (levels)
            printf "%12s %7d %10.1f %10.1f %10.2f %10.1f %6.2f\n", root, levels, raw, host, bytes / 1e6, possible, possible / host
        levels = raw = host = bytes = possible = seen = 0
    }
    function columns(direction, frontier, pushed, probes) {
        probes = direction == "pull" ? probes - heads * (rows - seen) : pushed - heads * frontier
        return probes > 0 ? probes : 0
    }
    $1 != $7 { print "bench-host.sh: the searches have other levels" >"/dev/stderr"; exit 1 }
    $1 != root { end(); root = $1 }
    {
        levels++; seen += $10; raw += us = 1e6 * $2; host += 1e6 * $8
        raw_reads = columns($3, $4, $5, $6); host_reads = columns($9, $10, $11, $12)
        read = 4 * (raw_reads < host_reads ? raw_reads : host_reads)
        bytes += read
        possible += read / link / 1e3 > us ? read / link / 1e3 : us
    }
    END { end() }' | tee "$work/rows"
echo "median share: $(median "$work/rows" 7)"
