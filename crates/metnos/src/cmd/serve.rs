//! `metnos serve` and `metnos login-link`: the daemon, and the way into its pages.

use crate::print::Printer;
use metnos_doors::{Certificate, House, Instance, Listening, Origins, Serving, serve};
use metnos_executor::{ErrorClass, Failure};
use metnos_runtime::config::Tls;
use metnos_runtime::people::TokenKind;
use metnos_runtime::{Options, Runtime};
use serde_json::json;
use std::io::IsTerminal;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;
use tokio::signal::unix::{SignalKind, signal};

/// Where systemd says which stream its journal is.
const JOURNAL: &str = "JOURNAL_STREAM";

/// Opens the doors and keeps them open until it is told to stop.
pub(crate) fn run(printer: Printer, listen: Option<SocketAddr>, prompt: bool) -> Result<ExitCode, Failure> {
    let home = super::home()?;
    let instance = Instance::take(&home)?;
    metnos_runtime::config::ready(&home)?;
    metnos_engine::Lexicons::prepare();
    let runtime = Runtime::open(home, Options { warm: true, built: super::init::HOST_DIGEST })?;
    let serve_as = runtime.config.serve.clone();
    if let Some(open) = listen
        .filter(|address| !address.ip().is_loopback() && serve_as.tls == Tls::Off && !serve_as.behind_proxy)
    {
        return Err(Failure::wrong_args(format!("{open} can be reached by other machines"))
            .with_hint("tls = \"own\" or behind_proxy = true under [serve] in metnos.toml"));
    }
    let address = listen.unwrap_or(serve_as.listen);
    let names: Vec<String> = serve_as.names.iter().map(|name| name.0.clone()).collect();
    let threads = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(64)
        .enable_all()
        .build()
        .map_err(|e| Failure::io("the threads of the daemon", &e))?;
    threads.block_on(async {
        // Before anybody is told that it runs: who hears of it may want it to stop.
        let (mut term, mut int) =
            (listen_for(SignalKind::terminate())?, listen_for(SignalKind::interrupt())?);
        let own = (serve_as.tls == Tls::Own)
            .then(|| Certificate::open(&runtime.home, address.ip(), &names))
            .transpose()?;
        let listening = Listening::open(address, own.as_ref()).await?;
        let public = serve_as.public_url.map(|url| url.0);
        let origins = Origins::new(listening.address, &names, public.as_deref());
        let scheme = if own.is_some() { "https" } else { "http" };
        let listens = format!("{scheme}://{}", reachable(listening.address));
        let url = public.clone().unwrap_or_else(|| format!("{scheme}://{}", listening.address));
        let house = House::open(runtime, origins, &url)?;
        instance.announce(&url, &listens)?;
        let born = Arc::clone(&house);
        // Birth promises are tried again at every start; a broken one shows in the list and in status.
        std::thread::spawn(move || born.runtime().rebirth());
        tell(printer, &house, &url)?;
        let (left, leaving) = tokio::sync::oneshot::channel();
        if prompt && std::io::stdin().is_terminal() {
            let gateway = house.gateway();
            std::thread::spawn(move || {
                if let Err(failure) = super::prompt::converse(printer, &gateway, super::editor::House::Shared)
                {
                    printer.failure(&failure);
                }
                let _ = left.send(());
            });
        } else {
            std::mem::forget(left);
        }
        let stop = async {
            // At the prompt Ctrl-C ends what runs there, not the house.
            let quiet = prompt && std::io::stdin().is_terminal();
            tokio::select! { _ = term.recv() => {}, _ = int.recv(), if !quiet => {}, _ = leaving => {} }
        };
        serve(house, listening, stop).await;
        crate::print::restore_terminal();
        Ok::<(), Failure>(())
    })?;
    printer.say("stopped");
    Ok(ExitCode::SUCCESS)
}

fn listen_for(kind: SignalKind) -> Result<tokio::signal::unix::Signal, Failure> {
    signal(kind).map_err(|e| Failure::io("signals", &e))
}

/// The address under which this machine itself reaches a listener.
fn reachable(address: SocketAddr) -> String {
    match address.ip().is_unspecified() {
        true => format!("localhost:{}", address.port()),
        false => address.to_string(),
    }
}

/// Whether what is said goes into the journal, which others may read.
fn into_journal() -> bool {
    let own = rustix::fs::fstat(std::io::stdout()).map(|own| format!("{}:{}", own.st_dev, own.st_ino));
    std::env::var(JOURNAL).is_ok_and(|journal| own.is_ok_and(|own| own == journal))
}

/// Says where it is, and shows the way in where nobody else reads it.
fn tell(printer: Printer, house: &House, url: &str) -> Result<(), Failure> {
    if into_journal() {
        printer.value(&json!({ "ok": true, "url": url }));
        printer.say(format!("Metnos listens at {url}; metnos login-link lets a browser in"));
        return Ok(());
    }
    let link = link(house.runtime(), url)?;
    printer.value(&json!({ "ok": true, "url": url, "login": link }));
    printer.say(format!("Metnos listens at {url}"));
    printer.say(format!("come in     {link}"));
    printer.say("            (once, within 10 minutes; metnos login-link makes another)");
    Ok(())
}

/// A link that lets one browser in, once. What is secret in it is in the part that browsers never send.
fn link(runtime: &Runtime, url: &str) -> Result<String, Failure> {
    let token = runtime.issue_token(TokenKind::Login, "host", "login link", super::USER)?;
    Ok(format!("{url}/login#{token}"))
}

/// Makes another link for the daemon that runs.
pub(crate) fn login_link(printer: Printer, person: Option<&str>) -> Result<ExitCode, Failure> {
    let home = super::home()?;
    let serving = Serving::find(&home).ok_or_else(|| {
        Failure::new(ErrorClass::NotFound, "no daemon runs")
            .with_hint("metnos serve, or metnos service install")
    })?;
    let runtime = super::runtime(false)?;
    let token = runtime.issue_token(TokenKind::Login, person.unwrap_or("host"), "login link", super::USER)?;
    let link = format!("{}/login#{token}", serving.url);
    printer.value(&json!({ "login": link }));
    printer.say(&link);
    Ok(ExitCode::SUCCESS)
}
