#!/bin/bash
# generators.sh: graphs of rmatgen other than RMAT are those that awk makes.
set -u
. tests/lib.sh
rmatgen=$BIN/rmatgen

# sorted_edges: prints an edge a line, smaller id first, in order
sorted_edges() { awk '{ print ($1 < $2 ? $1 " " $2 : $2 " " $1) }' | sort -k1,1n -k2,2n; }

# ---- threads, pipes, ranges ----

while read -r graph; do
    "$rmatgen" $graph -@ 1 -o "$tmp/one.edges" --force
    for threads in 2 3; do
        "$rmatgen" $graph -@ $threads | cat >"$tmp/piped.edges"
        check "$graph: $threads threads give the same bytes, through a pipe" cmp "$tmp/one.edges" "$tmp/piped.edges"
    done
    "$rmatgen" $graph -f text -@ 2 >"$tmp/text"
    check "$graph: the stream has the edges of the text" \
        cmp <("$BIN/edgeconv" -q -t text "$tmp/one.edges" -o - | grep -v '^#') <(grep -v '^#' "$tmp/text")
    "$rmatgen" $graph -f text --seed 2 >"$tmp/seed"
    check "$graph: another seed gives another graph" bash -c '! cmp -s "$1" "$2"' - "$tmp/text" "$tmp/seed"
    case $graph in *geometric*) continue ;; esac
    edges=$(wc -l <"$tmp/text")
    { "$rmatgen" $graph -f text --count 40001 && "$rmatgen" $graph -f text --first 40001 --count $((edges - 40002)) &&
        "$rmatgen" $graph -f text --first $((edges - 1)); } >"$tmp/pieces"
    check "$graph: pieces are the graph" cmp "$tmp/text" "$tmp/pieces"
done <<'END'
--poisson -n 20000 -k 9.5
--planted 40x500 -k 8
--planted 40x500 -k 8 --bridges 3000
--lattice 300x200
--lattice 30x40x20 --stencil 27 --torus
--geometric -n 30000 -k 7
END

# ---- lattices, edge by edge ----

# lattice W H D REACH TORUS: prints pairs of points whose coordinates differ by at most 1, in at most REACH of them
lattice() {
    awk -v w="$1" -v h="$2" -v d="$3" -v reach="$4" -v torus="$5" '
        function wrap(at, side) { return torus ? (at + side) % side : at }
        BEGIN {
            for (z = 0; z < d; z++) for (y = 0; y < h; y++) for (x = 0; x < w; x++)
                for (c = -1; c <= 1; c++) for (b = -1; b <= 1; b++) for (a = -1; a <= 1; a++) {
                    if (a * a + b * b + c * c > reach || (d == 1 && c != 0)) continue
                    u = wrap(x + a, w); v = wrap(y + b, h); t = wrap(z + c, d)
                    if (u < 0 || v < 0 || t < 0 || u >= w || v >= h || t >= d) continue
                    from = x + w * (y + h * z); to = u + w * (v + h * t)
                    if (from < to) print from, to
                }
        }' | sort -k1,1n -k2,2n
}
while read -r w h d stencil reach torus; do
    size=${w}x$h
    [ "$d" = 1 ] || size=${size}x$d
    "$rmatgen" --lattice $size --stencil $stencil ${torus/1/--torus} --no-randomize -f text | sorted_edges >"$tmp/ours"
    lattice $w $h $d $reach "${torus:-0}" >"$tmp/theirs"
    check "--lattice $size --stencil $stencil ${torus:+torus} is the lattice of awk, edge by edge" cmp "$tmp/theirs" "$tmp/ours"
done <<'END'
7 5 1 5 1
7 5 1 9 2
1 9 1 5 1
5 1 1 9 2
3 4 1 5 1 1
5 3 1 9 2 1
4 5 6 7 1
4 5 6 27 3
2 2 2 27 3
3 4 5 7 1 1
3 3 3 27 3 1
END
"$rmatgen" --lattice 7x5 --no-randomize -f text >"$tmp/plain"
"$rmatgen" --lattice 7x5 --stencil 5 --no-randomize -f text >"$tmp/five"
check '--stencil 5 is the default in two dimensions' cmp "$tmp/plain" "$tmp/five"
check '7 is that in three' cmp <("$rmatgen" --lattice 3x4x5) <("$rmatgen" --lattice 3x4x5 --stencil 7)

# A permuted graph is the plain one with other ids, and the line of an edge gives the permutation.
for graph in '--lattice 40x30' '--planted 30x40 -k 6' '--geometric -n 3000 -k 5'; do
    "$rmatgen" $graph -f text >"$tmp/random"
    "$rmatgen" $graph --no-randomize -f text >"$tmp/plain"
    check "$graph: ids are permuted, and that is all" awk '
        NR == FNR { u[FNR] = $1; v[FNR] = $2; next }
        (u[FNR] in to && to[u[FNR]] != $1) || (v[FNR] in to && to[v[FNR]] != $2) { exit bad = 1 }
        { to[u[FNR]] = $1; to[v[FNR]] = $2; moved += u[FNR] != $1 }
        END { for (i in to) { if (to[i] in seen) bad = 1; seen[to[i]] = 1 } exit bad || moved < FNR / 2 }' \
        "$tmp/plain" "$tmp/random"
