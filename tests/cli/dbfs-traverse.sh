#!/bin/bash
# dbfs-traverse.sh: the command line of dbfs-traverse: outputs, errors, exit codes.
set -u
. tests/lib.sh
traverse=$BIN/dbfs-traverse
mpi() { local n=$1; shift; "$MPIEXEC" -n "$n" "$traverse" -@ 1 "$@"; }

"$BIN/rmatgen" -q -s 10 -f text -o "$tmp/g.txt"
"$BIN/rmatgen" -q -s 10 -o "$tmp/g.edges"
"$BIN/dbfs-pack" -q -p 1 --suggest memory -o "$tmp/p1" "$tmp/g.edges"
"$BIN/dbfs-pack" -q -p 4 -t 8 -o "$tmp/p4" "$tmp/g.edges"

# ---- help, usage ----
check_exit 0 '--help exits with 0' "$traverse" --help
check '--help goes to standard output' grep -q '^Usage:' "$tmp/out"
check "$situation: prints at most 40 lines" test "$(wc -l <"$tmp/out")" -le 40
check "$situation: prints lines of at most 100 characters" test "$(awk 'length > most { most = length } END { print most }' "$tmp/out")" -le 100
check "$situation: leaves out options that few need" sh -c "! grep -q -e --exchange-form '$tmp/out'"
check_exit 0 '--help=all' "$traverse" --help=all
check "$situation: prints every option" test "$(grep -cE '^ .*--(exchange-form|factor1|warm-up|parents-width|timeout) ' "$tmp/out")" = 5
check_exit 2 '--help of something else' "$traverse" --help=some
check_says "--help: 'some' is not all"
check_exit 0 '--version exits with 0' "$traverse" --version
check_exit 2 'no DIR is a usage error' "$traverse"
check_exit 2 'two DIRs are a usage error' "$traverse" "$tmp/p1" "$tmp/p4"
check_exit 2 'an unknown option is a usage error' "$traverse" --frobnicate "$tmp/p1"
check_exit 2 'a root that is no number' "$traverse" -r 1,x "$tmp/p1"
check_says "'x'"
check_exit 2 'a root >= n' "$traverse" -r 1024 "$tmp/p1"
check_says 'root 1024'
check_exit 2 '-r and -n exclude each other' "$traverse" -r 1 -n 2 "$tmp/p1"
check_exit 2 'several roots need %d in --depths' "$traverse" -r 1,2 --depths "$tmp/d.raw" "$tmp/p1"
check_exit 2 '--dry-run: several roots need %d in --depths' "$traverse" --dry-run -r 1,2 --depths "$tmp/d.raw" "$tmp/none"
touch "$tmp/there"
check_exit 1 '--dry-run finds a result that exists' "$traverse" --dry-run -r 1 --depths "$tmp/there" "$tmp/none"
check_exit 0 '--dry-run of what is right needs no graph' "$traverse" --dry-run -r 1 --depths "$tmp/dry" "$tmp/none"
check "$situation: prints and writes nothing" test ! -s "$tmp/out" -a ! -e "$tmp/dry"
check_exit 2 'arrays of several sampled roots on standard output' "$traverse" -n 2 --result-format raw --parents - "$tmp/p1"
check_exit 2 'two results on standard output' "$traverse" -r 1 --depths - --json - "$tmp/p1"
check_exit 2 'R x G must be p' "$traverse" -g 3 "$tmp/p4"
check_exit 2 'a wrong direction' "$traverse" --direction sideways "$tmp/p1"
check_exit 2 'a wrong factor' "$traverse" --factor0 dx=1 "$tmp/p1"
check_exit 2 'a wrong size' "$traverse" -S 4GB "$tmp/p1"
check_exit 2 'ranks that do not divide p' mpi 3 "$tmp/p4"
check_exit 5 '--backend cuda without a usable GPU' env CUDA_VISIBLE_DEVICES= "$traverse" --backend cuda "$tmp/p1"
check_says '^dbfs-traverse: --backend cuda: .'
check "$situation: prints one line alone" test ! -s "$tmp/out" -a "$(wc -l <"$tmp/err")" = 1
check_exit 2 'a wrong backend' "$traverse" --backend gpu "$tmp/p1"
check_exit 0 '--backend auto without a usable GPU' env CUDA_VISIBLE_DEVICES= "$traverse" --backend auto -r 1 "$tmp/p1"
check "$situation: the summary names the CPU" grep -q '^setup: .* cpu backend$' "$tmp/out"
check "$situation: the summary says that messages are in host memory" grep -q '^exchange_memory: host$' "$tmp/out"
check_exit 2 'a wrong exchange memory' "$traverse" --exchange-memory pinned "$tmp/p1"
check_exit 0 '--exchange-memory host' mpi 2 --backend cpu --exchange-memory host -r 1 "$tmp/p4"
check_exit 5 '--exchange-memory device on the CPU' mpi 2 --backend cpu --exchange-memory device "$tmp/p4"
check_says '^dbfs-traverse: --exchange-memory device: the cpu backend has host memory only$'
check "$situation: the note comes once" test "$(grep -c exchange-memory "$tmp/err")" = 1
check_exit 5 'a memory budget that is too small' "$traverse" -S 1K "$tmp/p1"
check_says 'budget'
check_exit 1 'a launcher of another MPI' env OMPI_COMM_WORLD_SIZE=2 PMIX_RANK= "$traverse" "$tmp/p1"
check_says 'launcher'

