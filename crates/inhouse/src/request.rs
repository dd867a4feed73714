//! Handlers for requests of the CLI, by their subtype.

use std::collections::HashMap;
use std::fmt::Display;
use std::future::{Future, ready};
use std::pin::Pin;
use std::sync::Arc;

use inhouse_proto::control::incoming::Answer;
use serde_json::Value;

use crate::driver::Answering;

/// Handlers that answer with any JSON.
#[derive(Clone, Default)]
pub(crate) struct RequestHandlers(HashMap<String, Arc<RawHandler>>);

type RawHandler =
    dyn Fn(Value) -> Pin<Box<dyn Future<Output = Result<Value, String>> + Send>> + Send + Sync;

impl RequestHandlers {
    pub(crate) fn insert<H, F, E>(&mut self, subtype: String, handler: H)
    where
        H: FnOnce(Value) -> F + Clone + Send + Sync + 'static,
        F: Future<Output = Result<Value, E>> + Send + 'static,
        E: Display,
    {
        let handler = move |request| -> Pin<Box<dyn Future<Output = _> + Send>> {
            let handler = handler.clone();
            Box::pin(async move { handler(request).await.map_err(|error| error.to_string()) })
        };
        self.0.insert(subtype, Arc::new(handler));
    }

    pub(crate) fn subtypes(&self) -> impl Iterator<Item = &String> {
        self.0.keys()
    }

    /// Begins to answer a request, if there is a handler for it.
    pub(crate) fn begin(&self, subtype: &str, request: &str) -> Option<Answering> {
        let handler = Arc::clone(self.0.get(subtype)?);
        let value = match serde_json::from_str(request) {
            Ok(value) => value,
            Err(error) => {
                tracing::warn!(subtype, %error, "request cannot be parsed");
                let text = format!("malformed control request {subtype}: {error}");
                return Some(Box::pin(ready(Answer::error(text))));
            }
        };
        // Called inside its task, so that a panic of the handler itself is an answer as well.
        Some(Box::pin(async move {
            match handler(value).await {
                Ok(payload) => Answer::success(&payload)
                    .unwrap_or_else(|error| Answer::error(error.to_string())),
                Err(message) => Answer::error(message),
            }
        }))
    }
}
