#!/bin/bash
# fuzz.sh: a fixed number of inputs for each fuzz target, and of changed files for each program. No change may crash
# or hang one. Damage under an old CRC is refused, or harmless: the answer is the same. FUZZ_INPUTS sets the inputs of
# a target, or FUZZ_SECONDS its CPU time, which long mode has (10 minutes). Each of 17 ways to read a file gets
# FUZZ_FILES changed files with right CRCs, and FUZZ_DAMAGED with old CRCs, from FUZZ_SEED on.
set -u
in_memory_mib=512
. tests/lib.sh
inputs=${FUZZ_INPUTS:-10000} seconds=${FUZZ_SECONDS:-0} mended=${FUZZ_FILES:-10} damaged=${FUZZ_DAMAGED:-10} first=${FUZZ_SEED:-1}
[ "${TEST_MODE:-short}" = long ] &&
    seconds=${FUZZ_SECONDS:-600} mended=${FUZZ_FILES:-1200} damaged=${FUZZ_DAMAGED:-200}
cores=$(nproc) # before OMP_NUM_THREADS changes it
export OMP_NUM_THREADS=1
# an exit code that no program has
export ASAN_OPTIONS=exitcode=99:allocator_may_return_null=1:$ASAN_OPTIONS UBSAN_OPTIONS=${UBSAN_OPTIONS:-exitcode=99}

# ---- readers ----

check 'seeds are made' tests/fuzz/seeds.sh "$tmp/seeds"
# as many targets at once as there are cores
many=(-n "$inputs")
[ "$seconds" = 0 ] || many=(-t "$seconds" -s $RANDOM)
for seeds in "$tmp"/seeds/*/; do
    name=$(basename "$seeds")
    while [ "$(jobs -rp | wc -l)" -ge "$cores" ]; do wait -n; done
    { "$TESTS/fuzz_$name" "${many[@]}" "$seeds"* >"$tmp/fuzz-$name" 2>&1 || echo 'not ok' >>"$tmp/fuzz-$name"; } &
done
wait
for seeds in "$tmp"/seeds/*/; do
    name=$(basename "$seeds")
    check "fuzz_$name ${many[*]}: $(tail -n 1 "$tmp/fuzz-$name")" \
        awk '/not ok/ { bad = 1 } { print } END { exit bad || !/ in order$/ }' "$tmp/fuzz-$name"
done

# ---- programs ----

"$BIN/rmatgen" -q -s 8 -e 6 -o "$tmp/g.edges"
"$BIN/degsplit" -q -t 9 -o "$tmp/g.split" "$tmp/g.edges"
for name in raw-1 packed-1 raw-2 packed-3; do
    "$BIN/dbfs-pack" -q -@ 1 -p "${name#*-}" -s "$tmp/g.split" --encoding "${name%-*}" -o "$tmp/$name" \
        "$tmp/g.edges"
done
"$BIN/dbfs-traverse" --backend cpu -q -@ 1 -r 1 --depths "$tmp/depths.npy" --parents "$tmp/parents.npy" "$tmp/raw-1" \
    >"$tmp/out"
seq 1000 $((999 + $(sed -n 's/^n //p' "$tmp/raw-1/manifest"))) >"$tmp/names"
# an interrupted packing: a journal by SPEC-shard.md and one finished part
cp -r "$tmp/raw-2" "$tmp/unfinished"
rm "$tmp"/unfinished/manifest "$tmp"/unfinished/part-0000*
printf '%s\n' 'dbfs-packing 1' 'note an unfinished packing' "input $tmp/g.edges" 'p 2' \
    'heads nn=auto nd=auto dn=auto dd=auto' 'encoding raw' 'th 9' 'th-suggested 0' 'crc 00000000' \
    >"$tmp/unfinished/packing"
"$TESTS/mutate" fit "$tmp/unfinished/packing"

