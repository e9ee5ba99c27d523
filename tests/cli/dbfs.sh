#!/bin/bash
# dbfs.sh: one command goes from a file to an answer. Distances are those of the programs one by one. Shards are kept,
# used again only if nothing they depend on has changed, and never left half made.
set -u
. tests/lib.sh
bin=$(realpath "$BIN")
mkwebgraph=$(realpath "$TESTS/mkwebgraph")
here=$PWD
PATH=$bin:$PATH
cd "$tmp" || exit 1
# mpiexec is that of the MPI that the programs are built with; under its own name, as users have it, if it has that one
mkdir shim
launcher=$(command -v "${REAL_MPIEXEC:-$MPIEXEC}")
if [ ! "$(command -v mpiexec)" -ef "$launcher" ]; then
    printf '#!/bin/sh\nexec %s "$@"\n' "$launcher" >shim/mpiexec
    chmod +x shim/mpiexec
fi
rmatgen -q -s 9 -f text -o g.txt
edgeconv -q -u -o g.edges g.txt
dbfs-pack -q -o g.dbfs.one g.edges
dbfs-traverse -q -r 7 --depths want.txt g.dbfs.one >/dev/null

# ---- answers ----

check_exit 0 'depths from a file' dbfs -r 7 -o depths.txt g.txt
check "$situation: distances are those of the programs" cmp depths.txt want.txt
check 'the shards are beside it' test "$(ls g.txt.dbfs/*/shards/manifest | wc -l)" = 1
check_exit 0 'on standard output, and nothing else' dbfs -q -r 7 -o - g.txt
check "$situation: distances are those of the programs" cmp out want.txt
check "$situation: prints nothing else" test ! -s err
check_exit 1 'a result that exists' dbfs -r 7 -o depths.txt g.txt
check_says 'depths.txt: exists already: --force'
check_exit 0 'options are passed on' dbfs -q --force -r 7 -o d.npy --parents p.txt --json r.json --direction pull g.txt
check 'options are passed on: parents are accepted by dbfs-check' dbfs-check -q -r 7 --parents p.txt g.edges
check 'options are passed on: the report has the direction' grep -q '"direction": "pull"' r.json
check 'options are passed on: .npy is an array' test "$(head -c 6 d.npy | tail -c 5)" = NUMPY
gzip -k g.txt
check_exit 0 'a compressed file' dbfs -q -r 7 -o - g.txt.gz
check "$situation: distances are those of the programs" cmp out want.txt
check_exit 0 'an edge stream' dbfs -q -v -r 7 -o - g.edges
check "$situation: distances are those of the programs" cmp out want.txt
check "$situation: no message names edgeconv" test "$(grep -c edgeconv err)" = 0
# checks that messages of the programs that dbfs runs name options of dbfs
in_words_of_dbfs() { # WANTED WORD...: expects the message for a mistake
    local wanted=$1
    shift
    dbfs -r 0 -o - "$@" >out 2>err && return 1
    grep -qF -- "$wanted" err && ! grep -qE 'edgeconv|COMPACT|=MAP|direction directed' err || { cat err; return 1; }
}
printf '\x04\x22\x4d\x18 lz4' >packed.lz4
check 'the message for lz4 has a command of dbfs' in_words_of_dbfs 'lz4 -dc FILE | dbfs -`' packed.lz4
echo '<graphml></graphml>' >g.graphml
check 'the message for GraphML, whose ids are words, has a command of dbfs' in_words_of_dbfs '| dbfs --compact --separator=tab --comments=none -f pairs -`' g.graphml
printf '4\n0 1\n1 2\n2 3\n' >counted.txt
check 'the message for a list with counts has a command of dbfs' in_words_of_dbfs '| dbfs -f pairs -`' counted.txt
dbfs -r word -o - g.txt >out 2>err
check 'the message for a root that is a word names dbfs --compact' sh -c 'grep -q "dbfs --compact" err && ! grep -q edgeconv err'
rmatgen -q -s 9 --count 4000 -o piece.0.edges
rmatgen -q -s 9 --first 4000 -o piece.1.edges
check_exit 0 'several edge streams' dbfs -q -v --links host --exchange-form list -r 7 -o - piece.0.edges piece.1.edges
check "$situation: distances are those of the programs" cmp out want.txt
check "$situation: no message names edgeconv" test "$(grep -c edgeconv err)" = 0
check_says 'dbfs-pack .*--links=host'
check_says 'dbfs-traverse .*--exchange-form=list'
check_exit 0 'a folder of shards' dbfs -q -r 7 -o - g.dbfs.one
check "$situation: distances are those of the programs" cmp out want.txt
check 'dbfs reads standard input' bash -c 'dbfs -q -r 7 -o - - <g.txt >out 2>err'
check 'dbfs of standard input gives the distances of the programs' cmp out want.txt
check 'dbfs of standard input keeps no shards' test ! -e ./-.dbfs
split -n l/2 g.txt part.
check_exit 0 'two files' dbfs -q -r 7 -o - part.aa part.ab
check "$situation: distances are those of the programs" cmp out want.txt
check_exit 0 'two ranks' env PATH="$bin:$tmp/shim:$PATH" dbfs -q -v --ranks 2 -r 7 -o - g.txt
check "$situation: distances are those of the programs" cmp out want.txt
check_says 'mpiexec -n 2 dbfs-traverse'
check_says 'dbfs-pack -p 2'
check_exit 2 'a fault of ranks' env PATH="$bin:$tmp/shim:$PATH" dbfs --ranks 2 -r 512 g.txt
check_says '^dbfs: .*root 512: the graph has vertices 0 to 511'
printf 'alice bob\nbob carol\n' >names.txt
check_exit 0 'names' dbfs -q --compact -r alice -o names.csv names.txt
check "$situation: distances are by name" test "$(cat names.csv)" = "$(printf 'id,distance\nalice,0\nbob,1\ncarol,2')"
awk '{ print } $1 != $2 { print $2 "\t" $1 }' g.txt >both.txt
check_exit 0 'a symmetric list' dbfs -r 7 -o - both.txt
check_says 'each edge is listed as u v and as v u'
check_exit 0 'a list with each edge twice is folded by --direction symmetric' dbfs -r 7 --direction symmetric -o both.depths both.txt
dbfs -v -r 7 --direction symmetric both.txt >out 2>/dev/null
check "$situation: the edges are those of the list with each edge once" test "$(sed -n 's/^root.* edges \([0-9]*\).*/\1/p' out)" = \
    "$(dbfs-traverse -r 7 g.dbfs.one | sed -n 's/^root.* edges \([0-9]*\).*/\1/p')"

