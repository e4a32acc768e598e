//! How often a name was used: the generations of named runs (S7.5).

use std::collections::HashMap;

use crate::model::{RunName, SessionName};

/// The newest generation of each name, session by session.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Generations(HashMap<SessionName, HashMap<RunName, u64>>);

impl Generations {
    /// Knows no names yet.
    pub fn new() -> Generations {
        Generations::default()
    }

    /// Returns the newest generation of a name in a session; 0 when there was none.
    pub fn newest(&self, session: &SessionName, name: &RunName) -> u64 {
        self.0.get(session).and_then(|names| names.get(name)).copied().unwrap_or(0)
    }

    /// Takes note of a generation.
    pub fn note(&mut self, session: &SessionName, name: &RunName, generation: u64) {
        if !self.0.contains_key(session) {
            self.0.insert(session.clone(), HashMap::new());
        }
        if let Some(names) = self.0.get_mut(session) {
            names.insert(name.clone(), generation);
        }
    }
}
