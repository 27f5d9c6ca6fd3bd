//! The colours of a picture: a palette of fixed ones, and of a scale for fractions.

/// A colour of the palette.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Colour(u8);

impl Colour {
    /// The paper, and bits that are zeros.
    pub(super) const WHITE: Colour = Colour(0);
    /// Text, and bits that are ones.
    pub(super) const BLACK: Colour = Colour(1);
    /// Ones of checksums.
    pub(super) const ORANGE: Colour = Colour(2);
    /// Zeros of checksums.
    pub(super) const PALE: Colour = Colour(3);
    /// Pages whose checksum is wrong.
    pub(super) const RED: Colour = Colour(4);

    /// The first of the colours of the scale.
    const SCALE: u8 = 16;

    /// The colour of a fraction from 0 (dark) to 1 (bright).
    pub(super) fn of(fraction: f64) -> Colour {
        let steps = f64::from(u8::MAX - Colour::SCALE);
        Colour(Colour::SCALE + (fraction.clamp(0.0, 1.0) * steps).round() as u8)
    }

    /// Its place in the palette.
    pub(super) fn index(self) -> u8 {
        self.0
    }
}

/// Stops of a scale whose lightness grows evenly, for any colour vision (viridis: Smith & van der Walt 2015).
const STOPS: [[u8; 3]; 5] = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];

/// Red, green and blue of each colour of the palette.
pub(super) fn palette() -> Vec<u8> {
    let mut colours = vec![[255, 255, 255], [0, 0, 0], [213, 94, 0], [255, 232, 204], [220, 0, 0]];
    colours.resize(usize::from(Colour::SCALE), [0, 0, 0]);
    let steps = u8::MAX - Colour::SCALE;
    colours.extend((0..=steps).map(|step| on_scale(f64::from(step) / f64::from(steps))));
    colours.into_flattened()
}

fn on_scale(fraction: f64) -> [u8; 3] {
    let place = fraction * (STOPS.len() - 1) as f64;
    let at = (place.floor() as usize).min(STOPS.len() - 2);
    let (Some(low), Some(high)) = (STOPS.get(at), STOPS.get(at + 1)) else { return [0; 3] };
    let part = place - at as f64;
    let mix = |channel: usize| {
        let of = |stop: &[u8; 3]| f64::from(stop.get(channel).copied().unwrap_or(0));
        (of(low) + part * (of(high) - of(low))).round() as u8
    };
    [mix(0), mix(1), mix(2)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scale_runs_from_dark_to_bright() {
        assert_eq!((on_scale(0.0), on_scale(1.0)), (STOPS[0], STOPS[4]));
        assert_eq!((Colour::of(-1.0), Colour::of(2.0)), (Colour(16), Colour(255)));
        assert_eq!(palette().len(), 768);
    }
}
