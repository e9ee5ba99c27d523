#!/bin/bash
# edgeconv-archives.sh: compressed files and archives give the same graph as plain files, each kind of damage is
# refused, and several inputs can be read at once.
set -u
. tests/lib.sh
edgeconv=$(realpath "$BIN/edgeconv")
here=$PWD
cd "$tmp" || exit 1

checksum_of() { tail -c 64 "$1" | od -An -v -tx8 -j 40 -N 8 | tr -d ' '; }
size_of() { stat -c %s "$1"; }

# reads NAME WANTED-CHECKSUM ARGUMENT...: edgeconv makes a stream with this checksum, with 1 and 3 threads
reads() {
    local name=$1 want=$2 threads
    shift 2
    for threads in 1 3; do
        rm -f got.edges
        "$edgeconv" -q -u -@ $threads --force -o got.edges "$@" 2>err </dev/null
        check "$name, $threads threads $(head -1 err)" test "$(checksum_of got.edges)" = "$want"
    done
}

# refused NAME PATTERN ARGUMENT...: edgeconv exits with 3 and a message with PATTERN, and leaves no output
refused() {
    local name=$1 pattern=$2
    shift 2
    rm -f x.edges
    check_exit 3 "$name" "$edgeconv" -u --force -o x.edges "$@"
    if grep -q -e "^edgeconv: $pattern" err && [ ! -e x.edges ] && ! ls -A . | grep -q '^\.x'; then
        pass "$name: the message and no output"
    else
        fail "$name: the message and no output"
        sed 's/^/    /' err
    fi
}

# flip FILE OFFSET NEW: copies a file and changes one byte
flip() {
    local byte
    byte=$(od -An -tu1 -j "$2" -N 1 "$1" | tr -d ' ')
    cp "$1" "$3"
    printf "\\x$(printf %x $((byte ^ 1)))" | dd of="$3" bs=1 seek="$2" conv=notrunc status=none
}

# find_bytes FILE BYTES N: prints the offset of the N-th occurrence
find_bytes() { LC_ALL=C grep -obUaP "$2" "$1" | sed -n "$3p" | cut -d: -f1; }
shorten() { head -c $(($(size_of "$1") - $2)) "$1" >"$3"; } # FILE BYTES NEW: copies a file without its last bytes

awk 'BEGIN { for (i = 0; i < 120000; i++) print (i * 7919 + 13) % 99991 "\t" (i * 31 + int(i / 7)) % 99991 }' >all.txt
head -n 50000 all.txt >a.txt
sed -n '50001,50500p' all.txt >b.txt
sed -n '50501,$p' all.txt >c.txt
"$edgeconv" -q -u -o all.edges all.txt
want=$(checksum_of all.edges)

# ---- one fault in a large file ----

# fault NAME LINE-TEXT PATTERN ARGUMENT...: replaces line 100000 of a valid file and expects a refusal
fault() {
    local name=$1 text=$2 pattern=$3
    shift 3
    sed "100000s/.*/$text/" all.txt >fault.txt
    refused "$name in a large file" "fault.txt:100000: $pattern" "$@" fault.txt
    gzip -1 -c fault.txt >fault.txt.gz
    refused "$name in a large gzip file" "fault.txt.gz:100000: $pattern" "$@" fault.txt.gz
}
range='expected a vertex id from 0 to 281474976710655'
fault 'letters' 'five 6' "found 'five', $range"
fault 'a negative id' '5 -6' "found '-6', $range"
fault 'an id over 2^48' '281474976710656 6' "found '281474976710656', $range"
sed -i 's/^0\t/1\t/; s/\t0$/\t1/' all.txt
fault 'id 0 in a 1-based file' '0 6' "found '0', expected a vertex id from 1 to" --one-based
(echo '%%MatrixMarket matrix coordinate pattern general' && echo '99991 99991 120001' && cat all.txt) >wrong.mtx
refused 'a Matrix Market header that says too many' \
    'wrong.mtx:120002: found the end of the file after 120000 entries, expected 120001 as line 2 says' wrong.mtx
