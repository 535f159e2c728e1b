//! What the page asks for: worked out once for each version, never older than what was answered before, and there while
//! changes have to wait.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::json;

use super::waiting::{hold_the_board, until, waits_for_the_board};
use crate::project::Project;
use crate::web::Web;

#[test]
fn what_has_not_changed_is_not_sent_again() {
    let project = Project::new();
    let web = Web::start(&project, &[]);
    let add = |title: &str| web.ask("/mcp", "create_task", json!({"title": title}));
    let id = add("first")["result"]["id"].as_str().unwrap().to_owned();
    let task = format!("/api/tasks/{id}");
    for path in ["/api/board", "/api/history", "/api/progress", task.as_str()] {
        let first = web.send("GET", path, &[], "");
        let tag = first.header("etag").expect("a tag").to_owned();
        assert_eq!(first.header("cache-control"), Some("private, no-cache"));
        for tags in [tag.clone(), format!("\"other\", {tag}")] {
            let same = web.send("GET", path, &[("If-None-Match", &tags)], "");
            assert_eq!((same.status, same.body.as_str()), (304, ""), "{path}");
            assert_eq!(same.header("etag"), Some(tag.as_str()));
        }
        // Whoever changes it, here or outside: it is a new one at once.
        for outside in [false, true] {
            let title = format!("after {path} {outside}");
            if outside {
                assert_eq!(project.run(["add", &title]).code, 0);
            } else {
                add(&title);
            }
            let edited = web.ask("/mcp", "update_task", json!({"id": id, "title": title}));
            assert!(edited.get("result").is_some(), "{edited}");
            let new = web.send("GET", path, &[("If-None-Match", &tag)], "");
            assert_eq!(new.status, 200, "{path}");
            assert!(
                path == "/api/progress" || new.body.contains(&title),
                "{path}: {}",
                new.body
            );
        }
    }
}

#[test]
fn whoever_reads_does_not_wait_for_a_change_that_waits() {
    let project = Project::new();
    let web = Web::start(&project, &[]);
    let session = web.session("/mcp");
    web.ask("/mcp", "create_task", json!({"title": "there"}));
    let lock = hold_the_board(&project);
    let is_free = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let adding = scope.spawn(|| web.ask("/mcp", "create_task", json!({"title": "waiting"})));
        until("it waits for the board", || waits_for_the_board(&web));
        let ending = scope.spawn(|| {
            let ended = web.send("DELETE", "/mcp", &[("Mcp-Session-Id", &session)], "");
            (ended.status, is_free.load(Ordering::SeqCst))
        });
        for _ in 0..3 {
            let board = web.send("GET", "/api/board", &[], "");
            assert!(
                board.body.contains("there") && !board.body.contains("waiting"),
                "{board:?}"
            );
            assert_eq!(
                web.ask("/mcp", "get_task_stats", json!({}))["result"]["total"],
                1
            );
            assert_eq!(web.send("GET", "/healthz", &[], "").status, 200);
        }
        is_free.store(true, Ordering::SeqCst);
        drop(lock);
        assert_eq!(adding.join().unwrap()["result"]["title"], "waiting");
        assert_eq!(ending.join().unwrap().0, 204);
        let board = web.send("GET", "/api/board", &[], "");
        assert!(board.body.contains("waiting"), "{board:?}");
    });
}

#[test]
fn only_lists_that_have_changed_are_read_again() {
    const LISTS: usize = 30;
    let project = Project::new();
    let agents = Web::start(&project, &["--toolsets", "todowrite"]);
    let item = |content: &str| json!({"content": content, "status": "pending", "activeForm": "x"});
    let set = |session: &str, content: &str| {
        let todos = json!({"todos": [item(content)]});
        let written = agents.ask_in(session, "/mcp", "TodoWrite", todos);
        assert!(written.get("result").is_some(), "{written}");
    };
    let sessions: Vec<String> = (0..LISTS).map(|_| agents.session("/mcp")).collect();
    for session in &sessions {
        set(session, "first");
    }
    // As if they had been written a while ago: of what was written just now, the time does not tell whether it has
    // changed since.
    for entry in std::fs::read_dir(project.path().join(".todori/sessions")).unwrap() {
        let path = entry.unwrap().path();
        let written = path.metadata().unwrap().modified().unwrap();
        let file = std::fs::File::options().write(true).open(&path).unwrap();
        file.set_modified(written - Duration::from_mins(1)).unwrap();
    }
    let trace = project.path().join("trace");
    let web = Web::start_traced(&project, &trace, &[]);
    let opened = || {
        let trace = std::fs::read_to_string(&trace).unwrap();
        let lists = trace.lines().filter(|line| line.contains("/sessions/"));
        lists.filter(|line| line.contains(".session.yaml")).count()
    };
    let shown = |content: &str| {
        let board = web.send("GET", "/api/board", &[], "").body;
        board.matches(&format!("\"title\":\"{content}\"")).count()
    };
    assert_eq!(shown("first"), LISTS);
    let once = opened();
    assert!(once >= LISTS, "the trace shows them: {once}");
    for _ in 0..20 {
        assert_eq!(shown("first"), LISTS);
    }
    set(&sessions[0], "second");
    until("it is shown", || shown("second") == 1);
    // Each look reads the one that has just changed.
    let again = opened() - once;
    assert!(again < LISTS, "{again} lists were read again");
}
