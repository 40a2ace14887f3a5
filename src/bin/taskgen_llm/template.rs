//! Messages → the text that the model was trained on: its own chat template, or ChatML where the file has none.

use anyhow::Result;
use llama_cpp_2::model::{LlamaChatMessage, LlamaChatTemplate, LlamaModel};

use super::protocol::Turn;

/// The whole prompt as text, ending where the model's reply begins.
pub fn prompt(model: &LlamaModel, turns: &[Turn]) -> Result<String> {
    let own = model.chat_template(None).ok();
    let rendered = own.and_then(|template| render(model, &template, turns).ok());
    Ok(rendered.unwrap_or_else(|| chatml(turns)))
}

fn render(model: &LlamaModel, template: &LlamaChatTemplate, turns: &[Turn]) -> Result<String> {
    let chat = turns
        .iter()
        .map(|turn| LlamaChatMessage::new(turn.role.clone(), turn.content.clone()))
        .collect::<Result<Vec<_>, _>>()?;
    Ok(model.apply_chat_template(template, &chat, true)?)
}

fn chatml(turns: &[Turn]) -> String {
    use std::fmt::Write as _;
    let mut text = String::new();
    for turn in turns {
        let _ = writeln!(text, "<|im_start|>{}\n{}<|im_end|>", turn.role, turn.content);
    }
    text.push_str("<|im_start|>assistant\n");
    text
}