sed -i '2s/.*/99991 99991 119999/' wrong.mtx
refused 'a Matrix Market header that says too few' \
    'wrong.mtx:120002: found more than 119999 entries, expected as many as line 2 says' wrong.mtx

# ---- several inputs ----

for part in a b c; do gzip -c $part.txt >$part.txt.gz; done
reads 'gzip parts' "$want" a.txt.gz b.txt.gz c.txt.gz
"$edgeconv" -q -u -@ 1 -o one.edges a.txt.gz b.txt.gz c.txt.gz
for threads in 2 4 7; do
    "$edgeconv" -q -u -@ $threads --force -o many.edges a.txt.gz b.txt.gz c.txt.gz
    check "parts on $threads threads give the bytes of one file" cmp one.edges many.edges
    "$edgeconv" -q -u -@ $threads -S 16M --force -o many.edges a.txt.gz b.txt.gz c.txt.gz
    check "parts on $threads threads in 16 MiB give the bytes of one file" cmp one.edges many.edges
done
"$edgeconv" -q -u -t text --force -o many.txt c.txt.gz a.txt b.txt.gz
check 'parts are read in the order of the command line' eval 'cat c.txt a.txt b.txt | cmp - many.txt'
cat b.txt.gz | "$edgeconv" -q -u -@ 3 -t text --force -o many.txt a.txt.gz - c.txt.gz
check 'standard input among several files is read in its place' eval 'cat a.txt b.txt c.txt | cmp - many.txt'
seq 1 40 | while read -r i; do head -n $((i * 50)) all.txt | gzip -1 >part-$i.gz; done
"$edgeconv" -q -u -@ 3 -t text --force -o many.txt part-?.gz part-??.gz
check 'forty parts are read in their order' eval 'zcat part-?.gz part-??.gz | cmp - many.txt'
shorten c.txt.gz 100 cut.gz
sed '40000s/.*/x/' a.txt | gzip -c >letters.gz
for threads in 1 2 5; do
    refused "the first of two faults, $threads threads" "letters.gz:40000: found 'x'" -@ $threads b.txt.gz letters.gz cut.gz
    refused "the other way, $threads threads" 'cut.gz: byte .*: found the end of the file' -@ $threads b.txt.gz cut.gz letters.gz
done
rm part-*.gz

if [ "${ARCHIVE:-1}" = 0 ]; then
    xz -c a.txt >a.txt.xz
    refused 'xz without libarchive' 'a.txt.xz: found .* .xz file., .* built without libarchive, does not read: use .xz -dc FILE | edgeconv -' a.txt.xz
    cd "$here" || exit 1
    finish
fi

# ---- the same graph from everything ----

cat a.txt b.txt c.txt >all.txt
pack() { bsdtar -c -f "$2" --format "$1" "${@:3}"; } # FORMAT ARCHIVE ARGUMENT...
xz -c all.txt >all.txt.xz
pack raw all.txt.bz2 --bzip2 all.txt
pack raw all.txt.zst --zstd all.txt
for file in all.txt.xz all.txt.bz2 all.txt.zst; do
    reads "$file" "$want" $file
    cp $file nameless
    reads "$file under another name" "$want" nameless
done
mkdir -p graph/__MACOSX && cp a.txt b.txt c.txt graph
printf '\0\5\26\7' >graph/__MACOSX/._a.txt
cp graph/__MACOSX/._a.txt graph/._b.txt
all=(-n graph graph/__MACOSX graph/__MACOSX/._a.txt graph/a.txt graph/._b.txt graph/b.txt graph/c.txt)
pack zip parts.zip "${all[@]}"
pack zip stored.zip --options zip:compression=store "${all[@]}"
pack 7zip parts.7z "${all[@]}"
pack ustar parts.tar "${all[@]}"
pack pax parts.tar.xz --xz "${all[@]}"
pack gnutar parts.tar.bz2 --bzip2 "${all[@]}"
pack v7tar parts.tar.zst --zstd "${all[@]}"
gzip -c parts.tar >parts.tar.gz
for archive in parts.zip stored.zip parts.7z parts.tar parts.tar.xz parts.tar.bz2 parts.tar.zst parts.tar.gz; do
    reads "$archive" "$want" $archive
    "$edgeconv" -q -u --force -o file.edges $archive
    check "$archive gives the bytes of its files" cmp file.edges all.edges
    [ $archive = parts.7z ] && continue
    "$edgeconv" -q -u --force -o pipe.edges < <(cat $archive)
    check "$archive from a pipe gives the bytes of its files" cmp pipe.edges all.edges
