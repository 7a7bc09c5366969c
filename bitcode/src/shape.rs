//! How a type's values are laid out: in slots, and in memory.

use crate::llvm::{DataLayout, Type, TypeKind};
use crate::unsupported::{Translated, unsupported};
use symx_ir::instruction::{FloatFormat, Piece};

/// Widest integers: what terms can be made of.
const MOST_BITS: u32 = 1 << 16;

/// Most slots a value may have; larger first-class aggregates are not worth their code.
const MOST_SLOTS: usize = 1 << 16;

/// The layout of a type whose values registers hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// For each slot, its width in bits and where memory holds it.
    pub pieces: Vec<Piece>,
    /// Bytes that a load or store touches.
    pub size: u32,
    /// For vectors of elements that are not whole bytes, which memory holds packed: the total of bits.
    pub packed_bits: Option<u32>,
}

impl Shape {
    pub(crate) fn new<'m>(layout: DataLayout<'m>, of: Type<'m>) -> Translated<Self> {
        let mut shape = Shape::default();
        if of.kind() == TypeKind::LLVMVoidTypeKind {
            return Ok(shape);
        }
        if of.kind() == TypeKind::LLVMVectorTypeKind && scalar_bits(of.element())? % 8 != 0 {
            let bits = scalar_bits(of.element())?;
            shape.packed_bits = Some(bits * of.length() as u32);
            shape.repeat(layout, of, 0, 0)?;
        } else {
            shape.append(layout, of, 0)?;
        }
        shape.size = layout.store_size(of) as u32;
        Ok(shape)
    }

    /// Count of slots.
    pub fn slots(&self) -> u32 {
        self.pieces.len() as u32
    }

    /// Width of the whole value in bits.
    pub fn bits(&self) -> u32 {
        self.pieces.iter().map(|piece| u32::from(piece.bits)).sum()
    }

    /// Width of each slot in bits.
    pub fn widths(&self) -> Vec<u8> {
        self.pieces.iter().map(|piece| piece.bits).collect()
    }

    fn append<'m>(&mut self, layout: DataLayout<'m>, of: Type<'m>, offset: u64) -> Translated<()> {
        match of.kind() {
            TypeKind::LLVMStructTypeKind => {
                for index in 0..of.length() as u32 {
                    let field_offset = layout.field_offset(of, index);
                    self.append(layout, of.field(index), offset + field_offset)?;
                }
                Ok(())
            }
            TypeKind::LLVMArrayTypeKind => {
                let stride = layout.allocated_size(of.element());
                self.repeat(layout, of, offset, stride)
            }
            TypeKind::LLVMVectorTypeKind => {
                let bits = scalar_bits(of.element())?;
                if bits % 8 != 0 {
                    return unsupported(format!("a packed vector inside an aggregate ({})", of.print()));
                }
                // Elements of vectors lie side by side, whatever their alignment.
                self.repeat(layout, of, offset, u64::from(bits / 8))
            }
            _ => {
                let mut left = scalar_bits(of)?;
                let mut at = offset as u32;
                while left > 0 {
                    let bits = left.min(64);
                    self.pieces.push(Piece { offset: at, bits: bits as u8 });
                    left -= bits;
                    at += 8;
                }
                Ok(())
            }
        }
    }

    fn repeat<'m>(
        &mut self,
        layout: DataLayout<'m>,
        of: Type<'m>,
        offset: u64,
        stride: u64,
    ) -> Translated<()> {
        let length = of.length();
        if self.pieces.len() as u64 + length > MOST_SLOTS as u64 {
            return unsupported(format!("a value of type {}", of.print()));
        }
        for index in 0..length {
            self.append(layout, of.element(), offset + index * stride)?;
        }
        Ok(())
    }
}

/// Width in bits of a scalar type.
pub fn scalar_bits(of: Type<'_>) -> Translated<u32> {
    match of.kind() {
        TypeKind::LLVMIntegerTypeKind => width(of.integer_bits()),
        TypeKind::LLVMPointerTypeKind => Ok(64),
        _ => float_format(of).map(FloatFormat::bits),
    }
}

/// A width in which there are integers.
pub fn width(bits: u32) -> Translated<u32> {
    if bits <= MOST_BITS { Ok(bits) } else { unsupported(format!("integers of {bits} bits")) }
}

/// Format of a floating-point type.
pub fn float_format(of: Type<'_>) -> Translated<FloatFormat> {
    match of.kind() {
        TypeKind::LLVMHalfTypeKind => Ok(FloatFormat::Half),
        TypeKind::LLVMBFloatTypeKind => Ok(FloatFormat::BFloat),
        TypeKind::LLVMFloatTypeKind => Ok(FloatFormat::Single),
        TypeKind::LLVMDoubleTypeKind => Ok(FloatFormat::Double),
        TypeKind::LLVMX86_FP80TypeKind => Ok(FloatFormat::Extended80),
        TypeKind::LLVMFP128TypeKind => Ok(FloatFormat::Quad),
        _ => unsupported(format!("values of type {}", of.print())),
    }
}

/// Slots of a scalar of `bits`.
pub fn slots(bits: u32) -> u32 {
    bits.div_ceil(64)
}
