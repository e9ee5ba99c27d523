#!/bin/sh
# dbfs-model: predicts the time of searches on other numbers of GPUs and hosts
#
# The model is awk: rmat.awk has the numbers of RMAT graphs, cost.awk the cost of a search, runs.awk
# reads runs, links.awk measures rates in them, and tables.awk prints. `make` puts these files, and formats/rates.def, into this one.
set -u
# numbers with a point, and bytes as characters
LC_ALL=C
export LC_ALL
program=dbfs-model

help='usage: dbfs-model check [OPTIONS] RUN.json [TRACE]...
       dbfs-model predict -p P[,P...] [OPTIONS] --rmat SCALE | RUN.json...
       dbfs-model weak | strong [-o FILE.svg|FILE.png|FILE.pdf] [OPTIONS] --rmat SCALE | RUN.json...
       dbfs-model paper [--rates RATES]
       dbfs-model rmat --rmat SCALE [-t TH]
       dbfs-model rates [NAME | RUN.json...]
Predicts the time of searches from rates of devices and links, and from what dbfs-traverse wrote with --json
(RUN; the first one names the graph) and --trace (TRACE, of the run before it).

  check      a row for each run: its time, the one predicted, and the parts of that
  predict    a row for each number P of devices
  weak       from 1 to 100000 devices: P times the graph; and what takes longer than visits, from which P on
  strong     the same with one graph
  paper      the model of section V-B and the points that the paper measured
  rmat       what an RMAT graph has, with TH or with each TH of a sweep
  rates      the rates of a NAME, to be copied and changed: h200, h100; a100, l4, t4, b200 and rtx5090, which are scaled
             from the h200 and not measured; ray (the machine of the paper), cpu; or those of messages,
             measured in runs on several ranks with --breakdown

  -p, --devices P,...     devices in all
  -H, --hosts H           hosts (default: as many as P devices need)
  -g, --per-host N        devices of a host (8)
      --group N           devices that read each other'\''s memory (default: all of a host)
      --rmat SCALE        an RMAT graph of this scale; for weak, of one device
  -e, --edgefactor N      of the RMAT graph (16)
  -t, --threshold TH      of the RMAT graph; paper: by figure 7 (default: by the memory it takes)
      --rates RATES       NAME, or a file that changes rates (default: cpu for runs on it, otherwise h200)
      --form auto|list    nn vertices go in the form of fewer bytes (default), or as lists
      --stepped           as with this option of dbfs-traverse, also where devices could search by themselves
      --calibrate N       runs of at most N devices correct the rates (default: those of the fewest; 0: none)
  -o, --output FILE       a picture of weak or strong; `-o -`: its script for gnuplot
      --force             FILE may exist, and is replaced
  -h, --help  --version

A file may be a pipe; `-` is standard input.
Rows are separated by tabs, with a first row of names. Exit: 0 ok, 1 run-time failure, 2 usage, 3 bad data,
5 a full disk.'
version='dbfs-model (dbfs) @VERSION@'

@include tools/report/say.sh

@include tools/report/similar.sh

@include tools/report/outfile.sh

@include tools/report/read_json.sh

@include tools/report/draw.sh

# ---- rates ----

