#!/bin/bash
# serve.sh: dbfs-traverse --serve loads a graph and answers root after root from standard input.
set -u
. tests/lib.sh
bin=$(realpath "$BIN")
shim=$(realpath "$TESTS/fail_alloc.so")
graph=$PWD/datasets/wordnet-3.0.txt
cd "$tmp" || exit 1
"$bin/edgeconv" -q -u -o w.edges "$graph"
"$bin/dbfs-pack" -q -@ 1 -p 2 -o w.dbfs w.edges
traverse="$bin/dbfs-traverse"
roots='10815 0 7 117658'

# prints counts of a search without times
found() { sed -E 's/ (time_s|teps|answer_s|answer_teps) [^ ]*//g' "$@"; }
"$traverse" $(printf -- '-r %s ' $roots) --depths want-d%d.npy --parents want-p%d.npy w.dbfs | grep '^root' | found >want
printf '%s\n' $roots | "$traverse" --serve --depths d%d.npy --parents p%d.npy w.dbfs >got 2>err
check 'the end of its input ends it with exit 0, without a word' test $? = 0 -a ! -s err
check 'a line for each root, and no other, with what other searches find' cmp <(found got) want
for root in $roots; do
    check "distances from $root by name" cmp d$root.npy want-d$root.npy
    # parents may differ between runs: comparing distances proves the files, dbfs-check the trees
    check "root $root of --serve: distances and parents are a tree" "$bin/dbfs-check" -q --depths d$root.npy --parents p$root.npy --root $root w.edges
done

# A lone root is looked up among vertices; of many roots, each vertex is looked up among roots. Both find the same.
seq 0 1000 117658 >many
"$traverse" --roots-from many w.dbfs | grep '^root' | found >want-many
"$traverse" --serve w.dbfs <many | found >got-many
check 'every root of many is found, alone too' test "$(wc -l <got-many)" = 118 -a "$(cat got-many)" = "$(cat want-many)"
"$MPIEXEC" -n 2 "$traverse" --serve w.dbfs <many 2>err | found >got-many
check '--serve of several ranks finds the same from many roots' cmp got-many want-many

# ---- one at a time ----

# asks COMMAND...: sends a root, waits for its answer, and sends the second
asks() {
    coproc serve { exec "$@" 2>err; }
    local in=${serve[1]} out=${serve[0]} pid=$serve_PID
    echo 10815 >&$in
    read -r -t 60 first <&$out
    echo 7 >&$in
    read -r -t 60 second <&$out
    exec {in}>&-
    wait $pid
}
asks "$traverse" --serve w.dbfs
check '--serve answers each root before the next is asked' test $? = 0 -a "$(echo "$first" | found)" = "$(sed -n 1p want)" \
    -a "$(echo "$second" | found)" = "$(sed -n 3p want)"
asks "$MPIEXEC" -n 2 "$traverse" --serve --timeout 60 w.dbfs
check '--serve of two ranks answers each root before the next is asked' test $? = 0 -a "$(echo "$second" | found)" = "$(sed -n 3p want)"
{ echo 7; sleep 2; echo 0; } | "$MPIEXEC" -n 2 "$traverse" --serve --timeout 1 --depths late-%d.npy w.dbfs >got 2>err
check 'waiting for a root is no reason for --timeout' test $? = 0 -a "$(wc -l <got)" = 2
check 'several ranks write the same' cmp late-0.npy d0.npy

# ---- lines that are not roots ----

printf '%s\n' 10815 dog '' -1 117659 99999999999999999999 7 | "$traverse" --serve w.dbfs >got 2>err
check 'a line that is no root: exit 2 at the end' test $? = 2
cut -d ' ' -f 1-2 got >words
printf '%s\n' 'root 10815' "error 'dog'" "error '-1'" 'error w.dbfs:' 'error w.dbfs:' 'root 7' >want-words
check '--serve answers a word with the reason, and goes on' cmp words want-words
check '--serve refuses a root in the words of -r' grep -qx 'error w.dbfs: root 117659: the graph has vertices 0 to 117658' got
check '--serve says at its end that not every line was a root' grep -q 'not every line was a root' err
# lines of other bytes: each is answered by itself, so that the answers after it are those of their own lines
{
    printf '10815\r\n7\0dog\n\0\n\0007\n10\r7\n\r7\n'
    head -c 20000000 /dev/zero | tr '\0' 1
    printf '\n\n\r\n0'
} >lines
( # AddressSanitizer has much memory of its own
    grep -q __asan_init "$traverse" || ulimit -v 4000000
    exec timeout 60 "$traverse" --serve w.dbfs
) <lines >got 2>err
cut -d ' ' -f 1-2 got >words
printf '%s\n' 'root 10815' "error '7'" "error ''" "error ''" "error '10?7'" "error '?7'" 'error a' 'root 0' >want-words
check 'a line is cut neither at NUL nor at CR, and none slips' cmp words want-words
check 'a line that is too long says so' grep -qx 'error a line of 20000000 bytes: expected 16777216 at most' got
check 'the last line needs no newline' test "$(tail -n 1 got | found)" = "$(sed -n 2p want)"
touch "$(printf 'two\nlines-7.npy')"
printf '%s\n' 7 0 | "$traverse" --serve --depths "$(printf 'two\nlines-%%d.npy')" w.dbfs >got 2>err
check 'a reason is one line, whatever a file is called' test "$(cut -d ' ' -f 1-2 got)" = "error two?lines-7.npy:
root 0"
printf '%s\n' 7 0 | "$MPIEXEC" -n 2 "$traverse" --serve --depths d%d.npy w.dbfs >got 2>err
check 'a result that exists is refused, with several ranks too' test "$(cat got)" = "error d7.npy: exists already: --force replaces it
error d0.npy: exists already: --force replaces it"
touch -d @0 d7.npy
echo 7 | "$traverse" --serve --force --depths d%d.npy w.dbfs >got
check '--serve --force replaces results' test d7.npy -nt w.edges -a "$(wc -l <got)" = 1
"$bin/edgeconv" -q -u --compact=m.map -o m.edges "$graph"
"$bin/dbfs-pack" -q -@ 1 -p 1 -o m.dbfs m.edges
printf '%s\n' 10815 'no such' | "$traverse" --serve --map m.map m.dbfs >got 2>err
check 'roots by name' grep -q '^root [0-9]* .* name 10815$' got
check 'a name that is not there' grep -q '^error .*no such' got
printf 'x\ty\ny\tz\na\rb\tx\n' | "$bin/edgeconv" -q -u --compact=r.map -o r.edges -
"$bin/dbfs-pack" -q -@ 1 -p 1 -o r.dbfs r.edges
printf 'a\rb\na\n' | "$traverse" --serve --map r.map r.dbfs >got 2>err
check 'a name with CR is looked up whole' test "$(cut -d ' ' -f 1-2 got)" = "root 3
error r.map:"
# each allocation after the graph is loaded fails once; the root is there, so that the line is not what is wrong
if grep -q __asan_init "$traverse"; then
    skip 'no memory for an answer: the sanitizer has its own'
