#!/bin/bash
# edgeconv-compact.sh: --compact beside a twin in awk, in memory and out of core; maps of WDC indexes.
set -u
. tests/lib.sh
edgeconv=$(realpath "$BIN/edgeconv")
here=$PWD
cd "$tmp" || exit 1

same() { cmp -s "$1" "$2"; }

# compact NAME CONTENT EDGES MAP ARGUMENT...: the last two before ARGUMENT are wanted; all three are printf formats
compact() {
    local name=$1 content=$2 edges=$3 map=$4
    shift 4
    printf "$content" >in.txt
    printf "$edges" >want.txt
    printf "$map" >want.map
    rm -f got.map
    if "$edgeconv" -q -t text --force --compact=got.map "$@" in.txt >got.txt 2>err </dev/null &&
        same want.txt got.txt && same want.map got.map; then
        pass "$name"
    else
        fail "$name"
        head -3 err got.txt got.map | sed 's/^/    /'
    fi
}

# bad NAME CONTENT PATTERN ARGUMENT...: expects exit 3, a message, and neither file
bad() {
    local name=$1 content=$2 pattern=$3
    shift 3
    rm -f bad.edges bad.map
    printf "$content" >bad.txt
    check_exit 3 "$name" "$edgeconv" --compact=bad.map --force -o bad.edges "$@" bad.txt
    if grep -q -e "^edgeconv: $pattern" err && [ ! -e bad.edges ] && [ ! -e bad.map ] &&
        [ -z "$(ls -A . | grep '^\.bad')" ]; then
        pass "$name: the message and no output"
    else
        fail "$name: the message and no output"
        sed 's/^/    /' err
    fi
}

le32() { printf "\\x$(printf %x $(($1 & 255)))\\x$(printf %x $(($1 >> 8 & 255)))\\x$(printf %x $(($1 >> 16 & 255)))\\x$(printf %x $(($1 >> 24 & 255)))"; }
le64() { le32 $(($1 & 0xffffffff)) && le32 $(($1 >> 32)); }
field() { tail -c 64 "$1" | od -An -v -tu8 -j "$2" -N 8 | tr -d ' '; }
vertices_of() { field "$1" 24; }

# ---- words ----

compact 'names, in the order of their appearance' 'bob alice\nalice\tcarol\n# c\n\ncarol   bob\n' \
    '0\t1\n1\t2\n2\t0\n' 'bob\nalice\ncarol\n'
compact 'self-loops and duplicates stay' 'b b\na b\na b\n' '0\t0\n1\t0\n1\t0\n' 'b\na\n'
compact 'URLs with commas, # and %%' \
    'http://x.org/a,b#c\thttp://y.org/%%20?q=1\nhttp://y.org/%%20?q=1\tx#1\n' \
    '0\t1\n1\t2\n' 'http://x.org/a,b#c\nhttp://y.org/%%20?q=1\nx#1\n'
compact 'CRLF' 'a b\r\nb c\r\n' '0\t1\n1\t2\n' 'a\nb\nc\n'
compact 'a # or %% begins a comment only at the start of a line, and with a blank behind' \
    '# c d\n%%\na #b\n%% c d\n#a %%b\n  # c d\n#b a\n' '0\t1\n2\t3\n1\t0\n' 'a\n#b\n#a\n%%b\n'
compact 'hashtags under names of columns' 'source,target\n#covid,alice\nbob,#covid\n' '0\t1\n2\t0\n' '#covid\nalice\nbob\n' -f csv
rows='source,target\nalice,bob\n# covid,alice\n# a comment\n%% x,"# covid"\n"#, y",alice\n'
compact 'rows of CSV that begin with a sign and a blank, as Python writes them' "$rows" '0\t1\n2\t0\n3\t2\n4\t0\n' \
    'alice\nbob\n# covid\n%% x\n#, y\n' -f csv
compact 'the same with --comments' "$rows" '0\t1\n2\t0\n' 'alice\nbob\n#, y\n' -f csv --comments '#%'
compact 'rows of CSV that all do' 'a,b\n# c,d\n# e,f\n' '0\t1\n2\t3\n' '# c\nd\n# e\nf\n' -f csv
compact 'comments of two words between blanks' 'source target\na b\n# c\n' '0\t1\n' 'a\nb\n' -f csv
printf "$rows" >in.txt
check_exit 0 'rows that begin with a sign' "$edgeconv" -f csv --compact=x.map --force -o x.edges in.txt
check_says "in.txt: 2 lines begin with # or % and a blank, and each is an edge, as CSV has no comments among its rows: --comments '#%' skips"
check_says 'in.txt: 1 line was skipped among the edges, as comments'
rm -f x.map x.edges
compact 'names with escapes of URLs, also in the first line' '%%22Page%%22 Other\nOther %%C3%%A9\n%%C3%%A9 x\n' \
    '0\t1\n1\t2\n2\t3\n' '%%22Page%%22\nOther\n%%C3%%A9\nx\n' -f pairs
