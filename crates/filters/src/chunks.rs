//! Slices as slices of arrays: `slice::as_chunks` needs Rust 1.88, and Debian 13 has 1.85. Remove this file
//! when 1.88 is the oldest supported compiler.

use sha1::digest::array::{Array, ArraySize, AssocArraySize};

/// A slice as arrays of `N` elements, and the rest. `N` is not 0.
#[inline]
pub fn chunks<T, U, const N: usize>(slice: &[T]) -> (&[[T; N]], &[T])
where
    [T; N]: AssocArraySize<Size = U>,
    U: ArraySize<ArrayType<T> = [T; N]>,
{
    let (whole, rest) = Array::<T, U>::slice_as_chunks(slice);
    (Array::cast_slice_to_core(whole), rest)
}

/// The same, mutable.
#[inline]
pub fn chunks_mut<T, U, const N: usize>(slice: &mut [T]) -> (&mut [[T; N]], &mut [T])
where
    [T; N]: AssocArraySize<Size = U>,
    U: ArraySize<ArrayType<T> = [T; N]>,
{
    let (whole, rest) = Array::<T, U>::slice_as_chunks_mut(slice);
    (Array::cast_slice_to_core_mut(whole), rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arrays_and_the_rest_are_the_slice() {
        let mut bytes: Vec<u8> = (0..19).collect();
        let (whole, rest) = chunks::<_, _, 8>(&bytes);
        assert_eq!((whole.concat(), rest), ((0..16).collect(), &[16, 17, 18][..]));
        assert_eq!(chunks::<_, _, 32>(&bytes), (&[][..], &bytes[..]));
        for word in chunks_mut::<_, _, 4>(&mut bytes).0 {
            word.reverse();
        }
        assert_eq!(bytes[..9], [3, 2, 1, 0, 7, 6, 5, 4, 11]);
        assert_eq!(chunks::<_, _, 4096>(&[0_u8; 8192]).0.len(), 2, "pages");
    }
}
