//! The shape of decoded code.

mod compile;

use compile::{compile, function, only_function, parse};
use symx_ir::function::{ArgumentClass, Passing};
use symx_ir::instruction::{
    AtomicOrdering, BinaryOp, Clause, Extended, FloatFormat, Piece, Predicate, RmwOp,
};
use symx_ir::{CallTarget, Constant, Definition, Inst, Linkage, Operand, listing};

#[test]
fn a_loop_is_three_instructions_and_moves() {
    let module =
        compile("int f(int n) { int s = 0; for (int i = 0; i < n; i++) s += i; return s; }", &["-O0"]);
    let f = function(&module, "f");
    assert_eq!(f.blocks.len(), 5);
    assert!(f.allocas.is_empty(), "{}", listing(f));
    let compares =
        |inst: &&Inst| matches!(inst, Inst::CompareBranch { predicate: Predicate::Slt, bits: 32, .. });
    assert_eq!(f.code.iter().filter(compares).count(), 1);
    assert!(!f.code.iter().any(|inst| matches!(inst, Inst::Compare { .. } | Inst::Extended { .. })));
    // The loop's header has two phis; both its incoming edges move both.
    let header =
        f.edges.iter().filter(|edge| edge.block == 1).map(|edge| edge.move_count).collect::<Vec<_>>();
    assert_eq!(header, [2, 2]);
    assert_eq!(f.params.len(), 1);
    assert_eq!((f.params[0].slot, f.return_slots, f.variadic), (0, 1, false));
}

#[test]
fn variables_of_one_size_and_several_types_become_registers() {
    // Clang loads an atomic pointer as an integer, and has both in one temporary.
    let source = "int *_Atomic p; float _Atomic x; int *f(int *q) { p = q; return p; } float g(float y) { x = y; return x; }";
    let module = compile(source, &["-O0"]);
    for name in ["f", "g"] {
        let f = function(&module, name);
        assert!(f.allocas.is_empty(), "{}", listing(f));
    }
    // A part of a variable is no such access.
    let part = "int f(long n) { return *(int *)&n; }";
    assert_eq!(function(&compile(part, &["-O0"]), "f").allocas, ["n"]);
}

#[test]
fn without_promotion_variables_stay_in_memory() {
    let bytes = compile::bitcode("int f(int n) { int sum = n; return sum; }", &["-O0"]);
    let options = symx_bitcode::LoadOptions { promote: false, in_program: false };
    let module = symx_bitcode::load(std::path::Path::new("x.bc"), &bytes, &options).unwrap();
    let f = &module.functions[0];
    assert_eq!(f.allocas, ["n", "sum"]);
    assert!(!f.in_program);
    assert_eq!(module.path, "x.bc");
    assert_eq!(module.hash, *blake3::hash(&bytes).as_bytes());
}

#[test]
fn spans_say_where_code_comes_from() {
    let source = "static inline __attribute__((always_inline)) int inner(int *p) {\n  return *p;\n}\nint outer(int *p) {\n  return inner(p) + 1;\n}\n";
    let module = compile(source, &["-O1"]);
    let f = function(&module, "outer");
    let load = f.code.iter().position(|inst| matches!(inst, Inst::Load { .. })).unwrap();
    let span = module.spans[f.spans[load].0 as usize];
    assert_eq!((span.line, span.column), (2, 10));
    assert_eq!(module.scopes[span.scope as usize], "inner");
    assert!(module.files[span.file as usize].ends_with("/test.c"));
    let outer = module.spans[span.inlined_at.0 as usize];
    assert_eq!((outer.line, module.scopes[outer.scope as usize].as_str()), (5, "outer"));
    assert_eq!(module.spans[f.span.0 as usize].line, 4);
}

