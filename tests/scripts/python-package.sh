#!/bin/bash
# python-package.sh: `pip install ./scripts/python` puts package and programs into a new environment, without network.
set -u
. tests/lib.sh
python=$(command -v python3)
for module in venv ensurepip setuptools wheel numpy; do
    if ! "$python" -c "import $module" 2>/dev/null; then
        skip "pip install: no python3 with $module"
        finish
    fi
done
export BUILD=${BUILD:-build} CUDA=${CUDA:-0} ARCHIVE=${ARCHIVE:-1} PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONDONTWRITEBYTECODE=1
export MPIEXEC=${REAL_MPIEXEC:-$MPIEXEC} # not the one of the tests
"$python" -c 'import sys, venv; venv.create(sys.argv[1], with_pip=False)' "$tmp/env" || exit 1
site=$("$tmp/env/bin/python" -c 'import site; print(site.getsitepackages()[0])')
# setuptools, numpy and others are those of the python3 that is there
"$python" -c 'import numpy, os, setuptools; [print(os.path.dirname(os.path.dirname(m.__file__))) for m in (setuptools, numpy)]' | sort -u \
    >"$site/others.pth"
git status --porcelain >"$tmp/before" 2>/dev/null
check 'pip install takes the programs of a build that is there' "$tmp/env/bin/python" -m pip install -v --no-index --no-build-isolation \
    --no-deps ./scripts/python
cp "$tmp/check.out" "$tmp/said"
check 'pip install says which MPI the programs have' grep -qE 'dbfs: programs with libmpi.* of .*mpicc' "$tmp/said"
check 'pip install leaves nothing in the clone' sh -c 'git status --porcelain 2>/dev/null | cmp - "$1"' - "$tmp/before"
check 'a wheel is for this machine, and any Python 3' grep -qx "Tag: py3-none-linux_$(uname -m)" "$site"/dbfs-*.dist-info/WHEEL
check 'NetworkX finds the backend' grep -qx 'dbfs = dbfs.networkx_backend:backend' "$site"/dbfs-*.dist-info/entry_points.txt
cd "$tmp" || exit 1
alone=(env -i PATH=/usr/bin:/bin "HOME=$tmp" "TMPDIR=$tmp")
check 'the package searches with the programs in it, or in the folder DBFS_BIN' "${alone[@]}" env/bin/python -c '
import dbfs, importlib.metadata, os
dbfs.pack([[0, 1], [1, 2]], "g.dbfs", shards=2)
for ranks in 1, 2:
    with dbfs.open("g.dbfs", ranks=ranks, options=["-@", "1"]) as g:
        assert g.search(0).distances.tolist() == [0, 1, 2]
assert dbfs._programs.program("dbfs-pack").startswith(os.path.dirname(dbfs.__file__))
assert importlib.metadata.version("dbfs") == dbfs.__version__
os.environ["DBFS_BIN"] = "/nowhere" # goes before the programs of the package
try:
    dbfs.pack([[0, 1]], "x.dbfs")
except dbfs.Error as e:
    assert "/nowhere/dbfs-pack" in str(e), e
else:
    assert False'
version=$(sed -n 's/^#define DBFS_VERSION "\(.*\)"/\1/p' "$OLDPWD/formats/base/cli.h")
commands=$(cd env/bin && ls dbfs* degsplit edgeconv rmatgen | tr '\n' ' ')
built=$(cd "$OLDPWD/$BIN" && ls | grep -v dbfs-traverse-2d | tr '\n' ' ')
check "the programs are commands of the environment ($commands)" test "$commands" = "$built"
check 'a command of the environment runs' test "$("${alone[@]}" env/bin/dbfs --version)" = "dbfs (dbfs) $version"
printf '0 1\n1 2\n' >line.txt
check 'the command dbfs finds the programs in the package' test "$("${alone[@]}" env/bin/dbfs --cache . -q -r 0 -o - line.txt | wc -l)" = 3
cd "$OLDPWD" || exit 1
cp -r scripts/python "$tmp/alone"
check_exit 1 'a build of the package without the sources of the programs' "$python" "$tmp/alone/setup.py" --version
check_says 'the sources of the programs are not here: install from a clone'
check_exit 1 'a build of the package without an MPI' env MPICC=/nowhere/mpicc BUILD="$tmp/build" "$python" scripts/python/setup.py build_py
check_says 'MPICC=/nowhere/mpicc: does not compile'
finish