done
xz -c a.txt >a.txt.xz
pack zip mixed.zip a.txt.xz b.txt c.txt.gz
reads 'a zip archive of compressed files' "$want" mixed.zip
pack ustar mixed.tar a.txt.gz b.txt
gzip mixed.tar
reads 'an archive and a file' "$want" mixed.tar.gz c.txt.gz
"$edgeconv" -q -u -o a.edges a.txt
xz -c a.edges >a.edges.xz
reads 'an edge stream in xz' "$(checksum_of a.edges)" a.edges.xz
gzip -c a.edges >a.edges.gz
pack zip edges.zip a.edges a.edges.gz
"$edgeconv" -q -t text --force -o many.txt edges.zip
check 'edge streams in an archive are read' eval 'cat a.txt a.txt | cmp - many.txt'
"$edgeconv" -q --randomize=5 -o r1.edges -u all.txt
"$edgeconv" -q --randomize=5 -o r2.edges -u parts.zip
check 'an archive is randomised like its files' cmp r1.edges r2.edges

# ---- members that follow each other ----

(xz -c a.txt && xz -c b.txt && xz -c c.txt) >three.xz
reads 'xz streams that follow each other' "$want" three.xz
for part in a b c; do
    pack raw $part.bz2 --bzip2 $part.txt
    pack raw $part.zst --zstd $part.txt
done
cat a.bz2 b.bz2 c.bz2 >three.bz2
reads 'bzip2 streams that follow each other' "$want" three.bz2
cat a.zst b.zst c.zst >three.zst
reads 'zstd frames that follow each other' "$want" three.zst
for part in a b c; do pack ustar $part.tar $part.txt; done
cat a.tar b.tar c.tar >three.tar
reads 'tar archives that follow each other' "$want" three.tar

# ---- which files of an archive ----

mkdir -p nets/net && (cd nets/net && printf '%%%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 1\n' >net.mtx &&
    printf '%%%%MatrixMarket matrix array real general\n3 1\n1\n2\n3\n' >net_b.mtx && echo 'Read me first.' >README)
tar -C nets -cf net.tar net/net.mtx net/net_b.mtx
gzip net.tar
for member in '*/net.mtx' net/net.mtx net.mtx 'n?t.mtx'; do
    "$edgeconv" -q -t text --member="$member" net.tar.gz >got 2>err
    check "--member $member takes what it matches" eval 'printf "2\t1\n3\t1\n" | cmp - got'
done
check '--entry is its older name' eval '"$edgeconv" -q -t text --entry net.mtx net.tar.gz | cmp - got'
refused 'and without it' 'net.tar.gz(net/net_b.mtx):1: found .array.*; --member=NAME chooses among net/net.mtx, net/net_b.mtx$' net.tar.gz
refused 'a --member that matches nothing' \
    "net.tar.gz: found no file that matches --member 'x' in the tar archive, .* there are net/net.mtx, net/net_b.mtx" --member x net.tar.gz
