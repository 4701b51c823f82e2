//! Numbers and texts as bytes: each text behind its length, numbers in little-endian order.
//!
//! Not JSON, because its parser unescapes through a buffer that nobody wipes.

use zeroize::Zeroizing;

/// Collects bytes that are wiped when dropped.
pub(crate) struct Writer(Zeroizing<Vec<u8>>);

impl Writer {
    /// Room for `size` bytes: a buffer that has to grow leaves an unwiped copy behind.
    pub(crate) fn with_capacity(size: usize) -> Self {
        Self(Zeroizing::new(Vec::with_capacity(size)))
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    pub(crate) fn u64(&mut self, n: u64) {
        self.bytes(&n.to_le_bytes());
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.length(text.len());
        self.bytes(text.as_bytes());
    }

    pub(crate) fn list<T>(
        &mut self,
        items: impl ExactSizeIterator<Item = T>,
        mut one: impl FnMut(&mut Self, T),
    ) {
        self.length(items.len());
        items.for_each(|item| one(self, item));
    }

    pub(crate) fn finish(self) -> Zeroizing<Vec<u8>> {
        self.0
    }

    /// Everything stored is bounded far below 32 bits; a length that is not would never decode.
    fn length(&mut self, n: usize) {
        self.bytes(&u32::try_from(n).unwrap_or(u32::MAX).to_le_bytes());
    }
}

/// Reads them back; `None` as soon as something does not fit.
pub(crate) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub(crate) fn bytes<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    pub(crate) fn u64(&mut self) -> Option<u64> {
        self.bytes().map(u64::from_le_bytes)
    }

    pub(crate) fn text(&mut self) -> Option<&'a str> {
        let length = self.length()?;
        std::str::from_utf8(self.take(length)?).ok()
    }

    pub(crate) fn list<T>(
        &mut self,
        most: usize,
        mut one: impl FnMut(&mut Self) -> Option<T>,
    ) -> Option<Vec<T>> {
        let count = self.length().filter(|n| *n <= most)?;
        (0..count).map(|_| one(self)).collect()
    }

    /// Only padding may follow.
    pub(crate) fn end(self) -> Option<()> {
        self.0.iter().all(|b| *b == 0).then_some(())
    }

    pub(crate) fn rest(self) -> &'a [u8] {
        self.0
    }

    fn take(&mut self, n: usize) -> Option<&'a [u8]> {
        let (head, tail) = self.0.split_at_checked(n)?;
        self.0 = tail;
        Some(head)
    }

    fn length(&mut self) -> Option<usize> {
        usize::try_from(u32::from_le_bytes(self.bytes()?)).ok()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use crate::index::Index;
    use crate::{Fields, Secret};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused_and_never_crash(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = Fields::decode(&bytes);
            let _ = Index::decode(1, &bytes);
        }

        #[test]
        fn any_text_comes_back_and_the_buffer_never_grows(values in prop::collection::vec(".{0,40}", 1..10)) {
            let pairs = values.iter().enumerate().map(|(n, v)| (format!("f{n}"), Secret::new(v.clone())));
            let bytes = Fields::new(pairs).unwrap().encode();
            prop_assert_eq!(bytes.len(), bytes.capacity());
            let again = Fields::decode(&bytes).unwrap();
            for (n, value) in values.iter().enumerate() {
                prop_assert_eq!(again.get(&format!("f{n}")).unwrap().expose(), value);
            }
            let mut padded = bytes.to_vec();
            padded.push(0);
            prop_assert!(Fields::decode(&padded).is_some());
            padded.push(1);
            prop_assert!(Fields::decode(&padded).is_none());
        }
    }
}
