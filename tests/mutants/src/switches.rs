//! Where in a source file each change goes, so that a switch chooses between it and the code as it is.
//!
//! An expression with changes becomes `(if on(7) { changed } else { as it is })`. Only the text of the last
//! branch has switches within, so that nested expressions make the file longer by their depth alone.

#[cfg(test)]
mod tests;

use std::collections::HashMap;

use syn::{
    Arm, BinOp, Block, Expr, ExprBinary, ExprMatch, ExprStruct, ExprUnary, ImplItemFn, ItemFn, Pat,
    TraitItemFn,
    spanned::Spanned,
    visit::{self, Visit},
};

use crate::list::{Genre, Mutant, Place};

/// What is inserted into a file, in the order in which an outer expression comes before an inner one.
#[derive(Debug, Default)]
pub(crate) struct Insertions {
    pub(crate) wraps: Vec<Wrap>,
}

/// Changes of one piece of code, from `start` to `end` in bytes. Of two wraps with one start or one end, the
/// earlier one lies outside.
#[derive(Debug)]
pub(crate) struct Wrap {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// What stands before the code as it is: text, and the change that it belongs to.
    pub(crate) before: Vec<(usize, String)>,
    /// Whether the code as it is becomes the last branch of a choice.
    pub(crate) is_choice: bool,
}

/// Makes switches of the changes of one file; a change that has no place in it has none.
pub(crate) fn of_file<'m>(
    text: &str,
    mutants: impl Iterator<Item = (usize, &'m Mutant)>,
) -> syn::Result<Insertions> {
    let mut changes: HashMap<_, Vec<_>> = HashMap::new();
    for (id, mutant) in mutants {
        changes.entry((mutant.genre, mutant.span.start)).or_default().push((id, &*mutant.replacement));
    }
    let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let mut finder = Finder { text, lines, changes, found: Insertions::default() };
    finder.visit_file(&syn::parse_file(text)?);
    Ok(finder.found)
}

/// The condition under which a change is in force.
pub(crate) fn on(id: usize) -> String {
    format!("crate::mutant_switch::on({id})")
}

struct Finder<'t> {
    text: &'t str,
    /// Where each line begins.
    lines: Vec<usize>,
    changes: HashMap<(Genre, Place), Vec<(usize, &'t str)>>,
    found: Insertions,
}

fn place(at: proc_macro2::LineColumn) -> Place {
    Place { line: at.line, column: at.column + 1 }
}

impl<'t> Finder<'t> {
    fn take(&mut self, genre: Genre, of: &impl Spanned) -> Vec<(usize, &'t str)> {
        self.changes.remove(&(genre, place(of.span().start()))).unwrap_or_default()
    }

    fn offset(&self, at: proc_macro2::LineColumn) -> usize {
        let line = self.lines.get(at.line - 1).copied().unwrap_or(self.text.len());
        let rest = &self.text[line..];
        line + rest.char_indices().nth(at.column).map_or(rest.len(), |(offset, _)| offset)
    }

    /// From where to where this stands in the text.
    fn range(&self, of: &impl Spanned) -> (usize, usize) {
        (self.offset(of.span().start()), self.offset(of.span().end()))
    }

    /// Chooses between the expression and its changed texts.
    fn choose(&mut self, expression: &impl Spanned, changed: Vec<(usize, String)>) {
        if changed.is_empty() {
            return;
        }
        let (start, end) = self.range(expression);
        let before =
            changed.into_iter().map(|(id, text)| (id, format!("if {} {{ {text} }} else ", on(id)))).collect();
        self.found.wraps.push(Wrap { start, end, before, is_choice: true });
    }

    /// Inserts text before the code from `start` to `end`.
    fn insert(&mut self, (start, end): (usize, usize), before: Vec<(usize, String)>) {
        if !before.is_empty() {
            self.found.wraps.push(Wrap { start, end, before, is_choice: false });
        }
    }

