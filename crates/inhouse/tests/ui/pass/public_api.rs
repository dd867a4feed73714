//! A library with public tools: generated items have the visibility of the function.
#![deny(warnings)]
// The compiler treats no item of a test as reachable.
#![allow(unreachable_pub)]

pub mod library {
    //! Public tools.

    use inhouse::tool;

    /// The state of a server.
    #[derive(Clone, Debug)]
    pub struct Library;

    /// Look up a word.
    #[tool]
    pub async fn look_up(
        inhouse::tool::State(_): inhouse::tool::State<Library>,
        word: String,
    ) -> String {
        word
    }

    /// A type that is a server.
    #[derive(Debug)]
    pub struct Shelf;

    #[tool(server = "shelf")]
    impl Shelf {
        /// Count the books.
        #[tool]
        pub async fn books(&self) -> u32 {
            0
        }
    }
}

#[test]
fn public_tools_are_usable_from_outside() {
    use inhouse::tool::{Tool, ToolServer};
    use library::{Library, Shelf, look_up};

    let tool: Tool<Library> = look_up::tool();
    let server: ToolServer<std::sync::Arc<Shelf>> = Shelf::tool_server(Shelf);
    drop((tool, server));
}
