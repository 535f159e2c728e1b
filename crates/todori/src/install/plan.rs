//! Plans which files change and how, and applies the plan: nothing is written that could not be shown before.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::clients::{self, Client};
use super::error::{InstallError, InstallErrorKind};
use super::file::{self, SettingsFile};
use super::receipts::Receipts;
use super::setting::{Presence, Setting};
use super::{Program, Server};
use crate::config::Folders;

/// For whom something is installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InstallScope {
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

/// What is to be installed.
#[derive(Debug)]
pub(crate) struct InstallRequest {
    pub(crate) client: &'static Client,
    pub(crate) scope: Option<InstallScope>,
    pub(crate) server: Server,
    pub(crate) program: Program,
    pub(crate) hook: bool,
    pub(crate) statusline: bool,
}

/// What would be changed.
#[derive(Debug)]
pub(crate) struct Plan {
    /// For whom it is installed, or taken back; for all if that was not said.
    pub(crate) scope: Option<InstallScope>,
    pub(crate) changes: Vec<Change>,
    /// Commands to run, as people would type them.
    pub(crate) commands: Vec<Vec<String>>,
    /// Files in which everything is as it should be.
    pub(crate) unchanged: Vec<PathBuf>,
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
    const fn empty(scope: Option<InstallScope>) -> Self {
        Self {
            scope,
            changes: Vec::new(),
            commands: Vec::new(),
            unchanged: Vec::new(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.changes.is_empty() && self.commands.is_empty()
    }

    /// Applies it. Nothing is written unless all files are still as they were shown; what was done before something
    /// failed stays done, and is said.
    pub(crate) fn apply(&self, site: &Site<'_>) -> Result<(), InstallError> {
        for change in &self.changes {
            change.check()?;
        }
        let mut receipts = Receipts::load(site.folders.state.as_deref());
        let mut written: Vec<String> = Vec::new();
        for change in &self.changes {
            let done = change.apply(&mut receipts);
            receipts.save();
            done.map_err(|error| after(error, &written))?;
            written.push(change.file.display().to_string());
        }
        for words in &self.commands {
            run(words, site).map_err(|error| after(error, &written))?;
        }
        Ok(())
    }
}

/// An error that came when some files had been written.
fn after(error: InstallError, written: &[String]) -> InstallError {
    if written.is_empty() {
        return error;
    }
    let hint = format!(
        "this was written before: {}; the same command again does the rest",
        written.join(", ")
    );
    InstallError { hint, ..error }
}

/// One file and what belongs into it.
pub(super) struct TargetFile {
    pub(super) file: PathBuf,
    pub(super) within: Option<PathBuf>,
    pub(super) settings: Vec<Setting>,
}

/// Plans to install.
pub(crate) fn install(request: &InstallRequest, site: &Site<'_>) -> Result<Plan, InstallError> {
    let scope = request
        .scope
        .unwrap_or(match (request.client.default_scope, site.project) {
            (InstallScope::Project, Some(_)) => InstallScope::Project,
            (InstallScope::Project, None) if request.client.is_git() => InstallScope::Project,
            (InstallScope::Project, None) | (InstallScope::User, _) => InstallScope::User,
        });
    let mut plan = Plan::empty(Some(scope));
    for target in target_files(
        request.client,
        scope,
        &request.server,
        &request.program,
        site,
    )? {
        let wanted = |setting: &&Setting| match setting {
            Setting::Hook { .. } => request.hook,
            Setting::StatusLine { .. } => request.statusline,
            Setting::Json { .. } | Setting::Toml { .. } | Setting::Line { .. } => true,
        };
        let settings: Vec<&Setting> = target.settings.iter().filter(wanted).collect();
        if settings.is_empty() {
            continue;
        }
        match change(&target, &settings)? {
            Some(change) => plan.changes.push(change),
            None => plan.unchanged.push(target.file.clone()),
        }
    }
    if request.client.is_git() {
        plan.commands = git_commands(&request.program, site)?;
    }
    Ok(plan)
}

fn change(target: &TargetFile, settings: &[&Setting]) -> Result<Option<Change>, InstallError> {
    let TargetFile { file, within, .. } = target;
    let SettingsFile { real, text, mode } = file::read_own(file, within.as_deref())?;
    let mut now = text.clone().unwrap_or_default();
    let mut steps = Vec::new();
    let mut replaces = false;
    for setting in settings {
        match setting.presence(file, &now)? {
            Presence::Same => continue,
            Presence::Absent => {}
            Presence::Different => replaces = true,
        }
        now = setting.put(file, &now)?;
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
    scope: Option<InstallScope>,
    program: &Program,
    site: &Site<'_>,
) -> Result<Plan, InstallError> {
    let receipts = Receipts::load(site.folders.state.as_deref());
    let mut plan = Plan::empty(scope);
    for target in all_target_files(client, scope, program, site)? {
        let TargetFile {
            file,
            within,
            settings,
        } = &target;
        let SettingsFile { real, text, mode } = file::read_own(file, within.as_deref())?;
        let Some(before) = text else {
            continue;
        };
        let mut is_in = false;
        for setting in settings {
            is_in |= setting.is_in(file, &before)?;
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
            for setting in settings {
                *text = setting.take(file, text)?;
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
pub(super) fn all_target_files(
    client: &'static Client,
    scope: Option<InstallScope>,
    program: &Program,
    site: &Site<'_>,
) -> Result<Vec<TargetFile>, InstallError> {
    // What is taken out is known by its name, whatever it says.
    let server = Server::Http { url: String::new() };
    if let Some(scope) = scope {
        return target_files(client, scope, &server, program, site);
    }
    let mut all = Vec::new();
    for scope in [InstallScope::Project, InstallScope::User] {
        // A scope that does not exist here has nothing to take back.
        all.extend(target_files(client, scope, &server, program, site).unwrap_or_default());
    }
    Ok(all)
}

fn target_files(
    client: &'static Client,
    scope: InstallScope,
    server: &Server,
    program: &Program,
    site: &Site<'_>,
) -> Result<Vec<TargetFile>, InstallError> {
    let (file, settings, within) = match scope {
        InstallScope::User => {
            let file = (client.user_file)(site.folders);
            (file, clients::user_settings(site.folders), None)
        }
        InstallScope::Project => {
            let hint = if client.is_git() {
                "go to the project's folder, or use --project DIR"
            } else {
                "go to the project's folder, use --project DIR, or --scope user"
            };
            let what =
                "there is no project here: neither a board nor a git repository from here upwards";
            let root = site
                .project
                .ok_or_else(|| InstallError::refused(what, hint))?;
            let file = client.project_file.map(|file| file(root));
            (
                file,
                Some(clients::project_settings(root)),
                Some(root.to_owned()),
            )
        }
    };
    let file = file.ok_or_else(|| match scope {
        InstallScope::User if client.is_git() => {
            InstallError::refused("git is set up for each repository", "use --scope project")
        }
        InstallScope::User => InstallError::refused(
            "nobody knows where your home is",
            "set HOME, or use --scope project",
        ),
        InstallScope::Project => InstallError::refused(
            format!("{} has no settings in projects", client.title),
            "use --scope user",
        ),
    })?;
    let mut target_files = vec![TargetFile {
        file,
        within: within.clone(),
        settings: vec![(client.setting)(server)],
    }];
    if let (true, Some(file)) = (client.has_extras(), settings) {
        target_files.push(TargetFile {
            file,
            within,
            settings: vec![
                Setting::Hook {
                    command: program.shell("hook session-start"),
                },
                Setting::StatusLine {
                    command: program.shell("statusline"),
                },
            ],
        });
    }
    Ok(target_files)
}

impl Change {
    /// Others write these files, too: what was shown must be what is there.
    fn check(&self) -> Result<(), InstallError> {
        let now = file::read_own(&self.file, self.within.as_deref())?;
        if now.text != self.before || now.real != self.real {
            return Err(InstallError::refused(
                format!(
                    "{} has just been changed by somebody else",
                    self.file.display()
                ),
                "nothing was changed; try again",
            ));
        }
        Ok(())
    }

    fn apply(&self, receipts: &mut Receipts) -> Result<(), InstallError> {
        self.check()?;
        let Some(after) = &self.after else {
            std::fs::remove_file(&self.real)
                .map_err(|error| InstallError::io("remove", &self.file, &error))?;
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
            return Err(InstallError::io("write", &self.file, &error));
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
fn git_commands(program: &Program, site: &Site<'_>) -> Result<Vec<Vec<String>>, InstallError> {
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
fn run(words: &[String], site: &Site<'_>) -> Result<String, InstallError> {
    let failed = |why: &str| InstallError {
        message: format!("`{}` failed: {}", words.join(" "), why.trim()),
        hint: "look whether git is installed and this is a repository".to_owned(),
        kind: InstallErrorKind::Failed,
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
