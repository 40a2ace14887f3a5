//! The memory of replies that are made in the background: the provider's id of each is on record
//! the moment it is known, so that a run that was killed goes on with the same reply and never pays
//! for another.

use crate::{data::CallId, store::Store};

/// Where the id of a reply is kept that a provider makes in the background.
pub trait Pending: Send + Sync {
    /// The id of a reply that was begun before, and is not known to be over.
    fn begun(&self) -> Option<String>;
    /// A reply was begun.
    fn begin(&self, id: &str);
    /// There will be no reply. One that came is over when its call is on record.
    fn end(&self);
}

/// Keeps no ids.
pub(super) struct NotKept;

impl Pending for NotKept {
    fn begun(&self) -> Option<String> {
        None
    }

    fn begin(&self, _: &str) {}

    fn end(&self) {}
}

/// Keeps the id of a call's reply in the database.
pub(super) struct OnRecord<'a> {
    pub store: &'a Store,
    pub call: &'a CallId,
}

impl Pending for OnRecord<'_> {
    fn begun(&self) -> Option<String> {
        let begun = self.store.background_reply(self.call);
        begun.unwrap_or_else(|error| {
            tracing::warn!("a reply in the making cannot be looked up: {error:#}");
            None
        })
    }

    fn begin(&self, id: &str) {
        tracing::info!(call = %self.call, reply = id, "a reply is made in the background");
        if let Err(error) = self.store.begin_background_reply(self.call, id) {
            tracing::warn!("the reply `{id}` is not on record: {error:#}");
        }
    }

    fn end(&self) {
        if let Err(error) = self.store.end_background_reply(self.call) {
            tracing::warn!("a reply that is over stays on record: {error:#}");
        }
    }
}
