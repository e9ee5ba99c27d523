"""setup.py: builds the programs of dbfs with make, and puts them into the wheel; pyproject.toml has the rest.

The variables of make are taken from the environment: CUDA=0, MPICC=mpicc.openmpi, BUILD=build and others. With a build
that is there, make has nothing to do. A wheel has programs for machines like this one, with this MPI.
"""
import configparser
import os
import shutil
import subprocess
import sys
import tempfile

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.dist import Distribution

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # before setuptools 70.1
    from wheel.bdist_wheel import bdist_wheel

HERE = os.path.dirname(os.path.abspath(__file__))
CLONE = os.path.dirname(os.path.dirname(HERE))
SETTINGS = ["BUILD", "PROGRAMS", "SCRIPTS", "MPICC", "MPIEXEC", "CUDA"]


def make(*words):
    """Runs make in the clone, and returns what it prints. Its messages name what is missing."""
    jobs = [] if "-j" in os.environ.get("MAKEFLAGS", "") else [f"-j{len(os.sched_getaffinity(0))}"]
    try:
        return subprocess.run(["make", "-s", "-C", CLONE, *jobs, *words], check=True, stdout=subprocess.PIPE, text=True).stdout
    except FileNotFoundError:
        sys.exit("dbfs: building the programs needs make")
    except subprocess.CalledProcessError as e:
        sys.exit(f"dbfs: the programs cannot be built: make ended with exit status {e.returncode}; its message is above")


def settings():
    """The variables of make, as it would build."""
    if not os.path.exists(os.path.join(CLONE, "formats", "base", "cli.h")):
        sys.exit("dbfs: the sources of the programs are not here: install from a clone, `pip install ./scripts/python`")
    printing = "printed:\n" + "\n".join(f"\t@echo '{name}=$({name})'" for name in SETTINGS)
    lines = make(f"--eval={printing}", "printed").splitlines()
    return dict(line.partition("=")[::2] for line in lines if "=" in line)


def library_of(program):
    """The file name of the MPI library that a program is linked with."""
    try:
        libraries = subprocess.run(["ldd", program], stdout=subprocess.PIPE, text=True, check=True).stdout.split()
        return next(word for word in libraries if word.startswith("libmpi"))
    except (OSError, subprocess.CalledProcessError, StopIteration):
        return "an MPI library"


class BuildWithPrograms(build_py):
    """Copies the modules, and the programs that make has built."""

    def run(self):
        super().run()
        make("all")
        package = os.path.join(self.build_lib, "dbfs")
        shutil.rmtree(os.path.join(package, "bin"), ignore_errors=True)
        os.makedirs(os.path.join(package, "bin"))
        for name in programs:
            shutil.copy2(os.path.join(CLONE, made["BUILD"], "bin", name), os.path.join(package, "bin", name))
        if shutil.which("strip"):  # of what debuggers read; scripts stay
            programs_alone = [os.path.join(package, "bin", name) for name in made["PROGRAMS"].split()]
            subprocess.run(["strip", "--strip-unneeded", *programs_alone], check=False)
        mpi = library_of(os.path.join(package, "bin", "dbfs-traverse"))
        with open(os.path.join(package, "_built.py"), "w", encoding="utf-8") as file:
            file.write('"""What the programs of this wheel were built with."""\n'
                       f"MPIEXEC = {made['MPIEXEC']!r}\nMPI = {mpi!r}\nCUDA = {made['CUDA'] == '1'}\n")
        print(f"dbfs: programs with {mpi} of {made['MPICC']}, {'with' if made['CUDA'] == '1' else 'without'} CUDA", file=sys.stderr)


class OfThisMachine(Distribution):
    """Has programs, and so a wheel's name says for which machine it is."""

    def has_ext_modules(self):
        return True


class Wheel(bdist_wheel):
    """For this machine, and any version of Python 3."""

    def get_tag(self):
        return ("py3", "none", super().get_tag()[2])


os.chdir(HERE)
made = settings()
programs = made["PROGRAMS"].split() + made["SCRIPTS"].split()
entry_points = configparser.ConfigParser()
entry_points.read(os.path.join(HERE, "entry_points.txt"))
commands = {group: [f"{name} = {what}" for name, what in entry_points[group].items()] for group in entry_points.sections()}
commands["console_scripts"] = [f"{name} = dbfs._programs:main" for name in programs if name != "dbfs-traverse-2d"]

aside = tempfile.mkdtemp(prefix="dbfs-build-")  # nothing is written into the clone
try:
    setup(
        cmdclass={"build_py": BuildWithPrograms, "bdist_wheel": Wheel},
        distclass=OfThisMachine,
        entry_points=commands,
        package_data={"dbfs": ["py.typed", "bin/*"]},
        options={"egg_info": {"egg_base": aside}, "build": {"build_base": os.path.join(aside, "build")}},
    )
finally:
    shutil.rmtree(aside, ignore_errors=True)
