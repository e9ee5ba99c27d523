#!/bin/bash
# summary.sh: dbfs-traverse's summary, as text and JSON, and dbfs-report's block follow from the records, and the
# records are those of the oracle.
set -u
. tests/lib.sh

"$BIN/rmatgen" -q -s 12 -f text -o "$tmp/rmat.txt"
"$TESTS/mkgraph" components >"$tmp/components.txt"
for graph in rmat components; do
    "$BIN/edgeconv" -q -u -o "$tmp/$graph.edges" "$tmp/$graph.txt"
    "$BIN/dbfs-pack" -q -p 2 --suggest memory -o "$tmp/$graph" "$tmp/$graph.edges" || fail "packing $graph"
done

# Prints a line "NAME VALUE" for each number in the summary or the roots of the JSON. Names begin with the object they
# lie in.
json_values() { # PART
    sed -n "/^  \"$1\": /,/^  []}]/p" "$tmp/json" | tr '{},[]' '\n\n\n\n\n' | awk -F'": *' '
        { sub(/^ *"/, "", $1) } NF < 2 { next }
        $2 ~ /^ *$/ { object = $1 "."; next }
        $1 == "distance_checksum" { object = "" }
        { gsub(/[" ]/, "", $2); print object $1, $2 }'
}

# Prints lines "root time_s levels reached edges teps checksum" of the records and of the JSON; with `answer` time and
# TEPS are the answer's.
records_of_text() {
    awk '$1 == "root" { print $2, $4, $6, $8, $12, $14, $16 }' "$tmp/out"
}
records_of_json() {
    json_values roots | sed 's/^roots\.//' | awk -v answer="${1:-}" '{ value[$1] = $2 }
        $1 == "answer_teps" {
            time = answer ? value["answer_s"] : value["time_s"]
            print value["root"], time, value["levels"], value["reached"], value["edges"],
                  answer ? $2 : value["teps"], value["checksum"] }'
}

# Prints the numbers of the JSON's summary under the names of the text.
text_of_json() {
    json_values summary | sed -e 's/^summary\.searches/NBFS:/' -e 's/^time_s\.median/median_time:/' \
        -e 's/^answer_s\.median/median_answer_time:/' -e 's/^teps\.harmonic_mean/harmonic_mean_TEPS:/' \
        -e 's/^distance_checksum/distance_checksum:/'
}

# Computes dbfs-report's block from the records on standard input, as lines "name value tolerance".
expected_summary() { # SEVERAL: 1 takes only searches of more than one level
    awk -v several="$1" '
        function say(name, value, tolerance) { printf "%s %.12g %.3g\n", name, value, tolerance }
        function sort_values(n,    i, j, x) {
            for (i = 2; i <= n; i++) {
                x = v[i]
                for (j = i - 1; j > 0 && v[j] > x; j--) v[j + 1] = v[j]
                v[j + 1] = x
            }
        }
        function quantile(n, q,    at, low) {
            at = 1 + q * (n - 1); low = int(at)
            return low == n ? v[n] : v[low] + (at - low) * (v[low + 1] - v[low])
        }
        function spread(name, n, near,    i, sum, squares, mean) {
            sort_values(n)
            for (i = 1; i <= n; i++) sum += v[i]
            mean = sum / n
            for (i = 1; i <= n; i++) squares += (v[i] - mean) ^ 2
            near += 1e-7 * v[n]
            say("min_" name, v[1], near); say("firstquartile_" name, quantile(n, .25), near)
            say("median_" name, quantile(n, .5), near); say("thirdquartile_" name, quantile(n, .75), near)
            say("max_" name, v[n], near)
            if (name == "TEPS") return
            say("mean_" name, mean, near); say("stddev_" name, n > 1 ? sqrt(squares / (n - 1)) : 0, 2 * near)
        }
        { searches++; if ($3 > 1) { logs += log($6); more++ } }
        several && $3 < 2 { next }
        { n++; time[n] = $2; edges[n] = $5; teps[n] = $6; inverse += 1 / $6 }
        END {
            say("NBFS", searches, 0)
            for (i = 1; i <= n; i++) v[i] = time[i];  spread("time", n, 1e-9)
            for (i = 1; i <= n; i++) v[i] = edges[i]; spread("nedge", n, 0)
            for (i = 1; i <= n; i++) v[i] = teps[i];  spread("TEPS", n, 0)
            mean = n / inverse
            for (i = 1; i <= n; i++) squares += (1 / teps[i] - inverse / n) ^ 2
            say("harmonic_mean_TEPS", mean, 1e-6 * mean)
            say("harmonic_stddev_TEPS", n > 1 ? sqrt(squares) / (n - 1) * mean ^ 2 : 0, 1e-5 * mean)
            say("geometric_mean_TEPS", more ? exp(logs / more) : 0, more ? 1e-6 * exp(logs / more) : 0)
        }'
}

same_within_tolerance() { # EXPECTED SAID
    awk 'NR == FNR { wanted[$1 ":"] = $2; tolerance[$1 ":"] = $3; next }
        $1 in wanted { seen++; off = $2 - wanted[$1]
            if (off > tolerance[$1] || -off > tolerance[$1]) {
                print $1, $2, "expected", wanted[$1]
                bad = 1
            } }
        END { for (name in wanted) names++
            if (seen != names) print seen + 0, "of", names
            exit bad || seen != names }' "$1" "$2"
}

check_summary() { # NAME
    local name=$1 several=0 options=
    case $name in *several*) several=1 options=--several-levels ;; esac
    records_of_text >"$tmp/text.records"
    records_of_json >"$tmp/json.records"
    sed -n '/^NBFS: /,$p' "$tmp/out" >"$tmp/text.summary"
    text_of_json >"$tmp/json.summary"
    "$BIN/dbfs-report" graph500 $options "$tmp/json" >"$tmp/block"
    expected_summary $several <"$tmp/json.records" >"$tmp/expected"
    # text has fewer digits of time and TEPS
    check "$name: text and JSON have the same records" awk '
        NR == FNR { time[FNR] = $2; teps[FNR] = $6; $2 = $6 = ""; record[FNR] = $0; n++; next }
        { late = time[FNR] - $2; off = teps[FNR] - $6; near = 1e-6 * $6; $2 = $6 = "" }
        $0 != record[FNR] || off > near || -off > near || late > 6e-10 || -late > 6e-10 { print; exit bad = 1 }
        END { exit bad || n == 0 || n != FNR }' "$tmp/text.records" "$tmp/json.records"
    check "$name: text and JSON have the same summary of five lines" cmp "$tmp/text.summary" "$tmp/json.summary"
    check "$name: dbfs-report's block has the summary" sh -c "[ \$(wc -l <'$tmp/text.summary') = 5 ] && { [ $several = 1 ] ||
        [ \$(grep -cxFf '$tmp/text.summary' '$tmp/block') = 5 ]; }"
    check "$name: the block is that of the records" same_within_tolerance "$tmp/expected" "$tmp/block"
    check "$name: text and JSON have the same answer clock" awk '
        NR == FNR { root[FNR] = $1; time[FNR] = $2; teps[FNR] = $3; n++; next }
        { late = time[FNR] - $2; off = teps[FNR] - $6; near = 1e-6 * $6 }
        $1 != root[FNR] || late > 6e-10 || -late > 6e-10 || off > near || -off > near { print; exit bad = 1 }
        END { exit bad || n == 0 || n != FNR }' \
        <(awk '$1 == "root" { print $2, $18, $20 }' "$tmp/out") <(records_of_json answer)
    expected_summary $several < <(records_of_json answer) |
        sed -n -e 's/_time /_answer_time /p' -e 's/_TEPS /_answer_TEPS /p' | grep -v ^geometric >"$tmp/expected"
    check "$name: dbfs-report's block by the answer clock is that of the records" same_within_tolerance "$tmp/expected" "$tmp/block"
    check "$name: no answer is there before its search is over" awk 'NR == FNR { time[$1] = $2; next }
        { n++; if ($2 < time[$1]) exit bad = 1 } END { exit bad || n == 0 }' \
        "$tmp/json.records" <(records_of_json answer)
    check "$name: TEPS is edges over time" awk '
        { off = $6 * $2 - $5; if (off ^ 2 > ((1e-6 + 1e-9 / $2) * $5) ^ 2) { print; bad = 1 } }
        END { exit bad || NR == 0 }' "$tmp/json.records"
    json_values roots >"$tmp/values"
    check "$name: no search is shorter than its computing or exchanging" awk '
        { sub(/^roots\./, ""); v[$1] = $2 }
        $1 != "exchange_s" { next }
        { n++ }
        v["compute_s"] > v["time_s"] || $2 > v["time_s"] { print v["root"]; bad = 1 }
        END { exit bad || n == 0 }' "$tmp/values"
}

# ---- statistics, from one record on ----

traverse() { # GRAPH RANKS OPTIONS...
    local graph=$1 ranks=$2
    shift 2
    check_exit 0 "$graph, $ranks ranks, $*" \
        "$MPIEXEC" -n "$ranks" "$BIN/dbfs-traverse" -@ 1 --backend cpu --force --json "$tmp/json" "$@" "$tmp/$graph"
}
for count in 1 2 3 8 9; do
    traverse rmat 1 -n $count
    check_summary "$count searches"
done
traverse rmat 2 -n 10
check_summary '10 searches, 2 ranks'

# ---- searches of different components are those of the oracle ----

oracle_records() { # ROOTS: prints lines "root levels reached edges edges_no_loops edges_kept"
    "$TESTS/oracle" -e "$tmp/$graph.txt" "$1" | awk '{ value[$1] = $2 }
        $1 == "levels" { print value["root"], $2, value["reached"], value["edges_spec"],
                               value["edges_noloops"], value["edges_dedup"] }'
}
counted_records() {
    json_values roots | sed 's/^roots\.//' | awk '{ value[$1] = $2 }
        $1 == "sent_vertices" { print value["root"], value["levels"], value["reached"], value["edges"],
                                      value["edges_no_loops"], value["edges_kept"] }'
}
for graph in components rmat; do
    traverse $graph 2 -n 40
    check_summary "40 searches of $graph"
    counted_records >"$tmp/counted"
    oracle_records "$(cut -d' ' -f1 "$tmp/counted" | paste -sd,)" >"$tmp/oracle"
    check "$graph: 40 roots' levels, vertices and edges are the oracle's" cmp "$tmp/counted" "$tmp/oracle"
    check "$graph: all forty roots are compared" test "$(wc -l <"$tmp/oracle")" = 40
done
traverse components 1 -r 70,90,3,20,40,200,300,500
check_summary 'several levels'
check 'several levels: six searches of eight are summarised' grep -qx 'summarised: 6 of more than one level' "$tmp/block"
check_summary 'all levels'
check 'all levels: all eight searches are summarised' sh -c "! grep -q summarised '$tmp/block'"

# ---- counters of levels ----

for p in 1 2; do
    traverse rmat $p -r 1 -v
    check "p = $p: as many levels are printed as counted" \
        test "$(grep -c ' level [0-9]* nn .* frontier [0-9]* delegates [0-9]* way [a-z]* ahead_us [0-9.]*$' "$tmp/err")" = \
        "$(json_values roots | sed -n 's/.*iterations //p')"
done
check 'the report has as many reductions of masks as -v' \
    test "$(grep -c ' masks 1 ' "$tmp/err")" = "$(json_values roots | sed -n 's/.*mask_reductions //p')"
check 'reductions of masks are counted' test "$(grep -c ' masks 1 ' "$tmp/err")" -gt 0
finish
