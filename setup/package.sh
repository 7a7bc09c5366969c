# A relocatable tarball, a Debian package and a container file of the release build, in target/package. Nothing outside them is
# needed to run symx but the C and C++ runtime of the system; clang compiles programs.
#
# The executable lies beside Z3 and both libraries in bitcode, in lib/symx, and finds them there wherever the folder is: by
# $ORIGIN, and by its own path. bin/ has links to it.

package_version() {
    sed -n 's/^version = "\(.*\)"/\1/p' "$root/Cargo.toml" | head -n 1
}

# package_tree PREFIX: the files, as below /usr.
package_tree() {
    local prefix=$1 home="$1/lib/symx" built="$root/target/release" name shell
    mkdir -p "$prefix/bin" "$home"
    for name in symx symx-cc symx-cxx; do
        install -m 755 "$built/$name" "$home/$name" && strip "$home/$name" && ln -s "../lib/symx/$name" "$prefix/bin/$name" || return
    done
    ln -s ../lib/symx/symx-cxx "$prefix/bin/symx-c++"
    install -m 644 "$deps/z3/lib/libz3.so" "$deps/musl/libc.bc" "$deps/libstdcxx/libstdcxx.bc" "$home/" || return
    strip "$home/libz3.so" && patchelf --set-soname libz3.so "$home/libz3.so" || return
    # Setup gives Z3 its full path for a name; here it is found beside the executable.
    name=$(patchelf --print-needed "$home/symx" | grep 'libz3\.so$') || return
    # Two runs: patchelf 0.14 confuses the names where both are asked of one.
    patchelf --set-rpath "\$ORIGIN" "$home/symx" && patchelf --replace-needed "$name" libz3.so "$home/symx" || return
    ldd "$home/symx" | grep -qF "libz3.so => $(realpath "$home")/libz3.so" || return
    package_decoded "$home" && package_manual "$prefix" && package_notices "$prefix/share/doc/symx"
}

