#!/bin/bash
# pan-factors.sh: section VI-B, the scan of the factors that turn dd, dn and nd to pull; the paper takes .5, .05 and 1e-7.
. scripts/experiments/lib.sh

rmat $((scale + 2)) | packed graph 4 16
for kind in dd dn nd; do
    for factor in 1e-8 1e-7 1e-6 1e-4 1e-3 1e-2 0.05 0.1 0.5 1 10; do
        searched graph 1 --factor0 "dd=0.5,dn=0.05,nd=1e-7,nn=1e9,$kind=$factor" --factor1 dd=0,dn=0,nd=0,nn=0
        row ours $kind $factor "$(gteps graph)"
    done
done | keep_curves pan-factors "Pan, section VI-B: scan of factors, RMAT $((scale + 2)) on 4 shards; the others stay at the paper's, dd .5, dn .05, nd 1e-7" "$loop" factor GTEPS x
