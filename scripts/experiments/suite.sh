# suite.sh: the 13 graphs of Merrill. Those that rmatgen makes are smaller by a factor that follows from SCALE. A real
# graph of the same kind replaces each other one, if the folder of graphs has it. suite_edges NAME writes $work/edges
# and sets `stand_in` to the name of the graph; it fails if there is none.
suite="europe.osm grid5pt.5000 hugebubbles-00020 grid7pt.300 nlpkkt160 audikw1 cage15 kkt_power coPapersCiteseer
wikipedia-20070206 kron_g500-logn20 random.2Mv.128Me rmat.2Mv.128Me"

suite_edges() {
    local from='' side
    side=$(awk -v s="$scale" 'BEGIN { print int(2 ^ ((s + 2) / 2)) }')
    case $1 in
    europe.osm) from=usa-road-NY.gr.xz ;;
    hugebubbles-00020) from=4elt.graph ;;
    audikw1) from=mdual.graph.gz ;;
    cage15) from=cage10.mtx.gz ;;
    coPapersCiteseer) from=actor-collaboration.txt.xz ;;
    wikipedia-20070206) from=web-NotreDame.txt.gz ;;
    grid5pt.5000) stand_in="lattice ${side}x$side" && set -- --lattice "${side}x$side" ;;
    grid7pt.300) side=$(awk -v s="$scale" 'BEGIN { print int(2 ^ ((s + 2) / 3)) }')
        stand_in="lattice ${side}x${side}x$side" && set -- --lattice "${side}x${side}x$side" ;;
    kron_g500-logn20) stand_in="RMAT $scale, 48 edges a vertex" && set -- -s "$scale" -e 48 ;;
    random.2Mv.128Me) stand_in="Poisson, 2^$scale vertices, degree 64" && set -- --poisson -n $((1 << scale)) -k 64 ;;
    rmat.2Mv.128Me) stand_in="RMAT $scale, A .45, B .15, C .15" && set -- -s "$scale" -e 32 -A .45 -B .15 -C .15 ;;
    *) return 1 ;; # nlpkkt160 and kkt_power: there is no generator, and no graph of their kind
    esac
    if [ -z "$from" ]; then
        "$bin/rmatgen" -q "$@" --force -o "$work/edges"
        return
    fi
    stand_in=$from
    [ -e "$graphs/$from" ] && "$bin/edgeconv" -q --direction once --force -o "$work/edges" "$graphs/$from" 2>/dev/null ||
        "$bin/edgeconv" -q --force -o "$work/edges" "$graphs/$from" 2>/dev/null
}
