//! What strangers, other sites and other people try at the door. Each is refused; beside each stands the same
//! request as it is meant, which works.
#![allow(clippy::unwrap_used, reason = "tests")]

use crate::support::House;
use crate::support::daemon::{Answer, Daemon};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

const JSON: &str = "Content-Type: application/json";

/// A daemon with a browser that came in.
struct Open {
    house: House,
    daemon: Daemon,
    cookie: String,
    csrf: String,
    origin: String,
}

impl Open {
    fn new() -> Self {
        let house = House::supervised();
        let daemon = Daemon::start(&house);
        let (cookie, csrf) = daemon.browser(&daemon.login.clone());
        let origin = format!("Origin: http://{}", daemon.address);
        Self {
            house,
            cookie: format!("Cookie: metnos={cookie}"),
            csrf: format!("X-CSRF: {csrf}"),
            origin,
            daemon,
        }
    }

    fn ask(&self, headers: &[&str]) -> Answer {
        let body = json!({ "text": "what time is it" }).to_string();
        self.daemon.request("POST", "/agent/turn", headers, &body)
    }

    /// A device of another person.
    fn device(&self, name: &str, role: &str) -> String {
        let made = self.house.run(&["--json", "users", "add", name, "--as", role]);
        assert_eq!(made.code, Some(0), "{made:?}");
        let id = made.json()["id"].as_str().unwrap().to_owned();
        let token = self.house.run(&["--json", "devices", "add", "phone", "--person", &id]);
        assert_eq!(token.code, Some(0), "{token:?}");
        token.json()["token"].as_str().unwrap().to_owned()
    }
}

#[test]
fn a_page_of_another_site_can_do_nothing_with_this_browser() {
    let open = Open::new();
    let Open { cookie, csrf, origin, .. } = &open;
    assert_eq!(open.ask(&[cookie, csrf, origin, JSON]).status, 200, "as it is meant");
    assert_eq!(open.ask(&[cookie, origin, JSON]).status, 403, "without the proof of our page");
    assert_eq!(open.ask(&[cookie, "X-CSRF: 00000000000000000000000000000000", origin, JSON]).status, 403);
    for elsewhere in [
        "Origin: http://evil.example",
        "Origin: null",
        "Origin: http://127.0.0.1.evil.example",
        "Origin: http://127.0.0.1:1",
    ] {
        assert_eq!(open.ask(&[cookie, csrf, elsewhere, JSON]).status, 403, "{elsewhere}");
    }
    assert_eq!(open.ask(&[cookie, csrf, origin, JSON, "Sec-Fetch-Site: cross-site"]).status, 403);
    assert_eq!(
        open.ask(&[cookie, csrf, origin, "Content-Type: text/plain"]).status,
        400,
        "what a form can send"
    );
    assert_eq!(
        open.ask(&[cookie, csrf, origin, "Content-Type: application/x-www-form-urlencoded"]).status,
        400
    );
    let turn = open.ask(&[cookie, csrf, origin, JSON]).json()["turn"].as_str().unwrap().to_owned();
    let path = format!("/agent/turns/{turn}/stream");
    assert_eq!(open.daemon.request("GET", &path, &[cookie], "").status, 200, "our own stream");
    for headers in [
        vec![cookie.as_str(), "Origin: http://evil.example"],
        vec![cookie, "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: cors"],
    ] {
        assert_eq!(
            open.daemon.request("GET", &path, &headers, "").status,
            403,
            "an EventSource of another site"
        );
    }
    let answer = open.daemon.request("GET", "/", &[cookie], "");
    let headers = answer.headers.to_ascii_lowercase();
    assert!(!headers.contains("access-control-allow"), "nobody else may read");
    assert!(headers.contains("frame-ancestors 'none'") && headers.contains("script-src 'self'"), "{headers}");
}

