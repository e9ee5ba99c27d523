#!/bin/bash
# emulated.sh: the CUDA backend without a GPU, on the emulated one of tests/emulator. Kernels are compared with their
# twins, searches of each way and layout with the CPU; traces, proofs and faults of a GPU follow. At the end each
# kernel of the sources has been launched. Long mode takes each graph, threshold, layout and option, and several
# seeds.
set -u
in_memory_mib=1024
. tests/lib.sh
use_emulated_gpus 'the CUDA backend on an emulated GPU'
mode=${TEST_MODE:-short}
export BUILD OMP_WAIT_POLICY=passive EMULATED_PROCESSORS=2 EMULATED_GPUS=4
export EMULATED_KERNELS=$tmp/kernels
export EMULATED_SLICED=0 # small graphs go the ways of large ones, except in tests of slices
traverse=$BIN/dbfs-traverse
# shared memory of a block on an H100; with less, blocks have fewer threads and the kernel of groups does not fit
most_shared=232448
few_shared=47104

value() { sed -n "s/^$1: *\([^ ]*\).*/\1/p" "$2"; }

# ---- graphs ----

make_graph() { # NAME: makes the pairs in $tmp/NAME.text and edges in $tmp/NAME.edges
    case $1 in
        rmat) "$BIN/rmatgen" -q -s $([ $mode = long ] && echo 10 || echo 8) -f text -o "$tmp/$1.text" ;;
        uniform) "$BIN/rmatgen" -q -s 8 -A .25 -B .25 -C .25 -f text -o "$tmp/$1.text" ;;
        path) "$TESTS/mkgraph" path 119 >"$tmp/$1.text" ;;
        deep) { "$TESTS/mkgraph" path 300; echo 400 401; } >"$tmp/$1.text" ;;
        grid) "$TESTS/mkgraph" grid 20 20 >"$tmp/$1.text" ;;
        leaves) { "$TESTS/mkgraph" grid 40 40; seq 0 1599 | awk '{ print $1, 1600 + $1 }'; } >"$tmp/$1.text" ;; # each vertex with a leaf
        complete) "$TESTS/mkgraph" complete 300 >"$tmp/$1.text" ;;
        few) { "$TESTS/mkgraph" star 100000; echo 7 8; } >"$tmp/$1.text" ;; # and an edge between two of its leaves
        star) "$TESTS/mkgraph" star 3000 >"$tmp/$1.text" ;;
        spider) awk 'BEGIN { for (i = 0; i < 400; i++) { print 0, 4 * i + 1 # 400 paths from one vertex
            for (k = 1; k < 4; k++) print 4 * i + k, 4 * i + k + 1 } }' >"$tmp/$1.text" ;;
        lopsided) awk 'BEGIN { print 256, 260 # hubs and leaves; only two leaves have a common edge
            for (i = 0; i < 256; i++) for (k = 1; k < 9; k++) print i, (i + k) % 256
            for (i = 256; i < 800; i++) print 37 * i % 256, i }' >"$tmp/$1.text" ;;
        bridge) awk 'BEGIN { for (i = 0; i < 30; i++) { print i, i + 1; print 130 + i, 131 + i } # two paths to a clique,
            print 30, 40; print 89, 130 # and six more from the middle of the first path
            for (i = 40; i < 90; i++) for (k = i + 1; k < 90; k++) print i, k
            for (i = 170; i < 230; i += 10) for (k = 0; k < 5; k++) print k == 0 ? 20 : i + k, i + k + 1 }' >"$tmp/$1.text" ;;
        cliques) awk 'BEGIN { for (c = 0; c < 640; c += 32) { if (c) print c - 1, c # a chain of 20 cliques
            for (i = 0; i < 32; i++) for (k = i + 1; k < 32; k++) print c + i, c + k } }' >"$tmp/$1.text" ;;
        hub) { "$TESTS/mkgraph" path 60 # and a star beside the path
            awk 'BEGIN { for (i = 0; i < 300; i++) print 1000, 1001 + i }'; } >"$tmp/$1.text" ;;
        twins) awk 'BEGIN { for (c = 0; c <= 200; c += 200) { # two paths, one vertex of each with 12 more edges
            for (i = 0; i < 40; i++) print c + i, c + i + 1
            for (i = 0; i < 12; i++) print c + 10, c + 61 + 2 * i } }' >"$tmp/$1.text" ;;
        long) { "$TESTS/mkgraph" path 100000; echo 200000 200001; } >"$tmp/$1.text" ;;
        tails*) awk -v chains="${1#tails}" 'BEGIN { for (i = 1; i <= 30 * chains; i++) print (i > chains ? i - chains : 0), i }' >"$tmp/$1.text" ;;
        broom) awk 'BEGIN { for (i = 1; i <= 200; i++) { print 0, i # one level finds 6,000 vertices
            for (k = 0; k < 30; k++) print i, 201 + 30 * i + k } }' >"$tmp/$1.text" ;;
        thicket) awk 'BEGIN { n = 1; for (i = 0; i < 5; i++) for (k = 0; k < (i ? 5 : 4); k++) print i, n++ # levels of 4, 20,
            for (; i < 25; i++) for (k = 0; k < 3; k++) print i, n++ # 60, 420 and 1260 vertices; then only paths
            for (; i < 85; i++) for (k = 0; k < 7; k++) print i, n++; last = n
            for (; i < last; i++) for (k = 0; k < 3; k++) print i, n++
            for (; n < 8000; i++) print i, n++ }' >"$tmp/$1.text" ;;
        layers) awk 'BEGIN { for (i = 0; i < 152; i++) { print 0, 1 + i # each of 1 to 152 has three of 153 to 304, of higher
            for (k = 0; k < 3; k++) print 1 + i, 153 + (i + 37 * (2 * k + 1)) % 152 # degree and other owners
            for (k = 1; k < 3; k++) print 153 + i, 153 + (i + k) % 152 } }' >"$tmp/$1.text" ;;
        arcs) "$BIN/rmatgen" -q -s 8 -f text -o "$tmp/$1.text" ;; # directed
        ends) awk 'BEGIN { for (i = 1; i <= 3000; i++) { print 0, i # directed: a large level finds two vertices,
            print i, 3001; print i, 3002 } }' >"$tmp/$1.text" ;; # which no edge leaves
        sparse) printf '3 5\n5 900\n900 7\n' >"$tmp/$1.text" ;; # most ids are isolated
    esac
    case $1 in arcs | ends) set -- "$1" --direction directed ;; *) set -- "$1" -u ;; esac
    "$BIN/edgeconv" -q "${@:2}" --force -o "$tmp/$1.edges" "$tmp/$1.text"
}

packed() { # NAME P TH: prints the folder, and packs it first if need be
    local folder=$tmp/$1-$2-$3 th="-t $3"
    [ "$3" = suggested ] && th=
    [ "$3" = memory ] && th='--suggest memory'
    # also sections too small to gain by it
    [ "$3" = kept ] && th='--encoding packed'
    [ "$3" = unpacked ] && th='--encoding raw'
    [ -e "$tmp/$1.edges" ] || make_graph "$1"
    [ -e "$folder/manifest" ] || "$BIN/dbfs-pack" -q -p "$2" $th --force -o "$folder" "$tmp/$1.edges" || return 1
    echo "$folder"
}

# all_or ITEM NUMBER: long mode takes every item, short mode every other one
all_or() {
    [ $mode = long ] || [ $(($1 % 2)) = $(($2 % 2)) ]
}

# ---- searches ----

run_on() { # LAYOUT BACKEND OPTION... FOLDER
    local layout=$1 backend=$2
    shift 2
    if [ "${layout%x*}" = 1 ]; then
        timeout 120 "$traverse" -g "${layout#*x}" -@ 1 -q --backend "$backend" --force "$@"
    else
        timeout 120 "$MPIEXEC" -n "${layout%x*}" ${preload:+env "LD_PRELOAD=$preload:${YIELD_MPI:-}"} "$traverse" -g "${layout#*x}" -@ 1 -q --backend "$backend" --force "$@"
    fi </dev/null
}

# Each search has another seed, each second one has few threads in a block, and two of three have late streams.
turn=0
next_machine() {
    turn=$((turn + 1))
    export EMULATED_LATE=$((turn % 3 * 250))
    export EMULATED_SEED=$((turn % 3 * turn)) EMULATED_SHARED=$most_shared
    [ $((turn % 2)) = 0 ] || EMULATED_SHARED=$few_shared
}