done

# ---- Poisson graphs: mean, variance and the law of the degrees ----

# degrees N: prints the degrees of all vertices of an edge list
degrees() { awk -v n="$1" '{ d[$1]++; d[$2]++ } END { for (i = 0; i < n; i++) print d[i] + 0 }'; }
for k in 1 10 50; do
    n=20000
    "$rmatgen" --poisson -n $n -k $k -f text >"$tmp/poisson"
    check "--poisson -k $k gives n k / 2 edges" test "$(wc -l <"$tmp/poisson")" = $((n * k / 2))
    check "--poisson -k $k gives no self-loops, and ids below n" awk -v n=$n '$1 == $2 || $1 >= n || $2 >= n { exit bad = 1 }
        END { exit bad }' "$tmp/poisson"
    check "--poisson -k $k: the degrees have variance k, and each share is Poisson's" bash -c \
        "$(declare -f degrees); degrees $n <'$tmp/poisson' | awk -v n=$n -v k=$k '
        { sum += \$1; squares += \$1 * \$1; count[\$1]++ }
        END {
            variance = squares / n - (sum / n) ^ 2
            expected = n * exp(-k)
            for (i = 0; i < 4 * k + 10; i++) {
                off = count[i] - expected
                if (off * off > 25 * (expected + 4)) bad = 1
                expected *= k / (i + 1)
            }
            exit bad || sum != n * k || variance < .93 * k || variance > 1.07 * k
        }'"
done
check '--poisson: the mean degree may be a fraction' \
    test "$("$rmatgen" --poisson -n 1000 -k 1.5 -f text | wc -l)" = 750
check '--poisson -k 0 has no edges' test "$("$rmatgen" --poisson -n 10 -k 0 -f text | wc -l)" = 0
check '--poisson: the stream states all vertices' \
    grep -q ' 100000 vertices' <("$BIN/edgeconv" -v --to text -o /dev/null <("$rmatgen" --poisson -n 100000 -k .1) 2>&1)

# ---- planted partitions ----

"$rmatgen" --planted 50x100 -k 6 --no-randomize -f text >"$tmp/planted"
check '--planted has communities of n k / 2 edges, then one bridge from each to the next' awk '
    NR <= 50 * 300 { bad += int($1 / 100) != int($2 / 100) || int($1 / 100) != int((NR - 1) / 300) || $1 == $2; next }
    { bad += int($1 / 100) != NR - 15001 || int($2 / 100) != NR - 15000 }
    END { exit bad > 0 || NR != 50 * 300 + 49 }' "$tmp/planted"
"$rmatgen" --planted 50x100 -k 6 --bridges 7000 --no-randomize -f text | tail -n 7000 >"$tmp/bridges"
check '--bridges N makes so many edges between communities, all of which have about as many' awk '
    { bad += int($1 / 100) == int($2 / 100); ends[int($1 / 100)]++; ends[int($2 / 100)]++ }
    END { for (i = 0; i < 50; i++) bad += ends[i] < 190 || ends[i] > 380; exit bad > 0 || NR != 7000 }' "$tmp/bridges"
"$rmatgen" --planted 50x100 -k 6 --bridges 0 | "$BIN/dbfs-pack" -q -p 1 -o "$tmp/apart" -
"$rmatgen" --planted 50x100 -k 20 | "$BIN/dbfs-pack" -q -p 1 -o "$tmp/chain" -
reached() { "$BIN/dbfs-traverse" -r 3 "$1" | sed -n 's/^root .* reached \([0-9]*\).*/\1/p' | head -1; }
check 'a graph without bridges: a search stays in its community' test "$(reached "$tmp/apart")" -le 100
check 'over the chain it reaches all' test "$(reached "$tmp/chain")" = 5000

# ---- random geometric graphs, by comparing all positions ----

# Positions are computed as in geometric.h from the random numbers of hash.h; the radius follows from the mean degree.
if command -v python3 >/dev/null 2>&1; then
    cat >"$tmp/geometric.py" <<'END'
import sys
from math import pi
n, k, seed, whole, mask = int(sys.argv[1]), float(sys.argv[2]), 1, 1 << 31, (1 << 64) - 1
def mix(x):
    for _ in range(2):
        x = (x ^ x >> 32) * 0xd6e8feb86659fd93 & mask
    return x ^ x >> 32
def draw(i):
    return mix(mix((seed + 0x9e3779b97f4a7c15) & mask) + i * 0x9e3779b97f4a7c15 & mask)
points = [(draw(i) >> 33, draw(i) >> 2 & whole - 1) for i in range(n)]
def mean(r):
    return (n - 1) * (pi * r ** 2 - 8 / 3 * r ** 3 + r ** 4 / 2)
