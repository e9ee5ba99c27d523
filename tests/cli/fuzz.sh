#!/bin/bash
# fuzz.sh: a fixed number of inputs for every fuzz target, and of changed files for every program. No change
# may crash or hang one. A change whose CRC was left is refused, or harmless: the same answer. `make fuzz` goes
# on for longer; FUZZ_INPUTS and FUZZ_FILES say how many.
set -u
[ -w /dev/shm ] && export TMPDIR=/dev/shm
. tests/lib.sh
inputs=${FUZZ_INPUTS:-10000} files=${FUZZ_FILES:-10}
[ "${TEST_MODE:-short}" = long ] && inputs=${FUZZ_INPUTS:-2000000} files=${FUZZ_FILES:-4000}
export OMP_NUM_THREADS=1

# ---- readers ----

check 'seeds are made' tests/fuzz/seeds.sh "$tmp/seeds"
for seeds in "$tmp"/seeds/*/; do
    name=$(basename "$seeds")
    check "$inputs inputs to fuzz_$name" "$TESTS/fuzz_$name" -n "$inputs" "$seeds"*
done

# ---- programs ----

"$BIN/rmatgen" -q -s 8 -e 6 -o "$tmp/g.edges"
"$BIN/degsplit" -q -t 9 -o "$tmp/g.split" "$tmp/g.edges"
for name in raw-1 packed-1 raw-2 packed-3; do
    "$BIN/dbfs-pack" -q -@ 1 -p "${name#*-}" -s "$tmp/g.split" --encoding "${name%-*}" -o "$tmp/$name" \
        "$tmp/g.edges"
done

# each runs a program on the changed file; its output is compared if it succeeds
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
planned() { "$BIN/dbfs-traverse" --plan "$1"; }

# changed damage|mend SEED FILE FUNCTION ARGUMENT: $bad gets what must not be
changed() {
    local how=$1 seed=$2 file=$3 run=$4 argument=$5 code=0
    "$TESTS/mutate" "$how" "$seed" "$file"
    timeout -k 1 10 bash -c "$(declare -f "$run"); BIN=$BIN tmp=$tmp; set -o pipefail; $run $argument" \
        >"$tmp/got" 2>"$tmp/err" </dev/null || code=$?
    case $code in
    0) [ "$how" = mend ] || cmp -s "$tmp/got" "$tmp/want-$run" || bad="$bad $run-$seed:differs" ;;
    3) refused=$((refused + 1)) ;;
    1 | 2 | 5) ;; # a size, a number of vertices or a p that is too large, or a part that has another name
    *) bad="$bad $run-$seed:exit-$code" ;;
    esac
    tried=$((tried + 1))
}
round() { # HOW FUNCTION FILE [FOLDER]: $files changes
    local how=$1 run=$2 file=$3 folder=${4:-} seed copy=$tmp/changed bad= tried=0 refused=0
    rm -rf "$copy"
    cp -r "${folder:-$file}" "$copy"
    "$run" "$copy" >"$tmp/want-$run" 2>"$tmp/err" || bad=" $run-unchanged:exit-$?"
    for seed in $(seq "$files"); do
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
    for run in text_of split_of packed; do
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
    round $how planned part-0000-of-0001.dbfs "$tmp/raw-1"
done
check "and most are refused ($all_refused of $all_tried)" test $((2 * all_refused)) -gt "$all_tried"
finish
