//! Looks where todori is installed, and whether what is written there can work. Changes nothing.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::clients::Client;
use super::error::InstallError;
use super::plan::{MERGE, Site, TargetFile, all_target_files, merge_driver};
use super::setting::own_program;
use super::{Program, file, find_on_path};

/// What was found of one client.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    /// The files in which todori is installed.
    pub(crate) files: Vec<PathBuf>,
    /// What can't be read.
    pub(crate) errors: Vec<InstallError>,
    /// What is started there and can't be.
    pub(crate) missing: Vec<MissingProgram>,
    /// Whether a part of it is missing in this clone.
    pub(crate) unfinished: bool,
}

/// A program that a client is told to start, and can't.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MissingProgram {
    pub(crate) file: PathBuf,
    pub(crate) program: String,
    /// Why not.
    pub(crate) why: &'static str,
}

/// Looks at all files of a client.
pub(crate) fn survey(client: &'static Client, site: &Site<'_>) -> Survey {
    let program = Program {
        command: String::new(),
        on_path: false,
    };
    let mut survey = Survey::default();
    for target in all_target_files(client, None, &program, site).unwrap_or_default() {
        if let Err(error) = survey_file(target, site, &mut survey) {
            survey.errors.push(error);
        }
    }
    // The line says who merges; how to start it is in each clone's own configuration.
    if client.is_git() {
        let driver = merge_driver(site);
        if driver.is_none() {
            survey.unfinished = !survey.files.is_empty();
            survey.files.clear();
        }
        let program = driver
            .as_deref()
            .and_then(|driver| own_program(driver, MERGE));
        if let (Some(program), Some(file)) = (program, survey.files.first()) {
            let missing = why_not(program, site).map(|why| MissingProgram {
                file: file.clone(),
                program: program.to_owned(),
                why,
            });
            survey.missing.extend(missing);
        }
    }
    survey
}

fn survey_file(
    target: TargetFile,
    site: &Site<'_>,
    survey: &mut Survey,
) -> Result<(), InstallError> {
    let TargetFile {
        file,
        within,
        settings,
    } = target;
    let Some(text) = file::read(&file, within.as_deref())?.text else {
        return Ok(());
    };
    let mut is_in = false;
    for setting in &settings {
        if !setting.is_in(&file, &text)? {
            continue;
        }
        is_in = true;
        for program in setting.programs(&file, &text)? {
            if let Some(why) = why_not(&program, site) {
                let file = file.clone();
                survey.missing.push(MissingProgram { file, program, why });
            }
        }
    }
    if is_in {
        survey.files.push(file);
    }
    Ok(())
}

/// Why a program can't be started. What a client makes of variables is up to the client.
fn why_not(program: &str, site: &Site<'_>) -> Option<&'static str> {
    if program.is_empty() || program.contains('$') || program.starts_with('~') {
        return None;
    }
    if !program.contains('/') {
        let found = find_on_path(program, site.folders);
        return found.is_none().then_some("is not on the PATH");
    }
    let path = site.project.unwrap_or(Path::new("/")).join(program);
    match path.metadata() {
        Ok(found) if found.is_file() && found.permissions().mode() & 0o111 != 0 => None,
        Ok(_) => Some("can't be run"),
        Err(_) => Some("is not there"),
    }
}
