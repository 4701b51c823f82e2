//! Requests in, plans out: what people write and what it must become.

mod data_only;
mod meant;
mod narrow;
mod places;
mod prefilter;
mod propose;
mod requests;
mod robust;
mod score;
mod shortcuts;
mod strangers;
