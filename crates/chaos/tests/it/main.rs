//! Faults at many points.

mod quick;
