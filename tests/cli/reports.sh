#!/bin/bash
# reports.sh: --json and --trace of dbfs-traverse are as dbfs-json(5) describes them, and dbfs-report reads them.
set -u
. tests/lib.sh
traverse=$BIN/dbfs-traverse
page=${BUILD:-build}/man/dbfs-json.5

"$BIN/rmatgen" -q -s 12 -o "$tmp/g.edges"
"$BIN/dbfs-pack" -q -p 1 -o "$tmp/p1" "$tmp/g.edges"
"$BIN/dbfs-pack" -q -p 4 -t 16 -o "$tmp/p4" "$tmp/g.edges"

# ---- the environment ----

check_exit 0 'a report' "$traverse" -q -n 3 --json "$tmp/a.json" --breakdown --count-pairs "$tmp/p1"
value() { sed -n "s/.*\"$1\": \"\([^\"]*\)\".*/\1/p" "$tmp/a.json"; }
check '--json has the command line' grep -qF "\"command\": [\"$traverse\", \"-q\", \"-n\", \"3\", \"--json\", \"$tmp/a.json\", \"--breakdown\", \"--count-pairs\", \"$tmp/p1\"]" \
    "$tmp/a.json"
check_exit 0 'a report of lists' "$traverse" -q -r 1,2,3 --factor0 dd=0.5,dn=0.05 --json "$tmp/lists.json" "$tmp/p1"
check "$situation: the lists are as they were given" grep -qF '"-r", "1,2,3", "--factor0", "dd=0.5,dn=0.05"' "$tmp/lists.json"
model=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1)
if [ -n "$model" ]; then
    check '--json has the CPU' test "$(value cpu)" = "$model"
else
    skip 'the CPU: /proc/cpuinfo has no model name'
fi
if git rev-parse HEAD >/dev/null 2>&1; then
    check '--json has a revision' test -n "$(value revision)"
fi
# pretend.c shows another machine, without MPI and with it
mkdir -p "$tmp/root/proc"
printf 'processor\t: 0\nmodel name\t: Pretended "CPU" @ 3 GHz\nmodel name\t: a second one\n' >"$tmp/root/proc/cpuinfo"
# RANKS OPTION...: makes a report of a run there
elsewhere() {
    local launch=
    [ "$1" = 0 ] || launch="$MPIEXEC -n $1"
    shift
    $launch env LD_PRELOAD="$(realpath "$TESTS/pretend.so")" PRETENDED_FILES="$tmp/root" PRETENDED_MPI=$'Pretended MPI\t4.5\nof today' \
        "$traverse" -q -@ 1 -r 1 --json "$tmp/there.json" --force "$@"
}
has() { grep -qF "\"$1\": \"$2\"" "$tmp/there.json" || { grep -F "\"$1\":" "$tmp/there.json"; return 1; }; }
check_exit 0 'a report of two ranks elsewhere' elsewhere 2 "$tmp/p4" -g 2
check "$situation: the CPU is that of rank 0" has cpu 'Pretended \"CPU\" @ 3 GHz'
check "$situation: the MPI library has its first line" has mpi 'Pretended MPI 4.5'
for member in gpu gpu_driver cuda; do
    check "a report of two ranks elsewhere has no $member" has $member ''
done
check_exit 0 'a report without a launcher' elsewhere 0 "$tmp/p1"
check "$situation: has the MPI library" has mpi 'Pretended MPI 4.5'
check_exit 0 'a report of two ranks' "$MPIEXEC" -n 2 "$traverse" -q -@ 1 -g 2 -r 1 --json "$tmp/there.json" --force "$tmp/p4"
check "$situation: names the MPI library that is linked, with a version" grep -qE '"mpi": "[^"]*[0-9]+\.[0-9]' "$tmp/there.json"
check_exit 0 'words that need escapes' "$traverse" -q -r 1 --json "$tmp/b\"\\.json" "$tmp/p1"
check "$situation: are escaped in the JSON" grep -qF 'b\"\\.json"' "$tmp/b\"\\.json"

# ---- the trace ----

# prints lines of ROOT LEVEL KEY VALUE; keys of a subgraph are nn.fv and the like
flat() {
    awk '{ gsub(/[{}",:]/, " "); n = split($0, w, " "); prefix = ""; out = ""
        for (i = 1; i < n; i++) {
            if (w[i] ~ /^(nn|nd|dn|dd|bytes|compute_s|exchange_s)$/) { prefix = w[i] "."; left = w[i] ~ /_s$/ ? 3 : w[i] == "bytes" ? 4 : 7; continue }
            if (w[i] == "subgraphs") continue
            key = prefix w[i]; value[key] = w[++i]
            if (prefix != "" && --left == 0) prefix = ""
            if (key == "root") root = w[i]; else if (key == "level") level = w[i]
            print root, level, key, w[i] } }' "$1"
}
check_exit 0 'a trace' "$traverse" -q -n 5 --trace "$tmp/t1" --json "$tmp/t1.json" "$tmp/p1"
flat "$tmp/t1" >"$tmp/t1.flat"
sed -n 's/.*"root": \([0-9]*\),.*"levels": \([0-9]*\), "reached": \([0-9]*\),.*/\1 \2 \3/p' "$tmp/t1.json" >"$tmp/t1.roots"
check 'the frontiers of a search are what it reached' awk 'NR == FNR { levels[$1] = $2; reached[$1] = $3; next }
    $3 == "frontier" { sum[$1] += $4; seen[$1]++ }
    END { for (r in reached) if (sum[r] != reached[r] || seen[r] < levels[r]) exit 1; exit length(reached) != 5 }' \
    "$tmp/t1.roots" "$tmp/t1.flat"
check 'the edges of the frontiers are those kept' awk -v kept="$(sed -n 's/.*"root": \([0-9]*\),.*/\1/p; s/.*"edges_kept": \([0-9]*\),.*/\1/p' \
    "$tmp/t1.json" | tr '\n' ' ')" '$3 ~ /^(nn|nd|dn|dd)\.fv$/ { sum[$1] += $4 }
    END { n = split(kept, k, " "); for (i = 1; i < n; i += 2) if (sum[k[i]] != 2 * k[i + 1]) exit 1; exit n != 10 }' "$tmp/t1.flat"
