//! The dependency graph: which task waits for which. Knows tasks only by id, so it can be tested without a board.
//!
//! A board that was merged from two branches can contain a cycle that neither branch had, and tasks on it can wait for
//! tasks that are gone. Everything here terminates and gives a sensible answer on such graphs too.

use std::collections::{HashMap, HashSet};

use crate::TaskId;

/// Which tasks wait for which.
#[derive(Debug, Clone, Default)]
pub struct Graph {
    waits_for: HashMap<TaskId, Vec<TaskId>>,
}

impl Graph {
    /// Builds the graph from its edges.
    pub fn new(edges: impl IntoIterator<Item = (TaskId, Vec<TaskId>)>) -> Self {
        Self {
            waits_for: edges.into_iter().collect(),
        }
    }

    /// The number of edges of the longest chain; an edge that closes a cycle is not counted.
    pub fn longest_chain(&self) -> usize {
        let mut depths = HashMap::with_capacity(self.waits_for.len());
        self.waits_for
            .keys()
            .map(|&id| self.depth(id, &mut depths))
            .max()
            .unwrap_or(0)
    }

    /// The tasks of the longest chain, beginning with the one that all others wait for; empty if no task waits. Of chains
    /// of the same length it is the one with the smallest ids, so that the answer is always the same.
    pub fn longest_path(&self) -> Vec<TaskId> {
        let mut depths = HashMap::with_capacity(self.waits_for.len());
        for &id in self.waits_for.keys() {
            self.depth(id, &mut depths);
        }
        let depth_of = |id: &TaskId| depths.get(id).copied().unwrap_or(0);
        let deepest = |ids: &mut dyn Iterator<Item = TaskId>| {
            ids.max_by_key(|id| (depth_of(id), std::cmp::Reverse(*id)))
        };
        let mut path = Vec::new();
        let mut at = deepest(&mut self.waits_for.keys().copied()).filter(|id| depth_of(id) > 0);
        while let Some(id) = at {
            path.push(id);
            let below = self.waits_for.get(&id).into_iter().flatten().copied();
            // Depths do not fall along a cycle, so no task is visited twice.
            let mut below = below
                .filter(|next| self.waits_for.contains_key(next) && depth_of(next) < depth_of(&id));
            at = deepest(&mut below);
        }
        path.reverse();
        path
    }

    /// The length of the longest chain below a task. Without recursion, because a chain can be as long as the board.
    fn depth(&self, start: TaskId, depths: &mut HashMap<TaskId, usize>) -> usize {
        let mut open: HashSet<TaskId> = HashSet::new();
        let mut path = vec![(start, 0usize, 0usize)];
        while let Some((id, next, deepest)) = path.pop() {
            if next == 0 {
                if depths.contains_key(&id) {
                    continue;
                }
                open.insert(id);
            }
            let targets = self.waits_for.get(&id).map_or(&[][..], Vec::as_slice);
            let known = targets.iter().skip(next).position(|target| {
                self.waits_for.contains_key(target)
                    && !open.contains(target)
                    && !depths.contains_key(target)
            });
            if let Some(skipped) = known {
                let at = next + skipped;
                path.push((id, at + 1, deepest));
                if let Some(&target) = targets.get(at) {
                    path.push((target, 0, 0));
                }
                continue;
            }
            let deepest = targets
                .iter()
                .filter(|target| self.waits_for.contains_key(target) && !open.contains(target))
                .map(|target| 1 + depths.get(target).copied().unwrap_or(0))
                .max()
                .unwrap_or(0);
            open.remove(&id);
            depths.insert(id, deepest);
        }
        depths.get(&start).copied().unwrap_or(0)
    }
}

/// Finds the cycle that would arise if `task` waited for `targets`: its tasks from `task` on, each waiting for the next.
/// `waits_for` gives what any other task waits for.
pub fn find_cycle<'a>(
    task: TaskId,
    targets: &'a [TaskId],
    waits_for: impl Fn(TaskId) -> &'a [TaskId],
) -> Option<Vec<TaskId>> {
    let mut seen: HashSet<TaskId> = HashSet::new();
    // A stack of siblings still to visit for each task of the current path.
    let mut path = vec![task];
    let mut todo = vec![targets.iter()];
    while let Some(siblings) = todo.last_mut() {
        let Some(&next) = siblings.next() else {
            todo.pop();
            path.pop();
            continue;
        };
        if next == task {
            return Some(path);
        }
        if seen.insert(next) {
            path.push(next);
            todo.push(waits_for(next).iter());
        }
    }
    None
}

