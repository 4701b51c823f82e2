//! The journal and the way back, on real folders.

mod big;
mod chains;
mod common;
mod damage;
mod holes;
mod locks;
mod model;
