# rmat.awk: estimates an RMAT graph of a scale without making it: the edges of each class for a
# threshold, and the vertices that each level of a search finds.
#
# A vertex whose id has j ones in its `scale` bits has a Poisson number of edge ends, of mean
# ends (A + B)^(scale - j) (C + D)^j, where ends = 2 edgefactor 2^scale. All vertices with j ones are alike: they
# are class j. An entry of the matrix is drawn with a probability that the bits of row and column fix together:
# class j of the row, class k of the column and the number of places where both have a one.

function log_gamma(x,   y) { # of Stirling, moved up to x >= 10
    for (y = 0; x < 10; x++) y -= log(x)
    return y + (x - .5) * log(x) - x + .918938533204673 + 1 / (12 * x) - 1 / (360 * x * x * x)
}
function log_choose(n, k) { return log_gamma(n + 1) - log_gamma(k + 1) - log_gamma(n - k + 1) }
function log2(x) { return log(x) / log(2) }
function safe_exp(x) { return x < -700 ? 0 : exp(x) }
function at_least_one(mean) { return mean < 1e-5 ? mean - mean * mean / 2 : 1 - safe_exp(-mean) } # of a Poisson number

# The chance that a Poisson number is at most k.
function poisson_up_to(k, mean,   term, sum, i) {
    if (k < 0) return 0
    if (mean <= 0) return 1
    if (k == "inf" || k > mean + 40 + 12 * sqrt(mean)) return 1
    if (mean > k + 40 + 12 * sqrt(mean)) return 0
    term = safe_exp(k * log(mean) - mean - log_gamma(k + 1))
    if (k <= mean) { # from k down
        for (i = k; i >= 0 && term > 1e-18; i--) { sum += term; term *= i / mean }
        return sum
    }
    for (i = k + 1; term > 1e-18; i++) { term *= mean / i; sum += term } # the rest, upwards
    return 1 - sum
}

# Chooses the graph for rmat_graph.
function rmat_choose(scale, edge_factor) {
    rmat_scale = scale
    rmat_edge_factor = edge_factor
}

# Makes the parts of that graph: rmat_size[j] vertices of rmat_mean[j] ends in class j; rmat_kept[j,
# k] directed edges from class j to class k, without self-loops and duplicates.
function rmat_make(scale, edge_factor,   j, k, both, lowest, cells, cell) {
    if (rmat_made == scale " " edge_factor) return
    rmat_made = scale " " edge_factor
    rmat_ends = 2 * edge_factor * 2 ^ scale
    for (j = 0; j <= scale; j++) {
        rmat_size[j] = exp(log_choose(scale, j))
        rmat_mean[j] = rmat_ends * .76 ^ (scale - j) * .24 ^ j
    }
    for (j = 0; j <= scale; j++)
        for (k = 0; k <= scale; k++) {
            rmat_kept[j, k] = 0
            lowest = j + k > scale ? j + k - scale : 0
            for (both = lowest; both <= j && both <= k; both++) {
                if (both == j && both == k) continue # the diagonal
                cells = exp(log_choose(scale, j) + log_choose(j, both) + log_choose(scale - j, k - both))
                cell = rmat_ends * .57 ^ (scale - j - k + both) * .19 ^ (j + k - 2 * both) * .05 ^ both
                rmat_kept[j, k] += cells * at_least_one(cell)
            }
        }
}

# Fills graph[...] for the graph chosen last, with a threshold. Results are kept for the next call.
function rmat_graph(graph, th,   key) {
    split("", graph)
    if (!((rmat_scale, rmat_edge_factor, th) in rmat_known)) {
        rmat_make(rmat_scale, rmat_edge_factor)
        rmat_count(graph, th)
        rmat_levels(graph, th)
        for (key in graph) rmat_keep[rmat_scale, rmat_edge_factor, th, key] = graph[key]
        for (key in graph) rmat_known[rmat_scale, rmat_edge_factor, th] = rmat_known[rmat_scale, rmat_edge_factor, th] key "\n"
    } else
        rmat_recall(graph, rmat_known[rmat_scale, rmat_edge_factor, th], rmat_scale SUBSEP rmat_edge_factor SUBSEP th)
}
function rmat_recall(graph, keys, prefix,   n, i, key) {
    n = split(keys, key, "\n")
    for (i = 1; i < n; i++) graph[key[i]] = rmat_keep[prefix, key[i]]
}

