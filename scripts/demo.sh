#!/bin/bash
# demo.sh: the whole pipeline on the two real graphs that ship: convert, split, pack, traverse.
# Without a GPU it runs on the CPU backend. It leaves nothing behind.
set -euo pipefail
cd "$(dirname "$0")/.."
bin=$PWD/${BUILD:-build}/bin
work=$(mktemp -d "${TMPDIR:-/tmp}/dbfs-demo.XXXXXX")
trap 'rm -rf "$work"' EXIT

show() {
    echo
    echo "\$ $*"
    (cd "$work" && PATH=$bin:$PATH bash -euo pipefail -c "$*")
}

cp datasets/wordnet-3.0.txt datasets/usa-road-NY.txt "$work"

echo "WordNet 3.0: a semantic graph with hubs, for 2 shards"
show "edgeconv -u -o wordnet.edges wordnet-3.0.txt"
show "degsplit -p 2 -o wordnet.split wordnet.edges"
show "dbfs-pack -p 2 -s wordnet.split -o wordnet.dbfs wordnet.edges"
show "dbfs-pack --list wordnet.dbfs"
show "dbfs-traverse -r 10815 --depths dog.txt wordnet.dbfs"
echo
echo "Synsets by distance from 'dog' (vertex 10815; -1 = unreachable):"
awk '{ count[$2]++ } END { for (d in count) printf "%5d %7d\n", d, count[d] }' "$work/dog.txt" | sort -n
show "${MPIEXEC:-mpiexec} -n 2 dbfs-traverse -q -n 16 wordnet.dbfs"

echo
echo "New York's roads: hundreds of levels, in one pipe"
show "edgeconv -u usa-road-NY.txt | dbfs-pack -p 1 -o ny.dbfs -"
show "dbfs-traverse -r 0 ny.dbfs"
