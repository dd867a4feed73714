//! The macros of `inhouse`; use them through that crate.
