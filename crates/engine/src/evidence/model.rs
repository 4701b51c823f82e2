//! Fitted weights: features to labels, and how well a mention fits a slot.

use std::collections::{BTreeMap, HashMap};

/// The number of a feature by its name: 64-bit FNV-1a, so that it is the same everywhere.
pub fn hash(name: &str) -> u64 {
    name.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The number of what is named by two numbers, in this order.
pub(crate) fn both(first: u64, second: u64) -> u64 {
    let mixed = (first.rotate_left(29) ^ second).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ (mixed >> 29)
}

/// Weights.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// The names of the labels: factors of shapes, and arguments that words decide.
    pub labels: Vec<String>,
    /// The bias of each label.
    pub bias: Vec<f32>,
    /// For each feature the labels it speaks for or against.
    pub weights: HashMap<u64, Vec<(u32, f32)>>,
    /// For each feature of a mention and a slot, how well they fit.
    pub slots: HashMap<u64, f32>,
    /// The bias of all slots.
    pub slot_bias: f32,
    /// The shapes that are known, by their text.
    pub shapes: Vec<crate::shape::Shape>,
    /// For each executor that changes something, the words people said for it.
    pub spoken: BTreeMap<String, Vec<String>>,
    /// For each of these the labels that speak for it, one a factor.
    pub factors: Vec<Vec<Option<u16>>>,
}
