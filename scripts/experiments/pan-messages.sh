#!/bin/bash
# pan-messages.sh: section VI-A1, the scan of message sizes: time of the exchange by --chunk, without delegates, and the number of
# messages. The paper scans 128 kB to 16 MB on 32 hosts, and takes 4 MB for data above 2 MB.
. scripts/experiments/lib.sh

rmat $((scale + 3)) | packed graph 2 inf
for chunk in 4096 16384 65536 262144 1048576 4194304 16777216; do
    searched graph 2 --breakdown --exchange-memory host --exchange-form list --direction push --chunk $chunk
    row ours 'remote exchange' $chunk "$(reported graph options remote_exchange_s | awk '{ print 1000 * $1 }')" >>"$work/times"
    row ours 'messages of a search' $chunk "$(reported graph options messages)" >>"$work/messages"
done
keep_curves pan-messages 'Pan, section VI-A1: time of the exchange by message size; the best one there is 4 MB for data above 2 MB, of 128 KB to 16 MB between 32 hosts; a rank here sends less than 2 MB in a search; RMAT '$((scale + 3)) "$loop, push, no delegates, 2 ranks" \
    'bytes of --chunk' ms x <"$work/times"
keep_curves pan-messages-count "Pan, section VI-A1: messages of a search by message size, RMAT $((scale + 3))" "$loop, push, no delegates, 2 ranks" \
    'bytes of --chunk' messages xy <"$work/messages"
