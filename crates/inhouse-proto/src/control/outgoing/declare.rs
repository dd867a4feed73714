/// Declares a request: its struct, a constructor, a setter for each optional member, its subtype
/// and its reply.
///
/// ```text
/// control_request! {
///     /// …
///     pub struct McpCall("mcp_call") -> McpCallReply
///     requires {
///         /// …
///         tool: String = impl Into<String>,
///     }
///     accepts {
///         /// …
///         timeout as "timeout_ms": u64,
///     }
/// }
/// ```
///
/// Behind `=` stands what the constructor or setter takes, where that is not the member's own type;
/// behind `as` the wire name, where it is not the field's. Members under `accepts` become options
/// and are left out of the JSON until they are set.
macro_rules! control_request {
    (
        $(#[$meta:meta])*
        pub struct $name:ident($subtype:literal) -> $reply:ident
        $( requires { $(
            $(#[$rdoc:meta])* $required:ident $(as $rwire:literal)? : $rty:ty $(= $rarg:ty)?
        ),* $(,)? } )?
        $( accepts { $(
            $(#[$odoc:meta])* $optional:ident $(as $owire:literal)? : $oty:ty $(= $oarg:ty)?
        ),* $(,)? } )?
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize)]
        #[non_exhaustive]
        pub struct $name {
            $( $(
                $(#[$rdoc])*
                $( #[serde(rename = $rwire)] )?
                pub $required: $rty,
            )* )?
            $( $(
                $(#[$odoc])*
                $( #[serde(rename = $owire)] )?
                #[serde(skip_serializing_if = "Option::is_none")]
                pub $optional: Option<$oty>,
            )* )?
        }

        impl $name {
            /// The request, with nothing set that may be left out.
            #[must_use]
            pub fn new($( $( $required: control_request!(@arg $rty $(= $rarg)?) ),* )?) -> Self {
                Self {
                    $( $( $required: $required.into(), )* )?
                    $( $( $optional: None, )* )?
                }
            }

            $( $(
                $(#[$odoc])*
                #[must_use]
                pub fn $optional(mut self, $optional: control_request!(@arg $oty $(= $oarg)?)) -> Self {
                    self.$optional = Some($optional.into());
                    self
                }
            )* )?
        }

        control_request!(@default $name $( $( $required )* )?);
        control_request!($name($subtype) -> $reply);
    };

    ($name:ident($subtype:literal) -> $reply:ident) => {
        impl $crate::control::ControlRequest for $name {
            const SUBTYPE: &'static str = $subtype;
            type Reply = $reply;

            fn reply(payload: Option<&str>) -> Result<Self::Reply, serde_json::Error> {
                $crate::control::request::open_reply(payload)
            }
        }
    };

    (@arg $ty:ty = $arg:ty) => { $arg };
    (@arg $ty:ty) => { $ty };

    (@default $name:ident) => {
        impl Default for $name {
            fn default() -> Self {
                Self::new()
            }
        }
    };
    (@default $name:ident $($required:ident)+) => {};
}

pub(super) use control_request;