# ---- bad input ----
check_exit 1 'a missing folder' "$traverse" "$tmp/nothing"
mkdir "$tmp/empty"
check_exit 1 'a folder without manifest' "$traverse" "$tmp/empty"
check_says 'manifest'
part=part-0000-of-0001.dbfs
copy() { rm -rf "$tmp/bad"; cp -r "$tmp/p1" "$tmp/bad"; }
copy; rm "$tmp/bad/$part"
check_exit 1 'a missing part' "$traverse" "$tmp/bad"
check_says "$part"
copy; sed -i 's/^delegates .*/delegates 1/' "$tmp/bad/manifest"
check_exit 3 'an edited manifest' "$traverse" "$tmp/bad"
copy; truncate -s -1 "$tmp/bad/$part"
check_exit 3 'a truncated part' "$traverse" "$tmp/bad"
check_says "$part"
copy; head -c 100 "$tmp/p1/$part" >"$tmp/bad/$part"
check_exit 3 'a part cut within its table' "$traverse" "$tmp/bad"
copy; : >"$tmp/bad/$part"
check_exit 3 'an empty part' "$traverse" "$tmp/bad"
"$BIN/dbfs-pack" -q -p 1 -t 3 -o "$tmp/other" "$tmp/g.edges"
copy; cp "$tmp/other/$part" "$tmp/bad/$part"
check_exit 3 'a part of another packing' "$traverse" "$tmp/bad"
check_says 'does not belong'

# flips a bit in the middle of each section, which the section table locates
sections=$(od -An -tu4 -j 12 -N 4 "$tmp/p1/$part" | tr -d ' ')
flipped=0 named=0 tried=0
for i in $(seq 0 $((sections - 1))); do
    set -- $(od -An -tu8 -j $((32 + 48 * i + 16)) -N 16 "$tmp/p1/$part")
    [ "$2" -gt 0 ] || continue
    copy
    at=$(($1 + $2 / 2))
    byte=$(od -An -tu1 -j "$at" -N 1 "$tmp/bad/$part")
    printf "\\$(printf '%o' $((byte ^ 16)))" | dd of="$tmp/bad/$part" bs=1 seek="$at" conv=notrunc 2>/dev/null
    tried=$((tried + 1))
    "$traverse" -q -r 1 "$tmp/bad" >/dev/null 2>"$tmp/err"
    [ $? = 3 ] && flipped=$((flipped + 1))
    grep -q "$part: .*[a-z][a-z]-*[a-z]* " "$tmp/err" && grep -q 'corrupt' "$tmp/err" && named=$((named + 1))
