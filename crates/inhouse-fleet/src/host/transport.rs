use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use inhouse::launch::Launch;
use inhouse::transport::{Connection, Transport};

use crate::Work;

/// Creates a transport for each work item.
pub(super) type TransportFn = dyn Fn(&Work) -> BoxedTransport + Send + Sync;

/// A transport without its own type.
pub(super) struct BoxedTransport(Box<Open>);

type Open = dyn for<'a> FnOnce(&'a Launch) -> Opening<'a> + Send;

type Opening<'a> = Pin<Box<dyn Future<Output = inhouse::Result<Connection>> + Send + 'a>>;

pub(super) fn boxed<T: Transport>(
    open: impl Fn(&Work) -> T + Send + Sync + 'static,
) -> Arc<TransportFn> {
    Arc::new(move |work| {
        let transport = open(work);
        BoxedTransport(Box::new(move |launch| Box::pin(transport.open(launch))))
    })
}

impl Transport for BoxedTransport {
    async fn open(self, launch: &Launch) -> inhouse::Result<Connection> {
        (self.0)(launch).await
    }
}
