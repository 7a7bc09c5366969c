//! Programs in textual IR that C cannot say: constants, widths and intrinsics at their limits.

use std::process::{Command, Stdio};

const ASSERT: &str = "
declare void @klee_make_symbolic(ptr, i64, ptr)
declare void @abort()
@name = private constant [2 x i8] c\"x\\00\"
define void @check(i1 %holds) {
  br i1 %holds, label %yes, label %no
yes:
  ret void
no:
  call void @abort()
  unreachable
}
define i64 @unknown() {
  %place = alloca i64, align 8
  call void @klee_make_symbolic(ptr %place, i64 8, ptr @name)
  %value = load i64, ptr %place, align 8
  ret i64 %value
}
";

/// The exit code of `symx run`, and what it says.
fn run(text: &str) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.ll");
    std::fs::write(&path, format!("{ASSERT}{text}")).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_symx"))
        .args(["run", "--max-time", "60"])
        .arg(&path)
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&said).into_owned())
}

#[track_caller]
fn holds(text: &str) -> String {
    let (code, said) = run(text);
    assert_eq!(code, Some(0), "{said}");
    said
}

#[test]
fn saturating_shifts_of_unknown_numbers_are_terms() {
    let said = holds(
        "
declare i8 @llvm.sshl.sat.i8(i8, i8)
declare i8 @llvm.ushl.sat.i8(i8, i8)
declare <2 x i8> @llvm.ushl.sat.v2i8(<2 x i8>, <2 x i8>)
declare i100 @llvm.sshl.sat.i100(i100, i100)
define i32 @main() {
  %all = call i64 @unknown()
  %x = trunc i64 %all to i8
  %high = lshr i64 %all, 8
  %more = trunc i64 %high to i8
  %y = and i8 %more, 7
  %s = call i8 @llvm.sshl.sat.i8(i8 %x, i8 %y)
  %u = call i8 @llvm.ushl.sat.i8(i8 %x, i8 %y)
  %distance = zext i8 %y to i32
  %sx = sext i8 %x to i32
  %swide = shl i32 %sx, %distance
  %sbig = icmp sgt i32 %swide, 127
  %sless = select i1 %sbig, i32 127, i32 %swide
  %ssmall = icmp slt i32 %sless, -128
  %sright = select i1 %ssmall, i32 -128, i32 %sless
  %sgiven = sext i8 %s to i32
  %sholds = icmp eq i32 %sgiven, %sright
  call void @check(i1 %sholds)
  %ux = zext i8 %x to i32
  %uwide = shl i32 %ux, %distance
  %ubig = icmp ugt i32 %uwide, 255
  %uright = select i1 %ubig, i32 255, i32 %uwide
  %ugiven = zext i8 %u to i32
  %uholds = icmp eq i32 %ugiven, %uright
  call void @check(i1 %uholds)
  %vx = insertelement <2 x i8> zeroinitializer, i8 %x, i64 1
  %vy = insertelement <2 x i8> zeroinitializer, i8 %y, i64 1
  %v = call <2 x i8> @llvm.ushl.sat.v2i8(<2 x i8> %vx, <2 x i8> %vy)
  %ve = extractelement <2 x i8> %v, i64 1
  %vholds = icmp eq i8 %ve, %u
  call void @check(i1 %vholds)
  %wx = sext i8 %x to i100
  %w = call i100 @llvm.sshl.sat.i100(i100 %wx, i100 96)
  %negative = icmp slt i8 %x, 0
  %minus = icmp slt i100 %w, 0
  %wholds = icmp eq i1 %negative, %minus
  call void @check(i1 %wholds)
  ret i32 0
}",
    );
    assert!(said.contains("\n1 execution ") && said.contains(" 0 forks"), "{said}");
}

#[test]
fn elements_by_an_unknown_index_are_a_choice() {
    let said = holds(
        "
define i32 @main() {
  %all = call i64 @unknown()
  %index = and i64 %all, 3
  %twice = shl i64 %index, 1
  %e = extractelement <4 x i64> <i64 0, i64 2, i64 4, i64 6>, i64 %index
  %holds = icmp eq i64 %e, %twice
  call void @check(i1 %holds)
  %v = insertelement <4 x i64> zeroinitializer, i64 9, i64 %index
  %again = extractelement <4 x i64> %v, i64 %index
  %nine = icmp eq i64 %again, 9
  call void @check(i1 %nine)
  ret i32 0
}",
    );
    assert!(said.contains("\n1 execution ") && said.contains(" 0 forks"), "{said}");
}