done
check "a flipped bit is refused in each of $tried sections" test "$tried" -gt 10 -a "$flipped" = "$tried"
check "the section of each flipped bit is named" test "$named" = "$tried"

# ---- packed and raw shards ----
"$BIN/dbfs-pack" -q -p 4 --suggest memory --encoding raw -o "$tmp/raw4" "$tmp/g.edges"
"$BIN/dbfs-pack" -q -p 4 --suggest memory --encoding packed -o "$tmp/packed4" "$tmp/g.edges"
for encoding in raw packed; do
    check_exit 0 "$encoding shards" mpi 2 -q -n 16 --depths "$tmp/d.%d.$encoding.txt" "$tmp/${encoding}4"
    grep '^distance_checksum' "$tmp/out" >"$tmp/sum.$encoding"
    cat "$tmp"/d.*."$encoding.txt" >"$tmp/all.$encoding"
done
check 'raw and packed columns give the same distances from 16 roots' cmp "$tmp/all.raw" "$tmp/all.packed"
check 'raw and packed columns give the same checksum' cmp "$tmp/sum.raw" "$tmp/sum.packed"
for encoding in raw packed; do
    check_exit 0 "--plan of $encoding shards" "$traverse" --plan "$tmp/${encoding}4"
    grep -v 'packed\|while loading' "$tmp/out" >"$tmp/plan.$encoding"
    awk '$1 == "total" { total = $3 } /^total, while loading/ { print $NF - total }' "$tmp/out" >"$tmp/loading.$encoding"
done
check 'raw shards take nothing more while they are loaded' test "$(cat "$tmp/loading.raw")" = 0
check 'packed ones do' test "$(cat "$tmp/loading.packed")" -gt 0
check '--plan of raw and packed columns gives the same memory of decoded ones' cmp "$tmp/plan.raw" "$tmp/plan.packed"
check_exit 5 'packed shards in a budget too small' "$traverse" -q -S 100K --resident raw -r 1 "$tmp/packed4"
check_says 'part-000[0-3]-of-0004.dbfs: .*memory budget'
copy_of_packed=$tmp/packed4/part-0000-of-0004.dbfs
cp "$copy_of_packed" "$tmp/good4"
size=$(stat -c %s "$tmp/good4")
refused=0
for i in $(seq 1 40); do
    at=$((4096 + (size - 4096) / 41 * i))
    byte=$(od -An -tu1 -j "$at" -N 1 "$tmp/good4")
    cp "$tmp/good4" "$copy_of_packed"
    printf "\\$(printf '%o' $((byte ^ 255)))" | dd of="$copy_of_packed" bs=1 seek="$at" conv=notrunc 2>/dev/null
    "$traverse" -q -r 1 "$tmp/packed4" >/dev/null 2>&1
    [ $? = 3 ] && refused=$((refused + 1))
done
check 'a changed byte of packed shards is refused' test "$refused" = 40
cp "$tmp/good4" "$copy_of_packed"

# ---- results ----
"$TESTS/oracle" -n 1024 -o "$tmp/oracle.%d.txt" "$tmp/g.txt" 1,2,3 >/dev/null
check_exit 0 'depths to standard output' "$traverse" -r 1 --depths - "$tmp/p1"
check "$situation: distances are those of the oracle" cmp "$tmp/out" "$tmp/oracle.1.txt"
check_says '^root 1 '
check_exit 0 'depths and parents of several roots' \
    mpi 2 -r 1,2,3 --depths "$tmp/d.%d.txt" --parents "$tmp/p.%d.txt" "$tmp/p4"
for root in 1 2 3; do
    check "depths from $root are those of the oracle" cmp "$tmp/d.$root.txt" "$tmp/oracle.$root.txt"
    check "parents from $root are a tree" "$TESTS/treecheck" "$tmp/g.txt" "$root" "$tmp/d.$root.txt" "$tmp/p.$root.txt"
done
check_exit 0 'depths and parents as .npy' \
    "$traverse" -q -r 2 --depths "$tmp/d.npy" --parents "$tmp/p.npy" "$tmp/p4"
