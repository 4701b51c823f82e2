use metnos_executor::wire::*;
use metnos_sandbox::*;
use std::sync::Arc;
fn main() {
    let path = std::env::args().nth(1).unwrap();
    let digest = blake3::hash(&std::fs::read(&path).unwrap()).to_hex().to_string();
    let image = Arc::new(HostImage::load(path.as_ref(), &digest).unwrap());
    let l = Launcher { bwrap: "/usr/bin/bwrap".into(), image };
    let m = Arc::new(Mounts { tmp_mb: 16, ..Default::default() });
    let out = metnos_executor::schema::Schema::parse(&serde_json::json!({"type":"object"})).unwrap();
    let req = || Request { call_id: "x".into(), executor: "get_now".into(), version: "1".into(), runtime: Runtime::Native, args: Default::default(), fence: Default::default(), limits: Limits::default(), output_schema: serde_json::json!({"type":"object"}), error_classes: vec![], side_effects: false, now: "2026-11-15T10:00:00+01:00[Europe/Rome]".into(), lang: "en".into(), fds: vec![] };
    let t = std::time::Instant::now();
    let mut c = l.start(&m, [0; 32]).unwrap();
    println!("cold {:?}", t.elapsed());
    let mut d = Dialogue { intent: &mut |_| Ok(()), progress: &mut |_| {}, cancelled: &|| false };
    let t = std::time::Instant::now();
    println!("{:?}", c.call(&req(), &[], &out, &mut d));
    println!("call {:?}", t.elapsed());
    c.discard();
    let pool = Pool::new(l).unwrap();
    pool.expect(&m, [0; 32]);
    let mut v = vec![];
    for _ in 0..100 {
        pool.settle(std::time::Duration::from_secs(1));
        let t = std::time::Instant::now();
        let (mut c, _) = pool.take(&m, [0; 32]).unwrap();
        let mut d = Dialogue { intent: &mut |_| Ok(()), progress: &mut |_| {}, cancelled: &|| false };
        let r = c.call(&req(), &[], &out, &mut d);
        v.push(t.elapsed());
        if r.is_err() { println!("{r:?}"); }
        pool.give_back(c);
    }
    v.sort();
    println!("warm p50 {:?} p95 {:?} {:?}", v[50], v[95], pool.served());
}
