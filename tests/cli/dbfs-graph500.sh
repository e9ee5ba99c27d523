#!/bin/bash
# dbfs-graph500.sh: the benchmark's block follows from its JSON, its validator finds planted faults, and dbfs-traverse
# links none of it. Long mode takes scale 20 and more layouts. BACKEND=cuda searches and proves on a GPU.
set -u
in_memory_mib=1024
. tests/lib.sh
graph500=$BIN/dbfs-graph500
backend=${BACKEND:-cpu}
export OMP_WAIT_POLICY=passive
mpi() { local ranks=$1; shift; "$MPIEXEC" -n "$ranks" "$graph500" -@ 1 --backend "$backend" "$@"; }

# ---- options ----
check_exit 2 'no graph' "$graph500"
check_exit 2 'an unknown backend' "$graph500" --backend gpu x
check_exit 2 'a negative construction time' "$graph500" --construction-time -1 x
check_exit 1 'a graph that is not there' "$graph500" "$tmp/nothing"

# ---- options of ranks, which dbfs-traverse has, too ----

for option in '--direction sideways' '--factor0 nn' '--factor1 xx=1' '--chunk 0' '--reduction later' \
    '--exchange-memory mine' '--timeout soon'; do
    check_exit 2 "$option" "$graph500" $option x
done
"$BIN/rmatgen" -q -s 11 -o "$tmp/small.edges"
"$BIN/dbfs-pack" -q -p 4 -t inf -o "$tmp/normal" "$tmp/small.edges"
"$BIN/dbfs-pack" -q -p 4 -t 64 -o "$tmp/mixed" "$tmp/small.edges"
"$BIN/dbfs-pack" -q -p 1 -t 16 -o "$tmp/alone" "$tmp/small.edges"
# wire GRAPH OPTION...: prints the MPI calls of two ranks, without messages of answers and proofs
wire() {
    local graph=$1
    shift
    rm -f "$tmp"/wire.*
    check_exit 0 "$graph $*" timeout 120 "$MPIEXEC" -n 2 "${counted[@]}" \
        "$graph500" -q -@ 1 --backend cpu --no-energy --exchange-memory host --exchange-form list -n 1 "$@" "$tmp/$graph"
    awk '!(/^(send|repeated)/ && $3 >= 8192)' "$tmp"/wire.[0-9] >"$tmp/wire"
    check 'what ranks told MPI is noted' grep -q '^alltoall' "$tmp/wire"
}
count() { awk "$1 { n++ } END { print n + 0 }" "$tmp/wire"; }
wire normal
check 'messages between ranks are larger than 1K without --chunk' test "$(count '$1 == "send" && $4 > 1024')" -gt 0
check 'vertices go between unlike devices without --local-all2all' test "$(count '$1 == "send" && int($3 / 2) != $3 % 2')" -gt 0
check 'vertices between unlike devices are sent, with repetitions' test "$(count '$1 == "repeated" && $4 > 0')" -gt 0
wire normal --chunk 1K
check '--chunk 1K leaves no message above 1K' test "$(count '$1 == "send" && $4 > 1024')" = 0
wire normal --local-all2all
check '--local-all2all sends between like devices alone' test "$(count '$1 == "send" && int($3 / 2) != $3 % 2')" = 0
wire normal --uniquify
check '--uniquify leaves no repetitions among sent vertices' test "$(count '$1 == "repeated" && $4 > 0')" = 0
wire mixed
check 'reductions are blocking without --reduction' test "$(count '/^reduce nonblocking or/')" = 0
wire mixed --reduction nonblocking
check '--reduction nonblocking is nonblocking' test "$(count '/^reduce nonblocking or/')" -gt 0
check_exit 5 'memory of a device that is none' "$graph500" --backend cpu --exchange-memory device "$tmp/alone"
part=part-0000-of-0001.dbfs
cp -r "$tmp/alone" "$tmp/lie"
"$TESTS/mutate" set 27 0 $(($("$TESTS/mutate" get 27 0 "$tmp/lie/$part") & ~1)) "$tmp/lie/$part"
check_exit 3 'a part that lies' "$graph500" --backend "$backend" --no-energy -q -n 1 "$tmp/lie"
check_exit 0 'a part that lies is searched with --trust' "$graph500" --backend "$backend" --no-energy -q -n 1 --trust "$tmp/lie"
printf '\377' | dd of="$tmp/lie/$part" bs=1 conv=notrunc status=none seek=$(($(stat -c %s "$tmp/lie/$part") / 2))
check_exit 3 'damage' "$graph500" --backend "$backend" --no-energy -q -n 1 --trust "$tmp/lie"
check_says 'CRC differs'
# what it then reads may be anything, and take any time
timeout -s KILL 5 "$graph500" --backend "$backend" --no-energy -q -n 1 --trust --no-check "$tmp/lie" >"$tmp/out" 2>"$tmp/err"
check "$situation: --no-check looks at no CRC" sh -c "! grep -q 'CRC differs' '$tmp/err'"