low, high = 0.0, 1.0
for _ in range(100):
    low, high = ((low + high) / 2, high) if mean((low + high) / 2) < k else (low, (low + high) / 2)
limit = (high * whole) ** 2
cells = min(int(1 / high), int(n ** .5))
order = sorted(range(n), key=lambda i: (points[i][1] * cells // whole, points[i][0] * cells // whole, i))
placed = [points[i] for i in order]
for a in range(n):
    for b in range(a + 1, n):
        if (placed[a][0] - placed[b][0]) ** 2 + (placed[a][1] - placed[b][1]) ** 2 <= limit:
            print(a, b)
END
    while read -r n k; do
        python3 "$tmp/geometric.py" $n $k >"$tmp/theirs"
        "$rmatgen" --geometric -n $n -k $k --no-randomize -f text | sorted_edges >"$tmp/ours"
        check "--geometric -n $n -k $k is the graph of awk, edge by edge ($(wc -l <"$tmp/ours") edges)" cmp "$tmp/theirs" "$tmp/ours"
    done <<'END'
1 0
2 .5
50 40
1500 6
1500 60
END
else
    skip 'geometric graphs by brute force: no python3'
fi
check '--geometric: the mean degree is about K' awk '{ n++ } END { exit n < 97000 || n > 103000 }' \
    <("$rmatgen" --geometric -n 20000 -k 10 -f text)
check_exit 5 'points beyond the memory of -S' "$rmatgen" -S 1M --geometric -n 1000000 -k 4
check_says 'points'

# ---- provenance ----

while read -r lines graph; do
    "$rmatgen" $graph | head -c 4000 | tr '\n ' '|~' >"$tmp/told"
    check "the stream tells of $graph" grep -aqF "$lines" "$tmp/told"
done <<'END'
generator~poisson|vertices~50|degree~2.5|seed~1|randomized~yes --poisson -n 50 -k 2.5
generator~lattice|sides~4~5~1|stencil~9|torus~no|seed~1|randomized~no --lattice 4x5 --stencil 9 --no-randomize
generator~planted|communities~4|size~5|degree~1|bridges~chain|seed~9 --planted 4x5 -k 1 --seed 9
generator~planted|communities~4|size~5|degree~1|bridges~3|seed~1 --planted 4x5 -k 1 --bridges 3
generator~geometric|vertices~50|degree~3|seed~1 --geometric -n 50 -k 3
END

# ---- refusals ----

refused() { # REASON ARGUMENTS
    local reason=$1
    shift
    check_exit 2 "'rmatgen $*' is a usage error" "$rmatgen" "$@"
    check_says "$reason"
}
refused '-n is missing, which --poisson needs' --poisson -k 3
refused '-k is missing, which --geometric needs' --geometric -n 30
refused '-k is missing, which --planted needs' --planted 3x30
refused '--poisson has random ids anyway: leave out --no-randomize' --poisson -n 9 -k 1 --no-randomize
refused '--poisson does not take this option: leave out -s' --poisson -n 9 -k 1 -s 4
refused 'RMAT does not take this option: leave out -k' -s 4 -k 3
refused 'RMAT does not take this option: leave out --torus' -s 4 --torus
refused '--geometric does not know the numbers of its edges: leave out --count' --geometric -n 9 -k 1 --count 2
refused '--poisson and --lattice are two kinds' --poisson --lattice 4x5
refused '-k 9: --poisson of 9 vertices has a mean degree of 8 at most' --poisson -n 9 -k 9
refused '-k 9: --geometric of 9 vertices has a mean degree of 7' --geometric -n 9 -k 9
refused '-k 9: a community of 9 vertices' --planted 4x9 -k 9
refused '--geometric has 2^31 points at most' --geometric -n 2147483649 -k 9
refused 'there is one community' --planted 1x9 -k 2 --bridges 3
refused '--bridges.*x' --planted 2x9 -k 2 --bridges x
refused "'4' is not WxH or WxHxD" --lattice 4
refused "'4x5x6x7' is not WxH or WxHxD" --lattice 4x5x6x7
refused "'4x0' is not WxH or WxHxD" --lattice 4x0
refused "'9' is not CxS" --planted 9 -k 1
refused "more than 2^48 vertices" --lattice 99999999x99999999
refused '--stencil 7: in two dimensions it has 5 or 9 points' --lattice 4x5 --stencil 7
refused '--stencil 9: in three dimensions it has 7 or 27 points' --lattice 4x5x6 --stencil 9
refused '--torus: a side of 2 is too short: at least 3' --lattice 4x2 --torus
refused '--first 32: the graph has 31 edges' --lattice 4x5 --first 32
refused 'more than 2^60 edges' --planted 999x99999999 -k 99999997
refused 'u32: ids reach 4294967296, which its records cannot hold' --poisson -n 4294967297 -k 1 -f u32
finish
