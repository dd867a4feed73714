//! inhouse.
