//! The attack table.

mod table;
