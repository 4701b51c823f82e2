//! Bounds the depth of the syntax tree before it is built.
//!
//! The parser bounds what nests in brackets and blocks, but chains such as `1+1+1…` or `a.b.c…` are
//! built in a loop into a tree as deep as they are long, and whoever walks or frees that tree recurses.

use ruff_python_ast::token::TokenKind as T;
use ruff_python_parser::{Mode, lexer};
use ruff_text_size::TextSize;

/// The deepest tree that is built.
const DEPTH_MAX: u32 = 500;

/// The start of the line where the tree first becomes too deep, if it does.
pub(super) fn too_deep(code: &str) -> Option<TextSize> {
    if !exceeds(code) {
        return None;
    }
    // The lexer keeps its position to itself, so the line is found by halving.
    let starts: Vec<usize> = std::iter::once(0).chain(code.match_indices('\n').map(|(i, _)| i + 1)).collect();
    let line = starts.partition_point(|start| !code.get(..*start).is_some_and(exceeds)).saturating_sub(1);
    starts.get(line).and_then(|start| TextSize::try_from(*start).ok()).or(Some(TextSize::new(0)))
}

fn exceeds(code: &str) -> bool {
    let mut lexer = lexer::lex(code, Mode::Module);
    // Links of the chain at each open bracket, the innermost last; their sum bounds the depth.
    let mut open: Vec<u32> = vec![0];
    let mut depth: u32 = 0;
    loop {
        let token = lexer.next_token();
        match token {
            T::EndOfFile => return false,
            T::Newline | T::Semi => {
                open.clear();
                open.push(0);
                depth = 0;
            }
            // A new element beside the last one.
            T::Comma | T::Colon | T::Equal => {
                if let Some(links) = open.last_mut() {
                    depth = depth.saturating_sub(*links);
                    *links = 0;
                }
            }
            T::Rpar | T::Rsqb | T::Rbrace | T::FStringEnd | T::TStringEnd => {
                if open.len() > 1 {
                    depth = depth.saturating_sub(open.pop().unwrap_or_default());
                }
            }
            opens => {
                if links(opens) {
                    if let Some(links) = open.last_mut() {
                        *links = links.saturating_add(1);
                    }
                    depth = depth.saturating_add(1);
                }
                if matches!(opens, T::Lpar | T::Lsqb | T::Lbrace | T::FStringStart | T::TStringStart) {
                    open.push(0);
                }
            }
        }
        if depth > DEPTH_MAX {
            return true;
        }
    }
}

/// True for a token that may put one more level on the tree.
fn links(token: T) -> bool {
    token.is_operator()
        || token.is_keyword()
        || matches!(token, T::Lpar | T::Lsqb | T::Lbrace | T::Dot | T::FStringStart | T::TStringStart)
}
