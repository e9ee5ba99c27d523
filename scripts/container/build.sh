#!/bin/sh
# build.sh: builds and installs dbfs within a container from the sources around it, with packages of Debian or Ubuntu.
# Dockerfile and dbfs.def call it. The CUDA backend is built if the base image has nvcc.
set -eu
cd "$(dirname "$0")/../.."
export DEBIAN_FRONTEND=noninteractive
apt-get -q update
apt-get -q -y install --no-install-recommends make gcc g++ libc6-dev zlib1g-dev libarchive-dev libmpich-dev mpich python3-numpy
make -s -j"$(nproc)"
make -s install PREFIX=/usr/local
rm -rf build /var/lib/apt/lists/*