#[test]
fn swapped_phis_go_through_a_spare_slot() {
    let f = only_function(
        "define i32 @f(i32 %a, i32 %b, i1 %c) {\nentry:\n br label %l\nl:\n %x = phi i32 [ %a, %entry ], [ %y, %l ]\n \
         %y = phi i32 [ %b, %entry ], [ %x, %l ]\n br i1 %c, label %l, label %e\ne:\n ret i32 %x\n}\n",
    );
    let back = f.edges[1];
    assert_eq!((back.block, back.move_count), (1, 3), "{}", listing(&f));
    assert_eq!(f.edges[2].move_count, 0);
    assert!(matches!(f.code[f.blocks[1].start as usize], Inst::Branch { edges: 1, .. }));
}

#[test]
fn wide_constants_are_exact() {
    let f = only_function(
        "define i128 @f(i128 %a) {\n %x = add i128 %a, -170141183460469231731687303715884105727\n \
         %y = xor i128 %x, 24197857200151252728969465429440056815\n ret i128 %y\n}\n",
    );
    let value = 24197857200151252728969465429440056815u128;
    let expected = [1, 1 << 63, value as u64, (value >> 64) as u64].map(Constant::Bits);
    assert_eq!(f.constants, expected);
    assert!(matches!(f.extended[0], Extended::WideBinary { op: BinaryOp::Add, bits: 128, .. }));
    assert_eq!((f.params[0].slots, f.return_slots), (2, 2));
}

#[test]
fn float_constants_are_exact() {
    let module = compile(
        "long double l = 3.14159265358979323846264338327950288L; float s = 0.1f; double d = -0.0;\n\
         _Float16 h = 1.5; __float128 q = 1; long double f(void) { return -2.5L; }",
        &["-O0"],
    );
    let bytes =
        |name: &str| &module.globals.iter().find(|global| global.name == name).unwrap().initializer.bytes;
    assert_eq!(bytes("l")[..], [0x35, 0xc2, 0x68, 0x21, 0xa2, 0xda, 0x0f, 0xc9, 0x00, 0x40]);
    assert_eq!(bytes("s")[..], 0.1f32.to_le_bytes());
    assert_eq!(bytes("d")[..], (-0.0f64).to_le_bytes());
    assert_eq!(bytes("h")[..], [0, 0x3e]);
    assert_eq!(bytes("q")[14..], [0xff, 0x3f]);
    let f = function(&module, "f");
    assert_eq!(f.constants, [Constant::Bits(0xa000_0000_0000_0000), Constant::Bits(0xc000)]);
    assert_eq!(f.return_slots, 2);
    assert_eq!(FloatFormat::Extended80.bits(), 80);
    let nan = parse("@x = global float 0x7FF0000020000000\n").unwrap();
    assert_eq!(nan.globals[0].initializer.bytes, 0x7f80_0001u32.to_le_bytes());
}

#[test]
fn memory_accesses_of_every_shape() {
    let f = only_function(
        "%s = type { i8, i64, x86_fp80 }\ndefine %s @f(ptr %p, ptr %q) {\n %a = load i24, ptr %p, align 1\n \
         store volatile i1 true, ptr %q, align 1\n %v = load <4 x i16>, ptr %p, align 8\n \
         %b = load <4 x i1>, ptr %p, align 1\n store <4 x i16> %v, ptr %q, align 8\n %r = load %s, ptr %p, align 16\n \
         ret %s %r\n}\n",
    );
    assert!(f.code.iter().any(|inst| matches!(inst, Inst::Load { bits: 24, align_log2: 0, .. })));
    assert!(f.code.iter().any(|inst| matches!(inst, Inst::Store { bits: 1, volatile: true, .. })));
    let pieces = |offsets: &[(u32, u8)]| -> Vec<Piece> {
        offsets.iter().map(|&(offset, bits)| Piece { offset, bits }).collect()
    };
    let lanes = pieces(&[(0, 16), (2, 16), (4, 16), (6, 16)]);
    let fields = pieces(&[(0, 8), (8, 64), (16, 64), (24, 16)]);
    let loads: Vec<_> = f
        .extended
        .iter()
        .filter_map(|extended| match extended {
            Extended::LoadPieces { pieces, size, .. } => Some((pieces.clone(), *size)),
            _ => None,
        })
        .collect();
    assert_eq!(loads, [(lanes.clone(), 8), (fields, 32)]);
    assert!(
        f.extended
            .iter()
            .any(|e| matches!(e, Extended::StorePieces { pieces, size: 8, .. } if *pieces == lanes))
    );
    // A packed vector is loaded whole and taken apart.
    let repacked =
        |e: &Extended| matches!(e, Extended::Repack { from, to, .. } if *from == [4] && *to == [1; 4]);
    assert!(f.extended.iter().any(repacked), "{}", listing(&f));
}

