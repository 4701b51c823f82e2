//! What a picture says about itself. Reads a bounded part of the file; a picture that is broken
//! or lies says nothing, and is no failure.

use exif::{Exif, In, Rational, Tag, Value};
use serde::Serialize;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The most that is read of one picture: metadata beyond it is not metadata.
const READ_MAX: u64 = 8 << 20;
/// Text longer than this is not the name of a camera.
const CAMERA_MAX: usize = 200;

/// Metadata of a picture; what it does not say is absent.
#[derive(Debug, Default, PartialEq, Serialize)]
pub(crate) struct Photo {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub taken_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub camera: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lat: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lon: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height: Option<u32>,
}

/// The metadata of the picture in `file`.
pub(crate) fn of(file: &File) -> Photo {
    // The parsers are written for honest files; a panic in one of them is an answer of nothing.
    let exif = catch_unwind(AssertUnwindSafe(|| read_exif(file))).ok().flatten();
    let mut photo = exif.as_ref().map(from_exif).unwrap_or_default();
    let size = catch_unwind(AssertUnwindSafe(|| dimensions(file))).ok().flatten();
    if let Some((width, height)) = size {
        (photo.width, photo.height) = (Some(width), Some(height));
    }
    photo
}

fn read_exif(file: &File) -> Option<Exif> {
    let mut reader = BufReader::new(Bounded::new(file)?);
    let mut parser = exif::Reader::new();
    parser.continue_on_error(true);
    parser.read_from_container(&mut reader).or_else(|e| e.distill_partial_result(|_| {})).ok()
}

fn dimensions(file: &File) -> Option<(u32, u32)> {
    let reader = BufReader::new(Bounded::new(file)?);
    image::ImageReader::new(reader).with_guessed_format().ok()?.into_dimensions().ok()
}

fn from_exif(exif: &Exif) -> Photo {
    let text = |tag| ascii(exif, tag).filter(|t| !t.is_empty());
    let number = |tag| exif.get_field(tag, In::PRIMARY).and_then(|f| f.value.get_uint(0));
    let (make, model) = (text(Tag::Make), text(Tag::Model));
    let camera = match (make, model) {
        (Some(make), Some(model)) if !model.starts_with(&make) => Some(format!("{make} {model}")),
        (make, model) => model.or(make),
    };
    Photo {
        taken_at: text(Tag::DateTimeOriginal)
            .and_then(|t| moment(&t, ascii(exif, Tag::OffsetTimeOriginal).as_deref()))
            .or_else(|| text(Tag::DateTime).and_then(|t| moment(&t, None))),
        camera,
        lat: degrees(exif, Tag::GPSLatitude, Tag::GPSLatitudeRef, "S", 90.0),
        lon: degrees(exif, Tag::GPSLongitude, Tag::GPSLongitudeRef, "W", 180.0),
        width: number(Tag::PixelXDimension),
        height: number(Tag::PixelYDimension),
    }
}

fn ascii(exif: &Exif, tag: Tag) -> Option<String> {
    let Value::Ascii(parts) = &exif.get_field(tag, In::PRIMARY)?.value else { return None };
    let text = String::from_utf8_lossy(parts.first()?);
    Some(text.trim_matches(['\0', ' ']).chars().filter(|c| !c.is_control()).take(CAMERA_MAX).collect())
}

/// `2026:11:15 10:00:00` as RFC 3339; local time of the camera when it gives no offset.
fn moment(text: &str, offset: Option<&str>) -> Option<String> {
    let time = jiff::civil::DateTime::strptime("%Y:%m:%d %H:%M:%S", text.trim()).ok()?;
    let offset = offset.filter(|o| format!("2000-01-01T00:00:00{o}").parse::<jiff::Timestamp>().is_ok());
    Some(format!("{time}{}", offset.unwrap_or_default()))
}

fn degrees(exif: &Exif, tag: Tag, side: Tag, negative: &str, max: f64) -> Option<f64> {
    let Value::Rational(parts) = &exif.get_field(tag, In::PRIMARY)?.value else { return None };
    let [d, m, s] = parts.get(..3)? else { return None };
    let part = |r: &Rational| f64::from(r.num) / f64::from(r.denom);
    let value = part(d) + part(m) / 60.0 + part(s) / 3600.0;
    let sign = if ascii(exif, side)?.eq_ignore_ascii_case(negative) { -1.0 } else { 1.0 };
    (value.is_finite() && value <= max).then(|| (value * sign * 1e7).round() / 1e7)
}

/// A file that ends for good once [`READ_MAX`] bytes were read, wherever they were.
struct Bounded<'a> {
    file: &'a File,
    left: u64,
}

impl<'a> Bounded<'a> {
    fn new(mut file: &'a File) -> Option<Self> {
        file.seek(SeekFrom::Start(0)).ok()?;
        Some(Self { file, left: READ_MAX })
    }
}

impl Read for Bounded<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let room = usize::try_from(self.left).unwrap_or(usize::MAX).min(buffer.len());
        let n = self.file.read(buffer.get_mut(..room).unwrap_or_default())?;
        self.left = self.left.saturating_sub(n as u64);
        Ok(n)
    }
}

impl Seek for Bounded<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}
