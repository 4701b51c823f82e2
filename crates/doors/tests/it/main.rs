//! The texts of the doors.

mod words;