check 'the .npy of depths has a header of 128 bytes and 4 bytes an id' \
    test "$(stat -c %s "$tmp/d.npy")" = $((128 + 4 * 1024))
check "$situation: the header of depths has type and shape" grep -qa "'descr': '<i4'.*'shape': (1024,)" "$tmp/d.npy"
od -An -v -td4 -w4 -j 128 "$tmp/d.npy" | awk '{ print NR - 1 "\t" $1 }' >"$tmp/d.npy.txt"
check "$situation: the array holds the distances of the oracle" cmp "$tmp/d.npy.txt" "$tmp/oracle.2.txt"
check "$situation: the header of parents has 4 bytes an id" grep -qa "'descr': '<i4'.*'shape': (1024,)" "$tmp/p.npy"
od -An -v -td4 -w4 -j 128 "$tmp/p.npy" | awk '{ print NR - 1 "\t" $1 }' >"$tmp/p.npy.txt"
check 'the .npy of parents holds a tree' \
    "$TESTS/treecheck" "$tmp/g.txt" 2 "$tmp/d.npy.txt" "$tmp/p.npy.txt"
check_exit 0 'parents of 8 bytes, and files without a header' mpi 2 -q -r 2 --parents-width 8 \
    --depths "$tmp/d.raw" --parents "$tmp/p8.npy" "$tmp/p4"
check 'the header says 8 bytes' grep -qa "'descr': '<i8'.*'shape': (1024,)" "$tmp/p8.npy"
od -An -v -td8 -w8 -j 128 "$tmp/p8.npy" | awk '{ print NR - 1 "\t" $1 }' >"$tmp/p8.npy.txt"
check "$situation: the array of 8 bytes is a tree" \
    "$TESTS/treecheck" "$tmp/g.txt" 2 "$tmp/d.npy.txt" "$tmp/p8.npy.txt"
check 'the file without a header is the array alone' sh -c "tail -c +129 '$tmp/d.npy' | cmp - '$tmp/d.raw'"
check_exit 2 'parents of 6 bytes' "$traverse" -r 2 --parents-width 6 --parents "$tmp/p6.npy" "$tmp/p4"

check_exit 0 'the answer clock of parents that are not written' "$traverse" -q -n 3 --answer parents --json "$tmp/a.json" "$tmp/p4"
check '--json records the answer of parents that are not written' grep -q '"parents": true, "answer": "parents"' "$tmp/a.json"
check_exit 0 '--answer depths beside written parents is accepted' \
    "$traverse" -q -r 2 --answer depths --force --json "$tmp/a.json" --parents "$tmp/beside.txt" "$tmp/p4"
check "$situation: the report has the answer of depths" grep -q '"parents": true, "answer": "depths"' "$tmp/a.json"
check "$situation: the parents are a tree" "$TESTS/treecheck" "$tmp/g.txt" 2 "$tmp/d.npy.txt" "$tmp/beside.txt"

# Each rank writes its part of a file. Into a pipe the first rank writes all parts.
for ranks in 1 2 4; do
    check_exit 0 "text by $ranks ranks" mpi $ranks -q -r 3 --depths "$tmp/by$ranks.txt" \
        --parents "$tmp/tree$ranks.txt" "$tmp/p4"
    check "$situation: distances are those of the oracle" cmp "$tmp/by$ranks.txt" "$tmp/oracle.3.txt"
    check "$situation: parents are a tree" "$TESTS/treecheck" "$tmp/g.txt" 3 "$tmp/by$ranks.txt" "$tmp/tree$ranks.txt"
    check_exit 0 "arrays by $ranks ranks" mpi $ranks -q -r 3 --depths "$tmp/by$ranks.npy" "$tmp/p4"
    check "$situation: the array is that of one rank" cmp "$tmp/by$ranks.npy" "$tmp/by1.npy"
    check_exit 0 "text by $ranks ranks into a pipe" mpi $ranks -q -r 3 --depths - "$tmp/p4"
    check "$situation: distances are those of the oracle" cmp "$tmp/out" "$tmp/oracle.3.txt"
done

