#!/bin/bash
# overwrite.sh: all programs have one rule for outputs: a file that exists is replaced only with --force, and an
# output that cannot be written is refused before the work begins.
set -u
. tests/lib.sh
bin=$(realpath "$BIN")
here=$PWD
cd "$tmp" || exit 1
printf '0 1\n1 2\n2 3\n' >in.txt
"$bin/edgeconv" -q -u -o g.edges in.txt
"$bin/dbfs-pack" -q -p 1 -o g.dbfs g.edges

device=$(own_null)
[ -n "$device" ] || skip 'outputs to a device: no node can be made'
# one_rule NAME OPTION FILE COMMAND...: adds OPTION FILE to the command and tries each case
one_rule() {
    local name=$1 option=$2 file=$3
    shift 3
    rm -f made "$file"
    "$@" ${option}made >/dev/null || fail "$name: runs"
    echo kept >"$file"
    check_exit 1 "$name refuses a file that exists" "$@" "$option$file"
    check_says "$file: exists already: --force replaces it"
    check "$name: the file is as it was" test "$(cat "$file")" = kept
    ln -sf "$file" link
    check_exit 1 "$name refuses a link to one" "$@" "${option}link"
    check_exit 0 "$name --force replaces it" "$@" --force "$option$file"
    check "$name --force: by the result" cmp -s made "$file"
    [ -z "$device" ] || check_exit 0 "$name writes to a device" "$@" "$option$device"
    check_exit 1 "$name refuses a missing folder" "$@" "${option}none/$file"
    check "$name leaves nothing behind" test -z "$(find . -name ".*.??????")"
}
one_rule 'rmatgen -o' --output= x.edges "$bin/rmatgen" -q -s 4
one_rule 'edgeconv -o' --output= x.edges "$bin/edgeconv" -q -u in.txt
one_rule 'edgeconv --compact' --compact= x.map "$bin/edgeconv" -q -u -o /dev/null in.txt
printf 'example.org\t0\n' >index
one_rule 'edgeconv -f wdc-index' --output= x.map "$bin/edgeconv" -q -f wdc-index index
one_rule 'degsplit -o' --output= x.split "$bin/degsplit" -q -t 1 g.edges
one_rule 'degsplit --sweep' --sweep= x.tsv "$bin/degsplit" -q -t 1 -o /dev/null g.edges
one_rule 'dbfs-components -o' --output= x.txt "$bin/dbfs-components" -q g.edges
one_rule 'dbfs-components --largest' --largest= x.edges "$bin/dbfs-components" -q g.edges
for option in --depths= --parents=; do
    one_rule "dbfs-traverse $option" $option x.txt "$bin/dbfs-traverse" -q -r 0 g.dbfs
done
one_rule 'dbfs-batch --centrality' --centrality= x.txt "$bin/dbfs-batch" -q -n all g.dbfs
echo kept >x.json
check_exit 1 'dbfs-traverse --json refuses a file that exists' "$bin/dbfs-traverse" -q -r 0 --json x.json g.dbfs
check_exit 0 'dbfs-traverse --json replaces a file with --force' "$bin/dbfs-traverse" -q -r 0 --force --json x.json g.dbfs
check "$situation: the file is a report" grep -q environment x.json
check_exit 1 'dbfs-graph500 --json refuses it too' "$bin/dbfs-graph500" -q -n 1 --no-energy --json x.json g.dbfs
check_says 'x.json: exists already: --force replaces it'
check_exit 0 'dbfs-graph500 --json replaces a file with --force' "$bin/dbfs-graph500" -q -n 1 --no-energy --force --json x.json g.dbfs
check "$situation: the file has what the block is computed from" grep -q '"command": \[".*dbfs-graph500"' x.json
echo kept >x.jsonl
check_exit 1 'dbfs-traverse --trace refuses a file that exists' "$bin/dbfs-traverse" -q -r 0 --trace x.jsonl g.dbfs
check "$situation: the file is as before" test "$(cat x.jsonl)" = kept
check_exit 0 'dbfs-traverse --trace replaces a file with --force' "$bin/dbfs-traverse" -q -r 0 --force --trace x.jsonl g.dbfs
check "$situation: the file has levels" grep -q '"level"' x.jsonl
# an output is no program that runs with the rights of its writer
echo old >special
chmod 7777 special
check_exit 0 'a file with setuid, setgid and sticky bits is replaced' "$bin/rmatgen" -q -s 4 --force -o special
check "$situation: the new file has none of these bits" test "$(stat -c %a special)" = 777
if chown 12345 special 2>/dev/null; then
    chmod 6666 special
    check_exit 0 'a file of another user is replaced' "$bin/dbfs-batch" -q -r 0 --force --centrality special g.dbfs
    check "$situation: nobody else may write the new file" test "$(stat -c '%a %u' special)" = "644 $(id -u)"
else
    skip 'a file of another user as an output: only root can make one'
fi
ln -s later nowhere
check_exit 0 'a link to nothing' "$bin/rmatgen" -q -s 4 -o nowhere
check 'stays, and what it names is made' test -L nowhere -a -s later
mkfifo fifo
(cat fifo >from-fifo) &
check_exit 0 'a named pipe is no file' "$bin/edgeconv" -q -u -t text -o fifo in.txt
wait
check "$situation: the pipe gets all lines" test "$(wc -l <from-fifo)" = 3

# each root has a result; if one of them exists, nothing is searched or written
echo kept >d2.txt
check_exit 1 'a name of a root' "$bin/dbfs-traverse" -r 1,2,3 --depths d%d.txt g.dbfs
check_says 'd2.txt: exists already'
check "$situation: nothing is written" test ! -e d1.txt -a ! -e d3.txt -a "$(cat d2.txt)" = kept
check "$situation: nothing is searched" test -z "$(grep '^root' out)"
check_exit 0 'with --force' "$bin/dbfs-traverse" -q -r 1,2,3 --force --depths d%d.txt g.dbfs
check 'all are written' test "$(cat d1.txt d2.txt d3.txt | wc -l)" = 12
check_exit 1 'a result in a missing folder' "$bin/dbfs-traverse" -r 0 --depths none/d.npy g.dbfs
check "$situation: nothing is searched" test -z "$(grep '^root' out)"
check_exit 1 'a folder as a result' "$bin/dbfs-traverse" -r 0 --json . g.dbfs
check "$situation: nothing is searched" test -z "$(grep '^root' out)"
check_exit 1 'two ranks' "$MPIEXEC" -n 2 "$bin/degsplit" -q -t 1 -o x.split g.edges
check_says 'x.split: exists already'
cd "$here" || exit 1
finish
