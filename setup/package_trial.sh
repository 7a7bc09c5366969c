#!/usr/bin/env bash
# From a bare Debian to the first explained bug, with the package and then with the tarball; minutes and megabytes. `./x package
# try` runs it inside.
set -euo pipefail
cd /root
mount -t proc proc /proc
mkdir -p /dev/pts && mount -t devpts devpts /dev/pts
export DEBIAN_FRONTEND=noninteractive
used() { du -sk /usr | cut -f1; }
took() { echo "$1: $(($(date +%s) - begin)) s, $((($(used) - before) / 1024)) MB more on the disk"; }

begin=$(date +%s) before=$(used)
apt-get update -qq
apt-get install -y -qq --no-install-recommends clang >/dev/null
took "clang installed"

begin=$(date +%s) before=$(used)
apt-get install -y -qq --no-install-recommends ./symx_*_amd64.deb >/dev/null
took "symx installed"

symx --version
begin=$(date +%s) before=$(used)
status=0
symx run lost_wakeup.cc || status=$?
[ $status = 1 ] || { echo "symx run ended with status $status" >&2; exit 1; }
took "first explained bug"

# The tarball, from a folder that no build has seen, by another user, with nothing of the package left.
apt-get remove -y -qq symx >/dev/null
useradd -m someone
install -o someone lost_wakeup.cc /home/someone/
su someone -c 'mkdir "/home/someone/a place" && tar -xzf - -C "/home/someone/a place"' < symx-*-linux-x86_64.tar.gz
begin=$(date +%s) before=$(used)
status=0
su someone -c 'cd && "/home/someone/a place"/symx-*/bin/symx run lost_wakeup.cc >told' || status=$?
[ $status = 1 ] && grep -q '^lost-wakeup: ' /home/someone/told || { echo "the tarball's symx ended with status $status" >&2; exit 1; }
took "the same with the tarball"
