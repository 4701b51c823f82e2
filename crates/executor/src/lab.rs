//! One layer taken away at a time, in a test build only: what the controls of the attack table are
//! made of. Without the feature `lab` the question always answers no, at compile time, and no
//! environment variable is looked at.

/// What a test build can take away: one layer of the sandbox, or one named check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// The plan of mounts: everything is there instead, read-write.
    Mount,
    /// The covers over core paths inside a mounted tree.
    Masks,
    /// The size of the private `/tmp`.
    TmpSize,
    /// The private `/tmp` itself: one folder for all cells instead.
    PrivateTmp,
    /// The private layer over the folders of a Python executor: it works on the real ones.
    PrivateLayer,
    /// The namespace of processes.
    PidNamespace,
    /// The namespace of host names.
    UtsNamespace,
    /// The namespace of networks.
    NetNamespace,
    /// The dropping of capabilities.
    Capabilities,
    /// The clearing of the environment.
    EnvClear,
    /// The closing of inherited descriptors.
    FdClose,
    /// The host's count of its own threads before it closes the layers.
    SingleThread,
    /// Landlock.
    Landlock,
    /// The comparison of a granted path with the file the daemon saw.
    FenceIdentity,
    /// seccomp.
    Seccomp,
    /// The kernel's limits on one process.
    Rlimits,
    /// The kernel's bound on processes and memory of a whole cell.
    Cgroup,
    /// The watch over processes and memory from outside, and with it the kernel's bound on a whole
    /// cell: either alone stops what both are there for.
    Watchdog,
    /// The deadline of a call.
    Wall,
    /// The bounds of the embedded interpreter.
    Bounds,
    /// The bound on the size of an answer.
    OutputBound,
    /// The sealing of memory files that are passed.
    Seal,
    /// The daemon's own check of an answer.
    Schema,
    /// The host's check of paths that Python asks for.
    HostCheck,
    /// The floor under the origin of what Python answers.
    OriginFloor,
    /// The rule that Python code is parsed against.
    StaticCheck,
    /// The daemon's knowledge of core paths.
    CoreGuard,
    /// The territory.
    Territory,
    /// Signatures and the hashes they are over.
    Signature,
    /// The counters that make an old signed record invalid.
    Counter,
    /// The digest of the host program.
    HostDigest,
    /// The place where a good signature belongs.
    Belongs,
    /// The hosts and ports of a profile.
    ProxyFence,
    /// The refusal of addresses inside the house.
    ProxyAddress,
    /// Policy: level, capability, grants and rules.
    Policy,
    /// The judge.
    Vaglio,
    /// The judge's eye for somebody else's words.
    Taint,
    /// The question to a person.
    Approval,
    /// What binds a yes to one request.
    Binding,
    /// The time after which a question is void.
    Expiry,
    /// The stop when the record of a decision is damaged.
    Damage,
    /// What takes secrets out of everything that is written.
    Redaction,
    /// The rule that nothing is released whose line could not be written.
    Recording,
    /// How much one person may use in an hour.
    Limits,
    /// The flag that stops everything.
    Halt,
    /// The lists of commands that do not run.
    Commands,
    /// The look at the file that a name of a program really runs.
    RealProgram,
    /// The look at where a path of a command leads.
    Leads,
    /// The list of programs that delete by the way.
    Sweepers,
    /// The knowledge of files that run code by themselves.
    RunsCode,
    /// The file that caps a channel, kept from that channel.
    ChannelCap,
    /// The seal that texts pass before they stand in a table.
    VaultSeal,
    /// The host's word before a credential of theirs is in somebody else's call.
    Lending,
    /// The difference between the territory and places outside it.
    Beyond,
    /// What birth tests come to.
    BirthTests,
    /// The cleaning of signs that nobody sees.
    Unseen,
    /// The cleaning of signs that are ours.
    Imitation,
    /// What an exported checkpoint knows of the audit.
    Checkpoint,
    /// How much a guest may have here.
    Room,
    /// How much one person may ask in a minute.
    Pace,
    /// The comparison of what a card showed with what is there now.
    Showing,
    /// The end of a yes that its call did not use.
    Unused,
}

/// True when this build was told to do without `layer`.
#[cfg(not(feature = "lab"))]
#[inline(always)]
pub const fn without(_layer: Layer) -> bool {
    false
}

#[cfg(feature = "lab")]
pub use with_feature::{carried, var, without};

#[cfg(feature = "lab")]
mod with_feature {
    use super::Layer;
    use std::sync::OnceLock;

    const PREFIX: &str = "METNOS_LAB_";

    /// True when this build was told to do without `layer`.
    pub fn without(layer: Layer) -> bool {
        static ABSENT: OnceLock<Option<String>> = OnceLock::new();
        let absent = ABSENT.get_or_init(|| var("WITHOUT"));
        absent.as_deref() == Some(spelled(layer).as_str())
    }

    /// `EnvClear` is written `env-clear`.
    fn spelled(layer: Layer) -> String {
        let mut name = String::new();
        for letter in format!("{layer:?}").chars() {
            if letter.is_uppercase() && !name.is_empty() {
                name.push('-');
            }
            name.push(letter.to_ascii_lowercase());
        }
        name
    }

    /// A setting of the test build.
    pub fn var(name: &str) -> Option<String> {
        std::env::var(format!("{PREFIX}{name}")).ok().filter(|value| !value.is_empty())
    }

    /// Every setting of the test build, for a cell whose environment is otherwise empty.
    pub fn carried() -> Vec<(String, String)> {
        std::env::vars().filter(|(name, _)| name.starts_with(PREFIX)).collect()
    }
}
