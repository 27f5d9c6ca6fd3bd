//! One user after the other chooses the same password.

use std::io;

use nearmiss_filters::ladder::{Params, SeededRandom};

use super::Replica;
use crate::theory::Memory;

/// Bits of the ladder: decay does not matter there.
const BITS: u64 = 1 << 22;

/// Of so many passwords: how many the next user is refused when 0, 1, 2 … `users` users have them.
///
/// # Errors
/// There is no such ladder, or no memory for it.
pub(crate) fn refused(
    (rungs, threshold, steps): (u32, u32, u32),
    users: u32,
    passwords: u64,
    random: &mut SeededRandom,
) -> io::Result<Vec<u64>> {
    let params = Params::new(BITS, rungs, threshold, steps).map_err(io::Error::other)?;
    let replica = Replica { params, frequency: 1.0, memory: Memory::Perpetual };
    let mut ladder = replica.ladder(random)?;
    let mut refused = vec![0; users as usize + 1];
    for _ in 0..passwords {
        let password = random.next_word();
        for count in &mut refused {
            *count += u64::from(ladder.observe(password, random)?);
        }
    }
    Ok(refused)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fifth_user_is_refused_nearly_always() {
        let refused = refused((16, 16, 3), 6, 3000, &mut SeededRandom::new(5)).unwrap();
        assert_eq!((refused[6], refused[0].min(3)), (3000, refused[0]));
        // 0.22725 of 3000: five standard deviations are 115.
        assert!(refused[2].abs_diff(682) < 115, "{refused:?}");
    }
}
