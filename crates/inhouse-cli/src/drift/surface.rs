//! What a host can see of the CLI: messages, requests, hooks, options, flags, variables and tools.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use serde::{Deserialize, Serialize};

use super::declarations::{Declarations, Type};
use super::scan;
use super::shape::{Resolver, Shape};

/// The surface of one version, as one committed file has it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Surface {
    /// The version of the official SDK, such as 0.3.325.
    pub(super) sdk: String,
    /// The shapes of each area by their names, such as `system/init` or `PreToolUse`. An area that was not read is absent.
    pub(super) areas: BTreeMap<Area, BTreeMap<String, Shape>>,
}

/// A part of the surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Area {
    /// Messages of the CLI, by type and subtype.
    Message,
    /// Control requests of both sides, by subtype.
    Request,
    /// Replies to control requests, by the subtype of the request.
    Reply,
    /// Inputs of hooks, by event.
    HookInput,
    /// Outputs of hooks, by event; `*` has the members that all events share.
    HookOutput,
    /// Options of the official SDK for TypeScript.
    Option,
    /// Built-in tools with their inputs.
    Tool,
    /// Flags that the official SDK passes to the CLI.
    SdkFlag,
    /// Flags that `claude --help` lists.
    CliFlag,
    /// Environment variables that the CLI reads.
    Variable,
}

impl Area {
    pub(super) const ALL: [Self; 10] = [
        Self::Message,
        Self::Request,
        Self::Reply,
        Self::HookInput,
        Self::HookOutput,
        Self::Option,
        Self::Tool,
        Self::SdkFlag,
        Self::CliFlag,
        Self::Variable,
    ];

    /// Returns the name of the area in reports and in the list of what is not modelled.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Message => "message",
            Self::Request => "request",
            Self::Reply => "reply",
            Self::HookInput => "hook_input",
            Self::HookOutput => "hook_output",
            Self::Option => "option",
            Self::Tool => "tool",
            Self::SdkFlag => "sdk_flag",
            Self::CliFlag => "cli_flag",
            Self::Variable => "variable",
        }
    }
}

/// The files of the packages that a surface is read from.
#[derive(Clone, Debug, Default)]
pub(super) struct Packages {
    /// Directories with the files of a package each.
    pub(super) directories: Vec<PathBuf>,
}

impl Packages {
    fn find(&self, name: &str) -> Option<PathBuf> {
        let files = self
            .directories
            .iter()
            .map(|directory| directory.join(name));
        files.into_iter().find(|file| file.is_file())
    }

    fn text(&self, name: &str) -> Result<String> {
        let Some(file) = self.find(name) else {
            bail!(
                "no package has a file {name}; `--package` needs the files of @anthropic-ai/claude-agent-sdk"
            );
        };
        read(&file)
    }

    /// Returns the CLI, if a package contains one.
    pub(super) fn cli(&self) -> Option<PathBuf> {
        self.find(if cfg!(windows) {
            "claude.exe"
        } else {
            "claude"
        })
    }
}

impl Surface {
    /// Reads the surface from the files of packages.
    pub(super) fn read(packages: &Packages) -> Result<Self> {
        #[derive(Deserialize)]
        struct Manifest {
            version: String,
        }

        let manifest: Manifest = serde_json::from_str(&packages.text("package.json")?)
            .context("package.json has no version")?;
        let sdk = Declarations::read(&packages.text("sdk.d.ts")?);
        let tools = Declarations::read(&packages.text("sdk-tools.d.ts")?);
        let wire = Wire { declarations: &sdk };
        let mut areas = BTreeMap::from([
            (Area::Message, wire.messages()?),
            (Area::Request, wire.requests()?),
            (Area::Reply, wire.replies()?),
            (Area::HookInput, wire.hook_inputs()?),
            (Area::HookOutput, wire.hook_outputs()?),
            (Area::Option, wire.options()?),
            (Area::Tool, wire.tools(&tools)?),
        ]);
        if packages.find("sdk.mjs").is_some() {
            let flags = scan::flags(&packages.text("sdk.mjs")?);
            areas.insert(Area::SdkFlag, names(flags, "flag"));
        }
        if let Some(cli) = packages.cli() {
            let variables =
                scan::variables(&cli).with_context(|| format!("cannot read {}", cli.display()))?;
            areas.insert(Area::Variable, names(variables, "string"));
        }
        Ok(Self {
            sdk: manifest.version,
            areas,
        })
    }

