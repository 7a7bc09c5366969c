//! Inline assembly in Intel's syntax, which is Rust's default, computes as in AT&T's: the destination comes
//! first, memory says its width.
//@ native
use std::arch::asm;

fn main() {
    let (mut word, mut number, mut byte) = (5_u64, 3_u64, 7_u8);
    unsafe {
        // Nothing happens, but the compiler no longer knows the number.
        asm!("/*{0}*/", inout(reg) number);
        asm!("");
        asm!("pause", "nop", "mfence // all", "lfence # loads", "sfence");
        asm!("lock or dword ptr [rsp - 8], 0");
        println!("{number}");

        asm!("lock not qword ptr [{0:r}]", in(reg) &mut word);
        println!("{word:x}");
        asm!("lock xadd qword ptr [{0}], {1}", in(reg) &mut word, inout(reg) number);
        println!("{word:x} {number:x}");
        asm!("lock add dword ptr [{0}], {1:e}", in(reg) &mut word, in(reg) 4);
        asm!("lock or byte ptr [{0}], 0x10", "lock dec word ptr [{0}]", in(reg) &mut word);
        println!("{word:x}");
        asm!("xchg byte ptr [{1}], {0}", inout(reg_byte) byte, in(reg) &mut word);
        println!("{word:x} {byte:x}");

        for wanted in [9_u32, word as u32] {
            let mut found = wanted;
            let done: u8;
            asm!("lock cmpxchg dword ptr [{1}], {2:e}", "sete {0}",
                out(reg_byte) done, in(reg) &mut word, in(reg) 8, inout("eax") found);
            println!("{word:x} {found:x} {done}");
        }

        let mut sum = 40_u64;
        asm!("add {0}, {1}", "sub {0}, {2}", "mov {3}, {0}",
            inout(reg) sum, const 7, in(reg) 5_u64, out(reg) number);
        println!("{sum} {number}");
        asm!("mov qword ptr [{0}], {1}", "mov {1}, qword ptr [{2}]",
            in(reg) &mut word, inout(reg) sum, in(reg) &number);
        println!("{word} {sum}");
        asm!("shl {0:e}, 3", "bswap {0:e}", inout(reg) sum);
        println!("{sum:x}");

        let pair = [7_u64, 8];
        asm!("mov r9, qword ptr [{0} + 8]", "sub r9, [{0}]", "add {1}, r9",
            in(reg) &pair, inout(reg) sum, out("r9") _);
        asm!("push rbx", "mov rbx, rdi", "add rsi, rbx", "pop rbx", in("rdi") 5_u64, inout("rsi") sum);
        println!("{sum:x}");
    }
}
