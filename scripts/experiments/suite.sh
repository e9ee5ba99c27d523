# suite.sh: the graphs of Merrill's table 1, for merrill-suite.sh; sourced after lib.sh. A graph that ships, one that is made, or, if the
# folder of graphs has it, a real one of the same kind stands in. suite_edges NAME writes $work/edges and sets `stand_in`.
suite="europe.osm grid5pt.5000 hugebubbles-00020 grid7pt.300 nlpkkt160 audikw1 cage15 kkt_power coPapersCiteseer
wikipedia-20070206 kron_g500-logn20 random.2Mv.128Me rmat.2Mv.128Me"

# read_edges FILE [OPTION...]: converts a real graph; each edge of some stands there once, of others twice
read_edges() {
    stand_in=$(basename "$1")
    heard "$bin/edgeconv" "${@:2}" --force -o "$work/edges" -- "$1"
}
# make_edges WORDS OPTION...: makes a graph, which WORDS describe
make_edges() {
    stand_in=$1
    heard "$bin/rmatgen" "${@:2}" --force -o "$work/edges"
}

suite_edges() {
    local n=$((1 << scale)) side cube
    side=$(awk -v n=$n 'BEGIN { print int(sqrt(4 * n)) }')
    cube=$(awk -v n=$n 'BEGIN { print int((4 * n) ^ (1 / 3)) }')
    case $1 in
    europe.osm) read_edges datasets/usa-road-NY.txt --direction once ;;
    grid5pt.5000) make_edges "lattice ${side}x$side" --lattice "${side}x${side}" ;;
    hugebubbles-00020)
        if [ -e "$graphs/4elt.graph" ]; then read_edges "$graphs/4elt.graph"; else make_edges "geometric, degree 6" --geometric -n $n -k 6; fi ;;
    grid7pt.300) make_edges "lattice ${cube}x${cube}x$cube" --lattice "${cube}x${cube}x$cube" ;;
    nlpkkt160) make_edges "lattice ${cube}x${cube}x$cube of 27 points" --lattice "${cube}x${cube}x$cube" --stencil 27 ;;
    audikw1)
        if [ -e "$graphs/mdual.graph.gz" ]; then read_edges "$graphs/mdual.graph.gz"; else make_edges "geometric, degree 80" --geometric -n $n -k 80; fi ;;
    cage15)
        if [ -e "$graphs/cage10.mtx.gz" ]; then read_edges "$graphs/cage10.mtx.gz" --direction once; else make_edges "geometric, degree 18" --geometric -n $n -k 18; fi ;;
    kkt_power) make_edges "communities of 32, degree 6" --planted $((n / 32))x32 -k 6 --bridges $((n / 4)) ;;
    coPapersCiteseer)
        if [ -e "$graphs/actor-collaboration.txt.xz" ]; then read_edges "$graphs/actor-collaboration.txt.xz" --direction once; else make_edges "communities of 128, degree 72" --planted $((n / 128))x128 -k 72 --bridges $n; fi ;;
    wikipedia-20070206)
        if [ -e "$graphs/web-NotreDame.txt.gz" ]; then read_edges "$graphs/web-NotreDame.txt.gz" --direction once; else make_edges "RMAT $scale, 12 edge ends a vertex" -s "$scale" -e 6; fi ;;
    kron_g500-logn20) make_edges "RMAT $scale, 48 edges a vertex" -s "$scale" -e 48 ;;
    random.2Mv.128Me) make_edges "Poisson, 2^$scale vertices, degree 64" --poisson -n $n -k 64 ;;
    rmat.2Mv.128Me) make_edges "RMAT $scale, A .45, B .15, C .15" -s "$scale" -e 32 -A .45 -B .15 -C .15 ;;
    esac
}
