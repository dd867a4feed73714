//! The recipes of the chapter on secure deployment: a confined CLI, and no key in its environment.

mod key_proxy;

use std::fs;
use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::os::unix::fs::chown;
use std::path::Path;
use std::process::{Command, Stdio};

use hyper::header::HeaderValue;
use inhouse::launch::CommandLine;
use inhouse::options::{Options, SandboxSettings, SettingSource};
use inhouse::{Client, ErrorKind, query};
use inhouse_testkit::Turn;
use serde_json::json;
use tokio::net::{TcpListener, UnixListener};

use crate::world::{self, World};

const KEY: &str = "sk-the-real-key";

/// Returns the address of the scripted model.
fn model_address(world: &World) -> SocketAddr {
    let url = world.model.base_url();
    let address = url.strip_prefix("http://").unwrap();
    address.parse().unwrap()
}

/// Scripts a model that runs this command.
fn running(world: &World, command: &str) {
    let call = json!({"command": command});
    world
        .model
        .turn(Turn::new().tool_use_with_id("toolu_1", "Bash", call))
        .turn("Done.");
}

/// Runs a query to its end and returns the output of the command that the model has read.
async fn output_of(world: &World, options: Options) -> String {
    let answer = query("Run it.").options(options.allow_tools(["Bash"]));
    let answer = answer.await.unwrap().text().await.unwrap();
    assert_eq!(answer, "Done.");
    let last = world.model.conversation().pop().unwrap();
    last.tool_results().remove(0).text
}

/// Returns whether a program runs with these arguments; with `CI=true` it has to.
///
/// Distributions restrict user namespaces in different ways, so an installed bubblewrap may still not work.
fn runs(program: &str, args: &[&str]) -> bool {
    let status = Command::new(program)
        .args(args)
        .stdout(Stdio::null())
        .status();
    let runs = status.is_ok_and(|status| status.success());
    if !runs {
        let is_ci = std::env::var_os("CI").is_some_and(|value| value == "true");
        assert!(!is_ci, "`{program}` does not run on this machine");
        not_tried(&format!("`{program}` does not run on this machine"));
    }
    runs
}

/// Reports that a test did not run, past the capture of output.
fn not_tried(reason: &str) {
    let _ = writeln!(io::stderr(), "not tried: {reason}");
}

fn bubblewrap_runs() -> bool {
    runs("bwrap", &["--ro-bind", "/", "/", "--unshare-all", "true"])
}

/// Runs the CLI in bubblewrap, with the system read-only and only these directories of the machine beside it.
fn in_bubblewrap(cli: CommandLine, writable: &Path) -> CommandLine {
    let mut bwrap = CommandLine::new("bwrap");
    for directory in ["/usr", "/bin", "/lib", "/lib64", "/etc"] {
        bwrap = bwrap.args(["--ro-bind-try", directory, directory]);
    }
    bwrap = bwrap.args(["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]);
    bwrap = bwrap.args(["--unshare-pid", "--unshare-ipc", "--unshare-uts"]);
    bwrap = bwrap.args(["--ro-bind".into(), cli.program.clone(), cli.program.clone()]);
    bwrap = bwrap.args(["--bind".as_ref(), writable, writable]);
    if let Some(cwd) = &cli.cwd {
        bwrap = bwrap.args(["--chdir".as_ref(), cwd.as_path()]);
    }
    bwrap = bwrap.args(["--".into(), cli.program]).args(cli.args);
    bwrap.env = cli.env;
    bwrap
}

#[tokio::test]
async fn proxy_adds_the_key_that_the_cli_does_not_have() {
    world::pinned(async |world| {
        running(world, "env");
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let upstream = model_address(world);
        let proxy = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(key_proxy::serve(
                    stream,
                    upstream,
                    HeaderValue::from_static(KEY),
                ));
            }
        });
        let options = world
            .options()
            .env("ANTHROPIC_BASE_URL", url)
            .env("ANTHROPIC_API_KEY", "unused");

        let output = output_of(world, options).await;

        assert!(!output.contains(KEY), "{output}");
        assert!(
            output.contains("ANTHROPIC_BASE_URL=http://127.0.0.1"),
            "{output}"
        );
        for request in world.model.conversation() {
            assert_eq!(request.header("x-api-key"), Some(KEY));
        }
        world.model.assert_done();
        proxy.abort();
    })
    .await;
}

