# The pages of failures in a real browser: every bug of the corpus, found and explained, each page opened and stepped through.

# Where the pages and the pictures go.
report_pages="$deps/report"

setup_browser() {
    command -v chromium >/dev/null || step "install a browser" install_packages chromium python3-venv fonts-dejavu-core
    [ -x "$report_pages/python/bin/python" ] || step "install playwright" sh -c \
        "python3 -m venv '$report_pages/python' && '$report_pages/python/bin/pip' install playwright==1.65.2"
}

# report: no network is needed by the pages, only to install what opens them.
report() {
    mkdir -p "$report_pages/pages"
    setup_browser
    cargo build -p symx-bitcode-corpus --bins
    "$root/target/debug/corpus-pages" "$root/target/debug/symx-under-test" "$report_pages/pages" \
        >"$report_pages/pages.txt" || fail "not every bug of the corpus has its pages; what is missing is above"
    "$report_pages/python/bin/python" "$root/setup/report_check.py" "$(command -v chromium)" \
        "$report_pages/pictures" "$report_pages/pages.txt"
}
