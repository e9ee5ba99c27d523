#!/bin/bash
# edgeconv-sg.sh: serialised graphs of GAPBS that edgeconv writes, beside a twin in awk.
set -u
. tests/lib.sh
edgeconv=$(realpath "$BIN/edgeconv")
here=$PWD
cd "$tmp" || exit 1

same() { cmp -s "$1" "$2"; }

# dump FILE.sg: prints its header, offsets and neighbours as numbers, one a line
dump() {
    local n m sides at=17 side
    sides=$((1 + $(od -An -tu1 -N 1 "$1")))
    m=$(od -An -td8 -j 1 -N 8 "$1" | tr -d ' ')
    n=$(od -An -td8 -j 9 -N 8 "$1" | tr -d ' ')
    echo "directed $((sides - 1)) m $m n $n"
    for side in $(seq $sides); do
        od -An -v -td8 -w8 -j $at -N $((8 * (n + 1))) "$1" | tr -d ' '
        [ "$m" -gt 0 ] && od -An -v -td4 -w4 -j $((at + 8 * (n + 1))) -N $((4 * m)) "$1" | tr -d ' '
        at=$((at + 8 * (n + 1) + 4 * m))
    done
    echo "bytes $(stat -c %s "$1") of $at"
}

# twin DIRECTED N: prints the same for pairs on standard input: sorted rows without duplicates and self-loops
twin() {
    awk -v directed="$1" -v n="$2" '
        $1 != $2 { out[$1, $2]; if (!directed) out[$2, $1]; else back[$2, $1] }
        END { for (k in out) { split(k, p, SUBSEP); print 0, p[1], p[2] }
              for (k in back) { split(k, p, SUBSEP); print 1, p[1], p[2] }
              for (s = 0; s <= directed; s++) for (i = 0; i < n; i++) print s, i, -1 }' |
        sort -k1,1n -k2,2n -k3,3n |
        awk -v directed="$1" -v n="$2" '
            $3 < 0 { offset[$1, $2] = m[$1]; next }
            { list[$1, m[$1]++] = $3 }
            END { printf "directed %d m %d n %d\n", directed, m[0], n
                  for (s = 0; s <= directed; s++) {
                      for (i = 0; i < n; i++) printf "%d\n", offset[s, i]
                      printf "%d\n", m[s]
                      for (i = 0; i < m[s]; i++) print list[s, i]
                  }
                  bytes = 17 + (1 + directed) * (8 * (n + 1) + 4 * m[0])
                  printf "bytes %d of %d\n", bytes, bytes }'
}

# graph NAME DIRECTED N PAIRS ARGUMENT...
graph() {
    local name=$1 directed=$2 n=$3 pairs=$4
    shift 4
    if "$edgeconv" -q -t sg --force -o got.sg "$@" "$pairs" 2>err && dump got.sg >got.txt &&
        twin "$directed" "$n" <"$pairs" | cmp -s got.txt -; then
        pass "$name"
    else
        fail "$name"
        head -3 err got.txt | sed 's/^/    /'
    fi
}

printf '2 0\n0 1\n1 0\n0 1\n3 3\n4 1\n' >small
graph 'directed, with the inverse' 1 5 small
graph 'undirected, each edge at both ends' 0 5 small -u
graph 'isolated vertices behind the last' 0 9 small -u --vertices 9
printf '5 5\n' >loop
graph 'a self-loop alone is no edge' 0 6 loop -u
"$edgeconv" -t sg -u --force -o got.sg small 2>err
check 'what is left out is counted' grep -q '6 duplicates and self-loops in the lists' err
"$edgeconv" -t sg --force -o got.sg small 2>err
check 'duplicates in lists of a directed .sg are counted' grep -q '2 duplicates and self-loops in the lists' err
printf '# nothing\n' >in.txt
check_exit 0 'a graph without vertices' "$edgeconv" -q -t sg --force -o got.sg in.txt
check "$situation: the file is a header and an offset of each side" test "$(stat -c %s got.sg)" = 33

awk 'BEGIN { x = 1; for (i = 0; i < 60000; i++) { x = (x * 16807) % 2147483647; u = x % 30011
             x = (x * 16807) % 2147483647; print (i % 3 ? u : 17) " " x % 30011 } }' >large
n=$(awk '{ for (i = 1; i <= 2; i++) if ($i > m) m = $i } END { print m + 1 }' large)
graph 'a hub among many vertices' 0 "$n" large -u
graph 'the same directed' 1 "$n" large
for threads in 1 3; do
    "$edgeconv" -q -@ $threads -t sg --force -o t$threads.sg large
    check "-t sg writes the same bytes with $threads threads" same got.sg t$threads.sg
done
mkdir here there
"$edgeconv" -q -S 32M -T here -T there -t sg -o got2.sg large
check '-t sg writes the same bytes with -S 32M' same got.sg got2.sg
check '-t sg with -S 32M leaves no temporary files' test -z "$(find here there -type f)"

# the ids are far apart
awk 'BEGIN { for (i = 0; i < 3000; i++) print (i * 7919) % 4000037, (i * i) % 2999999 }' >sparse
"$edgeconv" -q -u -t sg -o sparse.sg sparse
"$edgeconv" -q -t text sparse.sg | awk '{ print ($1 < $2 ? $1 " " $2 : $2 " " $1) }' | sort >back
awk '$1 != $2 { print ($1 < $2 ? $1 " " $2 : $2 " " $1) }' sparse | sort -u >want
check '-t sg of ids far apart is read back as the same edges' same want back
"$edgeconv" -q -t sg -o again.sg sparse.sg
check 'an .sg file of an .sg file is the same' same sparse.sg again.sg

