//! TLS with a certificate of the house's own: for the laptop in the same network, where no authority is asked.

use metnos_executor::home::Home;
use metnos_executor::{ErrorClass, Failure};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::net::IpAddr;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// The certificate of this house and what it is known by.
pub struct Certificate {
    /// Where the public half lies: a client that has it trusts this house and nobody else.
    pub path: PathBuf,
    pub(crate) acceptor: TlsAcceptor,
}

impl Certificate {
    /// The certificate of this home, made if there is none. It is for `address` and `names`; when those change, it
    /// is made again.
    pub fn open(home: &Home, address: IpAddr, names: &[String]) -> Result<Self, Failure> {
        let (path, key) = (home.keys_dir().join("tls.crt"), home.keys_dir().join("tls.key"));
        let mut known: Vec<String> = vec!["localhost".into(), address.to_string()];
        known.extend(names.iter().cloned());
        known.sort();
        known.dedup();
        let stamp = home.keys_dir().join("tls.names");
        let same = std::fs::read_to_string(&stamp).is_ok_and(|text| text == known.join("\n"));
        if !same || !path.exists() || !key.exists() {
            make(&path, &key, &known)?;
            write(&stamp, known.join("\n").as_bytes())?;
        }
        let mode = std::fs::metadata(&key).map_err(|e| Failure::io(key.display(), &e))?.permissions().mode();
        if mode & 0o077 != 0 {
            return Err(Failure::new(
                ErrorClass::Forbidden,
                format!("{} can be read by others", key.display()),
            )
            .with_hint(format!("chmod 600 {}", key.display())));
        }
        let broken = |e: String| {
            Failure::internal(format!("{}: {e}", path.display()))
                .with_hint("remove it and start again: it is made anew")
        };
        let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_file_iter(&path)
            .and_then(Iterator::collect)
            .map_err(|e| broken(e.to_string()))?;
        let secret = PrivateKeyDer::from_pem_file(&key).map_err(|e| broken(e.to_string()))?;
        let provider = Arc::new(tokio_rustls::rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, secret))
            .map_err(|e| broken(e.to_string()))?;
        Ok(Self { acceptor: TlsAcceptor::from(Arc::new(config)), path })
    }
}

fn make(path: &Path, key: &Path, names: &[String]) -> Result<(), Failure> {
    let broken = |e: rcgen::Error| Failure::internal(format!("a certificate could not be made: {e}"));
    let made = rcgen::generate_simple_self_signed(names.to_vec()).map_err(broken)?;
    // The key first: a certificate without its key would be taken for a whole one.
    write(key, made.signing_key.serialize_pem().as_bytes())?;
    write(path, made.cert.pem().as_bytes())
}

/// Writes beside, then puts in place: a cut leaves the old or the new, never half.
fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let failed = |e: std::io::Error| Failure::io(path.display(), &e);
    let fresh = path.with_extension("new");
    let mut file: File = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&fresh)
        .map_err(failed)?;
    file.write_all(bytes).and_then(|()| file.sync_all()).map_err(failed)?;
    std::fs::rename(&fresh, path).map_err(failed)
}
