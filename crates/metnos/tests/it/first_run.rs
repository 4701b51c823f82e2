//! A first run offers to set up, in the language of the terminal, and what is chosen there holds.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use crate::support::House;
use crate::support::daemon::Daemon;
use crate::support::pty::Pty;

#[test]
fn whoever_sits_there_is_offered_to_set_up_and_goes_on_in_their_language() {
    let house = House::bare();
    house.write("Documents/a.txt", "a");
    let mut pty = Pty::start_as(&house, "ask che ore sono", &[("LANG", "it_IT.UTF-8")]);
    pty.shows("Lo configuro ora? [S/n] ");
    pty.keys("\n");
    pty.shows("lingua: en, es, it [it]: ");
    pty.keys("xx\n");
    pty.shows("una tra en, es, it");
    pty.shows("[it]: ");
    pty.keys("\n");
    pty.shows("fuso orario [");
    pty.keys("\n");
    pty.shows("cartelle da aprire [");
    pty.keys("\n");
    pty.shows("in uso");
    // The request that came first is carried out.
    pty.shows("ore ");
    assert_eq!(pty.ends(), Some(0));
    // It holds at the prompt, for words that belong to no language, for direct calls and on the pages.
    let mut pty = Pty::start(&house, "");
    pty.shows("Di' che cosa vuoi");
    pty.shows("metnos> ");
    pty.keys("aiuto\n");
    pty.shows("riporta indietro");
    pty.keys("xyzzy\n");
    pty.shows("Non lo so ancora fare");
    pty.keys("delete_files paths=Documents/a.txt\n");
    pty.shows("Si può annullare");
    pty.shows("d[o]po > ");
    pty.keys("n\n");
    pty.shows("Hai detto no");
    pty.keys("esci\n");
    assert_eq!(pty.ends(), Some(0));
    let daemon = Daemon::start(&house);
    let (cookie, _) = daemon.browser(&daemon.login);
    let page = daemon.request("GET", "/", &[&format!("Cookie: metnos={cookie}"), "Accept: text/html"], "");
    assert!(page.body.contains("lang=\"it\""), "{page:?}");
}

#[test]
fn the_language_can_be_changed_on_the_first_screen() {
    let house = House::bare();
    let mut pty = Pty::start_as(&house, "", &[("LANG", "it_IT.UTF-8")]);
    pty.shows("[S/n] ");
    pty.keys("sì\n");
    pty.shows("[it]: ");
    pty.keys("english\n");
    pty.shows("time zone [");
    pty.keys("\n");
    pty.shows("folders to open [");
    pty.keys("\n");
    pty.shows("Say what you want");
    pty.shows("metnos> ");
    pty.keys("quit\n");
    assert_eq!(pty.ends(), Some(0));
}

#[test]
fn who_says_no_or_cannot_be_asked_reads_the_one_command() {
    let house = House::bare();
    let mut pty = Pty::start(&house, "");
    pty.shows("Set it up now? [Y/n] ");
    pty.keys("n\n");
    assert_eq!(pty.ends(), Some(2));
    assert!(!house.metnos().join("state").exists(), "nothing was made");
    for args in [&["ask", "what", "time", "is", "it"][..], &[], &["turns"], &["exec", "get_now"]] {
        let ran = house.run(args);
        assert_eq!(ran.code, Some(2), "{ran:?}");
        assert_eq!(ran.stderr, "Metnos is not set up here yet: metnos init\n", "{args:?}");
        let ran = house.run(&[&["--json"][..], args].concat());
        assert_eq!(ran.json()["error"]["hint"], "metnos init", "{ran:?}");
        assert_ne!(ran.json()["error"]["class"], "wrong_args", "{ran:?}");
    }
    let mut command = house.command();
    command.env("LANG", "it_IT.UTF-8").args(["ask", "ciao"]);
    let ran = crate::support::ran_with(command, b"");
    assert_eq!(ran.stderr, "Metnos non è ancora configurato qui: metnos init\n");
}

#[test]
fn a_set_up_that_asks_nothing_takes_the_language_of_the_terminal() {
    let house = House::bare();
    let mut command = house.command();
    command.env("LC_ALL", "it_IT.UTF-8").args(["init", "--yes"]);
    let ran = crate::support::ran_with(command, b"");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains("esecutori"), "{ran:?}");
    let asked = house.run(&["--json", "ask", "xyzzy"]).json();
    assert!(asked["text"].as_str().unwrap().starts_with("Non lo so ancora fare"), "{asked}");
}