# through a permutation, and names as ids
"$edgeconv" -q -u --randomize=3 -t sg -o r.sg small
"$edgeconv" -q -u --randomize=3 -o r.edges small
"$edgeconv" -q -t sg -o r2.sg r.edges
check '-t sg of randomised ids is the same where n is known after reading' same r.sg r2.sg
printf 'bob alice\nalice carol\n' >names
"$edgeconv" -q -u -t sg --compact=names.map -o names.sg names
check '-t sg with --compact makes ids dense' test "$(dump names.sg | tr '\n' ' ')" = 'directed 0 m 4 n 3 0 1 3 4 1 0 2 1 bytes 65 of 65 '

# ---- refused ----

printf '1 2\n2147483647 0\n' >big
check_exit 3 'an id of 2^31 - 1' "$edgeconv" -t sg --force -o x.sg big
check_says 'edge 2147483647 0: its ids do not fit the 31 bits'
check_exit 3 'more than 2^31 - 1 vertices' "$edgeconv" --vertices 2147483648 -t sg --force -o x.sg small
check_says 'found 2147483648 vertices, expected at most 2147483647'
check_exit 2 'standard output' bash -c "'$edgeconv' -t sg small | cat >/dev/null; exit \${PIPESTATUS[0]}"
check_says 'needs a regular file'
awk 'BEGIN { for (i = 0; i < 4000000; i++) printf "1 %d\n", i }' | "$edgeconv" -q -f pairs -t u32 -o row.u32
check_exit 5 'rows larger than the memory' "$edgeconv" -f u32 -S 32M -T here -t sg --force -o x.sg row.u32
check_says '.sg: [a-z ]*: needs'
check '-t sg with too little memory leaves no temporary files' test -z "$(find here there -type f)"

# sg DIRECTED M N OFFSETS NEIGHBOURS: a file as bytes; numbers are octal escapes of their lowest byte, 'n' is -1
le() { # BYTES NUMBER...
    local bytes=$1 number
    for number in "${@:2}"; do
        if [ "$number" = n ]; then head -c "$bytes" /dev/zero | tr '\0' '\377'; else
            printf "\\$(printf %o "$number")" && head -c $((bytes - 1)) /dev/zero
        fi
    done
}
for case in 'a negative neighbour:n 0 0:found the id -1, expected a vertex id from 0 to 2' \
    'a neighbour beyond:3 0 0:found the id 3, expected a vertex id from 0 to 2'; do
    IFS=: read -r name neighbours message <<<"$case"
    (le 1 1 && le 8 3 3 0 3 3 3 && le 4 $neighbours && le 8 0 3 3 3 && le 4 0 0 0) >bad.sg
    for command in 'bad.sg' '-f sg --compact=m bad.sg'; do
        check_exit 3 "$name in .sg, $command" "$edgeconv" --force -o x.edges $command
        check_says "bad.sg: byte 49: $message"
    done
done
(le 1 1 && le 8 n 3 0 3 3 3 && le 4 1 0 0) >bad.sg
check_exit 3 'a negative number of edges in .sg' "$edgeconv" -f sg --force -o x.edges bad.sg
(le 1 1 && le 8 3 n 0 3 3 3 && le 4 1 0 0) >bad.sg
check_exit 3 'a negative number of vertices in .sg' "$edgeconv" -f sg --force -o x.edges bad.sg
(le 1 1 && le 8 3 3 0 n 3 3 && le 4 1 0 0 && le 8 0 3 3 3 && le 4 0 0 0) >bad.sg
check_exit 3 'a negative offset in .sg' "$edgeconv" -f sg --force -o x.edges bad.sg
le 8 0 n >bad.bin
for option in '' '--compact=m'; do
    check_exit 3 "a negative id of 64 bits of Graph500 $option" "$edgeconv" -f graph500-16 $option --force -o x.edges bad.bin
    check_says 'bad.bin: byte 0: found the id -1, expected'
done
check_exit 3 'an id of 2^64 - 1' "$edgeconv" -f u64 --force -o x.edges bad.bin
check_says 'bad.bin: byte 0: found the id 18446744073709551615, expected'
check 'no output is left by any of them' eval 'test ! -e x.edges && test -z "$(ls -A . | grep "^\.x")"'

# ---- beside GAPBS itself, where it is given as GAPBS=FOLDER ----

if [ -x "${GAPBS:-}/converter" ] && [ -x "${GAPBS:-}/bfs" ]; then
    cp large large.el
    "$GAPBS/converter" -f large.el -b gapbs.sg >/dev/null
    check "-t sg writes the file of GAPBS's converter" same got.sg gapbs.sg
    "$edgeconv" -q -u -t sg --force -o once.sg large
    "$GAPBS/converter" -s -f large.el -b gapbs.sg >/dev/null
    check "files of GAPBS's converter -s are those of edgeconv" same once.sg gapbs.sg
    for file in got.sg once.sg; do
        "$GAPBS/bfs" -f $file -v -n 3 >out
        check "GAPBS's bfs verifies $file" test "$(grep -c 'Verification: *PASS' out)" = 3
    done
else
    skip 'GAPBS: not given as GAPBS=FOLDER'
fi
cd "$here" || exit 1
finish
