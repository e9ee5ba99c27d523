# runs.awk: reads runs of dbfs-traverse from lines `document path value`: the graph, the layout and
# the times
#
# run[d, name]: the environment; sum[d, name]: over the searches of several levels; counted[d, name]: over all
# levels of these searches; level_of[search, name, level]: one level of the run that is read. A trace belongs to the run
# before it: traced[d, name, level] sums over its searches.

function bad_run(what) {
    printf "dbfs-model: %s: %s\n", run_name[runs], what >"/dev/stderr"
    failed = 3
    exit failed
}

function read_run(path, value,   part, n) {
    n = split(path, part, ".")
    if (part[1] == "environment")
        run[runs, substr(path, 13)] = value
    else if (part[1] == "roots" && n == 3)
        root[part[2], part[3]] = value
    else if (part[1] == "roots" && n == 5 && command == "rates")
        level_of[part[2], part[4], part[5]] = value
    else if (part[1] == "roots" && (part[3] == "levels_exchanged" || part[3] == "levels_s") && n == 5)
        phase[part[2], part[4]] += value
    if (part[1] == "roots" && part[2] + 1 > roots) roots = part[2] + 1
}

# The searches of the last run that was read. Those of one level count only if there are no others.
function end_run(   i, several, key, part) {
    if (!in_run) return
    for (i = 0; i < roots; i++) several += root[i, "levels"] > 1
    for (i = 0; i < roots; i++) {
        if (several && root[i, "levels"] <= 1) continue
        if (root[i, "time_s"] + 0 <= 0 || root[i, "iterations"] + 0 <= 0)
            bad_run("search " i ": time_s and iterations are not above 0")
        if (root[i, "iterations"] + 0 > 1e6) bad_run("search " i ": the model goes over a million levels at most")
        time[runs, ++searches[runs]] = root[i, "time_s"]
        for (key in root) { split(key, part, SUBSEP); if (part[1] == i) sum[runs, part[2]] += root[key] }
        for (key in phase) { split(key, part, SUBSEP); if (part[1] == i) counted[runs, part[2]] += phase[key] }
    }
    if (!searches[runs]) bad_run("it has no search")
    if (run[runs, "ranks"] + 0 < 1 || run[runs, "shards_per_rank"] + 0 < 1 || run[runs, "edges_kept.nn"] == "" ||
        run[runs, "th"] !~ /^([0-9]+|inf)$/)
        bad_run("not what dbfs-traverse --json writes")
    if (command == "rates") measure_levels(runs, roots)
    split("", root); split("", phase); split("", level_of)
    in_run = roots = 0
}

function read_level(path, value) {
    if (path == "level") { level = value; traced[runs, "levels", level]++ }
    else if (path == "subgraphs.nn.fv" || path == "subgraphs.dd.frontier" || path == "bytes.masks")
        of_level[path] += value
}
function end_level(   path) {
    for (path in of_level) { traced[runs, path, level] += of_level[path]; traced[runs, path] += of_level[path] }
    split("", of_level)
}

function average(d, name) { return sum[d, name] / searches[d] }

# The median time of the searches, since a disturbed one may take much longer.
function middle_time(d,   n, i, j, x, t) {
    n = searches[d]
    for (i = 1; i <= n; i++) {
        t = time[d, i]
        for (j = i; j > 1 && x[j - 1] > t; j--) x[j] = x[j - 1]
        x[j] = t
    }
    return (x[int((n + 1) / 2)] + x[int(n / 2) + 1]) / 2
}

# ---- the graph of a run ----

function run_graph(graph, d,   i, classes, name) {
    split("", graph)
    split("nn nd dn dd", classes, " ")
    for (i = 1; i <= 4; i++) {
        graph[classes[i]] = run[d, "edges_kept." classes[i]]
        graph["edges"] += graph[classes[i]]
    }
    graph["ids"] = run[d, "vertices"]
    graph["vertices"] = run[d, "vertices_with_edges"]
    graph["delegates"] = run[d, "delegates"]
    graph["input_edges"] = run[d, "input_edges"]
    graph["th"] = run[d, "th"]
    graph["row_ends"] = graph["th"] == "inf" ? graph["edges"] / most(1, graph["vertices"]) : graph["th"] # at most
    share_levels(graph, d)
    graph["levels"] = average(d, "iterations")
    if (average(d, "mask_reductions") > 0) graph["reductions"] = average(d, "mask_reductions")
}

