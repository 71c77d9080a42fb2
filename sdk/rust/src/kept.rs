use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use crate::lock;
use crate::step::Step;

/// How many steps are kept.
const MAX: usize = 256;

/// The first steps of calls that have a token. Until a time that it names, the plugin would begin an equal call with the same
/// step, unless more than beginnings came between: so a warm call needs no plugin.
#[derive(Default)]
pub struct Kept(Mutex<State>);

#[derive(Default)]
struct State {
    steps: HashMap<String, (Arc<Step>, u64)>,
    generation: u64,
    /// When a call last looked.
    latest: u64,
}

impl Kept {
    /// The step that begins a call. A clock that went back ends all steps.
    pub fn find(&self, key: &str, now: u64) -> Option<Arc<Step>> {
        let mut state = lock(&self.0);
        if now < state.latest {
            state.clear();
        }
        state.latest = now;
        state.steps.get(key).filter(|(_, until)| now < *until).map(|(step, _)| step.clone())
    }

    /// The generation of the steps. If the plugin is about to change, a new one begins.
    pub fn generation(&self, changes: bool) -> u64 {
        let mut state = lock(&self.0);
        if changes {
            state.clear();
        }
        state.generation
    }

    /// Keeps a step, unless the plugin may have changed since its generation.
    pub fn keep(&self, key: String, step: &Arc<Step>, until: u64, generation: u64) {
        let mut state = lock(&self.0);
        if generation != state.generation {
            return;
        }
        if state.steps.len() == MAX {
            state.steps.clear();
        }
        state.steps.insert(key, (step.clone(), until));
    }
}

impl State {
    fn clear(&mut self) {
        self.generation += 1;
        self.steps.clear();
    }
}
