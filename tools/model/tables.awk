# tables.awk: the output of dbfs-model

function number(x) { return sprintf("%.4g", x) }
function ms(s) { return sprintf("%.4g", 1e3 * s) }
function percent(x) { return sprintf("%.1f", 100 * (x > -.0005 && x < .0005 ? 0 : x)) }
function gteps(graph, s) { return sprintf("%.4g", graph["input_edges"] / s / 1e9) }

BEGIN {
    FS = "\t"
    document = -1
    stepped = stepped || form == "list"
    while ((getline line <(ENVIRON["WORK"] "/rates")) > 0) read_rate(line)
    take_rates("value")
    while ((getline line <(ENVIRON["WORK"] "/names")) > 0) run_name[++names] = line
    apply_design("masks=hosts reduction=halving words=sparse form=" form)
    parts = split("visits imbalance delegates levels masks vertices messages counts", part_name, " ")
}

# ---- bands ----

# A line of name, value, least and most.
function read_rate(line,   field) {
    split(line, field, "\t")
    rate_is[field[1], "value"] = field[2] + 0
    rate_is[field[1], "fast"] = (field[1] ~ /_bandwidth$/ ? field[4] : field[3]) + 0
    rate_is[field[1], "slow"] = (field[1] ~ /_bandwidth$/ ? field[3] : field[4]) + 0
    rate_name[++rates] = field[1]
}

# Lets the rates be their values, or all of them the fast or the slow end of their bands.
function take_rates(which,   i) { for (i = 1; i <= rates; i++) rate[rate_name[i]] = rate_is[rate_name[i], which] }

# The seconds of a search with all rates at one end of their bands.
function cost_at(which, graph, layout,   part, s) {
    take_rates(which)
    s = search_cost(graph, layout, part)
    take_rates("value")
    return s
}

# The rates on which the seconds `s` rest: NAME:SHARE for each rate, the largest first, where SHARE is the part of the time
# that would double if the rate did. Shares below .05 are left out.
function rests_on(graph, layout, s,   i, name, own, part, share, best, text) {
    for (i = 1; i <= rates; i++) {
        name = rate_name[i]
        own = rate[name]
        rate[name] = own * (name ~ /_bandwidth$/ ? 1 / 1.01 : 1.01)
        if (name != "small_level" && name != "relay_devices" && name != "network_sharing" && name != "remembers")
            share[name] = (search_cost(graph, layout, part) / s - 1) / .01
        rate[name] = own
    }
    while (1) {
        best = ""
        for (i = 1; i <= rates; i++)
            if (share[rate_name[i]] >= .05 && (best == "" || share[rate_name[i]] > share[best])) best = rate_name[i]
        if (best == "") return text == "" ? "NA" : text
        text = text (text == "" ? "" : " ") sprintf("%s:%.2f", best, share[best])
        delete share[best]
    }
}

function print_parts(part,   i) { for (i = 1; i <= parts; i++) printf "\t%s", ms(part[part_name[i]]) }
function print_part_names(   i) { for (i = 1; i <= parts; i++) printf "\t%s_ms", part_name[i] }

# ---- calibration ----

# Runs of at most `calibrate` devices, or of the fewest, correct the work that devices do by
# themselves, visits and levels: by one factor for each kind of layout, the geometric mean over its
# runs.
function calibrate_rates(   d, layout, graph, part, s, own, logs, n, kind) {
    if (calibrate == "") calibrate = fewest_devices()
    for (d = 1; d <= runs; d++) {
        run_layout(layout, d)
        if (!(calibrates[d] = layout["p"] <= calibrate)) continue
        run_graph(graph, d)
        s = search_cost(graph, layout, part)
        own = part["visits"] + part["imbalance"] + part["delegates"] + part["levels"]
        kind = layout["kind"]
        logs[kind] += log(most(middle_time(d) - s + own, .05 * middle_time(d)) / own)
        n[kind]++
    }
    for (kind in n) corrected[kind] = exp(logs[kind] / n[kind])
}
function fewest_devices(   d, layout, fewest) {
    for (d = 1; d <= runs; d++) {
        run_layout(layout, d)
        if (d == 1 || layout["p"] < fewest) fewest = layout["p"]
    }
    return fewest
}

# ---- a table of runs ----

