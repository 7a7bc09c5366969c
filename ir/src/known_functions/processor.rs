//! The processor that programs find: one with what every x86-64 one has. Native runs that symx is to
//! follow find the same.

/// The answer of `cpuid` for leaf 0, in `eax`, `ebx`, `edx`, `ecx`: the highest leaf, and a name that
/// promises nothing.
pub const IDENTITY: [u32; 4] =
    [1, u32::from_le_bytes(*b"Symx"), u32::from_le_bytes(*b"86-6"), u32::from_le_bytes(*b"Base")];

/// For leaf 1, likewise: family 15, and what every x86-64 processor has (fpu, tsc, msr, cx8, cmov,
/// mmx, fxsr, sse, sse2).
pub const FEATURES: [u32; 4] = [0xf00, 0, 0x0780_8131, 0];

/// The variables of the compiler's run-time library that `__builtin_cpu_supports` reads, and what is in them:
/// a vendor that is neither Intel nor AMD, and cmov, mmx, sse, sse2. `posix-model/musl/hooks/processor.c` has
/// them, too.
pub const VARIABLES: [(&str, [u32; 4]); 2] =
    [("__cpu_model", [3, 0, 0, 0b1_1011]), ("__cpu_features2", [0; 4])];
