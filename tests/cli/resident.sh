#!/bin/bash
# resident.sh: dbfs-traverse --resident. A search of packed columns finds the same as one of decoded columns, in less
# memory; auto takes packed where raw does not fit; wrong parts are refused in each way. BACKEND=cuda tries a GPU, and
# columns in memory of the host, too. SCALE sets another graph.
set -u
in_memory_mib=1024
. tests/lib.sh
traverse=$BIN/dbfs-traverse
backend=${BACKEND:-cpu}
kinds='packed'
[ "$backend" = cpu ] || kinds='packed host'

"$BIN/rmatgen" -q -s "${SCALE:-16}" -o "$tmp/g.edges"
search() { timeout 120 "$traverse" --backend "$backend" -@ 2 $(divided 1 "$@") "$@"; }
value() { sed -n "s/^$1: //p" "$2"; }
number() { value "$1" "$2" | sed 's/.*(\([0-9]*\) bytes.*/\1/'; }

# ---- the same answer ----

# records FILE: prints the lines of roots without times
records() { sed -n 's/time_s [^ ]* //; s/ teps [^ ]*//; s/ answer_s.*//; /^root /p' "$1"; }

for options in '-p 1 -t 0' '-p 1 -t 6' '-p 1 -t inf' '-p 1 -t 6 --heads nn=1,nd=0,dn=1,dd=0' '-p 3 -t 6'; do
    rm -rf "$tmp/g"
    "$BIN/dbfs-pack" -q $options --encoding packed -o "$tmp/g" "$tmp/g.edges"
    for direction in auto push pull; do
        for resident in raw $kinds; do
            search --resident $resident --direction $direction -n 8 --depths "$tmp/$resident.%d.raw" --force \
                --parents "$tmp/$resident-parents.%d.raw" "$tmp/g" >"$tmp/$resident" 2>"$tmp/err" ||
                fail "$options $direction $resident: $(head -3 "$tmp/err")"
            check "$options $direction: the report says that columns are $resident" \
                grep -qE "^resident: $resident \([0-9]+ bytes(, [0-9]+ of host memory)?\)\$" "$tmp/$resident"
        done
        for resident in $kinds; do
            check "$options $direction $resident: roots reach the same edges" \
                cmp <(records "$tmp/raw") <(records "$tmp/$resident")
            same=true
            for depths in "$tmp"/raw.*.raw; do
                cmp -s "$depths" "${depths/raw./$resident.}" || same=false
            done
            check "$options $direction $resident: depths are the same" $same
        done
    done
    check "$options: packed takes less than two thirds of raw" \
        test $((3 * $(number resident "$tmp/packed"))) -lt $((2 * $(number resident "$tmp/raw")))
done

# ---- memory ----

rm -rf "$tmp/g"
"$BIN/dbfs-pack" -q -p 1 -t 6 -o "$tmp/g" "$tmp/g.edges"
for resident in raw $kinds; do
    search --resident $resident -n 1 --json "$tmp/$resident.json" "$tmp/g" >"$tmp/$resident"
    check "the report says $resident" grep -q "\"resident\": \"$resident\", \"resident_bytes\": [0-9]" "$tmp/$resident.json"
done
if [ "$backend" = cpu ]; then
    raw=$(number resident "$tmp/raw")
    check_exit 0 'auto has the memory for raw' search -n 1 -S 1G "$tmp/g"
    check "$situation: takes raw columns" grep -q '^resident: raw ' "$tmp/out"
    check_exit 0 'auto has not' search -n 1 -S $((raw * 9 / 10)) "$tmp/g"
    check "$situation: takes packed columns" grep -q '^resident: packed ' "$tmp/out"
    check_exit 5 'raw is refused there' search -n 1 -S $((raw * 9 / 10)) --resident raw "$tmp/g"
    check_says 'of the memory budget (-S) are left'
    check_exit 5 'neither fits' search -n 1 -S 1M "$tmp/g"
    check_exit 0 'memory of the host is that of the CPU' search -n 1 --resident host "$tmp/g"
    check "$situation: columns are raw" grep -q "^resident: raw ($raw bytes)" "$tmp/out"
fi
check_exit 2 'no such residence' search --resident unpacked "$tmp/g"
check_says "\-\-resident: 'unpacked' is not raw, packed, host or auto"

# raw sections of a graph stay raw
rm -rf "$tmp/g"
"$BIN/dbfs-pack" -q -p 1 --encoding raw -o "$tmp/g" "$tmp/g.edges"
check_exit 0 'raw sections stay raw' search -n 1 --resident packed "$tmp/g"
check "$situation: the report says raw" grep -q '^resident: raw ' "$tmp/out"

# ---- the plan ----

