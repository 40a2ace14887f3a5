//! Names of categories as numbers.

/// The different names in order, and for each name given its place among them; a name without one
/// is not there.
pub(super) fn numbered<S: AsRef<str>>(names: &[S]) -> (Vec<String>, Vec<usize>) {
    let mut all: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    all.sort_unstable();
    all.dedup();
    let places = names.iter().map(AsRef::as_ref);
    let places = places.filter_map(|name| all.binary_search(&name).ok());
    let places = places.collect();
    (all.into_iter().map(str::to_owned).collect(), places)
}
