#!/bin/bash
# pack-digests.sh: digests of streams, splits and packed graphs are those of tests/pack-digests.tsv. Each is made in
# other ways, too, which must not change the bytes: ranks, threads, little memory, pipes, a given split. After a
# deliberate change of a format, write the table again; its diff shows the changes:
#   BUILD=build bash tests/cli/pack-digests.sh --write
#
# A line of the table has columns separated by tabs: program, graph, options, ways, digest; "-" is none. The program
# runs in an empty folder, and the digest covers names and bytes of all files there; for dbfs-pack these are the
# manifest and all parts. Nothing is left out, since formats hold no dates, paths or numbers of threads. With --list
# the digest is that of its output for the graph that the other options make.
set -u
in_memory_mib=512 # packs hundreds of graphs, and each is synced
. tests/lib.sh
. tests/layouts.sh
export LC_ALL=C
table=$PWD/tests/pack-digests.tsv
bin=$(realpath "$BIN")
mkgraph=$(realpath "$TESTS/mkgraph")
mkdir "$tmp/g" "$tmp/spill"
g=$tmp/g

# ---- graphs ----

text() { # NAME KIND ARGUMENTS...: makes g/NAME.txt and g/NAME.edges, which is undirected-once
    "$mkgraph" "${@:2}" >"$g/$1.txt"
    "$bin/edgeconv" -q -u -o "$g/$1.edges" "$g/$1.txt"
}
for scale in 10 12 17; do
    "$bin/rmatgen" -q -s $scale -o "$g/rmat$scale.edges"
done
"$bin/rmatgen" -q -s 11 -e 5 --params .25,.25,.25 -o "$g/uniform.edges"
text star star 3000
text path path 5000
text grid grid 40 57
text multi multi 700 9000 1
text components components
text hubs twostars 1500
text complete complete 60
text tree tree 11
text bipartite bipartite 3 800
text cycle cycle 129
"$bin/edgeconv" -q -u --vertices 20000 -o "$g/isolated.edges" "$g/multi.txt"
"$bin/edgeconv" -q -u --randomize=5 -o "$g/random.edges" "$g/multi.txt"
"$bin/rmatgen" -q -s 10 -f text |
    awk '{ print $1 "\t" $2; if ($1 != $2) print $2 "\t" $1 }' >"$g/symmetric.txt"
"$bin/edgeconv" -q --direction directed "$g/symmetric.txt" | as_symmetric >"$g/symmetric.edges"
printf '3 3\n3 3\n' | "$bin/edgeconv" -q -u --vertices 5 -o "$g/loop.edges"
printf '4 3\n' | "$bin/edgeconv" -q -u -o "$g/one.edges"
# the ids are so far apart that those which occur are listed
awk 'BEGIN { for (i = 0; i < 30000; i++) print i * 7919 % 8999993, i * i % 1009 * 8999 }' >"$g/sparse.txt"
"$bin/edgeconv" -q -u -o "$g/sparse.edges" "$g/sparse.txt"

# inputs of edgeconv, in the layouts of layouts.sh
grep -v '^#' "$g/components.txt" | tr '\t' ' ' >"$g/pairs"
snap "$g/pairs" >"$g/snap.txt"
{ echo 'from,to'; tr ' ' ',' <"$g/pairs"; } >"$g/csv.txt"
matrix general real 1002 "$g/pairs" >"$g/general.mtx"
matrix symmetric pattern 1002 "$g/pairs" >"$g/symmetric.mtx"
road 1002 "$g/pairs" >"$g/road.gr"
serialised 1 1002 "$g/pairs" >"$g/arcs.sg"
printf '%% METIS\n4 3\n2 3\n1\n1 4\n3\n' >"$g/four.metis"
printf 'c PACE\np tw 4 3\n1 2\n1 3\n3 4\n' >"$g/four.pace"
printf '1:2,3\n2:private\n3:notfound\n4:\n5:1\n' >"$g/friends.txt"
awk '{ print "place/" $1 "\tplace/" $2 }' "$g/pairs" >"$g/names.txt"
"$bin/rmatgen" -q -s 10 -f u32 -o "$g/words.u32"
gzip -nc "$g/multi.txt" >"$g/multi.txt.gz"

# ---- a line of the table ----