check 'some subgraph was pulled, some pushed' awk '$3 ~ /direction/ { seen[$4] = 1 } END { exit !(seen["push"] && seen["pull"]) }' "$tmp/t1.flat"
check_exit 0 'a trace of pushes' "$traverse" -q -n 5 --direction push --trace "$tmp/push" "$tmp/p1"
flat "$tmp/push" >"$tmp/push.flat"
check "$situation: all edges are pushed" awk '$3 ~ /fv$/ { fv += $4 } $3 ~ /pushed$/ { pushed += $4 } $3 ~ /direction/ && $4 == "pull" { exit 1 }
    END { exit !(fv > 0 && fv == pushed) }' "$tmp/push.flat"
check "$situation: edges are those with pulls" test "$(awk '$3 ~ /fv$/ { s += $4 } END { print s }' "$tmp/push.flat")" = \
    "$(awk '$3 ~ /fv$/ { s += $4 } END { print s }' "$tmp/t1.flat")"

# A device that is alone notes its steps itself; with factors the level loop does each step.
counts() { grep -E ' (frontier|delegates|(nn|nd|dn|dd)\.(frontier|fv|bv)) ' "$1"; }
ways() { awk '$3 == "way" { print $4 }' "$1" | sort -u | tr '\n' ' '; }
for th in 16 inf; do
    "$BIN/dbfs-pack" -q -p 1 -t $th -o "$tmp/alone.$th" "$tmp/g.edges"
    check_exit 0 "a trace of a device that is alone, TH $th" "$traverse" -q -n 5 --breakdown --json "$tmp/alone.json" \
        --trace "$tmp/alone" --force "$tmp/alone.$th"
    check_exit 0 'a trace of the level loop' "$traverse" -q -n 5 --factor0 dd=0.03 --trace "$tmp/loop" --force "$tmp/alone.$th"
    flat "$tmp/alone" >"$tmp/alone.flat"
    flat "$tmp/loop" >"$tmp/loop.flat"
    counts "$tmp/alone.flat" >"$tmp/alone.counts"
    counts "$tmp/loop.flat" >"$tmp/loop.counts"
    check "$situation: frontiers, FV and BV are those of a search by the device" cmp "$tmp/alone.counts" "$tmp/loop.counts"
    check "$situation: kinds of levels are its own" test "$(ways "$tmp/alone.flat")" = 'list masks ' -a "$(ways "$tmp/loop.flat")" = 'loop '
    check 'delegates are of the frontier' awk -v th=$th '$3 == "frontier" { f = $4 } $3 == "delegates" { if ($4 > f) exit 1; s += $4 }
        END { exit th == "inf" ? s != 0 : s == 0 }' "$tmp/alone.flat"
    check "$situation: levels take no longer than the search" awk 'NR == FNR { if ($3 == "compute_s.max") sum[$1] += $4; next }
        { gsub(/[{},":]/, " "); for (i = 1; i < NF; i++) { if ($i == "root") r = $(i + 1)
            if ($i == "time_s" && r in sum) { n++; if (sum[r] > $(i + 1)) exit 1 } } } END { exit n != 5 }' \
        "$tmp/alone.flat" "$tmp/alone.json"
    check "$situation: parts of levels have times" test "$(sed -n '/levels_s/,/choose/p' "$tmp/alone.json" | grep -E 'visit_|choose' |
        grep -cE '0\.0*[1-9]')" -ge 10
done


# Counts in awk the probes of a search that only pulls. Rows list neighbours by descending degree, equal degrees by
# id. A row that is not reached looks at them until one is in the frontier.
"$BIN/rmatgen" -q -s 9 -f text -o "$tmp/s.txt"
"$BIN/rmatgen" -q -s 9 -o "$tmp/s.edges"
for th in 0 inf; do
    "$BIN/dbfs-pack" -q -p 1 -t $th -o "$tmp/s.$th" "$tmp/s.edges"
    check_exit 0 "a trace of pulls, TH $th" "$traverse" -q -r 3 --direction pull --depths "$tmp/s.d.$th" --trace "$tmp/s.t.$th" "$tmp/s.$th"
    flat "$tmp/s.t.$th" | awk '$3 ~ /probes$/ { sum[$2] += $4 } $3 == "level" { last = $2 }
        END { for (l = 0; l <= last; l++) if (sum[l] > 0) print l, sum[l] }' >"$tmp/s.probes"
    awk 'FILENAME ~ /s\.d/ { depth[$1] = $2; if ($2 > deepest) deepest = $2; next }
        $1 != $2 { degree[$1]++; degree[$2]++; if (!(($1, $2) in seen)) { seen[$1, $2]; seen[$2, $1]
            row[$1] = row[$1] " " $2; row[$2] = row[$2] " " $1 } }
        END { for (v in row) { n = split(row[v], c, " ")
                for (i = 2; i <= n; i++) { x = c[i]; for (j = i - 1; j > 0 && (degree[c[j]] < degree[x] ||
                    (degree[c[j]] == degree[x] && c[j] + 0 > x + 0)); j--) c[j + 1] = c[j]; c[j + 1] = x }
                for (level = 0; level <= deepest && (depth[v] < 0 || depth[v] > level); level++)
                    for (i = 1; i <= n; i++) { probes[level]++; if (depth[c[i]] == level) break } }
            for (level = 0; level <= deepest; level++) if (probes[level] > 0) print level, probes[level] }' \
        "$tmp/s.d.$th" "$tmp/s.txt" >"$tmp/s.want"
    check "the sweep has the probes that awk counts" cmp "$tmp/s.probes" "$tmp/s.want"
    check 'probes are counted on several levels' test "$(wc -l <"$tmp/s.want")" -gt 2
done

