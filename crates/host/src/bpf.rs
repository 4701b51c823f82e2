//! Compiles a list of allowed system calls into a seccomp program shaped as a search tree.
//!
//! When a filter is installed the kernel runs it once for every system call number there is. A
//! chain of comparisons makes that cost half a millisecond; a tree makes it disappear.

use seccompiler::{BpfProgram, sock_filter};
use std::collections::BTreeMap;

/// What a system call gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// It happens.
    Allow,
    /// It fails with this error.
    Errno(u16),
    /// It happens if its first argument is this value, and fails with EPERM otherwise.
    AllowIfFirst(u32),
}

const LOAD: u16 = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
const EQUAL: u16 = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
const AT_LEAST: u16 = (libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K) as u16;
const RETURN: u16 = (libc::BPF_RET | libc::BPF_K) as u16;

/// Offsets in `struct seccomp_data`.
const NUMBER: u32 = 0;
const ARCH: u32 = 4;
const FIRST_ARGUMENT: u32 = 16;

#[cfg(target_arch = "x86_64")]
const OUR_ARCH: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
const OUR_ARCH: u32 = 0xc000_00b7;

const DENIED: Answer = Answer::Errno(libc::EPERM as u16);

/// The program that gives each number in `answers` its answer and everything else EPERM. `None`
/// when it does not fit the format, which the kernel limits.
pub(crate) fn program(answers: &BTreeMap<u32, Answer>) -> Option<BpfProgram> {
    let mut code = vec![
        op(LOAD, ARCH, 0, 0),
        op(EQUAL, OUR_ARCH, 1, 0),
        // Another architecture has other numbers: nothing of it is known, so nothing passes.
        op(RETURN, libc::SECCOMP_RET_KILL_PROCESS, 0, 0),
        op(LOAD, NUMBER, 0, 0),
    ];
    code.extend(tree(&runs(answers))?);
    Some(code)
}

/// Neighbouring numbers with one answer, as (first number, answer), covering all numbers.
fn runs(answers: &BTreeMap<u32, Answer>) -> Vec<(u32, Answer)> {
    let mut runs = vec![(0, DENIED)];
    let mut next = 0;
    for (&number, &answer) in answers {
        if number > next {
            push(&mut runs, next, DENIED);
        }
        push(&mut runs, number, answer);
        next = number + 1;
    }
    push(&mut runs, next, DENIED);
    runs
}

fn push(runs: &mut Vec<(u32, Answer)>, first: u32, answer: Answer) {
    match runs.last_mut() {
        Some((at, last)) if *at == first => *last = answer,
        Some((_, last)) if *last == answer => {}
        _ => runs.push((first, answer)),
    }
}

fn tree(runs: &[(u32, Answer)]) -> Option<BpfProgram> {
    match runs {
        [] => None,
        [(_, answer)] => Some(leaf(*answer)),
        _ => {
            let (left, right) = runs.split_at(runs.len() / 2);
            let (low, high) = (tree(left)?, tree(right)?);
            let mut code = vec![op(AT_LEAST, right.first()?.0, u8::try_from(low.len()).ok()?, 0)];
            code.extend(low);
            code.extend(high);
            Some(code)
        }
    }
}

fn leaf(answer: Answer) -> BpfProgram {
    let errno = |n: u16| op(RETURN, libc::SECCOMP_RET_ERRNO | u32::from(n), 0, 0);
    let allow = op(RETURN, libc::SECCOMP_RET_ALLOW, 0, 0);
    match answer {
        Answer::Allow => vec![allow],
        Answer::Errno(n) => vec![errno(n)],
        Answer::AllowIfFirst(value) => {
            vec![op(LOAD, FIRST_ARGUMENT, 0, 0), op(EQUAL, value, 0, 1), allow, errno(libc::EPERM as u16)]
        }
    }
}

fn op(code: u16, k: u32, jt: u8, jf: u8) -> sock_filter {
    sock_filter { code, jt, jf, k }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]
    use super::*;
    use proptest::prelude::*;

    /// What the kernel would do, for this subset of instructions.
    fn interpret(code: &[sock_filter], arch: u32, number: u32, first: u32) -> u32 {
        let (mut pc, mut a) = (0, 0);
        loop {
            let i = &code[pc];
            pc += 1;
            let jump = |taken: bool| usize::from(if taken { i.jt } else { i.jf });
            match i.code {
                LOAD => {
                    a = match i.k {
                        NUMBER => number,
                        ARCH => arch,
                        FIRST_ARGUMENT => first,
                        k => panic!("offset {k}"),
                    }
                }
                EQUAL => pc += jump(a == i.k),
                AT_LEAST => pc += jump(a >= i.k),
                RETURN => return i.k,
                other => panic!("instruction {other}"),
            }
        }
    }

    fn expected(answer: Option<&Answer>, first: u32) -> u32 {
        let eperm = libc::SECCOMP_RET_ERRNO | libc::EPERM as u32;
        match answer {
            None => eperm,
            Some(Answer::Allow) => libc::SECCOMP_RET_ALLOW,
            Some(Answer::Errno(n)) => libc::SECCOMP_RET_ERRNO | u32::from(*n),
            Some(Answer::AllowIfFirst(v)) if *v == first => libc::SECCOMP_RET_ALLOW,
            Some(Answer::AllowIfFirst(_)) => eperm,
        }
    }

    fn answer() -> impl Strategy<Value = Answer> {
        prop_oneof![
            4 => Just(Answer::Allow),
            1 => Just(Answer::Errno(libc::ENOSYS as u16)),
            1 => (0u32..5).prop_map(Answer::AllowIfFirst),
        ]
    }

    proptest! {
        #[test]
        fn the_tree_answers_as_the_list_says(
            answers in proptest::collection::btree_map(0u32..470, answer(), 0..120),
            number in 0u32..600,
            first in 0u32..5,
        ) {
            let code = program(&answers).unwrap();
            prop_assert_eq!(interpret(&code, OUR_ARCH, number, first), expected(answers.get(&number), first));
        }
    }

    #[test]
    fn another_architecture_and_the_x32_numbers_do_not_pass() {
        let code = program(&BTreeMap::from([(0, Answer::Allow)])).unwrap();
        assert_eq!(interpret(&code, 0x4000_0003, 0, 0), libc::SECCOMP_RET_KILL_PROCESS);
        assert_eq!(interpret(&code, OUR_ARCH, 0x4000_0000, 0), libc::SECCOMP_RET_ERRNO | libc::EPERM as u32);
    }
}
