//! The one integration binary: one module per command or rule.

mod architecture;
mod source;
