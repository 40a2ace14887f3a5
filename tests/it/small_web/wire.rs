//! The small web as a plain reader gets it: one request, one answer, bytes to text. Hides HTTP,
//! encodings, tags and PDF, each no further than these pages need it.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
};

use encoding_rs::Encoding;

/// An answer as it came.
pub struct Answer {
    /// The status code.
    pub status: u16,
    head: String,
    body: Vec<u8>,
}

impl Answer {
    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        let fields = self.head.lines().filter_map(|line| line.split_once(": "));
        fields
            .filter(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.trim())
            .next()
    }

    /// What the page declares, header first; gb18030 where nothing does and the bytes are no UTF-8.
    fn charset(&self) -> String {
        let head = String::from_utf8_lossy(&self.body[..self.body.len().min(300)]).into_owned();
        let label = |text: &str| {
            let after = text.split_once("charset=")?.1.trim_start_matches('"');
            Some(after.split(['"', ';', '>']).next()?.to_owned())
        };
        let guess = if std::str::from_utf8(&self.body).is_ok() {
            "utf-8"
        } else {
            "gb18030"
        };
        let declared =
            label(self.header("content-type").unwrap_or_default()).or_else(|| label(&head));
        declared.unwrap_or_else(|| guess.to_owned())
    }

    /// The body decoded as the page declares it.
    pub fn source(&self) -> String {
        let encoding = Encoding::for_label(self.charset().as_bytes()).expect("a known label");
        let (text, _, damaged) = encoding.decode(&self.body);
        assert!(!damaged, "not in {}", encoding.name());
        text.into_owned()
    }

    /// What a reader sees: a line for each paragraph.
    pub fn text(&self) -> String {
        match self.header("content-type").unwrap_or_default() {
            "application/pdf" => pdf_text(&self.body),
            content_type if content_type.starts_with("text/html") => html_text(&self.source()),
            _ => self.source(),
        }
    }
}

/// Asks for a path.
pub fn get(url: &str, path: &str) -> Answer {
    let address = url.strip_prefix("http://").expect("http");
    let mut stream = TcpStream::connect(address).expect("the server listens");
    let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("it reads");
    let mut all = Vec::new();
    stream.read_to_end(&mut all).expect("it answers");
    let end = all
        .windows(4)
        .position(|window| window == b"\r\n\r\n")
        .expect("a head");
    let head = String::from_utf8(all[..end].to_vec()).expect("ASCII");
    let status = head
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok())
        .expect("a status");
    Answer {
        status,
        head,
        body: all[end + 4..].to_vec(),
    }
}

/// Asks for a path and goes where it leads.
pub fn follow(url: &str, path: &str) -> Answer {
    let answer = get(url, path);
    match answer.header("location").map(str::to_owned) {
        Some(next) => follow(url, &next),
        None => answer,
    }
}

fn html_text(source: &str) -> String {
    let (before, after) = source
        .split_once("<div style=\"display:none\">")
        .unwrap_or((source, ""));
    let seen = [
        before,
        after.split_once("</div>").map_or("", |(_, rest)| rest),
    ]
    .concat();
    let (_, body) = seen.split_once("<body>").expect("a body");
    let lines = body
        .split("</p>")
        .flat_map(|piece| piece.split("</h1>"))
        .map(stripped);
    lines
        .filter(|line| !line.is_empty())
        .collect::<Vec<_>>()
        .join("\n")
}

fn stripped(html: &str) -> String {
    let pieces = html.split('<').enumerate();
    let text = pieces.map(|(at, piece)| {
        if at == 0 {
            piece
        } else {
            piece.split_once('>').map_or("", |(_, text)| text)
        }
    });
    text.collect::<String>()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

/// The strings that a PDF shows; a line without any ends a paragraph.
fn pdf_text(bytes: &[u8]) -> String {
    let find = |what: &[u8]| {
        bytes
            .windows(what.len())
            .position(|window| window == what)
            .expect("in a PDF")
    };
    let raw = &bytes[find(b"stream\n") + 7..find(b"\nendstream")];
    let mut content = String::new();
    if bytes.windows(12).any(|window| window == b"/FlateDecode") {
        flate2::read::ZlibDecoder::new(raw)
            .read_to_string(&mut content)
            .expect("a whole stream");
    } else {
        content = String::from_utf8(raw.to_vec()).expect("ASCII");
    }
    let shown = content.lines().map(|line| {
        line.strip_prefix('(')
            .and_then(|line| line.strip_suffix(") Tj T*"))
    });
    let lines: Vec<&str> = shown.map(Option::unwrap_or_default).collect();
    lines
        .split(|line| line.is_empty())
        .map(|paragraph| paragraph.join(" "))
        .collect::<Vec<_>>()
        .join("\n")
}