# ---- the block ----
scale=12
[ "${TEST_MODE:-short}" = long ] && scale=20
"$BIN/rmatgen" -q -s "$scale" -o "$tmp/g.edges"
for p in 1 4; do
    "$BIN/dbfs-pack" -q -p $p -o "$tmp/p$p" "$tmp/g.edges"
done
fields='SCALE: edgefactor: NBFS: graph_generation: num_mpi_processes: construction_time:'
for of in time nedge TEPS validate; do
    prefix='bfs  '
    [ $of = nedge ] && prefix=
    for what in min firstquartile median thirdquartile max mean stddev; do
        [ $of = TEPS ] && [[ $what == mean || $what == stddev ]] && continue
        fields="$fields|$prefix${what}_$of:"
    done
    [ $of = TEPS ] && fields="$fields|bfs  harmonic_mean_TEPS:     !|bfs  harmonic_stddev_TEPS:"
done
fields="${fields// NBFS/|NBFS}"
fields="${fields/SCALE: edgefactor:/SCALE:|edgefactor:}"
fields="${fields/NBFS: graph_generation: num_mpi_processes: construction_time:/NBFS:|graph_generation:|num_mpi_processes:|construction_time:}"
fields="$fields|energy_J:"
block() { sed -n '/^SCALE:/,$p' "$tmp/out"; }

