//! Handlers that the user registers for a control request by its subtype.

use std::collections::HashMap;
use std::fmt::Display;
use std::future::Future;

use inhouse_proto::control::incoming::Answer;
use inhouse_proto::wire::parse_json;
use serde_json::Value;

use crate::error::HandlerError;
use crate::user_code::{Callback, Failure};

/// The handlers of [`Options::on_request`](crate::Options::on_request), by subtype.
#[derive(Clone, Default)]
pub(crate) struct CustomRequests(HashMap<String, Callback<Value, Value>>);

impl CustomRequests {
    pub(crate) fn insert<H, F, E>(&mut self, subtype: String, handler: H)
    where
        H: FnOnce(Value) -> F + Clone + Send + Sync + 'static,
        F: Future<Output = Result<Value, E>> + Send + 'static,
        E: Display,
    {
        let handler = Callback::new(move |request| {
            let answer = handler(request);
            async move {
                answer
                    .await
                    .map_err(|error| HandlerError::new(error.to_string()))
            }
        });
        self.0.insert(subtype, handler);
    }

    pub(crate) fn subtypes(&self) -> impl Iterator<Item = &String> {
        self.0.keys()
    }

    /// Answers a request; `None` if its subtype has no handler.
    ///
    /// A request that is not valid JSON is refused without calling the handler.
    pub(crate) async fn answer(&self, subtype: &str, request: &str) -> Option<Answer> {
        let handler = self.0.get(subtype)?;
        let request = match parse_json(request) {
            Ok(request) => request,
            Err(error) => {
                tracing::warn!(subtype, %error, "control request cannot be parsed");
                let text = format!("malformed control request {subtype}: {error}");
                return Some(Answer::error(text));
            }
        };
        Some(match handler.call(|_| request, None).await {
            Ok(payload) => {
                Answer::success(&payload).unwrap_or_else(|error| Answer::error(error.to_string()))
            }
            Err(failure) => {
                failure.log(subtype);
                Answer::error(match failure {
                    // The CLI gets the error of the handler unchanged.
                    Failure::Error(error) => error.to_string(),
                    failure => failure.describe(format_args!("the handler for {subtype}")),
                })
            }
        })
    }
}
