//! Answers that come before the end of their request still arrive.

use std::io::{Read as _, Write as _};

use crate::project::Project;
use crate::web::Web;

const SECRET: &str = "a-long-enough-secret";

fn with_a_token(project: &Project) -> Web {
    let file = project.path().join("token");
    #[expect(
        clippy::disallowed_methods,
        reason = "this plays the person who made a token"
    )]
    std::fs::write(&file, SECRET).unwrap();
    Web::start(project, &["--token-file", file.to_str().unwrap()])
}

/// Sends all of a request before it reads anything, as many clients do; gives the first line of the answer.
fn answer_after_sending(web: &Web, head: &str, body: &[u8]) -> String {
    let mut stream = web.connect();
    let head = format!("{head}\r\nHost: {}\r\n", web.address);
    let head = format!("{head}Content-Length: {}\r\n\r\n", body.len());
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(body).expect("the server reads on");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("the answer");
    answer.lines().next().unwrap_or_default().to_owned()
}

#[test]
fn whoever_sends_a_large_body_hears_why_it_was_not_taken() {
    let project = Project::new();
    let web = with_a_token(&project);
    let json = "Content-Type: application/json";
    let token = format!("Authorization: Bearer {SECRET}");
    let heads = [
        (format!("POST /mcp HTTP/1.1\r\n{json}"), " 401 "),
        (
            format!("POST /mcp HTTP/1.1\r\n{json}\r\nOrigin: https://evil.example"),
            " 403 ",
        ),
        (format!("POST /nothing HTTP/1.1\r\n{token}"), " 404 "),
        (format!("POST /mcp HTTP/1.1\r\n{json}\r\n{token}"), " 413 "),
    ];
    let body = vec![b'x'; 6_000_000];
    for (head, status) in &heads {
        for _ in 0..10 {
            let answer = answer_after_sending(&web, head, &body);
            assert!(answer.contains(status), "{answer} instead of {status}");
        }
    }
    // The same for whoever asks too often.
    let mut asking = web.keep_alive();
    let mut statuses = (0..2_000).map(|_| asking.send("GET", "/healthz", &[], "").unwrap().status);
    assert!(statuses.any(|status| status == 429));
    let answer = answer_after_sending(&web, &heads[0].0, &body);
    assert!(
        answer.contains(" 429 ") || answer.contains(" 401 "),
        "{answer}"
    );
}

#[test]
fn a_head_that_is_too_large_is_refused() {
    let project = Project::new();
    let web = Web::start(&project, &[]);
    let with_header = |size: usize| format!("GET /healthz HTTP/1.1\r\nX: {}", "x".repeat(size));
    let most = answer_after_sending(
        &web,
        &format!("{}\r\nConnection: close", with_header(60_000)),
        b"",
    );
    assert!(most.contains(" 200 "), "{most}");
    for size in [70_000, 300_000] {
        let refused = answer_after_sending(&web, &with_header(size), b"");
        assert!(refused.contains(" 431 "), "{refused}");
    }
}
