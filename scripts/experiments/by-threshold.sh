# by-threshold.sh: rates of $work/edges by the degree threshold, with and without directions. THS lists the thresholds.
by_threshold() { # P
    local th
    for th in ${THS:-0 4 8 16 32 64 128 256 512}; do
        rm -rf "$work/graph" # two of a large graph may not fit
        packed graph "$1" $th <"$work/edges"
        searched graph 1 "${factors[@]}"
        row ours DOBFS $th "$(gteps graph)"
        searched graph 1 --direction push
        row ours BFS $th "$(gteps graph)"
    done
}
