//! Which functions are modelled, and how.

use symx_interp::environment::Environment;
use symx_ir::Modelled;
use symx_posix_model::Posix;

#[test]
fn fast_paths_fall_back_and_the_rest_stands_alone() {
    assert_eq!(Posix::models("memcpy"), Modelled::WithFallback);
    assert_eq!(Posix::models("pthread_mutex_lock"), Modelled::Instead);
    assert_eq!(Posix::models("printf"), Modelled::No, "printf is interpreted");
}
