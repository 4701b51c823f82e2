//! Brings the pages that a call will need into this process while it waits: most of the time of a
//! short call is otherwise spent on touching code, heap and stack for the first time.
#![allow(
    unsafe_code,
    reason = "advises the kernel about this program's own mappings; states why it is sound"
)]

use std::hint::black_box;

/// How much heap and stack a short call uses.
const HEAP: usize = 96 << 10;
const STACK: usize = 64 << 10;

/// Touches everything once. Nothing depends on it: what cannot be touched early is touched later.
pub(crate) fn touch() {
    stack();
    drop(black_box(vec![1u8; HEAP]));
    if let Ok(maps) = std::fs::read_to_string("/proc/self/maps") {
        maps.lines().filter_map(code).for_each(|(start, length)| populate(start, length));
    }
}

/// The range of a line of `/proc/self/maps` that maps this program's code or constants.
fn code(line: &str) -> Option<(usize, usize)> {
    let mut words = line.split_ascii_whitespace();
    let (start, end) = words.next()?.split_once('-')?;
    let readable = words.next()?.starts_with("r-");
    let of_a_file = words.nth(1)? != "00:00";
    let (start, end) = (usize::from_str_radix(start, 16).ok()?, usize::from_str_radix(end, 16).ok()?);
    (readable && of_a_file).then_some((start, end.checked_sub(start)?))
}

fn populate(start: usize, length: usize) {
    // SAFETY: the range is a mapping of this program that lives as long as it does; populating for
    // reading changes neither its content nor its protection.
    let _ = unsafe { libc::madvise(start as *mut libc::c_void, length, libc::MADV_POPULATE_READ) };
}

#[inline(never)]
fn stack() {
    black_box(&mut [1u8; STACK]);
}
