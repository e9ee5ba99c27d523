# cost.awk: the seconds of one search, part by part, on the slowest device
#
# A layout has p devices on `hosts` hosts. Devices of a group (layout["group"] of them, all of one host) read each
# other's memory. Between groups there are messages: through host memory within a host, over the network between
# hosts. Rates are those of one device; network_sharing devices share a way to the network. layout["kind"] is one of
#   alone    one device
#   peer     one group, whose devices search by themselves
#   relay    several groups of at most relay_devices devices, which search by themselves; a thread of the host relays
#            their messages
#   message  several groups: the host takes the devices through the levels (a stepped search)

function least(a, b) { return a < b ? a : b }
function most(a, b) { return a > b ? a : b }
function steps(count) { return count > 1 ? int(log2(count) + .999999) : 0 }

# ---- visits ----

# The edges of the busiest of p devices over the mean. The edges of a device are the sum of many
# rows. A row of a normal is whole on a device; the edges of a delegate are spread over all devices.
function imbalance(graph, p,   mean) {
    mean = graph["edges"] / p
    return p > 1 && mean > 0 ? 1 + sqrt(2 * log(p) * most(1, graph["row_ends"]) / mean) : 1
}

# The time of visits. Where the host takes devices through the levels, their visits are slower.
function visit_cost(graph, layout, part,   p, factor, edges) {
    p = layout["p"]
    factor = correction(layout["kind"])
    edges = rate["edge_s"] * graph["edges"] / p * (layout["kind"] == "message" ? rate["loop_factor"] : 1)
    if (p > 1) edges += rate["normal_edge_s"] * graph["nn"] / p
    part["visits"] = factor * edges
    part["imbalance"] = factor * edges * (imbalance(graph, p) - 1)
    part["delegates"] = p > 1 ? factor * rate["delegate_s"] * graph["delegates"] * (1 - 1 / p) : 0
    part["levels"] = factor * graph["levels"] * level_time(graph, layout)
}

# Whether the levels find few vertices, in the mean. Devices that search by themselves take such levels by lists.
function levels_are_small(graph, layout) {
    return layout["kind"] != "message" && graph["vertices"] / graph["levels"] / layout["p"] < rate["small_level"]
}
# The time of a level beside its visits and messages.
function level_time(graph, layout) { return rate[layout["kind"] (levels_are_small(graph, layout) ? "_small_s" : "_level_s")] }

# The kind of layout whose runs correct this one. A kind without runs takes the correction of peers, and peers that of one
# device alone.
function corrected_by(kind) {
    if (kind in corrected) return kind
    return kind == "message" || kind == "relay" ? corrected_by("peer") : kind == "peer" ? corrected_by("alone") : "none"
}
function correction(kind,   by) {
    by = corrected_by(kind)
    return by == "none" ? 1 : corrected[by]
}

# ---- masks of delegates: section V-A ----

# Bytes of the masks of all reductions of a search: whole masks, or in levels that change few words, place and value
# of each, 16 bytes together.
function mask_bytes(graph,   whole, sum, l) {
    whole = graph["delegates"] / 8
    if (design["words"] == "dense") return whole * graph["reductions"]
    for (l = 0; l < graph["levels"]; l++)
        if (graph["delegates_of", l] >= .5) sum += least(whole, 16 * least(graph["delegates_of", l], whole / 8))
    return least(sum, whole * graph["reductions"])
}

# Bytes of the messages by which one device tells a far group its delegates in a relayed search: a list of ids, 4 bytes
# each, of its share of those found or, if that is less, a bit for each unvisited delegate.
function told_mask_bytes(graph, p,   left, sum, l) {
    left = graph["delegates"]
    for (l = 0; l < graph["levels"]; l++) {
        sum += least(4 * graph["delegates_of", l] / p, left / 8)
        left = most(0, left - graph["delegates_of", l])
    }
    return sum
}

# The time of `near` bytes within the host and `far` bytes over the network, for one device.
function link_time(layout, near, far,   by) {
    by = layout["kind"] == "relay" ? "relay_" : ""
    return (near ? near / rate[by "host_bandwidth"] : 0) + \
        (far ? far / rate[by "network_bandwidth"] * least(rate["network_sharing"], layout["p"] / layout["hosts"]) : 0)
}
# The latency of a message, or of a barrier of a relayed search.
function link_latency(layout) {
    return rate[(layout["kind"] == "relay" ? "relay_" : "") (layout["hosts"] > 1 ? "network" : "host") "_latency"]
}

# Devices with which one device exchanges messages: of its host, and of other hosts.
function near_devices(layout) { return layout["p"] / layout["hosts"] - layout["group"] }
function far_devices(layout) { return layout["p"] - layout["p"] / layout["hosts"] }

# The masks that a member of a reduction sends and receives.
function reduction_volume(members) {
    return members < 2 ? 0 : design["reduction"] == "tree" ? 2 * steps(members) : 2 * (members - 1) / members
}

function reduce_over(members, bytes, times, link) {
    if (members < 2) return 0
    return bytes * reduction_volume(members) / rate[link "_bandwidth"] + \
        times * 2 * steps(members) * rate[link "_latency"]
}

