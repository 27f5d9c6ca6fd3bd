//! A picture in memory: pixels that are colours of a palette, text from an 8 × 8 font, PNG out.

use font8x8::{BASIC_FONTS, LATIN_FONTS, UnicodeFonts};

/// A colour of the palette.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Colour(u8);

impl Colour {
    /// The paper.
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
        Colour(Colour::SCALE.saturating_add((fraction.clamp(0.0, 1.0) * steps).round() as u8))
    }
}

/// Stops of a scale whose lightness grows evenly, for any colour vision (viridis: Smith & van der Walt 2015).
const STOPS: [[u8; 3]; 5] = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];

/// How many pixels a pixel of the font is wide and high.
const FONT_SCALE: usize = 2;

/// Pixels from one character to the next.
pub(super) const CHARACTER_WIDTH: usize = 8 * FONT_SCALE;

/// Pixels from one line to the next.
pub(super) const LINE_HEIGHT: usize = 12 * FONT_SCALE;

/// The pixels.
pub(super) struct Canvas {
    width: usize,
    height: usize,
    pixels: Vec<u8>,
}

impl Canvas {
    /// A white canvas.
    pub(super) fn new(width: usize, height: usize) -> Canvas {
        Canvas { width, height, pixels: vec![Colour::WHITE.0; width.saturating_mul(height)] }
    }

    /// Colours a pixel; what is outside is nothing.
    pub(super) fn dot(&mut self, x: usize, y: usize, colour: Colour) {
        if x < self.width
            && let Some(pixel) = self.pixels.get_mut(y.saturating_mul(self.width).saturating_add(x))
        {
            *pixel = colour.0;
        }
    }

    /// Colours a rectangle.
    pub(super) fn fill(
        &mut self,
        (left, top): (usize, usize),
        (width, height): (usize, usize),
        colour: Colour,
    ) {
        for y in top..top.saturating_add(height) {
            (left..left.saturating_add(width)).for_each(|x| self.dot(x, y, colour));
        }
    }

    /// Writes a line of text; a character that the font lacks is a question mark.
    pub(super) fn text(&mut self, left: usize, top: usize, text: &str) {
        for (character, at) in text.chars().zip(0_usize..) {
            let left = left.saturating_add(at.saturating_mul(CHARACTER_WIDTH));
            for (row, y) in glyph(character).into_iter().zip(0_usize..) {
                for x in (0_usize..8).filter(|x| row >> x & 1 == 1) {
                    let place =
                        |start: usize, steps: usize| start.saturating_add(steps.saturating_mul(FONT_SCALE));
                    self.fill((place(left, x), place(top, y)), (FONT_SCALE, FONT_SCALE), Colour::BLACK);
                }
            }
        }
    }

    /// The picture as PNG.
    ///
    /// # Errors
    /// A picture without pixels, or one too large for the format.
    pub(super) fn into_png(self) -> Result<Vec<u8>, png::EncodingError> {
        let mut bytes = Vec::new();
        let size = |pixels: usize| u32::try_from(pixels).unwrap_or(u32::MAX);
        let mut encoder = png::Encoder::new(&mut bytes, size(self.width), size(self.height));
        encoder.set_color(png::ColorType::Indexed);
        encoder.set_palette(palette());
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.pixels)?;
        writer.finish()?;
        Ok(bytes)
    }
}

fn glyph(character: char) -> [u8; 8] {
    let known = BASIC_FONTS.get(character).or_else(|| LATIN_FONTS.get(character));
    known.or_else(|| BASIC_FONTS.get('?')).unwrap_or_default()
}

fn palette() -> Vec<u8> {
    let mut colours = vec![[255, 255, 255], [0, 0, 0], [213, 94, 0], [255, 232, 204], [220, 0, 0]];
    colours.resize(usize::from(Colour::SCALE), [0, 0, 0]);
    let steps = u8::MAX - Colour::SCALE;
    colours.extend((0..=steps).map(|step| on_scale(f64::from(step) / f64::from(steps))));
    colours.into_flattened()
}

fn on_scale(fraction: f64) -> [u8; 3] {
    let place = fraction * (STOPS.len().saturating_sub(1)) as f64;
    let at = (place.floor() as usize).min(STOPS.len().saturating_sub(2));
    let (Some(low), Some(high)) = (STOPS.get(at), STOPS.get(at.saturating_add(1))) else { return [0; 3] };
    let part = place - at as f64;
    let mix = |channel: usize| {
        let of = |stop: &[u8; 3]| f64::from(stop.get(channel).copied().unwrap_or(0));
        (of(low) + part * (of(high) - of(low))).round() as u8
    };
    [mix(0), mix(1), mix(2)]
}

/// Text in lines of at most `columns` characters, broken between words where there are any.
pub(super) fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace().flat_map(|word| pieces(word, columns)) {
        let used = lines.last().map_or(0, |line| line.chars().count());
        let needed = used.saturating_add(1).saturating_add(word.chars().count());
        match lines.last_mut() {
            Some(line) if used == 0 => line.push_str(&word),
            Some(line) if needed <= columns => line.extend([" ", &word]),
            _ => lines.push(word),
        }
    }
    lines
}

fn pieces(word: &str, columns: usize) -> Vec<String> {
    let characters: Vec<char> = word.chars().collect();
    characters.chunks(columns.max(1)).map(|piece| piece.iter().collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_png_has_the_pixels_that_were_drawn() {
        let mut canvas = Canvas::new(40, 30);
        canvas.text(1, 2, "Hé");
        canvas.dot(39, 29, Colour::RED);
        canvas.dot(40, 0, Colour::RED);
        canvas.dot(0, 30, Colour::RED);
        let pixels = canvas.pixels.clone();
        let bytes = canvas.into_png().unwrap();
        let mut decoder = png::Decoder::new(std::io::Cursor::new(bytes));
        decoder.set_transformations(png::Transformations::IDENTITY);
        let mut reader = decoder.read_info().unwrap();
        let mut read = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut read).unwrap();
        assert!(read == pixels);
        let at = |colour: Colour| (0..read.len()).filter(|&at| read[at] == colour.0).collect::<Vec<_>>();
        assert_eq!(at(Colour::RED), [40 * 30 - 1]);
        assert!(at(Colour::BLACK).len() > 60);
    }

    #[test]
    fn the_scale_runs_from_dark_to_bright() {
        assert_eq!((on_scale(0.0), on_scale(1.0)), (STOPS[0], STOPS[4]));
        assert_eq!((Colour::of(-1.0), Colour::of(2.0)), (Colour(16), Colour(255)));
        assert_eq!(palette().len(), 768);
    }

    #[test]
    fn text_is_wrapped_between_words() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("abcdefgh i", 3), ["abc", "def", "gh", "i"]);
        assert_eq!(wrapped("", 3), [""]);
    }
}
