#!/bin/bash
# pan-figure-6.sh: figure 6, rates by the degree threshold. The paper's curve has no numbers; its best TH are 45 to 90 of scale 30.
. scripts/experiments/lib.sh
. scripts/experiments/by-threshold.sh

rmat $((scale + 2)) >"$work/edges"
by_threshold 4 | keep_curves pan-figure-6 "Pan, figure 6: rates by TH, RMAT $((scale + 2)) on 4 shards" "$loop" TH GTEPS x 45 90 "best in the paper, scale 30: 45 to 90"
