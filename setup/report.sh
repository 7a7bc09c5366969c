# The pages of failures in a real browser: every bug of the corpus, found and explained, each page opened and stepped through.

# Where the pages and the pictures go.
report_pages="$deps/report"

setup_browser() {
    command -v chromium >/dev/null || step "install a browser" install_packages chromium python3-venv fonts-dejavu-core
    "$report_pages/python/bin/python" -c 'import PIL, playwright' 2>/dev/null || step "install playwright" sh -c \
        "python3 -m venv '$report_pages/python' && '$report_pages/python/bin/pip' install playwright==1.65.2 pillow==13.0.0"
}

# long_page: the page of an execution of a hundred thousand steps.
long_page() {
    local name=hundred_thousand_steps symx="$root/target/debug/symx-under-test" out
    out="$report_pages/pages/programs-$name"
    rm -rf "$out" && mkdir -p "$out" &&
        "$llvm/bin/clang" -g -O1 -pthread -emit-llvm -c "$root/bitcode-corpus/programs/$name.c" -o "$out/program.bc" || return
    # It fails, so it exits with 1.
    "$symx" run --quiet "$out/program.bc" --out "$out" || [ $? -eq 1 ] || return
    "$symx" explain --quiet "$out/program.bc" "$out/failure-1.schedule.json" --max-time 120 --html "$out/explained.html" || return
    echo "$out/explained.html"
}

# report: no network is needed by the pages, only to install what opens them.
report() {
    mkdir -p "$report_pages/pages"
    setup_browser
    cargo build -p symx-bitcode-corpus --bins
    "$root/target/debug/corpus-pages" "$root/target/debug/symx-under-test" "$report_pages/pages" \
        >"$report_pages/pages.txt" || fail "not every bug of the corpus has its pages; what is missing is above"
    long_page >>"$report_pages/pages.txt" || fail "there is no page of a hundred thousand steps"
    "$report_pages/python/bin/python" "$root/setup/report_check.py" "$(command -v chromium)" \
        "$report_pages/pictures" "$report_pages/pages.txt"
}

# report_book: takes the pictures of the book's ten failures again.
report_book() {
    setup_browser
    cargo build -p symx
    "$report_pages/python/bin/python" "$root/setup/book_pictures.py" "$root/target/debug/symx" "$(command -v chromium)"
}