#[tokio::test]
async fn bubblewrap_hides_the_files_of_the_host() {
    if !bubblewrap_runs() {
        return;
    }
    world::pinned(async |world| {
        let outside = tempfile::tempdir().unwrap();
        let secret = outside.path().join("secret");
        fs::write(&secret, "the secret").unwrap();
        let command = format!(
            "cat {}; touch /usr/by_command; echo kept > kept.txt; echo ended",
            secret.display()
        );
        running(world, &command);
        let root = world.isolation().root().to_owned();
        let options = world
            .options()
            .wrap_command(move |cli| in_bubblewrap(cli, &root));

        let output = output_of(world, options).await;

        assert!(!output.contains("the secret"), "{output}");
        assert!(output.contains("No such file"), "{output}");
        assert!(output.contains("Read-only file system"), "{output}");
        assert!(output.contains("ended"), "{output}");
        let kept = fs::read_to_string(world.cwd().join("kept.txt")).unwrap();
        assert_eq!(kept, "kept\n");
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn dropped_session_kills_the_cli_in_bubblewrap() {
    if !bubblewrap_runs() {
        return;
    }
    world::pinned(async |world| {
        let started = world.pipe("started").await;
        let command = json!({"command": "echo running > started; sleep 3600"});
        world
            .model
            .turn(Turn::new().tool_use_with_id("toolu_1", "Bash", command));
        let root = world.isolation().root().to_owned();
        let options = world
            .options()
            .allow_tools(["Bash"])
            .wrap_command(move |cli| in_bubblewrap(cli, &root));
        let mut client = world.connect(options).await;
        let bwrap = client.control().pid().unwrap();

        let turn = client.send("Run it.").await.unwrap();
        assert_eq!(started.read().await, "running\n");
        let inside = descendants(bwrap);
        assert!(inside.len() > 1, "the CLI and its command: {inside:?}");
        drop(turn);
        drop(client);

        world::gone(bwrap).await;
        for pid in inside {
            world::gone(pid).await;
        }
    })
    .await;
}

/// Returns the processes that a process has started, directly or not.
fn descendants(pid: u32) -> Vec<u32> {
    let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"));
    let children = children.unwrap_or_default();
    let children = children.split_whitespace().map(|pid| pid.parse().unwrap());
    children
        .flat_map(|child| [vec![child], descendants(child)].concat())
        .collect()
}

#[tokio::test]
async fn cli_without_a_network_reaches_the_model_through_a_socket() {
    if !bubblewrap_runs() || !runs("socat", &["-V"]) {
        return;
    }
    world::pinned(async |world| {
        let reachable = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = reachable.local_addr().unwrap().port();
        let command =
            format!("socat -u OPEN:/dev/null TCP:127.0.0.1:{port} && echo connected; echo ended");
        running(world, &command);
        let socket = world.isolation().root().join("api.sock");
        let listener = UnixListener::bind(&socket).unwrap();
        let upstream = model_address(world);
        let proxy = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(key_proxy::serve(
                    stream,
                    upstream,
                    HeaderValue::from_static(KEY),
                ));
            }
        });
        let root = world.isolation().root().to_owned();
        let bridge = format!(
            "socat TCP-LISTEN:8080,bind=127.0.0.1,fork UNIX-CONNECT:{} & \
             until socat -u OPEN:/dev/null TCP:127.0.0.1:8080 2>/dev/null; do :; done; exec \"$@\"",
            socket.display()
        );
        let options = world
            .options()
            .env("ANTHROPIC_BASE_URL", "http://127.0.0.1:8080")
            .wrap_command(move |cli| {
                let mut bwrap = in_bubblewrap(cli, &root);
                let program = bwrap.args.iter().position(|arg| arg == "--").unwrap();
                let shell = ["--unshare-net", "--", "sh", "-c", bridge.as_str(), "sh"];
                bwrap.args.splice(program..=program, shell.map(Into::into));
                bwrap
            });

        let output = output_of(world, options).await;

        assert!(!output.contains("connected"), "{output}");
        assert!(output.contains("ended"), "{output}");
        for request in world.model.conversation() {
            assert_eq!(request.header("x-api-key"), Some(KEY));
        }
        world.model.assert_done();
        proxy.abort();
    })
    .await;
}

