// Scenarios of the trace page in a browser: `node trace.mjs <name>`. `screenshots <directory>` makes the pictures of the guide.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { HEADER, fixture, large, recording, session } from "../../../../trace-page/test/recordings.ts";
import { directory, firstLine, lowContrast, newPage, run, scroll, status } from "./support.mjs";

/** Makes the page of a recording with `inhouse trace`, and returns its address. */
function trace(text, name = "trace.jsonl") {
  const file = join(directory, name);
  writeFileSync(file, text);
  const output = execFileSync(process.env.INHOUSE, ["trace", "--no-open", "--json", file], { encoding: "utf8" });
  return pathToFileURL(JSON.parse(output).page).href;
}

async function openTrace(text, { hash = "", ...options } = {}) {
  const page = await newPage(options);
  await page.goto(trace(text) + hash);
  await page.waitForSelector(".row[role=row]");
  return page;
}

const titles = (page) => page.locator(".rows .row .name").allTextContents();
const selected = (page) => page.locator(".row.is-selected .name").textContent();

const SCHEMES = ["light", "dark"];

/** Fails if a text of the page has too little contrast, or the browser has reported something; closes the page. */
async function closeReadable(page, colorScheme) {
  const low = await page.evaluate(lowContrast);
  assert.deepEqual(low, [], `${colorScheme}: ${JSON.stringify(low)}`);
  assert.deepEqual(page.problems, []);
  await page.context().close();
}