mpi() { "$MPIEXEC" -n 2 "$traverse" -@ 1 -q -n 5 --exchange-memory host --exchange-form list "$@" "$tmp/p4"; }
check_exit 0 'a trace of two ranks' mpi --trace "$tmp/t2" --json "$tmp/t2.json"
flat "$tmp/t2" >"$tmp/t2.flat"
check "$situation: edges are those of one rank" test "$(awk '$3 ~ /fv$/ { s += $4 } END { print s }' "$tmp/t2.flat")" = \
    "$(awk '$3 ~ /fv$/ { s += $4 } END { print s }' "$tmp/t1.flat")"
check 'sent vertices are those of --json, 4 bytes each' test "$(sed -n 's/.*"sent_vertices": \([0-9]*\).*/\1/p' "$tmp/t2.json" |
    awk '{ s += $1 } END { print s, 4 * s }')" = "$(awk '$3 == "sent_vertices" { s += $4 } $3 == "bytes.vertices" { b += $4 }
        END { print s, b }' "$tmp/t2.flat")"
check 'masks have bytes' awk '$3 == "bytes.masks" { s += $4 } END { exit !(s > 0) }' "$tmp/t2.flat"
check 'times are in order' awk '$3 ~ /_s\.min/ { least = $4 } $3 ~ /_s\.mean/ { mean = $4 }
    $3 ~ /_s\.max/ { n++; if (least > mean + 1e-9 || mean > $4 + 1e-9) exit 1 } END { exit n < 10 }' "$tmp/t2.flat"
check_exit 0 'a trace of two ranks that drop duplicates' mpi --uniquify --trace "$tmp/t3"
flat "$tmp/t3" >"$tmp/t3.flat"
check "$situation: sends fewer vertices than leave" awk '$3 == "leaving_vertices" { l += $4 } $3 == "sent_vertices" { s += $4 } END { exit !(s < l) }' "$tmp/t3.flat"
check "$situation: as many vertices leave as without" test "$(awk '$3 == "leaving_vertices" { s += $4 } END { print s }' "$tmp/t3.flat")" = \
    "$(awk '$3 == "sent_vertices" { s += $4 } END { print s }' "$tmp/t2.flat")"
check_exit 2 'a trace that would replace the report' "$traverse" -r 1 --trace "$tmp/x" --json "$tmp/x" "$tmp/p1"
check_exit 2 'two on standard output' "$traverse" -r 1 --trace - --json - "$tmp/p1"
check_exit 1 'a trace that cannot be written' "$traverse" -q -r 1 --trace "$tmp/none/t" "$tmp/p1"

# ---- the page ----

keys() { grep -oE '"[a-z0-9_]+":' "$@" | tr -d '":' | sort -u; }
check_exit 0 'a benchmark' env LD_LIBRARY_PATH="$(realpath "$TESTS/nvml")" "$BIN/dbfs-graph500" -q -n 2 --construction-time 1 \
    --json "$tmp/g500.json" "$tmp/p1"
missing=$(keys -h "$tmp/a.json" "$tmp/t2" "$tmp/g500.json" | while read -r key; do
    grep -qE "^\.(It )?Sy ([a-z0-9_]+ , )*$key( |$)" "$page" || echo "$key"; done)
check "dbfs-json.5 has every member ($(echo $missing))" test -z "$missing"
unknown=$(sed -n 's/^\.It Sy //p' "$page" | tr -d ' ' | tr ',' '\n' | while read -r key; do
    cat "$tmp/a.json" "$tmp/t2" "$tmp/g500.json" | grep -q "\"$key\":" || echo "$key"; done)
check "dbfs-json.5 has no other member ($(echo $unknown))" test "$unknown" = name

# ---- dbfs-report ----

report=$BIN/dbfs-report
check_exit 0 '--help' "$report" --help
check_exit 0 '--version' "$report" --version
check "$situation: is that of all programs" test "$(cat "$tmp/out" | cut -d' ' -f3)" = "$("$traverse" --version | cut -d' ' -f3)"
"$traverse" -q -n 16 --json "$tmp/r.json" "$tmp/p1" >"$tmp/summary"
check_exit 0 'graph500' "$report" graph500 "$tmp/r.json"
cp "$tmp/out" "$tmp/block"
check "$situation: has the five lines that dbfs-traverse prints" test "$(grep -cxFf "$tmp/summary" "$tmp/block") $(wc -l <"$tmp/summary")" = '5 5'
check "$situation: has the head of the block" test "$(head -5 "$tmp/block" | tr '\n' ' ')" = \
    'SCALE: 12 edgefactor: 16 NBFS: 16 num_mpi_processes: 1 construction_time: NA '
check_exit 0 'graph500 with a construction time' "$report" graph500 --construction-time 1.5 "$tmp/r.json"
check "$situation: the block has the time" grep -qx 'construction_time: 1.5' "$tmp/out"

# a run made by hand: times 1, 2 and 4 s, 8 edges each; the second has one level
hand() { # T1 T2 T3 CHECKSUM
    cat <<END
{"environment": {"version": "0", "graph": "a \\"b\\" c", "vertices": 10, "input_edges": 20, "backend": "cpu", "ranks": 2,
  "shards_per_rank": 3, "command": []}, "summary": {},
 "roots": [{"root": 5, "time_s": $1, "levels": 3, "edges": 8, "teps": $(awk "BEGIN { print 8 / $1 }"), "checksum": "0a"},
  {"root": 6, "time_s": $2, "levels": 1, "edges": 8, "teps": $(awk "BEGIN { print 8 / $2 }"), "checksum": "0b"},
  {"root": 7, "time_s": $3, "levels": 2, "edges": 8, "teps": $(awk "BEGIN { print 8 / $3 }"), "checksum": "$4"}]}
END
}
hand 1 2 4 0c >"$tmp/h1"
hand 0.5 4 1 0c >"$tmp/h 2"
hand 0.5 4 1 0d >"$tmp/h3"
check_exit 0 'means' "$report" means "$tmp/h1" "$tmp/h 2"
printf '%s\ta \\"b\\" c\tcpu\t2\t6\t3\t%s\t2\t%s\t%s\n' "$tmp/h1" 3.42857143 4 '1	1.5	2	3	4' \
    "$tmp/h 2" 4.36363636 11.3137085 '0.5	0.75	1	2.5	4' >"$tmp/want"
tail -n +2 "$tmp/out" >"$tmp/rows"
check "$situation: are those that awk computes" cmp "$tmp/rows" "$tmp/want"
check_exit 0 'compare' "$report" compare "$tmp/h1" "$tmp/h 2"
cut -f 1,4 "$tmp/out" | tail -n +2 | tr '\t\n' '= ' >"$tmp/rows"
check "$situation: ratios are right: $(cat "$tmp/rows")" grep -qx "harmonic_mean_TEPS=1.27273 geometric_mean_TEPS=2.82843 roots_in_common= \
min_ratio=0.5 firstquartile_ratio=1.25 median_ratio=2 thirdquartile_ratio=3 max_ratio=4 geometric_mean_ratio=1.5874 " "$tmp/rows"
check_exit 4 'compare runs of different distances' "$report" compare "$tmp/h1" "$tmp/h3"
check_says 'root 7: different distances: checksums 0c and 0d'
sed 's/"root": /"root": 9/' "$tmp/h1" >"$tmp/h4"
check_exit 3 'compare runs without a root in common' "$report" compare "$tmp/h1" "$tmp/h4"
check_exit 0 'roots' "$report" roots "$tmp/h1" "$tmp/r.json"
check "$situation: prints a row for each search" test "$(wc -l <"$tmp/out")" = 20
check "$situation: has columns by name" awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i } NR == 3 { ok = $c["root"] == 6 &&
    $c["time_s"] == 2 && $c["teps"] == 4 && $c["checksum"] == "0b" && $c["reached"] == "" } END { exit !ok }' "$tmp/out"
