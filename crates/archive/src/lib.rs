//! Archives of a house: a tar in one zstd frame, a manifest as its last file, a seal over every byte.
//!
//! Any tool that reads `.tar.zst` reads them; around one there may be a layer of `age`. Ours believes nothing before it has read everything: the
//! seal, the digest of each file and each name are checked by [`check`] before [`Checked::unpack`] writes.

mod check;
mod cipher;
mod manifest;
mod name;
mod pack;
mod seal;
mod unpack;

pub use check::{Checked, check};
pub use cipher::{Keys, Lock, Sink};
pub use manifest::{Entry, FORMAT, Holds, Kind, MANIFEST, Manifest, Said};
pub use name::stays_inside;
pub use pack::Packer;
pub use seal::Frame;
