//! Connections from strangers' programs. Hides how many there may be, and how long one may take to
//! ask and to read.

use std::{sync::Arc, time::Duration};

use anyhow::Result;
use axum::Router;
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use tokio::{net::TcpListener, sync::Semaphore, task::JoinSet};
use tokio_io_timeout::TimeoutStream;

/// Connections at once. A browser opens six, and one more for the progress.
const CONNECTIONS: usize = 512;
/// A request's head must be there by then, and an idle connection ends.
const ASKS_WITHIN: Duration = Duration::from_secs(15);
/// A reader that takes nothing for so long is gone.
const READS_WITHIN: Duration = Duration::from_secs(30);
/// Where no connection can be taken, as with too many open files.
const REST: Duration = Duration::from_millis(100);
/// What is being answered when the server ends is waited for.
const ENDS_WITHIN: Duration = Duration::from_secs(3);

/// Answers connections until `end` comes; then finishes what is being answered.
pub async fn answer(
    listener: TcpListener,
    router: Router,
    end: impl Future<Output = ()>,
) -> Result<()> {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    let mut open = JoinSet::new();
    tokio::pin!(end);
    loop {
        let accepted = tokio::select! {
            () = &mut end => break,
            accepted = next(&listener, &places) => accepted,
        };
        let (stream, place) = accepted?;
        let service = TowerToHyperService::new(router.clone());
        open.spawn(async move {
            let mut stream = TimeoutStream::new(stream);
            stream.set_write_timeout(Some(READS_WITHIN));
            let connection = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(ASKS_WITHIN)
                .serve_connection(TokioIo::new(Box::pin(stream)), service);
            // A browser that goes away is no error.
            let _ = connection.await;
            drop(place);
        });
        while open.try_join_next().is_some() {}
    }
    drop(listener);
    let _ = tokio::time::timeout(ENDS_WITHIN, async {
        while open.join_next().await.is_some() {}
    })
    .await;
    Ok(())
}

type Accepted = (tokio::net::TcpStream, tokio::sync::OwnedSemaphorePermit);

async fn next(listener: &TcpListener, places: &Arc<Semaphore>) -> Result<Accepted> {
    let place = Arc::clone(places).acquire_owned().await?;
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return Ok((stream, place)),
            Err(error) => {
                tracing::warn!("a connection could not be taken: {error}");
                tokio::time::sleep(REST).await;
            }
        }
    }
}