check_exit 3 'the answer clock of a run that has none' "$report" graph500 --clock answer "$tmp/h1"
check_says 'no answer_s in every search: of a sparse graph, dbfs-traverse makes answers only with'
sed 's/"teps"/"answer_s": 8, "answer_teps": 1, "teps"/' "$tmp/h1" >"$tmp/h5"
check_exit 0 'the answer clock' "$report" graph500 --clock answer "$tmp/h5"
check "$situation: means are of the answer clock" grep -qx 'harmonic_mean_TEPS: 1' "$tmp/out"
# values at their owners and values by input id are not the same array
sed 's/"environment": {/&"answer_layout": "owner", /' "$tmp/h5" >"$tmp/owner"
sed 's/"environment": {/&"answer_layout": "ids", /' "$tmp/h5" >"$tmp/ids"
for command in compare means; do
    check_exit 3 "$command does not put answers by owner beside answers by id" "$report" $command --clock answer \
        "$tmp/ids" "$tmp/owner"
    check_says 'no answer clock in common'
    check_exit 0 "$command takes runs of one layout, also one that does not name it" "$report" $command --clock answer \
        "$tmp/h5" "$tmp/ids"
    check_exit 0 "$command takes both layouts by the search clock" "$report" $command "$tmp/ids" "$tmp/owner"
done
sed 's/"teps": [0-9.]*/"teps": 0/' "$tmp/h1" >"$tmp/h6"
check_exit 0 '--several-levels' "$report" graph500 --several-levels "$tmp/h1"
check "$situation: leaves out the search of one level" sh -c "grep -qx 'NBFS: 3' '$tmp/out' && grep -qx 'summarised: 2 of more than one level' '$tmp/out' &&
    grep -qx 'median_time: 2.5' '$tmp/out'"
sed 's/"levels": [0-9]*/"levels": 1/' "$tmp/h1" >"$tmp/h7"
check_exit 3 'where there is no other' "$report" graph500 --several-levels "$tmp/h7"
check_says "$tmp/h7: no search of more than one level"
check_exit 0 'searches without an edge' "$report" graph500 "$tmp/h6"
check "$situation: have a mean of 0" grep -qx 'harmonic_mean_TEPS: 0' "$tmp/out"
check_exit 0 'levels' "$report" levels "$tmp/t1" "$tmp/t2"
check "$situation: prints a row for each level" test "$(wc -l <"$tmp/out")" = $(($(cat "$tmp/t1" "$tmp/t2" | wc -l) + 1))
"$MPIEXEC" -n 2 "$traverse" -@ 1 -q -n 2 --exchange-memory host --exchange-form bits --trace "$tmp/bits" "$tmp/p4" >"$tmp/summary" 2>&1
"$traverse" -q -g 4 -n 2 --trace "$tmp/peers" "$tmp/p4" >>"$tmp/summary" 2>&1
check_exit 0 'levels of every kind of exchange' "$report" levels "$tmp/t1" "$tmp/t2" "$tmp/bits" "$tmp/peers"
# prints lines "row member value" of the traces, without objects that column names leave out, and the same of the
# table; the number of the format is no value
for trace in t1 t2 bits peers; do flat "$tmp/$trace"; done | awk '$(NF - 1) == "format" { next } $(NF - 1) == "root" { row++ } { print row, $(NF - 1), $NF }' | sort >"$tmp/want"
awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) name[i] = $i; next } { for (i = 1; i <= NF; i++) if ($i != "") print NR - 1, name[i], $i }' \
    "$tmp/out" | sort >"$tmp/rows"
check 'dbfs-report levels prints every member of every line, and no other' diff "$tmp/want" "$tmp/rows"
for member in bytes.vertices bytes.masks bytes.frontiers bytes.peers probes; do
    check "some of them are $member" grep -q "$member [1-9]" "$tmp/rows"
done

# Moved data, by hand: two searches of two levels. The second level finds 30 and 10 vertices and sends half of them.
moved() { # FOUND SENT MASKS OF-MASKS NN
    printf '{"root": 1, "time_s": 2, "teps": 1, "levels": 2,'
    printf '"levels_s": {"previsit": [1, 0], "visit_nn": [%s], "remote_exchange": [2, 3], "merged_exchange": [0.5, 6]},' "$5"
    printf '"levels_exchanged": {"found_vertices": [%s], "sent_vertices": [%s], "list_bytes": [80, 0],' "$1" "$2"
    printf '"bits_bytes": [0, 0], "frontier_bytes": [0, 5], "mask_bytes": [%s], "whole_mask_bytes": [%s],' "$3" "$4"
    printf '"messages": [2, 1], "peer_vertices": [0, 0], "peer_bytes": [0, 0]}}'
}
printf '{"environment": {"vertices": 9, "mask_reduction": "blocking", "local_all2all": true, "uniquify": false, "exchange_form": "list",
"exchange_memory": "host", "ranks": 2, "shards_per_rank": 3}, "roots": [%s, %s]}\n' "$(moved '10, 0' '10, 0' '0, 0' '0, 0' '7, 8')" \
    "$(moved '30, 10' '15, 5' '3, 0' '9, 0' '1, 2')" >"$tmp/moved.json"