    /// The text of `of` without what stands from `start` to `end`, which `with` replaces.
    fn replaced(&self, of: &impl Spanned, (start, end): (usize, usize), with: &str) -> String {
        let (first, last) = self.range(of);
        format!("{}{with}{}", &self.text[first..start], &self.text[end..last])
    }

    fn function(&mut self, block: &Block) {
        let (Some(first), Some(last)) = (block.stmts.first(), block.stmts.last()) else { return };
        let changes = self.take(Genre::FnValue, first);
        let body = (self.range(first).0, self.range(last).1);
        let early = |(id, value)| (id, format!("if {} {{ return {value}; }} ", on(id)));
        self.insert(body, changes.into_iter().map(early).collect());
    }

    fn arm(&mut self, arm: &Arm, may_be_deleted: bool) {
        let mut deleted = self.take(Genre::MatchArm, arm);
        deleted.retain(|_| may_be_deleted);
        let behind = (self.range(&arm.pat).1, self.range(arm).1);
        self.insert(behind, deleted.into_iter().map(|(id, _)| (id, format!(" if !{}", on(id)))).collect());
        let Some((_, guard)) = &arm.guard else { return };
        let fixed = self.take(Genre::MatchArmGuard, guard.as_ref());
        if !has_let(guard) {
            self.choose(
                guard.as_ref(),
                fixed.into_iter().map(|(id, value)| (id, value.to_owned())).collect(),
            );
        }
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        self.function(&item.block);
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        self.function(&item.block);
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast TraitItemFn) {
        if let Some(block) = &item.default {
            self.function(block);
        }
        visit::visit_trait_item_fn(self, item);
    }

    fn visit_expr_binary(&mut self, binary: &'ast ExprBinary) {
        let replacements = self.take(Genre::BinaryOperator, &binary.op);
        let operator = self.range(&binary.op);
        if !(is_lazy(&binary.op) && (has_let(&binary.left) || has_let(&binary.right))) {
            let changed = |(id, with)| (id, self.replaced(binary, operator, with));
            let changed = replacements.into_iter().map(changed).collect();
            self.choose(binary, changed);
        }
        visit::visit_expr_binary(self, binary);
    }

    fn visit_expr_unary(&mut self, unary: &'ast ExprUnary) {
        let changes = self.take(Genre::UnaryOperator, &unary.op);
        let (first, last) = self.range(unary.expr.as_ref());
        let bare = self.text[first..last].to_owned();
        self.choose(unary, changes.iter().map(|(id, _)| (*id, bare.clone())).collect());
        visit::visit_expr_unary(self, unary);
    }

    fn visit_expr_struct(&mut self, built: &'ast ExprStruct) {
        let mut changed = Vec::new();
        for pair in built.fields.pairs() {
            let field = pair.value();
            let (start, end) = self.range(field);
            let end = pair.punct().map_or(end, |comma| self.range(comma).1);
            for (id, _) in self.take(Genre::StructField, field) {
                changed.push((id, self.replaced(built, (start, end), "")));
            }
        }
        self.choose(built, changed);
        visit::visit_expr_struct(self, built);
    }

    fn visit_expr_match(&mut self, choice: &'ast ExprMatch) {
        // An arm behind a switch counts for nothing when the compiler asks whether all cases have one.
        let is_last = |arm: &Arm| arm.guard.is_none() && matches!(arm.pat, Pat::Wild(_));
        let has_last = choice.arms.iter().any(is_last);
        for arm in &choice.arms {
            self.arm(arm, has_last);
        }
        visit::visit_expr_match(self, choice);
    }
}

fn is_lazy(operator: &BinOp) -> bool {
    matches!(operator, BinOp::And(_) | BinOp::Or(_))
}

/// Whether a condition binds names, so that it is no expression by itself.
fn has_let(condition: &Expr) -> bool {
    match condition {
        Expr::Let(_) => true,
        Expr::Binary(binary) => is_lazy(&binary.op) && (has_let(&binary.left) || has_let(&binary.right)),
        _ => false,
    }
}
