#!/bin/bash
# check-gpu.sh: builds, checks and measures the CUDA backend on a host with GPUs.
#
#   scripts/check-gpu.sh [quick] [check] [sanitize] [trust] [bench] [answers] [graph500] [capacity]   (default: check)
#
# It needs an MPI, and nvcc and GPUs unless BACKEND=cpu; edgeconv is built without libarchive where that is missing.
# CUDA_VISIBLE_DEVICES names the GPUs; else all are used. If there are more devices than GPUs, devices share them, so
# each layout also runs on one GPU. Ranks that share GPUs all search if --exchange-memory is given; otherwise rank 0
# searches for all.
# - quick: tests for a change of a kernel, in less than 90 s: kernels beside their twins, each layout on a small
#   graph, traces, dbfs-graph500 with planted faults.
# - check: more graphs, trees, messages in device memory with any MPI library, proofs.
# - sanitize: compute-sanitizer's four tools on the kernels, each way to search, messages, and proofs.
# Their parts run side by side. Each stage takes less than 8 minutes: a part that has not ended LIMIT seconds after
# the stage began is ended and has failed. Each part and each stage ends in a line "stage NAME: N passed, N failed, S
# s", and the script in one "N passed, N failed".
#   LAYOUTS   ranks x GPUs to run (default: 1x1 with one GPU, else also 1x2 2x1 1x4 2x2 4x1); `quick` and `check` run all of
#             them on a small graph in any case
#   SCALES    of the RMAT graphs of `check` (default: 16 18 20 22 24)
#   PARTS     names of parts of stages, or patterns, as 'paths path-trace' or 'memcheck-*': only these are run
#   LIMIT     seconds for each of `quick`, `check` and `sanitize` (420)
#   BENCH_SCALE, CAPACITY_SCALE, TRUST_SCALE   of the graphs of `bench`, `answers` and `graph500` (26),
#             `capacity` (29), and `trust` (24)
#   PEER      another GPU BFS, built outside this repository. `bench` runs it on its graph of scale
#             PEER_SCALE (24), as PEER EDGES N ROOT... EDGES holds each undirected edge once as two
#             32-bit ids, and PEER prints a line "ROOT SECONDS" for each search
#   PACK_OPTIONS   for dbfs-pack, such as `-S 300G` if the system understates the free memory
#   BACKEND   cuda; cpu rehearses `quick` and `check` without a GPU
#   WORK      a folder in memory for graphs (default: /dev/shm, or TMPDIR where that has less than 4 GiB)
set -u
cd "$(dirname "$0")/.." || exit 1
backend=${BACKEND:-cuda}

# ---- this host ----

stop() { echo "check-gpu.sh: $1" >&2; exit 1; }

# The GPUs that programs may use, as CUDA_VISIBLE_DEVICES lists them.
list_gpus() {
    local seen
    seen=$(nvidia-smi -L 2>/dev/null | grep -c '^GPU')
    [ "$seen" != 0 ] || seen=$(find /proc/driver/nvidia/gpus -mindepth 1 -maxdepth 1 2>/dev/null | wc -l)
    echo "${CUDA_VISIBLE_DEVICES:-$(seq -s, 0 $((seen - 1)))}"
}

