#!/bin/bash
# output-ways.sh: every output option of every program through every kind of destination, and all that programs print. The
# same bytes arrive as in a new file, pipes, links and devices stay what they are, and what cannot be written is an error.
#
# A new option is a row of `outputs`, another thing that is printed one of `prints`.
#
# A faulty program that root runs would replace the machine's devices. So root has a /dev of its own here, in a mount
# namespace; where there is none, nothing is written to a name in /dev. Only root can make the nodes of devices.
set -u
if [ "${1:-}" != inside ] && [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
    exec unshare -m bash "$0" inside
fi
. tests/lib.sh
nodes=$tmp stdout=/dev/stdout

# Puts a new file system with copies of the common devices in the place of /dev. Nothing of the machine's is mounted in it or in
# $tmp, whose content is removed at the end.
make_own_dev() {
    local dev=$tmp/dev i=0 link
    case $tmp in /dev/*) return 1 ;; esac
    mkdir "$dev" && mount -t tmpfs -o mode=755 none "$dev" && mkdir -m 1777 "$dev/shm" || return
    cp -a /dev/null /dev/zero /dev/full /dev/random /dev/urandom /dev/tty "$dev" && ln -s /proc/self/fd "$dev/fd" || return
    for link in stdin stdout stderr; do ln -s /proc/self/fd/$((i++)) "$dev/$link"; done
    mount --bind "$dev" /dev && umount "$dev"
}
if [ "${1:-}" = inside ] && make_own_dev 2>/dev/null; then
    nodes=/dev
elif [ "$(id -u)" = 0 ]; then
    stdout=$tmp/stdout
    ln -s /proc/self/fd/1 "$stdout"
fi
bin=$(realpath "$BIN")
here=$PWD
export PATH=$bin:$PATH OMP_NUM_THREADS=1 OMP_WAIT_POLICY=passive
cd "$tmp" || exit 1
# A picture is the script that would draw it: gnuplot takes a second for all of them, and its bytes are none of ours.
mkdir stand-in
cat >stand-in/gnuplot <<'END'
#!/bin/sh
grep -v '^set output' "$1" >"$(sed -n "s/^set output '\(.*\)'/\1/p" "$1")"
END
chmod 755 stand-in/gnuplot
PATH=$tmp/stand-in:$PATH
printf '0 1\n1 2\n2 3\n' >in.txt
printf 'example.org\t0\n' >index
edgeconv -q -u -o g.edges in.txt
dbfs-pack -q -p 1 -o g.dbfs g.edges
dbfs-pack -q --layout 2d=1x1 -o grid.dbfs g.edges
dbfs-traverse -q -r 0 --json run.json --breakdown --trace trace g.dbfs >/dev/null
dbfs-traverse -q -r 0 --depths depths g.dbfs >/dev/null
degsplit -q -o /dev/null --sweep sweep g.edges

# NAME | what differs from the rule: GROUP=EXIT | how a result is compared | the command, with @ for the output
#
# Groups of destinations: dash is -, stdout /dev/stdout, fd /dev/fd/N and >(...), fifo a named pipe, node a device.
# Results are compared as they are, or as JSON without its numbers and without the command, which names the output. A matrix is
# a table where the name of the output does not end in .npy.
outputs='
rmatgen -o              |                            | bytes | rmatgen -q -s 4 -o @
rmatgen -o, text        |                            | bytes | rmatgen -q -s 4 -f text -o @
edgeconv -o             |                            | bytes | edgeconv -q -u -o @ in.txt
edgeconv -o, text       |                            | bytes | edgeconv -q -t text -o @ g.edges
edgeconv -o, sg         | dash=2 stdout=2 fd=2 fifo=2 node=2 | bytes | edgeconv -q -t sg -o @ g.edges
edgeconv --compact      |                            | bytes | edgeconv -q -u -o /dev/null --compact=@ in.txt
edgeconv -f wdc-index   |                            | bytes | edgeconv -q -f wdc-index -o @ index
degsplit -o             |                            | bytes | degsplit -q -t 1 -o @ g.edges
degsplit --sweep        |                            | bytes | degsplit -q -o /dev/null --sweep @ g.edges
dbfs-components -o      |                            | bytes | dbfs-components -q -o @ g.edges
dbfs-components --sizes |                            | bytes | dbfs-components -q --sizes @ g.edges
dbfs-components --histogram |                        | bytes | dbfs-components -q --histogram @ g.edges
dbfs-components --largest |                          | bytes | dbfs-components -q --largest @ g.edges
dbfs-components --json  |                            | json  | dbfs-components -q --json @ g.edges
dbfs-traverse --depths  |                            | bytes | dbfs-traverse -q -r 0 --depths @ g.dbfs
dbfs-traverse --parents |                            | bytes | dbfs-traverse -q -r 0 --parents @ g.dbfs
dbfs-traverse --nearest |                            | bytes | dbfs-traverse -q -r 0,3 --together --nearest @ g.dbfs
dbfs-traverse --list-reached |                       | bytes | dbfs-traverse -q -r 0 --list-reached @ g.dbfs
dbfs-traverse --json    |                            | json  | dbfs-traverse -q -r 0 --json @ g.dbfs
dbfs-traverse --trace   |                            | json  | dbfs-traverse -q -r 0 --trace @ g.dbfs
dbfs-traverse --plan --json |                        | json  | dbfs-traverse -q --plan --json @ g.dbfs
dbfs-traverse-2d --depths |                          | bytes | dbfs-traverse-2d -q -r 0 --depths @ grid.dbfs
dbfs-traverse-2d --json |                            | json  | dbfs-traverse-2d -q -r 0 --json @ grid.dbfs
dbfs-traverse-2d --trace |                           | json  | dbfs-traverse-2d -q -r 0 --trace @ grid.dbfs
dbfs-graph500 --json    | dash=2 stdout=2            | json  | dbfs-graph500 -q -n 1 --no-energy --json @ g.dbfs
dbfs-paths --json       |                            | json  | dbfs-paths -q -r 0 --target 3 --json @ g.dbfs
dbfs-batch --depths     |                            | bytes | dbfs-batch -q -r 0 --depths @ g.dbfs
dbfs-batch --depths, a matrix | fifo=2 node=2            | matrix | dbfs-batch -q -r 0,1 --depths @.npy g.dbfs
dbfs-batch --parents    |                            | bytes | dbfs-batch -q -r 0 --parents @ g.dbfs
dbfs-batch --centrality |                            | bytes | dbfs-batch -q -n all --centrality @ g.dbfs
dbfs-batch --centrality --resume | dash=2 stdout=2 fd=2 fifo=2 node=2 | bytes | dbfs-batch -q -n all --centrality @ --resume g.dbfs
dbfs-batch --sample     |                            | bytes | dbfs-batch -q --sample 3 --centrality @ g.dbfs
dbfs-batch --reached    |                            | bytes | dbfs-batch -q -n all --reached @ g.dbfs
dbfs-batch --depths -t  |                            | bytes | dbfs-batch -q -r 0,1 -t 2,3 --depths @ g.dbfs
dbfs-batch --hops       |                            | bytes | dbfs-batch -q -n all --hops @ g.dbfs
dbfs-diameter --all     |                            | bytes | dbfs-diameter -q --all @ g.dbfs
dbfs-diameter --json    |                            | json  | dbfs-diameter -q --json @ g.dbfs
dbfs-report plot -o     | dash=0 stdout=2 fd=2       | picture | dbfs-report plot -o @.svg trace
dbfs-model weak -o      | dash=0 stdout=2 fd=2       | picture | dbfs-model weak --rmat 4 -t 4 -o @.svg
dbfs -o                 |                            | bytes | dbfs -q -r 0 -o @ g.dbfs
dbfs -o, without -q     |                            | bytes | dbfs -r 0 -o @ g.dbfs
dbfs --parents          |                            | bytes | dbfs -q -r 0 --parents @ g.dbfs
dbfs --nearest          |                            | bytes | dbfs -q -r 0 -r 3 --together --nearest @ g.dbfs
dbfs --list-reached     |                            | bytes | dbfs -q -r 0 --list-reached @ g.dbfs
dbfs --json             |                            | json  | dbfs -q -r 0 --json @ g.dbfs
dbfs --trace            |                            | json  | dbfs -q -r 0 --trace @ g.dbfs
dbfs --centrality       |                            | bytes | dbfs -q -n all --centrality @ g.dbfs
'

# What programs print on standard output.
prints='
rmatgen
rmatgen --help
edgeconv in.txt
edgeconv --version
degsplit -t 1 g.edges
degsplit --plan g.edges
dbfs-pack --plan g.edges
dbfs-pack --list g.dbfs
dbfs-pack --list --json g.dbfs
dbfs-check -r 0 --depths depths g.edges
dbfs-components g.edges
dbfs-traverse -r 0 g.dbfs
dbfs-traverse --plan g.dbfs
dbfs-traverse --help=all
dbfs-traverse-2d -r 0 grid.dbfs
dbfs-graph500 -n 1 --no-energy g.dbfs
dbfs-paths -r 0 --target 3 g.dbfs
dbfs-batch -n all g.dbfs
dbfs-diameter -q g.dbfs
dbfs-report --help
dbfs-report --version
dbfs-report graph500 run.json
dbfs-report means run.json
dbfs-report compare run.json run.json
dbfs-report roots run.json
dbfs-report exchange run.json
dbfs-report options run.json
dbfs-report levels trace
dbfs-report plot trace
dbfs-report plot -o - sweep
dbfs-model --help
dbfs-model rates
dbfs-model rmat --rmat 4 -t 4
dbfs-model predict -p 4 --rmat 20
dbfs-model weak -o - --rmat 4 -t 4
dbfs-model check run.json
dbfs --help
dbfs -r 0 g.dbfs
dbfs -q -r 0 --target 3 g.dbfs
'

# ---- a row ----

# take_row LINE: sets name, differs, kind, command, and the ending of file names
take_row() {
    local words
    IFS='|' read -r name differs kind words <<<"$1"
    read -r name <<<"$name"
    read -r kind <<<"$kind"
    read -r -a command <<<"$words"
    ending=
    case $words in *@.*) ending=${words#*@}; ending=${ending%% *} ;; esac
    case $words in *@.*) command=("${command[@]/@$ending/@}") ;; esac
}

# to OUTPUT [OPTION]: runs the command of the row with this output; sets `code`
to() {
    code=0
    timeout 30 "${command[@]/@/$1}" "${@:2}" || code=$?
}

# expects GROUP: prints the exit status that the row has for destinations of this group
expects() {
    local word
    for word in $differs; do [ "${word%=*}" != "$1" ] || { echo "${word#*=}"; return; }; done
    echo 0
}

# compare_json FILE: leaves what does not change from run to run
compare_json() { sed -i -E 's/"command": \[[^]]*\]//; s/[-+.0-9]+(e[-+]?[0-9]+)?/N/g' "$1"; }

same_bytes() { # WAY FILE
    [ "$kind" != json ] || compare_json "$2"
    check "$name to $1 has the bytes of a new file" cmp want "$2"
}

# arrived WAY GROUP FILE: the result in FILE is that of a new file, or the group is refused as the row says
arrived() {
    local want
    want=$(expects "$2")
    check "$name to $1: exit $want ($code)" test "$code" = "$want"
    if [ "$kind" = matrix ] && [ "$want" = 0 ] && [ "$2" != file ]; then
        check "$name to $1 has the bytes of a table" cmp <(dbfs-batch -q -r 0,1 --depths - g.dbfs) "$3"
    elif [ "$want" = 0 ] && [ "$kind $1" != 'picture -' ]; then
        same_bytes "$1" "$3"
    fi
}

# ---- destinations ----

standard_output() {
    to - >got 2>err </dev/null
    arrived - dash got
    to "$stdout" 2>err </dev/null > >(cat >got)
    wait $!
    arrived '/dev/stdout, a pipe' stdout got
    ln -sfn "$stdout" "own$ending"
    to "own$ending" 2>err </dev/null > >(cat >got)
    wait $!
    if [ "$kind" = picture ]; then # behind the table that dbfs-model prints; the link has an ending
        tail -c "$(stat -c %s want)" got >end && mv end got
        arrived 'a link to /dev/stdout, a pipe' file got
    elif [ "$kind" = matrix ]; then # the link has an ending
        check "$name to a link to /dev/stdout, a pipe: exit 2 ($code)" test "$code" = 2
    else
        arrived 'a link to /dev/stdout, a pipe' stdout got
    fi
    echo before >got
    to "$stdout" >>got 2>err </dev/null
    [ "$code" != 0 ] || check "$name to /dev/stdout, a file: goes behind what is there" test "$(head -n 1 got)" = before
    sed -i 1d got
    arrived '/dev/stdout, a file' stdout got
}

descriptors() {
    exec 7> >(cat >got)
    to /dev/fd/7 >talk 2>err </dev/null
    exec 7>&-
    wait $!
    arrived '/dev/fd/7, a pipe' fd got
    exec 7>got
    to /dev/fd/7 >talk 2>err </dev/null
    exec 7>&-
    arrived '/dev/fd/7, a file' fd got
    to >(cat >got) >talk 2>err </dev/null
    wait $!
    arrived '>(...)' fd got
}

named_pipe() {
    rm -f "fifo$ending"
    mkfifo "fifo$ending"
    exec 8<>"fifo$ending" 9<"fifo$ending" # open at both ends, so that no reader is left behind where it is refused
    cat <&9 >got 8>&- &
    to "fifo$ending" >talk 2>err </dev/null 8>&- 9<&-
    check "$name: a fifo stays one" test -p "fifo$ending"
    exec 8>&- 9<&-
    wait $!
    arrived 'a fifo' fifo got
}

links() {
    echo kept >"target$ending"
    ln -sfn "target$ending" "link$ending"
    to "link$ending" >talk 2>err </dev/null
    check "$name to a link: exit 1 ($code)" test "$code" = 1
    check "$name: what it names is as it was" test "$(cat "target$ending")" = kept
    to "link$ending" --force >talk 2>err </dev/null
    check "$name: a link stays one" test -L "link$ending"
    arrived 'a link with --force' file "target$ending"
    rm -f "later$ending"
    ln -sfn "later$ending" "link$ending"
    to "link$ending" >talk 2>err </dev/null
    check "$name: a link to nothing stays one" test -L "link$ending"
    arrived 'a link to nothing' file "later$ending"
}

devices() {
    local want null=$nodes/own-null$ending full=$nodes/own-full$ending
    rm -f "$null" "$full"
    if ! mknod -m 666 "$null" c 1 3 2>/dev/null || ! mknod -m 666 "$full" c 1 7 || ! { true >"$null"; } 2>/dev/null; then
        no_nodes=1
        return
    fi
    to "$null" --force >talk 2>err </dev/null
    want=$(expects node)
    check "$name to a device: exit $want ($code)" test "$code" = "$want"
    to "$full" >talk 2>err </dev/null
    [ "$want" != 0 ] || want=5
    check "$name to a full device: exit $want ($code)" test "$code" = "$want"
    [ "$want" != 5 ] || check "$name to a full device: the message names the cause" grep -q 'No space left on device' err
    check "$name: devices stay devices" test -c "$null" -a -c "$full"
}

closed() {
    local want
    want=$(expects fd)
    [ "$want" != 0 ] || want=1
    exec 7> >(:)
    wait $!
    to /dev/fd/7 >talk 2>err </dev/null
    exec 7>&-
    check "$name to a closed pipe: exit $want ($code)" test "$code" = "$want"
    [ "$want" != 1 ] || check "$name to a closed pipe: prints no message" test ! -s err
    local command=("${command[@]/#-q/-v}") # so that there are messages that could go into the result
    rm -f "new$ending"
    to "new$ending" >talk <&- 2>&-
    arrived 'a file, with descriptors 0 and 2 closed' file "new$ending"
    rm -f "new$ending"
    to - <&- 2>&- | cat >got
    [ "$(expects dash)" != 0 ] || [ "$kind" = picture ] || [ "$kind" = matrix ] || same_bytes '-, with descriptors 0 and 2 closed' got
}

no_nodes=
while read -r line; do
    [ -n "$line" ] || continue
    take_row "$line"
    rm -f "first$ending"
    to "first$ending" >talk 2>err </dev/null
    check "$name to a new file: exit 0 ($code)" test "$code" = 0
    mv "first$ending" want
    [ "$kind" != json ] || compare_json want
    check "$name: has a result" test -s want
    standard_output
    descriptors
    named_pipe
    links
    devices
    closed
    check "$name: leaves nothing behind" test -z "$(find . -name '.*.??????' -o -name '*.part')"
done <<<"$outputs"
[ -z "$no_nodes" ] || skip 'outputs to devices: only root can make nodes'

# ---- shards are files in a folder ----

mkfifo pack-fifo
echo kept >pack-file
mkdir pack-folder
ln -s pack-folder pack-link
for destination in pack-file pack-fifo - "$stdout" "$nodes/own-null"; do
    [ "$destination" != "$nodes/own-null" ] || [ -c "$destination" ] || continue
    timeout 30 dbfs-pack -q --force -o "$destination" g.edges >talk 2>err </dev/null
    code=$?
    check "dbfs-pack -o $destination: is refused ($code)" test $code = 1 -o $code = 2
done
check 'what is no folder is as it was' test -p pack-fifo -a "$(cat pack-file)" = kept
[ ! -e "$nodes/own-null" ] || check 'outputs that are refused leave a device a device' test -c "$nodes/own-null"
check_exit 0 'dbfs-pack -o a link to a folder' timeout 30 dbfs-pack -q -o pack-link g.edges
check "$situation: the link stays, and the folder has the shards" test -L pack-link -a -s pack-folder/manifest

# ---- what is printed ----

while read -r -a command; do
    [ ${#command[@]} != 0 ] || continue
    name=${command[*]}
    [ "$name" != rmatgen ] || command=(rmatgen -s 4)
    to @ >want 2>err </dev/null
    check "$name: exit 0 ($code)" test "$code" = 0
    check "$name prints something" test -s want
    to @ >/dev/full 2>err </dev/null
    check "$name on a full disk: exit 5 ($code)" test "$code" = 5
    check "$name on a full disk: the message names the cause" grep -q 'No space left on device' err
    exec 7> >(:)
    wait $!
    to @ >&7 2>err </dev/null
    exec 7>&-
    check "$name into a closed pipe: exit 1, or by the signal ($code)" test "$code" = 1 -o "$code" = 141
    check "$name into a closed pipe: prints no message" test -z "$(grep -v ': [0-9]* edges' err)"
    to @ >&- 2>err </dev/null
    check "$name with standard output closed: exit 1 ($code)" test "$code" = 1
done <<<"$prints"

# ---- an output that is given twice ----

while read -r -a command; do
    [ ${#command[@]} != 0 ] || continue
    name="${command[*]}"
    rm -rf once twice
    check_exit 2 "$name: given twice" timeout 30 "${command[@]}"
    check_says "is given twice, as 'once.*' and as 'twice.*'"
    check "$situation: neither output is made" test ! -e once -a ! -e twice
done <<'END'
rmatgen -s 4 -o once --output twice
edgeconv -u -o once -o twice in.txt
edgeconv -u -o /dev/null --compact=once --compact=twice in.txt
degsplit -o once -o twice g.edges
degsplit -o /dev/null --sweep once --sweep twice g.edges
dbfs-pack -o once -o twice g.edges
dbfs-components -o once --output twice g.edges
dbfs-components --sizes once --sizes twice g.edges
dbfs-components --largest once --largest twice g.edges
dbfs-components --json once --json twice g.edges
dbfs-traverse -r 0 --depths once --depths twice g.dbfs
dbfs-traverse -r 0 --parents once --parents twice g.dbfs
dbfs-traverse -r 0,3 --together --nearest once --nearest twice g.dbfs
dbfs-traverse -r 0 --list-reached once --list-reached twice g.dbfs
dbfs-traverse -r 0 --json once --json twice g.dbfs
dbfs-traverse -r 0 --trace once --trace twice g.dbfs
dbfs-traverse-2d -r 0 --depths once --depths twice grid.dbfs
dbfs-graph500 -n 1 --json once --json twice g.dbfs
dbfs-paths -r 0 --target 1 --json once --json twice g.dbfs
dbfs-diameter --all once --all twice g.dbfs
dbfs-diameter --json once --json twice g.dbfs
dbfs-diameter --resume once --resume twice g.dbfs
dbfs-batch -n all --centrality once --centrality twice g.dbfs
dbfs-batch -n all --reached once --reached twice g.dbfs
dbfs-batch -n all --hops once --hops twice g.dbfs
dbfs-report plot -o once.svg -o twice.svg trace
dbfs-model weak --rmat 20 -o once.svg --output twice.svg
END

# two outputs to one place
exec 7> >(:)
check_exit 2 'two results in one descriptor' dbfs-traverse -q -r 0 --depths /dev/fd/7 --json /dev/fd/7 g.dbfs
exec 7>&-
check_exit 2 'two results on standard output, under two names' dbfs-traverse -q -r 0 --depths - --parents "$stdout" g.dbfs
check_exit 2 'edges and map on standard output, under two names' edgeconv -u -o "$stdout" --compact=- in.txt
check_exit 2 'two results in a fifo' dbfs-traverse -q -r 0 --depths fifo --parents ./fifo g.dbfs
check_exit 0 'two results in /dev/null' dbfs-traverse -q -r 0 --depths /dev/null --parents /dev/null g.dbfs
check_exit 1 'a descriptor that is not open' dbfs-traverse -q -r 0 --depths /dev/fd/77 g.dbfs
check_exit 1 'a descriptor that is open for reading' rmatgen -q -s 4 -o /dev/fd/0
cd "$here" || exit 1
finish
