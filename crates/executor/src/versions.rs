//! What one version of Metnos wrote and another one reads: said in a sentence, never in the words of a parser.

use crate::failure::{ErrorClass, Failure};

/// What puts a house and its program in step again.
pub const UPGRADE: &str = "metnos upgrade";
/// How a message begins whose parts the other side does not know.
pub(crate) const UNREAD_FRAME: &str = "frame header: ";

/// Why a record could not be read: one that is whole and has other parts comes from another version.
pub fn unread(error: &serde_json::Error) -> String {
    match error.is_data() {
        true => format!("was written by another version of Metnos; {UPGRADE} puts the two in step"),
        false => "is damaged".to_owned(),
    }
}

/// Whether a call failed because host and program do not speak the same way.
pub fn is_misunderstood(failure: &Failure) -> bool {
    matches!(failure.class, ErrorClass::Internal | ErrorClass::SandboxUnavailable)
        && failure.message.contains(UNREAD_FRAME)
}

/// The same, said to a person.
pub fn misunderstood() -> Failure {
    let why = "the host that is approved here is of another version than this metnos, and they do not understand each other";
    Failure::new(ErrorClass::SandboxUnavailable, why).with_hint(UPGRADE)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_whole_record_with_other_parts_is_of_another_version_and_half_a_record_is_damaged() {
        let read = |text: &str| serde_json::from_str::<crate::record::Host>(text).unwrap_err();
        assert!(unread(&read("{\"version\":\"1.0.0\"}")).contains(UPGRADE));
        assert_eq!(unread(&read("{\"version\":")), "is damaged");
    }

    #[test]
    fn only_what_no_call_can_say_of_itself_is_a_misunderstanding() {
        let said = format!("{UNREAD_FRAME}missing field `x`");
        assert!(is_misunderstood(&Failure::internal(&*said)));
        assert!(!is_misunderstood(&Failure::new(ErrorClass::NotFound, said)));
        assert!(!is_misunderstood(&Failure::internal("the cell ended without an answer")));
    }
}
