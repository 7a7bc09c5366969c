//! Error numbers of Linux on x86-64.

macro_rules! numbers {
    ($($name:ident $number:literal)*) => { $(pub(crate) const $name: i32 = $number;)* };
}

numbers! {
    EPERM 1  ENOENT 2  ESRCH 3  EINTR 4  EBADF 9  EAGAIN 11  ENOMEM 12  EBUSY 16  EEXIST 17
    EXDEV 18  ENOTDIR 20  EISDIR 21  EINVAL 22  ENOTTY 25  ESPIPE 29  EPIPE 32  ERANGE 34  EDEADLK 35
    ENAMETOOLONG 36  ENOTEMPTY 39  ELOOP 40  EOVERFLOW 75  ENOTSUP 95  ETIMEDOUT 110
    EOWNERDEAD 130  ENOTRECOVERABLE 131
}
