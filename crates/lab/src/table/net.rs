//! The egress proxy: hosts and ports that are not in the profile, and names that lead inside.

use crate::attack::Attack;
use crate::house::{Done, House};
use serde_json::json;

const PYTHON: &str = "get_urls_candidates";
const CPYTHON: &str = "get_contacts_candidates";

fn quiet(house: &House) -> Done {
    house.net.named.take();
    house.net.unnamed.take();
    Ok(())
}

pub(super) fn attacks() -> Vec<Attack> {
    let mut attacks = Vec::new();
    for (runtime, executor) in [("python", PYTHON), ("cpython", CPYTHON)] {
        // A public address at a port, and at a host, that no profile has.
        attacks.push(
            Attack::new("port-not-in-profile", runtime, "proxy-fence", executor)
                .before(quiet)
                .with(|house| {
                    let url = format!("http://93.184.216.34:{}/", house.net.unnamed.port);
                    json!({ "attack": "fetch", "target": url })
                })
                .won(|house, _| house.net.unnamed.take() > 0),
        );
        attacks.push(
            Attack::new("host-not-in-profile", runtime, "proxy-fence", executor)
                .before(quiet)
                .with(|house| {
                    let url = format!("http://93.184.216.34:{}/", house.net.named.port);
                    json!({ "attack": "fetch", "target": url })
                })
                .won(|house, _| house.net.named.take() > 0),
        );
        // Names in the profile whose name server answers with an address of the house.
        for (name, host) in [
            ("dns-rebinding", "rebind"),
            ("dns-mixed-answers", "mixed"),
            ("name-leads-to-metadata", "meta"),
            ("name-leads-to-mapped-ipv6", "mapped"),
            ("name-leads-to-nat64", "nat"),
            ("name-leads-to-private-net", "lan"),
        ] {
            attacks.push(
                Attack::new(name, runtime, "proxy-address", executor)
                    .before(quiet)
                    .with(move |house| {
                        let url = format!("http://{host}.example.org:{}/", house.net.named.port);
                        json!({ "attack": "fetch", "target": url })
                    })
                    .won(|house, _| house.net.named.take() > 0),
            );
        }
    }
    // The page is allowed and sends on to where it is not: two visits, or one.
    attacks.push(
        Attack::new("redirect-to-metadata", "python", "proxy-address", PYTHON)
            .before(quiet)
            .with(|house| {
                let port = house.net.named.port;
                let url = format!("http://127.0.0.1:{port}/?to=http://meta.example.org:{port}/");
                json!({ "attack": "redirect", "target": url })
            })
            .won(|house, _| house.net.named.take() > 1),
    );
    attacks.push(
        Attack::new("redirect-to-metadata", "cpython", "proxy-address", CPYTHON)
            .before(quiet)
            .with(|house| {
                let port = house.net.named.port;
                let url = format!("http://127.0.0.1:{port}/?to=http://meta.example.org:{port}/");
                json!({ "attack": "fetch", "target": url })
            })
            .won(|house, _| house.net.named.take() > 1),
    );
    attacks
}
