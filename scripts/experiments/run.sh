#!/bin/bash
# run.sh [NAME...]: runs each script of the index, or those given, and makes one page of all tables: OUT/index.html.
# lib.sh lists the environment variables that make graphs larger. A failing script is named, and its place on the page
# is empty. The page also shows tables of larger machines, from the folders of KEPT (scripts/results/experiments).
. scripts/experiments/lib.sh

here=scripts/experiments
scripts=${*:-$(awk -F '\t' '!/^#/ && $3 != "-" && !seen[$4]++ { print $4 }' $here/index.tsv)}
failed=0
for script in $scripts; do
    start=$SECONDS
    script=${script%.sh}.sh
    # tables of an earlier run, maybe of other graphs, are not those of one that fails
    for table in $(awk -F '\t' -v script="$script" '!/^#/ && $4 == script && $3 != "-" { print $3 }' $here/index.tsv); do
        rm -f "$out/$table".tsv "$out/$table".json "$out/$table".about "$out/$table".svg
    done
    if $here/"$script"; then
        echo "$script: $((SECONDS - start)) s"
    else
        echo "$script: failed" >&2
        failed=1
    fi
done

escaped() { sed "s/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g; s/\"/\&quot;/g; s/'/\&#39;/g"; }
html() { escaped <<<"$1"; } # TEXT
about() { sed -n "s/^$2$tab//p" "$out/$1.about" | head -n 1; } # TABLE KEY
# take_kept TABLE: copies the kept files of a table to OUT/FOLDER, draws the table, and prints FOLDER/TABLE for each copy
take_kept() {
    local table folder
    for table in "${KEPT:-scripts/results/experiments}"/*/"$1.tsv"; do
        [ -e "$table" ] || continue
        folder=$(basename "$(dirname "$table")")
        mkdir -p "$out/$folder"
        cp "${table%.tsv}".* "$out/$folder"
        [ -z "$(about "$folder/$1" x)" ] || ! command -v gnuplot >/dev/null 2>&1 ||
            picture "$folder/$1" "$(about "$folder/$1" x)" "$(about "$folder/$1" y)" "$(about "$folder/$1" log)" >&2
        echo "$folder/$1"
    done
}
section() { # TABLE
    local file
    file=$(html "$1")
    echo "<p><b>$(about "$1" title | escaped)</b><br>Engine: $(about "$1" engine | escaped). $(about "$1" machine | escaped);"
    echo "revision $(about "$1" revision | escaped); $(about "$1" date | escaped).<br>"
    echo "<code>$(about "$1" command | escaped)</code> <a href='$file.tsv'>TSV</a> <a href='$file.json'>JSON</a></p>"
    [ ! -e "$out/$1.svg" ] || echo "<p><img src='$file.svg' alt='the picture of this table'></p>"
    echo '<details><summary>Table</summary><table>'
    escaped <"$out/$1.tsv" | awk -F '\t' '{ cell = NR == 1 ? "th" : "td"; printf "<tr>"
        for (i = 1; i <= NF; i++) printf "<%s>%s</%s>", cell, $i, cell; print "</tr>" }'
    echo '</table></details>'
}
{
    echo "<!DOCTYPE html><html lang='en'><head><meta charset='utf-8'><title>Experiments of dbfs</title><style>"
    echo 'body { font-family: sans-serif; max-width: 60em; margin: auto } table { border-collapse: collapse }'
    echo 'td, th { border: 1px solid #ccc; padding: 0 .5em; text-align: right } img { max-width: 100% }</style></head><body>'
    echo '<h1>Experiments of dbfs</h1><p>Every figure and table of five papers. Rows named <i>published</i> are numbers of the
paper, <i>ours</i> were run here, <i>model</i> are predictions of dbfs-model.</p>'
    grep -v '^#' $here/index.tsv | while IFS=$tab read -r paper item table script; do
        [ "$paper" = "${last:-}" ] || echo "<h2>$(html "${paper^}")</h2>"
        last=$paper
        echo "<h3>$(html "${paper^}, $item")</h3>"
        if [ "$table" = - ]; then
            echo "<p>Not here: $(html "$script").</p>"
        elif [ -e "$out/$table.tsv" ]; then
            section "$table"
        else
            echo "<p>Not run: <code>scripts/experiments/$(html "$script")</code>.</p>"
        fi
        take_kept "$table" | while IFS= read -r kept; do
            section "$kept"
        done
    done
    echo '</body></html>'
} >"$work/index.html"
mv "$work/index.html" "$out/index.html"
echo "$out/index.html"
exit $failed