# prints the block that follows from the JSON
expected_block() { python3 - "$tmp/json" "$1" <<'END'
import json, math, sys
r = json.load(open(sys.argv[1]))
runs = r["roots"]
def quantile(v, q):
    at = q * (len(v) - 1); low = int(at)
    return v[low] if low + 1 == len(v) else v[low] + (at - low) * (v[low + 1] - v[low])
def mean(v): return sum(v) / len(v)
def deviation(v): return math.sqrt(sum((x - mean(v)) ** 2 for x in v) / (len(v) - 1)) if len(v) > 1 else 0
def five(prefix, of, v):
    v = sorted(v)
    for what, q in (("min", 0), ("firstquartile", .25), ("median", .5), ("thirdquartile", .75), ("max", 1)):
        print("%s%s_%s: %.9g" % (prefix, what, of, quantile(v, q)))
def seven(prefix, of, v):
    five(prefix, of, v)
    print("%smean_%s: %.9g" % (prefix, of, mean(v)))
    print("%sstddev_%s: %.9g" % (prefix, of, deviation(v)))
env = r["environment"]
print("SCALE: %g" % math.log2(env["vertices"]))
print("edgefactor: %.9g" % (env["input_edges"] / env["vertices"]))
print("NBFS: %d" % len(runs))
print("graph_generation: NA")
print("num_mpi_processes: %d" % env["ranks"])
print("construction_time: " + ("%.9g" % r["construction_s"] if "construction_s" in r else "NA"))
seven("bfs  ", "time", [x["answer_s"] for x in runs])
seven("", "nedge", [x["edges"] for x in runs])
rates = [x["edges"] / x["answer_s"] for x in runs]
five("bfs  ", "TEPS", rates)
inverse = [1 / x for x in rates]
print("bfs  harmonic_mean_TEPS:     ! %.9g" % (1 / mean(inverse)))
print("bfs  harmonic_stddev_TEPS: %.9g" % (deviation(inverse) / (mean(inverse) ** 2 * math.sqrt(len(runs) - 1)) if len(runs) > 1 else 0))
seven("bfs  ", "validate", [x["validate_s"] for x in runs])
if "energy" in r:
    e = r["energy"]
    print("energy_J: %.9g" % e["joules"])
    print("energy_time: %.9g" % e["seconds"])
    print("energy_of: %d GPUs, %d processor packages" % (e["gpus"], e["packages"]))
    print("MTEPS/W: %.9g" % (e["batch_edges"] / 1e6 / e["joules"]))
else:
    print("energy_J: NA\nMTEPS/W: NA")
assert all(x["answer_s"] >= x["time_s"] > 0 and x["validate_s"] > 0 for x in runs)
assert all(abs(x["teps"] * x["time_s"] / x["edges"] - 1) < 1e-9 and abs(x["answer_teps"] * x["answer_s"] / x["edges"] - 1) < 1e-9
    for x in runs)
END
}
same_block() { # EXPECTED: the block in $tmp/out has these fields, and its numbers differ by a millionth at most
    awk 'function value(line) { sub(/.*[: !] */, "", line); return line }
        function name(line) { sub(/:.*/, "", line); return line }
        NR == FNR { want[++n] = $0; next }
        { m++; a = value($0); b = value(want[m])
            if (name($0) != name(want[m])) { print $0 " for " want[m]; bad = 1 }
            else if (a != b && (a - b > 1e-6 * b + 1e-12 || b - a > 1e-6 * b + 1e-12)) { print $0 " for " want[m]; bad = 1 } }
        END { exit bad || n != m || n < 30 }' "$1" <(block)
}
# reported FILE: dbfs-report makes the same block of the JSON
reported() {
    check_exit 0 'dbfs-report reads the JSON' "$BIN/dbfs-report" graph500 "$tmp/json"
    check "$situation: the block is that of the run" same_block "$1"
}
for ranks in 1 2; do
    check_exit 0 "64 roots, $ranks ranks" mpi $ranks --force --json "$tmp/json" --construction-time 2.5 "$tmp/p4"
    check "$situation: each of them has a record" test "$(grep -c '^root .* validate_s ' "$tmp/out")" = 64
    check 'the block has every field, in order' test \
        "$(block | sed -n 's/^\([^:]*:\( *!\)*\).*/\1/p' | grep -vE '^(energy_[a-z]|MTEPS)' | paste -sd'|')" = "$fields"
    if command -v python3 >/dev/null 2>&1; then
        expected_block $ranks >"$tmp/expected"
        check "64 roots, $ranks ranks: every field of the block follows from the JSON" same_block "$tmp/expected"
    else
        skip 'the block from the JSON: no python3'
    fi
    block >"$tmp/block.$ranks"
    reported "$tmp/block.$ranks"
done
check 'the environment has graph and command' grep -q "\"command\": \[.*\"--json\", \"$tmp/json\"" "$tmp/json"
check 'runs in the JSON have the checksums that dbfs-traverse finds' test "$(sed -n 's/.*"checksum": "\([0-9a-f]*\)".*/\1/p' "$tmp/json")" = \
    "$("$BIN/dbfs-traverse" --backend "$backend" -n 64 "$tmp/p4" | sed -n 's/^root .* checksum \([0-9a-f]*\).*/\1/p')"
check_exit 0 'means of a block and a run' "$BIN/dbfs-report" means "$tmp/json"
check "$situation: rows count 64 searches" grep -q "	64	" "$tmp/out"

