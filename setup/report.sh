# The pages of failures in a real browser: programs of the corpus that fail, each page opened, stepped through, pictured.

# Where the pages and the pictures go.
report_pages="$deps/report"

# Failing programs that show different things; words after the name are options of `symx run`.
reported=(
    "fail/lost_update.c"
    "fail/check_then_act.c"
    "fail/deadlock_three_mutexes.c"
    "fail/deadlock_lost_wakeup_explained.c"
    "fail/livelock_each_waits_for_the_other.c"
    "fail/use_after_free_read.c"
    "fail/free_while_in_use.c"
    "fail/unordered_publication.c --memmodel pso"
    "explained/store_buffering.c --memmodel tso"
    "explained/message_passing.c --memmodel pso"
    "explained/bank.c"
    "explained/stringbuffer.c"
    "explained/opposite_locks.c"
)

setup_browser() {
    command -v chromium >/dev/null || step "install a browser" install_packages chromium python3-venv fonts-dejavu-core
    [ -x "$report_pages/python/bin/python" ] || step "install playwright" sh -c \
        "python3 -m venv '$report_pages/python' && '$report_pages/python/bin/pip' install playwright==1.65.2"
}

# report: no network is needed by the pages, only to install what opens them.
report() {
    mkdir -p "$report_pages"
    setup_browser
    cargo build --release -p symx
    local entry name pages=()
    for entry in "${reported[@]}"; do
        # shellcheck disable=SC2206 # words of an entry
        local words=($entry)
        name=$(basename "${words[0]}" .c)
        rm -rf "${report_pages:?}/$name"
        timeout 120 "$root/target/release/symx" run --quiet --out "$report_pages/$name" "${words[@]:1}" \
            "$root/bitcode-corpus/${words[0]}" || [ $? = 1 ] || fail "symx does not find the failure of $name"
        pages+=("$report_pages/$name/failure-1.html")
        # Beside the nearest execution that does not fail, where one is found.
        timeout 120 "$root/target/release/symx" explain --quiet --html "$report_pages/$name/explained.html" \
            "$root/bitcode-corpus/${words[0]}" "$report_pages/$name/failure-1.schedule.json" ||
            fail "symx does not explain the failure of $name"
        pages+=("$report_pages/$name/explained.html")
    done
    "$report_pages/python/bin/python" "$root/setup/report_check.py" "$(command -v chromium)" \
        "$report_pages/pictures" "${pages[@]}"
}