compact 'hashtags in lists of friends' 'a:#b\n#b:c\n# d\n' '0\t1\n1\t2\n' 'a\n#b\nc\n' -f adjacency
compact 'hashtags in lists of neighbours' 'a #b\n#b c\n# d\ne\n' '0\t1\n1\t2\n' 'a\n#b\nc\ne\n' -f adjlist
compact '--comments none' '#a #b\n# c\n' '0\t1\n2\t3\n' '#a\n#b\n#\nc\n' --comments none
compact '--comments with other signs' '#a b\n;c d\n//e f\n' '0\t1\n' '#a\nb\n' --comments ';/'
printf '%s\n' '#a b' 'b c' >tag.txt
for list in pairs adjlist; do
    check_exit 2 "$list: a first line that may be a comment or an edge is asked about" "$edgeconv" -f $list --compact=x.map --force -o x.edges tag.txt
    check_says "tag.txt:1: '#a' may begin a comment or be an id: .--comments '#'. takes such lines for comments, and .--comments none. for edges"
done
compact "--comments '#', as the message says" '#a b\nb c\n' '0\t1\n' 'b\nc\n' --comments '#'
compact '--comments none, as the message says' '#a b\nb c\n' '0\t1\n1\t2\n' '#a\nb\nc\n' --comments none
for comments in '' x 7 - , '#x' '"' ' '; do
    check_exit 2 "--comments '$comments'" "$edgeconv" --comments "$comments" -t text tag.txt
done
check_exit 0 'dbfs passes --comments on' "$(dirname "$edgeconv")/dbfs" -q --no-cache --compact --comments none -r '#a' -o - tag.txt
check "$situation: the edge is found" test "$(tr '\t\n' '  ' <out)" = '#a 0 b 1 c 2 '
check_exit 2 '--comments for a format that has its own' "$edgeconv" --comments '#' -f metis tag.txt
printf '1 2\n# x\n2 3\n%%y\n3 4\n' >in.txt
check_exit 0 'comments among the edges' "$edgeconv" -t text in.txt
check_says 'in.txt: 2 lines were skipped among the edges, as comments: --comments none takes'
check_exit 3 '--comments none takes lines that begin with a sign for edges' "$edgeconv" -t text --comments none in.txt
check_says "in.txt:2: found '#'"
printf '# x\n%%y\n1 2\n' >in.txt
check_exit 0 'comments before the edges' "$edgeconv" -t text in.txt
check "$situation: get no note" test "$(grep -c comment err)" = 0
printf 'tag,u,v\n#a,1,2\n# b,2,3\n' >in.txt
check_exit 0 'a column of anything before the ids' "$edgeconv" -q -t text in.txt
check "$situation: the first column may begin with a sign" test "$(tr '\t\n' ' ,' <out)" = '1 2,2 3,'
compact 'numbers are words: 7 is not 07' '7 07\n-1 7\n1.5 1e3\n' '0\t1\n2\t0\n3\t4\n' '7\n07\n-1\n1.5\n1e3\n'
compact 'numbers to 2^64 - 1 and beyond' '18446744073709551615 0\n18446744073709551616 0\n' '0\t1\n2\t1\n' \
    '18446744073709551615\n0\n18446744073709551616\n'
compact 'bytes of any kind' '\xff\xfe \xc3\xa4\n\xc3\xa4 \x01\n' '0\t1\n1\t2\n' '\xff\xfe\n\xc3\xa4\n\x01\n' -f pairs
compact 'a byte order mark' '\xef\xbb\xbfa b\n' '0\t1\n' 'a\nb\n'
compact 'a byte order mark before adjacency lists' '\xef\xbb\xbfa:b\n' '0\t1\n' 'a\nb\n' -f adjacency
compact 'weights' 'a b 0.5\nb c -1e3\n' '0\t1\n1\t2\n' 'a\nb\nc\n'
compact 'commas where the first line shows them' 'a,b\nb , c d\n' '0\t1\n1\t2\n' 'a\nb\nc d\n' -f pairs
compact 'a comma and a blank' 'a, b\nb, c\n' '0\t1\n1\t2\n' 'a\nb\nc\n' -f pairs
compact 'CSV: names with blanks, blanks around them dropped' 'src,dst\nNew York , Boston\nBoston,New York\n' \
    '0\t1\n1\t0\n' 'New York\nBoston\n' -f csv