#[test]
fn a_name_that_is_not_ours_is_not_answered() {
    let open = Open::new();
    let key = format!("Authorization: Bearer {}", open.daemon.key);
    let port = open.daemon.address.split_once(':').unwrap().1.to_owned();
    for host in [format!("Host: localhost:{port}"), format!("Host: {}", open.daemon.address)] {
        assert_eq!(open.daemon.request("GET", "/agent/turns", &[&host, &key], "").status, 200, "{host}");
    }
    for host in [
        "Host: evil.example".to_owned(),
        format!("Host: evil.example:{port}"),
        "Host: ".to_owned(),
        format!("Host: 127.0.0.1:{port}@evil.example"),
    ] {
        let answer = open.daemon.request("GET", "/agent/turns", &[&host, &key], "");
        assert!(matches!(answer.status, 400 | 403), "{host}: {answer:?}");
    }
    let doubled = format!(
        "GET /agent/turns HTTP/1.1\r\nHost: {0}\r\nHost: {0}\r\n{key}\r\nConnection: close\r\n\r\n",
        open.daemon.address
    );
    assert!(matches!(open.daemon.raw(doubled.as_bytes()).status, 400 | 403));
    let absent = format!("GET /agent/turns HTTP/1.1\r\n{key}\r\nConnection: close\r\n\r\n");
    assert!(matches!(open.daemon.raw(absent.as_bytes()).status, 400 | 403));
}

#[test]
fn without_a_key_nothing_is_told_and_guessing_is_slowed_down() {
    let open = Open::new();
    for (method, path) in [
        ("GET", "/agent/turns"),
        ("GET", "/agent/approvals"),
        ("GET", "/agent/forms"),
        ("GET", "/agent/me"),
        ("GET", "/metrics"),
        ("GET", "/v1/models"),
        ("GET", "/agent/turns/01JCQ7C0000000000000000000/stream"),
        ("POST", "/agent/turn"),
        ("POST", "/agent/turn/submit"),
        ("POST", "/agent/approvals/x"),
        ("POST", "/agent/forms/x"),
        ("POST", "/v1/chat/completions"),
        ("POST", "/logout"),
    ] {
        let answer = open.daemon.request(method, path, &[JSON], "{}");
        assert_eq!(answer.status, 401, "{method} {path}: {answer:?}");
    }
    let health = open.daemon.request("GET", "/healthz", &[], "");
    assert_eq!(health.status, 200);
    let mut slowed = false;
    for n in 0..40 {
        let answer =
            open.daemon.request("GET", "/agent/turns", &[&format!("Authorization: Bearer mn_{n:043}")], "");
        assert!(matches!(answer.status, 401 | 429), "{answer:?}");
        slowed |= answer.status == 429;
    }
    assert!(slowed, "after many wrong keys nobody is listened to");
    assert_eq!(open.daemon.get("/agent/turns").status, 200, "whoever has a right one still is");
}

#[test]
fn forged_and_ended_sessions_are_nobody() {
    let open = Open::new();
    let Open { cookie, csrf, origin, .. } = &open;
    let mut forged = cookie.clone();
    let last = forged.pop().unwrap();
    forged.push(if last == 'A' { 'B' } else { 'A' });
    for wrong in
        [forged.as_str(), "Cookie: metnos=", "Cookie: metnos=host", "Cookie: metnos=mn_../../etc/passwd"]
    {
        assert_eq!(open.ask(&[wrong, csrf, origin, JSON]).status, 401, "{wrong}");
    }
    // A login token is no session and no key.
    let link = open.house.run(&["--json", "login-link"]).json()["login"].as_str().unwrap().to_owned();
    let token = link.split_once('#').unwrap().1;
    assert_eq!(open.ask(&[&format!("Cookie: metnos={token}"), csrf, origin, JSON]).status, 401);
    assert_eq!(open.daemon.get_as(token, "/agent/turns").status, 401);
    assert_eq!(open.daemon.request("POST", "/logout", &[cookie, csrf, origin], "").status, 204);
    assert_eq!(open.ask(&[cookie, csrf, origin, JSON]).status, 401, "it has ended");
}

