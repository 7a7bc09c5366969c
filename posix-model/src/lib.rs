//! POSIX threads, the kernel interface below libc, and libc fast paths.