function per_search(d, names,   n, name, i, s) {
    n = split(names, name, " ")
    for (i = 1; i <= n; i++) {
        if (!((d, name[i]) in counted)) return "NA"
        s += counted[d, name[i]]
    }
    return number(s / searches[d])
}
function modelled_bytes(graph, layout,   l, s, seen) { # bytes of vertices, of all devices, in a search
    for (l = 0; l < graph["levels"]; l++) {
        s += layout["p"] * (vertex_bytes(graph, layout, l, layout["group"] - 1, normals_of(graph)) + \
            vertex_bytes(graph, layout, l, layout["p"] - layout["group"], told_of(graph, seen)))
        seen += graph["nn_of", l]
    }
    return s
}
function modelled_mask_bytes(graph, layout,   group) { # bytes read of peers, or given to a reduction
    group = layout["group"]
    return graph["delegates"] / 8 * graph["reductions"] * \
        (layout["p"] * (group - 1) + (group < layout["p"] ? layout["p"] / group : 0))
}

function print_check(   d, graph, layout, part, s) {
    printf "run\tuse\tp\thosts\tgroup\tshape\tmeasured_ms\tpredicted_ms\terror_percent"
    print_part_names()
    print "\tbytes_counted\tbytes_modelled\tcompute_ms"
    for (d = 1; d <= runs; d++) {
        run_graph(graph, d)
        run_layout(layout, d)
        s = search_cost(graph, layout, part)
        printf "%s\t%s\t%d\t%d\t%d\t%s\t%s\t%s\t%s", run_name[d], calibrates[d] ? "calibrates" : "predicted",
            layout["p"], layout["hosts"], layout["group"], graph["shape"], ms(middle_time(d)), ms(s),
            percent(s / middle_time(d) - 1)
        print_parts(part)
        printf "\t%s\t%s\t%s\n", per_search(d, "list_bytes bits_bytes frontier_bytes mask_bytes peer_bytes"),
            number(modelled_bytes(graph, layout) + modelled_mask_bytes(graph, layout)), ms(average(d, "compute_s"))
    }
}

# ---- predictions ----

function layout_of(layout, p, hosts,   each) {
    if (!hosts) hosts = int((p + per_host - 1) / per_host)
    each = p / hosts
    make_layout(layout, p, hosts, group && group < each ? group : each, stepped ? 0 : p)
}

# The wanted graph: RMAT of `scale`, or that of the first run.
function asked_graph(graph, layout) {
    if (scale) {
        rmat_choose(scale, edge_factor)
        rmat_with_threshold(graph, layout)
    } else
        run_graph(graph, 1)
}

# Makes the graph with the given TH, or with the one that `degsplit --suggest memory` takes for so many devices.
function rmat_with_threshold(graph, layout) {
    rmat_graph(graph, threshold == "" ? memory_threshold(layout["p"]) : \
        threshold == "paper" ? paper_threshold(rmat_scale) : threshold)
}

# The TH by the rule of section VI-B: of the TH of a sweep with at most 4n/p delegates and less than 10% of nn edges,
# the one with the fewest bytes by Table I, and of equal ones the largest. If there is none, the least TH within the
# bound.
function memory_threshold(p,   i, th, bytes, fewest, best, graph) {
    best = "inf"
    for (i = 0; i < sweep_thresholds; i++) {
        th = sweep_threshold(i)
        rmat_graph(graph, th)
        if (graph["delegates"] > 4 * graph["ids"] / p) continue
        if (graph["nn"] >= .1 * graph["edges"]) return best == "inf" ? th : best
        bytes = 8 * p * graph["delegates"] + 4 * graph["nn"]
        if (best == "inf" || bytes <= fewest) { best = th; fewest = bytes }
    }
    return best
}

function print_row_names() {
    printf "p\thosts\tgroup\tscale\tth\tdelegates\tnn\ttime_ms\tgteps\tefficiency"
    print_part_names()
    print "\tdevice_bytes\tcorrected_by\tkind\tleast_ms\tmost_ms\trests_on"
}
function print_row(graph, layout, part, s, efficiency) {
    printf "%d\t%d\t%d\t%s\t%s\t%s\t%s\t%s\t%s\t%.3f", layout["p"], layout["hosts"], layout["group"],
        scale ? graph["scale"] : "NA", graph["th"], number(graph["delegates"]), number(graph["nn"]), ms(s),
        gteps(graph, s), efficiency
    print_parts(part)
    printf "\t%s\t%s\t%s\t%s\t%s\t%s\n", number(device_bytes(graph, layout)), corrected_by(layout["kind"]), layout["kind"],
        ms(cost_at("fast", graph, layout)), ms(cost_at("slow", graph, layout)), rests_on(graph, layout, s)
}

