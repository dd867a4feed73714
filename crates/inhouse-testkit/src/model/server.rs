//! The HTTP server: connections, requests, responses.

use std::{convert::Infallible, error::Error, sync::Arc, time::Duration};

use bytes::Bytes;
use http_body_util::{BodyExt, Either, Full};
use hyper::{
    Request, Response, StatusCode, body::Incoming, header::CONTENT_TYPE, server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::{
    net::{TcpListener, TcpStream},
    task::JoinSet,
};

use super::{
    Answer, ApiError, ModelRequest, RequestKind, Turn, default_answers,
    player::{self, ChannelBody, Halves},
    script::{Chosen, Script},
    turn::Ending,
};

type ReplyBody = Either<Full<Bytes>, ChannelBody>;

/// Serves every connection; dropping the future closes them all.
pub(super) async fn run(listener: TcpListener, script: Arc<Script>) -> Infallible {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    connections.spawn(serve(stream, Arc::clone(&script)));
                }
                Err(error) => {
                    // Most likely out of file descriptors; the listener is still valid.
                    tracing::warn!(%error, "the scripted model could not accept a connection");
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
            },
            Some(_) = connections.join_next() => {}
        }
    }
}

async fn serve(stream: TcpStream, script: Arc<Script>) {
    let service = service_fn(|request| respond(request, Arc::clone(&script)));
    let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
    if let Err(error) = connection.await {
        // Killed clients and turns that disconnect end here.
        tracing::debug!(%error, "a connection to the scripted model failed");
    }
}

async fn respond(
    request: Request<Incoming>,
    script: Arc<Script>,
) -> Result<Response<ReplyBody>, Box<dyn Error + Send + Sync>> {
    let request = read(request).await?;
    Ok(match request.kind {
        RequestKind::Conversation | RequestKind::Structured => message(request, &script),
        RequestKind::CountTokens => {
            let count = default_answers::token_count(&request);
            script.record(request);
            json_response(StatusCode::OK, &count)
        }
        RequestKind::Reachability => {
            script.record(request);
            Response::new(Either::Left(Full::default()))
        }
        RequestKind::Unknown => {
            let message = format!(
                "the scripted model does not support {} {}",
                request.method, request.path
            );
            script.record(request);
            error_response(&ApiError::new(404).message(message))
        }
    })
}

async fn read(request: Request<Incoming>) -> hyper::Result<ModelRequest> {
    let (head, body) = request.into_parts();
    let raw = body.collect().await?.to_bytes();
    let body = serde_json::from_slice(&raw).unwrap_or(Value::Null);
    let headers = head.headers.iter().map(|(name, value)| {
        (
            name.as_str().to_owned(),
            String::from_utf8_lossy(value.as_bytes()).into_owned(),
        )
    });
    Ok(ModelRequest {
        kind: RequestKind::of(head.method.as_str(), head.uri.path(), &body),
        method: head.method.as_str().to_owned(),
        path: head.uri.path().to_owned(),
        query: head.uri.query().map(str::to_owned),
        headers: headers.collect(),
        body,
        body_length: raw.len(),
    })
}

fn message(request: ModelRequest, script: &Arc<Script>) -> Response<ReplyBody> {
    let model = request.model().to_owned();
    let is_stream = request.is_stream();
    let chosen = script.choose(request);
    let turn = match &chosen.answer {
        Answer::Error(error) => return error_response(error),
        Answer::Turn(Turn {
            ending: Ending::Fail(error),
            ..
        }) if !is_stream => {
            return error_response(error);
        }
        Answer::Turn(turn) => turn.clone(),
    };
    if is_stream {
        let halves = Halves::streamed(&turn, &chosen.message_id, &model);
        played(
            "text/event-stream",
            halves,
            turn.ending,
            chosen,
            Arc::clone(script),
        )
    } else {
        let halves = Halves::whole(&turn, &chosen.message_id, &model);
        played(
            "application/json",
            halves,
            turn.ending,
            chosen,
            Arc::clone(script),
        )
    }
}

fn played(
    content_type: &'static str,
    halves: Halves,
    ending: Ending,
    Chosen {
        index, released, ..
    }: Chosen,
    script: Arc<Script>,
) -> Response<ReplyBody> {
    let (parts, body) = ChannelBody::new();
    tokio::spawn(async move {
        if player::play(halves, ending, parts, released).await.is_err() {
            script.client_disconnected(index);
        }
    });
    with_type(content_type, Response::new(Either::Right(body)))
}

fn error_response(error: &ApiError) -> Response<ReplyBody> {
    let status = StatusCode::from_u16(error.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = json_response(status, &error.body());
    for (name, value) in error.headers() {
        if let Ok(value) = value.parse() {
            response.headers_mut().insert(*name, value);
        }
    }
    response
}

fn json_response(status: StatusCode, body: &Value) -> Response<ReplyBody> {
    let body = Full::new(Bytes::from(body.to_string()));
    let mut response = with_type("application/json", Response::new(Either::Left(body)));
    *response.status_mut() = status;
    response
}

fn with_type(content_type: &'static str, mut response: Response<ReplyBody>) -> Response<ReplyBody> {
    let value = hyper::header::HeaderValue::from_static(content_type);
    response.headers_mut().insert(CONTENT_TYPE, value);
    response
}
