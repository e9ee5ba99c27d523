#!/bin/bash
# experiments.sh: the index of scripts/experiments has each figure and table of the papers, the scripts run, and their
# counts are those of a search.
set -u
. tests/lib.sh
here=scripts/experiments
index=$here/index.tsv

# ---- every figure and table ----

# The captions of the papers: numbers, or titles of tables and slides that have no number.
cat >"$tmp/captions" <<'END'
pan	figure 1 2 3 4 5 6 7 8 9 10 11 12 13
pan	table I II
yoo	figure 1 2 3 4 5 6 7 8
yoo	table 1
merrill	figure 1 2 3 4 7
merrill	table 1 2
END
items() {
    awk -F '\t' '{ n = split($2, word, " "); for (i = 2; i <= n; i++) print $1 "\t" word[1] " " word[i] }' "$tmp/captions"
    printf 'pan\t%s\n' 'scan of factors (VI-B)' 'message sizes (VI-A1)' 'WDC 2012 (VI-D)'
    printf 'merrill\t%s\n' 'isolated gathering and look-up' 'fused gathering and look-up' 'single-GPU strategies' multi-GPU
    printf 'kolganov\t%s\n' 'systems of one node' 'characteristics of the devices' 'transformations of the graph' \
        'transformations: no global sort' 'transformations: no local sort' \
        'GTEPS by scale' 'average performance (graph)' 'MTEPS/W by scale'
    printf 'yoo\t%s\n' 'partitions side by side' 'two-phase grouped fold'
    printf 'mastrostefano\t%s\n' 'straightforward BFS: results' 'sort-unique BFS: results' \
        'sort-unique BFS: weak scaling analysis' 'the Graph 500 list' 'platform and APEnet+ card' \
        'data exchange between GPUs' 'strong scaling, 2^20 vertices' 'weak scaling, 2^SCALE vertices' \
        'APEnet+ vs. MPI/IB: breakdown' 'network pattern: messages by pair' 'understanding the performance difference' \
        'backup slides: balancing' 'backup slides: kernel times'
}
grep -v '^#' "$index" >"$tmp/index"
check 'the index has every figure and table of the papers, and no other' \
    diff <(items | sort) <(cut -f 1,2 "$tmp/index" | sort -u)
check 'no table stands in the index twice for one figure' test -z "$(cut -f 1-3 "$tmp/index" | grep -v '	-$' | sort | uniq -d)"
check 'each figure and table has a script that is there, or a reason' awk -F '\t' -v here=$here '
    NF != 4 || $4 == "" { exit bad = 1 }
    $3 != "-" && system("test -x " here "/" $4) != 0 { exit bad = 1 }
    END { exit bad }' "$tmp/index"
unnamed=$(for script in $here/*.sh; do
    [ ! -x "$script" ] || [ "${script##*/}" = run.sh ] ||
        grep -qF "${script##*/}" "$tmp/index" || echo "$script"
done)
check "each script is in the index ($unnamed)" test -z "$unnamed"
papers=../shared/papers
if [ -e "$papers/pan2018-scalable-bfs-gpu-cluster.txt" ]; then
    check 'the captions are those of the papers' diff \
        <(grep -hoE '^(Figure [0-9]+|TABLE [IVX]+):' "$papers/pan2018-scalable-bfs-gpu-cluster.txt" | tr -d : | tr A-Z a-z | sort) \
        <(items | grep '^pan' | cut -f 2 | grep -v '(' | tr A-Z a-z | sort)
    check "the index has each figure and table of Merrill's paper" diff \
        <(grep -hoE '^(Fig\.|Table) [0-9]+' "$papers/merrill2012-scalable-gpu-graph-traversal.txt" | sed 's/Fig\./figure/; s/T/t/' | sort) \
        <(items | grep '^merrill' | cut -f 2 | grep '[0-9]' | sort)
    check "the index has as many figures and tables as Yoo's paper" diff <(grep -hoE 'Figure [1-9]:|able 1:' "$papers/yoo2005-bfs-on-bluegene.txt" | tr -d : | sort -u | wc -l) <(echo 9)
else
    skip 'captions in the papers: ../shared/papers is not here'
fi

# ---- scripts, small ----

small() { KEPT=$tmp/none SCALES=2 SCALE=8 ROOTS=2 VERTICES=1000 OUT=$tmp/kept GRAPHS=$tmp/none TMPDIR=$tmp timeout 300 "$here/run.sh" "$@"; }
check_exit 0 'scripts run' small pan-table-1 pan-figure-5 pan-figure-7 mastrostefano-pairs merrill-suite kolganov-gteps yoo-volumes
check 'a command says all that chose what was measured' \
    grep -q "BACKEND=cpu SCALES=2 GRAPHS=$tmp/none scripts/experiments/kolganov-gteps.sh" "$tmp"/kept/kolganov-*.about