refused 'a --member in another folder' 'net.tar.gz: found no file' --member ./net.mtx net.tar.gz
(cd nets && cp net/README .hidden && pack zip ../readme.zip net/README net/net.mtx .hidden)
check_exit 0 'a README in an archive is left out' "$edgeconv" -t text --force -o got readme.zip
check_says 'readme.zip: 2 files of the archive are no part .* left out: net/README, .hidden'
check "$situation: the README is no edge" eval 'printf "2\t1\n3\t1\n" | cmp - got'
refused 'a README that --member names' 'readme.zip(net/README):1: found .Read., expected' --member README readme.zip
cp c.txt other.txt && echo '5 x' >>other.txt
pack zip fault.zip a.txt other.txt
refused 'a fault in the second file' "fault.zip(other.txt):$(wc -l <other.txt): found 'x'" fault.zip
ln -s a.txt link.txt
pack ustar link.tar b.txt link.txt
refused 'a link' 'link.tar(link.txt): found a link' link.tar
ln a.txt hard.txt
pack ustar hard.tar a.txt hard.txt
refused 'a hard link' 'hard.tar(hard.txt): found a link' hard.tar
pack zip secret.zip --options zip:encryption=zipcrypt --passphrase x a.txt
refused 'an encrypted file' 'secret.zip(a.txt): found an encrypted file.*: unpack the archive with its password' secret.zip
pack zip twice.zip a.tar
refused 'an archive in an archive' 'twice.zip(a.tar): found a tar archive inside of an archive' twice.zip
: >nothing.txt
pack zip nothing.zip b.txt nothing.txt
refused 'an empty file in an archive' 'nothing.zip(nothing.txt): found an empty file.*--member' nothing.zip
mkdir empty && pack zip folder.zip empty
refused 'an archive without files' 'folder.zip: found no file in the zip archive' folder.zip
(printf 'PK\5\6' && head -c 18 /dev/zero) >none.zip
refused 'a zip archive of nothing' 'none.zip: found no file in the zip archive' none.zip
check_exit 3 'a zip archive of nothing in a pipe' bash -c "cat none.zip | '$edgeconv' -t text -"
head -c 10240 /dev/zero >none.tar
refused 'a tar archive of nothing' 'none.tar: is zeros alone, as in a tar archive without files' none.tar
deep=$(printf '%0200d/%0200d/%0200d/%0200d' 1 2 3 4) && mkdir -p "$deep" && echo 0 x >"$deep/5.txt"
pack pax deep.tar "$deep/5.txt"
refused 'a fault in a file with a long path' "deep.tar(0*3/0*4/5.txt):1: found 'x'" deep.tar
(cp a.txt nets && cd nets && pack zip ../direction.zip a.txt net/net.mtx)
rm -f x.edges
check_exit 3 'files of different directions' "$edgeconv" -q --force -o x.edges direction.zip
check_says 'direction.zip(net/net.mtx): found the format matrix-market, expected pairs as direction.zip(a.txt)'
check "$situation: no output is left" test ! -e x.edges

# ---- members are parts of one list, or are refused ----

printf 'source,target\n0,1\n1,2\n' >list1.csv
printf '"Source" , "Target"\r\n2,3\r\n' >list2.csv
printf 'id,class\n0,7\n1,9\n' >nodes.csv
cp nodes.csv table.csv && cp list1.csv edges.csv
printf 'source,target,weight\n0,1,5\n' >list3.csv
printf 'source\ttarget\tweight\n0\t1\t5\n' >list4.csv
printf '0 1\n1 2\n' >part1.txt
printf '2\t3\n' >part2.txt
printf '0 1 7\n' >part3.txt
printf '0 1 7 8\n' >part4.txt
printf '# id source target\n1 0 7\n' >part5.txt
printf '0 5\n1 6\n' >vertices.txt
printf '2 1\n2\n1\n' >part6.txt
printf '# nothing\n' >part7.txt
printf '1:2,3\n' >part8.txt

