//! The arguments of the server.

use std::net::IpAddr;

use clap::Args;
use url::Url;

/// `serve`
#[derive(Debug, Args)]
pub struct Serve {
    /// The port; 0 has the system choose a free one
    #[arg(long, default_value_t = 8417)]
    pub port: u16,
    /// The address to listen on. With another one than this machine's own, who has no link sees
    /// nothing: use it in a network that you trust, or behind a server that adds TLS
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub host: IpAddr,
    /// How others reach the server, such as `https://lab.example`; links begin with it
    #[arg(long, value_name = "URL")]
    pub url: Option<Url>,
    /// Print a link for this reviewer; may be repeated
    #[arg(long = "reviewer", value_name = "NAME")]
    pub reviewers: Vec<String>,
    /// Make all links void that were printed before
    #[arg(long)]
    pub new_links: bool,
    /// Open the address in a browser
    #[arg(long)]
    pub open: bool,
}
