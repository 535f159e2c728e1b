//! What would be changed, and changing it: nothing is written that was not planned and could be shown.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::clients::{self, Client};
use super::file::{self, Found};
use super::op::{Op, Presence};
use super::receipts::Receipts;
use super::trouble::{Kind, Trouble};
use super::{Program, Server};
use crate::config::Folders;

/// For whom something is installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// For all projects of this user.
    User,
    /// For everybody in this project.
    Project,
}

/// Where to look for files.
#[derive(Debug)]
pub(crate) struct Site<'a> {
    pub(crate) folders: &'a Folders,
    /// The project's root, if there is a project.
    pub(crate) project: Option<&'a Path>,
}

/// What is wanted.
#[derive(Debug)]
pub(crate) struct Wish {
    pub(crate) client: &'static Client,
    pub(crate) scope: Option<Scope>,
    pub(crate) server: Server,
    pub(crate) program: Program,
    pub(crate) hook: bool,
    pub(crate) statusline: bool,
}

/// What would be changed.
#[derive(Debug)]
pub(crate) struct Plan {
    /// For whom it is installed, or taken back; for all if that was not said.
    pub(crate) scope: Option<Scope>,
    pub(crate) changes: Vec<Change>,
    /// Commands to run, as people would type them.
    pub(crate) commands: Vec<Vec<String>>,
    /// Files in which everything is as it should be.
    pub(crate) settled: Vec<PathBuf>,
}

/// What would be changed in one file.
#[derive(Debug)]
pub(crate) struct Change {
    pub(crate) file: PathBuf,
    /// Where it really is, behind links.
    pub(crate) real: PathBuf,
    pub(crate) before: Option<String>,
    /// None if the file goes.
    pub(crate) after: Option<String>,
    /// Whether something else stood in the place of what is written.
    pub(crate) replaces: bool,
    /// The text after each step, for taking them back one by one.
    steps: Vec<String>,
    within: Option<PathBuf>,
    mode: u32,
    /// Folders to remove if nothing else is in them, the innermost first.
    folders: Vec<PathBuf>,
}