compact 'CSV: tabs' 'src\tdst\nNew York\tBoston, MA\n' '0\t1\n' 'New York\nBoston, MA\n' -f csv
compact 'CSV: blanks, and a weight' 'from to w\na b 1\n' '0\t1\n' 'a\nb\n' -f csv
compact 'CSV: quotes do not belong to the name' '"s","d"\n"a","b"\n' '0\t1\n' 'a\nb\n' -f csv
compact 'adjacency' 'alice:bob,carol\nbob:private\ndave:notfound\neve:\nbob:zed\nx y:%%\n' \
    '0\t1\n0\t2\n1\t4\n5\t6\n' 'alice\nbob\ncarol\neve\nzed\nx y\n%%\n' -f adjacency
compact 'adjacency of numbers is recognised' '12:7,12\n' '0\t1\n0\t0\n' '12\n7\n'
compact 'adjacency: a friend called private' 'a:private,b\n' '0\t1\n0\t2\n' 'a\nprivate\nb\n' -f adjacency
compact 'nothing' '# nothing\n' '' ''
long=$(head -c 65535 /dev/zero | tr '\0' x)
compact 'a name of 65535 bytes' "a $long\n$long b\n" '0\t1\n1\t2\n' "a\n$long\nb\n"

# ---- formats of numbers: ids as they stand in the file ----

compact 'Matrix Market' '%%%%MatrixMarket matrix coordinate pattern general\n9 9 2\n9 3\n3 1\n' \
    '0\t1\n1\t2\n' '9\n3\n1\n'
compact 'METIS, each edge once' '3 2\n2\n1 3\n2\n' '0\t1\n1\t2\n' '1\n2\n3\n'
compact 'DIMACS' 'p sp 9 1\na 7 2 10\n' '0\t1\n' '7\n2\n'
(le64 7 && le64 -1 && le64 -1 && le64 5) >in.u64
"$edgeconv" -q -f u64 -t text --force --compact=got.map in.u64 >got.txt
check '--compact numbers 64-bit numbers to 2^64 - 1' test "$(cat got.txt got.map | tr '\t\n' '  ')" = '0 1 1 2 7 18446744073709551615 5 '
check_exit 3 'graph500-16 has no 64-bit numbers' "$edgeconv" -f graph500-16 --compact=x.map --force -o x.edges in.u64
printf '5 3\n3 9\n' | "$edgeconv" -q --force -o s.edges
for format in u32 graph500 text; do
    "$edgeconv" -q -t $format --force -o s.$format s.edges
    read=$format && [ $format = text ] && read=pairs
    "$edgeconv" -q -f $read --force --compact=got.map -t text s.$format >got.txt
    check "--compact of $format gives the same numbers and map" test "$(cat got.txt got.map | tr '\t\n' '  ')" = '0 1 1 2 5 3 9 '
done
"$edgeconv" -q --randomize=5 --force -o r.edges s.edges
"$edgeconv" -q --force --compact=got.map -t text r.edges >got.txt
check '--compact of a randomised stream takes the ids before they were randomised' \
    test "$(cat got.txt got.map | tr '\t\n' '  ')" = '0 1 1 2 5 3 9 '
"$edgeconv" -q --compact=got.map --force -o got.edges s.edges
check '--compact gives as many vertices as names' test "$(vertices_of got.edges)" = 3

# ---- several inputs, direction, randomising ----

printf 'a b\n' >one.txt
printf 'c a\n' >two.txt
printf 'b c\n' | gzip >three.gz
"$edgeconv" -q -f pairs --force --compact=got.map -t text one.txt two.txt three.gz >got.txt
check 'names of --compact are shared by all inputs' test "$(cat got.txt got.map | tr '\t\n' '  ')" = '0 1 2 0 1 2 a b c '
compact 'of both directions one' 'b a\na b\nc c\nb c\nc b\n' '0\t1\n2\t2\n1\t2\n' 'a\nb\nc\n' --direction symmetric
bad 'one direction missing' 'a b\nb a\na c\n' 'bad.txt: found 2 edges as u v' --direction symmetric

# ---- an awk twin, in memory and on disk ----

awk 'BEGIN { x = 1; for (i = 0; i < 300000; i++) {
         x = (x * 16807) % 2147483647; a = x % 400003
         x = (x * 16807) % 2147483647; b = i % 4 ? x % 400003 : x % 50
         print "http://host" a % 977 ".example/" a "\t" "page-of-some-length-" b ".html" } }' >big.txt
