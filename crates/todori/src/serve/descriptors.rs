//! How many connections there is room for: each takes a file descriptor, and the board, its lock and the sessions need
//! some too.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// As many descriptors as are ever needed: of connections, sessions and files.
const ENOUGH: u64 = 4_096;
/// Not for connections: a part of all descriptors, and never fewer than this.
const FOR_FILES: u64 = 32;

/// Gets as many descriptors as the system gives, and says how many connections they are enough for.
pub(super) fn room_for_connections(most: usize) -> usize {
    let limit = getrlimit(Resource::Nofile);
    let Some(now) = limit.current else {
        return most;
    };
    fitting(raised(now, limit), most)
}

/// The number of descriptors, after an attempt to raise it.
fn raised(now: u64, limit: Rlimit) -> u64 {
    let wanted = limit.maximum.map_or(ENOUGH, |most| most.min(ENOUGH));
    if wanted <= now {
        return now;
    }
    let new = Rlimit {
        current: Some(wanted),
        maximum: limit.maximum,
    };
    setrlimit(Resource::Nofile, new).map_or(now, |()| wanted)
}

fn fitting(descriptors: u64, most: usize) -> usize {
    let left = descriptors.saturating_sub(FOR_FILES.max(descriptors / 4));
    usize::try_from(left).map_or(most, |left| left.clamp(4, most))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_leave_descriptors_for_files() {
        for (descriptors, expected) in [(4_096, 768), (1_024, 768), (256, 192), (64, 32), (16, 4)] {
            assert_eq!(fitting(descriptors, 768), expected, "of {descriptors}");
        }
    }
}
