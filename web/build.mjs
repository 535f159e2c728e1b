// Builds the pages: each becomes one file that loads nothing, in web/dist.
//   node web/build.mjs            writes them
//   node web/build.mjs --check    fails if what is in web/dist is not what the sources say
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";

// The packages live outside of the sources; ./test installs them there.
const { buildSync } = createRequire(new URL("../target/web/", import.meta.url))("esbuild");
const here = (path) => new URL(path, import.meta.url);
const read = (path) => readFileSync(here(path), "utf8");
const check = process.argv.includes("--check");
let stale = 0;

/** One page: its HTML with the style and the script put in, and their hashes for a policy. */
function page(name) {
  const bundle = (entry) =>
    buildSync({
      entryPoints: [here(`${name}/${entry}`).pathname],
      bundle: true,
      minify: true,
      write: false,
      format: "iife",
      target: "es2022",
      charset: "utf8",
      legalComments: "none",
    }).outputFiles[0].text.trimEnd();
  const style = bundle("style.css");
  // The text of a script must not be able to end it.
  const script = bundle("main.ts").replaceAll("</script", "<\\/script");
  const html = read(`${name}/index.html`)
    .replace("<!-- style -->", () => `<style>${style}</style>`)
    .replace("<!-- script -->", () => `<script>${script}</script>`);
  const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  return { html, style: hash(style), script: hash(script) };
}

function put(path, text) {
  if (!check) {
    mkdirSync(here("dist/"), { recursive: true });
    return writeFileSync(here(path), text);
  }
  let there = "";
  try {
    there = read(path);
  } catch {}
  if (there === text) return;
  stale += 1;
  console.error(`web/${path} is not what its sources say; run: node web/build.mjs`);
}

put("dist/widget.html", page("widget").html);
const { html, style, script } = page("dashboard");
put("dist/dashboard.html", html);
// What the page may do: run its own script and speak to its own server, and nothing else.
put(
  "dist/dashboard.csp",
  [
    "default-src 'none'",
    `script-src ${script}`,
    `style-src ${style}`,
    "img-src data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ") + "\n",
);
process.exit(stale > 0 ? 1 : 0);
