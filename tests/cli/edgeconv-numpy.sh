#!/bin/bash
# edgeconv-numpy.sh: NumPy's arrays and scipy's sparse matrices as edges; and the commands that the page and messages
# name for GraphML, Pajek, Parquet and Arrow.
set -u
. tests/lib.sh
export PATH=$(realpath "$BIN"):$PATH
cd "$tmp" || exit 1

# npy FILE TYPE FORTRAN SHAPE: writes the items of standard input as an array in NumPy's format
npy() {
    printf '\x93NUMPY\1\0v\0%-117s\n' "{'descr': '$2', 'fortran_order': $3, 'shape': ($4), }" >"$1"
    cat >>"$1"
}
reads() { # NAME WANT FILE
    check "$1" test "$(edgeconv -q -t text "$3" 2>err)" = "$2"
    check "$1, from a pipe, gives the same edges" test "$(cat "$3" | edgeconv -q -t text - 2>err)" = "$2"
}
refused() { # NAME PATTERN OPTION...
    check_exit 3 "$1 is refused" edgeconv -t text "${@:3}"
    check_says "$2"
}

# ---- without Python ----

want=$(printf '0\t513\n255\t2\n')
printf '\0\0\1\2\377\0\2\0' | npy little.npy '<u2' False '2, 2'
reads 'little-endian rows' "$want" little.npy
printf '\0\0\2\1\0\377\0\2' | npy big.npy '>u2' False '2, 2'
reads 'big-endian rows' "$want" big.npy
printf '\0\0\377\0\1\2\2\0' | npy columns.npy '<u2' True '2, 2'
reads 'columns' "$want" columns.npy
npy none.npy '<i8' False '0, 2' </dev/null
reads 'no edges' '' none.npy
check '--one-based takes 1 from the ids of an array' test "$(printf '\1\2' | npy one.npy '|i1' False '1, 2'; edgeconv -q --one-based -t u32 one.npy | od -An -tu4 | tr -s ' ')" = ' 0 1'
check '--one-based: text has the ids of the array' test "$(edgeconv -q --one-based -t text one.npy)" = "$(printf '1\t2')"
check '--compact numbers the ids of an array' test "$(edgeconv -q --compact=map -t text little.npy; cat map)" = \
    "$(printf '0\t1\n2\t3\n0\n513\n255\n2\n')"
check 'an array is directed without -u, and undirected with -u' test "$(edgeconv -v -o d.edges little.npy 2>&1 | grep -c ' directed')" = 2 \
    -a "$(edgeconv -v -u -o u.edges little.npy 2>&1 | grep -c 'vertices, undirected')" = 1
printf '\0\0\1\2\377\0\2' | npy cut.npy '<u2' False '2, 2'
refused 'an array that is cut' 'cut.npy: byte 135: found the end of the file, expected it at byte 136' cut.npy
check_exit 3 'an array that is cut, in a pipe' sh -c 'edgeconv -t text - <cut.npy'
printf '\1\376' | npy negative.npy '|i1' False '1, 2'
refused 'a negative id' 'negative.npy: row 0: found the id -2' negative.npy
refused 'a negative id, also where any are numbered' 'found the id -2' --compact=m negative.npy
for order in '<' '>'; do
    for width in 1 2 4 8; do
        ones() { head -c $((width * $1)) /dev/zero | tr '\0' '\377'; }
        (head -c "$width" /dev/zero && ones 1) | npy least.npy "${order}i$width" False '1, 2'
        refused "-1 of $width bytes, $order" 'least.npy: row 0: found the id -1, expected' least.npy
        (ones 1 && head -c "$width" /dev/zero) | npy most.npy "${order}u$width" True '1, 2'
        if [ $width = 8 ]; then
            refused "2^64 - 1, $order" 'most.npy: row 0: found the id 18446744073709551615, expected' most.npy
            check "2^64 - 1, $order, is numbered by --compact" test "$(edgeconv -q --force --compact=map -t text most.npy && cat map)" = \
                "$(printf '0\t1\n18446744073709551615\n0')"
        else
            reads "the largest id of $width bytes, $order" "$(((1 << 8 * width) - 1))"$'\t'0 most.npy
        fi
    done
done
printf '\0\0\0\0\0\0\0\0' | npy wraps.npy '<i4294967300' False '1, 2'
refused 'a width beyond 32 bits' 'wraps.npy: found no header' wraps.npy
cat little.npy little.npy >twice.npy
refused 'two arrays in a file' 'twice.npy: byte .*: found the end of the file, expected it at byte 136' twice.npy
for array in little columns; do
    check_exit 3 "two arrays in a pipe, $array" sh -c "cat $array.npy little.npy | edgeconv -t text -"
    check_says 'found more bytes behind the array than its header says'