#[test]
fn other_peoples_turns_questions_and_lists_do_not_exist() {
    let open = Open::new();
    std::fs::write(open.house.home().join("a.txt"), "a").unwrap();
    let done = open.daemon.ask("what time is it")["turn"].as_str().unwrap().to_owned();
    let waits = open.daemon.ask("delete the file a.txt");
    let card = waits["approval"]["id"].as_str().unwrap();
    for role in ["member", "guest"] {
        let token = open.device(&format!("Visitor {role}"), role);
        assert_eq!(open.daemon.get_as(&token, "/agent/turns").json(), json!([]));
        assert_eq!(open.daemon.get_as(&token, "/agent/approvals").json(), json!([]));
        for path in [
            format!("/agent/turns/{done}"),
            format!("/agent/turns/{done}/entries"),
            format!("/agent/turns/{done}/files/0"),
            format!("/agent/turns/{done}/stream"),
        ] {
            assert_eq!(open.daemon.get_as(&token, &path).status, 404, "{role} {path}");
        }
        for (path, body) in [
            (format!("/agent/approvals/{card}"), json!({ "answer": "once" })),
            (format!("/agent/forms/{done}"), json!({ "text": "x" })),
            (format!("/agent/turns/{done}/undo"), json!({})),
            (format!("/agent/turns/{done}/cancel"), json!({})),
            (format!("/agent/turns/{done}/feedback"), json!({ "feedback": "star" })),
        ] {
            let answer = open.daemon.post_as(&token, &path, &body);
            assert_eq!(answer.status, 404, "{role} {path}: {answer:?}");
        }
        assert_eq!(open.daemon.get_as(&token, "/metrics").status, 403, "{role}");
        let secret = json!({ "fields": { "token": "s3cret-value-of-a-visitor" } });
        assert_eq!(open.daemon.post_as(&token, "/agent/credentials/mail", &secret).status, 403, "{role}");
        let own = open.daemon.post_as(&token, "/agent/turn", &json!({ "text": "what time is it" }));
        assert_eq!(own.json()["status"], "done", "{role} {own:?}");
        assert_eq!(open.daemon.get_as(&token, "/agent/turns").json().as_array().map(Vec::len), Some(1));
        // A folder to stand in is for the terminal of the machine itself.
        let based = json!({ "text": "what time is it", "base": "/" });
        assert_eq!(open.daemon.post_as(&token, "/agent/turn", &based).status, 400);
    }
    assert!(open.house.home().join("a.txt").exists());
}

#[test]
fn a_file_of_an_answer_is_had_by_who_may_read_it_and_is_never_a_page() {
    let open = Open::new();
    let home = open.house.home();
    open.house.write("Papers/page.html", "<script>alert(1)</script>");
    let turn = open.daemon.ask("find the files in Papers")["turn"].as_str().unwrap().to_owned();
    let path = format!("/agent/turns/{turn}/files/0");
    let file = open.daemon.get(&path);
    assert_eq!((file.status, file.body.as_str()), (200, "<script>alert(1)</script>"));
    let headers = file.headers.to_ascii_lowercase();
    for line in [
        "application/octet-stream",
        "attachment; filename*=utf-8''page.html",
        "nosniff",
        "default-src 'none'",
    ] {
        assert!(headers.contains(line), "{line}: {headers}");
    }
    assert_eq!(open.daemon.request("GET", &path, &[], "").status, 401, "a stranger");
    let token = open.device("Nina", "member");
    assert_eq!(open.daemon.get_as(&token, &path).status, 404, "somebody else");
    for row in ["1", "4294967295"] {
        assert_eq!(open.daemon.get(&format!("/agent/turns/{turn}/files/{row}")).status, 404, "{row}");
    }
    assert_eq!(open.daemon.get(&format!("/agent/turns/{turn}/files/-1")).status, 400);
    // The name leads elsewhere by now.
    let page = home.join("Papers/page.html");
    let key = open.house.metnos().join("config/keys/instance.key");
    for (target, status) in [(key.as_path(), 403), (std::path::Path::new("/etc/hostname"), 403)] {
        std::fs::remove_file(&page).unwrap();
        std::os::unix::fs::symlink(target, &page).unwrap();
        let answer = open.daemon.get(&path);
        assert_eq!(answer.status, status, "{}: {answer:?}", target.display());
    }
    std::fs::remove_file(&page).unwrap();
    assert_eq!(open.daemon.get(&path).status, 404, "it is gone");
    std::fs::create_dir(&page).unwrap();
    assert_eq!(open.daemon.get(&path).status, 400, "a folder");
    open.house.chain_holds();
}