rm -rf "$tmp/g"
"$BIN/dbfs-pack" -q -p 1 -o "$tmp/g" "$tmp/g.edges"
"$traverse" --plan "$tmp/g" >"$tmp/plan"
"$traverse" --plan --json "$tmp/plan.json" "$tmp/g"
plan() { awk -v name="$1" '{ line = $0; sub(/ +[0-9]+ +[0-9]+$/, "", line) } line == name { print $(NF - 1) }' "$tmp/plan"; }
check 'the plan has both sizes' test "$(plan 'graph, packed')" -lt "$(plan graph)"
check 'the plan has the sums of raw and packed columns' test "$(plan 'total, packed')" -lt "$(plan total)"
check 'the plan has packed columns in JSON, too' grep -q "\"graph, packed\": {\"all\": $(plan 'graph, packed')," "$tmp/plan.json"
"$traverse" --plan --resident packed "$tmp/g" >"$tmp/plan"
check 'the plan for packed lists its arrays' test "$(plan 'dd columns directory')" -gt 0
total=$(plan 'total, while loading') packed=$(plan 'total, packed')
check 'loading takes more' test "$total" -gt "$(plan total)"
check 'packed columns for speed take more than packed columns' test "$(plan 'total, packed, for speed')" -gt "$packed"
"$traverse" --plan --resident host "$tmp/g" >"$tmp/plan"
columns=$(awk '/^[nd][nd] columns, of the host / { n++; sum += int(($(NF - 1) + 255) / 256) * 256 } END { if (n > 0) print sum }' "$tmp/plan")
check 'the plan for memory of the host lists what is there' test "$columns" = "$(plan 'memory of the host')"
check 'the plan for memory of the host has the rest on the device' test $(($(plan graph) - $(plan 'graph, host'))) = "$columns"
# by prices, as a search by slices would take more memory
"$traverse" --plan --direction cost "$tmp/g" >"$tmp/plan"
total=$(plan 'total, while loading')
"$traverse" --plan -S "$total" "$tmp/g" >"$tmp/plan"
check 'a GPU with all the memory would do' grep -q '^about 1 GPUs with .* would do, raw$' "$tmp/plan"
"$traverse" --plan -S "$((total - 1))" "$tmp/g" >"$tmp/plan"
check 'the plan with less memory names several GPUs for raw columns' grep -qE '^about ([2-9]|[0-9]{2,}) GPUs with .* would do, raw$' "$tmp/plan"
check 'the plan with less memory names one GPU for packed columns' grep -q '^about 1 GPUs with .* would do, packed$' "$tmp/plan"
"$traverse" --plan -S "$((packed - 1))" --json "$tmp/plan.json" --force "$tmp/g"
check 'the plan with even less memory names several GPUs for packed columns' \
    grep -qE "\"GPUs\": \{\"room\": $((packed - 1)), \"raw\": [0-9]+, \"packed\": ([2-9]|[0-9]{2,}), \"host\": 1\}" "$tmp/plan.json"
"$traverse" --plan -S 64K "$tmp/g" >"$tmp/plan"
check 'the plan with too little memory names no number of GPUs' test "$(grep -c '^no number of GPUs with 64.0 KiB each would do' "$tmp/plan")" = 3

# ---- wrong parts ----

"$BIN/rmatgen" -q -s 9 -e 12 -o "$tmp/small.edges"
rm -rf "$tmp/g"
"$BIN/dbfs-pack" -q -p 1 -t 12 --encoding packed --heads nn=1,nd=2,dn=1,dd=2 -o "$tmp/g" "$tmp/small.edges"
refused=0 blocks=0
for seed in $(seq 60); do
    rm -rf "$tmp/bad"
    cp -r "$tmp/g" "$tmp/bad"
    "$TESTS/mutate" mend "$seed" "$tmp/bad/part-0000-of-0001.dbfs"
    for resident in raw $kinds; do
        code=0
        search -q -n 4 --resident $resident "$tmp/bad" >"$tmp/$resident" 2>"$tmp/$resident.err" || code=$?
        echo "exit $code" >"$tmp/$resident.end"
        # Contradicting parts give results that depend on directions, and a GPU chooses others.
        [ "$backend" != cpu ] || value distance_checksum "$tmp/$resident" >>"$tmp/$resident.end"
    done
    for resident in $kinds; do
        cmp -s "$tmp/raw.end" "$tmp/$resident.end" ||
            fail "change $seed: $(cat "$tmp/raw.end") raw, $(cat "$tmp/$resident.end") $resident: $(cat "$tmp/$resident.err")"
    done
    grep -q '^exit [03]$' "$tmp/packed.end" || fail "change $seed: $(cat "$tmp/packed.end")"
    ! grep -q '^exit 3$' "$tmp/packed.end" || refused=$((refused + 1))
    ! grep -qE 'columns: a packed block is corrupt|column [0-9]+: is out of range' "$tmp/packed.err" ||
        blocks=$((blocks + 1))
done
check "60 changed parts are refused alike in all ways ($refused, $blocks of them by their columns)" \
    test $refused -gt 5 -a $blocks -gt 0
finish
