#!/bin/bash
# dbfs-traverse-map.sh: roots and results by name, through the map of edgeconv --compact.
set -u
. tests/lib.sh
traverse=$BIN/dbfs-traverse
mpi() { local n=$1; shift; "$MPIEXEC" -n "$n" "$traverse" -@ 1 "$@"; }

# the oracle searches by numbers, and awk translates them by the map
"$BIN/rmatgen" -q -s 10 -f text -o "$tmp/ids.txt"
awk '{ print "http://h.example/" $1 ",x\t" "n#" $2 }' "$tmp/ids.txt" >"$tmp/names.txt"
"$BIN/edgeconv" -q -u --separator tab --compact="$tmp/map" -t text -o "$tmp/g.txt" "$tmp/names.txt"
"$BIN/edgeconv" -q -u --separator tab --compact="$tmp/map2" -o "$tmp/g.edges" "$tmp/names.txt"
"$BIN/edgeconv" -q -u --separator tab --compact="$tmp/map3" --randomize=7 -o "$tmp/r.edges" "$tmp/names.txt"
check 'the map does not depend on the output' \
    eval 'cmp "$tmp/map" "$tmp/map2" && cmp "$tmp/map" "$tmp/map3"'
n=$(wc -l <"$tmp/map")
"$BIN/dbfs-pack" -q -p 1 --suggest memory -o "$tmp/p1" "$tmp/g.edges"
"$BIN/dbfs-pack" -q -p 4 -t 8 -o "$tmp/r4" "$tmp/r.edges"
"$TESTS/oracle" -n "$n" -o "$tmp/oracle.%d.txt" "$tmp/g.txt" 0,5 >/dev/null
name() { sed -n "$(($1 + 1))p" "$tmp/map"; } # NUMBER
named() { awk 'NR == FNR { name[NR - 1] = $0; next } { print name[$1] "\t" $2 }' "$tmp/map" "$1"; }
# prints the numbers for a file of names, in the second column, too, with `both`
numbers() {
    awk -F'\t' -v both="${2:-}" 'NR == FNR { id[$0] = NR - 1; next }
        { print id[$1] "\t" (both && $2 != "-1" ? id[$2] : $2) }' "$tmp/map" "$1"
}
for root in 0 5; do named "$tmp/oracle.$root.txt" >"$tmp/want.$root"; done

check_exit 0 'a root by name' "$traverse" -q -r "$(name 5)" --map "$tmp/map" --depths - "$tmp/p1"
check "$situation: distances are by name" cmp "$tmp/out" "$tmp/want.5"
check_exit 0 'several roots, a randomised graph, several ranks' \
    mpi 2 -r "$(name 0)" -r "$(name 5)" --map "$tmp/map" --depths "$tmp/d.%d" --parents "$tmp/p.%d" \
    --json "$tmp/j" "$tmp/r4"
check 'the records say which root is which' \
    eval 'grep -qF "name $(name 0)" "$tmp/out" && grep -qF "\"name\": \"$(name 5)\"" "$tmp/j"'
for root in 0 5; do
    file=$(name $root | sed 's|/|%2F|g') # as %d has the name
    check "distances by name from root $root are those of the oracle" cmp "$tmp/d.$file" "$tmp/want.$root"
    numbers "$tmp/p.$file" both >"$tmp/p.txt"
    check "parents by name from root $root are a tree" \
        "$TESTS/treecheck" "$tmp/g.txt" "$root" "$tmp/oracle.$root.txt" "$tmp/p.txt"
done
check_exit 0 'sampled roots' "$traverse" -n 3 --map "$tmp/map" "$tmp/p1"
check "$situation: have names" test "$(grep -c '^root .* name [hn]' "$tmp/out")" = 3
check_exit 0 'an array has no names' \
    "$traverse" -q -r "$(name 5)" --map "$tmp/map" --depths "$tmp/d.npy" "$tmp/p1"
od -An -v -td4 -w4 -j 128 "$tmp/d.npy" | awk '{ print NR - 1 "\t" $1 }' >"$tmp/d.npy.txt"
check "$situation: values are in the order of lines of the map" cmp "$tmp/d.npy.txt" "$tmp/oracle.5.txt"

# the graph has more names than a window of results and than a step of the index
"$BIN/rmatgen" -q -s 19 -e 1 -f text | awk '{ print "v" $1, "v" $2 }' >"$tmp/big.txt"
"$BIN/edgeconv" -q -u --compact="$tmp/big.map" -o "$tmp/big.edges" "$tmp/big.txt"
"$BIN/dbfs-pack" -q -p 2 --suggest memory -o "$tmp/big" "$tmp/big.edges"
root=$(sed -n 77777p "$tmp/big.map")
"$traverse" -q -r "$root" --map "$tmp/big.map" --depths "$tmp/big.named" "$tmp/big" >/dev/null
"$traverse" -q -r 77776 --depths "$tmp/big.numbered" "$tmp/big" >/dev/null
awk 'NR == FNR { name[NR - 1] = $0; next } { print name[$1] "\t" $2 }' "$tmp/big.map" "$tmp/big.numbered" >"$tmp/want"
check 'dbfs-traverse: distances of hundreds of thousands of names are right' cmp "$tmp/big.named" "$tmp/want"
check_exit 5 'a memory budget too small for the index of the map' \
    "$traverse" -S 1K -r v1 --map "$tmp/big.map" "$tmp/big"

