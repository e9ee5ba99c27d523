#!/bin/bash
# demo.sh: takes the two real graphs that ship through the whole pipeline: convert, split, pack, traverse. It runs
# from a clone and from an installation, uses the CPU backend without a GPU, and leaves nothing behind.
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "$(readlink -f "$0")")" && pwd)
bin=${here%/*}/${BUILD:-build}/bin datasets=${here%/*}/datasets
if [ ! -d "$datasets" ]; then
    prefix=$(cd "$here/../../../.." && pwd)
    bin=$prefix/bin datasets=$prefix/share/dbfs/datasets
fi
work=$(realpath -- "$(mktemp -d -- "${TMPDIR:-/tmp}/dbfs-demo.XXXXXX")")
trap 'rm -rf "$work"' EXIT
export TMPDIR=${work%/*} # that of the user may be relative, and the programs run in $work

show() {
    echo
    echo "\$ $*"
    (cd "$work" && PATH=$bin:$PATH bash -euo pipefail -c "$*")
}

cp "$datasets/wordnet-3.0.txt" "$datasets/usa-road-NY.txt" "$work"

echo "WordNet 3.0: a semantic graph with hubs. One command, from the file to distances"
show "dbfs -q -r 10815 -o - wordnet-3.0.txt >depths && head -n 3 depths"
echo
echo "The same in steps, for 2 shards"
show "edgeconv -u -o wordnet.edges wordnet-3.0.txt"
show "degsplit -p 2 -o wordnet.split wordnet.edges"
show "dbfs-pack -p 2 -s wordnet.split -o wordnet.dbfs wordnet.edges"
show "dbfs-pack --list wordnet.dbfs"
show "dbfs-traverse -r 10815 --depths dog.txt wordnet.dbfs"
echo
echo "Synsets by distance from 'dog' (vertex 10815; -1 = unreachable):"
awk '{ count[$2]++ } END { for (d in count) printf "%5d %7d\n", d, count[d] }' "$work/dog.txt" | sort -n
if command -v "${MPIEXEC:-mpiexec}" >/dev/null 2>&1; then
    show "${MPIEXEC:-mpiexec} -n 2 dbfs-traverse -q -n 16 wordnet.dbfs"
fi

echo
echo "New York's roads: hundreds of levels, in one pipe"
show "edgeconv -u usa-road-NY.txt | dbfs-pack -p 1 -o ny.dbfs -"
show "dbfs-traverse -r 0 ny.dbfs"