echo old >"$tmp/kept.txt"
check_exit 0 'an existing result is replaced' "$traverse" -q -r 1 --force --depths "$tmp/kept.txt" "$tmp/p1"
check "$situation: the file has the new result" cmp "$tmp/kept.txt" "$tmp/oracle.1.txt"
check_exit 0 'a device is written directly' "$traverse" -q -r 1 --depths /dev/null "$tmp/p1"
check "$situation: the device is still one" test -c /dev/null
check_exit 1 'a result in a missing folder' "$traverse" -q -r 1 --depths "$tmp/no/d.txt" "$tmp/p1"
check_exit 5 'a full disk' "$traverse" -q -r 1 --depths /dev/full "$tmp/p1"
check_exit 5 'a full disk under standard output' sh -c "'$traverse' -q -r 1 '$tmp/p1' >/dev/full"
check_exit 1 'a failed result under several ranks' mpi 2 -q -r 1 --depths "$tmp/no/d.txt" "$tmp/p4"

# threads of OpenMP and of a search, if they spin
check_exit 0 'no waiting policy in the environment' \
    env -u OMP_WAIT_POLICY -u GOMP_SPINCOUNT "$traverse" -q -r 1 --depths - "$tmp/p1"
check "$situation: results are those of the oracle" cmp "$tmp/out" "$tmp/oracle.1.txt"
if [ -n "$(env -u OMP_WAIT_POLICY OMP_DISPLAY_ENV=verbose "$traverse" --version 2>&1 | grep GOMP_SPINCOUNT)" ]; then # libgomp
    for program in "$traverse" "$BIN"/{edgeconv,rmatgen,degsplit,dbfs-pack,dbfs-check,dbfs-components,dbfs-batch,dbfs-paths}; do
        check "waiting threads of ${program##*/} spin for a short time only" grep -q "GOMP_SPINCOUNT = '1000'" \
            <(env -u OMP_WAIT_POLICY -u GOMP_SPINCOUNT OMP_DISPLAY_ENV=verbose "$program" --version 2>&1)
    done
    check "the user's own GOMP_SPINCOUNT is not changed" grep -q "GOMP_SPINCOUNT = '7'" \
        <(env -u OMP_WAIT_POLICY GOMP_SPINCOUNT=7 OMP_DISPLAY_ENV=verbose "$traverse" --version 2>&1)
    check 'OMP_WAIT_POLICY is obeyed' grep -q "GOMP_SPINCOUNT = '0'" \
        <(env -u GOMP_SPINCOUNT OMP_WAIT_POLICY=passive OMP_DISPLAY_ENV=verbose "$traverse" --version 2>&1)
else
    skip 'how long waiting threads spin: this OpenMP is not libgomp'
fi
check_exit 0 "OpenMP's settings of waiting are not needed under mpiexec" env -u OMP_WAIT_POLICY -u GOMP_SPINCOUNT \
    "$MPIEXEC" -n 2 "$traverse" -q -@ 1 -r 1 --depths - "$tmp/p4"
check "$situation: two ranks find the distances of the oracle" cmp "$tmp/out" "$tmp/oracle.1.txt"

# ---- records, JSON ----
check_exit 0 'JSON' "$traverse" -q -n 5 --json "$tmp/r.json" "$tmp/p1"
if command -v python3 >/dev/null 2>&1; then
    check '--json is one object with environment, summary and five roots' python3 - "$tmp/r.json" <<'END'
import json, sys
r = json.load(open(sys.argv[1]))
assert set(r) == {"format", "environment", "summary", "roots"} and r["format"] == 1
assert len(r["roots"]) == 5
for root in r["roots"]:
    for key in ("root", "time_s", "levels", "reached", "edges", "teps"):
        assert key in root, key
    assert abs(root["teps"] * root["time_s"] - root["edges"]) < 1e-3 * root["edges"] + 1
h = r["summary"]["teps"]["harmonic_mean"]
mine = 5 / sum(1 / root["teps"] for root in r["roots"])
assert abs(h - mine) < 1e-6 * mine
END
else
    skip 'JSON through a parser: no python3'
