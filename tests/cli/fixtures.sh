#!/bin/bash
# fixtures.sh: files of each format version in tests/fixtures are read as before, and writing them again gives the
# same bytes. --write adds missing files and writes the table of expected values:
#   BUILD=build bash tests/cli/fixtures.sh --write
set -u
. tests/lib.sh
export LC_ALL=C
home=tests/fixtures
pack=$BIN/dbfs-pack

digest() { sha256sum | cut -d' ' -f1; }
digest_of_text() { tr '\t' ' ' | digest; } # of ids and distances, with the blanks between them that version 1.0.0 wrote
traverse() { "$BIN/dbfs-traverse" --backend cpu "$@"; }
versions() { (cd "$1" && ls -d ./*-[0-9]*/* 2>/dev/null | cut -c3-); } # lists the fixtures of a folder

# ---- kept files are unpacked to $old, today's are made in $new ----

old=$tmp/old
new=$tmp/new
check 'fixtures are made' tests/fixtures/make.sh "$new"
store() { # FIXTURE: unpacks it
    mkdir -p "$home/${1%/*}"
    if [ -d "$new/$1" ]; then
        tar -c --sort=name --format=ustar --owner=0 --group=0 --numeric-owner --mode=644 --mtime=@0 \
            -C "$new/$1" $(ls "$new/$1") | gzip -9n >"$home/$1.tar.gz"
    else
        gzip -9nc "$new/$1" >"$home/$1.gz"
    fi
}
if [ "${1:-}" = --write ]; then
    for fixture in $(versions "$new"); do
        [ -e "$home/$fixture.gz" ] || [ -e "$home/$fixture.tar.gz" ] || store "$fixture"
    done
fi
for file in "$home"/*-[0-9]*/*.gz; do
    name=${file#"$home"/}
    mkdir -p "$old/${name%/*}"
    case $name in
        *.tar.gz)
            mkdir "$old/${name%.tar.gz}"
            check "$name is whole" tar -xzf "$file" -C "$old/${name%.tar.gz}"
            ;;
        *) check "$name is whole" sh -c 'gzip -dc "$1" >"$2"' - "$file" "$old/${name%.gz}" ;;
    esac
done

# ---- files are made as before ----

for fixture in $(versions "$old"); do
    [ "${fixture%/*}" != results-1.0.0 ] || continue # which are only read
    if [ -e "$new/$fixture" ]; then
        check "$fixture is made with the same bytes" diff -r "$old/$fixture" "$new/$fixture"
    elif [ -d "$new/${fixture%/*}" ]; then
        fail "$fixture is not made any more"
    else
        skip "making $fixture: programs write another version"
    fi
done
for fixture in $(versions "$new"); do
    [ -e "$old/$fixture" ] || fail "$fixture is not kept: fixtures.sh --write"
done

# ---- files are read as before ----

# Facts are lines "fixture, key, value", separated by tabs; the table has the expected ones.
fact() { printf '%s\t%s\t%s\n' "$@" >>"$tmp/facts"; }
: >"$tmp/facts"

for stream in "$old"/edges-*/*.edges; do
    name=${stream##*/} fixture=${stream#"$old"/}
    check_exit 0 "$fixture is read" "$BIN/edgeconv" -q --original-ids -t text "$stream"
    check "$fixture: the edges that it was made from" cmp "$tmp/out" "$new/text/${name%.edges}.txt"
    fact "$fixture" text "$(digest <"$tmp/out")"
    # the packed graph shows direction, vertices and provenance
    case $name in
        wide.edges | blocks.edges) ;; # their ids exceed the memory of a test
        *)
            check_exit 0 "$fixture is packed" "$pack" -q -p 2 -t 5 -o "$tmp/x" "$stream"
            for key in base n input-edges input-loops input-max-id input-direction input-checksum \
                randomized-n randomized-seed; do
                fact "$fixture" $key "$(awk -v key=$key '$1 == key { print $2 }' "$tmp/x/manifest" 2>&1)"
            done
            fact "$fixture" provenance \
                "$(grep '^provenance' "$tmp/x/manifest" 2>&1 | cut -d' ' -f2- | tr '\n' ';')"
            rm -rf "$tmp/x"
            ;;
    esac