# parts NAME WANT FILE...: these are one list, in each kind of archive, in a pipe, and as arguments
parts() {
    local name=$1 want=$2 format
    shift 2
    for format in zip ustar 7zip; do
        pack $format x.$format "$@"
        check "$name, in $format" test "$("$edgeconv" -q -t text x.$format 2>&1 | tr '\t\n' '- ')" = "$want"
    done
    check "$name: edges are read from a pipe" test "$(cat x.zip | "$edgeconv" -q -t text - 2>&1 | tr '\t\n' '- ')" = "$want"
    check "$name, as arguments" test "$("$edgeconv" -q -t text "$@" 2>&1 | tr '\t\n' '- ')" = "$want"
}
# strangers NAME PATTERN FILE...: these are no list, and the message names them and the option that chooses one
strangers() {
    local name=$1 pattern=$2 format
    shift 2
    for format in zip ustar 7zip; do
        pack $format x.$format "$@"
        refused "$name, in $format" "x.$format($2): found $pattern.*; --member=NAME chooses among $1, $2" x.$format
    done
    check_exit 3 "$name: refused in a pipe" bash -c "cat x.zip | '$edgeconv' -t text -"
    check_says "standard input($2): found $pattern.*; --member=NAME chooses among $1, $2"
}
parts 'lists with the same names of columns' '0-1 1-2 2-3 ' list1.csv list2.csv
parts 'lists of numbers' '0-1 1-2 2-3 ' part1.txt part2.txt
parts 'a list without lines' '0-1 1-2 ' part7.txt part1.txt
strangers 'a table of vertices by its columns' "the columns 'id,class', expected the columns 'source,target' as" list1.csv table.csv
strangers 'a table of vertices by its name' 'a name that speaks of another thing' edges.csv nodes.csv
strangers 'a table of vertices in front' 'a name that speaks of another thing' nodes.csv edges.csv
strangers 'a table of vertices without names of columns' 'a name that speaks of another thing' part1.txt vertices.txt
strangers 'a list with weights' "the columns 'source,target,weight', expected" list1.csv list3.csv
strangers 'another separator' "the columns 'source.target.weight', expected the columns 'source,target,weight'" list3.csv list4.csv
printf 'a,b\n' >words1.txt && printf 'a b\n' >words2.txt
pack zip x.zip words1.txt words2.txt
refused 'another separator between words' 'x.zip(words2.txt): found columns separated by blanks, expected commas as' -f pairs --compact=m x.zip
strangers 'three columns beside two' '3 columns, of which 1 and 2 are the ids, expected 2 columns' part1.txt part3.txt
strangers 'four columns beside three' '4 columns' part3.txt part4.txt
strangers 'other places of the ids' '3 columns, of which 2 and 3 are the ids, expected 3 columns, of which 1 and 2' part3.txt part5.txt
strangers 'names of columns beside none' 'the format csv, expected pairs' part1.txt list1.csv
strangers 'METIS beside pairs' 'the format metis, expected pairs' part1.txt part6.txt
strangers 'lists of neighbours beside pairs' 'the format adjacency, expected pairs' part1.txt part8.txt
refused 'other columns in two arguments' "table.csv: found the columns 'id,class', expected .* as list1.csv" list1.csv table.csv
refused 'other widths in two arguments' 'part3.txt: found 3 columns' part1.txt part3.txt
cp list2.csv edges2.csv
pack zip tables.zip edges.csv edges2.csv nodes.csv
for member in edges.csv 'edges?.csv' 'edges*'; do
    want=$({ [ "$member" = 'edges?.csv' ] || echo 0-1 1-2; [ "$member" = edges.csv ] || echo 2-3; } | tr '\n' ' ')
    check "--member $member takes the files that match" test "$("$edgeconv" -q -t text --member "$member" tables.zip | tr '\t\n' '- ')" = "$want"