const scenarios = {
  async renders() {
    const page = await openTrace(recording(...session()));
    const totals = await page.locator(".totals").innerText();
    for (const text of ["Turns\n6", "Tool calls\n6", "Errors\n3", "$0.0015"]) assert.ok(totals.includes(text), `${text} in ${totals}`);
    const lanes = await page.locator(".lane-name").allTextContents();
    assert.deepEqual(lanes, ["Turns", "Model", "Tools", "Hooks", "Permissions", "Control", "Subagents", "Session", "Protocol"]);
    const rows = await titles(page);
    for (const title of ["What is 15 + 27?", "add", "It is 42."]) assert.ok(rows.includes(title), title);
    const tool = page.locator(".row.lane-tool").first();
    assert.match(await tool.innerText(), /in process · calc[\s\S]*a: 15, b: 27[\s\S]*42[\s\S]*12 ms/);
    const red = await page.locator(".row.is-error .name").first().evaluate((element) => getComputedStyle(element).color);
    assert.equal(red, "rgb(196, 40, 31)");
    assert.ok(await page.locator("canvas").evaluate((canvas) => canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.some((value) => value !== 0)), "the lanes are drawn");
    return page;
  },

  async click() {
    const page = await openTrace(recording(...session()));
    await page.locator(".row.lane-tool").first().click();
    const detail = page.locator("#detail");
    assert.equal(await detail.locator("h2").textContent(), "add");
    assert.deepEqual(await detail.locator(".event .side").allTextContents(), ["The CLI wrote", "The CLI wrote", "Your program wrote", "The CLI wrote"]);
    const answer = detail.locator(".event.from-host .json");
    assert.match(await answer.innerText(), /mcp_response[\s\S]*"42"/);
    assert.match(page.url(), /#event=17$/);
    await page.locator(".lane-label[data-lane=tool]").click();
    assert.ok(!(await titles(page)).includes("add"), "the lane is hidden");
    const canvas = page.locator("canvas");
    await canvas.click({ position: { x: 60, y: 29 } });
    assert.equal(await selected(page), "What is 15 + 27?");
    return page;
  },

  async search() {
    const page = await openTrace(recording(...session()));
    await page.locator("input[type=search]").fill("oh no");
    await page.waitForFunction(() => document.querySelectorAll(".rows .row").length < 8);
    assert.ok((await titles(page)).includes("Bash"));
    assert.match(await page.locator(".search-count").textContent(), /^\d+ found$/);
    await page.keyboard.press("Enter");
    assert.ok(await page.evaluate(() => document.activeElement.id === "rows"));
    await page.locator("input[type=search]").fill("no such text anywhere");
    await page.getByText("Nothing matches.").waitFor();
    await page.keyboard.press("Escape");
    assert.ok((await titles(page)).length > 10);
    return page;
  },

  async keyboard() {
    const page = await openTrace(recording(...session()));
    const press = async (...keys) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    await press("j", "j", "ArrowDown");
    assert.equal(await selected(page), "What is 15 + 27?");
    // Keys between two frames: each sees what the one before it did.
    await page.evaluate(async () => {
      for (const key of ["Home", "j", "j"]) {
        document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
        await new Promise((resolve) => {
          const channel = new MessageChannel();
          channel.port1.onmessage = resolve;
          channel.port2.postMessage(undefined);
        });
      }
    });
    assert.equal(await selected(page), "What is 15 + 27?");
    await press("ArrowLeft");
    assert.ok(!(await titles(page)).includes("add"), "the turn is folded");
    await press("ArrowRight", "k");
    assert.equal(await selected(page), "mcp_status");
    await press("e");
    assert.equal(await selected(page), "Write");
    await press("Enter");
    assert.ok(await page.evaluate(() => document.activeElement.id === "detail"));
    await press("Escape");
    assert.equal(await page.locator("#detail h2").textContent(), "Overview");
    await press("G");
    assert.match(await selected(page), /The CLI exited/);
    await press("?");
    await page.getByRole("dialog").waitFor();
    await press("Escape");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await press("/");
    await page.keyboard.type("jk");
    assert.equal(await page.locator("input[type=search]").inputValue(), "jk");
    const focused = await page.locator("input[type=search]").evaluate((element) => getComputedStyle(element).outlineStyle);
    assert.notEqual(focused, "none", "the focus is visible");
    return page;
  },

  async deepLink() {
    const text = recording(...session());
    // Line 4 is the handshake of the MCP server, in a lane that is hidden at first.
    const line = text.split("\n").findIndex((line) => line.includes('"mcp_response"')) + 1;
    const page = await openTrace(text, { hash: `#event=${line}` });
    await page.locator(`.event.is-linked[data-line="${line}"]`).waitFor();
    assert.equal(await page.locator(".row.is-selected").count(), 1);
    const last = text.trimEnd().split("\n").length;
    await page.evaluate((line) => (location.hash = `#event=${line}`), last);
    await page.locator(".row.is-selected").getByText("The CLI exited").waitFor();
    return page;
  },

  async htmlInData() {
    const attack = '</script><script>window.executed = 1</script><!--<img src=x onerror="window.executed = 1">';
    const prompt = { type: "user", message: { role: "user", content: attack }, uuid: "u" };
    const text = recording({ t: 1, host: prompt }, { t: 2, stderr: attack }, { t: 3, cli: { type: "result", result: attack, is_error: true, [attack]: attack } });
    const page = await newPage();
    await page.goto(trace(text, `"><script>window.executed = 1<${"\\"}script>.jsonl`.replaceAll("/", "")));
    await page.locator(".row.lane-turn").click();
    assert.equal(await page.locator("#detail h2").textContent(), attack);
    assert.equal(await page.evaluate(() => window.executed), undefined);
    assert.equal(await page.locator("img").count(), 0);
    // Even a script that gets into the document does not run.
    await page.evaluate(() => {
      const script = document.createElement("script");
      script.textContent = "window.executed = 1";
      document.body.append(script);
    });
    assert.equal(await page.evaluate(() => window.executed), undefined);
    assert.ok(page.problems.every((problem) => problem.includes("Content Security Policy")), page.problems.join());
    page.problems = [];
    return page;
  },

  async tenEvents() {
    const all = session();
    const prompt = all.findIndex((event) => event.host?.type === "user");
    const events = all.slice(prompt, prompt + 10);
    for (const colorScheme of SCHEMES) {
      const page = await openTrace(recording(...events), { colorScheme });
      const rows = await titles(page);
      for (const title of ["What is 15 + 27?", "add", "It is 42."]) assert.ok(rows.includes(title), `${title} in ${rows}`);
      await page.keyboard.press("G");
      await page.locator(".row.is-selected").waitFor();
      await closeReadable(page, colorScheme);
    }
  },

  async tenThousandEvents() {
    const text = recording(...large(10_000));
    assert.ok(text.split("\n").length > 10_000);
    for (const colorScheme of SCHEMES) {
      const small = await openTrace(recording(...large(500)), { colorScheme });
      const page = await openTrace(text, { colorScheme });
      const [few, many] = [await small.evaluate(scroll), await page.evaluate(scroll)];
      console.log({ colorScheme, few, many });
      assert.ok(many.rows > 2000, `${many.rows} rows`);
      assert.ok(many.nodes < 1500, `${many.nodes} nodes`);
      // Compared with a short list, because the machine may be busy.
      assert.ok(many.median < 3 * few.median + 50, `a step of ${many.median} ms, against ${few.median} ms with few rows`);
      await page.locator("input[type=search]").fill("mathematician");
      await page.locator(".search-count").waitFor();
      await page.keyboard.press("Escape");
      await page.keyboard.press("G");
      await page.locator(".row.is-selected").waitFor();
      await closeReadable(page, colorScheme);
      await small.context().close();
    }
  },

  async follow() {
    const file = join(directory, "live.jsonl");
    const command = spawn(process.env.INHOUSE, ["trace", "--follow", "--no-open", "--json", file], { stdio: ["ignore", "pipe", "inherit"] });
    try {
      const { url } = JSON.parse(await firstLine(command));
      assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\/$/);
      const page = await newPage();
      await page.goto(url);
      await page.getByText("No events yet.").waitFor();
      const events = fixture("mcp_in_process");
      const half = events.findIndex((event) => JSON.stringify(event).includes("tools/call"));
      writeFileSync(file, recording(...events.slice(0, half)));
      await page.locator(".row .name", { hasText: "What is 15 + 27?" }).waitFor();
      await page.locator(".live", { hasText: "live" }).waitFor();
      assert.ok(!(await page.locator(".row.lane-tool").innerText()).includes("→ 42"));
      const rest = events.slice(half).map((event) => `${JSON.stringify(event)}\n`).join("");
      // A line is shown when it is complete.
      appendFileSync(file, rest.slice(0, 40));
      appendFileSync(file, rest.slice(40));
      await page.locator(".row.lane-tool", { hasText: "→ 42" }).waitFor();
      await page.locator(".live", { hasText: "ended" }).waitFor();
      writeFileSync(file, `${JSON.stringify(HEADER)}\n${JSON.stringify({ t: 1, stderr: "another session" })}\n`);
      await page.getByText("another session").first().waitFor();
      assert.equal(await status(new URL("/", url)), 404);
      assert.equal(await status(new URL(url), { host: "example.com" }), 403);
      return page;
    } finally {
      command.kill();
    }
  },

  async themes() {
    const text = recording(...session());
    for (const colorScheme of SCHEMES) {
      const page = await openTrace(text, { colorScheme });
      await page.locator(".row.is-error").first().click();
      const low = await page.evaluate(lowContrast);
      assert.deepEqual(low, [], `${colorScheme}: ${JSON.stringify(low)}`);
      const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      const before = await background();
      assert.equal(before, colorScheme === "light" ? "rgb(255, 255, 255)" : "rgb(21, 23, 28)");
      await page.keyboard.press("t");
      assert.notEqual(await background(), before);
      await page.reload();
      assert.notEqual(await background(), before, "the choice is kept");
      assert.deepEqual(page.problems, []);
      await page.context().close();
    }
  },

  async damaged() {
    const page = await openTrace(`${recording({ t: 1, stderr: "hello" })}{"t":2,"cl`);
    await page.getByText("Line 3 is incomplete and was ignored.").waitFor();
    assert.equal((await titles(page))[0], "hello");
    return page;
  },

  async screenshots() {
    const target = process.argv[3];
    const text = recording(...session());
    const light = await openTrace(text, { viewport: { width: 1280, height: 760 } });
    await light.screenshot({ path: join(target, "trace-overview.png") });
    const dark = await openTrace(text, { colorScheme: "dark", viewport: { width: 1280, height: 760 } });
    await dark.locator(".row.lane-tool").first().click();
    await dark.screenshot({ path: join(target, "trace-tool-call.png") });
  },
};

await run(scenarios);
