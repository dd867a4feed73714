import { createHash } from "node:crypto";
import { defineConfig, type Plugin } from "vite";

/** Writes script and style into the page, so that it is one file. */
function oneFile(): Plugin {
  return {
    name: "one-file",
    enforce: "post",
    generateBundle(_, bundle) {
      const page = bundle["index.html"];
      if (page?.type !== "asset") throw new Error("there is no index.html");
      let html = String(page.source);
      let script = "";
      let style = "";
      for (const [name, file] of Object.entries(bundle)) {
        if (name === "index.html") continue;
        if (file.type === "chunk") script += file.code.trim();
        else style += String(file.source).trim();
        delete bundle[name];
      }
      // Only the script of this build may run, whatever a recording contains.
      const hash = createHash("sha256").update(script).digest("base64");
      const policy = `default-src 'none'; script-src 'sha256-${hash}'; style-src 'unsafe-inline'; img-src data:; connect-src 'self'`;
      html = html.replace(/\s*<script type="module"[^>]*><\/script>/, "").replace(/\s*<link rel="stylesheet"[^>]*>/, "");
      if (script.includes("</script")) throw new Error("the script would end early");
      html = html
        .replace("</title>", () => `</title>\n    <meta http-equiv="Content-Security-Policy" content="${policy}" />`)
        .replace(/\s*<\/head>/, () => `\n    <style>${style}</style>\n  </head>`)
        .replace(/\s*<\/body>/, () => `\n    <script type="module">${script}</script>\n  </body>`);
      page.source = html;
    },
  };
}

export default defineConfig({
  plugins: [oneFile()],
  build: { target: "es2022", modulePreload: false, assetsInlineLimit: 0, cssCodeSplit: false, reportCompressedSize: false },
});
