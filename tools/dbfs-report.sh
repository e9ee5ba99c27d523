#!/bin/sh
# dbfs-report: turns the reports of dbfs-traverse (dbfs-json(5)) into tables, comparisons and plots
#
# The reports are read by awk: read_json makes lines `document path value` of them, separated by tabs, and
# each command is one awk program over such lines. Only `plot` needs another program, gnuplot.
set -u
# numbers with a point, and bytes as characters
LC_ALL=C
export LC_ALL

help='usage: dbfs-report graph500 [--several-levels] [--construction-time S] RUN.json
       dbfs-report means RUN.json...
       dbfs-report compare A.json B.json
       dbfs-report roots RUN.json...
       dbfs-report exchange [--pairs] RUN.json...
       dbfs-report options RUN.json...
       dbfs-report levels TRACE...
       dbfs-report plot [-r ROOT] [-o FILE.svg|FILE.png|FILE.pdf] TRACE|SWEEP|DEPTHS
       dbfs-report plot [-o FILE.svg|FILE.png|FILE.pdf] A.json B.json
Reads what dbfs-traverse wrote with --json (RUN, A, B), --trace (TRACE) and --depths as text or .csv
(DEPTHS), and what degsplit wrote with --sweep (SWEEP).

  graph500   the result block of the Graph500 benchmark: quartiles and means of time, edges and TEPS
  means      a row for each run: harmonic and geometric mean of TEPS, quartiles of time
  compare    how many times as fast B is, root by root: quartiles and geometric mean
  roots      a row for each search
  exchange   what moved: vertices and bytes before and after, a row for each level, each kind and run
  options    a row for each run: its options of the exchange, the time of each part of a search (figure 8
             of the paper), vertices and bytes before and after
  levels     a row for each level of each search
  plot       levels: edges and time; or classes of edges by threshold (figure 5 of the paper); or how
             many vertices there are at each distance; or the times of two runs, root by root.
             Without -o, or with `-o -`, the script for gnuplot

      --clock CLOCK          search (the default) or answer: the time that counts
      --pairs                of exchange: a row for each level and pair of ranks instead
      --several-levels       searches of more than one level alone, as in the paper, for the block
      --construction-time S  seconds to build the graph, for the block
  -r, --root ROOT            of the levels to plot (default: the first)
  -o, --output FILE          of plot; its ending names the kind
      --size WIDTHxHEIGHT    of the picture, in points (default 900x700)
      --force                FILE may exist, and is replaced
  -h, --help  --version

A file may be a pipe; `-` is standard input.
Rows are separated by tabs, with a first row of names. Exit: 0 ok, 1 run-time failure, 2 usage,
3 bad data, 4 the two runs found different distances, 5 a full disk.'
version='dbfs-report (dbfs) @VERSION@'
program=dbfs-report

@include tools/report/say.sh

@include tools/report/similar.sh

@include tools/report/outfile.sh

# ---- reading ----

@include tools/report/read_json.sh

# read_runs FILE...: reads reports of whole runs, one document a file
read_runs() {
    read_files "$@"
    awk -F '\t' -v files="$#" -v clock="$clock" '
        $2 == "environment.vertices" { runs++ }
        $2 ~ /^roots\.[0-9]+\.time_s$/ { roots++ }
        $2 ~ /^roots\.[0-9]+\.answer_s$/ { answers++ }
        END {
            if (runs != files || roots == 0) exit 3
            exit clock == "answer" && answers != roots
        }' "$work/values"
    case $? in
    0) ;;
    1) die 3 "$*: no answer_s in every search: of a sparse graph, dbfs-traverse makes answers only with --depths or --parents" ;;
    *) die 3 "$*: not what dbfs-traverse --json writes" ;;
    esac
    check_numbers "$*" '^(roots|energy)\.|^construction_s$|^environment\.((input_|batch_)?edges|vertices|ranks|shards_per_rank)$' \
        '\.(checksum|name)$'
    [ "$clock" != answer ] || same_layout "$@"
}

# same_layout FILE...: answer_s of runs is compared only if all answers stand in memory in the same way
same_layout() {
    awk -F '\t' -v files="$#" '
        BEGIN { for (d = 0; d < files; d++) layout[d] = "ids" } # so did programs that do not say it
        $2 == "environment.answer_layout" { layout[$1] = $3 }
        END { for (d = 1; d < files; d++) if (layout[d] != layout[0]) exit 1 }' "$work/values" ||
        die 3 "$*: no answer clock in common: values stand by input id in one run, at the owners of vertices in another"
}