fi
check '--json says what memory messages are in' grep -q '"exchange_memory": "host"' "$tmp/r.json"
check_exit 0 'a quiet run' "$traverse" -q -n 4 "$tmp/p1"
check "$situation: prints the summary alone" test "$(grep -c '^root ' "$tmp/out")" = 0 -a "$(grep -c '^NBFS: 4$' "$tmp/out")" = 1
check_exit 0 'the default' "$traverse" "$tmp/p1"
check "$situation: searches from 64 sampled roots" test "$(grep -c '^root ' "$tmp/out")" = 64
check '64 sampled roots are all different' test "$(grep '^root ' "$tmp/out" | cut -d' ' -f2 | sort -u | wc -l)" = 64

# ---- parts of levels, device memory ----
check_exit 0 '--breakdown' mpi 2 -q -n 3 --breakdown --json "$tmp/b.json" "$tmp/p4"
"$traverse" -q -n 3 --json "$tmp/plain.json" "$tmp/p4" >/dev/null
check "$situation: without it there are no parts in the report" test "$(grep -c levels_s "$tmp/b.json" "$tmp/plain.json" | cut -d: -f2 | tr '\n' ' ')" = '3 0 '
if command -v python3 >/dev/null 2>&1; then
    check '--breakdown has times for every part of every iteration' python3 - "$tmp/b.json" <<'END'
import json, sys
parts = ["previsit", "visit_nn", "visit_nd", "visit_dn", "visit_dd", "bins", "local_exchange",
         "remote_exchange", "mask_reduction", "merged_exchange", "choose", "ahead"]
for root in json.load(open(sys.argv[1]))["roots"]:
    assert sorted(root["levels_s"]) == sorted(parts), root["levels_s"].keys()
    for part in parts:
        times = root["levels_s"][part]
        assert len(times) == root["iterations"] and min(times) >= 0, part
        assert max(times) <= root["time_s"], part
    assert sum(root["levels_s"]["previsit"]) > 0
END
else
    skip '--breakdown through a parser: no python3'
fi

check_exit 0 '--plan' env CUDA_VISIBLE_DEVICES= "$traverse" --plan "$tmp/p1"
# columns are a name, the bytes of all GPUs, and the bytes of the largest; arrays start at multiples of 256 bytes
check "$situation: numbers of one shard add up to the totals" awk '
    function name() { sub(/ +[0-9]+ +[0-9]+$/, ""); return $0 }
    NF < 3 || /^(bytes|for a GPU|a single GPU) / { next }
    { all = $(NF - 1); largest = $NF; what = name() }
    all != largest { print "largest differs: " $0; bad = 1 }
    what == "graph" { graph = all; summed = 1; next }
    what == "working arrays" { working = all; next }
    what == "total" { total = all; next }
    summed { next }
    what ~ /^(nn|nd|dn|dd) (heads|offsets|columns|sources)$/ { g += int((all + 255) / 256) * 256; next }
    { w += int((all + 255) / 256) * 256 }
    END { exit bad || g != graph || w != working || g + w != total || g == 0 || w == 0 }' "$tmp/out"
cp "$tmp/out" "$tmp/plan"
check_exit 0 '--plan with --parents' "$traverse" --plan --parents - "$tmp/p1"
check '--plan with --parents adds a word per vertex' test "$(grep -cE '^(delegate|normal) parents' "$tmp/out")" = "$(grep -cE '^(delegate|normal) depths' "$tmp/plan")"
planned() { sed -n "s/^$1  *//p" "$2" | awk '{ print $1 }'; }
check 'a plan with parents takes as much for parents as for depths' test "$(planned 'normal parents' "$tmp/out")" = "$(planned 'normal depths' "$tmp/out")"
check 'a plan with parents has the ids that parents are turned into' test "$(planned 'input ids of parents' "$tmp/out")" = \
    "$(($(planned 'normal depths' "$tmp/plan") + $(planned 'delegate depths' "$tmp/plan")))"
