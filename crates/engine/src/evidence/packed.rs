//! Weights as one file: features as sorted numbers, weights in eight bits. Nothing is unpacked but the names.

use super::model::Model;
use super::rank::START;
use crate::shape::Shape;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Weights that are read in place.
#[derive(Clone, Debug)]
pub struct Packed {
    bytes: Cow<'static, [u8]>,
    names: Names,
    /// Where the numbers of features begin, then where their entries are, the labels, the weights, and the slots.
    at: Sections,
}

/// What is written in words.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Names {
    labels: Vec<String>,
    bias: Vec<f32>,
    scales: Vec<f32>,
    slot_bias: f32,
    slot_scale: f32,
    shapes: Vec<Shape>,
    spoken: BTreeMap<String, Vec<String>>,
    /// How much each trait of a reading counts.
    #[serde(default)]
    rank: Vec<f32>,
    features: usize,
    entries: usize,
    slots: usize,
}

#[derive(Clone, Copy, Debug)]
struct Sections {
    features: usize,
    starts: usize,
    labels: usize,
    weights: usize,
    slots: usize,
    fits: usize,
}

/// Weights of a label up to this, of 127, are left out.
const LEAST: i8 = 9;
/// Weights of slots up to this, of 32,000, are left out.
const LEAST_FIT: i16 = 500;

/// Words around requests that only look.
pub const LOOKS: &str = "look";
/// Words around requests that change something.
pub const CHANGES: &str = "change";

/// What is wrong with a file of weights.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the weights are broken: {0}")]
pub struct PackedError(String);

impl Packed {
    /// Packs weights; what is too small to count is left out.
    pub fn new(model: &Model) -> Result<Self, PackedError> {
        let mut scales = vec![0.0f32; model.labels.len()];
        for (label, weight) in model.weights.values().flatten() {
            let scale = &mut scales[*label as usize];
            *scale = scale.max(weight.abs() / 127.0);
        }
        let mut features: Vec<(u32, Vec<(u16, i8)>)> = model
            .weights
            .iter()
            .map(|(feature, weights)| {
                let packed = weights.iter().map(|(label, weight)| {
                    let scale = scales[*label as usize];
                    let level = if scale > 0.0 { (weight / scale).round() } else { 0.0 };
                    (u16::try_from(*label).unwrap_or(u16::MAX), level as i8)
                });
                let mut packed: Vec<(u16, i8)> = packed.filter(|(_, level)| level.abs() > LEAST).collect();
                packed.sort_unstable();
                (short(*feature), packed)
            })
            .filter(|(_, packed)| !packed.is_empty())
            .collect();
        features.sort_unstable();
        features.dedup_by_key(|(feature, _)| *feature);
        let most = model.slots.values().fold(0.0f32, |most, weight| most.max(weight.abs()));
        let slot_scale = most / 32_000.0;
        let level = |weight: &f32| if slot_scale > 0.0 { (weight / slot_scale).round() as i16 } else { 0 };
        let mut slots: Vec<(u32, i16)> =
            model.slots.iter().map(|(feature, weight)| (short(*feature), level(weight))).collect();
        slots.retain(|(_, level)| level.abs() > LEAST_FIT);
        slots.sort_unstable();
        slots.dedup_by_key(|(feature, _)| *feature);
        let names = Names {
            labels: model.labels.clone(),
            bias: model.bias.clone(),
            scales,
            slot_bias: model.slot_bias,
            slot_scale,
            shapes: model.shapes.clone(),
            spoken: model.spoken.clone(),
            rank: model.rank.clone(),
            features: features.len(),
            entries: features.iter().map(|(_, packed)| packed.len()).sum(),
            slots: slots.len(),
        };
        let words = serde_json::to_vec(&names).map_err(|e| PackedError(e.to_string()))?;
        let mut bytes = Vec::new();
        bytes.extend((words.len() as u32).to_le_bytes());
        bytes.extend(words);
        bytes.extend(features.iter().flat_map(|(feature, _)| feature.to_le_bytes()));
        let mut start = 0u32;
        for (_, packed) in &features {
            bytes.extend(start.to_le_bytes());
            start += packed.len() as u32;
        }
        bytes.extend(start.to_le_bytes());
        let entries = || features.iter().flat_map(|(_, packed)| packed);
        bytes.extend(entries().flat_map(|(label, _)| label.to_le_bytes()));
        bytes.extend(entries().flat_map(|(_, level)| level.to_le_bytes()));
        bytes.extend(slots.iter().flat_map(|(feature, _)| feature.to_le_bytes()));
        bytes.extend(slots.iter().flat_map(|(_, level)| level.to_le_bytes()));
        Self::read(Cow::Owned(bytes))
    }