    /// Adds the flags that `claude --help` lists.
    pub(super) fn add_help(&mut self, help: &str) {
        let flags = scan::help_flags(help);
        self.areas.insert(Area::CliFlag, names(flags, "flag"));
    }

    /// Returns the shapes of an area; none if it was not read.
    pub(super) fn area(&self, area: Area) -> impl Iterator<Item = (&String, &Shape)> {
        self.areas.get(&area).into_iter().flatten()
    }
}

fn read(file: &Path) -> Result<String> {
    let text = fs::read(file).and_then(|bytes| {
        String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
    });
    text.with_context(|| format!("cannot read {}", file.display()))
}

fn names(names: BTreeSet<String>, kind: &str) -> BTreeMap<String, Shape> {
    let names = names.into_iter();
    names.map(|name| (name, Shape::named(kind))).collect()
}

/// Declarations of the protocol.
struct Wire<'a> {
    declarations: &'a Declarations,
}

impl Wire<'_> {
    fn messages(&self) -> Result<BTreeMap<String, Shape>> {
        let mut messages = BTreeMap::new();
        for shape in self.alternatives("StdoutMessage")? {
            let tag = |name: &str| {
                Some(
                    shape
                        .member(name)?
                        .literals()?
                        .into_iter()
                        .map(str::to_owned),
                )
            };
            let Some(kinds) = tag("type") else {
                continue;
            };
            let subtypes: Vec<_> = tag("subtype").into_iter().flatten().collect();
            for kind in kinds {
                // Envelopes of requests and replies, which are other areas, and a line without content.
                if kind.starts_with("control_") || kind == "keep_alive" {
                    continue;
                }
                let names = match subtypes.as_slice() {
                    [] => vec![kind.clone()],
                    subtypes => subtypes.iter().map(|it| format!("{kind}/{it}")).collect(),
                };
                for name in names {
                    add(&mut messages, name, shape.clone());
                }
            }
        }
        Ok(messages)
    }

    fn requests(&self) -> Result<BTreeMap<String, Shape>> {
        self.tagged("SDKControlRequestInner", "subtype")
    }

    /// Returns the replies to requests: `SDKControlXResponse` is the reply to `SDKControlXRequest`.
    fn replies(&self) -> Result<BTreeMap<String, Shape>> {
        let mut replies = BTreeMap::new();
        for name in self.declarations.types.keys() {
            let stem = name
                .strip_prefix("SDKControl")
                .and_then(|it| it.strip_suffix("Response"));
            let Some(stem) = stem else {
                continue;
            };
            let Some(request) = self
                .resolver()
                .declared(&format!("SDKControl{stem}Request"))
            else {
                continue;
            };
            if let Some([subtype]) = request
                .member("subtype")
                .and_then(Shape::literals)
                .as_deref()
            {
                replies.insert((*subtype).to_owned(), self.declared(name)?);
            }
        }
        replies.insert(
            "can_use_tool".to_owned(),
            self.declared("PermissionResult")?,
        );
        Ok(replies)
    }

    fn hook_inputs(&self) -> Result<BTreeMap<String, Shape>> {
        let mut inputs = self.tagged("HookInput", "hook_event_name")?;
        for event in self
            .declarations
            .lists
            .get("HOOK_EVENTS")
            .into_iter()
            .flatten()
        {
            let unknown = || Shape::named("unknown");
            inputs.entry(event.clone()).or_insert_with(unknown);
        }
        Ok(inputs)
    }

    fn hook_outputs(&self) -> Result<BTreeMap<String, Shape>> {
        let mut outputs = BTreeMap::new();
        let Shape::Object(mut common) = self.declared("SyncHookJSONOutput")? else {
            bail!("`SyncHookJSONOutput` of sdk.d.ts is no object");
        };
        if let Some(specific) = common.remove("hookSpecificOutput") {
            for shape in specific.shape.alternatives() {
                let tag = shape.member("hookEventName").and_then(Shape::literals);
                for event in tag.into_iter().flatten() {
                    add(&mut outputs, event.to_owned(), shape.clone());
                }
            }
        }
        outputs.insert("*".to_owned(), Shape::Object(common));
        Ok(outputs)
    }

    /// Returns the options. The types of their values are given by name: those that the CLI sees are part of requests.
    fn options(&self) -> Result<BTreeMap<String, Shape>> {
        let resolver = Resolver {
            declarations: self.declarations,
            expands: false,
        };
        match resolver.declared("Options") {
            Some(Shape::Object(options)) => {
                let options = options.into_iter();
                Ok(options.map(|(name, option)| (name, option.shape)).collect())
            }
            _ => bail!("sdk.d.ts has no object `Options`"),
        }
    }

    /// Returns the tools. The declarations of inputs have other names than the tools, see [`tool_of`].
    fn tools(&self, inputs: &Declarations) -> Result<BTreeMap<String, Shape>> {
        let Some(names) = self.declarations.lists.get("BUILTIN_TOOL_NAMES") else {
            bail!("sdk.d.ts has no list `BUILTIN_TOOL_NAMES`");
        };
        let unknown = names
            .iter()
            .map(|name| (name.clone(), Shape::named("unknown")));
        let mut tools: BTreeMap<_, _> = unknown.collect();
        let resolver = Resolver {
            declarations: inputs,
            expands: true,
        };
        for declared in inputs.types.keys() {
            let tool = declared
                .strip_suffix("Input")
                .and_then(|stem| tool_of(stem, names));
            if let (Some(tool), Some(input)) = (tool, resolver.declared(declared)) {
                tools.insert(tool.clone(), input);
            }
        }
        Ok(tools)
    }

    fn resolver(&self) -> Resolver<'_> {
        Resolver {
            declarations: self.declarations,
            expands: true,
        }
    }

    fn declared(&self, name: &str) -> Result<Shape> {
        let shape = self.resolver().declared(name);
        shape.with_context(|| format!("sdk.d.ts has no type `{name}`"))
    }

    /// Returns the shapes of a declared union, without combining those of one tag.
    fn alternatives(&self, name: &str) -> Result<Vec<Shape>> {
        let Some(of) = self.declarations.types.get(name) else {
            bail!("sdk.d.ts has no type `{name}`");
        };
        let mut shapes = Vec::new();
        self.collect(of, &mut shapes);
        Ok(shapes)
    }

    fn collect(&self, of: &Type, shapes: &mut Vec<Shape>) {
        match of {
            Type::Union(types) => types.iter().for_each(|of| self.collect(of, shapes)),
            Type::Named(name, _)
                if matches!(self.declarations.types.get(name), Some(Type::Union(_))) =>
            {
                self.collect(&self.declarations.types[name], shapes);
            }
            of => shapes.push(self.resolver().resolve(of, &mut Vec::new())),
        }
    }

    /// Returns the objects of a union by their tag.
    fn tagged(&self, union: &str, tag: &str) -> Result<BTreeMap<String, Shape>> {
        let mut tagged = BTreeMap::new();
        for shape in self.alternatives(union)? {
            for name in shape
                .member(tag)
                .and_then(Shape::literals)
                .into_iter()
                .flatten()
            {
                add(&mut tagged, name.to_owned(), shape.clone());
            }
        }
        Ok(tagged)
    }
}

fn add(shapes: &mut BTreeMap<String, Shape>, name: String, shape: Shape) {
    let shape = match shapes.remove(&name) {
        Some(earlier) => earlier.merge(shape),
        None => shape,
    };
    shapes.insert(name, shape);
}

/// Returns the tool whose input is declared as `<stem>Input`: `FileEdit` is `Edit`, `ListMcpResources` is `ListMcpResourcesTool`, and
/// `ProposeSkills` is `propose_skills`.
fn tool_of<'a>(stem: &str, names: &'a [String]) -> Option<&'a String> {
    let candidates = [
        stem.to_owned(),
        stem.strip_prefix("File").unwrap_or(stem).to_owned(),
        format!("{stem}Tool"),
        super::rust_name::snake_case(stem),
    ];
    candidates
        .iter()
        .find_map(|candidate| names.iter().find(|name| *name == candidate))
}
