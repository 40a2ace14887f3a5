//! Web servers on loopback. Hides the thread and the runtime that each of them lives in, so that a
//! test without a runtime of its own can have one, too.

use axum::Router;

/// Serves `app` until the process ends. Returns its address, `http://127.0.0.1:PORT`, without a
/// slash at the end.
pub fn serve(app: Router) -> String {
    let (send, receive) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime");
        runtime.block_on(async move {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
                .await
                .expect("a free port");
            let address = listener.local_addr().expect("an address");
            send.send(address).expect("the test waits");
            axum::serve(listener, app).await.expect("serves");
        });
    });
    let address = receive.recv().expect("the server starts");
    format!("http://{address}")
}
