use std::fmt;

use ::rmcp::model::{
    CallToolRequestParams, ClientRequest, CustomRequest, Extensions, PingRequest, Request,
    RequestMetaObject, RequestOptionalParam,
};
use inhouse_proto::mcp::{ErrorCode, RpcError};
use inhouse_proto::wire::parse_json;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// Parses a request and its `_meta`.
///
/// `rmcp` tries every request type in turn, which takes three times as long and turns a known method
/// with invalid parameters into a custom request. This selects the type by the method.
///
/// # Errors
/// `INVALID_PARAMS` with the reason.
pub(super) fn parse(
    method: &str,
    params: Option<&str>,
) -> Result<(ClientRequest, RequestMetaObject), RpcError> {
    if method == "tools/call" {
        return call(params.unwrap_or_default());
    }
    let mut params = Params::parse(method, params)?;
    let meta = params.meta()?;
    let request = match method {
        "tools/list" => ClientRequest::ListToolsRequest(params.optional()?),
        "initialize" => ClientRequest::InitializeRequest(params.required()?),
        "ping" => ClientRequest::PingRequest(PingRequest::default()),
        "resources/list" => ClientRequest::ListResourcesRequest(params.optional()?),
        "resources/templates/list" => {
            ClientRequest::ListResourceTemplatesRequest(params.optional()?)
        }
        "resources/read" => ClientRequest::ReadResourceRequest(params.required()?),
        "resources/subscribe" => ClientRequest::SubscribeRequest(params.required()?),
        "resources/unsubscribe" => ClientRequest::UnsubscribeRequest(params.required()?),
        "prompts/list" => ClientRequest::ListPromptsRequest(params.optional()?),
        "prompts/get" => ClientRequest::GetPromptRequest(params.required()?),
        "completion/complete" => ClientRequest::CompleteRequest(params.required()?),
        "logging/setLevel" => ClientRequest::SetLevelRequest(params.required()?),
        "subscriptions/listen" => ClientRequest::SubscriptionsListenRequest(params.required()?),
        "server/discover" => ClientRequest::DiscoverRequest(params.required()?),
        "tasks/get" => ClientRequest::GetTaskRequest(params.required()?),
        "tasks/update" => ClientRequest::UpdateTaskRequest(params.required()?),
        "tasks/cancel" => ClientRequest::CancelTaskRequest(params.required()?),
        _ => {
            let members = params.members.map(Value::Object);
            ClientRequest::CustomRequest(CustomRequest::new(method, members))
        }
    };
    Ok((request, meta))
}

/// Parses `tools/call`, the most frequent request, without an intermediate map.
fn call(params: &str) -> Result<(ClientRequest, RequestMetaObject), RpcError> {
    const METHOD: &str = "tools/call";
    // serde would accept an array as the fields in order.
    if !params.trim_start().starts_with('{') {
        return Err(invalid(METHOD, &"expected a map"));
    }
    let mut params: CallToolRequestParams =
        parse_json(params).map_err(|error| invalid(METHOD, &error))?;
    let meta = params.meta.take().unwrap_or_default();
    let request = ClientRequest::CallToolRequest(Request::new(params));
    Ok((request, meta))
}

struct Params<'a> {
    method: &'a str,
    members: Option<Map<String, Value>>,
}

impl<'a> Params<'a> {
    fn parse(method: &'a str, params: Option<&str>) -> Result<Self, RpcError> {
        let members = params
            .map(parse_json)
            .transpose()
            .map_err(|error| invalid(method, &error))?;
        Ok(Self { method, members })
    }

    /// Removes `_meta`, which handlers get in the request context.
    fn meta(&mut self) -> Result<RequestMetaObject, RpcError> {
        match self
            .members
            .as_mut()
            .and_then(|members| members.remove("_meta"))
        {
            Some(meta) => {
                serde_json::from_value(meta).map_err(|error| invalid(self.method, &error))
            }
            None => Ok(RequestMetaObject::default()),
        }
    }

    fn required<M: Default, P: DeserializeOwned>(self) -> Result<Request<M, P>, RpcError> {
        self.into_typed().map(Request::new)
    }

    fn optional<M: Default, P: DeserializeOwned>(
        self,
    ) -> Result<RequestOptionalParam<M, P>, RpcError> {
        let params = self.members.is_some().then(|| self.into_typed());
        Ok(RequestOptionalParam {
            method: M::default(),
            params: params.transpose()?,
            extensions: Extensions::default(),
        })
    }

