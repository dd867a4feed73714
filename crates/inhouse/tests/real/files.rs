//! Reading and rewinding files of the project.

use std::fs;

use inhouse::ErrorKind;
use inhouse::options::PermissionMode;
use inhouse_testkit::Turn;
use serde_json::json;

use crate::world;

#[tokio::test]
async fn read_file_returns_what_the_cli_sees() {
    world::pinned(async |world| {
        fs::write(world.cwd().join("note.txt"), "größer\n").unwrap();
        let client = world.connect(world.options()).await;

        let file = client
            .control()
            .read_file("note.txt".as_ref())
            .await
            .unwrap();
        assert_eq!(file.contents, "größer\n");
        assert_eq!(
            file.abs_path,
            world.cwd().join("note.txt").to_str().unwrap()
        );
        let missing = client.control().read_file("no-such.txt".as_ref()).await;
        assert_eq!(missing.unwrap_err().kind(), ErrorKind::Refused);
        assert!(world.model.conversation().is_empty());
    })
    .await;
}

#[tokio::test]
async fn rewind_restores_files_from_before_a_prompt() {
    world::pinned(async |world| {
        let path = world.cwd().join("note.txt");
        fs::write(&path, "Old.\n").unwrap();
        let read = json!({"file_path": path});
        let write = json!({"file_path": path, "content": "New.\n"});
        world
            .model
            .turn(Turn::new().tool_use_with_id("toolu_1", "Read", read))
            .turn(Turn::new().tool_use_with_id("toolu_2", "Write", write))
            .turn("Done.");
        let options = world
            .options()
            .file_checkpointing(true)
            .permission_mode(PermissionMode::AcceptEdits);
        let mut client = world.connect(options).await;

        let turn = client.send("Renew it.").await.unwrap();
        let prompt = turn.prompt_id().to_owned();
        assert_eq!(turn.text().await.unwrap(), "Done.");
        assert_eq!(fs::read_to_string(&path).unwrap(), "New.\n");
        let rewound = client.control().rewind_files(&prompt).await.unwrap();

        assert!(rewound.can_rewind, "{rewound:?}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "Old.\n");
        let seen = world.model.conversation()[2].tool_results();
        assert!(seen.iter().all(|result| !result.is_error), "{seen:?}");
    })
    .await;
}

#[tokio::test]
async fn rewind_without_checkpoints_is_refused() {
    world::pinned(async |world| {
        world.model.turn("Fine.");
        let mut client = world.connect(world.options()).await;
        let turn = client.send("How are you?").await.unwrap();
        let prompt = turn.prompt_id().to_owned();
        turn.finish().await.unwrap();

        let error = client.control().rewind_files(&prompt).await.unwrap_err();

        assert_eq!(error.kind(), ErrorKind::Refused);
        assert!(error.to_string().contains("not enabled"), "{error}");
    })
    .await;
}
