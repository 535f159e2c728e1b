//! A file system that answers otherwise than it acts, or offers less than usual: a small library that is loaded before the
//! C library and stands between the program and the system. (`strace` can make a call fail, but not one that was made.)

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

use crate::project::Project;

/// Every call is made to fail in so many of a thousand cases, with this error. A rename with `RENAME_DONE` is carried out
/// all the same. Only what is about the board is touched.
const SOURCE: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static int hit(const char *name) {
    const char *set = getenv(name);
    int error = 0, chance = 0;
    if (!set || sscanf(set, "%d/%d", &error, &chance) != 2) return 0;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    unsigned long long x = now.tv_nsec + 1000003ULL * getpid();
    x = (x ^ (x >> 7)) * 0x9E3779B97F4A7C15ULL;
    return (int)((x >> 33) % 1000) < chance ? error : 0;
}
static int fail(int error) { errno = error; return -1; }

int rename(const char *from, const char *to) {
    static int (*real)(const char *, const char *);
    if (!real) real = dlsym(RTLD_NEXT, "rename");
    size_t length = strlen(to);
    if (length < 10 || strcmp(to + length - 10, "tasks.yaml")) return real(from, to);
    int error = hit("FAULT_RENAME");
    if (error) return fail(error);
    int done = real(from, to);
    error = hit("FAULT_RENAME_DONE");
    return error && done == 0 ? fail(error) : done;
}
int fsync(int file) {
    static int (*real)(int);
    if (!real) real = dlsym(RTLD_NEXT, "fsync");
    struct stat found;
    int error = fstat(file, &found) == 0 && S_ISDIR(found.st_mode) ? hit("FAULT_FSYNC_FOLDER") : 0;
    return error ? fail(error) : real(file);
}
int fdatasync(int file) {
    static int (*real)(int);
    if (!real) real = dlsym(RTLD_NEXT, "fdatasync");
    int error = hit("FAULT_FDATASYNC");
    return error ? fail(error) : real(file);
}
int flock(int file, int operation) {
    static int (*real)(int, int);
    if (!real) real = dlsym(RTLD_NEXT, "flock");
    int error = hit("FAULT_FLOCK");
    return error ? fail(error) : real(file, operation);
}
int fchmod(int file, mode_t mode) {
    static int (*real)(int, mode_t);
    if (!real) real = dlsym(RTLD_NEXT, "fchmod");
    int error = hit("FAULT_FCHMOD");
    return error ? fail(error) : real(file, mode);
}
"#;

/// What goes wrong: the name of the fault, the number of the error, and in how many of a thousand cases.
pub(crate) type Fault = (&'static str, i32, u32);

pub(crate) const ALWAYS: u32 = 1000;

pub(crate) const EPERM: i32 = 1;
pub(crate) const ENOENT: i32 = 2;
pub(crate) const EIO: i32 = 5;
pub(crate) const EBUSY: i32 = 16;
pub(crate) const EINVAL: i32 = 22;
pub(crate) const ENOLCK: i32 = 37;
pub(crate) const ENOSYS: i32 = 38;
pub(crate) const EOPNOTSUPP: i32 = 95;
pub(crate) const ETIMEDOUT: i32 = 110;

impl Project {
    /// The program on a file system with these faults.
    pub(crate) fn command_with(&self, faults: &[Fault]) -> Command {
        let mut command = self.command();
        command.env("LD_PRELOAD", library());
        for (name, error, chance) in faults {
            command.env(format!("FAULT_{name}"), format!("{error}/{chance}"));
        }
        command
    }
}

/// The library, compiled once. Whoever can build a Rust program has a C compiler.
#[expect(clippy::disallowed_methods, reason = "a scratch file of the test")]
fn library() -> &'static PathBuf {
    static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
        let own = std::process::id();
        let (source, library) = (
            folder.join(format!("faulty-disk-{own}.c")),
            folder.join(format!("faulty-disk-{own}.so")),
        );
        fs::write(&source, SOURCE).unwrap();
        let mut compiler = Command::new("cc");
        compiler.args(["-shared", "-fPIC", "-O1", "-o"]);
        let compiled = compiler.arg(&library).arg(&source).arg("-ldl").status();
        assert!(compiled.expect("a C compiler, cc").success());
        library
    })
}