awk -F'\t' '{ for (i = 1; i <= 2; i++) if (!($i in n)) { n[$i] = c++; print $i >"big.map" }
              print n[$1] "\t" n[$2] }' big.txt >big.numbers
"$edgeconv" -q --compact=one.map --force -o one.edges big.txt
check 'the map is that of the twin' same one.map big.map
"$edgeconv" -q -t text --force -o one.numbers one.edges
check 'edges by --compact are the same out of core' same one.numbers big.numbers
check '--compact gives as many vertices as lines of the map' test "$(vertices_of one.edges)" = "$(wc -l <big.map)"
mkdir here there
split -n l/3 big.txt part.
for options in '-@ 1' '-@ 3' '-S 32M -T here' '-S 32M -@ 3 -T here -T there' '-S 34M --tmp=here'; do
    "$edgeconv" -v $options --compact=n.map --force -o n.edges big.txt 2>err
    check "--compact gives the same bytes with $options" eval 'same one.edges n.edges && same one.map n.map'
    case $options in
    *-S*) check '--compact with little memory spills' grep -q 'did not fit the memory: .* of temporary files' err ;;
    esac
done
"$edgeconv" -q -S 32M --force --compact=n.map part.aa part.ab part.ac >n.edges
check '--compact of three parts that spill gives the same bytes' eval 'same one.edges n.edges && same one.map n.map'
cat big.txt | "$edgeconv" -q -S 32M -T here --compact=n.map --force -o n.edges
check '--compact of a pipe that spills gives the same bytes' eval 'same one.edges n.edges && same one.map n.map'
for memory in 32M 1G; do
    "$edgeconv" -q -S $memory --randomize=5 --compact=n.map --force -o r.$memory big.txt
    "$edgeconv" -q --original-ids -t text --force -o n.numbers r.$memory
    check "--compact with --randomize is undone by --original-ids ($memory)" eval 'same big.numbers n.numbers && same one.map n.map'
done
check '--compact with --randomize gives the same stream in little memory' same r.32M r.1G
peak=$("$edgeconv" -S 32M --compact=n.map --force -o n.edges big.txt 2>&1 | sed -n 's/.*peak memory \([0-9]*\).*MiB/\1/p')
if [ -n "${peak:-}" ] && ! nm "$edgeconv" 2>/dev/null | grep -q __asan_init; then
    check "32 MiB are kept ($peak)" test "$peak" -le 32
else
    skip 'peak memory: not that of the program under AddressSanitizer'
fi
check 'nothing is left of temporary files' test -z "$(find here there -type f)"
check_exit 1 'a missing folder for temporary files' \
    "$edgeconv" -S 32M -T missing --compact=x.map --force -o x.edges big.txt
check_says 'missing: cannot create a temporary file'
check "$situation: no output is left" eval 'test ! -e x.map && test ! -e x.edges'
sed -i '299999s/.*/a b c/' part.ac big.txt
for memory in 32M 1G; do
    check_exit 3 "a fault after spilling ($memory)" "$edgeconv" -S $memory --compact=x.map --force -o x.edges big.txt
    check_says "big.txt:299999: found 'c', expected the end of the line: line 1 has 2 columns"
done

# ---- names that were chosen to fall into one slot of a table without a key ----

if command -v python3 >/dev/null 2>&1; then
    # the mixing of hash.h, undone for a second word of each name
    python3 -c '
import random, sys
M, K = (1 << 64) - 1, 0x9fb21c651e98df25
def mix(x):
    for _ in range(2):
        x = (x ^ x >> 32) * 0xd6e8feb86659fd93 & M
    return x ^ x >> 32
start, apart, names, r = mix(16 + 0x9e3779b97f4a7c15 & M), set(b" \t\n\r,;|:#%\0\""), [], random.Random(1)
while len(names) < 60000:
    first = bytes(r.choices(b"abcdefghijklmnopqrstuvwxyz", k=8))
    second = (mix(start ^ int.from_bytes(first, "little")) * K & M ^ 0x0123456789abcdef).to_bytes(8, "little")
    if not apart & set(second):
        names.append(first + second)
for pair in zip(names[::2], names[1::2]):
    sys.stdout.buffer.write(b" ".join(pair) + b"\n")' >flood.txt
    check 'chosen names take no longer than others' cpu_limit 3 "$edgeconv" -q -f pairs --force --compact=n.map -o n.edges flood.txt
    check 'chosen names are all in the map' test "$(wc -l <n.map)" = 60000
else
    skip 'chosen names: no python3'
fi

# ---- bad input ----

