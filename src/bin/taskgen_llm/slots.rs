//! Which beginnings of prompts are kept, and where the next prompt goes.
//! Only whole chunks count: what is kept was computed in the same batches as a fresh reading would use, so that a reply
//! is the same to the last bit whether its prompt was read or remembered.

use llama_cpp_2::token::LlamaToken;

/// Prompt tokens that are read in one batch, counted from the prompt's first token.
pub const CHUNK: usize = 64;

/// What one sequence of the model's memory holds.
#[derive(Clone, Debug, Default)]
struct Slot {
    /// Tokens of whole chunks, from the first on.
    tokens: Vec<LlamaToken>,
    /// When it was used last; 0 is never.
    used: u64,
}

/// Where a prompt goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The sequence to use.
    pub slot: usize,
    /// Tokens that need not be read.
    pub keep: usize,
    /// The sequence to copy them from first, if it is another one.
    pub copy_from: Option<usize>,
}

/// The kept beginnings.
pub struct Slots {
    slots: Vec<Slot>,
    clock: u64,
}

impl Slots {
    /// `count` empty sequences.
    pub fn new(count: usize) -> Self {
        Self { slots: vec![Slot::default(); count.max(1)], clock: 0 }
    }

    /// Chooses the sequence for `prompt`. The last token is always read, because its output starts the reply.
    pub fn place(&self, prompt: &[LlamaToken]) -> Place {
        let shared: Vec<usize> = self.slots.iter().map(|slot| shared_chunks(&slot.tokens, prompt)).collect();
        let best = (0..self.slots.len()).max_by_key(|i| (shared[*i], self.slots[*i].used)).unwrap_or(0);
        let keep = shared[best];
        let lost = self.slots[best].tokens.len() - keep;
        let oldest = (0..self.slots.len()).min_by_key(|i| self.slots[*i].used).unwrap_or(0);
        // A long tail that another prompt may still want is left alone: the oldest sequence gives way instead.
        if oldest != best && lost > keep {
            return Place { slot: oldest, keep, copy_from: (keep > 0).then_some(best) };
        }
        Place { slot: best, keep, copy_from: None }
    }

    /// Says what `slot` holds now: the first `read` tokens of `prompt`.
    pub fn holds(&mut self, slot: usize, prompt: &[LlamaToken], read: usize) {
        self.clock += 1;
        let whole = read / CHUNK * CHUNK;
        self.slots[slot] = Slot { tokens: prompt[..whole].to_vec(), used: self.clock };
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.slots.iter_mut().for_each(|slot| *slot = Slot::default());
    }
}

fn shared_chunks(kept: &[LlamaToken], prompt: &[LlamaToken]) -> usize {
    let same = kept.iter().zip(prompt).take_while(|(a, b)| a == b).count();
    same.min(prompt.len().saturating_sub(1)) / CHUNK * CHUNK
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prompt(head: i32, tail: i32, len: usize) -> Vec<LlamaToken> {
        (0..len).map(|i| LlamaToken(if i < 2 * CHUNK { head } else { tail })).collect()
    }

    #[test]
    fn whole_chunks_only_and_never_the_last_token() {
        let mut slots = Slots::new(2);
        let long = prompt(1, 1, 3 * CHUNK);
        slots.holds(0, &long, long.len());
        assert_eq!(slots.place(&long), Place { slot: 0, keep: 2 * CHUNK, copy_from: None });
        assert_eq!(slots.place(&long[..CHUNK + 5]).keep, CHUNK);
    }

    #[test]
    fn alternating_prompts_keep_their_tails() {
        let mut slots = Slots::new(4);
        let (a, b) = (prompt(1, 2, 8 * CHUNK + 1), prompt(1, 3, 8 * CHUNK + 1));
        slots.holds(0, &a, a.len());
        let place = slots.place(&b);
        assert_eq!((place.keep, place.copy_from), (2 * CHUNK, Some(0)));
        slots.holds(place.slot, &b, b.len());
        assert_eq!(slots.place(&a).keep, 8 * CHUNK);
        assert_eq!(slots.place(&b).keep, 8 * CHUNK);
    }
}