check 'the answer has 4 bytes an id' test "$(planned "values of the answer" "$tmp/plan")" = 4096
check_exit 0 '--plan of four shards' "$traverse" --plan "$tmp/p4"
check "$situation: all four take more than the largest, and at most four times that" awk '
    $1 == "total" { good = $2 > $3 && $2 <= 4 * $3 } END { exit !good }' "$tmp/out"
check_exit 1 '--plan of nothing' "$traverse" --plan "$tmp/nothing"

# counts of edges by the specification, by the reference code, and without duplicates
"$traverse" -q -r 1 --json "$tmp/e.json" "$tmp/p4" >/dev/null
"$TESTS/oracle" -n 1024 -e "$tmp/g.txt" 1 >"$tmp/e.oracle"
oracle_value() { awk -v key="$1" '{ for (i = 1; i < NF; i++) if ($i == key) { print $(i + 1); exit } }' "$tmp/e.oracle"; }
json_value() { grep -o "\"$1\": [0-9]*" "$tmp/e.json" | head -1 | cut -d' ' -f2; }
json_root() { sed -n '/"roots"/,$p' "$tmp/e.json" | grep -o "\"$1\": [0-9]*" | head -1 | cut -d' ' -f2; }
check 'edges of a search are those that the specification counts' test "$(json_root edges)" = "$(oracle_value edges_spec)"
check 'edges without self-loops are those of the oracle' test "$(json_root edges_no_loops)" = "$(oracle_value edges_noloops)"
check 'edges without duplicates are those of the oracle' test "$(json_root edges_kept)" = "$(oracle_value edges_dedup)"
check 'reached vertices are those of the oracle' test "$(json_root reached)" = "$(oracle_value reached)"
check 'levels are those of the oracle' test "$(json_root levels)" = "$(oracle_value levels)"

# ---- roots ----
roots_of() { grep '^root ' "$tmp/out" | cut -d' ' -f2; }
"$traverse" -n 20 --seed 5 "$tmp/p1" >"$tmp/out"; roots_of >"$tmp/roots.1"
mpi 4 -n 20 --seed 5 "$tmp/p4" >"$tmp/out"; roots_of >"$tmp/roots.4"
check 'sampled roots do not depend on p' cmp "$tmp/roots.1" "$tmp/roots.4"
"$traverse" -n 20 --seed 6 "$tmp/p1" >"$tmp/out"; roots_of >"$tmp/roots.6"
check 'sampled roots depend on the seed' test "$(cat "$tmp/roots.1" | md5sum)" != "$(cat "$tmp/roots.6" | md5sum)"
"$traverse" -n 20 "$tmp/p1" >"$tmp/out"; roots_of >"$tmp/roots.few"
"$traverse" -n 800 "$tmp/p1" >"$tmp/out"; roots_of >"$tmp/roots.1"
mpi 2 -n 800 "$tmp/p4" >"$tmp/out"; roots_of >"$tmp/roots.4"
check '800 roots do not depend on shards and ranks' cmp "$tmp/roots.1" "$tmp/roots.4"
check '800 sampled roots are different' test "$(sort -u "$tmp/roots.1" | wc -l)" = "$(wc -l <"$tmp/roots.1")"
check 'the first 20 are those of a smaller sample with the same seed' \
    sh -c 'head -20 "$1" | cmp - "$2"' - "$tmp/roots.1" "$tmp/roots.few"
check_exit 0 'roots given twice' mpi 2 -r 7,3,7 "$tmp/p4"
check "$situation: both searches are done" test "$(roots_of | tr '\n' ' ')" = '7 3 7 '
check "$situation: both searches find the same" test "$(grep '^root 7' "$tmp/out" | sed 's/.* levels/levels/; s/teps [^ ]*//; s/ answer_s .*//' | uniq | wc -l)" = 1
check 'the share is that of the vertices with edges' awk '
    $1 == "vertices_with_edges:" { n = $2 }
    $1 == "root" { seen++; if ($10 - $8 / n > 1e-6 || $8 / n - $10 > 1e-6) exit 1 }
    END { exit seen != 3 }' "$tmp/out"
