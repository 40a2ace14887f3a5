//! The cache of prompt prefixes: which are kept, and where the next prompt goes. Only whole chunks
//! count: what is kept was computed in the same batches as a fresh reading would use, so that a
//! reply is the same to the last bit whether its prompt was read or remembered.

use llama_cpp_2::token::LlamaToken;

/// Prompt tokens that are read in one batch at most.
pub const CHUNK: usize = 64;

/// What one sequence of the model's memory holds.
#[derive(Clone, Debug, Default)]
struct Slot {
    /// Tokens of whole chunks, from the first on.
    tokens: Vec<LlamaToken>,
    /// Where those chunks end.
    ends: Vec<usize>,
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

/// A prompt and the batches that it is read in. `head` tokens of it are the instructions that other
/// prompts share: a chunk ends with them, so that even short ones are kept whole.
#[derive(Clone, Copy, Debug)]
pub struct Prompt<'a> {
    /// All tokens.
    pub tokens: &'a [LlamaToken],
    /// How many of them are instructions.
    pub head: usize,
}

impl Prompt<'_> {
    /// Where its chunks end.
    pub fn ends(&self) -> Vec<usize> {
        let mut ends = Vec::new();
        let mut at = 0;
        while at < self.tokens.len() {
            let part = if at < self.head {
                self.head.min(self.tokens.len())
            } else {
                self.tokens.len()
            };
            at = part.min(at + CHUNK);
            ends.push(at);
        }
        ends
    }

    /// Those that would be the same if the prompt went on.
    fn firm_ends(&self) -> Vec<usize> {
        let mut ends = self.ends();
        let before = ends.len().checked_sub(2).map_or(0, |index| ends[index]);
        if ends
            .last()
            .is_some_and(|end| end - before < CHUNK && *end != self.head)
        {
            ends.pop();
        }
        ends
    }
}

/// The kept beginnings.
pub struct Slots {
    slots: Vec<Slot>,
    clock: u64,
}

impl Slots {
    /// `count` empty sequences.
    pub fn new(count: usize) -> Self {
        Self {
            slots: vec![Slot::default(); count.max(1)],
            clock: 0,
        }
    }

    /// Chooses the sequence for `prompt`. The last token is always read, because its output starts
    /// the reply.
    pub fn place(&self, prompt: Prompt<'_>) -> Place {
        let ends = prompt.ends();
        let shared: Vec<usize> = self
            .slots
            .iter()
            .map(|slot| slot.shares(prompt.tokens, &ends))
            .collect();
        let best = (0..self.slots.len())
            .max_by_key(|i| (shared[*i], self.slots[*i].used))
            .unwrap_or(0);
        let keep = shared[best];
        let lost = self.slots[best].tokens.len() - keep;
        let oldest = (0..self.slots.len())
            .min_by_key(|i| self.slots[*i].used)
            .unwrap_or(0);
        // A long tail that another prompt may still want is left alone: the oldest sequence gives
        // way instead.
        if oldest != best && lost > keep {
            return Place {
                slot: oldest,
                keep,
                copy_from: (keep > 0).then_some(best),
            };
        }
        Place {
            slot: best,
            keep,
            copy_from: None,
        }
    }

    /// Says what `slot` holds now: all of `prompt`.
    pub fn holds(&mut self, slot: usize, prompt: Prompt<'_>) {
        self.clock += 1;
        let ends = prompt.firm_ends();
        let tokens = prompt.tokens[..ends.last().copied().unwrap_or(0)].to_vec();
        self.slots[slot] = Slot {
            tokens,
            ends,
            used: self.clock,
        };
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.slots
            .iter_mut()
            .for_each(|slot| *slot = Slot::default());
    }
}

impl Slot {
    /// Tokens of the chunks that it has in common with a prompt with chunks ending at `ends`.
    fn shares(&self, prompt: &[LlamaToken], ends: &[usize]) -> usize {
        let same = self
            .tokens
            .iter()
            .zip(prompt)
            .take_while(|(a, b)| a == b)
            .count();
        let same = same.min(prompt.len().saturating_sub(1));
        let chunks = self
            .ends
            .iter()
            .zip(ends)
            .take_while(|(a, b)| a == b && **a <= same);
        chunks.last().map_or(0, |(end, _)| *end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(head: i32, tail: i32, len: usize) -> Vec<LlamaToken> {
        (0..len)
            .map(|i| LlamaToken(if i < 2 * CHUNK { head } else { tail }))
            .collect()
    }

    fn whole(tokens: &[LlamaToken]) -> Prompt<'_> {
        Prompt { tokens, head: 0 }
    }

    #[test]
    fn whole_chunks_only_and_never_the_last_token() {
        let mut slots = Slots::new(2);
        let long = tokens(1, 1, 3 * CHUNK);
        slots.holds(0, whole(&long));
        assert_eq!(
            slots.place(whole(&long)),
            Place {
                slot: 0,
                keep: 2 * CHUNK,
                copy_from: None
            }
        );
        assert_eq!(slots.place(whole(&long[..CHUNK + 5])).keep, CHUNK);
    }

    #[test]
    fn alternating_prompts_keep_their_tails() {
        let mut slots = Slots::new(4);
        let (a, b) = (tokens(1, 2, 8 * CHUNK + 1), tokens(1, 3, 8 * CHUNK + 1));
        slots.holds(0, whole(&a));
        let place = slots.place(whole(&b));
        assert_eq!((place.keep, place.copy_from), (2 * CHUNK, Some(0)));
        slots.holds(place.slot, whole(&b));
        assert_eq!(slots.place(whole(&a)).keep, 8 * CHUNK);
        assert_eq!(slots.place(whole(&b)).keep, 8 * CHUNK);
    }

    #[test]
    fn short_instructions_are_a_chunk_of_their_own() {
        let text = tokens(1, 2, 3 * CHUNK);
        let prompt = |len: usize, head: usize| Prompt {
            tokens: &text[..len],
            head,
        };
        assert_eq!(prompt(CHUNK + 50, 30).ends(), [30, 30 + CHUNK, CHUNK + 50]);
        assert_eq!(
            prompt(CHUNK + 50, CHUNK + 20).ends(),
            [CHUNK, CHUNK + 20, CHUNK + 50]
        );
        let mut slots = Slots::new(1);
        slots.holds(0, prompt(40, 30));
        assert_eq!(slots.place(prompt(2 * CHUNK, 30)).keep, 30);
        // Read in other batches, the same tokens may have other last bits: they are read again.
        assert_eq!(slots.place(prompt(2 * CHUNK, 20)).keep, 0);
        slots.holds(0, prompt(2 * CHUNK + 5, 2 * CHUNK + 5));
        assert_eq!(slots.place(prompt(3 * CHUNK, CHUNK + 9)).keep, CHUNK);
    }
}