check_exit 0 'what moved' "$report" exchange "$tmp/moved.json"
printf "$tmp/moved.json"'\t%s\t%s\t%s\t%s\t%s\t%s\n' 0 list 20 12.5 80 80 0 frontier NA NA 0 0 0 mask NA NA 4.5 1.5 \
    1 list 5 2.5 20 0 1 frontier NA NA 5 5 1 mask NA NA 0 0 >"$tmp/want"
check "$situation: prints a row for each level and kind that there was" sh -c "tail -n +2 '$tmp/out' | cmp - '$tmp/want'"
check_exit 0 'options of the exchange' "$report" options "$tmp/moved.json" "$tmp/moved.json"
printf "$tmp/moved.json"'\tblocking\ttrue\tfalse\tlist\thost\t2\t6\t2\t2\t10\t0\t5\t0\t6.5\t0\t25\t15\t105\t85\t4.5\t1.5\t0\t3\n' >"$tmp/want"
check 'times are medians, counts are means' sh -c "tail -1 '$tmp/out' | cmp - '$tmp/want'"
check 'a row for each run' test "$(wc -l <"$tmp/out")" = 3
check_exit 3 'a run without --breakdown' "$report" exchange "$tmp/moved.json" "$tmp/r.json"
check_says "$tmp/r.json: no levels_exchanged"

# Pairs, by hand. One pair occurs in both searches and sends half of its finds as lists; one occurs in the first alone
# and sends bits; one occurs in a later level of the second alone.
between() { # LEVELS SOURCES DESTINATIONS FOUND SENT BYTES
    printf '{"root": 1, "time_s": 2, "teps": 1, "levels": 2, "pairs_exchanged": {"level": [%s], "source": [%s],' "$1" "$2"
    printf '"destination": [%s], "found_vertices": [%s], "sent_vertices": [%s], "bytes": [%s]}}' "$3" "$4" "$5" "$6"
}
printf '{"environment": {"vertices": 9, "ranks": 3, "count_pairs": true}, "roots": [%s, %s]}\n' \
    "$(between '1, 1' '2, 0' '0, 1' '0, 10' '0, 6' '8, 24')" "$(between '10, 1' '1, 0' '2, 1' '4, 20' '4, 9' '16, 36')" >"$tmp/pairs.json"
check_exit 0 'pairs of two runs' "$report" exchange --pairs "$tmp/pairs.json" "$tmp/pairs.json"
printf "$tmp/pairs.json"'\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' 1 0 1 15 7.5 60 30 1 2 0 0 0 4 4 10 1 2 2 2 8 8 >"$tmp/want"
check "$situation: rows are means, by level, source and destination, a run after the other" \
    sh -c "cat '$tmp/want' '$tmp/want' >'$tmp/twice'; tail -n +2 '$tmp/out' | cmp - '$tmp/twice'"
check_exit 0 'pairs of one rank' "$report" exchange --pairs "$tmp/a.json"
check "$situation: prints no row" test "$(wc -l <"$tmp/out")" = 1
check_exit 3 'pairs of a run without them' "$report" exchange --pairs "$tmp/a.json" "$tmp/moved.json"
check_says "$tmp/moved.json: no pairs_exchanged"

# malformed_as TEXT: exit 3
for text in '' '{' '{}}' '{"a" 1}' '{"a": }' '{"a": 1,}' '{"a": 1 "b": 2}' '{"a": [1,]}' '{"a": [1}' '[1]' '1' '{"a": tru}' '{"a": "x}' \
    '{1: 2}' '{"a": 01x}' '{"environment": {"vertices": 1}}'; do
    printf '%s\n' "$text" >"$tmp/bad"
    check_exit 3 "JSON that is none: $text" "$report" means "$tmp/bad"