isolated=0
while read -r root; do
    grep -qE "^$root[[:space:]]|[[:space:]]$root\$" "$tmp/g.txt" || isolated=$((isolated + 1))
done <"$tmp/roots.1"
check 'each sampled root has an edge' test "$isolated" = 0

printf '5 6\n6 7\n9 9\n9 9\n' >"$tmp/small.txt"
"$BIN/edgeconv" -q -u --vertices 20 -o "$tmp/small.edges" "$tmp/small.txt"
"$BIN/dbfs-pack" -q -p 3 -o "$tmp/small" "$tmp/small.edges"
check_exit 0 'a root without edges' "$traverse" -r 0 --depths - "$tmp/small"
check "$situation: reaches itself alone" sh -c "grep -qP '^0\t0\$' '$tmp/out' && [ \$(grep -cP '\t-1\$' '$tmp/out') = 19 ]"
check_exit 0 'a root with self-loops alone' "$traverse" -r 9 "$tmp/small"
check "$situation: reaches itself over both self-loops" grep -q 'levels 1 reached 1 share 0.333333 edges 2 ' "$tmp/out"
check_exit 0 'a root with self-loops alone: its parent is written' "$traverse" -q -r 9 --parents - "$tmp/small"
check "$situation: the parent is the root itself" grep -qP '^9\t9$' "$tmp/out"
check_exit 0 'more roots than vertices with edges' "$traverse" -n 10 "$tmp/small"
check "$situation: each of these is searched from" test "$(grep -c '^root ' "$tmp/out")" = 3
check_says 'only 3'
printf '0 0\n' >"$tmp/loop.txt"
"$BIN/edgeconv" -q -u -o "$tmp/loop.edges" "$tmp/loop.txt"
"$BIN/dbfs-pack" -q -p 2 -o "$tmp/loop" "$tmp/loop.edges"
check_exit 1 'sampling where no vertex has an edge' "$traverse" "$tmp/loop"

# vertices with edges are rare, and the sampling still ends
printf '123456789 987654\n' >"$tmp/rare.txt"
"$BIN/edgeconv" -q -u -o "$tmp/rare.edges" "$tmp/rare.txt"
"$BIN/dbfs-pack" -q -p 1 -o "$tmp/rare" "$tmp/rare.edges"
check_exit 0 'sampling two vertices among 123 million' "$traverse" -n 2 "$tmp/rare"
check "$situation: both are found" test "$(grep -c '^root ' "$tmp/out")" = 2

# ---- permuted ids: all ids in and out are those of the input ----
"$BIN/edgeconv" -q -u --randomize=3 --vertices 1024 -o "$tmp/r.edges" "$tmp/g.txt"
"$BIN/dbfs-pack" -q -p 4 -t 8 -o "$tmp/r4" "$tmp/r.edges"
check_exit 0 'a randomised graph' mpi 2 -r 1,2 --depths "$tmp/rd.%d.txt" --parents "$tmp/rp.%d.txt" "$tmp/r4"
check "$situation: depths are by original id" cmp "$tmp/rd.1.txt" "$tmp/oracle.1.txt"
check "$situation: parents are by original id" "$TESTS/treecheck" "$tmp/g.txt" 2 "$tmp/rd.2.txt" "$tmp/rp.2.txt"
checksum() { "$traverse" -q -n 8 "$1" | sed -n 's/^distance_checksum: //p'; }
check 'a randomised graph has the same roots and checksum' test "$(checksum "$tmp/r4")" = "$(checksum "$tmp/p1")"
# options that change nothing are named
for option in '--seed 7' --breakdown --count-pairs '--parents-width 8'; do
    check_exit 0 "${option%% *} alone" "$traverse" -r 2 $option "$tmp/p1"
    check_says "${option%% *}: has no effect"
done
check_exit 0 'with what they are for' "$traverse" -n 2 --seed 7 --breakdown --count-pairs --json "$tmp/idle.json" "$tmp/p1"
check "$situation: no option gets a note" test "$(grep -c 'no effect' "$tmp/err")" = 0
finish