check 'tables have rows, of as many columns as the first one' \
    awk -F '\t' 'FNR == 1 { n = NF; files++ } NF != n { bad = 1 } END { exit bad || files < 11 || NR < 8 * files }' "$tmp"/kept/*.tsv
if command -v python3 >/dev/null 2>&1; then
    check 'JSON has what the tables have' python3 -c '
import json, sys
for name in sys.argv[1:]:
    data = json.load(open(name))
    table = [line.split("\t") for line in open(name[:-4] + "tsv").read().splitlines()]
    assert data["columns"] == table[0] and len(data["rows"]) == len(table) - 1
    assert data["engine"] and data["machine"] and data["date"] and data["command"]' "$tmp"/kept/*.json
fi
page=$tmp/kept/index.html
check 'the page names every item of the index' test "$(grep -c '<h3 ' "$page")" = "$(cut -f 1,2 "$tmp/index" | uniq | wc -l)"
check 'the page links to every table' test "$(grep -c '^<li>' "$page")" = "$(awk -F '\t' '$3 != "-" { print $1, $2 }' "$tmp/index" | uniq | wc -l)"
check 'the page has the tables that ran, with their engines' \
    test "$(grep -c '<br>Engine' "$page")" -ge 11
check 'the page says what was not run, and what is not here, with the reason' \
    test "$(grep -c 'Not run' "$page")" -gt 5 -a "$(grep -c 'Not here: .' "$page")" = "$(awk -F '\t' '$3 == "-"' "$tmp/index" | wc -l)"
check 'the page needs no network' bash -c '! grep -E "(src|href)=.https?:" "$1"' - "$page"
check 'published numbers and predictions are marked' bash -c 'grep -q "^published" "$1" && grep -q "^model" "$1" && grep -q "^ours" "$1"' - \
    "$tmp/kept/pan-figure-7.tsv"
SCALE=8 ROOTS=2 SCALES=1 OUT=$tmp/energy LD_PRELOAD="$(realpath "$TESTS/nvml/libnvidia-ml.so.1")" \
    $here/kolganov-energy.sh
check 'energy is counted where it can be' awk -F '\t' '$1 == "ours" && $4 > 0 && $5 ~ /^2 GPUs/ { n++ } END { exit n != 1 }' \
    "$tmp/energy/kolganov-energy.tsv"
mkdir -p "$tmp/far/2026-h100"
for table in pan-table-1 pan-figure-5; do cp "$tmp/kept/$table".[!s]* "$tmp/far/2026-h100"; done
sed -i 's/^machine.*/machine\tone GPU/' "$tmp"/far/*/*.about
check_exit 0 'with tables of a larger machine' env KEPT="$tmp/far" SCALE=8 OUT="$tmp/both" "$here/run.sh" pan-table-1
check 'the page has them, beside those that ran and where nothing ran' \
    test "$(grep -c 'one GPU' "$tmp/both/index.html") $(grep -c '<br>Engine' "$tmp/both/index.html")" = '2 3'
check "$situation: the page has the files of that machine" test -s "$tmp/both/2026-h100/pan-figure-5.tsv"

# kept files of others are data: for gnuplot, and for the browser
folder="$tmp/foreign/it's <b> & \"h100\""
mkdir -p "$folder"
cp "$tmp/kept"/pan-figure-5.[!s]* "$folder"
ran=$tmp/ran
printf "x\t'; system('touch $ran') #\nx\tagain\ny\t\`touch $ran\` \\\\\nlog\tx; system('touch $ran')\ntitle\t<script>alert(1)</script>\nengine\t' onclick='x\n" \
    >"$folder/pan-figure-5.about"
{ printf 'source\tseries\tx\ty\nours\t%s\t1\t2\n' "a'; system('touch $ran') # \`touch $ran\` <script>"
  printf "ours\tb\tEND\t1\nours\tb\tsystem('touch $ran')\t1\nours\tb\t2\t\`touch $ran\`\n"; } >"$folder/pan-figure-5.tsv"
check_exit 0 'with kept files that hold commands' env KEPT="$tmp/foreign" SCALE=8 OUT="$tmp/safe" "$here/run.sh" pan-table-1
check "$situation: no command in them is run" test ! -e "$ran"
check 'no text of theirs is a tag or ends an attribute' sh -c '! grep -E "$1" "$2"' - "<script|<b> |it's|onclick='" "$tmp/safe/index.html"
check "$situation: the page shows them as text" grep -q '&lt;script&gt;alert' "$tmp/safe/index.html"
! command -v gnuplot >/dev/null 2>&1 || check "$situation: the picture has them" grep -q '<svg' "$tmp/safe/${folder##*/}/pan-figure-5.svg"

