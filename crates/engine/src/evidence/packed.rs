//! Weights as one file: features as sorted numbers, weights in eight bits. Nothing is unpacked but the names.

use super::model::Model;
use super::rank::START;
use crate::shape::Shape;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Weights that are read in place.
#[derive(Clone, Debug)]
pub struct Packed {
    bytes: Cow<'static, [u8]>,
    names: Names,
    /// Where the numbers of features begin, then where their entries are, the labels, the weights, the slots, and the
    /// marks of readings.
    at: Sections,
    /// Where numbers with the same first bits begin: of features, of slots, and of marks.
    begins: [Arc<[u32]>; 3],
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
    /// For each shape the labels that speak for it.
    #[serde(default)]
    factors: Vec<Vec<Option<u16>>>,
    spoken: BTreeMap<String, Vec<String>>,
    /// How much each trait of a reading counts.
    #[serde(default)]
    rank: Vec<f32>,
    /// How much speaks for none of the readings being right; none where that was not fitted.
    #[serde(default)]
    nothing: Option<f32>,
    /// What one level of a mark counts.
    #[serde(default)]
    mark_scale: f32,
    features: usize,
    entries: usize,
    slots: usize,
    #[serde(default)]
    marks: usize,
}

#[derive(Clone, Copy, Debug)]
struct Sections {
    features: usize,
    starts: usize,
    labels: usize,
    weights: usize,
    slots: usize,
    fits: usize,
    marks: usize,
    counts: usize,
}

/// Weights of a label up to this, of 127, are left out.
const LEAST: i8 = 9;
/// Weights of slots up to this, of 32,000, are left out.
const LEAST_FIT: i16 = 500;
/// Weights of marks up to this, of 32,000, are left out.
const LEAST_MARK: i16 = 100;
/// So many first bits of a number tell where it is looked for.
const FIRST: u32 = 12;

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
            factors: model.factors.clone(),
            spoken: model.spoken.clone(),
            rank: Vec::new(),
            nothing: None,
            mark_scale: 0.0,
            features: features.len(),
            entries: features.iter().map(|(_, packed)| packed.len()).sum(),
            slots: slots.len(),
            marks: 0,
        };
        let mut bytes = header(&names)?;
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
        let marks = fits + names.slots * 2;
        let counts = marks + names.marks * 4;
        if bytes.len() != counts + names.marks * 2 {
            return Err(broken("its length is wrong"));
        }
        let begins = [(end, names.features), (slots, names.slots), (marks, names.marks)]
            .map(|(at, count)| begins(bytes.get(at..at + count * 4).unwrap_or_default()));
        let at = Sections { features: end, starts, labels, weights, slots, fits, marks, counts };
        Ok(Self { bytes, names, at, begins })
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

    /// For each of them the labels that speak for it, one a factor.
    pub(crate) fn factors(&self) -> &[Vec<Option<u16>>] {
        &self.names.factors
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
            let Some(n) = self.find(self.at.features, &self.begins[0], short(*feature)) else { continue };
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

    /// How much speaks for none of the readings of a request being right; none where that was not fitted.
    pub(crate) fn nothing(&self) -> Option<f32> {
        self.names.nothing
    }

    /// The same weights with this much for each trait of a reading, for no reading at all, and for marks of readings.
    pub fn ranking(&self, rank: Vec<f32>, nothing: f32, marks: &[(u32, f32)]) -> Result<Self, PackedError> {
        let most = marks.iter().fold(0.0f32, |most, (_, weight)| most.max(weight.abs()));
        let mark_scale = most / 32_000.0;
        let level = |weight: f32| if mark_scale > 0.0 { (weight / mark_scale).round() as i16 } else { 0 };
        let mut marks: Vec<(u32, i16)> = marks.iter().map(|(mark, weight)| (*mark, level(*weight))).collect();
        marks.retain(|(_, level)| level.abs() > LEAST_MARK);
        marks.sort_unstable();
        marks.dedup_by_key(|(mark, _)| *mark);
        let nothing = Some(nothing);
        let names = Names { rank, nothing, mark_scale, marks: marks.len(), ..self.names.clone() };
        let mut bytes = header(&names)?;
        bytes.extend_from_slice(self.bytes.get(self.at.features..self.at.marks).unwrap_or_default());
        bytes.extend(marks.iter().flat_map(|(mark, _)| mark.to_le_bytes()));
        bytes.extend(marks.iter().flat_map(|(_, level)| level.to_le_bytes()));
        Self::read(Cow::Owned(bytes))
    }

    /// How much the marks of a reading speak for it.
    pub(crate) fn marked(&self, marks: &[u32]) -> f32 {
        let weigh = |mark: &u32| {
            let n = self.find(self.at.marks, &self.begins[2], *mark)?;
            Some(f32::from(self.pair(self.at.counts + n * 2)) * self.names.mark_scale)
        };
        marks.iter().filter_map(weigh).sum()
    }

    /// How well a mention fits a slot, by their features.
    pub fn fit(&self, features: &[(u64, f32)]) -> f32 {
        self.names.slot_bias + self.fit_in_part(features)
    }

    /// What some of the features of a mention and a slot add to that.
    pub(crate) fn fit_in_part(&self, features: &[(u64, f32)]) -> f32 {
        let weigh = |(feature, strength): &(u64, f32)| {
            let n = self.find(self.at.slots, &self.begins[1], short(*feature))?;
            Some(f32::from(self.pair(self.at.fits + n * 2)) * self.names.slot_scale * strength)
        };
        features.iter().filter_map(weigh).sum()
    }

    /// Where a number stands among sorted ones.
    fn find(&self, section: usize, begins: &[u32], wanted: u32) -> Option<usize> {
        let first = (wanted >> (32 - FIRST)) as usize;
        let (mut low, mut high) = (*begins.get(first)? as usize, *begins.get(first + 1)? as usize);
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

/// The beginning of a file: what is written in words.
fn header(names: &Names) -> Result<Vec<u8>, PackedError> {
    let words = serde_json::to_vec(names).map_err(|e| PackedError(e.to_string()))?;
    let mut bytes = (words.len() as u32).to_le_bytes().to_vec();
    bytes.extend(words);
    Ok(bytes)
}

/// For each value of the first bits, how many of these sorted numbers are below it.
fn begins(numbers: &[u8]) -> Arc<[u32]> {
    let mut begins = vec![0u32; (1 << FIRST) + 1];
    for number in numbers.chunks_exact(4) {
        let number = number.first_chunk::<4>().map_or(0, |bytes| u32::from_le_bytes(*bytes));
        begins[(number >> (32 - FIRST)) as usize + 1] += 1;
    }
    let mut sum = 0;
    for begin in &mut begins {
        sum += *begin;
        *begin = sum;
    }
    begins.into()
}

/// The number of a feature, in a file.
pub(super) fn short(feature: u64) -> u32 {
    (feature >> 32) as u32 ^ feature as u32
}
