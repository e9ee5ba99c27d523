#!/bin/bash
# corpus.sh: good, bad and unsupported files of each format give the exit codes and messages in
# tests/corpus/README.md, and good ones give the right edges
set -u
in_memory_mib=256 # packs many folders, and each is synced
. tests/lib.sh
corpus=$tmp/corpus
table=tests/corpus/README.md
pack=$BIN/dbfs-pack

check 'the files are made' tests/corpus/make.sh "$corpus"

# makes rows folder/file, exit, message of the tables, separated by tabs
awk -F ' *[|] *' '/^## `/ { split($0, word, "`"); folder = word[2] }
    folder != "" && $2 ~ /^(good|bad|unsupported)-/ { print folder "/" $2 "\t" $3 "\t" $4 }' "$table" >"$tmp/rows"
# FILE: succeeds if the file may be missing: the program that makes it is absent, or this build does not read it
absent() {
    case $1 in
    packed/unsupported-* | packed/*-gzip*) return 1 ;;
    packed/*) [ ! -e "$corpus/$1" ] || [ "${ARCHIVE:-1}" = 0 ] ;;
    *) return 1 ;;
    esac
}
(cd "$corpus" && ls -d */*-*) | sort >"$tmp/made"
check 'every file is in a table' test -z "$(cut -f1 "$tmp/rows" | sort | comm -13 - "$tmp/made" | tr '\n' ' ')"
check 'no name in a table is there twice' test -z "$(cut -f1 "$tmp/rows" | sort | uniq -d)"

# ---- how each is read ----

edges_of() { # FILE: prints each edge once, with the smaller id first, and vertices counted from 0
    local format=auto
    case $1 in
    */binary/*-graph500*) format=graph500 ;;
    */binary/*-u32*) format=u32 ;;
    */binary/*-u64*) format=u64 ;;
    esac
    "$BIN/edgeconv" -q -@ 2 -f $format --original-ids --base 0 -t text -o "$tmp/text" --force "$1" &&
        awk '{ print $1 < $2 ? $1 " " $2 : $2 " " $1 }' "$tmp/text" | sort -u
}
go_on() { # a folder with a journal
    rm -rf "$tmp/x"
    cp -r "$1" "$tmp/x"
    "$pack" -q -@ 1 --resume -p 2 -t 2 -o "$tmp/x" "$corpus/stream/good-undirected"
}
packed() { rm -rf "$tmp/x" && "$pack" -q -@ 1 -p 2 -o "$tmp/x" "$@"; }
searched() { "$BIN/dbfs-traverse" --backend cpu -@ 1 -q "$@"; }
read_it() { # PATH
    case $1 in
    */split/*) packed -s "$1" "$corpus/stream/good-undirected" ;;
    */shard/*) "$pack" -q -@ 1 --verify "$1" ;;
    */journal/*) go_on "$1" ;;
    */webgraph/*) edges_of "$1/g.graph" ;;
    */map/*) searched -n 1 --map "$1" --depths - "$corpus/shard/good-raw" ;;
    *) edges_of "$1" ;;
    esac
}

# runs a second program on the file, which must end with CODE
second() { # NAME CODE
    case $1 in
    stream/good-wide) ;; # its ids are beyond the slots of two shards
    stream/*) check_exit "$2" "$1 is packed, or refused with the code of its table" packed -t 2 "$corpus/$1" ;;
    shard/bad-manifest-edges) check_exit 0 "$1 is searched, as edges of the manifest are not needed" searched -r 0 "$corpus/$1" ;;
    shard/good-one-based) check_exit 0 "$1 is searched from its first vertex" searched -r 1 "$corpus/$1" ;;
    shard/*) check_exit "$2" "$1 is searched, or refused with the code of its table" searched -r 0 "$corpus/$1" ;;
    esac
}

same_edges() { # NAME: the edges in $tmp/out are those of the graph, or what README.md says of the few others
    case $1 in
    stream/good-empty) check "$1 has no edges" test ! -s "$tmp/out" ;;
    stream/good-wide) check "$1 has its edge" grep -qx '0 281474976710655' "$tmp/out" ;;
    stream/good-multigraph) check "$1 has its self-loops" grep -qx '2 2' "$tmp/out" ;;
    stream/* | text/* | binary/* | webgraph/* | packed/*) check "$1 has its edges" cmp "$tmp/want" "$tmp/out" ;;
    esac
}
edges_of "$corpus/graph/pairs" >"$tmp/want"
check 'the graph has five edges' test "$(wc -l <"$tmp/want")" = 5
while IFS=$'\t' read -r name code message <&3; do
    if absent "$name"; then
        skip "$name: was not made, or is not read"
        continue
    fi
    check_exit "$code" "$name is read, or refused with the code of its table" read_it "$corpus/$name"
    if [ "$code" = 0 ]; then
        same_edges "$name"
    else
        check "$name: the message is '$message'" grep -qF -e "$message" "$tmp/err"
    fi
    second "$name" "$code"
done 3<"$tmp/rows"
finish
