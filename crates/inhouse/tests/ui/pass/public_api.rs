//! A library that offers tools: what is made is as public as the function.
#![deny(warnings)]
// To the compiler, nothing in a test is for others.
#![allow(unreachable_pub)]

pub mod library {
    //! Tools for others.

    use inhouse::tool;

    /// A state.
    #[derive(Clone, Debug)]
    pub struct Library;

    /// Look something up.
    #[tool]
    pub async fn look_up(
        inhouse::tool::State(_): inhouse::tool::State<Library>,
        word: String,
    ) -> String {
        word
    }

    /// A server.
    #[derive(Debug)]
    pub struct Shelf;

    #[tool(server = "shelf")]
    impl Shelf {
        /// The books on it.
        #[tool]
        pub async fn books(&self) -> u32 {
            0
        }
    }
}

#[test]
fn others_can_use_it() {
    use inhouse::tool::{Tool, ToolServer};
    use library::{Library, Shelf, look_up};

    let tool: Tool<Library> = look_up::tool();
    let server: ToolServer<std::sync::Arc<Shelf>> = Shelf::tool_server(Shelf);
    drop((tool, server));
}