else
    serve_m() { echo 10815 | timeout 60 env LD_PRELOAD="$shim" "$@" "$traverse" -@ 1 --serve --map m.map m.dbfs >got 2>err; }
    serve_m FAIL_ALLOC_COUNT=calls
    codes=
    for ((i = $(<calls) - 11; i <= $(<calls); i++)); do
        serve_m FAIL_ALLOC=$i
        codes+=" $?:$(grep -c '^error' got)"
    done
    check "no memory for an answer: exit 5, and the line is not blamed ($codes )" \
        test -z "$(printf '%s\n' $codes | grep -vx '[05]:0')" -a -n "$(printf '%s\n' $codes | grep 5:)"
fi
# make asan sees what is not freed
echo 10815 | "$traverse" -@ 1 --serve --force --in-place --map m.map --depths /dev/full m.dbfs >got 2>err
check '--serve ends with exit 5 at a result that cannot be written, and has freed all' test $? = 5 -a ! -s got
"$traverse" --serve w.dbfs </dev/null >got
check '--serve without a root prints no line' test $? = 0 -a ! -s got

# ---- files that are written over ----

printf '%2000000s' >p.npy # longer than what comes
touch i.npy
inode=$(stat -c %i i.npy)
printf '%s\n' 7 0 | "$traverse" --serve --force --in-place --depths i.npy --parents p.npy w.dbfs >got 2>err
check '--in-place: names need no %d' test $? = 0 -a "$(wc -l <got)" = 2 -a ! -s err
check 'the file itself has the last result, and no more' cmp i.npy want-d0.npy
check '--serve --in-place writes into the file that is there' test "$(stat -c %i i.npy)" = "$inode" -a "$(stat -c %s p.npy)" = "$(stat -c %s want-p0.npy)"
: >unnamed
exec 4<>unnamed
rm unnamed
echo 7 | "$traverse" --serve --force --in-place --result-format npy --depths "/proc/$$/fd/4" w.dbfs >got 2>err
check 'a file that has no name any more is written over' cmp "/proc/$$/fd/4" want-d7.npy
exec 4<&-
rm i.npy
echo 7 | "$MPIEXEC" -n 2 "$traverse" --serve --force --in-place --depths i.npy w.dbfs >got 2>err
check 'one that is not there is made, by several ranks too' cmp i.npy want-d7.npy
echo 7 | "$MPIEXEC" -n 2 "$traverse" --serve --force --in-place --depths i.npy w.dbfs >got 2>err
check '--serve --in-place of two ranks writes into the file' cmp i.npy want-d7.npy
# ---- formats by an option ----

for format in text csv raw npy; do
    "$traverse" -q -r 7 --depths want.$format --parents /dev/null w.dbfs >/dev/null
    exec 3<>as-$format
    "$traverse" -q --force -r 7 --result-format $format --depths /dev/fd/3 w.dbfs >/dev/null
    exec 3<&-
    check "--result-format $format: the format of that suffix, under another name" cmp want.$format as-$format
done
echo 7 | "$traverse" --serve --force --in-place --result-format npy --depths i.txt w.dbfs >got 2>err
check '--serve --in-place writes .npy under another suffix' cmp i.txt want-d7.npy
check_exit 2 '--result-format parquet' "$traverse" --result-format parquet -r 1 --depths x w.dbfs

check_exit 2 '--in-place without --serve' "$traverse" --in-place --force -r 1 --depths i.npy w.dbfs
check_says 'in-place needs --serve and --force'
check_exit 2 '--in-place without --force' "$traverse" --serve --in-place --depths i.npy w.dbfs

for option in '-r 1' '-n 1' '--warm-up 1' '--json x.json' '--trace x.trace' --breakdown --count-pairs '--depths -' '--depths one.npy'; do
    check_exit 2 "--serve and $option" "$traverse" --serve $option w.dbfs
done
finish