/// The tasks that are part of a cycle, or wait for one: what is left when tasks that wait for nothing are removed again
/// and again (Kahn's algorithm). Empty if there is no cycle. Linear in the number of edges, so that callers need not
/// look for a cycle from each task.
pub fn blocked_by_cycles<'a>(
    waits_for: impl IntoIterator<Item = (TaskId, &'a [TaskId])>,
) -> HashSet<TaskId> {
    let waits_for: HashMap<TaskId, &[TaskId]> = waits_for.into_iter().collect();
    let mut open: HashMap<TaskId, usize> = HashMap::with_capacity(waits_for.len());
    let mut dependents: HashMap<TaskId, Vec<TaskId>> = HashMap::new();
    for (&id, targets) in &waits_for {
        let known = targets
            .iter()
            .filter(|target| waits_for.contains_key(*target));
        open.insert(id, known.clone().count());
        for &target in known {
            dependents.entry(target).or_default().push(id);
        }
    }
    let mut free: Vec<TaskId> = Vec::new();
    free.extend(
        open.iter()
            .filter(|(_, count)| **count == 0)
            .map(|(&id, _)| id),
    );
    while let Some(id) = free.pop() {
        open.remove(&id);
        for other in dependents.get(&id).into_iter().flatten() {
            if let Some(count) = open.get_mut(other) {
                *count -= 1;
                if *count == 0 {
                    free.push(*other);
                }
            }
        }
    }
    open.into_keys().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::letter;

    /// Reads `a>b,c b>c c`: a waits for b and c, b for c.
    fn edges(text: &str) -> Vec<(TaskId, Vec<TaskId>)> {
        let ids = |names: &str| {
            names
                .split(',')
                .filter(|n| !n.is_empty())
                .map(letter)
                .collect()
        };
        text.split_whitespace()
            .map(|word| word.split_once('>').unwrap_or((word, "")))
            .map(|(task, targets)| (letter(task), ids(targets)))
            .collect()
    }

    fn check_cycle(graph: &str, wish: &str, expected: &str) {
        let map: HashMap<TaskId, Vec<TaskId>> = edges(graph).into_iter().collect();
        let (task, targets) = edges(wish).remove(0);
        let found = find_cycle(task, &targets, |id| {
            map.get(&id).map_or(&[][..], Vec::as_slice)
        });
        let words = found.map_or("none".to_owned(), |path| {
            path.into_iter()
                .map(crate::testing::name_of)
                .collect::<Vec<_>>()
                .join(" ")
        });
        assert_eq!(words, expected, "{graph} + {wish}");
    }

    #[test]
    fn a_cycle_is_named_from_the_task_on() {
        check_cycle("a>b b>c c", "c>a", "c a b");
        check_cycle("a>b b>c c", "a>c", "none");
        check_cycle("a", "a>a", "a");
        check_cycle("a>b,c b>d c>d d", "d>a", "d a b");
        check_cycle("a>b b>a c", "c>a", "none");
    }

    #[test]
    fn only_tasks_in_a_cycle_or_behind_one_are_blocked_by_it() {
        for (graph, expected) in [
            ("", ""),
            ("a>b b>c c", ""),
            ("a>z", ""),
            ("a>a b", "a"),
            ("a>b b>a c d>c", "a b"),
            ("a>b b>a c>a d", "a b c"),
        ] {
            let edges = edges(graph);
            let found =
                blocked_by_cycles(edges.iter().map(|(id, targets)| (*id, targets.as_slice())));
            let mut names: Vec<String> = found.into_iter().map(crate::testing::name_of).collect();
            names.sort();
            assert_eq!(names.join(" "), expected, "{graph}");
        }
    }

    #[test]
    fn the_longest_chain_is_counted_in_edges() {
        for (graph, expected) in [
            ("", 0),
            ("a b", 0),
            ("a>b b", 1),
            ("a>b b>c c", 2),
            ("a>b,d b>c c d", 2),
            ("a>b b>c c>d d>e e>f f", 5),
            ("a>z", 0),
        ] {
            assert_eq!(
                Graph::new(edges(graph)).longest_chain(),
                expected,
                "{graph}"
            );
        }
    }

    #[test]
    fn the_longest_path_begins_with_what_all_wait_for() {
        let names = |graph| {
            let path = Graph::new(edges(graph)).longest_path();
            let all = ["a", "b", "c", "d", "e"];
            let name = |id| all.into_iter().find(|name| letter(name) == id).unwrap();
            path.into_iter().map(name).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(names("a b"), "");
        assert_eq!(names("a>b b>c c d>c"), "c b a");
        assert_eq!(names("a>b b d>e e"), "b a", "the same each time");
        assert!(names("a>b b>a c>a").len() <= 5, "a cycle ends");
    }

    #[test]
    fn a_cycle_from_a_merge_does_not_hang() {
        assert!(Graph::new(edges("a>b b>a c>a")).longest_chain() <= 3);
        assert_eq!(Graph::new(edges("a>a")).longest_chain(), 0);
    }

    #[test]
    fn a_chain_as_long_as_a_board_does_not_overflow_the_stack() {
        let id = |n: u32| TaskId::from_bytes(u128::from(n).to_be_bytes());
        let chain = (0..50_000).map(|n| (id(n), vec![id(n + 1)]));
        assert_eq!(Graph::new(chain).longest_chain(), 49_999);
    }
}
