//! The best few of many candidates, in order.

/// Makes room for an entry in a sorted list of bounded length, behind the entries for which `comes_before` is true.
/// The list consists of the first `count` of `entries`. Returns the place of the new entry, or `None` if the list is
/// full and all its entries come before. A full list otherwise drops its last entry.
#[inline]
pub fn make_room<'a, T>(
    entries: &'a mut [T],
    count: &mut usize,
    comes_before: impl Fn(&T) -> bool,
) -> Option<&'a mut T> {
    let place = entries[..*count].partition_point(comes_before);
    if place == entries.len() {
        return None;
    }
    *count = entries.len().min(*count + 1);
    entries[place..*count].rotate_right(1);
    Some(&mut entries[place])
}

#[cfg(test)]
mod tests {
    use super::make_room;

    #[test]
    fn the_best_are_kept_in_order() {
        let (mut entries, mut count) = ([0; 3], 0);
        for number in [5, 2, 9, 7, 1, 2] {
            if let Some(place) = make_room(&mut entries, &mut count, |kept| *kept <= number) {
                *place = number;
            }
        }
        assert_eq!((entries, count), ([1, 2, 2], 3));
    }
}