# ---- output ----

reached=$(awk '$2 >= 0' want.txt | wc -l)
levels=$(awk '$2 >= far { far = $2 + 1 } END { print far }' want.txt)
rm -rf g.txt.dbfs
for time in first second; do
    check_exit 0 "the $time search" dbfs --force -r 7 -o d.npy --parents p.npy g.txt
    check "$situation: prints one line" test "$(cat out err | wc -l)" = 1
    check "$situation: the line says what is found, and where ($(cat out))" grep -qE \
        "^root 7: $reached of 512 vertices reached, levels $levels, [0-9.e-]+ s; distances in d.npy, parents in p.npy\$" out
done
check_exit 0 'a root by name' dbfs --compact --no-cache -r alice names.txt
check "$situation: the line has the name" grep -q '^root alice: 3 of 3 vertices reached, levels 3, ' out
check_exit 0 'several roots' dbfs --force -n 5 -o d-%d.npy g.txt
check "$situation: one line has all ($(cat out))" grep -qE '^5 roots: [0-9]+ of 512 .* levels .*, [0-9.e-]+ s each; distances in d-%d.npy$' out
check "$situation: prints no other line" test "$(cat out err | wc -l)" = 1
check_exit 0 '-q of a root' dbfs -q -r 7 g.txt
check "$situation: prints nothing" test "$(cat out err | wc -l)" = 0
check_exit 0 '-v' dbfs -v --no-cache -r 7 g.txt
check "$situation: prints what dbfs-traverse does" grep -q '^distance_checksum: ' out
check_says '^dbfs: TH [0-9inf]* (suggested)'
dbfs -q --force -r 7 --json r.json g.txt
check 'the command of a report is that of dbfs-traverse' grep -q '"command": \["dbfs-traverse", ' r.json

# ---- results on standard output, and elsewhere ----

# OPTION FILE: expects what the option gives in a file, once, and exit status 0; seconds differ
delivered() {
    local option=$1 to=$2 plain
    shift 2
    plain=$(cut_seconds <"plain$option")
    for how in '' '-q --force'; do
        # shellcheck disable=SC2086 # no word, or several
        test "$(dbfs $how -r 7 $option "$to" g.txt 2>err | cut_seconds)" = "$plain" || { echo "$how $option $to" && cat err && return 1; }
        dbfs $how -r 7 $option "$to" g.txt >regular 2>err # shellcheck disable=SC2086
        test "$(cut_seconds <regular)" = "$plain" || { echo "$how $option $to >regular" && cat err && return 1; }
    done
}
cut_seconds() { if [[ $option == --[jt]* ]]; then sed -E '/"command"/d; s/[0-9][0-9.e+-]*/N/g'; else cat; fi; }
for option in -o --parents --json --trace --list-reached; do
    dbfs -q -r 7 $option "plain$option" g.txt
    for to in - /dev/stdout /dev/fd/1; do
        check "$option $to: the result comes once, and alone" delivered $option $to
    done
done
dbfs -q -n 5 --centrality plain.centrality g.txt
for to in - /dev/stdout; do
    check "--centrality $to prints the table" eval 'dbfs -n 5 --centrality $to g.txt 2>err | cmp - plain.centrality'
