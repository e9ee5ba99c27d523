#!/bin/bash
# json.sh: JSON of --list and --plan has the numbers of the text; -q with a result on standard output prints the
# result alone; roots come from a file.
set -u
. tests/lib.sh
bin=$(realpath "$BIN")
PATH=$bin:$PATH
cd "$tmp" || exit 1
rmatgen -q -s 10 -o g.edges
edgeconv -q --randomize=9 -u --vertices 1024 -t edges -o r.edges <(edgeconv -q -t text g.edges)
dbfs-pack -q -p 3 -o g.dbfs g.edges
dbfs-pack -q -p 1 -t inf -o r.dbfs r.edges

valid() { # FILE
    if command -v python3 >/dev/null 2>&1; then python3 -m json.tool "$1" >/dev/null; else grep -q '^}$' "$1"; fi
}
# value FILE KEY: prints the first number of a key
value() { grep -o "\"$2\": *{\?\(\"value\": \)\?\(\"all\": \)\?[0-9]*" "$1" | head -1 | grep -o '[0-9]*$'; }

# ---- --plan ----

for tool in degsplit dbfs-pack; do
    check_exit 0 "$tool --plan" $tool --plan -p 3 -S 1G g.edges
    mv out plan.txt
    check_exit 0 "$tool --plan --json" $tool --plan --json -p 3 -S 1G g.edges
    check "$tool: is JSON" valid out
    check "$tool: has every key" test "$(grep -c '"value"' out)" = "$(wc -l <plan.txt)"
    for key in vertices edges delegates stream-bytes-read; do
        check "$tool: $key is that of the text" test "$(value out $key)" = "$(awk -v key=$key '$1 == key { print $2 }' plan.txt)"
    done
done
check_exit 2 '--json without them' dbfs-pack --json -o x g.edges
check_exit 0 'dbfs-traverse --plan' dbfs-traverse --plan g.dbfs
mv out plan.txt
check_exit 0 'dbfs-traverse --plan --json' dbfs-traverse --plan --json - g.dbfs
check "$situation: is JSON" valid out
check "$situation: has the total of the text" test "$(value out total)" = "$(awk '$1 == "total" { print $2 }' plan.txt)"
check_exit 0 'to a file' dbfs-traverse --plan --json plan.json g.dbfs
check 'file and standard output agree' bash -c 'dbfs-traverse --plan --json - g.dbfs | cmp - plan.json'

# ---- --list ----

for graph in g r; do
    check_exit 0 "--list of $graph" dbfs-pack --list $graph.dbfs
    mv out list.txt
    check_exit 0 '--list --json' dbfs-pack --list --json $graph.dbfs
    check "$situation: is JSON" valid out
    check '--list --json has the number of vertices' test "$(value out vertices)" = "$(awk '$1 == "vertices" { print $2 }' list.txt)"
    check '--list --json has the number of delegates' test "$(value out delegates)" = "$(awk '$1 == "delegates" { print $2 }' list.txt)"
    check '--list --json has all parts' test "$(grep -c '"file_bytes"' out)" = "$(ls $graph.dbfs/part-* | wc -l)"
    check "$situation: has the bytes of each part" test "$(grep -o '"file_bytes": [0-9]*' out | cut -d' ' -f2)" = "$(stat -c %s $graph.dbfs/part-*)"
done
check '--list --json has the permutation' grep -q '"randomized": {"n": 1024, "seed": 9}' out
check '--list --json has infinite TH' grep -q '"th": "inf"' out

# ---- the number of the format ----

dbfs-pack -q --layout 2d=1x1 -o grid.dbfs g.edges
# begins_with_format NAME COMMAND...: what the command prints, as JSON, begins with the number of its format
begins_with_format() {
    check_exit 0 "JSON of $1" "${@:2}"
    check "$situation: begins with the number of its format" test "$(tr -d ' \n' <out | cut -c 1-12)" = '{"format":1,'
    check "$situation: is JSON" valid out
}
begins_with_format 'degsplit --plan' degsplit --plan --json -p 3 g.edges
begins_with_format 'dbfs-pack --plan' dbfs-pack --plan --json -p 3 g.edges
begins_with_format 'dbfs-pack --list' dbfs-pack --list --json g.dbfs
begins_with_format 'dbfs-traverse --plan' dbfs-traverse --plan --json - g.dbfs
begins_with_format dbfs-components dbfs-components -q --json - g.edges
begins_with_format dbfs-traverse dbfs-traverse -q -n 2 --json - g.dbfs
begins_with_format dbfs-traverse-2d dbfs-traverse-2d -q -n 2 --json - grid.dbfs
begins_with_format dbfs-paths dbfs-paths -q -r 5 --target 6 --json - g.dbfs
begins_with_format dbfs-graph500 eval 'dbfs-graph500 -q --json g500.json g.dbfs >graph500.txt && cat g500.json'
dbfs-traverse -q -n 2 --json run.json --trace run.trace g.dbfs >summary
check 'the first line of a trace has the number of its format, and no other' \
    test "$(grep -c '"format"' run.trace) $(head -n 1 run.trace | cut -c 1-12)" = '1 {"format": 1'
