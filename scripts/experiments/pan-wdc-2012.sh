#!/bin/bash
# pan-wdc-2012.sh: section VI-D, the hyperlink graph WDC 2012 on 160 GPUs: the paper's rates, and what the rates of dbfs-model say
# of dbfs on as many H200: levels by messages, and the edges of a device. The graph itself needs `dbfs-dataset wdc-2012` and a cluster.
. scripts/experiments/lib.sh

rate() { "$bin/dbfs-model" rates h200 | awk -v name="$1" '$1 == name { print $2 }'; } # NAME
{
    row source what gpus levels gteps ms_a_level_by_division
    published pan-wdc-2012 | awk -F '\t' -v OFS='\t' '{ split($2, what, ","); print $1, what[1] ", 40x2x2 P100, TH 256", 160, $3 " (mean)", $4, 112e9 / ($4 * 1e9) / $3 * 1e3 }'
    # 224 G edge ends of 112 G edges; every edge end is kept, and most are never looked at
    awk -v OFS='\t' -v edge="$(rate edge_s)" -v loop="$(rate loop_factor)" -v level="$(rate message_level_s)" '
        BEGIN { s = 330 * level + 224e9 / 160 * edge * loop; print "model", "dbfs on H200, an upper bound", 160, 330, 112e9 / s / 1e9, s / 330 * 1e3 }'
} | keep pan-wdc-2012 'Pan, section VI-D: WDC 2012 on 160 GPUs' \
    'no search; model: the rates of dbfs-model, 70 us a level by messages (measured on two GPUs of one host), and no time for vertices between hosts, which the classes of edges of the graph would tell. The text of the paper has 8 us a level, which its rates contradict: 112 G edges at 84.2 GTEPS take 1.33 s'