done
for how in '' -q; do
    check "-o >(...) $how has all distances" eval 'dbfs $how -r 7 -o >(cat >through; echo >ended) g.txt >out && wait_until test -s ended && cmp through want.txt'
    rm -f ended
    check "-o of a descriptor that is a pipe $how" eval '{ dbfs $how -r 7 -o /dev/fd/7 g.txt 7>&1 >out; } | cmp - want.txt'
    check "-o of a copy of standard output $how has all distances" eval 'dbfs $how -r 7 -o /dev/fd/7 g.txt 7>&1 | cmp - want.txt'
    mkfifo way
    cat way >through &
    check_exit 0 "-o FIFO $how" dbfs $how -r 7 -o way g.txt
    wait $!
    check "$situation: gets all distances" cmp through want.txt
    check "$situation: is still a fifo" test -p way
    rm way
    check_exit 0 "-o of a device $how" dbfs $how -r 7 -o /dev/null g.txt
    check_exit 5 "-o of a full disk $how" dbfs $how -r 7 -o /dev/full g.txt
    check_exit 5 "a full disk as standard output $how" eval 'dbfs $how -r 7 -o - g.txt >/dev/full'
    check_exit 1 "a closed standard output $how" eval 'dbfs $how -r 7 -o - g.txt >&-'
    check 'a pipe that nobody reads '"$how" test "$(dbfs $how -r 7 -o - g.txt 2>err | true; echo "${PIPESTATUS[0]}")" = 1 -a ! -s err
done
check_exit 5 'a full disk for the line' eval 'dbfs -r 7 g.txt >/dev/full'
check_says '^dbfs: standard output: cannot write: No space left on device'
check_exit 5 'a full standard output is an error for --help' eval 'dbfs --help >/dev/full'
check_exit 0 'closed descriptors' eval 'dbfs -r 7 -o kept g.txt <&- 2>&-'
check "$situation: are not written into the result" cmp kept want.txt
check_exit 2 'two files for one result' dbfs -r 7 -o a -o b g.txt
check_says '^dbfs: b: is to have the distances, and so is a: one file takes them'
for option in --parents --json --trace --list-reached --centrality; do
    check_exit 2 "two files for $option" dbfs -r 7 $option a $option=b g.txt
done
check_exit 0 'dbfs -q --target' dbfs -q -r 7 --target 8 g.txt
check "$situation: prints the answer" grep -qxP '7\t8\t[0-9]+' out
check "$situation: --pairs reads pairs" test "$(printf '7 8\n8 9\n' | dbfs -q --pairs - g.txt | grep -cxP '\d\t\d\t\d+')" = 2
check_exit 0 'a report of pairs' dbfs -q -r 7 --target 8 --json pair.json g.txt
check "$situation: prints no line with -q" test ! -s out

check_exit 0 'lists of what roots reach' dbfs -q -r 7 --max-depth 1 --reached near.tsv --hops hops.tsv g.txt
check "$situation: have the vertices at distance 0 and 1" test "$(cut -f 3 near.tsv | sort | uniq -c | awk '{ print $2, $1 }' | tr '\n' ',')" = \
    "$(awk '$2 >= 0 && $2 <= 1 { count[$2]++ } END { print "0 " count[0] ",1 " count[1] "," }' want.txt)"
check "$situation: have their numbers" test "$(cut -f 2,3 hops.tsv | tr '\t\n' ' ,')" = "$(awk '$2 >= 0 && $2 <= 1 { count[$2]++ } END { print "0 " count[0] ",1 " count[1] "," }' want.txt)"
check_exit 0 'distances to the targets in a pipe' eval 'echo 8 | dbfs -q -r 7 --targets - -o - g.txt'
check "$situation: are those of a search" test "$(cat out)" = "$(awk '$1 == 8 { print "7\t8\t" $2 }' want.txt)"
printf '0 1\n1 2\n2 3\n3 4\n' >line.txt
while read -r options; do
    check_exit 2 "two modes: $options" dbfs $options line.txt
    check_says 'exclude each other'
done <<'END'
--components --diameter
--diameter --components
--components --hops h.csv
--components --all e.csv
-r 0 --target 1 --radius
--centrality c.csv -n all --diameter
-r 0 --target 1 --components
END
while IFS='|' read -r options says; do
    check_exit 2 "an option that a mode has not: $options" dbfs $options line.txt
    check_says "^dbfs: $says"