done
printf '\0\0\0\0' | npy float.npy '<f4' False '0, 2'
refused 'a type that is no integer' "float.npy: holds items of type <f4, expected integers: save it as a.astype('int64')" float.npy
npy pickle.npy '|O' False '1, 2' </dev/null
refused 'a pickle' 'pickle.npy: holds Python objects (a pickle)' pickle.npy
npy wide.npy '<i4' False '2, 5' </dev/null
refused 'a wrong shape' 'wide.npy: has the shape (2, 5), expected (m, 2).*transpose' wide.npy
npy flat.npy '<i4' False '3,' </dev/null
refused 'one dimension' 'flat.npy: has the shape (3,)' flat.npy
npy huge.npy '<i8' False '4611686018427387904, 2' </dev/null
refused 'a shape beyond all memory' 'huge.npy: found no header' huge.npy
printf '\x93NUMPY\1\0\5\0{}\n  ' >bad.npy
refused 'a header that says nothing' 'bad.npy: found no header' bad.npy

# ---- matrices ----

if command -v bsdtar >/dev/null 2>&1; then
    archive() { bsdtar --format zip -cf "$@"; }
else
    # any archive can hold the arrays
    archive() { tar -cf "$@"; }
fi
printf '\1\0\2\1' | npy indices.npy '|u1' False '4,'
printf '\0\1\3\4' | npy indptr.npy '|u1' False '4,'
printf 'csr' | npy format.npy '|S3' False ''
printf '\3\3' | npy shape.npy '|u1' False '2,'
if [ "${ARCHIVE:-1}" = 0 ]; then
    skip 'matrices in archives: built without libarchive'
else
    csr='indices.npy indptr.npy format.npy shape.npy'
    archive csr.npz $csr
    reads 'a matrix in rows' "$(printf '0\t1\n1\t0\n1\t2\n2\t1')" csr.npz
    check '--direction symmetric folds a matrix with both directions' test "$(edgeconv -q --direction symmetric -t text csr.npz)" = "$(printf '0\t1\n1\t2')"
    printf 'csc' | npy format.npy '|S3' False ''
    archive csc.npz $csr
    reads 'and in columns' "$(printf '1\t0\n0\t1\n2\t1\n1\t2')" csc.npz
    printf 'dia' | npy format.npy '|S3' False ''
    archive dia.npz $csr
    refused 'another kind of matrix' "of the format 'dia', expected csr, csc or coo: save A.tocsr()" dia.npz
    printf 'csr' | npy format.npy '|S3' False ''
    archive few.npz indices.npy format.npy shape.npy
    refused 'a matrix with an array missing' "found no array 'indptr'" few.npz
    printf '\3\4' | npy shape.npy '|u1' False '2,'
    archive oblong.npz $csr
    refused 'a matrix that is not square' 'a graph is a square matrix' oblong.npz
    printf '\377\377' | npy shape.npy '|i1' False '2,'
    archive minus.npz $csr
    refused 'a matrix of negative size' "'shape' has -1 rows, expected 0 or more" minus.npz
    printf '\2\2' | npy shape.npy '|u1' False '2,'
    archive short.npz $csr
    refused 'other rows than the shape says' "'indptr' has 4 items, expected 3" short.npz
    printf '\3\3' | npy shape.npy '|u1' False '2,'
    printf '\0\3\1\4' | npy indptr.npy '|u1' False '4,'
    archive falls.npz $csr
    refused 'rows that fall' "'indptr' has 1 as item 2, expected one from 3 to 4" falls.npz
    printf '\0\377\3\4' | npy indptr.npy '|i1' False '4,'
    archive falls.npz $csr
    refused 'a negative row' "'indptr' has -1 as item 1, expected one from 0 to 4" falls.npz
    printf 'coo' | npy format.npy '|S3' False ''
    for end in row col; do
        printf '\1\2' | npy row.npy '|u1' False '2,' && cp row.npy col.npy
        printf '\1\377' | npy $end.npy '|i1' False '2,'
        archive coo.npz row.npy col.npy format.npy shape.npy
        refused "a negative $end" 'coo.npz(row.npy): row 1: found the id -1, expected a vertex id from 0 to 2' coo.npz
        check_says '[0-9]$'
    done
    printf 'csr' | npy format.npy '|S3' False ''
    (cat indices.npy && echo more) >longer.npy && mkdir -p longer && mv longer.npy longer/indices.npy
    cp indptr.npy format.npy shape.npy longer
    (cd longer && archive ../longer.npz $csr)
    refused 'bytes behind an array of a matrix' 'indices.npy): found more bytes behind the array' longer.npz
    archive edges.npz little.npy
    reads 'an array of edges in an archive' "$want" edges.npz
    printf '\7\10' | npy pos.npy '|u1' False '1, 2'
    archive two.npz little.npy pos.npy
    refused 'a second array' 'two.npz(pos.npy): found a second array, expected one .*--member=NAME chooses among little.npy, pos.npy' two.npz
    check_exit 3 'a second array, in a pipe' sh -c 'edgeconv -t text - <two.npz'
    for member in pos pos.npy 'p*'; do
        check "--member $member chooses an array" test "$(edgeconv -q -t text --member "$member" two.npz)" = "$(printf '7\t8')"
    done
    check "--member='*' reads both" test "$(edgeconv -q -t text --member='*' two.npz | wc -l)" = 3
    archive two.npz little.npy flat.npy
    refused 'an array of weights beside' 'two.npz(flat.npy): has the shape (3,).*chooses among' two.npz
    printf '\0\1\3\4' | npy indptr.npy '|u1' False '4,'
    archive labels.npz $csr pos.npy
    reads 'a matrix with further arrays' "$(printf '0\t1\n1\t0\n1\t2\n2\t1')" labels.npz
    archive labels.npz pos.npy $csr
    refused 'a matrix behind another array' 'labels.npz(indices.npy): found the format npz, expected npy as .*chooses among pos.npy, indices.npy' labels.npz
    check '--member leaves that out' test "$(edgeconv -q -t text --member='[!p]*' labels.npz | wc -l)" = 4
    archive dia.npz indices.npy
    refused 'an array with the name of a part of a matrix' "found no array 'format' beside it.*: -f npy if it holds the edges" dia.npz
