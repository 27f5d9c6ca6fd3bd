//! A binary search tree of strings, the textbook's: what a Bloom filter is compared with.

use std::cmp::Ordering;

/// A tree; as balanced as the order of insertion is random.
#[derive(Default)]
pub(crate) struct Tree {
    root: Option<Box<TreeNode>>,
}

struct TreeNode {
    key: Box<[u8]>,
    less: Option<Box<TreeNode>>,
    more: Option<Box<TreeNode>>,
}

impl Tree {
    /// Adds a key; one that is there already stays.
    pub(crate) fn insert(&mut self, key: &[u8]) {
        let mut place = &mut self.root;
        while let Some(node) = place {
            place = match key.cmp(&node.key) {
                Ordering::Less => &mut node.less,
                Ordering::Greater => &mut node.more,
                Ordering::Equal => return,
            };
        }
        *place = Some(Box::new(TreeNode { key: key.into(), less: None, more: None }));
    }

    /// True when the key is there.
    pub(crate) fn contains(&self, key: &[u8]) -> bool {
        let mut place = &self.root;
        while let Some(node) = place {
            place = match key.cmp(&node.key) {
                Ordering::Less => &node.less,
                Ordering::Greater => &node.more,
                Ordering::Equal => return true,
            };
        }
        false
    }
}

impl Drop for Tree {
    /// Node by node: the compiler's own way is as deep in calls as the tree, which a sorted list makes as
    /// deep as long.
    fn drop(&mut self) {
        let mut left: Vec<Box<TreeNode>> = self.root.take().into_iter().collect();
        while let Some(mut node) = left.pop() {
            left.extend(node.less.take().into_iter().chain(node.more.take()));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn holds_what_was_inserted() {
        let keys: BTreeSet<Vec<u8>> =
            (0..5000_u32).map(|i| (i.wrapping_mul(2_654_435_761)).to_string().into_bytes()).collect();
        let (mut tree, mut order) = (Tree::default(), keys.iter().collect::<Vec<_>>());
        order.sort_by_key(|key| key.iter().rev().collect::<Vec<_>>());
        for key in order {
            tree.insert(key);
            tree.insert(key);
        }
        assert!(keys.iter().all(|key| tree.contains(key)));
        assert!((0..5000_u32).all(|i| !tree.contains(format!("x{i}").as_bytes())));
    }

    #[test]
    fn a_deep_tree_is_dropped_without_deep_calls() {
        let mut tree = Tree::default();
        (0..30_000_u32).for_each(|i| tree.insert(&i.to_be_bytes()));
        drop(tree);
    }
}
