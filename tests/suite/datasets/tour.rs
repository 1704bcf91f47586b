//! A small folder with one of each of the commonest surprises, for the README and for whoever wants to see what a report is.

use image::{Rgba, RgbaImage};

use crate::build::{Folder, jpeg, picture, png, rgb_png, with_exif};

/// Fills the folder.
pub(super) fn build(folder: &Folder) {
    for number in 1..=6 {
        folder.pair(&format!("{number:02}.jpg"), jpeg(number, 512, 512, 60));
    }
    folder.write("03.txt", b"the woman\x92s dress");
    folder.pair("phone.jpg", with_exif(&jpeg(7, 640, 480, 60), &[(0x112, 3, 1, 6)]));
    let whole = rgb_png(8, 512, 512);
    folder.pair("download.png", &whole[..whole.len() * 2 / 5]);
    folder.pair("page.jpg", "<!DOCTYPE html>\n<title>404 Not Found</title>\n");
    folder.pair("empty.jpg", b"");
    folder.pair("IMG_0001.heic", [&b"\0\0\0\x18ftypheic\0\0\0\0mif1heic"[..], &[0; 64]].concat());
    folder.write("._01.jpg", [&[0, 5, 0x16, 7, 0, 2, 0, 0][..], &[0; 120]].concat());
    folder.pair("sticker.png", sticker());
}

/// A disc on a background that is transparent and red.
fn sticker() -> Vec<u8> {
    let colors = picture(9, 512, 512);
    let image = RgbaImage::from_fn(512, 512, |x, y| {
        let inside = (x as f32 - 256.0).hypot(y as f32 - 256.0) < 180.0;
        let [red, green, blue] = colors.get_pixel(x, y).0;
        if inside { Rgba([red, green, blue, 255]) } else { Rgba([255, 0, 0, 0]) }
    });
    png(&image.into())
}
