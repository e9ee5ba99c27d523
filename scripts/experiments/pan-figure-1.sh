#!/bin/bash
# pan-figure-1.sh: figure 1, BFS projects in context. Left: scale by the number of processors, and the line of weak scaling
# through the paper's point. Right: rate per processor by the number of processors. The paper's single GPU (Pan [5]) has three points.
. scripts/experiments/lib.sh

packed graph 1 - < <(rmat $((scale + 3)))
searched graph 1
# who processors scale GTEPS
cat >"$work/projects" <<'END'
Pan-[5],-1-to-4-GPUs 1 24 31.6
Pan-[5],-1-to-4-GPUs 2 25 42.9
Pan-[5],-1-to-4-GPUs 4 26 46.1
this-system 1 24 22.9
this-system 2 25 32.5
this-system 4 26 39.8
this-system 8 29 53.13
this-system 124 33 259.8
Bernaschi 4096 33 828.39
TSUBAME-[1] 4096 35 462.25
Krajecki 64 29 13.7
Yasui 128 33 174.7
Buluc 1204 33 240
END
{
    awk -v OFS='\t' '{ gsub(/-/, " ", $1); print "published", $1, $2, $3 }' "$work/projects"
    for p in 1 4 16 64 128 1024 4096; do row published 'derived: weak scaling through 124 GPUs' $p "$(awk -v p=$p 'BEGIN { print 33 + log(p / 124) / log(2) }')"; done
    row ours 'dbfs here' 1 $((scale + 3))
} | keep_curves pan-figure-1-scales 'Pan, figure 1, left: scale by processors' "$own" processors 'RMAT scale' x
{
    awk -v OFS='\t' '{ gsub(/-/, " ", $1); print "published", $1, $2, $4 / $2 }' "$work/projects"
    row ours 'dbfs here' 1 "$(gteps graph)"
    weak_scaling | awk -F '\t' -v OFS='\t' '{ $4 /= $3; print }'
} | keep_curves pan-figure-1 "Pan, figure 1, right: rate per processor by processors; ours of RMAT $((scale + 3)), theirs of scales 24 to 35" "$own; $model_words" \
    processors 'GTEPS a processor' xy
