#!/bin/bash
# read-once.sh: inputs that can be read only once (standard input, /dev/stdin, <(...), a fifo) give the result of the
# file, in each program that reads graphs, results or roots. Nothing is kept under the name of a pipe.
set -u
. tests/lib.sh
bin=$(realpath "$BIN")
mutate=$(realpath "$TESTS/mutate")
here=$PWD
PATH=$bin:$PATH
cd "$tmp" || exit 1
mkdir scratch
export TMPDIR=$tmp/scratch

# ---- one graph in several formats ----

rmatgen -q -s 9 -f text -o text
gzip -c text >gzip
awk '{ row[NR] = $1 + 1; column[NR] = $2 + 1; for (i = 1; i < 3; i++) if ($i >= n) n = $i + 1 }
    END { print "%%MatrixMarket matrix coordinate pattern general"; print n, n, NR
          for (i = 1; i <= NR; i++) print row[i], column[i] }' text >mtx
edgeconv -q -u -o stream text
edgeconv -q --direction directed -o arcs text
awk '{ print } $1 != $2 { print $2 "\t" $1 }' text >both
edgeconv -q --direction directed -o symmetric both
"$mutate" poke 12 4 1 symmetric
dbfs-pack -q -o shards stream
dbfs-traverse -q -r 7 --depths want shards >/dev/null
edgeconv -q -u -t text -o want.text text

# each_way NAME FILE COMMAND...: runs the command once for each way to pass FILE, whose name is @ among the words
each_way() {
    local name=$1 file=$2 way
    shift 2
    for way in file - /dev/stdin '<()' fifo; do
        rm -f out pipe # outputs of the last way
        case $way in
        file) timeout 60 "${@//@/$file}" >out 2>err ;;
        -) cat "$file" | timeout 60 "${@//@/-}" >out 2>err ;;
        /dev/stdin) cat "$file" | timeout 60 "${@//@//dev/stdin}" >out 2>err ;;
        '<()') with_substitution "$file" "$@" >out 2>err ;;
        fifo)
            mkfifo pipe
            feed "$file" pipe &
            timeout 60 "${@//@/pipe}" >out 2>err
            ;;
        esac
        check "$name by $way" matches
        [ $way != fifo ] || wait
    done
}
feed() { timeout 60 sh -c 'cat "$1" >"$2"' - "$1" "$2"; } # ends, too, if nobody reads
with_substitution() { # FILE COMMAND...
    local file=$1
    shift
    exec 7< <(cat "$file")
    timeout 60 "${@//@//dev/fd/7}"
    exec 7<&-
}

for format in text gzip mtx stream arcs symmetric; do
    root=7
    if [ $format = mtx ]; then # its ids begin at 1
        root=8
        matches() { cmp <(awk -v OFS='\t' '{ print $1 - 1, $2 }' out) want; }
    else
        matches() { cmp out want; }
    fi
    each_way "dbfs: $format" $format dbfs -q -r $root -o - @
done
check 'nothing is kept under the name of a pipe' test -z "$(ls -d ./*.dbfs | grep -vE '/(text|gzip|mtx|stream|arcs|symmetric)\.dbfs$')"
check 'no temporary folder of a pipe is left' test -z "$(ls -A scratch)"

# an undirected edge has one record, in whichever form it came
edges_of() { sed -n 's/^root .* edges \([0-9]*\) .*/\1/p'; }
edges=$(dbfs-traverse -r 7 shards 2>/dev/null | edges_of)
for format in stream arcs symmetric; do
    matches() { test "$(edges_of <out)" = "$edges"; }
    each_way "edges of $format" $format dbfs -v -r 7 @
done

# ---- names, options, two inputs, two graphs under one name ----

sed 's/[0-9][0-9]*/v&/g' text >names
dbfs -q --compact -r v7 -o want.names names >/dev/null
matches() { cmp out want.names; }
each_way 'dbfs --compact' names dbfs -q --compact -r v7 -o - @
matches() { test "$(wc -l <out)" = 600; }
each_way 'an option of edgeconv is not lost' stream dbfs -q --vertices 600 -r 7 -o - @
split -n l/2 text part.
matches() { cmp out want; }
each_way 'a pipe beside a file' part.ab dbfs -q -r 7 -o - part.aa @
one() { printf '0 1\n1 2\n'; }
two() { printf '2 0\n2 5\n'; }
mkfifo both.fifo
for graph in one two one; do
    $graph >"$graph.list"
    feed "$graph.list" both.fifo &
    check_exit 0 "graph $graph by the same fifo" timeout 30 dbfs -q -r 2 -o - both.fifo
    check "$situation: the answer is that of the graph" cmp out <(dbfs -q -r 2 -o - "$graph.list")
    wait
done
cp one.list same
touch -d 2020-01-01 same
dbfs -q -r 2 -o one.depths same >/dev/null
check 'a pipe under another name is no file of that name' test "$(ls same.dbfs | wc -l)" = 1
check_exit 2 '--cache with a pipe' dbfs -q --cache kept -r 7 -o - both.fifo
check_says 'dbfs: --cache: shards of a pipe are not kept'
check "$situation: nothing was packed before the message" test ! -e kept

# ---- one pipe as two inputs: each would get some of its bytes ----

twice() { cat text | timeout 30 "$@"; }
check_exit 2 'edgeconv: one pipe by two names' twice edgeconv -q -u -t text - /dev/stdin
check_says '/dev/stdin: is given twice, before as standard input, and can be read once'
check "$situation: nothing is written" test ! -s out
check_exit 2 'dbfs: likewise' twice dbfs -q -r 7 -o - /dev/stdin -
check_says 'standard input: is given twice, before as /dev/stdin'

# ---- the other programs ----

matches() { cmp out want.text; }
for format in text gzip mtx stream; do
    each_way "edgeconv: $format" $format edgeconv -q -u --base 0 -t text @
done
degsplit -q -o want.split stream
matches() { cmp out want.split; }
each_way 'degsplit' stream degsplit -q -o - @
matches() { diff -r packed shards >&2 && rm -r packed; }
each_way 'dbfs-pack' stream dbfs-pack -q -o packed @
dbfs-pack -q -s want.split -o by-split stream
matches() { diff -r packed by-split >&2 && rm -r packed; }
each_way 'dbfs-pack -s' want.split dbfs-pack -q -s @ -o packed stream
matches() { test ! -s err; }
each_way 'dbfs-check: edges' stream dbfs-check -q -r 7 --depths want @
each_way 'dbfs-check: depths' want dbfs-check -q -r 7 --depths @ stream
sed '9s/\t.*/\t77/' want >wrong
matches() { grep -q 'vertex 8\|edge' err; }
each_way 'dbfs-check: wrong depths' wrong dbfs-check -q -r 7 --depths @ stream

# ---- roots ----

printf '7\n3\n' >roots
matches() { test "$(sed -n 's/^root \([0-9]*\) .*/\1/p' out | paste -sd' ')" = '7 3'; }
each_way 'dbfs-traverse: roots' roots dbfs-traverse --roots-from @ shards
each_way 'dbfs: roots' roots dbfs -v --roots-from @ text
many() { cat roots | timeout 60 "$MPIEXEC" -n 2 "$bin/dbfs-traverse" -q --roots-from /dev/stdin shards; }
check_exit 2 'roots of two ranks from a pipe' many
check_says '/dev/stdin: under mpiexec, give a file that all ranks can read'
check 'no temporary folder is left' test -z "$(ls -A scratch)"
cd "$here" || exit 1
finish
