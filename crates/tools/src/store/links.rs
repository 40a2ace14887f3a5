//! The key of the links that the project's server gives to people.

use anyhow::Result;

use super::Store;

impl Store {
    /// The key, 32 bytes in hexadecimal, drawn when it is asked for first.
    pub fn link_key(&self) -> Result<String> {
        self.write(|tx| {
            tx.execute(
                "INSERT OR IGNORE INTO secret (name, value) VALUES ('links', lower(hex(randomblob(32))))",
                [],
            )?;
            tx.query_row("SELECT value FROM secret WHERE name = 'links'", [], |row| row.get(0))
        })
    }

    /// Has another key drawn: all links that were given out are void.
    pub fn forget_link_key(&self) -> Result<()> {
        self.write(|tx| {
            tx.execute("DELETE FROM secret WHERE name = 'links'", [])
                .map(|_| ())
        })
    }
}