# The same list, beginning at another place, for lane N: so the tests of one GPU are shared by all of them.
gpus_of_lane() {
    local all at
    IFS=, read -ra all <<<"$gpu_list"
    at=$(($1 % ${#all[@]}))
    all=("${all[@]:at}" "${all[@]:0:at}")
    (IFS=,; echo "${all[*]}")
}

folder_in_memory() {
    [ "$(df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 { print $4 }')" -ge $((4 << 20)) ] 2>/dev/null && [ -w /dev/shm ] &&
        echo /dev/shm || echo "${TMPDIR:-/tmp}"
}

[ -n "${ARCHIVE:-}" ] || ARCHIVE=$(echo '#include <archive.h>' | ${CC:-cc} -E - >/dev/null 2>&1 && echo 1 || echo 0)
export ARCHIVE
eval "$(make -s --no-print-directory test-env)" || stop 'make failed'
[ "$ARCHIVE" = 1 ] || echo 'without libarchive: ARCHIVE=0'
command -v "$MPICC" >/dev/null || stop "no MPI: there is no $MPICC; install one, or name its compiler and launcher: MPICC=, MPIEXEC="
command -v "$MPIEXEC" >/dev/null || stop "no MPI: there is no $MPIEXEC; name the launcher of $MPICC: MPIEXEC="
gpu_list=$(list_gpus)
gpus=$(echo "$gpu_list" | tr , '\n' | grep -c .)
parts_run=''
if [ "$backend" = cuda ]; then
    [ "$CUDA" = 1 ] || stop 'no nvcc: name it by NVCC=, or rehearse with BACKEND=cpu'
    [ "$gpus" != 0 ] || stop 'no GPU: nvidia-smi -L names none; BACKEND=cpu rehearses without one'
fi

. tests/lib.sh
work=$(mktemp -d -- "${WORK:-$(folder_in_memory)}/dbfs-gpu.XXXXXX") && work=$(realpath -- "$work") || exit 1
trap 'rm -rf "$tmp" "$work"' EXIT
graphs=$work/graphs # all lanes share these
mkdir "$graphs"
traverse=$BIN/dbfs-traverse
passed=0 failed=0 turn=0

outcome() { # NAME CODE [DETAIL]: 124 is the code of `limited`
    if [ "$2" = 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "not ok - $1: $([ "$2" != 124 ] || echo 'it had not ended when the stage had to; ')${3:-}"
    fi
}

check_command() { # NAME COMMAND...: takes the lines "ok", "not ok" and "skip" of a test, and its exit code
    local name=$1
    shift
    limited ${sanitizer:-} "$@" >"$tmp/out" 2>&1
    outcome "$name" $? "$(grep -m 12 -E '^    |^not ok|=====' "$tmp/out")"
    sed -n "s|^skip - |skip - $name: |p" "$tmp/out"
    passed=$((passed + $(grep -c '^ok' "$tmp/out")))
    failed=$((failed + $(grep -c '^not ok' "$tmp/out")))
}

# COMMAND...: runs it until the stage must end; 124 says that it was ended
limited() {
    [ -n "${deadline:-}" ] || { "$@"; return; }
    timeout -k 5 $((deadline > SECONDS ? deadline - SECONDS : 1)) "$@"
}

# NAME START: prints the counts of a stage or part
ended() {
    echo "stage $1: $passed passed, $failed failed, $((SECONDS - $2)) s"
}

is_wanted() { # NAME: by PARTS, which is unquoted here so that its patterns are matched, and not expanded to files
    local pattern patterns
    read -ra patterns <<<"${PARTS:-*}"
    for pattern in "${patterns[@]}"; do
        # shellcheck disable=SC2053
        [[ $1 != $pattern ]] || return 0
    done
    return 1
}

# NAME COMMAND...: runs in the background, with folders and counts of its own and a share of the cores. At most
# $most_lanes run side by side; if that is unset, half as many as there are cores, but at least 4. Open MPI would bind
# the ranks of all lanes to the first cores.
lane() {
    local name=$1 half=$(($(nproc) / 2))
    is_wanted "$name" || return 0
    parts_run="$parts_run $name "
    shift
    while [ "$(jobs -rp | wc -l)" -ge "${most_lanes:-$((half > 4 ? half : 4))}" ]; do
        wait -n
    done
    mkdir "$tmp/$name" "$work/$name"
    (
        tmp=$tmp/$name work=$work/$name passed=0 failed=0
        share="-@ $((($(nproc) + 3) / 4))"
        [ "$gpus" = 0 ] || export CUDA_VISIBLE_DEVICES=$(gpus_of_lane $((turn / 4)))
        export OMP_WAIT_POLICY=passive OMPI_MCA_mpi_yield_when_idle=1
        export OMPI_MCA_hwloc_base_binding_policy=none PRTE_MCA_hwloc_default_binding_policy=none
        "$@"
        ended "$stage, $name" "$start"
        echo "$passed $failed" >"$tmp/counts"
        rm -rf "$work"
    ) &
    lanes="${lanes:-} $name"
    turn=$((turn + 4)) # the next lane begins with other options
}

join_lanes() { # a lane without counts has failed
    local name ok bad
    wait
    for name in $lanes; do
        read -r ok bad <"$tmp/$name/counts" || ok=0 bad=1
        passed=$((passed + ok)) failed=$((failed + bad))
        rm -rf "${tmp:?}/$name"
    done
    lanes=
}

value() { sed -n "s/^$1: *\([^ ]*\).*/\1/p" "$2"; }

layouts_of() { # P: prints the layouts with P devices
    for layout in $layouts; do
        [ $((${layout%x*} * ${layout#*x})) = "$1" ] && echo "$layout"
    done
}

# LAYOUT DIR OPTION...: $sanitizer, if set, runs each rank; $preload is a library
run_layout() {
    local layout=$1 dir=$2
    shift 2
    limited "$MPIEXEC" -n "${layout%x*}" ${sanitizer:-} ${preload:+env "LD_PRELOAD=$preload"} "$traverse" \
        ${share:-} -g "${layout#*x}" "$@" "$dir" </dev/null
}

pack() { # EDGES P TH DIR
    local th=
    case $3 in
        suggested) th='--for gpu' ;; # nearly all edges are of one class
        memory) th='--suggest memory' ;; # all four classes have edges
        *) th="-t $3" ;;
    esac
    [ -e "$4/manifest" ] || "$BIN/dbfs-pack" -q ${share:-} -p "$2" $th ${PACK_OPTIONS:-} -o "$4" "$1"
}

# ---- RMAT graphs, which all lanes share: the first lane that needs one makes it ----

once() { # FILE COMMAND...: runs the command, which makes the file, under a lock
    local file=$1
    shift
    ( flock 9 && { [ -e "$file" ] || "$@"; } ) 9>"$graphs/$(basename "$(dirname "$file")")-$(basename "$file").lock"
}

rmat_edges() { # SCALE
    once "$graphs/rmat-$1.edges" "$BIN/rmatgen" -q ${share:-} -s "$1" -o "$graphs/rmat-$1.edges" && echo "$graphs/rmat-$1.edges"
}

rmat_shards() { # SCALE P TH
    local dir=$graphs/rmat-$1-$2-$3 edges
    edges=$(rmat_edges "$1") && once "$dir/manifest" pack "$edges" "$2" "$3" "$dir" && echo "$dir"
}

write_reference() { # DIR FILE
    "$traverse" -q ${share:-} -n 8 --backend cpu "$1" | sed -n 's/^distance_checksum: //p' >"$2"
}

rmat_reference() { # SCALE: prints the checksum of 8 searches by CPUs
    local file=$graphs/rmat-$1.checksum dir
    dir=$(rmat_shards "$1" 1 memory) && once "$file" write_reference "$dir" "$file" && cat "$file"
}

# TH COMMAND: packs the graph in $work/edges for each number of devices, calls COMMAND LAYOUT FOLDER for each layout,
# and removes the packings. $pack_s has the seconds of packing.
each_layout() {
    local p layout start dir=$work/each
    for p in 1 2 4; do
        [ -n "$(layouts_of $p)" ] || continue
        start=$(date +%s.%N)
        pack "$work/edges" $p "$1" "$dir"
        pack_s=$(awk -v a="$start" -v b="$(date +%s.%N)" 'BEGIN { print b - a }')
        for layout in $(layouts_of $p); do
            "$2" "$layout" "$dir"
        done
        rm -rf "$dir"
    done
    rm -f "$work/edges"
}

# ---- check: distances and parents of each layout and option ----

# A lone GPU searches small graphs with a kernel of its own, and with the usual one for --direction cost, push and
# pull. Devices that have all shards run the levels by themselves, unless factors or a form are given: then the level
# loop runs. Options of messages have no effect where none is sent.
options_list() {
    cat <<END
--direction auto
--direction cost
--factor0 dd=0.03
--direction push
--direction pull
--trace /dev/null
--reduction nonblocking
--local-all2all --uniquify
--uniquify --chunk 64K
--exchange-form list
--exchange-form bits
--exchange-form bits --direction push
--exchange-form list --direction pull
--exchange-form bits --direction push --local-all2all
END
}

# Each run takes the next set of options, so that all options meet all layouts over the graphs.
next_options() {
    local count
    count=$(options_list | wc -l)
    options=$(options_list | sed -n "$((turn % count + 1))p")
    # several ranks: by memory of peers, which auto might not choose, and by messages
    [ "${1%x*}" = 1 ] || options="$options --exchange-memory $(case $((turn % 5)) in
        1 | 3) echo host ;; 4) echo auto ;; *) echo peer ;; esac)"
    turn=$((turn + 1))
}

check_distances() { # NAME DIR LAYOUT EXPECTED
    local got
    next_options "$3"
    run_layout "$3" "$2" -q -n 8 --backend "$backend" $options >"$tmp/out" 2>"$tmp/err"
    got=$(value distance_checksum "$tmp/out")
    [ -n "$got" ] && [ "$got" = "$4" ]
    outcome "$1 $3 $options" $? "$got for $4 $(head -c 400 "$tmp/err")"
}

# NAME TEXT DIR LAYOUT ROOT: distances and parents agree with the text
check_parents() {
    rm -f "$tmp/depths" "$tmp/parents"
    next_options "$4"
    run_layout "$4" "$3" -q -r "$5" --backend "$backend" $options --depths "$tmp/depths" \
        --parents "$tmp/parents" >"$tmp/out" 2>"$tmp/err" &&
        "$TESTS/treecheck" "$2" "$5" "$tmp/depths" "$tmp/parents" >>"$tmp/err" 2>&1
    outcome "$1 $4 $options: parents from $5" $? "$(head -c 400 "$tmp/err")"
}

check_graph() { # NAME EDGES THRESHOLDS [TEXT ROOT]
    local name=$1 edges=$2 p th layout expected dir
    for th in $3; do
        for p in 1 2 4; do
            [ -n "$(layouts_of $p)" ] || continue
            dir=$work/$name-$p-$th
            pack "$edges" $p "$th" "$dir" || { outcome "$name: packing" 1; continue; }
            [ $# -ge 5 ] || [ -n "${expected:-}" ] ||
                { write_reference "$dir" "$tmp/reference" && expected=$(cat "$tmp/reference"); }
            for layout in $(layouts_of $p); do
                if [ $# -ge 5 ]; then
                    check_parents "$name TH $th" "$4" "$dir" "$layout" "$5"
                else
                    check_distances "$name TH $th" "$dir" "$layout" "$expected"
                fi
            done
            rm -rf "$dir"
        done
    done
    rm -f "$edges"
}

from_text() { # NAME THRESHOLDS ROOT: checks the graph in $work/text
    "$BIN/edgeconv" -q -u --force -o "$work/edges" "$work/text"
    check_graph "$1" "$work/edges" "$2" "$work/text" "$3"
}

# NAME DIR LAYOUT EXPECTED OPTION...: sends messages in device memory with any MPI library: tests/gpu/staging_mpi.c
# makes it accept such messages, and counts them. The CPU backend sends none.
check_device_memory_run() {
    local name=$1 dir=$2 layout=$3 expected=$4 got memory=device least=1
    shift 4
    [ "$backend" = cpu ] && memory=auto least=0
    preload=$([ "$backend" = cpu ] || realpath "$TESTS/staging_mpi.so") run_layout "$layout" "$dir" -q -n 8 \
        --backend "$backend" --exchange-memory $memory "$@" >"$tmp/out" 2>"$tmp/err"
    got=$(value distance_checksum "$tmp/out")
    staged=$(awk '/^staging_mpi:/ { sum += $2 } END { print sum + 0 }' "$tmp/err")
    [ -n "$got" ] && [ "$got" = "$expected" ] && [ "$staged" -ge $least ]
    outcome "$name, $memory memory, $layout $*" $? \
        "$got for $expected, $staged messages $(head -c 400 "$tmp/err")"
}

# LAYOUT: runs each option in each layout of several ranks, with two TH in turn
check_device_memory() {
    local layout=$1 p dir th expected staged runs=0 messages=0
    p=$((${layout%x*} * ${layout#*x}))
    expected=$(rmat_reference 16)
    while read -r options; do
        th=$([ $(((runs + p) % 2)) = 0 ] && echo memory || echo inf)
        dir=$(rmat_shards 16 $p $th) || { outcome 'device memory: packing' 1; continue; }
        check_device_memory_run "RMAT 16 TH $th" "$dir" "$layout" "$expected" $options
        runs=$((runs + 1)) messages=$((messages + staged))
    done < <(options_list; echo --local-all2all)
    [ "$backend" = cpu ] || [ $messages -gt 0 ]
    outcome "device memory, $layout: messages" $? "$runs runs, $messages messages"
}

# runs the MPI library's own support of device memory, if it has any
check_real_memory() {
    local dir real
    dir=$(rmat_shards 16 1 memory)
    limited "$traverse" -n 1 --backend "$backend" "$dir" >"$tmp/out" 2>"$tmp/err"
    real=$(value exchange_memory "$tmp/out")
    [ -n "$real" ]
    outcome 'exchange memory' $? "$(head -c 400 "$tmp/err")"
    [ "$real" = host ] || return
    limited "$traverse" -n 1 --backend "$backend" --exchange-memory device "$dir" >"$tmp/out" 2>"$tmp/err"
    [ $? = 5 ]
    outcome 'device memory is refused' $? "$(head -c 400 "$tmp/err")"
}

check_rmat() { # SCALES THRESHOLDS
    local scale th p dir layout expected
    for scale in $1; do
        expected=$(rmat_reference "$scale")
        for th in $2; do
            for p in 1 2 4; do
                [ -n "$(layouts_of $p)" ] || continue
                dir=$(rmat_shards "$scale" $p "$th") || { outcome "RMAT $scale TH $th: packing" 1; continue; }
                for layout in $(layouts_of $p); do
                    check_distances "RMAT $scale TH $th" "$dir" "$layout" "$expected"
                done
            done
        done
        [ "$scale" -lt 19 ] || rm -rf "$graphs/rmat-$scale"[-.]* # other lanes take no graph as large
    done
}

check_layouts() { # TH...: runs a small graph in each layout
    local layouts='1x1 1x2 2x1 1x4 2x2 4x1'
    check_rmat 16 "$*"
}

# SCALE: columns that stay packed, by one GPU and two: frames in nn and dn, gaps in all
check_packed() {
    local th layout direction dir expected
    [ "$backend" = cuda ] || return 0 # the CPU has no choice
    expected=$(rmat_reference "$1")
    for th in 0 64 inf; do
        for layout in 1x1 1x2; do
            dir=$(rmat_shards "$1" "${layout#*x}" $th)
            for direction in auto cost push pull; do
                run_layout $layout "$dir" -q -n 8 --backend cuda --resident packed --direction $direction >"$tmp/out" 2>"$tmp/err"
                [ "$(value distance_checksum "$tmp/out")" = "$expected" ]
                outcome "packed, TH $th $layout $direction" $? "$(head -c 400 "$tmp/err")"
            done
        done
    done
}

check_kernels() { # [SIZE]
    if [ -x "$TESTS/gpu_kernels" ]; then
        check_command 'kernels and their twins' "$TESTS/gpu_kernels" "$@"
    else
        echo 'skip - kernels and their twins: a build without CUDA has none'
    fi
}

check_others() {
    local all='0 memory inf'
    "$BIN/rmatgen" -q -s 18 -A .25 -B .25 -C .25 --force -o "$work/edges" &&
        check_graph 'uniform 18' "$work/edges" memory
    "$BIN/rmatgen" -q -s 14 -f text --force -o "$work/text" && from_text 'RMAT 14' "$all" 7
    "$TESTS/mkgraph" path 1000 >"$work/text" && from_text path '0 inf' 500
    "$TESTS/mkgraph" star 50000 >"$work/text" && from_text star "$all" 3
    "$TESTS/mkgraph" components >"$work/text" && from_text components "$all" \
        "$("$TESTS/mkgraph" components | awk '!/^#/ { print $1; exit }')"
}

check_deeper() {
    "$TESTS/mkgraph" grid 1000 1000 >"$work/text" && from_text grid memory 500500
    grep -v '^#' datasets/wordnet-3.0.txt >"$work/text" && from_text WordNet memory 0
    grep -v '^#' datasets/usa-road-NY.txt >"$work/text" && from_text 'USA-road NY' memory 0
}

check_program() { # NAME: its test, searching on GPUs
    check_command "$1" env BACKEND="$backend" bash "tests/cli/$1.sh"
}

check_larger_proofs() {
    local p layout
    for p in 1 2 4; do
        for layout in $(layouts_of $p); do
            prove_small "$layout" "$(rmat_shards 18 $p memory)"
        done
    done
}

prove_small() { # LAYOUT DIR
    local memory
    for memory in auto peer; do
        prove_layout "$1" "$2" -n 8 --no-energy --exchange-memory $memory
        outcome "RMAT 18, $1, $memory: proofs" $? "$(head -c 400 "$tmp/err")"
    done
}

prove_layout() { # LAYOUT DIR OPTION...
    local layout=$1 dir=$2
    shift 2
    limited "$MPIEXEC" -n "${layout%x*}" ${sanitizer:-} "$BIN/dbfs-graph500" ${share:-} -g "${layout#*x}" --no-check \
        --backend "$backend" "$@" "$dir" </dev/null >"$tmp/out" 2>"$tmp/err"
}

# A search that a device makes alone has the same frontiers in each level as the level loop and the CPU.

levels_of() { # TRACE: prints the counts that do not depend on the way
    "$BIN/dbfs-report" levels "$1" | awk -F '\t' '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /^(root|level|frontier|delegates|(nn|nd|dn|dd).(frontier|fv|bv))$/) c[++n] = i }
        { for (i = 1; i <= n; i++) printf "%s ", $c[i]; print "" }'
}

trace_of() { # NAME BACKEND DIR OPTION...: leaves levels in $tmp/NAME.levels, the summary in $tmp/NAME.out
    local name=$1 on=$2 dir=$3
    shift 3
    limited "$traverse" -q ${share:-} --backend "$on" "$@" --force --trace "$tmp/$name" --breakdown --json "$tmp/$name.json" \
        "$dir" >"$tmp/$name.out" 2>"$tmp/err" && levels_of "$tmp/$name" >"$tmp/$name.levels"
}

ways() { grep -o '"way": "[a-z]*"' "$1" | sort -u | tr -d '":' | awk '{ printf "%s ", $2 }'; }

check_trace() { # NAME DIR OPTION...
    local name=$1 dir=$2 other
    shift 2
    trace_of alone "$backend" "$dir" "$@"
    outcome "trace of $name" $? "$(head -c 400 "$tmp/err")"
    trace_of loop "$backend" "$dir" --factor0 dd=0.03 "$@" && trace_of cpu cpu "$dir" "$@"
    outcome "traces beside it of $name" $? "$(head -c 400 "$tmp/err")"
    for other in loop cpu; do
        [ "$(wc -l <"$tmp/alone.levels")" -gt 3 ] && cmp -s "$tmp/alone.levels" "$tmp/$other.levels"
        outcome "trace of $name: frontiers, FV and BV of $other" $? \
            "$(diff "$tmp/alone.levels" "$tmp/$other.levels" | head -4)"
        [ "$(value distance_checksum "$tmp/alone.out")" = "$(value distance_checksum "$tmp/$other.out")" ]
        outcome "trace of $name: distances of $other" $?
    done
    [ "$(ways "$tmp/loop")" = 'loop ' ] && ! ways "$tmp/alone" | grep -q loop
    outcome "trace of $name: ways" $? "$(ways "$tmp/loop"), $(ways "$tmp/alone")"
    check_level_times "$name" "$tmp/alone" "$tmp/alone.json"
    echo "trace of $name: $(($(wc -l <"$tmp/alone") + 0)) levels, ways $(ways "$tmp/alone")"
}

# NAME TRACE JSON: each level takes some time, and all levels of a root take no more than its search
check_level_times() {
    awk '{ gsub(/[{},":]/, " ") }
        NR == FNR { for (i = 1; i < NF; i++) { if ($i == "root") r = $(i + 1); if ($i == "compute_s") { t = $(i + 6)
            if (!(t > 0)) zero++; sum[r] += t } } next }
        { for (i = 1; i < NF; i++) { if ($i == "root") r = $(i + 1); if ($i == "time_s" && r in sum) { n++
            if (sum[r] > $(i + 1)) long++ } } }
        END { print zero + 0, "levels took no time,", long + 0, "of", n + 0, "searches less than their levels"
            exit zero > 0 || long > 0 || n == 0 }' "$2" "$3" >"$tmp/times"
    outcome "trace of $1: times" $? "$(cat "$tmp/times")"
}

probes_of() { # TRACE
    "$BIN/dbfs-report" levels "$1" | awk -F '\t' '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /^(root|level|(nn|nd|dn|dd).probes)$/) c[++n] = i }
        { for (i = 1; i <= n; i++) printf "%s ", $c[i]; print "" }'
}

# NAME DIR: rows have at most 144 columns, of one class, and pulls probe as many as row by row
check_probes() {
    trace_of pulls "$backend" "$2" -n 3 --direction pull && trace_of cpu cpu "$2" -n 3 --direction pull
    outcome "trace of pulls of $1" $? "$(head -c 400 "$tmp/err")"
    probes_of "$tmp/pulls" >"$tmp/pulls.probes"
    probes_of "$tmp/cpu" >"$tmp/cpu.probes"
    cmp -s "$tmp/pulls.probes" "$tmp/cpu.probes" && awk '{ for (i = 3; i <= NF; i++) s += $i } END { exit !(s > 0) }' \
        "$tmp/pulls.probes"
    outcome "probes of pulls of $1" $? "$(diff "$tmp/pulls.probes" "$tmp/cpu.probes" | head -4)"
}

# NAME EDGES DIR: checks trees of searches that a device makes alone, in each direction, with each class of edges
check_trees() {
    local direction root
    for direction in auto cost push pull; do
        for root in 1 7; do
            limited "$traverse" -q ${share:-} -r $root --backend "$backend" --direction $direction --force \
                --depths "$tmp/depths.npy" --parents "$tmp/parents.npy" "$3" >"$tmp/out" 2>"$tmp/err" &&
                "$BIN/dbfs-check" -q ${share:-} -r $root --depths "$tmp/depths.npy" --parents "$tmp/parents.npy" "$2" >>"$tmp/out" 2>>"$tmp/err"
            outcome "tree of $1 from $root, $direction" $? "$(head -c 400 "$tmp/err")"
        done
    done
}

check_all_trees() {
    local th
    for th in memory inf 0; do
        check_trees "RMAT 18 TH $th" "$(rmat_edges 18)" "$(rmat_shards 18 1 $th)"
    done
}

check_short_traces() { # TH...
    local th dir
    for th in "$@"; do
        dir=$(rmat_shards 16 1 "$th")
        check_trace "RMAT 16 TH $th" "$dir" -n 4
        check_trace "RMAT 16 TH $th by classes" "$dir" -n 4 --direction cost
    done
}

check_traces() {
    local th dir
    check_short_traces memory inf 0
    dir=$(rmat_shards 16 1 memory)
    check_trace 'RMAT 16 by pushes' "$dir" -n 3 --direction push
    check_trace 'RMAT 16 by pulls' "$dir" -n 3 --direction pull
    check_trace 'RMAT 16 with parents' "$dir" -n 3 --answer parents
    "$BIN/rmatgen" -q -s 14 -A .25 -B .25 -C .25 --force -o "$work/edges"
    for th in 0 inf; do
        pack "$work/edges" 1 $th "$work/uniform-$th"
        check_probes "uniform 14 TH $th" "$work/uniform-$th"
    done
}

trace_text() { # NAME TH OPTION...: traces the graph in standard input
    local name=$1 th=$2
    shift 2
    "$BIN/edgeconv" -q -u --force -o "$work/edges" -
    pack "$work/edges" 1 "$th" "$work/trace-$name"
    check_trace "$name" "$work/trace-$name" "$@"
    check_trace "$name by classes" "$work/trace-$name" "$@" --direction cost
}

check_grid_trace() { trace_text grid memory -n 2 < <("$TESTS/mkgraph" grid 300 300); }

# there are more levels than the device notes
check_path_trace() { trace_text path inf -r 0 < <("$TESTS/mkgraph" path 20000); }

scales_between() { # LEAST MOST
    for scale in ${SCALES:-16 18 20 22 24}; do
        [ "$scale" -ge "$1" ] && [ "$scale" -le "$2" ] && echo "$scale"
    done
}

# Small graphs keep neither the GPUs nor the cores busy, so lanes run side by side, longest first. Processes that
# share a GPU take turns of milliseconds, so paths that go level by level come last.
stage_check() {
    local layout several th
    limit_stage
    several=$(for layout in $layouts; do [ "${layout%x*}" -gt 1 ] && echo "$layout"; done)
    lane kernels check_kernels
    lane proofs check_program dbfs-graph500 # with planted faults
    lane large check_rmat "$(scales_between 19 40)" memory
    for layout in ${several:-2x1 2x2}; do
        lane "device-memory-$layout" check_device_memory "$layout"
    done
    for th in 0 memory inf; do
        lane "layouts-$th" check_layouts $th
    done
    lane traces check_traces
    lane trees check_all_trees
    lane grid-trace check_grid_trace
    lane others check_others
    lane deeper check_deeper
    lane batch check_program dbfs-batch
    lane paths check_program dbfs-paths
    lane diameter check_program dbfs-diameter
    lane packed check_packed 18
    lane small check_rmat "$(scales_between 0 18)" '0 memory inf'
    lane larger-proofs check_larger_proofs
    lane real-memory check_real_memory
    join_lanes
    lane path-trace check_path_trace
    join_lanes
}

# ---- quick: tests of kernels ----

stage_quick() {
    limit_stage
    lane kernels check_kernels small
    lane proofs check_program dbfs-graph500 # with planted faults
    lane layouts check_layouts memory inf
    lane packed check_packed 18
    lane traces check_short_traces memory
    join_lanes
}

# ---- sanitize: each way to search, each way to exchange, and proofs, once under each tool ----

# TOOL: on one device: a sliced and a fused search, each with and without notes of levels, and the level loop. On two:
# a fused search if each has a GPU of its own, else the level loop. By two ranks: memory of the peer, lists without
# duplicates, bits. initcheck does not see writes of other processes, so the peers are devices of one rank there.
sanitized_searches() {
    cat <<END
1x1
1x1 --breakdown
1x1 --direction cost
1x1 --direction cost --breakdown
1x1 --factor0 dd=0.03
1x1 --resident packed --direction pull
1x2
$(peers_of "$1") --exchange-memory peer
2x1 --exchange-memory host --exchange-form list --uniquify
2x1 --exchange-memory host --exchange-form bits --reduction nonblocking
END
}

peers_of() { [ "$1" = initcheck ] && echo 1x2 || echo 2x1; } # TOOL: prints the layout

is_clean() { ! grep -qE '(ERROR|RACECHECK) SUMMARY: [1-9]' "$@"; }

findings() { grep -m 3 -h '=====' "$@" || tail -n 3 "$@"; }

sanitize_kernels() { # TOOL PART
    sanitizer="$sanitizers --tool $1 --error-exitcode 9"
    check_command "$1 of the kernels, part $2" "$TESTS/gpu_kernels" tiny "$2"
}

sanitize_searches() { # TOOL CHECKSUM
    local layout options small
    sanitizer="$sanitizers --tool $1 --error-exitcode 9"
    while read -r layout options; do
        small=$(rmat_shards 10 $((${layout%x*} * ${layout#*x})) memory)
        run_layout "$layout" "$small" -q -n 1 --warm-up 0 --backend "$backend" $options --force \
            --parents "$tmp/parents" >"$tmp/out" 2>&1 &&
            [ "$(value distance_checksum "$tmp/out")" = "$2" ] && is_clean "$tmp/out"
        outcome "$1 $layout $options" $? "$(findings "$tmp/out")"
    done < <(sanitized_searches "$1")
    for layout in 1x1 $(peers_of "$1"); do
        small=$(rmat_shards 10 $((${layout%x*} * ${layout#*x})) memory)
        prove_layout $layout "$small" -n 1 --no-energy --exchange-memory peer && is_clean "$tmp/out" "$tmp/err"
        outcome "$1 $layout proof" $? "$(findings "$tmp/out" "$tmp/err")"
    done
}

# Two lanes for each GPU: with eight, kernels wait for their turns, and parts that take 4 to 30 s had not ended after 390.
stage_sanitize() {
    local expected tool part small most_lanes=$((2 * (gpus > 0 ? gpus : 1)))
    sanitizers=$(command -v compute-sanitizer || command -v "$(dirname "$(realpath "$NVCC")")/compute-sanitizer") || {
        outcome sanitize 1 'there is no compute-sanitizer, neither in PATH nor beside nvcc'
        return
    }
    limit_stage
    small=$(rmat_shards 10 1 memory)
    expected=$("$traverse" -q -n 1 --backend cpu "$small" | sed -n 's/^distance_checksum: //p')
    for tool in racecheck memcheck initcheck synccheck; do
        for part in 0 1 2 3 4 5 6 7; do
            lane "$tool-kernels-$part" sanitize_kernels $tool $part/8
        done
        lane $tool-searches sanitize_searches $tool "$expected"
    done
    join_lanes
}

# ---- trust: wrong parts are refused on the GPU; driver calls fail; the time that the check of ranges adds to loading
# ----

# prints the seconds of a load, on the host and on the device together
load_seconds() { awk '/^(device_)?load_s: / { sum += $2 } END { print sum }' "$1"; }

# FOLDER NAME: loads seven times with and seven times without the check, in turn, and prints medians
time_loads() {
    local round option
    for round in 1 2 3 4 5 6 7; do
        for option in --seed=1 --trust; do # --seed changes nothing
            "$traverse" --backend "$backend" -n 1 --warm-up 0 $option "$1" >"$tmp/out" 2>"$tmp/err"
            outcome "load of $2, $option" $? "$(head -c 400 "$tmp/err")"
            load_seconds "$tmp/out" >>"$tmp/load$option"
            [ $option = --trust ] || grep -E 'load_s:' "$tmp/out" >"$tmp/last"
        done
    done
    cat "$tmp/last"
    for option in --seed=1 --trust; do
        sort -g "$tmp/load$option" | sed -n 4p
        rm "$tmp/load$option"
    done | paste -s -d' ' | awk -v what="$2" '{
        printf "%s: load %s s, with --trust %s s: the check adds %.1f%%\n", what, $1, $2, 100 * ($1 / $2 - 1) }'
}

stage_trust() {
    local scale=${TRUST_SCALE:-24} encoding
    check_command 'parts that lie' env BACKEND="$backend" bash tests/cli/trust.sh
    [ "$backend" != cuda ] || check_command 'faults of a GPU' env TEST_MODE=long bash tests/gpu/faults.sh
    "$BIN/rmatgen" -q -s "$scale" -o "$work/edges"
    for encoding in packed raw; do
        "$BIN/dbfs-pack" -q -p 1 --encoding $encoding ${PACK_OPTIONS:-} -o "$work/$encoding" "$work/edges"
        time_loads "$work/$encoding" "RMAT $scale, $encoding"
        rm -rf "${work:?}/$encoding"
    done
    rm -f "$work/edges"
}

# ---- bench ----

mean_time() { awk '$1 == "root" { sum += $4; n++ } END { print (n > 0 ? sum / n : 0) }' "$1"; }

report_bench() { # NAME FILE
    printf '%-36s %8.1f GTEPS harmonic mean, median time %s s, mean %s s\n' "$1" \
        "$(awk -v teps="$(value harmonic_mean_TEPS "$2")" 'BEGIN { print teps / 1e9 }')" \
        "$(value median_time "$2")" "$(mean_time "$2")"
}

stage_bench() {
    local scale=${BENCH_SCALE:-26} layout p th dir
    "$BIN/rmatgen" -q -s "$scale" --force -o "$work/edges"
    for p in 1 2 4; do
        [ -n "$(layouts_of $p)" ] || continue
        for th in ${THRESHOLDS:-suggested}; do
            dir=$work/bench-$p-$th
            pack "$work/edges" $p "$th" "$dir"
            for layout in $(layouts_of $p); do
                run_layout "$layout" "$dir" --no-check -n 64 --backend "$backend" ${BENCH_OPTIONS:-} \
                    --force --json "${OUT:-$tmp}/bench-$scale-$layout-$th.json" >"$tmp/out" 2>"$tmp/err"
                outcome "bench $layout" $? "$(head -c 400 "$tmp/err")"
                report_bench "RMAT $scale, $layout, TH $(value th "$tmp/out")" "$tmp/out"
                grep -E '^(load_s|delegates)' "$tmp/out"
            done
            rm -rf "$dir"
        done
    done
    rm -f "$work/edges"
    [ -z "${PEER:-}" ] || bench_peer
}

# ---- answers: the time for distances and parents by input id beside that of the search ----

# NAME JSON: prints medians in ms; the gap is the median of answer_s - time_s over the roots
report_answers() {
    awk -v name="$1" '
        function median(v, n,    i, j, x) {
            for (i = 2; i <= n; i++) {
                x = v[i]
                for (j = i - 1; j > 0 && v[j] > x; j--) v[j + 1] = v[j]
                v[j + 1] = x
            }
            return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
        }
        { gsub(/[{},"]/, " ") }
        /"?roots"? *:/ { roots = 1 }
        roots { for (i = 1; i < NF; i++) {
            if ($i == "time_s" && $(i + 1) == ":") time[++n] = $(i + 2)
            if ($i == "answer_s" && $(i + 1) == ":") { answer[++m] = $(i + 2); gap[m] = $(i + 2) - time[m] } } }
        END { if (n == 0 || n != m) { print name ": no answers"; exit 1 }
            printf "%-36s search %.4f, answer %.4f, gap %.4f ms\n", name, 1e3 * median(time, n),
                1e3 * median(answer, m), 1e3 * median(gap, m) }' "$2"
}

run_answers() { # NAME LAYOUT DIR OPTION...
    local name=$1 layout=$2 dir=$3
    shift 3
    run_layout "$layout" "$dir" --no-check -q -n 64 --backend "$backend" --force --json "$tmp/json" "$@" \
        >"$tmp/out" 2>"$tmp/err"
    outcome "$name" $? "$(head -c 400 "$tmp/err")"
    report_answers "$name" <(sed 's/":/" :/g' "$tmp/json")
    [ -z "${OUT:-}" ] || cp "$tmp/json" "$OUT/$(echo "$name" | tr ' ,' '-_').json"
}

# LAYOUT DIR: rounds alternate, as machines drift
answer_rounds() {
    local round
    for round in 1 2 3; do
        run_answers "RMAT $scale, $1, depths, $round" "$1" "$2"
        run_answers "RMAT $scale, $1, parents, $round" "$1" "$2" --answer parents
    done
}

stage_answers() {
    local scale=${BENCH_SCALE:-26}
    "$BIN/rmatgen" -q -s "$scale" --force -o "$work/edges"
    each_layout suggested answer_rounds
}

# ---- graph500: the whole block, with proofs and energy ----

print_block() { # LAYOUT DIR
    prove_layout "$1" "$2" --construction-time "$pack_s" --force --json "${OUT:-$tmp}/graph500-$scale-$1.json"
    outcome "graph500 $1" $? "$(head -c 400 "$tmp/err")"
    echo "RMAT $scale, $1:"
    sed -n '/^SCALE:/,$p' "$tmp/out"
}

stage_graph500() {
    local scale=${BENCH_SCALE:-26}
    "$BIN/rmatgen" -q -s "$scale" --force -o "$work/edges"
    each_layout suggested print_block
}

bench_peer() {
    local scale=${PEER_SCALE:-24} roots ours theirs
    "$BIN/rmatgen" -q -s "$scale" --force -o "$work/edges"
    "$BIN/edgeconv" -q -t u32 --force -o "$work/pairs" "$work/edges"
    pack "$work/edges" 1 suggested "$work/peer-graph"
    "$traverse" --no-check -n 16 --backend "$backend" "$work/peer-graph" >"$tmp/out" 2>"$tmp/err"
    roots=$(sed -n 's/^root \([0-9]*\) .*/\1/p' "$tmp/out")
    "$PEER" "$work/pairs" $((1 << scale)) $roots >"$tmp/peer" 2>"$tmp/err"
    outcome "the peer" $? "$(tail -c 400 "$tmp/err")"
    ours=$(mean_time "$tmp/out")
    theirs=$(awk '{ sum += $2 } END { print (NR > 0 ? sum / NR : 0) }' "$tmp/peer")
    echo "RMAT $scale, 16 roots, mean time: dbfs $ours s, $PEER $theirs s:" \
        "$(awk -v theirs="$theirs" -v ours="$ours" 'BEGIN { print theirs / ours }') times as fast"
    rm -rf "$work/edges" "$work/pairs" "$work/peer-graph"
}

# ---- capacity: a graph that fills the GPUs ----

stage_capacity() {
    local scale=${CAPACITY_SCALE:-29} layout p
    layout=1x$((gpus > 0 ? gpus : 1))
    p=${layout#*x}
    "$BIN/rmatgen" -q -s "$scale" --force -o "$work/edges"
    echo "generated: $SECONDS s"
    "$BIN/dbfs-pack" -v -p "$p" ${CAPACITY_TH:+-t $CAPACITY_TH} ${PACK_OPTIONS:-} \
        -o "$work/large" "$work/edges" 2>&1 | tail -3
    rm -f "$work/edges"
    "$traverse" --plan "$work/large"
    run_layout "$layout" "$work/large" --no-check -n 16 --backend "$backend" >"$tmp/out" 2>"$tmp/err"
    outcome "scale $scale on $layout" $? "$(head -c 400 "$tmp/err")"
    report_bench "RMAT $scale, $layout, TH $(value th "$tmp/out")" "$tmp/out"
    rm -rf "$work/large"
}

# ---- all stages ----

limit_stage() { deadline=$((SECONDS + ${LIMIT:-420})); }

run_stage() { # NAME
    local all_passed=$passed all_failed=$failed
    stage=$1 start=$SECONDS deadline='' passed=0 failed=0
    "stage_$stage"
    ended "$stage" "$start"
    passed=$((passed + all_passed)) failed=$((failed + all_failed))
}

[ $# -gt 0 ] || set -- check
for stage; do
    declare -F "stage_$stage" >/dev/null || stop "there is no stage '$stage'; see the head of this script"
done
layouts=${LAYOUTS:-}
if [ -z "$layouts" ]; then
    layouts='1x1'
    [ "$gpus" -ge 2 ] && layouts="$layouts 1x2 2x1 1x4 2x2 4x1"
fi
[ "$gpus" = 0 ] || nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -1
make -j"$(nproc)" all tests-gpu >"$work/build" 2>&1 || { tail "$work/build"; exit 1; }
echo "built: $SECONDS s"
for stage; do
    run_stage "$stage"
done
read -ra patterns <<<"${PARTS:-}"
for part in "${patterns[@]}"; do
    # shellcheck disable=SC2053
    [[ $parts_run = *" "$part" "* ]] || outcome "PARTS: a stage has the part $part" 1 "the stages are: $*"
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
