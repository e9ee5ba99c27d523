#!/bin/bash
# together.sh: searches from several roots as one (--together), and the nearest root of each vertex (--nearest). Distances
# are the least over single searches of the oracle, in every layout of shards, ranks and threads, in every mode of a
# search, with edges of either kind. With BACKEND=cuda on GPUs, where short mode tries each mode of a search alone.
set -u
. tests/lib.sh
backend=${BACKEND:-cpu}
export EMULATED_GPUS=4 EMULATED_PROCESSORS=2
unset EMULATED_SLICED
[ "$backend ${TEST_MODE:-short}" = 'cuda short' ] && modes_alone=1 || modes_alone=
traverse() { "$BIN/dbfs-traverse" -q --backend "$backend" --force $(divided 1 "$@") "$@"; }
mpi() { local n=$1; shift; "$MPIEXEC" -n "$n" "$BIN/dbfs-traverse" -q -@ 1 --backend "$backend" --force $(divided "$n" "$@") "$@"; }
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
    # dbfs-check counts levels and vertices by itself
    "$BIN/dbfs-check" $options -r "$roots" --together --depths d --parents p --nearest n $edges >checked
    check "$name: dbfs-check proves them" test $? = 0
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
    [ $set = many ] || [ $modes_alone ] && continue
    proves "$set, 3 ranks" rmat.edges "${!set}" mpi 3 rmat-3
    proves "$set, 2 ranks, messages" rmat.edges "${!set}" mpi 2 --exchange-memory host rmat-2
done
want arcs $few
proves 'few, directed' arcs.edges $few traverse arcs-1
proves 'few, directed, 3 ranks' arcs.edges $few mpi 3 --exchange-memory host arcs-3
[ $modes_alone ] && finish
want rmat $many
for way in push pull; do
    proves "many, always $way" rmat.edges $many traverse -@ 4 --direction $way rmat-1
    proves "many, always $way, 3 shards" rmat.edges $many traverse -@ 3 --direction $way rmat-3
done
want arcs-back $few
proves 'few, directed, in reverse' arcs.edges $few traverse --reverse arcs-1
proves 'few, directed, in reverse, 2 ranks' arcs.edges $few mpi 2 --reverse arcs-2
want rmat $few 1
proves 'few, to depth 1' rmat.edges $few traverse --max-depth 1 rmat-1
proves 'few, to depth 1, 2 shards' rmat.edges $few traverse --max-depth 1 rmat-2
want rmat $few 0
check_exit 0 'few, to depth 0' traverse -r $few --together --max-depth 0 --depths d rmat-1
check "$situation: the roots alone are reached" cmp d want

# ---- ways to give roots, and to get results ----

want rmat $few
awk '$2 >= 0 { print $2, $1 }' want | sort -n -k1,1 -k2,2 | awk '{ print $2 "\t" $1 }' >want-list
tr , '\n' <<<$few >seeds
check_exit 0 'roots of a file' traverse --roots-from seeds --together --depths d --nearest n --list-reached list rmat-2
check "$situation: distances are the least" cmp d want
check "$situation: the list has each vertex that is reached once, the nearest first" cmp list want-list
check_exit 0 'roots of a file, CSV and arrays' traverse --roots-from seeds --together --nearest n.csv --parents-width 8 rmat-2
check "$situation: CSV has the ids of text" cmp <(grep -v '^id' n.csv | tr , '\t') n
check_exit 0 'an array of 8 bytes' traverse --roots-from seeds --together --nearest n.raw --parents-width 8 rmat-2
check "$situation: the array has the ids of text" cmp <(od -An -v -td8 -w8 n.raw | tr -d ' ') <(cut -f2 n)
check_exit 0 'roots of a file, as JSON' traverse --roots-from seeds --together --json json --trace trace rmat-2
check "$situation: the record has all roots, and the first" grep -qF "\"roots\": [${few//,/, }]" json
check "$situation: its first level has all roots but the one without edges" \
    eval 'head -n 1 trace | grep -qE "\"root\": 1, \"level\": 0, "'
"$BIN/dbfs-traverse" --backend "$backend" --roots-from seeds --together rmat-1 >out
check 'the line of a search from several roots has their number' grep -qE '^root 1 .* roots 7$' out
check 'the summary has one search' grep -qx 'NBFS: 1' out
traverse -n 40 --together --json json rmat-1 >out
check 'sampled roots are searched together' test "$(grep -c '"time_s": [0-9]' json) $(sed -n 's/^ *"roots": \[\([0-9].*\)\]}*/\1/p' json | tr , '\n' | sort -u | wc -l)" = '1 40'
check_exit 2 '--nearest without --together' traverse -r 1 --nearest n rmat-1
check_says '^dbfs-traverse: --nearest needs --together'

