#!/bin/bash
# directed.sh: directed graphs from a file to a checked answer: refusals, the effect of --rows, --reverse and
# --direction, and packing by ranks and with little memory. tests/traverse.sh compares searches with the oracle.
set -u
. tests/lib.sh
pack=$BIN/dbfs-pack check=$BIN/dbfs-check bin=$(realpath "$BIN")
traverse() { "$BIN/dbfs-traverse" --backend cpu -@ 1 "$@"; }
lines() { tr -s ' ' '\n' <<<"$1" | paste -d ' ' - -; } # makes "0 1 1 2" into a line for each two numbers

# ---- a graph of known answers: a ring 0 1 2, a tail 2 3 4, self-loops, an edge twice, 4 and 5 in both directions ----

lines '0 1 1 2 2 0 2 3 3 4 3 3 3 4 4 5 5 4 6 6' >"$tmp/g.txt"
"$BIN/edgeconv" -q --direction directed --vertices 8 -o "$tmp/g.edges" "$tmp/g.txt"
check_exit 0 'a directed graph is packed' "$pack" -q -p 2 -t 2 -o "$tmp/g" "$tmp/g.edges"
check_exit 0 'shards of a directed graph are verified' "$pack" --verify "$tmp/g"
check_says 'dropped as duplicates'
depths() { # NAME EXPECTED OPTION...: depths of vertices 0 to 7
    check_exit 0 "$1" traverse -q --depths - "${@:3}" "$tmp/g"
    check "$1: distances are $2" test "$(cut -f 2 "$tmp/out" | paste -sd ' ')" = "$2"
}
depths 'from 0' '0 1 2 3 4 5 -1 -1' -r 0
depths 'from 3, which no edge leads back from' '-1 -1 -1 0 1 2 -1 -1' -r 3
depths 'in reverse from 3' '3 2 1 0 -1 -1 -1 -1' -r 3 --reverse
depths 'in reverse from 0' '0 2 1 -1 -1 -1 -1 -1' -r 0 --reverse
depths 'between two that reach each other' '-1 -1 -1 -1 0 1 -1 -1' -r 4
depths 'from a vertex with a self-loop alone' '-1 -1 -1 -1 -1 -1 0 -1' -r 6
check_exit 0 'the report' traverse -r 2 --json "$tmp/r.json" "$tmp/g"
check "$situation: counts edges that leave reached vertices, each once" grep -q ' reached 6 .* edges 7 ' "$tmp/out"
check "$situation: has its three counts alike" grep -q '"edges_no_loops": 7, "edges_kept": 7' "$tmp/r.json"
check "$situation: says that the graph is directed" grep -q '"directed": true' "$tmp/r.json"
check "$situation: says how it was searched" grep -q '"reverse": false' "$tmp/r.json"
check "$situation: says in text that edges are directed" grep -q '^edges: directed$' "$tmp/out"
check_exit 0 'the list' "$pack" --list "$tmp/g"
check "$situation: has the rows" grep -q '^rows  *out and in$' "$tmp/out"
check "$situation: has the edges kept" grep -q '^edges kept, .*: 7$' "$tmp/out"
check_exit 0 'the list as JSON' "$pack" --list --json "$tmp/g"
check "$situation: has the rows" grep -q '"rows": "out,in"' "$tmp/out"
check_exit 3 'Graph500 is of undirected graphs' "$BIN/dbfs-graph500" -n 1 "$tmp/g"
check_says 'has directed edges, and dbfs-graph500 is for undirected graphs'
check_exit 0 'a search of several levels for the model' traverse -q -r 0 --json "$tmp/levels.json" "$tmp/g"
check_exit 0 'the model knows a directed run' "$BIN/dbfs-model" predict -p 1,4 "$tmp/levels.json"
check "$situation: predicts other numbers of devices" awk -F '\t' '$1 == "p" { for (i = 1; i <= NF; i++) at[$i] = i }
    $1 == 1 { alone = $(at["time_ms"]) } $1 == 4 { four = $(at["time_ms"]) } END { exit !(alone > 0 && four > 0) }' "$tmp/out"
