# lib.sh: functions that the experiments share. A script sources it in the root of the repository, makes its table,
# and passes it to `keep`, or to `keep_curves` if it consists of curves.
#
#   BUILD   where programs are (build)          OUT    where tables go (BUILD/experiments)
#   SCALE   of the RMAT graph of one shard (13) ROOTS  searches of a run (8)
#   BACKEND cpu or cuda (cpu)                   GRAPHS a folder of real graphs (../shared/data)
#
# Curves are rows `source series x y`. The source is `ours`, `published` for a number of the paper, or `model` for a
# prediction of dbfs-model.
set -euo pipefail
export LC_ALL=C OMP_WAIT_POLICY=passive
bin=${BUILD:-build}/bin
out=${OUT:-${BUILD:-build}/experiments}
case $out in /*) ;; *=*) out=./$out ;; esac
scale=${SCALE:-13}
roots=${ROOTS:-8}
backend=${BACKEND:-cpu}
graphs=${GRAPHS:-../shared/data}
mpiexec=${MPIEXEC:-$(command -v mpiexec.mpich || command -v mpiexec)}
name=$(basename "$0" .sh)
tab=$'\t'
work=$(mktemp -d "${TMPDIR:-/tmp}/dbfs-experiment.XXXXXX")
case $work in /*) ;; *) work=$PWD/$work ;; esac # awk takes a relative a=b/file for an assignment
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"

die() { # CODE MESSAGE
    echo "$name: $2" >&2
    exit "$1"
}
usage() { die 2 "$1"; }
. tools/report/outfile.sh
. tools/report/draw.sh

# the engines, as tables name them
own="dbfs-traverse, its own directions and search, $backend"
loop="dbfs-traverse, the level loop with the factors of the paper, $backend"
factors=(--factor0 dd=0.5,dn=0.05,nd=1e-7,nn=1e9 --factor1 dd=0,dn=0,nd=0,nn=0)

# ---- graphs and searches ----

# packed NAME P TH [OPTION...]: packs the edge stream of standard input; with TH - dbfs-pack suggests one
packed() {
    local dir=$work/$1 p=$2 th=$3
    shift 3
    if [ "$th" = - ]; then set -- --for "${backend/cuda/gpu}" "$@"; else set -- -t "$th" "$@"; fi
    "$bin/dbfs-pack" -q -p "$p" "$@" --force -o "$dir" -
}

rmat() { "$bin/rmatgen" -q -s "$1"; } # SCALE

# searched NAME RANKS [OPTION...]: searches the packed graph NAME and leaves the report in $work/NAME.json. Only tables of
# the parts of a search give --breakdown, as noting levels takes time on a small graph.
searched() {
    local graph=$1 ranks=$2 launch=()
    shift 2
    [ "$ranks" = 1 ] || launch=("$mpiexec" -n "$ranks")
    case " $* " in *' -n '* | *' -r '*) ;; *) set -- -n "$roots" "$@" ;; esac
    "${launch[@]}" "$bin/dbfs-traverse" -q --backend "$backend" --no-check --trust --force --json "$work/$graph.json" "$@" "$work/$graph" \
        >/dev/null 2>"$work/said" </dev/null || die 1 "$(head -3 "$work/said")"
}

# reported NAME COMMAND COLUMN: prints a value that dbfs-report finds in the last search of NAME
reported() {
    "$bin/dbfs-report" "$2" "$work/$1.json" | awk -F '\t' -v column="$3" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == column) at = i }
        NR == 2 { print $at }'
}
gteps() { reported "$1" means geometric_mean_teps | awk '{ print $1 / 1e9 }'; } # NAME: prints the mean as the paper takes it

# ---- tables ----

row() { # VALUE...: prints the values with tabs between
    local IFS=$tab
    echo "$*"
}

machine() {
    local gpu=
    [ "$backend" != cuda ] || gpu=$(nvidia-smi -i "${CUDA_VISIBLE_DEVICES:-0}" --query-gpu=name --format=csv,noheader 2>/dev/null |
        sort | uniq -c | awk '{ count = $1; $1 = ""; print count " x" $0 ", " }')
    echo "$gpu$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores"
}

# published ITEM: prints the numbers of a figure or table that its paper's text states, as rows of curves
published() {
    awk -F '\t' -v item="$1" -v OFS='\t' '!/^#/ && $1 == item { print "published", $2, $3, $4 }' scripts/experiments/published.tsv
}

as_json() { # keeps the table of standard input
    awk -F '\t' '
        function word(s) { if (s ~ /^-?(0|[1-9][0-9]*)(\.[0-9]+)?(e[-+]?[0-9]+)?$/) return s; gsub(/[\\"]/, "\\\\&", s); return "\"" s "\"" }
        { line = ""; for (i = 1; i <= NF; i++) line = line (i > 1 ? ", " : "") word($i)
          if (NR == 1) print "  \"columns\": [" line "],\n  \"rows\": ["
          else { printf "%s    [%s]", (NR > 2 ? ",\n" : ""), line } }
        END { print "\n  ]" }'
}

# Prints, as words of a shell, the other variables that choose what is measured, if they are set.
others_set() {
    local variable
    for variable in SCALES FRIENDSTER GRAPHS; do
        [ -z "${!variable:-}" ] || printf '%s=%q ' $variable "${!variable}"
    done
}

# keep NAME TITLE ENGINE: keeps the table of standard input, whose first row has the names of columns
keep() {
    local file=$out/$1
    cat >"$work/table"
    [ "$(wc -l <"$work/table")" -gt 1 ] || die 1 "$1: the table is empty"
    { row title "$2"; row engine "$3"; row machine "$(machine)"; row date "$(date -u +%F)"
      row revision "${REVISION:-$(git describe --always --dirty 2>/dev/null || echo unknown)}"
      row command "SCALE=$scale ROOTS=$roots BACKEND=$backend $(others_set)scripts/experiments/$name.sh"; } >"$file.about"
    { echo "{"; awk -F '\t' '{ gsub(/[\\"]/, "\\\\&", $2); print "  \"" $1 "\": \"" $2 "\"," }' "$file.about"
      as_json <"$work/table"; echo "}"; } >"$file.json"
    cp "$work/table" "$file.tsv"
    rm -f "$file.svg"
}

# keep_curves NAME TITLE ENGINE X Y [LOG]: keeps rows `source series x y`, and draws them if gnuplot is installed. LOG
# names the axes with a logarithmic scale.
keep_curves() {
    { row source series x y; cat; } | keep "$1" "$2" "$3"
    printf 'x\t%s\ny\t%s\nlog\t%s\n' "$4" "$5" "${6:-}" >>"$out/$1.about"
    ! command -v gnuplot >/dev/null 2>&1 || picture "$1" "$4" "$5" "${6:-}"
}

picture() { # NAME X Y LOG
    local output=$out/$1.svg force=1
    {
        plot_head
        awk -F '\t' 'NR > 1 { key = $1 ": " $2; if (!(key in at)) { at[key] = ++n; title[n] = key }
                if (!($3 in there)) { there[$3]; x[++m] = $3 } y[$3, at[key]] = $4 }
            END { printf "x"; for (i = 1; i <= n; i++) printf "\t%s", title[i]; print ""
                for (j = 1; j <= m; j++) { printf "%s", x[j]
                    for (i = 1; i <= n; i++) printf "\t%s", ((x[j], i) in y ? y[x[j], i] : "NaN"); print "" } }' \
            "$out/$1.tsv" | { read -r head && echo "$head" && sort -t "$tab" -k1,1g; } | plot_data curves
        echo "set xlabel $(quoted_text "$2"); set ylabel $(quoted_text "$3")"
        case $4 in *x*) echo 'set logscale x' ;; esac
        case $4 in *y*) plot_curves curves 1 ;; *) plot_curves curves 0 ;; esac
    } >"$work/script"
    draw
}