# NAME: prints the rates of a machine, as lines of name, value, perhaps least and most, and comment. An h100 has those of
# an h200, but for some. Another GPU has those of an h200, scaled as traverse/cuda/device/cuda_traits.c scales steps.
built_in_rates() {
    case $1 in
    h100) { rows_of_machine h100; rows_of_machine h200; } | awk '!/^#/ && had[$1]++ { next } 1' ;;
    h200 | ray | cpu) rows_of_machine "$1" ;;
    *) { gpu_row h200; gpu_row "$1"; rows_of_machine h200; } | scaled_rates ;;
    esac
}
# NAME: succeeds if there are rates of that name
has_rates() {
    case $1 in h200 | h100 | a100 | l4 | t4 | b200 | rtx5090 | ray | cpu) return 0 ;; *) return 1 ;; esac
}
# NAME: prints the fields of a row GPU
gpu_row() { rates_def | sed -n 's/^GPU(\(.*\))/\1/p' | tr -d , | awk -v name="$1" '$1 == name'; }
# Scales rates of an h200. Standard input has the rows GPU of an h200 and of the other GPU, and the rates. Levels are scaled by the
# clock, edges and delegates by clock and multiprocessors, an edge at least by the bandwidth. Rates of links stay.
scaled_rates() {
    awk '
NR == 1 { clock = $4; processors = $3 }
NR == 2 {
    level = clock / $4
    work = level * processors / $3
    bytes_s = $5
    memory = $9
    printf "# One %s, not measured: rates of the h200, levels x %.2f, edges and delegates x %.2f, ", $1, level, work
    printf "an edge by %.2f TB/s at least; links of the h200\n", bytes_s / 1e12
}
NR <= 2 || /^#/ { next }
{
    by = / # s a level: / && !/^(relay|message)_/ ? level : /^(edge_s|normal_edge_s|delegate_s) / ? work : 1
    if ($1 == "device_bytes") { $2 = memory; sub(/ of the H200/, "") }
    if ($1 == "edge_bytes") bytes = $2
    for (i = 2; $i != "#"; i++) {
        $i *= by
        if ($1 == "edge_s" && $i < bytes / bytes_s) $i = bytes / bytes_s
    }
    print
}'
}
rates_def() {
    cat <<'END'
@include formats/rates.def
END
}
# NAME: prints the rows MODEL of a machine
rows_of_machine() {
    rates_def | sed -n -e "s|^/\\* $1: \\(.*\\) \\*/|# \\1|p" \
        -e "s/^MODEL($1, \\([^,]*\\), \\([^,]*\\), \"\\([^\"]*\\)\", \"\\(.*\\)\")/\\1 \\2 # \\3: \\4/p"
}

