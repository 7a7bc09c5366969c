# What every step shares. Sourced by ./x and by each setup/*.sh; sets `root`, `deps` and `llvm`.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
llvm=/usr/lib/llvm-22
llvm_major=22

# Everything setup fetches or builds. SYMX_DEPS lets several worktrees share one folder; Cargo and the tests always
# look in <root>/.deps, which is then a link to it.
if [ -n "${SYMX_DEPS:-}" ] && [ ! -e "$root/.deps" ]; then
    mkdir -p "$SYMX_DEPS"
    ln -sfn "$(cd "$SYMX_DEPS" && pwd -P)" "$root/.deps"
fi
mkdir -p "$root/.deps"
deps=$(cd "$root/.deps" && pwd -P)
mkdir -p "$deps/log"

fail() {
    echo "x: $*" >&2
    exit 1
}

# step NAME COMMAND...: runs the command, in a shell of its own so that it may change folders, with its output in a log;
# on failure one line names the step and the log.
step() {
    local name=$1 log="$deps/log/${1// /-}.log"
    shift
    echo "x: $name" >&2
    ("$@") >"$log" 2>&1 </dev/null || fail "step '$name' failed; see $log"
}

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        echo "neither root nor sudo: cannot run $*"
        return 1
    fi
}

# stamp_of FILE...: what a built thing was made from, so that it is rebuilt when its sources change and only then.
stamp_of() {
    cat -- "$@" | sha256sum | cut -d' ' -f1
}