for file in run.json run.trace; do
    grep -v '^  "format"' $file | sed 's/"format": 1, //' >without.$file
    sed 's/"format": 1,/"format": 2,/' $file >later.$file
    sed 's/"format": 1,/"version": {"format": 2},/' $file >within.$file
done
for words in 'dbfs-report means run.json' 'dbfs-report roots run.json' 'dbfs-report levels run.trace' 'dbfs-model predict -p 4 run.json'; do
    command=${words% *} file=${words##* }
    check_exit 0 "$words" $words
    sed "s/$file//" out >want
    for other in without within; do
        check_exit 0 "$words, $other its number" $command $other.$file
        check "$situation: prints the same" eval 'sed "s/$other.$file//" out | cmp - want'
    done
    check_exit 3 "$words of a later format" $command later.$file
    check_says "later.$file: has format 2 of JSON: this version of ${words%% *} reads format 1"
done

# ---- -q, and a result on standard output ----

dbfs-traverse -q -r 5 --depths want.txt g.dbfs >summary
check '-q with results in files prints the summary' grep -q '^NBFS: 1' summary
check_exit 0 '-q --depths -' dbfs-traverse -q -r 5 --depths - g.dbfs
check "$situation: prints the depths" cmp out want.txt
check "$situation: prints nothing to standard error" test ! -s err
check_exit 0 '--depths - without -q' dbfs-traverse -r 5 --depths - g.dbfs
check_says '^NBFS: 1'

# ---- roots from a file ----

printf '7\n\n30\r\n5' >roots
roots_of() { sed -n 's/^root \([^ ]*\) .*/\1/p' out | tr '\n' ' '; }
check_exit 0 '--roots-from' dbfs-traverse --roots-from roots g.dbfs
check "$situation: roots are searched in the order of the file ($(roots_of))" test "$(roots_of)" = '7 30 5 '
check_exit 0 'behind those of -r' dbfs-traverse -r 1,2 --roots-from roots g.dbfs
check "$situation: roots are searched in the order given ($(roots_of))" test "$(roots_of)" = '1 2 7 30 5 '
check_exit 0 'on two ranks' "$MPIEXEC" -n 3 dbfs-traverse --roots-from roots g.dbfs
check "$situation: roots are searched in the order of the file" test "$(roots_of)" = '7 30 5 '
printf 'a b\nb c d\n' | cut -d' ' -f1-2 | edgeconv -q -u --compact=n.map -o n.edges
dbfs-pack -q -o n.dbfs n.edges
printf 'c\na\n' >names
check_exit 0 'names' dbfs-traverse --map n.map --roots-from names n.dbfs
check "$situation: roots are searched in the order of the file ($(roots_of))" test "$(roots_of)" = '2 0 '
check_exit 2 'a root that is no number' dbfs-traverse --roots-from names g.dbfs
yes 1 | head -n 1048576 >most
check_exit 0 'as many roots as there may be' dbfs-traverse --dry-run --roots-from most g.dbfs
check_exit 2 'one root more than there may be, from a file and -r' dbfs-traverse --dry-run -r 1 --roots-from most g.dbfs
check_says '^dbfs-traverse: -r: more than 1048576 roots$'
echo 1 >>most
check_exit 2 'a line more' dbfs-traverse --dry-run --roots-from most g.dbfs
check_says '^dbfs-traverse: --roots-from: more than 1048576 roots$'
check_exit 0 'as many sampled roots' dbfs-traverse --dry-run -n 1048576 g.dbfs
check_exit 2 'one sampled root more than there may be' dbfs-traverse --dry-run -n 1048577 g.dbfs
check_says '^dbfs-traverse: -n: 1048577 is too large: at most 1048576$'
check_exit 2 'not with -n' dbfs-traverse -n 3 --roots-from roots g.dbfs
check_exit 1 'a missing file' dbfs-traverse --roots-from none g.dbfs
: >empty
check_exit 3 'an empty file' dbfs-traverse --roots-from empty g.dbfs
check_says 'empty: has no roots'
finish
