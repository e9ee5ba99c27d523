#!/bin/bash
# pan-table-1.sh: bytes of the subgraphs by the formulas of Table I, and as the shards take them. All columns count the same edges: those that
# are kept, without duplicates and self-loops, once in each direction; `input_edge_ends` says how many there were before.
. scripts/experiments/lib.sh

rmat $((scale + 2)) >"$work/edges"
{
    row p th n d input_edge_ends kept_edges nn nd_and_dn dd formula_bytes device_bytes edge_list_bytes plain_csr_bytes
    for p in 1 2 4 8; do
        packed graph $p $((p * 8)) --encoding raw --heads nn=0,nd=0,dn=0,dd=0 <"$work/edges"
        "$bin/dbfs-pack" --list --json "$work/graph" | tr -d ' ' | tr ',{}' '\n' | awk -F : -v p=$p -v OFS='\t' '
            $1 == "\"vertices\"" { n = $2 } $1 == "\"th\"" { th = $2 } $1 == "\"delegates\"" { d = $2 }
            $1 == "\"input_edges\"" { ends = 2 * $2 } $1 == "\"device_bytes\"" { bytes += $2 }
            $1 ~ /^"(nn|nd|dn|dd)"$/ && !($1 in edges) { edges[$1] = $2 }
            END {
                nn = edges["\"nn\""]; mixed = edges["\"nd\""] + edges["\"dn\""]; dd = edges["\"dd\""]
                m = nn + mixed + dd
                # rows of nn and nd: 4 n bytes each; of dn and dd: 4 d on each of p devices; columns: 8 bytes of nn, 4 else
                formula = 8 * n + 8 * d * p + 4 * (mixed + dd) + 8 * nn
                print p, th, n, d, ends, m, nn, mixed, dd, formula, bytes, 16 * m, 8 * n + 8 * m
            }'
    done
} | keep pan-table-1 "Pan, Table I: memory of the subgraphs in bytes, RMAT $((scale + 2)), TH 8 for each shard" 'dbfs-pack; no search'