done <<'END'
--diameter -o d.csv|-o is not for --diameter
-r 0 --target 2 --max-depth 2|--max-depth is not for --target
-r 0 --target 2 -o p.csv|-o is not for --target
-r 0 --target 2 --depths-width 1|--depths-width is not for --target
--diameter -n 1|-n is not for --diameter
--diameter --roots-from -|--roots-from is not for --diameter
-r 0 --components|-r is not for --components
-r 0 --reached a.csv --list-reached b.csv|--list-reached is not for --reached
--directed -r 0|--directed: is no option: it is --direction directed
-r 0 --list-reached near.npy|near.npy: .npy is not written: 'near.csv' is a table
-n all --centrality c.npy|c.npy: .npy is not written: 'c.csv' is a table
END
check "$situation: nothing is written" test ! -e near.npy -a ! -e c.npy -a ! -e a.csv -a ! -e d.csv
check_exit 0 '-t of dbfs-batch beside its options' dbfs -q -r 0,1 --target 2 --targets <(echo 1) -o matrix.csv line.txt
check "$situation: both are targets" test "$(wc -l <matrix.csv)" = 5
printf 'alice bob\ncarol dave\nbob erin\n' >people.txt
check_exit 0 'components of names, counted alone' dbfs --compact=people.map --components people.txt
check "$situation: the map is kept" test "$(paste -sd, people.map)" = alice,bob,carol,dave,erin
check_exit 0 'components of names as an array' dbfs --compact --components -o people.npy --sizes people.csv people.txt
check_says 'people.npy: no map of its names is kept'
check "$situation: there are two" test "$(wc -l <people.csv)" = 3
check_exit 0 'components of names with -v' dbfs -v --compact --components -o people.tsv --force people.txt
check "$situation: both commands are shown" test "$(grep -c '^dbfs: \(edgeconv\|dbfs-components\) ' err)" = 2
check 'descriptions of --help=all are whole' grep -q 'below the second back to push\|becomes the root' <(dbfs --help=all)
check 'a list of no kept graphs is empty' test "$(dbfs --cache-list nowhere.txt | wc -c)" = 0
check_exit 1 'a missing file of roots' dbfs --roots-from nowhere.txt line.txt
check_says '^dbfs: nowhere.txt: cannot read it: No such file'
check_exit 0 'the diameter of a line' dbfs --diameter --radius line.txt
check "$situation: has diameter, radius and centre" test "$(sed -n 's/^\(diameter\|radius\|center\): //p' out | tr '\n' ',')" = 4,2,2,
check_exit 0 'all eccentricities' dbfs -q --all far.csv line.txt
check "$situation: are those of a line" test "$(sed 1d far.csv | cut -d , -f 2 | tr '\n' ',')" = 4,3,2,3,4,
printf 'a b\nb c\nd e\n' >parts.txt
check_exit 0 'components by name' dbfs --components --compact=parts.map -o parts.csv parts.txt
check "$situation: has their number" grep -qx 'components: 2' out
check "$situation: has that of each vertex" test "$(tr '\n' ' ' <parts.csv)" = 'id,component a,0 b,0 c,0 d,1 e,1 '
check "$situation: keeps the map, and no shards" test "$(wc -l <parts.map)" = 5 -a ! -e parts.txt.dbfs
printf '0 1\n3 4\n4 5\n' >parts.txt
check_exit 0 'components of a list' dbfs -q --components -o - parts.txt
check "$situation: are alone on standard output" test "$(cut -f 2 out | tr '\n' ' ')" = '1 1 2 0 0 0 '
check_exit 0 'components of an edge stream' dbfs --components g.edges
check "$situation: are those of dbfs-components" test "$(grep '^components' out)" = "$(dbfs-components g.edges 2>/dev/null | grep '^components')"
check_exit 1 'components into a file that exists' dbfs --components -o parts.csv parts.txt
check_exit 2 'components of shards' dbfs --components -p 2 parts.txt
check_exit 0 'several roots as one' dbfs -r 7,8 --together g.txt
check "$situation: one line says so" grep -q '^root 7 and 1 more together: ' out
check_exit 0 '--serve' eval 'printf "7\n8\n" | dbfs --serve -o "served-%d.txt" g.txt'
check "$situation: prints a line for each root" test "$(cut -d ' ' -f 1,2 out | tr '\n' ',')" = 'root 7,root 8,'
check "$situation: writes the distances" cmp served-7.txt want.txt

# ---- names that the user gave ----

printf 'Hans M\xc3\xbcller\n' >names.txt
check_exit 2 'an unknown name' dbfs --compact -r Muller names.txt
check_says "^dbfs: names.txt: 'Muller' is none of its names, of which there are [0-9]*, from '[^']*' on$"
printf '# nothing\n' >none.txt
check_exit 3 'a graph without vertices' dbfs -r 0 none.txt
check_says '^dbfs: none.txt: the graph has no vertices'
check 'a graph without vertices from standard input is refused' eval '! dbfs -r 0 - <none.txt 2>err && grep -q "^dbfs: standard input: the graph has no vertices" err'
check 'a pair that is no number, from standard input, is refused' eval '! echo 1 x | dbfs --pairs - g.txt 2>err && grep -q "^dbfs: standard input: pair 1: .x. is not a whole number" err'
check 'two files without vertices are refused by the name of the first' eval '! dbfs -r 0 none.txt none.txt 2>err && grep -q "^dbfs: none.txt and 1 more: the graph has no vertices" err'
rm -rf g.txt.dbfs none.txt.dbfs

