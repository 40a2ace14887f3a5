//! RO-Crate 1.1: the way from a recording through its transcript and its inspirations to a task,
//! and on to reports and their scores. It holds ids, times and names; texts stand in the data.

use anyhow::Result;
use serde_json::{Value, json};

use super::{
    card::{self, Card, Sources},
    columns::{self, JSONL},
    crate_graph::{Graph, named, one_or_several, reference, references, thing},
    readme,
};
use crate::{
    data::{
        FromFile, Ms, ReportRecord, SetRecord, State, TaskRecord,
        record::{FromTalk, InspirationRecord, Provenance, Quote, Recording},
    },
    report::export::ExportFile,
};

const TOOL: &str = "#taskgen";

/// The crate's description, and the tasks that it is about: the same file as in the folder for the
/// Hugging Face hub. Reports are those of the set's tasks, and may be none.
pub fn files(set: &SetRecord, reports: &[ReportRecord], about: &Card) -> Result<Vec<ExportFile>> {
    let (lines, hash) = columns::jsonl(set)?;
    let mut graph = Graph::default();
    graph.add(json!({
        "@id": TOOL, "@type": "SoftwareApplication", "name": "taskgen",
        "version": about.tool_version,
    }));
    for record in set.records() {
        task(&mut graph, record);
    }
    for id in card::withdrawn(set) {
        let mut gone = thing(id.as_str(), "CreativeWork", &format!("withdrawn task {id}"));
        gone["creativeWorkStatus"] = json!("withdrawn");
        graph.add(gone);
    }
    for written in reports {
        report(&mut graph, written);
    }
    let file = json!({
        "@id": JSONL, "@type": "File", "name": "tasks",
        "description": "One task a line: texts, facets, provenance.",
        "encodingFormat": "application/jsonlines",
        "contentSize": lines.len().to_string(),
        "sha256": hash,
    });
    let described = described(set, about, file, graph);
    Ok(vec![
        ExportFile::text("ro-crate-metadata.json", format!("{described:#}\n")),
        ExportFile::text(JSONL, lines),
    ])
}

/// The whole graph: its descriptor, the root, the file, and what leads to the tasks.
fn described(set: &SetRecord, about: &Card, file: Value, mut graph: Graph) -> Value {
    let licences = card::licences(about, &Sources::of(set));
    let licences: Vec<Value> = licences.iter().map(|name| graph.licence(name)).collect();
    let descriptor = json!({
        "@id": "ro-crate-metadata.json",
        "@type": "CreativeWork",
        "conformsTo": reference("https://w3id.org/ro/crate/1.1"),
        "about": reference("./"),
    });
    let mut root = json!({
        "@id": "./",
        "@type": "Dataset",
        "name": format!("{}, version {}", set.name, set.version),
        "description": format!("{} Canary: {}", card::sentence(set), set.canary),
        "identifier": format!("{} sha256:{}", set.label(), set.sha256),
        "version": set.version.to_string(),
        "datePublished": about.day,
        "license": one_or_several(licences),
        "creditText": readme::cite_as(set, about),
        "hasPart": reference(JSONL),
    });
    if let Some(publisher) = &about.publisher {
        let id = named("publisher", publisher);
        graph.add(json!({ "@id": id, "@type": "Organization", "name": publisher }));
        root["author"] = reference(&id);
        root["publisher"] = reference(&id);
    }
    if let Some(address) = &about.address {
        root["url"] = json!(address);
    }
    root["mentions"] = one_or_several(graph.ids());
    let entities = [descriptor, root, file].into_iter().chain(graph.entities());
    json!({
        "@context": "https://w3id.org/ro/crate/1.1/context",
        "@graph": entities.collect::<Vec<_>>(),
    })
}

fn task(graph: &mut Graph, record: &TaskRecord) {
    let mut task = thing(
        record.id.as_str(),
        "CreativeWork",
        &format!("task {}", record.id),
    );
    task["inLanguage"] = json!(record.language);
    task["isPartOf"] = reference(JSONL);
    let mut origins = match &record.provenance {
        Provenance::Talk(from) => talk(graph, from),
        Provenance::Imported { imported } => vec![file_of(graph, imported)],
    };
    if let Some(original) = &record.translation_of {
        let original = graph.mention(original.as_str(), "task");
        task["translationOfWork"] = reference(&original);
        origins.push(original);
    }
    if let Some(edited) = &record.edited {
        let person = named("person", &edited.by);
        graph.add(json!({ "@id": person, "@type": "Person", "name": edited.by }));
        task["contributor"] = reference(&person);
        origins.push(graph.mention(edited.task.as_str(), "task"));
    }
    if !origins.is_empty() {
        task["isBasedOn"] = references(&origins);
    }
    let id = format!("#{}", record.id);
    graph.add(task);
    graph.action("writing", &id, &origins, TOOL);
}

/// The inspirations of a task, with the way back to the recordings; their ids.
fn talk(graph: &mut Graph, from: &FromTalk) -> Vec<String> {
    let seminar = recording(graph, &from.seminar);
    let transcript = format!("#{}", from.transcript.id);
    graph.add(transcript_of(&transcript, &seminar));
    let model = &from.transcript.asr_model;
    let recogniser = named("model", &format!("{} {}", model.name, model.sha256));
    graph.add(json!({
        "@id": recogniser, "@type": "SoftwareApplication", "name": model.name,
        "identifier": format!("sha256:{}", model.sha256),
    }));
    graph.action("recognition", &transcript, &[seminar], &recogniser);
    let found = from.inspirations.iter();
    found.map(|found| inspiration(graph, found)).collect()
}