#[tokio::test]
async fn sandboxed_command_writes_to_the_project_alone() {
    if !bubblewrap_runs() || !runs("socat", &["-V"]) {
        return;
    }
    world::pinned(async |world| {
        let outside = tempfile::tempdir_in("/var/tmp").unwrap();
        let file = outside.path().join("by_command");
        let command = format!(
            "touch {}; touch $TMPDIR/a && echo temporary; echo kept > kept.txt; echo ended",
            file.display()
        );
        running(world, &command);
        let sandbox = SandboxSettings::enabled().allow_unsandboxed_commands(false);
        let options = world.options().sandbox(sandbox);

        let output = output_of(world, options).await;

        assert!(output.contains("ended"), "{output}");
        assert!(output.contains("temporary"), "{output}");
        assert!(!file.exists(), "{output}");
        let kept = fs::read_to_string(world.cwd().join("kept.txt")).unwrap();
        assert_eq!(kept, "kept\n");
    })
    .await;
}

#[tokio::test]
async fn session_ends_if_the_sandbox_is_not_available() {
    world::pinned(async |world| {
        let options = world
            .options()
            .sandbox(SandboxSettings::enabled())
            // Without bubblewrap and socat.
            .env("PATH", world.isolation().home());

        let error = Client::connect(options).await.unwrap_err();

        assert_eq!(error.kind(), ErrorKind::Exited);
        let stderr = error.stderr_tail().unwrap();
        assert!(
            stderr.contains("sandbox required but unavailable"),
            "{stderr}"
        );
        assert!(world.model.conversation().is_empty());
    })
    .await;
}

#[tokio::test]
async fn cli_runs_as_another_user() {
    const OTHER_USER: u32 = 65534;
    if !rustix::process::geteuid().is_root() {
        not_tried("only root can change its user");
        return;
    }
    world::pinned(async |world| {
        running(world, "id -u; echo kept > kept.txt");
        let root = world.isolation().root();
        // The CLI is in a directory that only its owner can read.
        let program = root.join("claude");
        fs::hard_link(world.isolation().program(), &program)
            .or_else(|_| fs::copy(world.isolation().program(), &program).map(drop))
            .unwrap();
        for path in ["", "home", "config", "project", "tmp"] {
            chown(root.join(path), Some(OTHER_USER), Some(OTHER_USER)).unwrap();
        }
        let options = world
            .options()
            .cli_path(program)
            .os_user(OTHER_USER, OTHER_USER);

        let output = output_of(world, options).await;

        assert_eq!(output, OTHER_USER.to_string());
        let kept = fs::metadata(world.cwd().join("kept.txt")).unwrap();
        assert_eq!(std::os::unix::fs::MetadataExt::uid(&kept), OTHER_USER);
        world.model.assert_done();
    })
    .await;
}

#[tokio::test]
async fn clean_environment_has_only_what_the_host_sets() {
    world::pinned(async |world| {
        running(world, "env");

        let output = output_of(world, world.options().env("REGION", "north")).await;

        assert!(output.contains("REGION=north"), "{output}");
        // Cargo sets it for every test, so the host has it.
        assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some());
        assert!(!output.contains("CARGO_MANIFEST_DIR"), "{output}");
    })
    .await;
}

#[tokio::test]
async fn settings_and_hooks_of_the_project_need_a_source() {
    world::pinned(async |world| {
        let hook = json!({"type": "command", "command": "touch by_hook"});
        let settings = json!({
            "permissions": {"deny": ["Bash"]},
            "hooks": {"UserPromptSubmit": [{"hooks": [hook]}]},
        });
        fs::create_dir_all(world.cwd().join(".claude")).unwrap();
        fs::write(
            world.cwd().join(".claude/settings.json"),
            settings.to_string(),
        )
        .unwrap();
        let by_hook = world.cwd().join("by_hook");
        world.model.turn("Without.").turn("With.");

        let without = query("Hello!").options(world.options().setting_sources([]));
        assert_eq!(without.await.unwrap().text().await.unwrap(), "Without.");
        assert!(!by_hook.exists());
        let project = world.options().setting_sources([SettingSource::Project]);
        let with = query("Hello!").options(project);
        assert_eq!(with.await.unwrap().text().await.unwrap(), "With.");
        assert!(by_hook.exists());

        let requests = world.model.conversation();
        assert!(requests[0].tools().contains(&"Bash"));
        assert!(!requests[1].tools().contains(&"Bash"));
    })
    .await;
}