#[test]
fn sizes_and_constants_are_known_as_the_compiler_knows_them() {
    holds(
        "
@table = global [12 x i32] zeroinitializer
@absent = external global [3 x i32]
@weak = weak global [3 x i32] zeroinitializer
declare i64 @llvm.objectsize.i64.p0(ptr, i1, i1, i1)
declare i32 @llvm.objectsize.i32.p0(ptr, i1, i1, i1)
declare i1 @llvm.is.constant.i64(i64)
declare i1 @llvm.is.constant.p0(ptr)
declare i1 @llvm.is.constant.f64(double)
define void @is(i64 %given, i64 %wanted) {
  %holds = icmp eq i64 %given, %wanted
  call void @check(i1 %holds)
  ret void
}
define i32 @main() {
  %a = alloca [10 x i8], align 1
  %b = alloca i32, i64 5, align 4
  %inner = getelementptr i8, ptr %a, i64 4
  %before = getelementptr i8, ptr %a, i64 -1
  %beyond = getelementptr i8, ptr %a, i64 11
  %1 = call i64 @llvm.objectsize.i64.p0(ptr %a, i1 false, i1 true, i1 false)
  call void @is(i64 %1, i64 10)
  %2 = call i64 @llvm.objectsize.i64.p0(ptr %inner, i1 true, i1 true, i1 false)
  call void @is(i64 %2, i64 6)
  %3 = call i64 @llvm.objectsize.i64.p0(ptr %b, i1 false, i1 true, i1 false)
  call void @is(i64 %3, i64 20)
  %4 = call i64 @llvm.objectsize.i64.p0(ptr %before, i1 false, i1 true, i1 false)
  call void @is(i64 %4, i64 0)
  %5 = call i64 @llvm.objectsize.i64.p0(ptr %beyond, i1 false, i1 true, i1 false)
  call void @is(i64 %5, i64 0)
  %6 = call i64 @llvm.objectsize.i64.p0(ptr getelementptr (i8, ptr @table, i64 8), i1 false, i1 true, i1 false)
  call void @is(i64 %6, i64 40)
  %7 = call i64 @llvm.objectsize.i64.p0(ptr null, i1 false, i1 true, i1 false)
  call void @is(i64 %7, i64 -1)
  %8 = call i64 @llvm.objectsize.i64.p0(ptr null, i1 false, i1 false, i1 false)
  call void @is(i64 %8, i64 0)
  %9 = call i64 @llvm.objectsize.i64.p0(ptr @weak, i1 false, i1 true, i1 false)
  call void @is(i64 %9, i64 -1)
  %10 = call i64 @llvm.objectsize.i64.p0(ptr @weak, i1 true, i1 true, i1 false)
  call void @is(i64 %10, i64 12)
  %11 = call i32 @llvm.objectsize.i32.p0(ptr %a, i1 false, i1 true, i1 false)
  %12 = zext i32 %11 to i64
  call void @is(i64 %12, i64 10)
  %c1 = call i1 @llvm.is.constant.i64(i64 7)
  call void @check(i1 %c1)
  %c2 = call i1 @llvm.is.constant.p0(ptr null)
  call void @check(i1 %c2)
  %c3 = call i1 @llvm.is.constant.f64(double 1.5)
  call void @check(i1 %c3)
  %n1 = call i1 @llvm.is.constant.p0(ptr @table)
  %y1 = xor i1 %n1, true
  call void @check(i1 %y1)
  %n2 = call i1 @llvm.is.constant.i64(i64 %1)
  %y2 = xor i1 %n2, true
  call void @check(i1 %y2)
  ret i32 0
}",
    );
}

#[test]
fn an_index_may_be_an_address() {
    holds(
        "
@a = global [4 x i32] [i32 1, i32 2, i32 3, i32 4]
@far = global ptr getelementptr (i8, ptr null, i64 ptrtoint (ptr @a to i64))
define i32 @main() {
  %third = getelementptr i8, ptr getelementptr (i8, ptr null, i64 ptrtoint (ptr @a to i64)), i64 8
  %value = load i32, ptr %third, align 4
  %holds = icmp eq i32 %value, 3
  call void @check(i1 %holds)
  %address = load ptr, ptr @far, align 8
  %same = icmp eq ptr %address, @a
  call void @check(i1 %same)
  ret i32 0
}",
    );
}

#[test]
fn integers_that_are_too_wide_are_refused_by_name() {
    let body = |bits: u32, what: &str| {
        format!(
            "define i32 @main() {{\n  %x = call i64 @unknown()\n  %w = zext i64 %x to i{bits}\n{what}\n  ret i32 0\n}}"
        )
    };
    let sum = |bits: u32| format!("  %s = add i{bits} %w, %w\n  %n = trunc i{bits} %s to i64\n");
    let wide = [65_537, 100_000, 8_388_608].map(|bits| (body(bits, &sum(bits)), bits));
    let multiply = "  %s = call {i40000, i1} @llvm.umul.with.overflow.i40000(i40000 %w, i40000 %w)\n";
    let declared = "declare {i40000, i1} @llvm.umul.with.overflow.i40000(i40000, i40000)\n";
    let doubled = (format!("{declared}{}", body(40_000, multiply)), 80_000);
    for (text, bits) in wide.into_iter().chain([doubled]) {
        let (code, said) = run(&text);
        assert_eq!(code, Some(3), "{said}");
        assert!(said.contains("unsupported (") && said.contains(&bits.to_string()), "{said}");
    }
    let digits = "7".repeat(30_000);
    let (code, said) =
        run(&format!("define i32 @main() {{\n  %s = add i100000 {digits}, 1\n  ret i32 0\n}}"));
    assert_eq!(code, Some(3), "{said}");
    let (code, said) = run(&format!("@g = global i100000 {digits}\ndefine i32 @main() {{\n  ret i32 0\n}}"));
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("100000") && said.lines().count() == 1, "{said}");
    holds(&body(65_536, &sum(65_536)));
}

#[test]
fn more_bits_than_terms_have_are_reinterpreted_in_parts() {
    holds(
        "
define i32 @main() {
  %x = call i64 @unknown()
  %v = insertelement <2048 x i64> zeroinitializer, i64 %x, i64 2047
  %w = bitcast <2048 x i64> %v to <4096 x i32>
  %high = extractelement <4096 x i32> %w, i64 4095
  %shifted = lshr i64 %x, 32
  %wanted = trunc i64 %shifted to i32
  %holds = icmp eq i32 %high, %wanted
  call void @check(i1 %holds)
  ret i32 0
}",
    );
}

#[test]
fn an_undefined_value_where_one_was_promised_is_no_zero() {
    let (code, said) = run("
define i64 @given(i64 noundef %value) {
  %twice = add i64 %value, %value
  ret i64 %twice
}
define i32 @main() {
  %value = call i64 @given(i64 noundef undef)
  %zero = icmp eq i64 %value, 0
  call void @check(i1 %zero)
  ret i32 0
}");
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("memory/uninitialised"), "{said}");
}