# Edges a second of a device over those of the first row. Rows that runs correct have a first row of their own, since
# given rates may be those of another machine.
function efficiency_of(graph, layout, s, first,   corrected, each) {
    corrected = corrected_by(layout["kind"]) != "none"
    each = graph["input_edges"] / s / layout["p"]
    if (!(corrected in first)) first[corrected] = each
    return each / first[corrected]
}

function print_predict(   n, p, i, graph, layout, part, s, first) {
    print_row_names()
    n = split(devices, p, ",")
    for (i = 1; i <= n; i++) {
        layout_of(layout, p[i], hosts)
        asked_graph(graph, layout)
        graph["scale"] = scale
        s = search_cost(graph, layout, part)
        print_row(graph, layout, part, s, efficiency_of(graph, layout, s, first))
    }
}

# ---- scaling ----

# The graph of `p` devices: strong, always the same; weak, so many times larger. RMAT grows by whole scales.
function scaled_graph(graph, layout, kind, p, p0,   times, base, key, part) {
    times = kind == "weak" ? p / p0 : 1
    if (scale) {
        rmat_choose(scale + int(log2(times) + .5), edge_factor)
        rmat_with_threshold(graph, layout)
        graph["scale"] = rmat_scale
        return
    }
    run_graph(graph, 1)
    for (key in graph) {
        split(key, part, SUBSEP)
        if (part[1] ~ /^(ids|vertices|delegates|edges|input_edges|nn|nd|dn|dd|nn_of|delegates_of)$/) graph[key] *= times
    }
}

function device_counts(p,   n, x) { # 1, 2, 4, ... 65536, 100000
    for (x = 1; x < 1e5; x *= 2) p[++n] = x
    p[++n] = 100000
    return n
}

# Notes the first p at which each part takes longer than the visits, and the first at which memory is too small.
function note_breaks(at, part, bytes, p,   i, name) {
    for (i = 1; i <= parts; i++) {
        name = part_name[i]
        if (name != "visits" && !at[name] && part[name] > part["visits"]) at[name] = p
    }
    if (!at["memory"] && bytes > rate["device_bytes"]) at["memory"] = p
}

# Prints these parts in the order of their p.
function print_breaks(what, at, last,   name, text, first) {
    while (1) {
        first = ""
        for (name in at)
            if (at[name] && (first == "" || at[name] < at[first] || (at[name] == at[first] && name < first))) first = name
        if (first == "") break
        text = text sprintf(" %s from p = %d,", first, at[first])
        at[first] = 0
    }
    sub(/,$/, "", text)
    printf "# %s: %s; at p = %d %s GTEPS\n", what,
        text == "" ? "nothing takes longer than the visits" : "longer than the visits, or than memory:" text,
        last["p"], last["gteps"]
}

# Prints the rows of one design; with `quiet`, only the parts that note_breaks has noted.
function scale_up(kind, what, quiet,   n, p, i, graph, layout, part, s, efficiency, first, at, last) {
    n = device_counts(p)
    for (i = 1; i <= n; i++) {
        layout_of(layout, p[i], 0)
        scaled_graph(graph, layout, kind, p[i], 1)
        if (kind == "strong" && device_bytes(graph, layout) > rate["device_bytes"]) continue
        s = search_cost(graph, layout, part)
        efficiency = efficiency_of(graph, layout, s, first)
        note_breaks(at, part, device_bytes(graph, layout), p[i])
        if (!quiet) print_row(graph, layout, part, s, efficiency)
        last["p"] = p[i]
        last["gteps"] = gteps(graph, s)
    }
    if (!last["p"]) { print "dbfs-model: the graph fits on none of 1 to 100000 devices" >"/dev/stderr"; exit failed = 3 }
    print_breaks(what, at, last)
}