check_exit 0 'a report of a search in reverse' traverse -q -r 2 --reverse --json "$tmp/back.json" "$tmp/g"
check_exit 0 'runs are compared' "$BIN/dbfs-report" compare "$tmp/r.json" "$tmp/r.json"
check_exit 4 'not those of two ways' "$BIN/dbfs-report" compare "$tmp/r.json" "$tmp/back.json"
check_says 'r.json and .*/back.json: searched along the edges and against the edges'
check_exit 3 'dbfs-report graph500 refuses runs along and against the edges' "$BIN/dbfs-report" graph500 "$tmp/r.json"
check_says 'r.json: the graph is directed'

# ---- between two vertices, and up to a depth ----

"$BIN/rmatgen" -q -s 8 -e 4 -f text -o "$tmp/between.txt"
"$BIN/edgeconv" -q --direction directed -o "$tmp/between.edges" "$tmp/between.txt"
for p in 1 3; do
    "$pack" -q -p $p -t 6 -o "$tmp/between$p" "$tmp/between.edges"
    for r in 3 40 77; do
        traverse -q -r $r --depths "$tmp/all.$r" --force "$tmp/between$p" >/dev/null
        awk -v r=$r '$1 % 5 == 0 { print r, $1 }' "$tmp/all.$r" >"$tmp/pairs"
        "$BIN/dbfs-paths" -q -@ 1 --pairs "$tmp/pairs" --json "$tmp/pairs.json" --force "$tmp/between$p" >/dev/null
        grep -o '"distance": [-0-9]*' "$tmp/pairs.json" | cut -d ' ' -f 2 >"$tmp/got"
        check "p $p, from $r: distances between pairs are those of the search" \
            sh -c 'awk "\$1 % 5 == 0 { print \$2 }" "$1" | cmp - "$2"' - "$tmp/all.$r" "$tmp/got"
        check_exit 0 "p $p, from $r: up to depth 2" traverse -q -r $r --max-depth 2 --depths "$tmp/two" --force "$tmp/between$p"
        check "p $p, from $r: what is deeper is left out" \
            sh -c 'awk "{ print \$1 \"\\t\" (\$2 > 2 ? -1 : \$2) }" "$1" | cmp - "$2"' - "$tmp/all.$r" "$tmp/two"
        check_exit 0 "p $p, from $r, up to depth 2 is accepted" "$check" --max-depth 2 --depths "$tmp/two" "$tmp/between.edges"
    done
done
"$pack" -q -p 2 -t 6 --rows out -o "$tmp/between-out" "$tmp/between.edges"
check_exit 2 'a target wants in-rows' "$BIN/dbfs-paths" -r 3 --target 5 "$tmp/between-out"
check_exit 0 'one side does not' "$BIN/dbfs-paths" -r 3 --target 5 --one-sided "$tmp/between-out"

# ---- roots that are drawn: those that an edge leaves, or with --reverse leads to ----