done
printf '{"a":\n {"b":\n  x}}\n' >"$tmp/bad"
check_exit 3 'a fault in line 3' "$report" levels "$tmp/bad"
check_says "$tmp/bad:3: not JSON"
check_exit 3 'a trace for a run' "$report" means "$tmp/t1"
check_exit 3 'a run for a trace' "$report" levels "$tmp/r.json"
check_exit 1 'no such file' "$report" means "$tmp/nothing"
check_exit 2 'no command' "$report"
check_exit 2 'an unknown command' "$report" draw "$tmp/r.json"
check_exit 2 'an unknown option' "$report" means --colour "$tmp/r.json"
check_exit 2 'compare one run' "$report" compare "$tmp/r.json"
for option in clock=answer clock=search; do
    check "dbfs-report means --$option is as with its value in a word of its own" cmp <("$report" means --$option "$tmp/h5") \
        <("$report" means --clock ${option#*=} "$tmp/h5")
done
check 'dbfs-report means --clock=answer has other times than --clock=search' bash -c '! cmp <("$1" means --clock=answer "$2") <("$1" means --clock=search "$2")' \
    - "$report" "$tmp/h5"
check_exit 2 'a value of an option that has none' "$report" exchange --pairs=1 "$tmp/h5"
check_says '^dbfs-report: --pairs=1: --pairs takes no value'
check_exit 2 'a clock that is none' "$report" means --clock wall "$tmp/r.json"
check_exit 2 'a construction time that is none' "$report" graph500 --construction-time soon "$tmp/r.json"
for options in 'means --pairs' 'means --several-levels' 'means --construction-time 5' 'roots -r 1' 'means --force' \
    'exchange --clock answer' 'graph500 --pairs'; do
    check_exit 2 "an option without effect: $options" "$report" $options "$tmp/r.json"
done
check_exit 2 'an option without effect: levels --clock' "$report" levels --clock search "$tmp/t1"
check_exit 2 'an option without effect: plot --clock' "$report" plot --clock search "$tmp/t1"
mkdir "$tmp/n=1"
check_exit 0 'a relative TMPDIR that could be an assignment' sh -c 'cd "$1" && TMPDIR=n=1 "$2" means r.json' - "$tmp" "$(realpath "$report")"
check "$situation: changes no mean" cmp "$tmp/out" <("$report" means "$tmp/r.json" | sed "s|$tmp/||")
check_exit 2 'a picture of no kind' "$report" plot -o "$tmp/x.gif" "$tmp/t1"

"$BIN/degsplit" -q -p 4 --sweep "$tmp/sweep" -o "$tmp/g.split" "$tmp/g.edges"
check_exit 2 'a root of a sweep' "$report" plot -r 1 "$tmp/sweep"
check_exit 0 'the script of a sweep' "$report" plot "$tmp/sweep"
check "$situation: has the rows of the sweep" test "$(sed -n '/^\$classes/,/^END/p' "$tmp/out" | wc -l)" = $(($(wc -l <"$tmp/sweep") + 1))
check "$situation: names the TH that was chosen" grep -q "TH $(awk -F '\t' '$15 == 1 { print $1 }' "$tmp/sweep") is chosen" "$tmp/out"
check_exit 0 'the script of a trace' "$report" plot "$tmp/t1"
first=$(head -1 "$tmp/t1" | sed 's/.*"root": \([0-9]*\).*/\1/')
check 'the script of a trace has the levels of the first root' test "$(sed -n '/^\$edges/,/^END/p' "$tmp/out" | wc -l)" = \
    $(($(grep -c "\"root\": $first," "$tmp/t1") + 3))
check 'the script of a trace has a point for each level' grep -q '^edges_step = 1$' "$tmp/out"
check 'the script of a trace names classes in words' grep -q '	nd: normal to delegate	' "$tmp/out"
check 'curves differ without colour' test "$(grep '^set style line' "$tmp/out" | grep -o ' pt [0-9]*' | sort | uniq -d)" = ''
spread=$("$report" levels "$tmp/t1" | awk -F '\t' -v root="$first" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /^..\.fv$/) at[i] }
    NR > 1 && $1 == root { for (i in at) if ($i > 0) { if ($i > most + 0) most = $i; if (!least || $i < least) least = $i } }
    END { print most / least }')
check "edges of 1 to $spread times as many have a logarithmic axis" grep -qx "edges_spread = $spread" "$tmp/out"
check_exit 0 'the script of a trace by -o -' "$report" plot -o - "$tmp/t1"
check "$situation: is a script of gnuplot" grep -q '^set multiplot' "$tmp/out"
check_exit 3 'a root that is not in the trace' "$report" plot -r 99999 "$tmp/t1"
sed '$d' "$tmp/sweep" >"$tmp/cut"
check_exit 3 'a sweep without its end' "$report" plot "$tmp/cut"
check_says "$tmp/cut:.*: a sweep ends with TH inf"
printf '8\t3\n' >>"$tmp/cut"
check_exit 3 'a row without its end' "$report" plot "$tmp/cut"
check_says "$tmp/cut:$(wc -l <"$tmp/cut"): not a row of a sweep"

# how many vertices there are at each distance
"$traverse" -q -r "$first" --depths "$tmp/hops.txt" "$tmp/p1" >"$tmp/summary" 2>&1
check_exit 0 'dbfs-report plot draws a file of distances' "$report" plot "$tmp/hops.txt"
check 'a picture of distances counts the vertices at each distance' diff \
    <(awk '$2 >= 0 { count[$2]++ } END { for (d = 0; d in count; d++) print d "\t" count[d] }' "$tmp/hops.txt") \
    <(sed -n '/^\$counts/,/^END/p' "$tmp/out" | sed '1,2d;$d')
check 'the title of a picture of distances has the vertices that are not reached' \
    grep -q "; $(awk '$2 < 0 { n++ } END { print n + 0 }' "$tmp/hops.txt") not reached" "$tmp/out"
"$traverse" -q -r "$first" --depths "$tmp/hops.csv" --parents "$tmp/hops.csv" "$tmp/p1" >"$tmp/summary" 2>&1
tr '\t' ' ' <"$tmp/hops.txt" >"$tmp/hops-1.0.0.txt"
"$report" plot "$tmp/hops.txt" >"$tmp/of.txt"
check 'distances and parents as .csv make the picture of distances as text' cmp <("$report" plot "$tmp/hops.csv") "$tmp/of.txt"
check 'distances of version 1.0.0 make the picture of distances as text' cmp <("$report" plot "$tmp/hops-1.0.0.txt") "$tmp/of.txt"
printf '0 1\n1 x\n' >"$tmp/bad.txt"
check_exit 3 'a line that is no distance is refused' "$report" plot "$tmp/bad.txt"
check_says "$tmp/bad.txt:2: not a vertex and its distance$" 'the message about a line that is no distance has file and line'
for line in 'vertex,distance' '0 1 2' '0,1,2' '0	1	2' '0 1.5' '"a,1' '0 -2'; do
    printf '%s\n0 0\n' "$line" >"$tmp/bad.txt"
    check_exit 3 "dbfs-report refuses $line as the first of the distances" "$report" plot "$tmp/bad.txt"
    check_says "$tmp/bad.txt:1: not a vertex and its distance, nor a row of names of --sweep, nor a line of --trace"
done
printf '\xef\xbb\xbf0 0\r\n1 1\r\n2 1\r\n3 -1\r\n' >"$tmp/windows.txt"
check_exit 0 'distances that an editor of Windows left' "$report" plot "$tmp/windows.txt"
cp "$tmp/out" "$tmp/of.txt"
check 'a mark of the byte order and carriage returns change no distance' test "$(sed -n '/^\$counts/,/^END/p' "$tmp/out" | sed '1,2d;$d' | tr '\n\t' ', ')" = '0 1,1 2,'
printf 'from,to\n"x, y",a\na,"c ""q"" d"\n#7,#7\n' >"$tmp/names.csv"
for file in named.txt named.csv; do
    "$BIN/dbfs" -q --compact -f csv -r a --no-cache -o "$tmp/$file" "$tmp/names.csv"
    check_exit 0 "dbfs-report plot draws distances of names, $file" "$report" plot "$tmp/$file"
    check "a picture of distances counts names of every kind, $file" cmp "$tmp/of.txt" "$tmp/out"
done
# two runs
check_exit 0 'dbfs-report plot draws two runs' "$report" plot "$tmp/r.json" "$tmp/r.json"
check 'a picture of two runs has a row for each root in common' \
    test "$(sed -n '/^\$runs/,/^END/p' "$tmp/out" | wc -l)" = $(($("$report" roots "$tmp/r.json" | sed 1d | cut -f 2 | sort -u | wc -l) + 3))
check 'a picture of two runs has the times of the second beside those of the first' \
    awk -F '\t' '/^\$runs/ { on = 1; next } /^END/ { on = 0 } on && $1 ~ /^[0-9]+$/ { n++; if ($2 != $3) bad = 1 } END { exit bad || n == 0 }' "$tmp/out"
mkdir "$tmp/odd"
cp "$tmp/r.json" "$tmp/odd/a
b	c_d\"e\".json"
check_exit 0 'a run whose name has a line, a tab and quotes' "$report" means "$tmp/odd/"* "$tmp/r.json"
check 'dbfs-report means has a row for a run whatever its name' test "$(cut -f 1 "$tmp/out" | tail -n +2 | tr '\n' '|')" = "$tmp/odd/a?b?c_d\"e\".json|$tmp/r.json|"
check_exit 0 'two runs, one of whose names has a line, a tab and quotes' "$report" plot "$tmp/odd/"* "$tmp/r.json"
check 'a picture of two runs has their names as titles, without quotes' grep -qF "root	A: $tmp/odd/a?b?c_d”e”.json	B: $tmp/r.json" "$tmp/out"
check 'titles of curves have no markup' grep -q 'columnheader(i + 0) noenhanced$' "$tmp/out"
check_exit 2 'plot takes no root for two runs' "$report" plot -r "$first" "$tmp/r.json" "$tmp/r.json"
if command -v gnuplot >/dev/null 2>&1; then
    check_exit 0 'dbfs-report plot takes --size' "$report" plot --size 640x333 -o "$tmp/sized.svg" "$tmp/hops.txt"
    check 'a picture is as large as --size says' grep -q 'width="640" height="333"' "$tmp/sized.svg"
    check_exit 0 'a picture of a run whose name has quotes' "$report" plot -o "$tmp/odd.svg" "$tmp/odd/"* "$tmp/r.json"
    check 'a picture has the name of a run as it is' grep -qF 'c_d”e”.json</text>' "$tmp/odd.svg"
fi
check_exit 2 'a size of the wrong form is refused' "$report" plot --size 640 -o "$tmp/sized2.svg" "$tmp/hops.txt"
check_exit 2 'a size of two lines, one of them right, is refused' "$report" plot --size 'x9
900x700' -o "$tmp/sized2.svg" "$tmp/hops.txt"
printf '0 0\n1 999999999\n' >"$tmp/gap.txt"
check_exit 3 'distances with a gap are refused, not filled' timeout 10 "$report" plot "$tmp/gap.txt"
check_says 'no vertex at distance 1, one at 999999999'
check_exit 2 '--size is refused where no picture is written' "$report" plot --size 640x333 "$tmp/hops.txt"

# hundreds of levels, one class of edges
awk 'BEGIN { for (i = 0; i < 600; i++) print i, i + 1 }' | "$BIN/edgeconv" -q -u -o "$tmp/path.edges" -
"$BIN/dbfs-pack" -q -p 2 -t inf -o "$tmp/path" "$tmp/path.edges"
"$traverse" -q -r 0 --trace "$tmp/path.trace" "$tmp/path" >"$tmp/summary" 2>&1
check_exit 0 'the script of hundreds of levels' "$report" plot "$tmp/path.trace"
check "$situation: has a point for each 25th of the levels" grep -q '^edges_step = 25$' "$tmp/out"
check 'gnuplot chooses the ticks' sh -c "! grep -qE 'xtic(label)?s?[(]' '$tmp/out'"
check 'classes without edges are no curves' grep -qx 'edges_curves = " 2"' "$tmp/out"

# inputs that are pipes are read once
for data in r.json r2.json moved.json t1 sweep; do
    case $data in
    r.json) commands='graph500 means roots' ;;
    r2.json) commands='compare' ;;
    moved.json) commands='exchange options' ;;
    t1) commands='levels plot' ;;
    sweep) commands='plot' ;;
    esac
    for command in $commands; do
        [ $command = compare ] && by_every_way "$tmp/r.json" "$report" compare @ "$tmp/r.json" && continue
        by_every_way "$tmp/$data" "$report" $command @
    done
