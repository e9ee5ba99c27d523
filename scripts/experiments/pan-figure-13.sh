#!/bin/bash
# pan-figure-13.sh: figure 13, rates by the degree threshold of a social network. The paper's best TH are 32 to 91.
. scripts/experiments/lib.sh
. scripts/experiments/by-threshold.sh

. scripts/experiments/social.sh
by_threshold 4 | keep_curves pan-figure-13 "Pan, figure 13: rates by TH, $graph, 4 shards" "$loop" TH GTEPS x 32 91 "best in the paper, Friendster: 32 to 91"
