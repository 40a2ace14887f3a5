//! Messages → the text that the model was trained on. Where the file has no chat template, `ChatML` is used.

use anyhow::Result;
use llama_cpp_2::model::{LlamaChatMessage, LlamaChatTemplate, LlamaModel};

use super::protocol::Turn;

/// The whole prompt as text, ending where the model's reply begins.
pub fn prompt(model: &LlamaModel, turns: &[Turn]) -> String {
    let own = model.chat_template(None).ok();
    let rendered = own.and_then(|template| render(model, &template, turns, true).ok());
    rendered.unwrap_or_else(|| chatml(turns) + "<|im_start|>assistant\n")
}

/// The beginning that is the system's, if the prompt has one: what other prompts of the same kind begin with.
pub fn system(model: &LlamaModel, turns: &[Turn]) -> Option<String> {
    let first = &turns[..1.min(turns.len())];
    first.first().filter(|turn| turn.role == "system" && turns.len() > 1)?;
    match model.chat_template(None) {
        // Some templates want a user's turn: then the prompt has no beginning that we know of.
        Ok(template) => render(model, &template, first, false).ok(),
        Err(_) => Some(chatml(first)),
    }
}

fn render(model: &LlamaModel, template: &LlamaChatTemplate, turns: &[Turn], reply: bool) -> Result<String> {
    let chat = turns
        .iter()
        .map(|turn| LlamaChatMessage::new(turn.role.clone(), turn.content.clone()))
        .collect::<Result<Vec<_>, _>>()?;
    Ok(model.apply_chat_template(template, &chat, reply)?)
}

fn chatml(turns: &[Turn]) -> String {
    use std::fmt::Write as _;
    let mut text = String::new();
    for turn in turns {
        let _ = writeln!(text, "<|im_start|>{}\n{}<|im_end|>", turn.role, turn.content);
    }
    text
}