done
check_exit 2 'dbfs-report refuses standard input twice' "$report" compare - -
check_says 'standard input: is given twice, and can be read once'
(cd "$tmp" && cp r.json ./-r.json && mkdir ./-x)
for program in 'dbfs-report means' 'dbfs-model check'; do
    check_exit 0 "$program takes a file that begins with - after --, and such a TMPDIR" env TMPDIR=-x sh -c 'cd "$1" && "$2" $3 -- -r.json' - \
        "$tmp" "$(realpath "$BIN/${program% *}")" "${program#* }"
    check "$program names the file that stands after --" grep -q -e '^-r.json	' "$tmp/out"
done
check_exit 1 'a folder for a run' "$report" means "$tmp"
check_says "$tmp: cannot read"
if command -v gnuplot >/dev/null 2>&1; then
    for kind in svg png pdf; do
        for data in sweep t1 path.trace; do
            check_exit 0 "a .$kind of $data" "$report" plot -o "$tmp/$data.$kind" "$tmp/$data"
            check "$situation: the picture is there" test -s "$tmp/$data.$kind"
        done
    done
    check 'the .svg is one' grep -q '<svg' "$tmp/t1.svg"
    printf '0 0\n' | "$BIN/edgeconv" -q -u -o "$tmp/self.edges" -
    "$BIN/degsplit" -q --sweep "$tmp/self.tsv" -o "$tmp/self.split" "$tmp/self.edges"
    "$BIN/dbfs-pack" -q -p 1 -s "$tmp/self.split" -o "$tmp/self" "$tmp/self.edges"
    "$traverse" -q -r 0 --trace "$tmp/self.trace" "$tmp/self" >"$tmp/summary" 2>&1
    for data in self.tsv self.trace; do
        check_exit 0 "a graph without edges: $data" "$report" plot -o "$tmp/$data.svg" "$tmp/$data"
    done
    labels=$(grep -c '<text' "$tmp/path.trace.svg")
    check "the picture of hundreds of levels has $labels labels" test "$labels" -gt 8 -a "$labels" -lt 50
    cp "$tmp/t1.svg" "$tmp/kept"
    check_exit 1 'a picture that is there' "$report" plot -o "$tmp/t1.svg" "$tmp/sweep"
    check_says 'exists already: --force replaces it'
    check "$situation: the file is as before" cmp "$tmp/t1.svg" "$tmp/kept"
    check_exit 0 'with --force' "$report" plot --force -o "$tmp/t1.svg" "$tmp/sweep"
    check "$situation: the file is replaced" grep -q 'delegates' "$tmp/t1.svg"
    check_exit 1 'a folder that is not there' "$report" plot -o "$tmp/none/x.svg" "$tmp/t1"
