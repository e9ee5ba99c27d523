#!/bin/bash
# pan-messages.sh: section VI-A1, the scan of message sizes: time of the exchange by --chunk, without delegates.
. scripts/experiments/lib.sh

{
    rmat $((scale + 3)) | packed graph 2 inf
    for chunk in 4096 16384 65536 262144 1048576 4194304; do
        searched graph 2 --breakdown --exchange-memory host --exchange-form list --direction push --chunk $chunk
        row ours 'remote exchange, ms' $chunk "$(reported graph options remote_exchange_s | awk '{ print 1000 * $1 }')"
        row ours 'messages of a search' $chunk "$(reported graph options messages)"
    done
} | keep_curves pan-messages 'Pan, section VI-A1: message sizes; the best one there is 4 MB' "$loop, push, no delegates, 2 ranks" \
    'bytes of --chunk' 'ms; messages' x
