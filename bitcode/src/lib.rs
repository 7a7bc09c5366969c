//! LLVM bitcode and textual IR decoded into symx-ir; the only reader of LLVM.