little=32M
grep -q __asan_init "$bin/dbfs-pack" && little=48M # AddressSanitizer adds memory of its own
digest() { sha256sum | cut -d' ' -f1; }
# run WAY PROGRAM GRAPH OPTIONS: prints the digest of the output into $tmp/digest
run() {
    local way=$1 program=$2 graph=$3 options=$4 input=() launch=() extra=() place=(-o out)
    [ "$options" != - ] || options=
    [ "$graph" = - ] || input=("$g/$graph")
    case $program in degsplit | dbfs-pack) input=("$g/$graph.edges") ;; esac
    case $way in
        plain) extra=(-@ 2) ;;
        pipe) ;;
        threads-*) extra=(-@ "${way#threads-}") ;;
        ranks-*) launch=(timeout 120 "$MPIEXEC" -n "${way#ranks-}") extra=(-@ 1) ;;
        ranks+memory) launch=(timeout 120 "$MPIEXEC" -n 2) extra=(-@ 1 -S 48M -T "$tmp/spill") ;;
        memory) extra=(-@ 4 -S $little -T "$tmp/spill") ;;
        # degsplit makes a split with the TH that dbfs-pack would choose or is told
        split)
            local how=()
            read -r -a how < <(grep -oE -- '-t [0-9a-z]+' <<<"$options" ||
                grep -oE -- '-p [0-9]+|--(suggest|for)=[a-z]+' <<<"$options" | tr '\n' ' ')
            "$bin/degsplit" -q --force "${how[@]}" -o "$tmp/s.split" "${input[@]}" || return 1
            options=$(sed -E 's/-t [0-9a-z]+|--(suggest|for)=[a-z]+//g' <<<"$options")
            extra=(-@ 2 -s "$tmp/s.split")
            ;;
        *) echo "no way '$way'" >&2 && return 1 ;;
    esac
    rm -rf "$tmp/x"
    mkdir "$tmp/x"
    if [[ " $options " == *' --list '* ]]; then
        "$bin/$program" -q ${options/--list/} -o "$tmp/x/out" "${input[@]}" || return 1
        "${launch[@]}" "$bin/$program" --list "$tmp/x/out" >"$tmp/list" || return 1
        digest <"$tmp/list" >"$tmp/digest"
        return
    fi
    # options are words without blanks
    if [ "$way" = pipe ]; then
        (cd "$tmp/x" && cat "${input[@]}" | "$bin/$program" -q -T "$tmp/spill" $options "${place[@]}" -)
    else
        (cd "$tmp/x" && "${launch[@]}" "$bin/$program" -q "${extra[@]}" $options "${place[@]}" "${input[@]}")
    fi || return 1
    (cd "$tmp/x" && find . -type f | sort | xargs sha256sum) >"$tmp/files"
    digest <"$tmp/files" >"$tmp/digest"
}
# alike WAY PROGRAM GRAPH OPTIONS DIGEST: compares one digest
alike() {
    rm -f "$tmp/digest" "$tmp/files"
    run "${@:1:4}" || return 1
    [ "$(cat "$tmp/digest")" = "$5" ] && return
    echo "expected $5, made $(cat "$tmp/digest"):"
    cat "$tmp/files" "$tmp/x/out/manifest"
    return 1
} 2>&1

if [ "${1:-}" = --write ]; then
    while IFS=$'\t' read -r program graph options ways was <&3; do
        if [ "$program" != program ]; then
            run plain "$program" "$graph" "$options" || exit 1
            was=$(cat "$tmp/digest")
        fi
        printf '%s\t%s\t%s\t%s\t%s\n' "$program" "$graph" "$options" "$ways" "$was"
    done 3<"$table" >"$tmp/table"
    cp "$tmp/table" "$table"
fi
line=0
while IFS=$'\t' read -r program graph options ways want <&3; do
    [ "$program" != program ] || continue
    # all ways make the same bytes, so short mode takes the plain one only where there is no other, and every other one of
    # three or more
    [ "$ways" = - ] && ways=plain || [ "${TEST_MODE:-short}" = short ] || ways="plain $ways"
    line=$((line + 1)) number=$line
    for way in $ways; do
        number=$((number + 1))
        [ "${TEST_MODE:-short}" = long ] || [[ $ways != *\ *\ * ]] || [ $((number % 2)) = 0 ] || continue
        check "$program $graph $options, $way: digests are those of the table" alike "$way" "$program" "$graph" "$options" "$want"
    done
done 3<"$table"
# ways do what their names say
check_exit 0 'little memory' "$bin/dbfs-pack" -v -@ 4 -S 32M -T "$tmp/spill" -p 2 -o "$tmp/little" "$g/rmat17.edges"
check_says 'spilled [0-9]'
# windows of vertices: too many ids to keep, and too many of them occur to be listed
awk 'BEGIN { for (i = 0; i < 450000; i++) print i * 7919 % 8999993, i * i % 8999993 }' >"$tmp/wide.txt"
"$bin/edgeconv" -q -u -o "$tmp/wide.edges" "$tmp/wide.txt"
check 'a packing with little memory has values of vertices in windows' test "$("$bin/dbfs-pack" --plan -S $little -p 2 -t 3 "$tmp/wide.edges" |
    awk '$1 == "vertex-windows" { print $2 }')" -gt 2
check_exit 0 'in windows' "$bin/dbfs-pack" -q -@ 2 -S $little -T "$tmp/spill" -p 2 -t 3 -o "$tmp/wide-little" "$tmp/wide.edges"
check_exit 0 'dbfs-pack of many vertices without windows' "$bin/dbfs-pack" -q -@ 2 -p 2 -t 3 -o "$tmp/wide-much" "$tmp/wide.edges"
check 'the bytes are the same' diff -r "$tmp/wide-little" "$tmp/wide-much"
check 'nothing is left in the folder for temporary files' test -z "$(ls -A "$tmp/spill")"
finish