# The library of awk programs over values: for run `d`, environment in env[d, name], searches in root[d, i, name],
# their number in searches[d]; statistics of x[1..n].
library='
function sort(x, n,   gap, i, j, held) { # of Shell
    for (gap = int(n / 2); gap > 0; gap = int(gap / 2))
        for (i = gap + 1; i <= n; i++) {
            held = x[i]
            for (j = i; j > gap && x[j - gap] > held; j -= gap) x[j] = x[j - gap]
            x[j] = held
        }
}
function quantile(x, n, q,   at, low) { # x ascends; interpolates between the two nearest ranks
    at = q * (n - 1)
    low = int(at)
    return low + 1 >= n ? x[n] : x[low + 1] + (at - low) * (x[low + 2] - x[low + 1])
}
function mean(x, n,   i, s) { for (i = 1; i <= n; i++) s += x[i]; return s / n }
function deviation(x, n,   i, s, m) {
    m = mean(x, n)
    for (i = 1; i <= n; i++) s += (x[i] - m) * (x[i] - m)
    return n > 1 ? sqrt(s / (n - 1)) : 0
}
function harmonic_mean(x, n,   i, s) { # 0 if one of them is
    for (i = 1; i <= n; i++) {
        if (x[i] == 0) return 0
        s += 1 / x[i]
    }
    return n / s
}
function harmonic_deviation(x, n,   i, s, h) { # by the delta method, as Graph500 has it
    if ((h = harmonic_mean(x, n)) == 0) return 0
    for (i = 1; i <= n; i++) s += (1 / x[i] - 1 / h) * (1 / x[i] - 1 / h)
    return n > 1 ? sqrt(s) / (n - 1) * h * h : 0
}
function geometric_mean(x, n,   i, s) {
    for (i = 1; i <= n; i++) s += log(x[i])
    return n > 0 ? exp(s / n) : 0
}
function pick(d, name, several,   i, n) { # puts the values of all searches, or of those with several levels, into x
    for (i = 0; i < searches[d]; i++)
        if (!several || root[d, i, "levels"] > 1) x[++n] = root[d, i, name]
    return n + 0
}
BEGIN {
    FS = "\t"
    OFMT = CONVFMT = "%.9g"
    time = clock == "answer" ? "answer_s" : "time_s"
    teps = clock == "answer" ? "answer_teps" : "teps"
}
$2 ~ /^environment\.[^.]*$/ { env[$1, substr($2, 13)] = $3 }
$2 == "construction_s" { env[$1, $2] = $3 }
$2 ~ /^energy\./ { env[$1, substr($2, 8)] = $3 }
$2 ~ /^roots\./ {
    split($2, part, ".")
    root[$1, part[2], part[3]] = $3
    if (part[2] + 1 > searches[$1]) searches[$1] = part[2] + 1
    if (part[3] == "pairs_exchanged") {
        pair[$1, part[2], part[4], part[5]] = $3
        if (part[5] + 1 > pairs[$1, part[2]]) pairs[$1, part[2]] = part[5] + 1
    }
    if (part[3] ~ /^levels_(s|exchanged)$/) {
        of_level[$1, part[4], part[5]] += $3
        of_search[$1, part[2], part[4]] += $3
        of_run[$1, part[4]] += $3
        if (part[5] + 1 > deepest[$1]) deepest[$1] = part[5] + 1
    }
}'

over_values() { # PROGRAM: runs awk with the library over $work/values
    names=$names awk -v clock="$clock" -v built="$built" -v several=$several "$library
$1" "$work/values"
}

# ---- tables ----

