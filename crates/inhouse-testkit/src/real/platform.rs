//! The platform suffix of the npm packages.

use std::{env::consts, path::Path};

/// Returns the suffix of the package for this machine, or `None` if there is no package.
#[must_use]
pub fn suffix() -> Option<String> {
    suffix_of(consts::OS, consts::ARCH, has_glibc())
}

fn suffix_of(os: &str, arch: &str, has_glibc: bool) -> Option<String> {
    let os = match os {
        "linux" => "linux",
        "macos" => "darwin",
        "windows" => "win32",
        _ => return None,
    };
    let arch = match arch {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        _ => return None,
    };
    let libc = if os == "linux" && !has_glibc {
        "-musl"
    } else {
        ""
    };
    Some(format!("{os}-{arch}{libc}"))
}

/// Checks the machine instead of the compile target: a test built for musl can run on a machine with glibc.
fn has_glibc() -> bool {
    ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"]
        .iter()
        .any(|loader| Path::new(loader).exists())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn platforms_have_their_npm_names() {
        let name = |os, arch, glibc| suffix_of(os, arch, glibc).unwrap_or_default();
        assert_eq!(name("linux", "x86_64", true), "linux-x64");
        assert_eq!(name("linux", "aarch64", false), "linux-arm64-musl");
        assert_eq!(name("macos", "aarch64", false), "darwin-arm64");
        assert_eq!(name("windows", "x86_64", false), "win32-x64");
        assert_eq!(name("linux", "riscv64", true), "");
    }
}