done

for split in "$old"/split-*/*.split; do
    fixture=${split#"$old"/}
    graph=${split##*/}
    stream=$old/edges-1/${graph%-*}.edges
    check_exit 0 "$fixture is packed with" "$pack" -q -p 2 --encoding raw -s "$split" -o "$tmp/x" "$stream"
    th=$(awk '$1 == "th" { print $2 }' "$tmp/x/manifest" 2>&1)
    check_exit 0 "$fixture: packed with TH $th of the split" "$pack" -q -p 2 --encoding raw -t "$th" -o "$tmp/y" "$stream"
    check "$fixture: shards by its .split are those with -t" diff -r "$tmp/x" "$tmp/y"
    check_exit 0 "$fixture: the sweep is read" "$pack" --plan -p 2 -s "$split" "$stream"
    fact "$fixture" th "$th"
    fact "$fixture" edges "$(grep '^edges-' "$tmp/x/manifest" 2>&1 | cut -d' ' -f2 | tr '\n' ' ')"
    fact "$fixture" planned \
        "$(awk '/^(delegates|device-bytes-per-shard|output-bytes) / { printf "%s ", $2 }' "$tmp/out")"
    rm -rf "$tmp/x" "$tmp/y"
    check_exit 3 "$fixture: refused with another stream" \
        "$pack" -p 2 -s "$split" -o "$tmp/x" "$old/edges-1/random.edges"
done

for graph in "$old"/shard-*/*; do
    fixture=${graph#"$old"/}
    text=${graph##*/}
    text=$new/text/${text%%-*}.txt
    check_exit 0 "$fixture: --verify" "$pack" --verify "$graph"
    check_exit 0 "$fixture: --list" "$pack" --list "$graph"
    fact "$fixture" pack-id "$(sed -n 's/^pack id *//p' "$tmp/out")"
    fact "$fixture" sections \
        "$(awk '$2 == "raw" || $2 == "packed" || $2 == "both" { print $1, $2, $3, $4, $5 }' "$tmp/out" | digest)"
    n=$(awk '$1 == "n" { print $2 }' "$graph/manifest" 2>&1)
    root=$(awk 'NR == 3 { print $1 }' "$text")
    case $fixture in shard-[24]/*) arcs=() ;; *) arcs=(-d) ;; esac
    base=$(awk '$1 == "base" { print $2 }' "$graph/manifest" 2>&1) # the oracle counts from 0: it has a line for a vertex 0
    "$TESTS/oracle" "${arcs[@]}" -n $((n + base)) -o "$tmp/oracle" "$text" "$root" >"$tmp/err" 2>&1
    [ -z "$base" ] || sed -i 1d "$tmp/oracle"
    check_exit 0 "$fixture: searched from $root" traverse -@ 1 -r "$root" --force --depths "$tmp/depths" "$graph"
    check "$fixture: distances are those of the oracle" cmp "$tmp/depths" "$tmp/oracle"
    fact "$fixture" "depths from $root" "$(digest_of_text <"$tmp/depths")"
    fact "$fixture" checksum "$(sed -n 's/^distance_checksum: *//p' "$tmp/out")"
    for direction in push pull; do
        case $fixture,$direction in *-out,pull) continue ;; esac
        check_exit 0 "$fixture: searched, $direction" \
            traverse -@ 2 -r "$root" --direction $direction --force --depths "$tmp/depths" "$graph"
        check "$fixture, $direction: distances are those of the oracle" cmp "$tmp/depths" "$tmp/oracle"
    done
done
check_exit 0 'three ranks search' "$MPIEXEC" -n 3 "$BIN/dbfs-traverse" --backend cpu -@ 1 -r 3 \
    --force --depths "$tmp/depths" "$old/shard-2/rmat-p3-packed"
fact shard-2/rmat-p3-packed 'depths from 3, three ranks' "$(digest_of_text <"$tmp/depths")"
check_exit 0 'a directed graph is searched in reverse' traverse -@ 1 -r 3 --reverse --force --depths "$tmp/depths" \
    "$old/shard-3/directed-p2-packed"