ends() { awk -v end="$1" '$1 != $2 { print $end }' "$tmp/between.txt" | sort -nu; } # 1: tails, 2: heads
roots() { sed -n 's/^root \([0-9]*\) .*/\1/p' "$tmp/out"; }
for way in '1 ' '2 --reverse'; do
    how=${way#* }
    ends ${way% *} >"$tmp/ends"
    check "some vertices have no such edge $how" test "$(wc -l <"$tmp/ends")" -lt "$(cat <(ends 1) <(ends 2) | sort -u | wc -l)"
    check_exit 0 "more roots than there are $how" traverse $how -n 1000 "$tmp/between1"
    check_says "only $(wc -l <"$tmp/ends") vertices have edges to follow: searching from each"
    check "$situation: each of them is drawn" diff "$tmp/ends" <(roots | sort -n)
    check "$situation: no search ends at once" test "$(grep -c '^root .* edges 0 ' "$tmp/out")" = 0
    traverse $how -n 40 "$tmp/between1" >"$tmp/out"
    roots >"$tmp/drawn"
    check_exit 0 "three shards $how" traverse $how -n 40 "$tmp/between3"
    check "$situation: the roots are those of one shard" diff "$tmp/drawn" <(roots)
    check_exit 0 "three ranks $how" "$MPIEXEC" -n 3 "$BIN/dbfs-traverse" --backend cpu -@ 1 $how -n 40 "$tmp/between3"
    check "$situation: the roots are those of one shard" diff "$tmp/drawn" <(roots)
    check_exit 0 "batches $how" "$BIN/dbfs-batch" --backend cpu -@ 1 $how -n 40 "$tmp/between3"
    check "$situation: the roots are those of one shard" diff "$tmp/drawn" <(roots)
    check_exit 0 "pairs $how" "$BIN/dbfs-paths" -@ 1 $how -n 20 "$tmp/between3"
    check "$situation: the roots are those of one shard" diff "$tmp/drawn" <(cut -f 1,2 "$tmp/out" | tr '\t' '\n')
done
check_exit 0 'undirected, any vertex with an edge' bash -c '"$1/edgeconv" -q -u "$2" | "$1/dbfs-pack" -q -t 6 -o "$3" -' - \
    "$bin" "$tmp/between.txt" "$tmp/between-u"
check_exit 0 'an undirected graph of the same edges' traverse -n 1000 "$tmp/between-u"
check "$situation: every vertex with an edge is drawn" diff <(cat <(ends 1) <(ends 2) | sort -nu) <(roots | sort -n)
check "$situation: roots come in the order of earlier versions" test "$(roots | head -n 8 | paste -sd ' ')" = '47 229 169 164 251 14 204 244'

# ---- batches and pairs, along the edges and against them, beside the oracle ----

awk '{ print $2, $1 }' "$tmp/between.txt" >"$tmp/against.txt"
awk 'BEGIN { for (i = 0; i < 40; i++) print i * 37 % 256; print 3; print 3 }' >"$tmp/given" # 3 twice
n=$(awk '{ for (i = 1; i <= 2; i++) if ($i >= n) n = $i + 1 } END { print n }' "$tmp/between.txt")
for how in '' --reverse; do
    text=$([ -z "$how" ] && echo "$tmp/between.txt" || echo "$tmp/against.txt")
    rm -rf "$tmp/want" && mkdir "$tmp/want"
    "$TESTS/oracle" -d -n "$n" -o "$tmp/want/%d" "$text" "$(sort -nu "$tmp/given" | paste -sd,)"
    for p in 1 3; do
        rm -rf "$tmp/got" && mkdir "$tmp/got"
        check_exit 0 "p $p: a batch $how" "$BIN/dbfs-batch" --backend cpu -@ 2 $how --batch 64 -r "$(paste -sd, "$tmp/given")" \
            --depths "$tmp/got/%d" --parents "$tmp/parents.%d" --force "$tmp/between$p"
        check "$situation: distances are those of the oracle" diff -r "$tmp/want" "$tmp/got"
        check "$situation: the report says which way it went" grep -qx "edges: directed${how:+, searched in reverse}" "$tmp/out"
        check_exit 0 "p $p: parents of a batch $how are accepted" "$check" -q $how -r 0,3,37 --parents "$tmp/parents.%d" --depths "$tmp/got/%d" "$tmp/between.edges"
        for r in 0 3 37; do awk -v r=$r '$1 % 3 == 0 { print r, $1, $2 }' "$tmp/want/$r"; done >"$tmp/triples"
        cut -d ' ' -f 1,2 "$tmp/triples" >"$tmp/pairs"
        for one in '' --one-sided; do
            check_exit 0 "p $p: pairs $how $one" "$BIN/dbfs-paths" -@ 1 $how $one --path --pairs "$tmp/pairs" "$tmp/between$p"
            check "$situation: distances are those of the oracle" diff "$tmp/triples" <(cut -f 1-3 "$tmp/out" | tr '\t' ' ')
            check "$situation: paths consist of edges" awk -v edges="$text" '
                BEGIN { while ((getline line <edges) > 0) { split(line, f); edge[f[1], f[2]] = 1 } }
                $3 >= 0 { paths++; if (NF - 3 != $3 + 1 || $4 != $1 || $NF != $2) exit wrong = 1
                    for (i = 4; i < NF; i++) if (!(($i, $(i + 1)) in edge)) exit wrong = 1 }
                END { exit wrong || paths < 20 }' "$tmp/out"
        done
    done
done
check_exit 0 'pairs in JSON' "$BIN/dbfs-paths" -q --reverse -r 3 --target 5 --json - "$tmp/between1"
check "$situation: JSON says how they were searched" grep -q '"directed": true, "rows": "out,in", "reverse": true' "$tmp/out"
check_exit 0 'centralities' "$BIN/dbfs-batch" --backend cpu -q --reverse -n all --centrality "$tmp/table" "$tmp/between1"
check "$situation: are those of the oracle" diff <(awk '$2 >= 0 { r++; s += $2 } END { print 3, r, s }' "$tmp/want/3") \
    <(awk '$1 == 3 { print $1, $2, $4 }' "$tmp/table")
rm "$tmp/table"
(ulimit -f 1; trap '' XFSZ; exec "$BIN/dbfs-batch" --backend cpu -q --reverse -n all --centrality "$tmp/table" "$tmp/between1") 2>"$tmp/err"
check 'dbfs-batch: a table that has no more space is left unfinished' grep -q '^# .* reverse$' "$tmp/table.part"
check_exit 3 'a table against the edges does not go on along them' "$BIN/dbfs-batch" --backend cpu -q -n all --resume --centrality "$tmp/table" "$tmp/between1"
check_exit 0 'a table against the edges goes on against them' "$BIN/dbfs-batch" --backend cpu -q --reverse -n all --resume --centrality "$tmp/table" "$tmp/between1"
for program in 'dbfs-batch --backend cpu -n 3' 'dbfs-paths --one-sided -n 3'; do
    check_exit 2 "${program%% *}, reverse, without in-rows" "$BIN/"$program --reverse "$tmp/between-out"
    check_says 'between-out: --reverse goes by in-rows, and it was packed with --rows out'
    check_exit 0 "${program%% *}, reverse, undirected" "$BIN/"$program --reverse "$tmp/between-u"
    check_says 'reverse: has no effect, as the edges are undirected'
done
check_exit 0 'dbfs --reverse --batch' "$bin/dbfs" -q --reverse --batch 8 -r 3 -o "$tmp/from-dbfs" "$tmp/between1"
check 'dbfs --reverse: batches have the distances of the oracle' cmp "$tmp/from-dbfs" "$tmp/want/3"
check_exit 0 'dbfs --reverse --target' "$bin/dbfs" --reverse -r 3 --target 0 "$tmp/between1"
check "$situation: pairs are searched against the edges" grep -qP "^3\t0\t$(awk '$1 == 0 { print $2 }' "$tmp/want/3")$" "$tmp/out"

# ---- plans ----

check_exit 0 'a plan' traverse --plan "$tmp/between3"
check "$situation: says that the graph is directed" grep -qx 'edges: directed' "$tmp/out"
check_exit 0 'of out-rows alone' traverse --plan "$tmp/between-out"
check "$situation: says that rows are out-rows only" grep -qx 'edges: directed, out-rows only' "$tmp/out"
check_exit 0 'in JSON' traverse --plan --json - "$tmp/between-out"
check "$situation: has the rows" grep -q '"directed": true, "rows": "out",' "$tmp/out"
check_exit 0 'a report' traverse -q -r 3 --json - "$tmp/between-out"
check "$situation: has the rows" grep -q '"directed": true, "rows": "out",' "$tmp/out"
check_exit 0 'of an undirected graph' traverse --plan --json - "$tmp/between-u"
check "$situation: says that it is not directed" grep -q '"directed": false,' "$tmp/out"

# ---- results are proved ----

for how in '' --reverse; do
    check_exit 0 "a search $how" traverse -q -r 2 $how --force --depths "$tmp/d" --parents "$tmp/p" "$tmp/g"
    for graph in g.edges g; do
        check_exit 0 "dbfs-check accepts distances and parents $how, against $graph" "$check" $how --depths "$tmp/d" --parents "$tmp/p" "$tmp/$graph"
        check_exit 0 "dbfs-check accepts parents $how alone, against $graph" "$check" $how --parents "$tmp/p" "$tmp/$graph"
        check_exit 4 "dbfs-check refuses distances of the other direction than $how, against $graph" "$check" $([ -n "$how" ] || echo --reverse) --depths "$tmp/d" "$tmp/$graph"
    done
done
claim() { # CODE NAME PATTERN DEPTHS PARENTS [OPTION...]
    lines "$(awk '{ for (i = 1; i <= NF; i++) printf "%d %d ", i - 1, $i }' <<<"$4")" | head -n 8 >"$tmp/d"
    lines "$(awk '{ for (i = 1; i <= NF; i++) printf "%d %d ", i - 1, $i }' <<<"$5")" | head -n 8 >"$tmp/p"
    check_exit "$1" "$2" "$check" -r 0 --depths "$tmp/d" --parents "$tmp/p" "${@:6}" "$tmp/g.edges"
    [ -z "$3" ] || check_says "$3"
}
claim 0 'right claims' '' '0 1 2 3 4 5 -1 -1' '0 0 1 2 3 4 -1 -1'
claim 4 'a vertex that is missing' 'edge 4 5: depths 4 and -1' '0 1 2 3 4 -1 -1 -1' '0 0 1 2 3 -1 -1 -1'
claim 4 'a depth that is too large' 'edge 3 4: depths 3 and 5' '0 1 2 3 5 6 -1 -1' '0 0 1 2 3 4 -1 -1'
claim 4 'a parent at the wrong end of an edge' 'tree edge 2 0: ' '0 1 1 2 3 4 -1 -1' '0 0 0 2 3 4 -1 -1'
claim 4 'a vertex that nothing leads to' 'tree edge 6 0: not in the graph' '0 1 2 3 4 5 1 -1' '0 0 1 2 3 4 0 -1'
claim 4 'an edge of a search in reverse' 'edge 1 2: depths -1 and 1' '0 -1 1 -1 -1 -1 -1 -1' '0 -1 0 -1 -1 -1 -1 -1' --reverse

# ---- out-rows alone ----

check_exit 0 'out-rows alone are packed' "$pack" -q -p 2 -t 2 --rows out -o "$tmp/out-only" "$tmp/g.edges"
check_exit 0 'out-rows alone are verified' "$pack" -q --verify "$tmp/out-only"
check 'shards of out-rows alone have fewer bytes' test "$(cat "$tmp"/out-only/part-* | wc -c)" -lt "$(cat "$tmp"/g/part-* | wc -c)"
check_exit 0 'out-rows alone are searched' traverse -q -r 2 --depths "$tmp/d1" "$tmp/out-only"
traverse -q -r 2 --depths "$tmp/d2" "$tmp/g" >"$tmp/out"
check "$situation: distances are the same" cmp "$tmp/d1" "$tmp/d2"
check_exit 2 'not in reverse' traverse -r 2 --reverse "$tmp/out-only"
check_says 'out-only: --reverse goes by in-rows, and it was packed with --rows out'
check_exit 2 'out-rows alone are not searched by pulls' traverse -r 2 --direction pull "$tmp/out-only"
check_says 'direction pull goes by in-rows'
check_exit 2 'out-rows alone of several shards give no parents' traverse -r 2 --parents "$tmp/p1" "$tmp/out-only"
check_says 'parents of several shards are found by in-rows'
"$pack" -q --rows out -o "$tmp/out-one" "$tmp/g.edges"
check_exit 0 'out-rows alone of one shard give parents' traverse -q -r 2 --force --depths "$tmp/d" --parents "$tmp/p" "$tmp/out-one"
check_exit 0 'parents of out-rows alone are right' "$check" -q --depths "$tmp/d" --parents "$tmp/p" "$tmp/g.edges"
check_exit 1 'a packing of other rows is not taken up' "$pack" -p 2 -t 2 --resume -o "$tmp/out-only" "$tmp/g.edges"
check_exit 0 'of the same it is' "$pack" -p 2 -t 2 --rows out --resume -o "$tmp/out-only" "$tmp/g.edges"
check_exit 0 'in reverse an undirected graph is itself' bash -c '"$1/edgeconv" -q -u "$2" | "$1/dbfs-pack" -q -o "$3" -' - \
    "$bin" "$tmp/g.txt" "$tmp/both"
check_exit 0 'a directed graph of both directions is searched with --reverse' traverse -r 2 --reverse "$tmp/both"
check_says 'reverse: has no effect, as the edges are undirected'

# ---- packing: ranks, little memory, a split; always the same bytes ----

"$BIN/rmatgen" -q -s 14 -f text -o "$tmp/r.txt"
"$BIN/edgeconv" -q --direction directed -o "$tmp/r.edges" "$tmp/r.txt"
"$BIN/degsplit" -q -p 3 -o "$tmp/r.split" "$tmp/r.edges"
check_exit 0 'an RMAT graph' "$pack" -q -p 3 -s "$tmp/r.split" -o "$tmp/r" "$tmp/r.edges"
check_exit 0 'a directed RMAT graph is verified' "$pack" -q --verify "$tmp/r"
alike() { # NAME COMMAND...: packs into $tmp/x, which must equal $tmp/r
    rm -rf "$tmp/x"
    check_exit 0 "$1" "${@:2}" -p 3 -s "$tmp/r.split" -o "$tmp/x" "$tmp/r.edges"
    check "$1: bytes are those of one process" diff -r "$tmp/r" "$tmp/x"
}
alike 'three threads' "$pack" -q -@ 3
alike 'two ranks' timeout 120 "$MPIEXEC" -n 2 "$pack" -q -@ 1
alike 'little memory' "$pack" -q -@ 2 -S 32M
check_exit 0 'a stream through a pipe' bash -c '"$1" -q -p 3 -s "$2" -o "$3" - <"$4"' - "$pack" "$tmp/r.split" "$tmp/pipe" "$tmp/r.edges"
check "$situation: bytes are those of the file" diff -r "$tmp/r" "$tmp/pipe"
check_exit 0 'a permutation of ids' "$BIN/edgeconv" -q --direction directed --randomize=5 -o "$tmp/random.edges" "$tmp/r.txt"
check_exit 0 'a directed graph with permuted ids is packed' "$pack" -q -p 3 -t 64 -o "$tmp/random" "$tmp/random.edges"
traverse -q -r 7 --depths "$tmp/d3" "$tmp/r" >"$tmp/out"
check_exit 0 'a directed graph with permuted ids is searched' traverse -q -r 7 --depths "$tmp/d4" "$tmp/random"
check "$situation: distances are the same" cmp "$tmp/d3" "$tmp/d4"

# ---- dbfs ----

cd "$tmp" || exit 1
check_exit 0 'dbfs --direction directed' "$bin/dbfs" --direction directed -r 3 -o dd.txt g.txt
check "$situation: follows edges from u to v" test "$(cut -f 2 dd.txt | paste -sd ' ')" = '-1 -1 -1 0 1 2 -1'
check_exit 0 '--reverse follows edges from v to u' "$bin/dbfs" --direction directed --reverse -r 3 --direction push -o rd.txt g.txt
check "$situation: distances are those to the root" test "$(cut -f 2 rd.txt | paste -sd ' ')" = '3 2 1 0 -1 -1 -1'
check_exit 0 'an edge stream of directed edges' "$bin/dbfs" -v --direction directed --no-cache -r 3 g.edges
check "$situation: edges are taken as they are, without edgeconv" test -z "$(grep edgeconv err)"
"$bin/dbfs-pack" -q -o "$tmp/is-directed" g.edges
"$bin/edgeconv" -q -u g.txt | "$bin/dbfs-pack" -q -o "$tmp/is-undirected" -
for asked in once symmetric; do
    check_exit 0 "undirected shards, $asked" "$bin/dbfs" --direction $asked -r 3 is-undirected
    check_exit 2 "directed shards, $asked" "$bin/dbfs" --direction $asked -r 3 is-directed
    check_says 'is-directed: was packed directed, which --direction does not change'
done
check_exit 0 'directed shards, directed' "$bin/dbfs" --direction directed --direction push -r 3 is-directed
check_exit 2 'undirected shards, directed' "$bin/dbfs" --direction directed -r 3 is-undirected
check_says 'is-undirected: was packed undirected'
check_exit 2 'an unknown direction' "$bin/dbfs" --direction up -r 3 g.txt
check_says "'up' is not once, symmetric or directed, nor auto, push, pull or cost"
printf '%s\n' '%%MatrixMarket matrix coordinate pattern general' '3 3 2' '1 2' '2 3' >m.mtx
check_exit 0 'a format of directed edges' "$bin/dbfs" --no-cache -r 3 -o md.txt m.mtx
check_says 'm.mtx: its format (matrix-market) says that edges are directed, and each is taken as an undirected one: --direction directed keeps them'
check "$situation: each edge is taken once" test "$(cut -f 2 md.txt | paste -sd ' ')" = '2 1 0'
check_exit 0 'as it says' "$bin/dbfs" --no-cache --direction directed -r 3 --force -o md.txt m.mtx
check "$situation: the graph is directed" test "$(cut -f 2 md.txt | paste -sd ' ')" = '-1 -1 0'
check "$situation: no note says how edges are taken" test "$(grep -c taken err)" = 0
# says COUNT NAME CONTENT: dbfs tells so many times that it takes directed edges as undirected ones
says() {
    printf "$3" >said.txt
    check_exit 0 "$2" "$bin/dbfs" --no-cache -n 1 said.txt
    check "$situation: the note comes $1 times" test "$(grep -c '^dbfs: said.txt: its [a-z() -]* says that edges are directed, and each is taken' err)" = "$1"
}
edges='1\t2\n2\t3\n'
says 1 "SNAP's comment" "# Directed graph (each unordered pair of nodes is saved once): Wiki-Vote.txt \n$edges"
says 1 'another comment' "# Nodes: 4 Edges: 2\n# A directed graph of links\n$edges"
says 1 'a comment with values' "%% directed=True\n$edges"
says 1 "KONECT's asym" "%% asym unweighted\n%% 2 3 3\n$edges"
says 1 'CSV' "# type: DIRECTED\nsource,target\n1,2\n2,3\n"
says 1 'DIMACS, which has arcs' 'p sp 3 2\na 1 2 5\na 2 3 5\n'
says 1 'Graphs.jl' '3,2,d,graph\n1,2\n2,3\n'
says 0 "SNAP's comment of undirected graphs" "# Undirected graph: x.txt\n$edges"
says 0 'values that say no' "# directed: false\n# un-directed, bidirected\n$edges"
says 0 "KONECT's sym" "%% sym unweighted\n$edges"
# edgeconv and dbfs-pack take a file as dbfs does, or say what they take
for file in '%% sym positive' '%% bip unweighted' '# Undirected graph'; do
    printf "$file\n$edges" >said.txt
    "$bin/edgeconv" -q said.txt | "$bin/dbfs-pack" -q --force -o said.dbfs -
    check "$file: edgeconv takes undirected edges, too" grep -qx 'input-direction undirected-once' said.dbfs/manifest
done
printf '%% asym\n1 2\n' >said.txt
check_exit 0 'a directed graph' "$bin/edgeconv" -o /dev/null said.txt
check_says '1 edges, 3 vertices, directed;'
finish