#[test]
fn paths_stay_where_they_are() {
    let open = Open::new();
    for path in [
        "/assets/../../../etc/passwd",
        "/assets/%2e%2e%2f%2e%2e%2fetc%2fpasswd",
        "/assets/..%5c..%5cx",
        "//etc/passwd",
        "/assets/metnos.css%00.js",
        "/agent/turns/..%2f..%2fstate",
        "/agent/turns/%2e%2e",
    ] {
        let answer = open.daemon.get(path);
        assert!(matches!(answer.status, 400 | 404), "{path}: {answer:?}");
        assert!(!answer.body.contains("root:"), "{path}");
    }
    assert_eq!(open.daemon.request("GET", "/assets/metnos.css", &[], "").status, 200);
}

#[test]
fn too_much_too_slow_and_half_said_are_refused() {
    let open = Open::new();
    let big = json!({ "text": "x".repeat(3 << 20) });
    assert_eq!(open.daemon.post("/agent/turn", &big).status, 413);
    let long = json!({ "text": "x".repeat((1 << 20) + 1) });
    assert_eq!(open.daemon.post("/agent/turn", &long).status, 400);
    let auth = format!("Authorization: Bearer {}", open.daemon.key);
    let head = format!("POST /agent/turn HTTP/1.1\r\nHost: {}\r\n{auth}\r\n{JSON}\r\n", open.daemon.address);
    // Announces more than it sends, and waits.
    let slow =
        open.daemon.raw(format!("{head}Connection: close\r\nContent-Length: 100\r\n\r\n{{").as_bytes());
    assert!(matches!(slow.status, 408 | 413), "{slow:?}");
    let mut stream = TcpStream::connect(&open.daemon.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: ").unwrap();
    let mut rest = Vec::new();
    let _ = stream.read_to_end(&mut rest);
    assert!(!rest.starts_with(b"HTTP/1.1 200"), "half a head is no request");
    for wrong in [
        "",
        "{",
        "[]",
        "null",
        "{\"text\":5}",
        "{\"text\":\"a\",\"as\":\"host\"}",
        "\u{0}",
        "{\"text\":\"a\",\"text\":\"b\"}",
    ] {
        let answer = open.daemon.request("POST", "/agent/turn", &[&auth, JSON], wrong);
        assert_eq!(answer.status, 400, "{wrong:?}: {answer:?}");
        assert!(answer.json()["error"]["message"].is_string());
    }
}

#[test]
fn tricks_with_heads_lead_nowhere() {
    let open = Open::new();
    let auth = format!("Authorization: Bearer {}", open.daemon.key);
    let host = &open.daemon.address;
    let smuggled = format!(
        "POST /agent/turn HTTP/1.1\r\nHost: {host}\r\n{auth}\r\n{JSON}\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /agent/me HTTP/1.1\r\nHost: {host}\r\n\r\n"
    );
    let answer = open.daemon.raw(smuggled.as_bytes());
    assert!(answer.status >= 400 && !answer.body.contains("\"role\""), "{answer:?}");
    let twice = format!(
        "POST /agent/turn HTTP/1.1\r\nHost: {host}\r\n{auth}\r\n{JSON}\r\nContent-Length: 2\r\nContent-Length: 30\r\nConnection: close\r\n\r\n{{}}"
    );
    assert!(open.daemon.raw(twice.as_bytes()).status >= 400);
    let many: String = (0..500).map(|n| format!("X-{n}: y\r\n")).collect();
    let heads = format!("GET /healthz HTTP/1.1\r\nHost: {host}\r\n{many}Connection: close\r\n\r\n");
    assert_eq!(open.daemon.raw(heads.as_bytes()).status, 431);
    let wide = format!(
        "GET /healthz HTTP/1.1\r\nHost: {host}\r\nX: {}\r\nConnection: close\r\n\r\n",
        "y".repeat(100_000)
    );
    assert_eq!(open.daemon.raw(wide.as_bytes()).status, 431);
    for lie in [
        "X-Forwarded-For: 127.0.0.1",
        "X-Forwarded-User: host",
        "X-Original-URL: /agent/turns",
        "X-HTTP-Method-Override: POST",
    ] {
        assert_eq!(open.daemon.request("GET", "/agent/turns", &[lie], "").status, 401, "{lie}");
    }
    assert_eq!(open.daemon.request("DELETE", "/agent/turns", &[&auth], "").status, 405);
    assert_eq!(open.daemon.request("TRACE", "/healthz", &[], "").status, 405);
}

#[test]
fn what_somebody_wrote_is_shown_as_text() {
    let open = Open::new();
    let bad = "<img src=x onerror=alert(1)>";
    std::fs::create_dir(open.house.home().join("Docs")).unwrap();
    std::fs::write(open.house.home().join("Docs").join(format!("{bad}.txt")), "x").unwrap();
    let told = open.daemon.ask("move the files in Docs to Old");
    assert_eq!(told["status"], "waits", "{told}");
    let asked = open.daemon.ask("find files named <script>alert(1)</script>");
    let page = |told: &Value| format!("/admin/turns/{}", told["turn"].as_str().unwrap());
    // Each of these pages shows the words; none as anything but words.
    for (path, shown, live) in [
        ("/admin/approvals", "onerror=alert(1)", bad),
        (&page(&told), "onerror=alert(1)", bad),
        ("/admin/turns", "alert(1)", "<script>alert"),
        (&page(&asked), "alert(1)", "<script>alert"),
    ] {
        let answer = open.daemon.request("GET", path, &[&open.cookie], "");
        assert_eq!(answer.status, 200, "{path}");
        assert!(answer.body.contains(shown), "{path} does not show it: {}", answer.body);
        assert!(!answer.body.contains(live), "{path}: {}", answer.body);
    }
}

#[test]
fn whoever_is_sent_away_watches_nothing_any_more() {
    let open = Open::new();
    let token = open.device("Anna", "member");
    open.house.write("a.txt", "a");
    let asked = json!({ "text": "move b.txt" });
    let waits = open.daemon.post_as(&token, "/agent/turn", &asked).json();
    let path = format!("/agent/turns/{}/stream", waits["turn"].as_str().unwrap());
    let mut events = open.daemon.events_as(&token, &path, None);
    assert_eq!(events.status(), 200);
    let people = open.daemon.request(
        "GET",
        "/admin/people",
        &[&format!("Authorization: Bearer {}", open.daemon.key), "Accept: application/json"],
        "",
    );
    let people = people.json();
    let tokens = people["tokens"].as_array().unwrap();
    let id = tokens.iter().find(|token| token["person"] == "anna").unwrap()["id"].clone();
    assert_eq!(waits["status"], "asks", "it is not said where to: {waits}");
    assert_eq!(open.daemon.post("/admin/people/token", &json!({ "id": id })).json()["stay"], false);
    let last = events.last().unwrap();
    assert_eq!((last.name.as_str(), &last.data["class"]), ("error", &json!("unauthorized")), "{last:?}");
}

#[test]
fn nobody_but_the_host_opens_streams_without_end() {
    let open = Open::new();
    let token = open.device("Anna", "member");
    let asked = json!({ "text": "move b.txt" });
    let waits = open.daemon.post_as(&token, "/agent/turn", &asked).json();
    let path = format!("/agent/turns/{}/stream", waits["turn"].as_str().unwrap());
    let mut held = Vec::new();
    for _ in 0..32 {
        let mut events = open.daemon.events_as(&token, &path, None);
        assert_eq!(events.status(), 200);
        held.push(events);
    }
    assert_eq!(open.daemon.events_as(&token, &path, None).status(), 429);
    assert_eq!(open.daemon.events(&path, None).status(), 200, "others are not held up");
    drop(held);
}

#[test]
fn the_host_repeats_a_guests_request_as_their_own() {
    let open = Open::new();
    let token = open.device("Anna", "guest");
    let theirs = open.daemon.post_as(&token, "/agent/turn", &json!({ "text": "what time is it" })).json();
    let path = format!("/agent/turns/{}/feedback", theirs["turn"].as_str().unwrap());
    let again = open.daemon.post(&path, &json!({ "feedback": "repeat" })).json();
    assert_eq!(again["status"], "done", "{again}");
    for list in ["/agent/turns", "/agent/turns?conversation=main"] {
        let seen = open.daemon.get_as(&token, list).json();
        assert_eq!(seen.as_array().map(Vec::len), Some(1), "{list}: {seen}");
    }
}