function rmat_count(graph, th,   j, k, normal, other, e, squares, ends) {
    for (j = 0; j <= rmat_scale; j++) {
        normal[j] = poisson_up_to(th == "inf" ? th : th - 1, rmat_mean[j]) # of an edge end here, to be one of a normal
        graph["vertices"] += rmat_size[j] * at_least_one(rmat_mean[j])
        graph["delegates"] += rmat_size[j] * (1 - poisson_up_to(th, rmat_mean[j]))
        other = th == "inf" ? 1 : poisson_up_to(th - 2, rmat_mean[j])
        squares += rmat_size[j] * (rmat_mean[j] * rmat_mean[j] * other + rmat_mean[j] * normal[j])
        ends += rmat_size[j] * rmat_mean[j] * normal[j]
    }
    for (j = 0; j <= rmat_scale; j++)
        for (k = 0; k <= rmat_scale; k++) {
            e = rmat_kept[j, k]
            graph["edges"] += e
            graph["nn"] += e * normal[j] * normal[k]
            graph["nd"] += e * normal[j] * (1 - normal[k])
            graph["dd"] += e * (1 - normal[j]) * (1 - normal[k])
        }
    graph["dn"] = graph["nd"]
    graph["ids"] = 2 ^ rmat_scale
    graph["input_edges"] = rmat_edge_factor * 2 ^ rmat_scale
    graph["th"] = th
    graph["row_ends"] = ends > 0 ? squares / ends : 0 # of the row of a normal's edge, in the mean
}

# Counts vertices, or their ends, that are unvisited once every edge end has been missed with chance `missed`: all, or
# the normals among them (up_to is TH), or the delegates (all less normals).
function rmat_left(missed, th, of_ends,   j, mean, sum, stay) {
    for (j = 0; j <= rmat_scale; j++) {
        mean = rmat_mean[j] * missed
        stay = rmat_size[j] * safe_exp(-rmat_mean[j] * (1 - missed))
        if (of_ends) sum += stay * mean * poisson_up_to(th == "inf" ? th : th - 1, mean)
        else sum += stay * poisson_up_to(th, mean) - rmat_size[j] * safe_exp(-rmat_mean[j])
    }
    return sum
}

# Finds the vertices of each level, as growth.h of degsplit expects them: the graph is taken for a random one with
# these degrees. Sets graph["levels"]; graph["delegates_of", l], found by level l; graph["nn_of", l], edges of class
# nn from the frontier of level l; graph["reductions"], levels that find delegates.
function rmat_levels(graph, th,   l, missed, before, met, normals, ends, used, all, left, nn_share, all_ends, left_ends) {
    nn_share = graph["nn"] + graph["nd"] > 0 ? graph["nn"] / (graph["nn"] + graph["nd"]) : 0
    nn_share *= graph["edges"] / rmat_ends
    missed = 1
    all = rmat_left(1, "inf", 0)
    ends = rmat_left(1, "inf", 1) / all # of the root, a mean vertex
    used = 1
    for (l = 0; l < 100; l++) {
        left_ends = rmat_left(missed, "inf", 1)
        met = (l > 0 ? ends - used : ends)
        met = met / (left_ends + met)
        before = missed
        missed *= 1 - met
        left = rmat_left(missed, "inf", 0)
        normals = rmat_left(before, th, 0) - rmat_left(missed, th, 0)
        used = rmat_left(before, "inf", 0) - left
        ends = left_ends - rmat_left(missed, "inf", 1)
        graph["delegates_of", l] = used - normals > 0 ? used - normals : 0
        graph["nn_of", l + 1] = nn_share * (rmat_left(before, th, 1) - rmat_left(missed, th, 1))
        if (graph["delegates_of", l] >= .5) graph["reductions"]++
        if (used < .5) break
    }
    graph["levels"] = l + 1
}

# The TH of a sweep by degsplit, from 0 on: 0, 1, 2, 3, 4, 6, 8, 11, ..., in steps of about the square root of 2.
BEGIN {
    sweep_thresholds = 1
    for (i = 0; i < 80; i++) {
        th = int(2 ^ (i / 2) + .5)
        if (th > sweep_of[sweep_thresholds - 1]) sweep_of[sweep_thresholds++] = th
    }
}
function sweep_threshold(i) { return sweep_of[i] + 0 }
