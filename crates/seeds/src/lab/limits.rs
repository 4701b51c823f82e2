//! More of everything than the profile allows.

use super::Args;
use std::io;
use std::time::{Duration, Instant};

const MIB: u64 = 1 << 20;

pub(super) fn attempt(args: &Args) -> Option<io::Result<String>> {
    Some(match args.attack.as_str() {
        "hang" => {
            std::thread::sleep(Duration::from_millis(args.n));
            Ok("waited".into())
        }
        "burn" => burn(Duration::from_millis(args.n)),
        "reserve" => map(args.n * MIB, libc::MAP_PRIVATE | libc::MAP_NORESERVE, false),
        "fill-memory" => map(args.n * MIB, libc::MAP_PRIVATE, true).inspect(|_| linger()),
        "fill-shared-memory" => map(args.n * MIB, libc::MAP_SHARED, true).inspect(|_| linger()),
        "open-many" => {
            let all: io::Result<Vec<_>> = (0..args.n).map(|_| std::fs::File::open("/dev/null")).collect();
            all.map(|all| format!("{} open", all.len()))
        }
        "fill-tmp" => fill("/tmp/.cell/full", args.n * MIB),
        "leave" => std::fs::write("/tmp/.cell/left", "left behind").map(|()| "left".into()),
        "find-left" => std::fs::read_to_string("/tmp/.cell/left"),
        _ => return None,
    })
}

/// Time of the processor, not of the wall: other work of the machine does not count.
fn burn(time: Duration) -> io::Result<String> {
    use rustix::time::{ClockId, clock_gettime};
    let spent = || {
        let now = clock_gettime(ClockId::ProcessCPUTime);
        Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
    };
    let mut turns = 0u64;
    while spent() < time {
        turns = std::hint::black_box(turns + 1);
    }
    Ok(format!("{turns} turns"))
}

/// Long enough for a look from outside, which comes every 50 ms.
fn linger() {
    let until = Instant::now() + Duration::from_millis(600);
    while Instant::now() < until {
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn map(bytes: u64, how: i32, touch: bool) -> io::Result<String> {
    let (length, access) = (bytes as usize, libc::PROT_READ | libc::PROT_WRITE);
    // SAFETY: a fresh anonymous mapping that nothing else knows of.
    let at = unsafe { libc::mmap(std::ptr::null_mut(), length, access, how | libc::MAP_ANONYMOUS, -1, 0) };
    if at == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    if touch {
        for page in (0..length).step_by(4096) {
            // SAFETY: inside the mapping made above.
            unsafe { at.cast::<u8>().add(page).write_volatile(1) };
        }
    }
    Ok(format!("{bytes} bytes"))
}

fn fill(path: &str, bytes: u64) -> io::Result<String> {
    use std::io::Write;
    let mut file = std::fs::File::create(path)?;
    let chunk = vec![1u8; MIB as usize];
    for _ in 0..bytes / MIB {
        file.write_all(&chunk)?;
    }
    Ok(format!("{bytes} bytes"))
}
