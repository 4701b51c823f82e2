//! `metnos man`: the manual page, made from the command line itself, so that the two never differ.

use crate::cli::Cli;
use clap::CommandFactory;
use metnos_executor::Failure;
use std::process::ExitCode;

/// Prints one page: what `metnos` is, its options, and every command with what it takes.
pub(crate) fn run() -> Result<ExitCode, Failure> {
    let mut page = Vec::new();
    let mut command = Cli::command();
    command.build();
    let written = write(&command, &mut page);
    written.map_err(|e| Failure::io("the manual page", &e))?;
    crate::print::prompt(&String::from_utf8_lossy(&page));
    Ok(ExitCode::SUCCESS)
}

fn write(command: &clap::Command, out: &mut Vec<u8>) -> std::io::Result<()> {
    let page = clap_mangen::Man::new(command.clone());
    page.render_title(out)?;
    page.render_name_section(out)?;
    page.render_synopsis_section(out)?;
    page.render_description_section(out)?;
    page.render_options_section(out)?;
    for inner in command.get_subcommands().filter(|inner| !inner.is_hide_set() && inner.get_name() != "help")
    {
        one(inner, out)?;
    }
    page.render_version_section(out)
}

/// A section for one command, its own commands below it.
fn one(command: &clap::Command, out: &mut Vec<u8>) -> std::io::Result<()> {
    use std::io::Write;
    writeln!(out, ".SH \"{}\"", command.get_bin_name().unwrap_or(command.get_name()).to_uppercase())?;
    let page = clap_mangen::Man::new(command.clone());
    let mut parts = Vec::new();
    page.render_description_section(&mut parts)?;
    page.render_options_section(&mut parts)?;
    if command.has_subcommands() {
        page.render_subcommands_section(&mut parts)?;
    }
    // Its sections are parts of this one.
    out.extend_from_slice(String::from_utf8_lossy(&parts).replace("\n.SH ", "\n.SS ").as_bytes());
    Ok(())
}