fn transcript_of(id: &str, seminar: &str) -> Value {
    json!({
        "@id": id, "@type": "CreativeWork", "name": format!("transcript {}", &id[1..]),
        "isBasedOn": reference(seminar),
    })
}

fn recording(graph: &mut Graph, recording: &Recording) -> String {
    let id = format!("#{}", recording.id);
    let licence = graph.licence(&recording.licence);
    // `MediaObject` would be a file of the crate, which holds no recordings.
    graph.replace(json!({
        "@id": id,
        "@type": "CreativeWork",
        "genre": "recording",
        "name": recording.title,
        "alternateName": recording.path,
        "license": licence,
        "sha256": recording.media_sha256,
        "duration": duration(recording.duration_s),
    }));
    id
}

fn inspiration(graph: &mut Graph, found: &InspirationRecord) -> String {
    let seminar = format!("#{}", found.seminar.id);
    // Only a task's first recording is described in it; another task may describe this one.
    graph.add(json!({
        "@id": seminar, "@type": "CreativeWork", "genre": "recording", "name": found.seminar.path,
    }));
    let quotes = found.evidence.iter();
    let quotes: Vec<String> = quotes.map(|said| quote(graph, said, &seminar)).collect();
    let id = format!("#{}", found.id);
    let mut inspiration = thing(
        found.id.as_str(),
        "CreativeWork",
        &format!("inspiration {}", found.id),
    );
    inspiration["genre"] = json!(found.kind);
    if !quotes.is_empty() {
        inspiration["isBasedOn"] = references(&quotes);
    }
    graph.add(inspiration);
    graph.action("inspiration", &id, &quotes, TOOL);
    id
}

/// A span of a transcript, by its segment and its characters.
fn quote(graph: &mut Graph, said: &Quote, seminar: &str) -> String {
    let (transcript, segment) = said
        .segment_id
        .rsplit_once('/')
        .unwrap_or((&said.segment_id, ""));
    let transcript = format!("#{transcript}");
    graph.add(transcript_of(&transcript, seminar));
    let id = format!("#{}/{}-{}", said.segment_id, said.start_char, said.end_char);
    graph.add(json!({
        "@id": id,
        "@type": "Clip",
        "name": format!("{} to {}", said.start_s, said.end_s),
        "identifier": said.segment_id,
        "position": segment,
        "startOffset": said.start_s.seconds(),
        "endOffset": said.end_s.seconds(),
        "isPartOf": reference(&transcript),
        "isBasedOn": reference(seminar),
    }));
    id
}

fn file_of(graph: &mut Graph, from: &FromFile) -> String {
    let benchmark = named("benchmark", &format!("{} {}", from.benchmark, from.licence));
    let licence = graph.licence(&from.licence);
    graph.add(json!({
        "@id": benchmark, "@type": "CreativeWork", "name": from.benchmark, "license": licence,
    }));
    let Some(file_id) = &from.file_id else {
        return benchmark;
    };
    let id = named("item", &format!("{benchmark} {file_id}"));
    graph.add(json!({
        "@id": id, "@type": "CreativeWork", "name": file_id, "isPartOf": reference(&benchmark),
    }));
    id
}

fn report(graph: &mut Graph, written: &ReportRecord) {
    let id = format!("#{}", written.id);
    let task = graph.mention(written.task.as_str(), "task");
    let agent = named("agent", &written.agent);
    graph.add(json!({ "@id": agent, "@type": "SoftwareApplication", "name": written.agent }));
    let mut report = thing(
        written.id.as_str(),
        "CreativeWork",
        &format!("report {}", written.id),
    );
    report["isBasedOn"] = reference(&task);
    report["version"] = json!(written.attempt.to_string());
    report["creativeWorkStatus"] = json!(written.state.word());
    graph.add(report);
    let action = graph.action("answer", &id, &[task], &agent);
    if written.state != State::Ok {
        action["actionStatus"] = reference("http://schema.org/FailedActionStatus");
        action["error"] = json!(written.state.word());
    }
    for (measure, score) in &written.scores {
        let mut judged = judgement(&id, measure);
        let rating = named("rating", &format!("{id} {measure}"));
        graph.add(json!({
            "@id": rating, "@type": "Rating", "name": measure, "ratingValue": score,
        }));
        judged["reviewRating"] = reference(&rating);
        graph.add(judged);
    }
    for (measure, cause) in &written.unscored {
        let mut judged = judgement(&id, measure);
        judged["creativeWorkStatus"] = json!("unscored");
        judged["abstract"] = json!(cause);
        graph.add(judged);
    }
}

fn judgement(report: &str, measure: &str) -> Value {
    json!({
        "@id": named("judgement", &format!("{report} {measure}")),
        "@type": "Review",
        "name": format!("{measure} of {}", &report[1..]),
        "reviewAspect": measure,
        "itemReviewed": reference(report),
        "isBasedOn": reference(report),
    })
}

/// A length as ISO 8601 writes it.
fn duration(length: Ms) -> String {
    format!("PT{}.{:03}S", length.0 / 1000, length.0 % 1000)
}
