#!/bin/bash
# run.sh [NAME...]: runs each script of the index, or those given, and makes one page of all tables: OUT/index.html.
# lib.sh lists the environment variables that make graphs larger. A failing script is named, and its place on the page
# is empty. The page also shows tables of larger machines, from the folders of KEPT (scripts/results/experiments).
. scripts/experiments/lib.sh

here=scripts/experiments
scripts=${*:-$(awk -F '\t' '!/^#/ && $3 != "-" && !seen[$4]++ { print $4 }' $here/index.tsv)}
failed=0
forget_tables() { # SCRIPT
    local table
    for table in $(awk -F '\t' -v script="$1" '!/^#/ && $4 == script && $3 != "-" { print $3 }' $here/index.tsv); do
        rm -f "$out/$table".tsv "$out/$table".json "$out/$table".about "$out/$table".svg
    done
}
for script in $scripts; do
    start=$SECONDS
    script=${script%.sh}.sh
    forget_tables "$script" # those of an earlier run are maybe of other graphs
    if $here/"$script"; then
        echo "$script: $((SECONDS - start)) s"
    else
        echo "$script: failed" >&2
        forget_tables "$script" # the last one ends where it failed
        failed=1
    fi
done

escaped() { sed "s/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g; s/\"/\&quot;/g; s/'/\&#39;/g"; }
html() { escaped <<<"$1"; } # TEXT
# link PATH: prints it as an address of HTML
link() {
    local LC_ALL=C i byte
    for ((i = 0; i < ${#1}; i++)); do
        byte=${1:i:1}
        case $byte in [A-Za-z0-9._/-]) printf %s "$byte" ;; *) printf '%%%02X' "$(($(printf %d "'$byte") & 255))" ;; esac
    done
}
# take_kept TABLE: copies the kept files of a table to OUT/FOLDER, draws the table, and prints FOLDER/TABLE for each copy. A table that
# cannot be drawn stands on the page without a picture.
take_kept() {
    local table folder
    for table in "${KEPT:-scripts/results/experiments}"/*/"$1.tsv"; do
        [ -e "$table" ] || continue
        folder=$(basename -- "$(dirname -- "$table")")
        mkdir -p "$out/$folder"
        cp -- "${table%.tsv}".* "$out/$folder"
        if ! (draw_table "$folder/$1") >&2; then
            rm -f "$out/$folder/$1.svg"
            echo "$name: ${table%.tsv}: stands on the page without a picture" >&2
        fi
        echo "$folder/$1"
    done
}

# The last commit that changed an engine, and its day; empty where there is no history.
engine_commit=$(git log -1 --format=%h -- traverse/engine traverse/exchange traverse/cpu traverse/cuda 2>/dev/null || true)
engine_day=$(git log -1 --format=%cs -- traverse/engine traverse/exchange traverse/cpu traverse/cuda 2>/dev/null || true)
# age TABLE: prints whether a table is of today's engines
age() {
    local revision
    revision=$(about "$1" revision)
    revision=${revision%-dirty}
    if [ -z "$engine_commit" ]; then
        echo 'whether it is of this tree is not known, as its history is not here'
    elif git merge-base --is-ancestor "$engine_commit" "$revision" 2>/dev/null; then
        echo "of today's engines"
    else
        echo "older than the engines of this tree ($engine_commit, $engine_day): not comparable with rows of today"
    fi
}
section() { # TABLE
    local file
    file=$(link "$1")
    echo "<h4>$(about "$1" title | escaped)</h4><p class='about'><b>$(about "$1" machine | escaped), revision $(about "$1" revision | escaped),"
    echo "$(about "$1" date | escaped)</b>: $(age "$1" | escaped).<br>Engine: $(about "$1" engine | escaped).<br>"
    echo "<code>$(about "$1" command | escaped)</code> <a href='$file.tsv'>TSV</a> <a href='$file.json'>JSON</a></p>"
    [ ! -e "$out/$1.svg" ] || echo "<p><img src='$file.svg' alt='the picture of this table'></p>"
    echo "<div class='table'><table>"
    escaped <"$out/$1.tsv" | awk -F '\t' '{ cell = NR == 1 ? "th" : "td"; printf "<tr>"
        for (i = 1; i <= NF; i++) printf "<%s>%s</%s>", cell, $i, cell; print "</tr>" }'
    echo '</table></div>'
}
{
    echo "<!DOCTYPE html><html lang='en'><head><meta charset='utf-8'><title>Experiments of dbfs</title><style>"
    echo 'body { font-family: sans-serif; max-width: 60em; margin: auto; padding: 0 1em } table { border-collapse: collapse; font-size: 85% }'
    echo 'td, th { border: 1px solid #ccc; padding: 0 .5em; text-align: right } img { width: 100%; max-width: 760px }'
    echo '.table { max-height: 24em; overflow: auto } .about { font-size: 85% } nav { columns: 2 }'
    echo '@media print { .table { max-height: none; overflow: visible } h3, img { break-inside: avoid } }</style></head><body>'
    echo '<h1>Experiments of dbfs</h1><p>Every figure and table of five papers. Black points named <i>published</i> are numbers of the
paper, lines named <i>ours</i> were run here or, in kept tables, on the machine that they name, dashed lines named <i>model</i> are predictions of dbfs-model. A grey band is the range that the
paper names or, behind a dashed line, the errors of the model. Rates are geometric means over the roots (ROOTS in each command; the papers of Pan and Kolganov have 140 and 64), unless a title says
something else. On a machine that does other work they differ by a factor of two from run to run. Each table says its machine, its revision, and whether the engines have changed since.</p>'
    echo "<p>Two predictions have a name each. $(html "$model_words").</p><nav><ul>"
    grep -v '^#' $here/index.tsv | while IFS=$tab read -r paper item table _; do
        [ "$table" = - ] || [ "$paper, $item" = "${last:-}" ] || echo "<li><a href='#$(html "$table")'>$(html "${paper^}, $item")</a></li>"
        last="$paper, $item"
    done
    echo '</ul></nav>'
    last=
    grep -v '^#' $here/index.tsv | while IFS=$tab read -r paper item table script; do
        [ "$paper" = "${last:-}" ] || echo "<h2>$(html "${paper^}")</h2>"
        [ "$paper, $item" = "${last_item:-}" ] || echo "<h3 id='$(html "$table")'>$(html "${paper^}, $item")</h3>"
        last=$paper last_item="$paper, $item"
        if [ "$table" = - ]; then
            echo "<p>Not here: $(html "$script").</p>"
            continue
        fi
        kept=$(take_kept "$table")
        if [ -e "$out/$table.tsv" ]; then
            section "$table"
        elif [ -z "$kept" ]; then
            echo "<p>Not run: <code>scripts/experiments/$(html "$script")</code>.</p>"
        fi
        while IFS= read -r table; do
            [ -z "$table" ] || section "$table"
        done <<<"$kept"
    done
    echo '</body></html>'
} >"$work/index.html"
mv "$work/index.html" "$out/index.html"
echo "$out/index.html"
exit $failed
