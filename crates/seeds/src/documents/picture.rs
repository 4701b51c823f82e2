//! Pictures from one format to another, upright, within a bound of memory.

use super::source;
use image::codecs::jpeg::JpegEncoder;
use image::imageops::FilterType;
use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits};
use metnos_executor::{ErrorClass, Failure};
use std::io::{BufReader, Cursor, Read, Seek, SeekFrom};
use std::path::Path;

/// The most memory one decoded picture may take: a hundred megapixels.
const DECODED_MAX: u64 = 400 << 20;
/// The longest side.
const SIDE_MAX: u32 = 65_500;
/// Above this many intermediate values a picture is reduced by averaging, which needs none.
const SMOOTH_MAX: u64 = 8 << 20;

/// The format of a file that is a picture we read.
pub(crate) fn format(path: &Path) -> Result<Option<ImageFormat>, Failure> {
    let (mut file, _) = source::open(path)?;
    let mut head = Vec::new();
    file.by_ref().take(64).read_to_end(&mut head).map_err(|e| Failure::io(source::shown(path), &e))?;
    Ok(image::guess_format(&head).ok().filter(|f| extension(*f).is_some()))
}

/// The formats we read and write, by the extension they get.
pub(crate) fn extension(format: ImageFormat) -> Option<&'static str> {
    Some(match format {
        ImageFormat::Png => "png",
        ImageFormat::Jpeg => "jpg",
        ImageFormat::WebP => "webp",
        ImageFormat::Gif => "gif",
        ImageFormat::Bmp => "bmp",
        ImageFormat::Tiff => "tiff",
        _ => return None,
    })
}

/// The picture in `path` as bytes of `to`, `width` pixels wide (0: as it is).
pub(crate) fn convert(path: &Path, to: ImageFormat, width: u32, quality: u8) -> Result<Vec<u8>, Failure> {
    source::guarded("the picture", || {
        let picture = decode(path)?;
        let picture = resize(picture, width)?;
        encode(picture, to, quality)
    })
}

fn decode(path: &Path) -> Result<DynamicImage, Failure> {
    let (mut file, _) = source::open(path)?;
    file.seek(SeekFrom::Start(0)).map_err(|e| Failure::io(source::shown(path), &e))?;
    let mut reader = ImageReader::new(BufReader::new(file))
        .with_guessed_format()
        .map_err(|e| Failure::io(source::shown(path), &e))?;
    let mut limits = Limits::default();
    limits.max_image_width = Some(SIDE_MAX);
    limits.max_image_height = Some(SIDE_MAX);
    limits.max_alloc = Some(DECODED_MAX);
    reader.limits(limits);
    let mut decoder = reader.into_decoder().map_err(failed)?;
    // Not every decoder keeps to the limit by itself.
    if decoder.total_bytes() > DECODED_MAX {
        let (w, h) = decoder.dimensions();
        return Err(Failure::new(ErrorClass::TooLarge, format!("a picture of {w}×{h} is not decoded")));
    }
    let upright = decoder.orientation().map_err(failed)?;
    let mut picture = DynamicImage::from_decoder(decoder).map_err(failed)?;
    picture.apply_orientation(upright);
    Ok(picture)
}

fn resize(picture: DynamicImage, width: u32) -> Result<DynamicImage, Failure> {
    let (w, h) = (picture.width(), picture.height());
    if width == 0 || width == w || w == 0 {
        return Ok(picture);
    }
    let height =
        (u64::from(h).saturating_mul(u64::from(width)).saturating_add(u64::from(w) / 2)) / u64::from(w);
    let height = u32::try_from(height.max(1)).unwrap_or(u32::MAX);
    let pixels = u64::from(width).saturating_mul(u64::from(height));
    if height > SIDE_MAX || width > SIDE_MAX || pixels.saturating_mul(4) > DECODED_MAX {
        return Err(Failure::new(ErrorClass::TooLarge, format!("a picture of {width}×{height} is not made")));
    }
    let between = u64::from(width).saturating_mul(u64::from(h));
    Ok(match between <= SMOOTH_MAX {
        true => picture.resize_exact(width, height, FilterType::Lanczos3),
        false => picture.thumbnail_exact(width, height),
    })
}

fn encode(picture: DynamicImage, to: ImageFormat, quality: u8) -> Result<Vec<u8>, Failure> {
    let mut out = Cursor::new(Vec::new());
    match to {
        ImageFormat::Jpeg => {
            let flat = flatten(picture);
            flat.write_with_encoder(JpegEncoder::new_with_quality(&mut out, quality)).map_err(failed)?;
        }
        // These hold eight bits a channel and nothing else.
        ImageFormat::WebP | ImageFormat::Gif | ImageFormat::Bmp => {
            let plain = match picture.color().has_alpha() || to == ImageFormat::Gif {
                true => DynamicImage::ImageRgba8(picture.into_rgba8()),
                false => DynamicImage::ImageRgb8(picture.into_rgb8()),
            };
            plain.write_to(&mut out, to).map_err(failed)?;
        }
        _ => {
            // Tables of grey with transparency and of floats exist in few formats.
            let plain = match &picture {
                DynamicImage::ImageLumaA8(_)
                | DynamicImage::ImageLumaA16(_)
                | DynamicImage::ImageRgba32F(_) => DynamicImage::ImageRgba8(picture.into_rgba8()),
                DynamicImage::ImageRgb32F(_) => DynamicImage::ImageRgb8(picture.into_rgb8()),
                _ => picture,
            };
            plain.write_to(&mut out, to).map_err(failed)?;
        }
    }
    Ok(out.into_inner())
}

/// Without transparency, on white as on paper.
fn flatten(picture: DynamicImage) -> DynamicImage {
    if !picture.color().has_alpha() {
        return DynamicImage::ImageRgb8(picture.into_rgb8());
    }
    let source = picture.into_rgba8();
    let (width, height) = source.dimensions();
    DynamicImage::ImageRgb8(image::RgbImage::from_fn(width, height, |x, y| {
        let [r, g, b, alpha] = source.get_pixel(x, y).0;
        let on_white = |c: u8| {
            let mixed = u32::from(c) * u32::from(alpha) + 255 * (255 - u32::from(alpha));
            u8::try_from((mixed + 127) / 255).unwrap_or(u8::MAX)
        };
        image::Rgb([r, g, b].map(on_white))
    }))
}

fn failed(error: image::ImageError) -> Failure {
    let class = match &error {
        image::ImageError::Limits(_) => ErrorClass::TooLarge,
        image::ImageError::IoError(e) => metnos_executor::failure::class_of(e),
        _ => ErrorClass::UnsupportedFormat,
    };
    Failure::new(class, format!("the picture cannot be read: {error}"))
}
