# social.sh: makes a social network and sets `graph` to its name: FRIENDSTER=FILE in any format that edgeconv reads
# (31 GB of text), or FRIENDSTER=made, a graph of its size; else Epinions, if it is there; else a small RMAT graph with
# the skew of such networks.
#
# The paper's Friendster has 67 million vertices with edges and 5.17 billion directed edges (77 a vertex), and its largest
# degree is 5,214 (SNAP). The one that is made has as many vertices and edges. The largest degree of an RMAT graph is about
# edges * (A + B)^scale, so A + B = .588 gives 5,200.
if [ "${FRIENDSTER:-}" = made ]; then
    graph='RMAT 26 of the size of Friendster (5.17 billion directed edges, largest degree about 5,200) in place of it'
    heard "$bin/rmatgen" -s 26 -e 39 --count 2585000000 -A .41 -B .178 -C .178 --force -o "$work/edges"
elif [ -n "${FRIENDSTER:-}" ]; then
    graph=$(basename "$FRIENDSTER")
    heard "$bin/edgeconv" --randomize=1 --direction once --force -o "$work/edges" "$FRIENDSTER"
elif [ -e "$graphs/soc-Epinions1.txt.gz" ]; then
    graph='Epinions in place of Friendster'
    heard "$bin/edgeconv" --randomize=1 --direction once --force -o "$work/edges" "$graphs/soc-Epinions1.txt.gz"
else
    graph="RMAT $((scale + 3)) with A .45, B .22, C .22 in place of Friendster"
    heard "$bin/rmatgen" -s $((scale + 3)) -A .45 -B .22 -C .22 --force -o "$work/edges"
fi