fi

# ---- with the programs that write such files ----

by_python() { # MODULES NAME PROGRAM: runs it in Python; it prints each mistake
    if python3 -c "import $1" 2>/dev/null; then
        check "$2" python3 -c "$3"
    else
        skip "$2: no python3 with $1"
    fi
}
by_python numpy 'every type, byte order and order of NumPy' '
import numpy, subprocess
edges = numpy.random.default_rng(1).integers(0, 100, (70000, 2))
for type in "i1 i2 i4 i8 u1 u2 u4 u8".split():
    for byte_order in "<>":
        for order in "CF":
            numpy.save("x.npy", numpy.array(edges, byte_order + type, order=order))
            text = subprocess.run("edgeconv -q -t text x.npy", shell=True, check=True, stdout=-1).stdout
            got = numpy.array(text.split(), int).reshape(-1, 2)
            assert numpy.array_equal(got, edges), (type, byte_order, order)'
[ "${ARCHIVE:-1}" = 0 ] || by_python scipy.sparse 'every kind of matrix of scipy' '
import numpy, scipy.sparse, subprocess
matrix = scipy.sparse.random(300, 300, 0.05, random_state=1)
want = numpy.sort(matrix.row * 300 + matrix.col)
for format in "csr csc coo".split():
    for compressed in True, False:
        scipy.sparse.save_npz("x.npz", matrix.asformat(format), compressed)
        text = subprocess.run("edgeconv -q -t text x.npz", shell=True, check=True, stdout=-1).stdout
        got = numpy.array(text.split(), int).reshape(-1, 2)
        assert numpy.array_equal(numpy.sort(got[:, 0] * 300 + got[:, 1]), want), (format, compressed)'

# advised FILE: prints the command between the first backquotes of the message, with FILE filled in
advised() { edgeconv -o x.edges "$1" 2>&1 | sed -n "s/^[^\`]*\`\([^\`]*\)\`.*/\1/p" | sed "s/FILE/$1/; s/edgeconv -u/edgeconv -q -u -t text/; s/edgeconv -f/edgeconv -q -t text -f/"; }
if command -v python3 >/dev/null 2>&1; then
    cat >g.graphml <<'END'
<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph id="G" edgedefault="undirected">
<node id="n 0"/><node id="n1"/><node id="n2"/>
<edge source="n 0" target="n1"/><edge id="e1" source="n1" target="n2"><data key="w">2</data></edge>
</graph></graphml>
END
    check 'GraphML is read by the command of the message' test "$(bash -c "$(advised g.graphml)"; cat MAP)" = \
        "$(printf '0\t1\n1\t2\nn 0\nn1\nn2\n')"
else
    skip 'GraphML by the command of the message: no python3'
fi
printf '*Vertices 3\r\n1 "a b"\n2 "b"\n3 "c"\n*Arcs\n1 2 1.5\n*Edges\n2 3\n' >g.net
check 'Pajek is read by the command of the message' test "$(bash -c "$(advised g.net)")" = "$(printf '1\t2\n2\t3')"
if command -v duckdb >/dev/null 2>&1; then
    duckdb -c "copy (select * from (values (0, 1), (1, 2)) t(src, dst)) to 'g.parquet' (format parquet)"
    check 'Parquet is read by the command of the message' test "$(bash -c "$(advised g.parquet)")" = "$(printf '0\t1\n1\t2')"
else
    skip 'Parquet by the command of the message: no duckdb'
fi
by_python pyarrow.feather 'Arrow is written' '
import pyarrow, pyarrow.feather
pyarrow.feather.write_feather(pyarrow.table({"src": [0, 1], "dst": [1, 2]}), "g.arrow")'
if [ -s g.arrow ]; then
    check 'Arrow is read by the command of the message' test "$(bash -c "$(advised g.arrow)"; edgeconv -q -t text edges.npy)" = \
        "$(printf '0\t1\n1\t2')"
fi
finish
