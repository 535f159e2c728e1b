//! Where this user's programs keep their settings.

use std::path::PathBuf;

use super::env;

/// Where this user's programs keep their settings; none where there is no home.
#[derive(Debug, Clone, Default)]
pub(crate) struct Folders {
    pub(crate) home: Option<PathBuf>,
    /// `~/.config`, or what takes its place.
    pub(crate) config: Option<PathBuf>,
    /// `~/.local/state`, or what takes its place.
    pub(crate) state: Option<PathBuf>,
    /// Where Claude Code keeps everything, if not in the usual places.
    pub(crate) claude: Option<PathBuf>,
    /// Where Codex keeps everything, if not in the usual place.
    pub(crate) codex: Option<PathBuf>,
    /// Where programs are looked for.
    pub(crate) programs: Vec<PathBuf>,
}

impl Folders {
    pub(crate) fn resolve() -> Self {
        // Relative paths mean nothing here, as the XDG specification says.
        let folder = |variable: env::Variable| {
            let folder = variable.read().map(PathBuf::from);
            folder.filter(|folder| folder.is_absolute())
        };
        let home = folder(env::HOME);
        let below = |path: &str| home.as_ref().map(|home| home.join(path));
        let programs = env::PATH.read().unwrap_or_default();
        Self {
            config: folder(env::CONFIG_HOME).or_else(|| below(".config")),
            state: folder(env::STATE_HOME).or_else(|| below(".local/state")),
            claude: folder(env::CLAUDE_CONFIG),
            codex: folder(env::CODEX_HOME),
            programs: std::env::split_paths(&programs)
                .filter(|folder| folder.is_absolute())
                .collect(),
            home,
        }
    }
}