#[test]
fn atomics_keep_their_orderings() {
    let f = only_function(
        "define i32 @f(ptr %p) {\n %a = load atomic i32, ptr %p acquire, align 4\n \
         store atomic ptr %p, ptr %p release, align 8\n %b = atomicrmw umax ptr %p, i32 3 acq_rel\n \
         %c = cmpxchg weak ptr %p, i32 %a, i32 %b seq_cst monotonic\n %d = extractvalue { i32, i1 } %c, 0\n \
         fence syncscope(\"singlethread\") seq_cst\n fence release\n \
         %e = load atomic i32, ptr %p syncscope(\"singlethread\") acquire, align 4\n ret i32 %d\n}\n",
    );
    use AtomicOrdering::*;
    let kinds: Vec<(AtomicOrdering, u8)> =
        f.extended
            .iter()
            .map(|extended| match *extended {
                Extended::AtomicLoad { bits, ordering, .. }
                | Extended::AtomicStore { bits, ordering, .. } => (ordering, bits),
                Extended::AtomicRmw { op: RmwOp::UMax, bits, ordering, .. } => (ordering, bits),
                Extended::CompareExchange { bits, success, failure, .. } => {
                    assert_eq!(failure, Monotonic);
                    (success, bits)
                }
                Extended::Fence { ordering, single_thread } => (ordering, single_thread.into()),
                ref other => panic!("{other:?}"),
            })
            .collect();
    let expected = [
        (Acquire, 32),
        (Release, 64),
        (AcquireRelease, 32),
        (SequentiallyConsistent, 32),
        (SequentiallyConsistent, 1),
        (Release, 0),
        (Monotonic, 32),
    ];
    assert_eq!(kinds, expected);
    // The exchanged value is the first slot of the exchange's result: no copy.
    let Extended::CompareExchange { dst, .. } = f.extended[3] else { panic!() };
    assert_eq!(f.code.last(), Some(&Inst::Return { value: Operand::slot(dst) }));
}

#[test]
fn calls_say_how_arguments_travel() {
    let module = compile(
        "struct large { long a[5]; }; void take(struct large l, ...); void (*pointer)(int);\n\
         void f(struct large *l, __int128 w) { take(*l, 1, 2.0, 3.0L, w); pointer(4); }",
        &["-O1"],
    );
    let f = function(&module, "f");
    let [take, pointer] = &f.calls[..] else { panic!("{}", listing(f)) };
    assert_eq!(take.arguments[0].passing, Passing::Copy { size: 40, align_log2: 3 });
    let shapes: Vec<_> = take.arguments[1..].iter().map(|a| (a.slots, a.bits, a.class)).collect();
    use ArgumentClass::{Integer, Stack, Vector};
    assert_eq!(shapes, [(1, 32, Integer), (1, 64, Vector), (2, 80, Stack(16)), (2, 128, Integer)]);
    assert!(matches!(pointer.target, CallTarget::Pointer(_)));
    assert!(matches!(take.target, CallTarget::Symbol(id) if module.symbols[id.0 as usize].name == "take"));
}