fact shard-3/directed-p2-packed 'depths to 3' "$(digest_of_text <"$tmp/depths")"
check_exit 0 'a root by name' \
    traverse -q -@ 1 --map "$old/map-1/named.map" -r 'way to 8' --depths - "$old/shard-2/named-p1"
fact map-1/named.map 'depths by name' "$(digest <"$tmp/out")"

# ---- results and reports of version 1.0.0 ----

results=$old/results-1.0.0 graph=$old/shard-2/loops-p3-raw
for kind in depths parents; do
    for form in txt csv; do
        check_exit 0 "results-1.0.0/$kind.$form is proved" "$BIN/dbfs-check" -q -r 7 --$kind "$results/$kind.$form" "$graph"
        sed '/^1[ ,]/s/.*/1 3/' "$results/$kind.$form" | sed "$([ $form = txt ] || echo 's/^1 /1,/')" >"$tmp/wrong.$form"
        check_exit 4 "results-1.0.0/$kind.$form with another value" "$BIN/dbfs-check" -q -r 7 --$kind "$tmp/wrong.$form" "$graph"
    done
done
"$BIN/dbfs-batch" -q -@ 1 -n all --no-checksum --centrality "$tmp/today" "$graph" >"$tmp/summary"
numbers() { awk '!/^#/ { printf "%d %d %d %d %.12g %.12g %.12g\n", $1, $2, $3, $4, $5, $6, $7 }' "$1" | sort -n; }
check 'results-1.0.0/centrality.txt has the numbers of today' test "$(numbers "$results/centrality.txt")" = "$(numbers "$tmp/today")" -a -s "$tmp/today"
cp "$results/centrality.part" "$tmp/resumed.part"
check_exit 0 'results-1.0.0/centrality.part is resumed' "$BIN/dbfs-batch" -q -@ 1 -n all --no-checksum --resume --centrality "$tmp/resumed" "$graph"
check "$situation: the table is that of today" cmp "$tmp/resumed" "$tmp/today"
cp "$results/centrality.part" "$tmp/other.part"
check_exit 3 'results-1.0.0/centrality.part of another graph' "$BIN/dbfs-batch" -q -n all --resume --centrality "$tmp/other" "$old/shard-2/rmat-p1-raw"
check_says 'other.part'
for words in 'means run.json' 'roots run.json' 'graph500 run.json' 'levels run.trace' 'plot depths.txt' 'plot depths.csv' 'plot named-depths.txt' 'plot named-depths.csv'; do
    check_exit 0 "dbfs-report ${words% *} of results-1.0.0/${words#* }" "$BIN/dbfs-report" ${words% *} "$results/${words#* }"
    mv "$tmp/out" "$tmp/said.${words% *}.${words#* }"
done
check 'dbfs-report has the searches of a run of 1.0.0' test "$(wc -l <"$tmp/said.roots.run.json") $(wc -l <"$tmp/said.levels.run.trace")" = \
    "4 $(($(wc -l <"$results/run.trace") + 1))"
picture() { grep -vE 'depths\.(txt|csv)' "$1"; }
for file in depths named-depths; do
    check "dbfs-report draws the same of $file.txt and $file.csv of 1.0.0" test "$(picture "$tmp/said.plot.$file.txt")" = "$(picture "$tmp/said.plot.$file.csv")"
done

if [ "${1:-}" = --write ]; then
    cp "$tmp/facts" "$home/expected.tsv"
fi
as_expected() { # FIXTURE KEY VALUE
    awk -F'\t' -v fixture="$1" -v key="$2" -v value="$3" '
        $1 == fixture && $2 == key { line = $0; same = $3 "" == value "" }
        END { if (!same) print "expected: " (line == "" ? "nothing of this name" : line); exit !same }' \
        "$home/expected.tsv"
}
while IFS= read -r line; do
    fixture=$(cut -f1 <<<"$line") key=$(cut -f2 <<<"$line") value=$(cut -f3 <<<"$line")
    check "$fixture: $key ($value)" as_expected "$fixture" "$key" "$value"
done <"$tmp/facts"
check 'every expected fact was read' test "$(wc -l <"$tmp/facts")" = "$(wc -l <"$home/expected.tsv")"
finish
