//! The best few of many candidates, in order.

/// Inserts a place into a sorted list of bounded length: the first `count` entries, behind those for which
/// `comes_before` is true. Returns the place, or `None` if the list is full of such entries. A full list drops its
/// last entry.
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
