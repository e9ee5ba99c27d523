#!/bin/bash
# together.sh: searches from several roots as one (--together), and the nearest root of each vertex (--nearest). Distances
# are the least over single searches of the oracle, in every layout of shards, ranks and threads, in every mode of a
# search, with edges of either kind. With BACKEND=cuda on GPUs.
set -u
. tests/lib.sh
backend=${BACKEND:-cpu}
export EMULATED_GPUS=4 EMULATED_PROCESSORS=2
traverse() { "$BIN/dbfs-traverse" -q --backend "$backend" --force "$@"; }
mpi() { local n=$1; shift; "$MPIEXEC" -n "$n" "$BIN/dbfs-traverse" -q -@ 1 --backend "$backend" --force "$@"; }
field() { sed -n "s/.* $1 \([^ ]*\).*/\1/p" "$2"; }
BIN=$(realpath "$BIN") oracle=$(realpath "$TESTS/oracle")
cd "$tmp" || exit 1

"$BIN/rmatgen" -q -s 8 -e 4 -f text >rmat.txt
lonely=$(awk '{ seen[$1] = seen[$2] = 1 } END { for (i = 0; i < 256; i++) if (!(i in seen)) print i }' rmat.txt | head -n 2 | paste -sd,)
"$BIN/edgeconv" -q -u --vertices 256 -o rmat.edges rmat.txt
"$BIN/edgeconv" -q --direction directed --vertices 256 -o arcs.edges rmat.txt
awk '{ print $2, $1 }' rmat.txt >arcs-back.txt
cp rmat.txt arcs.txt

# want GRAPH ROOTS [MOST]: writes the least distance over the oracle's searches to the file `want`; -1 beyond MOST
want() {
    local flag=
    [[ $1 = arcs* ]] && flag=-d
    rm -f o.*
    "$oracle" $flag -n 256 -o o.%d "$1.txt" "$2" >/dev/null
    awk -v most="${3:-999}" '$2 >= 0 && $2 <= most && (!($1 in d) || $2 < d[$1]) { d[$1] = $2 }
        END { for (i = 0; i < 256; i++) print i "\t" (i in d ? d[i] : -1) }' o.* >want
}

# is_proved: the files d, p and n are a tree from all roots with the distances of `want`, and its roots
is_proved() {
    awk 'FILENAME != file { file = FILENAME; files++ }
        { value[files, $1] = $2 }
        END {
            for (i = 0; i < 256; i++) {
                depth = value[1, i]; parent = value[3, i]; nearest = value[4, i]
                if (value[2, i] != depth || (depth < 0 && (parent != -1 || nearest != -1)) ||
                    (depth == 0 && (parent != i || nearest != i)) ||
                    (depth > 0 && (value[1, parent] != depth - 1 || value[4, parent] != nearest))) {
                    print "vertex", i, "want", depth, "depth", value[2, i], "parent", parent, "nearest", nearest
                    exit 1
                }
            }
        }' want d p n
}

# proves NAME EDGES ROOTS COMMAND...: runs the search, and compares files and record
proves() {
    local name=$1 edges=$2 roots=$3 options=
    shift 3
    case " $* " in *' --reverse '*) options=--reverse ;; esac
    case " $* " in *' --max-depth '*) options+=" --max-depth 1" ;; esac
    rm -f d p n
    "$@" -r "$roots" --together --depths d --parents p --nearest n --json json >out 2>err
    check "$name ends well" test $? = 0
    check "$name: distances are the least, and nearest roots follow parents" is_proved
    check "$name: dbfs-check proves them" "$BIN/dbfs-check" $options -r "$roots" --together --depths d --parents p --nearest n $edges
    # dbfs-check counts levels and vertices by itself
    "$BIN/dbfs-check" $options -r "$roots" --together --depths d $edges >checked
    check "$name: the record has these levels, vertices and sum" test \
        "$(sed -n 's/.*"levels": \([0-9]*\), "reached": \([0-9]*\),.*/\1 \2/p' json) $(sed -n 's/.*"checksum": "\([0-9a-f]*\)".*/\1/p' json)" = \
        "$(field levels checked) $(field reached checked) $(field checksum checked)"
}

few=1,5,77,200,5,${lonely#*,},131
many=$(seq 0 3 255 | paste -sd,)
all=$(seq 0 255 | paste -sd,)
for p in 1 2 3; do
    "$BIN/dbfs-pack" -q -p $p -t 12 -o rmat-$p rmat.edges
    "$BIN/dbfs-pack" -q -p $p -t 12 -o arcs-$p arcs.edges
done
check 'the roots are delegates and normals' eval '"$BIN/dbfs-pack" --list rmat-1 | grep -q "delegates" && test -n "$lonely"'

for set in few many all lonely; do
    want rmat "${!set}"
    proves "$set, 1 shard" rmat.edges "${!set}" traverse -@ 1 rmat-1
    [ $backend = cpu ] || EMULATED_SLICED=0 proves "$set, 1 shard, fused" rmat.edges "${!set}" traverse rmat-1
    proves "$set, 1 shard, levels by the host" rmat.edges "${!set}" traverse --factor0 dd=0.1 rmat-1
    proves "$set, 2 shards" rmat.edges "${!set}" traverse rmat-2
    [ $set = many ] && continue
    proves "$set, 3 ranks" rmat.edges "${!set}" mpi 3 rmat-3
    proves "$set, 2 ranks, messages" rmat.edges "${!set}" mpi 2 --exchange-memory host rmat-2
done
want rmat $many
for way in push pull; do
    proves "many, always $way" rmat.edges $many traverse -@ 4 --direction $way rmat-1
    proves "many, always $way, 3 shards" rmat.edges $many traverse -@ 3 --direction $way rmat-3
done
want arcs $few
proves 'few, directed' arcs.edges $few traverse arcs-1
proves 'few, directed, 3 ranks' arcs.edges $few mpi 3 --exchange-memory host arcs-3
want arcs-back $few
proves 'few, directed, in reverse' arcs.edges $few traverse --reverse arcs-1
proves 'few, directed, in reverse, 2 ranks' arcs.edges $few mpi 2 --reverse arcs-2
want rmat $few 1
proves 'few, to depth 1' rmat.edges $few traverse --max-depth 1 rmat-1
proves 'few, to depth 1, 2 shards' rmat.edges $few traverse --max-depth 1 rmat-2
want rmat $few 0
check_exit 0 'few, to depth 0' traverse -r $few --together --max-depth 0 --depths d rmat-1
check "$situation: the roots alone are reached" cmp d want
finish
