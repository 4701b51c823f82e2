//! What stands in a zip.

use super::{Bounds, Member, What, check_bounds, check_ratio, unreadable};
use metnos_executor::{ErrorClass, Failure};
use std::fs::File;
use zip::extra_fields::ExtraField;

/// Every member, from the directory at the end of the file.
pub(in crate::changes) fn list_zip(
    archive: &mut zip::ZipArchive<File>,
    packed: u64,
    zone: &jiff::tz::TimeZone,
    bounds: Bounds,
) -> Result<Vec<Member>, Failure> {
    check_bounds(0, archive.len(), bounds)?;
    let (mut members, mut bytes, mut stored) = (Vec::with_capacity(archive.len()), 0u64, 0u64);
    for at in 0..archive.len() {
        let entry = archive.by_index_raw(at).map_err(|e| unreadable(&e.into()))?;
        let what = if entry.is_dir() {
            What::Dir
        } else if entry.is_symlink() {
            What::Refused("a link")
        } else if entry.unix_mode().is_some_and(|m| !matches!(m & 0o170_000, 0 | 0o100_000)) {
            What::Refused("a device or another special file")
        } else if entry.encrypted() {
            What::Refused("encrypted")
        } else {
            What::File
        };
        let size = if what == What::File { entry.size() } else { 0 };
        bytes = bytes.saturating_add(size);
        stored = stored.saturating_add(entry.compressed_size());
        check_ratio(size, entry.compressed_size(), bounds.bytes)?;
        check_bounds(bytes, at.saturating_add(1), bounds)?;
        members.push(Member {
            at,
            name: entry.name_raw().to_vec(),
            what,
            size,
            mode: entry.unix_mode(),
            mtime: exact_time(entry.extra_data_fields()).or_else(|| local_time(entry.last_modified()?, zone)),
        });
    }
    // Members that share their packed bytes multiply them unseen.
    if stored > packed {
        let message = "its members overlap: an archive bomb";
        return Err(Failure::new(ErrorClass::TooLarge, message));
    }
    check_ratio(bytes, packed, bounds.bytes)?;
    Ok(members)
}

fn exact_time<'e>(fields: impl Iterator<Item = &'e ExtraField>) -> Option<i64> {
    fields
        .filter_map(|field| match field {
            ExtraField::ExtendedTimestamp(stamp) => stamp.mod_time().map(i64::from),
            _ => None,
        })
        .next()
}

fn local_time(at: zip::DateTime, zone: &jiff::tz::TimeZone) -> Option<i64> {
    let civil = jiff::civil::DateTime::new(
        i16::try_from(at.year()).ok()?,
        i8::try_from(at.month()).ok()?,
        i8::try_from(at.day()).ok()?,
        i8::try_from(at.hour()).ok()?,
        i8::try_from(at.minute()).ok()?,
        i8::try_from(at.second()).ok()?,
        0,
    );
    Some(civil.ok()?.to_zoned(zone.clone()).ok()?.timestamp().as_second())
}