done
check 'dbfs passes --member on' test "$(PATH=$(dirname "$edgeconv"):$PATH dbfs -q --no-cache --member edges.csv -r 0 -o - tables.zip | tr '\t\n' '- ')" = '0-0 1-1 2-2 '
refused "--member='*' does not look at names, but at columns" "tables.zip(nodes.csv): found the columns 'id,class'" --member='*' tables.zip
pack zip x.zip part1.txt vertices.txt
check "--member='*' takes lists of any name" test "$("$edgeconv" -q -t text --member='*' x.zip | wc -l)" = 4
mkdir old && printf '7 8\n' >old/part1.txt
pack zip x.zip part1.txt old/part1.txt
refused 'one --member in two folders' 'x.zip(old/part1.txt): found a second member of the name that --member gives' --member part1.txt x.zip
check 'a path chooses' test "$("$edgeconv" -q -t text --member old/part1.txt x.zip)" = "$(printf '7\t8')"
check '--member with ./ chooses the file in no folder' test "$("$edgeconv" -q -t text --member ./part1.txt x.zip | wc -l)" = 2
bsdtar -cf twice.tar --format ustar part1.txt part1.txt
refused 'two members of one name' 'twice.tar(part1.txt): found two members of this name' twice.tar
seq 30 | while read -r i; do echo "$i $((i + 1)) 1" >"a-part-with-a-rather-long-name-$i.txt"; done
pack zip x.zip part1.txt a-part-*.txt
refused 'thirty strangers' 'x.zip(a-part-with.*): found 3 columns.*among part1.txt, a-part-.* and others' x.zip
check_exit 3 'a 7z archive in a pipe' bash -c "cat parts.7z | '$edgeconv' --force -o x.edges"
check_says 'standard input: is a 7z archive in a stream, expected it in a file'
printf 'Rar!\32\7\1\0' >foreign.rar
refused 'rar' 'foreign.rar: is a rar archive: use .*unrar' foreign.rar
printf '\37\235\220\60' >foreign.Z
refused 'compress' 'foreign.Z: is compressed by compress: use .*gzip -dc' foreign.Z
printf '\4\42\115\30\144' >foreign.lz4
refused 'lz4' 'foreign.lz4: is compressed by lz4: use .*lz4 -dc' foreign.lz4

# ---- thousands of small files ----

mkdir small
seq 2000 | while read -r i; do echo "$i $((i + 1))" >small/part-$i.txt; done
bsdtar -cf small.zip --format zip small
bsdtar -cf small.tar --format ustar small
# other programs have the cores, so that threads which spin while they wait for each other show
for i in 1 2; do
    (while :; do :; done) &
    busy[i]=$!
done
for command in small.zip small.tar '-S 64M small.zip' 'small/*.txt'; do
    check "2,000 files take no time: $command" cpu_limit 2 "$edgeconv" -q -@ 2 --force -o x.edges $command
done
kill "${busy[@]}" && wait "${busy[@]}" 2>/dev/null
"$edgeconv" -q -@ 3 -t text --force -o many.txt small.tar
check 'archives of many small files: all of their edges are read' eval 'seq 2000 | cmp - <(cut -f 1 many.txt | sort -n)'

# ---- damage ----

for kind in xz bz2 zst; do
    name=all.txt.$kind
    for bytes in 1 4 12 100 $(($(size_of $name) / 2)) $(($(size_of $name) - 40)); do
        shorten $name "$bytes" cut.$kind
        refused "$kind without its last $bytes bytes" "cut.$kind: .*found" cut.$kind
    done
    at=$(($(size_of $name) / 2))
    [ $kind != bz2 ] || at=$((at * 3 / 2)) # behind its first block
    flip $name $at flip.$kind
    refused "a flipped byte in $kind" "flip.$kind:.*found" flip.$kind
    (cat $name && echo junk) >junk.$kind
    refused "junk behind $kind" "junk.$kind: .*found" junk.$kind
    (cat $name && head -c 5 $name) >second.$kind
    refused "a cut second member of $kind" "second.$kind: .*found" second.$kind
    (cat $name && head -c 3000 $name) >second.$kind
    refused "a longer cut second member of $kind" "second.$kind: .*found" second.$kind
    check_exit 3 "cut $kind in a pipe" bash -c "cat cut.$kind | '$edgeconv' --force -o x.edges"