# search NAME TH LAYOUT OPTION...: depths are those of the CPU, and parents are edges of the graph
search() {
    local name=$1 th=$2 layout=$3 folder expected reverse=''
    shift 3
    case " $* " in *' --reverse '*) reverse=--reverse ;; esac
    folder=$(packed "$name" $((${layout%x*} * ${layout#*x})) "$th") || { fail "$name TH $th: packing"; return; }
    expected=$tmp/$name$reverse.checksum
    [ -s "$expected" ] || run_on 1x1 cpu -n 2 $reverse "$(packed "$name" 1 "$th")" >"$tmp/cpu.out" 2>&1
    [ -s "$expected" ] || value distance_checksum "$tmp/cpu.out" >"$expected"
    next_machine
    run_on "$layout" cuda -n 2 "$@" "$folder" >"$tmp/out" 2>"$tmp/err"
    check "$name TH $th $layout $* (seed $EMULATED_SEED)" same_checksum "$expected"
}
same_checksum() { # FILE: the output of the search
    [ -s "$1" ] && [ "$(value distance_checksum "$tmp/out")" = "$(cat "$1")" ] ||
        { head -c 800 "$tmp/err" "$tmp/out"; return 1; }
}

# tree NAME TH LAYOUT ROOT OPTION...: compares the files of one search
tree() {
    local name=$1 th=$2 layout=$3 root=$4 folder
    shift 4
    folder=$(packed "$name" $((${layout%x*} * ${layout#*x})) "$th") || { fail "$name TH $th: packing"; return; }
    rm -f "$tmp/depths" "$tmp/parents"
    next_machine
    run_on "$layout" cuda -r "$root" "$@" --depths "$tmp/depths" --parents "$tmp/parents" "$folder" \
        >"$tmp/out" 2>"$tmp/err"
    check "$name TH $th $layout $*: a tree from $root (seed $EMULATED_SEED)" \
        tree_is_right "$tmp/$name.text" "$root"
}
tree_is_right() {
    local arcs=()
    case $1 in */arcs.*) arcs=(-d) ;; esac
    "$TESTS/treecheck" "${arcs[@]}" "$1" "$2" "$tmp/depths" "$tmp/parents" || { head -c 800 "$tmp/err"; return 1; }
}

# together search|tree ARGUMENT...: the same with blocks for which the kernel of groups fits
together() {
    turn=$((turn | 1))
    rm -f "$tmp/kernels.together"
    EMULATED_KERNELS=$tmp/kernels.together "$@"
    check 'one kernel runs on each GPU' grep -q 'fused_kernel<several_gpus>' "$tmp/kernels.together"
    check 'links are awake before the search' grep -q cuda_wake_links "$tmp/kernels.together"
}

# sharing GPUS LAYOUT: GPUs with several shards go level by level
sharing() {
    turn=$((turn | 1))
    rm -f "$tmp/kernels.sharing"
    EMULATED_GPUS=$1 EMULATED_KERNELS=$tmp/kernels.sharing search lopsided 9 $2
    check "shares $1 GPUs: there were kernels" test -s "$tmp/kernels.sharing"
    check "shares $1 GPUs: no fused kernel runs" test "$(grep -c 'fused_kernel<several_gpus>' "$tmp/kernels.sharing")" = 0
}

options_list() {
    cat <<'OPTIONS'

--direction push
--direction pull
--factor0 dd=0.03
--stepped
--exchange-form list
--exchange-form bits
--answer parents
--uniquify --chunk 1K --exchange-memory host
--exchange-form bits --direction push --local-all2all --exchange-memory host
--exchange-form list --direction pull --reduction nonblocking --exchange-memory host
-v
--breakdown
OPTIONS
}

# Each graph and layout has the next set of options; in long mode RMAT has all.
option_turn=0
options_of_turn() { # NAME
    local count
    count=$(options_list | wc -l)
    if [ $mode = long ] && [ "$1" = rmat ]; then
        options_list
    else
        options_list | sed -n "$((option_turn % count + 1))p"
    fi
}

search_each() { # GRAPHS THRESHOLDS LAYOUTS: short mode takes every other layout, if there are several, with each threshold
    local name th layout options item=0
    for name in $1; do
        for th in $2; do
            for layout in $3; do
                item=$((item + 1))
                [[ $3 != *\ *\ * ]] || all_or $item 1 || continue
                while IFS= read -r options; do
                    search "$name" "$th" "$layout" $options
                done < <(options_of_turn "$name")
                option_turn=$((option_turn + 1))
            done
        done
    done
}

# sliced search|tree|trace ARGUMENT...: the same by slices; by_rows: levels do not read all slices; split: and marks of
# vertices from number 128 on lie in global memory
sliced() {
    EMULATED_SLICED=8388608 EMULATED_KERNELS=${kernels:-$tmp/kernels.sliced} "$@"
}
by_rows() {
    EMULATED_ALL_SLICES=0 kernels=${kernels:-$tmp/kernels.rows} sliced "$@"
}
split() {
    EMULATED_NEAR=0 kernels=${kernels:-$tmp/kernels.split} sliced "$@"
}

# ---- levels ----

levels_of() { # TRACE: prints the counts that do not depend on the way
    "$BIN/dbfs-report" levels "$1" | awk -F '\t' '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /^(root|level|frontier|delegates|(nn|nd|dn|dd).(frontier|fv|bv))$/) c[++n] = i }
        { for (i = 1; i <= n; i++) printf "%s ", $c[i]; print "" }'
}
ways_of() { # TRACE: prints way and directions of each level
    "$BIN/dbfs-report" levels "$1" | awk -F '\t' '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /^(root|level|way|.*\.direction)$/) c[++n] = i }
        { for (i = 1; i <= n; i++) printf "%s ", $c[i]; print "" }'
}
# NAME TH OPTION...: traces of a lone GPU are those of the CPU and of the GPU's level loop
trace() {
    local name=$1 th=$2 folder
    shift 2
    folder=$(packed "$name" 1 "$th")
    next_machine
    EMULATED_SHARED=$most_shared
    run_on 1x1 cpu -n 2 --trace "$tmp/cpu.trace" "$@" "$folder" >/dev/null 2>"$tmp/err" &&
        run_on 1x1 cuda -n 2 --trace "$tmp/alone.trace" --breakdown --json "$tmp/alone.json" "$@" "$folder" \
            >/dev/null 2>>"$tmp/err" &&
        run_on 1x1 cuda -n 2 --trace "$tmp/loop.trace" "$@" --stepped "$folder" >/dev/null 2>>"$tmp/err"
    levels_of "$tmp/cpu.trace" >"$tmp/cpu.levels"
    levels_of "$tmp/alone.trace" >"$tmp/alone.levels"
    levels_of "$tmp/loop.trace" >"$tmp/loop.levels"
    check "trace of $name TH $th $*: levels of the CPU" diff "$tmp/cpu.levels" "$tmp/alone.levels"
    check "trace of $name TH $th $*: levels of the loop" diff "$tmp/loop.levels" "$tmp/alone.levels"
    check "trace of $name TH $th $*: --stepped goes by the loop" test "$(grep -o '"way": "[a-z]*"' "$tmp/loop.trace" | sort -u)" = '"way": "loop"'
    check "trace of $name TH $th $*: has levels" test "$(wc -l <"$tmp/alone.levels")" -gt 4
    check "trace of $name TH $th $*: their parts have times" test "$(sed -n '/levels_s/,/visit_dd/p' "$tmp/alone.json" |
        grep -o '0\.0*[1-9]' | wc -l)" -gt 4
    ways=$(grep -o '"way": "[a-z]*"' "$tmp/alone.trace" | sort -u | tr -d '"' | awk '{ printf "%s ", $2 }')
    echo "$ways" >>"$tmp/ways"
    check "trace of $name TH $th $*: not by the loop ($ways)" test -n "$ways" -a "${ways#*loop}" = "$ways"
    next_machine
    EMULATED_SHARED=$most_shared
    run_on 1x1 cuda -n 2 --trace "$tmp/again.trace" "$@" "$folder" >/dev/null 2>"$tmp/err"
    ways_of "$tmp/alone.trace" >"$tmp/alone.ways"
    ways_of "$tmp/again.trace" >"$tmp/again.ways"
    check "trace of $name TH $th $*: with another seed ($EMULATED_SEED) each level goes alike" \
        diff "$tmp/alone.ways" "$tmp/again.ways"
}

# ---- levels of GPUs that search together ----

# levels_together NAME TH LAYOUT WAYS [COUNT]: levels are those of the CPU and go these ways in turn. In COUNT
# meetings a GPU orders memory: 1 at the start; 2 or 3 in a level by masks; 1 to list a frontier of masks after its
# level; 1 in a level by lists that is not certain. Bridges end with a level that lists the vertices it finds.
levels_together() {
    local name=$1 th=$2 layout=$3 expected=$4 count=${5:-} gpus=$((${3%x*} * ${3#*x})) folder levels ways ordered
    folder=$(packed "$name" $gpus "$th")
    next_machine
    rm -f "$tmp/used"
    run_on $layout cpu -r 7 --trace "$tmp/cpu.trace" --json "$tmp/cpu.json" "$folder" >"$tmp/cpu.out" 2>"$tmp/err"
    EMULATED_SHARED=$most_shared EMULATED_KERNELS=$tmp/used run_on $layout cuda -r 7 ${memory:-} --trace "$tmp/cuda.trace" \
        --json "$tmp/cuda.json" "$folder" >"$tmp/out" 2>>"$tmp/err"
    value distance_checksum "$tmp/cpu.out" >"$tmp/cpu.sum"
    check "$name TH $th $layout: distances (seed $EMULATED_SEED)" same_checksum "$tmp/cpu.sum"
    levels_of "$tmp/cpu.trace" | awk '$3 != 0' >"$tmp/cpu.levels" # the loop ends with an empty level
    levels_of "$tmp/cuda.trace" >"$tmp/cuda.levels"
    check 'levels on the GPU are those on the CPU' diff "$tmp/cpu.levels" "$tmp/cuda.levels"
    check 'the report has as many levels on the GPU as on the CPU' diff <(levels_in "$tmp/cpu.json") <(levels_in "$tmp/cuda.json")
    ways=$(grep -o '"way": "[a-z]*"' "$tmp/cuda.trace" | cut -d '"' -f 4 | uniq | tr '\n' ' ')
    check "levels go by $expected ($ways)" test "$ways" = "$expected "
    levels=$(levels_in "$tmp/cuda.json" | awk '{ sum += $2 } END { print sum }')
    ordered=$(awk -v gpus=$gpus '$1 == "fence_of_system" { sum += $2 } END { print sum / gpus / 32 }' "$tmp/used") # by 32 lanes
    [ -z "$count" ] || check "a search has $count meetings that order memory ($ordered)" test "$ordered" = $((count))
    cat "$tmp/used" >>"$tmp/kernels"
}
levels_in() { grep -o '"levels": [0-9]*' "$1"; }

# One block has lists here, and all levels are certain. A path ends when the last vertex sends its neighbour, which is
# visited.
levels_together path inf 1x3 block 1
levels_together path memory 2x2 block 1
levels_together hub inf 1x2 block '1 + levels'       # a vertex that is sent may have 300 edges
levels_together hub memory 1x2 block '1 + levels - 2' # the last two levels send none
levels_together grid inf 1x2 'block list block' 1
levels_together grid memory 2x1 'block list block' 1
levels_together bridge inf 1x2 'block list block masks block' 10
levels_together bridge memory 2x1 'block list block masks block' 9
levels_together bridge inf 2x2 'block masks block' 10

# With relayed messages in place of memory levels go alike. The numbers of barriers begin again several times.
memory='--exchange-memory host'
levels_together grid memory 2x1 'block list block'
levels_together bridge memory 2x1 'block list block masks block'
unset memory
search rmat 4 2x1 --exchange-memory host --direction pull --breakdown --json "$tmp/relayed.json"
check_exit 0 'dbfs-model rates of GPUs that are far from each other' "$BIN/dbfs-model" rates "$tmp/relayed.json"
check "$situation: are those of relayed messages" test "$(grep -v '^#' "$tmp/out" | cut -d _ -f 1,2 | uniq)" = relay_host
search arcs inf 2x1 --exchange-memory host
# told_to_all LAYOUT: sets told to the bytes by which all ranks tell each other of delegates, and ways to the number of pairs of devices
# between which these go. Without normals these are all messages but the flags, of 176 bytes.
told_to_all() {
    rm -f "$tmp"/wire.*
    turn=$((turn | 1))
    COUNT_MPI=$tmp/wire preload=$preloaded/count_mpi.so search rmat 0 "$1" --exchange-memory host --direction pull
    read -r told ways < <(awk '$1 == "send" && $3 < 8192 && $4 != 176 { bytes += $4; if (!seen[FILENAME, $2, $3]++) ways++ }
        END { print bytes + 0, ways + 0 }' "$tmp"/wire.*)
}
told_to_all 4x1
alone=$told
check "each of four GPUs tells each other rank of its delegates ($ways ways)" test $ways = 12
told_to_all 2x2
check "a GPU tells two GPUs of a rank once ($ways ways, $told bytes for $alone)" test $ways = 4 -a $((5 * told)) -lt $((2 * alone))
# Normals have so many neighbours on the other shard that depths are sent, not questions.
rm -f "$tmp/kernels.looks"
EMULATED_KERNELS=$tmp/kernels.looks tree uniform inf 2x1 7 --exchange-memory host
check 'normals find parents by the depths that came' sh -c 'grep -q cuda_write_residues "$1" && ! grep -q ask_kernel "$1"' - "$tmp/kernels.looks"
tree bridge 3 2x2 59 --exchange-memory host --direction pull
tree path memory 1x4 7
tree bridge memory 1x2 59
tree bridge inf 2x1 225

# Meetings of each search are numbered anew here. A signal of an earlier search, with the same number and from the
# other half of the graph, must not be taken for new.
roots=0,0,200,200,0,0,200,200
run_on 1x1 cpu -r $roots "$(packed twins 1 inf)" >"$tmp/cpu.out" 2>"$tmp/err"
value distance_checksum "$tmp/cpu.out" >"$tmp/cpu.sum"
EMULATED_SEED=1 EMULATED_SHARED=$most_shared run_on 1x2 cuda -r $roots "$(packed twins 2 inf)" >"$tmp/out" 2>"$tmp/err"
check 'searches whose meetings have equal numbers find the same' same_checksum "$tmp/cpu.sum"
check_exit 0 'trees of GPUs that search together are proved' env EMULATED_SHARED=$most_shared timeout 120 "$BIN/dbfs-graph500" \
    -g 3 -@ 1 --backend cuda --no-energy -q -n 2 "$(packed bridge 3 inf)"

# ---- searches that end at a depth ----

# to_depth NAME TH LAYOUT DEPTH OPTION...: searches from two roots are those of the CPU, and dbfs-check proves them
to_depth() {
    local name=$1 th=$2 layout=$3 deepest=$4 folder
    shift 4
    folder=$(packed "$name" $((${layout%x*} * ${layout#*x})) "$th")
    next_machine
    run_on 1x1 cpu -r 0,5 --max-depth "$deepest" --depths "$tmp/want.%d" "$(packed "$name" 1 "$th")" >"$tmp/want.out"
    run_on "$layout" cuda -r 0,5 --max-depth "$deepest" --depths "$tmp/depths.%d" --parents "$tmp/parents.%d" "$@" \
        "$folder" >"$tmp/out" 2>"$tmp/err"
    check "$name TH $th $layout to depth $deepest $*" depths_end "$name" "$deepest"
}
depths_end() { # NAME DEPTH
    cmp "$tmp/want.0" "$tmp/depths.0" && cmp "$tmp/want.5" "$tmp/depths.5" &&
        [ "$(value distance_checksum "$tmp/out")" = "$(value distance_checksum "$tmp/want.out")" ] &&
        "$BIN/dbfs-check" -q -r 0,5 --max-depth "$2" --depths "$tmp/depths.%d" --parents "$tmp/parents.%d" \
            "$tmp/$1.edges" || { head -c 800 "$tmp/err"; return 1; }
}

to_depth rmat 8 1x1 0
to_depth rmat 8 1x1 2 --direction pull
to_depth path inf 1x1 7
to_depth bridge inf 1x1 33
to_depth bridge 3 1x1 12
to_depth grid 3 1x1 9 --factor0 dd=0.03
to_depth rmat 8 1x4 2 --factor0 dd=0.03
to_depth rmat 8 2x1 1 --exchange-memory host
for deepest in 1 2 3; do
    together to_depth rmat 8 1x2 $deepest
    for way in sliced by_rows split; do
        $way to_depth rmat 8 1x1 $deepest
    done
done
together to_depth path inf 1x2 7
together to_depth bridge 3 1x2 12 --direction pull
for way in sliced by_rows split; do
    $way to_depth bridge 3 1x1 12
    $way to_depth path inf 1x1 7
    $way to_depth thicket inf 1x1 4
done
sliced to_depth grid 3 1x1 9 --trace "$tmp/limited.trace"
check 'the trace has the levels that were visited' test "$(grep -c '"root": 5,' "$tmp/limited.trace")" = 9
to_depth grid inf 1x1 9 --trace "$tmp/limited.trace"
check '--max-depth traces nine levels of a path, by the other kernel' test "$(grep -c '"root": 5,' "$tmp/limited.trace")" = 9

# ---- a GPU that misses a meeting ----

# Its peers wait 20 s by the clock of GPUs, which is faster here.
late() { EMULATED_SEED=0 EMULATED_SHARED=$most_shared EMULATED_CLOCK=${clock:-20} timeout 60 "$@"; }
check_exit 5 'a kernel of two GPUs is not launched' late env FAIL_CUDA='cudaLaunchKernelExC 2 2' "$TESTS/fail_cuda" \
    -q -g 2 -@ 1 --backend cuda -r 0 "$(packed grid 2 inf)"
check_says 'GPU [01] (.*): out of memory (.*cuda_fused_start('

lose_rank() { # SIGNAL NAME OPTION...: sends the signal to one of two ranks while they search
    local signal=$1 name=$2 got=0 pid
    shift 2
    late "$MPIEXEC" -n 2 "$traverse" -@ 1 --backend cuda -g 1 -r 200000,0 "$@" "$tmp/long-2-inf" >"$tmp/out" 2>"$tmp/err" </dev/null &
    pid=$!
    # the first search is over, and the second one has 100,000 levels
    wait_until grep -q '^root 200000 ' "$tmp/out" "$tmp/err"
    sleep 0.2
    kill -$signal "$(ranks_of dbfs-traverse "$tmp/long-2-inf" | tail -1)"
    wait $pid || got=$?
    # after SIGKILL the launcher chooses the exit code
    check "$name (exit $got)" test $got = 1 -o $signal = KILL -a $got != 0
    check 'no rank is left' ranks_end 50 dbfs-traverse "$tmp/long-2-inf"
}
packed long 2 inf >"$tmp/folder"
lose_rank STOP 'a rank is stopped'
check_says 'GPU [01] (.*): the GPU of shard [01] did not take part in the search' 'a rank is stopped: its peer says that the search lacks a GPU'
clock=1 lose_rank STOP 'a rank is stopped, with --timeout' --timeout 1
check_says 'rank [01] on .*: did not run for [1-9]' 'a rank is stopped, with --timeout: the message names the rank'
clock=1 lose_rank KILL 'a rank is killed'

# ---- reports of a GPU and of a pretended driver ----

mkdir -p "$tmp/root/proc/driver/nvidia"
echo 'NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.15  Tue Mar  5 22:23:56 UTC 2024' >"$tmp/root/proc/driver/nvidia/version"
check_exit 0 'a report of a GPU' env LD_PRELOAD="$(realpath "$TESTS/pretend.so")" PRETENDED_FILES="$tmp/root" \
    timeout 120 "$traverse" -q -@ 1 --backend cuda -r 0 --json "$tmp/gpu.json" --force "$(packed grid 1 inf)"
for member in '"gpu": "emulated h200 of 2 processors"' '"gpu_driver": "550.54.15"' '"cuda": "12.0"'; do
    check "the report has $member" grep -qF "$member" "$tmp/gpu.json"
done

# ---- directed graphs ----

item=0
for way in '' '--direction push' '--direction pull' '--factor0 dd=0.03' '--resident packed' '--resident host'; do
    item=$((item + 1))
    all_or $item 1 && search arcs 20 1x1 $way
    all_or $item 0 && search arcs 20 1x1 --reverse $way
    all_or $item 0 && search arcs 20 1x2 $way
    all_or $item 1 && search arcs 20 1x2 --reverse $way --exchange-memory host
    all_or $item 0 && search arcs 20 2x1 --reverse $way
done
together search arcs 20 1x2 --reverse
for th in 0 inf; do
    search arcs $th 1x1 --direction cost
    search arcs $th 1x2 --reverse
done
search arcs kept 1x3 --resident packed --reverse
tree arcs 20 1x1 7
tree arcs 20 1x1 7 --factor0 dd=0.03
together tree arcs 20 1x2 7
tree arcs 20 2x2 7 --exchange-memory host
by_slices() { # SEARCH OR TREE...: does it for a directed graph, in one kernel by slices
    rm -f "$tmp/kernels.arcs"
    EMULATED_SLICED=8388608 EMULATED_KERNELS=$tmp/kernels.arcs "$@"
    check 'a small directed graph is searched by slices' grep -q '^sliced_kernel' "$tmp/kernels.arcs"
}
for th in 0 20 inf; do
    by_slices search arcs $th 1x1
    by_slices search arcs $th 1x1 --reverse
    by_slices tree arcs $th 1x1 7
    by_slices tree ends $th 1x1 0
done
by_slices search ends 20 1x1 --reverse
rm -f "$tmp/kernels.arcs"
EMULATED_SLICED=8388608 EMULATED_ALL_SLICES=0 EMULATED_KERNELS=$tmp/kernels.arcs search arcs 20 1x1
check 'a directed graph whose levels do not read all slices goes by classes' grep -q '^fused_kernel<single_gpu>' "$tmp/kernels.arcs"
for th in 0 inf; do
    tree ends $th 1x1 0
    tree ends $th 1x2 0
done
trace arcs 20
trace arcs 20 --reverse

# ---- columns that stay packed on the device or lie in memory of the host ----

reside() { # RESIDENCE REPORT LAYOUTS: searches in each direction and looks into the report
    local layout direction
    for layout in $3; do
        for direction in auto push pull; do
            search rmat kept $layout --resident $1 --direction $direction --json "$tmp/kept.json"
            check "--resident $1: columns are $1" grep -q "$2" "$tmp/kept.json"
        done
        tree rmat kept $layout 0 --resident $1
    done
}
reside packed '"resident": "packed"' '1x1 1x3 2x2'
search uniform kept 1x1 --resident packed -v
search path kept 1x2 --resident packed --exchange-form bits
search rmat kept 1x1 --resident packed --factor0 dd=0.03 # level by level
for name in rmat lopsided grid; do
    rm -f "$tmp/kernels.packed"
    EMULATED_KERNELS=$tmp/kernels.packed tree $name kept 1x1 1 --resident packed --direction cost
    check 'one kernel reads packed columns' grep -q '^fused_kernel<single_gpu>' "$tmp/kernels.packed"
    together tree $name kept 1x2 1 --resident packed
done
together search rmat kept 1x3 --resident packed --direction pull
reside host '"resident": "host", .* "resident_host_bytes": [1-9]' "1x1 1x2 2x1 $([ $mode = short ] || echo '1x3 2x2')"
search rmat memory 1x1 --resident host -v
EMULATED_MANAGED=0 search rmat memory 1x1 --resident host
search rmat memory 1x2 --resident host --factor0 dd=0.03
search rmat unpacked 1x1 --resident host
search path inf 1x1 --resident host
search uniform 0 1x2 --resident host --exchange-form list

# ---- memory that other processes cannot open ----

for call in GetMemHandle OpenMemHandle GetEventHandle OpenEventHandle; do
    for memory in auto peer; do
        [ $memory = auto ] && code=0 || code=5
        check_exit $code "cudaIpc$call fails, $memory" env EMULATED_SEED=0 FAIL_CUDA="cudaIpc$call 1 2" timeout 60 \
            "$MPIEXEC" -n 2 "$TESTS/fail_cuda" -q -@ 1 --backend cuda -g 1 -n 2 --exchange-memory $memory --force \
            --json "$tmp/ipc.json" "$(packed rmat 2 memory)"
        check_says "cudaIpc$call("
        [ $memory = auto ] || continue
        check_says "the ranks of a host send messages, as one cannot read another's memory"
        check "$situation: the report names host memory" grep -q '"exchange_memory": "host"' "$tmp/ipc.json"
        check "$situation: distances are the same" same_checksum "$tmp/rmat.checksum"
    done
done

# ---- room on a GPU ----

"$BIN/rmatgen" -q -s 15 -o "$tmp/larger.edges"
"$BIN/dbfs-pack" -q -p 1 -t 32 -o "$tmp/larger" "$tmp/larger.edges"
"$traverse" --plan "$tmp/larger" >"$tmp/larger.plan"
total() { awk -v name="$1" 'index($0, name "  ") == 1 { print $NF }' "$tmp/${plan:-larger}.plan"; }
kib() { echo $(($(total "$1") / 1024 + 1 - ${2:-0})); } # SUM [FEWER]: prints KiB that are enough, or with 2 fewer are too few

# KIB OPTION...: searches on a GPU of so much memory and notes its kernels
with() {
    local room=${1}K
    shift
    rm -f "$tmp/taken"
    EMULATED_MEMORY=$room EMULATED_KERNELS=$tmp/taken timeout 120 "$traverse" -q -@ 1 --backend cuda -r 0 \
        --answer depths --depths "$tmp/room.raw" --force "$@" "$tmp/larger"
    local code=$?
    cat "$tmp/taken" >>"$tmp/kernels"
    return $code
}
fits() { # RESIDENT KIB NAME: auto chooses RESIDENT
    check_exit 0 "$3" with "$2" --json "$tmp/room.json"
    check "$situation: the report says that columns are $1" grep -q "\"resident\": \"$1\"" "$tmp/room.json"
    check "$situation: the checksum is that with more memory" cmp "$tmp/room.raw" "$tmp/larger.raw"
}
hosted() { sed -n 's/.*"resident_host_bytes": \([0-9]*\).*/\1/p' "$tmp/room.json"; }
takes() { # KERNEL: the last search launched it
    grep -q "$1" "$tmp/taken"
}
takes_no() { ! takes "$1"; }

"$traverse" -q -@ 1 --backend cpu -r 0 --depths "$tmp/larger.raw" "$tmp/larger" >/dev/null
fits raw "$(kib 'total, while loading')" 'raw columns fit'
check 'a search over raw columns is one kernel' takes 'fused_kernel<single_gpu>'
fits packed "$(kib 'total, while loading' 2)" 'raw columns do not fit while they are loaded'
check 'with room for it an answer is written by stripes' takes stripe_values_kernel
fits packed "$(kib 'total, packed, for speed' 2)" 'packed columns fit'
check 'there is room for scattering answers' takes cuda_scatter_depths
check 'an answer that is scattered has no stripes' takes_no stripe_
fits host "$(kib 'total, packed' 2)" 'packed columns do not fit'
check 'some columns are on the device' test "$(hosted)" -lt "$(total 'memory of the host')" -a "$(hosted)" -gt 0
fits host "$(kib 'total, host')" 'rests of rows of the host fit'
check 'no column is on the device' test "$(hosted)" = "$(total 'memory of the host')"
check_exit 5 'heads do not fit' with "$(kib 'total, host' 2)"
check_says 'the graph, host), and .* are free: pack the graph into more shards (about [0-9]*) for as many GPUs'
check_exit 0 'rests of rows of the host, and all else for speed' with "$(kib 'total, host, for speed')" --resident host
check 'a search over rests of rows of the host, and all else for speed, is one kernel' takes 'fused_kernel<single_gpu>'
check_exit 0 'rests of rows of the host, and not all else' with "$(kib 'total, host, for speed' 2)" --resident host
check "$situation: the search goes level by level" takes_no 'fused_kernel<single_gpu>'

check_exit 5 'host memory is too little' with "$(kib 'total, host, for speed')" --resident host -S 3M
check_says 'of host memory for the rests of rows, and .* of the memory budget (-S) are left'
check_exit 5 '--resident auto with too little memory is an error' with "$(kib 'total, packed' 2)" -S 1M
check_says 'give --resident packed and as many shards and GPUs as that needs (about [0-9]*)'
for call in cudaMallocManaged cudaMemAdvise cudaHostAlloc; do # memory of the host is pinned if managed memory would not do
    check_exit 5 "$call finds no memory" env FAIL_CUDA="$call 1 2" EMULATED_MANAGED=$([ $call = cudaHostAlloc ]; echo $?) \
        "$TESTS/fail_cuda" -q --backend cuda --resident host -r 0 "$tmp/larger"
    check_says "out of memory (.*$call("
done

# Two GPUs take the sum that --plan gives for answers, and all else; one tells the other the parents that it knows.
"$BIN/dbfs-pack" -q -p 2 -t 32 -o "$tmp/pair" "$tmp/larger.edges"
pair() { # KIB OPTION...
    local room=${1}K
    shift
    EMULATED_GPUS=2 EMULATED_MEMORY=$room EMULATED_KERNELS=$tmp/taken timeout 120 "$traverse" -q -g 2 -@ 1 --backend cuda \
        --resident raw -r 0 --depths "$tmp/pair.raw" "$@" --force "$tmp/pair"
}
adds_up() { # the arrays of a shard begin at multiples of 256
    awk 'NR > 1 && NF == 0 { over = 1 } NR > 1 && !over { rows++; sum += $(NF - 1) }
        /^total  / { more = $(NF - 1) - sum; exit !(rows > 0 && more >= 0 && more < 2 * 256 * rows) }' "$1"
}
for kind in depths parents; do
    [ $kind = depths ] && asked= options='--answer depths' || asked='--parents -' options="--answer parents --parents $tmp/pair.parents"
    "$traverse" --plan $asked "$tmp/pair" >"$tmp/pair.plan"
    check "$kind of two GPUs: the rows of the plan add up" adds_up "$tmp/pair.plan"
    rm -f "$tmp/taken"
    check_exit 0 "$kind of two GPUs fit" pair "$(plan=pair kib 'total, while loading')" $options
    check "$situation: distances are those with more memory" cmp "$tmp/pair.raw" "$tmp/larger.raw"
    [ $kind = depths ] || check "$situation: parents are looked for" takes look_kernel
    [ $kind = depths ] || check "$situation: parents are right" "$BIN/dbfs-check" -q --depths "$tmp/pair.raw" --parents "$tmp/pair.parents" \
        "$tmp/pair"
    cat "$tmp/taken" >>"$tmp/kernels"
    check_exit 5 "$kind of two GPUs do not fit" pair "$(plan=pair kib 'total, while loading' 2)" $options
done

# Messages lie in memory of GPUs, and the sum of --plan is enough. In a complete graph one level sends all edges to
# other ranks.
largest() { awk -v name="$1" 'index($0, name "  ") == 1 { print $NF }' "$tmp/messages.plan"; }
exchange_in() { # CODE BYTES NAME TH LAYOUT OPTION...
    local code=$1 room=$(($2 / 1024 + 1))K name=$3 th=$4 layout=$5
    shift 5
    preload=$(realpath "$TESTS/device_mpi.so") EMULATED_MEMORY=$room check_exit $code "$name, $layout $*, memory for messages" \
        run_on $layout cuda -r 0 --resident raw --exchange-memory device --direction push --answer depths \
        --depths "$tmp/messages.raw" "$@" "$(packed $name 4 $th)"
    [ $code = 5 ] || check "$situation: the checksum is that with more memory" cmp "$tmp/messages.raw" "$tmp/$name.raw"
}
for graph in complete:inf few:1000; do
    name=${graph%:*} th=${graph#*:}
    folder=$(packed $name 4 $th)
    "$traverse" --plan "$folder" >"$tmp/messages.plan"
    enough=$(($(largest total) + $(largest messages)))
    run_on 1x4 cpu -r 0 --depths "$tmp/$name.raw" "$folder" >/dev/null
    for layout in 4x1 2x2; do
        for options in '--exchange-form list' '--exchange-form bits' '--exchange-form list --local-all2all'; do
            exchange_in 0 $enough $name $th $layout $options
        done
    done
    [ $name = few ] || exchange_in 5 $((enough - $(largest messages) / 2)) $name $th 4x1 --exchange-form list
    [ $name = few ] || check_says 'nn exchange buffers'
    [ $name = complete ] || exchange_in 5 $((enough - $(largest messages))) $name $th 4x1 --exchange-form bits
done

# Columns are decoded piece by piece, so loading takes less memory than the section.
"$BIN/rmatgen" -q -s 17 | "$BIN/dbfs-pack" -q -p 1 -o "$tmp/pieces" -
"$traverse" --plan --resident packed "$tmp/pieces" >"$tmp/pieces.plan"
check 'a piece is less than all packed columns' awk '{ bytes = $NF; sub(/ +[0-9]+ +[0-9]+$/, ""); of[$0] = bytes }
    END { exit !(of["total, while loading"] - of["total"] < of["dd columns"] * 3 / 4) }' "$tmp/pieces.plan"
"$traverse" -q -@ 2 --backend cpu -r 0 "$tmp/pieces" | grep distance_checksum >"$tmp/pieces.sum"
timeout 120 "$traverse" -q -@ 2 --backend cuda --resident raw -r 0 "$tmp/pieces" | grep distance_checksum >"$tmp/out"
check 'pieces of columns on several GPUs make the columns' cmp "$tmp/out" "$tmp/pieces.sum"

# Each refusal names a number of GPUs. So many are enough, and half of them are not.
enough() { # RESIDENT KIB
    local gpus few
    check_exit 5 "$1 is refused with $2 KiB" with "$2" --resident $1
    gpus=$(sed -n "s/.*the graph, $1), .* (about \([0-9]*\)) for as many GPUs.*/\1/p" "$tmp/err")
    few=$(((gpus + 1) / 2))
    "$BIN/dbfs-pack" -q -p "$gpus" -t 32 --force -o "$tmp/enough" "$tmp/larger.edges"
    "$BIN/dbfs-pack" -q -p "$few" -t 32 --force -o "$tmp/few" "$tmp/larger.edges"
    EMULATED_GPUS=$gpus EMULATED_MEMORY=${2}K check_exit 0 "$gpus GPUs do" timeout 120 "$traverse" -q -g "$gpus" -@ 1 \
        --backend cuda --resident $1 -r 0 "$tmp/enough"
    EMULATED_GPUS=$few EMULATED_MEMORY=${2}K check_exit 5 "$few do not" timeout 120 "$traverse" -q -g "$few" -@ 1 \
        --backend cuda --resident $1 -r 0 "$tmp/few"
}
for resident in raw packed host; do
    [ $resident = raw ] && room='total, while loading' || room="total, $resident"
    enough $resident $(($(kib "$room") * 2 / 3))
done

# ---- the emulator shows each planted mistake ----

mistakes() {
    local mistake seed shown
    export EMULATED_SEED=0 EMULATED_SHARED=$most_shared EMULATED_LATE=20000
    for seed in 0 1 2 3; do
        EMULATED_SEED=$seed check "kernels without a mistake, seed $seed" "$TESTS/mistakes" right
    done
    local mistakes='no-syncwarp no-syncthreads no-atomic no-wait default-stream deadlock two-barriers behind long-copy foreign-free'
    if "$TESTS/mistakes" spoils; then
        mistakes="$mistakes left-over"
    else
        skip 'a mistake is shown: left-over: built by clang, shared memory is not spoilt'
    fi
    for mistake in $mistakes; do
        shown=no
        for seed in 0 1 2 3; do
            # sanitizers must find these mistakes, so their reports do not go where run.sh looks for them
            ASAN_OPTIONS= UBSAN_OPTIONS= EMULATED_SEED=$seed timeout 20 sh -c '"$@" || exit 1' - \
                "$TESTS/mistakes" $mistake >"$tmp/out" 2>&1 || shown=yes
        done
        check "a mistake is shown: $mistake" test $shown = yes
    done
    unset EMULATED_LATE
}

# ---- the tests ----

mistakes

( env EMULATED_PROCESSORS=1 EMULATED_KERNELS="$tmp/kernels.twins" \
    "$TESTS/gpu_kernels" $([ $mode = long ] && echo small || echo tiny) >"$tmp/twins" 2>&1
  echo $? >"$tmp/twins.code" ) &

all_layouts='1x1 1x2 2x1 1x4 2x2'
if [ $mode = long ]; then
    search_each 'rmat uniform path grid star spider sparse' '0 memory suggested inf' "$all_layouts"
else
    search_each rmat '0 memory inf' "$all_layouts"
    search_each 'uniform grid spider' memory '1x1 2x1'
    search_each 'path star sparse' memory '1x1 1x2'
    search_each 'path grid' '0 inf' 1x1
fi
item=0
for direction in auto push pull; do
    search rmat memory 1x1 --direction $direction
    for layout in 1x1 1x2 2x1; do
        item=$((item + 1))
        all_or $item 1 && tree rmat memory $layout 7 --direction $direction
    done
done
tree grid 0 1x1 0
tree path inf 1x1 60
tree star suggested 1x1 3
tree rmat inf 2x2 7
search rmat memory 2x1 --exchange-memory host
search rmat memory 2x2 --exchange-memory host --exchange-form bits
search rmat memory 2x1 --exchange-memory peer
preload=$(realpath "$TESTS/device_mpi.so")
search rmat memory 2x1 --exchange-memory device
search rmat memory 2x2 --exchange-memory device --uniquify --chunk 1K
search rmat memory 2x2 --exchange-memory device --uniquify --local-all2all
search rmat inf 2x2 --exchange-memory device --uniquify --local-all2all
search rmat inf 2x2 --exchange-memory device --exchange-form bits --direction push
unset preload
EMULATED_PEERS=0 search rmat memory 1x2

# Of 294606 delegates the host merges the parents of 2^18 at a time.
"$BIN/rmatgen" -q --poisson -n 300000 -k 4 -o "$tmp/most.edges" && "$BIN/dbfs-pack" -q -p 2 -t 0 -o "$tmp/most" "$tmp/most.edges"
EMULATED_PEERS=0 check_exit 0 'GPUs that do not read each other, and more delegates than the host merges at a time' \
    "$BIN/dbfs-traverse" -q --backend cuda -g 2 -n 1 --depths "$tmp/most.d.npy" --parents "$tmp/most.p.npy" "$tmp/most"
check 'parents of all delegates are a tree where the host merges them in parts' \
    "$BIN/dbfs-check" -q --depths "$tmp/most.d.npy" --parents "$tmp/most.p.npy" "$tmp/most.edges"
rm -r "$tmp"/most*

# masks are read while devices look for normals
for _ in 1 2 $([ $mode = short ] || echo 3 4); do
    EMULATED_PEERS=0 search rmat 4 2x2 --exchange-memory host --reduction nonblocking --direction push
done

# GPUs drop duplicates, also among the finds of several GPUs that the host has gathered
sent() { grep -o '"sent_vertices": [0-9]*' "$1" | awk '{ sum += $2 } END { print sum }'; }
marked() { awk '$1 ~ /^(cuda_unique|keep)/ { sum += $NF } END { print sum + 0 }' "$tmp/marked"; }
unique=0
for options in --uniquify '--uniquify --local-all2all'; do
    set -- --direction push --exchange-memory host --exchange-form list $options
    rm -f "$tmp/marked"
    run_on 2x2 cpu -n 2 --json "$tmp/cpu.json" "$@" "$(packed rmat 4 inf)" >"$tmp/out" 2>"$tmp/err"
    EMULATED_KERNELS=$tmp/marked search rmat inf 2x2 --json "$tmp/cuda.json" "$@"
    check "$options: as many vertices are sent as by CPUs" test "$(sent "$tmp/cuda.json")" = "$(sent "$tmp/cpu.json")"
    check "$options: kernels drop more than before" test "$(marked)" -gt $unique
    unique=$(marked)
    echo "$(sent "$tmp/cuda.json")" >>"$tmp/sent"
done
check 'fewer are sent where devices gather' test "$(tail -1 "$tmp/sent")" -lt "$(head -1 "$tmp/sent")"

# Devices do not tell again what others know: neither frontiers nor masks of which few words changed.
moved() { grep -o "\"$1\": \[[^]]*\]" "$2" | grep -o '[0-9]*' | awk '{ sum += $1 } END { print sum + 0 }'; }
for layout in 2x1 2x2; do
    set -- --direction pull --exchange-memory host --exchange-form bits --breakdown
    run_on $layout cpu -n 2 --json "$tmp/cpu.json" "$@" "$(packed grid $((${layout%x*} * ${layout#*x})) 4)" >"$tmp/out" 2>"$tmp/err"
    search grid 4 $layout --json "$tmp/cuda.json" "$@"
    told=$(moved frontier_bytes "$tmp/cuda.json") whole=$(moved frontier_bytes "$tmp/cpu.json")
    check "$layout: frontiers are less than two thirds of masks ($told, $whole)" \
        test "$told" -gt 0 -a $((3 * told)) -lt $((2 * whole))
    tree rmat 4 $layout 7 "$@"
    rm -f "$tmp/listed"
    EMULATED_KERNELS=$tmp/listed search few 0 $layout --exchange-memory host --stepped --breakdown --json "$tmp/cuda.json"
    check "$layout: devices list words of masks, and take them" \
        sh -c 'grep -q cuda_list_words "$1" && grep -q cuda_or_words "$1"' - "$tmp/listed"
    check "$layout: other masks go whole" test "$(moved mask_bytes "$tmp/cuda.json")" -gt 12000
    cat "$tmp/listed" >>"$tmp/kernels.listed"
done

# Between groups, too, dd is pulled in two parts, and what the first one finds is known before the second.
pairs=0
twice() { [ "$(grep -o '"mask_reductions": [0-9]*' "$tmp/cuda.json")" = "\"mask_reductions\": $1" ]; }
for layout in 2x1 2x2 4x1; do
    for how in blocking nonblocking; do
        [ $mode = long ] || [ $((pairs++ % 4 % 3)) = 0 ] || continue # 2x1 and 4x1 have blocking, 2x2 nonblocking
        set -- --exchange-memory host --stepped --reduction $how --json "$tmp/cuda.json"
        tree layers 3 $layout 0 --direction pull "$@"
        check 'one level reduces masks twice' twice 3
        tree layers 3 $layout 0 --direction push "$@"
        check 'no look for parents runs where all levels push' twice 2
        tree rmat 4 $layout 7 --direction pull "$@"
        EMULATED_PEERS=0 search rmat 4 $layout "$@"
    done
done
search arcs 4 2x1 --reverse --direction pull --exchange-memory host
to_depth layers 3 2x2 2 --direction pull --exchange-memory host

# most shards have no nn edges; short mode takes layouts, roots and numbers of GPUs in turn
item=0
for direction in auto push pull; do
    item=$((item + 1))
    [ $direction.$mode != pull.short ] && all_or $item 1 && together search lopsided 9 1x4 --direction $direction
    all_or $item 0 && together search lopsided 9 2x2 --direction $direction
    all_or $item 0 && together tree lopsided 9 1x4 0 --direction $direction
    [ $direction.$mode != auto.short ] && all_or $item 1 && together tree lopsided 9 1x4 4 --direction $direction
done
for layout in 1x4 2x2 4x1; do
    item=$((item + 1))
    all_or $item 0 && sharing 1 $layout
    all_or $item 1 && sharing 2 $layout
done
# options of messages have no effect, as there are no messages
if [ $mode = long ]; then
    together search lopsided 9 1x4 --uniquify
    together search lopsided 9 2x2 --local-all2all
fi
together tree lopsided 9 2x2 4 --reduction nonblocking --uniquify --local-all2all --chunk 1K

trace rmat memory
[ $mode = short ] || trace rmat inf
trace rmat 0 --direction pull
trace rmat memory --direction push
trace grid memory
[ $mode = short ] || trace path inf
trace spider inf
for processors in 2 20; do # with and without a team of blocks
    EMULATED_PROCESSORS=$processors search broom inf 1x1
done
check "traces know every way ($(tr ' ' '\n' <"$tmp/ways" | sort -u | tr '\n' ' '))" \
    test "$(tr ' ' '\n' <"$tmp/ways" | grep . | sort -u | tr '\n' ' ')" = 'block list masks team '

# ---- small graphs, whose searches go by slices ----

trees=0
sliced_options=('' '--answer parents' '--breakdown')
for name in rmat uniform path grid complete star spider lopsided bridge hub broom sparse; do
    case $mode:${thresholds:-inf} in
    long:*) thresholds='0 memory inf' ;;
    *:inf) thresholds=0 ;; # graphs by turns
    *) thresholds=inf ;;
    esac
    for th in $thresholds; do
        # short mode: the first or the last one, each with both thresholds
        all_or $((trees / 2)) 0 && EMULATED_PROCESSORS=$((turn % 4 + 1)) sliced search $name $th 1x1 ${sliced_options[turn % 3]}
        EMULATED_PROCESSORS=$((turn % 3 + 2)) by_rows search $name $th 1x1 ${sliced_options[(turn + 1) % 3]}
        all_or $((trees / 2)) 1 && EMULATED_PROCESSORS=$((turn % 3 + 2)) split search $name $th 1x1 ${sliced_options[(turn + 2) % 3]}
    done
    if [ $mode = long ] || [ $((++trees % 2)) = 0 ]; then
        EMULATED_PROCESSORS=$((turn % 4 + 1)) sliced tree $name memory 1x1 7
    fi
    if [ $mode = long ] || [ $((trees % 2)) = 1 ]; then
        EMULATED_PROCESSORS=$((turn % 3 + 2)) by_rows tree $name inf 1x1 7
        EMULATED_PROCESSORS=$((turn % 4 + 1)) split tree $name memory 1x1 7
    fi
done
sliced search few inf 1x1
for way in sliced by_rows split; do # levels of one block, which leave leaves out, follow levels that list them
    EMULATED_PROCESSORS=2 $way search leaves inf 1x1
    EMULATED_PROCESSORS=4 $way tree leaves 0 1x1 3199 # a leaf
done
# levels go by rows below EMULATED_ALL_SLICES, too, where all degrees are alike and not small
for name in uniform rmat complete path; do
    rm -f "$tmp/taken"
    EMULATED_ALL_SLICES=$([ $name = complete ] && echo 100000 || echo 10000) kernels=$tmp/taken sliced search $name inf 1x1
    case $name in
    uniform | complete) check "$name: levels by rows, as degrees are alike" takes 'sliced_\(rows\|long\)_kernel' ;;
    *) check "$name: levels read all slices" takes_no 'sliced_\(rows\|long\)_kernel' ;;
    esac
done
sliced tree rmat 0 1x1 0 # a hub: all blocks do the first level
by_rows tree rmat 0 1x1 0
split tree rmat 0 1x1 0
split tree complete inf 1x1 299 # the same with a far root
split tree grid inf 1x1 399
by_rows tree star memory 1x1 1 # rows take several pieces
by_rows tree complete 0 1x1 5
sliced tree lopsided 9 1x1 300
# answer_ahead NAME TH ROOTS REPORTS [OPTION...]: fused_kernel searches, and REPORTS answers are launched behind
# searches
answer_ahead() {
    local folder roots=$3 reports=$4 root
    folder=$(packed "$1" 1 "$2")
    set -- "$1 TH $2, roots $3" "${@:5}"
    rm -f "$tmp"/*.by-* "$tmp/kernels.ahead"
    run_on 1x1 cpu -r $roots --depths "$tmp/cpu.by-%d" "$folder" >/dev/null 2>"$tmp/err"
    next_machine
    EMULATED_KERNELS=$tmp/kernels.ahead run_on 1x1 cuda -r $roots --depths "$tmp/gpu.by-%d" "${@:2}" "$folder" \
        >/dev/null 2>>"$tmp/err"
    for root in ${roots//,/ }; do
        check "$1: the answer of $root is that of the CPU (seed $EMULATED_SEED)" cmp "$tmp/cpu.by-$root" "$tmp/gpu.by-$root"
    done
    check "$1: $reports of the answers are reported ahead" test "$(awk '/^cuda_report_answer/ { sum += $2 } END { print sum + 0 }' "$tmp/kernels.ahead")" = $reports
}
answer_ahead rmat memory 0,7,100 3
answer_ahead grid inf 7,100,0 3 --breakdown
answer_ahead lopsided 9 300,4 2 --parents "$tmp/tree.by-%d"
answer_ahead sparse inf 5,4,900 2 # 4 has no edges, so no kernel searches
# 300, 2, 299, 300 and 151 levels; none is launched ahead behind a search of more than 255
answer_ahead deep inf 0,400,1,299,150 2
answer_ahead star memory 1,0 0 --factor0 dd=0.03

# sliced_answer NAME TH ROOTS BY [OPTION...]: distances by id are the CPU's, and the kernel of the search or another
# writes them
sliced_answer() {
    local folder roots=$3 by=$4 root launched
    folder=$(packed "$1" 1 "$2")
    set -- "$1 TH $2, roots $3" "${@:5}"
    rm -f "$tmp"/*.by-* "$tmp/kernels.answer"
    run_on 1x1 cpu -r $roots --depths "$tmp/cpu.by-%d" "$folder" >/dev/null 2>"$tmp/err"
    next_machine
    kernels=$tmp/kernels.answer $way run_on 1x1 cuda -r $roots --depths "$tmp/gpu.by-%d" "${@:2}" "$folder" >/dev/null 2>>"$tmp/err"
    for root in ${roots//,/ }; do
        check "$way: $1: the answer of $root is that of the CPU (seed $EMULATED_SEED)" cmp "$tmp/cpu.by-$root" "$tmp/gpu.by-$root"
    done
    launched=$(awk '/^cuda_write_depths/ { sum += $2 } END { print sum + 0 }' "$tmp/kernels.answer")
    check "$way: $1: other kernels wrote $launched times" test "$by:$((launched > 0))" = own:0 -o "$by:$((launched > 0))" = other:1
}
for way in sliced by_rows split; do
    sliced_answer rmat memory 0,7,100 own
    sliced_answer broom 0 0,1,6000 own
    sliced_answer path inf 1,60 own
    sliced_answer lopsided 9 300,4 own
    sliced_answer sparse inf 5,900,3 own
    sliced_answer sparse inf 5,4,900 other # 4 has no edges, so no kernel searches
    sliced_answer grid inf 7,100 own --breakdown
    # parents are written first
    sliced_answer grid inf 7,100 other --parents "$tmp/tree.by-%d" --answer depths
    sliced_answer grid inf 7,100 other --parents "$tmp/tree.by-%d"
    EMULATED_PROCESSORS=1 sliced_answer few inf 7,1 other # too many ids for one block
done
# the first level by lists finds more than one or two blocks have room for, and two levels are lists where four share them
for processors in 1 2 4; do
    EMULATED_PROCESSORS=$processors by_rows search thicket inf 1x1
    EMULATED_PROCESSORS=$processors by_rows tree thicket inf 1x1 0
    EMULATED_PROCESSORS=$processors split tree thicket inf 1x1 0
    EMULATED_PROCESSORS=$processors by_rows run_on 1x1 cuda -r 0 --trace "$tmp/thicket.trace" "$(packed thicket 1 inf)" >/dev/null 2>&1
    check "thicket: lists of $processors blocks" \
        test "$(grep -c '"way": "list"' "$tmp/thicket.trace")" = $([ $processors = 4 ] && echo 2 || echo 1)
done
# 30 levels that do not grow: one block does those that are not too large for it, after at most one by all blocks or four by lists
for way in sliced by_rows split; do
    largest=$([ $way = sliced ] && echo 24 || echo 16)
    for chains in $largest $((largest + 1)); do
        $way search "tails$chains" inf 1x1
        $way run_on 1x1 cuda -r 0 --trace "$tmp/tails.trace" "$(packed "tails$chains" 1 inf)" >/dev/null 2>&1
        levels=$(grep -c '"way": "block"' "$tmp/tails.trace")
        check "$way: of 30 levels of $chains vertices one block does $levels" \
            test $((levels >= 26)) = $((chains <= largest)) -a $((levels <= 4)) = $((chains > largest))
    done
done
check 'a search by slices launches no other kernel' \
    sh -c 'grep -q "^sliced_kernel" "$1" && ! grep -qE "fused_kernel|sliced_rows|previsit" "$1"' - "$tmp/kernels.sliced"
check 'a search by rows of slices launches no other kernel' \
    sh -c 'grep -qE "^sliced_(rows|long)_kernel" "$1" && ! grep -qE "fused_kernel|sliced_(split_)?kernel|previsit" "$1"' - "$tmp/kernels.rows"
check 'a search with marks in two places launches no other kernel, but for graphs of few vertices' \
    sh -c 'grep -q "^sliced_split_kernel" "$1" && ! grep -qE "fused_kernel|previsit" "$1"' - "$tmp/kernels.split"
: >"$tmp/ways"
sliced trace rmat memory
sliced trace uniform inf
[ $mode = short ] || sliced trace grid memory
[ $mode = short ] || sliced trace path inf
sliced trace bridge 0
by_rows trace rmat memory
check 'rows are pulled' grep -q 'pull .*slices' "$tmp/alone.ways"
by_rows trace tails49 inf
check 'pushed from lists' grep -q 'push .*list' "$tmp/alone.ways"
by_rows trace thicket inf
check 'slices are pushed from bitmaps, too' grep -q 'push .*slices' "$tmp/alone.ways"
by_rows trace uniform inf
check 'the last level of each search is left out when all vertices are visited, and no other' \
    test "$(awk '$NF == "none" { print $2 }' "$tmp/alone.ways" | tr '\n' ' ')" = "$(awk 'NR > 2 && $2 == 0 { print last } { last = $2 } END { print last }' "$tmp/alone.ways" | tr '\n' ' ')"
split trace rmat memory
split trace thicket inf
by_rows run_on 1x1 cuda -r 0 --trace "$tmp/cliques.trace" "$(packed cliques 1 inf)" >/dev/null 2>&1
ways_of "$tmp/cliques.trace" >"$tmp/cliques.ways"
check 'after a pull in vain cliques are pushed, until all unvisited rows cost less than a clique' \
    test "$(awk '/pull.*slices/ { printf "%d ", $2 }' "$tmp/cliques.ways")" = '7 21 23 25 27 29 31 33 35 37 '
check 'one block pushes the vertex between two cliques' test "$(grep -c block "$tmp/cliques.ways")" = 20
check "traces know slices ($(tr ' ' '\n' <"$tmp/ways" | sort -u | tr '\n' ' '))" \
    test "$(tr ' ' '\n' <"$tmp/ways" | grep . | sort -u | tr '\n' ' ')" = 'block list none slices '
edges=$((2 * 2 * 20 * 19)) # the edges of the grid in both directions
for most in $edges $((edges - 1)); do
    rm -f "$tmp/kernels.limit"
    EMULATED_SLICED=$most EMULATED_KERNELS=$tmp/kernels.limit search grid inf 1x1
    check "$edges edges are sliced up to $most" grep -q $([ $most = $edges ] && echo sliced || echo fused)_kernel "$tmp/kernels.limit"
done
# reads_all GRAPH MOST KERNEL: which kernel searches, if levels read all of up to MOST edges
reads_all() {
    rm -f "$tmp/kernels.limit"
    EMULATED_ALL_SLICES=$2 kernels=$tmp/kernels.limit sliced search $1 inf 1x1
    check "$1, where levels read up to $2 edges: $3" grep -q "^${3}_kernel" "$tmp/kernels.limit"
}
edges=$("$BIN/dbfs-pack" --list "$(packed rmat 1 inf)" | awk '/^directed edges kept/ { print $NF }')
reads_all rmat $((edges / 2)) sliced # twice as many edges, as degrees are not alike
reads_all rmat $((edges / 2 - 1)) sliced_rows
reads_all grid $((8 * 401)) sliced # 400 vertices with small degrees are many if levels read 8 times as many edges
reads_all grid $((8 * 400)) sliced_rows
for options in '--direction push' '--direction pull' '--direction cost' '--factor0 dd=0.03'; do
    rm -f "$tmp/kernels.forced"
    kernels=$tmp/kernels.forced sliced search rmat memory 1x1 $options
    check "no slices are made with $options" sh -c 'test -s "$1" && ! grep -q slice "$1"' - "$tmp/kernels.forced"
done
slice_bytes() { EMULATED_SLICED=8388608 "$traverse" --plan "$@" "$(packed rmat 1 memory)" | awk '/^slices of rows / { print $(NF - 1) }'; }
check "slices take $(slice_bytes) bytes" test "$(slice_bytes)" -gt 0
check '--plan has no slices with --direction cost' test -z "$(slice_bytes --direction cost)"
no_slices() { EMULATED_SLICED=0 "$traverse" --plan "$tmp/larger" >"$tmp/larger.plan"; kib 'total, while loading'; }
EMULATED_SLICED=8388608 fits raw "$(no_slices)" 'raw columns fit, but no slices'
check 'there are none' takes 'fused_kernel<single_gpu>'
EMULATED_SLICED=8388608 "$traverse" --plan "$tmp/larger" >"$tmp/larger.plan"
packed_room() { # FEWER KERNEL NAME
    EMULATED_SLICED=8388608 check_exit 0 "$3" with "$(kib 'total, packed, for speed' $1)" --resident packed --json "$tmp/room.json"
    check "$situation: $2 searches" takes "^$2"
    check "$situation: columns are packed" grep -q '"resident": "packed"' "$tmp/room.json"
    check "$situation: distances are those of the CPU" cmp "$tmp/room.raw" "$tmp/larger.raw"
}
packed_room 0 sliced_kernel 'packed columns and slices fit'
packed_room 2 'fused_kernel<single_gpu>' 'packed columns fit, but no slices'
# slices are made from packed columns, and from columns in memory of the host; star has pieces of a long row, arcs in-rows
for way in sliced by_rows split; do
    for resident in packed host; do
        for name in rmat star arcs; do
            [ $name = arcs ] && [ $way != sliced ] && continue # is not sliced
            rm -f "$tmp/taken"
            kernels=$tmp/taken $way tree $name kept 1x1 7 --resident $resident --json "$tmp/kept.json"
            check "$way: $name: columns are $resident" grep -q "\"resident\": \"$resident\"" "$tmp/kept.json"
            check "$way: $name, $resident: only kernels of slices search" \
                sh -c 'grep -qE "^sliced_(rows_|split_)?kernel" "$1" && ! grep -qE "fused_kernel|previsit|decode" "$1"' - "$tmp/taken"
        done
    done
done
EMULATED_SLICED=8388608 EMULATED_ALL_SLICES=0 check_exit 0 'more memory' with 65536
check "$situation: slices are searched by rows" takes 'sliced_\(rows\|long\)_kernel'
rm -f "$tmp/kernels.large" # a mask exceeds this little shared memory
"$TESTS/mkgraph" star 350000 | "$BIN/edgeconv" -q -u -o "$tmp/large.edges" -
kernels=$tmp/kernels.large EMULATED_SHARED=43008 EMULATED_SEED=0 sliced run_on 1x1 cuda -r 1 "$(packed large 1 inf)" \
    >"$tmp/out" 2>"$tmp/err"
check 'a mask that does not fit: no slices' sh -c 'grep -q fused_kernel "$1" && ! grep slices "$1"' - "$tmp/kernels.large"
value distance_checksum <(run_on 1x1 cpu -r 1 "$(packed large 1 inf)" 2>&1) >"$tmp/large.checksum"
check 'a mask that does not fit: distances are those of the CPU' same_checksum "$tmp/large.checksum"

for layout in 1x1 1x2 2x1; do
    next_machine
    check_exit 0 "proofs on $layout" timeout 120 "$MPIEXEC" -n ${layout%x*} "$BIN/dbfs-graph500" -g ${layout#*x} \
        -@ 1 --backend cuda --no-energy -q -n 2 "$(packed rmat $((${layout%x*} * ${layout#*x})) memory)"
done
# kernels and messages find what the host copied to the GPU before
for seed in 1 2 3; do
    for th in memory inf; do
        [ $mode = long ] || [ $seed.$th = 1.inf ] || [ $seed.$th = 2.memory ] || [ $seed.$th = 3.inf ] || continue
        EMULATED_GPUS=$seed EMULATED_SEED=$seed EMULATED_LATE=2000 check_exit 0 "proofs of 4 ranks, TH $th, late streams, seed $seed" \
            timeout 120 "$MPIEXEC" -n 4 "$BIN/dbfs-graph500" -@ 1 --backend cuda --no-energy -q -n 1 --exchange-memory peer \
            "$(packed rmat 4 $th)"
    done
done

for gpus in 1 4; do # for a lone rank there is no difference
    next_machine
    EMULATED_GPUS=$gpus bash tests/gpu/faults.sh $([ $gpus = 1 ] || echo ranks) 2>&1 | sed "s/^\(ok\|not ok\|skip\) - /&faults, $gpus GPUs: /"
done
BACKEND=cuda bash tests/cli/together.sh 2>&1 | sed "s/^\(ok\|not ok\|skip\) - /&emulated: /"
EMULATED_MEMORY=0 check_exit 5 'a GPU without memory' run_on 1x1 cuda "$(packed rmat 1 memory)"
check_says 'of device memory'
check_exit 5 'the second of two ranks has a GPU without memory' timeout 60 "$MPIEXEC" \
    -n 1 "$traverse" -q -@ 1 --backend cuda -g 1 "$(packed rmat 2 memory)" : \
    -n 1 env EMULATED_MEMORY=0 "$traverse" -q -@ 1 --backend cuda -g 1 "$(packed rmat 2 memory)"
check_says 'rank 1 on .*, GPU .* of device memory'
for room in 160 200 240; do # has the graph, and not the buffers of relayed messages: searches are stepped
    check_exit 0 "the second of two ranks has a GPU of $room KiB" timeout 60 "$MPIEXEC" \
        -n 1 "$traverse" -q -@ 1 --backend cuda -g 1 --exchange-memory host "$(packed rmat 2 memory)" : \
        -n 1 env EMULATED_MEMORY=${room}K "$traverse" -q -@ 1 --backend cuda -g 1 --exchange-memory host "$(packed rmat 2 memory)"
done
for gpus in '0 1' '1 0'; do # of ranks 0 and 1
    check_exit 5 "one of two ranks has a GPU ($gpus)" timeout 60 "$MPIEXEC" \
        -n 1 env EMULATED_GPUS=${gpus% *} "$traverse" -q -@ 1 "$(packed rmat 2 memory)" : \
        -n 1 env EMULATED_GPUS=${gpus#* } "$traverse" -q -@ 1 "$(packed rmat 2 memory)"
    check_says "^dbfs-traverse: rank ${gpus% *} on [^ ]*: there is no GPU, and other ranks have one: .*--backend cpu"
done
FAIL_CUDA='cudaGetDeviceCount 1 802' check_exit 0 'CPUs search where the driver of GPUs fails' \
    "$TESTS/fail_cuda" -q -@ 1 -n 1 "$(packed rmat 1 memory)"
check_says 'warning: CPUs search, as GPUs have a fault: '

if [ $mode = long ]; then
    for seed in 1 2 3 4 5 6 7 8; do
        EMULATED_SEED=$seed check "kernels give what their twins give, seed $seed" "$TESTS/gpu_kernels" tiny
    done
    unset EMULATED_SEED EMULATED_SHARED
    for script in dbfs-graph500 trust; do
        BACKEND=cuda bash tests/cli/$script.sh 2>&1 | sed "s/^\(ok\|not ok\|skip\) - /&emulated $script: /"
    done
fi

wait
check "kernels and their twins: $(grep -c '^ok' "$tmp/twins") cases" \
    sh -c '! grep -v "^ok" "$1" && [ "$(cat "$1.code")" = 0 ]' - "$tmp/twins"

# Those of each() have the name of the function that calls it.
sources=$(ls traverse/cuda/*/*.cu* traverse/programs/graph500/cuda/*.cu)
kernels=$( (cat $sources | tr '\n' ' ' | grep -oE '__global__ static void (__launch_bounds__\([^)]*\))? *[a-z_]+\(' |
    sed 's/($//; s/.* //; /each_kernel$/d'
    awk '/^[a-z].*\(/ { sub(/\(.*/, ""); name = $NF } / (list_)?each\(/ { print name }' $(ls $sources | grep 'cu$')) | sort -u)
launched=$(cat "$tmp"/kernels* | sed 's/[< ].*//' | sort -u)
missing=$(comm -23 <(echo "$kernels") <(echo "$launched") | tr '\n' ' ')
check "all $(echo "$kernels" | wc -l) kernels were launched ($missing)" test -z "$missing"
finish