# ---- energy: counters of tests/fake_nvml.c say 120 J from one look to the next, those of a pretended package 0 ----
# Searches run on the CPU, as CUDA's driver brings its own NVML.
zone=$tmp/root/sys/class/powercap/intel-rapl:0
mkdir -p "$zone"
echo 5000000 >"$zone/energy_uj"
echo 262143328850 >"$zone/max_energy_range_uj"
# each takes 2 s; lone processes follow
for ranks in $([ "${TEST_MODE:-short}" = short ] || echo 1) 2; do
    check_exit 0 "energy, $ranks ranks" "$MPIEXEC" -n $ranks env -u CUDA_VISIBLE_DEVICES \
        LD_PRELOAD="$(realpath "$TESTS/pretend.so"):$(realpath "$TESTS/nvml/libnvidia-ml.so.1")" PRETENDED_FILES="$tmp/root" \
        "$graph500" -@ 1 --backend cpu -n 4 --force --json "$tmp/json" "$tmp/p4"
    block >"$tmp/energy"
    check "energy, $ranks ranks: is that of two GPUs and a package ($(grep -E '^(energy|MTEPS)' "$tmp/energy" | tr -s ' ' | tr '\n' ' '))" awk '
        $1 == "energy_J:" { joules = $2 } $1 == "energy_time:" { seconds = $2 }
        $1 == "energy_of:" { gpus = $2; packages = $4 } $1 == "MTEPS/W:" { rate = $2 }
        END { exit !(gpus == 2 && seconds >= 2 && joules >= 120 && packages > 0 && (packages > 1 || joules <= 120) && rate > 0) }' \
        "$tmp/energy"
    command -v python3 >/dev/null 2>&1 && { expected_block $ranks >"$tmp/expected"
        check "energy, $ranks ranks: fields of the block follow from the JSON" same_block "$tmp/expected"; }
    reported "$tmp/energy"
done
for visible in 1 GPU-70; do
    check_exit 0 "energy of the GPU $visible" env CUDA_VISIBLE_DEVICES=$visible LD_PRELOAD="$(realpath "$TESTS/nvml/libnvidia-ml.so.1")" \
        "$graph500" -q -@ 1 --backend cpu -n 1 "$tmp/p1"
    check "$situation: is that of one GPU" grep -q '^energy_of: *1 GPUs' "$tmp/out"
done
check_exit 0 'without energy' env LD_LIBRARY_PATH="$(realpath "$TESTS/nvml")" "$graph500" -q --backend "$backend" -n 1 --no-energy "$tmp/p1"
check "$situation: energy is NA" grep -q '^energy_J: *NA$' "$tmp/out"

check_exit 0 'fewer roots, quietly' mpi 1 -q -n 3 "$tmp/p1"
check "$situation: prints the block alone" test "$(grep -c '^root' "$tmp/out") $(grep -c '^NBFS: *3$' "$tmp/out")" = '0 1'
check "$situation: the construction time is NA" grep -q '^construction_time: *NA$' "$tmp/out"
check_exit 0 'with -v' mpi 1 -v -n 2 --no-energy --force --json "$tmp/json" "$tmp/p1"
check 'there is a line per level' test "$(grep -c ' level [0-9]* nn ' "$tmp/err")" = \
    "$(sed -n 's/.*"iterations": \([0-9]*\).*/\1/p' "$tmp/json" | awk '{ n += $1 } END { print n }')"

# ---- planted faults ----
# 0 to 6 are reached from 0, at depths 0 1 1 2 3 4 5; 8 and 9 are not reached; 7, 10 and 11 have no edges
printf '0 1\n0 2\n1 2\n1 3\n2 3\n3 4\n4 5\n5 6\n8 9\n' >"$tmp/f.txt"
"$BIN/edgeconv" -q -u --vertices 12 -o "$tmp/f.edges" "$tmp/f.txt"
"$BIN/edgeconv" -q -u --vertices 12 --randomize=4 -o "$tmp/r.edges" "$tmp/f.txt"
for th in 0 2 inf; do
    for p in 1 4; do
        "$BIN/dbfs-pack" -q -p $p -t $th -o "$tmp/f.$th.$p" "$tmp/f.edges"
    done
done
"$BIN/dbfs-pack" -q -p 4 -t 2 -o "$tmp/f.random.4" "$tmp/r.edges"

