//! `taskgen models list|pull|path|import`.