#[test]
fn globals_symbols_and_constructors() {
    let module = compile(
        "int strong = 1; __attribute__((weak)) int weak_one = 2; static int own = 3; int common_one; extern int other;\n\
         __thread int per_thread = 4; const int fixed = 5; int *const to_field = &((int[]){6, 7})[1];\n\
         extern __attribute__((weak)) void maybe(void); extern int again __attribute__((alias(\"strong\")));\n\
         static const int relative = 0; void *table[] = { &own, maybe, &other };\n\
         __attribute__((constructor(200))) void first(void) {} __attribute__((destructor)) void last(void) {}",
        &["-O0", "-fcommon"],
    );
    let symbol = |name: &str| module.symbols.iter().find(|symbol| symbol.name == name).unwrap();
    assert_eq!(symbol("strong").linkage, Linkage::Strong);
    assert_eq!(symbol("weak_one").linkage, Linkage::Weak);
    assert_eq!(symbol("own").linkage, Linkage::Internal);
    assert_eq!(symbol("common_one").linkage, Linkage::Weak);
    assert_eq!((symbol("maybe").linkage, symbol("maybe").definition), (Linkage::Weak, Definition::None));
    assert_eq!((symbol("other").linkage, symbol("other").is_function), (Linkage::Strong, false));
    assert!(
        matches!(symbol("again").definition, Definition::Alias { offset: 0, target } if module.symbols[target.0 as usize].name == "strong")
    );
    let global = |name: &str| module.globals.iter().find(|global| global.name == name).unwrap();
    assert!(global("per_thread").thread_local && global("fixed").constant && !global("strong").constant);
    assert_eq!(global("common_one").initializer.bytes, [0u8; 0]);
    assert!(matches!(global("to_field").initializer.relocations[..], [(0, 8, Constant::Address(_, 4))]));
    let offsets: Vec<u64> = global("table").initializer.relocations.iter().map(|entry| entry.0).collect();
    assert_eq!(offsets, [0, 8, 16]);
    assert_eq!(module.constructors.iter().map(|entry| entry.0).collect::<Vec<_>>(), [200]);
    assert_eq!(module.symbols[module.destructors[0].1.0 as usize].name, "last");
    assert_eq!(module.destructors[0].0, 65535);
}