done
pack raw empty.xz --xz nothing.txt
# a frame of zstd with a window of 2 GiB, whose block holds "0 1" as it is; one after a common frame; one of 128 MiB
long() { printf '\x28\xb5\x2f\xfd\0%b\x21\0\0000 1\n' "$1"; }
long '\x88' >long27.zst
check 'zstd with a window of 128 MiB is read' test "$("$edgeconv" -q -t text long27.zst)" = "$(printf '0\t1')"
long '\xa8' >long31.zst
advice='its window exceeds the 128 MiB .*: use `zstd -dc --long=31 FILE | edgeconv -`'
refused 'zstd --long=31' "long31.zst: $advice" long31.zst
pack raw first.zst --zstd b.txt
cat first.zst long31.zst >later.zst
refused 'zstd --long=31 in a later frame' "later.zst: $advice" later.zst
if command -v zstd >/dev/null 2>&1; then
    check 'zstd with a window of 2 GiB is read by the command of the message' test "$(zstd -dc --long=31 long31.zst | "$edgeconv" -q -t text -)" = "$(printf '0\t1')"
else
    skip 'zstd with a window of 2 GiB is read by the command of the message: no zstd'
fi
refused 'xz of nothing' 'empty.xz: found nothing in the xz file' empty.xz

# what the end of a zip archive says in 64 bits
zip64() { # FILES DIRECTORY-AT: an archive of one stored file of unknown size, as Info-ZIP writes it to a pipe
    printf 'PK\3\4\x2d\0\0\0\0\0\x5b\xb0\x7b\x5d\x6a\x1d\xbb\xd7\377\377\377\377\377\377\377\377\1\0\x14\0-\1\0\x10\0\x8\0\0\0\0\0\0\0\x8\0\0\0\0\0\0\0000 1\n1 2\n'
    printf 'PK\1\2\x1e\3\x2d\0\0\0\0\0\x5b\xb0\x7b\x5d\x6a\x1d\xbb\xd7\x8\0\0\0\x8\0\0\0\1\0\0\0\0\0\0\0\1\0\0\0\x80\x11\0\0\0\0-'
    printf 'PK\6\6\x2c\0\0\0\0\0\0\0\x1e\3\x2d\0\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0%b\0\0\0\0\0\0\0\x2f\0\0\0\0\0\0\0%b\0\0\0\0\0\0\0' "$1" "$2"
    printf 'PK\6\7\0\0\0\0%b\0\0\0\0\0\0\0\1\0\0\0PK\5\6\0\0\0\0\1\0\1\0\x2f\0\0\0\x3b\0\0\0\0\0' "${3-\x6a}"
}
zip64 '\1' '\x3b' >z64.zip
for command in '"$edgeconv" -q -t text z64.zip' 'cat z64.zip | "$edgeconv" -q -t text -'; do
    check "Zip64 is read by $command" test "$(eval "$command")" = "$(printf '0\t1\n1\t2')"
done
zip64 '\2' '\x3b' >z64.zip
check_exit 3 'Zip64 in a pipe that counts other files' bash -c "cat z64.zip | '$edgeconv' -q -t text -"
check_says 'found 1 files in the zip archive, expected 2'
zip64 '\1' '\x3b' '\377' >z64.zip
check_exit 3 'Zip64 in a pipe, with a place that is not there' bash -c "cat z64.zip | '$edgeconv' -q -t text -"

# the second file of a zip archive: its header, CRC and data, and its entry in the directory
pack zip zip.zip a.txt b.txt c.txt
second=$(find_bytes zip.zip 'PK\x03\x04' 2)
flip zip.zip "$second" header.zip
flip zip.zip $((second + 200)) data.zip
listed=$(find_bytes zip.zip 'PK\x01\x02' 2)
flip zip.zip $((listed + 16)) crc.zip
flip zip.zip "$listed" list.zip
cp zip.zip place.zip # the second entry of its table stands at the place of the first
printf '\0\0\0\0' | dd of=place.zip bs=1 seek=$((listed + 42)) conv=notrunc status=none
refused 'zip: two entries at one place' 'place.zip: found 2 files in the zip archive, expected 3 as its end says' place.zip
for file in header data crc list; do
    refused "zip: a damaged $file" "$file.zip" $file.zip
