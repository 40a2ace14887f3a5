//! The edit list of an MP4 track (ISO/IEC 14496-12, 8.6.6): the part of the track's beginning that
//! does not belong to the recording, such as an encoder's delay, and the time from the recording's
//! start to the track's.

use std::{
    io::{self, Read as _, Seek as _, SeekFrom},
    ops::Range,
    path::Path,
};

/// Most boxes side by side; more are no index.
const MAX_BOXES: usize = 4096;
/// Most bytes that are read of a box.
const MAX_BOX_BYTES: u64 = 1 << 16;
/// Most seconds of an edit; more is a broken number.
const MAX_SECONDS: f64 = 3600.0;

/// The place of a track in its recording, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Edit {
    /// Silence before the track.
    pub pause: f64,
    /// Audio at the track's beginning that is left out.
    pub skip: f64,
}

/// The edit of the track with this id; none if the file has no list, or one that plays the track in
/// pieces.
pub fn of_track(path: &Path, track: u32) -> io::Result<Edit> {
    let mut file = fs_err::File::open(path)?;
    let end = file.metadata()?.len();
    let Some(index) = child(&mut file, &(0..end), b"moov")? else {
        return Ok(Edit::default());
    };
    // The edit's length counts in the movie's time, its beginning in the track's.
    let Some(header) = child(&mut file, &index, b"mvhd")? else {
        return Ok(Edit::default());
    };
    let movie = timescale(&mut file, &header)?;
    for (kind, inside) in children(&mut file, &index)? {
        if &kind == b"trak" && track_id(&mut file, &inside)? == Some(track) {
            return Ok(read_edit(&mut file, &inside, movie)?
                .filter(is_sane)
                .unwrap_or_default());
        }
    }
    Ok(Edit::default())
}

fn is_sane(edit: &Edit) -> bool {
    (0.0..MAX_SECONDS).contains(&edit.pause) && (0.0..MAX_SECONDS).contains(&edit.skip)
}

/// The edit of a track, if it plays one stretch of it.
fn read_edit(
    file: &mut fs_err::File,
    track: &Range<u64>,
    movie: Option<u32>,
) -> io::Result<Option<Edit>> {
    let Some(list) = descend(file, track, &[b"edts", b"elst"])? else {
        return Ok(None);
    };
    let Some(header) = descend(file, track, &[b"mdia", b"mdhd"])? else {
        return Ok(None);
    };
    let (Some(movie), Some(media)) = (movie, timescale(file, &header)?) else {
        return Ok(None);
    };
    let mut edit = Edit::default();
    let mut stretches = 0;
    for (length, at) in entries(&bytes(file, &list)?) {
        match at {
            ..0 if stretches == 0 => edit.pause += length as f64 / f64::from(movie),
            // A pause behind the audio.
            ..0 => {}
            at => {
                stretches += 1;
                edit.skip = at as f64 / f64::from(media);
            }
        }
    }
    Ok((stretches == 1).then_some(edit))
}

/// The entries of an edit list: a length in the movie's time, and a beginning in the track's, which
/// is negative for a pause.
fn entries(list: &[u8]) -> Vec<(u64, i64)> {
    // Version 1 has numbers of 64 bits.
    let is_wide = list.first() == Some(&1);
    let count = number(list, 4, 4).unwrap_or(0) as usize;
    let entries = list
        .get(8..)
        .unwrap_or_default()
        .chunks_exact(if is_wide { 20 } else { 12 })
        .take(count);
    if is_wide {
        entries.filter_map(wide_entry).collect()
    } else {
        entries.filter_map(narrow_entry).collect()
    }
}

fn wide_entry(entry: &[u8]) -> Option<(u64, i64)> {
    Some((number(entry, 0, 8)?, number(entry, 8, 8)? as i64))
}

fn narrow_entry(entry: &[u8]) -> Option<(u64, i64)> {
    let start = number(entry, 4, 4)? as u32 as i32;
    Some((number(entry, 0, 4)?, i64::from(start)))
}

/// Ticks per second, from a movie's or a track's header.
fn timescale(file: &mut fs_err::File, header: &Range<u64>) -> io::Result<Option<u32>> {
    let bytes = bytes(file, header)?;
    let at = if bytes.first() == Some(&1) { 20 } else { 12 };
    Ok(number(&bytes, at, 4).map(|n| n as u32).filter(|n| *n > 0))
}

fn track_id(file: &mut fs_err::File, track: &Range<u64>) -> io::Result<Option<u32>> {
    let Some(header) = child(file, track, b"tkhd")? else {
        return Ok(None);
    };
    let bytes = bytes(file, &header)?;
    Ok(number(&bytes, if bytes.first() == Some(&1) { 20 } else { 12 }, 4).map(|n| n as u32))
}

