use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use crate::lock;
use crate::step::Step;

/// How many steps are kept.
const MAX: usize = 256;

/// The first steps of calls that have a token. Until a time that the plugin names, it would begin an equal call with the same
/// step, unless its state changes in between: so a warm call needs no plugin.
#[derive(Default)]
pub struct Kept(Mutex<State>);

#[derive(Default)]
struct State {
    steps: HashMap<String, (Arc<Step>, u64)>,
    generation: u64,
    /// The time of the latest look.
    latest: u64,
}

impl Kept {
    /// Returns the step that begins a call. Drops all steps if the clock went back.
    pub fn find(&self, key: &str, now: u64) -> Option<Arc<Step>> {
        let mut state = lock(&self.0);
        if now < state.latest {
            state.clear();
        }
        state.latest = now;
        state.steps.get(key).filter(|(_, until)| now < *until).map(|(step, _)| step.clone())
    }

    /// Returns the generation of the steps. Begins a new one if the plugin's state is about to change.
    pub fn generation(&self, changes: bool) -> u64 {
        let mut state = lock(&self.0);
        if changes {
            state.clear();
        }
        state.generation
    }

    /// Keeps a step, unless the plugin's state may have changed since its generation.
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