# each function runs a program on the changed file, and its output counts if it succeeds
text_of() { "$BIN/edgeconv" -q -@ 1 -t text -o - "$1"; }
split_of() { "$BIN/degsplit" -q -@ 1 -t 9 -o - "$1"; }
packed() { rm -rf "$tmp/x" && "$BIN/dbfs-pack" -q -@ 1 -p 2 -t 9 -o "$tmp/x" "$1" && cat "$tmp"/x/*; }
packed_with() {
    rm -rf "$tmp/x" && "$BIN/dbfs-pack" -q -@ 1 -p 2 -s "$1" -o "$tmp/x" "$tmp/g.edges" && cat "$tmp"/x/*
}
verified() { "$BIN/dbfs-pack" -@ 1 -q --verify "$1"; }
listed() { "$BIN/dbfs-pack" --list "$1"; }
searched() {
    "$BIN/dbfs-traverse" --backend cpu -@ 1 -n 3 --warm-up 0 --parents "$tmp/parents-%d" "$1" |
        sed -n 's/.*checksum:* //p'
}
checked() { "$BIN/dbfs-check" -q -@ 1 -r 1 --depths "$tmp/depths.npy" --parents "$tmp/parents.npy" "$1"; }
checked_depths() { "$BIN/dbfs-check" -q -@ 1 -r 1 --depths "$1" "$tmp/g.edges"; }
proved() { "$BIN/dbfs-graph500" --backend cpu --no-energy -@ 1 -n 2 "$1" | grep -c valid; }
resumed() {
    "$BIN/dbfs-pack" -q -@ 1 -p 2 -t 9 --encoding raw --resume -o "$1" "$tmp/g.edges" && cat "$1"/*
}
named() { "$BIN/dbfs-traverse" --backend cpu -q -@ 1 -r 1000 --map "$1" --depths - "$tmp/raw-1"; }
planned() { "$BIN/dbfs-traverse" --plan "$1"; }

# changed damage|mend SEED FILE FUNCTION ARGUMENT: adds to $bad what goes wrong
changed() {
    local how=$1 seed=$2 file=$3 run=$4 argument=$5 code=0
    "$TESTS/mutate" "$how" "$seed" "$file"
    timeout -k 1 10 bash -c "$(declare -f "$run"); BIN=$BIN tmp=$tmp; set -o pipefail; $run $argument" \
        >"$tmp/got" 2>"$tmp/err" </dev/null || code=$?
    case $code in
    0) [ "$how" = mend ] || cmp -s "$tmp/got" "$tmp/want-$run" || bad="$bad $run-$seed:differs" ;;
    3) refused=$((refused + 1)) ;;
    4) [ "$how" = mend ] || bad="$bad $run-$seed:differs" ;; # the graph is another one than that of the results
    # a size, a number of vertices or p is too large, or a part has another name
    1 | 2 | 5) ;;
    *) bad="$bad $run-$seed:exit-$code" ;;
    esac
    tried=$((tried + 1))
}
# HOW FUNCTION FILE [FOLDER]: tries as many changes as wanted
round() {
    local how=$1 run=$2 file=$3 folder=${4:-} seed copy=$tmp/changed bad= tried=0 refused=0 files=$mended
    [ "$how" = mend ] || files=$damaged
    rm -rf "$copy"
    cp -r "${folder:-$file}" "$copy"
    "$run" "$copy" >"$tmp/want-$run" 2>"$tmp/err" || bad=" $run-unchanged:exit-$?"
    for seed in $(seq "$first" $((first + files - 1))); do
        rm -rf "$copy"
        cp -r "${folder:-$file}" "$copy"
        changed "$how" $seed "$copy${folder:+/$file}" "$run" "$copy"
    done
    check "$run, $tried files, CRCs ${how/damage/left}, ${folder##*/} ${file##*/}: no harm ($bad )" \
        test -z "$bad"
    all_refused=$((all_refused + refused)) all_tried=$((all_tried + tried))
}
all_refused=0 all_tried=0
for how in damage mend; do
    for run in text_of split_of packed checked; do
        round $how $run "$tmp/g.edges"
    done
    round $how packed_with "$tmp/g.split"
    round $how listed manifest "$tmp/packed-3"
    round $how searched manifest "$tmp/raw-2"
    for name in raw-1 packed-1 raw-2 packed-3; do
        part=part-0000-of-000${name#*-}.dbfs
        round $how searched $part "$tmp/$name"
    done
    round $how verified part-0001-of-0002.dbfs "$tmp/raw-2"
    round $how verified part-0002-of-0003.dbfs "$tmp/packed-3"
    round $how checked part-0000-of-0003.dbfs "$tmp/packed-3"
    round $how proved part-0001-of-0002.dbfs "$tmp/raw-2"
    round $how resumed packing "$tmp/unfinished"
    round $how planned part-0000-of-0001.dbfs "$tmp/raw-1"
done
# files without a CRC
round mend checked_depths "$tmp/depths.npy"
round mend named "$tmp/names"
check "most changes under a mended CRC are refused ($all_refused of $all_tried)" test $((2 * all_refused)) -gt "$all_tried"
finish