setups='2.1x1 inf.4x4 random.4x4 inf.4x1'
[ "${TEST_MODE:-short}" = long ] && setups='0.1x1 2.1x1 inf.1x1 0.4x1 2.4x4 inf.4x4 random.4x4 0.4x4 inf.4x1 inf.4x2 2.4x2'
# planted EXPECTED NAME FAULT...: plants a set of faults and expects the offence
expected=('nothing is wrong') names=('no fault') sets=()
planted() {
    expected+=("$1") names+=("$2")
    shift 2
    sets+=(/ "$@")
}
plant() { # SETUP ARGUMENT...
    timeout 120 "$MPIEXEC" -n "${1#*x}" "$TESTS/plant_faults" "$backend" "$tmp/f.${1%x*}" 0 "${@:2}"
}
planted 'edge 1 2: to the parent, with depths 1 and 1' 'a parent off by one level' p 1 2
planted 'edge 4 5: to the parent, with depths 3 and 4' 'a cycle' p 4 5
planted 'edge 4 2: to the parent, and not in the graph' 'a tree edge that is not in the graph' p 4 2
planted 'vertex 6: depth 5, and no parent' 'a missing vertex' p 6 -1
planted 'edge 5 6: depths 4 and -1' 'a vertex missing in both' p 6 -1 d 6 -1
planted 'vertex 8: parent 9, and not reached' 'one too many' p 8 9
planted 'vertex 10: parent 3, and not reached' 'one without edges' p 10 3
planted 'edge 6 5: to the parent, with depths 4 and 4' 'a distance too small' d 6 4
planted 'edge 5 6: depths 4 and 6' 'a distance too large' d 6 6
planted 'vertex 6: parent 6, as only a root may have' 'two roots' p 6 6
planted 'vertex 0: the root has depth 1' 'a root that is not at its place' d 0 1
planted 'vertex 0: parent 0, as only a root may have' 'the tree of another root' r 3
planted 'edge 1 3: to the parent, with depths 1 and 2' 'the first of two' p 6 6 p 1 3

# parents are 0, 0, 0, 1 or 2, 3, 4, 5; where one is needed, 3 takes 1
planted 'vertex 1: parent 1, as only a root may have' 'swapped arrays' \
    p 1 1 d 1 0 p 2 1 d 2 0 p 3 2 d 3 1 p 4 3 d 4 3 p 5 4 d 5 4 p 6 5 d 6 5 p 8 -1 p 9 -1
planted 'edge 0 2: depths 0 and 2' 'the tree of another graph, a path' p 2 1 d 2 2 p 3 2 d 3 3 d 4 4 d 5 5 d 6 6
planted 'vertex 7: parent 6, and not reached' 'the tree of a longer path' p 7 6

# the same in shards of several TH, by 1 and 4 ranks
bad=()
for setup in $setups; do
    check_exit 0 "$setup: no fault alone" plant $setup
    check_exit 4 "$setup: all faults, each in a tree of its own" plant $setup "${sets[@]}"
    mapfile -t got <"$tmp/out"
    for i in "${!names[@]}"; do
        [ "${got[i]:-}" = "${expected[i]}" ] || bad[i]="${bad[i]:-} $setup: ${got[i]:-nothing};"
    done
done
for i in "${!names[@]}"; do
    check "${names[i]}: ${expected[i]} (${bad[i]:-})" test -z "${bad[i]:-}"
done

# ---- dbfs-traverse links nothing of the benchmark ----
check 'dbfs-traverse has no validator' sh -c "! nm '$BIN/dbfs-traverse' | grep -qE 'validation_|energy_open|prover_|proof_'"
if grep -qE '__(asan|ubsan|tsan)_' "$BIN/dbfs-traverse"; then
    skip 'the libraries of dbfs-traverse: the sanitizer has its own'
else
    check 'dbfs-traverse links the C library, OpenMP, zlib, MPI and what these need, alone' test -z "$(objdump -p "$BIN/dbfs-traverse" |
        awk '$1 == "NEEDED" { print $2 }' | grep -vE '^(libc|libm|libz|libgomp|libomp|libmpi[a-z]*|libopen-[a-z]*|libstdc\+\+|libgcc_s|libdl|librt|libpthread|ld-linux[-a-z0-9]*)\.so')"
fi
finish
