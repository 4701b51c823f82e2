//! A real browser, driven over WebDriver: a small client of our own, enough to look and to click.

use metnos_testkit::{Fix, skipped};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const DRIVER: &str = "/usr/bin/chromedriver";
/// How long something may take to show.
const PATIENCE: Duration = Duration::from_secs(60);

/// A browser with one window; ended with the test.
pub struct Browser {
    driver: Child,
    session: String,
    _home: tempfile::TempDir,
}

/// Whether there is a browser; a test that has none is counted as skipped.
pub fn is_there() -> bool {
    let there = Path::new(DRIVER).exists();
    if !there {
        skipped("no browser", Fix::Run("sudo apt-get install -y chromium chromium-driver"));
    }
    there
}

fn ask(method: &str, url: &str, body: &Value) -> Value {
    let config = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .timeout_global(Some(Duration::from_secs(120)))
        .build();
    let agent: ureq::Agent = config.into();
    let sent = match method {
        "GET" => agent.get(url).call(),
        "DELETE" => agent.delete(url).call(),
        _ => agent.post(url).content_type("application/json").send(body.to_string()),
    };
    let mut answer = sent.unwrap_or_else(|e| panic!("{method} {url}: {e}"));
    let text = answer.body_mut().with_config().limit(64 << 20).read_to_string().unwrap();
    let value: Value = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e} in {text}"));
    assert!(value["value"]["error"].is_null(), "{method} {url} {body}: {value}");
    value["value"].clone()
}

impl Browser {
    pub fn start() -> Self {
        let home = tempfile::tempdir().unwrap();
        let mut driver = Command::new(DRIVER)
            .arg("--port=0")
            .env_clear()
            .env("HOME", home.path())
            .env("PATH", "/usr/bin:/bin")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(driver.stdout.take().unwrap()).lines();
        let port = lines.find_map(|line| {
            let line = line.unwrap();
            let port = line.split_once("on port ")?.1.trim_end_matches('.').parse::<u16>();
            port.ok().filter(|port| *port != 0)
        });
        // Whoever writes and is not read stops.
        std::thread::spawn(move || lines.for_each(drop));
        let base = format!("http://127.0.0.1:{}", port.unwrap());
        let mut args = vec![
            "--headless=new".to_owned(),
            "--disable-background-networking".into(),
            "--disable-component-update".into(),
            "--disable-sync".into(),
            "--no-first-run".into(),
            "--disable-gpu".into(),
            "--disable-quic".into(),
            "--disable-dev-shm-usage".into(),
            "--window-size=1200,900".into(),
            format!("--user-data-dir={}", home.path().join("profile").display()),
        ];
        if rustix::process::geteuid().is_root() {
            args.push("--no-sandbox".into());
        }
        let wanted = json!({ "capabilities": { "alwaysMatch": {
            "goog:chromeOptions": { "args": args },
            "goog:loggingPrefs": { "browser": "ALL", "performance": "ALL" },
        } } });
        let made = ask("POST", &format!("{base}/session"), &wanted);
        let session = format!("{base}/session/{}", made["sessionId"].as_str().unwrap());
        Self { driver, session, _home: home }
    }

    fn post(&self, path: &str, body: Value) -> Value {
        ask("POST", &format!("{}/{path}", self.session), &body)
    }

    pub fn go(&self, url: &str) {
        self.post("url", json!({ "url": url }));
    }

    /// What a script returns.
    pub fn eval(&self, script: &str) -> Value {
        self.post("execute/sync", json!({ "script": script, "args": [] }))
    }

    /// Waits until an expression holds, and gives its value.
    pub fn until(&self, expression: &str) -> Value {
        let began = Instant::now();
        loop {
            let value = self.eval(&format!("return ({expression});"));
            if !matches!(value, Value::Null | Value::Bool(false)) && value != json!("") && value != json!(0) {
                return value;
            }
            if began.elapsed() > PATIENCE {
                let page = self.eval("return document.body.innerText;");
                panic!("never came true: {expression}\n{}", page.as_str().unwrap_or_default());
            }
            std::thread::sleep(Duration::from_millis(30));
        }
    }

    fn element(&self, css: &str) -> String {
        self.until(&format!("!!document.querySelector({})", json!(css)));
        let found = self.post("element", json!({ "using": "css selector", "value": css }));
        found.as_object().unwrap().values().next().unwrap().as_str().unwrap().to_owned()
    }

    /// Scrolls there and clicks, as a person does: what is covered even then is not clicked.
    pub fn click(&self, css: &str) {
        let element = self.element(css);
        let there = json!(css);
        self.eval(&format!("document.querySelector({there}).scrollIntoView({{ block: 'center' }});"));
        self.post(&format!("element/{element}/click"), json!({}));
    }

    pub fn type_into(&self, css: &str, text: &str) {
        let element = self.element(css);
        self.post(&format!("element/{element}/value"), json!({ "text": text }));
    }

    /// A command of the browser's own protocol.
    pub fn devtools(&self, command: &str, params: Value) -> Value {
        self.post("goog/cdp/execute", json!({ "cmd": command, "params": params }))
    }

    /// By day or by night, as wide as a desk or a phone.
    pub fn look(&self, dark: bool, phone: bool) {
        let scheme = if dark { "dark" } else { "light" };
        self.devtools(
            "Emulation.setEmulatedMedia",
            json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] }),
        );
        let (width, height) = if phone { (360, 740) } else { (1200, 860) };
        self.devtools(
            "Emulation.setDeviceMetricsOverride",
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": phone }),
        );
    }

    /// What is seen, as PNG.
    pub fn picture(&self) -> Vec<u8> {
        let text = ask("GET", &format!("{}/screenshot", self.session), &Value::Null);
        decode(text.as_str().unwrap())
    }

    /// The messages of a log since the last look: `browser` is the console, `performance` what was loaded.
    pub fn log(&self, kind: &str) -> Vec<Value> {
        self.post("se/log", json!({ "type": kind })).as_array().unwrap().clone()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let config = ureq::Agent::config_builder().timeout_global(Some(Duration::from_secs(10))).build();
        let agent: ureq::Agent = config.into();
        // It takes its browser along.
        let _ = agent.delete(&self.session).call();
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

/// Base64, as drivers send pictures.
fn decode(text: &str) -> Vec<u8> {
    let value = |byte: u8| match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    for four in text.trim_end_matches('=').as_bytes().chunks(4) {
        let bits = four.iter().fold(0_u32, |bits, byte| bits << 6 | u32::from(value(*byte)));
        let bits = bits << (6 * (4 - four.len()));
        out.extend_from_slice(&bits.to_be_bytes()[1..four.len()]);
    }
    out
}
