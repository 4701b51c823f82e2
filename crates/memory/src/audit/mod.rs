//! The audit chain.
/// stub
pub struct Audit;
/// stub
pub struct Line;