# A run of dbfs-graph500 has the fields of its own block, by its clock; a run of dbfs-traverse has those of both
# clocks.
graph500() {
    [ $# = 1 ] || usage 'graph500: give one run'
    read_runs "$1"
    ! grep -q '	environment\.directed	true$' "$work/values" ||
        die 3 "$1: the graph is directed, and Graph500's block is one of undirected graphs"
    ! grep -q '	roots\.0\.validate_s	' "$work/values" || clock=answer
    over_values '
function scale(   s) { # log2 of the vertices, if they are a power of two
    while (2 ^ s < env[0, "vertices"]) s++
    return 2 ^ s == env[0, "vertices"] ? s + 0 : "NA"
}
function line(label, text) { printf row, label, text }
function field(name, value) { line(name ":", sprintf(digits, value)) }
function quartiles(prefix, name, member) {
    n = pick(0, member, several)
    sort(x, n)
    field(prefix "min_" name, x[1])
    field(prefix "firstquartile_" name, quantile(x, n, .25))
    field(prefix "median_" name, quantile(x, n, .5))
    field(prefix "thirdquartile_" name, quantile(x, n, .75))
    field(prefix "max_" name, x[n])
}
function times(prefix, name, member) {
    quartiles(prefix, name, member)
    field(prefix "mean_" name, mean(x, n))
    field(prefix "stddev_" name, deviation(x, n))
}
function rates(prefix, name, member) {
    quartiles(prefix, name, member)
    line(prefix "harmonic_mean_" name (proved ? ":     !" : ":"), sprintf(digits, harmonic_mean(x, n)))
    field(prefix "harmonic_stddev_" name, harmonic_deviation(x, n))
}
function end_of_run() {
    n = pick(0, teps, 1)
    line("geometric_mean_TEPS:", sprintf("%.9g over %d roots of more than one level", geometric_mean(x, n), n))
    if ((0, 0, "answer_s") in root) {
        times("", "answer_time", "answer_s")
        rates("", "answer_TEPS", "answer_teps")
    }
    if (checksum != "") line("distance_checksum:", checksum)
}
function end_of_block(   joules) {
    times("bfs  ", "validate", "validate_s")
    if ((joules = env[0, "joules"]) == "") {
        line("energy_J:", "NA")
        line("MTEPS/W:", "NA")
        return
    }
    field("energy_J", joules)
    field("energy_time", env[0, "seconds"])
    line("energy_of:", sprintf("%d GPUs, %d processor packages", env[0, "gpus"], env[0, "packages"]))
    field("MTEPS/W", joules > 0 ? 1e-6 * env[0, "batch_edges"] / joules : 0)
}
$2 == "summary.distance_checksum" { checksum = $3 }
END {
    if (pick(0, time, several) == 0) {
        printf "dbfs-report: %s: no search of more than one level\n", ENVIRON["names"] >"/dev/stderr"
        exit 3
    }
    proved = (0, 0, "validate_s") in root
    of = proved ? "bfs  " : ""
    row = proved ? "%-31s %s\n" : "%s %s\n"
    digits = proved ? "%.11g" : "%.9g"
    line("SCALE:", scale())
    field("edgefactor", env[0, "input_edges"] / env[0, "vertices"])
    line("NBFS:", searches[0])
    if (several) line("summarised:", pick(0, time, 1) " of more than one level")
    if (proved) line("graph_generation:", "NA")
    line("num_mpi_processes:", env[0, "ranks"])
    if (built == "NA" && (0, "construction_s") in env) built = sprintf("%.11g", env[0, "construction_s"])
    line("construction_time:", built)
    times(of, "time", time)
    times("", "nedge", "edges")
    rates(of, "TEPS", teps)
    if (proved) end_of_block()
    else end_of_run()
}'
}

means() {
    [ $# -gt 0 ] || usage 'means: which runs?'
    read_runs "$@"
    over_values '
END {
    print "run\tgraph\tbackend\tranks\tshards\tsearches\tharmonic_mean_teps\tseveral_levels" \
        "\tgeometric_mean_teps\tmin_s\tfirstquartile_s\tmedian_s\tthirdquartile_s\tmax_s"
    runs = split(ENVIRON["names"], name, "\n")
    for (d = 0; d < runs; d++) {
        n = pick(d, teps)
        h = harmonic_mean(x, n)
        several = pick(d, teps, 1)
        g = geometric_mean(x, several)
        n = pick(d, time)
        sort(x, n)
        printf "%s\t%s\t%s\t%s\t%s", name[d + 1], env[d, "graph"], env[d, "backend"], env[d, "ranks"],
            env[d, "ranks"] * env[d, "shards_per_rank"]
        printf "\t%d\t%.9g\t%d\t%.9g", n, h, several, g
        printf "\t%.9g\t%.9g\t%.9g\t%.9g\t%.9g\n", x[1], quantile(x, n, .25), quantile(x, n, .5),
            quantile(x, n, .75), x[n]
    }
}'
}

# The speed of B over A is the time of A divided by that of B. A root that a run searched several times counts with
# its first search.
compare() {
    [ $# = 2 ] || usage 'compare: give two runs'
    read_runs "$@"
    over_values '
function line(what, a, b) { printf "%s\t%.9g\t%.9g\t%.6g\n", what, a, b, (a > 0 ? b / a : 0) }
function ratio_line(what, ratio) { printf "%s_ratio\t\t\t%.6g\n", what, ratio }
function harmonic(d,   n) { n = pick(d, teps); return harmonic_mean(x, n) }
function geometric(d,   n) { n = pick(d, teps, 1); return geometric_mean(x, n) }
END {
    split(ENVIRON["names"], name, "\n")
    for (d = 0; d < 2; d++) # along the edges, against them, or both
        ways[d] = env[d, "directed"] != "true" ? "undirected" : env[d, "reverse"] == "true" ? "against the edges" : "along the edges"
    if (ways[0] != ways[1]) {
        printf "dbfs-report: %s and %s: searched %s and %s\n", name[1], name[2], ways[0], ways[1] >"/dev/stderr"
        exit 4
    }
    for (i = 0; i < searches[0]; i++)
        if (!((r = root[0, i, "root"]) in of_a)) of_a[r] = i
    for (i = 0; i < searches[1]; i++) {
        r = root[1, i, "root"]
        if (!(r in of_a) || r in done) continue
        done[r]
        if (root[0, of_a[r], "checksum"] != root[1, i, "checksum"]) {
            printf "dbfs-report: %s and %s: root %s: different distances: checksums %s and %s\n", name[1],
                name[2], r, root[0, of_a[r], "checksum"], root[1, i, "checksum"] >"/dev/stderr"
            exit 4
        }
        ratio[++n] = root[0, of_a[r], time] / root[1, i, time]
    }
    if (n == 0) {
        printf "dbfs-report: %s and %s: no root in common\n", name[1], name[2] >"/dev/stderr"
        exit 3
    }
    print "measure\t" name[1] "\t" name[2] "\tratio"
    line("harmonic_mean_TEPS", harmonic(0), harmonic(1))
    line("geometric_mean_TEPS", geometric(0), geometric(1))
    print "roots_in_common\t" n "\t" n "\t"
    sort(ratio, n)
    ratio_line("min", ratio[1])
    ratio_line("firstquartile", quantile(ratio, n, .25))
    ratio_line("median", quantile(ratio, n, .5))
    ratio_line("thirdquartile", quantile(ratio, n, .75))
    ratio_line("max", ratio[n])
    ratio_line("geometric_mean", geometric_mean(ratio, n))
}'
}

roots() {
    [ $# -gt 0 ] || usage 'roots: which runs?'
    read_runs "$@"
    over_values '
END {
    columns = split("root time_s levels reached reached_share edges teps answer_s answer_teps edges_no_loops " \
        "edges_kept checksum compute_s exchange_s iterations mask_reductions sent_vertices", column, " ")
    printf "run"
    for (c = 1; c <= columns; c++) printf "\t%s", column[c]
    print ""
    runs = split(ENVIRON["names"], name, "\n")
    for (d = 0; d < runs; d++)
        for (i = 0; i < searches[d]; i++) {
            printf "%s", name[d + 1]
            for (c = 1; c <= columns; c++) printf "\t%s", root[d, i, column[c]]
            print ""
        }
}'
}

# ---- data that moved ----

# read_counted PATTERN MEMBER OPTION FILE...: reads runs made with an option that counts moved data; they have PATTERN
read_counted() {
    pattern=$1 member=$2 wanted=$3
    shift 3
    read_runs "$@"
    number=0
    for file in "$@"; do
        grep -q "^$number	$pattern" "$work/values" ||
            die 3 "$file: no $member: dbfs-traverse writes it with $wanted"
        number=$((number + 1))
    done
}

# Prints means over all searches. A vertex in a list is 4 bytes. Vertices sent as bits, or pulled by whole frontiers,
# are not counted one by one, and their bytes are the same before and after.
exchange() {
    [ $# -gt 0 ] || usage 'exchange: which runs?'
    if [ $by_pairs = 1 ]; then
        exchanged_pairs "$@"
        return
    fi
    read_counted 'roots\.0\.levels_exchanged\.mask_bytes\.' levels_exchanged --breakdown "$@"
    over_values '
function of(name) { return of_level[d, name, l] / searches[d] }
function row(kind, vertices, vertices_after, bytes, bytes_after) {
    if (of_run[d, kind "_bytes"] == 0) return
    printf "%s\t%d\t%s\t%s\t%s\t%.9g\t%.9g\n", name[d + 1], l, kind, vertices, vertices_after, bytes, bytes_after
}
END {
    print "run\tlevel\tkind\tvertices\tvertices_after\tbytes\tbytes_after"
    runs = split(ENVIRON["names"], name, "\n")
    for (d = 0; d < runs; d++)
        for (l = 0; l < deepest[d]; l++) {
            row("list", of("found_vertices") "", of("sent_vertices") "", 4 * of("found_vertices"), of("list_bytes"))
            row("bits", "NA", "NA", of("bits_bytes"), of("bits_bytes"))
            row("frontier", "NA", "NA", of("frontier_bytes"), of("frontier_bytes"))
            row("mask", "NA", "NA", of("whole_mask_bytes"), of("mask_bytes"))
            row("peer", of("peer_vertices") "", of("peer_vertices") "", of("peer_bytes"), of("peer_bytes"))
        }
}'
}

# Prints means over all searches: lists before and after, and bits in the bytes of both. Rows are sorted by run, level,
# source and destination, which stand before them for sort.
exchanged_pairs() {
    read_counted 'environment\.count_pairs	true$' pairs_exchanged --count-pairs "$@"
    printf 'run\tlevel\tsource\tdestination\tvertices\tvertices_after\tbytes\tbytes_after\n'
    over_values '
function add_up(   i, k, place) { # all searches of run d
    split("", moves); split("", found); split("", sent); split("", bytes)
    for (i = 0; i < searches[d]; i++)
        for (k = 0; k < pairs[d, i]; k++) {
            place = pair[d, i, "level", k] SUBSEP pair[d, i, "source", k] SUBSEP pair[d, i, "destination", k]
            moves[place]
            found[place] += pair[d, i, "found_vertices", k] / searches[d]
            sent[place] += pair[d, i, "sent_vertices", k] / searches[d]
            bytes[place] += pair[d, i, "bytes", k] / searches[d]
        }
}
function row(l, s, t) {
    printf "%d\t%d\t%d\t%d\t%s\t%d\t%d\t%d\t%.9g\t%.9g\t%.9g\t%.9g\n", d, l, s, t, name[d + 1], l, s, t, found[l, s, t], sent[l, s, t],
        bytes[l, s, t] + 4 * (found[l, s, t] - sent[l, s, t]), bytes[l, s, t]
}
END {
    runs = split(ENVIRON["names"], name, "\n")
    for (d = 0; d < runs; d++) {
        add_up()
        for (place in moves) {
            split(place, part, SUBSEP)
            row(part[1], part[2], part[3])
        }
    }
}' | sort -n -k 1,1 -k 2,2 -k 3,3 -k 4,4 | cut -f 5-
}

# Times are medians over the searches, counts are means.
options() {
    [ $# -gt 0 ] || usage 'options: which runs?'
    read_counted 'roots\.0\.levels_exchanged\.mask_bytes\.' levels_exchanged --breakdown "$@"
    over_values '
function average(name) { return of_run[d, name] / searches[d] }
function middle(names,   part, parts, i, n) { # sums of these parts, one for each search
    parts = split(names, part, " ")
    split("", x)
    for (i = 0; i < searches[d]; i++)
        for (n = 1; n <= parts; n++) x[i + 1] += of_search[d, i, part[n]]
    sort(x, searches[d])
    return quantile(x, searches[d], .5)
}
END {
    print "run\treduction\tlocal_all2all\tuniquify\tform\tmemory\tranks\tshards\tsearches\tmedian_s" \
        "\tcomputation_s\tlocal_exchange_s\tremote_exchange_s\tmask_reduction_s\tmerged_exchange_s\tahead_s" \
        "\tvertices\tvertices_after\tbytes\tbytes_after\tmask_bytes\tmask_bytes_after\tpeer_bytes\tmessages"
    runs = split(ENVIRON["names"], name, "\n")
    for (d = 0; d < runs; d++) {
        n = pick(d, time)
        sort(x, n)
        printf "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%d\t%.6g", name[d + 1], env[d, "mask_reduction"],
            env[d, "local_all2all"], env[d, "uniquify"], env[d, "exchange_form"], env[d, "exchange_memory"],
            env[d, "ranks"], env[d, "ranks"] * env[d, "shards_per_rank"], n, quantile(x, n, .5)
        printf "\t%.6g\t%.6g\t%.6g\t%.6g\t%.6g\t%.6g", middle("previsit visit_nn visit_nd visit_dn visit_dd bins choose"),
            middle("local_exchange"), middle("remote_exchange"), middle("mask_reduction"),
            middle("merged_exchange"), middle("ahead")
        dense = average("bits_bytes") + average("frontier_bytes")
        printf "\t%.9g\t%.9g\t%.9g\t%.9g", average("found_vertices"), average("sent_vertices"),
            4 * average("found_vertices") + dense, average("list_bytes") + dense
        printf "\t%.9g\t%.9g\t%.9g\t%.9g\n", average("whole_mask_bytes"), average("mask_bytes"),
            average("peer_bytes"), average("messages")
    }
}'
}

# ---- traces ----

# A trace has a document in each line.
check_traces() { # NAME...
    awk -F '\t' '$2 == "level" { levels++ } { last = $1 } END { exit levels != last + 1 }' "$work/values" ||
        die 3 "$*: not what dbfs-traverse --trace writes"
    check_numbers "$*" . '\.direction$|^way$'
}

levels() {
    [ $# -gt 0 ] || usage 'levels: which traces?'
    read_files "$@"
    check_traces "$@"
    levels_table
}

levels_table() {
    awk '
function end_row(   c) {
    for (c = 1; c <= columns; c++) printf "%s%s", (c > 1 ? "\t" : ""), value[column[c]]
    print ""
    split("", value)
}
BEGIN {
    FS = "\t"
    columns = split("root level frontier leaving_vertices sent_vertices local_vertices bytes.vertices " \
        "bytes.masks compute_s.min compute_s.mean compute_s.max exchange_s.min exchange_s.mean exchange_s.max",
        column, " ")
    subgraphs = split("nn nd dn dd", g, " ")
    members = split("direction pulling frontier fv bv pushed probes", m, " ")
    for (i = 1; i <= subgraphs; i++)
        for (j = 1; j <= members; j++) column[++columns] = g[i] "." m[j]
    column[++columns] = "way"
    column[++columns] = "delegates"
    column[++columns] = "bytes.frontiers"
    column[++columns] = "bytes.peers"
    for (c = 1; c <= columns; c++) printf "%s%s", (c > 1 ? "\t" : ""), column[c]
    print ""
}
NR > 1 && $1 != document { end_row() }
{ document = $1; sub(/^subgraphs\./, "", $2); value[$2] = $3 }
END { end_row() }' "$work/values"
}

# ---- plots ----

@include tools/report/draw.sh

# NAME: writes the script of a plot of one search, from the table of `levels`
plot_levels() {
    root=${root:-$(awk -F '\t' 'NR == 2 { print $1 }' "$work/levels")}
    WORK=$work awk -F '\t' -v OFS='\t' -v root="$root" '
        BEGIN { times = ENVIRON["WORK"] "/times"; edges = ENVIRON["WORK"] "/edges" }
        NR == 1 {
            for (i = 1; i <= NF; i++) at[$i] = i
            print "level", "visits", "exchange" >times
            print "level", "nn: normal to normal", "nd: normal to delegate", "dn: delegate to normal",
                "dd: delegate to delegate" >edges
        }
        NR > 1 && $1 == root {
            print $2, 1e3 * $at["compute_s.max"], 1e3 * $at["exchange_s.max"] >times
            print $2, $at["nn.fv"], $at["nd.fv"], $at["dn.fv"], $at["dd.fv"] >edges
            found = 1
        }
        END { exit !found }' "$work/levels" || die 3 "$1: there is no root $root"
    plot_head $size
    plot_data edges <"$work/edges"
    plot_data times <"$work/times"
    cat <<END
set multiplot layout 2,1
set xlabel 'level of the search (distance from the root)'
last = $(tail -n 1 "$work/edges" | cut -f 1)
set xrange [0:last > 0 ? last : 1]
set title 'Edges from the frontier, root $root'
set ylabel 'directed edges'
$(plot_curves edges 'edges_spread > 50')
set title 'Time of a level on the slowest rank'
set ylabel 'time (ms)'
$(plot_curves times 'times_spread > 50')
unset multiplot
END
}

# NAME: checks that a sweep is whole, with TH inf at its end and one chosen row
check_sweep() {
    NAME=$1 awk -F '\t' -v program="$program" '
        function bad(what) { printf "%s: %s:%d: %s\n", program, ENVIRON["NAME"], NR, what >"/dev/stderr"; failed = 1; exit 3 }
        NR == 1 {
            columns = NF
            for (i = 1; i <= NF; i++) at[$i] = i
            n = split("d_percent nn_percent nd_percent dn_percent dd_percent chosen", wanted, " ")
            for (i = 1; i <= n; i++) if (!(wanted[i] in at)) bad("no column " wanted[i])
            chosen = at["chosen"]
            next
        }
        NF != columns { bad("not a row of a sweep") }
        { for (i = 1; i <= NF; i++) if ($i !~ /^[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?$/ && !(i == 1 && $i == "inf")) bad($i ": not a number") }
        { picked += $chosen; last = $1 }
        END { if (!failed && (last != "inf" || picked != 1)) bad("a sweep ends with TH inf, and one row of it was chosen") }
    ' "$work/input" || exit 3
}

# NAME: writes the script of a plot of a sweep. TH 0 stands at 1/2, as a logarithmic axis has no 0.
plot_sweep() {
    [ -z "$root" ] || usage '-r: a sweep has no roots'
    check_sweep "$1"
    chosen=$(WORK=$work awk -F '\t' -v OFS='\t' '
        BEGIN { classes = ENVIRON["WORK"] "/classes" }
        NR == 1 {
            for (i = 1; i <= NF; i++) at[$i] = i
            print "TH", "delegates, of vertices", "nn: normal to normal", "nd and dn: mixed", "dd: delegate to delegate" >classes
        }
        NR > 1 && $at["chosen"] == 1 { print $1 }
        NR > 1 && $1 != "inf" {
            print ($1 > 0 ? $1 : .5), $at["d_percent"], $at["nn_percent"], $at["nd_percent"] + $at["dn_percent"],
                $at["dd_percent"] >classes
        }' "$work/input")
    plot_head $size
    plot_data classes <"$work/classes"
    [ "$chosen" = inf ] ||
        echo "chosen = $chosen > 0 ? $chosen : 0.5; set arrow from chosen, graph 0 to chosen, graph 1 nohead lw 2 dt 2"
    cat <<END
set title 'Delegates and classes of edges; TH $chosen is chosen'
set xlabel 'threshold TH (degree)'
set logscale x 4
set xrange [0.5:*]
set xtics 1, 4
set xtics add ('0' 0.5)
set ylabel 'share (%)'
$(plot_curves classes 0)
END
}

# NAME: writes the script of a plot of how many vertices there are at each distance. A line of the input is a vertex and a distance, as
# --depths writes them: with a tab or a comma between or, as version 1.0.0 wrote ids, a blank; -1 is a vertex that was not reached.
# Of a table of CSV the first line has the names of the columns, which may have parents behind the distances.
plot_distances() {
    [ -z "$root" ] || usage '-r: the distances of a file are those of one root'
    unreached=$(NAME=$1 WORK=$work awk -v OFS='\t' -v program="$program" '
        BEGIN { counts = ENVIRON["WORK"] "/counts" }
        NR == 1 && /^id,distance(,parent)?$/ { parents = /parent/; next }
        parents { sub(/,("([^"]|"")*"|[^",]*)$/, "") }
        !/^([0-9]+[ \t]|[^\t]*\t|([^",\t]*|"([^"]|"")*"),)(-1|[0-9]+)$/ {
            if (/^#/) next
            printf "%s: %s:%d: not a vertex and its distance%s\n", program, ENVIRON["NAME"], NR,
                (NR > 1 ? "" : ", nor a row of names of --sweep, nor a line of --trace") >"/dev/stderr"
            failed = 1
            exit 3
        }
        { sub(/.*[ \t,]/, "") }
        $0 < 0 { unreached++; next }
        { count[$0 + 0]++; if ($0 + 0 > deepest) deepest = $0 + 0 }
        END {
            if (failed) exit 3
            print "distance", "vertices" >counts
            for (d = 0; d <= deepest; d++) { # no longer than the file: a search reaches a vertex at each distance up to its last
                if (!(d in count)) {
                    printf "%s: %s: no vertex at distance %d, one at %d: not all distances of one root\n", program,
                        ENVIRON["NAME"], d, deepest >"/dev/stderr"
                    exit 3
                }
                print d, count[d] >counts
            }
            print unreached + 0
        }' "$work/input") || exit 3
    plot_head $size
    plot_data counts <"$work/counts"
    cat <<END
set title 'Vertices at each distance from the root; $unreached not reached'
set xlabel 'distance from the root'
set ylabel 'vertices'
set xrange [-0.5:$(tail -n 1 "$work/counts" | cut -f 1) + 0.5]
set boxwidth 0.8; set style fill solid 0.8 noborder; set rmargin at screen 0.97; unset key
spread = counts_spread > 1000
if (spread) { set logscale y; set yrange [0.7:*]; set format y '10^{%L}' } else { set yrange [0:*] }
plot \$counts using 1:2 with boxes linestyle 2
END
}

# A B: writes the script of a plot of the times of two runs: roots in common, in the order of their times in A
plot_two_runs() {
    [ -z "$root" ] || usage '-r: a plot of two runs has all roots in common'
    compare "$@" >/dev/null || exit $? # reads them
    over_values '
END {
    for (i = 0; i < searches[1]; i++) if (!((r = root[1, i, "root"]) in of_b)) of_b[r] = i
    for (i = 0; i < searches[0]; i++) {
        r = root[0, i, "root"]
        if (!(r in of_b) || r in done) continue
        done[r]
        printf "%.9g\t%.9g\n", 1e3 * root[0, i, time], 1e3 * root[1, of_b[r], time]
    }
}' | sort -g >"$work/pairs"
    plot_head $size
    {
        printf '%s\n' root "$names" | sed '2s/^/A: /; 3s/^/B: /' | paste -s -
        awk -v OFS='\t' '{ print NR, $1, $2 }' "$work/pairs"
    } | plot_data runs
    cat <<END
set title 'Times of two runs, root by root'
set xlabel 'root, by its time in A'
set ylabel '$([ "$clock" = answer ] && echo 'time until the answer' || echo 'time of the search') (ms)'
$(plot_curves runs 'runs_spread > 50')
END
}

plot_script() { # NAME: writes the script for $work/input: a sweep, traces or distances
    kind=$(awk -F '\t' '{
        print /^th\tdelegates\t.*\tchosen(\t|$)/ ? "sweep" : /^[ \t]*[{]/ && !/[\t,]-?[0-9]+$/ ? "traces" : "distances"
        exit }' "$work/input")
    case $kind in
    sweep) plot_sweep "$1" ;;
    distances) plot_distances "$1" ;;
    *)
        append_json "$1" <"$work/input"
        check_traces "$1"
        levels_table >"$work/levels"
        plot_levels "$1"
        ;;
    esac
}

plot() {
    [ $# = 1 ] || [ $# = 2 ] || usage 'plot: give one trace, sweep or file of distances, or two runs'
    check_picture "$@"
    if [ $# = 2 ]; then
        plot_two_runs "$@" >"$work/script" || exit $?
        draw
        return
    fi
    read_input "$1" sed '1s/^\xef\xbb\xbf//; s/\r$//' >"$work/input" || exit 1 # as editors of Windows leave a file
    plot_script "$1" >"$work/script" || exit $?
    draw
}

# ---- command line ----

clock='' built=NA several=0 by_pairs=0 root='' output='' size='' force=0 command=''
names='' count=0
[ $# -gt 0 ] || usage 'what to report?'
work=$(mktemp -d -- "${TMPDIR:-/tmp}/dbfs-report.XXXXXX") || die 1 'cannot create a temporary folder'
case $work in /*) ;; *) work=$PWD/$work ;; esac # awk takes a relative a=b/file for an assignment
trap 'leave $?' EXIT
trap 'exit 1' HUP INT TERM
while [ $# -gt 0 ]; do
    case $1 in
    --help=all) ;;
    --pairs=* | --help=* | --several-levels=* | --force=* | --version=*) usage "$1: ${1%%=*} takes no value" ;;
    --?*=*) word=$1; shift; set -- "${word%%=*}" "${word#*=}" "$@" ;;
    esac
    case $1 in
    -h | --help | --help=all) printf '%s\n' "$help" | give; exit ;;
    --version) echo "$version" | give; exit ;;
    --clock) need $# "$1"; clock=$2; shift ;;
    --pairs) by_pairs=1 ;;
    --several-levels) several=1 ;;
    --construction-time) need $# "$1"; built=$2; shift ;;
    -r | --roots | --root) need $# "$1"; root=$2; shift ;;
    -o | --output) need $# "$1"; take_output "$1" "$2"; shift ;;
    --size) need $# "$1"; size=$2; shift ;;
    --force) force=1 ;;
    --) shift; break ;;
    -?*) usage "unknown option '$1'$(printf '%s\n' "$help" | did_you_mean "$1")" ;;
    *) take_word "$1" ;;
    esac
    shift
done
for word in "$@"; do take_word "$word"; done
set --
while [ $count -lt $files ]; do
    count=$((count + 1))
    eval "set -- \"\$@\" \"\$file_$count\""
    eval "name=\$file_$count"
    names="$names${names:+
}$(one_field "$name")"
done
refuse_appending "$@"
case $clock in
'' | search | answer) ;;
*) usage "--clock $clock: not search or answer" ;;
esac
case $built in
NA) ;;
*[!0-9.]* | '' | *.*.* | .) usage "--construction-time $built: not seconds" ;;
esac
case $root in *[!0-9]*) usage "-r $root: not a vertex" ;; esac
case $command in
graph500 | means | compare | roots | exchange | options | levels | plot) ;;
*) usage "'$command': no such report" ;;
esac
[ -z "$output" ] || [ "$command" = plot ] || usage '-o is for plot'
[ -z "$root" ] || [ "$command" = plot ] || usage '-r is for plot'
[ $force = 0 ] || [ -n "$output" ] || usage '--force is for plot with -o'
if [ -n "$size" ]; then
    case $output in '' | -) usage '--size is for plot with -o FILE' ;; esac
    # a pattern of the shell is of the whole value; grep took a value of two lines of which one fits
    case $size in
    [1-9][0-9][0-9]x[1-9][0-9][0-9] | [1-9][0-9][0-9][0-9]x[1-9][0-9][0-9]) ;;
    [1-9][0-9][0-9]x[1-9][0-9][0-9][0-9] | [1-9][0-9][0-9][0-9]x[1-9][0-9][0-9][0-9]) ;;
    *) usage "--size $size: not WIDTHxHEIGHT, each from 100 to 9999" ;;
    esac
    size="${size%x*} ${size#*x}"
fi
[ $by_pairs = 0 ] || [ "$command" = exchange ] || usage '--pairs is for exchange'
[ $several = 0 ] || [ "$command" = graph500 ] || usage '--several-levels is for graph500'
[ "$built" = NA ] || [ "$command" = graph500 ] || usage '--construction-time is for graph500'
case $command in
exchange | levels) [ -z "$clock" ] || usage "--clock: $command has times of neither clock" ;;
plot) [ -z "$clock" ] || [ $# = 2 ] || usage '--clock: of plot for two runs alone, as the others have times of neither clock' ;;
esac
clock=${clock:-search}
if [ -n "$output" ]; then # it may be a link to standard output
    plot "$@"
    exit
fi
"$command" "$@" >"$work/report" || exit $?
give <"$work/report"
