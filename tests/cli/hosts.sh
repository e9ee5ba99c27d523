#!/bin/bash
# hosts.sh: packing and searching between several hosts, which are network namespaces, give the bytes and distances
# of one host.
set -u
. tests/lib.sh
. tests/namespaces.sh
make_hosts

# ---- packing and searching ----

check_exit 0 'four hosts run a rank each' on_hosts ip -o -4 addr show eth0
check 'with addresses of their own' test "$(grep -o '10\.77\.0\.[0-9]*/' "$tmp/out" | sort -u | wc -l)" = $hosts

"$BIN/rmatgen" -q -s 12 -o "$tmp/edges"
check_exit 0 'packing on one host' "$BIN/dbfs-pack" -q -p $hosts -o "$tmp/alone" "$tmp/edges"
check_exit 0 'packing on four hosts' on_hosts "$(realpath "$BIN/dbfs-pack")" -q -p $hosts -o "$tmp/packed" "$tmp/edges"
check 'gives the same bytes' diff -r "$tmp/alone" "$tmp/packed"

check_exit 0 'searching on one host' "$BIN/dbfs-traverse" -q -n 4 --backend cpu "$tmp/alone"
wanted=$(sed -n 's/^distance_checksum: //p' "$tmp/out")
for options in '' '--exchange-form list --uniquify' '--exchange-form bits --direction push' '--reduction nonblocking'; do
    check_exit 0 "searching on four hosts${options:+, $options}" on_hosts "$(realpath "$BIN/dbfs-traverse")" -q -@ 1 -n 4 \
        --backend cpu --force --json "$tmp/json" $options "$tmp/packed"
    check 'gives the same distances' test "$(sed -n 's/^distance_checksum: //p' "$tmp/out")" = "$wanted"
    check 'by messages, a rank on each host' grep -q '"ranks_on_host": 1,' "$tmp/json"
done

# two hosts with two ranks each, which read each other's memory within a host
each=2
for options in '' '--exchange-form list' '--exchange-form bits --direction pull' '--exchange-memory host'; do
    check_exit 0 "searching on two hosts of two ranks${options:+, $options}" on_hosts \
        "$(realpath "$BIN/dbfs-traverse")" -q -@ 1 -n 4 --backend cpu --force --json "$tmp/json" $options "$tmp/packed"
    check 'gives the same distances' test "$(sed -n 's/^distance_checksum: //p' "$tmp/out")" = "$wanted"
    memory=peer
    [ "${options#--exchange-memory }" = "$options" ] || memory=host
    check "two ranks on each host, by $memory memory" \
        test "$(grep -c -e '"ranks_on_host": 2,' -e "\"exchange_memory\": \"$memory\"" "$tmp/json")" = 2
done
finish
