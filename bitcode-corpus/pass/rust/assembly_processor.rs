//! The standard library asks what the processor is, and keeps `rbx` in another register meanwhile. It
//! promises no more than every processor has.
//@ outcomes: Symx86-6Base1false
use std::arch::x86_64::__cpuid;

fn main() {
    let found = __cpuid(0);
    let name = [found.ebx, found.edx, found.ecx].map(u32::to_le_bytes).concat();
    let name = String::from_utf8(name).unwrap();
    println!("{name}{}{}", found.eax, std::arch::is_x86_feature_detected!("avx2"));
}