function mask_cost(graph, layout, part,   bytes, times, group, groups) {
    bytes = mask_bytes(graph)
    times = graph["reductions"]
    group = design["masks"] == "flat" ? 1 : layout["group"]
    groups = layout["p"] / group / layout["hosts"] # groups of a host
    part["masks"] = 0
    if (group > 1) # each device reads the masks of its peers; in a kernel of all levels meetings are part of a level
        part["masks"] = (layout["kind"] == "message" ? times * rate["peer_latency"] : 0) + \
            (group - 1) * bytes / rate["peer_bandwidth"]
    if (layout["kind"] == "relay") {
        bytes = told_mask_bytes(graph, layout["p"]) / layout["group"] # once for a group, not once for a device
        part["masks"] += link_time(layout, bytes * near_devices(layout), bytes * far_devices(layout))
    } else if (design["masks"] == "flat")
        part["masks"] += reduce_over(layout["p"], bytes, times, layout["hosts"] > 1 ? "network" : "host")
    else
        part["masks"] += reduce_over(groups, bytes, times, "host") + reduce_over(layout["hosts"], bytes, times, "network")
}

# ---- normal vertices: section V-B ----

# Vertices that one device finds in a level on `others` other devices, with duplicates.
function found_on(graph, layout, l, others) { return others * graph["nn_of", l] / layout["p"] / layout["p"] }

function normals_of(graph) { return graph["vertices"] - graph["delegates"] }

# The normals that have a bit in a message, if earlier frontiers had `seen` edges of nn. A device that remembers
# messages leaves out bits of normals without nn edges, and of those in earlier frontiers. Their number is estimated
# by shares of edges.
function told_of(graph, seen) {
    if (!rate["remembers"] || graph["nn"] == 0) return normals_of(graph)
    return least(normals_of(graph), graph["nn"]) * most(0, 1 - seen / graph["nn"])
}

# Bytes of vertices for other devices: 4 a vertex, or a bit for each of these normals on the other devices.
function vertex_bytes(graph, layout, l, others, normals,   list, bits) {
    list = 4 * found_on(graph, layout, l, others)
    bits = normals / layout["p"] / 8 * others
    return design["form"] == "list" ? list : least(list, bits)
}

function vertex_cost(graph, layout, part,   l, near, far, found, seen, told) {
    near = near_devices(layout)
    far = far_devices(layout)
    part["vertices"] = part["messages"] = 0
    for (l = 0; l < graph["levels"]; l++) {
        told = told_of(graph, seen) / (layout["kind"] == "relay" ? layout["group"] : 1) # visited normals, once for a group
        seen += graph["nn_of", l]
        part["vertices"] += vertex_bytes(graph, layout, l, layout["group"] - 1, normals_of(graph)) / rate["peer_bandwidth"] + \
            link_time(layout, vertex_bytes(graph, layout, l, near, told), vertex_bytes(graph, layout, l, far, told))
        found = found_on(graph, layout, l, near + far)
        if (layout["kind"] == "message")
            part["messages"] += least(near + far, found) * rate["message_s"] + (found >= .5 ? link_latency(layout) : 0)
    }
    if (layout["kind"] == "relay") # a level of few finds has one barrier; a search with others has two a level, in the mean
        part["messages"] = graph["levels"] * (levels_are_small(graph, layout) ? 1 : 2) * \
            (link_latency(layout) + (near + far - 1) * rate["message_s"])
}

# The time of counts: in each level of a stepped search every rank tells all others how much follows (16 bytes), in log2
# steps of growing messages. Devices that search by themselves tell counts at barriers.
function count_cost(graph, layout, part,   ranks, link) {
    ranks = layout["kind"] == "message" ? layout["p"] / layout["group"] : 1
    link = layout["hosts"] > 1 ? "network" : "host"
    part["counts"] = ranks > 1 ? graph["levels"] * steps(ranks) * \
        (rate[link "_latency"] + 16 * ranks / 2 / rate[link "_bandwidth"]) : 0
}

# ---- all ----

# Fills part[...]; returns the seconds of a search.
function search_cost(graph, layout, part) {
    split("", part)
    visit_cost(graph, layout, part)
    mask_cost(graph, layout, part)
    vertex_cost(graph, layout, part)
    count_cost(graph, layout, part)
    return part["visits"] + part["imbalance"] + part["delegates"] + part["levels"] + part["masks"] + part["vertices"] + \
        part["messages"] + part["counts"]
}

# Bytes of one device: its share of Table I, four masks of delegates, and the larger of lists and bits of the largest
# level.
function device_bytes(graph, layout,   p, l, buffer) {
    p = layout["p"]
    for (l = 0; l < graph["levels"]; l++) buffer = most(buffer, vertex_bytes(graph, layout, l, p - 1, normals_of(graph)))
    return (8 * graph["ids"] + 4 * graph["edges"] + 4 * graph["nn"]) / p + 8 * graph["delegates"] + \
        graph["delegates"] / 2 + 2 * buffer
}

# ---- the model of the paper, end of section V-B ----

function paper_volume(graph, ranks) { return graph["delegates"] * ranks / 4 * graph["levels"] + 4 * graph["nn"] }
function paper_cost(graph, ranks, p, g) { # `g` seconds a byte
    return (graph["delegates"] * log2(ranks) / 4 * graph["levels"] + 4 * graph["nn"] / p) * g
}
function paper_short_cost(graph, ranks, p, g) { return graph["ids"] * log2(ranks) / p * graph["levels"] * g }
