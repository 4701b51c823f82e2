//! Credentials: encrypted at rest, handed to the one call whose manifest names them.
//!
//! On disk there is one encrypted file per credential (`<version>.cred`) and one encrypted index
//! that says which of them are current. A change writes the new credential under a number never
//! used before, then replaces the index in one rename: that rename is the only moment of change, so
//! a crash leaves the old state or the new one, and a damaged credential costs only itself.
//!
//! **Detected**, and named: any changed byte, two files swapped, a file renamed, one file (also the
//! index) put back to an older state, an index that went missing, a key that is not the one.
//! **Not detected**: all files put back together to what they were at an earlier moment, which also
//! covers an index put back to just before the last *new* name was added, since a crash leaves the
//! same. An open [`Vault`] refuses to go back behind what it has seen; across restarts only somebody
//! outside can tell, for which [`Vault::generation`] is the number to remember (the audit is a good
//! place). Whoever can read the key and the files can read the credentials.
//!
//! **In memory** every text is wiped when dropped, and [`protect_process`] keeps it out of core
//! dumps. Pages are not locked: that needs unsafe code and a limit most systems set low, so
//! encrypted swap remains the machine's task. A deleted file is not overwritten: disks do not promise it.

mod bundle;
mod codec;
mod envelope;
mod error;
mod fields;
mod files;
mod index;
mod key;
mod name;
mod process;
mod seal;
mod secret;
mod vault;

pub use bundle::{BUNDLE_MAX, Bundle, Form, Missing};
pub use error::VaultError;
pub use fields::{FIELDS_BYTES_MAX, FIELDS_MAX, Fields, VALUE_MAX};
pub use index::{BINDINGS_MAX, CREDENTIALS_MAX};
pub use name::{NAME_MAX, Name};
pub use process::protect_process;
pub use seal::Sealer;
pub use secret::Secret;
pub use vault::{Credential, Listed, Stamp, Vault};