#[test]
fn relative_tables_are_differences() {
    let module = parse(
        "@a = internal constant i32 7\n@t = constant [2 x i32] [i32 trunc (i64 sub (i64 ptrtoint (ptr @a to i64), i64 \
         ptrtoint (ptr @t to i64)) to i32), i32 trunc (i64 sub (i64 ptrtoint (ptr @a to i64), i64 ptrtoint (ptr \
         getelementptr (i8, ptr @t, i64 4) to i64)) to i32)]\n",
    )
    .unwrap();
    let relocations = &module.globals[1].initializer.relocations;
    let named = |id: &symx_ir::SymbolId| module.symbols[id.0 as usize].name.as_str();
    let read: Vec<_> = relocations
        .iter()
        .map(|(at, width, constant)| match constant {
            Constant::Difference(left, right, offset) => (*at, *width, named(left), named(right), *offset),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(read, [(0, 4, "a", "t", 0), (4, 4, "a", "t", -4)]);
}

#[test]
fn what_cannot_be_translated_is_named() {
    let f = only_function(
        "define i32 @f(i1 %c, ptr %p) {\n br i1 %c, label %a, label %b\na:\n %x = call i32 @llvm.get.fpmode.i32()\n \
         ret i32 %x\nb:\n callbr void asm \"frob %l0\", \"!i\"() to label %a [label %b]\n}\ndeclare i32 \
         @llvm.get.fpmode.i32()\n",
    );
    let named: Vec<&str> = f
        .extended
        .iter()
        .map(|extended| match extended {
            Extended::Unsupported { what } => what.as_str(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(named, ["llvm.get.fpmode.i32", "asm goto `frob %l0` with constraints `!i`"]);
    // The edges are kept for path numbers, and nothing runs on past the end.
    assert_eq!(f.blocks[2].edge_count, 2);
    assert_eq!(f.code.last(), Some(&Inst::Unreachable));
}

#[test]
fn invoke_ends_its_block() {
    let f = only_function(
        "define void @f() personality ptr @p {\n invoke void @g() to label %ok unwind label %bad\nok:\n ret void\nbad:\n \
         %l = landingpad { ptr, i32 } cleanup\n resume { ptr, i32 } %l\n}\ndeclare void @g()\ndeclare i32 @p(...)\n",
    );
    assert_eq!(f.calls[0].invoke, Some((0, 1)));
    assert_eq!(f.blocks[1].start, 1);
    assert_eq!((f.edges[0].block, f.edges[1].block), (1, 2));
    assert!(matches!(f.extended[..], [Extended::LandingPad { cleanup: true, .. }]));
    assert_eq!((f.calls.len(), f.code.last()), (2, Some(&Inst::Unreachable)));
}

#[test]
fn landing_pads_keep_their_clauses() {
    let f = only_function(
        "@i = constant i8 0\n@j = constant i8 0\ndeclare void @g()\ndeclare i32 @p(...)\ndeclare i32 @llvm.eh.typeid.for.p0(ptr)\n\
         define i32 @f() personality ptr @p {\n invoke void @g() to label %ok unwind label %bad\nok:\n ret i32 0\nbad:\n \
         %l = landingpad { ptr, i32 } catch ptr @i filter [2 x ptr] [ptr @i, ptr @j] catch ptr null filter [0 x ptr] zeroinitializer\n \
         %t = call i32 @llvm.eh.typeid.for.p0(ptr @i)\n ret i32 %t\n}\n",
    );
    let [Extended::LandingPad { clauses, cleanup: false, .. }, Extended::TypeSelector { of, .. }] =
        &f.extended[..]
    else {
        panic!("{:?}", f.extended)
    };
    let [Clause::Catch(i), Clause::Filter(two), Clause::Catch(_), Clause::Filter(none)] = &clauses[..] else {
        panic!("{clauses:?}")
    };
    assert_eq!((i, two.len(), none.len()), (of, 2, 0));
}

#[test]
fn thread_locals_are_addressed_by_thread() {
    let f = only_function(
        "@t = thread_local global i32 0\ndefine void @f() {\n store i32 1, ptr @t\n ret void\n}\n",
    );
    assert!(matches!(f.extended[..], [Extended::ThreadLocalAddress { .. }]));
    assert!(matches!(f.code[1], Inst::Store { address, .. } if !address.is_constant()));
    let hidden = "@t = thread_local global i32 0\n@a = alias i32, ptr @t\ndefine { ptr, i32 } @f() {\n ret { ptr, i32 } { ptr @a, i32 1 }\n}\n";
    let f = only_function(hidden);
    assert!(matches!(&f.extended[..], [Extended::Unsupported { what }] if what.contains("thread-local")));
}

#[test]
fn copies_elsewhere_are_declarations() {
    let text = "define available_externally i32 @a() {\n ret i32 1\n}\ndefine i32 @b() {\n ret i32 2\n}\n";
    let module = parse(text).unwrap();
    assert_eq!(module.functions.len(), 1);
    assert_eq!((module.functions[0].name.as_str(), module.functions[0].module_index), ("b", 0));
    assert_eq!(module.symbols[0].definition, Definition::None);
}

#[test]
fn copies_that_are_to_be_inlined_are_their_modules_own() {
    let module = parse("define available_externally i32 @a() alwaysinline {\n ret i32 1\n}\n").unwrap();
    assert_eq!(module.symbols[0].definition, Definition::Function(0));
    assert_eq!(module.symbols[0].linkage, Linkage::Internal);
}

#[test]
fn listings_are_readable() {
    let f = only_function(
        "define i32 @max(i32 %a, i32 %b) {\n %c = icmp sgt i32 %a, %b\n br i1 %c, label %x, label %y\nx:\n br label %y\n\
         y:\n %r = phi i32 [ %b, %0 ], [ %a, %x ]\n %s = add nsw i32 %r, 7\n ret i32 %s\n}\n",
    );
    let expected = "max(%0, %1) -> 1 slots, frame of 5
  #0 = Bits(7)
block 0:
    CompareBranch { predicate: Sgt, bits: 32, a: %0, b: %1, edges: 0 }
  edge 0 to block 1
  edge 1 to block 2, %3 = %1
block 1:
    Jump { edge: 2 }
  edge 2 to block 2, %3 = %0
block 2:
    Binary { op: Add, bits: 32, flags: 2, dst: 4, a: %3, b: #0 }
    Return { value: %4 }
";
    assert_eq!(listing(&f), expected);
}

#[test]
fn assembly_with_a_known_meaning_is_translated() {
    let module = compile(
        "int f(int x) { unsigned short w; __asm__ volatile(\"\" : \"+r\"(x) : : \"memory\"); __asm__(\"fnstcw %0\" : \"=m\"(w));\n\
         __asm__ volatile(\"mfence\" : : : \"memory\"); __asm__ volatile(\"cpuid\" : : : \"eax\"); return x + w; }",
        &["-O1"],
    );
    let f = function(&module, "f");
    assert!(f.code.iter().any(|inst| matches!(inst, Inst::Store { bits: 16, .. })), "{}", listing(f));
    let fence = Extended::Fence { ordering: AtomicOrdering::SequentiallyConsistent, single_thread: false };
    assert!(f.extended.contains(&fence));
    let [call] = &f.calls[..] else { panic!("{}", listing(f)) };
    assert!(matches!(&call.target, CallTarget::Assembly(assembly) if assembly.text == "cpuid"));
}

#[test]
fn a_loop_of_assembly_that_tries_an_update_is_one() {
    let text = |operation: &str| {
        format!(
            "int f(int *at, int by) {{ int found = *at, changed;\n\
             __asm__ volatile(\"1: mov %3, %2\\n\\t{operation} %%eax, %2\\n\\tlock; cmpxchgl %2, %1\\n\\tjne 1b\"\n\
             : \"+a\"(found), \"+m\"(*at), \"=&r\"(changed) : \"ir\"(by) : \"memory\", \"cc\"); return found; }}"
        )
    };
    let module = compile(&text("orl"), &["-O1"]);
    let f = function(&module, "f");
    let is_update = |one: &Extended| matches!(one, Extended::AtomicRmw { op: RmwOp::Or, bits: 32, .. });
    assert!(f.calls.is_empty() && f.extended.iter().any(is_update), "{}", listing(f));
    // What is found less the operand would be another update.
    let module = compile(&text("subl"), &["-O1"]);
    assert_eq!(function(&module, "f").calls.len(), 1);
}

/// A native library has the code of most of its inline functions in place of their calls.
#[test]
fn inline_functions_are_each_modules_own() {
    let program = parse(
        "define linkonce_odr i32 @inline() {\n  ret i32 1\n}\ndefine weak i32 @weak() {\n  ret i32 1\n}\n\
         declare i32 @library()\n\
         define i32 @main() {\n  %a = call i32 @inline()\n  %b = call i32 @weak()\n  \
         %c = call i32 @library()\n  ret i32 %c\n}\n",
    )
    .unwrap();
    let library = parse(
        "define weak_odr i32 @inline() {\n  ret i32 1\n}\ndefine i32 @weak() {\n  ret i32 1\n}\n\
         define i32 @library() {\n  %a = call i32 @inline()\n  %b = call i32 @weak()\n  ret i32 %b\n}\n",
    )
    .unwrap();
    let program = symx_ir::link(vec![program, library], &["main"], &|_| symx_ir::Modelled::No).unwrap();
    let are_of_program = |name: &str| -> Vec<bool> {
        let function = program.function(program.function_named(name).unwrap());
        let target = |call: &symx_ir::CallSite| match call.target {
            CallTarget::Function(id) => program.function(id).in_program,
            _ => panic!("{name} calls something else"),
        };
        function.calls.iter().map(target).collect()
    };
    assert_eq!(are_of_program("main"), [true, true, false]);
    assert_eq!(are_of_program("library"), [false, true]);
}