# ---- refused ----
check_exit 2 'a name that none has' "$traverse" -r nobody --map "$tmp/map" "$tmp/p1"
check_says "'nobody' is none of its names"
check_exit 2 'a name that the map does not have, on two ranks' mpi 2 -r nobody --map "$tmp/map" "$tmp/r4"
refused() { # NAME PATTERN: $tmp/bad is refused, as it is no map of the graph
    check_exit 3 "$1" "$traverse" -n 1 --map "$tmp/bad" "$tmp/p1"
    check_says "$2"
}
head -n -1 "$tmp/map" >"$tmp/bad"
refused 'a map with a line less' "found $((n - 1)) names, expected $n"
(cat "$tmp/map" && echo more) >"$tmp/bad"
refused 'a map with a line more' "found $((n + 1)) names, expected $n"
head -c -3 "$tmp/map" >"$tmp/bad"
refused 'a cut map' "bad:$n: found a last line without newline"
sed '7s/.*//' "$tmp/map" >"$tmp/bad"
refused 'an empty line' 'bad:7: found an empty line'
awk '{ print $0 "\t" NR - 1 }' "$tmp/map" >"$tmp/bad"
refused 'an index instead of a map' 'edgeconv -f wdc-index'
: >"$tmp/bad"
refused 'an empty file' "found 0 names, expected $n"
check_exit 1 'a missing map' "$traverse" -n 1 --map "$tmp/nothing" "$tmp/p1"
check_exit 1 'a map that is a folder' "$traverse" -n 1 --map "$tmp" "$tmp/p1"
"$BIN/edgeconv" -q -f wdc-index -o "$tmp/from-index" <(awk '{ print $0 "\t" NR - 1 }' "$tmp/map")
check 'the map of its index is the map' cmp "$tmp/from-index" "$tmp/map"

# ---- names with control characters ----

escape=$(printf '\033]0;x\007') # sets the title of a terminal
printf 'a%s b\nb c\302\233d\nc\302\233d \303\244\303\266\n\303\244\303\266 \377\n' "$escape" >"$tmp/odd.txt"
"$BIN/edgeconv" -q -u -f pairs --compact="$tmp/odd.map" -o "$tmp/odd.edges" "$tmp/odd.txt"
"$BIN/dbfs-pack" -q -p 1 -o "$tmp/odd" "$tmp/odd.edges"
obeyed() { LC_ALL=C grep -q "$(printf '[\001-\010\016-\037\177]\\|\302\233')" "$@"; }
check_exit 0 'a root whose name has an escape' "$traverse" -r "a$escape" --map "$tmp/odd.map" --depths "$tmp/odd.d" "$tmp/odd"
check "$situation: the summary shows the escape as text" grep -qF 'name a\x1b]0;x\x07' "$tmp/out"
check "$situation: the terminal does not obey the escape" eval '! obeyed "$tmp/out"'
check 'the file of distances has the bytes of the names' cmp "$tmp/odd.d" <(printf 'a%s\t0\nb\t1\nc\302\233d\t2\n\303\244\303\266\t3\n\377\t4\n' "$escape")
check_exit 0 'a path over such names' "$BIN/dbfs-paths" --path --map "$tmp/odd.map" -r "a$escape" --target "$(printf '\377')" "$tmp/odd"
check "$situation: the line has the bytes of the names" cmp "$tmp/out" \
    <(printf 'a%s\t\377\t4\ta%s\tb\tc\302\233d\t\303\244\303\266\t\377\n' "$escape" "$escape")
check_exit 0 'a batch from such names' "$BIN/dbfs-batch" -r "a$escape" --map "$tmp/odd.map" "$tmp/odd"
check "$situation: the summary shows the escape as text" eval 'grep -qF "name a\x1b]0;x\x07" "$tmp/out" && ! obeyed "$tmp/out"'
check_exit 2 'a name that is not there' "$traverse" -q -r "x$escape" --map "$tmp/odd.map" "$tmp/odd"
check "$situation: the message shows the escape as text" eval 'grep -qF "'"'x"'\x1b]0;x\x07'"'"'" "$tmp/err" && ! obeyed "$tmp/err"'
check_exit 1 'a file that is not there' "$BIN/edgeconv" -t text "$tmp/no$escape"
check "$situation: the message shows the escape as text" eval 'grep -qF "no\x1b]0;x\x07: " "$tmp/err" && ! obeyed "$tmp/err"'
if command -v script >/dev/null 2>&1; then
    script -qec "'$traverse' -q --map '$tmp/odd.map' -r b --depths - '$tmp/odd'" /dev/null >"$tmp/terminal" 2>&1 </dev/null
    tr -d '\r' <"$tmp/terminal" >"$tmp/shown"
    script -qec "'$BIN/dbfs-paths' --path --map '$tmp/odd.map' -r b --target d$(printf '\302\233')d '$tmp/odd'" /dev/null </dev/null 2>&1 | tr -d '\r' >>"$tmp/shown"
    check 'distances on a terminal are shown without them' eval 'grep -qF "$(printf "a\\\\x1b]0;x\\\\x07\t1")" "$tmp/shown" && ! obeyed "$tmp/shown"'
else
    skip 'terminals do not obey escapes in names: no script(1)'
fi
finish
