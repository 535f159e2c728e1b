//! What the dashboard asks beside MCP, and the page itself.

use serde_json::{Value, json};

use crate::project::{Project, Server};
use crate::web::Web;

fn get(web: &Web, path: &str) -> Value {
    let answer = web.send("GET", path, &[], "");
    assert_eq!(answer.status, 200, "{path}: {answer:?}");
    answer.message()
}

fn post(web: &Web, path: &str, body: &Value) -> (u16, Value) {
    let json = [("Content-Type", "application/json")];
    let answer = web.send("POST", path, &json, &body.to_string());
    (answer.status, answer.message())
}

fn add(web: &Web, title: &str) -> String {
    let made = web.ask("/mcp", "create_task", json!({"title": title}));
    made["result"]["id"].as_str().unwrap().to_owned()
}

fn titles(web: &Web) -> Vec<String> {
    let board = get(web, "/api/board");
    let tasks = board["tasks"].as_array().unwrap().iter();
    tasks
        .map(|task| task["title"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn the_page_runs_its_own_script_and_nothing_else() {
    let project = Project::new();
    let web = Web::start(&project, &[]);
    let page = web.send("GET", "/", &[], "");
    assert_eq!(page.status, 200);
    assert_eq!(
        page.header("content-type"),
        Some("text/html; charset=utf-8")
    );
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.starts_with("default-src 'none'; script-src 'sha256-"));
    assert!(!policy.contains("unsafe"), "{policy}");
    assert!(policy.contains("frame-ancestors 'none'"));
    assert!(page.body.starts_with("<!doctype html>"));
    for forbidden in ["src=\"http", "href=\"http", "@import", "innerHTML", "eval("] {
        assert!(!page.body.contains(forbidden), "{forbidden}");
    }
    assert!(page.body.len() < 100_000, "{} bytes", page.body.len());
    // A name that was pointed at this machine gets nothing.
    let rebound = web.send("GET", "/", &[("Host", "evil.example")], "");
    assert_eq!(rebound.status, 403);
}

#[test]
fn the_board_is_told_with_those_who_work_on_it() {
    let project = Project::new();
    let web = Web::start(&project, &[]);
    let (one, two) = (add(&web, "one"), add(&web, "two"));
    let waits = json!({"id": two, "dependencies": [one], "description": "why"});
    web.ask("/mcp", "update_task", waits);
    let mut agent = project.serve();
    agent.initialize("2025-11-25");
    let started = agent.direct("update_task", json!({"id": one, "status": "in-progress"}));
    let holder = started["assignee"].as_str().unwrap();
    let mut command = project.command();
    command.env("TODORI_TOOLSETS", "todowrite");
    let mut planner = Server::start(command);
    let item = json!({"content": "Run it", "activeForm": "Running it", "status": "in_progress"});
    planner.direct("TodoWrite", json!({"todos": [item]}));
    let board = get(&web, "/api/board");
    let rows = &board["tasks"];
    assert_eq!(rows[0]["id"], json!(one));
    assert_eq!(rows[0]["assignee"], holder);
    assert!(
        rows[0].get("dependencies").is_none(),
        "left out where there are none"
    );
    assert_eq!(rows[1]["dependencies"], json!([one]));
    assert_eq!(rows[1]["hasDescription"], true);
    assert!(rows[1].get("description").is_none(), "only in the details");
    assert_eq!(board["criticalPath"], json!([one, two]));
    let sessions = board["sessions"].as_array().unwrap();
    let found = |name: &str| sessions.iter().find(|session| session["name"] == name);
    let session = found(holder).unwrap();
    assert_eq!(session["live"], true);
    assert_eq!(session["client"], "test-client 1.0");
    assert_eq!(session["tasks"], json!([one]));
    let planning = sessions
        .iter()
        .find(|session| session.get("list").is_some());
    assert_eq!(planning.unwrap()["list"][0]["activeForm"], "Running it");
    let task = get(&web, &format!("/api/tasks/{}", &two[..8]));
    assert_eq!(task["task"]["description"], "why");
    assert_eq!(task["history"][0]["what"], "dependencies changed");
    let held = get(&web, &format!("/api/tasks/{one}"));
    assert_eq!(held["task"]["holdsUp"], json!([two]));
    assert_eq!(held["history"][0]["client"], "test-client 1.0");
    let events = get(&web, "/api/history?limit=2");
    assert_eq!(events["events"].as_array().unwrap().len(), 2);
    assert_eq!(events["events"][0]["task"]["title"], "one");
    let days = get(&web, "/api/progress?days=7");
    let days = days["days"].as_array().unwrap();
    assert_eq!(days.len(), 7);
    assert_eq!(days[6]["open"], 2);
    assert_eq!(days[6]["added"], 2);
}

#[test]
fn a_task_is_moved_and_that_is_taken_back() {
    let project = Project::new();
    let web = Web::start(&project, &[]);
    let ids: Vec<String> = ["a", "b", "c"].map(|title| add(&web, title)).into();
    let (status, _) = post(
        &web,
        "/api/move",
        &json!({"id": ids[2], "before": ids[0], "status": "blocked"}),
    );
    assert_eq!(status, 200);
    assert_eq!(titles(&web), ["c", "a", "b"]);
    assert_eq!(get(&web, "/api/board")["tasks"][0]["status"], "blocked");
    let (status, told) = post(&web, "/api/undo", &json!({}));
    assert_eq!((status, &told["undone"]), (200, &json!([ids[2]])));
    assert_eq!(titles(&web), ["a", "b", "c"]);
    post(&web, "/api/move", &json!({"id": ids[0], "after": ids[1]}));
    assert_eq!(titles(&web), ["b", "a", "c"]);
    // Somebody else deletes it: there is nothing to put back.
    assert_eq!(project.run(["rm", &ids[0]]).code, 0);
    let (status, told) = post(&web, "/api/undo", &json!({}));
    assert_eq!(
        (status, &told["error"]["code"]),
        (409, &json!("changed_since"))
    );
    assert_eq!(titles(&web), ["b", "c"], "and nothing changed");
}

#[test]
fn undo_walks_back_and_takes_back_what_it_names() {
    let project = Project::new();
    let web = Web::start(&project, &[]);
    let ids: Vec<String> = ["a", "b"].map(|title| add(&web, title)).into();
    let set =
        |id: &str, status: &str| post(&web, "/api/move", &json!({"id": id, "status": status}));
    let statuses = || {
        let board = get(&web, "/api/board");
        [0, 1].map(|place| board["tasks"][place]["status"].as_str().unwrap().to_owned())
    };
    set(&ids[0], "done");
    set(&ids[1], "blocked");
    post(&web, "/api/undo", &json!({}));
    assert_eq!(statuses(), ["done", "pending"]);
    post(&web, "/api/undo", &json!({}));
    assert_eq!(
        statuses(),
        ["pending", "pending"],
        "further back, not to and fro"
    );
    assert_eq!(post(&web, "/api/undo", &json!({})).0, 409);
    // Another tab changes something else meanwhile.
    set(&ids[0], "done");
    set(&ids[1], "blocked");
    let (status, told) = post(&web, "/api/undo", &json!({"task": ids[0]}));
    assert_eq!((status, &told["undone"]), (200, &json!([ids[0]])));
    assert_eq!(statuses(), ["pending", "blocked"]);
}

#[test]
fn what_makes_no_sense_is_refused_in_words() {
    let project = Project::new();
    let web = Web::start(&project, &[]);
    let id = add(&web, "a");
    let check = |body: &Value, status: u16, code: &str| {
        let (got, told) = post(&web, "/api/move", body);
        assert_eq!(
            (got, &told["error"]["code"]),
            (status, &json!(code)),
            "{told}"
        );
        assert!(!told["error"]["message"].as_str().unwrap().is_empty());
    };
    check(&json!([]), 400, "invalid");
    check(&json!({}), 400, "invalid");
    check(&json!({"id": 7}), 400, "invalid");
    check(&json!({"id": id, "status": "asleep"}), 400, "invalid");
    check(
        &json!({"id": "ffffffff", "status": "done"}),
        404,
        "not_found",
    );
    check(&json!({"id": id, "after": "ffffffff"}), 404, "not_found");
    check(
        &json!({"id": id, "after": id, "before": id}),
        400,
        "invalid",
    );
    check(&json!({"id": id, "afterr": id}), 400, "invalid");
    let (json, form) = ("application/json", "text/plain");
    for (method, path, kind, body, status) in [
        ("POST", "/api/undo", form, "{}", 415),
        ("POST", "/api/tasks/ffff", json, "{}", 405),
        ("POST", "/api/undo", json, "{}", 409),
        ("POST", "/api/move", json, "{", 400),
        ("GET", "/api/tasks/ffffffff", json, "", 404),
        ("GET", "/api/nothing", json, "", 404),
        ("GET", "/api/", json, "", 404),
        ("GET", "/api/move", json, "", 405),
        ("GET", "/api/history?limit=many", json, "", 400),
    ] {
        let answer = web.send(method, path, &[("Content-Type", kind)], body);
        assert_eq!(answer.status, status, "{method} {path}");
        let told = answer.message();
        assert!(
            !told["error"]["message"].as_str().unwrap().is_empty(),
            "{method} {path}: {told}"
        );
    }
    project.write_board("tasks: [broken");
    let broken = web.send("GET", "/api/board", &[], "");
    assert_eq!(broken.status, 503);
    assert_eq!(broken.message()["error"]["code"], "broken_file");
}

#[test]
fn the_data_is_behind_the_token_and_the_page_is_not() {
    let project = Project::new();
    let secret = project.path().join("token");
    std::fs::File::create(&secret)
        .and_then(|mut file| std::io::Write::write_all(&mut file, b"a-long-enough-secret"))
        .unwrap();
    let web = Web::start(&project, &["--token-file", secret.to_str().unwrap()]);
    assert_eq!(web.send("GET", "/", &[], "").status, 200);
    assert_eq!(web.send("GET", "/api/board", &[], "").status, 401);
    assert_eq!(web.send("POST", "/api/undo", &[], "{}").status, 401);
    let bearer = [("Authorization", "Bearer a-long-enough-secret")];
    assert_eq!(web.send("GET", "/api/board", &bearer, "").status, 200);
    // A page of another site can't use what the browser could reach.
    let foreign = [bearer[0], ("Origin", "https://evil.example")];
    assert_eq!(web.send("GET", "/api/board", &foreign, "").status, 403);
}