# ---- ids that begin at 1; options without effect ----

printf '%%%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n' >m.mtx
for time in first second; do
    check_exit 0 "ids from 1, the $time time" dbfs --force -r 1 -o d.txt m.mtx
    check "$situation: prints no note" test ! -s err
    check "$situation: results have the ids of the file" test "$(tr '\n\t' '  ' <d.txt)" = '1 0 2 1 3 2 '
done
check_exit 2 'a root below the ids of the file' dbfs -r 0 m.mtx
check_says '^dbfs: m.mtx: root 0: the graph has vertices 1 to 3$'
kept=$(echo m.mtx.dbfs/*/shards)
check_exit 0 'shards of ids from 1' dbfs --force -r 1 -o d.txt "$kept"
check "$situation: prints no note" test ! -s err
check "$situation: results have the ids of the file" test "$(tr '\n\t' '  ' <d.txt)" = '1 0 2 1 3 2 '
# as version 1.0.0 has kept them
edgeconv -q -u -o - m.mtx | dbfs-pack -q --force --base 0 -o "$kept" -
check_exit 0 'old shards of ids from 1' dbfs -r 1 "$kept"
check_says 'ids of what m.mtx.dbfs/.*/shards was packed from begin at 1, and at 0 here: -r 1 is its second vertex'
check_exit 0 'a file whose kept shards are old' dbfs --force -r 1 -o d.txt m.mtx
check 'shards that were kept with ids from 0 are made again' test "$(tr '\n\t' '  ' <d.txt) $(grep ^base "$kept/manifest")" = '1 0 2 1 3 2  base 1'
check_exit 0 '--base 0 of ids from 1' dbfs --no-cache --base 0 --force -r 1 -o d.txt m.mtx
check "$situation: results count from 0" test "$(tr '\n\t' '  ' <d.txt)" = '0 1 1 0 2 1 '
check "$situation: prints no note" test ! -s err
printf '1 2\n2 3\n' >names.12
check_exit 0 'a list from 1' dbfs --no-cache --one-based --force -r 3 -o d.txt names.12
check "$situation: results have the ids of the list" test "$(tr '\n\t' '  ' <d.txt)" = '1 2 2 1 3 0 '
check_exit 0 'ids by name' dbfs --no-cache --compact -r 1 m.mtx
check "$situation: prints no note" test ! -s err
for option in -t5 --heads=nn=1 --encoding=raw --rows=out --suggest=time --for=cpu --links=host -p1 --shards=2 -f=pairs --vertices=9 --entry=x \
    --columns=1,2 --separator=tab --one-based --base=1 --randomize --randomize=3 --compact --cache=x --no-cache; do
    check_exit 2 "$option with shards" dbfs -r 7 "$option" g.dbfs.one
    name=${option%%=*}
    [[ $name == --* ]] || name=${name:0:2}
    check_says "^dbfs: g.dbfs.one: is a folder of shards, which are not changed by $name"
done
rm -rf m.mtx.dbfs

# ---- shards are used again ----

rm -rf g.txt.dbfs
packed() { dbfs -v -q -r 7 -o /dev/null "$@" 2>&1 >/dev/null | grep -c 'dbfs-pack'; }
kept() { ls g.txt.dbfs | wc -l; }
check 'the first run packs' test "$(packed g.txt)" = 1
check 'the second does not' test "$(packed g.txt)" = 0
check 'shards are used again with other options of searches' test "$(packed --direction push --no-check -@ 1 g.txt)" = 0
check 'another p packs again' test "$(packed -p 2 g.txt)" = 1
check 'another TH packs again' test "$(packed -t 5 g.txt)" = 1
check 'another encoding packs again' test "$(packed --encoding raw g.txt)" = 1
check 'another number of vertices packs again' test "$(packed --vertices 600 g.txt)" = 1
check 'shards of each choice are kept' test "$(kept)" = 5
check 'shards of each choice are used again' test "$(packed g.txt) $(packed -p 2 g.txt) $(packed -t 5 g.txt) $(packed --encoding raw g.txt)" = '0 0 0 0'
cp -p g.txt saved
touch g.txt
check 'another time of the file packs again' test "$(packed g.txt)" = 1
check 'shards of the older file are removed' test "$(kept)" = 1
cp g.txt other && mv other g.txt
check 'another inode of the file packs again' test "$(packed g.txt)" = 1
echo '0 511' >>g.txt
check 'another size of the file packs again' test "$(packed g.txt)" = 1
part=$(ls g.txt.dbfs/*/shards/part-*)
truncate -s 100 "$part"
check 'a damaged part packs again' test "$(packed g.txt)" = 1
sed -i 's/^dbfs-manifest .*/dbfs-manifest 1/' g.txt.dbfs/*/shards/manifest
check 'another version of the format packs again' test "$(packed g.txt)" = 1
check '--cache keeps shards where it says' test "$(packed --cache elsewhere g.txt) $(packed --cache elsewhere g.txt)" = '1 0'
cp g.txt 'two a.txt' && cp g.txt 'two b.txt'
check 'files whose names begin with one word keep theirs' test \
    "$(packed --cache elsewhere 'two a.txt') $(packed --cache elsewhere 'two b.txt')" = '1 1' -a \
    "$(packed --cache elsewhere 'two a.txt') $(packed --cache elsewhere 'two b.txt')" = '0 0'
grep -v '^#' g.txt | "$mkwebgraph" web 512
dbfs -q -r 7 -o web.txt web.graph
check 'a graph of WebGraph gives the distances of its list' cmp web.txt <(dbfs -q -r 7 --vertices 512 --no-cache -o - g.txt)
check 'shards of a graph of WebGraph are used again' test "$(packed web.graph)" = 0
sed -i 's/^#.*/#/' web.properties
check 'other properties beside a graph of WebGraph pack again' test "$(packed web.graph) $(packed web.graph)" = '1 0'
check_exit 2 'a result that replaces the properties' dbfs -q --force -r 7 -o web.properties web.graph
check_says '^dbfs: web.properties: is the graph: results need a file of their own'
rm web.offsets
check 'offsets beside a graph of WebGraph change no shards' test "$(packed web.graph)" = 0
ln -s web.offsets later.csv
for name in web.offsets ./web.offsets later.csv; do
    check_exit 2 "a result that would be read with the graph: $name" dbfs -q -r 7 -o $name web.graph
    check_says "^dbfs: $name: is the graph"
done
check 'a result that is not written makes no file' test ! -e web.offsets
mkdir links && ln -s ../web.graph links/web.graph
check 'a link to a graph of WebGraph stands for it' test "$(packed --cache linked links/web.graph) $(packed --cache linked links/web.graph)" = '1 0'
sed -i 's/^#.*/# again/' web.properties
check 'properties beside the graph that a link leads to are a part of it' test "$(packed --cache linked links/web.graph)" = 1
for input in g.txt -; do
    cp g.txt whole.txt
    check_exit 2 "lines appended to the graph, $input" bash -c 'dbfs -r 7 --no-cache "${@/g.txt/whole.txt}" <whole.txt >>whole.txt' dbfs $input
    check_says '^dbfs: standard output: is an input too'
    check "a graph that lines would be appended to is intact, $input" cmp g.txt whole.txt
done
check '--no-cache packs each time' test "$(packed --no-cache g.txt) $(packed --no-cache g.txt)" = '1 1'
mkdir own
TMPDIR=$PWD/own packed --no-cache g.txt >"$tmp/count"
check '--no-cache leaves no temporary file' test "$(cat "$tmp/count") $(ls -A own)" = '1 '

# ---- failures ----

printf '0 1\nx y\n' >bad.txt
check_exit 3 'a bad file' dbfs -r 0 -o x bad.txt
check_says "^dbfs: bad.txt:2: found 'x'.*--compact"
check "$situation: the message is one line" test "$(wc -l <err)" = 1
check "$situation: nothing is left" test ! -e bad.txt.dbfs -a ! -e x
check_exit 1 'a missing file' dbfs -r 0 missing.txt
check_says 'dbfs: missing.txt: cannot read it: No such file or directory'
check_exit 2 'no file' dbfs -r 0
check_exit 2 'an unknown option' dbfs --frobnicate 1 g.txt
check_says 'dbfs: --frobnicate: is no option'
check_exit 2 'one that seems to take the file' dbfs -z g.txt
check_says 'dbfs: -z: is no option'
check_exit 0 '--trust takes no value' dbfs -q --trust --no-cache -r 7 -o - g.txt
rm -rf g.txt.dbfs
# STATUS NAME SAYING OPTION...: expects a refusal before shards are made
refused_before() {
    check_exit "$1" "$2" dbfs "${@:4}" g.txt
    check_says "$3"
    check "$situation: nothing was packed before the message" test ! -e g.txt.dbfs
}
refused_before 2 'a root that is no number' "-r: 'x' is not a whole number" -r x
refused_before 2 'one result for 64 roots' 'd.npy: several roots need %d in the file name; -r gives one' -o d.npy
refused_before 2 'the same on standard output' 'standard output takes the result of one root' -o -
refused_before 1 'a result in no folder' 'none/d.npy: cannot create' -r 0 -o none/d.npy
refused_before 1 'a result that exists' 'want.txt: exists already' -r 0 -o want.txt
refused_before 2 'a result that is the graph' 'g.txt: is the graph' -r 0 --force -o ./g.txt
refused_before 2 'parents that are the graph' 'g.txt: is the graph' -r 0 --force --parents=g.txt
refused_before 2 'another value of -p' "^dbfs: -p: 'x' is not a whole number" -p x -r 0
# several at once, each of which removes the folder that it made for shards
for lane in 1 2 3 4; do
    for _ in $(seq 10); do
        got=0
        dbfs -q -p x -r 0 g.txt >/dev/null 2>err.$lane || got=$?
        [ $got = 2 ] || { echo "exit $got" && cat err.$lane; }
    done >talk.$lane 2>&1 &
done
wait
check "forty that fail side by side say why ($(cat talk.? | head -c 200))" test -z "$(cat talk.?)"
check 'forty that fail side by side leave nothing' test ! -e g.txt.dbfs
mkdir n=1
check_exit 0 'a relative TMPDIR that could be an assignment' env TMPDIR=n=1 dbfs --no-cache -r 0 g.txt
check "$situation: spoils no figure" grep -qE '^root 0: [0-9]+ of [0-9]+ vertices reached, levels [0-9]+, [0-9.e-]+ s$' "$tmp/out"
mkdir ./-t
check_exit 0 'dbfs takes a TMPDIR that begins with -' env TMPDIR=-t dbfs --no-cache -r 0 g.txt
check_exit 1 'no folder for temporary files' env TMPDIR="$tmp/none" dbfs --no-cache -r 0 g.txt
check_says '^dbfs: .*/none: cannot make a folder there'
check_exit 2 'under mpiexec' env PMI_SIZE=2 dbfs -r 0 g.txt
check_says 'dbfs: is not for mpiexec, but starts it: --ranks R'
: >empty.txt
check_exit 3 'an empty file' dbfs -r 0 empty.txt
check_says '^dbfs: empty.txt: found an empty file'
check "$situation: has one message, and none of an empty pipe" test "$(wc -l <err)" = 1
check_exit 2 'a name that is empty' dbfs -r 0 ''
check_says '^dbfs: FILE: the name is empty'
check_exit 2 'a URL' dbfs -r 0 https://example.org/graph.gz
check_says "use .curl -fL 'https://example.org/graph.gz' | dbfs -."
check_exit 1 'roots in two words' dbfs -r 0 1 g.txt
check_says '^dbfs: 1: cannot read it: No such file or directory; several roots are one word: -r A,B'
mkdir without
ln -s "$(command -v bash)" "$(command -v env)" without
check_exit 1 '--ranks without an MPI' env PATH="$tmp/without" bash "$bin/dbfs" --ranks 2 g.txt
check_says '^dbfs: --ranks: mpiexec is not in PATH'
for name in 'a b.txt' 'a|b&c.txt' "it's.txt" $'new\nline.txt' 'star*.txt'; do
    cp g.txt "$name"
    check_exit 0 "a file named ${name@Q}" dbfs -q -r 7 -o - "$name"
    check "$situation: distances are right" cmp out want.txt
    check "$situation: has shards of its own" test -e "$name.dbfs"
    rm -r "$name.dbfs" "$name"
done
check_exit 0 'options in one word' dbfs -qvr7 -o - g.txt
check "$situation: all of them are obeyed" cmp out want.txt
rm -rf g.txt.dbfs
mkdir -p g.txt.dbfs/0.making.{"$HOSTNAME.$$","$HOSTNAME.99999999",other.99999999}
at_once() { until [ -e go ]; do sleep 0.01; done; dbfs -v -r 7 -o - g.txt; }
for i in {1..6}; do at_once >"out.$i" 2>"err.$i" & pids[i]=$!; done
touch go # start all at the same time
for i in {1..6}; do
    wait "${pids[i]}"
    check "six at once: number $i ends well" test $? = 0
    check "six at once: number $i finds the right distances" cmp "out.$i" want.txt
done
check 'one of them packs' test "$(cat err.? | grep -c '^dbfs: dbfs-pack\|| dbfs-pack')" = 1
check 'the others wait for it, or find the shards' test "$(grep -l 'dbfs: shards are in g.txt.dbfs/' err.? | wc -l)" = 5
check 'one set of shards is kept' test "$(ls -d g.txt.dbfs/*/shards | wc -l)" = 1
check 'what a living process makes stays, and what a dead one left goes' \
    test -e "g.txt.dbfs/0.making.$HOSTNAME.$$" -a ! -e "g.txt.dbfs/0.making.$HOSTNAME.99999999"
check 'what another host makes stays' test -e g.txt.dbfs/0.making.other.99999999
rmdir g.txt.dbfs/0.making.*
: >"$tmp/err"
{ flock 9 && touch held && wait_until grep -q 'waiting for it' "$tmp/err"; } 9<g.txt.dbfs &
wait_until test -e held
touch g.txt
check_exit 0 'another dbfs makes shards' dbfs -r 7 -o - g.txt
check_says 'dbfs: g.txt.dbfs: another dbfs makes shards there: waiting for it'
check "$situation: the search has the right distances" cmp out want.txt
cp g.txt -- -x.txt
check_exit 0 'a file named -x.txt' dbfs -q -r 7 -o - -- -x.txt
check "$situation: distances are right" cmp out want.txt
dbfs -q -r 7 -o - g.txt >out
check_exit 0 'the folder of the kept shards' dbfs -q -r 7 -o - g.txt.dbfs
check "$situation: distances are right" cmp out want.txt
check_exit 2 'a root out of range' dbfs -r 99999 g.txt
check_exit 2 '-r without a value' dbfs g.txt -r
rm -rf g.txt.dbfs
# ---- it is ended while it makes shards ----

# an edgeconv that has begun waits
mkdir slow scratch
cp "$bin/dbfs" slow
for name in "$bin"/*; do [ -e "slow/${name##*/}" ] || ln -s "$name" slow; done
rm slow/edgeconv
printf '#!/bin/sh\ntouch begun\nexec sleep 61\n' >slow/edgeconv
chmod +x slow/edgeconv
mkfifo pipe
for file in g.txt pipe; do
    for signal in TERM INT; do
        rm -f begun
        TMPDIR=$tmp/scratch env --default-signal=INT slow/dbfs -r 0 -o x $file >out 2>err &
        pid=$!
        wait_until test -e begun
        check "$file, $signal: edgeconv has begun" test -e begun
        kill -$signal $pid
        got=0
        wait $pid 2>/dev/null || got=$?
        check "dbfs ends by the signal, as a shell sees it ($got)" test $got = $([ $signal = INT ] && echo 130 || echo 143)
        check 'dbfs that ends by a signal ends edgeconv, too' test -z "$(ranks_of sleep 61)"
        check 'dbfs that ends by a signal prints nothing, as there is nothing to resume' test ! -s err
        check 'dbfs that ends by a signal leaves no shards' test -z "$(ls -A scratch; ls -d g.txt.dbfs pipe.dbfs 2>/dev/null)"
        check 'dbfs that ends by a signal leaves no result' test ! -e x
    done
done

# A shell that is about to become a program ignores signals until the first one has been sent to it.
late() {
    set -euo pipefail
    eval "$(sed -n '/^stop() {/,/^}/p' "$bin/dbfs")"
    kill() {
        builtin kill "$@"
        : >sent
    }
    (trap '' TERM && while [ ! -e sent ]; do :; done && trap - TERM && exec sleep 62) &
    stop
}
export -f late
export bin
check_exit 0 'the end of dbfs while a program starts' timeout 20 bash -c late
check 'dbfs that ends by a signal ends a program whose shell lost the signal' test -z "$(ranks_of sleep 62)"

# ---- it is ended while it waits ----

# one waits for another dbfs that makes shards, and one waits for roots
ends_waiting() { # WHAT HAS-BEGUN COMMAND...
    local name=$1 begun=$2 got=0
    shift 2
    TMPDIR=$tmp/scratch env --default-signal=INT "$@" >out 2>err &
    pid=$!
    wait_until eval "$begun"
    kill -INT $pid
    wait $pid 2>/dev/null || got=$?
    check "dbfs that waits for $name ends by Ctrl-C ($got)" test $got = 130
    check "dbfs that waits for $name leaves nothing after Ctrl-C" test -z "$(ls -A scratch)"
}
mkdir -p locked
exec 8<locked
flock 8
ends_waiting 'a lock' 'grep -q "waiting for it" err' dbfs -r 0 -o x --cache locked g.txt
exec 8<&-
ends_waiting roots '[ -n "$(ls -A scratch)" ]' dbfs -r 0 --roots-from pipe g.txt

# ---- it is ended at any moment ----

rmatgen -q -s 15 -f text -o many.txt
microseconds() { date +%s%6N; }
start=$(microseconds)
dbfs -q -r 0 -o x --no-cache many.txt
mv x whole
took=$(($(microseconds) - start))
bad='' sent=0
for share in 2 10 20 30 40 50 60 70 80 90; do
    rm -f x
    got=0
    start=$(microseconds)
    TMPDIR=$tmp/scratch env --default-signal=INT dbfs -q -r 0 -o x --no-cache many.txt >out 2>err &
    pid=$!
    sleep "$(awk -v n=$((took * share)) 'BEGIN { print n / 1e8 }')"
    kill -INT $pid 2>/dev/null
    wait $pid 2>/dev/null || got=$?
    case $got in
    0) took=$(($(microseconds) - start)) ;; # it ended before the signal: the next run counts with this time
    130) sent=$((sent + 1)); [ ! -e x ] || cmp -s x whole || bad="$bad $share:result" ;; # the result may be there if it is whole
    *) bad="$bad $share:$got" ;;
    esac
    [ -z "$(ls -A scratch)" ] || bad="$bad $share:left"
    said=$(grep -v 'wait_for: No record of process' err | head -c 200) # bash's own words, before the trap runs
    [ -z "$said" ] || bad="$bad $share:$said"
done
check "dbfs ends with 130 by Ctrl-C at any moment, and leaves nothing ($bad)" test -z "$bad"
check "most came while it worked ($sent)" test $sent -gt 4
cd "$here" || exit 1
finish