# names that mean something in an address, and tables that cannot be drawn as they say
odd=("$tmp/odd/50% of # 1?" "$tmp/odd/range" "$tmp/odd/bars")
for folder in "${odd[@]}"; do mkdir -p "$folder" && cp "$tmp/kept"/pan-figure-5.[!s]* "$folder"; done
sed -i 's/^from.*/from\te/; s/^to.*/to\t-/' "${odd[1]}/pan-figure-5.about"
printf 'bars\t2\nlast\t999999999\n' >>"${odd[2]}/pan-figure-5.about"
check_exit 0 'kept tables that cannot be drawn' env KEPT="$tmp/odd" SCALE=8 OUT="$tmp/drawn" timeout 60 "$here/run.sh" pan-table-1
check 'a page has all kept tables, also those that cannot be drawn' test "$(grep -c '<br>Engine' "$tmp/drawn/index.html")" = 4
if command -v gnuplot >/dev/null 2>&1; then
    check_says 'pan-figure-5.about: bars 2 and last 999999999: no columns of 4'
    check_says "${odd[2]}/pan-figure-5: stands on the page without a picture" 'a picture that fails is named'
    check 'a range that is no number shades nothing' test -s "$tmp/drawn/range/pan-figure-5.svg"
fi
check 'links lead to folders whatever their names' grep -qF "href='50%25%20of%20%23%201%3F/pan-figure-5.tsv'" "$tmp/drawn/index.html"
check_exit 0 'an experiment with folders that begin with -' sh -c 'cd "$1" && mkdir ./-t && ln -s "$2/scripts" "$2/tools" . && shift 2 && "$@"' - "$(mktemp -d "$tmp/dash.XXXXXX")" "$PWD" \
    env BUILD="$(realpath "${BUILD:-build}")" TMPDIR=-t OUT=-o KEPT=-k SCALE=8 ROOTS=1 "$here/pan-table-1.sh"

others=$(awk -F '\t' 'FNR > 1 && ($1 == "published" || $1 == "model") { print FILENAME; nextfile }' scripts/results/experiments/*/pan-*.tsv)
check "kept tables have measurements alone, as numbers of papers and predictions are those of today's table ($others)" test -z "$others"
for about in scripts/results/experiments/*/*.about; do
    [ -e "$about" ] || continue
    check "$about says what ran, where and when" awk -F '\t' '{ said[$1] = $2 != "" }
        END { exit !(said["title"] && said["engine"] && said["machine"] && said["date"] && said["revision"] && said["command"]) }' "$about"
    check "the table of $(basename "$about") is in the index" grep -qF "	$(basename "$about" .about)	" "$tmp/index"
done
check_exit 1 'a script that fails' env SCALE=x OUT="$tmp/bad" "$here/run.sh" pan-table-1
check_says 'pan-table-1.sh: failed'
check_exit 1 'one that failed after a run' env KEPT="$tmp/none" SCALE=x OUT="$tmp/both" "$here/run.sh" pan-table-1
check "$situation: the page has no table of that run" sh -c '[ ! -e "$1/pan-table-1.tsv" ] && grep -q "Not run: <code>scripts/experiments/pan-table-1.sh" "$1/index.html"' - "$tmp/both"

# A script by hand, of programs that are those of this build but one: that one says a line more, and ends well.
mkdir -p "$tmp/loud/bin"
ln -s "$(realpath "$BIN")"/* "$tmp/loud/bin"
by_hand() { env BUILD="$tmp/loud" OUT="$tmp/hand" TMPDIR="$tmp" GRAPHS="$tmp/none" SCALE=8 ROOTS=1 "$here/$1.sh"; }
loud() { # PROGRAM CONDITION: the program says more where the condition of a shell holds
    rm "$tmp/loud/bin/$1"
    printf '#!/bin/bash\n%s || echo "%s: something new" >&2\nexec %q "$@"\n' "! $2" "$1" "$(realpath "$BIN/$1")" >"$tmp/loud/bin/$1"
    chmod +x "$tmp/loud/bin/$1"
}
check_exit 0 'a script by hand' by_hand pan-table-1
check 'an experiment by hand leaves its table' test -s "$tmp/hand/pan-table-1.tsv"
loud dbfs-pack '[[ "$*" == *"-p 4 "* ]]'
check_exit 1 'a script of which a program says something unexpected half-way' by_hand pan-table-1
check_says 'dbfs-pack: exit 0: dbfs-pack: something new'
check 'an experiment of which a program says something unexpected half-way leaves no table cut off' test -z "$(ls "$tmp/hand")"
loud rmatgen true
check_exit 1 'a script of which a program in <(...) says something unexpected' by_hand kolganov-positions
check 'an experiment whose graph came from a program that says something unexpected leaves no table' test -z "$(ls "$tmp/hand")"

# ---- counts are those of a search ----

"$BIN/rmatgen" -q -s 11 -o "$tmp/edges"
(
    set +u
    export BUILD OUT=$tmp/counted
    . $here/lib.sh >/dev/null && . $here/counted.sh
    cp "$tmp/edges" "$work/edges"
    sent 3 | cut -f 1-5 >"$tmp/sent"
    counted 3 | awk -F '\t' '$2 != $3' >"$tmp/counts"
)
check 'three ranks send what is counted, before and after sort-unique, by level, source and destination' diff "$tmp/sent" "$tmp/counts"
check 'vertices are counted in several levels' test "$(cut -f 1 "$tmp/sent" | uniq | wc -l)" -ge 4
finish
