# links.awk: measures the rates of links from runs with messages and --breakdown
#
# A level of a run has seconds, bytes that a device sends (and about as many that it receives), and messages that follow each other.
# Levels of few bytes give the latency, and with this levels of many bytes give the bandwidth: medians, with
# quartiles as their bands.

BEGIN {
    few_bytes = 4096
    many_bytes = 65536
}

function note_level(link, seconds, bytes, messages) {
    if (bytes > few_bytes && bytes < many_bytes) return
    if (bytes <= few_bytes) { latency_of[link, ++few[link]] = seconds / messages; return }
    many[link]++
    seconds_of[link, many[link]] = seconds
    bytes_of[link, many[link]] = bytes
    messages_of[link, many[link]] = messages
}

function in_level(search, name, level) { return level_of[search, name, level] + 0 }

# Notes the levels of a run, which must have a device for each rank, and no peers. Both kinds of searches are measured: what a
# stepped one waits for vertices, frontiers and masks of others, and what a relayed one waits at barriers.
function measure_levels(d, searches,   layout, ranks, link, i, l, masks, vertices, seconds) {
    run_layout(layout, d)
    ranks = layout["p"]
    if (ranks == 1) bad_run("it has one rank, and no messages")
    if (run[d, "shards_per_rank"] != 1 || layout["group"] > 1)
        bad_run("devices read each other's memory, and counts do not tell that from messages: " \
            "rates want a device for each rank, and --exchange-memory host")
    link = layout["hosts"] > 1 ? "network" : "host"
    if (sum[d, "exchange_s"] == 0) link = "relay_" link
    for (i = 0; i < searches; i++)
        for (l = 0; (i, "peer_bytes", l) in level_of; l++) {
            levels_of[link]++
            if (link ~ /^relay_/) {
                note_level(link, in_level(i, "local_exchange", l), in_level(i, "peer_bytes", l) / ranks, 1)
                continue
            }
            masks = in_level(i, "mask_bytes", l) / ranks
            vertices = (in_level(i, "list_bytes", l) + in_level(i, "bits_bytes", l) + in_level(i, "frontier_bytes", l)) / ranks
            seconds = in_level(i, "remote_exchange", l) + in_level(i, "mask_reduction", l) + in_level(i, "merged_exchange", l)
            note_level(link, seconds, vertices + 2 * (ranks - 1) / ranks * masks,
                steps(ranks) * (masks > 0 ? 3 : 1) + (vertices > 0))
        }
    if (!levels_of[link]) bad_run("it does not say what each level moved: rates want runs with --breakdown")
}

# Sorts x[1], ..., x[n] by heapsort.
function sort_numbers(x, n,   i, t) {
    for (i = int(n / 2); i >= 1; i--) sift_down(x, i, n)
    for (i = n; i > 1; i--) { t = x[1]; x[1] = x[i]; x[i] = t; sift_down(x, 1, i - 1) }
}
function sift_down(x, i, n,   child, t) {
    for (; 2 * i <= n; i = child) {
        child = 2 * i < n && x[2 * i + 1] > x[2 * i] ? 2 * i + 1 : 2 * i
        if (x[i] >= x[child]) return
        t = x[i]; x[i] = x[child]; x[child] = t
    }
}
function quantile(x, n, share,   at) {
    at = 1 + share * (n - 1)
    return x[int(at)] + (at - int(at)) * (x[least(n, int(at) + 1)] - x[int(at)])
}

function print_rate(name, value, low, high, unit, levels, what) {
    printf "%s %.3g %.3g %.3g # %s: %d levels of %s\n", name, value, low, high, unit, levels, what
}

# Prints the rates of a link that the levels tell. Returns their number.
function print_link(link,   i, n, x, latency, printed) {
    printf "# %s: %d levels of %d runs; from each row: median, quartiles\n", link, levels_of[link], runs
    n = few[link]
    for (i = 1; i <= n; i++) x[i] = latency_of[link, i]
    sort_numbers(x, n)
    latency = n ? quantile(x, n, .5) : 0
    if (latency > 0) {
        print_rate(link "_latency", latency, most(quantile(x, n, .25), latency / 100), quantile(x, n, .75),
            link ~ /^relay_/ ? "s a barrier" : "s a message", n,
            "at most " few_bytes " bytes")
        printed++
    } else
        printf "# %s_latency: not measured, as no level moved at most %d bytes\n", link, few_bytes
    n = many[link]
    for (i = 1; i <= n; i++) x[i] = (seconds_of[link, i] - messages_of[link, i] * latency) / bytes_of[link, i]
    sort_numbers(x, n)
    if (n && quantile(x, n, .25) > 0) {
        print_rate(link "_bandwidth", 1 / quantile(x, n, .5), 1 / quantile(x, n, .75), 1 / quantile(x, n, .25),
            "bytes a s", n, "at least " many_bytes " bytes")
        printed++
    } else
        printf "# %s_bandwidth: not measured, as %s\n", link, n ? "levels with many bytes took no longer than levels with few" : \
            "no level moved " many_bytes " bytes a device"
    return printed
}

function print_rates(   n, link, i, printed) {
    n = split("host network relay_host relay_network", link, " ")
    for (i = 1; i <= n; i++) if (levels_of[link[i]]) printed += print_link(link[i])
    if (!printed) {
        print "dbfs-model: the runs tell no rate: larger graphs, or more roots, have levels that do" >"/dev/stderr"
        exit failed = 3
    }
}
