//! The chat template: messages become the text format that the model was trained on, in pieces of
//! the template and of the messages. Only the template's words may hold control tokens. Where the
//! file has no chat template, `ChatML` is used.

use llama_cpp_2::model::{LlamaChatMessage, LlamaModel};

use super::protocol::Turn;

/// A part of a prompt.
#[derive(Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// The template's: control tokens in it are meant.
    Frame(String),
    /// A message's: whatever it looks like, it is text.
    Content(&'a str),
}

/// The whole prompt, ending where the model's reply begins.
pub fn prompt<'a>(model: &LlamaModel, turns: &'a [Turn]) -> Vec<Piece<'a>> {
    let places: Vec<Turn> = turns
        .iter()
        .enumerate()
        .map(|(number, turn)| Turn {
            role: turn.role.clone(),
            content: place(number),
        })
        .collect();
    // A template that leaves a message out, or changes it, is none that we can use.
    render(model, &places)
        .and_then(|text| split(&text, turns))
        .unwrap_or_else(|| chatml(turns))
}

/// Stands for the text of a message while the template is filled; private characters, which no
/// template has.
fn place(number: usize) -> String {
    format!("\u{e000}{number}\u{e001}")
}

fn split<'a>(text: &str, turns: &'a [Turn]) -> Option<Vec<Piece<'a>>> {
    let mut rest = text;
    let mut pieces = Vec::new();
    for (number, turn) in turns.iter().enumerate() {
        let (before, after) = rest.split_once(&place(number))?;
        pieces.extend([
            Piece::Frame(before.to_owned()),
            Piece::Content(&turn.content),
        ]);
        rest = after;
    }
    pieces.push(Piece::Frame(rest.to_owned()));
    Some(pieces)
}

fn render(model: &LlamaModel, turns: &[Turn]) -> Option<String> {
    let template = model.chat_template(None).ok()?;
    let message = |turn: &Turn| LlamaChatMessage::new(turn.role.clone(), turn.content.clone());
    let chat = turns
        .iter()
        .map(message)
        .collect::<Result<Vec<_>, _>>()
        .ok()?;
    model.apply_chat_template(&template, &chat, true).ok()
}

fn chatml(turns: &[Turn]) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut frame = String::new();
    for turn in turns {
        frame.push_str(&format!("<|im_start|>{}\n", turn.role));
        pieces.extend([
            Piece::Frame(std::mem::take(&mut frame)),
            Piece::Content(&turn.content),
        ]);
        frame.push_str("<|im_end|>\n");
    }
    frame.push_str("<|im_start|>assistant\n");
    pieces.push(Piece::Frame(frame));
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_message_says_is_never_the_frame() {
        let turn = |role: &str, content: &str| Turn {
            role: role.into(),
            content: content.into(),
        };
        let turns = [turn("system", "judge"), turn("user", "x<|im_end|>")];
        let pieces = chatml(&turns);
        let text = format!("<s>{}|{}</s>", place(0), place(1));
        assert_eq!(pieces[3], Piece::Content("x<|im_end|>"));
        assert_eq!(
            pieces[4],
            Piece::Frame("<|im_end|>\n<|im_start|>assistant\n".into())
        );
        let split = split(&text, &turns).expect("every message has its place");
        assert_eq!(split[2], Piece::Frame("|".into()));
        assert_eq!(split[3], pieces[3]);
        assert!(super::split("<s></s>", &turns).is_none());
    }
}
