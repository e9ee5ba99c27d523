# social.sh: makes a social network and sets `graph` to its name: FRIENDSTER=FILE in any format that edgeconv reads
# (31 GB of text); else Epinions, if it is there; else an RMAT graph with the skew of such networks.
if [ -n "${FRIENDSTER:-}" ]; then
    graph=$(basename "$FRIENDSTER")
    heard "$bin/edgeconv" --randomize=1 --direction once --force -o "$work/edges" "$FRIENDSTER"
elif [ -e "$graphs/soc-Epinions1.txt.gz" ]; then
    graph='Epinions in place of Friendster'
    heard "$bin/edgeconv" --randomize=1 --direction once --force -o "$work/edges" "$graphs/soc-Epinions1.txt.gz"
else
    graph="RMAT $((scale + 3)) with A .45, B .22, C .22 in place of Friendster"
    heard "$bin/rmatgen" -s $((scale + 3)) -A .45 -B .22 -C .22 --force -o "$work/edges"
fi
