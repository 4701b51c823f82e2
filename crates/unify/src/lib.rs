//! No code: this crate only names dependencies and their features (`make unify`).
