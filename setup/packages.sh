# Debian packages. Nothing is asked of the network unless one is missing.

packages=(
    clang-22 lld-22 llvm-22-dev llvm-22-tools # compiler, linker, libraries, opt and llvm-nm
    libzstd-dev zlib1g-dev # what LLVM's static libraries link to
    g++ pkg-config patchelf python3-pip       # to build and find the solver
    gcc-12-source                             # libstdc++, of the version whose headers clang++ finds
    graphviz                                  # schedules and traces as pictures
    nats-server                               # carries units of an exploration between machines
    dpkg-dev libbz2-dev bzip2 xz-utils        # Debian source packages, lbzip2's headers, bunzip2 to check it
)

missing_packages() {
    local installed
    installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "${packages[@]}" 2>/dev/null |
        awk '$2 == "installed" {print $1}')
    printf '%s\n' "${packages[@]}" | grep -vxF -e "$installed" || true
}

# The lists may be empty (a fresh image) or stale, so they are fetched before any install.
install_packages() {
    as_root apt-get update &&
        as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"
}

setup_packages() {
    local missing
    missing=$(missing_packages)
    [ -z "$missing" ] && return
    # shellcheck disable=SC2086 # one word a package
    step "install packages" install_packages $missing
}