else
    skip 'pictures: gnuplot is not installed'
fi
# ---- values from files are no commands ----

# A value of a file that reached a script of gnuplot, a shell or awk would make the file $tmp/ran.
ran=$tmp/ran
payloads=("system('touch $ran')" "\`touch $ran\`" "1; !touch $ran" "END" "1\"; system('touch $ran') #" "a[\$(touch $ran)]" '1-1' '0x10')
for payload in "${payloads[@]}"; do
    quoted=${payload//\"/\\\"}
    for member in root level fv max; do
        awk -v member="\"$member\": " -v value="${quoted//\\/\\\\}" '{
            at = index($0, member) + length(member)
            match(substr($0, at), /^[0-9.]+/)
            print substr($0, 1, at - 1) "\"" value "\"" substr($0, at + RLENGTH) }' "$tmp/t1" >"$tmp/hostile"
        check_exit 3 "a trace whose $member is $payload" "$report" plot "$tmp/hostile"
    done
    printf 'th\tdelegates\td_percent\tnn_percent\tnd_percent\tdn_percent\tdd_percent\tchosen\n%s\t0\t0\t0\t0\t0\t0\t1\n' "$payload" >"$tmp/hostile"
    printf 'inf\t0\t0\t0\t0\t0\t0\t0\n' >>"$tmp/hostile"
    check_exit 3 "a sweep whose TH is $payload" "$report" plot "$tmp/hostile"
    sed "s|\"time_s\": [0-9.e-]*|\"time_s\": \"${quoted//\\/\\\\}\"|" "$tmp/r.json" >"$tmp/hostile"
    check_exit 3 "a run whose times are $payload" "$report" means "$tmp/hostile"
    check_exit 3 'as dbfs-model sees it' "$BIN/dbfs-model" check "$tmp/hostile"
done
sed 's/"vertices": [0-9]*/"vertices": "zzz"/' "$tmp/r.json" >"$tmp/hostile"
check_exit 3 'a number of vertices that is a word ends no loop, and is refused' timeout 20 "$report" graph500 "$tmp/hostile"
sed 's/"iterations": [0-9]*/"iterations": 1e300/' "$tmp/r.json" >"$tmp/hostile"
check_exit 3 'a number of levels without end' timeout 20 "$BIN/dbfs-model" check "$tmp/hostile"
sed 's/"ranks": [0-9]*/"ranks": 1e9/; s/"level": \[1,/"level": [1e15,/' "$tmp/pairs.json" >"$tmp/hostile"
check_exit 0 'numbers of ranks and levels that are not there are no loops either' timeout 20 "$report" exchange --pairs "$tmp/hostile"
for key in '9999999' 'roots.0.time_s' "level\\tx"; do
    printf '{"environment": {"vertices": 4}, "roots": [{"time_s": 1}], "%b": {"time_s": 1}}\n' "$key" >"$tmp/hostile"
    check_exit 3 "a key that passes for a place or a path: $key" "$report" means "$tmp/hostile"
done
sed 's/"direction": "push"/"direction": "\x1b]0;x\x07"/' "$tmp/t1" >"$tmp/hostile"
check_exit 3 'a string with control characters' "$report" levels "$tmp/hostile"
check "$situation: the message does not print them" sh -c "! LC_ALL=C grep -q '[[:cntrl:]]' '$tmp/err'"
if command -v gnuplot >/dev/null 2>&1; then
    folder="$tmp/it's \\t \"\`touch $(basename "$ran")\`\""
    mkdir "$folder"
    check_exit 0 'a picture in a folder with quotes and backslashes, by temporary files there' env TMPDIR="$folder" "$report" plot -o "$folder/x.svg" "$tmp/t1"
    check "$situation: the picture is there" test -s "$folder/x.svg"
    check_exit 0 'a picture of a prediction in a folder with quotes and backslashes' env TMPDIR="$folder" "$BIN/dbfs-model" strong --rmat 20 -o "$folder/y.svg"
    check "$situation: the picture is there" test -s "$folder/y.svg"
fi
check 'no command in a file that a report reads is run' test ! -e "$ran" -a ! -e ran

ln -s "$(command -v awk)" "$tmp/awk"
for tool in cat mktemp rm; do ln -s "$(command -v $tool)" "$tmp/$tool"; done
check_exit 1 'a picture without gnuplot' env PATH="$tmp" /bin/sh "$report" plot -o "$tmp/y.svg" "$tmp/t1"
check_says 'gnuplot: not found: install .*gnuplot-nox'
finish
