//! A picture in memory: pixels that are colours of a palette, text, PNG out.

use std::convert::Infallible;

use embedded_graphics::{
    Drawable, Pixel,
    draw_target::DrawTarget,
    geometry::{OriginDimensions, Point, Size},
    mono_font::{MonoTextStyle, iso_8859_1::FONT_10X20},
    pixelcolor::BinaryColor,
    text::{Baseline, Text},
};

use super::colour::{Colour, palette};

/// Pixels from one character to the next: the font's own width.
pub(super) const CHARACTER_WIDTH: usize = 10;

/// Pixels from one line to the next: the font is 20 high.
pub(super) const LINE_HEIGHT: usize = 24;

/// The pixels.
pub(super) struct Canvas {
    width: usize,
    height: usize,
    pixels: Vec<u8>,
}

impl Canvas {
    /// A white canvas.
    pub(super) fn new(width: usize, height: usize) -> Canvas {
        Canvas { width, height, pixels: vec![Colour::WHITE.index(); width * height] }
    }

    /// Colours a pixel; what is outside is nothing.
    pub(super) fn dot(&mut self, x: usize, y: usize, colour: Colour) {
        let pixel = self.pixels.get_mut(y * self.width + x);
        if let Some(pixel) = pixel.filter(|_| x < self.width) {
            *pixel = colour.index();
        }
    }

    /// Colours a rectangle.
    pub(super) fn fill(
        &mut self,
        (left, top): (usize, usize),
        (width, height): (usize, usize),
        colour: Colour,
    ) {
        for y in top..top + height {
            (left..left + width).for_each(|x| self.dot(x, y, colour));
        }
    }

    /// Writes a line of text; a character that the font lacks (it has Latin-1) is a question mark.
    pub(super) fn text(&mut self, left: usize, top: usize, text: &str) {
        let place = |pixels: usize| i32::try_from(pixels).unwrap_or(i32::MAX);
        let style = MonoTextStyle::new(&FONT_10X20, BinaryColor::On);
        let line = Text::with_baseline(text, Point::new(place(left), place(top)), style, Baseline::Top);
        match line.draw(self) {
            Ok(_) => {}
            Err(never) => match never {},
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

impl OriginDimensions for Canvas {
    fn size(&self) -> Size {
        let size = |pixels: usize| u32::try_from(pixels).unwrap_or(u32::MAX);
        Size::new(size(self.width), size(self.height))
    }
}

/// A pixel that is on is black.
impl DrawTarget for Canvas {
    type Color = BinaryColor;
    type Error = Infallible;

    fn draw_iter<I: IntoIterator<Item = Pixel<BinaryColor>>>(&mut self, pixels: I) -> Result<(), Infallible> {
        for Pixel(place, colour) in pixels {
            if let (BinaryColor::On, Ok(x), Ok(y)) = (colour, place.x.try_into(), place.y.try_into()) {
                self.dot(x, y, Colour::BLACK);
            }
        }
        Ok(())
    }
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
        let at =
            |colour: Colour| (0..read.len()).filter(|&at| read[at] == colour.index()).collect::<Vec<_>>();
        assert_eq!(at(Colour::RED), [40 * 30 - 1]);
        assert!(at(Colour::BLACK).len() > 60);
    }

    /// Two characters take two columns, and what lies outside is left out.
    #[test]
    fn text_stands_where_it_is_put() {
        let mut canvas = Canvas::new(3 * CHARACTER_WIDTH, LINE_HEIGHT);
        canvas.text(CHARACTER_WIDTH, 0, "II and more");
        let columns = |from: usize| {
            let inside = |at: &usize| (from..from + CHARACTER_WIDTH).contains(&(at % (3 * CHARACTER_WIDTH)));
            (0..canvas.pixels.len()).filter(|at| inside(at) && canvas.pixels[*at] == 1).count()
        };
        assert_eq!(columns(0), 0);
        assert!(columns(CHARACTER_WIDTH) > 20 && columns(CHARACTER_WIDTH) == columns(2 * CHARACTER_WIDTH));
    }
}