# The libraries are decoded once, here, and not by the first user, who may not write beside them.
package_decoded() {
    local home=$1 program
    for program in "$root/examples/flag.c" "$root/examples/lost_wakeup.cc"; do
        "$home/symx" run --quiet --no-explain --out "$work/decoded" "$program" || [ $? = 1 ] || return
    done
    chmod 644 "$home"/*.decoded
}

package_manual() {
    local share="$1/share" symx="$1/lib/symx/symx"
    "$symx" man "$share/man/man1" && gzip -9n "$share/man/man1"/*.1 || return
    mkdir -p "$share/bash-completion/completions" "$share/zsh/vendor-completions" "$share/fish/vendor_completions.d"
    "$symx" completions bash >"$share/bash-completion/completions/symx" &&
        "$symx" completions zsh >"$share/zsh/vendor-completions/_symx" &&
        "$symx" completions fish >"$share/fish/vendor_completions.d/symx.fish"
}

# Licences of symx, of each crate that is linked, and of the libraries.
package_notices() {
    local doc=$1 licences="$1/licences" version
    mkdir -p "$licences"
    (cd "$root" && cp -r README.md CHANGELOG.md THIRD-PARTY.md LICENSE-MIT LICENSE-APACHE examples "$doc/") || return
    cp "$deps/musl/source/COPYRIGHT" "$licences/musl" || return
    cp "/usr/share/doc/llvm-$llvm_major-dev/copyright" "$licences/llvm" || return
    version=$(ls -d /usr/share/doc/gcc-*-source | sort -V | tail -n 1) && cp "$version/copyright" "$licences/libstdc++" || return
    package_crates "$licences/crates" || return
    # What dpkg looks for.
    { echo "symx is under MIT or Apache-2.0; what it contains is in THIRD-PARTY.md and licences/."; echo; cat "$root/LICENSE-MIT"; } >"$doc/copyright"
}

# The licence files of the crates that `cargo tree` names, and where they are by `cargo metadata`.
package_crates() {
    local folder=$1
    mkdir -p "$folder"
    (cd "$root" && cargo tree --offline -p symx -e normal --prefix none -f '{p}') | awk '{print $1, substr($2, 2)}' | sort -u >"$work/crates" || return
    (cd "$root" && cargo metadata --offline --format-version 1 --filter-platform x86_64-unknown-linux-gnu) >"$work/metadata" || return
    python3 - "$work/crates" "$work/metadata" "$folder" <<'PY'
import json, pathlib, shutil, sys
linked = {tuple(line.split()[:2]) for line in open(sys.argv[1])}
for package in json.load(open(sys.argv[2]))["packages"]:
    if (package["name"], package["version"]) not in linked or package["source"] is None:
        continue
    source = pathlib.Path(package["manifest_path"]).parent
    names = ("LICEN", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE")
    for file in source.iterdir():
        if file.is_file() and file.name.upper().startswith(names):
            target = pathlib.Path(sys.argv[3]) / package["name"]
            target.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, target / file.name)
PY
}

# By gzip: a bare Debian has no xz.
package_tarball() {
    local name="symx-$1-linux-x86_64"
    mv "$work/tree" "$work/$name"
    tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$epoch" -c "$name" |
        gzip -9n >"$packages/$name.tar.gz" || return
    mv "$work/$name" "$work/tree"
}

package_deb() {
    local version=$1 stage="$work/deb" depends
    mkdir -p "$stage/DEBIAN" "$work/debian"
    cp -a "$work/tree" "$stage/usr"
    gzip -9n "$stage/usr/share/doc/symx/CHANGELOG.md"
    printf 'Source: symx\n\nPackage: symx\nArchitecture: amd64\n' >"$work/debian/control"
    depends=$(cd "$work" && dpkg-shlibdeps -O --ignore-missing-info -l"$stage/usr/lib/symx" -e"$stage/usr/lib/symx/symx" -e"$stage/usr/lib/symx/libz3.so") || return
    cat >"$stage/DEBIAN/control" <<CONTROL
Package: symx
Version: $version
Architecture: amd64
Maintainer: The symx authors <symx@localhost>
Depends: ${depends#shlibs:Depends=}
Recommends: clang
Suggests: gdb, graphviz
Section: devel
Priority: optional
Installed-Size: $(du -sk --apparent-size "$stage/usr" | cut -f1)
Description: finds out why multithreaded C, C++ and Rust programs fail
 symx explores the schedules and inputs of a program in LLVM bitcode, replays
 its failures and explains them: root cause, closest passing execution,
 suggested fixes that were tried.
CONTROL
    find "$stage" -exec touch -h -d "@$epoch" {} +
    SOURCE_DATE_EPOCH=$epoch dpkg-deb --root-owner-group -Zxz --build "$stage" "$packages/symx_${version}_amd64.deb"
}

package_build() {
    local version epoch packages="$root/target/package"
    version=$(package_version)
    epoch=$(git -C "$root" log -1 --format=%ct)
    work=$(mktemp -d) && rm -rf "$packages" && mkdir -p "$packages" || return
    # A step is a shell of its own, which ends when this does.
    trap 'rm -rf "$work"' EXIT
    install -m 644 "$root/ci/container/Dockerfile" "$packages/" || return
    package_tree "$work/tree" && package_tarball "$version" && package_deb "$version"
}

package() {
    step "build the package" package_build
    (cd "$root/target/package" && du -k --apparent-size -- * | awk '{printf "%s: %.1f MB\n", $2, $1 / 1024}')
}

# package_try [RELEASE]: the packages in a bare Debian of their own, 12 or another one: what is installed there is clang, nothing
# else. As root, with mmdebstrap.
package_try() {
    local release=${1:-bookworm} bare file
    bare=$(mktemp -d)
    sed "s/\<bookworm\>/$release/g" "${SYMX_APT_SOURCES:-/etc/apt/sources.list.d/debian.sources}" >"$bare/debian.sources"
    step "make a bare Debian ($release)" as_root mmdebstrap --variant=minbase "$release" "$bare/debian" "$bare/debian.sources"
    for file in "$root"/target/package/*.deb "$root"/target/package/*.tar.gz "$root/examples/lost_wakeup.cc" "$root/setup/package_trial.sh"; do
        as_root cp "$file" "$bare/debian/root/"
    done
    # A machine's own settings for apt, such as a proxy, hold there as well.
    as_root cp /etc/resolv.conf "$bare/debian/etc/" && as_root cp -r /etc/apt/apt.conf.d/. "$bare/debian/etc/apt/apt.conf.d/"
    as_root env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root unshare --mount --pid --fork chroot "$bare/debian" bash /root/package_trial.sh
    as_root rm -rf "$bare"
}