# read_rates NAME|FILE: writes lines of name, value, least and most to $work/rates. A file changes rates of h200, or of cpu.
read_rates() {
    : >"$work/given"
    if has_rates "$1"; then
        built_in_rates "$1" >"$work/known"
    else
        built_in_rates "$default_rates" >"$work/known"
        read_input "$1" cat >"$work/given" || exit 1
        grep -q '^[[:space:]]*[^#[:space:]]' "$work/given" || die 3 "$1: it has no rate"
    fi
    NAME=$1 awk '
function bad(what) { printf "dbfs-model: %s:%d: %s\n", ENVIRON["NAME"], FNR, what >"/dev/stderr"; failed = 1; exit 3 }
{ sub(/#.*/, "") }
NF == 0 { next }
NF != 2 && NF != 4 { bad("neither NAME VALUE nor NAME VALUE LEAST MOST") }
FILENAME == ARGV[1] { value[$1] = $2 }
!($1 in value) { bad($1 ": no such rate; dbfs-model rates lists them") }
{
    for (i = 2; i <= NF; i++)
        if ($i !~ /^[0-9]*\.?[0-9]+([eE][-+]?[0-9]+)?$/ || $i + 0 <= 0) bad($1 ": " $i ": not a number above 0")
}
NF == 4 && ($3 + 0 > $2 + 0 || $2 + 0 > $4 + 0) { bad($1 ": " $2 " is not between " $3 " and " $4) }
FILENAME == ARGV[2] && set[$1]++ { bad($1 ": given twice") }
{ value[$1] = $2; band[$1] = NF == 4 ? $3 "\t" $4 : $2 "\t" $2 }
END { if (failed) exit 3; for (name in value) print name "\t" value[name] "\t" band[name] }' \
        "$work/known" "$work/given" >"$work/rates" || exit 3
}

# ---- the model ----

write_model() {
    cat <<'END'
@include tools/model/rmat.awk
@include tools/model/cost.awk
@include tools/model/runs.awk
@include tools/model/links.awk
@include tools/model/tables.awk
END
}

run_model() {
    write_model >"$work/model.awk"
    WORK=$work awk -F '\t' -v command="$command" -v devices="$devices" -v hosts="$hosts" -v per_host="$per_host" -v group="$group" \
        -v scale="$scale" -v edge_factor="$edge_factor" -v threshold="$threshold" -v calibrate="$calibrate" \
        -v form="$form" -v stepped="$stepped" -f "$work/model.awk" "$work/values"
}

# ---- plots ----

# KIND TABLE: writes the script of a plot. If runs correct some rows, the others are left out: they may be of another
# machine.
plot_script() {
    WORK=$work awk -F '\t' -v OFS='\t' '
        BEGIN { rates = ENVIRON["WORK"] "/of_gteps"; times = ENVIRON["WORK"] "/of_parts" }
        NR == 1 {
            for (i = 1; i <= NF; i++) at[$i] = i
            parts = split("visits imbalance delegates levels masks vertices messages counts", part, " ")
            print "p", "predicted", "ideal" >rates
            printf "p" >times
            for (i = 1; i <= parts; i++) printf "\t%s", part[i] >times
            print "" >times
        }
        /^#/ || NR == 1 { next }
        $at["corrected_by"] != "none" && !corrected++ { n = 0 }
        !corrected || $at["corrected_by"] != "none" { row[++n] = $0 }
        END {
            for (r = 1; r <= n; r++) {
                $0 = row[r]
                if (r == 1) each = $at["gteps"] / $1
                print $1, $at["gteps"], each * $1 >rates
                printf "%s", $1 >times
                for (i = 1; i <= parts; i++) printf "\t%s", $at[part[i] "_ms"] >times
                print "" >times
            }
        }' "$2"
    plot_head
    plot_data rates <"$work/of_gteps"
    plot_data times <"$work/of_parts"
    cat <<END
set multiplot layout 2,1
set logscale x
set format x '%.0f'
set xlabel 'devices'
set title 'Edges a second, $1 scaling as predicted'
set ylabel 'GTEPS'
$(plot_curves rates 'rates_spread > 50')
set title 'Parts of the time of a search'
set ylabel 'time (ms)'
$(plot_curves times 1)
unset multiplot
END
}

# ---- command line ----

command='' devices='' hosts=0 per_host=8 group=0 scale=0 edge_factor=16 threshold='' rates='' calibrate='' output=''
force=0 form=auto stepped=0
whole() { # OPTION VALUE LEAST MOST
    case $2 in '' | 0?* | *[!0-9]* | ??????????*) usage "$1 $2: not a whole number of $3 to $4" ;; esac
    [ "$2" -ge "$3" ] && [ "$2" -le "$4" ] || usage "$1 $2: not a whole number of $3 to $4"
}
[ $# -gt 0 ] || usage 'what to predict?'
work=$(mktemp -d -- "${TMPDIR:-/tmp}/dbfs-model.XXXXXX") || die 1 'cannot create a temporary folder'
case $work in /*) ;; *) work=$PWD/$work ;; esac # awk takes a relative a=b/file for an assignment
trap 'leave $?' EXIT
trap 'exit 1' HUP INT TERM
: >"$work/values"
while [ $# -gt 0 ]; do
    case $1 in
    --help=all) ;;
    --stepped=* | --help=* | --force=* | --version=*) usage "$1: ${1%%=*} takes no value" ;;
    --?*=*) word=$1; shift; set -- "${word%%=*}" "${word#*=}" "$@" ;;
    esac
    case $1 in
    -h | --help | --help=all) printf '%s\n' "$help" | give; exit ;;
    --version) echo "$version" | give; exit ;;
    -p | --devices) need $# "$1"; devices=$2; shift ;;
    -H | --hosts) need $# "$1"; whole "$1" "$2" 1 1000000; hosts=$2; shift ;;
    -g | --per-host) need $# "$1"; whole "$1" "$2" 1 1024; per_host=$2; shift ;;
    --group) need $# "$1"; whole "$1" "$2" 1 1024; group=$2; shift ;;
    --rmat) need $# "$1"; whole "$1" "$2" 2 48; scale=$2; shift ;;
    -e | --edgefactor) need $# "$1"; whole "$1" "$2" 1 1024; edge_factor=$2; shift ;;
    -t | --threshold) need $# "$1"; [ "$2" = inf ] || [ "$2" = paper ] || whole "$1" "$2" 0 999999999; threshold=$2; shift ;;
    --rates) need $# "$1"; [ "$2" != - ] || take_standard_input; rates=$2; shift ;;
    --calibrate) need $# "$1"; whole "$1" "$2" 0 1000000; calibrate=$2; shift ;;
    -o | --output) need $# "$1"; take_output "$1" "$2"; shift ;;
    --force) force=1 ;;
    --stepped) stepped=1 ;;
    --form)
        need $# "$1"
        case $2 in auto | list) form=$2 ;; *) usage "--form $2: neither auto nor list" ;; esac
        shift
        ;;
    --) shift; break ;;
    -?*) usage "unknown option '$1'$(printf '%s\n' "$help" | did_you_mean "$1")" ;;
    *) take_word "$1" ;;
    esac
    shift
done
for word in "$@"; do take_word "$word"; done
set --
count=0
while [ $count -lt $files ]; do
    count=$((count + 1))
    eval "set -- \"\$@\" \"\$file_$count\""
done
refuse_appending "$@"

check_devices() {
    [ -n "$devices" ] || usage 'predict: how many devices? (-p)'
    for p in $(echo "$devices" | tr ',' ' '); do
        whole -p "$p" 1 1000000
        on=$hosts
        [ "$on" != 0 ] || on=$(((p + per_host - 1) / per_host))
        [ $((p % on)) = 0 ] || usage "-p $p: not the same number on each of $on hosts"
        [ "$group" = 0 ] || [ "$group" -ge $((p / on)) ] || [ $((p / on % group)) = 0 ] ||
            usage "--group $group: not so many times in the $((p / on)) devices of a host"
    done
    case ,$devices, in *,,*) usage "-p $devices: a number is missing" ;; esac
}
need_graph() {
    [ $files -gt 0 ] || [ "$scale" -gt 0 ] || usage "$command: which graph? RUN.json, or --rmat SCALE"
    [ -z "$threshold" ] || [ "$scale" -gt 0 ] || usage '-t is for --rmat: a run has its threshold'
}

case $command in
check) [ $files -gt 0 ] || usage 'check: which runs?' ;;
predict) check_devices; need_graph ;;
weak | strong)
    need_graph
    case " 1 2 4 8 16 32 " in
    *" $per_host "*) ;;
    *) usage "-g $per_host: $command takes 1, 2, 4, 8, 16 or 32, so that 100000 devices fill their hosts" ;;
    esac
    [ "$group" = 0 ] || [ $((per_host % group)) = 0 ] || usage "--group $group: not so many times in $per_host devices"
    ;;
paper) [ $files = 0 ] || usage 'paper: it takes no runs' ;;
rmat) [ "$scale" -gt 0 ] || usage 'rmat: which scale? (--rmat)' ;;
rates)
    name=${1:-h200}
    if has_rates "$name"; then
        [ $files -le 1 ] || usage "rates: one name, or runs"
        built_in_rates "$name" | give
        exit
    fi
    case $name in
    *[./]* | -) ;; # a run
    *) [ -e "$name" ] || usage "rates: '$name': not h200, h100, a100, l4, t4, b200, rtx5090, ray or cpu, and no file" ;;
    esac
    ;;
*) usage "'$command': no such prediction" ;;
esac
[ $files -gt 0 ] || [ -z "$calibrate" ] || usage '--calibrate: by which runs?'
[ -z "$output" ] || [ "$command" = weak ] || [ "$command" = strong ] || usage '-o is for weak and strong'

default_rates=h200
: >"$work/names"
if [ $files -gt 0 ]; then
    for file in "$@"; do
        first=$documents
        read_input "$file" append_json "$file"
        awk -F '\t' -v first="$first" '$2 == "level" { levels++ } $2 == "environment.vertices" { runs++ }
            $2 ~ /^roots\.[0-9]+\.iterations$/ { roots++ }
            { documents = $1 - first + 1 }
            END { exit !((runs == 1 && documents == 1 && roots > 0) || levels == documents) }' "$work/part" ||
            die 3 "$file: neither what dbfs-traverse --json writes nor a --trace"
        check_numbers "$file" \
            '^(root|level)$|^(roots|bytes|subgraphs)\.|^environment\.(edges_kept\.|(.*vertices.*|delegates|input_edges|.*ranks.*)$)' \
            '\.(checksum|name|direction)$'
        if grep -q '	environment.vertices	' "$work/part"; then
            one_field "$file" >>"$work/names"
        else
            [ -s "$work/names" ] || die 2 "$file: a trace comes after its run"
        fi
    done
    ! head -1000 "$work/values" | grep -q '^0	environment.backend	cpu$' || default_rates=cpu
fi
[ "$command" != paper ] || default_rates=ray
read_rates "${rates:-$default_rates}"
if [ "$command" != weak ] && [ "$command" != strong ] || [ -z "$output" ]; then
    run_model >"$work/table" || exit $?
    give <"$work/table"
    exit
fi
check_picture "$@"
run_model >"$work/table" || exit $?
[ -z "$output" ] || give <"$work/table"
plot_script "$command" "$work/table" >"$work/script"
draw