# The vertices that each level finds: from a trace, or as expected for an RMAT graph; otherwise the edges of nn are
# spread evenly over the levels, and half of the levels find delegates (section V-B: S' is about half of S).
function share_levels(graph, d,   l, levels, rmat) {
    levels = average(d, "iterations")
    if (traced[d, "levels", 0] > 0) {
        for (l = 0; l < levels; l++) {
            graph["nn_of", l] = graph["nn"] * share_of(traced[d, "subgraphs.nn.fv", l], traced[d, "subgraphs.nn.fv"])
            graph["delegates_of", l] = graph["delegates"] * \
                share_of(traced[d, "subgraphs.dd.frontier", l + 1], traced[d, "subgraphs.dd.frontier"])
            graph["reductions"] += graph["delegates_of", l] >= .5
        }
        graph["shape"] = "trace"
    } else if (rmat_scale_of(graph)) {
        rmat_choose(rmat_scale_of(graph), graph["input_edges"] / graph["ids"])
        rmat_graph(rmat, graph["th"])
        for (l = 0; l < levels; l++) {
            graph["nn_of", l] = rmat["nn_of", l]
            graph["delegates_of", l] = rmat["delegates_of", l]
        }
        graph["row_ends"] = rmat["row_ends"]
        graph["reductions"] = rmat["reductions"]
        graph["shape"] = "rmat"
    } else {
        graph["reductions"] = graph["delegates"] > 0 ? levels / 2 : 0
        for (l = 0; l < levels; l++) {
            graph["nn_of", l] = graph["nn"] / levels
            graph["delegates_of", l] = l < graph["reductions"] ? graph["delegates"] / graph["reductions"] : 0
        }
        graph["shape"] = "even"
    }
}
function share_of(part, whole) { return whole > 0 ? part / whole : 0 }

# The scale, if delegates and edges are those of an RMAT graph within 2%; 0 otherwise.
function rmat_scale_of(graph,   scale, rmat, factor) {
    scale = int(log2(graph["ids"]) + .5)
    factor = graph["input_edges"] / graph["ids"]
    if (2 ^ scale != graph["ids"] || factor < 1 || scale < 2) return 0
    rmat_choose(scale, factor)
    rmat_graph(rmat, graph["th"])
    return near(rmat["delegates"], graph["delegates"]) && near(rmat["edges"], graph["edges"]) ? scale : 0
}
function near(a, b) { return a >= b * .98 - 50 && a <= b * 1.02 + 50 }

# ---- the layout of a run ----

# Devices that searched by themselves have no time of exchanges.
function run_layout(layout, d,   ranks, shards, on_host) {
    ranks = run[d, "ranks"]
    shards = run[d, "shards_per_rank"]
    on_host = run[d, "ranks_on_host"] > 0 ? run[d, "ranks_on_host"] : ranks
    make_layout(layout, ranks * shards, int((ranks + on_host - 1) / on_host),
        run[d, "exchange_memory"] == "peer" ? least(ranks, on_host) * shards : shards, sum[d, "exchange_s"] > 0 ? 1 : ranks * shards)
}
# Devices of several groups search by themselves if there are at most `relayed`, and no more than may do so.
function make_layout(layout, p, hosts, group, relayed) {
    layout["p"] = p
    layout["hosts"] = hosts
    layout["group"] = group
    layout["kind"] = p == 1 ? "alone" : group == p ? "peer" : p <= least(relayed, rate["relay_devices"]) ? "relay" : "message"
}

{ # lines of a run, and of the trace after it
    if ($1 != document) { end_level(); end_run() }
    if ($1 != document && $2 != "level" && $2 != "root") {
        runs++
        in_run = 1
    }
    document = $1
    if (in_run) read_run($2, $3)
    else if (runs) read_level($2, $3)
}