impl Plan {
    const fn empty(scope: Option<Scope>) -> Self {
        Self {
            scope,
            changes: Vec::new(),
            commands: Vec::new(),
            settled: Vec::new(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.changes.is_empty() && self.commands.is_empty()
    }

    /// Does it. Nothing is written unless all files are still as they were shown; what was done before something
    /// failed stays done, and is said.
    pub(crate) fn carry_out(&self, site: &Site<'_>) -> Result<(), Trouble> {
        for change in &self.changes {
            change.check()?;
        }
        let mut receipts = Receipts::load(site.folders.state.as_deref());
        let mut written: Vec<String> = Vec::new();
        for change in &self.changes {
            let done = change.carry_out(&mut receipts);
            receipts.save();
            done.map_err(|trouble| after(trouble, &written))?;
            written.push(change.file.display().to_string());
        }
        for words in &self.commands {
            run(words, site).map_err(|trouble| after(trouble, &written))?;
        }
        Ok(())
    }
}

/// Trouble that came when some files had been written.
fn after(trouble: Trouble, written: &[String]) -> Trouble {
    if written.is_empty() {
        return trouble;
    }
    let hint = format!(
        "this was written before: {}; the same command again does the rest",
        written.join(", ")
    );
    Trouble { hint, ..trouble }
}

/// One file and what belongs into it.
pub(super) struct Place {
    pub(super) file: PathBuf,
    pub(super) within: Option<PathBuf>,
    pub(super) ops: Vec<Op>,
}

/// Plans to install.
pub(crate) fn install(wish: &Wish, site: &Site<'_>) -> Result<Plan, Trouble> {
    let scope = wish
        .scope
        .unwrap_or(match (wish.client.usual, site.project) {
            (Scope::Project, Some(_)) => Scope::Project,
            (Scope::Project, None) if wish.client.is_git() => Scope::Project,
            (Scope::Project, None) | (Scope::User, _) => Scope::User,
        });
    let mut plan = Plan::empty(Some(scope));
    for place in places(wish.client, scope, &wish.server, &wish.program, site)? {
        let wanted = |op: &&Op| match op {
            Op::Hook { .. } => wish.hook,
            Op::StatusLine { .. } => wish.statusline,
            Op::Json { .. } | Op::Toml { .. } | Op::Line { .. } => true,
        };
        let ops: Vec<&Op> = place.ops.iter().filter(wanted).collect();
        if ops.is_empty() {
            continue;
        }
        match change(&place, &ops)? {
            Some(change) => plan.changes.push(change),
            None => plan.settled.push(place.file.clone()),
        }
    }
    if wish.client.is_git() {
        plan.commands = git_commands(&wish.program, site)?;
    }
    Ok(plan)
}

fn change(place: &Place, ops: &[&Op]) -> Result<Option<Change>, Trouble> {
    let Place { file, within, .. } = place;
    let Found { real, text, mode } = file::look(file, within.as_deref())?;
    let mut now = text.clone().unwrap_or_default();
    let mut steps = Vec::new();
    let mut replaces = false;
    for op in ops {
        match op.presence(file, &now)? {
            Presence::Same => continue,
            Presence::Absent => {}
            Presence::Different => replaces = true,
        }
        now = op.put(file, &now)?;
        steps.push(now.clone());
    }
    Ok((!steps.is_empty()).then(|| Change {
        file: file.clone(),
        real,
        before: text,
        after: Some(now),
        replaces,
        steps,
        within: within.clone(),
        mode,
        folders: Vec::new(),
    }))
}

/// Plans to take back whatever is there.
pub(crate) fn uninstall(
    client: &'static Client,
    scope: Option<Scope>,
    program: &Program,
    site: &Site<'_>,
) -> Result<Plan, Trouble> {
    let receipts = Receipts::load(site.folders.state.as_deref());
    let mut plan = Plan::empty(scope);
    for place in all_places(client, scope, program, site)? {
        let Place { file, within, ops } = &place;
        let Found { real, text, mode } = file::look(file, within.as_deref())?;
        let Some(before) = text else {
            continue;
        };
        let mut is_in = false;
        for op in ops {
            is_in |= op.is_in(file, &before)?;
        }
        if !is_in {
            continue;
        }
        let undone = receipts.undo(&real, &before);
        let folders = undone.as_ref().map(|undone| undone.folders.clone());
        // What stood there before the first change stays, even under our name: somebody else wrote it.
        let whole = undone.as_ref().is_some_and(|undone| undone.whole);
        let mut after = match undone {
            Some(undone) => undone.text,
            None => Some(before.clone()),
        };
        if let (Some(text), false) = (&mut after, whole) {
            for op in ops {
                *text = op.take(file, text)?;
            }
        }
        // A file that was made here, and in which nothing is left, goes.
        let empty = |text: &String| matches!(text.trim(), "" | "{}");
        if receipts.made(&real) && after.as_ref().is_some_and(empty) {
            after = None;
        }
        plan.changes.push(Change {
            file: file.clone(),
            real,
            before: Some(before),
            after,
            replaces: false,
            steps: Vec::new(),
            within: within.clone(),
            mode,
            folders: folders.unwrap_or_default(),
        });
    }
    if client.is_git() && git_driver(site).is_some() {
        plan.commands = vec![words(&[
            "git",
            "config",
            "--local",
            "--remove-section",
            SECTION,
        ])];
    }
    Ok(plan)
}

/// All files of a client in which something of ours may be.
pub(super) fn all_places(
    client: &'static Client,
    scope: Option<Scope>,
    program: &Program,
    site: &Site<'_>,
) -> Result<Vec<Place>, Trouble> {
    // What is taken out is known by its name, whatever it says.
    let server = Server::Http { url: String::new() };
    if let Some(scope) = scope {
        return places(client, scope, &server, program, site);
    }
    let mut all = Vec::new();
    for scope in [Scope::Project, Scope::User] {
        // A scope that does not exist here has nothing to take back.
        all.extend(places(client, scope, &server, program, site).unwrap_or_default());
    }
    Ok(all)
}

fn places(
    client: &'static Client,
    scope: Scope,
    server: &Server,
    program: &Program,
    site: &Site<'_>,
) -> Result<Vec<Place>, Trouble> {
    let (file, settings, within) = match scope {
        Scope::User => {
            let file = (client.user)(site.folders);
            (file, clients::user_settings(site.folders), None)
        }
        Scope::Project => {
            let hint = if client.is_git() {
                "go to the project's folder, or use --project DIR"
            } else {
                "go to the project's folder, use --project DIR, or --scope user"
            };
            let what = "there is no project here: no .todori or .git from here upwards";
            let root = site.project.ok_or_else(|| Trouble::refused(what, hint))?;
            let file = client.project.map(|file| file(root));
            (
                file,
                Some(clients::project_settings(root)),
                Some(root.to_owned()),
            )
        }
    };
    let file = file.ok_or_else(|| match scope {
        Scope::User if client.is_git() => {
            Trouble::refused("git is set up for each repository", "use --scope project")
        }
        Scope::User => Trouble::refused(
            "nobody knows where your home is",
            "set HOME, or use --scope project",
        ),
        Scope::Project => Trouble::refused(
            format!("{} has no settings in projects", client.title),
            "use --scope user",
        ),
    })?;
    let mut places = vec![Place {
        file,
        within: within.clone(),
        ops: vec![(client.server)(server)],
    }];
    if let (true, Some(file)) = (client.has_extras(), settings) {
        places.push(Place {
            file,
            within,
            ops: vec![
                Op::Hook {
                    command: program.shell("hook session-start"),
                },
                Op::StatusLine {
                    command: program.shell("statusline"),
                },
            ],
        });
    }
    Ok(places)
}

impl Change {
    /// Others write these files, too: what was shown must be what is there.
    fn check(&self) -> Result<(), Trouble> {
        let now = file::look(&self.file, self.within.as_deref())?;
        if now.text != self.before || now.real != self.real {
            return Err(Trouble::refused(
                format!(
                    "{} has just been changed by somebody else",
                    self.file.display()
                ),
                "nothing was changed; try again",
            ));
        }
        Ok(())
    }

    fn carry_out(&self, receipts: &mut Receipts) -> Result<(), Trouble> {
        self.check()?;
        let Some(after) = &self.after else {
            std::fs::remove_file(&self.real)
                .map_err(|error| Trouble::io("remove", &self.file, &error))?;
            receipts.forget(&self.real);
            for folder in &self.folders {
                // Whatever else is in it keeps it.
                drop(std::fs::remove_dir(folder));
            }
            return Ok(());
        };
        let folders = file::make_folders(&self.real)?;
        if let Err(error) = todori_store::replace_file(&self.real, after.as_bytes(), self.mode) {
            for folder in &folders {
                drop(std::fs::remove_dir(folder));
            }
            return Err(Trouble::io("write", &self.file, &error));
        }
        if self.steps.is_empty() {
            receipts.forget(&self.real);
        }
        let mut before = self.before.as_deref();
        let mut folders = Some(folders);
        for step in &self.steps {
            receipts.add(&self.real, before, step, folders.take().unwrap_or_default());
            before = Some(step);
        }
        Ok(())
    }
}

const SECTION: &str = "merge.todori";
/// What git runs: the version that both have in common, ours and theirs.
pub(super) const MERGE: &str = "merge %O %A %B";

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

fn git_driver(site: &Site<'_>) -> Option<String> {
    let driver = format!("{SECTION}.driver");
    let printed = run(
        &words(&["git", "config", "--local", "--get", &driver]),
        site,
    );
    printed.ok()
}

/// How git starts the driver here, whoever has said it.
pub(super) fn merge_driver(site: &Site<'_>) -> Option<String> {
    let driver = format!("{SECTION}.driver");
    run(&words(&["git", "config", "--get", &driver]), site).ok()
}

/// What is missing in the repository's own configuration.
fn git_commands(program: &Program, site: &Site<'_>) -> Result<Vec<Vec<String>>, Trouble> {
    run(&words(&["git", "rev-parse", "--git-dir"]), site)?;
    let driver = program.shell(MERGE);
    if git_driver(site).as_deref() == Some(driver.as_str()) {
        return Ok(Vec::new());
    }
    let set = |key: &str, value: &str| {
        words(&[
            "git",
            "config",
            "--local",
            &format!("{SECTION}.{key}"),
            value,
        ])
    };
    Ok(vec![
        set("name", "todori: merges boards task by task"),
        set("driver", &driver),
    ])
}

/// Runs git in the project, and gives what it printed.
fn run(words: &[String], site: &Site<'_>) -> Result<String, Trouble> {
    let failed = |why: &str| Trouble {
        message: format!("`{}` failed: {}", words.join(" "), why.trim()),
        hint: "look whether git is installed and this is a repository".to_owned(),
        kind: Kind::Failed,
    };
    let (Some((program, arguments)), Some(root)) = (words.split_first(), site.project) else {
        return Err(failed("there is no project"));
    };
    let ran = Command::new(program)
        .args(arguments)
        .current_dir(root)
        .output()
        .map_err(|error| failed(&error.to_string()))?;
    if !ran.status.success() {
        return Err(failed(&String::from_utf8_lossy(&ran.stderr)));
    }
    Ok(String::from_utf8_lossy(&ran.stdout).trim_end().to_owned())
}
