//! The entities of an RO-Crate: each once, in the order in which they came up.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{card, licences};
use crate::data::id::sha256_hex;

/// Entities by their ids.
#[derive(Default)]
pub(super) struct Graph {
    entities: Vec<Value>,
    places: BTreeMap<String, Place>,
}

#[derive(Clone, Copy)]
struct Place {
    index: usize,
    /// Whether another may take its place.
    mentioned: bool,
}

impl Graph {
    /// Adds an entity unless it is there. One that was only mentioned gets its fields.
    pub fn add(&mut self, entity: Value) {
        let id = id_of(&entity);
        match self.places.get(&id) {
            Some(place) if !place.mentioned => {}
            Some(_) => self.replace(entity),
            None => self.insert(id, entity, false),
        }
    }

    /// Adds an entity, or puts it where one with its id is: it says more.
    pub fn replace(&mut self, entity: Value) {
        let id = id_of(&entity);
        match self.places.get_mut(&id) {
            Some(place) => {
                place.mentioned = false;
                self.entities[place.index] = entity;
            }
            None => self.insert(id, entity, false),
        }
    }

    /// The id of an entity that another names; it may be described later, or nowhere.
    pub fn mention(&mut self, id: &str, kind: &str) -> String {
        let entity = thing(id, "CreativeWork", &format!("{kind} {id}"));
        let id = id_of(&entity);
        if !self.places.contains_key(&id) {
            self.insert(id.clone(), entity, true);
        }
        id
    }

    fn insert(&mut self, id: String, entity: Value, mentioned: bool) {
        let index = self.entities.len();
        self.places.insert(id, Place { index, mentioned });
        self.entities.push(entity);
    }

    /// Adds an action that made `result` out of `objects`.
    pub fn action(
        &mut self,
        kind: &str,
        result: &str,
        objects: &[String],
        instrument: &str,
    ) -> &mut Value {
        let id = format!("#{kind}-of-{}", result.trim_start_matches('#'));
        let mut action = json!({
            "@id": id,
            "@type": "CreateAction",
            "name": format!("{kind} of {}", result.trim_start_matches('#')),
            "actionStatus": reference("http://schema.org/CompletedActionStatus"),
            "instrument": reference(instrument),
            "result": reference(result),
        });
        if !objects.is_empty() {
            action["object"] = references(objects);
        }
        self.add(action);
        let index = self.places.get(&id).map_or(0, |place| place.index);
        &mut self.entities[index]
    }

    /// Adds a licence and returns a reference to it.
    pub fn licence(&mut self, name: &str) -> Value {
        let (id, name) = match licences::known(name) {
            Some(known) => (known.address(), known.spdx),
            None => (named("licence", name), name),
        };
        let mut licence = json!({ "@id": id, "@type": "CreativeWork", "name": name });
        if name == card::UNKNOWN {
            licence["description"] = json!("Nobody named a licence.");
        }
        self.add(licence);
        reference(&id)
    }

    /// References to all entities.
    pub fn ids(&self) -> Vec<Value> {
        let ids = self.entities.iter();
        ids.map(|entity| reference(&id_of(entity))).collect()
    }

    /// All entities in order.
    pub fn entities(self) -> impl Iterator<Item = Value> {
        self.entities.into_iter()
    }
}

fn id_of(entity: &Value) -> String {
    entity["@id"].as_str().unwrap_or_default().to_owned()
}

/// An entity inside the crate with its name.
pub(super) fn thing(id: &str, kind: &str, name: &str) -> Value {
    json!({ "@id": format!("#{id}"), "@type": kind, "name": name })
}

/// A reference to an entity.
pub(super) fn reference(id: &str) -> Value {
    json!({ "@id": id })
}

/// References to entities.
pub(super) fn references(ids: &[String]) -> Value {
    one_or_several(ids.iter().map(|id| reference(id)).collect())
}

/// One value as it is: the standard recommends no list for it.
pub(super) fn one_or_several(mut values: Vec<Value>) -> Value {
    match values.pop() {
        Some(only) if values.is_empty() => only,
        Some(last) => {
            values.push(last);
            values.into()
        }
        None => Value::Null,
    }
}

/// The id of what has only a name: strangers' names are no addresses.
pub(super) fn named(kind: &str, name: &str) -> String {
    let hash = sha256_hex(name.as_bytes());
    format!("#{kind}-{}", &hash[..16])
}
