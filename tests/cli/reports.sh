#!/bin/bash
# reports.sh: --json and --trace of dbfs-traverse as dbfs-json(5) describes them.
set -u
. tests/lib.sh
traverse=$BIN/dbfs-traverse
page=${BUILD:-build}/man/dbfs-json.5

"$BIN/rmatgen" -q -s 12 -o "$tmp/g.edges"
"$BIN/dbfs-pack" -q -p 1 -o "$tmp/p1" "$tmp/g.edges"
"$BIN/dbfs-pack" -q -p 4 -t 16 -o "$tmp/p4" "$tmp/g.edges"

# ---- the environment ----

check_exit 0 'a report' "$traverse" -q -n 3 --json "$tmp/a.json" --breakdown "$tmp/p1"
value() { sed -n "s/.*\"$1\": \"\([^\"]*\)\".*/\1/p" "$tmp/a.json"; }
check 'has the command line' grep -qF "\"command\": [\"$traverse\", \"-q\", \"-n\", \"3\", \"--json\", \"$tmp/a.json\", \"--breakdown\", \"$tmp/p1\"]" \
    "$tmp/a.json"
model=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1)
if [ -n "$model" ]; then
    check 'has the CPU' test "$(value cpu)" = "$model"
else
    skip 'the CPU: /proc/cpuinfo has no model name'
fi
if git rev-parse HEAD >/dev/null 2>&1; then
    check 'has a revision' test -n "$(value revision)"
fi
check_exit 0 'words that need escapes' "$traverse" -q -r 1 --json "$tmp/b\"\\.json" "$tmp/p1"
check 'are escaped' grep -qF 'b\"\\.json"' "$tmp/b\"\\.json"

# ---- the trace ----

# lines of ROOT LEVEL KEY VALUE, a subgraph's keys as nn.fv
flat() {
    awk '{ gsub(/[{}",:]/, " "); n = split($0, w, " "); prefix = ""; out = ""
        for (i = 1; i < n; i++) {
            if (w[i] ~ /^(nn|nd|dn|dd|bytes|compute_s|exchange_s)$/) { prefix = w[i] "."; left = w[i] ~ /_s$/ ? 3 : w[i] == "bytes" ? 2 : 6; continue }
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
check 'pushes all edges' awk '$3 ~ /fv$/ { fv += $4 } $3 ~ /pushed$/ { pushed += $4 } $3 ~ /direction/ && $4 == "pull" { exit 1 }
    END { exit !(fv > 0 && fv == pushed) }' "$tmp/push.flat"
check 'the same edges as with pulls' test "$(awk '$3 ~ /fv$/ { s += $4 } END { print s }' "$tmp/push.flat")" = \
    "$(awk '$3 ~ /fv$/ { s += $4 } END { print s }' "$tmp/t1.flat")"

mpi() { "$MPIEXEC" -n 2 "$traverse" -@ 1 -q -n 5 "$@" "$tmp/p4"; }
check_exit 0 'a trace of two ranks' mpi --trace "$tmp/t2" --json "$tmp/t2.json"
flat "$tmp/t2" >"$tmp/t2.flat"
check 'has the edges of that of one' test "$(awk '$3 ~ /fv$/ { s += $4 } END { print s }' "$tmp/t2.flat")" = \
    "$(awk '$3 ~ /fv$/ { s += $4 } END { print s }' "$tmp/t1.flat")"
check 'sent vertices are those of --json, 4 bytes each' test "$(sed -n 's/.*"sent_vertices": \([0-9]*\).*/\1/p' "$tmp/t2.json" |
    awk '{ s += $1 } END { print s, 4 * s }')" = "$(awk '$3 == "sent_vertices" { s += $4 } $3 == "bytes.vertices" { b += $4 }
        END { print s, b }' "$tmp/t2.flat")"
check 'masks have bytes' awk '$3 == "bytes.masks" { s += $4 } END { exit !(s > 0) }' "$tmp/t2.flat"
check 'times are in order' awk '$3 ~ /_s\.min/ { least = $4 } $3 ~ /_s\.mean/ { mean = $4 }
    $3 ~ /_s\.max/ { n++; if (least > mean + 1e-9 || mean > $4 + 1e-9) exit 1 } END { exit n < 10 }' "$tmp/t2.flat"
check_exit 0 'a trace of two ranks that drop duplicates' mpi --uniquify --trace "$tmp/t3"
flat "$tmp/t3" >"$tmp/t3.flat"
check 'sends fewer than leave' awk '$3 == "leaving_vertices" { l += $4 } $3 == "sent_vertices" { s += $4 } END { exit !(s < l) }' "$tmp/t3.flat"
check 'as many leave as without' test "$(awk '$3 == "leaving_vertices" { s += $4 } END { print s }' "$tmp/t3.flat")" = \
    "$(awk '$3 == "sent_vertices" { s += $4 } END { print s }' "$tmp/t2.flat")"
check_exit 2 'a trace that would replace the report' "$traverse" -r 1 --trace "$tmp/x" --json "$tmp/x" "$tmp/p1"
check_exit 2 'two on standard output' "$traverse" -r 1 --trace - --json - "$tmp/p1"
check_exit 1 'a trace that cannot be written' "$traverse" -q -r 1 --trace "$tmp/none/t" "$tmp/p1"

# ---- the page ----

keys() { grep -oE '"[a-z0-9_]+":' "$@" | tr -d '":' | sort -u; }
missing=$(keys -h "$tmp/a.json" "$tmp/t2" | while read -r key; do
    grep -qE "^\.(It )?Sy ([a-z0-9_]+ , )*$key( |$)" "$page" || echo "$key"; done)
check "dbfs-json.5 has every member ($(echo $missing))" test -z "$missing"
unknown=$(sed -n 's/^\.It Sy //p' "$page" | tr -d ' ' | tr ',' '\n' | while read -r key; do
    cat "$tmp/a.json" "$tmp/t2" | grep -q "\"$key\":" || echo "$key"; done)
check "and no other ($(echo $unknown))" test "$unknown" = name
finish