# Starts with the design of the paper, and changes one part after the other to that of stepped searches of dbfs-traverse.
function print_designs(kind,   n, step, i) {
    stepped = 1
    n = split("masks=flat reduction=tree words=dense form=list;masks=hosts;reduction=halving;form=auto;words=sparse", step, ";")
    for (i = 1; i <= n; i++) {
        apply_design(step[i])
        scale_up(kind, (i > 1 ? "and " : "") step[i], 1)
    }
}
function apply_design(text,   n, i, word, pair) {
    n = split(text, word, " ")
    for (i = 1; i <= n; i++) { split(word[i], pair, "="); design[pair[1]] = pair[2] }
}

function print_scaling(kind) {
    print_row_names()
    scale_up(kind, "this design", 0)
    print_designs(kind)
}

# ---- the paper ----

function paper_threshold(scale) { return int(64 * 2 ^ ((scale - 30) / 2) + .5) } # figure 7

# Hosts, ranks of a host, GPUs of a rank, scale, GTEPS: Table II, figure 9 and its text
function print_paper(   n, point, i, v, graph, layout, part, s, measured, p, ranks) {
    apply_design("masks=hosts reduction=tree words=dense form=list")
    n = split("1 1 1 24 22.9;1 1 2 25 32.5;1 1 4 26 39.8;2 1 4 29 53.13;31 2 2 33 259.8", point, ";")
    print "hosts\tranks\tp\tscale\tth\tlevels\tdelegates_percent\tnn_percent\tvolume_bytes\tcost_ms\tshort_cost_ms\tpaper_ms" \
        "\tpredicted_ms\terror_percent\tmasks_ms\tvertices_ms\tpaper_gteps\tpredicted_gteps\tleast_ms\tmost_ms\trests_on"
    for (i = 1; i <= n; i++) {
        split(point[i], v, " ")
        p = v[1] * v[2] * v[3]
        ranks = v[1] * v[2]
        rmat_choose(v[4], 16)
        rmat_graph(graph, paper_threshold(v[4]))
        make_layout(layout, p, v[1], v[3], 0)
        s = search_cost(graph, layout, part)
        measured = graph["input_edges"] / v[5] / 1e9
        printf "%d\t%d\t%d\t%d\t%d\t%d\t%.6f\t%.6f\t%s\t%s\t%s", v[1], ranks, p, v[4], graph["th"], graph["levels"],
            100 * graph["delegates"] / graph["ids"], 100 * graph["nn"] / graph["edges"],
            number(paper_volume(graph, ranks)), ms(paper_cost(graph, ranks, p, 1 / rate["network_bandwidth"])),
            ms(paper_short_cost(graph, ranks, p, 1 / rate["network_bandwidth"]))
        printf "\t%s\t%s\t%s\t%s\t%s\t%s\t%s", ms(measured), ms(s), percent(s / measured - 1), ms(part["masks"]),
            ms(part["vertices"]), v[5], gteps(graph, s)
        printf "\t%s\t%s\t%s\n", ms(cost_at("fast", graph, layout)), ms(cost_at("slow", graph, layout)), rests_on(graph, layout, s)
    }
}

# A row for TH, or for each TH of a sweep.
function print_rmat(   i, graph) {
    print "th\tids\tvertices\tedges\tdelegates\tnn\tnd\tdn\tdd\tlevels\treductions"
    rmat_choose(scale, edge_factor)
    if (threshold != "") print_rmat_row(threshold == "paper" ? paper_threshold(scale) : threshold)
    for (i = 0; threshold == "" && i < sweep_thresholds; i++) {
        rmat_graph(graph, sweep_threshold(i))
        if (graph["delegates"] < .5) break
        print_rmat_row(sweep_threshold(i))
    }
    if (threshold == "") print_rmat_row("inf")
}
function print_rmat_row(th,   graph) {
    rmat_graph(graph, th)
    printf "%s\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t%d\t%d\n", graph["th"], graph["ids"], graph["vertices"],
        graph["edges"], graph["delegates"], graph["nn"], graph["nd"], graph["dn"], graph["dd"], graph["levels"],
        graph["reductions"]
}

END {
    if (failed) exit failed
    end_level()
    end_run()
    calibrate_rates()
    if (command == "rates") print_rates()
    if (command == "check") print_check()
    if (command == "predict") print_predict()
    if (command == "weak" || command == "strong") print_scaling(command)
    if (command == "paper") print_paper()
    if (command == "rmat") print_rmat()
}
