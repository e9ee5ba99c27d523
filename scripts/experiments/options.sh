# options.sh: the parts of a search as `dbfs-report options` prints them
parts_head() { row case graph p median_ms computation_ms local_exchange_ms remote_exchange_ms mask_reduction_ms merged_ms messages; }
parts() { # CASE GRAPH P, of the last search
    local case=$1 graph=$2 p=$3 column
    set -- "$case" "$graph" "$p"
    for column in median_s computation_s local_exchange_s remote_exchange_s mask_reduction_s merged_exchange_s; do
        set -- "$@" "$(reported graph options $column | awk '{ print 1000 * $1 }')"
    done
    row "$@" "$(reported graph options messages)"
}