/// A big-endian number.
fn number(bytes: &[u8], at: usize, width: usize) -> Option<u64> {
    Some(
        bytes
            .get(at..at + width)?
            .iter()
            .fold(0, |n, b| n << 8 | u64::from(*b)),
    )
}

fn bytes(file: &mut fs_err::File, range: &Range<u64>) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(range.start))?;
    file.take((range.end - range.start).min(MAX_BOX_BYTES))
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The inside of a box below others.
fn descend(
    file: &mut fs_err::File,
    from: &Range<u64>,
    kinds: &[&[u8; 4]],
) -> io::Result<Option<Range<u64>>> {
    let mut at = from.clone();
    for kind in kinds {
        let Some(inside) = child(file, &at, kind)? else {
            return Ok(None);
        };
        at = inside;
    }
    Ok(Some(at))
}

/// The inside of the first box of this kind.
fn child(
    file: &mut fs_err::File,
    of: &Range<u64>,
    kind: &[u8; 4],
) -> io::Result<Option<Range<u64>>> {
    Ok(children(file, of)?
        .into_iter()
        .find(|(found, _)| found == kind)
        .map(|(_, inside)| inside))
}

/// The kind and inside of each box in `of`, up to the first that does not fit.
fn children(file: &mut fs_err::File, of: &Range<u64>) -> io::Result<Vec<([u8; 4], Range<u64>)>> {
    let mut found = Vec::new();
    let mut at = of.start;
    while at + 8 <= of.end && found.len() < MAX_BOXES {
        let head = bytes(file, &(at..(at + 16).min(of.end)))?;
        let (Some(size), Some(kind)) = (
            number(&head, 0, 4),
            head.get(4..8).and_then(|k| k.try_into().ok()),
        ) else {
            break;
        };
        let (length, inside) = match size {
            // ISO/IEC 14496-12, 4.2: a size of 0 reaches to the end, 1 means a 64-bit size after
            // the kind.
            0 => (of.end - at, 8),
            1 => (number(&head, 8, 8).unwrap_or(0), 16),
            size => (size, 8),
        };
        let Some(end) = at
            .checked_add(length)
            .filter(|end| length >= inside && *end <= of.end)
        else {
            break;
        };
        found.push((kind, at + inside..end));
        at = end;
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn boxed(kind: &[u8; 4], inside: &[u8]) -> Vec<u8> {
        [&(inside.len() as u32 + 8).to_be_bytes(), &kind[..], inside].concat()
    }

    fn numbers(list: &[u32]) -> Vec<u8> {
        list.iter().flat_map(|n| n.to_be_bytes()).collect()
    }

    /// A track at 16,000 ticks a second in a movie at 1,000, with these edits.
    fn edit(entries: &[(u32, i32)], id: u32) -> Edit {
        let entries: Vec<u8> = entries
            .iter()
            .flat_map(|&(length, at)| numbers(&[length, at as u32, 0x1_0000]))
            .collect();
        let list = [numbers(&[0, entries.len() as u32 / 12]), entries].concat();
        let track = [
            boxed(b"tkhd", &numbers(&[0, 0, 0, 7])),
            boxed(b"edts", &boxed(b"elst", &list)),
            boxed(b"mdia", &boxed(b"mdhd", &numbers(&[0, 0, 0, 16_000, 0]))),
        ];
        let movie = [
            boxed(b"mvhd", &numbers(&[0, 0, 0, 1000, 0])),
            boxed(b"trak", &track.concat()),
        ];
        let file = [boxed(b"ftyp", b"isom"), boxed(b"moov", &movie.concat())].concat();
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x.mp4");
        std::fs::write(&path, &file).expect("written");
        let whole = of_track(&path, id).expect("read");
        for cut in 0..file.len() {
            std::fs::write(&path, &file[..cut]).expect("written");
            let part = of_track(&path, id).expect("read");
            assert!(part == whole || part == Edit::default(), "cut at {cut}");
        }
        whole
    }

    #[test]
    fn one_stretch_of_sound_may_begin_later_and_lose_its_start() {
        assert_eq!(
            edit(&[(3600, 1024)], 7),
            Edit {
                pause: 0.0,
                skip: 0.064
            }
        );
        assert_eq!(
            edit(&[(250, -1), (3600, 1600)], 7),
            Edit {
                pause: 0.25,
                skip: 0.1
            }
        );
        assert_eq!(edit(&[(3600, 1024)], 8), Edit::default(), "another track");
        assert_eq!(
            edit(&[(1000, 0), (1000, 32_000)], 7),
            Edit::default(),
            "pieces are played as they lie"
        );
        assert_eq!(
            edit(&[(u32::MAX, -1), (3600, 0)], 7),
            Edit::default(),
            "seven weeks of silence"
        );
        assert_eq!(edit(&[], 7), Edit::default());
    }
}
