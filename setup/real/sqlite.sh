# The sqlite3 shell: the amalgamation that SQLite's own Makefile makes, and its shell. That needs Tcl.
real_build_sqlite() {
    command -v tclsh >/dev/null || install_packages tcl || return
    real_source sqlite3 && cd "$deps/real/source/sqlite3" || return
    [ -f sqlite3.c ] && [ -f shell.c ] || { ./configure --disable-readline && make sqlite3.c shell.c; } || return
    real_program "$1" "$2 -I. -DSQLITE_THREADSAFE=1 -DSQLITE_OMIT_LOAD_EXTENSION -DSQLITE_ENABLE_MATH_FUNCTIONS
        -DSQLITE_ENABLE_FTS5 -DSQLITE_ENABLE_RTREE -DHAVE_USLEEP=1" sqlite3.c shell.c
}