    fn into_typed<P: DeserializeOwned>(self) -> Result<P, RpcError> {
        let members = Value::Object(self.members.unwrap_or_default());
        serde_json::from_value(members).map_err(|error| invalid(self.method, &error))
    }
}

fn invalid(method: &str, error: &dyn fmt::Display) -> RpcError {
    let text = format!("invalid parameters of `{method}`: {error}");
    RpcError::new(ErrorCode::INVALID_PARAMS, text)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parse_json(
        method: &str,
        params: Value,
    ) -> Result<(ClientRequest, RequestMetaObject), RpcError> {
        parse(method, Some(&params.to_string()))
    }

    #[test]
    fn known_methods_parse_as_their_request_type() {
        let reference = json!({"type": "ref/prompt", "name": "p"});
        let argument = json!({"name": "a", "value": "v"});
        let client = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "c", "version": "1"},
        });
        let cases = [
            ("ping", json!({})),
            ("initialize", client),
            ("server/discover", json!({})),
            (
                "completion/complete",
                json!({"ref": reference, "argument": argument}),
            ),
            ("logging/setLevel", json!({"level": "info"})),
            ("prompts/get", json!({"name": "p"})),
            ("prompts/list", json!({})),
            ("resources/list", json!({"cursor": "2"})),
            ("resources/templates/list", json!({})),
            ("resources/read", json!({"uri": "a://b"})),
            ("resources/subscribe", json!({"uri": "a://b"})),
            ("resources/unsubscribe", json!({"uri": "a://b"})),
            ("subscriptions/listen", json!({"notifications": {}})),
            ("tools/call", json!({"name": "t", "arguments": {"a": 1}})),
            ("tools/list", json!({})),
            ("tasks/get", json!({"taskId": "1"})),
            ("tasks/update", json!({"taskId": "1", "inputResponses": {}})),
            ("tasks/cancel", json!({"taskId": "1"})),
        ];
        for (method, params) in cases {
            let (request, _) = parse_json(method, params.clone()).expect(method);
            assert_eq!(request.method(), method);
            assert!(
                !matches!(request, ClientRequest::CustomRequest(_)),
                "{method}"
            );
            // `rmcp` parses it in the same way.
            let theirs = json!({"method": method, "params": params});
            let theirs: ClientRequest = serde_json::from_value(theirs).expect(method);
            assert_eq!(
                serde_json::to_value(&request).expect("JSON"),
                serde_json::to_value(&theirs).expect("JSON"),
            );
        }
    }

    #[test]
    fn unknown_methods_parse_as_custom_requests() {
        let (request, meta) =
            parse_json("x/y", json!({"a": 1, "_meta": {"progressToken": 7}})).expect("a request");
        let ClientRequest::CustomRequest(request) = request else {
            panic!("{request:?}");
        };
        assert_eq!(
            (request.method.as_str(), request.params),
            ("x/y", Some(json!({"a": 1})))
        );
        assert_eq!(
            serde_json::to_value(meta).expect("JSON"),
            json!({"progressToken": 7})
        );
    }

    #[test]
    fn lone_surrogates_are_replaced() {
        let params = r#"{"name":"t","uri":"u","arguments":{"word":"half \ud83d"}}"#;
        for method in ["tools/call", "x/y"] {
            let (request, _) = parse(method, Some(params)).expect("a request");
            let request = serde_json::to_value(&request).expect("JSON");
            assert_eq!(request["params"]["arguments"]["word"], "half \u{fffd}");
        }
    }

    #[test]
    fn invalid_parameters_are_named_in_the_error() {
        let cases = [
            ("tools/call", json!({}), "missing field `name`"),
            (
                "tools/call",
                json!({"name": 7}),
                "invalid type: integer `7`",
            ),
            (
                "tools/call",
                json!({"name": "t", "arguments": []}),
                "expected a map",
            ),
            ("tools/call", json!([]), "expected a map"),
            ("tools/list", json!({"cursor": 1}), "expected a string"),
            ("tools/list", json!({"_meta": 7}), "expected a map"),
            ("initialize", json!({}), "missing field `protocolVersion`"),
        ];
        for (method, params, problem) in cases {
            let error = parse_json(method, params).expect_err(problem);
            assert_eq!(error.code, ErrorCode::INVALID_PARAMS);
            assert!(error.message.contains(method), "{}", error.message);
            assert!(error.message.contains(problem), "{}", error.message);
        }
        let error = parse("tools/call", None).expect_err("parameters are required");
        assert_eq!(error.code, ErrorCode::INVALID_PARAMS);
    }
}