done
check_exit 3 'zip: a damaged CRC' "$edgeconv" -q --force -o x.edges crc.zip
check_says 'crc.zip(b.txt): byte .*: found a fault in the zip archive (ZIP bad CRC'
for file in header data; do
    check_exit 3 "zip: a damaged $file in a pipe" bash -c "cat $file.zip | '$edgeconv' -q --force -o x.edges"
done
check_exit 3 'zip: a file hidden from a pipe' bash -c "cat header.zip | '$edgeconv' -q --force -o x.edges"
check_says 'standard input: found 2 files in the zip archive, expected 3'
for bytes in 1 30 150 5000 $(($(size_of zip.zip) / 2)); do
    shorten zip.zip "$bytes" cut.zip
    refused "zip without its last $bytes bytes" 'cut.zip' cut.zip
    check_exit 3 "zip without its last $bytes bytes in a pipe" bash -c "cat cut.zip | '$edgeconv' -q --force -o x.edges"
done
cat zip.zip zip.zip >two.zip
check_exit 3 'two zip archives in a pipe' bash -c "cat two.zip | '$edgeconv' -q --force -o x.edges"
check_says 'standard input: byte .* expected nothing in the file but one archive'

for bytes in 1 20 5000 $(($(size_of parts.7z) / 2)); do
    shorten parts.7z "$bytes" cut.7z
    refused "7z without its last $bytes bytes" 'cut.7z' cut.7z
done
flip parts.7z 5000 flip.7z
refused 'a flipped byte in 7z' 'flip.7z.*found a fault in the 7z archive' flip.7z

pack ustar tar.tar a.txt b.txt c.txt
first=$((512 + ($(size_of a.txt) + 511) / 512 * 512))
for bytes in "$first" $((first + 512)) $((first + 100)) $((first + 700)) 300; do
    head -c "$bytes" tar.tar >cut.tar
    refused "tar: its first $bytes bytes" 'cut.tar' cut.tar
done
head -c "$first" tar.tar >cut.tar
refused 'tar that ends between two files' 'cut.tar: byte .*without the two blocks of zeros' cut.tar
flip tar.tar $((first + 5)) header.tar
refused 'a damaged header in tar' 'header.tar: byte .*found a fault in the tar archive (Damaged tar' header.tar
(cat tar.tar && echo junk) >junk.tar
refused 'junk behind tar' 'junk.tar: byte' junk.tar

# gzip around and inside archives is checked as elsewhere
gzip -c tar.tar >tar.tar.gz
size=$(size_of tar.tar.gz)
flip tar.tar.gz $((size - 6)) crc.tar.gz
refused 'tar.gz: a wrong CRC' 'crc.tar.gz: byte .*found data that does not match its CRC' crc.tar.gz
(cat tar.tar.gz && echo junk) >junk.tar.gz
refused 'tar.gz: junk behind' 'junk.tar.gz: byte .*after gzip member 1' junk.tar.gz
shorten tar.tar.gz 9 cut.tar.gz
refused 'tar.gz: cut' 'cut.tar.gz: byte .*found the end of the file in gzip member 1' cut.tar.gz
flip b.txt.gz $(($(size_of b.txt.gz) - 6)) bad.txt.gz
pack zip gz.zip a.txt bad.txt.gz
refused 'a damaged gzip file in a zip archive' 'gz.zip(bad.txt.gz): byte .*does not match its CRC' gz.zip
(cat b.txt.gz && head -c 50 b.txt.gz) >bad.txt.gz
pack ustar gz.tar a.txt bad.txt.gz
refused 'a cut second gzip member in a tar archive' 'gz.tar(bad.txt.gz): byte .*gzip member 2' gz.tar
gzip -c a.edges >edges.gz
flip edges.gz $(($(size_of edges.gz) - 6)) bad.edges.gz
refused 'an edge stream in gzip with a wrong CRC' 'bad.edges.gz: byte .*does not match its CRC' bad.edges.gz

cd "$here" || exit 1
finish