bad 'no second name' 'a b\nc\n' 'bad.txt:2: found the end of the line, expected a name'
bad 'an empty name in CSV' 'x,y\na,b\n,c\n' "bad.txt:3: found ',c', expected a name" -f csv
bad 'an empty second name in CSV' 'x,y\na,b\nc,\n' 'bad.txt:3: found the end of the line, expected a name' -f csv
bad 'an empty name in a list' 'a:b,,c\n' "bad.txt:1: found ',c', expected a name" -f adjacency
bad 'no name before the list' 'a:b\n:c\n' "bad.txt:2: found ':c', expected a name" -f adjacency
bad 'no colon' 'a:b\nc\n' "bad.txt:2: found the end of the line, expected ':'" -f adjacency
bad 'a name of 65536 bytes' "a b\nb x$long\n" "bad.txt:2: found 'xxx.*, expected a name of 1 to 65535 bytes"
bad 'a third word' 'a b\nc d e\n' "bad.txt:2: found 'e', expected the end of the line"
bad 'words for weights' 'a b c\n' "bad.txt:1: found 'c', expected a number: line 1 has 3 columns"
bad 'five columns' 'a b 1 2 3\n' 'bad.txt:1: found 5 columns'
printf 'a,b\nc,d\n' >in.txt
check_exit 2 'a line of words in CSV may be names of columns' "$edgeconv" --compact=x.map --force -o x.edges in.txt
check_says 'in.txt: .*-f pairs or -f csv says which'
check_exit 2 'no --vertices' "$edgeconv" --compact=x.map --vertices 10 --force -o x.edges one.txt
check_exit 2 'no --one-based' "$edgeconv" --compact=x.map --one-based --force -o x.edges one.txt
check_exit 2 'not both to standard output' "$edgeconv" --force --compact=- one.txt
check_exit 0 'the map to standard output' "$edgeconv" -q --compact=- --force -o x.edges one.txt
check "$situation: prints the names" test "$(tr '\n' ' ' <out)" = 'a b '
check_exit 1 'a map in a missing folder' "$edgeconv" --compact=missing/x.map --force -o y.edges one.txt
check "$situation: no edges are left" test ! -e y.edges
check_exit 5 'less memory than it needs' "$edgeconv" -S 16M --compact=x.map --force -o y.edges one.txt
check_says '32 MiB with --compact'
echo old >kept.map
check_exit 3 'a failure' "$edgeconv" --compact=kept.map --force -o y.edges bad.txt
check "$situation: the map that was there is kept" test "$(cat kept.map)" = old

# ---- WDC indexes ----

printf 'example.com\t0\na\tname\t1\n' >index
printf 'example.org\t2\n' | gzip >index.gz
"$edgeconv" -q -f wdc-index --force -o index.map index index.gz
printf 'example.com\na\tname\nexample.org\n' >want.map
check 'an index of two parts, one compressed, gives the map' same index.map want.map
if [ "${ARCHIVE:-1}" != 0 ]; then
    gzip -dc index.gz >index.2
    tar -cf index.tar index index.2
    "$edgeconv" -q -f wdc-index --force -o index.map index.tar
    check '-f wdc-index of an archive gives the same map' same index.map want.map
    tar -cf names.tar one.txt two.txt
    "$edgeconv" -q -f pairs -t text --force --compact=got.map names.tar >got.txt
    check 'names of --compact are shared by the files of an archive' \
        test "$(cat got.txt got.map | tr '\t\n' '  ')" = '0 1 2 0 a b c '
fi
index() {
    printf "$2" >bad.txt
    check_exit 3 "index: $1" "$edgeconv" -f wdc-index --force -o bad.map bad.txt
    check_says "bad.txt:$3"
    check "$situation: no map is left" test ! -e bad.map
}
index 'an id out of order' 'a\t0\nb\t2\n' "2: found '2', expected the id 1"
index 'no id' 'a\t0\nb\n' "2: found 'b', expected a name, a tab and an id"
index 'no name' '\t0\n' '1: found .*expected a name before the tab'
index 'a word for an id' 'a\t0x\n' "1: found '0x', expected the id 0"
index 'a cut last line' 'a\t0\nb\t1' '2: found the end of the file within a line'
check_exit 3 'an index is no graph' "$edgeconv" --force -o x.edges index
check_says 'edgeconv -f wdc-index -o MAP'
check_exit 2 'an index has no direction' "$edgeconv" -f wdc-index -u --force -o x.map index
awk 'BEGIN { for (i = 0; i < 200000; i++) printf "host%d.example\t%d\n", i * 7, i }' >index
cut -f1 index >want.map
"$edgeconv" -q --force -f wdc-index index >index.map
check 'an index of many pieces gives the map' same index.map want.map
cd "$here" || exit 1
finish
