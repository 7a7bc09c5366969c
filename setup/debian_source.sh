# Upstream source archives out of Debian's source packages.
#
# The machine's package sources stay as they are: apt reads a private list and keeps its state in .deps/apt. apt checks
# the archive's signature chain and hashes. Only the upstream archive is taken (--tar-only), not Debian's packaging.

# A suite has a list and a state of its own, so that the versions of one never depend on the others.
apt_private() {
    local suite=$1 apt="$deps/apt/$1"
    shift
    mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
    cat >"$apt/list.sources" <<SOURCES
Types: deb-src
URIs: http://deb.debian.org/debian
Suites: $suite
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
SOURCES
    apt-get -o Dir::Etc::sourcelist="$apt/list.sources" -o Dir::Etc::sourceparts=/dev/null \
        -o Dir::State::lists="$apt/lists" -o Dir::Cache="$apt/cache" "$@"
}

# debian_source NAME FOLDER [SUITE]: unpacks the upstream archive of Debian's source package NAME into FOLDER.
debian_source() {
    local name=$1 folder=$2 suite=${3:-bookworm}
    rm -rf "$folder" "$folder.archive"
    mkdir -p "$folder" "$folder.archive"
    apt_private "$suite" update &&
        (cd "$folder.archive" && apt_private "$suite" --tar-only source "$name") &&
        tar -xf "$folder.archive/$name"_*.orig.tar.* --strip-components=1 -C "$folder" || return
    rm -rf "$folder.archive"
}
