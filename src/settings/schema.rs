//! The configuration as a JSON schema, made from the table of keys.

use serde_json::{Map, Value, json};

use super::keys::{KEYS, KEYS_OF_PART, KeyEntry, Kind, ROOT, Section, THEME, THEME_COLORS, sections};

/// Names that are known to who uses the configuration, not to the table of keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaNames {
    /// The parts of the terminal interface with their actions, for `[keys.PART]`.
    pub parts: Vec<(String, Vec<String>)>,
    /// The roles of `[theme.colors]`.
    pub roles: Vec<String>,
}

/// Returns the JSON schema (draft 7) of a configuration file.
pub fn schema(names: &SchemaNames) -> Value {
    let mut tables = Map::new();
    for section in sections() {
        let name = section.heading;
        if ROOT.names().any(|known| known == name) {
            tables.insert(name.to_owned(), table(&section));
        }
    }
    tables.insert("keys".into(), keys(names));
    tables.insert("theme".into(), theme(names));
    tables.insert("tasks".into(), tasks());
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "shtask",
        "description": "The configuration of shtask: shtask.toml of a project, and the user's own config.toml.",
        "type": "object",
        "properties": tables,
        "additionalProperties": false,
    })
}

/// The table of a section with its keys and no others.
fn table(section: &Section) -> Value {
    let properties: Map<String, Value> =
        section.entries.iter().map(|entry| (entry.name.to_owned(), key(entry))).collect();
    json!({
        "type": "object",
        "description": section.about,
        "properties": properties,
        "additionalProperties": false,
    })
}

fn key(entry: &KeyEntry) -> Value {
    let mut schema = kind(entry.kind, entry.value);
    schema["description"] = entry.about.into();
    if entry.is_default
        && let Some(default) = as_json(entry.value)
    {
        schema["default"] = default;
    }
    schema
}

fn kind(kind: Kind, example: &str) -> Value {
    let text = || json!({ "type": "string" });
    let texts = || json!({ "type": "array", "items": { "type": "string" } });
    match kind {
        Kind::AsExample => match as_json(example) {
            Some(Value::Bool(_)) => json!({ "type": "boolean" }),
            Some(Value::Number(_)) => json!({ "type": "integer" }),
            Some(Value::Array(_)) => json!({ "type": "array" }),
            Some(Value::Object(_)) => json!({ "type": "object" }),
            Some(Value::String(_) | Value::Null) | None => text(),
        },
        Kind::Count(least, most) => json!({ "type": "integer", "minimum": least, "maximum": most }),
        Kind::Bytes => json!({ "anyOf": [{ "type": "integer", "minimum": 0 }, text()] }),
        Kind::OneOf(words) => json!({ "type": "string", "enum": words }),
        Kind::Texts => json!({ "anyOf": [text(), texts()] }),
        Kind::TextsOrFalse => json!({ "anyOf": [text(), texts(), { "type": "boolean", "enum": [false] }] }),
        Kind::TextOrTable(heading) => {
            let mut ways = vec![text(), json!({ "type": "integer" })];
            ways.extend(sections().iter().find(|section| section.heading == heading).map(table));
            json!({ "anyOf": ways })
        }
    }
}

fn as_json(value: &str) -> Option<Value> {
    let table: toml::Table = format!("value = {value}").parse().ok()?;
    serde_json::to_value(table.get("value")?).ok()
}

/// A table with these keys, all of one kind.
fn of_names<'a>(about: &str, names: impl IntoIterator<Item = &'a String>, each: &Value) -> Value {
    let properties: Map<String, Value> = names.into_iter().map(|name| (name.clone(), each.clone())).collect();
    json!({ "type": "object", "description": about, "properties": properties, "additionalProperties": false })
}

fn keys(names: &SchemaNames) -> Value {
    let mut keys = table(&KEYS);
    let each = kind(Kind::TextsOrFalse, "");
    for (part, actions) in &names.parts {
        keys["properties"][part] = of_names(KEYS_OF_PART.about, actions, &each);
    }
    keys
}

fn theme(names: &SchemaNames) -> Value {
    let mut theme = table(&THEME);
    theme["properties"]["colors"] = of_names(THEME_COLORS.about, &names.roles, &json!({ "type": "string" }));
    theme
}

fn tasks() -> Value {
    let task = sections().iter().find(|section| section.heading == "tasks.NAME").map(table);
    let mut task = task.expect("tasks have a section");
    task["oneOf"] = json!([{ "required": ["run"] }, { "required": ["argv"] }]);
    json!({ "type": "object", "description": "The tasks, by name.", "additionalProperties": task })
}
