//! The only way code touches the world: cells built by bubblewrap, closed from inside by Landlock
//! and seccomp, kept warm, used once, watched from outside.

pub mod argv;
pub mod cell;
pub mod fence;
pub mod group;
pub mod image;
#[cfg(feature = "lab")]
mod lab;
pub mod mounts;
pub mod outside;
pub mod pool;
pub mod probe;
pub mod proxy;
mod spawn;
mod text;
pub mod watch;

pub use cell::{Cell, Dialogue, Items, Reply};
pub use image::HostImage;
pub use mounts::{Bind, Mounts};
pub use pool::{Keeping, Launcher, Pool};