    /// Weights from a file.
    pub fn read(bytes: Cow<'static, [u8]>) -> Result<Self, PackedError> {
        let broken = |why: &str| PackedError(why.to_owned());
        let length = bytes.first_chunk::<4>().ok_or_else(|| broken("it is empty"))?;
        let end = 4 + u32::from_le_bytes(*length) as usize;
        let words = bytes.get(4..end).ok_or_else(|| broken("it is cut off"))?;
        let names: Names = serde_json::from_slice(words).map_err(|e| PackedError(e.to_string()))?;
        let starts = end + names.features * 4;
        let labels = starts + (names.features + 1) * 4;
        let weights = labels + names.entries * 2;
        let slots = weights + names.entries;
        let fits = slots + names.slots * 4;
        if bytes.len() != fits + names.slots * 2 {
            return Err(broken("its length is wrong"));
        }
        Ok(Self { bytes, names, at: Sections { features: end, starts, labels, weights, slots, fits } })
    }

    /// The file.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The names of the labels.
    pub(crate) fn labels(&self) -> &[String] {
        &self.names.labels
    }

    /// The shapes that are known.
    pub(crate) fn shapes(&self) -> &[Shape] {
        &self.names.shapes
    }

    /// Whether people used this word for what is done; `of` is an executor, or one of [`LOOKS`] and [`CHANGES`].
    pub(crate) fn is_spoken(&self, of: &str, word: &str) -> bool {
        let words = self.names.spoken.get(of);
        words.is_some_and(|words| words.binary_search_by(|known| known.as_str().cmp(word)).is_ok())
    }

    /// Whether people used this word for any executor.
    pub(crate) fn is_said(&self, word: &str) -> bool {
        let of_tools = self.names.spoken.keys().filter(|of| ![LOOKS, CHANGES].contains(&of.as_str()));
        of_tools.into_iter().any(|of| self.is_spoken(of, word))
    }

    /// Whether people's words for this are known at all.
    pub(crate) fn knows(&self, of: &str) -> bool {
        self.names.spoken.contains_key(of)
    }

    /// How much the features speak for each label.
    pub(crate) fn scores(&self, features: &[(u64, f32)]) -> Vec<f32> {
        let mut scores = self.names.bias.clone();
        for (feature, strength) in features {
            let Some(n) = self.find(self.at.features, self.names.features, short(*feature)) else { continue };
            let from = self.number(self.at.starts + n * 4) as usize;
            let to = self.number(self.at.starts + n * 4 + 4) as usize;
            for entry in from..to.min(self.names.entries) {
                let label = self.pair(self.at.labels + entry * 2);
                let level = self.bytes.get(self.at.weights + entry).map_or(0, |byte| byte.cast_signed());
                let label = usize::from(label.cast_unsigned());
                if let (Some(score), Some(scale)) = (scores.get_mut(label), self.names.scales.get(label)) {
                    *score += f32::from(level) * scale * strength;
                }
            }
        }
        scores
    }

    /// How much each trait of a reading counts.
    pub(crate) fn rank(&self) -> &[f32] {
        if self.names.rank.len() == START.len() { &self.names.rank } else { START }
    }

    /// The same weights with this much for each trait of a reading.
    #[must_use]
    pub fn ranking(mut self, rank: Vec<f32>) -> Self {
        self.names.rank = rank;
        self
    }

    /// How well a mention fits a slot, by their features.
    pub fn fit(&self, features: &[(u64, f32)]) -> f32 {
        let weigh = |(feature, strength): &(u64, f32)| {
            let n = self.find(self.at.slots, self.names.slots, short(*feature))?;
            Some(f32::from(self.pair(self.at.fits + n * 2)) * self.names.slot_scale * strength)
        };
        features.iter().filter_map(weigh).sum::<f32>() + self.names.slot_bias
    }

    /// Where a number stands among sorted ones.
    fn find(&self, section: usize, count: usize, wanted: u32) -> Option<usize> {
        let (mut low, mut high) = (0, count);
        while low < high {
            let middle = usize::midpoint(low, high);
            match self.number(section + middle * 4).cmp(&wanted) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return Some(middle),
            }
        }
        None
    }

    fn number(&self, at: usize) -> u32 {
        self.bytes.get(at..).and_then(|rest| rest.first_chunk::<4>()).map_or(0, |b| u32::from_le_bytes(*b))
    }

    fn pair(&self, at: usize) -> i16 {
        self.bytes.get(at..).and_then(|rest| rest.first_chunk::<2>()).map_or(0, |b| i16::from_le_bytes(*b))
    }
}

/// The number of a feature, in a file.
fn short(feature: u64) -> u32 {
    (feature >> 32) as u32 ^ feature as u32
}