# names
awk '{ print "v" $1, "v" $2 }' rmat.txt | "$BIN/edgeconv" -q -u --compact=map -o named.edges -
"$BIN/dbfs-pack" -q -p 2 -t 12 -o named named.edges
check_exit 0 'roots by name' traverse --map map -r v77 -r v5 --together --depths d --nearest n.csv --parents p named
oracle_of_names() { # the number of each name, for the oracle's distances
    "$oracle" -n 256 -o o.%d rmat.txt 77,5 >/dev/null
    awk '$2 >= 0 && (!($1 in d) || $2 < d[$1]) { d[$1] = $2 } END { for (i in d) print "v" i "\t" d[i] }' o.77 o.5 | sort
}
check "$situation: distances by name are the least" cmp <(awk '$2 >= 0' d | sort) <(oracle_of_names)
check "$situation: nearest roots are names" test "$(grep -v '^id' n.csv | cut -d, -f2 | sort -u | tr '\n' ' ')" = '-1 v5 v77 ' -o \
    "$(grep -v '^id' n.csv | cut -d, -f2 | sort -u | tr '\n' ' ')" = 'v5 v77 '
check_exit 0 'roots by name, 2 ranks' mpi 2 --map map -r v77 -r v5 --together --nearest m.csv named
# which root of two at the same distance is the nearest may differ
check "$situation: the same vertices are reached" cmp <(cut -d, -f1 m.csv) <(cut -d, -f1 n.csv)

# --serve: a line with several roots is one search
printf '%s\n' $few 5 1,x 1,256 1,,5 $many >lines
for ranks in 1 2; do
    rm -f s-*
    "$MPIEXEC" -n $ranks "$BIN/dbfs-traverse" --backend "$backend" -@ 1 -g $((2 / ranks)) --serve --together --depths 's-%d' rmat-2 <lines >out 2>err
    check "--serve --together of $ranks ranks says at its end that not every line was roots" test $? = 2
    check "--serve --together of $ranks ranks answers each line" test "$(cut -d ' ' -f 1,2 out | paste -sd,)" = \
        "root 1,root 5,error 'x',error rmat-2:,error '',root 0"
    want rmat $few
    check "--serve --together of $ranks ranks: distances from several roots" cmp s-1 want
    want rmat 5
    check "--serve --together of $ranks ranks: distances from one" cmp s-5 want
    want rmat $many
    check "--serve --together of $ranks ranks: distances from many" cmp s-0 want
done
printf 'v77\tv5\nv5\nv77\tno\n' | "$BIN/dbfs-traverse" --backend "$backend" --serve --together --map map named >out 2>err
check '--serve --together takes names with tabs' test "$(sed -E 's/.* (roots [0-9]+ name .*)/\1/; s/^error.*/error/' out | paste -sd,)" = \
    'roots 2 name v77,roots 1 name v5,error'

# ---- dbfs-check finds what is wrong ----

want rmat $few
traverse -@ 1 -r $few --together --depths d --parents p --nearest n rmat-1 >out
checks() { "$BIN/dbfs-check" -q -@ 1 --together "$@" rmat.edges; }
# change FILE VERTEX VALUE: writes the file `changed`
change() { awk -v v="$2" -v to="$3" '{ print $1 "\t" ($1 == v ? to : $2) }' "$1" >changed; }
far=$(awk '$2 == 2 { print $1; exit }' want)
parent=$(awk -v v="$far" '$1 == v { print $2 }' p) nearest=$(awk -v v="$far" '$1 == v { print $2 }' n)
other=$(tr , '\n' <<<$few | grep -vx "$nearest" | head -n 1)
change n "$far" "$other"
check_exit 4 'another nearest root than that of the parent' checks -r $few --parents p --nearest changed
check_says "tree edge $far $parent: nearest roots $other and $nearest"
change n "$far" "$parent"
check_exit 4 'a nearest root that is none' checks -r $few --depths d --nearest changed
check_says "vertex $far: nearest root $parent is no root"
change n "$far" -1
check_exit 4 'no nearest root' checks -r $few --depths d --nearest changed
check_says "vertex $far: nearest root -1, and depth 2"
change n 5 1
check_exit 4 'a root with another nearest root' checks -r $few --depths d --nearest changed
check_says 'vertex 5: nearest root 1, and it is a root'
awk -v to="${lonely#*,}" '{ print $1 "\t" ($2 == 200 && $1 != 200 ? to : $2) }' n >changed # a root that has no edges
check_exit 4 'a nearest root that no path leads to' checks -r $few --depths d --nearest changed
check_says 'and no neighbour has depth 0 and this root'
check_exit 4 'a vertex of depth 0 that is no root' checks -r 1,5,77,131 --depths d
check_says 'vertex [0-9]*: depth 0, and it is none of the roots'
check_exit 4 'a root of another depth' checks -r $few,$far --depths d
check_says "vertex $far: depth 2, and it is a root"
check_exit 2 'roots are not given' checks --depths d
check_says '^dbfs-check: --together needs the roots'
check_exit 2 '--nearest of searches from one root' "$BIN/dbfs-check" -r 1 --depths d --nearest n rmat.edges
check_says '^dbfs-check: --nearest needs --together'
finish
