//! Messages.
use crate::open::{open_enum, open_struct, open_union};
open_struct! {
    /// Text.
    pub struct TextBlock ["type" = "text"] {
        /// The text.
        pub text: String,
        /// Cites.
        pub citations: Option<Vec<serde_json::Value>>,
    }
}
open_struct! {
    /// A tool call.
    pub struct ToolUseBlock ["type" = "tool_use"] {
        /// id
        pub id: String,
        /// name
        pub input: serde_json::Value,
        /// caller
        pub is_x as "isX": Option<Kind>,
    }
}
open_enum! {
    /// Kinds
    pub enum Kind {
        /// a
        A = "a",
    }
}
open_union! {
    /// Block.
    pub enum ContentBlock by "type" {
        /// Text
        Text(TextBlock) = "text",
        /// tool
        ToolUse(ToolUseBlock) = "tool_use",
    }
}
#[cfg(test)]
mod tests {
    use super::*;
    use crate::open::Open;
    #[test]
    fn roundtrip() {
        for s in [
            r#"{"type":"text","text":"a"}"#,
            r#"{"type":"text","text":"a","citations":null,"x":1}"#,
            r#"{"text":"a","type":"text"}"#,
            r#"{"type":"tool_use","id":"a","input":null,"isX":"b"}"#,
            r#"{"type":"tool_use","id":"a","input":{"a":1},"isX":null}"#,
            r#"{"type":"zap","id":"a","input":null}"#,
            r#"{"id":"a","input":null}"#,
            r#"{}"#,
        ] {
            let v: serde_json::Value = serde_json::from_str(s).unwrap();
            let b: ContentBlock = serde_json::from_str(s).unwrap();
            assert_eq!(serde_json::to_value(&b).unwrap(), v, "{b:?}");
            assert_eq!(ContentBlock::open(v.clone()).unwrap(), b);
        }
        for s in [
            r#"{"type":"text","text":1}"#,
            r#"{"type":"text","text":"x","citations":3}"#,
            r#"{"type":"tool_use","id":"a","input":{"a":1},"isX":3}"#,
        ] {
            let v: serde_json::Value = serde_json::from_str(s).unwrap();
            assert!(serde_json::from_str::<ContentBlock>(s).is_err());
            let b = ContentBlock::open(v.clone()).unwrap();
            println!("{b:?}");
            assert_eq!(serde_json::to_value(&b).unwrap(), v, "{b:?}");
        }
    }
}
